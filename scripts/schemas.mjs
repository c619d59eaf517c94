// Makes docs/schema from src/results/schema/all.ts. Part of `npm run docs`, and a program of its own.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, root } from "./load.mjs";

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeSchemas();

/** Writes every schema, and removes those that are no more. */
export async function writeSchemas() {
  const { schemaFiles } = await load(["./src/results/schema/all.ts"]);
  const folder = join(root, "docs/schema");
  mkdirSync(folder, { recursive: true });
  const present = readdirSync(folder).filter((name) => name.endsWith(".schema.json"));
  const wanted = schemaFiles();
  for (const name of present.filter((name) => !wanted.has(name))) {
    rmSync(join(folder, name));
    console.log(`removed    docs/schema/${name}`);
  }
  for (const [name, text] of wanted) {
    const path = join(folder, name);
    const isCurrent = present.includes(name) && readFileSync(path, "utf8") === text;
    if (!isCurrent) writeFileSync(path, text);
    console.log(`${isCurrent ? "unchanged" : "rewritten"}  docs/schema/${name}`);
  }
}
