// The start of `ctx`: this file, with the names filled in by the build, becomes dist/ctx.cjs. It runs one of
// the programs beside it, from V8's code cache where this user has one, which saves a fifth of a short
// command's time.
"use strict";

// Until a command has answered: an end of the process before that must not look like success.
process.exitCode = 2;
// The commands that are called most have programs of their own: reading the whole one would take longer than
// they do.
const whole = "__PROGRAM__";
if (process.argv.length === 3 && process.argv[2] === "--version" && printVersion()) process.exitCode = 0;
else start();

/** Returns false when the line cannot be written; the program then prints why. */
function printVersion() {
  try {
    require("node:fs").writeSync(1, "ctx __VERSION__\n");
    return true;
  } catch {
    return false;
  }
}

function start(name = new Map(__SMALL__).get(process.argv[2]) ?? whole) {
  let program;
  try {
    program = load(name);
  } catch (error) {
    const isDebug = process.env.CTX_DEBUG === "1";
    const why = isDebug ? error.stack : String(error.message).split("\n")[0];
    try {
      require("node:fs").writeSync(
        2,
        `error: ctx cannot load its program: ${why}\nhint: install ctx again\n`,
      );
    } catch {
      // The exit status shows it.
    }
    return;
  }
  // A small program returns false before it has done anything, when the call needs what only the whole one
  // has.
  void program.start().then((isDone) => isDone || start(whole));
}

function load(name) {
  const fs = require("node:fs");
  const { Script } = require("node:vm");
  const filename = `${__dirname}/${name}.cjs`;
  // The build writes programs in ASCII, each as the function that a module is.
  const source = fs.readFileSync(filename, "latin1");
  const cache = findCache(fs, name, filename);
  const script = new Script(source, { filename, cachedData: cache?.data });
  if (cache !== undefined) {
    if (script.cachedDataRejected === true) Object.assign(cache, { data: undefined, kinds: [] });
    const kind = kindOf(process.argv);
    if (cache.data === undefined || (!cache.kinds.includes(kind) && cache.kinds.length < 32))
      process.once("exit", () => keepCache(script, cache, kind));
  }
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, require, loaded, filename, __dirname);
  return loaded.exports;
}

/** Never changes how the process ends, also where ctx was removed or replaced at the same time. */
function keepCache(script, cache, kind) {
  try {
    require("./code-cache.cjs").keep(script, cache, kind);
  } catch {
    // The next call may make it.
  }
}

/**
 * The user's own cache of a program: undefined where none can be kept, without `data` where none was made
 * yet. V8 compares only the length of a source with its cache, so the name stands for the exact program: its
 * hash, which the build has put into its name, the file as it is now, and the Node that runs it with its
 * options.
 */
function findCache(fs, program, filename) {
  const { env, execArgv, version, arch } = process;
  const base = env.XDG_CACHE_HOME?.startsWith("/")
    ? env.XDG_CACHE_HOME
    : env.HOME?.startsWith("/")
      ? `${env.HOME}/.cache`
      : undefined;
  const user = process.geteuid?.();
  if (base === undefined || user === undefined || (env.NODE_DISABLE_COMPILE_CACHE ?? "") !== "")
    return undefined;
  try {
    const { size, mtimeMs, ctimeMs } = fs.statSync(filename);
    const about = shortHash([size, mtimeMs, ctimeMs, env.NODE_OPTIONS, ...execArgv].join("\0"));
    const cache = {
      folder: `${base}/ctx`,
      name: `${program}-${version}-${arch}-${about}.cache`,
      user,
      kinds: [],
      sumOf,
    };
    readCache(fs, cache);
    return cache;
  } catch {
    return undefined;
  }
}

/** Reads a cache that only this user can have written; a bad one counts as none. */
function readCache(fs, cache) {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const isOwn = ({ uid, mode }) => uid === cache.user && (mode & 0o022) === 0;
  const folder = fs.lstatSync(cache.folder, { throwIfNoEntry: false });
  if (folder === undefined || !folder.isDirectory() || !isOwn(folder)) return;
  const path = `${cache.folder}/${cache.name}`;
  let descriptor;
  try {
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return;
  }
  try {
    const stat = fs.fstatSync(descriptor);
    const length = stat.size - 512;
    if (!stat.isFile() || !isOwn(stat) || length <= 0 || length > 1 << 24) return;
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    if (fs.readSync(descriptor, bytes, 0, stat.size, 0) !== stat.size) return;
    const [mark, sum, kinds = ""] = bytes.latin1Slice(length).trimEnd().split(" ");
    const data = bytes.subarray(0, length);
    if (mark !== "ctx-1" || sum !== cache.sumOf(data)) return;
    cache.data = data;
    cache.kinds = kinds === "" ? [] : kinds.split(",");
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The command and the names of its options: such calls run about the same functions. */
function kindOf([, , ...words]) {
  const end = words.indexOf("--");
  const options = (end === -1 ? words : words.slice(0, end)).filter((word) => word.startsWith("-"));
  return shortHash([words[0], ...options.map((word) => word.split("=", 1)[0])].join("\0"));
}

/**
 * Over the first bytes of every block of a disk: V8 checks only the head of a cache, and would run a lost
 * block.
 */
function sumOf(data) {
  const words = new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
  let sum = data.length;
  for (let at = 0; at < words.length; at += 128) sum = Math.imul(sum ^ words[at], 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}

/** FNV-1a in 8 digits: detects accidental differences. */
function shortHash(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
