// What a command is: data that the parser, --help and docs/commands.md all read, and a `run` that loads the rest.
import type { Terminal } from "./terminal.js";

export interface Argument {
  /** As it appears in the usage line. */
  name: string;
  summary: string;
  required: boolean;
  /** Takes any number of values. */
  many?: boolean;
}

export interface Option {
  long: string;
  short?: string;
  /** What the value is called; without it the option is a switch. */
  value?: string;
  summary: string;
}

export interface Command {
  name: string;
  summary: string;
  /** A paragraph for --help, where the summary does not say it all. */
  details?: string;
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
  /** The folder that the command works in. */
  folder: string;
  json: boolean;
  terminal: Terminal;
}

/** Options that every command has. */
export const commonOptions: Option[] = [
  { long: "json", summary: "print the result as JSON, and errors as JSON on standard error" },
  { long: "help", short: "h", summary: "show this help" },
  { long: "directory", short: "C", value: "dir", summary: "work as if started in this folder" },
];
