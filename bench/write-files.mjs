// The floor under `ctx fork`: a bare loop that writes files. Usage: node write-files.mjs <list> <folder>,
// where the list is a JSON array of pairs of path and text.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [list, folder] = /** @type {[string, string]} */ (process.argv.slice(2));
const made = new Set();
for (const [path, text] of /** @type {[string, string][]} */ (JSON.parse(readFileSync(list, "utf8")))) {
  const file = join(folder, path);
  const inside = dirname(file);
  if (!made.has(inside)) {
    mkdirSync(inside, { recursive: true });
    made.add(inside);
  }
  writeFileSync(file, text);
}
