// The content of a folder in a form in which two runs of the same command are equal: without times, process
// ids and the folder's own name.
import * as fs from "node:fs";
import { join } from "node:path";

/** Mode and content by the path relative to the folder. */
export type Tree = ReadonlyMap<string, string>;

/** Leftovers of unfinished work have such a name, wherever they are. */
const staged = /(?:^|\/)\.ctx-(?:draft-)?[^/]*\.(?:tmp|ready)(?:\/|$)/;
/**
 * Files that may be lost at any time, or that contain times. Without refs/latest the newest pack is the
 * latest.
 */
const passing = /^(?:\.ctx\/cache|\.ctx\/refs\/latest|home\/\.local)(?:\/|$)/;
/** Drafts contain the time when they were made. */
const timed = /(?:^|\/)(?:execution\.json|README\.md)$/;

function isStaged(path: string): boolean {
  return /(?:^|\/)\.ctx\/(?:tmp|locks)\/./.test(path) || staged.test(path);
}

/** Returns everything except files that may be lost at any time. */
export function wholeTree(folder: string): Tree {
  const found = new Map<string, string>();
  const walk = (inside: string): void => {
    for (const entry of fs.readdirSync(join(folder, inside), { withFileTypes: true })) {
      const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
      if (passing.test(path)) continue;
      const absolute = join(folder, path);
      const { mode } = fs.lstatSync(absolute);
      if (entry.isDirectory()) {
        found.set(plain(path), mode.toString(8));
        walk(path);
      } else if (entry.isFile()) {
        const content = fs.readFileSync(absolute, "latin1");
        found.set(plain(path), `${mode.toString(8)} ${timed.test(path) ? timeless(content) : content}`);
      } else found.set(plain(path), "something else");
    }
  };
  walk("");
  return found;
}

/** Returns the same without staged files. */
export function settledTree(tree: Tree): Tree {
  return new Map([...tree].filter(([path]) => !isStaged(path)));
}

/** Files that are staged, or leftovers of staging. */
export function stagedIn(tree: Tree): string[] {
  return [...tree.keys()].filter(isStaged);
}

function plain(path: string): string {
  return path.replaceAll(/(\.ctx-[a-z]+-)?[\w-]+?\.\d+\.\d+\.[0-9a-f]{12}/g, "$1ID");
}

function timeless(content: string): string {
  return content.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME");
}

/** Equal trees have equal keys. */
export function keyOf(tree: Tree): string {
  return [...tree]
    .map(([path, content]) => `${path}\0${content}`)
    .sort()
    .join("\0\0");
}

/** Returns where two trees differ, in a line for each path. */
export function differences(found: Tree, expected: Tree): string[] {
  return [
    ...[...expected.keys()].filter((path) => !found.has(path)).map((path) => `no ${path}`),
    ...[...found]
      .filter(([path, content]) => expected.get(path) !== content)
      .map(([path]) => (expected.has(path) ? `another ${path}` : `besides ${path}`)),
  ];
}
