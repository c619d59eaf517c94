import { CtxError } from "../../base/errors.js";
import { type DriftReport, type DriftType, driftTypes } from "../../results/drift.js";
import type { DiffOptions } from "../../ops/diff.js";
import { type Call, type Command, oneOf } from "../command.js";
import { junitOption, withJunitError, writeJunit } from "../junit.js";
import { notice, ignoringClosedPipe, writeJson } from "../output.js";
import { packNames, withPacks } from "../pack-arguments.js";
import { noPagerOption, page } from "../pager.js";
import { userPaths } from "../environment.js";

export const diff: Command = {
  name: "diff",
  summary: "show where two runs diverged, and why",
  details:
    "Aligns the steps of both runs, so that an inserted step does not make all later steps differ. A single pack is compared with its parent, or with the first --baseline. Prints a report for people on a terminal, and JSON elsewhere; --human and --json choose one.",
  arguments: [
    { name: "a", summary: packNames, required: true, complete: "pack" },
    { name: "b", summary: "the pack to compare it with", required: false, complete: "pack" },
  ],
  options: [
    ...oneOf(
      [
        { long: "human", summary: "print the report for people, even if the output is not a terminal" },
        { long: "markdown", summary: "print the report as Markdown for a pull request, under 60 KB" },
        { long: "stat", summary: "print one line for each type of difference" },
      ],
      ["json"],
    ),
    { long: "exit-code", summary: "exit with 1 if the runs differ" },
    {
      long: "only",
      value: "types",
      summary: "report only these types of differences, such as tool,param; the others do not count",
      repeats: true,
    },
    {
      long: "baseline",
      value: "pack",
      summary:
        "compare with this run; differences that also occur between baselines are usual and do not count",
      complete: "pack",
      repeats: true,
    },
    {
      long: "ignore",
      value: "rule",
      summary: "ignore a tool, or a path such as $.steps[*].parameters.seed or bash:$.output",
      repeats: true,
    },
    junitOption("also write the verdict as JUnit XML"),
    {
      long: "align",
      value: "how",
      summary: "how to align the steps; index: by position, step by step",
      complete: ["index"],
    },
    {
      long: "unified",
      short: "U",
      value: "N",
      summary: "show this many lines of context around changes (default: 3)",
    },
    ...oneOf([
      { long: "no-content", summary: "do not read and compare contents" },
      { long: "all-content", summary: "compare all contents, not just the first 200" },
    ]),
    noPagerOption,
  ],
  examples: [
    { run: "ctx diff latest", does: "show where a run diverged from its parent" },
    { run: "ctx diff good latest --stat", does: "count the differences of each type" },
    { run: "ctx diff good latest --ignore '$..seed'", does: "ignore differences in seeds" },
    { run: "ctx diff --baseline good --exit-code latest", does: "fail a CI job if the runs differ" },
  ],
  exits: [
    { status: 0, when: "compared" },
    { status: 1, when: "with --exit-code: the runs differ" },
    { status: 2, when: "the packs have nothing to compare, or a pack or content cannot be read" },
  ],
  async run(call) {
    const { names, options } = parseRequest(call);
    const ops = await import("../../ops/diff.js");
    const [a, b] = names;
    const all = [a, ...(b === undefined ? [] : [b]), ...(options.baselines ?? [])];
    const compare = (): Promise<DriftReport> =>
      withPacks(call, all, async (store, found) => {
        const [first = "", ...others] = found;
        // oxlint-disable-next-line ctx/no-shift -- arguments of the command line
        const second = b === undefined ? undefined : others.shift();
        return ops.diff(store, first, second, { ...options, baselines: others });
      });
    const report = await withJunitError(call, compare, async (message) => {
      const { renderJunitError } = await import("../../render/diff-junit.js");
      return renderJunitError(message);
    });
    const verdict = ops.verdictOf(report);
    if (report.pack_hash_a === report.pack_hash_b) notice(call, "both names refer to the same pack");
    const unused = (options.baselines?.length ?? 0) - report.baselines.length;
    if (unused > 0)
      notice(
        call,
        `${unused} ${unused === 1 ? "baseline was" : "baselines were"} ignored: named twice, or also compared`,
      );
    await writeJunit(call, async () => {
      const { renderJunit } = await import("../../render/diff-junit.js");
      return renderJunit(report, options.only);
    });
    await ignoringClosedPipe(() => printReport(call, report));
    if (verdict === "incomplete")
      throw new CtxError(
        unreadableCode(report),
        "could not compare everything: some content cannot be read",
        {
          problems: report.unreadable.map(({ message }) => ({ path: "", message })),
          hint: "pack the run's log again to repair its contents, or restore them from a copy of the store",
        },
      );
    return verdict === "drift" && call.options.has("exit-code") ? 1 : 0;
  },
};

function unreadableCode({ unreadable }: DriftReport): "missing" | "damaged" {
  return unreadable.every(({ message }) => message.includes("is not in the store")) ? "missing" : "damaged";
}

/** Returns the packs to compare, the older or expected one first, and how to compare them. */
function parseRequest(call: Call): { names: [string, string | undefined]; options: DiffOptions } {
  const [first, second] = call.arguments as [string, string | undefined];
  const [baseline, ...baselines] = call.lists.get("baseline") ?? [];
  if (baseline !== undefined && second !== undefined)
    throw new CtxError("usage", "with --baseline, name only one pack: the one to judge", {
      hint: `ctx diff --baseline ${first} ${second}`,
    });
  const only = parseDriftTypes(call.lists.get("only") ?? []);
  const content = call.options.has("no-content") ? "none" : call.options.has("all-content") ? "all" : "some";
  return {
    names: baseline === undefined ? [first, second] : [baseline, first],
    options: {
      align: call.options.has("align") ? "index" : undefined,
      baselines,
      ignore: call.lists.get("ignore") ?? [],
      ...(only === undefined ? {} : { only }),
      unified: parseUnified(call),
      user: userPaths(call.terminal.env),
      content,
    },
  };
}

function parseDriftTypes(lists: readonly string[]): DriftType[] | undefined {
  if (lists.length === 0) return undefined;
  return lists
    .flatMap((list) => list.split(","))
    .map((name) => {
      const found = driftTypes.find((type) => type === name || type === `${name}_drift`);
      if (found !== undefined) return found;
      const names = driftTypes.map((type) => type.replace("_drift", ""));
      throw new CtxError("usage", `--only takes ${names.join(", ")}, not "${name}"`);
    });
}

function parseUnified(call: Call): number {
  const value = call.options.get("unified") ?? "3";
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new CtxError("usage", `--unified needs a whole number up to 999999, not "${value}"`);
}

/**
 * Prints the report in the form that an option names; else for people on a terminal, and as JSON elsewhere.
 */
async function printReport(call: Call, report: DriftReport): Promise<void> {
  const { options, terminal } = call;
  const { out } = terminal;
  if (options.has("markdown")) {
    const { renderMarkdown } = await import("../../render/diff-markdown.js");
    out.write(renderMarkdown(report));
  } else if (options.has("stat")) {
    const { renderStat } = await import("../../render/diff.js");
    out.write(renderStat(report, out.screen));
  } else if (options.has("human") || (out.isTerminal && !call.json)) {
    const { renderDiff } = await import("../../render/diff.js");
    await page(call, renderDiff(report, out.screen));
  } else writeJson(terminal, report);
}
