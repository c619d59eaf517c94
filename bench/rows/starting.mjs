// The cost of a small command for a hook or a person: little more than the start of Node.
import { emptyNode, large, pack, starts } from "./floors.mjs";

/** @type {import("../rows.mjs").Row[]} */
export const startingRows = [
  {
    name: "ctx --version",
    limit: 1.4,
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes: "The floor starts Node and ends it: no program on Node can be faster.",
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
    name: "ctx show, first run",
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes:
      "The floor starts Node and ends it; the subject finds no code cache, so V8 compiles the program, and a cache is made and flushed at the end.",
    prepare: (work) => work.packed(work.log({ steps: 50 })),
    subject: (work, store) => ({
      ...work.ctx(store, "show", "latest"),
      env: { XDG_CACHE_HOME: work.fresh() },
    }),
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
    name: "ctx pack, 10 steps",
    measures: "time",
    writes: true,
    rounds: starts,
    ...emptyNode,
    floorDoes:
      "The floor starts Node and ends it; the subject writes 12 blobs and a pack, and is durable when it returns.",
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
    prepare: (work) => work.packed(work.log({ steps: 10_000, stepSize: 4096 })),
    subject: (work, store) => work.ctx(store, "show", "latest"),
  },
];
