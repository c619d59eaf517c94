// Rows for the executable, exe/ctx: the cost of a call for a hook. Its floor is a start of Node, which it
// must be below.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @typedef {import("../work.mjs").Command} Command */
/** @typedef {import("../work.mjs").Work} Work */
/** @typedef {import("../rows.mjs").Row} Row */

const program = fileURLToPath(new URL("../../exe/ctx", import.meta.url));

const common = {
  floorName: "node -e 0",
  measures: /** @type {const} */ ("time"),
  rounds: { full: 25, quick: 9 },
  needs: () => (existsSync(program) ? [] : ["exe/ctx, which `npm run build:exe` makes"]),
  floor: (/** @type {Work} */ work) => work.node("-e", "0"),
};

/** @param {string} cwd @param {string[]} args @returns {Command} */
const alone = (cwd, ...args) => ({ program, cwd, args });

/** @type {Row[]} */
export const executableRows = [
  {
    name: "the executable: ctx --version",
    limit: 1,
    ...common,
    floorDoes: "The floor starts Node and ends it. The subject needs no Node.",
    subject: (work) => alone(work.folder, "--version"),
  },
  {
    name: "the executable: ctx log, one pack",
    limit: 1,
    ...common,
    floorDoes: "The floor starts Node and ends it; the subject also reads, hashes and checks the manifest.",
    prepare: (work) => work.packed(work.log({ steps: 50 })),
    subject: (_, store) => alone(store, "log"),
  },
  {
    name: "the executable: ctx pack, one small log",
    ...common,
    writes: true,
    floorDoes: "The floor starts Node and ends it; the subject is durable when it returns.",
    prepare: (work) => work.smallLogs(1)[0],
    subject: (work, log) => alone(work.store(), "pack", log),
  },
];
