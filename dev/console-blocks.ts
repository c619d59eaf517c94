// Runs the examples of a document. In a ```console block a line that begins with `$ ` is a command, and the
// lines up to the next one are what it printed. A ```js block that begins with `// name.mjs` is saved under
// that name first.
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The name of the temporary folder in documents. */
const home = "/home/you";

/**
 * The document with the output of every command as it is now. All of them run in one folder, which begins as
 * a copy of examples/, with the built program on the PATH and the library within reach of `import`. With the
 * comment `<!-- home: examples/home -->` in the document, the home folder has the sessions of
 * scripts/example-home.mjs.
 */
export function rerunConsoleBlocks(markdown: string, repository: string): string {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ctx-docs-")));
  let stop: (() => void) | undefined;
  try {
    const folder = join(base, "tour");
    fs.cpSync(join(repository, "examples"), folder, { recursive: true });
    fs.mkdirSync(join(base, "bin"));
    fs.symlinkSync(join(repository, "dist/ctx.cjs"), join(base, "bin/ctx"));
    fs.mkdirSync(join(base, "node_modules"));
    fs.symlinkSync(repository, join(base, "node_modules/contextsubstrate"));
    for (const [, code = "", name = ""] of markdown.matchAll(/^```js\n(\/\/ (\S+)\n[^]*?)^```$/gm))
      fs.writeFileSync(join(folder, name), code);
    if (markdown.includes("<!-- home: examples/home -->")) {
      const { status } = spawnSync(process.execPath, [join(repository, "scripts/example-home.mjs"), base], {
        stdio: "inherit",
      });
      if (status !== 0) throw new Error("the example home cannot be made");
    }
    const registry = markdown.includes(registryName) ? startRegistry(repository, base) : undefined;
    stop = registry?.stop;
    return markdown.replaceAll(/^```console\n([^]*?)^```$/gm, (_block, body: string) => {
      const lines = body.split("\n").filter((line) => line.startsWith("$ "));
      return `\`\`\`console\n${lines.map((line) => `${line}\n${run(line.slice(2), { folder, base, registry: registry?.host })}`).join("")}\`\`\``;
    });
  } finally {
    stop?.();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** The name of the registry in documents. Where it occurs, a small registry runs on this machine. */
const registryName = "registry.example.com";

/** Waits for its start, as everything here is synchronous. */
export function startRegistry(repository: string, folder: string): { host: string; stop: () => void } {
  const path = join(folder, "registry-port");
  const output = fs.openSync(path, "w");
  const child = spawn(process.execPath, [join(repository, "scripts/small-registry.mjs")], {
    stdio: ["pipe", output, "inherit"],
  });
  fs.closeSync(output);
  for (let tries = 0; tries < 500; tries++) {
    const port = fs.readFileSync(path, "utf8").trim();
    if (port !== "") return { host: `127.0.0.1:${port}`, stop: () => void child.kill() };
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  throw new Error("the small registry did not start");
}

/** Returns the output of a command, both streams in order, as a document shows it. */
function run(
  command: string,
  { folder, base, registry = registryName }: { folder: string; base: string; registry?: string | undefined },
): string {
  const script = command.replaceAll(registryName, registry);
  const { stdout, error } = spawnSync("sh", ["-c", `{ ${script}\n} 2>&1`], {
    cwd: folder,
    env: environment(base),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error !== undefined) throw error;
  const text = stdout
    .replaceAll(base, home)
    .replaceAll(registry, registryName)
    // Text that differs from machine to machine is replaced.
    .replaceAll(/^(sandbox +)bwrap [\d.]+/gm, "$1bwrap 0.8.0")
    .replaceAll(/^(environment +)\d facts? the same.*; (edit_file)/gm, "$14 facts the same; $2");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** No settings of the user, so that every machine prints the same. */
function environment(base: string): NodeJS.ProcessEnv {
  const person = { NAME: "You", EMAIL: "you@example.com", DATE: "2026-02-10T10:00:00Z" };
  const git = Object.entries(person).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  return {
    PATH: [join(base, "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
    HOME: base,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    ...Object.fromEntries(git),
  };
}
