// The time to list packs and to find one, in stores that have grown.
import { spawnSync } from "node:child_process";
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallRun } from "../small-runs.mjs";
import { emptyNode, large, program, starts } from "./floors.mjs";

/** @typedef {import("../work.mjs").Work} Work */
/** @typedef {import("../rows.mjs").Row} Row */

/** Returns the hash of one pack of a store. @param {string} store */
const somePack = (store) => readdirSync(join(store, ".ctx", "packs"))[17];

/** A command in a large store, against the same in a small one. @param {string} what @param {number} many @param {number} few @param {(store: string) => string[]} args @returns {Row} */
const amongMany = (what, many, few, args) => ({
  name: `${what}, ${many.toLocaleString("en")} packs`,
  floorName: `the same among ${few}`,
  limit: 1.5,
  measures: "time",
  rounds: starts,
  floorDoes: `The floor is the same command in a store of ${few} packs.`,
  prepare: (work) =>
    [few, many].map((packs) => work.many(packs)).map((store) => ({ store, args: args(store) })),
  subject: (work, [, { store, args }]) => work.ctx(store, ...args),
  floor: (work, [{ store, args }]) => work.ctx(store, ...args),
});

/** @param {number} many @param {number} few */
const finding = (many, few) => [
  amongMany("ctx log -n 20", many, few, () => ["log", "-n", "20"]),
  amongMany("ctx show", many, few, (store) => ["show", somePack(store)]),
  amongMany("naming by prefix", many, few, (store) => ["show", somePack(store).slice(0, 8), "--json"]),
  amongMany("naming by tag", many, few, () => ["show", "oldest", "--json"]),
  amongMany("naming by latest", many, few, () => ["show", "latest", "--json"]),
];

/** A question about all runs, which their facts answer, against the list of all. @param {string} what @param {number} packs @param {string[]} args @returns {Row} */
const aboutAll = (what, packs, args) => ({
  name: `${what}, ${packs.toLocaleString("en")} packs`,
  floorName: "ctx log",
  limit: 2,
  measures: "time",
  rounds: large,
  floorDoes:
    "The floor lists all packs of the same store. Not measured: the first question, which reads the manifest of every pack once.",
  prepare: (work) => {
    const store = work.many(packs);
    work.run(work.ctx(store, ...args));
    return store;
  },
  subject: (work, store) => work.ctx(store, ...args),
  floor: (work, store) => work.ctx(store, "log"),
});

/** @param {number} packs */
const questions = (packs) => [
  aboutAll("ctx log --path", packs, ["log", "--path", "src/file-7-3.ts"]),
  aboutAll("ctx stats --by day", packs, ["stats", "--by", "day"]),
];

/** @param {number} packs @returns {Row} */
const afterPack = (packs) => ({
  name: `ctx log -n 20 right after a new pack, ${packs.toLocaleString("en")} packs`,
  floorName: "the same without a new pack",
  // Among many, the names in packs/ are listed, which takes longer than all else.
  limit: packs > 10_000 ? 5 : 2,
  measures: "time",
  writes: true,
  rounds: large,
  floorDoes:
    "The floor is the same command when nothing was packed since the one before. Not measured: packing one more run, and what the next command does once more because the first came within two seconds of the pack.",
  prepare: (work) => work.many(packs),
  subject: (work, store) => {
    const log = join(work.fresh(), "log.json");
    writeFileSync(log, JSON.stringify({ ...smallRun(0), metadata: { log } }));
    work.run(work.ctx(store, "pack", log));
    return work.ctx(store, "log", "-n", "20");
  },
  floor: (work, store) => {
    spawnSync("sleep", ["2.1"]);
    work.run(work.ctx(store, "log", "-n", "1"));
    return work.ctx(store, "log", "-n", "20");
  },
});

/** @type {Row[]} */
export const readingRows = [
  ...finding(5000, 50),
  ...finding(100_000, 100),
  afterPack(5000),
  afterPack(100_000),
  ...questions(5000),
  ...questions(100_000),
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
    floor: (work, store) => work.node(program("read-manifests.mjs"), store),
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
  {
    name: "a file's pack by content, 5,000 packs",
    floorName: "ctx log -n 1",
    limit: 1.5,
    measures: "time",
    rounds: starts,
    floorDoes:
      "The floor is `ctx log -n 1` in the same store; the subject also hashes the file, the manifest and everything that it reaches.",
    prepare: (work) => work.artifact(5000),
    subject: (work, store) => work.ctx(store, "verify", "artifact.txt"),
    floor: (work, store) => work.ctx(store, "log", "-n", "1"),
  },
];
