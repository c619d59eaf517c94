// Completes a command line, for the scripts of `ctx completion`. It reads the same table as the parser, but a
// line that is being typed is never wrong, only unfinished: words that it does not understand get no
// candidates, and no error either.
import { join, resolve } from "node:path";
import { printable } from "../base/printable.js";
import type { CompletionCandidate, StoredKind } from "./candidates.js";
import {
  describeOption,
  type Argument,
  type Command,
  type Completion,
  commonOptions,
  isConflict,
  type Option,
  versionOption,
  visibleCommands,
} from "./command.js";

/** Not in the command table: the parser itself answers `ctx help`. */
const help = { name: "help", summary: "show help on ctx, a command or a topic" };

/** The shell in which the line is being typed. */
export interface ShellContext {
  folder: string;
  home: string | undefined;
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns a line for each candidate: the value, a tab, and a description. The lines `:files` and `:folders`,
 * without a tab, make the shell complete names of files or folders. The last word is the one being typed.
 */
export async function complete(
  words: readonly string[],
  commands: readonly Command[],
  shell: ShellContext,
): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const line = parseTypedWords(words.slice(0, -1), commands);
  if (line === undefined) return [];
  const { command, pending, positionals } = line;
  if (pending !== undefined) return valueLines(pending.complete, typed, "", { line, shell });
  if (typed.startsWith("-") && !line.isOnlyArguments) {
    const [, head = "", name = "", value = ""] = /^(--([^=]+)=)(.*)$/s.exec(typed) ?? [];
    if (head === "") return optionLines(line, typed);
    const option = availableOptions(command).find(({ long }) => long === name);
    return option?.value === undefined ? [] : valueLines(option.complete, value, head, { line, shell });
  }
  if (command === undefined || command === "help") {
    if (positionals.length > 0) return [];
    const more = command === "help" ? (await import("./topics.js")).topics : [help];
    const names = [...visibleCommands(commands), ...more];
    return toLines(
      names.map(({ name, summary }) => ({ value: name, description: summary })),
      typed,
    );
  }
  const argument = argumentAt(command, positionals.length);
  if (argument !== undefined) return valueLines(argument.complete, typed, "", { line, shell });
  return typed === "" && !line.isOnlyArguments ? optionLines(line, typed) : [];
}

/** The words before the one being typed, as far as they are understood. */
interface TypedLine {
  command: Command | "help" | undefined;
  /** Long names of the options so far. */
  present: Set<string>;
  positionals: string[];
  /** Values of -C. */
  folders: string[];
  /** The option whose value comes next. */
  pending: Option | undefined;
  /** After `--` there are no options. */
  isOnlyArguments: boolean;
}

function parseTypedWords(words: readonly string[], commands: readonly Command[]): TypedLine | undefined {
  const line: TypedLine = {
    command: undefined,
    present: new Set(),
    positionals: [],
    folders: [],
    pending: undefined,
    isOnlyArguments: false,
  };
  for (const word of words) {
    if (line.pending !== undefined) addOption(line, line.pending, word);
    else if (line.isOnlyArguments || !/^-./s.test(word)) {
      if (line.command !== undefined) line.positionals.push(word);
      else line.command = word === "help" ? "help" : commands.find(({ name }) => name === word);
      if (line.command === undefined || (line.command !== "help" && line.command.raw === true))
        return undefined;
    } else if (word === "--") {
      if (line.command === undefined) return undefined;
      line.isOnlyArguments = true;
    } else if (word.startsWith("--")) addLongOption(line, word);
    else addShortOptions(line, word);
  }
  return line;
}

function addLongOption(line: TypedLine, word: string): void {
  const [, name, value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = availableOptions(line.command).find((one) => one.long === name);
  if (option !== undefined) addOption(line, option, value);
}

/** Reads `-n5`, or several switches in one word. */
function addShortOptions(line: TypedLine, word: string): void {
  for (let at = 1; at < word.length; at++) {
    const option = availableOptions(line.command).find((one) => one.short === word[at]);
    if (option === undefined) return;
    const rest = word.slice(at + 1);
    addOption(line, option, option.value === undefined || rest === "" ? undefined : rest);
    if (option.value !== undefined) return;
  }
}

function addOption(line: TypedLine, option: Option, value: string | undefined): void {
  line.present.add(option.long);
  line.pending = option.value !== undefined && value === undefined ? option : undefined;
  if (option.long === "directory" && value !== undefined) line.folders.push(value);
}

function availableOptions(command: TypedLine["command"]): Option[] {
  if (command === undefined) return [...commonOptions, versionOption];
  return command === "help" ? [] : [...command.options, ...commonOptions];
}

function argumentAt({ arguments: args }: Command, index: number): Argument | undefined {
  return args[index] ?? (args.some(({ many }) => many === true) ? args.at(-1) : undefined);
}

function optionLines({ command, present }: TypedLine, typed: string): string[] {
  const options = availableOptions(command);
  const typedOptions = options.filter(({ long }) => present.has(long));
  const named = options
    .filter((option) => option.repeats === true || !present.has(option.long))
    .filter((option) => !typedOptions.some((other) => isConflict(option, other)))
    .flatMap((option) => {
      const description = describeOption(option);
      const long = { value: `--${option.long}`, description };
      return option.short === undefined ? [long] : [long, { value: `-${option.short}`, description }];
    });
  return toLines(named, typed);
}

/** Returns candidates for a value. `head` is the text before it in the same word, as in `--tag=`. */
async function valueLines(
  kind: Completion | undefined,
  typed: string,
  head: string,
  { line, shell }: { line: TypedLine; shell: ShellContext },
): Promise<string[]> {
  if (kind === undefined) return [];
  if (typeof kind === "object")
    return toLines(
      kind.map((value) => ({ value, description: "" })),
      typed,
      head,
    );
  if (kind === "format") return toLines(await formatCandidates(), typed, head);
  if (kind === "agent") return toLines(await agentCandidates(), typed, head);
  if (kind === "remote") return toLines(await remoteCandidates(shell), typed, head);
  if (kind === "destination")
    return toLines(
      [...(await remoteCandidates(shell)), ...(await namesInStore("pack", typed, line, shell))],
      typed,
      head,
    );
  // The shell completes names in its own folder, which is the wrong one after -C.
  const isShellFolder = line.folders.length === 0 || /^[/~]/.test(typed);
  if (kind === "folder") return isShellFolder ? [":folders"] : [];
  if (kind === "file") return isShellFolder ? [":files"] : [];
  const stored = toLines(
    await namesInStore(kind === "log" ? "draft" : kind, typed, line, shell),
    typed,
    head,
  );
  return kind === "log" && isShellFolder ? [...stored, ":files"] : stored;
}

/** Returns the values of `ctx pack --from`. */
async function formatCandidates(): Promise<CompletionCandidate[]> {
  const { listFormats } = await import("../ops/pack.js");
  const known = listFormats().map(({ name, title }) => ({ value: name, description: title }));
  return [...known, { value: "list", description: "list them" }];
}

/** Returns the user's short names for registries. */
async function remoteCandidates({ env = {} }: ShellContext): Promise<CompletionCandidate[]> {
  try {
    const { listRemotes } = await import("../ops/remote.js");
    const { userPaths } = await import("./environment.js");
    return listRemotes(userPaths(env)).remotes.map(({ name, url }) => ({ value: name, description: url }));
  } catch {
    return [];
  }
}

/** Returns the agents whose sessions `ctx discover` can find. */
async function agentCandidates(): Promise<CompletionCandidate[]> {
  const { knownAgents } = await import("../ops/discover.js");
  return knownAgents.map((value) => ({ value, description: "" }));
}

/** Returns names from the store, and none if there is no store or it cannot be read. */
async function namesInStore(
  kind: StoredKind,
  typed: string,
  { folders }: TypedLine,
  { folder, home }: ShellContext,
): Promise<CompletionCandidate[]> {
  const targets = folders.map((next) =>
    home === undefined ? next : next.replace(/^~(?=\/|$)/, () => join(home)),
  );
  try {
    const { storedCandidates } = await import("./candidates.js");
    return storedCandidates(
      kind,
      typed,
      targets.reduce((at, next) => resolve(at, next), folder),
    );
  } catch {
    return [];
  }
}

function toLines(candidates: readonly CompletionCandidate[], typed: string, head = ""): string[] {
  return candidates
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, description }) => `${head}${value}\t${printable(description)}`);
}
