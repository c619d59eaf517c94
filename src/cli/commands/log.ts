import type { LogOptions } from "../../ops/log.js";
import type { Screen } from "../../render/layout.js";
import type { Call, Command } from "../command.js";
import { openStore } from "../open-store.js";
import { lostTagNotice, notice, noticeEach, progressOn } from "../output.js";
import { noPagerOption } from "../pager.js";
import { printList } from "../print.js";
import {
  factFilterOptions,
  parseFactFilter,
  parseRunFilter,
  runFilterOptions,
} from "../run-filter-options.js";
import { maxCount, maxCountOption } from "../shared-options.js";

export const log: Command = {
  name: "log",
  summary: "list packs, newest first",
  arguments: [],
  options: [
    maxCountOption,
    { long: "oneline", summary: "one line per run" },
    { long: "graph", summary: "draw a graph of which pack was derived from which" },
    ...runFilterOptions,
    ...factFilterOptions,
    { long: "subagents", summary: "list the runs of sub-agents too, as --json and --graph do" },
    { long: "utc", summary: "show times in UTC instead of how long ago" },
    noPagerOption,
  ],
  examples: [
    { run: "ctx log", does: "list all packs" },
    { run: "ctx log -n 5 --oneline", does: "list the newest five, one line each" },
    {
      run: "ctx log --since 2026-01-31 --tool run_command",
      does: "list runs since that date that ran commands",
    },
    { run: "ctx log --project . --model opus", does: "list runs of one project with one kind of model" },
    { run: "ctx log --path pages.mjs --wrote", does: "list runs that changed a file" },
    { run: "ctx log --ran test.mjs", does: "list runs that executed a command with this text" },
    { run: "ctx log --failed --since 7d", does: "list this week's runs with failed calls" },
    { run: "ctx log --graph --oneline", does: "draw the lineage of all packs" },
    { run: "ctx log --json", does: "print one JSON object per line, for scripts" },
  ],
  exits: [
    {
      status: 0,
      when: "listed; packs that are damaged or written by a newer ctx are marked, and named on standard error",
    },
    { status: 2, when: "there is no store, or it cannot be read" },
  ],
  async run(call) {
    const options = logOptions(call);
    const store = openStore(call);
    const { log } = await import("../../ops/log.js");
    const progress = progressOn(call, (done, total) => `reading ${done} of ${total} packs`, 2000);
    const result = log(store, { ...options, progress: (done, total) => progress.show(done, total) });
    progress.clear();
    const render = async (screen: Screen): Promise<string> => {
      const { renderLog } = await import("../../render/log.js");
      const layout = {
        oneline: call.options.has("oneline"),
        graph: call.options.has("graph"),
        utc: call.options.has("utc"),
      };
      return renderLog(result, screen, layout);
    };
    await printList(call, result.entries, render, { paged: true });
    noticeEach(
      call,
      result.damaged.map(({ hash, message }) => `the pack ${hash} cannot be read: ${message}`),
      "packs that cannot be read",
    );
    noticeEach(
      call,
      result.newer.map(({ message }) => message),
      "packs written by a newer ctx",
    );
    noticeEach(call, result.lost_tags.map(lostTagNotice), "tags that cannot be followed");
    if (result.total === 0) notice(call, "there are no packs here yet; `ctx pack <log>` adds one");
    else if (result.entries.length === 0 && options.limit !== 0)
      notice(call, `none of ${result.total} packs matches`);
    else if (options.failed === true && call.terminal.out.isTerminal && !call.json)
      notice(call, "`ctx show <pack> --errors` shows the calls that failed");
    return 0;
  },
};

function logOptions(call: Call): LogOptions {
  const options: LogOptions = {
    ...parseRunFilter(call),
    ...parseFactFilter(call),
    byLineage: call.options.has("graph"),
    foldSubagents: !call.json && !call.options.has("subagents") && !call.options.has("graph"),
  };
  const limit = maxCount(call);
  return limit === undefined ? options : { ...options, limit };
}
