// `npm run docs`: writes docs/commands.md from the command table and docs/schema from the types in
// src/results (for documents that ctx reads, from the shapes in src/model), draws the pictures of the README,
// and runs every ```console block of the documents below again, so that what they show is what the program
// prints. A test fails when one of them is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, root } from "./load.mjs";
import { writeSchemas } from "./schemas.mjs";

const { commands, commandsPage, rerunConsoleBlocks } = await load([
  "./src/cli/table.ts",
  "./src/cli/commands-page.ts",
  "./dev/console-blocks.ts",
]);

await writeSchemas();
await import("./picture.mjs");
update("docs/commands.md", () => commandsPage(commands));
for (const name of [
  "README.md",
  "docs/guide.md",
  "docs/library.md",
  "docs/drift.md",
  "docs/search.md",
  "docs/contest.md",
  "docs/agents.md",
  "docs/discover.md",
  "docs/export.md",
  "docs/share.md",
  "docs/redaction.md",
  "docs/fork.md",
  "docs/replay.md",
])
  update(name, (text) => rerunConsoleBlocks(text, root));

function update(name, change) {
  const path = join(root, name);
  const before = read(path);
  const after = change(before);
  if (after !== before) writeFileSync(path, after);
  console.log(`${after === before ? "unchanged" : "rewritten"}  ${name}`);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}
