// What is measured, one entry each: a command of the built program, and the floor that it stands on.
import { readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sharingRows } from "./sharing.mjs";

/** @typedef {import("./work.mjs").Command} Command */
/** @typedef {import("./work.mjs").Work} Work */

/**
 * @typedef {object} Row
 * @property {string} name of the subject
 * @property {string} floorName
 * @property {number} [limit] the ratio that should not be passed; without one the row only informs
 * @property {"time" | "memory"} measures
 * @property {boolean} [writes] whether subject or floor write; then the disk is brought to rest before each of them
 * @property {{ full: number, quick: number }} rounds
 * @property {string} floorDoes a sentence for the report
 * @property {(work: Work) => any} [prepare] what all rounds share; its result is handed to the two below
 * @property {(work: Work, prepared: any) => Command} subject makes what one round needs, which is not measured, and
 *   gives the command, which is
 * @property {(work: Work, prepared: any) => Command | number} floor the same; or a number of bytes
 * @property {(work: Work) => Command} [beyond] what is taken off both sides: the start of the program
 * @property {boolean} [beyondFloor] false: it is taken off the subject only, because the floor is another kind of program
 * @property {() => string[]} [needs] the programs that it needs and that are not here; with any the row is left out
 */

const starts = { full: 25, quick: 9 };
const large = { full: 7, quick: 3 };
const huge = { full: 3, quick: 1 };
const memory = { full: 3, quick: 1 };

const floorProgram = fileURLToPath(new URL("floor.mjs", import.meta.url));

const emptyNode = {
  floorName: "node -e 0",
  floor: (/** @type {Work} */ work) => work.node("-e", "0"),
};

const writeFilesProgram = fileURLToPath(new URL("write-files.mjs", import.meta.url));
const transcriptFloorProgram = fileURLToPath(new URL("transcript-floor.mjs", import.meta.url));
const replayFloorProgram = fileURLToPath(new URL("replay-floor.mjs", import.meta.url));
const manifestsProgram = fileURLToPath(new URL("read-manifests.mjs", import.meta.url));

const amongMany = {
  floorName: "the same among 50",
  limit: 1.5,
  measures: /** @type {const} */ ("time"),
  rounds: starts,
  floorDoes: "The floor is the same command in a store of 50 packs.",
  prepare: (/** @type {Work} */ work) => [work.many(50), work.many(5000)],
};

/** The hash of one pack of a store. @param {string} store */
const somePack = (store) => readdirSync(join(store, ".ctx", "packs"))[17];

/** From a name to a pack, among many. @param {string} kind @param {(store: string) => string} name @returns {Row} */
const naming = (kind, name) => ({
  name: `naming by ${kind}, 5,000 packs`,
  ...amongMany,
  subject: (work) => work.ctx(work.many(5000), "show", name(work.many(5000)), "--json"),
  floor: (work) => work.ctx(work.many(50), "show", name(work.many(50)), "--json"),
});

/** @typedef {import("./runs.mjs").Change} Change */

/** Two runs compared. @param {number} steps @param {Change} change */
const compared = (steps, change) => ({
  name: `ctx diff, ${steps.toLocaleString("en")} steps, ${change}`,
  prepare: (/** @type {Work} */ work) => work.pair(steps, change),
  subject: (/** @type {Work} */ work, /** @type {string} */ store) => work.ctx(store, "diff", "a", "b"),
});

/** The time that it takes. @param {number} steps @param {Change} change @param {number} limit @returns {Row} */
const comparing = (steps, change, limit) => ({
  ...compared(steps, change),
  floorName: "read, hash, parse both",
  limit,
  measures: "time",
  rounds: steps > 10_000 ? huge : large,
  floorDoes:
    "The floor (`read-manifests.mjs`) reads both manifests, hashes them and parses them with JSON.parse.",
  floor: (work, store) => work.node(manifestsProgram, store, "parse"),
});

/** The peak, against what it may be for any runs of 100,000 steps. @param {Change} change @returns {Row} */
const peakOfComparing = (change) => {
  const { name, ...row } = compared(100_000, change);
  return {
    ...row,
    name: `peak memory, ${name}`,
    floorName: "600 MB",
    limit: 1,
    measures: "memory",
    rounds: memory,
    floorDoes: "The floor is no program: it is 600 MB.",
    floor: () => 600e6,
  };
};

/** The whole store, against openssl over the same files. @param {number} count @param {number} size @param {string} text @param {number} limit @returns {Row} */
const verifying = (count, size, text, limit) => ({
  name: `ctx verify --all, ${count.toLocaleString("en")} objects of ${text}`,
  floorName: "openssl on all cores",
  limit,
  measures: "time",
  rounds: large,
  floorDoes:
    "The floor is `openssl dgst -sha256 -r` over the same files, in as many processes as there are cores; it compares nothing.",
  prepare: (work) => work.objects(count, size),
  subject: (work, store) => work.ctx(store, "verify", "--all"),
  floor: (work, store) => {
    const cores = availableParallelism();
    const share = Math.ceil(count / cores / 4);
    return work.shell(store, `xargs -0 -P ${cores} -n ${share} openssl dgst -sha256 -r < list > /dev/null`);
  },
});

const tenThousand = { steps: 10_000, stepSize: 4096 };

/** Packs into a new store. @param {Work} work @param {string} log */
const pack = (work, log) => work.ctx(work.store(), "pack", log);

/** @param {Work} work @param {string} log */
const packUnmasked = (work, log) => work.ctx(work.store(), "pack", log, "--redact", "off");

/** The peak of packing a log of this shape, against the log's size. @param {import("./logs.mjs").LogShape} shape */
const peakOfPacking = (shape) => ({
  limit: 4,
  floorName: "size of the log",
  measures: /** @type {const} */ ("memory"),
  writes: true,
  rounds: memory,
  floorDoes: "The floor is no program: it is the number of bytes of the log.",
  prepare: (/** @type {Work} */ work) => work.log(shape),
  subject: pack,
  floor: (/** @type {Work} */ _work, /** @type {string} */ log) => statSync(log).size,
});

/** @type {Row[]} */
export const rows = [
  {
    name: "ctx --version",
    limit: 1.4,
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes: "The floor starts Node and ends it: no program can take less.",
    subject: (work) => work.ctx(work.folder, "--version"),
  },
  {
    name: "ctx show, 50 steps",
    limit: 1.8,
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes:
      "The floor starts Node and ends it; the subject also reads and hashes the manifest and 52 blobs.",
    prepare: (work) => work.packed(work.log({ steps: 50 })),
    subject: (work, store) => work.ctx(store, "show", "latest"),
  },
  {
    name: "ctx log, one pack",
    limit: 1.8,
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes: "The floor starts Node and ends it; the subject also reads, hashes and checks the manifest.",
    prepare: (work) => work.packed(work.log({ steps: 50 })),
    subject: (work, store) => work.ctx(store, "log"),
  },
  {
    name: "ctx pack, one small log",
    limit: 2.2,
    measures: "time",
    writes: true,
    rounds: starts,
    ...emptyNode,
    floorDoes: "The floor starts Node and ends it; the subject is durable when it returns.",
    prepare: (work) => work.smallLogs(1)[0],
    subject: pack,
  },
  {
    name: "ctx pack, 1,000 small logs in one call",
    floorName: "ctx pack, one of them",
    limit: 12,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes: "The floor is `ctx pack` of one such log into an empty store.",
    prepare: (work) => work.smallLogs(1000),
    subject: (work, logs) => work.ctx(work.store(), "pack", ...logs),
    floor: (work, logs) => pack(work, logs[0]),
  },
  {
    name: "ctx pack, 10,000 steps of 4 KB",
    floorName: "parse, hash, write, rename",
    limit: 2.5,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`floor.mjs`) parses the log with JSON.parse, and hashes, writes aside and renames each content; it flushes nothing, while the subject is durable when it returns.",
    prepare: (work) => work.log(tenThousand),
    subject: pack,
    floor: (work, log) => work.node(floorProgram, log, work.fresh()),
  },
  {
    name: "ctx pack, 200 inputs of 1 MB",
    floorName: "the same and one flush",
    limit: 1.5,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes: "The floor is the one above with one flush of the file system (`sync -f`) at its end.",
    prepare: (work) => work.log({ inputs: 200, inputSize: 1 << 20 }),
    subject: pack,
    floor: (work, log) => work.node(floorProgram, log, work.fresh(), "flush"),
  },
  {
    name: "ctx pack again, 10,000 steps, all there",
    floorName: "packing it the first time",
    limit: 0.6,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes: "The floor is `ctx pack` of the same log into an empty store.",
    prepare: (work) => ({ log: work.log(tenThousand), full: work.packed(work.log(tenThousand)) }),
    subject: (work, { log, full }) => work.ctx(full, "pack", log),
    floor: (work, { log }) => pack(work, log),
  },
  {
    name: "ctx fork, 10,000 steps",
    floorName: "writing the same files",
    limit: 1.5,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`write-files.mjs`) reads all contents from one file and writes them in a bare loop; it flushes nothing, while the subject reads and hashes 10,000 blobs and is durable when it returns.",
    prepare: (work) => {
      const store = work.packed(work.log(tenThousand));
      return { store, list: work.fileList(work.draft(store)) };
    },
    subject: (work, { store }) => work.ctx(store, "fork", "latest", join(work.fresh(), "draft")),
    floor: (work, { list }) => work.node(writeFilesProgram, list, join(work.fresh(), "draft")),
  },
  {
    name: "sealing a draft, 10,000 steps, one edit",
    floorName: "packing its log the first time",
    limit: 0.7,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes: "The floor is `ctx pack` of the run's log into an empty store.",
    prepare: (work) => {
      const log = work.log(tenThousand);
      const store = work.packed(log);
      return { log, store, draft: work.draft(store) };
    },
    subject: (work, { store, draft }) => {
      writeFileSync(join(draft, "system_prompt.md"), work.fresh());
      return work.ctx(store, "pack", draft);
    },
    floor: (work, { log }) => pack(work, log),
  },
  {
    name: "ctx pack, a Claude Code session of 200 MB",
    floorName: "parse lines, hash, write, rename",
    limit: 2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`transcript-floor.mjs`) parses each line with JSON.parse, and hashes, writes aside and renames each content that the pack has; it flushes nothing, while the subject is durable when it returns.",
    prepare: (work) => work.transcript(200e6),
    subject: packUnmasked,
    floor: (work, log) => work.node(transcriptFloorProgram, log, work.fresh()),
  },
  {
    name: "the same, secrets masked",
    floorName: "ctx pack --redact off",
    limit: 2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes: "The floor packs the same session with masking off.",
    prepare: (work) => work.transcript(200e6),
    subject: pack,
    floor: packUnmasked,
  },
  {
    name: "peak memory, a Claude Code session of 1 GB",
    floorName: "512 MB",
    limit: 1,
    measures: "memory",
    writes: true,
    rounds: memory,
    floorDoes: "The floor is no program: it is what such a session may take.",
    prepare: (work) => work.transcript(1e9),
    subject: pack,
    floor: () => 512e6,
  },
  { name: "peak memory, 400 inputs of 1 MB", ...peakOfPacking({ inputs: 400, inputSize: 1 << 20 }) },
  { name: "peak memory, 100,000 steps of 4 KB", ...peakOfPacking({ steps: 100_000, stepSize: 4096 }) },
  {
    name: "ctx log -n 20, 5,000 packs",
    ...amongMany,
    subject: (work) => work.ctx(work.many(5000), "log", "-n", "20"),
    floor: (work) => work.ctx(work.many(50), "log", "-n", "20"),
  },
  naming("prefix", (store) => somePack(store).slice(0, 8)),
  naming("tag", () => "oldest"),
  naming("latest", () => "latest"),
  {
    name: "first ctx log without a cache, 5,000 packs",
    floorName: "read and hash all manifests",
    limit: 2,
    measures: "time",
    rounds: large,
    floorDoes: "The floor (`read-manifests.mjs`) reads the manifest of every pack and hashes it.",
    prepare: (work) => work.many(5000),
    subject: (work, store) => {
      renameSync(join(store, ".ctx", "cache"), work.fresh());
      return work.ctx(store, "log", "--oneline");
    },
    floor: (work, store) => work.node(manifestsProgram, store),
  },
  {
    name: "ctx __complete, 5,000 packs",
    limit: 1.6,
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes:
      "The floor starts Node and ends it; the subject also looks up the newest packs and describes them.",
    prepare: (work) => work.many(5000),
    subject: (work, store) => work.ctx(store, "__complete", "--", "show", ""),
  },
  comparing(10_000, "1 % changed", 6),
  comparing(10_000, "one inserted", 4),
  comparing(10_000, "wholly different", 12),
  comparing(10_000, "every output changed", 8),
  comparing(100_000, "1 % changed", 6),
  comparing(100_000, "wholly different", 12),
  peakOfComparing("1 % changed"),
  peakOfComparing("wholly different"),
  verifying(50_000, 4096, "4 KB", 1.3),
  verifying(500, 1 << 20, "1 MB", 1.2),
  {
    name: "a file's pack by content, 5,000 packs",
    floorName: "ctx log -n 1",
    limit: 1.5,
    measures: "time",
    rounds: starts,
    floorDoes:
      "The floor is `ctx log -n 1` in the same store; the subject also hashes the file, the manifest and all that it reaches.",
    prepare: (work) => work.artifact(5000),
    subject: (work, store) => work.ctx(store, "verify", "artifact.txt"),
    floor: (work, store) => work.ctx(store, "log", "-n", "1"),
  },
  {
    name: "ctx replay, 1,000 read_file steps",
    floorName: "the same in a bare loop",
    limit: 2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`replay-floor.mjs`) writes, reads, hashes and deletes the same 1,000 files in a bare loop. From both sides `node -e 0` is taken off.",
    prepare: (work) => work.replayable(1000, "read_file"),
    subject: (work, store) => work.replay(store, "--json"),
    floor: (work) => work.node(replayFloorProgram, "files", work.fresh(), "1000"),
    beyond: emptyNode.floor,
  },
  {
    name: "ctx replay, 1,000 commands",
    floorName: "1,000 spawns of bwrap",
    limit: 1.3,
    measures: "time",
    writes: true,
    rounds: { full: 5, quick: 3 },
    floorDoes:
      "The floor (`replay-floor.mjs`) starts bwrap 1,000 times with the same arguments and `bash -c true`, from the same kind of loop.",
    prepare: (work) => work.replayable(1000, "bash"),
    subject: (work, store) => work.replay(store, "--json", "--allow", "exec"),
    floor: (work) => work.node(replayFloorProgram, "spawns", work.dist, work.open(), "1000"),
  },
  {
    name: "peak memory, ctx replay, 10,000 steps",
    floorName: "the same with 1,000",
    limit: 2,
    measures: "memory",
    rounds: memory,
    floorDoes:
      "The floor is a replay of 1,000 steps of the same kind: what steps give is not kept, only the list of them grows.",
    prepare: (work) => [work.replayable(1000, "read_file"), work.replayable(10_000, "read_file")],
    subject: (work, [, store]) => work.replay(store),
    floor: (work, [store]) => work.replay(store),
  },
  ...sharingRows,
  {
    name: "ctx pack, 10 steps",
    measures: "time",
    writes: true,
    rounds: starts,
    ...emptyNode,
    floorDoes:
      "The floor starts Node and ends it; the subject also waits for the disk, some thirty flushes, one for each file and folder.",
    prepare: (work) => work.log({ steps: 10 }),
    subject: pack,
  },
  {
    name: "ctx show, 10,000 steps",
    measures: "time",
    rounds: large,
    ...emptyNode,
    floorDoes:
      "The floor starts Node and ends it; the subject also reads and hashes 40 MB in 10,000 blobs, and prints a line for each.",
    prepare: (work) => work.packed(work.log(tenThousand)),
    subject: (work, store) => work.ctx(store, "show", "latest"),
  },
];
