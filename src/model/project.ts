// Filters runs by their project, the folder that they worked in.
import { resolve } from "node:path";

/** The longest path of a project; longer values are not paths, and would only enlarge catalogs. */
export const maxProjectLength = 1000;

/**
 * Returns a test for the projects of runs. `filter` is a path, which matches everything below it, or the name
 * of a component of a path. Relative paths start from `folder`; `real` resolves links, and returns undefined
 * if there is no such folder.
 */
export function projectFilter(
  filter: string,
  { folder, real }: { folder: string; real: (path: string) => string | undefined },
): (project: string | undefined) => boolean {
  const path = resolve(folder, filter);
  const roots = [...new Set([path, real(path) ?? path])].map((root) => root.replace(/[/\\]+$/, ""));
  const isName = !/[/\\]/.test(filter) && filter !== "." && filter !== "..";
  return (project) => {
    if (project === undefined) return false;
    if (roots.some((root) => isWithin(project, root))) return true;
    return isName && project.split(/[/\\]/).includes(filter);
  };
}

function isWithin(project: string, root: string): boolean {
  return project === root || (project.startsWith(root) && /[/\\]/.test(project[root.length] ?? ""));
}
