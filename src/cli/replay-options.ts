// What the options of `ctx replay` mean to its verb, and which of them a further replay of the same pack has
// again.
import { resolve } from "node:path";
import { CtxError } from "../base/errors.js";
import { printable } from "../base/printable.js";
import type { Allowed, ReplayOptions } from "../ops/replay.js";
import { shellWord } from "../render/layout.js";
import type { Call } from "./command.js";
import { machineFacts, userPaths } from "./environment.js";
import { stepNumber } from "./shared-options.js";

const kinds = ["exec", "adapters", "mcp", "mcp-writes", "net", "together"] as const;

/** Returns the kinds of programs that lists of --allow name. */
export function parseAllowed(lists: readonly string[]): Allowed[] {
  return lists
    .flatMap((list) => list.split(","))
    .flatMap((name): Allowed[] => {
      if (name === "all") return ["exec", "adapters", "mcp"];
      const found = kinds.find((kind) => kind === name);
      if (found !== undefined) return [found];
      throw new CtxError("usage", `--allow takes ${kinds.join(", ")} or all, not "${name}"`);
    });
}

/** Returns the options of the verb. */
export function replayOptions(call: Call): ReplayOptions {
  const { options, terminal } = call;
  // With both there is no question: programs run only if the command line allows them.
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
    tools: toolNames(call),
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

/** Returns the names of programs, also several after one option; undefined if the option is not there. */
function toolNames({ lists }: Call): string[] | undefined {
  const named = lists.get("tools");
  return named === undefined
    ? undefined
    : [...new Set(named.flatMap((list) => list.split(",")))].filter((name) => name !== "");
}

export function folderOption({ options, folder }: Call, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined ? undefined : resolve(folder, value);
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
export function keptOptions({ options, lists }: Call): string[] {
  const valued = ["git", "repo", "deps", "workspace", "require"].flatMap((name) => {
    const value = options.get(name);
    return value === undefined ? [] : [`--${name} ${shellWord(printable(value))}`];
  });
  const allowed = lists.get("allow") ?? [];
  return [
    ...valued,
    ...["auto", "no-sandbox", "no-resync"].flatMap((name) => (options.has(name) ? [`--${name}`] : [])),
    ...(lists.get("tools") ?? []).map((names) => `--tools ${shellWord(printable(names))}`),
    ...(lists.get("recorded") ?? []).map((tool) => `--recorded ${shellWord(printable(tool))}`),
    ...(allowed.length === 0 ? [] : [`--allow ${parseAllowed(allowed).join(",")}`]),
  ];
}
