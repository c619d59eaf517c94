import { CtxError } from "../../base/errors.js";
import { printable } from "../../base/printable.js";
import { shellWord } from "../../render/layout.js";
import { type ReplayReport, withoutAuto } from "../../results/replay.js";
import type { ReplayOptions } from "../../ops/replay.js";
import type { Call, Command, Option } from "../command.js";
import { checkJunit, junitOption, withJunitError, writeJunit } from "../junit.js";
import { ignoringClosedPipe, whileRead } from "../output.js";
import { packNames, withPacks } from "../pack-arguments.js";
import { interruptible } from "../interrupt.js";
import { print } from "../print.js";
import { keptOptions, replayOptions } from "../replay-options.js";
import { consentQuestion, guessQuestion } from "../replay-questions.js";
import { ClosedPipe } from "../terminal.js";
import { userPaths } from "../environment.js";

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
    { long: "full", summary: "list every command", needs: ["plan"] },
    {
      long: "allow",
      value: "kinds",
      summary: "kinds of programs that may run, separated by commas",
      repeats: true,
      conflicts: ["plan"],
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
        summary: "the repository, in place of the one around the store",
        needs: ["git", "auto"],
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
      {
        long: "tools",
        value: "names",
        summary: "of your programs outside /usr, commands see these only; '' for none",
        repeats: true,
        conflicts: ["no-sandbox"],
      },
      {
        long: "yes",
        summary: "start from the commit that was found, even if it is a guess",
        needs: ["git", "auto"],
      },
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
    const { onStep, flush } = await stepPrinter(call);
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
        const work = async (): Promise<number> => {
          const report = await ops
            .replay(store, found, {
              ...request,
              ...(ask === undefined ? {} : { ask }),
              ...(guess === undefined ? {} : { askGuess: (tree) => unguarded(() => guess(tree)) }),
              onStart,
              onStep,
              signal,
            })
            .finally(flush)
            .catch((error: unknown) => {
              throw withCommandWithoutAuto(error, call);
            });
          await writeJunit(call, async () => {
            const { renderReplayJunit } = await import("../../render/replay-junit.js");
            return renderReplayJunit(report);
          });
          await ignoringClosedPipe(() => printReport(call, report));
          return ops.replayStatus(report);
        };
        return await withJunitError(call, work, async (message) => {
          const { renderReplayError } = await import("../../render/replay-junit.js");
          return renderReplayError(message);
        });
      }),
    );
  },
};

/** Returns the error for a repository that was not found with the command that goes on without one. */
function withCommandWithoutAuto(error: unknown, call: Call): unknown {
  if (!(error instanceof CtxError) || error.hint?.endsWith(withoutAuto) !== true) return error;
  const options = keptOptions(call).filter((option) => option !== "--auto");
  const command = ["ctx replay", shellWord(printable(call.arguments[0] ?? "")), ...options].join(" ");
  const hint = `${error.hint.slice(0, -withoutAuto.length)}go on without: ${command}`;
  return new CtxError(error.code, error.message, { hint });
}

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
async function stepPrinter(
  call: Call,
): Promise<{ onStep: NonNullable<ReplayOptions["onStep"]>; flush: () => void }> {
  if (call.json || call.options.has("markdown")) return { onStep: () => undefined, flush: () => undefined };
  const { StepFolder } = await import("../../render/replay-folding.js");
  // If the pipe is closed, the replay goes on: its exit status still counts.
  const out = whileRead(call.terminal.out);
  const folder = new StepFolder(out.screen);
  const write = (text: string): void => {
    if (text !== "") out.write(text);
  };
  return {
    onStep(replayed, step, context) {
      // Messages and reasoning are not executed, and would hide the calls.
      if (step.type === "tool_call") write(folder.add(replayed, step, context));
    },
    flush: () => write(folder.flush()),
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
