// What lies in a folder, in a form in which two runs of the same command are alike: without times, process numbers and the
// folder's own name.
import * as fs from "node:fs";
import { join } from "node:path";

/** By the path from the folder: the mode and the content. */
export type Tree = ReadonlyMap<string, string>;

/** What unfinished work leaves has such a name, wherever it is. */
const staged = /(?:^|\/)\.ctx-(?:draft|export|sidecar)-|\.json\.ctx-/;
/** What may be lost at any time, or tells of times. Without refs/latest the newest pack is the latest. */
const passing = /^(?:\.ctx\/cache|\.ctx\/refs\/latest|home\/\.local)(?:\/|$)/;
/** Drafts say when they were made. */
const timed = /(?:^|\/)(?:execution\.json|README\.md)$/;

function isAside(path: string): boolean {
  return /(?:^|\/)\.ctx\/(?:tmp|locks)\/./.test(path) || staged.test(path);
}

/** Everything but what may be lost at any time. */
export function wholeTree(folder: string): Tree {
  const found = new Map<string, string>();
  const walk = (inside: string): void => {
    for (const entry of fs.readdirSync(join(folder, inside), { withFileTypes: true })) {
      const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
      if (passing.test(path)) continue;
      const place = join(folder, path);
      const { mode } = fs.lstatSync(place);
      if (entry.isDirectory()) {
        found.set(plain(path), mode.toString(8));
        walk(path);
      } else if (entry.isFile()) {
        const content = fs.readFileSync(place, "latin1");
        found.set(plain(path), `${mode.toString(8)} ${timed.test(path) ? timeless(content) : content}`);
      } else found.set(plain(path), "something else");
    }
  };
  walk("");
  return found;
}

/** The same without what is being written aside. */
export function settledTree(tree: Tree): Tree {
  return new Map([...tree].filter(([path]) => !isAside(path)));
}

/** What is being written aside, or was left there. */
export function asideIn(tree: Tree): string[] {
  return [...tree.keys()].filter(isAside);
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

/** Where two trees differ, in a line for each path. */
export function differences(found: Tree, expected: Tree): string[] {
  return [
    ...[...expected.keys()].filter((path) => !found.has(path)).map((path) => `no ${path}`),
    ...[...found]
      .filter(([path, content]) => expected.get(path) !== content)
      .map(([path]) => (expected.has(path) ? `another ${path}` : `besides ${path}`)),
  ];
}
