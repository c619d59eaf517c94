// The time of `ctx pack` and `ctx fork` for runs of every kind and size.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { huge, large, pack, program } from "./floors.mjs";

/** @typedef {import("../work.mjs").Work} Work */

const tenThousand = { steps: 10_000, stepSize: 4096 };

/** @param {Work} work @param {string} log */
const packUnmasked = (work, log) => work.ctx(work.store(), "pack", log, "--redact", "off");

/** @type {import("../rows.mjs").Row[]} */
export const packingRows = [
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
    limit: 2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`floor.mjs`) parses the log with JSON.parse, and hashes, stages and renames each content; it flushes nothing, while the subject is durable when it returns.",
    prepare: (work) => work.log(tenThousand),
    subject: pack,
    floor: (work, log) => work.node(program("floor.mjs"), log, work.fresh()),
  },
  {
    name: "ctx pack, 200 inputs of 1 MB",
    floorName: "the same and one flush",
    limit: 1.2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes: "The floor is the one above with one flush of the file system (`sync -f`) at its end.",
    prepare: (work) => work.log({ inputs: 200, inputSize: 1 << 20 }),
    subject: pack,
    floor: (work, log) => work.node(program("floor.mjs"), log, work.fresh(), "flush"),
  },
  {
    name: "ctx pack, 1,000,000 steps of 100 bytes",
    floorName: "parse and hash",
    limit: 3,
    measures: "time",
    writes: true,
    rounds: huge,
    floorDoes:
      "The floor (`hash-floor.mjs`) parses the log with JSON.parse and hashes each content in a bare loop; it keeps nothing. There are 100 outputs; which step has which, and its parameters, come from the generator.",
    prepare: (work) => work.alikeLog(1_000_000),
    subject: pack,
    floor: (work, log) => work.node(program("hash-floor.mjs"), log),
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
    name: "ctx pack, a Claude Code session of 200 MB",
    floorName: "parse lines, hash, write, rename",
    limit: 2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`transcript-floor.mjs`) parses each line with JSON.parse, and hashes, stages and renames each content that the pack has; it flushes nothing, while the subject is durable when it returns.",
    prepare: (work) => work.transcript(200e6),
    subject: packUnmasked,
    floor: (work, log) => work.node(program("transcript-floor.mjs"), log, work.fresh()),
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
];

/** @type {import("../rows.mjs").Row[]} */
export const draftRows = [
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
    floor: (work, { list }) => work.node(program("write-files.mjs"), list, join(work.fresh(), "draft")),
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
];
