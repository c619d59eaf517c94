// Selects the rules by which a step's output is compared. The tool and the command line decide, never what
// the log says about itself: a pack must not choose how strictly it is compared. Every rule is named in the
// report, and a step that needed one keeps `ctx verify --replay` from answering yes.
import { CtxError } from "../../base/errors.js";
import type { NormaliserRule } from "../../model/config.js";
import { parseShellLine, type ShellLine } from "../../tools/shell-line.js";
import { mayPrintFiles } from "../file-printer.js";
import type { Execution } from "../plan.js";
import { cutRule } from "./cut.js";
import { type CommitHashes, gitChangeRules, gitRules } from "./git.js";
import { isUnorderedSearch, lineRule, lineSetRule } from "./lines.js";
import { lsRules } from "./ls.js";
import { resultRules } from "./results.js";
import { type MatchRules, replacing, type RewritingRule } from "./rule.js";
import { terminalCodes, terminalLines } from "./terminal.js";
import { endOfText, varying } from "./varying.js";

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
  const { configured, agent, isUnordered, isCut, workdir } = options;
  const isTrimming = agent !== undefined && isTrimmed(execution);
  if (execution.how === "command") return commandRules(tool, execution.argv, options);
  const rewriting =
    execution.how === "builtin" && (execution.use.action === "read" || execution.use.action === "grep")
      ? isTrimming
        ? [endOfText]
        : []
      : configuredRules(tool, configured);
  const comparing = [
    ...(isUnordered ? [lineSetRule(workdir)] : []),
    ...(isCut && execution.how === "builtin" ? [cutRule({ isMarked: true, isUnordered })] : []),
  ];
  return { rewriting, comparing };
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

/** Returns whether agents trim the record of a built-in tool: they do with some lines of a file. */
function isTrimmed(execution: Execution): boolean {
  return (
    execution.how === "builtin" &&
    execution.use.action === "read" &&
    (execution.use.from !== undefined || execution.use.lines !== undefined)
  );
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
