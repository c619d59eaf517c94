// Dependencies of a checkout that git ignores, such as `node_modules`: bound read-only into the workspace, at
// its top level only. A mount point there, which every step has, cannot be moved, removed or replaced from
// inside; the folder above a deeper one could be.
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { addCaches } from "./package-caches.js";
import type { SandboxDir } from "./sandbox-dir.js";
import { isOpenToAll } from "./toolchain-folders.js";
import type { Workspace } from "./workspace.js";

/** Folders that hold what a package manager or a build left. */
const names = ["node_modules", ".venv", "deps", "_build", "vendor", "target", "dist"];

/** Adds the dependency folders of a checkout to a replay; returns notices for the user. */
export function addDependencies(
  checkout: string,
  { box, workspace }: { box: SandboxDir; workspace: Workspace },
  { isNamed, home }: { isNamed: boolean; home: string },
): string[] {
  const notices: string[] = [];
  for (const name of names) {
    const folder = join(checkout, name);
    // A link could lead to a folder that the user did not mean.
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    if (workspace.stat(name) !== undefined) {
      notices.push(`${name} of the checkout is left out: the run's own is in the workspace`);
      continue;
    }
    if (box.user !== undefined && !isOpenToAll(folder)) {
      notices.push(`${folder} is left out: the user nobody, whom programs run as, cannot read it`);
      continue;
    }
    workspace.makeFolder(name);
    workspace.close();
    workspace.refuse(name);
    box.dependencies.push({ folder, name });
  }
  const cached = addCaches(checkout, home, box);
  if (isNamed && box.dependencies.length === 0 && cached.length === 0 && notices.length === 0)
    throw new CtxError("not-found", `${checkout} has no dependencies`, {
      hint: `folders that count: ${names.join(", ")}`,
    });
  const found = [...box.dependencies.map(({ name }) => name), ...cached].join(", ");
  return found === "" ? notices : [...notices, `dependencies of ${checkout}, read-only: ${found}`];
}
