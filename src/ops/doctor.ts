// `ctx doctor`: what this machine and this store have, what is missing for ctx, and what to do about it.
import { accessSync, constants, readdirSync, statfsSync, statSync } from "node:fs";
import { release } from "node:os";
import { delimiter, join } from "node:path";
import { CtxError } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import type { DoctorCheck, DoctorResult, StoreKind } from "../results/results.js";
import { acceptStore } from "../store/accepted.js";
import { withCatalog } from "../store/catalog.js";
import { canFlushFileSystem } from "../store/flush.js";
import { Store } from "../store/store.js";
import { fixStore } from "./doctor-fix.js";
import { lockChecks } from "./doctor-locks.js";
import { isUndecided, storeChecks } from "./doctor-store.js";

export interface DoctorOptions {
  /** The folders to search for programs, in the syntax of PATH. */
  path: string;
  /** The user's state folder, whose locks are listed too. */
  state?: string;
  /** Environment for git: GIT_DIR and the like. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Repair what can be repaired. */
  fix?: boolean;
  /** The kind that the store should have. Without it, `undecided` is called if a fix needs to know. */
  kind?: StoreKind;
  /**
   * Returns the kind that the store should have, if its modes leave it open; undefined leaves it unchanged.
   */
  undecided?: () => StoreKind | undefined;
}

export function doctor(folder: string, options: DoctorOptions): DoctorResult {
  const fixed = options.fix === true ? fix(folder, options) : undefined;
  const checks = [runtime(), system(), flushing(), git(options.path), sandbox(options.path)];
  try {
    const store = Store.find(folder);
    const { env = {}, state } = options;
    const around = { program: findProgram("git", options.path), env, from: folder, state };
    appendAll(checks, [
      fileSystem(store),
      ...health(store),
      ...storeChecks(store, around),
      ...lockChecks([store.root]),
    ]);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const advice = error.hint === undefined ? {} : { advice: error.hint };
    checks.push({
      name: "store",
      status: error.code === "no-store" ? "lacks" : "bad",
      found: error.message,
      ...advice,
    });
  }
  appendAll(checks, lockChecks(options.state === undefined ? [] : [options.state]));
  const healthy = checks.every(({ status }) => status !== "bad");
  return fixed === undefined ? { healthy, checks } : { healthy, checks, fixed };
}

function fix(folder: string, { env = {}, kind, undecided, state }: DoctorOptions): string[] {
  const store = Store.find(folder);
  const chosen = kind ?? (!store.foreign && isUndecided(store) ? undecided?.() : undefined);
  const done = fixStore(store, chosen, { env, from: folder, state });
  // A user who chooses the kind of a store knows who can read it, so the store counts as accepted.
  if (chosen === undefined || state === undefined || store.foreign) return done;
  try {
    acceptStore(store, state);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    done.push(`hooks will not use this store: ${error.message}`);
  }
  return done;
}

function runtime(): DoctorCheck {
  // The executable contains Bun.
  if (process.versions.bun !== undefined) return { name: "Bun", status: "ok", found: process.versions.bun };
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major >= 20) return { name: "Node", status: "ok", found: process.versions.node };
  return { name: "Node", status: "bad", found: process.versions.node, advice: "install Node 20 or newer" };
}

function system(): DoctorCheck {
  const found = `${process.platform} ${release()}, ${process.arch}`;
  if (process.platform === "linux" || process.platform === "darwin")
    return { name: "system", status: "ok", found };
  return { name: "system", status: "lacks", found, advice: "ctx is tested on Linux and macOS only" };
}

function flushing(): DoctorCheck {
  if (canFlushFileSystem()) return { name: "flushing", status: "ok", found: "many files at once (sync -f)" };
  return {
    name: "flushing",
    status: "lacks",
    found: "one file at a time",
    advice: "just as safe, but large packs take longer; Linux 5.8 with coreutils has the faster way",
  };
}

function git(path: string): DoctorCheck {
  const found = findProgram("git", path);
  if (found !== undefined) return { name: "git", status: "ok", found };
  return {
    name: "git",
    status: "lacks",
    found: "not on the PATH",
    advice: "only needed to share a store by git",
  };
}

function sandbox(path: string): DoctorCheck {
  const found = findProgram("bwrap", path);
  if (found !== undefined) return { name: "bubblewrap", status: "ok", found };
  return {
    name: "bubblewrap",
    status: "lacks",
    found: "not on the PATH",
    advice: "needed to replay commands; install bubblewrap",
  };
}

/** Finds a program by its name, without running it. */
function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** File systems by their magic number on Linux. On remote ones, flushed data may not be durable. */
const fileSystems: Readonly<Record<number, [name: string, isRemote?: boolean]>> = {
  0xef53: ["ext4"],
  0x58465342: ["XFS"],
  0x9123683e: ["btrfs"],
  0x2fc12fc1: ["ZFS"],
  0x01021994: ["tmpfs"],
  0x794c7630: ["overlayfs"],
  0x6969: ["NFS", true],
  0xff534d42: ["CIFS", true],
  0xfe534d42: ["SMB", true],
  0x65735546: ["FUSE", true],
  0x01021997: ["9p", true],
};

function fileSystem(store: Store): DoctorCheck {
  const stat = statfsSync(store.root);
  const [name, isRemote] = fileSystems[stat.type] ?? [
    process.platform === "linux" ? "of another kind" : "native",
  ];
  const free = `${Math.floor((stat.bavail * stat.bsize) / 1e9)} GB free`;
  const found = `${name}, ${free}`;
  if (stat.bavail * stat.bsize < 1e8)
    return {
      name: "file system",
      status: "bad",
      found: `${name}, less than 100 MB free`,
      advice: "make some room",
    };
  if (name === "tmpfs")
    return {
      name: "file system",
      status: "lacks",
      found,
      advice: "in memory only: the store is gone after a restart",
    };
  if (isRemote === true)
    return {
      name: "file system",
      status: "lacks",
      found,
      advice: "durable only as far as its server keeps its word",
    };
  return { name: "file system", status: "ok", found };
}

function health(store: Store): DoctorCheck[] {
  const { count, damaged, newer } = withCatalog(store, (catalog) => {
    const unread = catalog.damaged === 0 ? [] : [...catalog.entries()].map(({ content }) => content);
    const later = unread.filter((content) => "damage" in content && content.newer === true).length;
    return { count: catalog.count, damaged: catalog.damaged - later, newer: later };
  });
  const packs = `${count} ${count === 1 ? "pack" : "packs"} in ${store.root}`;
  const checks: DoctorCheck[] =
    damaged === 0
      ? [{ name: "store", status: "ok", found: packs }]
      : [
          {
            name: "store",
            status: "bad",
            found: `${packs}, ${damaged} damaged`,
            advice: "`ctx log` names them",
          },
        ];
  if (newer > 0)
    checks.push({
      name: "newer packs",
      status: "lacks",
      found: `${newer} of a newer ctx`,
      advice: "update ctx to read them; until then everything that they may need stays",
    });
  if (count > 0 && !isFolder(join(store.root, "objects")))
    checks.push({
      name: "objects",
      status: "bad",
      found: "the folder is missing",
      advice: "restore it from a copy of the store",
    });
  try {
    accessSync(store.root, constants.W_OK);
  } catch {
    checks.push({
      name: "writing",
      status: "lacks",
      found: "you cannot write to this store",
      advice: "reading works",
    });
  }
  if (store.foreign)
    checks.push({
      name: "owner",
      status: "lacks",
      found: "another user",
      advice: "its settings have no effect for you",
    });
  const unfinished = countEntries(join(store.root, "tmp"));
  if (unfinished > 0)
    checks.push({
      name: "unfinished",
      status: "ok",
      found: `${unfinished} ${unfinished === 1 ? "entry" : "entries"} in tmp/`,
      advice: "writers at work, or left by a crash: the next `ctx pack` clears those",
    });
  return checks;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function countEntries(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}
