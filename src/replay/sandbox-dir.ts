// The temporary folder of one replay: the workspace, and what programs have besides it. Everything that a
// step leaves is in here, and is removed with it, whatever the step did to make that hard.
// Over 300 lines: making, filling and removing one folder.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join, posix } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { appendAll } from "../base/lists.js";
import { makeFolders } from "../base/fs/make-folders.js";
import { leftoversIn } from "../base/fs/leftovers.js";
import { ownId } from "../base/owner-id.js";
import { DiskBudget } from "./disk-budget.js";
import { StepFailure } from "./outcome.js";
import { DirCursor } from "./dir-cursor.js";
import { seccompFilter } from "./seccomp.js";
import { emptyFolder } from "./walk.js";

export interface SandboxDir {
  /** Holds all of it. Programs may learn this path, but it leads nowhere in the sandbox. */
  folder: string;
  /** The path of the workspace on this machine. */
  workspace: string;
  /** The files that the run had outside its folder: where they are, and their absolute recorded paths. */
  outside: { folder: string; names: string[] };
  /** Folders of a checkout that programs see read-only at the top of the workspace. */
  dependencies: { folder: string; name: string }[];
  /** Caches of packages that programs see read-only, and the variables by which they find them. */
  caches: { folder: string; variables: Readonly<Record<string, string>> }[];
  /** The absolute path under which programs in the sandbox see the workspace. */
  visiblePath: string;
  /** Why the recorded folder was not used for that. */
  note?: string;
  /** The user that programs run as, if this process is root. */
  user?: number;
  /** Named pipes that were created in advance, since creating one starts a program. */
  pipes: string[];
  /** Limits how much of the disk all of it may use. */
  disk: DiskBudget;
  /** Number of folders created for the user's own programs. */
  ownFolders: number;
  /** Whether it has what programs need; before that none has run. */
  isReady: boolean;
}

/** The folders of one of the user's own programs. No recorded command ever sees them. */
export interface OwnFolders {
  home: string;
  tmp: string;
  /** Where it starts: empty, and a new one each time. */
  start: string;
}

/** Home of programs in the sandbox. Not below anything that they can rename. */
export const homeInside = "/ctx/home";
/** Where the user's own programs start, and where they find the workspace. */
export const startInside = "/ctx/program";
export const workspaceInside = "/ctx/workspace";

/** Creates the folder. Fill the workspace, then call `chownSandboxDir`, before anything runs in it. */
export function makeSandboxDir(options: { temp: string; workdir?: string; uid?: number }): SandboxDir {
  const temp = withPath(options.temp, "use", () => fs.realpathSync(options.temp));
  clearLeftovers(temp);
  const prefix = join(temp, `ctx-replay-${ownId()}-`);
  const folder = withPath(temp, "make a folder in", () => fs.mkdtempSync(prefix));
  const uid = options.uid ?? process.geteuid?.();
  const { path: visiblePath, note } = mountPoint(options.workdir);
  const box: SandboxDir = {
    folder,
    workspace: join(folder, "ws"),
    outside: { folder: join(folder, "outside"), names: [] },
    dependencies: [],
    caches: [],
    visiblePath,
    ...(note === undefined ? {} : { note }),
    ...(uid === 0 ? { user: nobody } : {}),
    pipes: [],
    disk: new DiskBudget(folder),
    ownFolders: 0,
    isReady: false,
  };
  try {
    for (const name of ["ws", "outside", "tmp", "home", "etc", "pipes"])
      withPath(join(folder, name), "make", () => fs.mkdirSync(join(folder, name)));
    fs.chmodSync(join(folder, "tmp"), 0o1777);
    chownSandboxDir(box);
    return box;
  } catch (error) {
    removeSandboxDir(box);
    throw error;
  }
}

/** Removes what killed replays left behind. */
function clearLeftovers(temp: string): void {
  for (const name of leftoversIn(temp, /^ctx-replay-(.+)-[A-Za-z0-9]{6}$/)) {
    const folder = join(temp, name);
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true && stat.uid === process.geteuid?.()) removeAll(folder);
  }
}

/** Adds what only programs need, once, before the first one starts. */
export function readySandboxDir(box: SandboxDir): void {
  if (box.isReady) return;
  const etc = join(box.folder, "etc");
  withPath(etc, "write to", () => {
    // A first attempt may have filled a part of it before the disk was full.
    fs.rmSync(etc, { recursive: true, force: true });
    fs.mkdirSync(etc);
    fillEtc(etc);
  });
  const file = join(box.folder, "filter");
  const filter = seccompFilter(process.arch);
  if (filter !== undefined) withPath(file, "write", () => fs.writeFileSync(file, filter));
  box.isReady = true;
}

/** Makes the user that programs run as the owner of the workspace, and of no other file. */
export function chownSandboxDir(box: SandboxDir): void {
  for (const name of ["ws", "outside", "tmp", "home"]) chownTree(Buffer.from(join(box.folder, name)), box);
  // The folder itself stays ours: its owner could put links where this process writes.
  if (box.user === undefined) return;
  fs.chownSync(box.folder, 0, box.user);
  fs.chmodSync(box.folder, 0o710);
}

/** Removes everything. Deep trees, folders without permissions and links do not prevent it. */
export function removeSandboxDir(box: SandboxDir): void {
  if (!box.isReady && removeQuickly(box)) return;
  removeAll(box.folder);
}

function removeAll(folder: string): void {
  // Node's own removal gives up on paths that are too long.
  if (run("rm", ["-rf", "--", folder])) return;
  run("chmod", ["-R", "u+rwX", "--", folder]);
  run("rm", ["-rf", "--", folder]);
}

/** Removes it in-process. No program ran here, so there is nothing that would prevent it. */
function removeQuickly({ folder }: SandboxDir): boolean {
  try {
    const cursor = new DirCursor(folder);
    try {
      emptyFolder(cursor);
    } finally {
      cursor.close();
    }
    fs.rmdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof StepFailure || errnoOf(error) !== undefined) return false;
    throw error;
  }
}

/**
 * Returns the two ends of a new pipe. It is a real one, which programs can open again as /dev/stderr; Node's
 * are sockets.
 */
export function openPipe(box: SandboxDir): { reading: number; writing: number } {
  const path = box.pipes.pop() ?? makePipes(box);
  return withPath(path, "open", () => {
    const reading = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const writing = fs.openSync(path, fs.constants.O_WRONLY);
    fs.unlinkSync(path);
    return { reading, writing };
  });
}

/** Creates the folders of one of the user's own programs. `known` are those of its last run. */
export function makeOwnFolders(box: SandboxDir, known?: OwnFolders): OwnFolders {
  const make = (name: string, mode = 0o700): string => {
    const path = join(box.folder, `own-${box.ownFolders}-${name}`);
    return withPath(path, "make", () => {
      fs.mkdirSync(path);
      fs.chmodSync(path, mode);
      if (box.user !== undefined) fs.chownSync(path, box.user, box.user);
      return path;
    });
  };
  box.ownFolders++;
  return {
    home: known?.home ?? make("home"),
    tmp: known?.tmp ?? make("tmp", 0o1777),
    start: make("start"),
  };
}

/** Adds what a program needs to find other machines and to authenticate them. */
export function openNetwork(box: SandboxDir): void {
  for (const name of ["resolv.conf", "ssl/certs/ca-certificates.crt", "pki/tls/certs/ca-bundle.crt"]) {
    if (fs.existsSync(join(box.folder, "etc", name)) || !fs.existsSync(join("/etc", name))) continue;
    writeEtcFile(join(box.folder, "etc"), name, fs.readFileSync(join("/etc", name)));
  }
}

/** Returns whether a path is a folder or lies in it. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Where this system keeps its programs. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The user "nobody", which programs run as if root replays. */
const nobody = 65534;

/**
 * Returns where the workspace can be mounted so that recorded paths fit: the recorded folder, unless that is
 * impossible.
 */
export function mountPoint(workdir: string | undefined): { path: string; note?: string } {
  if (workdir === undefined) return { path: "/workspace" };
  const path = posix.normalize(workdir).replace(/(?<=.)\/+$/, "");
  const why = whyNot(workdir, path);
  return why === undefined ? { path } : { path: "/workspace", note: `the run's own folder ${why}` };
}

function whyNot(recorded: string, path: string): string | undefined {
  const parts = path.split("/").slice(1);
  if (!recorded.startsWith("/")) return "is not an absolute path here";
  if (recorded.split("/").includes("..")) return "has .. in it";
  if (/\p{Cc}/u.test(recorded)) return "has control characters in it";
  if (Buffer.byteLength(recorded) > 1000 || parts.some((part) => Buffer.byteLength(part) > 255))
    return "has too long a name";
  if (["/", "/tmp", "/var/tmp"].includes(path)) return `is ${path}`;
  const [top = "", second = ""] = parts;
  if (systemFolders.includes(top)) return "is a part of the system";
  // Programs need /usr. Its other folders can be bound one by one, around one that has nothing they need.
  if (top === "usr" && second !== "src" && (second === "" || fs.existsSync(`/usr/${second}`)))
    return "is a part of the system";
  return undefined;
}

const systemFolders = "bin boot ctx dev etc lib lib32 lib64 libx32 proc sbin sys".split(" ");

/**
 * Fills the /etc of the sandbox: enough to find libraries, users and this machine, and nothing of the host's
 * own.
 */
function fillEtc(etc: string): void {
  const files: Record<string, string> = {
    passwd: `root:x:0:0:root:/root:/bin/bash\nctx:x:1000:1000:ctx:${homeInside}:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
    group: "root:x:0:\nctx:x:1000:\nnogroup:x:65534:\n",
    hosts: "127.0.0.1 localhost ctx\n::1 localhost\n",
    hostname: "ctx\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  };
  for (const [name, text] of Object.entries(files)) writeEtcFile(etc, name, text);
  if (fs.existsSync("/etc/ld.so.cache"))
    writeEtcFile(etc, "ld.so.cache", fs.readFileSync("/etc/ld.so.cache"));
  if (!fs.existsSync("/etc/alternatives")) return;
  writeEtcFile(etc, "alternatives/README", "");
  for (const entry of fs.readdirSync("/etc/alternatives", { withFileTypes: true })) {
    const name = join("alternatives", entry.name);
    // Half of them are manual pages.
    if (entry.isSymbolicLink() && !name.endsWith(".gz"))
      fs.symlinkSync(fs.readlinkSync(join("/etc", name)), join(etc, name));
  }
}

/** Writes a file that programs can read, whatever the umask. */
function writeEtcFile(etc: string, name: string, content: string | Buffer): void {
  const path = join(etc, name);
  makeFolders(dirname(path));
  fs.writeFileSync(path, content);
  fs.chmodSync(path, 0o644);
  for (let folder = dirname(path); folder.length >= etc.length; folder = dirname(folder))
    fs.chmodSync(folder, 0o755);
}

/**
 * Hands over files to the user that programs run as. Names are bytes: a checkout can hold some that are not
 * UTF-8. Does not follow links.
 */
function chownTree(path: Buffer, box: SandboxDir): void {
  const stat = fs.lstatSync(path);
  if (stat.isFile() && stat.nlink > 1) {
    // A hard link to a file elsewhere would let steps write to that file.
    const copy = join(box.folder, "copy");
    fs.copyFileSync(path, copy);
    fs.chmodSync(copy, stat.mode);
    if (box.user !== undefined) fs.chownSync(copy, box.user, box.user);
    fs.renameSync(copy, path);
  }
  if (box.user !== undefined && (stat.uid !== box.user || stat.gid !== box.user))
    fs.lchownSync(path, box.user, box.user);
  if (!stat.isDirectory()) return;
  for (const name of fs.readdirSync(path, { encoding: "buffer" }))
    chownTree(Buffer.concat([path, Buffer.from("/"), name]), box);
}

function makePipes(box: SandboxDir): string {
  const pipes = join(box.folder, "pipes");
  const made = withPath(pipes, "make a folder in", () => fs.mkdtempSync(join(pipes, "p")));
  const paths = Array.from({ length: 32 }, (_, at) => join(made, String(at)));
  // In a folder that is closed to others; a program reaches its own pipe only through its descriptors.
  if (!run("mkfifo", ["-m", "666", "--", ...paths]))
    throw new CtxError("io", `cannot make a pipe in ${made}: mkfifo failed`);
  appendAll(box.pipes, paths.slice(1));
  return paths[0] as string;
}

function run(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", env: { PATH: systemPath } }).status === 0;
}
