// Faults from outside: strace counts the system calls of the program's main thread and kills it, or makes a
// call fail, at exactly one of them.
import * as fs from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./folders.js";
import { type Ended, start, type StartOptions } from "./processes.js";

/** One system call of the main thread. */
export interface Call {
  name: string;
  /** How many calls of this name there were up to this one. */
  when: number;
  /** Its name and the paths in it, the same in every run. */
  what: string;
  /** How many calls with the same `what` there were up to this one. */
  nth: number;
  line: string;
}

let files: string | undefined;
let count = 0;

/** Returns a path for an output file of strace. */
function traceFile(): string {
  files ??= tempFolder();
  return join(files, `trace-${count++}`);
}

/**
 * Every call about files, descriptors and processes, of all threads and child processes, with the paths
 * behind descriptors. `rules` are further options, such as a fault.
 */
export async function record(
  command: readonly string[],
  rules: readonly string[] = [],
  options: StartOptions = {},
) {
  const file = traceFile();
  const words = ["-f", "-y", "-qq", "-s", "0", "--seccomp-bpf", "-o", file, ...rules];
  const all = [...words, "-e", "trace=file,desc,process", ...command];
  const ended = await start("strace", all, options).ended;
  const trace = joinLines(fs.readFileSync(file, "utf8"));
  fs.rmSync(file);
  return { trace, ended };
}

/**
 * Joins the two halves of a call that another thread interrupted into one line, at the moment when it
 * finished.
 */
export function joinLines(trace: string): string {
  const begun = new Map<string, string>();
  return trace
    .split("\n")
    .flatMap((line) => {
      const [, thread = "", start] = /^(\d+) +(.*?) ?<unfinished \.\.\.>$/.exec(line) ?? [];
      if (start !== undefined) begun.set(thread, start);
      const [, same = "", end] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
      return start !== undefined
        ? []
        : end !== undefined
          ? [`${same} ${begun.get(same) ?? ""}${end}`]
          : [line];
    })
    .join("\n");
}

/** Returns the calls of the first process's main thread, numbered as strace counts them. */
export function callsOf(trace: string, folder: string): Call[] {
  const calls: Call[] = [];
  const [counts, targets] = [new Map<string, number>(), new Map<string, number>()];
  const main = mainThread(trace);
  for (const line of trace.split("\n")) {
    const [, thread, name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (name === undefined) continue;
    if (thread !== main) continue;
    const when = (counts.get(name) ?? 0) + 1;
    counts.set(name, when);
    const what = whatOf(line, folder);
    const target = targetOf(what);
    const nth = (targets.get(target) ?? 0) + 1;
    targets.set(target, nth);
    calls.push({ name, when, what, nth, line });
  }
  return calls;
}

export function mainThread(trace: string): string {
  return /^\d+/.exec(trace)?.[0] ?? "";
}

/** Returns the name and all paths of a call, without parts that differ from run to run. */
function whatOf(line: string, folder: string): string {
  const [, name = ""] = /^\d+ +(\w+)\(/.exec(line) ?? [];
  const paths = [...line.matchAll(/"([^"]*)"|(\b\d+)<([^>]*)>/g)].map(([, path, number, target]) =>
    path === undefined ? (/^(?:pipe|socket|anon)/.test(target ?? "") ? `fd ${number}` : target) : path,
  );
  const flags = /O_[A-Z_|]+/.exec(line)?.[0] ?? "";
  return (
    [name, ...new Set(paths), flags]
      .filter((part) => part !== undefined && part !== "")
      .join(" ")
      .replaceAll(folder, "@")
      // The same folder, from the working folder.
      .replaceAll(/(?<=^| )ctx-test-\w{6}(?=\/)/g, "@")
      .replaceAll(/[\w-]+\.\d+\.\d+\.[0-9a-f]{12}/g, "ID")
      .replaceAll(/(\.tmp|\.jsonl?)-\d+/g, "$1-PID")
      // The name follows from the path of the folder.
      .replaceAll(/(\/state\/ctx\/(?:trust|stores)\/)[0-9a-f]{64}/g, "$1HASH")
      .replaceAll(/\/proc\/(?:self|\d+)/g, "/proc/self")
  );
}

/** The fault at a call: kill the process, make it fail, fake its result, or wait (microseconds). */
export type Fault = { signal: string } | { error: string } | { retval: number } | { delay_enter: number };

export interface Spoiled {
  folder: string;
  ended: Ended;
  /** Calls of the same name after the fault, by the main thread. */
  later: Call[];
}

/** Runs a command with one fault in a copy of a start state. */
export async function inject(
  call: Call,
  fault: Fault,
  copy: () => string,
  command: (folder: string) => string[],
  options: (folder: string) => StartOptions = () => ({}),
): Promise<Spoiled> {
  const misses: string[] = [];
  const is = (other: Call): boolean => targetOf(other.what) === targetOf(call.what) && other.nth === call.nth;
  // Node makes a varying number of calls of its own before: aim again until the right one is hit.
  for (let aim = call.when, tries = 0, limit = brief; tries < 12; tries++) {
    const folder = copy();
    const when = Math.max(aim, 1);
    const { trace, ended } = await injectAt(call.name, `when=${when}`, fault, command(folder), {
      limit,
      ...options(folder),
    });
    const calls = callsOf(trace, folder);
    const hit = calls.find((other) => other.when === when);
    if (hit !== undefined && is(hit) && ended.isLate === true && limit === brief) limit = long;
    else if (hit !== undefined && is(hit))
      return { folder, ended, later: calls.filter((other) => other.when > when) };
    misses.push(hit?.what ?? "nothing");
    // The call was made, but not where it was expected; or the command did not get that far.
    aim = calls.find(is)?.when ?? (calls.length < when ? call.when : when + 1);
  }
  throw new Error(`the fault was meant for\n${call.what}\nbut hit\n${misses.join("\n")}`);
}

/**
 * Milliseconds. A fault that hits a pipe of Node's own, instead of what it was meant for, can make it wait
 * for ever: that is soon over. What waits after the fault that was meant gets more time, and is tried again.
 */
const brief = 2000;
const long = 30_000;

/** Runs a command with a fault at every call of a name, or at those that `when` says. */
export async function injectAt(
  name: string,
  when: string,
  fault: Fault,
  command: readonly string[],
  options: StartOptions = {},
) {
  const [[kind, value]] = Object.entries(fault) as [[string, string | number]];
  const file = traceFile();
  // strace 6.1 forgets signals under --seccomp-bpf; without it, it is half as fast.
  const fast = kind === "signal" ? [] : ["--seccomp-bpf"];
  const words = ["-f", "-y", "-qq", "-s", "0", ...fast, "-o", file, "-e", `trace=${name}`];
  const rule = `inject=${name}:${kind}=${value}:${when}`;
  const ended = await start("strace", [...words, "-e", rule, ...command], { limit: long, ...options }).ended;
  if (!fs.existsSync(file)) throw new Error(`strace did not start: ${ended.status} ${ended.stderr}`);
  const trace = fs.readFileSync(file, "utf8");
  fs.rmSync(file);
  return { trace, ended };
}

/**
 * A call that failed shows no descriptor as its result, so only the name, the first path and the flags count.
 */
function targetOf(what: string): string {
  const [name, path, number] = what.split(" ");
  return `${name} ${path === "fd" ? `fd ${number}` : path} ${/O_[A-Z_|]+/.exec(what)?.[0]}`;
}

const changing =
  /^(?:write|pwrite|writev|rename|mkdir|rmdir|unlink|link|symlink|ftruncate|truncate|utimensat|f?chmod|copy_file_range|sendfile)/;

/** Returns whether the call changes something, or takes part in making a change durable. */
export function isChange({ name, line }: Call): boolean {
  return changing.test(name) || isFlush(name) || /O_CREAT|O_TRUNC/.test(line) || name === "exit_group";
}

export function isFlush(name: string): boolean {
  return /^(?:fsync|fdatasync|syncfs)$/.test(name);
}

/** Returns whether the call is about the folder, or reports the result to the caller. */
export function touches({ name, line }: Call, folder: string): boolean {
  return (
    line.includes(folder) ||
    line.includes("/proc/self/fd/") ||
    /\bwrite\(1</.test(line) ||
    name === "exit_group"
  );
}
