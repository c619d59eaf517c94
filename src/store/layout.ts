// Where everything lies in a .ctx folder.
import { join } from "node:path";

export const storeName = ".ctx";

/** Folders that every writer needs; git drops them when they are empty, so writers make them again. */
export const folders = ["objects", "packs", "refs", "tmp", "locks"] as const;

/** What belongs to one machine, and is not committed with the rest of a store. */
export const ignoredByGit = [
  "tmp/",
  "locks/",
  "cache/",
  "drafts/",
  "refs/latest",
  "recordings/",
  "heads/self",
] as const;

/**
 * What keeps git from changing a byte of a store, whatever the repository around it sets. Encodings are not unset but left
 * unspecified: git refuses `-working-tree-encoding`.
 */
export const gitAttributes = "* -text !eol -ident -filter !working-tree-encoding -diff -merge -export-subst";

/**
 * The .gitignore of a private store: everything, this file included, but for the mark of keep-mark.ts. git reads the nearest
 * .gitignore last, so no pattern of a repository around the store wins over it, and it stays with the store when the folder moves
 * or becomes a repository later.
 */
export const ignoreAll = "*";

/** Files that a new store is born with, besides config.json. `mark`: the name and the text of a private store's mark for git. */
export function bornFiles(
  mark: { name: string; text: string } | undefined,
): Readonly<Record<string, string>> {
  const ignored = mark === undefined ? ignoredByGit : [ignoreAll, `!/${mark.name}`];
  return {
    ".gitignore": ignored.map((line) => `${line}\n`).join(""),
    ".gitattributes": `${gitAttributes}\n`,
    ...(mark === undefined ? {} : { [mark.name]: mark.text }),
  };
}

export function objectPath(root: string, hex: string): string {
  return `${root}/objects/${hex.slice(0, 2)}/${hex.slice(2)}`;
}

export function packsPath(root: string): string {
  return join(root, "packs");
}

export function packPath(root: string, hex: string): string {
  return join(root, "packs", hex);
}

export function latestPath(root: string): string {
  return join(root, "refs", "latest");
}

/** Where a tag lies; with an empty name, where all of them lie. */
export function tagPath(root: string, tag: string): string {
  return join(root, "refs", "tags", ...(tag === "" ? [] : [tag]));
}
