import * as fs from "node:fs";
import { resolve } from "node:path";
import { CtxError, withPath } from "../../base/errors.js";
import type { ReplayReport } from "../../results/replay.js";
import type { ReplayOptions } from "../../ops/replay.js";
import type { Call, Command } from "../command.js";
import { unread, writeJson } from "../output.js";
import { bundleName, withPacks } from "../pack-arguments.js";
import { allowedOf, interruptible } from "../interrupt.js";
import { ClosedPipe } from "../terminal.js";
import { machineOf, userPlace } from "../environment.js";

export const replay: Command = {
  name: "replay",
  summary: "execute a run's tool calls again, and say how far they repeat",
  details:
    "Makes a throw-away folder from the run's inputs, executes each tool call there, and compares what it gives with the record. File tools run at once: they cannot leave that folder. Commands, adapters and MCP servers run in a sandbox, and only with --allow or after you were asked.",
  notes: {
    title: "what --allow takes",
    rows: [
      ["exec", "commands that the pack recorded"],
      ["adapters, mcp", "programs of your own config, or of a store's that you trust"],
      ["mcp-writes", "also MCP tools that their server does not call read-only"],
      ["net", "the network of this machine, with all that listens on it"],
      ["together", "adapters and servers that get variables or the network, beside exec"],
      ["all", "exec, adapters and mcp"],
    ],
  },
  arguments: [{ name: "pack", summary: "a pack", required: true, complete: "pack" }],
  options: [
    { long: "plan", summary: "say what would happen, and execute nothing" },
    { long: "full", summary: "with --plan: list every command" },
    { long: "allow", value: "kinds", summary: "what may run, separated by commas", repeats: true },
    {
      long: "recorded",
      value: "tool",
      summary: "let the record stand for this tool; '*' for all that cannot run",
      repeats: true,
    },
    { long: "workspace", value: "dir", summary: "start from a copy of this folder", complete: "folder" },
    { long: "git", value: "rev", summary: "start from this revision of the repository; auto finds one" },
    { long: "keep", summary: "leave the workspace, and print where it is" },
    { long: "to", value: "N", summary: "stop after step N" },
    { long: "step", value: "N", summary: "judge only step N; those before it are executed all the same" },
    { long: "stop-on-divergence", summary: "stop at the first deterministic step that diverges" },
    { long: "seal", summary: "seal what was replayed as a new pack, a child of this one" },
    { long: "no-sandbox", summary: "run programs without a sandbox, with your own rights" },
    { long: "junit", value: "file", summary: "also write the result as JUnit XML", complete: "file" },
    { long: "markdown", summary: "print the result as Markdown" },
  ],
  examples: [
    { run: "ctx replay 47d75f33 --plan", does: "see what would run" },
    { run: "ctx replay 47d75f33 --allow exec", does: "replay it, commands in the sandbox" },
    { run: "ctx replay latest --allow exec --json", does: "for a script" },
  ],
  exits: [
    {
      status: 0,
      when: "exact: every deterministic step that was executed matched, and every output that a step made is as recorded",
    },
    {
      status: 1,
      when: "degraded: a step diverged, an output differs, nothing matched, or the record stood in by request",
    },
    { status: 2, when: "failed: a step could not be executed, or the pack cannot be read" },
  ],
  async run(call) {
    const { options } = call;
    if (call.json && options.has("markdown"))
      throw new CtxError("usage", "--json and --markdown cannot be given together");
    if (options.has("plan")) return await plan(call);
    if (options.has("full")) throw new CtxError("usage", "--full goes with --plan");
    const ops = await import("../../ops/replay.js");
    const request = requestOf(call);
    const onStart = await originPrinter(call);
    const onStep = await printerOf(call);
    const question = await questionOf(call);
    checkJunit(call);
    const [name = ""] = call.arguments;
    if (options.has("seal") && bundleName(call, name) !== undefined)
      throw new CtxError("usage", "--seal makes a child of a pack in the store", {
        hint: `take it in first: ctx import ${name.replace(/#.*$/, "")}`,
      });
    return await interruptible((signal, unguarded) =>
      withPacks(call, [name], async (store, [found = ""]) => {
        const ask: typeof question =
          question === undefined ? undefined : (...asked) => unguarded(() => question(...asked));
        try {
          const report = await ops.replay(store, found, {
            ...request,
            ...(ask === undefined ? {} : { ask }),
            onStart,
            onStep,
            signal,
          });
          await writeJunit(call, report);
          await unread(() => print(call, report));
          return ops.replayStatus(report);
        } catch (error) {
          if (error instanceof CtxError) await writeJunit(call, error);
          throw error;
        }
      }),
    );
  },
};

async function plan(call: Call): Promise<number> {
  const idle = [
    "seal",
    "keep",
    "junit",
    "markdown",
    "workspace",
    "git",
    "to",
    "step",
    "stop-on-divergence",
    "no-sandbox",
  ];
  const given = idle.find((name) => call.options.has(name));
  if (given !== undefined)
    throw new CtxError("usage", `--plan executes nothing, so that --${given} has no effect`);
  const { planReplay } = await import("../../ops/plan-replay.js");
  const result = await withPacks(call, call.arguments, async (store, [name = ""]) =>
    planReplay(store, name, {
      user: userPlace(call.terminal.env),
      recorded: call.lists.get("recorded") ?? [],
    }),
  );
  if (call.json) writeJson(call.terminal, result);
  else {
    const { renderPlan } = await import("../../render/replay-plan.js");
    const { out } = call.terminal;
    const [typed = ""] = call.arguments;
    const file = bundleName(call, typed) === undefined ? undefined : typed;
    out.write(renderPlan(result, out.screen, { isFull: call.options.has("full"), file }));
  }
  return 0;
}

function requestOf(call: Call): ReplayOptions {
  const { options, terminal } = call;
  const folder = options.get("workspace");
  if (folder !== undefined && options.has("git"))
    throw new CtxError("usage", "--workspace and --git cannot be given together");
  if (options.has("to") && options.has("step"))
    throw new CtxError("usage", "--to and --step cannot be given together");
  if (options.has("seal") && options.has("step"))
    throw new CtxError("usage", "--seal and --step cannot be given together");
  return {
    user: userPlace(terminal.env),
    recorded: call.lists.get("recorded") ?? [],
    allow: allowedOf(call.lists.get("allow") ?? []),
    workspace: folder === undefined ? undefined : resolve(call.folder, folder),
    git: options.get("git"),
    keep: options.has("keep"),
    sandbox: !options.has("no-sandbox"),
    to: numberOf("to", options.get("to")),
    step: numberOf("step", options.get("step")),
    stopOnDivergence: options.has("stop-on-divergence"),
    seal: options.has("seal"),
    machine: machineOf(terminal.env),
  };
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CtxError("usage", `--${name} ${text}: it must be the number of a step`);
}

/** Prints what is replayed, where that is no record of a run. */
async function originPrinter(call: Call): Promise<NonNullable<ReplayOptions["onStart"]>> {
  if (call.json || call.options.has("markdown")) return () => undefined;
  const { renderOrigin } = await import("../../render/replay.js");
  const { out } = call.terminal;
  return (started) => {
    try {
      out.write(renderOrigin(started, out.screen));
    } catch (error) {
      if (!(error instanceof ClosedPipe)) throw error;
    }
  };
}

/** Lines for people, while it goes on; nothing where the result is for programs. */
async function printerOf(call: Call): Promise<NonNullable<ReplayOptions["onStep"]>> {
  if (call.json || call.options.has("markdown")) return () => undefined;
  const { renderStep } = await import("../../render/replay.js");
  const { out } = call.terminal;
  let isRead = true;
  return (replayed, step, about) => {
    // What the model said is not executed, and would hide what is.
    if (!isRead || step.type !== "tool_call") return;
    try {
      out.write(renderStep(replayed, step, about, out.screen));
    } catch (error) {
      // The replay goes on, for the sake of its exit status.
      if (!(error instanceof ClosedPipe)) throw error;
      isRead = false;
    }
  };
}

/** The one question, where there is somebody to answer it. */
async function questionOf(call: Call): Promise<ReplayOptions["ask"]> {
  const { ask, error } = call.terminal;
  if (ask === undefined || call.json) return undefined;
  const { renderChoices, renderPrograms, renderQuestion } = await import("../../render/replay-plan.js");
  return (wanted, missing) => {
    const question = {
      missing,
      sandboxed: !call.options.has("no-sandbox"),
      network: allowedOf(call.lists.get("allow") ?? []).includes("net"),
    };
    error.write(renderQuestion(wanted, question, error.screen));
    for (;;) {
      const answer = ask(renderChoices(missing)).toLowerCase();
      if (answer === "y" || answer === "yes") return missing;
      if (answer === "e" && missing.length > 1 && missing.includes("exec")) return ["exec"];
      if (answer !== "l") return [];
      error.write(renderPrograms(wanted));
    }
  };
}

async function print(call: Call, report: ReplayReport): Promise<void> {
  const { out } = call.terminal;
  if (call.json) writeJson(call.terminal, report);
  else if (call.options.has("markdown")) {
    const { renderReplayMarkdown } = await import("../../render/replay-markdown.js");
    out.write(renderReplayMarkdown(report));
  } else {
    const { renderReplay } = await import("../../render/replay.js");
    out.write(renderReplay(report, out.screen));
  }
}

/** What cannot be written is told before anything runs. */
function checkJunit(call: Call): void {
  const file = call.options.get("junit");
  if (file === undefined) return;
  if (file === "") throw new CtxError("usage", "--junit needs the name of a file");
  const path = resolve(call.folder, file);
  withPath(path, "write", () => fs.closeSync(fs.openSync(path, "a")));
}

async function writeJunit(call: Call, result: ReplayReport | CtxError): Promise<void> {
  const file = call.options.get("junit");
  if (file === undefined) return;
  const { renderReplayError, renderReplayJunit } = await import("../../render/replay-junit.js");
  const xml = result instanceof CtxError ? renderReplayError(result.message) : renderReplayJunit(result);
  const path = resolve(call.folder, file);
  withPath(path, "write", () => fs.writeFileSync(path, xml));
}
