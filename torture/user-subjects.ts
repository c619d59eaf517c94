// The commands that write to the settings of the user, or of an agent.
import * as fs from "node:fs";
import { join } from "node:path";
import { lines } from "../dev/intake.js";
import { copyOf, emptyStore, sceneFolder } from "../dev/scenes.js";
import { runCtx } from "../dev/processes.js";
import { atHome, smallRun } from "./small-runs.js";
import type { Subject } from "./subject.js";

/** The command that a hook of an agent starts in the background. */
export const hook: Subject = {
  name: "hook",
  fresh: async () => {
    const folder = await emptyStore(smallRun());
    fs.mkdirSync(join(folder, "home"));
    const message = { role: "user", content: "hello" };
    const timestamp = "2026-02-10T12:00:00.000Z";
    const entry = { type: "user", uuid: "u", sessionId: "s1", cwd: "/p", timestamp, message };
    fs.writeFileSync(join(folder, "s1.jsonl"), lines(entry));
    return {
      folder,
      args: ["__seal", "claude-code"],
      isSilent: true,
      options: (copy) => ({
        ...atHome(copy),
        input: JSON.stringify({ session_id: "s1", transcript_path: join(copy, "s1.jsonl"), cwd: copy }),
      }),
    };
  },
};

/** A hook is added to existing settings of an agent. */
export const hookInstall: Subject = {
  name: "hook install",
  fresh: async () => {
    const folder = copyOf(sceneFolder(smallRun()));
    fs.mkdirSync(join(folder, "home/.claude"), { recursive: true });
    fs.writeFileSync(join(folder, "home/.claude/settings.json"), '{\n  "model": "opus"\n}\n');
    return {
      folder,
      args: ["hook", "install", "claude-code", "--yes"],
      options: atHome,
      words: ["settings.json"],
      safeWith: "fsync @/home/.claude",
    };
  },
};

/** Removes the file that installing has made, with its folder. */
export const hookRemove: Subject = {
  name: "hook remove",
  fresh: async () => {
    const folder = copyOf(sceneFolder(smallRun()));
    fs.mkdirSync(join(folder, "home"));
    const { status, stderr } = await runCtx(
      folder,
      ["hook", "install", "claude-code", "--yes"],
      atHome(folder),
    );
    if (status !== 0) throw new Error(stderr);
    return {
      folder,
      args: ["hook", "remove", "claude-code", "--yes"],
      options: atHome,
      words: ["settings.json"],
      safeWith: "fsync @/home/.claude",
    };
  },
};

/** A remote is added beside others. */
export const remote: Subject = {
  name: "remote add",
  fresh: async () => {
    const folder = copyOf(sceneFolder(smallRun()));
    const settings = join(folder, "home/.config/ctx");
    fs.mkdirSync(settings, { recursive: true });
    fs.writeFileSync(
      join(settings, "remotes.json"),
      '{"old":{"url":"oci://registry.example.com/old/runs"}}\n',
    );
    return {
      folder,
      args: ["remote", "add", "team", "oci://registry.example.com/team/runs"],
      options: atHome,
      words: ["remotes.json"],
    };
  },
};

/** The first remote of a user who has no settings yet. */
export const firstRemote: Subject = {
  name: "remote add, without settings",
  fresh: async () => {
    const folder = copyOf(sceneFolder(smallRun()));
    // The folder for locks exists: making it flushes home, too, and neither of the two flushes would be
    // missed.
    fs.mkdirSync(join(folder, "home/.local/state/ctx"), { recursive: true });
    return {
      folder,
      args: ["remote", "add", "team", "oci://registry.example.com/team/runs"],
      options: atHome,
      words: ["remotes.json"],
      unsure: ["home", "home/.config", "home/.config/ctx"],
      isUnsureAbove: true,
    };
  },
};
