// Selects the rules by which a step's output is compared. The tool and the command line decide, never what
// the log says about itself: a pack must not choose how strictly it is compared. Every rule is named in the
// report, and a step that needed one keeps `ctx verify --replay` from answering yes.
import { CtxError } from "../../base/errors.js";
import type { NormaliserRule } from "../../model/config.js";
import { parseShellLine, type ShellLine } from "../../tools/shell-line.js";
import type { ToolUse } from "../../tools/table.js";
import { mayPrintFiles } from "../file-printer.js";
import type { Execution } from "../plan.js";
import { cutRule } from "./cut.js";
import { type CommitHashes, gitChangeRules, gitRules } from "./git.js";
import { isUnorderedSearch, lineRule, lineSetRule } from "./lines.js";
import { lsRules } from "./ls.js";
import { resultRules } from "./results.js";
import { type MatchRules, replacing, type RewritingRule } from "./rule.js";
import { cutListRule, searchForm } from "./search-forms.js";
import { terminalCodes, terminalLines, terminalTabs } from "./terminal.js";
import { endOfText, varying } from "./varying.js";
import { windowRule } from "./window.js";

export interface RuleOptions {
  /** The configured normalisers. */
  configured: readonly NormaliserRule[];
  /** The agent whose log it was. */
  agent: string | undefined;
  hashes: CommitHashes;
  /** Whether the log says that the agent's program cut the record. */
  isCut: boolean;
  /** Whether the tool's results have no order. */
  isUnordered: boolean;
  /** The folder of the run, removed from the beginning of lines where order does not count. */
  workdir: string;
}

/** Returns the rules for a step, the configured ones first. The content of files is compared verbatim. */
export function rulesFor(tool: string, execution: Execution, options: RuleOptions): MatchRules {
  if (execution.how === "command") return commandRules(tool, execution.argv, options);
  if (execution.how === "builtin") return builtinRules(tool, execution.use, options);
  return {
    rewriting: configuredRules(tool, options.configured),
    comparing: options.isUnordered ? [lineSetRule(options.workdir)] : [],
  };
}

function builtinRules(tool: string, use: ToolUse, options: RuleOptions): MatchRules {
  const { agent, isUnordered, isCut, workdir } = options;
  const cut = isCut ? [cutRule({ isMarked: true, isUnordered })] : [];
  if (use.action === "read")
    return { rewriting: agent !== undefined && isPart(use) ? [endOfText] : [], comparing: cut };
  if (use.action === "window") return { rewriting: [terminalLines], comparing: [windowRule(use), ...cut] };
  const isSearch = use.action === "glob" || use.action === "grep" || use.action === "list";
  const lines = isUnordered ? [lineSetRule(workdir)] : [];
  return {
    rewriting: [
      ...(isSearch && isUnordered ? [terminalLines, searchForm(use)] : []),
      ...(use.action === "grep" ? [] : configuredRules(tool, options.configured)),
    ],
    comparing: [
      ...lines,
      ...(isSearch && isUnordered
        ? [cutListRule(workdir, use.action === "grep" ? use.most : undefined)]
        : []),
      ...cut,
    ],
  };
}

function commandRules(tool: string, argv: readonly string[], options: RuleOptions): MatchRules {
  const line = lineOf(argv);
  const stages = line.pipelines.flatMap((pipeline) => pipeline.stages);
  const isUnordered = line.isComplete && isUnorderedSearch(line);
  const cut = cutRule({ isMarked: options.isCut, isUnordered });
  const lines = isUnordered ? [lineRule] : [];
  if (mayPrintFiles(argv))
    return {
      rewriting: [
        terminalLines,
        ...(line.isComplete ? gitChangeRules(stages, options.hashes) : []),
        // Agents leave out the end of the text; a log that was written for ctx has every byte.
        ...(options.agent === undefined ? [] : [endOfText]),
      ],
      comparing: [...lines, cut],
    };
  return {
    rewriting: [
      terminalLines,
      terminalCodes,
      terminalTabs,
      ...configuredRules(tool, options.configured),
      ...gitRules(stages, options.hashes),
      ...lsRules(stages),
      ...varying,
      endOfText,
    ],
    comparing: [...lines, ...resultRules(line), cut],
  };
}

/** Returns a command as a parsed line; a program with arguments is one stage. */
function lineOf(argv: readonly string[]): ShellLine {
  const [program, option, line] = argv;
  if (program === "/bin/bash" && option === "-c" && line !== undefined) return parseShellLine(line);
  const script =
    argv.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(program ?? "") && /^-\w*c$/.test(option ?? "");
  return parseShellLine(script ? (line ?? "") : argv.map(quoted).join(" "));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function configuredRules(tool: string, rules: readonly NormaliserRule[]): RewritingRule[] {
  return rules
    .filter(({ tools }) => tools === undefined || tools.includes(tool))
    .map((rule) => replacing(rule.name, compiled(rule), rule.replace ?? ""));
}

/** Returns whether only some lines of a file were read: agents trim the record of these. */
function isPart({ from, lines }: Extract<ToolUse, { action: "read" }>): boolean {
  return from !== undefined || lines !== undefined;
}

function compiled({ name, pattern }: NormaliserRule): RegExp {
  try {
    return new RegExp(pattern, "gu");
  } catch {
    throw new CtxError(
      "store-unusable",
      `the normaliser "${name}" has a pattern that is no regular expression`,
    );
  }
}
