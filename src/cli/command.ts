// The form of a command: data that the parser, --help, completion and docs/commands.md all read, and a `run`
// that loads everything else.
import type { Terminal } from "./terminal.js";

/**
 * The kind of a value, so that a shell can complete it: something in the store, a path, or one of a list of
 * words; the parser refuses any other word. A log is a file or a draft; a destination is a remote, or one
 * more pack.
 */
export type Completion =
  | "pack"
  | "blob"
  | "tag"
  | "model"
  | "tool"
  | "session"
  | "format"
  | "agent"
  | "run-agent"
  | "remote"
  | "destination"
  | "log"
  | "file"
  | "folder"
  | readonly string[];

export interface Argument {
  /** As it appears in the usage line. */
  name: string;
  summary: string;
  required: boolean;
  /** Takes any number of values. */
  many?: boolean;
  complete?: Completion;
}

export interface Option {
  long: string;
  short?: string;
  /** The name of the value in the help; an option without it is a switch. */
  value?: string;
  summary: string;
  complete?: Completion;
  /** May be repeated; `Call.lists` then has all values. */
  repeats?: boolean;
  /**
   * Long names of options that cannot be combined with this one. Holds in both directions; declare it on one
   * side.
   */
  conflicts?: readonly string[];
  /** Long names of options: without any of them this one means nothing. */
  needs?: readonly string[];
  /** The error if `other` conflicts with this option, where the usual message does not explain enough. */
  conflictError?: (other: string) => string;
  /**
   * The error if `other` needs this option and it is missing, where the usual message does not explain
   * enough.
   */
  neededError?: (other: string) => { message: string; hint?: string };
}

export interface Command {
  name: string;
  summary: string;
  /** A paragraph for --help that follows the summary. */
  details?: string;
  /** A list for --help, with its title. */
  notes?: { title: string; rows: [string, string][] };
  /** Called by programs only: help and completion do not list it. */
  hidden?: boolean;
  /** Takes all words as arguments, even those that look like options. */
  raw?: boolean;
  arguments: Argument[];
  options: Option[];
  examples: { run: string; does: string }[];
  exits: { status: 0 | 1 | 2; when: string }[];
  /** Does the work and returns the exit status. Modules that only this command needs are imported in here. */
  run(call: Call): Promise<number>;
}

/** A parsed command line. */
export interface Call {
  arguments: string[];
  /** Values by long name; the value of a switch is "". */
  options: ReadonlyMap<string, string>;
  /** All values of the options that may be repeated, by long name. */
  lists: ReadonlyMap<string, readonly string[]>;
  /** The folder that the command works in. */
  folder: string;
  json: boolean;
  terminal: Terminal;
}

/** The commands of a program, and those among them that people use, grouped by purpose. */
export interface CommandTable {
  commands: readonly Command[];
  groups: readonly CommandGroup[];
  /** The commands that the overview lists before the groups. */
  first: readonly Command[];
}

export interface CommandGroup {
  title: string;
  commands: readonly Command[];
  /** Called by scripts rather than by people: only `ctx help --all` lists it. */
  isPlumbing?: boolean;
}

/** Options that every command has. */
export const commonOptions: Option[] = [
  { long: "json", summary: "print results and errors as JSON" },
  { long: "help", short: "h", summary: "show this help" },
  {
    long: "directory",
    short: "C",
    value: "dir",
    summary: "work as if started in this folder",
    complete: "folder",
    repeats: true,
  },
];

/** The option that is allowed before a command only. */
export const versionOption: Option = { long: "version", short: "V", summary: "show the version" };

/**
 * Returns these options, no two of which can be combined with each other or any of them with one of `others`.
 */
export function oneOf(options: readonly Option[], others: readonly string[] = []): Option[] {
  const names = options.map(({ long }) => long);
  return options.map((option, at) => ({
    ...option,
    conflicts: [...others, ...names.slice(0, at), ...(option.conflicts ?? [])],
  }));
}

/** Returns whether two options exclude each other, whichever of them declares it. */
export function isConflict(a: Option, b: Option): boolean {
  return a.conflicts?.includes(b.long) === true || b.conflicts?.includes(a.long) === true;
}

/**
 * Returns what help and completion print about an option: its summary, and the options of which it needs one.
 */
export function describeOption({ summary, needs = [] }: Option): string {
  return needs.length === 0 ? summary : `with ${alternatives(needs)}: ${summary}`;
}

/** Returns options as a message names them: `--git or --auto`. */
export function alternatives(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(" or ");
}

/** Returns the commands that help and completion list. */
export function visibleCommands(commands: readonly Command[]): Command[] {
  return commands.filter(({ hidden }) => hidden !== true);
}
