// `bench/compare <program>`: runs the same jobs with the built program and with another one, in turn, and
// prints the ratio of their times. Usage: bench/compare [--rounds <n>] [--divide <n>] [--keep] <program>
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Failure, makeJobs } from "./compare-jobs.mjs";
import { describeMachine } from "./machine.mjs";
import { spreadOf } from "./measure.mjs";
import { terminalTable } from "./tables.mjs";
import { environment, openWork } from "./work.mjs";

/** @typedef {import("./compare-jobs.mjs").Contender} Contender */
/** @typedef {import("./compare-jobs.mjs").Job} Job */
/** @typedef {import("./measure.mjs").Spread} Spread */
/** @typedef {{ job: Job, failures: string[], ours?: Spread, theirs?: Spread, ratio?: Spread }} Compared */

const usage = "usage: bench/compare [--rounds <n>] [--divide <n>] [--keep] <program>";

const { program, rounds, divide, keep } = readArguments();
const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
if (!existsSync(join(dist, "ctx.cjs"))) fail("dist/ctx.cjs is not there; `npm run build` makes it");
const { error } = spawnSync(program, ["--version"], { stdio: "ignore" });
if (error !== undefined) fail(`${program} cannot be started: ${error.message}`);

const work = openWork({ dist, parent: process.env["CTX_BENCH_DIR"] });
process.on("exit", () => (keep ? say(`left behind: ${work.folder}`) : work.remove()));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
  process.on(signal, () => process.exit(130));
if (describeMachine(work.folder).busy)
  say("other programs are at work on this machine; the figures are provisional");

const contenders = [
  contender("ours", [process.execPath, join(work.dist, "ctx.cjs")]),
  contender("theirs", [program]),
];
/** @type {Compared[]} */
const compared = [];
for (const job of makeJobs(work, { divide })) {
  say(`running ${job.name} …`);
  compared.push(await compare(job));
}
console.log(render(compared));
process.exitCode = compared.some(({ failures }) => failures.length > 0) ? 1 : 0;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        rounds: { type: "string", default: "5" },
        divide: { type: "string", default: "1" },
        keep: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
    const [rounds, divide] = [Number(values.rounds), Number(values.divide)];
    const [program, ...rest] = positionals;
    if (program === undefined || rest.length > 0) fail(usage);
    if (![rounds, divide].every((number) => Number.isInteger(number) && number > 0)) fail(usage);
    // A bare name is looked up as in a shell; a path must mean the same in every folder.
    return { keep: values.keep, rounds, divide, program: program.includes("/") ? resolve(program) : program };
  } catch (error) {
    fail(`${/** @type {Error} */ (error).message}\n${usage}`);
  }
}

/** @param {string} name @param {[string, ...string[]]} line @returns {Contender} */
function contender(name, [file, ...before]) {
  /** @param {string} cwd @param {readonly string[]} args @param {"pipe" | "ignore"} output */
  const start = (cwd, args, output) => {
    const child = spawnSync(file, [...before, ...args], {
      cwd,
      env: environment,
      stdio: ["ignore", output, "pipe"],
      maxBuffer: 1 << 30,
      encoding: "utf8",
    });
    if (child.status === 0) return child.stdout;
    const why = child.error?.message ?? `${child.stderr}\n${child.stdout ?? ""}`.trim().split("\n", 1)[0];
    const end = child.signal ?? `status ${child.status}`;
    throw new Failure(`${args[0]} failed: ${why || end}`);
  };
  return {
    name,
    ask: (cwd, args) => start(cwd, args, "pipe"),
    time: (cwd, args) => {
      const began = performance.now();
      start(cwd, args, "ignore");
      return performance.now() - began;
    },
  };
}

/** @param {Job} job @returns {Promise<Compared>} */
async function compare(job) {
  const ready = contenders.map((one) => ({ one, ...prepare(job, one) }));
  const failures = ready.flatMap(({ one, failure }) =>
    failure === undefined ? [] : [`${one.name}: ${failure}`],
  );
  if (failures.length > 0) return { job, failures };
  /** @type {number[][]} */
  const times = contenders.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      // Lets an interrupt through.
      await breathe();
      const { one, prepared } = ready[at];
      try {
        const { cwd, args } = job.call(one, prepared);
        if (job.writes) work.settle();
        times[at].push(one.time(cwd, args));
      } catch (error) {
        return { job, failures: [`${one.name}: ${reasonOf(error)}`] };
      }
    }
  const [ours, theirs] = /** @type {[number[], number[]]} */ (times);
  return {
    job,
    failures: [],
    ours: spreadOf(ours),
    theirs: spreadOf(theirs),
    ratio: spreadOf(ours.map((time, at) => time / theirs[at])),
  };
}

/** What the job needs, and the job once, which is not timed: does it print anything? @param {Job} job @param {Contender} one */
function prepare(job, one) {
  try {
    const prepared = job.prepare?.(one);
    const { cwd, args } = job.call(one, prepared);
    const printed = one.ask(cwd, args);
    if (printed.trim() === "" && !job.silent) throw new Failure(`${args[0]} printed nothing`);
    return { prepared };
  } catch (error) {
    return { failure: reasonOf(error) };
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof Failure) return error.message;
  throw error;
}

/** @param {readonly Compared[]} all */
function render(all) {
  const table = terminalTable({
    head: ["job", "ours", "theirs", "ours / theirs", "spread"],
    right: new Set([1, 2, 3]),
    lines: all.map(({ job, ours, theirs, ratio }) =>
      ours === undefined || theirs === undefined || ratio === undefined
        ? [job.name, "-", "-", "failed", ""]
        : [
            job.name,
            `${ours.median.toFixed(1)} ms`,
            `${theirs.median.toFixed(1)} ms`,
            ratio.median.toFixed(2),
            `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}`,
          ],
    ),
  });
  const failed = all.flatMap(({ job, failures }) => failures.map((failure) => `${job.name}: ${failure}`));
  return failed.length === 0
    ? table
    : `${table}\n\nNot compared:\n${failed.map((line) => `  ${line}`).join("\n")}`;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  say(message);
  process.exit(2);
}
