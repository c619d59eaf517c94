// The least work to put a content into a content-addressed folder: hash, stage, rename. It survives no crash.
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";

/** Makes the folders, and returns a function that writes a text under its hash; `once`: each text only once. @param {string} folder */
export function keeper(folder, { once = false } = {}) {
  const shelves = new Set();
  const known = new Set();
  mkdirSync(`${folder}/tmp`);
  mkdirSync(`${folder}/objects`);
  return (/** @type {string} */ text) => {
    const bytes = Buffer.from(text);
    const hex = createHash("sha256").update(bytes).digest("hex");
    if (once && known.has(hex)) return;
    if (once) known.add(hex);
    const staged = `${folder}/tmp/${hex}`;
    const descriptor = openSync(staged, "wx");
    writeSync(descriptor, bytes);
    closeSync(descriptor);
    const shelf = `${folder}/objects/${hex.slice(0, 2)}`;
    if (!shelves.has(shelf)) {
      mkdirSync(shelf);
      shelves.add(shelf);
    }
    renameSync(staged, `${shelf}/${hex.slice(2)}`);
  };
}
