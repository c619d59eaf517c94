// Builds the program (a launcher and one minified CommonJS file, so that it starts fast), the library (plain ESM with types)
// and the licences of what is bundled. Everything is made in a folder of its own and swapped in at the end, so that a test
// run beside a build never sees half a program.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const staged = join(root, `.dist-${process.pid}`);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Without this every file that imports all of node:fs would copy its hundred functions, getter by getter, at start. */
const plainRequires = {
  name: "plain requires",
  setup({ onLoad }) {
    onLoad({ filter: /src\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replaceAll(/^import \* as (\w+) from ("node:[^"]+");$/gm, "const $1 = require($2);")
        .replace(re2.asked, `(import.meta.url)("./${re2.file}")`),
      loader: "ts",
    }));
  },
};

/** So is RE2, which only the user's own rules for secrets need. */
const re2 = { package: "re2js", file: "re2.cjs", asked: '(import.meta.url)("re2js")' };

/** Few commands need the MCP client, and it is larger than all of ours: it is a file of its own, loaded when it is needed. */
const mcpClient = { package: "@modelcontextprotocol/client", file: "mcp-client.cjs" };
const mcpClientApart = {
  name: "MCP client apart",
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/client$/, namespace: "file" }, ({ importer }) =>
      importer.startsWith(join(root, "src")) ? { path: `./${mcpClient.file}`, external: true } : undefined,
    );
  },
};

mkdirSync(staged, { recursive: true });
try {
  await buildProgram();
  buildLibrary();
  const old = join(root, `.dist-${process.pid}-old`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(staged, dist);
  rmSync(old, { recursive: true, force: true });
} finally {
  rmSync(staged, { recursive: true, force: true });
}

/** @param {{ entryPoints: string[] } | { stdin: import("esbuild").StdinOptions }} what */
function bundle(what) {
  return build({
    ...what,
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    legalComments: "none",
    define: { CTX_VERSION: JSON.stringify(version), "import.meta.url": "__filename" },
    write: false,
    metafile: true,
    plugins: [plainRequires, mcpClientApart],
    // The launcher cannot import at run time: what is imported there is required.
    supported: { "dynamic-import": false },
  });
}

async function buildProgram() {
  for (const worker of ["src/store/hash-worker.ts", "src/redact/ahead-worker.ts"]) {
    const { outputFiles } = await bundle({ entryPoints: [worker] });
    writeFileSync(join(staged, `${basename(worker, ".ts")}.cjs`), outputFiles[0].contents);
  }
  const client = await bundle({
    stdin: { contents: `export { Client } from "${mcpClient.package}";`, resolveDir: root },
  });
  writeFileSync(join(staged, mcpClient.file), client.outputFiles[0].contents);
  const engine = await bundle({
    stdin: { contents: `export { RE2JS } from "${re2.package}";`, resolveDir: root },
  });
  writeFileSync(join(staged, re2.file), engine.outputFiles[0].contents);
  const { outputFiles, metafile } = await bundle({ entryPoints: ["src/cli/program.ts"] });
  const [{ contents, text }] = outputFiles;
  if (/\bimport\(/.test(text))
    throw new Error("the launcher cannot import at run time; import modules of ours instead");
  if (contents.some((byte) => byte > 0x7f))
    throw new Error("the launcher reads the program as ASCII, and it is not");
  const name = `program-${createHash("sha256").update(contents).digest("hex").slice(0, 12)}`;
  const program = join(staged, `${name}.cjs`);
  writeFileSync(program, contents);
  const launcher = readFileSync(join(root, "scripts/launcher.cjs"), "utf8")
    .replaceAll("__PROGRAM__", name)
    .replaceAll("__VERSION__", version);
  writeFileSync(join(staged, "ctx.cjs"), `#!/usr/bin/env node\n${launcher}`);
  chmodSync(join(staged, "ctx.cjs"), 0o755);
  writeFileSync(
    join(staged, "THIRD-PARTY.txt"),
    licences(Object.keys({ ...metafile.inputs, ...client.metafile.inputs, ...engine.metafile.inputs })),
  );
  const folder = mkdtempSync(join(tmpdir(), "ctx-build-"));
  try {
    for (const kind of ["pack", "look"]) {
      const cache = join(staged, `${name}-${kind}-${process.version}-${process.arch}.cache`);
      const args = [join(root, "scripts/code-cache.mjs"), program, cache, kind, folder];
      execFileSync(process.execPath, args, { stdio: "inherit" });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function buildLibrary() {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", "tsconfig.lib.json", "--outDir", join(staged, "lib")];
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  // The library takes the same files, so that nobody who uses it has to install those packages.
  point("lib/replay/mcp.js", `import("${mcpClient.package}")`, `import("../../${mcpClient.file}")`);
  point("lib/redact/own-rules.js", re2.asked, `(import.meta.url)("../../${re2.file}")`);
}

function point(name, given, instead) {
  const file = join(staged, name);
  const text = readFileSync(file, "utf8");
  if (!text.includes(given)) throw new Error(`${file} does not hold ${given}`);
  writeFileSync(file, text.replace(given, instead));
}

function licences(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) packages.add(match[1]);
  }
  const parts = [...packages]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const { version: of, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = ["LICENSE", "LICENSE.md", "license", "LICENCE"]
        .map((f) => join(folder, f))
        .find(existsSync);
      return `${name} ${of} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : "no licence file"}\n`;
    });
  return `The program contains these packages.\n\n${parts.join("\n---\n\n")}`;
}
