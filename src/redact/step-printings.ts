// What the commands of a run print, step by step. A step may show what a command of an earlier step printed since: `BashOutput` of Claude
// Code, `write_stdin` of Codex.
import type { JsonObject } from "../base/json.js";
import type { ContentOrigin } from "../model/manifest.js";
import { isPoll, type Printing, printingOf } from "./printing.js";

/** Names of parameters that say which command a step polls. */
const idNames = [
  "bash_id",
  "session_id",
  "shell_id",
  "task_id",
  "terminal_id",
  "process_id",
  "command_id",
  "id",
];
/** Names of parameters that start a command in the background. */
const backgroundNames = ["run_in_background", "is_background", "isBackground", "background", "async"];

/** So many commands and ids are remembered. */
const most = 1000;

/** Steps are handed over in their order. */
export class StepPrintings {
  /** The last command of which it is known that it prints a secret. */
  #last: Printing | undefined;
  /** Commands that were started in the background, and that no step has polled yet. */
  #started: (Printing | undefined)[] = [];
  /** The last of them, polled or not. */
  #lastStarted: { printing: Printing | undefined } | undefined;
  readonly #polled = new Map<string, { printing: Printing | undefined }>();
  /** A step has several contents. */
  #call: { parameters: JsonObject; printing: Printing | undefined } | undefined;

  /** What the content that came from there prints, where that is a secret. */
  of(origin: ContentOrigin): Printing | undefined {
    const { parameters } = origin;
    if (parameters === undefined) return isPoll(origin) ? this.#polledBy({}) : printingOf(origin);
    if (this.#call?.parameters === parameters) return this.#call.printing;
    const own = printingOf(origin);
    const printing = own === undefined && isPoll(origin) ? this.#polledBy(parameters) : own;
    if (!isPoll(origin)) this.#note(parameters, own);
    this.#call = { parameters, printing };
    return printing;
  }

  #note(parameters: JsonObject, printing: Printing | undefined): void {
    if (backgroundNames.some((name) => parameters[name] === true)) {
      this.#lastStarted = { printing };
      if (this.#started.length < most) this.#started.push(printing);
    } else if (printing !== undefined) this.#last = printing;
  }

  #polledBy(parameters: JsonObject): Printing | undefined {
    const id = idIn(parameters);
    if (id === undefined) return this.#lastStarted === undefined ? this.#last : this.#lastStarted.printing;
    const known = this.#polled.get(id);
    if (known !== undefined) return known.printing;
    const secret = this.#started.find((printing) => printing !== undefined);
    // Which of several it is, no step says: all that is known is that one of them prints a secret.
    if (secret !== undefined && this.#started.length > 1) return secret;
    const printing = this.#started.length === 0 ? this.#last : secret;
    this.#started = this.#started.slice(1);
    if (this.#polled.size < most) this.#polled.set(id, { printing });
    return printing;
  }
}

function idIn(parameters: JsonObject): string | undefined {
  for (const name of idNames) {
    const id = parameters[name];
    if (typeof id === "string" || typeof id === "number") return `${id}`;
  }
  return undefined;
}
