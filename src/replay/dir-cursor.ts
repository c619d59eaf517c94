// A position in a workspace, held by a descriptor. Folders are entered one name at a time and never through a
// link, and the way back up is checked: nothing swapped in meanwhile redirects it, and no tree is too deep.
// Names are byte strings, since a name on disk need not be UTF-8: each character is one byte.
import * as fs from "node:fs";
import { constants as flags } from "node:fs";
import { usingDescriptor } from "../base/fs/files.js";
import { StepFailure } from "./outcome.js";

/** A path for Node's functions; bytes if a string cannot represent it. */
type Path = string | Buffer;

const isAscii = /^[\x20-\x7e]*$/;

export interface DirCursor {
  /** The folders from the root to here. */
  readonly names: readonly string[];
  /** A path to what has this name here; `.` is the folder itself. Valid until the place changes. */
  at(name: string): Path;
  enter(name: string): void;
  /** Goes up, and gives the name of the folder that was left. */
  leave(): string;
  toRoot(): void;
  makeFolder(name: string): void;
  /** Gives an open file that was just made the owner of this folder: as root, commands run as somebody else. */
  adopt(descriptor: number): void;
  close(): void;
}

export function openPlace(root: string): DirCursor {
  const names: string[] = [];
  let held = fs.openSync(root, flags.O_RDONLY | flags.O_DIRECTORY);
  /** Which folders these are, known as soon as one is entered: until then nobody asks. */
  const ids: (string | undefined)[] = [undefined];

  /** Whose the folder is. */
  let owner: fs.Stats | undefined;

  function hold(next: number): void {
    fs.closeSync(held);
    held = next;
    owner = undefined;
  }

  function at(name: string): Path {
    if (hasDescriptorPaths()) {
      const path = `/proc/self/fd/${held}/${name}`;
      return isAscii.test(name) ? path : Buffer.from(path, "latin1");
    }
    return Buffer.concat([Buffer.from(root), Buffer.from(`/${[...names, name].join("/")}`, "latin1")]);
  }

  function enter(name: string): void {
    const next = fs.openSync(at(name), folderFlags);
    ids[ids.length - 1] ??= idOf(held);
    hold(next);
    names.push(name);
    ids.push(undefined);
  }

  function adopt(descriptor: number): void {
    if (process.geteuid?.() !== 0) return;
    owner ??= fs.fstatSync(held);
    const { uid, gid } = owner;
    if (uid !== 0 || gid !== 0) fs.fchownSync(descriptor, uid, gid);
  }

  return {
    names,
    at,
    enter,
    leave() {
      const name = names.at(-1);
      if (name === undefined) throw new StepFailure("outside", "there is nothing above the workspace");
      if (hasDescriptorPaths()) hold(fs.openSync(at(".."), folderFlags));
      names.pop();
      ids.pop();
      if (!hasDescriptorPaths()) hold(fs.openSync(at("."), folderFlags));
      // A folder that was moved out of the workspace has another folder above it.
      if (idOf(held) !== ids.at(-1))
        throw new StepFailure("outside", "a folder was moved while it was looked at");
      return name;
    },
    toRoot() {
      ids[0] ??= idOf(held);
      names.length = 0;
      ids.length = 1;
      hold(fs.openSync(root, flags.O_RDONLY | flags.O_DIRECTORY));
      if (idOf(held) !== ids[0])
        throw new StepFailure("outside", "the workspace was replaced by another folder");
    },
    makeFolder(name) {
      fs.mkdirSync(at(name), 0o755);
      usingDescriptor(fs.openSync(at(name), folderFlags), (made) => {
        fs.fchmodSync(made, 0o755);
        adopt(made);
      });
    },
    adopt,
    close: () => fs.closeSync(held),
  };
}

/** Opens a regular file, not through a link; refuses anything else, and never blocks. */
export function usingFile<T>(
  path: Path,
  access: number,
  work: (descriptor: number, stat: fs.Stats) => T,
  known?: fs.Stats,
): T {
  // Opening can have side effects: check for a device first.
  if ((access & flags.O_CREAT) === 0) refuseSpecial(known ?? fs.lstatSync(path));
  return usingDescriptor(
    fs.openSync(path, access | flags.O_NOFOLLOW | flags.O_NONBLOCK, 0o644),
    (descriptor) => {
      const stat = fs.fstatSync(descriptor);
      refuseSpecial(stat);
      return work(descriptor, stat);
    },
  );
}

function refuseSpecial(stat: fs.Stats): void {
  if (!stat.isFile()) throw new StepFailure("error", "what should be a file is not a regular file");
}

/** Returns the UTF-8 bytes of a text as a string with one byte per character. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}

const folderFlags = flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW;

function idOf(descriptor: number): string {
  const { dev, ino } = fs.fstatSync(descriptor, { bigint: true });
  return `${dev}:${ino}`;
}

let isKnown: boolean | undefined;

function hasDescriptorPaths(): boolean {
  isKnown ??= process.platform === "linux" && fs.existsSync("/proc/self/fd");
  return isKnown;
}
