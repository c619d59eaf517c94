// Runs a command line in this process, with streams that tests can look at.
import { join } from "node:path";
import { main } from "../../src/cli/main.js";
import type { Terminal } from "../../src/cli/terminal.js";

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
  /** What a person answers, one line after the other. */
  answers?: string[];
  /** More of the environment. The user's own settings are never used. */
  env?: Record<string, string>;
}

export async function cli(argv: readonly string[], options: CliOptions): Promise<CliResult> {
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

/** Says the question where a person would read it. */
function answering(stderr: Buffer[], answers: string[]): (question: string) => string {
  return (question) => {
    stderr.push(Buffer.from(`${question}\n`));
    return answers.shift() ?? "";
  };
}
