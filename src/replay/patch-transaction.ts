// The changes of a patch, kept in memory until all of them are known to fit: a patch changes all its files or
// none.
import { StepFailure } from "./outcome.js";
import type { Workspace } from "./workspace.js";

interface Change {
  /** Undefined: the file is removed. */
  bytes: Buffer | undefined;
  mode?: number;
}

export interface Staging {
  /** Returns the file as it will be. */
  read(path: string): Buffer;
  has(path: string): boolean;
  write(path: string, bytes: Buffer, options?: { mode?: number }): void;
  remove(path: string): void;
  /** Makes the changes, and returns the paths of the files that exist afterwards. */
  commit(): string[];
}

export function stageOn(workspace: Workspace): Staging {
  const changes = new Map<string, Change>();

  function has(path: string): boolean {
    const change = changes.get(path);
    return change === undefined ? workspace.stat(path) !== undefined : change.bytes !== undefined;
  }

  function read(path: string): Buffer {
    const change = changes.get(path);
    if (change === undefined) return workspace.read(path);
    if (change.bytes === undefined) throw new StepFailure("missing_input", `there is no file ${path}`);
    return change.bytes;
  }

  return {
    has,
    read,
    write(path, bytes, options = {}) {
      const mode = options.mode ?? changes.get(path)?.mode;
      changes.set(path, mode === undefined ? { bytes } : { bytes, mode });
    },
    remove(path) {
      // Only an existing file can be removed.
      read(path);
      changes.set(path, { bytes: undefined });
    },
    commit() {
      // Removals go first: a folder may take the name.
      const ordered = [...changes].sort(
        ([, a], [, b]) => Number(a.bytes !== undefined) - Number(b.bytes !== undefined),
      );
      commitAll(workspace, ordered);
      return ordered.filter(([, { bytes }]) => bytes !== undefined).map(([path]) => path);
    },
  };
}

function commitAll(workspace: Workspace, changes: [string, Change][]): void {
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
