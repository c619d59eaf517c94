// Runs a call on trial that failed in the recorded run: if it works now, its effect is taken back, so that
// later steps find the files as they were then.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { touchedBy } from "../tools/table.js";
import { StepFailure } from "./outcome.js";
import type { PlannedStep } from "./plan.js";
import { systemPath } from "./sandbox-dir.js";
import type { Workspace } from "./workspace.js";

export interface Undo {
  /** Takes back what the call did. */
  undo: () => void;
  /** Forgets how it was before. */
  keep: () => void;
}

const nothing: Undo = { undo: () => undefined, keep: () => undefined };

/** A workspace that holds more is not copied for one command. */
const most = { files: 20_000, bytes: 256 * 1024 ** 2 };

/**
 * Prepares to take back what the call will do to files; undefined if that is not possible, and the call must
 * not be tried. `spare`: a path for a copy of the workspace, where nothing is.
 */
export function prepareUndo(
  { step, execution, classified }: PlannedStep,
  workspace: Workspace,
  spare: string,
): Undo | undefined {
  if (execution.how === "builtin") {
    const folder = step.metadata?.["cwd"];
    return undoFiles(touchedBy(execution.use), typeof folder === "string" ? folder : undefined, workspace);
  }
  const mayWrite = execution.how === "command" && classified?.command?.mayWrite !== false;
  return mayWrite ? undoAll(workspace, spare) : nothing;
}

/** Remembers single files. A folder cannot be remembered in this way. */
function undoFiles(
  paths: readonly string[],
  folder: string | undefined,
  workspace: Workspace,
): Undo | undefined {
  const before: { path: string; bytes: Buffer | undefined; mode: number }[] = [];
  try {
    for (const named of paths) {
      const path = workspace.locate(named, folder);
      const stat = workspace.stat(path);
      if (stat !== undefined && stat.kind !== "file") return undefined;
      before.push({
        path,
        bytes: stat === undefined ? undefined : workspace.read(path),
        mode: stat?.mode ?? 0,
      });
    }
  } catch (error) {
    // A path that cannot be reached fails again when the call is tried.
    if (error instanceof StepFailure) return nothing;
    throw error;
  }
  const undo = (): void => {
    for (const { path, bytes, mode } of before) {
      if (bytes !== undefined) workspace.write(path, bytes, { mode });
      else if (workspace.stat(path) !== undefined) workspace.remove(path);
    }
  };
  return { ...nothing, undo };
}

/** Copies the whole workspace, as a command may change any file. */
function undoAll({ root }: Workspace, spare: string): Undo | undefined {
  if (!isSmall(root)) return undefined;
  fs.mkdirSync(spare, { mode: 0o700 });
  // `-a` copies links as links, and follows none.
  if (!run("cp", ["-a", "--", `${root}/.`, spare])) {
    removeTree(spare);
    return undefined;
  }
  return {
    undo: () => {
      if (!run("find", [root, "-mindepth", "1", "-maxdepth", "1", "-exec", "rm", "-rf", "--", "{}", "+"])) {
        run("chmod", ["-R", "u+rwX", "--", root]);
        run("find", [root, "-mindepth", "1", "-delete"]);
      }
      for (const name of fs.readdirSync(spare, { encoding: "buffer" }))
        fs.renameSync(inside(spare, name), inside(root, name));
      removeTree(spare);
    },
    keep: () => removeTree(spare),
  };
}

function inside(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

function isSmall(root: string): boolean {
  return count(root, "-k") * 1024 <= most.bytes && count(root, "--inodes") <= most.files;
}

function count(folder: string, unit: "-k" | "--inodes"): number {
  const { status, stdout } = spawnSync("du", ["-s", unit, "--", folder], {
    encoding: "utf8",
    env: { PATH: systemPath },
    timeout: 30_000,
  });
  const found = Number.parseInt(stdout, 10);
  return status === 0 && Number.isSafeInteger(found) ? found : Number.POSITIVE_INFINITY;
}

function removeTree(folder: string): void {
  if (run("rm", ["-rf", "--", folder])) return;
  run("chmod", ["-R", "u+rwX", "--", folder]);
  run("rm", ["-rf", "--", folder]);
}

function run(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", env: { PATH: systemPath } }).status === 0;
}
