// Watches the outputs of the run while its steps are executed again: which step made each of them, and with
// which bytes. Built-in tools name the files that they change; programs do not, so the workspace is checked
// after each of them.
import { hexOf, isHash, type Reference, sha256, startSha256, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { fill, piecesOf, smallSize } from "../base/fs/files.js";
import type { Output } from "../model/manifest.js";
import { outsideName } from "../model/names.js";
import { StepFailure } from "./outcome.js";
import { maxBytes, type Workspace } from "./workspace.js";
import { identifyUnreadable } from "./unreadable.js";

/** What a built-in tool did, or should have done, to files. */
export interface BuiltinChange {
  paths: readonly string[];
  /** Whether all of the file's bytes came from the step. */
  isWhole: boolean;
  isApplied: boolean;
}

/** The state of one output. */
export interface WatchedOutput {
  output: Output;
  /** Relative to the root of the workspace; undefined if the name cannot be a file there. */
  path: string | undefined;
  /** The step that wrote the bytes that the file has now. */
  madeBy: number | undefined;
  /** The last step that should have changed the file, and could not. */
  dueBy: number | undefined;
  /** Undefined if there is no file that can be compared. */
  actual: Reference | undefined;
  /** It had the recorded bytes before the first step, and no step wrote them. */
  isUnchanged: boolean;
  /** Its bytes, recorded or not, are those that it had before the first step, and no step wrote them. */
  isUntouched: boolean;
  /** A step made it as recorded, and only programs changed it since. */
  wasReproduced: boolean;
  /** It was set back to the record on the way, and no step wrote all of it since: it proves nothing. */
  isSetBack: boolean;
}

interface OutputState {
  output: Output;
  path: string | undefined;
  initial: string | undefined;
  /** Undefined if there is no such file; a text that is not a hash if what is there cannot be compared. */
  hash: string | undefined;
  /** What `stat` returned when the hash was taken. */
  signature: string;
  /** Whether the file may still change without `stat` showing it. */
  isFresh: boolean;
  madeBy?: number;
  dueBy?: number;
  isWhole: boolean;
  isSetBack: boolean;
  wasReproduced: boolean;
}

/**
 * Maximum number of files checked in one replay, at a tenth of a millisecond each. Beyond it, files are
 * checked only after every few programs, and the last of those counts as the maker of what changed.
 */
const maxChecks = 200_000;
/** A file that changed less than this before it was hashed may change again with the same times and size. */
const coarsestClock = 2000;

export class OutputWatch {
  readonly #workspace: Workspace;
  readonly #states: OutputState[];
  readonly #byPath: Map<string, OutputState>;
  /** Outputs that built-in tools changed, and that were not hashed since. */
  readonly #dirty = new Set<OutputState>();
  readonly #interval: number;
  #changes = 0;
  #latest: number | undefined;

  /** `steps`: how many steps may be executed. */
  constructor(workspace: Workspace, outputs: readonly Output[], steps: number) {
    this.#workspace = workspace;
    this.#interval = Math.max(1, Math.ceil((outputs.length * steps) / maxChecks));
    this.#states = outputs.map((output): OutputState => {
      const path = outputPath(workspace, output.name);
      const state: OutputState = {
        output,
        path,
        initial: undefined,
        hash: undefined,
        signature: "",
        isFresh: true,
        isWhole: false,
        isSetBack: false,
        wasReproduced: false,
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
  addChange(step: number, { paths, isWhole, isApplied }: BuiltinChange): void {
    this.#latest = step;
    for (const path of paths) {
      const state = this.#byPath.get(path);
      if (state === undefined) continue;
      if (!isApplied) state.dueBy = step;
      else {
        state.madeBy = step;
        state.isWhole = isWhole;
        state.wasReproduced = false;
        if (isWhole) state.isSetBack = false;
        this.#dirty.add(state);
      }
    }
  }

  /** Records that a file was set back to the record. */
  setBack(path: string): void {
    const state = this.#byPath.get(path);
    if (state === undefined) return;
    state.isSetBack = true;
    state.wasReproduced = false;
    this.#refresh(state);
  }

  /** Call before executing a step that does not name the files it changes. */
  beforeProgram(): void {
    for (const state of this.#dirty) this.#refresh(state);
    this.#dirty.clear();
  }

  /** Call after such a step. */
  afterProgram(step: number): void {
    this.#latest = step;
    this.#changes++;
    if (this.#changes % this.#interval === 0) this.#checkAll(step);
  }

  /** Returns the step that wrote the present bytes of this file. Call only after `finish`. */
  makerOf(path: string): number | undefined {
    return this.#byPath.get(path)?.madeBy;
  }

  finish(): WatchedOutput[] {
    this.beforeProgram();
    if (this.#latest !== undefined) this.#checkAll(this.#latest);
    return this.#states.map(
      ({ output, path, initial, hash, madeBy, dueBy, isWhole, isSetBack, ...state }) => ({
        output,
        path,
        madeBy,
        dueBy,
        actual: hash !== undefined && isHash(hash) ? toReference(hash) : undefined,
        isUnchanged: hash === hexOf(output.content_ref) && hash === initial && !isWhole,
        isUntouched: hash === initial && !isWhole,
        isSetBack,
        wasReproduced: state.wasReproduced,
      }),
    );
  }

  #checkAll(step: number): void {
    for (const state of this.#states) {
      const before = state.hash;
      this.#refresh(state);
      if (state.hash === before) continue;
      // What it was before has to be a step's work: a file may have been there with these bytes all along.
      const wasMade = state.madeBy !== undefined && before === hexOf(state.output.content_ref);
      state.wasReproduced ||= wasMade && !state.isSetBack;
      state.madeBy = step;
      state.isWhole = false;
    }
  }

  /** Hashes an output again, unless it cannot have changed. */
  #refresh(state: OutputState): void {
    const { path } = state;
    if (path === undefined) return;
    const found = unlessRefused(() =>
      this.#workspace.open(path, (descriptor, { ino, size, mtimeMs, ctimeMs }) => {
        const signature = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
        const isFresh = ctimeMs > Date.now() - coarsestClock;
        if (signature === state.signature && !state.isFresh)
          return { mark: signature, isFresh, hash: state.hash };
        return { mark: signature, isFresh, hash: hashOf(descriptor, size) };
      }),
    );
    state.signature = found?.mark ?? "";
    state.isFresh = found?.isFresh ?? true;
    const place = this.#workspace.placeOf(path);
    state.hash =
      found === undefined
        ? identifyUnreadable(place.root, place.path, (descriptor, { size }) => hashOf(descriptor, size))
        : found.hash;
  }
}

/** Returns where an output is in the workspace; undefined if its name cannot be a file there. */
export function outputPath(workspace: Workspace, name: string): string | undefined {
  // A file outside the run's folder may be inside the folder that stands in for it here.
  const absolute = name.startsWith(`${outsideName}/`) ? name.slice(outsideName.length) : name;
  return unlessRefused(() => workspace.locate(absolute));
}

function hashOf(descriptor: number, size: number): string {
  if (size > maxBytes) return `${size} bytes`;
  if (size <= smallSize) {
    const bytes = Buffer.allocUnsafe(size);
    return sha256(bytes.subarray(0, fill(descriptor, bytes)));
  }
  const digest = startSha256();
  for (const piece of piecesOf(descriptor, { from: 0 })) digest.add(piece);
  return digest.hex();
}

/** Returns undefined if the workspace refuses the path. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof StepFailure || error instanceof CtxError || errnoOf(error) !== undefined)
      return undefined;
    throw error;
  }
}
