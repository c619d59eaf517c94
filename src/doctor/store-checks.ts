// What `ctx doctor` reports about who can read and write a store, and about the git repository around it.
import * as fs from "node:fs";
import { join } from "node:path";
import { readIfThere } from "../base/fs/files.js";
import { walk } from "../base/fs/walk.js";
import type { DoctorCheck, StoreKind } from "../results/results.js";
import { acceptedAs } from "../store/accepted.js";
import { isShared } from "../store/config.js";
import { findGit, type GitFolders, ignoreLines, ignoresAll } from "../store/git-exclude.js";
import { type GitCall, runGit, standingInGit } from "../store/in-git.js";
import { gitAttributes, ignoreAll, ignoredByGit } from "../store/layout.js";
import { isPrivate } from "../store/modes.js";
import type { Store } from "../store/store.js";

export interface CheckContext {
  /** Path of the git program, if it is installed. */
  program: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** The working folder of the command. */
  from: string;
  /** The user's state folder, which lists the accepted stores. */
  state?: string | undefined;
}

export function storeChecks(store: Store, context: CheckContext): DoctorCheck[] {
  if (process.platform === "win32") return [];
  const git = findGit(store.root, context.from, context.env);
  const checks = [
    access(store),
    ...claims(store, context),
    ...gitFiles(store, context),
    ...(git === undefined ? [] : inGit(store, git, context)),
  ];
  return store.foreign ? checks.map(withOwnersAdvice) : checks;
}

/** Rewrites advice for a store of another user: only its owner can fix it. */
function withOwnersAdvice(check: DoctorCheck): DoctorCheck {
  if (check.advice?.includes("doctor --fix") !== true) return check;
  return { ...check, advice: "its owner can run `ctx doctor --fix`; do not use the store before that" };
}

/**
 * Returns whether the kind of a store is undecided: it is neither private nor shared, and its files were not
 * created by git.
 */
export function isUndecided(store: Store): boolean {
  return !isShared(store) && !isPrivate(fs.lstatSync(store.root)) && isLoose(store);
}

/**
 * Reports a private store whose config.json says shared: `git pull` can bring `"shared": true` into a store
 * that its owner made private.
 */
function claims(store: Store, { state }: CheckContext): DoctorCheck[] {
  if (!isShared(store) || kindOf(store, state) !== undefined) return [];
  return [
    {
      name: "kind",
      status: "lacks",
      found: "config.json says that it is shared, but only its owner can open it",
      advice: "`ctx doctor --fix --private` keeps it private, `--shared` makes it readable for a team",
    },
  ];
}

function access(store: Store): DoctorCheck {
  const name = "access";
  const root = fs.lstatSync(store.root);
  // Others cannot reach anything below this folder.
  if (isPrivate(root)) return { name, status: "ok", found: "only its owner can read it" };
  const exposed = [...writableByAll(store.root)];
  if (exposed.length > 0)
    return {
      name,
      status: "bad",
      found: `every user can write to ${exposed.slice(0, 3).join(", ")}${exposed.length > 3 ? ", …" : ""}`,
      advice: "`ctx doctor --fix` removes that permission",
    };
  if (isShared(store)) return { name, status: "ok", found: "shared: as its modes say" };
  if (!isLoose(store)) return { name, status: "ok", found: "as git made its files" };
  return {
    name,
    status: "lacks",
    found: `other users of this machine can read it (mode ${(root.mode & 0o777).toString(8)})`,
    advice: "`ctx doctor --fix --private` makes it private, `--shared` declares it shared with a team",
  };
}

/**
 * Yields every path in a store that is world-writable, starting with the store's folder. Links have no mode
 * of their own.
 */
function* writableByAll(root: string): Generator<string> {
  for (const { path, stat } of walk(root)) if ((stat.mode & 0o002) !== 0) yield path;
}

/**
 * Returns whether ctx itself created files here that others can read. Objects and packs that ctx writes are
 * read-only; files that git checked out are not, and have git's usual modes. An empty store counts too.
 */
function isLoose({ root }: Store): boolean {
  let isEmpty = true;
  for (const folder of ["objects", "packs"])
    for (const { stat } of walk(join(root, folder))) {
      if (!stat.isFile()) continue;
      isEmpty = false;
      if ((stat.mode & 0o044) !== 0 && (stat.mode & 0o200) === 0) return true;
    }
  return isEmpty;
}

export interface FileChange {
  file: string;
  /** Lines that the file should have and does not. */
  lines: string[];
  /** Lines that the file has and should not have. */
  surplus?: string[];
}

/**
 * Returns the changes that .gitignore and .gitattributes need in a store that has, or will have, this kind.
 */
export function neededChanges({ root }: Store, kind: StoreKind | undefined): FileChange[] {
  const attributes = (readIfThere(join(root, ".gitattributes"))?.toString("latin1") ?? "")
    .split(/\r?\n/)
    .map((line) => line.trim());
  const ignored = ignoreLines(root);
  const ignore = ignoreChange(ignored, kind);
  const changes: FileChange[] = [
    { file: ".gitignore", ...ignore },
    { file: ".gitattributes", lines: attributes.includes(gitAttributes) ? [] : [gitAttributes] },
  ];
  return changes.filter(({ lines, surplus }) => lines.length > 0 || surplus !== undefined);
}

function ignoreChange(ignored: string[], kind: StoreKind | undefined): Omit<FileChange, "file"> {
  const isIgnored = ignoresAll(ignored);
  if (kind === "private") return { lines: isIgnored ? [] : [ignoreAll] };
  if (kind === undefined && isIgnored) return { lines: [] };
  const lines = ignoredByGit.filter((line) => !ignored.includes(line));
  const surplus = ignored.filter((line) => line === ignoreAll);
  return kind === "shared" && surplus.length > 0 ? { lines, surplus } : { lines };
}

/**
 * Returns the kind of a store by its settings and modes; undefined if they leave it open. The owner can write
 * files that git checked out, but not those of ctx: a store that came with a repository is not private just
 * because of a strict umask. A private store that ctx wrote packs into does not become shared by its
 * config.json alone, which `git pull` can replace: the user has to confirm it.
 */
export function kindOf(store: Store, state: string | undefined): StoreKind | undefined {
  const hasPrivateMode = isPrivate(fs.lstatSync(store.root));
  if (isShared(store)) {
    const isSettled = !hasPrivateMode || (state !== undefined && acceptedAs(store, state) === "open");
    return isSettled || packModes(store).every((mode) => (mode & 0o200) !== 0) ? "shared" : undefined;
  }
  if (!hasPrivateMode) return undefined;
  return packModes(store).some((mode) => (mode & 0o200) !== 0) ? undefined : "private";
}

function packModes({ root }: Store): number[] {
  return [...walk(join(root, "packs"))].flatMap(({ stat }) => (stat.isFile() ? stat.mode : []));
}

function gitFiles(store: Store, { state }: CheckContext): DoctorCheck[] {
  return neededChanges(store, kindOf(store, state)).map(({ file, lines, surplus }) => ({
    name: file,
    status: "lacks",
    found:
      file === ".gitattributes"
        ? "lets git change bytes of the store"
        : surplus !== undefined
          ? "keeps this shared store out of git"
          : lines.includes(ignoreAll)
            ? "lets git commit this private store"
            : `does not have ${lines.join(" ")}`,
    advice:
      surplus === undefined ? "`ctx doctor --fix` adds what is missing" : "`ctx doctor --fix` corrects it",
  }));
}

function inGit(store: Store, git: GitFolders, context: CheckContext): DoctorCheck[] {
  const call = { program: context.program, env: context.env, folder: store.folder };
  const changes = changedByGit(store, call);
  const checks: DoctorCheck[] = [];
  if (changes.length > 0 && neededChanges(store, undefined).every(({ file }) => file !== ".gitattributes"))
    checks.push({
      name: "attributes",
      status: "bad",
      found: `git would change bytes of the store: ${changes.join(", ")}`,
      advice:
        "remove that from the repository's info/attributes, which takes precedence over .ctx/.gitattributes",
    });
  if (isShared(store)) {
    const ignored = runGit(call, ["check-ignore", "-q", "--", join(store.root, "config.json")]);
    if (ignored?.status === 0 && kindOf(store, context.state) === "shared")
      checks.push({
        name: "git",
        status: "lacks",
        found: "git ignores this shared store: nothing new is committed",
        advice: "`git check-ignore -v .ctx/config.json` names the line; `ctx doctor --fix` removes ctx's own",
      });
    return checks;
  }
  if (!isPrivate(fs.lstatSync(store.root))) return checks;
  const standing = standingInGit(store, call);
  if (standing === "tracked")
    checks.push({
      name: "git",
      status: "lacks",
      found: "this private store is in git already",
      advice:
        "`git rm -r --cached .ctx` removes it from the next commit; `ctx doctor --fix --shared` shares it",
    });
  else if (standing === "committable")
    checks.push({
      name: "git",
      status: "lacks",
      found: `git would commit this private store`,
      advice: `\`ctx doctor --fix\` adds it to its own .gitignore and ${git.exclude}`,
    });
  return checks;
}

/** Attributes that make git change what it commits or checks out, with the values that are harmless. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  text: ["unset"],
  ident: ["unset", "unspecified"],
  filter: ["unset", "unspecified"],
  "working-tree-encoding": ["unspecified"],
};

/** Returns the git attributes that would change an object; none if git cannot report them. */
function changedByGit(store: Store, call: GitCall): string[] {
  const names = Object.keys(harmless);
  const object = join(store.root, "objects", "00", "0".repeat(62));
  const result = runGit(call, ["check-attr", "-z", ...names, "--", object]);
  if (result?.status !== 0) return [];
  const words = result.stdout.split("\0");
  return names.flatMap((_, at) => {
    const [name = "", value = ""] = words.slice(at * 3 + 1, at * 3 + 3);
    return harmless[name]?.includes(value) === false ? `${name}=${value}` : [];
  });
}
