import type { Screen } from "../../render/layout.js";
import type { Command } from "../command.js";
import { parseDiscoverOptions, discoverOptions } from "../discover-options.js";
import { userEnvironment, userPaths } from "../environment.js";
import { openStoreIfAny } from "../open-store.js";
import { noticeEach } from "../output.js";
import { noPagerOption } from "../pager.js";
import { printList } from "../print.js";
import { maxCount, maxCountOption } from "../shared-options.js";
import { version } from "../version.js";

export const discover: Command = {
  name: "discover",
  summary: "find sessions that agents left on this machine",
  details:
    "Looks only where the agents that ctx knows keep their sessions: Claude Code, Codex, Gemini CLI, Qwen Code, iFlow, Copilot CLI, pi, opencode, Cline, Roo Code, Kilo Code, OpenHands and mini-swe-agent below your home; SWE-agent, Inspect and the AI SDK's DevTools in the current folder. Lists the newest first: the first characters of the session's id, which `ctx show` and `ctx diff` accept; the first line of its first prompt, with secrets masked; project, agent, when its log last changed, and whether it is packed. Writes nothing.",
  arguments: [],
  options: [
    ...discoverOptions,
    { long: "new", summary: "only sessions that are not packed, or have grown since" },
    maxCountOption,
    noPagerOption,
  ],
  examples: [
    { run: "ctx discover", does: "list all sessions" },
    { run: "ctx discover --new --since 7d", does: "list this week's sessions that are not packed yet" },
    { run: "ctx discover --project . --agent codex", does: "list one agent's sessions in this project" },
    { run: "ctx discover --json | jq -r .path", does: "print the paths of the logs, for a script" },
  ],
  exits: [
    { status: 0, when: "listed" },
    { status: 2, when: "the command line was not understood, or the store cannot be read" },
  ],
  async run(call) {
    const { discover } = await import("../../ops/discover.js");
    const limit = maxCount(call) ?? Number.POSITIVE_INFINITY;
    const store = openStoreIfAny(call);
    const result = discover(store, userEnvironment(call), {
      ...parseDiscoverOptions(call),
      isNew: call.options.has("new"),
      user: userPaths(call.terminal.env),
      version,
    });
    const unreadable = result.unreadable.map(({ path, why }) => `cannot read ${path}: ${why}`);
    noticeEach(call, unreadable, "places that cannot be read");
    const sessions = result.sessions.slice(0, limit);
    const render = async (screen: Screen): Promise<string> => {
      const { renderDiscovered } = await import("../../render/discover.js");
      const { home } = userEnvironment(call);
      return renderDiscovered(result, screen, {
        home,
        limit,
        hasStore: store !== undefined,
        now: new Date(),
      });
    };
    await printList(call, sessions, render, { paged: true });
    return 0;
  },
};
