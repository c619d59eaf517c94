// The folder in which everything is measured. Nothing in it is removed before the end: after mass deletes ext4 creates
// files up to ten times slower for minutes, and the next round would pay for the last one.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { writeLog } from "./logs.mjs";
import { writeRuns } from "./runs.mjs";
import { writeTranscript } from "./transcripts.mjs";

/** @typedef {{ args: string[], cwd: string, program?: string, env?: Record<string, string>, after?: () => void }} Command what `node`, or another program, is run with, and what is to do when it has ended */
/** @typedef {ReturnType<typeof openWork>} Work */

/** What a full run leaves behind until its end, with room to spare. */
const needed = 12e9;

/** @param {{ dist: string, parent?: string | undefined }} options the built program; the folder to work in */
export function openWork({ dist, parent = tmpdir() }) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(resolve(parent), "ctx-bench-"));
  // A copy, because a build that runs beside the benchmark would change the program under it.
  cpSync(dist, join(folder, "dist"), { recursive: true });
  const ctxFile = join(folder, "dist", "ctx.cjs");
  let count = 0;
  /** @type {Map<string, string>} */
  const made = new Map();

  /** @param {string} key @param {() => string} make */
  const once = (key, make) => {
    const found = made.get(key) ?? make();
    made.set(key, found);
    return found;
  };

  const work = {
    folder,
    /** Whether the disk may be too small for a full run. */
    isTight: () => {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize < needed;
    },
    /** A new, empty folder. */
    fresh: () => {
      const path = join(folder, String(++count));
      mkdirSync(path);
      return path;
    },
    /** A new folder with an empty store in it. */
    store: () => {
      const path = work.fresh();
      run(work.ctx(path, "init"));
      return path;
    },
    /** The log of this shape, made once. @param {import("./logs.mjs").LogShape} shape */
    log: (shape) =>
      once(`log ${JSON.stringify(shape)}`, () => {
        const path = join(folder, `log-${made.size}.json`);
        writeLog(path, shape);
        return path;
      }),
    /** A session of Claude Code of about so many bytes, made once. */
    transcript: (/** @type {number} */ bytes) =>
      once(`transcript ${bytes}`, () => {
        const path = join(folder, `session-${made.size}.jsonl`);
        writeTranscript(path, bytes);
        return path;
      }),
    /** A folder whose store holds the pack of this log, made once; only for commands that change nothing in it. */
    packed: (/** @type {string} */ log) =>
      once(`packed ${log}`, () => {
        const path = work.store();
        run(work.ctx(path, "pack", log));
        return path;
      }),
    /** Where the built program and the library are. */
    dist: join(folder, "dist"),
    /** A new folder that programs of another user can enter. */
    open: () => {
      chmodSync(folder, 0o755);
      return work.fresh();
    },
    /** A folder whose store holds a run of so many steps of one tool, which replays exactly. Made once. */
    replayable: (/** @type {number} */ steps, /** @type {"read_file" | "bash"} */ tool) =>
      once(`replayable ${steps} ${tool}`, () => {
        const path = work.store();
        writeFileSync(join(path, "run.json"), JSON.stringify(replayableRun(steps, tool)));
        run(work.ctx(path, "pack", "run.json"));
        return path;
      }),
    /** A replay whose workspace lies in this folder, and not where other programs have been making and deleting files. */
    replay: (/** @type {string} */ store, /** @type {string[]} */ ...args) => ({
      ...work.ctx(store, "replay", "latest", ...args),
      env: { TMPDIR: work.open() },
    }),
    /** A draft of the pack in this store, made once. */
    draft: (/** @type {string} */ store) =>
      once(`draft ${store}`, () => {
        const path = join(work.fresh(), "draft");
        run(work.ctx(store, "fork", "latest", path));
        return path;
      }),
    /** A file that lists what is in a folder: paths and texts, as JSON. Made once. */
    fileList: (/** @type {string} */ from) =>
      once(`list ${from}`, () => {
        const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) =>
          entry.isFile(),
        );
        const path = join(work.fresh(), "files.json");
        const pairs = files.map(({ parentPath, name }) => {
          const file = join(parentPath, name);
          return [relative(from, file), readFileSync(file, "utf8")];
        });
        writeFileSync(path, JSON.stringify(pairs));
        return path;
      }),
    /** A folder whose store holds two runs of so many steps, tagged `a` and `b`, and no others. Made once. */
    pair: (/** @type {number} */ steps, /** @type {import("./runs.mjs").Change} */ change) =>
      once(`pair ${steps} ${change}`, () => {
        const path = work.store();
        writeRuns([join(path, "a.json"), join(path, "b.json")], steps, change);
        for (const name of ["a", "b"]) run(work.ctx(path, "pack", `${name}.json`, "--tag", name));
        return path;
      }),
    /** A folder whose store holds this many objects of a size, with a list of them beside it. Made once. */
    objects: (/** @type {number} */ count, /** @type {number} */ size) =>
      once(`objects ${count} ${size}`, () => {
        const path = work.store();
        const each = Math.min(count, 1000);
        for (let at = 0; at < count; at += each) {
          const log = join(path, `${at}.json`);
          writeLog(log, { inputs: each, inputSize: size, seed: at });
          run(work.ctx(path, "pack", log));
        }
        const script = "find .ctx/objects -type f -print0 > list";
        run(work.shell(path, script));
        return path;
      }),
    /**
     * A folder whose store holds this many small packs, each derived from the one before, with a tag on the oldest. Its
     * catalog is there and old enough to be believed. Made once.
     */
    many: (/** @type {number} */ packs) =>
      once(`many ${packs}`, () => {
        const path = work.store();
        const logs = join(path, "logs");
        mkdirSync(logs);
        const names = Array.from({ length: packs }, (_, index) => {
          writeFileSync(join(logs, `${index}.json`), JSON.stringify(smallRun(index)));
          return join("logs", `${index}.json`);
        });
        for (let at = 0; at < names.length; at += 500)
          run(work.ctx(path, "pack", ...names.slice(at, at + 500)));
        run(work.ctx(path, "tag", "oldest", "latest"));
        spawnSync("sleep", ["2.1"]);
        run(work.ctx(path, "log", "-n", "1"));
        return path;
      }),
    /** Paths of so many small logs. Made once. @returns {string[]} */
    smallLogs: (/** @type {number} */ count) =>
      once(`small ${count}`, () => {
        const path = work.fresh();
        return Array.from({ length: count }, (_, index) => {
          const file = join(path, `${index}.json`);
          writeFileSync(file, JSON.stringify(smallRun(index)));
          return file;
        });
      }),
    /** A store of many small packs, with a file beside it that one of the runs produced. */
    artifact: (/** @type {number} */ packs) =>
      once(`artifact ${packs}`, () => {
        const path = work.many(packs);
        writeFileSync(join(path, "artifact.txt"), artifact);
        return path;
      }),
    /** @returns {Command} */
    ctx: (/** @type {string} */ cwd, /** @type {string[]} */ ...args) => ({ args: [ctxFile, ...args], cwd }),
    /** @returns {Command} */
    node: (/** @type {string[]} */ ...args) => ({ args, cwd: folder }),
    /** A line for the shell. @returns {Command} */
    shell: (/** @type {string} */ cwd, /** @type {string} */ line) => ({
      program: "sh",
      args: ["-c", line],
      cwd,
    }),
    /** Gets everything onto the disk, so that no command pays for what an earlier one, or this program, has written. */
    settle: () => void spawnSync("sync", ["-f", folder], { stdio: "ignore" }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return work;
}

/** @param {number} count @param {"read_file" | "bash"} tool */
function replayableRun(count, tool) {
  const files = Array.from({ length: tool === "bash" ? 0 : Math.min(count, 1000) }, (_, at) => ({
    name: `file-${at}.txt`,
    content: `line ${at}\n`.repeat(100),
  }));
  const steps = Array.from({ length: count }, (_, at) => {
    const { name, content } = files[at % files.length] ?? { name: "", content: "" };
    return {
      type: "tool_call",
      tool,
      parameters: tool === "bash" ? { command: "true" } : { path: name },
      output: content,
      deterministic: true,
    };
  });
  return {
    created: "2026-01-01T00:00:00Z",
    model: { identifier: "m" },
    system_prompt: "",
    inputs: files,
    steps,
    environment: { os: "linux", runtime: "" },
  };
}

const artifact = "what one run produced\n";

/** @param {number} index */
function smallRun(index) {
  const created = new Date(1_700_000_000_000 + index * 60_000).toISOString();
  return {
    created,
    model: { identifier: `model-${index % 7}`, parameters: { temperature: 0 } },
    system_prompt: "You are a careful coding agent.",
    prompts: [{ role: "user", content: `Task ${index % 40}` }],
    steps: Array.from({ length: 5 }, (_, step) => ({
      type: "tool_call",
      tool: ["read_file", "run_command", "edit_file"][step % 3],
      parameters: { path: `src/file-${index % 50}-${step}.ts` },
      output: `output ${step}`,
      timestamp: created,
    })),
    ...(index === 17 && { outputs: [{ name: "artifact.txt", content: artifact }] }),
    environment: { os: "linux/x64", runtime: "node20" },
    metadata: { index },
  };
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
