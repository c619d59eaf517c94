// Files of a user: settings of ctx and of agents, sessions, the payloads of hooks and their records.
import { json } from "../../dev/logs.js";
import * as at from "./ground.js";
import { here } from "./parser.js";
import type { Parser } from "./parsers.js";

export const ofUser: Parser[] = [
  {
    name: "user's config",
    by: "file",
    file: at.userConfig,
    commands: [["replay", "good", "--plan"]],
    later: [
      ["scan", "good"],
      ["diff", "good", "latest"],
    ],
    seeds: ({ bytes }) => [bytes(at.userConfig), json(at.fullConfig)],
  },
  {
    name: "remotes",
    by: "file",
    file: at.remotes,
    commands: [["remote"], ["__complete", "--", "push", "good", ""]],
    later: [["remote", "--json"]],
    seeds: ({ bytes }) => [bytes(at.remotes)],
  },
  {
    name: "agent's settings",
    by: "file",
    file: at.settings,
    commands: [["hook"], ["hook", "install", "claude-code", "--dry-run"]],
    later: [["hook", "remove", "claude-code", "--dry-run"]],
    seeds: ({ bytes }) => [
      bytes(at.settings),
      Buffer.from('{"model":"x","hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"other"}]}]}}'),
    ],
  },
  {
    name: "hook's memory",
    by: "file",
    file: at.hookMemory,
    commands: [["hook", "remove", "claude-code", "--dry-run"]],
    later: [["hook"]],
    seeds: ({ bytes, folder }) => [
      Buffer.from(bytes(at.hookMemory).toString("utf8").replaceAll(folder, here)),
    ],
  },
  {
    name: "hook's runs",
    by: "file",
    file: at.hookRuns,
    commands: [["hook"]],
    later: [["hook", "--json"]],
    seeds: ({ bytes }) => [bytes(at.hookRuns)],
  },
  {
    name: "hook's input",
    by: "input",
    commands: [["__seal", "claude-code"], ["hook"]],
    writes: true,
    seeds: () => [
      json({
        session_id: "0a1b2c3d-0000-4000-8000-0123456789ab",
        transcript_path: `${here}/${at.session}`,
        cwd: here,
        hook_event_name: "SessionEnd",
        reason: "exit",
      }),
      json({ session_id: "0a1b2c3d-0000-4000-8000-0123456789ab", cwd: `${here}/home` }),
    ],
  },
  {
    name: "session to be found",
    by: "file",
    file: at.session,
    commands: [["discover"]],
    later: [["discover", "--json"]],
    seeds: ({ bytes }) => [bytes(at.session)],
  },
];
