// Watches the outputs of the run while its steps are executed again: which step made each of them, and with
// which bytes. Built-in tools name the files that they change; programs do not, so the workspace is checked
// after each of them.
import { hexOf, isHash, type Reference, sha256, startSha256, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { fill, piecesFromStart, smallSize } from "../base/fs/files.js";
import type { Output } from "../model/manifest.js";
import { outsideName } from "../model/names.js";
import { StepFailure } from "./outcome.js";
import { mostBytes, type Workspace } from "./workspace.js";
import { lookAtUnreadable } from "./unreadable.js";

/** What a built-in tool did, or should have done, to files. */
export interface Change {
  paths: readonly string[];
  /** Whether all of the file's bytes came from the step. */
  isWhole: boolean;
  isApplied: boolean;
}

/** The state of one output. */
export interface Watched {
  output: Output;
  /** Relative to the root of the workspace; undefined if the name cannot be a file there. */
  path: string | undefined;
  /** The step that wrote the bytes that the file has now. */
  made: number | undefined;
  /** The last step that should have changed the file, and could not. */
  due: number | undefined;
  /** Undefined if there is no file that can be compared. */
  actual: Reference | undefined;
  /** It had the recorded bytes before the first step, and no step wrote them. */
  isUnchanged: boolean;
  /** Its bytes, recorded or not, are those that it had before the first step, and no step wrote them. */
  isUntouched: boolean;
}

interface State {
  output: Output;
  path: string | undefined;
  initial: string | undefined;
  /** Undefined if there is no such file; a text that is not a hash if what is there cannot be compared. */
  hash: string | undefined;
  /** What `stat` returned when the hash was taken. */
  mark: string;
  /** Whether the file may still change without `stat` showing it. */
  isFresh: boolean;
  made?: number;
  due?: number;
  isWhole: boolean;
}

/**
 * Maximum number of files checked in one replay, at a tenth of a millisecond each. Beyond it, files are
 * checked only after every few programs, and the last of those counts as the maker of what changed.
 */
const mostLooks = 200_000;
/** A file that changed less than this before it was hashed may change again with the same times and size. */
const coarsestClock = 2000;

export class OutputWatch {
  readonly #workspace: Workspace;
  readonly #states: State[];
  readonly #byPath: Map<string, State>;
  /** Outputs that built-in tools changed, and that were not hashed since. */
  readonly #dirty = new Set<State>();
  readonly #every: number;
  #changes = 0;
  #latest: number | undefined;

  /** `steps`: how many steps may be executed. */
  constructor(workspace: Workspace, outputs: readonly Output[], steps: number) {
    this.#workspace = workspace;
    this.#every = Math.max(1, Math.ceil((outputs.length * steps) / mostLooks));
    this.#states = outputs.map((output): State => {
      const path = pathOf(workspace, output.name);
      const state: State = {
        output,
        path,
        initial: undefined,
        hash: undefined,
        mark: "",
        isFresh: true,
        isWhole: false,
      };
      this.#refresh(state);
      state.initial = state.hash;
      return state;
    });
    this.#byPath = new Map(
      this.#states.flatMap((state) => (state.path === undefined ? [] : [[state.path, state]])),
    );
  }

  /** Records that a built-in tool was executed. */
  changed(step: number, { paths, isWhole, isApplied }: Change): void {
    this.#latest = step;
    for (const path of paths) {
      const state = this.#byPath.get(path);
      if (state === undefined) continue;
      if (!isApplied) state.due = step;
      else {
        state.made = step;
        state.isWhole = isWhole;
        this.#dirty.add(state);
      }
    }
  }

  /** Call before executing a step that does not name the files it changes. */
  beforeAny(): void {
    for (const state of this.#dirty) this.#refresh(state);
    this.#dirty.clear();
  }

  /** Call after such a step. */
  afterAny(step: number): void {
    this.#latest = step;
    this.#changes++;
    if (this.#changes % this.#every === 0) this.#look(step);
  }

  /** Returns the step that wrote the present bytes of this file. Call only after `finish`. */
  makerOf(path: string): number | undefined {
    return this.#byPath.get(path)?.made;
  }

  finish(): Watched[] {
    this.beforeAny();
    if (this.#latest !== undefined) this.#look(this.#latest);
    return this.#states.map(({ output, path, initial, hash, made, due, isWhole }) => ({
      output,
      path,
      made,
      due,
      actual: hash !== undefined && isHash(hash) ? toReference(hash) : undefined,
      isUnchanged: hash === hexOf(output.content_ref) && hash === initial && !isWhole,
      isUntouched: hash === initial && !isWhole,
    }));
  }

  #look(step: number): void {
    for (const state of this.#states) {
      const before = state.hash;
      this.#refresh(state);
      if (state.hash === before) continue;
      state.made = step;
      state.isWhole = false;
    }
  }

  /** Hashes an output again, unless it cannot have changed. */
  #refresh(state: State): void {
    const { path } = state;
    if (path === undefined) return;
    const found = attempt(() =>
      this.#workspace.open(path, (descriptor, { ino, size, mtimeMs, ctimeMs }) => {
        const mark = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
        const isFresh = ctimeMs > Date.now() - coarsestClock;
        if (mark === state.mark && !state.isFresh) return { mark, isFresh, hash: state.hash };
        return { mark, isFresh, hash: hashOf(descriptor, size) };
      }),
    );
    state.mark = found?.mark ?? "";
    state.isFresh = found?.isFresh ?? true;
    state.hash =
      found === undefined
        ? lookAtUnreadable(this.#workspace.root, path, (descriptor, { size }) => hashOf(descriptor, size))
        : found.hash;
  }
}

/** Returns where an output is in the workspace; undefined if its name cannot be a file there. */
export function pathOf(workspace: Workspace, name: string): string | undefined {
  // A file outside the run's folder may be inside the folder that stands in for it here.
  const absolute = name.startsWith(`${outsideName}/`) ? name.slice(outsideName.length) : name;
  return attempt(() => workspace.locate(absolute));
}

function hashOf(descriptor: number, size: number): string {
  if (size > mostBytes) return `${size} bytes`;
  if (size <= smallSize) {
    const bytes = Buffer.allocUnsafe(size);
    return sha256(bytes.subarray(0, fill(descriptor, bytes)));
  }
  const digest = startSha256();
  for (const piece of piecesFromStart(descriptor)) digest.add(piece);
  return digest.hex();
}

/** Returns undefined if the workspace refuses the path. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof StepFailure || error instanceof CtxError || errnoOf(error) !== undefined)
      return undefined;
    throw error;
  }
}
