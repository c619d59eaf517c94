// The texts that files had according to the log, step by step: inputs, whole reads, writes, edits, and what
// the agent recorded of a file before it edited it. A replay that has drifted is set back to them.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isObject } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import { readObject } from "../store/objects.js";
import { touchedBy, type ToolUse } from "../tools/table.js";
import { NotApplied, StepFailure } from "./outcome.js";
import type { PlannedStep } from "./plan.js";
import { hasFailed } from "./recorded-status.js";
import { insertLines, replaceTexts } from "./text-edits.js";
import type { Workspace } from "./workspace.js";

/** Larger files are not followed, and neither are more bytes in all. */
const most = { file: 8 << 20, all: 64 << 20 };

interface LogText {
  bytes: Buffer;
  /** Whether nothing that the log does not describe can have changed the file since. */
  isCertain: boolean;
}

/**
 * Agents whose log says whether a read showed the whole file, and that edit no file that has changed since
 * they read it: an edit that worked is the proof that no command changed it in between.
 */
const careful = new Set(["claude-code"]);

export class LogTexts {
  readonly #root: string;
  readonly #workspace: Workspace;
  readonly #agent: string | undefined;
  readonly #texts = new Map<string, LogText>();
  #held = 0;

  constructor(
    root: string,
    { manifest, workspace, agent }: { manifest: Manifest; workspace: Workspace; agent: string | undefined },
  ) {
    this.#root = root;
    this.#workspace = workspace;
    this.#agent = agent;
    for (const { name, content_ref, size } of manifest.inputs) {
      const path = this.#locate(name);
      if (path !== undefined && size <= most.file) this.#set(path, this.#read(content_ref));
    }
  }

  /** Returns the text that a file had before a step that edits it, where the log leaves no doubt. */
  before({ step, execution }: PlannedStep): { path: string; bytes: Buffer } | undefined {
    if (execution.how !== "builtin" || !("path" in execution.use) || execution.use.path === undefined)
      return undefined;
    const { action } = execution.use;
    if (action !== "edit" && action !== "insert" && action !== "append") return undefined;
    const path = this.#locate(execution.use.path, step);
    if (path === undefined) return undefined;
    this.#useRecord(step, path);
    const text = this.#texts.get(path);
    const isProof = careful.has(this.#agent ?? "") && !hasFailed(step);
    return text !== undefined && (text.isCertain || isProof) ? { path, bytes: text.bytes } : undefined;
  }

  /** Notes what a step did, according to the log. */
  after(planned: PlannedStep): void {
    const { step, execution, classified } = planned;
    if (classified === undefined || classified.class === "refused") return;
    if (execution.how === "builtin") return this.#builtin(step, execution.use);
    const isHarmless =
      classified.command?.mayWrite === false ||
      (classified.class === "own" && !/task|agent|exec|stdin|bash|shell/i.test(step.tool ?? ""));
    if (!isHarmless) for (const text of this.#texts.values()) text.isCertain = false;
  }

  /** Returns what a whole read showed, after it. */
  shownBy({ step, execution }: PlannedStep): { path: string; bytes: Buffer } | undefined {
    if (execution.how !== "builtin" || execution.use.action !== "read" || !this.#isWhole(step, execution.use))
      return undefined;
    const path = this.#locate(execution.use.path, step);
    const bytes = step.output_ref === undefined ? undefined : this.#read(step.output_ref);
    return path === undefined || bytes === undefined ? undefined : { path, bytes };
  }

  #builtin(step: Step, use: ToolUse): void {
    if (use.action === "read") {
      const shown = this.shownBy({
        step,
        execution: { how: "builtin", use },
        compared: "output",
        isImported: true,
      });
      if (shown !== undefined) return this.#set(shown.path, shown.bytes);
      // A part of a file that may have changed: from now on, edits prove nothing about the rest.
      const path = this.#locate(use.path, step);
      if (path !== undefined && this.#texts.get(path)?.isCertain === false) this.#drop(path);
      return;
    }
    if (hasFailed(step)) return;
    for (const named of touchedBy(use)) {
      const path = this.#locate(named, step);
      if (path === undefined) continue;
      const before = this.#texts.get(path);
      if (use.action === "write") this.#set(path, Buffer.from(use.content));
      else if (before === undefined || step.metadata?.["user_modified"] === true) this.#drop(path);
      else this.#set(path, changed(before.bytes, use, path), before.isCertain);
    }
  }

  /** Takes over what the log says of a file before an edit, relative to what earlier steps made of it. */
  #useRecord({ metadata }: Step, path: string): void {
    const before = metadata?.["before"];
    const known = this.#texts.get(path);
    if (before === undefined || !isObject(before) || known === undefined) return;
    const { line, removed, text } = before;
    if (typeof line !== "number" || typeof removed !== "number" || typeof text !== "string") return;
    const bytes = spliced(known.bytes, { line, removed, text });
    if (bytes === undefined) this.#drop(path);
    else this.#set(path, bytes);
  }

  #isWhole({ metadata }: Step, use: Extract<ToolUse, { action: "read" }>): boolean {
    if (hasFailed({ metadata } as Step) || !careful.has(this.#agent ?? "")) return false;
    if (use.from !== undefined || use.lines !== undefined) return false;
    const shown = metadata?.["lines"];
    return shown !== undefined && isObject(shown) && shown["count"] === shown["of"];
  }

  #set(path: string, bytes: Buffer | undefined, isCertain = true): void {
    this.#drop(path);
    // A mask stands for a secret: what the file had there is not known.
    if (bytes === undefined || bytes.length > most.file || bytes.includes("[REDACTED:")) return;
    if (this.#held + bytes.length > most.all) return;
    this.#held += bytes.length;
    this.#texts.set(path, { bytes, isCertain });
  }

  #drop(path: string): void {
    this.#held -= this.#texts.get(path)?.bytes.length ?? 0;
    this.#texts.delete(path);
  }

  #locate(path: string, step?: Step): string | undefined {
    const folder = step?.metadata?.["cwd"];
    try {
      return this.#workspace.locate(path, typeof folder === "string" ? folder : undefined);
    } catch (error) {
      if (error instanceof StepFailure) return undefined;
      throw error;
    }
  }

  #read(reference: Step["output_ref"] & {}): Buffer | undefined {
    try {
      return readObject(this.#root, hexOf(reference));
    } catch (error) {
      if (error instanceof CtxError) return undefined;
      throw error;
    }
  }
}

/** Returns a text after a change; undefined if the change does not fit, or is not followed. */
function changed(before: Buffer, use: ToolUse, path: string): Buffer | undefined {
  try {
    if (use.action === "edit") return replaceTexts(before, use.edits, path);
    if (use.action === "insert") return insertLines(before, { after: use.after, text: use.content }, path);
    return use.action === "append" ? Buffer.concat([before, Buffer.from(use.content)]) : undefined;
  } catch (error) {
    if (error instanceof NotApplied || error instanceof StepFailure) return undefined;
    throw error;
  }
}

/** Replaces whole lines; undefined if there are not as many. */
function spliced(
  bytes: Buffer,
  { line, removed, text }: { line: number; removed: number; text: string },
): Buffer | undefined {
  const lines = bytes.toString("latin1").split(/(?<=\n)/);
  const at = line - 1;
  if (!Number.isSafeInteger(at) || !Number.isSafeInteger(removed) || at < 0 || removed < 0) return undefined;
  if (at + removed > lines.length) return undefined;
  lines.splice(at, removed, Buffer.from(text).toString("latin1"));
  return Buffer.from(lines.join(""), "latin1");
}
