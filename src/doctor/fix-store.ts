// `ctx doctor --fix`: repairs what can be repaired without losing anything. Whether a store is private or
// shared is not guessed: the caller has to decide.
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import { makeFolder, readIfThere } from "../base/fs/files.js";
import type { JsonObject } from "../base/json/value.js";
import { JsonReader } from "../base/json/reader.js";
import { prettyBytes } from "../base/json/pretty.js";
import { changeMode, walk } from "../base/fs/walk.js";
import type { StoreKind } from "../results/results.js";
import { isShared } from "../store/config.js";
import { exclude, findGit, type GitFolders, include, isExcluded } from "../store/git-exclude.js";
import { publish } from "../store/init.js";
import { isPrivate } from "../store/modes.js";
import { type Store, userName } from "../store/store.js";
import { withBatch } from "../store/batch-lock.js";
import { kindOf, neededChanges, type CheckContext } from "./store-checks.js";

/**
 * Repairs everything that needs no decision, and changes the store to the requested kind. Returns what was
 * done, one line each.
 */
export function fixStore(
  store: Store,
  kind: StoreKind | undefined,
  context: Omit<CheckContext, "program">,
): string[] {
  if (process.platform === "win32") return [];
  if (store.foreign) throw foreignStore(store);
  const git = findGit(store.root, context.from, context.env);
  return withBatch(store, "add", (batch) => {
    const done = fixFiles(store, kind ?? kindOf(store, context.state), (files) =>
      publish(store.root, batch, files),
    );
    if (kind !== undefined && isShared(store) !== (kind === "shared")) {
      publish(store.root, batch, { "config.json": configFor(store, kind) });
      done.push(`config.json says that the store is ${kind}`);
    }
    const left = new Set<string>();
    const report = (changes: Changes, line: (count: number) => string): void => {
      if (changes.changed > 0) done.push(line(changes.changed));
      for (const path of changes.left) left.add(path);
    };
    if (kind === "private")
      report(
        tighten(store.root, 0o077),
        (count) => `only you can read the store now: the modes of ${count} files and folders were tightened`,
      );
    else if (kind === "shared")
      report(
        open(store.root, batch.folder),
        (count) => `${count} files and folders now have the modes that the umask allows`,
      );
    report(
      tighten(store.root, 0o002),
      (count) => `${count} files and folders are no longer writable by every user`,
    );
    if (left.size > 0) done.push(leftUnchanged([...left]));
    if (git !== undefined) appendAll(done, fixGit(store, git, kind ?? kindOf(store, context.state)));
    return done;
  });
}

/** Returns the error for a store of another user, who could swap its folders while they are being changed. */
function foreignStore({ root }: Store): CtxError {
  const owner = userName(fs.lstatSync(root).uid);
  return new CtxError("store-unusable", `the store ${root} belongs to ${owner}: only its owner can fix it`, {
    hint: "run ctx as its owner, or name another folder with -C",
  });
}

/** Describes files that were not fixed: the owner has to change their modes by hand. */
function leftUnchanged(paths: readonly string[]): string {
  const some = `${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ", …" : ""}`;
  return `the modes of ${paths.length} files and folders were not changed, because they belong to another user or have another hard link: ${some}`;
}

/** Returns the complete settings of the store, with its new kind. */
function configFor(store: Store, kind: StoreKind): string {
  const reader = new JsonReader(readIfThere(join(store.root, "config.json")) ?? Buffer.from("{}"));
  const { shared: _, ...rest } = reader.value() as JsonObject;
  return `${prettyBytes(kind === "shared" ? { ...rest, shared: true } : rest)
    .toString("utf8")
    .trimEnd()}\n`;
}

/**
 * Appends the lines that are missing in .gitignore and .gitattributes, so that they win over earlier ones,
 * and removes the lines that make git ignore a shared store. All other bytes stay the same, in any encoding.
 */
function fixFiles(
  store: Store,
  kind: StoreKind | undefined,
  write: (files: Record<string, string | Buffer>) => void,
): string[] {
  return neededChanges(store, kind).map(({ file, lines, surplus }) => {
    const before = readIfThere(join(store.root, file))?.toString("latin1") ?? "";
    // The entire file that an older version wrote; the new line covers it.
    const kept = before.trim() === "* -text" ? "" : without(before, surplus);
    const gap = kept === "" || kept.endsWith("\n") ? "" : "\n";
    write({ [file]: Buffer.from(`${kept}${gap}${lines.map((line) => `${line}\n`).join("")}`, "latin1") });
    const removed = surplus === undefined ? "" : ` no longer has ${surplus.join(" ")}`;
    const added = lines.length === 0 ? "" : ` has ${lines.join(" ")} now`;
    return `${file}${removed}${removed !== "" && added !== "" ? ", and" : ""}${added}`;
  });
}

function without(text: string, surplus: readonly string[] | undefined): string {
  if (surplus === undefined) return text;
  return text
    .split(/(?<=\n)/)
    .filter((line) => !surplus.includes(line.trim()))
    .join("");
}

/** Excludes a private store from git, and includes a shared one. */
function fixGit(store: Store, git: GitFolders, kind: StoreKind | undefined): string[] {
  if (kind === "shared")
    return include(git, store.root)
      ? [`git no longer ignores the store: its line in ${git.exclude} is gone`]
      : [];
  if (isShared(store) || !isPrivate(fs.lstatSync(store.root)) || isExcluded(git, store.root)) return [];
  exclude(git, store.root);
  return [`git ignores the store: it has a line in ${git.exclude}`];
}

interface Changes {
  changed: number;
  /** Paths that could not be changed safely. */
  left: string[];
}

/** Clears these bits in the modes of everything in the store. */
function tighten(root: string, bits: number): Changes {
  return changeAll(root, ({ mode }) => mode & 0o7777 & ~bits);
}

/** Lets others read what the umask allows, as if everything had been created now. */
function open(root: string, folder: string): Changes {
  const sample = join(folder, "umask");
  makeFolder(sample);
  // The mode that the umask allows for a world-readable folder. Nothing ever becomes writable for others.
  const mask = fs.lstatSync(sample).mode & 0o755;
  fs.rmdirSync(sample);
  return changeAll(root, (stat) => (stat.mode & 0o7777) | (stat.isDirectory() ? mask : mask & 0o444));
}

function changeAll(root: string, wanted: (stat: fs.Stats) => number): Changes {
  const changes: Changes = { changed: 0, left: [] };
  for (const found of walk(root)) {
    const outcome = changeMode(found, wanted);
    if (outcome === "changed") changes.changed++;
    else if (outcome === "left") changes.left.push(found.path);
  }
  return changes;
}
