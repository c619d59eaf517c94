// Builds the program as a single executable file, exe/ctx: Bun's runtime with everything that the program
// loads in it, already compiled to bytecode. It starts in less time than Node itself. No file in its working
// folder affects it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { bundle, bundlePackage, licences, mcpClient, re2, root, version, workers } from "./bundle.mjs";

const [folder = join(root, "exe")] = process.argv.slice(2).map((path) => resolve(path));
const bun = bunProgram();
mkdirSync(folder, { recursive: true });
const staged = mkdtempSync(join(folder, ".build-"));
try {
  await gather();
  compile();
  renameSync(join(staged, "made"), join(folder, "ctx"));
  renameSync(join(staged, "THIRD-PARTY.txt"), join(folder, "THIRD-PARTY.txt"));
} finally {
  rmSync(staged, { recursive: true, force: true });
}
console.log(join(folder, "ctx"));

/** Where the package has put it; npm may be set not to run its script, which would move it. */
function bunProgram() {
  try {
    const { resolve: find } = createRequire(import.meta.url);
    const manifest = find("bun/package.json");
    const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
    const platform = [`@oven/bun-${process.platform}-${cpu}`, `@oven/bun-${process.platform}-${cpu}-musl`];
    const paths = [
      join(dirname(manifest), "bin/bun.exe"),
      ...platform.map((name) => join(dirname(manifest), "..", name, "bin/bun")),
    ];
    const found = paths.find((path) => existsSync(path) && works(path));
    if (found !== undefined) return found;
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
  console.error("the executable needs the package bun, which `npm install` brings where there is one");
  process.exit(1);
}

function works(path) {
  try {
    execFileSync(path, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function gather() {
  const program = await bundle({ entryPoints: ["src/cli/programs/all.ts"] }, { isAlone: true });
  const threads = await Promise.all(
    workers.map(async (worker) => [
      threadFile(worker),
      await bundle({ entryPoints: [worker] }, { isAlone: true }),
    ]),
  );
  const client = await bundlePackage(mcpClient, "Client");
  const engine = await bundlePackage(re2, "RE2JS");
  const files = {
    "program.cjs": program,
    ...Object.fromEntries(threads),
    [mcpClient.file]: client,
    [re2.file]: engine,
  };
  for (const [name, { outputFiles }] of Object.entries(files))
    writeFileSync(join(staged, name), outputFiles[0].contents);
  writeFileSync(join(staged, "THIRD-PARTY.txt"), terms(licences(program, client, engine)));
  // Like scripts/launcher.cjs: an end of the process before a command has answered must not look like
  // success.
  const launcher = `process.exitCode = 2;
if (process.argv.length === 3 && process.argv[2] === "--version" && printVersion()) process.exitCode = 0;
else require("./program.cjs").start();
function printVersion() {
  try {
    require("node:fs").writeSync(1, ${JSON.stringify(`ctx ${version}\n`)});
    return true;
  } catch {
    return false;
  }
}\n`;
  writeFileSync(join(staged, "ctx.cjs"), launcher);
}

function threadFile(worker) {
  return `${basename(worker, ".ts")}.js`;
}

/** The file may be passed on alone: it also contains the licence of ctx, and names the runtime. */
function terms(packages) {
  const own = readFileSync(join(root, "LICENSE"), "utf8").trim();
  const about = `Bun ${bunVersion()} (MIT), https://bun.com\n
It runs the program, and contains JavaScriptCore and WebKit (LGPL-2) and other libraries, of which
https://bun.com/docs/project/licensing tells, with how to link it to another version of them.`;
  return `ctx ${version}\n\n${own}\n\n---\n\n${packages}\n---\n\n${about}\n`;
}

function bunVersion() {
  return execFileSync(bun, ["--version"], { encoding: "utf8" }).trim();
}

function compile() {
  const flags = ["--compile", "--target=bun", "--bytecode", "--format=cjs"];
  const alone = ["dotenv", "bunfig", "tsconfig", "package-json"].map(
    (name) => `--no-compile-autoload-${name}`,
  );
  const inside = ["ctx.cjs", ...workers.map(threadFile), "--asset=THIRD-PARTY.txt"];
  execFileSync(bun, ["build", ...flags, ...alone, ...inside, "--outfile=made"], {
    cwd: staged,
    stdio: ["ignore", "ignore", "inherit"],
  });
  // A path of this machine in it would be looked up on others.
  for (const path of [root, folder])
    if (readFileSync(join(staged, "made")).includes(path)) throw new Error(`${path} is in the executable`);
}
