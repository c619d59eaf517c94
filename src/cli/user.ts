// Where the user's own settings are, as the environment says.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { UserPlace } from "../store/config.js";
import type { Terminal } from "./terminal.js";

export function userPlace(env: Terminal["env"]): UserPlace {
  const home = homeFolder(env);
  return {
    config: join(folderOf(env["XDG_CONFIG_HOME"]) ?? join(home, ".config"), "ctx", "config.json"),
    state: join(folderOf(env["XDG_STATE_HOME"]) ?? join(home, ".local", "state"), "ctx"),
  };
}

export function homeFolder(env: Terminal["env"]): string {
  return folderOf(env["HOME"]) ?? homedir();
}

/** What is relative does not count, as the rules for these variables have it. */
function folderOf(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
