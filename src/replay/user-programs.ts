// What recorded commands may use of the programs on the user's PATH: toolchains as a whole, and single programs that the
// run used. Never a folder in which settings or tokens may lie.
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { CtxError } from "../base/errors.js";
import { findProgram } from "../base/find-program.js";
import { printable } from "../base/printable.js";
import type { PlannedStep } from "./plan.js";
import type { Toolchain } from "./sandbox-args.js";
import { isIn, systemPath } from "./sandbox-dir.js";
import { hasVariables, isOpenToAll, toolchainFolder } from "./toolchain-folders.js";

interface UserOfPrograms {
  path: string;
  home: string;
  /** The user that must be able to read them, if that is another one. */
  user?: number | undefined;
}

interface CommandMachine extends UserOfPrograms {
  /** Whether commands have the network, so that they can send what they read. */
  hasNetwork: boolean;
}

/** At most so many single programs are mounted: each makes the start of a command slower. */
const maxSingle = 100;

/**
 * Returns what recorded commands see of the user's programs: those that `names` names, or all toolchains of the PATH
 * and the other programs that the commands name. A script of the user's may hold a token: where commands have the
 * network, only `names` decides. Throws if a program of `names` is not there.
 */
export function programsForCommands(
  steps: readonly PlannedStep[],
  names: readonly string[] | undefined,
  machine: CommandMachine,
): Toolchain[] {
  const all = toolchainsOf(machine);
  const wanted = names ?? (machine.hasNetwork ? [] : neededBy(steps));
  const chosen =
    names === undefined
      ? all
      : all.filter(({ bin = "" }) => names.some((name) => findProgram(name, bin) !== undefined));
  const bins = [...chosen.flatMap(({ bin }) => bin ?? []), systemPath].join(":");
  const single = wanted.flatMap((name) => {
    if (findProgram(name, bins) !== undefined) return [];
    const found = singleProgram(name, machine);
    if (found === undefined && names !== undefined)
      throw new CtxError(
        "not-found",
        `there is no program ${printable(name)} on your PATH that the sandbox can show`,
      );
    return found ?? [];
  });
  return [...chosen, ...single.slice(0, maxSingle)];
}

/** Returns the programs that the run's commands name, as far as they could be read. */
function neededBy(steps: readonly PlannedStep[]): string[] {
  const needed = steps.flatMap(({ execution, classified }) =>
    execution.how === "command" ? (classified?.command?.programs ?? []) : [],
  );
  return [...new Set(needed)];
}

/** Returns the toolchains of a user's PATH. Below a home only what version managers install. */
export function toolchainsOf({ path, home, user }: UserOfPrograms): Toolchain[] {
  const found = new Map<string, Toolchain>();
  const realHome = realFolder(home) ?? home;
  for (const entry of path.split(":").filter(isAbsolute)) {
    const bin = isIn(entry, join(home, ".cargo")) ? rustBin(realHome) : realFolder(entry);
    const folder = bin === undefined ? undefined : toolchainFolder(bin, realHome);
    if (bin === undefined || folder === undefined || systemPath.split(":").includes(bin)) continue;
    if (hasVariables(folder) || (user !== undefined && !isOpenToAll(bin))) continue;
    found.set(bin, { folder, bin });
    const beside = libraryBeside(bin, folder);
    if (beside !== undefined) found.set(beside, { folder: beside });
  }
  return [...found.values()];
}

/** Returns the libraries of a toolchain that is a `bin` folder: around both there may be settings. */
function libraryBeside(bin: string, folder: string): string | undefined {
  return bin === folder ? realFolder(join(dirname(bin), "lib")) : undefined;
}

/**
 * Returns a program that lies in none of the toolchains, such as `~/go/bin/x` or `~/.cargo/bin/rg`, without the folder
 * around it. Starters that version managers put in place of a program need settings that are not shown.
 */
function singleProgram(name: string, { path, user }: UserOfPrograms): Toolchain | undefined {
  if (!/^[A-Za-z0-9_][\w.+-]{0,100}$/.test(name)) return undefined;
  const file = findProgram(name, path);
  if (file === undefined) return undefined;
  try {
    const real = fs.realpathSync(file);
    const { uid, mode } = fs.statSync(real);
    if (basename(dirname(file)) === "shims" || basename(real) === "rustup") return undefined;
    if ((uid !== process.geteuid?.() && uid !== 0) || (mode & 0o022) !== 0 || !isProgram(real))
      return undefined;
    if (user !== undefined && ((mode & 0o005) !== 0o005 || !isOpenToAll(dirname(real)))) return undefined;
    return { folder: file, bin: dirname(file), program: name };
  } catch {
    return undefined;
  }
}

/** Returns whether a file is a program by its first bytes: an executable of this system, or a script. */
function isProgram(file: string): boolean {
  const descriptor = fs.openSync(file, "r");
  try {
    const start = Buffer.alloc(4);
    fs.readSync(descriptor, start, 0, 4, 0);
    return start.toString("latin1") === "\x7fELF" || start.toString("latin1", 0, 2) === "#!";
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Returns what rustup's proxies in ~/.cargo/bin would run. The proxies themselves lie beside credentials. */
function rustBin(home: string): string | undefined {
  try {
    const settings = fs.readFileSync(join(home, ".rustup/settings.toml")).toString("utf8");
    const name = /^default_toolchain = "([\w.-]+)"$/m.exec(settings)?.[1];
    return name === undefined ? undefined : realFolder(join(home, ".rustup/toolchains", name, "bin"));
  } catch {
    return undefined;
  }
}

function realFolder(path: string): string | undefined {
  try {
    const found = fs.realpathSync(path);
    return fs.statSync(found).isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}
