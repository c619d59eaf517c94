// The built program, as users run it.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = join(fileURLToPath(import.meta.url), "../..");

/** The file that is run: the one that was built, or an executable that CTX_TEST_PROGRAM names. */
const other = process.env["CTX_TEST_PROGRAM"];
export const program = other === undefined ? join(repository, "dist/ctx.cjs") : resolve(other);

if (!fs.existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\` first`);

/** Whether it is the executable, which needs no Node. */
export const isExecutable = !program.endsWith(".cjs");

/** Returns the words that start a program. */
export function wordsOf(file: string): [command: string, ...words: string[]] {
  return isExecutable ? [file] : [process.execPath, file];
}

/** The words that start the program, and the same as a command line of a shell. */
export const [starter, ...words] = wordsOf(program);
export const line = [starter, ...words].map((word) => `'${word}'`).join(" ");

/** The folder for V8's code caches of the program: not the home of the user who runs the tests. */
const caches = join(repository, "node_modules/.cache");

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  input?: string | Buffer;
  env?: Record<string, string>;
}

/** Runs `ctx` with these arguments in a folder. */
export function ctx(args: readonly string[], options: RunOptions): Ran {
  return run(starter, [...words, ...args], options);
}

/** Runs any program, and returns standard output and error as text. */
export function run(command: string, args: readonly string[], options: RunOptions): Ran {
  const { NODE_OPTIONS: _options, NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
  const result: SpawnSyncReturns<string> = spawnSync(command, args, {
    cwd: options.cwd,
    input: options.input ?? "",
    env: { ...inherited, XDG_CACHE_HOME: caches, ...options.env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (result.error !== undefined) throw result.error;
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}
