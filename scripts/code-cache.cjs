// Keeps V8's code cache of a program in the user's cache folder: dist/code-cache.cjs, which the launcher
// loads. It only ever makes later starts faster, so failures here are silent.
"use strict";
const fs = require("node:fs");
const { dirname } = require("node:path");

/** At most this many caches are kept: those of older versions are removed. */
const most = 16;
/** A run that took more processor time than this, in microseconds, makes no cache. */
const longest = 3_000_000;
/** An unfinished file that is older than this, in milliseconds, was left by a process that was killed. */
const abandoned = 3_600_000;

/**
 * Called as the process ends. The cache then holds what this call compiled and what earlier ones did. A kind
 * of call is noted as known once it has added nothing.
 */
exports.keep = (script, { folder, name, user, data, kinds, sumOf }, kind) => {
  // In a long run V8 has thrown code away.
  const { user: own, system } = process.cpuUsage();
  if (own + system > longest) return;
  try {
    const made = script.createCachedData();
    const isNew = data === undefined || made.length > data.length * 1.01;
    const bytes = isNew ? made : data;
    const known = isNew ? kinds : [...kinds, kind];
    if (!prepare(folder, user)) return;
    const trailer = `ctx-1 ${sumOf(bytes)} ${known.join(",")}`.padEnd(512);
    write(`${folder}/.${name}.${process.pid}`, `${folder}/${name}`, [bytes, Buffer.from(trailer, "latin1")]);
    if (data === undefined) clear(folder);
  } catch {
    // Without a cache, then.
  }
};

/** Makes the folder, if its location belongs to this user; returns whether it may be used. */
function prepare(folder, user) {
  const parent = dirname(folder);
  const above = fs.statSync(dirname(parent));
  if (!fs.existsSync(parent)) {
    if (above.uid !== user) return false;
    make(parent);
  }
  // Neither a link of another user, nor a link to another user's folder.
  if (fs.lstatSync(parent).uid !== user || fs.statSync(parent).uid !== user) return false;
  make(folder);
  const stat = fs.lstatSync(folder);
  return stat.isDirectory() && stat.uid === user && (stat.mode & 0o022) === 0;
}

function make(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

/** Complete and flushed before it gets its name. */
function write(temporary, path, pieces) {
  try {
    const descriptor = fs.openSync(temporary, "wx", 0o600);
    try {
      for (const piece of pieces) fs.writeFileSync(descriptor, piece);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes caches of older versions, and unfinished ones. */
function clear(folder) {
  const found = fs
    .readdirSync(folder)
    .filter((name) => /^\.?program-[\w.-]+\.cache(\.\d+)?$/.test(name))
    .map((name) => ({
      path: `${folder}/${name}`,
      isWhole: name.startsWith("p"),
      time: timeOf(`${folder}/${name}`),
    }))
    .sort((a, b) => b.time - a.time);
  const old = found.filter(({ isWhole }) => isWhole).slice(most);
  const left = found.filter(({ isWhole, time }) => !isWhole && Date.now() - time > abandoned);
  for (const { path } of [...old, ...left]) fs.rmSync(path, { force: true });
}

function timeOf(path) {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
