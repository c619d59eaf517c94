// `ctx show --follow`: prints the steps of a session while an agent is still at work on it.
import { CtxError } from "../base/errors.js";
import { lazy } from "../base/lazy.js";
import { printable } from "../base/printable.js";
import type { LogName } from "../bundle/open-bundles.js";
import type { FollowedRun, NewPart } from "../ops/follow.js";
import type { FollowedPart } from "../results/show.js";
import { resolvePack } from "../store/resolve.js";
import type { Call } from "./command.js";
import { userPaths } from "./environment.js";
import { untilInterrupted } from "./interrupt.js";
import { openStoreIfAny } from "./open-store.js";
import { notice, progressOn, shownPath, writeJson } from "./output.js";
import { runNameOf, withPacks } from "./pack-arguments.js";

/** Prints what is recorded, and then what is added, until Ctrl-C. */
export async function followLog(call: Call): Promise<number> {
  const [name = ""] = call.arguments;
  const store = openStoreIfAny(call);
  const log = await logOf(call, name);
  const { follow } = await import("../ops/follow.js");
  const print = await printerOf(call);
  let waiting = "";
  const progress = progressOn(call, () => waiting, 0);
  await untilInterrupted((signal) =>
    follow(log, {
      settings: store,
      user: userPaths(call.terminal.env),
      folder: call.folder,
      temp: lazy("os").tmpdir(),
      signal,
      onStart() {
        // Without it, a pipe that gets nothing for a while looks like a program that hangs.
        if (!call.json) notice(call, `following ${shownPath(call, log.log)}; Ctrl-C ends it`);
      },
      onParts(run, parts) {
        progress.clear();
        print(run, parts);
      },
      onWaiting(calls) {
        progress.clear();
        const tools = [...new Set(calls.map(({ tool = "" }) => tool))].slice(0, 5).join(", ");
        waiting = `waiting for ${printable(tools)}`;
        if (calls.length > 0) progress.show(0, 0);
      },
      onNotice(text) {
        progress.clear();
        notice(call, text);
      },
    }),
  );
  progress.clear();
  return 0;
}

/** Returns the log that a name means. */
async function logOf(call: Call, name: string): Promise<LogName> {
  const found = await runNameOf(call, name, openStoreIfAny(call), { prefersLog: true });
  if (typeof found !== "string" && "log" in found && found.pack === undefined) return found;
  // Throws if there is no such pack either.
  await withPacks(call, [name], (store, [pack = ""]) => Promise.resolve(resolvePack(store, pack)));
  throw new CtxError("usage", `--follow needs a log that is still written, and ${name} is a finished pack`, {
    hint: "`ctx discover` lists the sessions on this machine; without --follow, `ctx show` shows a pack",
  });
}

type Printer = (run: FollowedRun, parts: readonly NewPart[]) => void;

/**
 * Returns a function that prints what is new: rows, under --full whole parts, under --json a line for each.
 */
async function printerOf(call: Call): Promise<Printer> {
  const { showPart, showSteps } = await import("../ops/show.js");
  const { FollowRenderer } = await import("../render/follow.js");
  const { partText } = await import("../render/show-transcript.js");
  const { out } = call.terminal;
  const failed = call.options.has("errors");
  const renderer = new FollowRenderer(out.screen);
  return (run, parts) => {
    const { store, hex, session, subagent } = run;
    const ranges = parts.flatMap(({ kind, index }) => (kind === "step" ? [{ from: index, to: index }] : []));
    const overview = showSteps(store, hex, { ranges, failed });
    if (!call.json && !call.options.has("full")) {
      out.write(renderer.rows({ overview, subagent, parts: failed ? parts.filter(isStep) : parts }));
      return;
    }
    const selected = new Set(overview.steps);
    for (const part of parts) {
      if (part.kind === "prompt" ? failed : !selected.has(part.index)) continue;
      const { pack: _, ...shown } = showPart(store, hex, part);
      const about = {
        ...(session === undefined ? {} : { session }),
        ...(subagent === undefined ? {} : { subagent }),
      };
      const line = { ...about, ...shown } as FollowedPart;
      if (call.json) writeJson(call.terminal, line);
      else out.write(`${renderer.heading(subagent)}${partText(line)}\n`);
    }
  };
}

function isStep({ kind }: NewPart): boolean {
  return kind === "step";
}
