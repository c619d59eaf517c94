// `npm run docs`: writes docs/commands.md from the command table, and runs every ```console block of the documents
// below again, so that what they show is what the program prints. A test fails when either is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { commands, commandsPage, rerunConsoleBlocks } = await load([
  "./src/cli/table.ts",
  "./src/cli/commands-page.ts",
  "./test/support/console-blocks.ts",
]);

update("docs/commands.md", () => commandsPage(commands));
for (const name of ["README.md", "docs/guide.md"]) update(name, (text) => rerunConsoleBlocks(text, root));

/** Imports TypeScript sources, with everything that they need, as one module. */
async function load(files) {
  const bundle = await build({
    stdin: { contents: files.map((file) => `export * from "${file}";`).join("\n"), resolveDir: root },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`
  );
}

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
