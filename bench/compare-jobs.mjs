// The jobs that every `ctx` can do, by the documents that all of them are built from: `init`, `pack <log>`,
// `show <hash>`, `log`, `diff <a> <b>`, `replay <hash>`. Each program works in stores of its own making, on
// the same logs.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeLog } from "./logs.mjs";
import { replayableRun } from "./small-runs.mjs";

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(cwd: string, args: readonly string[]) => string} ask runs it, and returns what it printed
 * @property {(cwd: string, args: readonly string[]) => number} time runs it, and returns the milliseconds
 */

/** The error of a program that did not do its job. */
export class Failure extends Error {}

/** @typedef {import("./work.mjs").Work} Work */
/** @typedef {{ cwd: string, args: string[] }} Call */

/**
 * @typedef {object} Job
 * @property {string} name
 * @property {boolean} [writes]
 * @property {boolean} [silent] whether it may print nothing
 * @property {(contender: Contender) => any} [prepare] what all rounds share
 * @property {(contender: Contender, prepared: any) => Call} call makes what one round needs, and returns what is timed
 */

/** Returns a folder with an empty store in it. @param {Work} work @param {Contender} contender */
function newStore(work, contender) {
  const cwd = work.fresh();
  contender.ask(cwd, ["init"]);
  return cwd;
}

/** The hash that packing this log printed. @param {Contender} contender @param {string} cwd @param {string} log */
function packInto(contender, cwd, log) {
  const [hash] = hashesIn(contender.ask(cwd, ["pack", log]));
  if (hash === undefined) throw new Failure("pack printed no hash");
  return hash;
}

/** @param {string} text */
function hashesIn(text) {
  return text.match(/\b[0-9a-f]{64}\b/g) ?? [];
}

/** Packs all of them, in one call where the program supports that. @param {Contender} contender @param {string} cwd @param {readonly string[]} logs */
function packAll(contender, cwd, logs) {
  for (let at = 0; at < logs.length; at += 500) {
    const some = logs.slice(at, at + 500);
    if (packTogether(contender, cwd, some)) continue;
    for (const log of some) packInto(contender, cwd, log);
  }
}

/** @param {Contender} contender @param {string} cwd @param {readonly string[]} logs */
function packTogether(contender, cwd, logs) {
  try {
    return new Set(hashesIn(contender.ask(cwd, ["pack", ...logs]))).size === logs.length;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Writes so many logs that differ. @param {Work} work @param {number} count */
function writeSmallLogs(work, count) {
  const folder = work.fresh();
  return Array.from({ length: count }, (_, seed) => {
    const path = join(folder, `${seed}.json`);
    writeLog(path, { steps: 5, stepSize: 100, seed });
    return path;
  });
}

/** Returns a run that reads files, which lie beside the store too: some programs read them there. @param {Work} work @param {number} count */
function writeReads(work, count) {
  const folder = work.fresh();
  const run = replayableRun(count, "read_file");
  writeFileSync(join(folder, "run.json"), JSON.stringify(run));
  mkdirSync(join(folder, "files"));
  for (const { name, content } of run.inputs) writeFileSync(join(folder, "files", name), content);
  return { log: join(folder, "run.json"), files: join(folder, "files") };
}

/** @template T @param {() => T} make @returns {() => T} */
function once(make) {
  /** @type {{ value: T } | undefined} */
  let made;
  return () => (made ??= { value: make() }).value;
}

/** @param {Work} work @param {{ divide: number }} sizes everything is so many times smaller @returns {Job[]} */
export function makeJobs(work, { divide }) {
  const sized = (/** @type {number} */ size) => Math.max(Math.round(size / divide), 2);
  const shown = (/** @type {number} */ size) => sized(size).toLocaleString("en");
  const steps = (/** @type {number} */ count) => work.log({ steps: sized(count), stepSize: 4096 });

  const smallLogs = once(() => writeSmallLogs(work, sized(5000)));
  const reads = once(() => writeReads(work, sized(1000)));

  /** @param {string} what @param {() => string} log @returns {Job} */
  const packing = (what, log) => ({
    name: `pack, ${what}`,
    writes: true,
    call: (contender) => ({ cwd: newStore(work, contender), args: ["pack", log()] }),
  });

  return [
    { name: "--version", call: () => ({ cwd: work.folder, args: ["--version"] }) },
    { name: "init", writes: true, silent: true, call: () => ({ cwd: work.fresh(), args: ["init"] }) },
    packing(`${sized(10)} steps of 4 KB`, () => steps(10)),
    packing(`${shown(1000)} steps of 4 KB`, () => steps(1000)),
    packing(`${shown(10_000)} steps of 4 KB`, () => steps(10_000)),
    packing(`${shown(200)} inputs of 1 MB`, () => work.log({ inputs: sized(200), inputSize: 1 << 20 })),
    {
      name: `show, ${shown(10_000)} steps`,
      prepare: (contender) => {
        const cwd = newStore(work, contender);
        return { cwd, hash: packInto(contender, cwd, steps(10_000)) };
      },
      call: (_contender, { cwd, hash }) => ({ cwd, args: ["show", hash] }),
    },
    {
      name: `log, ${shown(5000)} packs`,
      prepare: (contender) => {
        const cwd = newStore(work, contender);
        packAll(contender, cwd, smallLogs());
        return cwd;
      },
      call: (_contender, cwd) => ({ cwd, args: ["log"] }),
    },
    {
      name: `diff, ${shown(10_000)} steps, 1 % changed`,
      prepare: (contender) => {
        const cwd = newStore(work, contender);
        const shape = { steps: sized(10_000), stepSize: 4096 };
        const logs = [work.log(shape), work.log({ ...shape, every: 100 })];
        return { cwd, hashes: logs.map((log) => packInto(contender, cwd, log)) };
      },
      call: (_contender, { cwd, hashes }) => ({ cwd, args: ["diff", ...hashes] }),
    },
    {
      name: `replay, ${shown(1000)} reads`,
      prepare: (contender) => {
        const { log, files } = reads();
        const cwd = newStore(work, contender);
        cpSync(files, cwd, { recursive: true });
        return { cwd, hash: packInto(contender, cwd, log) };
      },
      call: (_contender, { cwd, hash }) => ({ cwd, args: ["replay", hash] }),
    },
  ];
}
