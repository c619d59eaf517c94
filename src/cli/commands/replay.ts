import { resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import { printable } from "../../base/printable.js";
import type { ReplayReport } from "../../results/replay.js";
import type { ReplayOptions } from "../../ops/replay.js";
import type { Call, Command, Option } from "../command.js";
import { checkJunit, junitOption, writeJunit } from "../junit.js";
import { ignoringClosedPipe } from "../output.js";
import { packNames, withPacks } from "../pack-arguments.js";
import { parseAllowed, interruptible } from "../interrupt.js";
import { print } from "../print.js";
import { stepNumber } from "../shared-options.js";
import { shellWord } from "../../render/layout.js";
import { ClosedPipe } from "../terminal.js";
import { machineFacts, userPaths } from "../environment.js";

export const replay: Command = {
  name: "replay",
  summary: "execute the tool calls of a run again, and compare",
  details:
    "Makes a temporary folder from the run's inputs, executes each tool call there, and compares its output with the recorded one. File tools need no permission, as they cannot leave that folder. Commands, adapters and MCP servers run in a sandbox, and only if you allow it: with --allow, or when ctx asks.",
  notes: {
    title: "what --allow accepts",
    rows: [
      ["exec", "commands that the pack recorded"],
      ["adapters, mcp", "programs in your own config, or in that of a store you trust"],
      ["mcp-writes", "also MCP tools that their server does not declare read-only"],
      ["net", "the network of this machine, including local services"],
      ["together", "with exec: adapters and servers that use variables or the network"],
      ["all", "exec, adapters and mcp"],
    ],
  },
  arguments: [{ name: "pack", summary: packNames, required: true, complete: "pack" }],
  options: [
    {
      long: "plan",
      summary: "show what would run, and execute nothing",
      conflictError: (other) => `--plan executes nothing, so --${other} has no effect`,
    },
    { long: "full", summary: "list every command", needs: "plan" },
    {
      long: "allow",
      value: "kinds",
      summary: "kinds of programs that may run, separated by commas",
      repeats: true,
    },
    {
      long: "recorded",
      value: "tool",
      summary: "use the recorded output of this tool; '*' for all tools that cannot run",
      repeats: true,
    },
    ...executionOnly([
      { long: "workspace", value: "dir", summary: "start from a copy of this folder", complete: "folder" },
      {
        long: "git",
        value: "rev",
        summary: "start from this revision of the repository; auto finds the run's own",
        conflicts: ["workspace"],
      },
      {
        long: "repo",
        value: "dir",
        summary: "the repository for --git, in place of the one around the store",
        complete: "folder",
      },
      {
        long: "auto",
        summary: "find the repository of the run, its commit and its dependencies",
        conflicts: ["workspace"],
      },
      {
        long: "deps",
        value: "dir",
        summary: "programs see node_modules, .venv and the like of this checkout",
        complete: "folder",
      },
      { long: "yes", summary: "start from the commit that was found, even if it is a guess" },
      { long: "keep", summary: "keep the workspace and print its path" },
      { long: "to", value: "N", summary: "stop after step N" },
      {
        long: "step",
        value: "N",
        summary: "judge only step N; the steps before it are still executed",
        conflicts: ["to"],
      },
      { long: "stop-on-divergence", summary: "stop at the first judged step that diverges" },
      { long: "no-resync", summary: "leave files that have drifted as they are, and do not set them back" },
      {
        long: "require",
        value: "percent",
        summary: "an exact replay that checked less of what can be checked is degraded",
      },
      {
        long: "seal",
        summary: "seal the replay as a new pack, a child of this one",
        conflicts: ["step"],
      },
      { long: "no-sandbox", summary: "run programs without a sandbox, with your own rights" },
      junitOption("also write the result as JUnit XML"),
      { long: "markdown", summary: "print the result as Markdown", conflicts: ["json"] },
    ]),
  ],
  examples: [
    { run: "ctx replay 47d75f33 --plan", does: "see what would run" },
    { run: "ctx replay 47d75f33 --allow exec", does: "replay it, commands in the sandbox" },
    { run: "ctx replay latest --allow exec --json", does: "print the result for a script" },
  ],
  exits: [
    {
      status: 0,
      when: "exact: every step that was executed and is judged matched, and every output that a step made is as recorded",
    },
    {
      status: 1,
      when: "degraded: a judged step diverged, an output differs, nothing matched, too little was checked (--require), or the record stood in by request",
    },
    { status: 2, when: "failed: a step could not be executed, or the pack cannot be read" },
  ],
  async run(call) {
    const { options } = call;
    if (options.has("plan")) return await printPlan(call);
    const ops = await import("../../ops/replay.js");
    const request = replayOptions(call);
    const onStart = await headPrinter(call);
    const onStep = await stepPrinter(call);
    const question = await consentQuestion(call);
    const guess = guessQuestion(call);
    checkJunit(call);
    const [name = ""] = call.arguments;
    return await interruptible((signal, unguarded) =>
      withPacks(call, [name], async (store, [found = ""], [outside]) => {
        if (options.has("seal") && outside !== undefined)
          throw new CtxError("usage", "--seal needs a pack in the store, to make a child of it", {
            hint: `add it to the store first: ${outside.taking}`,
          });
        const ask: typeof question =
          question === undefined ? undefined : (...args) => unguarded(() => question(...args));
        try {
          const report = await ops.replay(store, found, {
            ...request,
            ...(ask === undefined ? {} : { ask }),
            ...(guess === undefined ? {} : { askGuess: (tree) => unguarded(() => guess(tree)) }),
            onStart,
            onStep,
            signal,
          });
          await writeJunit(call, async () => {
            const { renderReplayJunit } = await import("../../render/replay-junit.js");
            return renderReplayJunit(report);
          });
          await ignoringClosedPipe(() => printReport(call, report));
          return ops.replayStatus(report);
        } catch (error) {
          if (error instanceof CtxError)
            await writeJunit(call, async () => {
              const { renderReplayError } = await import("../../render/replay-junit.js");
              return renderReplayError(error.message);
            });
          throw error;
        }
      }),
    );
  },
};

/** Returns options that have an effect on an execution only. */
function executionOnly(options: readonly Option[]): Option[] {
  return options.map((option) => ({ ...option, conflicts: ["plan", ...(option.conflicts ?? [])] }));
}

async function printPlan(call: Call): Promise<number> {
  const { planReplay } = await import("../../ops/replay.js");
  let file: string | undefined;
  const result = await withPacks(call, call.arguments, async (store, [name = ""], [outside]) => {
    file = outside?.typed;
    return planReplay(store, name, {
      user: userPaths(call.terminal.env),
      recorded: call.lists.get("recorded") ?? [],
    });
  });
  await print(call, result, async (screen) => {
    const { renderPlan } = await import("../../render/replay-plan.js");
    return renderPlan(result, screen, { isFull: call.options.has("full"), file });
  });
  return 0;
}

function replayOptions(call: Call): ReplayOptions {
  const { options, terminal } = call;
  const usesGit = options.has("git") || options.has("auto");
  for (const name of ["repo", "yes"])
    if (options.has(name) && !usesGit) throw new CtxError("usage", `--${name} needs --git or --auto`);
  // Nothing is asked then: programs run only if the command line says so.
  if (options.has("auto") && options.has("yes") && !call.lists.has("allow"))
    throw new CtxError("usage", "--auto --yes needs --allow as well", { hint: "--allow exec" });
  return {
    user: userPaths(terminal.env),
    recorded: call.lists.get("recorded") ?? [],
    allow: parseAllowed(call.lists.get("allow") ?? []),
    workspace: folderOption(call, "workspace"),
    git: options.get("git"),
    repo: folderOption(call, "repo"),
    auto: options.has("auto"),
    deps: folderOption(call, "deps"),
    yes: options.has("yes"),
    keep: options.has("keep"),
    sandbox: !options.has("no-sandbox"),
    to: stepNumber(call, "to"),
    step: stepNumber(call, "step"),
    stopOnDivergence: options.has("stop-on-divergence"),
    resync: !options.has("no-resync"),
    require: percent(call),
    seal: options.has("seal"),
    machine: machineFacts(terminal.env),
  };
}

function folderOption({ options, folder }: Call, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined ? undefined : resolve(folder, value);
}

/** Returns a printer of the pack's title and origin. */
async function headPrinter(call: Call): Promise<NonNullable<ReplayOptions["onStart"]>> {
  if (call.json || call.options.has("markdown")) return () => undefined;
  const { renderHead } = await import("../../render/replay.js");
  const { out } = call.terminal;
  return (plan) => {
    try {
      out.write(renderHead(plan, out.screen));
    } catch (error) {
      if (!(error instanceof ClosedPipe)) throw error;
    }
  };
}

/** Returns a printer of each step as it is replayed; it prints nothing if the result is for programs. */
async function stepPrinter(call: Call): Promise<NonNullable<ReplayOptions["onStep"]>> {
  if (call.json || call.options.has("markdown")) return () => undefined;
  const { renderStep } = await import("../../render/replay.js");
  const { out } = call.terminal;
  let isRead = true;
  return (replayed, step, context) => {
    // Messages and reasoning are not executed, and would hide the calls.
    if (!isRead || step.type !== "tool_call") return;
    try {
      out.write(renderStep(replayed, step, context, out.screen));
    } catch (error) {
      // The pipe is closed, but the replay goes on: its exit status still counts.
      if (!(error instanceof ClosedPipe)) throw error;
      isRead = false;
    }
  };
}

/** Returns the question whether programs may run, or undefined where no person can answer it. */
async function consentQuestion(call: Call): Promise<ReplayOptions["ask"]> {
  const { ask, error } = call.terminal;
  if (ask === undefined || call.json) return undefined;
  const { renderChoices, renderPrograms, renderQuestion } = await import("../../render/replay-plan.js");
  return (plan, missing) => {
    const question = {
      missing,
      sandboxed: !call.options.has("no-sandbox"),
      network: parseAllowed(call.lists.get("allow") ?? []).includes("net"),
    };
    error.write(renderQuestion(plan, question, error.screen));
    const deps =
      folderOption(call, "deps") ?? (call.options.has("auto") ? "the checkout that is found" : undefined);
    if (deps !== undefined)
      error.write(`They can read the dependencies (node_modules, .venv, vendor …) of ${printable(deps)}.\n`);
    for (;;) {
      const answer = ask(renderChoices(missing)).toLowerCase();
      if (answer === "y" || answer === "yes") return missing;
      if (answer === "e" && missing.length > 1 && missing.includes("exec")) return ["exec"];
      if (answer !== "l") return [];
      error.write(renderPrograms(plan));
    }
  };
}

function percent({ options }: Call): number | undefined {
  const value = options.get("require");
  if (value === undefined) return undefined;
  const number = /^(\d{1,3})%?$/.exec(value)?.[1];
  if (number === undefined || Number(number) > 100)
    throw new CtxError("usage", `--require takes a percentage from 0 to 100, not "${printable(value)}"`);
  return Number(number);
}

/** Returns the options that a replay of the same pack would have again. */
function keptOptions({ options, lists }: Call): string[] {
  const valued = ["git", "repo", "deps", "workspace", "require"].flatMap((name) => {
    const value = options.get(name);
    return value === undefined ? [] : [`--${name} ${shellWord(printable(value))}`];
  });
  const allowed = lists.get("allow") ?? [];
  return [
    ...valued,
    ...["auto", "no-sandbox", "no-resync"].flatMap((name) => (options.has(name) ? [`--${name}`] : [])),
    ...(lists.get("recorded") ?? []).map((tool) => `--recorded ${shellWord(printable(tool))}`),
    ...(allowed.length === 0 ? [] : [`--allow ${parseAllowed(allowed).join(",")}`]),
  ];
}

/** Returns the question whether to start from a guess, or undefined where no person can answer it. */
function guessQuestion(call: Call): ReplayOptions["askGuess"] {
  const { ask } = call.terminal;
  if (ask === undefined || call.json) return undefined;
  return (tree) => {
    const { commit, holds, of } = tree;
    const what =
      of === 0 ? "nothing that the run read speaks for it" : `it holds ${holds} of ${of} files and parts`;
    return /^y(?:es)?$/i.test(
      ask(`The commit ${commit.slice(0, 12)} is a guess: ${what}. Start from it? [y/N]: `),
    );
  };
}

async function printReport(call: Call, report: ReplayReport): Promise<void> {
  await print(call, report, async (screen) => {
    if (call.options.has("markdown")) {
      const { renderReplayMarkdown } = await import("../../render/replay-markdown.js");
      return renderReplayMarkdown(report);
    }
    const { renderReplay } = await import("../../render/replay.js");
    return renderReplay(report, screen, { name: call.arguments[0] ?? "", options: keptOptions(call) });
  });
}
