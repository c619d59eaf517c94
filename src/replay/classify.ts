// Assigns each call its class, from the record alone and before anything runs. The class decides whether the
// call is executed and judged: `world`, `own` and `refused` are neither, in packs that ctx imported.
import { posix } from "node:path";
import type { Manifest, Step } from "../model/manifest.js";
import type { StepClass } from "../results/replay.js";
import { classifyCommand, type CommandClass } from "../tools/command-class.js";
import { refusalOf } from "../tools/refused-calls.js";
import { effects, touchedBy, type ToolUse, unansweredAs } from "../tools/table.js";
import { fileName, folderOf, HeldFiles, stepFolder } from "./held-files.js";
import { exitOf, hasFailed, isStillRunning } from "./recorded-status.js";

export interface Classified {
  class: StepClass;
  /** Why a call is not judged. */
  why?: string;
  /** What a command is, as far as the scanner could read it. */
  command?: CommandClass;
}

export interface ClassifierOptions {
  /** The agent whose log it was; undefined for a log that was written for ctx. */
  agent: string | undefined;
  /** Returns the beginning of what the log records as the answer to a call; empty if it cannot be read. */
  textOf: (step: Step) => string;
}

/** Tools that ask the network, whatever their arguments are. */
const webTools =
  /^(?:web_?(?:search|fetch)(?:_call|_preview)?|google_?web_?search|google_?search|browser\w*|fetch_?url|url_?fetch)$/i;

/** Classifies the calls of a run in order: a file that one step wrote is held for the next ones. */
export class Classifier {
  readonly #options: ClassifierOptions;
  readonly #workdir: string;
  readonly #held: HeldFiles;
  readonly #outputs: ReadonlySet<string>;
  readonly #made = new Set<string>();

  constructor(manifest: Manifest, options: ClassifierOptions) {
    this.#options = options;
    this.#workdir = folderOf(manifest);
    this.#held = new HeldFiles(manifest);
    this.#outputs = new Set(manifest.outputs.map(({ name }) => name));
  }

  /** `isConfigured`: the user provides a program for the tool. */
  classify(step: Step, use: ToolUse | undefined, isConfigured: boolean): Classified {
    const { agent } = this.#options;
    const word = unansweredAs(step);
    if (word !== undefined) return { class: "refused", why: `the call was ${word}` };
    const refusal = this.#refusal(step, use);
    if (refusal !== undefined) return { class: "refused", why: `it never ran: ${refusal}` };
    if (isConfigured) return { class: "tool" };
    if (agent !== undefined && use?.action === "command" && isStillRunning(step))
      return { class: "own", why: "it was still running when the record of it ends" };
    if (use === undefined) return agent === undefined ? { class: "tool" } : otherTool(step.tool ?? "");
    if (use.action === "internal") return { class: "own", why: use.why };
    if (use.action === "command") return this.#command(step, use);
    return this.#files(step, use);
  }

  #refusal(step: Step, use: ToolUse | undefined): string | undefined {
    const { agent, textOf } = this.#options;
    if (agent === undefined || !hasFailed(step)) return undefined;
    return refusalOf({
      agent,
      isCommand: use?.action === "command",
      exitCode: exitOf(step),
      text: textOf(step),
    });
  }

  #command(step: Step, { command, folder }: Extract<ToolUse, { action: "command" }>): Classified {
    const workdir = this.#workdir;
    const start = stepFolder(step, workdir);
    const place = { workdir, folder: posix.resolve(start, folder ?? "."), made: this.#made };
    const scanned = classifyCommand(command, place);
    return {
      class: scanned.class,
      ...(scanned.why === undefined ? {} : { why: `world: ${scanned.why}` }),
      command: scanned,
    };
  }

  #files(step: Step, use: ToolUse): Classified {
    const folder = stepFolder(step, this.#workdir);
    // An editor's window onto a file that it changes, or that it has made.
    const isEdited = use.action === "window" && (use.change !== undefined || use.isNew === true);
    if (isEdited || effects.has(use.action)) {
      const paths = isEdited ? [use.path] : touchedBy(use);
      const names = paths.map((path) => fileName(path, folder, this.#workdir));
      const outside = this.#outsideEdit(paths, names, folder);
      if (outside !== undefined) return { class: "world", why: outside };
      if (!hasFailed(step)) for (const name of names) this.#held.add(name);
      return { class: "edit" };
    }
    const path = "path" in use && use.path !== undefined ? use.path : ".";
    const name = path.startsWith("~") ? path : fileName(path, folder, this.#workdir);
    const isRead = use.action === "read" || use.action === "window";
    if (isRead && this.#held.has(name)) return { class: "read" };
    const outside = this.#outside(path, folder);
    return outside === undefined || this.#made.has(posix.resolve(folder, path))
      ? { class: "tree" }
      : { class: "world", why: outside };
  }

  /** Returns what of the world an imported run changed outside the workspace, in files that its log does not hold. */
  #outsideEdit(paths: readonly string[], names: readonly string[], folder: string): string | undefined {
    if (names.some((name) => this.#held.has(name) || this.#outputs.has(name))) return undefined;
    const reasons = paths.map((path) => this.#outside(path, folder));
    return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
  }

  /** Returns what of the world an imported run's path is in; undefined for one in the workspace. */
  #outside(path: string, folder: string): string | undefined {
    const absolute = posix.resolve(folder, path);
    const isInside = absolute === this.#workdir || absolute.startsWith(`${this.#workdir}/`);
    if (this.#options.agent === undefined || (isInside && !path.startsWith("~"))) return undefined;
    const isHome = path.startsWith("~") || /^\/(?:Users|home)\/|^\/root\//.test(absolute);
    return `world: ${isHome ? "home" : "outside"}`;
  }
}

function otherTool(tool: string): Classified {
  if (/^mcp__|^mcp_/.test(tool)) return { class: "world", why: "world: MCP" };
  if (webTools.test(tool.replace(/^functions\./, ""))) return { class: "world", why: "world: web" };
  return { class: "tool" };
}
