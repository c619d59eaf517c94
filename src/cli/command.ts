// What a command is: data that the parser, --help and docs/commands.md all read, and a `run` that loads the rest.
import type { Terminal } from "./terminal.js";

/**
 * What a value is, so that a shell can complete it: something in the store, a path, or one of these words and no other,
 * which the parser sees to. A log is a file too, or a draft; a destination may be one more pack.
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
  /** What the value is called; without it the option is a switch. */
  value?: string;
  summary: string;
  complete?: Completion;
  /** Means something when it is given twice. */
  repeats?: boolean;
}

export interface Command {
  name: string;
  summary: string;
  /** A paragraph for --help, where the summary does not say it all. */
  details?: string;
  /** A list for --help, under a title of its own. */
  notes?: { title: string; rows: [string, string][] };
  /** For programs, not people: no list names it. */
  hidden?: boolean;
  /** Takes its words as they are: whatever they look like, none is an option. */
  raw?: boolean;
  arguments: Argument[];
  options: Option[];
  examples: { run: string; does: string }[];
  exits: { status: 0 | 1 | 2; when: string }[];
  /** Does the work and gives the exit status. Anything that only this command needs is imported in here. */
  run(call: Call): Promise<number>;
}

/** One call of a command, parsed. */
export interface Call {
  arguments: string[];
  /** Values by long name; a switch that was given is "". */
  options: ReadonlyMap<string, string>;
  /** All values of options that mean something when given twice, by long name. */
  lists: ReadonlyMap<string, readonly string[]>;
  /** The folder that the command works in. */
  folder: string;
  json: boolean;
  terminal: Terminal;
}

/** The commands that a program has, and those that people use by what they are after. */
export interface Table {
  commands: readonly Command[];
  groups: readonly { title: string; commands: readonly Command[] }[];
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

/** What comes before a command only. */
export const versionOption: Option = { long: "version", short: "V", summary: "show the version" };

/** Those that a list of commands names. */
export function visible(commands: readonly Command[]): Command[] {
  return commands.filter(({ hidden }) => hidden !== true);
}
