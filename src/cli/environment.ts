// Reads from the environment where the user keeps settings, passwords and sessions, and what the machine has.
import { createRequire } from "node:module";
import type * as Os from "node:os";
import { isAbsolute, join } from "node:path";
import type { RemoteOptions } from "../ops/push.js";
import type { ReplayOptions } from "../ops/replay.js";
import type { UserPlace } from "../store/config.js";
import type { Whereabouts } from "../ops/discover.js";
import type { Call } from "./command.js";
import type { Terminal } from "./terminal.js";

export function userPlace(env: Terminal["env"]): UserPlace {
  const home = homeFolder(env);
  return {
    config: join(folderOf(env["XDG_CONFIG_HOME"]) ?? join(home, ".config"), "ctx", "config.json"),
    state: join(folderOf(env["XDG_STATE_HOME"]) ?? join(home, ".local", "state"), "ctx"),
  };
}

/** Returns where to search for sessions of agents. */
export function whereabouts({ folder, terminal: { env } }: Call): Whereabouts {
  return { home: homeFolder(env), folder, env };
}

/** Returns where the user's passwords for registries are. */
export function walletOf(env: Terminal["env"]): RemoteOptions["wallet"] {
  return { home: homeFolder(env), env };
}

/** Returns what a replay may know about this machine. */
export function machineOf(env: Terminal["env"]): ReplayOptions["machine"] {
  return { temp: os().tmpdir(), path: env["PATH"] ?? "/usr/bin:/bin", home: homeFolder(env), env };
}

function homeFolder(env: Terminal["env"]): string {
  return folderOf(env["HOME"]) ?? os().homedir();
}

/** Ignores a relative path, as the XDG specification requires. */
function folderOf(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** Loads node:os late: it takes time, and most commands never need it. */
function os(): typeof Os {
  return createRequire(import.meta.url)("node:os") as typeof Os;
}
