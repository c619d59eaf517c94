// Builds the program (a launcher, the whole program, and small ones with the commands that are called most), the library (plain ESM with types)
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
import { basename, join } from "node:path";
import { bundle, bundlePackage, licences, mcpClient, re2, root, version, workers } from "./bundle.mjs";

const dist = join(root, "dist");
const staged = join(root, `.dist-${process.pid}`);

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

async function buildProgram() {
  for (const worker of workers) {
    const { outputFiles } = await bundle({ entryPoints: [worker] });
    writeFileSync(join(staged, `${basename(worker, ".ts")}.cjs`), outputFiles[0].contents);
  }
  const client = await bundlePackage(mcpClient, "Client");
  writeFileSync(join(staged, mcpClient.file), client.outputFiles[0].contents);
  const engine = await bundlePackage(re2, "RE2JS");
  writeFileSync(join(staged, re2.file), engine.outputFiles[0].contents);
  const all = await bundle({ entryPoints: ["src/cli/program.ts"] });
  writeFileSync(join(staged, "THIRD-PARTY.txt"), licences(all, client, engine));
  const folder = mkdtempSync(join(tmpdir(), "ctx-build-"));
  try {
    const small = [];
    for (const kind of ["pack", "look", "check"]) {
      const made = await bundle({ entryPoints: [`src/cli/program-${kind}.ts`] });
      const { names, program } = place(kind, made, folder);
      small.push(...names.map((name) => [name, program]));
    }
    const { program } = place("all", all, folder);
    const launcher = readFileSync(join(root, "scripts/launcher.cjs"), "utf8")
      .replaceAll("__PROGRAM__", program)
      .replaceAll("__SMALL__", JSON.stringify(small))
      .replaceAll("__VERSION__", version);
    writeFileSync(join(staged, "ctx.cjs"), `#!/usr/bin/env node\n${launcher}`);
    chmodSync(join(staged, "ctx.cjs"), 0o755);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes one program and its code cache; gives its name, and those of its commands. */
function place(kind, { outputFiles: [{ text }] }, folder) {
  if (/\bimport\(/.test(text))
    throw new Error("the launcher cannot import at run time; import modules of ours instead");
  // The function that a module is, as the launcher runs it.
  const source = Buffer.from(`(function(exports,require,module,__filename,__dirname){${text}\n})`);
  if (source.some((byte) => byte > 0x7f))
    throw new Error("the launcher reads the program as ASCII, and it is not");
  const program = `program-${kind}-${createHash("sha256").update(source).digest("hex").slice(0, 12)}`;
  const path = join(staged, program);
  writeFileSync(`${path}.cjs`, source);
  const cache = `${path}-${process.version}-${process.arch}.cache`;
  const args = [join(root, "scripts/code-cache.mjs"), `${path}.cjs`, cache, kind, folder];
  const names = execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { program, names: JSON.parse(names) };
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
