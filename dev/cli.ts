// Runs a command line in this process, with streams that tests can read.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { main } from "../src/cli/programs/all.js";
import type { Terminal } from "../src/cli/terminal.js";

export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
  /** Standard output as bytes. */
  bytes: Buffer;
}

export interface CliOptions {
  folder: string;
  input?: string | Buffer;
  /** Pretend that both streams are a terminal of this width, with colour. */
  terminal?: number;
  width?: number;
  /** Answers of the user, one line after the other. */
  answers?: string[];
  /** More variables of the environment. The user's own settings are never used. */
  env?: Record<string, string>;
}

/** An executable to run instead of this process: every command line can be run with it, too. */
const named = process.env["CTX_TEST_PROGRAM"];
const other = named === undefined ? undefined : resolve(named);

/** The words by which a hook calls the program. */
export const hookProgram =
  other === undefined
    ? "/usr/bin/node /opt/ctx/dist/ctx.cjs"
    : `[ -d "$PWD" ] || cd /; BUN_BE_BUN= BUN_OPTIONS= ${other}`;

export async function cli(argv: readonly string[], options: CliOptions): Promise<CliResult> {
  // The terminal is simulated here, and cannot be passed to another process; nor can a NUL.
  const isHere = options.terminal !== undefined || options.answers !== undefined || argv.includes("\0");
  if (other !== undefined && !isHere) return await runOther(other, argv, options);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const stream = (target: Buffer[]): Terminal["out"] => ({
    isTerminal: options.terminal !== undefined,
    screen: { width: options.terminal ?? options.width ?? 80, colour: options.terminal !== undefined },
    write: (text) => void target.push(Buffer.from(text as string)),
  });
  const status = await main(argv, {
    out: stream(stdout),
    error: stream(stderr),
    folder: options.folder,
    env: { PATH: process.env["PATH"], HOME: join(options.folder, ".nobody"), ...options.env },
    ...(options.answers === undefined ? {} : { ask: answering(stderr, [...options.answers]) }),
    program: ["/usr/bin/node", "/opt/ctx/dist/ctx.cjs"],
    readInput: () => Buffer.from(options.input ?? ""),
    input: () => [Buffer.from(options.input ?? "")],
  });
  const bytes = Buffer.concat(stdout);
  return { status, stdout: bytes.toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8"), bytes };
}

/** The same with another program, started for each command line. */
async function runOther(program: string, argv: readonly string[], options: CliOptions): Promise<CliResult> {
  const width = options.width === undefined ? {} : { COLUMNS: String(options.width) };
  const { PATH, TMPDIR } = process.env;
  const env = { PATH, TMPDIR, HOME: join(options.folder, ".nobody"), ...width, ...options.env };
  const child = spawn(program, argv, { cwd: options.folder, env });
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [bytes, stderr, [status, signal]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  if (status === null) throw new Error(`${program} ${argv.join(" ")} was stopped by ${signal}`);
  return { status, stdout: bytes.toString("utf8"), stderr, bytes };
}

/** Prints the question where a user would read it. */
function answering(stderr: Buffer[], answers: string[]): (question: string) => string {
  return (question) => {
    stderr.push(Buffer.from(`${question}\n`));
    return answers.shift() ?? "";
  };
}
