// Parses argv into a call. The table has the options; Node's own parser splits the words.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CtxError } from "../base/errors.js";
import { addTo } from "../base/lists.js";
import { nearest } from "../base/nearest.js";
import {
  alternatives,
  type Call,
  type Command,
  type Completion,
  commonOptions,
  isConflict,
  type Option,
  visibleCommands,
} from "./command.js";
import { hintFor, otherWords } from "./other-words.js";
import type { Terminal } from "./terminal.js";

export type ParsedCommandLine =
  | { kind: "version" }
  /** No command was given. */
  | { kind: "lost" }
  | { kind: "help"; command: Command | undefined }
  /** Help that lists every command. */
  | { kind: "all-help" }
  /** Help on a name that is no command. */
  | { kind: "topic"; name: string }
  | { kind: "run"; command: Command; call: Call };

/** Parses a command line, or throws a usage error with a hint. */
export function parse(
  argv: readonly string[],
  table: readonly Command[],
  terminal: Terminal,
): ParsedCommandLine {
  const leading = parseLeadingOptions(argv);
  if (leading.switches.has("version")) return { kind: "version" };
  const [name, ...rest] = leading.rest;
  if (name === undefined) {
    if (leading.switches.has("help")) return { kind: "help", command: undefined };
    return { kind: "lost" };
  }
  if (name === "version" && rest.length === 0) return { kind: "version" };
  if (name === "help") {
    if (rest[0] === "--all" || rest[0] === "-a") return { kind: "all-help" };
    const command = table.find((candidate) => candidate.name === rest[0]);
    return rest[0] === undefined || rest[0] === "help" || command !== undefined
      ? { kind: "help", command }
      : { kind: "topic", name: rest[0] };
  }
  const command = findCommand(name, table);
  if (command.raw === true) return { kind: "run", command, call: rawCall(rest, terminal) };
  const { values, lists, positionals } = parseWords(rest, command);
  for (const name of leading.switches) values.set(name, "");
  if (values.has("help")) return { kind: "help", command };
  checkArguments(command, positionals);
  checkCombination(command, values);
  const folders = [...leading.folders, ...(lists.get("directory") ?? [])];
  const call = {
    arguments: positionals,
    options: values,
    lists,
    // Resolved only when it is read: a hook must also run if the folder is gone.
    get folder() {
      return folders.reduce((at, next) => resolve(at, next), terminal.folder);
    },
    json: values.has("json"),
    terminal,
  };
  return { kind: "run", command, call };
}

/**
 * Returns a call without parsing its words; nothing in it can fail, not even the folder, until it is read.
 */
function rawCall(words: string[], terminal: Terminal): Call {
  return {
    arguments: words,
    options: new Map(),
    lists: new Map(),
    get folder() {
      return terminal.folder;
    },
    json: false,
    terminal,
  };
}

/** Reads the options before the command: -C, --json, --help, --version. */
function parseLeadingOptions(argv: readonly string[]): {
  rest: string[];
  folders: string[];
  switches: Set<string>;
} {
  const folders: string[] = [];
  const switches = new Set<string>();
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string;
    const known = leadingSwitches.get(word);
    const attached = /^(?:-C|--directory=)(.+)$/.exec(word)?.[1];
    if (known !== undefined) switches.add(known);
    else if (attached !== undefined) folders.push(attached);
    else if (word === "-C" || word === "--directory") {
      const folder = argv[++at];
      if (folder === undefined) throw new CtxError("usage", `${word} needs a value: a folder`);
      folders.push(folder);
    } else if (word.startsWith("-")) throw unknownOption(word, commonOptions, undefined);
    else return { rest: argv.slice(at), folders, switches };
  }
  return { rest: [], folders, switches };
}

const leadingSwitches: ReadonlyMap<string, string> = new Map([
  ["--json", "json"],
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["-V", "version"],
  ["-v", "version"],
  ["--no-pager", "no-pager"],
]);

function findCommand(name: string, table: readonly Command[]): Command {
  const found = table.find((command) => command.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    visibleCommands(table).map((command) => command.name),
  );
  throw new CtxError("usage", `there is no command "${name}"`, {
    hint:
      hintFor(otherWords.commands, name) ??
      (near === undefined ? "`ctx --help` lists the commands" : `did you mean \`ctx ${near}\`?`),
  });
}

function parseWords(
  words: string[],
  command: Command,
): { values: Map<string, string>; lists: Map<string, string[]>; positionals: string[] } {
  const options = [...command.options, ...commonOptions];
  const config = Object.fromEntries(
    options.map(({ long, short, value }) => [
      long,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  // As in git, -3 is short for -n 3.
  const counted = options.some(({ short }) => short === "n")
    ? words.map((word) => word.replace(/^-(\d+)$/, "-n$1"))
    : words;
  const { tokens } = parseArgs({
    args: counted,
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = options.find(({ long }) => long === token.name);
    if (option === undefined) throw unknownOption(token.rawName, options, command);
    if (option.value !== undefined && token.value === undefined)
      throw new CtxError("usage", `${token.rawName} needs a value: <${option.value}>`, helpHint(command));
    if (option.value === undefined && token.value !== undefined)
      throw new CtxError("usage", `${token.rawName} takes no value`, helpHint(command));
    if (token.value !== undefined) checkChoice(command, token.rawName, token.value, option.complete);
    values.set(option.long, token.value ?? "");
    if (option.repeats === true) addTo(lists, option.long, token.value ?? "");
  }
  return { values, lists, positionals };
}

function checkArguments(command: Command, positionals: readonly string[]): void {
  const needed = command.arguments.filter((argument) => argument.required);
  const missing = needed[positionals.length];
  if (missing !== undefined)
    throw new CtxError(
      "usage",
      `ctx ${command.name} needs <${missing.name}>: ${missing.summary}`,
      helpHint(command),
    );
  const maxArguments = command.arguments.some((argument) => argument.many)
    ? Infinity
    : command.arguments.length;
  if (positionals.length > maxArguments)
    throw new CtxError(
      "usage",
      `ctx ${command.name} takes no argument "${positionals[maxArguments]}"`,
      helpHint(command),
    );
  for (const [at, value] of positionals.entries()) {
    const argument = command.arguments[at] ?? command.arguments.at(-1);
    if (argument !== undefined) checkChoice(command, `<${argument.name}>`, value, argument.complete);
  }
}

/** Throws if two options of a call exclude each other, or none is there of those that another needs. */
function checkCombination(command: Command, values: ReadonlyMap<string, string>): void {
  // The common options come first, so that a message names --json before the option that excludes it.
  const options = [...commonOptions, ...command.options];
  const present = options.filter(({ long }) => values.has(long));
  for (const [at, a] of present.entries())
    for (const b of present.slice(at + 1))
      if (isConflict(a, b))
        throw new CtxError(
          "usage",
          a.conflictError?.(b.long) ??
            b.conflictError?.(a.long) ??
            `--${a.long} and --${b.long} cannot be used together`,
        );
  for (const { long, needs = [] } of present) {
    if (needs.length === 0 || needs.some((name) => values.has(name))) continue;
    const needed = options.find((option) => option.long === needs[0]);
    const { message, hint } = needed?.neededError?.(long) ?? {
      message: `--${long} needs ${alternatives(needs)}`,
    };
    throw new CtxError("usage", message, hint === undefined ? {} : { hint });
  }
}

function checkChoice(command: Command, label: string, value: string, choices: Completion | undefined): void {
  if (typeof choices !== "object" || choices.includes(value)) return;
  const near = nearest(value, choices);
  throw new CtxError("usage", `${label} must be one of ${choices.join(", ")}, not "${value}"`, {
    hint:
      hintFor(otherWords.values[command.name], value) ??
      (near === undefined ? helpHint(command).hint : `did you mean ${near}?`),
  });
}

function unknownOption(raw: string, options: readonly Option[], command: Command | undefined): CtxError {
  const names = options.flatMap(({ long, short }) =>
    short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`],
  );
  const near = nearest(
    raw,
    names.filter((name) => name.startsWith("--")),
  );
  const programText = command === undefined ? "ctx" : `ctx ${command.name}`;
  return new CtxError("usage", `${programText} has no option ${raw}`, {
    hint:
      hintFor(otherWords.options[command?.name ?? ""], raw) ??
      hintFor(otherWords.options[""], raw) ??
      (near === undefined ? `\`${programText} --help\` lists them` : `did you mean ${near}?`),
  });
}

function helpHint(command: Command): { hint: string } {
  return { hint: `\`ctx ${command.name} --help\` shows the usage` };
}
