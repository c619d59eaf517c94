// Builds the command line of bwrap, and the environment of what it runs. Each part of it closes a hole that
// was found by trying; a change needs a run of the escape tests.
import { join, posix } from "node:path";
import { findProgram } from "../base/find-program.js";
import {
  type SandboxDir,
  homeInside,
  isIn,
  openNetwork,
  type OwnFolders,
  systemPath,
  workspaceInside,
} from "./sandbox-dir.js";
import { StepFailure } from "./outcome.js";
import { memory, ownFolders, sharedFolders, system, wholeSystem } from "./sandbox-mounts.js";

/** What programs run in; `off` only on the user's request. */
export type Sandbox = { kind: "bwrap"; version: string } | { kind: "off" };

export interface SandboxProgram {
  /** Run as is, without a shell in between. */
  argv: string[];
  /** Its current folder, as seen inside. One of the user's own programs starts in its own folder instead. */
  folder: string;
  env?: Record<string, string>;
  /** For the user's own programs: the folders that they have instead of those of recorded commands. */
  own?: OwnFolders;
}

export interface LaunchOptions {
  network: boolean;
  /** The user's PATH: where to find bwrap. */
  path: string;
  toolchains?: Toolchain[];
}

/** Programs outside /usr that the user has on the PATH. */
export interface Toolchain {
  /** What programs can see, read-only and at the same path. */
  folder: string;
  /** What is on their PATH, if anything. */
  bin?: string;
  /** The name of the one program that `folder` is, where it is no folder but a file. */
  program?: string;
}

/**
 * Returns what to start in order to run a program. `mark` identifies its processes if there is no sandbox.
 */
export function commandLine(
  box: SandboxDir,
  sandbox: Sandbox,
  program: SandboxProgram,
  options: LaunchOptions & { mark: string },
): CommandLine {
  const { argv, folder, env = {}, own } = program;
  // In the settings for bwrap, what follows a NUL would be an option of bwrap's.
  if ([...argv, folder, ...Object.entries(env).flat()].some((word) => word.includes("\0")))
    throw new StepFailure("error", "a NUL character cannot be handed to a program");
  if (sandbox.kind === "bwrap") return sandboxedLine(box, program, options);
  return own === undefined
    ? plainLine(box, program, options)
    : ownProgramLine(box, { ...program, own }, options);
}

/**
 * Returns the variables by which the user's own programs find the workspace, and the path that it had for the
 * run's tools.
 */
export function workspaceNames(box: SandboxDir, sandbox: Sandbox): Record<string, string> {
  return {
    CTX_WORKSPACE: sandbox.kind === "bwrap" ? workspaceInside : box.workspace,
    CTX_RECORDED_WORKSPACE: box.visiblePath,
  };
}

/** The variable that marks a program without a sandbox. */
export const markName = "CTX_REPLAY";

interface CommandLine {
  command: string;
  args: string[];
  env: Record<string, string>;
  folder?: string;
}

function sandboxedLine(box: SandboxDir, program: SandboxProgram, options: LaunchOptions): CommandLine {
  const bwrap = findProgram("bwrap", options.path);
  if (bwrap === undefined) throw new StepFailure("no_sandbox", "bwrap is not installed");
  if (options.network) openNetwork(box);
  // By its path in the system's folders, where no workspace can be: a name would be found by the PATH.
  const prlimit = findProgram("prlimit", systemPath);
  if (prlimit === undefined) throw new StepFailure("no_sandbox", "prlimit (of util-linux) is not installed");
  const limits = [prlimit, ...limitArgs({ processes: 512 })];
  const visible = { ...options, toolchains: visibleToolchains(box, program, options) };
  return {
    command: bwrap,
    args: [...sandboxArgs(box, program, visible), ...firstProcess, ...limits, ...program.argv],
    env: environment(visible, { home: homeInside, tmp: "/tmp" }),
  };
}

/**
 * The first process of the sandbox: it waits for the program, and the kernel ends everything else when it
 * ends. bwrap has one of its own, but does not wait for it: in a container whose first process is ctx, each
 * step would leave a zombie. Messages of the shell itself, such as "Killed", are not part of the output.
 */
const firstProcess = ["/bin/sh", "-c", 'exec 9>&2 2>/dev/null; (exec "$@" 2>&9 9>&-); exit $?', "sh"];

/**
 * Returns the toolchains that are really visible in the sandbox. One that the workspace covers, or that lies
 * in it, is not on the PATH either: the files of the pack would be found in its place.
 */
function visibleToolchains(
  { visiblePath }: SandboxDir,
  { own }: SandboxProgram,
  { toolchains = [] }: LaunchOptions,
): Toolchain[] {
  if (own !== undefined) return toolchains;
  return toolchains.filter(
    ({ folder, bin = folder }) =>
      !isIn(bin, visiblePath) && (folder === "/usr" || !isIn(visiblePath, folder)),
  );
}

/** Returns what to start without a sandbox: in the workspace, where it really is. */
function plainLine(
  box: SandboxDir,
  program: SandboxProgram,
  options: LaunchOptions & { mark: string },
): CommandLine {
  const folder = posix.resolve(box.visiblePath, program.folder);
  if (!isIn(folder, box.visiblePath))
    throw new StepFailure("outside", "it ran in a folder outside the workspace");
  return bareLine(box, program, options, {
    home: join(box.folder, "home"),
    tmp: join(box.folder, "tmp"),
    start: join(box.workspace, folder.slice(box.visiblePath.length)),
  });
}

/** Returns what to start for one of the user's own programs without a sandbox: in its own folders. */
function ownProgramLine(
  box: SandboxDir,
  program: SandboxProgram & { own: OwnFolders },
  options: LaunchOptions & { mark: string },
): CommandLine {
  return bareLine(box, program, options, program.own);
}

function bareLine(
  box: SandboxDir,
  program: SandboxProgram,
  options: LaunchOptions & { mark: string },
  folders: OwnFolders,
): CommandLine {
  const env = environment(options, folders);
  const prlimit = findProgram("prlimit", options.path);
  // Here the limit on processes counts all that the user has: it applies to "nobody" alone, and is wide.
  const processLimit = box.user === undefined ? {} : { processes: 4096 };
  const limits = prlimit === undefined ? [] : [prlimit, ...limitArgs(processLimit)];
  const [command = "", ...args] = [...limits, ...program.argv];
  return {
    command,
    args,
    env: { ...env, ...program.env, [markName]: options.mark },
    folder: folders.start,
  };
}

/**
 * Returns everything between `bwrap` and the program. The filter, the status and the settings are descriptors
 * 3, 4 and 5.
 */
function sandboxArgs(box: SandboxDir, program: SandboxProgram, options: LaunchOptions): string[] {
  const toolchains = (options.toolchains ?? []).map(({ folder }) => folder);
  const inBox = (name: string): string => join(box.folder, name);
  const parts = [
    words("--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try"),
    options.network ? [] : ["--unshare-net"],
    words("--disable-userns --die-with-parent --as-pid-1 --new-session --cap-drop ALL"),
    words("--uid 1000 --gid 1000 --hostname ctx"),
    program.own === undefined ? system(box) : wholeSystem(),
    ["--ro-bind", inBox("etc"), "/etc", "--proc", "/proc", "--dev", "/dev"],
    // With a user namespace, bwrap itself leaves these open.
    coverable.flatMap((path) => ["--ro-bind-try", path, path]),
    ["--remount-ro", "/dev", ...memory("/dev/shm"), "--dir", "/run", "--dir", "/var"],
    // No mount point is in a folder that steps can write to: they could put a link in its place for the next
    // step.
    program.own === undefined
      ? sharedFolders(box, program.folder, toolchains)
      : ownFolders(box, program.own, toolchains),
    words("--seccomp 3 --json-status-fd 4 --args 5 --remount-ro / --"),
  ];
  return parts.flat();
}

function words(text: string): string[] {
  return text.split(" ");
}

/**
 * Returns a prefix that sets limits, then executes the program. Address space is not limited: WebAssembly
 * reserves much.
 */
function limitArgs(options: { processes?: number }): string[] {
  const processes = options.processes === undefined ? [] : [`--nproc=${options.processes}`];
  return [...processes, "--nofile=4096", "--core=0", "--fsize=1073741824", "--data=4294967296", "--"];
}

/**
 * Returns the whole environment of a program, besides variables that are set for it alone. Nothing is the
 * user's.
 */
function environment(
  { network, toolchains = [] }: LaunchOptions,
  folders: { home: string; tmp: string },
): Record<string, string> {
  return {
    PATH: [...new Set(toolchains.flatMap(({ bin }) => bin ?? [])), systemPath].join(":"),
    HOME: folders.home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: folders.tmp,
    // Without a network, npm gives up at once instead of trying for minutes.
    ...(network ? {} : { npm_config_offline: "true", npm_config_fetch_retries: "0" }),
  };
}

const coverable = ["sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr"].map((name) => `/proc/${name}`);
