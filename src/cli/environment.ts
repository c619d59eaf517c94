// Reads from the environment where the user keeps settings, passwords and sessions, and what the machine has.
import { isAbsolute, join } from "node:path";
import { lazy } from "../base/lazy.js";
import type { RemoteOptions } from "../ops/push.js";
import type { ReplayOptions } from "../ops/replay.js";
import type { UserPaths } from "../store/config.js";
import type { AgentPaths } from "../ops/discover.js";
import type { Call } from "./command.js";
import type { Terminal } from "./terminal.js";

export function userPaths(env: Terminal["env"]): UserPaths {
  const home = homeFolder(env);
  return {
    config: join(absolutePath(env["XDG_CONFIG_HOME"]) ?? join(home, ".config"), "ctx", "config.json"),
    state: join(absolutePath(env["XDG_STATE_HOME"]) ?? join(home, ".local", "state"), "ctx"),
  };
}

/** Returns where to search for sessions of agents. */
export function userEnvironment({ folder, terminal: { env } }: Call): AgentPaths {
  return { home: homeFolder(env), folder, env };
}

/** Returns where the user's passwords for registries are. */
export function registryCredentials(env: Terminal["env"]): RemoteOptions["wallet"] {
  return { home: homeFolder(env), env };
}

/** Returns what a replay may know about this machine. */
export function machineFacts(env: Terminal["env"]): ReplayOptions["machine"] {
  return { temp: lazy("os").tmpdir(), path: env["PATH"] ?? "/usr/bin:/bin", home: homeFolder(env), env };
}

function homeFolder(env: Terminal["env"]): string {
  return absolutePath(env["HOME"]) ?? lazy("os").homedir();
}

/** Ignores a relative path, as the XDG specification requires. */
function absolutePath(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
