// The questions that `ctx replay` asks on a terminal: whether programs may run, and whether to start from a
// guess.
import { printable } from "../base/printable.js";
import type { ReplayOptions } from "../ops/replay.js";
import type { Call } from "./command.js";
import { parseAllowed } from "./replay-options.js";
import { folderOption } from "./replay-options.js";

/** Returns the question whether programs may run, or undefined where no person can answer it. */
export async function consentQuestion(call: Call): Promise<ReplayOptions["ask"]> {
  const { ask, error } = call.terminal;
  if (ask === undefined || call.json) return undefined;
  const { renderChoices, renderPrograms, renderQuestion } = await import("../render/replay-plan.js");
  return (plan, missing, visible) => {
    const question = {
      missing,
      sandboxed: !call.options.has("no-sandbox"),
      network: parseAllowed(call.lists.get("allow") ?? []).includes("net"),
    };
    error.write(renderQuestion(plan, question, error.screen));
    const deps =
      folderOption(call, "deps") ?? (call.options.has("auto") ? "the checkout that is found" : undefined);
    if (visible.length > 0 && missing.includes("exec"))
      error.write(
        `They can read these of your programs: ${visible.map((path) => printable(path)).join(", ")}.\n`,
      );
    if (deps !== undefined)
      error.write(
        `They can read the dependencies (node_modules, .venv, vendor …) of ${printable(deps)}, and the packages that go, cargo and mvn have cached for it.\n`,
      );
    for (;;) {
      const answer = ask(renderChoices(missing)).toLowerCase();
      if (answer === "y" || answer === "yes") return missing;
      if (answer === "e" && missing.length > 1 && missing.includes("exec")) return ["exec"];
      if (answer !== "l") return [];
      error.write(renderPrograms(plan));
    }
  };
}

/** Returns the question whether to start from a guess, or undefined where no person can answer it. */
export function guessQuestion(call: Call): ReplayOptions["askGuess"] {
  const { ask } = call.terminal;
  if (ask === undefined || call.json) return undefined;
  return (tree) => {
    const { commit, holds, of } = tree;
    const what =
      of === 0 ? "nothing that the run read confirms it" : `it holds ${holds} of ${of} files and parts`;
    return /^y(?:es)?$/i.test(
      ask(`The commit ${commit.slice(0, 12)} is a guess: ${what}. Start from it? [y/N]: `),
    );
  };
}
