// The folder in which everything is measured. Nothing in it is removed before the end: after mass deletes
// ext4 creates files up to ten times slower for minutes, and the next round would pay for the last one.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeScenes } from "./scenes.mjs";

/** @typedef {{ args: string[], cwd: string, program?: string, env?: Record<string, string>, after?: () => void }} Command what `node`, or another program, is run with, and what is to do when it has ended */
/** @typedef {ReturnType<typeof openWork>} Work */
/** @typedef {ReturnType<typeof makeTools>} Tools */

/** The disk space that a full run needs until its end, with a reserve. */
export const needed = { bytes: 40e9, files: 4e6 };

/** @param {{ dist: string, parent?: string | undefined }} options the built program; the folder to work in */
export function openWork({ dist, parent = tmpdir() }) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(resolve(parent), "ctx-bench-"));
  // A copy, because a build that runs beside the benchmark would change the program under it.
  cpSync(dist, join(folder, "dist"), { recursive: true });
  const tools = makeTools(folder);
  return { ...tools, ...makeScenes(tools) };
}

/** Folders, commands, and what the disk says. @param {string} folder */
function makeTools(folder) {
  const ctxFile = join(folder, "dist", "ctx.cjs");
  const before = roomIn(folder);
  const most = { bytes: 0, files: 0 };
  let count = 0;

  const tools = {
    folder,
    run,
    /** Whether the disk may be too small for a full run. */
    isTight: () => before.bytes < needed.bytes || before.files < needed.files,
    /** The most that was on the disk whenever this was called. */
    used: () => {
      const now = roomIn(folder);
      most.bytes = Math.max(most.bytes, before.bytes - now.bytes);
      // Some file systems do not count files.
      if (Number.isFinite(now.files)) most.files = Math.max(most.files, before.files - now.files);
      return most;
    },
    /** A new, empty folder. */
    fresh: () => {
      const path = join(folder, String(++count));
      mkdirSync(path);
      return path;
    },
    /** A new folder that programs of another user can enter. */
    open: () => {
      chmodSync(folder, 0o755);
      return tools.fresh();
    },
    /** A new folder with an empty store in it. */
    store: () => {
      const path = tools.fresh();
      run(tools.ctx(path, "init"));
      return path;
    },
    /** Where the built program and the library are. */
    dist: join(folder, "dist"),
    /** @returns {Command} */
    ctx: (/** @type {string} */ cwd, /** @type {string[]} */ ...args) => ({ args: [ctxFile, ...args], cwd }),
    /**
     * A replay whose workspace is in this folder, and not where other programs have been making and deleting
     * files.
     */
    replay: (/** @type {string} */ store, /** @type {string[]} */ ...args) => ({
      ...tools.ctx(store, "replay", "latest", ...args),
      env: { TMPDIR: tools.open() },
    }),
    /** @returns {Command} */
    node: (/** @type {string[]} */ ...args) => ({ args, cwd: folder }),
    /** A line for the shell. @returns {Command} */
    shell: (/** @type {string} */ cwd, /** @type {string} */ line) => ({
      program: "sh",
      args: ["-c", line],
      cwd,
    }),
    /**
     * Two programs for Node, the one when the other has ended, in the folder of the first. @returns {Command}
     */
    inTurn: (/** @type {Command} */ first, /** @type {Command} */ second) => ({
      ...tools.shell(
        first.cwd,
        [first, second].map(({ args }) => asWords([process.execPath, ...args])).join(" && "),
      ),
    }),
    /** Flushes everything, so that no command pays for writes of an earlier one, or of this program. */
    settle: () => void spawnSync("sync", ["-f", folder], { stdio: "ignore" }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return tools;
}

/** Returns what the shell takes for these words. @param {readonly string[]} words */
function asWords(words) {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

/** What is free. @param {string} folder */
function roomIn(folder) {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree };
}

/**
 * Runs `node` with what slows its start left out of the environment; throws when it fails.
 * @param {Command} command
 * @param {{ wrapper?: string[] }} [options] `wrapper` is a program that runs it, with its arguments
 */
export function run({ args, cwd, program = process.execPath, env = {} }, { wrapper = [] } = {}) {
  const [file, ...rest] = /** @type {[string, ...string[]]} */ ([...wrapper, program, ...args]);
  const child = spawnSync(file, rest, {
    cwd,
    env: { ...environment, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.status === 0) return;
  const why = child.error?.message ?? child.signal ?? `status ${child.status}`;
  throw new Error(`${[file, ...rest].join(" ")} failed: ${why}\n${child.stderr?.toString() ?? ""}`);
}

const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env;
export const environment = rest;
