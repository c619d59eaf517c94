// The changes of a patch, kept in memory until all of them are known to fit: a patch changes all its files or
// none.
import { StepFailure } from "./outcome.js";
import type { Workspace } from "./workspace.js";

interface StagedChange {
  /** Undefined: the file is removed. */
  bytes: Buffer | undefined;
  mode?: number;
}

export class PatchTransaction {
  readonly #workspace: Workspace;
  readonly #changes = new Map<string, StagedChange>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  has(path: string): boolean {
    const change = this.#changes.get(path);
    return change === undefined ? this.#workspace.stat(path) !== undefined : change.bytes !== undefined;
  }

  /** Returns the file as it will be. */
  read(path: string): Buffer {
    const change = this.#changes.get(path);
    if (change === undefined) return this.#workspace.read(path);
    if (change.bytes === undefined) throw new StepFailure("missing_input", `there is no file ${path}`);
    return change.bytes;
  }

  write(path: string, bytes: Buffer, options: { mode?: number } = {}): void {
    const mode = options.mode ?? this.#changes.get(path)?.mode;
    this.#changes.set(path, mode === undefined ? { bytes } : { bytes, mode });
  }

  remove(path: string): void {
    // Only an existing file can be removed.
    this.read(path);
    this.#changes.set(path, { bytes: undefined });
  }

  /** Makes the changes, and returns the paths of the files that exist afterwards. */
  commit(): string[] {
    // Removals go first: a folder may take the name.
    const ordered = [...this.#changes].sort(
      ([, a], [, b]) => Number(a.bytes !== undefined) - Number(b.bytes !== undefined),
    );
    commitAll(this.#workspace, ordered);
    return ordered.filter(([, { bytes }]) => bytes !== undefined).map(([path]) => path);
  }
}

function commitAll(workspace: Workspace, changes: [string, StagedChange][]): void {
  const undo: (() => void)[] = [];
  try {
    for (const [path, { bytes, mode }] of changes) {
      const before = workspace.stat(path);
      const old = before?.kind === "file" ? workspace.read(path) : undefined;
      undo.push(() => {
        if (old !== undefined && before !== undefined) workspace.write(path, old, { mode: before.mode });
        else if (before === undefined) removeIfThere(workspace, path);
      });
      if (bytes !== undefined) workspace.write(path, bytes, mode === undefined ? {} : { mode });
      else if (old !== undefined) workspace.remove(path);
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

function removeIfThere(workspace: Workspace, path: string): void {
  try {
    workspace.remove(path);
  } catch (error) {
    if (!(error instanceof StepFailure && error.reason === "missing_input")) throw error;
  }
}
