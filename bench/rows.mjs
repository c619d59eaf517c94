// The rows, one entry each: a command of the built program, and its floor.
import { comparingRows } from "./rows/comparing.mjs";
import { draftRows, packingRows } from "./rows/packing.mjs";
import { executableRows } from "./rows/executable.mjs";
import { memoryRows } from "./rows/memory.mjs";
import { readingRows } from "./rows/reading.mjs";
import { replayingRows } from "./rows/replaying.mjs";
import { searchingRows } from "./rows/searching.mjs";
import { sharingRows } from "./rows/sharing.mjs";
import { startingRows } from "./rows/starting.mjs";
import { verifyingRows } from "./rows/verifying.mjs";

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
 * @property {(work: Work, prepared: any) => Command | number} subject makes what one round needs, which is not measured, and
 *   returns the command, which is
 * @property {(work: Work, prepared: any) => Command | number} floor the same; or a number of bytes
 * @property {(work: Work) => Command} [beyond] what is taken off both sides: the start of the program
 * @property {boolean} [beyondFloor] false: it is taken off the subject only, because the floor is another kind of program
 * @property {() => string[]} [needs] the programs that it needs and that are not here; with any the row is left out
 */

/** @type {Row[]} */
export const rows = [
  ...startingRows,
  ...executableRows,
  ...packingRows,
  ...draftRows,
  ...readingRows,
  ...searchingRows,
  ...comparingRows,
  ...verifyingRows,
  ...replayingRows,
  ...sharingRows,
  ...memoryRows,
];
