import { CtxError } from "../../base/errors.js";
import type { DiscoverOptions } from "../../ops/discover.js";
import type { Call, Command, Option } from "../command.js";
import { openStoreIfAny } from "../open-store.js";
import { maxCount, maxCountOption } from "../max-count.js";
import { noticeEach, writeJson } from "../output.js";
import { noPagerOption, page } from "../pager.js";
import { whereabouts } from "../environment.js";
import { version } from "../version.js";

/** What narrows down which sessions are looked for. */
export const discoverOptions: Option[] = [
  { long: "agent", value: "name", summary: "only sessions of this agent", repeats: true, complete: "agent" },
  {
    long: "since",
    value: "when",
    summary: "only sessions that changed since a time, a date, or an age such as 7d",
  },
  {
    long: "project",
    value: "folder",
    summary: "only sessions of this folder or below it, or of one of this name",
    complete: "folder",
  },
];

export const discover: Command = {
  name: "discover",
  summary: "find sessions that agents left on this machine",
  details:
    "Looks in the places where the known agents keep their sessions, and nowhere else: Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, Cline, Roo Code, Kilo Code, OpenHands and mini-swe-agent below your home; SWE-agent, Inspect and the AI SDK's DevTools in the folder that you are in. Lists them newest first, with project, model, size, and whether they are packed. Nothing is written.",
  arguments: [],
  options: [
    ...discoverOptions,
    { long: "new", summary: "only sessions that are not packed as they are now" },
    maxCountOption,
    noPagerOption,
  ],
  examples: [
    { run: "ctx discover", does: "all sessions" },
    { run: "ctx discover --new --since 7d", does: "what this week's sessions left to pack" },
    { run: "ctx discover --project . --agent codex", does: "one agent's sessions in this project" },
    { run: "ctx discover --json | jq -r .path", does: "the files, for a script" },
  ],
  exits: [
    { status: 0, when: "listed" },
    { status: 2, when: "the command line was not understood, or the store cannot be read" },
  ],
  async run(call) {
    const { discover } = await import("../../ops/discover.js");
    const limit = maxCount(call) ?? Number.POSITIVE_INFINITY;
    const store = openStoreIfAny(call);
    const result = discover(store, whereabouts(call), {
      ...discoverFrom(call),
      isNew: call.options.has("new"),
      version,
    });
    const unreadable = result.unreadable.map(({ path, why }) => `cannot look at ${path}: ${why}`);
    noticeEach(call, unreadable, "places that cannot be looked at");
    const sessions = result.sessions.slice(0, limit);
    if (call.json) {
      for (const session of sessions) writeJson(call.terminal, session);
      return 0;
    }
    const { renderDiscovered } = await import("../../render/discover.js");
    const { home } = whereabouts(call);
    await page(
      call,
      renderDiscovered(result, call.terminal.out.screen, { home, limit, hasStore: store !== undefined }),
    );
    return 0;
  },
};

export function discoverFrom(call: Call): DiscoverOptions {
  const options: DiscoverOptions = {};
  const agents = call.lists.get("agent");
  if (agents !== undefined) options.agents = agents;
  for (const name of ["since", "project"] as const) {
    const value = call.options.get(name);
    if (value === "") throw new CtxError("usage", `--${name} needs a value that is not empty`);
    if (value !== undefined) options[name] = value;
  }
  return options;
}
