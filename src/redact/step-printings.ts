// Tracks what the commands of a run print, step by step. A step may show what the command of an earlier step
// has printed since: `BashOutput` of Claude Code, `write_stdin` of Codex.
import type { JsonObject } from "../base/json/value.js";
import type { ContentOrigin } from "../model/manifest.js";
import { isPoll, type Printing, printingOf } from "./printing.js";
import { mayReportCommand, userCommandIn } from "./user-commands.js";

/** Names of parameters that identify the command a step starts or polls, without case and underscores. */
const idNames = new Set(
  "bashid sessionid shellid taskid terminalid processid commandid jobid execid cellid pid id".split(" "),
);
/** Names of parameters that start a command in the background. */
const backgroundNames = ["run_in_background", "is_background", "isBackground", "background", "async"];

/** Most commands and ids that are remembered. */
const most = 1000;
/** How much of the output of a background command is searched for its id and the file that it writes to. */
const maxRead = 4096;
const idInOutput =
  /\b(?:session|shell|task|command|process|terminal|bash|job)?[ _]?id:?\s{1,4}[`"'<]?([\w.-]{1,80})/gi;
const fileInOutput = /\bwritten to:?\s{1,4}[`"']?([^\s`"'<>]{4,400})/gi;

/** Judges the outputs of steps, which must be passed in order. */
export class StepPrintings {
  /** The last command known to print a secret. */
  #last: Printing | undefined;
  /** Background commands that no step has polled yet. */
  #started: (Printing | undefined)[] = [];
  /** The last background command, polled or not. */
  #lastStarted: { printing: Printing | undefined } | undefined;
  readonly #polled = new Map<string, { printing: Printing | undefined }>();
  /** Ids of commands that print a secret, and the files that they write to, as stated when they started. */
  readonly #ids = new Map<string, Printing | undefined>();
  readonly #files = new Map<string, Printing>();
  /** The last command that the user ran. */
  #users: Printing | undefined;
  /** The last call: a step has several contents. */
  #call: { parameters: JsonObject; printing: Printing | undefined } | undefined;

  /** Returns what a content of this origin prints, if that is a secret. */
  of(origin: ContentOrigin): Printing | undefined {
    const { parameters, path } = origin;
    if (path !== undefined) return printingOf(origin) ?? this.#fileNamed(path);
    if (parameters === undefined) return isPoll(origin) ? this.#polledBy({}) : printingOf(origin);
    if (this.#call?.parameters === parameters) return this.#call.printing;
    const own = printingOf(origin) ?? this.#writtenFile(parameters);
    const printing = own === undefined && isPoll(origin) ? this.#polledBy(parameters) : own;
    if (!isPoll(origin)) this.#note(parameters, own);
    this.#call = { parameters, printing };
    return printing;
  }

  /** Reads the first output of a command that prints secrets: later steps refer to its id or its file. */
  printed(origin: ContentOrigin, bytes: Buffer): void {
    const printing = this.#call?.printing;
    if (printing === undefined || origin.parameters !== this.#call?.parameters || isPoll(origin)) return;
    const text = bytes.toString("latin1", 0, maxRead);
    for (const [, id = ""] of text.matchAll(idInOutput)) this.#setId(id.replace(/\.$/, ""), printing);
    for (const [, file = ""] of text.matchAll(fileInOutput))
      if (this.#files.size < most) this.#files.set(file.replace(/[.,]$/, ""), printing);
  }

  /** Returns what a text prints that reports a command of the user's, if that is a secret. */
  reported(bytes: Buffer): Printing | undefined {
    if (!mayReportCommand(bytes)) return undefined;
    const text = bytes.toString();
    const { command, printed = [] } = userCommandIn(text) ?? {};
    if (command !== undefined)
      this.#users = printingOf({ parameters: { command: text.slice(command.from, command.to).trim() } });
    return printed.length === 0 ? undefined : this.#users;
  }

  #setId(id: string, printing: Printing | undefined): void {
    if (this.#ids.size < most) this.#ids.set(id, printing);
  }

  /** Returns what a step prints that reads the output file of an earlier command. */
  #writtenFile(parameters: JsonObject): Printing | undefined {
    if (this.#files.size === 0) return undefined;
    const texts = Object.values(parameters).filter((value) => typeof value === "string");
    for (const [file, printing] of this.#files)
      if (texts.some((text) => text.length <= maxCommandLength && text.includes(file))) return printing;
    return undefined;
  }

  /** Returns what a file of the run holds that an earlier command wrote its output to. */
  #fileNamed(name: string): Printing | undefined {
    for (const [file, printing] of this.#files)
      if (name.endsWith(file) || file.endsWith(`/${name}`)) return printing;
    return undefined;
  }

  #note(parameters: JsonObject, printing: Printing | undefined): void {
    const id = idIn(parameters);
    if (id !== undefined) this.#setId(id, printing);
    if (backgroundNames.some((name) => parameters[name] === true) || parameters["mode"] === "async") {
      this.#lastStarted = { printing };
      if (this.#started.length < most) this.#started.push(printing);
    } else if (printing !== undefined) this.#last = printing;
  }

  #polledBy(parameters: JsonObject): Printing | undefined {
    const id = idIn(parameters);
    if (id === undefined) return this.#lastStarted === undefined ? this.#last : this.#lastStarted.printing;
    const named = this.#ids.get(id);
    if (named !== undefined) return named;
    const known = this.#polled.get(id);
    if (known !== undefined) return known.printing;
    if (this.#ids.has(id)) return undefined;
    const secret = this.#started.find((printing) => printing !== undefined);
    // No step says which of several commands it is; one of them prints a secret.
    if (secret !== undefined && this.#started.length > 1) return secret;
    const printing = this.#started.length === 0 ? this.#last : secret;
    this.#started = this.#started.slice(1);
    if (this.#polled.size < most) this.#polled.set(id, { printing });
    return printing;
  }
}

const maxCommandLength = 1 << 14;

function idIn(parameters: JsonObject): string | undefined {
  for (const name of Object.keys(parameters)) {
    if (name.length > 20 || !idNames.has(name.replaceAll("_", "").toLowerCase())) continue;
    const id = parameters[name];
    if (typeof id === "string" || typeof id === "number") return `${id}`;
  }
  return undefined;
}
