import type { StatsOptions } from "../../ops/stats.js";
import type { Screen } from "../../render/layout.js";
import type { StatsGroup } from "../../results/stats.js";
import type { Call, Command } from "../command.js";
import { openStore } from "../open-store.js";
import { notice, noticeEach, progressOn } from "../output.js";
import { noPagerOption, page } from "../pager.js";
import { print } from "../print.js";
import {
  factFilterOptions,
  parseFactFilter,
  parseRunFilter,
  runFilterOptions,
} from "../run-filter-options.js";

const groups: readonly StatsGroup[] = ["day", "week", "model", "agent", "tool", "project"];

export const stats: Command = {
  name: "stats",
  summary: "count runs, steps, tokens and cost",
  details:
    "Tokens and costs are those that the logs state; ctx knows no prices, and – stands for what no log says. The runs of sub-agents count as part of the run that started them, and of several versions of a session only the newest counts. A run counts on the day on which it ended; one whose log has no time has a row of its own.",
  arguments: [],
  options: [
    {
      long: "by",
      value: "group",
      summary: "a row for each day, week, model, agent, tool or project",
      complete: groups,
    },
    ...runFilterOptions,
    ...factFilterOptions,
    { long: "subagents", summary: "count the runs of sub-agents as runs of their own" },
    { long: "csv", summary: "print comma-separated values, for spreadsheets", conflicts: ["json"] },
    { long: "utc", summary: "days and weeks in UTC instead of local time" },
    noPagerOption,
  ],
  examples: [
    { run: "ctx stats", does: "count all runs" },
    { run: "ctx stats --by day --since 7d", does: "what each day of this week took" },
    { run: "ctx stats --by model --project .", does: "compare the models that worked in this project" },
    { run: "ctx stats --by tool --failed", does: "show which calls fail in runs with failures" },
    { run: "ctx stats --by week --csv", does: "write a table for a spreadsheet" },
  ],
  exits: [
    { status: 0, when: "counted; packs that cannot be read are named on standard error" },
    { status: 2, when: "there is no store, or it cannot be read" },
  ],
  async run(call) {
    const options = statsOptions(call);
    const store = openStore(call);
    const { stats: count } = await import("../../ops/stats.js");
    const progress = progressOn(call, (done, total) => `reading ${done} of ${total} packs`, 2000);
    const result = count(store, { ...options, progress: (done, total) => progress.show(done, total) });
    progress.clear();
    if (call.options.has("csv")) {
      const { statsCsv } = await import("../../render/stats.js");
      await page(call, statsCsv(result));
    } else if (call.json || result.total.runs > 0)
      await print(
        call,
        result,
        async (screen: Screen) => {
          const { renderStats } = await import("../../render/stats.js");
          return renderStats(result, screen, { withBars: call.terminal.out.isTerminal });
        },
        { paged: true },
      );
    noticeEach(
      call,
      result.unreadable.map((hash) => `the pack ${hash} cannot be read and was not counted`),
      "packs that cannot be read",
    );
    if (result.packs === 0) notice(call, "there are no packs here yet; `ctx pack <log>` adds one");
    else if (result.total.runs === 0) notice(call, `none of ${result.packs} packs matches`);
    return 0;
  },
};

function statsOptions(call: Call): StatsOptions {
  const by = call.options.get("by") as StatsGroup | undefined;
  return {
    ...parseRunFilter(call),
    ...parseFactFilter(call),
    ...(by === undefined ? {} : { by }),
    subagents: call.options.has("subagents"),
    utc: call.options.has("utc"),
  };
}
