// Where everything is in a .ctx folder.
import { join } from "node:path";

export const storeName = ".ctx";

/** Folders that every writer needs; git drops them when they are empty, so writers make them again. */
export const folders = ["objects", "packs", "refs", "tmp", "locks"] as const;

/** Files that belong to one machine, and are not committed with the rest of a store. */
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
 * Attributes that keep git from changing a byte of a store, whatever the repository around it sets. Encodings
 * are left unspecified rather than unset: git refuses `-working-tree-encoding`.
 */
export const gitAttributes = "* -text !eol -ident -filter !working-tree-encoding -diff -merge -export-subst";

/**
 * The .gitignore of a private store: everything, this file included. git reads the nearest .gitignore last,
 * so no pattern of a repository around the store overrides it, and it stays with the store when the folder
 * moves or becomes a repository later.
 */
export const ignoreAll = "*";

/** Returns the files that a new store starts with, besides config.json. */
export function bornFiles(shared: boolean): Readonly<Record<string, string>> {
  const ignored = shared ? ignoredByGit : [ignoreAll];
  return {
    ".gitignore": ignored.map((line) => `${line}\n`).join(""),
    ".gitattributes": `${gitAttributes}\n`,
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

/** Returns the path of a pack's title; with an empty hash, the folder of all titles. */
export function titlePath(root: string, hex: string): string {
  return join(root, "refs", "titles", ...(hex === "" ? [] : [hex]));
}

/** Returns the path of a tag; with an empty name, the folder of all tags. */
export function tagPath(root: string, tag: string): string {
  return join(root, "refs", "tags", ...(tag === "" ? [] : [tag]));
}
