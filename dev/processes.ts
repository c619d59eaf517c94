// The built program run beside the test, several at a time: suites about crashes and races need hundreds of
// runs.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { program as built, wordsOf } from "./built.js";
import { tempFolder } from "./folders.js";

/**
 * A copy, so that a build during a suite does not change the program half-way. Other users may run it too.
 */
const copy = tempFolder();
for (const { name } of fs.readdirSync(dirname(built), { withFileTypes: true }).filter((one) => one.isFile()))
  fs.copyFileSync(join(dirname(built), name), join(copy, name));
fs.chmodSync(copy, 0o755);
const words = wordsOf(join(copy, basename(built)));

export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** It was killed, because it took too long. */
  isLate?: boolean;
}

export interface Running {
  /** The process id. */
  pid: number;
  ended: Promise<Ended>;
}

export interface StartOptions {
  input?: string;
  /** Run as this user and group. */
  user?: number;
  /** More variables of the environment. */
  env?: Record<string, string>;
  /** Close the reading end of standard output at once. */
  deaf?: boolean;
  /** Milliseconds after which it is killed, together with its children. */
  limit?: number;
}

/**
 * One thread for file access, so that calls can be counted, and nothing that depends on the machine or on
 * earlier runs, as V8's code cache would. One arena for memory: otherwise the C library looks at a setting of
 * the kernel whenever it frees the memory of another thread.
 */
function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _o, NODE_EXTRA_CA_CERTS: _c, FORCE_COLOR: _f, CTX_DEBUG: _d, ...rest } = process.env;
  delete rest["UV_USE_IO_URING"];
  return {
    ...rest,
    UV_THREADPOOL_SIZE: "1",
    MALLOC_ARENA_MAX: "1",
    NO_COLOR: "1",
    NODE_DISABLE_COMPILE_CACHE: "1",
  };
}

/** Starts any program. Its working folder is not the test's: it uses only the folders that it is passed. */
export function start(command: string, args: readonly string[], options: StartOptions = {}): Running {
  const child = spawn(command, args, {
    cwd: tmpdir(),
    env: { ...environment(), ...options.env },
    stdio: "pipe",
    ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    let isLate = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
    child.on("error", reject);
    const overdue =
      options.limit === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            killTree(child.pid ?? 0);
          }, options.limit);
    child.on("close", (status, signal) => {
      clearTimeout(overdue);
      resolve({ status, signal, stdout, stderr, ...(isLate ? { isLate } : {}) });
    });
  });
  // A program that ends without reading its input is no failure of the test.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  if (options.deaf === true) child.stdout.destroy();
  return { pid: child.pid ?? 0, ended };
}

/** Ends a process and everything below it. */
function killTree(pid: number): void {
  try {
    for (const child of fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" "))
      if (child !== "") killTree(Number(child));
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

/** Returns the command line of `ctx` in a folder. */
export function ctxCommand(folder: string, args: readonly string[]): string[] {
  return [...words, "-C", folder, ...args];
}

/** Runs `ctx` in a folder. */
export function startCtx(folder: string, args: readonly string[], options: StartOptions = {}): Running {
  const [command, ...rest] = ctxCommand(folder, args);
  return start(command as string, rest, options);
}

export function runCtx(folder: string, args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return startCtx(folder, args, options).ended;
}

/** Does the work for every item, a few at a time, and returns the results in order. */
export async function pool<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>) {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: 3 }, worker));
  return results;
}

/** Runs the program in one folder several times at once; `args` returns the words of each. */
export function together(folder: string, crowd: number, args: (at: number) => string[]): Promise<Ended[]> {
  return Promise.all(Array.from({ length: crowd }, (_, at) => runCtx(folder, args(at))));
}

/** Returns the output of those that failed. */
export function failures(ended: readonly Ended[]): string[] {
  return ended
    .filter(({ status }) => status !== 0)
    .map(({ status, signal, stderr }) => `${status}${signal}: ${stderr}`);
}
