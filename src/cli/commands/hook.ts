import { CtxError } from "../../base/errors.js";
import type { HookResult } from "../../results/intake.js";
import type { HookOptions, HookPlan } from "../../ops/hook.js";
import type { Call, Command } from "../command.js";
import { ctxOnPath, startInBackground } from "../reexec.js";
import { notice, writeError } from "../output.js";
import { print, printList } from "../print.js";
import { userPaths, userEnvironment } from "../environment.js";

const names = ["claude-code", "codex", "gemini", "git"] as const;
type HookChoice = (typeof names)[number];

export const hook: Command = {
  name: "hook",
  summary: "pack each session of an agent when it ends",
  details:
    "A hook is a line in an agent's own settings that calls ctx when a session ends. It returns at once, packs the session in the background, and never makes the agent fail. The git hook packs the sessions of a repository after each commit. A session goes into the store of its folder; or into the one in your home folder if there is none, if it belongs to another user, or if others can read it and you have not accepted that with `ctx trust`. `install` shows what it would write and asks first; it keeps everything that is already there. `remove` removes exactly what `install` wrote. Without arguments, lists the hooks and what each did last.",
  arguments: [
    {
      name: "action",
      summary: "install or remove; hooks themselves call run",
      required: false,
      complete: ["install", "remove", "run"],
    },
    { name: "hook", summary: names.join(", "), required: false, complete: names },
  ],
  options: [
    { long: "yes", short: "y", summary: "write without asking" },
    { long: "dry-run", summary: "show what would change, and change nothing" },
  ],
  examples: [
    { run: "ctx hook install claude-code --yes", does: "pack each session of Claude Code when it ends" },
    { run: "ctx hook install git --dry-run", does: "show what would be written for git" },
    { run: "ctx hook", does: "list the hooks" },
    { run: "ctx hook remove claude-code", does: "remove the hook" },
  ],
  exits: [
    { status: 0, when: "done, or there was nothing to do" },
    { status: 1, when: "nothing was written: you did not confirm" },
    { status: 2, when: "it failed; nothing was changed" },
  ],
  async run(call) {
    const [action, word] = call.arguments;
    if (action === undefined) return await listHooks(call);
    const name = parseHookName(word);
    if (action === "run") return startInBackground(call, [sealer.name, name]);
    const { planInstall, planRemove } = await import("../../ops/hook.js");
    const options = await hookOptions(call);
    return await executePlan(
      call,
      action === "install" ? planInstall(name, options) : planRemove(name, options),
    );
  },
};

function parseHookName(word: string | undefined): HookChoice {
  const name = names.find((each) => each === word);
  if (name !== undefined) return name;
  throw new CtxError("usage", `ctx hook needs one of ${names.join(", ")}`, {
    hint: "`ctx hook --help` shows the usage",
  });
}

async function hookOptions(call: Call): Promise<HookOptions> {
  const { gitPaths } = await import("../../ops/hook.js");
  return {
    where: userEnvironment(call),
    state: userPaths(call.terminal.env).state,
    program: ctxOnPath(call),
    gitHook: gitPaths(call.folder, call.terminal.env)?.postCommit,
  };
}

async function executePlan(call: Call, { result, apply, accept }: HookPlan): Promise<number> {
  if (apply === undefined) {
    if (!call.options.has("dry-run")) accept?.();
    await printHook(call, result);
    return 0;
  }
  if (call.options.has("dry-run")) {
    await printHook(call, { ...result, dry_run: true });
    return 0;
  }
  // Only an installation asks: a removal takes out nothing but what ctx wrote.
  if (result.change === "installed" && !call.options.has("yes")) {
    const { ask } = call.terminal;
    await printHook(call, { ...result, dry_run: true });
    const answer = ask?.("Write this? [y/N] ") ?? "";
    if (!/^y(?:es)?$/i.test(answer)) {
      notice(call, ask === undefined ? "nothing was written; use --yes to write it" : "nothing was written");
      return 1;
    }
    apply();
    accept?.();
    if (!call.json) call.terminal.out.write("installed\n");
    return 0;
  }
  apply();
  accept?.();
  await printHook(call, result);
  return 0;
}

async function printHook(call: Call, result: HookResult): Promise<void> {
  await print(call, result, async (screen) => {
    const { renderHook } = await import("../../render/hook.js");
    return renderHook(result, screen);
  });
}

async function listHooks(call: Call): Promise<number> {
  const { hookState, lastRuns } = await import("../../ops/hook.js");
  const options = await hookOptions(call);
  const last = lastRuns(options.state);
  let status = 0;
  const hooks = names
    .filter((name) => name !== "git" || options.gitHook !== undefined)
    .flatMap((name) => {
      const run = last.get(name);
      try {
        return [{ ...hookState(name, options), ...(run === undefined ? {} : { last: run }) }];
      } catch (error) {
        // Settings that cannot be read hide only their own hook.
        if (!(error instanceof CtxError)) throw error;
        writeError(call.terminal, call.json, error);
        status = 2;
        return [];
      }
    });
  await printList(call, hooks, async (screen) => {
    const { renderHooks } = await import("../../render/hook.js");
    return renderHooks(hooks, screen);
  });
  return status;
}

/** The most bytes of an agent's message that are read. */
const maxMessageSize = 1 << 20;

/** The command that a hook starts in the background. */
export const sealer: Command = {
  name: "__seal",
  summary: "pack the session that a hook was called for",
  hidden: true,
  arguments: [{ name: "hook", summary: names.join(", "), required: true, complete: names }],
  options: [],
  examples: [],
  exits: [{ status: 0, when: "always" }],
  async run(call) {
    const { sealForHook } = await import("../../ops/seal-session.js");
    const name = parseHookName(call.arguments[0]);
    const user = userPaths(call.terminal.env);
    const message = name === "git" ? "" : readMessage(call, maxMessageSize);
    await sealForHook(name, message, { where: userEnvironment(call), state: user.state, user });
    return 0;
  },
};

/** Reads standard input up to the end of the JSON document in it, and no further. */
function readMessage({ terminal }: Call, maxSize: number): string {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of terminal.input()) {
    pieces.push(Buffer.from(piece));
    size += piece.length;
    // Some agents leave the pipe open, so a whole document counts as the end of the input.
    if (size > maxSize || isCompleteJson(pieces)) break;
  }
  return Buffer.concat(pieces).toString("utf8", 0, maxSize);
}

function isCompleteJson(pieces: readonly Buffer[]): boolean {
  try {
    JSON.parse(Buffer.concat(pieces).toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
