// `ctx grep` in a store of 2 GB, against ripgrep over the same objects, and the index that it keeps.
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingPrograms } from "../registry.mjs";
import { planted } from "../search-store.mjs";
import { emptyNode, large, memory, once, starts } from "./floors.mjs";

/** @typedef {import("../work.mjs").Work} Work */
/** @typedef {import("../rows.mjs").Row} Row */

const needs = () => missingPrograms("rg");

/** @param {Work} work @param {string} store @param {string[]} args */
const ripgrep = (work, store, ...args) => ({
  ...work.node(),
  cwd: store,
  program: "rg",
  args: ["-uuu", "--no-config", "-F", ...args, ".ctx/objects"],
});

/** @param {string} what @param {number} limit @param {{ args: string[], text: string, floorArgs?: string[] }} search @returns {Row} */
const searching = (what, limit, { args, text, floorArgs = ["-c"] }) => ({
  name: `ctx grep, ${what}`,
  floorName: `rg ${floorArgs.join(" ")}`,
  limit,
  measures: "time",
  rounds: large,
  needs,
  floorDoes: `The floor is ripgrep over all objects, with as many threads as it likes; it neither checks them nor knows runs.`,
  prepare: (work) => work.searched(),
  subject: (work, { folder }) => work.ctx(folder, "grep", "-F", ...args, "--", text),
  floor: (work, { folder }) => ripgrep(work, folder, ...floorArgs, "--", text),
});

/** Builds the index anew. @param {Work} work @param {{ folder: string }} store */
const building = (work, { folder }) => {
  const index = join(folder, ".ctx/cache/search");
  if (existsSync(index)) renameSync(index, join(work.fresh(), "index"));
  return work.ctx(folder, "__index");
};

/** @param {string} folder */
const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const caches = "/proc/sys/vm/drop_caches";
/** Every program on the machine is slower afterwards, so this is done only on demand. @returns {string[]} */
const needsCold = () => [...needs(), ...(process.env["CTX_BENCH_COLD"] === "1" ? [] : ["CTX_BENCH_COLD=1"])];
const emptyCaches = () => writeFileSync(caches, "3");

/** @type {Row[]} */
export const searchingRows = [
  {
    name: "ctx grep, first hit of a rare text",
    limit: 2,
    measures: "time",
    rounds: starts,
    ...emptyNode,
    floorDoes: "The floor starts Node and ends it; the subject also finds one hit in 2 GB, by its index.",
    prepare: (work) => work.searched(),
    subject: (work, { folder }) => work.ctx(folder, "grep", "-F", "--max-runs", "1", planted.rare),
  },
  searching("a rare text", 0.15, { args: [], text: planted.rare }),
  searching("a path like all others", 0.5, { args: [], text: planted.weak }),
  searching("a rare text without the index", 1.5, { args: ["--no-index"], text: planted.rare }),
  searching("a common word as JSON", 1.5, { args: ["--json"], text: planted.common, floorArgs: ["--json"] }),
  {
    name: "ctx grep, a rare text, nothing in the cache of the disk",
    floorName: "rg -c",
    measures: "time",
    rounds: once,
    needs: needsCold,
    floorDoes:
      "The floor is ripgrep over all objects. Before each of both, the cache of the disk is emptied.",
    prepare: (work) => work.searched(),
    subject: (work, { folder }) => {
      emptyCaches();
      return work.ctx(folder, "grep", "-F", planted.rare);
    },
    floor: (work, { folder }) => {
      emptyCaches();
      return ripgrep(work, folder, "-c", "--", planted.rare);
    },
  },
  {
    name: "the index of ctx grep, built anew",
    floorName: "rg -c",
    limit: 8,
    measures: "time",
    writes: true,
    rounds: { full: 3, quick: 1 },
    needs,
    floorDoes: "The floor is ripgrep over all objects: it reads them once.",
    prepare: (work) => work.searched(),
    subject: building,
    floor: (work, { folder }) => ripgrep(work, folder, "-c", "--", planted.rare),
  },
  {
    name: "the size of the index of ctx grep",
    floorName: "the size of all objects",
    limit: 0.08,
    measures: "memory",
    rounds: once,
    floorDoes: "Neither side is a program: these are bytes on the disk.",
    prepare: (work) => work.searched(),
    subject: (_work, { folder }) => sizeOf(join(folder, ".ctx/cache/search")),
    floor: (_work, { folder }) => sizeOf(join(folder, ".ctx/objects")),
  },
  {
    name: "peak memory, the index of ctx grep",
    floorName: "250 MB",
    limit: 1,
    measures: "memory",
    writes: true,
    rounds: memory,
    floorDoes: "The floor is not a program, but the number of bytes that the command may use.",
    prepare: (work) => work.searched(),
    subject: building,
    floor: () => 250e6,
  },
];
