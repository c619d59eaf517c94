// The floor of a first look at a store: reads and hashes the manifest of every pack, and does nothing with them.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(process.argv[2], ".ctx");
for (const hex of readdirSync(join(root, "packs"))) {
  const bytes = readFileSync(join(root, "objects", hex.slice(0, 2), hex.slice(2)));
  if (createHash("sha256").update(bytes).digest("hex") !== hex) throw new Error(hex);
}
