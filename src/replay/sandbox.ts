// Starts programs in the sandbox, and finds out whether this machine allows one. Without a sandbox nothing is
// started, unless the user requested exactly that.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as soon, setTimeout as pause } from "node:timers/promises";
import { errnoOf, withPath } from "../base/errors.js";
import { findProgram } from "../base/find-program.js";
import { type SandboxDir, readySandboxDir } from "./sandbox-dir.js";
import { StepFailure } from "./outcome.js";
import {
  commandLine,
  type LaunchOptions,
  markName,
  type SandboxProgram,
  type Sandbox,
} from "./sandbox-args.js";
import { seccompFilter } from "./seccomp.js";

export interface ProgramExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether the program itself ran, and not only what should have started it. */
  ran: boolean;
}

export interface StartedProgram {
  child: ChildProcess;
  kill(): void;
  /** Resolves at its end, when nothing is left of what it started. */
  ended: Promise<ProgramExit>;
}

export type SandboxProbe = { ok: true; version: string } | { ok: false; why: string; hint: string };

type ChildStream = number | "pipe" | "ignore";

/** Finds out whether programs can run in a sandbox here, by running one with all features in use. */
export async function probeSandbox(box: SandboxDir, options: LaunchOptions): Promise<SandboxProbe> {
  const orWithout = "or run them without a sandbox: --no-sandbox";
  const unusable = (why: string, hint?: string): SandboxProbe => ({
    ok: false,
    why,
    hint: hint === undefined ? orWithout.slice(3) : `${hint}, ${orWithout}`,
  });
  if (process.platform !== "linux") return unusable("the sandbox needs Linux");
  if (seccompFilter(process.arch) === undefined)
    return unusable(`there is no system call filter for this kind of processor (${process.arch})`);
  const bwrap = findProgram("bwrap", options.path);
  if (bwrap === undefined) return unusable("bwrap is not installed", "install bubblewrap");
  const version = spawnSync(bwrap, ["--version"], { encoding: "utf8", env: {} })
    .stdout?.trim()
    .split(" ")
    .at(-1);
  try {
    const program = { argv: ["true"], folder: box.visiblePath };
    const bwrapped = { kind: "bwrap", version: version ?? "" } as const;
    const started = launch(box, bwrapped, program, { ...options, streams: ["ignore", "ignore", "pipe"] });
    const timer = setTimeout(() => started.kill(), 10_000);
    const [{ code, ran }, output] = await Promise.all([
      started.ended,
      text(started.child.stderr as Readable),
    ]);
    clearTimeout(timer);
    if (ran && code === 0) return { ok: true, version: bwrapped.version };
    const [, why, hint] = causes.find(([pattern]) => pattern.test(output)) ?? [];
    const words = output.trim().slice(0, 300) || "it ended without a word";
    return unusable(why === undefined ? `bwrap cannot be used: ${words}` : `${why} (${words})`, hint);
  } catch (error) {
    if (error instanceof StepFailure) return unusable(error.message);
    throw error;
  }
}

/** What bwrap prints if it is kept from working, what that means, and what helps. */
const causes: [RegExp, string, string][] = [
  [
    /setting up uid map: Permission denied|Failed RTM_NEWADDR/,
    "AppArmor keeps programs from having user namespaces",
    "load the AppArmor profile bwrap-userns-restrict",
  ],
  [
    /No permissions to creat/,
    "this container does not allow namespaces",
    "run the container with a seccomp profile that allows them",
  ],
  [
    /namespaces exceeded|No space left on device/,
    "no more namespaces are allowed",
    "raise user.max_user_namespaces with sysctl",
  ],
  [/Can't mount proc/, "this container hides parts of /proc", "run the container with /proc unmasked"],
  [
    /setting up uid map: Operation not permitted/,
    "this root user has no capabilities",
    "run ctx as an ordinary user",
  ],
  [
    /Can't find source path .*: Permission denied/,
    "programs of root run as the user nobody, who cannot enter the folder for temporary files",
    "set TMPDIR to a folder that everybody can enter",
  ],
  [/Unknown option/, "this bwrap is too old", "install bubblewrap 0.8.0 or newer"],
];

/** Starts a program. Throws a StepFailure if it cannot be started. */
export function launch(
  box: SandboxDir,
  sandbox: Sandbox,
  program: SandboxProgram,
  options: LaunchOptions & { streams: ChildStream[] },
): StartedProgram {
  readySandboxDir(box);
  const mark = randomUUID();
  const bwrapped = sandbox.kind === "bwrap";
  const line = commandLine(box, sandbox, program, { ...options, mark });
  const status = scratch(box, "");
  const devNull = fs.openSync("/dev/null", "r");
  const settings = bwrapped ? scratch(box, settingsOf(program)) : devNull;
  const filter = bwrapped ? fs.openSync(join(box.folder, "filter"), "r") : devNull;
  const stdio: ChildStream[] = [...options.streams, ...(bwrapped ? [filter, status, settings] : [])];
  // Descriptors that this process inherited would be passed on to the program, too.
  for (const descriptor of inherited()) stdio[descriptor] ??= devNull;
  try {
    const child = spawn(line.command, line.args, {
      env: line.env,
      stdio: Array.from(stdio, (stream) => stream ?? "ignore"),
      detached: true,
      ...(line.folder === undefined ? {} : { cwd: line.folder }),
      ...(box.user === undefined ? {} : { uid: box.user, gid: box.user }),
    });
    let isKilled = false;
    let isOver = false;
    const kill = (): void => {
      if (isOver) return;
      isKilled = true;
      // bwrap then sees that all is over, and waits for it. During setup there is no first process yet.
      if (bwrapped && killFirst(status)) setTimeout(() => isOver || killGroup(child), patience).unref();
      else killGroup(child);
    };
    const ended = endOf(child).then(async (end) => {
      isOver = bwrapped;
      if (bwrapped)
        return await waitUntilEmpty(status, isKilled ? { ...end, code: null, signal: "SIGKILL" } : end);
      kill();
      sweep(mark);
      return end;
    });
    return { child, kill, ended: ended.finally(() => fs.closeSync(status)) };
  } catch (error) {
    fs.closeSync(status);
    throw notStarted(error);
  } finally {
    for (const descriptor of new Set([devNull, settings, filter])) fs.closeSync(descriptor);
  }
}

/**
 * Passes variables of the program alone through bwrap's settings: in bwrap's own environment they could
 * change bwrap.
 */
function settingsOf({ env = {} }: SandboxProgram): string {
  return Object.entries(env)
    .map(([name, value]) => `--setenv\0${name}\0${value}\0`)
    .join("");
}

/** Returns the descriptor of an unlinked file. */
function scratch(box: SandboxDir, content: string): number {
  const path = join(box.folder, "scratch");
  return withPath(path, "write", () => {
    try {
      fs.writeFileSync(path, content, { mode: 0o600 });
      return fs.openSync(path, "r+");
    } finally {
      fs.rmSync(path, { force: true });
    }
  });
}

let cachedDescriptors: number[] | undefined;

/**
 * Returns descriptors that came from the parent process and would go on to every program: Node closes only
 * the first few.
 */
function inherited(): number[] {
  if (process.platform !== "linux") return [];
  cachedDescriptors ??= fs.readdirSync("/proc/self/fdinfo").flatMap((name) => {
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(
        fs.readFileSync(`/proc/self/fdinfo/${name}`).toString("utf8"),
      )?.[1];
      return Number(name) > 2 && (Number.parseInt(flags ?? "0", 8) & 0o2000000) === 0 ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
  return cachedDescriptors;
}

function endOf(child: ChildProcess): Promise<ProgramExit> {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(notStarted(error)));
    child.on("exit", (code, signal) => resolve({ code, signal, ran: true }));
  });
}

function notStarted(error: unknown): unknown {
  const errno = errnoOf(error);
  const why = errno === "E2BIG" ? "its arguments are too long" : errno;
  return why === undefined ? error : new StepFailure("error", `it could not be started: ${why}`);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has exited already.
  }
  child.kill("SIGKILL");
}

/**
 * Waits until the first process of the sandbox has exited: the kernel lets it go only after all others. It
 * ends with bwrap, unless a program has taken it over; so it is killed here, if its number still belongs to
 * the same process.
 */
async function waitUntilEmpty(status: number, end: ProgramExit): Promise<ProgramExit> {
  const { output, first } = readStatus(status);
  for (let tries = 0; tries < 2000 && isAlive(first); tries++) {
    killFirst(status);
    // It rarely takes a millisecond, which is the resolution of a timer.
    await (tries < 50 ? soon() : pause(1));
  }
  return { ...end, ran: output.includes('"exit-code"') };
}

/** How long bwrap may take to notice that all is over. */
const patience = 2000;

/** Returns what bwrap has reported so far, and the number of the first process of the sandbox. */
function readStatus(status: number): { output: string; first: string; namespace: string } {
  const bytes = Buffer.alloc(1024);
  const output = bytes.toString("latin1", 0, fs.readSync(status, bytes, 0, bytes.length, 0));
  const first = /"child-pid": (\d+)/.exec(output)?.[1] ?? "none";
  const namespace = /"pid-namespace": (\d+)/.exec(output)?.[1] ?? "none";
  return { output, first, namespace };
}

/**
 * Kills the first process of a sandbox, and so all others in it; returns false if there is none, or another
 * has its number.
 */
function killFirst(status: number): boolean {
  try {
    const { first, namespace } = readStatus(status);
    if (fs.readlinkSync(`/proc/${first}/ns/pid`) !== `pid:[${namespace}]`) return false;
    process.kill(Number(first), "SIGKILL");
    return true;
  } catch {
    // It exited in between.
    return false;
  }
}

function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX] [^)]*$/.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/**
 * Kills processes that left their group if there is no sandbox. Recognises them by their environment, unless
 * they changed it.
 */
function sweep(mark: string): void {
  if (process.platform !== "linux") return;
  // Until none is found: processes that are just starting, or still dying, are seen by the next round.
  for (let round = 0; round < 50 && sweepOnce(mark) > 0; round++);
}

function sweepOnce(mark: string): number {
  let found = 0;
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${markName}=${mark}`)) continue;
      process.kill(Number(pid), "SIGKILL");
      found++;
    } catch {
      // Exited, or another user's.
    }
  return found;
}
