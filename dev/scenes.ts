// Start states for the suites about crashes: a folder with a log, an artifact on disk, and a store in some
// condition.
import * as fs from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./folders.js";
import { type AnyLog, json, runLog } from "./logs.js";
import { ctxCommand, runCtx, type StartOptions } from "./processes.js";
import { reported } from "./store-check.js";
import { type Call, callsOf, type Fault, inject, record, touches } from "./strace.js";

/** Nine blobs and a manifest; one of its two outputs exists on disk. */
export function crashLog(fields: AnyLog = {}): AnyLog {
  return runLog({
    steps: ["one\ntwo\n", "Two lines.", "wc says 2", "sum is 2", "done"].map((output, index) => ({
      type: index % 2 === 0 ? "tool_call" : "reasoning",
      ...(index % 2 === 0 ? { tool: "read_file" } : {}),
      output,
      timestamp: `2026-02-10T11:59:5${index}Z`,
    })),
    outputs: [
      { name: "answer.txt", content: "2\n", confidence: "high" },
      { name: "notes/why.txt", content: "I counted.\n" },
    ],
    ...fields,
  });
}

/** So many blobs that the whole file system is flushed at once. */
export function largeLog(): AnyLog {
  return crashLog({
    steps: Array.from({ length: 150 }, (_, at) => ({ type: "reasoning", output: `thought ${at}` })),
  });
}

export const packArgs = ["pack", "run.json"];

/** Returns a new folder with the log and its artifact, and no store. */
export function sceneFolder(log: AnyLog = crashLog()): string {
  const folder = tempFolder();
  fs.writeFileSync(join(folder, "run.json"), json(log));
  fs.writeFileSync(join(folder, "answer.txt"), "2\n");
  return folder;
}

/** Runs `ctx`, which must succeed, and returns the packs that it printed. */
export async function must(folder: string, args: readonly string[]): Promise<string[]> {
  const { status, stdout, stderr } = await runCtx(folder, args);
  if (status !== 0) throw new Error(`ctx ${args.join(" ")} failed with ${status}: ${stderr}`);
  return reported(stdout);
}

export async function emptyStore(log?: AnyLog): Promise<string> {
  const folder = sceneFolder(log);
  await must(folder, ["init"]);
  return folder;
}

/** Returns a store that holds the pack itself. */
export async function repeatingStore(): Promise<string> {
  const folder = await emptyStore();
  await must(folder, packArgs);
  return folder;
}

/** A store whose last writer was killed half-way through naming its objects. */
export async function crashedStore(): Promise<string> {
  const start = await emptyStore();
  const calls = await learn(copyOf(start), packArgs);
  const rename = calls.filter(({ name }) => name.startsWith("rename"))[4] as Call;
  const { folder } = await spoil(start, packArgs, rename, { signal: "SIGKILL" });
  return folder;
}

/** Returns the calls about the folder that a command makes. Changes the folder. */
export async function learn(
  folder: string,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Call[]> {
  const { trace, ended } = await record(ctxCommand(folder, args), [], options);
  if (ended.status !== 0) throw new Error(`ctx ${args.join(" ")} failed: ${ended.stderr}`);
  return callsAbout(trace, folder);
}

/** Returns the calls in a trace that are about a folder. */
export function callsAbout(trace: string, folder: string): Call[] {
  // Faults are counted by thread, so a call in another thread would escape them. Other programs are no
  // threads.
  const programs = new Set([...trace.matchAll(/^(\d+) +execve\(/gm)].map(([, thread]) => thread));
  const stray = trace
    .split("\n")
    .find((line) => line.includes(`${folder}/`) && !programs.has(/^\d+/.exec(line)?.[0]));
  if (stray !== undefined) throw new Error(`a call about the store in another thread: ${stray}`);
  return callsOf(trace, folder).filter((call) => touches(call, folder));
}

/** Returns a copy of a start state that the test may change. */
export function copyOf(folder: string): string {
  const copy = tempFolder();
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Runs a command with one fault in a copy of a start state. */
export function spoil(start: string, args: readonly string[], call: Call, fault: Fault) {
  return inject(
    call,
    fault,
    () => copyOf(start),
    (folder) => ctxCommand(folder, args),
  );
}

/**
 * Returns a start state that belongs to an ordinary user, and the options to run as that user, as root may do
 * anything.
 */
export function asNobody(folder: string): { path: string; options: StartOptions; isRoot: boolean } {
  if (process.geteuid?.() !== 0) return { path: folder, options: {}, isRoot: false };
  const user = 65534;
  fs.chmodSync(folder, 0o755);
  for (const name of ["", ...(fs.readdirSync(folder, { recursive: true }) as string[])])
    fs.lchownSync(join(folder, name), user, user);
  return { path: folder, options: { user }, isRoot: true };
}
