// Shared parts of rows: how often each kind is measured, and the floors of more than one row.
import { fileURLToPath } from "node:url";

/** @typedef {import("../work.mjs").Work} Work */

export const starts = { full: 25, quick: 9 };
export const large = { full: 7, quick: 3 };
export const huge = { full: 3, quick: 1 };
/** Memory differs little from run to run. */
export const memory = { full: 3, quick: 1 };
export const once = { full: 1, quick: 1 };

export const emptyNode = {
  floorName: "node -e 0",
  floor: (/** @type {Work} */ work) => work.node("-e", "0"),
};

/** Returns a program of this folder's parent. @param {string} name */
export function program(name) {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

/** Packs into a new store. @param {Work} work @param {string} log */
export function pack(work, log) {
  return work.ctx(work.store(), "pack", log);
}
