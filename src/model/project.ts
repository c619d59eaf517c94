// Which project a run belongs to: the folder that it worked in. Asked for by a folder, or by the name of one.
import { resolve } from "node:path";

/** A longer path is none, and would only make catalogs large. */
export const longestProject = 1000;

/**
 * Whether runs of a folder are asked for by `asked`: a path, which stands for all below it, or a name that one of the
 * folder's parts has. Relative paths start from `folder`; `real` gives the path without links, where there is such a folder.
 */
export function projectFilter(
  asked: string,
  { folder, real }: { folder: string; real: (path: string) => string | undefined },
): (project: string | undefined) => boolean {
  const path = resolve(folder, asked);
  const roots = [...new Set([path, real(path) ?? path])].map((root) => root.replace(/[/\\]+$/, ""));
  const isName = !/[/\\]/.test(asked) && asked !== "." && asked !== "..";
  return (project) => {
    if (project === undefined) return false;
    if (roots.some((root) => isWithin(project, root))) return true;
    return isName && project.split(/[/\\]/).includes(asked);
  };
}

function isWithin(project: string, root: string): boolean {
  return project === root || (project.startsWith(root) && /[/\\]/.test(project[root.length] ?? ""));
}
