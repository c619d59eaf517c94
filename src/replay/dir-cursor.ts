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

export class DirCursor {
  readonly #root: string;
  readonly #names: string[] = [];
  #held: number;
  /** The identity of each folder on the way, read when the next one is entered: it is not needed before. */
  readonly #ids: (string | undefined)[] = [undefined];
  /** The owner of the folder, once it was read. */
  #owner: fs.Stats | undefined;

  constructor(root: string) {
    this.#root = root;
    this.#held = fs.openSync(root, flags.O_RDONLY | flags.O_DIRECTORY);
  }

  /** Returns the folders from the root to here. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Returns a path to this name here; `.` is the folder itself. Valid until the cursor moves. */
  at(name: string): Path {
    if (hasDescriptorPaths()) {
      const path = `/proc/self/fd/${this.#held}/${name}`;
      return isAscii.test(name) ? path : Buffer.from(path, "latin1");
    }
    const inside = Buffer.from(`/${[...this.#names, name].join("/")}`, "latin1");
    return Buffer.concat([Buffer.from(this.#root), inside]);
  }

  enter(name: string): void {
    const next = fs.openSync(this.at(name), folderFlags);
    this.#ids[this.#ids.length - 1] ??= idOf(this.#held);
    this.#hold(next);
    this.#names.push(name);
    this.#ids.push(undefined);
  }

  /** Goes up, and returns the name of the folder that was left. */
  leave(): string {
    const name = this.#names.at(-1);
    if (name === undefined) throw new StepFailure("outside", "there is nothing above the workspace");
    if (hasDescriptorPaths()) this.#hold(fs.openSync(this.at(".."), folderFlags));
    this.#names.pop();
    this.#ids.pop();
    if (!hasDescriptorPaths()) this.#hold(fs.openSync(this.at("."), folderFlags));
    // A folder that was moved out of the workspace has another folder above it.
    if (idOf(this.#held) !== this.#ids.at(-1))
      throw new StepFailure("outside", "a folder was moved while it was looked at");
    return name;
  }

  toRoot(): void {
    this.#ids[0] ??= idOf(this.#held);
    this.#names.length = 0;
    this.#ids.length = 1;
    this.#hold(fs.openSync(this.#root, flags.O_RDONLY | flags.O_DIRECTORY));
    if (idOf(this.#held) !== this.#ids[0])
      throw new StepFailure("outside", "the workspace was replaced by another folder");
  }

  makeFolder(name: string): void {
    fs.mkdirSync(this.at(name), 0o755);
    usingDescriptor(fs.openSync(this.at(name), folderFlags), (made) => {
      fs.fchmodSync(made, 0o755);
      this.inheritOwner(made);
    });
  }

  /** Makes the owner of this folder the owner of a new open file: root runs commands as another user. */
  inheritOwner(descriptor: number): void {
    if (process.geteuid?.() !== 0) return;
    this.#owner ??= fs.fstatSync(this.#held);
    const { uid, gid } = this.#owner;
    if (uid !== 0 || gid !== 0) fs.fchownSync(descriptor, uid, gid);
  }

  close(): void {
    fs.closeSync(this.#held);
  }

  #hold(next: number): void {
    fs.closeSync(this.#held);
    this.#held = next;
    this.#owner = undefined;
  }
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
