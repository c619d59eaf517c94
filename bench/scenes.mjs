// The logs, stores, drafts and bundles that commands are measured on. Each is made once, when the first row
// needs it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { writeAlikeLog, writeLog } from "./logs.mjs";
import { fillSearchStore } from "./search-store.mjs";
import { writeRuns } from "./runs.mjs";
import { artifact, replayableRun, smallRun } from "./small-runs.mjs";
import { writeTranscript } from "./transcripts.mjs";

/** @typedef {{ store: string, log: string }} Long a store that holds two long runs, tagged `a` and `b`, and the log of the first */

/** @param {import("./work.mjs").Tools} tools */
export function makeScenes({ folder, fresh, store, ctx, shell, run }) {
  /** @type {Map<string, any>} */
  const made = new Map();

  /** @template T @param {string} key @param {() => T} make @returns {T} */
  const once = (key, make) => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key);
  };

  /** Returns a log that is written once. @param {string} key @param {string} ending @param {(path: string) => void} write */
  const file = (key, ending, write) =>
    once(key, () => {
      const path = join(folder, `log-${made.size}.${ending}`);
      write(path);
      return path;
    });

  /** Returns a store of the runs `a` and `b`. @param {string} key @param {string} a the log of the one @param {(path: string) => void} writeB writes that of the other @returns {Long} */
  const long = (key, a, writeB) =>
    once(key, () => {
      const path = store();
      const b = join(path, "b.json");
      writeB(b);
      for (const [log, name] of /** @type {const} */ ([
        [a, "a"],
        [b, "b"],
      ]))
        run(ctx(path, "pack", log, "--tag", name));
      // One large file: it is not needed, and its space is.
      rmSync(b);
      return { store: path, log: a };
    });

  const scenes = {
    /** The log of this shape. @param {import("./logs.mjs").LogShape} shape */
    log: (shape) => file(`log ${JSON.stringify(shape)}`, "json", (path) => writeLog(path, shape)),
    /** The log of this many steps that are mostly alike. */
    alikeLog: (/** @type {number} */ steps) =>
      file(`alike ${steps}`, "json", (path) => writeAlikeLog(path, steps)),
    /** A session of Claude Code of about this many bytes. */
    transcript: (/** @type {number} */ bytes) =>
      file(`transcript ${bytes}`, "jsonl", (path) => writeTranscript(path, bytes)),
    /** A folder whose store holds the pack of this log; only for commands that change nothing in it. */
    packed: (/** @type {string} */ log) =>
      once(`packed ${log}`, () => {
        const path = store();
        run(ctx(path, "pack", log));
        return path;
      }),
    /** Two runs of 1,000,000 steps, one in a thousand of which differs. */
    million: () =>
      long("million", scenes.alikeLog(1_000_000), (path) => writeAlikeLog(path, 1_000_000, 1000)),
    /** Two runs whose logs have 1 GB: 62,000 steps of 16 KB, one in a thousand of which differs. */
    gigabyte: () => {
      const shape = { steps: 62_000, stepSize: 1 << 14 };
      return long("gigabyte", scenes.log(shape), (path) => writeLog(path, { ...shape, every: 1000 }));
    },
    /** A file that `ctx export` wrote. */
    bundle: (/** @type {string} */ from, /** @type {string} */ name) =>
      once(`bundle ${from} ${name}`, () => {
        const path = join(fresh(), `${name}.ctx`);
        run(ctx(from, "export", name, "-o", path));
        return path;
      }),
    /** A folder whose store holds a run of this many steps of one tool, which replays exactly. */
    replayable: (/** @type {number} */ steps, /** @type {"read_file" | "bash"} */ tool) =>
      once(`replayable ${steps} ${tool}`, () => {
        const path = store();
        writeFileSync(join(path, "run.json"), JSON.stringify(replayableRun(steps, tool)));
        run(ctx(path, "pack", "run.json"));
        return path;
      }),
    /** A folder whose store holds 2 GB that are searched, and are indexed. */
    searched: () =>
      once("searched", () => {
        const path = store();
        fillSearchStore(path, (...args) => run(ctx(path, ...args)));
        run(ctx(path, "__index"));
        return { folder: path };
      }),
    /** A draft of the pack in this store. */
    draft: (/** @type {string} */ from) =>
      once(`draft ${from}`, () => {
        const path = join(fresh(), "draft");
        run(ctx(from, "fork", "latest", path));
        return path;
      }),
    /** A file that lists the content of a folder: paths and texts, as JSON. */
    fileList: (/** @type {string} */ from) =>
      once(`list ${from}`, () => {
        const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) =>
          entry.isFile(),
        );
        const path = join(fresh(), "files.json");
        const pairs = files.map(({ parentPath, name }) => {
          const file = join(parentPath, name);
          return [relative(from, file), readFileSync(file, "utf8")];
        });
        writeFileSync(path, JSON.stringify(pairs));
        return path;
      }),
    /**
     * A folder whose store holds two runs of this many steps, tagged `a` and `b`, and no others; their logs
     * are beside it.
     */
    pair: (/** @type {number} */ steps, /** @type {import("./runs.mjs").Change} */ change) =>
      once(`pair ${steps} ${change}`, () => {
        const path = store();
        writeRuns([join(path, "a.json"), join(path, "b.json")], steps, change);
        for (const name of ["a", "b"]) run(ctx(path, "pack", `${name}.json`, "--tag", name));
        return path;
      }),
    /** A folder whose store holds this many objects of a size, with a list of them beside it. */
    objects: (/** @type {number} */ count, /** @type {number} */ size) =>
      once(`objects ${count} ${size}`, () => {
        const path = store();
        const each = Math.min(count, 500);
        for (let at = 0; at < count; at += each) {
          const log = join(path, `${at}.json`);
          writeLog(log, { inputs: each, inputSize: size, seed: at });
          run(ctx(path, "pack", log, "--redact", "off"));
          rmSync(log);
        }
        const script = "find .ctx/objects -type f -print0 > list";
        run(shell(path, script));
        return path;
      }),
    /**
     * A folder whose store holds this many small packs, with a tag on the oldest. Its catalog is there and
     * old enough to be trusted.
     */
    many: (/** @type {number} */ packs) =>
      once(`many ${packs}`, () => {
        const path = store();
        const [first, ...rest] = /** @type {[string, ...string[]]} */ (
          writeSmallRuns(join(path, "logs"), packs)
        );
        run(ctx(path, "pack", first, "--tag", "oldest"));
        for (let at = 0; at < rest.length; at += 10_000)
          run(ctx(path, "pack", ...rest.slice(at, at + 10_000).map((log) => relative(path, log))));
        spawnSync("sleep", ["2.1"]);
        run(ctx(path, "log", "-n", "1"));
        return path;
      }),
    /** Paths of this many small logs. @returns {string[]} */
    smallLogs: (/** @type {number} */ count) =>
      once(`small ${count}`, () => writeSmallRuns(join(fresh(), "logs"), count)),
    /** A store of many small packs, with a file beside it that one of the runs produced. */
    artifact: (/** @type {number} */ packs) =>
      once(`artifact ${packs}`, () => {
        const path = scenes.many(packs);
        writeFileSync(join(path, "artifact.txt"), artifact);
        return path;
      }),
  };
  return scenes;
}

/** @param {string} folder @param {number} count @returns {string[]} */
function writeSmallRuns(folder, count) {
  mkdirSync(folder);
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, `${index}.json`);
    writeFileSync(path, JSON.stringify(smallRun(index)));
    return path;
  });
}
