// `ctx show --follow`: what an agent records while it is still at work. Whenever the log has changed it is
// read again with the reader of `ctx pack`, into a temporary store, and what is new since then is passed on.
// A call is passed on when it is answered, so that each step comes once and with its output.
import * as fs from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CtxError } from "../base/errors.js";
import { fill, usingRegular } from "../base/fs/files.js";
import { isObject } from "../base/json/value.js";
import { canonicalText } from "../base/json/canonical.js";
import { hexOf } from "../base/digest.js";
import type { LogName, OpenedPacks } from "../bundle/open-bundles.js";
import { isFolder, namesIn } from "../intake/sibling-files.js";
import type { Manifest, Step } from "../model/manifest.js";
import { readPack } from "../store/packs.js";
import { makeScratch, removeScratch } from "../store/scratch-store.js";
import type { Store } from "../store/store.js";
import { type LogReading, readLogInto } from "./read-log.js";

/** A run in the log, as far as it is recorded. */
export interface FollowedRun {
  /** A temporary store with its contents, and its pack there; both are gone after the callback. */
  store: Store;
  hex: string;
  manifest: Manifest;
  session: string | undefined;
  /** The id of the sub-agent whose run it is. */
  subagent: string | undefined;
  /** What it is in every version of the log: the sub-agent, or the position among the runs. */
  key: string;
}

export interface NewPart {
  kind: "prompt" | "step";
  index: number;
}

export interface FollowOptions extends LogReading {
  /** The folder that the log's settings apply to, and the one for temporary files. */
  folder: string;
  temp: string;
  /** Ends it. */
  signal: AbortSignal;
  onStart?: () => void;
  /** Called with what is new of a run, in the order in which it took place. */
  onParts: (run: FollowedRun, parts: readonly NewPart[]) => void;
  /** Called after each look with the calls that wait for an answer. */
  onWaiting?: (calls: readonly Step[]) => void;
  onNotice: (text: string) => void;
  /** How often the log is looked at, in milliseconds. Default: 300. */
  interval?: number;
}

/** Reading a large log again and again must not keep a processor busy: at most this share of the time. */
const maxLoad = 1 / 4;

/** Follows a log until the signal is aborted. */
export async function follow(log: LogName, options: FollowOptions): Promise<void> {
  const { signal, interval = 300, onStart, onNotice } = options;
  onStart?.();
  const seen = new Map<string, ReportedParts>();
  let before: string | undefined;
  let failure: string | undefined;
  let wait = interval;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const now = signatureOf(log.log);
    if (now === before && failure !== undefined) {
      onNotice(`${failure}; waiting for more of it`);
      failure = undefined;
    } else if (now !== before) {
      const start = performance.now();
      failure = look(log, options, seen, isFirst);
      wait = Math.max(interval, (performance.now() - start) / maxLoad);
      before = now;
    }
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

/** Reads the log once, and reports what is new; returns why it cannot be read at the moment. */
function look(
  log: LogName,
  options: FollowOptions,
  seen: Map<string, ReportedParts>,
  isFirst: boolean,
): string | undefined {
  const { folder, temp, settings } = options;
  const scratch = makeScratch(temp, { folder: settings?.folder ?? folder, settings });
  try {
    const opened = readLogInto(scratch, log, options);
    const found = new Look(runsOf(scratch, opened), seen, options);
    // The runs of sub-agents that no call names come last.
    for (const hex of opened.packs) found.report(hex);
    options.onWaiting?.(found.waiting);
    return undefined;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    // A session that has just begun may have no record yet, or half of one.
    if (isFirst && error.code !== "no-run" && hasLine(log.log)) throw error;
    return error.message;
  } finally {
    removeScratch(scratch);
  }
}

/** What was reported of a run: the number of prompts, and what identifies each step. */
interface ReportedParts {
  prompts: number;
  steps: string[];
}

function runsOf(store: Store, { packs }: OpenedPacks): Map<string, FollowedRun> {
  return new Map(
    packs.map((hex, at) => {
      const { manifest } = readPack(store.root, hex);
      const source = manifest.metadata?.["source"];
      const [session, subagent] = ["session", "subagent"].map((name) => {
        const value = source !== undefined && isObject(source) ? source[name] : undefined;
        return typeof value === "string" && value !== "" ? value : undefined;
      });
      return [hex, { store, hex, manifest, session, subagent, key: subagent ?? String(at) }];
    }),
  );
}

/** One look at the log: reports what is new in it. */
class Look {
  readonly #runs: ReadonlyMap<string, FollowedRun>;
  readonly #seen: Map<string, ReportedParts>;
  readonly #options: FollowOptions;
  readonly #reported = new Set<string>();
  readonly waiting: Step[] = [];

  constructor(
    runs: ReadonlyMap<string, FollowedRun>,
    seen: Map<string, ReportedParts>,
    options: FollowOptions,
  ) {
    this.#runs = runs;
    this.#seen = seen;
    this.#options = options;
  }

  /** Reports what is new of a run, and before each call that started a sub-agent what is new of that. */
  report(hex: string): void {
    const run = this.#runs.get(hex);
    if (run === undefined || this.#reported.has(hex)) return;
    this.#reported.add(hex);
    const { steps, prompts } = run.manifest;
    const seen = this.#seenOf(run);
    let parts: NewPart[] = [];
    const flush = (): void => {
      if (parts.length > 0) this.#options.onParts(run, parts);
      parts = [];
    };
    const addPrompts = (due: number): void => {
      while (seen.prompts < Math.min(due, prompts.length))
        parts.push({ kind: "prompt", index: seen.prompts++ });
    };
    const hasTurns = steps.some((step) => turnOf(step) !== undefined);
    let isHeld = false;
    for (const [index, step] of steps.entries()) {
      // Without turns it is unknown which step answers which prompt.
      if (!isHeld) addPrompts(hasTurns ? (turnOf(step) ?? -1) + 1 : prompts.length);
      if (step.pack !== undefined && this.#runs.has(hexOf(step.pack))) {
        flush();
        this.report(hexOf(step.pack));
      }
      if (isOpen(run.manifest, index)) {
        this.waiting.push(step);
        isHeld = true;
      }
      if (isHeld || index < seen.steps.length) continue;
      parts.push({ kind: "step", index });
      seen.steps.push(keyOf(step));
    }
    if (!isHeld) addPrompts(prompts.length);
    flush();
  }

  /** Returns what was reported of a run, without what the log no longer has. */
  #seenOf({ manifest, key }: FollowedRun): ReportedParts {
    const seen = this.#seen.get(key) ?? { prompts: 0, steps: [] };
    this.#seen.set(key, seen);
    const same = seen.steps.findIndex((step, index) => {
      const now = manifest.steps[index];
      return now === undefined || keyOf(now) !== step;
    });
    if (same === -1) return seen;
    this.#options.onNotice(`the log was rewritten: what follows replaces all from step ${same} on`);
    seen.steps.length = same;
    seen.prompts = same === 0 ? 0 : Math.min(seen.prompts, manifest.prompts.length);
    return seen;
  }
}

/** Returns what identifies a step, whose output and parameters may be masked otherwise when more is known. */
function keyOf({ type, tool, timestamp, parameters }: Step): string {
  return `${type} ${tool ?? ""} ${timestamp ?? canonicalText(parameters)}`;
}

function turnOf({ metadata }: Step): number | undefined {
  const turn = metadata?.["turn"];
  return typeof turn === "number" ? turn : undefined;
}

/** Returns whether an answer to a call may still come: there is none, and the model has not gone on. */
function isOpen({ steps, prompts }: Manifest, index: number): boolean {
  const step = steps[index];
  if (step?.type !== "tool_call" || step.metadata?.["status"] !== "unanswered") return false;
  const turn = turnOf(step);
  if (turn !== undefined && turn < prompts.length - 1) return false;
  return !steps.slice(index + 1).some(({ type }) => /^(?:message|reasoning|llm_call)$/.test(type));
}

const noFile = "no file";

/** Returns a text that changes whenever the log, or the log of a sub-agent, is written. */
function signatureOf(log: string): string {
  const own = statText(log);
  if (own === noFile) return own;
  const beside = log.slice(0, log.length - extname(log).length);
  const agents = namesIn(dirname(log)).filter(
    (name) => /^agent-.*\.jsonl$/.test(name) && name !== basename(log),
  );
  return [
    own,
    ...filesBelow(isFolder(log) ? log : beside, 4).map(statText),
    ...agents.map((name) => statText(join(dirname(log), name))),
  ].join("\n");
}

function filesBelow(folder: string, depth: number): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (!isFolder(path)) return [path];
    return depth > 0 ? filesBelow(path, depth - 1) : [];
  });
}

function statText(path: string): string {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? noFile : `${path} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

/** Returns whether a log has a whole line. */
function hasLine(log: string): boolean {
  if (isFolder(log)) return true;
  const head = Buffer.alloc(1 << 16);
  return usingRegular(log, ({ descriptor }) => head.subarray(0, fill(descriptor, head)).includes(0x0a));
}
