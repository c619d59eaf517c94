// Runs the programs of a replay, to their end or as servers. The sandbox decides what a program may do; this
// file handles its streams, its time and its resources.
import * as fs from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Readable, Writable } from "node:stream";
import { withPath } from "../base/errors.js";
import { type SandboxDir, openPipe } from "./sandbox-dir.js";
import { Collector, type OutputRoom } from "./collect.js";
import { StepFailure } from "./outcome.js";
import { type MemoryOptions, MemoryWatch } from "./memory-watch.js";
import { type ProgramExit, launch, type StartedProgram } from "./sandbox.js";
import type { LaunchOptions, Sandbox, SandboxProgram } from "./sandbox-args.js";

export interface LimitedProgram extends SandboxProgram {
  input?: Buffer;
  /** In milliseconds. */
  timeout: number;
  /** In bytes. */
  outputLimit: number;
}

export interface FinishedProgram {
  /** Standard output and standard error through one pipe, in the order they were written. */
  output: Buffer;
  /** Standard error, if requested separately; `output` is then standard output alone. */
  errors?: Buffer;
  /** 128 plus the signal's number if a signal ended it, as in shells; null if ctx ended it. */
  exitCode: number | null;
  /** The signal that the exit code stands for. */
  signal: string | null;
  timedOut: boolean;
  /** It wrote more than the limit, and was ended. */
  tooLong: boolean;
  /** Why it was ended, or cannot be trusted: it exceeded the disk or the memory that a replay may use. */
  excess?: string;
}

export interface RunProgramOptions extends LaunchOptions {
  separateErrors?: boolean;
  memory?: MemoryOptions;
  /** Ends the program at once; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface RunningServer {
  stdin: Writable;
  stdout: Readable;
  /** Returns the beginning of its standard error. */
  errorText(): string;
  /** Returns why it was ended, if it used more of this machine than it may. */
  excess?(): string | undefined;
  /** Ends it and all its descendants. */
  stop(): Promise<void>;
  /** Its exit status; null if a signal ended it. */
  exited: Promise<number | null>;
}

/** Runs a program to its end. Rejects with a StepFailure if it could not be started. */
export async function runProgram(
  box: SandboxDir,
  sandbox: Sandbox,
  program: LimitedProgram,
  options: RunProgramOptions,
): Promise<FinishedProgram> {
  options.signal?.throwIfAborted();
  let why: "time" | "output" | "excess" | "abort" | undefined;
  let excess: string | undefined;
  const end = (reason: typeof why): void => {
    why ??= reason;
    started.kill();
  };
  const room = { left: program.outputLimit, onExceeded: () => end("output") };
  box.disk.startStep();
  const since = performance.now();
  const { started, streams } = startWithPipes(box, sandbox, program, { ...options, room });
  const abort = (): void => end("abort");
  options.signal?.addEventListener("abort", abort);
  const timer = setTimeout(() => end("time"), program.timeout);
  const unwatch = watchOver(box, started, options, (reason) => {
    excess = reason;
    end("excess");
  });
  try {
    const ended = await started.ended;
    // Every writer is dead, unless there is no sandbox: then one may have escaped, with the pipe.
    const [output = Buffer.alloc(0), errors] = await Promise.all(streams.map((stream) => stream.finish(500)));
    if (why === "abort") options.signal?.throwIfAborted();
    if (why === undefined && !ended.ran) throw setUpFailure((errors ?? output).toString());
    excess ??= box.disk.endStep((performance.now() - since) / 1000);
    return {
      output,
      ...(errors === undefined ? {} : { errors }),
      ...(why === undefined ? exitStatus(ended) : { exitCode: null, signal: "SIGKILL" }),
      timedOut: why === "time",
      tooLong: why === "output",
      ...(excess === undefined ? {} : { excess }),
    };
  } finally {
    clearTimeout(timer);
    unwatch();
    options.signal?.removeEventListener("abort", abort);
  }
}

/** Starts a program that communicates over its standard input and output until it is stopped. */
export function startProgram(
  box: SandboxDir,
  sandbox: Sandbox,
  program: SandboxProgram,
  options: RunProgramOptions,
): RunningServer {
  options.signal?.throwIfAborted();
  const started = launch(box, sandbox, program, { ...options, streams: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = started.child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("pipes were asked for");
  let errorText = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    errorText += text.slice(0, maxErrorText - errorText.length);
  });
  // A server that has gone is noticed by its exit, not by a failed write.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => undefined);
  const kill = (): void => started.kill();
  options.signal?.addEventListener("abort", kill);
  let excess: string | undefined;
  const unwatch = watchOver(box, started, options, (reason) => {
    excess ??= reason;
    kill();
  });
  const exited = started.ended.finally(unwatch).then(({ code }) => {
    options.signal?.removeEventListener("abort", kill);
    return code;
  });
  const stop = async (): Promise<void> => {
    kill();
    await exited;
  };
  return { stdin, stdout, errorText: () => errorText, excess: () => excess, stop, exited };
}

const maxErrorText = 64 * 1024;
/** How often to check what a program uses, in milliseconds. */
const diskEvery = 50;
const memoryEvery = 100;

/**
 * Calls back if a running program uses more of the disk or of the memory than it may; returns a function that
 * ends the watch.
 */
function watchOver(
  { disk }: SandboxDir,
  { child }: StartedProgram,
  { memory: limits }: RunProgramOptions,
  onExcess: (reason: string) => void,
): () => void {
  const check = (findExcess: () => string | undefined): void => {
    let reason: string | undefined;
    try {
      reason = findExcess();
    } catch (error) {
      // The folder has gone, for example. A program that cannot be watched is ended.
      reason = (error as Error).message;
    }
    if (reason !== undefined) onExcess(reason);
  };
  const inFiles = disk.isInMemory() ? { inFiles: disk.growth() } : {};
  const memory = child.pid === undefined ? undefined : new MemoryWatch(child.pid, { ...inFiles, ...limits });
  const timers = [
    setInterval(() => check(() => disk.excess()), diskEvery),
    setInterval(() => check(() => memory?.excess()), memoryEvery),
  ];
  return () => timers.forEach(clearInterval);
}

/**
 * Starts a program whose streams share one pipe, or have one each. The input is a file, so that nothing has
 * to feed it.
 */
function startWithPipes(
  box: SandboxDir,
  sandbox: Sandbox,
  program: LimitedProgram,
  options: RunProgramOptions & { room: OutputRoom },
): { started: ReturnType<typeof launch>; streams: Collector[] } {
  const pipes = [openPipe(box), ...(options.separateErrors === true ? [openPipe(box)] : [])];
  const writing = pipes.map((pipe) => pipe.writing);
  const input = program.input === undefined ? undefined : openInput(box, program.input);
  try {
    const [out, err = out] = writing as [number, number?];
    const started = launch(box, sandbox, program, { ...options, streams: [input ?? "ignore", out, err] });
    return { started, streams: pipes.map(({ reading }) => new Collector(reading, options.room)) };
  } catch (error) {
    for (const { reading } of pipes) fs.closeSync(reading);
    throw error;
  } finally {
    for (const descriptor of [...writing, ...(input === undefined ? [] : [input])]) fs.closeSync(descriptor);
  }
}

function openInput(box: SandboxDir, input: Buffer): number {
  const path = join(box.folder, "input");
  return withPath(path, "write", () => {
    try {
      fs.writeFileSync(path, input);
      // It can be opened again as /dev/stdin, by whichever user the program runs as.
      fs.chmodSync(path, 0o444);
      return fs.openSync(path, "r");
    } finally {
      fs.rmSync(path, { force: true });
    }
  });
}

function exitStatus({ code, signal }: ProgramExit): { exitCode: number | null; signal: string | null } {
  const number = signal === null ? (code ?? 0) - 128 : constants.signals[signal];
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { exitCode: signal === null ? code : 128 + number, signal: name ?? null };
}

function setUpFailure(errorText: string): StepFailure {
  const text = errorText.trim().replace(/^bwrap: /, "");
  if (text.startsWith("Can't chdir to"))
    return new StepFailure("error", "the folder that it ran in is not there");
  return new StepFailure("no_sandbox", `the sandbox could not be set up: ${text.slice(0, 500)}`);
}
