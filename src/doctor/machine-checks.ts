// What `ctx doctor` reports about this machine: the runtime, the system, programs, and the file system.
import { readSync, realpathSync, statfsSync } from "node:fs";
import { release } from "node:os";
import type { DoctorCheck } from "../results/results.js";
import { findProgram, findPrograms } from "../base/find-program.js";
import { usingRegular } from "../base/fs/files.js";
import { canFlushFileSystem } from "../base/fs/flush.js";
import type { Store } from "../store/store.js";

/**
 * Checks the machine. `path`: the folders to search for programs, in the syntax of PATH; `program`: the file
 * of this program, if it is known.
 */
export function machineChecks(path: string, program: string | undefined): DoctorCheck[] {
  const own = program === undefined ? [] : [ownProgram(path, program)];
  return [
    runtime(),
    system(),
    ...own,
    flushing(),
    needed("git", "git", { path, advice: "only needed to share a store by git" }),
    needed("bubblewrap", "bwrap", { path, advice: "needed to replay commands; install bubblewrap" }),
  ];
}

/**
 * Reports which program `ctx` is, and every other program of that name. A link to this program is no other,
 * nor is a script that starts it.
 */
function ownProgram(path: string, program: string): DoctorCheck {
  const name = "ctx";
  const found = findPrograms(name, path);
  const others = found.filter((file) => realPath(file) !== realPath(program) && !isWrapper(file, program));
  const [first] = found;
  if (first === undefined)
    return {
      name,
      status: "lacks",
      found: `${program}, not on the PATH`,
      advice: "typing `ctx` does not start it; link to it from a folder on the PATH",
    };
  if (others.includes(first))
    return {
      name,
      status: "lacks",
      found: `${first} is another program`,
      advice: `typing \`ctx\` starts that one; this one is ${program}: put its folder first on the PATH`,
    };
  if (others.length === 0) return { name, status: "ok", found: first };
  return {
    name,
    status: "ok",
    found: `${first} is this program`,
    advice: `another program has that name: ${others.join(", ")}; typing \`ctx\` starts this one`,
  };
}

/** The beginning of a script in which the program that it starts is looked for. */
const scriptHead = 4096;

/** Returns whether a file is a script that names this program's path. It is only read. */
function isWrapper(file: string, program: string): boolean {
  try {
    const head = usingRegular(realPath(file), ({ descriptor }) => {
      const bytes = Buffer.alloc(scriptHead);
      return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, scriptHead, 0));
    });
    if (!head.startsWith("#!")) return false;
    const words = head.split(/[\s"'=;]+/);
    return [program, realPath(program)].some((path) => words.includes(path));
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
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

/** Reports where a program is that some commands need; `advice` says which. */
function needed(
  name: string,
  program: string,
  { path, advice }: { path: string; advice: string },
): DoctorCheck {
  const found = findProgram(program, path);
  if (found !== undefined) return { name, status: "ok", found };
  return { name, status: "lacks", found: "not on the PATH", advice };
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

export function fileSystemCheck(store: Store): DoctorCheck {
  const stat = statfsSync(store.root);
  const [name, isRemote] = fileSystems[stat.type] ?? [
    process.platform === "linux" ? "another kind" : "native",
  ];
  const free = `${Math.floor((stat.bavail * stat.bsize) / 1e9)} GB free`;
  const found = `${name}, ${free}`;
  if (stat.bavail * stat.bsize < 1e8)
    return {
      name: "file system",
      status: "bad",
      found: `${name}, less than 100 MB free`,
      advice: "free some space",
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
      advice: "durable only if its server is",
    };
  return { name: "file system", status: "ok", found };
}
