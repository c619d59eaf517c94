// The built program, as users run it.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = join(fileURLToPath(import.meta.url), "../../..");
export const program = join(repository, "dist/ctx.cjs");

if (!fs.existsSync(program)) throw new Error("dist/ctx.cjs is missing: run `npm run build` first");

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
  return run(process.execPath, [program, ...args], options);
}

/** Runs any program; standard output and error come back as text. */
export function run(command: string, args: readonly string[], options: RunOptions): Ran {
  const { NODE_OPTIONS: _options, NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
  const result: SpawnSyncReturns<string> = spawnSync(command, args, {
    cwd: options.cwd,
    input: options.input ?? "",
    env: { ...inherited, ...options.env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (result.error !== undefined) throw result.error;
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}
