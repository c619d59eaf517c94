// Builds the program (a launcher, the whole program, and small ones with the commands that are called most),
// the library (plain ESM with types) and the licences of what is bundled. Everything is made in a folder of
// its own and swapped in at the end, so that a test run beside a build never sees half a program. `--program`
// leaves the library out.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { Script } from "node:vm";
import { bundle, bundlePackage, licences, mcpClient, re2, root, version, workers } from "./bundle.mjs";

const dist = join(root, "dist");
const staged = join(root, `.dist-${process.pid}`);

mkdirSync(staged, { recursive: true });
try {
  await buildProgram();
  if (!process.argv.includes("--program")) buildLibrary();
  const old = join(root, `.dist-${process.pid}-old`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(staged, dist);
  rmSync(old, { recursive: true, force: true });
} finally {
  rmSync(staged, { recursive: true, force: true });
}

async function buildProgram() {
  for (const worker of workers) {
    const { outputFiles } = await bundle({ entryPoints: [worker] });
    writeFileSync(join(staged, `${basename(worker, ".ts")}.cjs`), outputFiles[0].contents);
  }
  const client = await bundlePackage(mcpClient, "Client");
  writeFileSync(join(staged, mcpClient.file), client.outputFiles[0].contents);
  const engine = await bundlePackage(re2, "RE2JS");
  writeFileSync(join(staged, re2.file), engine.outputFiles[0].contents);
  const all = await bundle({ entryPoints: ["src/cli/programs/all.ts"] });
  writeFileSync(join(staged, "THIRD-PARTY.txt"), licences(all, client, engine));
  const small = [];
  for (const kind of ["pack", "look", "check"]) {
    const { names, program } = writeProgram(
      kind,
      await bundle({ entryPoints: [`src/cli/programs/${kind}.ts`] }, { isSmall: true }),
    );
    small.push(...names.map((name) => [name, program]));
  }
  const { program } = writeProgram("all", all);
  const launcher = readFileSync(join(root, "scripts/launcher.cjs"), "utf8")
    .replaceAll("__PROGRAM__", program)
    .replaceAll("__SMALL__", JSON.stringify(small))
    .replaceAll("__VERSION__", version);
  writeFileSync(join(staged, "ctx.cjs"), `#!/usr/bin/env node\n${launcher}`);
  chmodSync(join(staged, "ctx.cjs"), 0o755);
  copyFileSync(join(root, "scripts/code-cache.cjs"), join(staged, "code-cache.cjs"));
}

/**
 * Writes one program; returns its name, and those of its commands. No code cache: each user's ctx makes its
 * own.
 */
function writeProgram(kind, { outputFiles: [{ text }] }) {
  if (/\bimport\(/.test(text))
    throw new Error("the launcher cannot import at run time; import modules of ours instead");
  // The function that a module is, as the launcher runs it.
  const source = Buffer.from(`(function(exports,require,module,__filename,__dirname){${text}\n})`);
  if (source.some((byte) => byte > 0x7f))
    throw new Error("the launcher reads the program as ASCII, and it is not");
  const program = `program-${kind}-${createHash("sha256").update(source).digest("hex").slice(0, 12)}`;
  const filename = join(staged, `${program}.cjs`);
  writeFileSync(filename, source);
  const loaded = { exports: {} };
  const run = new Script(source.toString("latin1"), { filename }).runInThisContext();
  run(loaded.exports, createRequire(filename), loaded, filename, staged);
  return { program, names: loaded.exports.names };
}

function buildLibrary() {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", "tsconfig.lib.json", "--outDir", join(staged, "lib")];
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  // The library uses the same files, so that its users need not install those packages.
  point("lib/replay/mcp.js", `import("${mcpClient.package}")`, `import("../../${mcpClient.file}")`);
  point("lib/redact/rules/user-rules.js", re2.required, `(import.meta.url)("../../../${re2.file}")`);
}

function point(name, original, instead) {
  const file = join(staged, name);
  const text = readFileSync(file, "utf8");
  if (!text.includes(original)) throw new Error(`${file} does not hold ${original}`);
  writeFileSync(file, text.replace(original, instead));
}
