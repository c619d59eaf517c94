// The floor of a first look at a store, and of comparing the packs in it: reads and hashes the manifest of
// every pack, parses it on request, and does nothing with it. Usage: node read-manifests.mjs <folder> [parse]
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, parse] = /** @type {[string, string?]} */ (process.argv.slice(2));
const root = join(folder, ".ctx");
for (const hex of readdirSync(join(root, "packs"))) {
  const bytes = readFileSync(join(root, "objects", hex.slice(0, 2), hex.slice(2)));
  if (createHash("sha256").update(bytes).digest("hex") !== hex) throw new Error(hex);
  if (parse === "parse") JSON.parse(bytes.toString());
}
