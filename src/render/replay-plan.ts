// What a replay would do, and the one question that is asked before programs run. Everything in it comes from a pack: it is
// escaped, and the whole hash says which pack.
import { printable } from "../base/printable.js";
import type { ReplayPlan } from "../model/replay.js";
import {
  countText,
  fit,
  padEnd,
  padStart,
  painter,
  type Screen,
  shellWord,
  shortHash,
  widthOf,
} from "./layout.js";

const mostCommands = 8;

export function renderPlan(plan: ReplayPlan, screen: Screen, options: { isFull: boolean }): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const { workspace, groups, untrusted } = plan;
  const hex = plan.pack_hash.slice("sha256:".length);
  const rows = groups.map(({ steps, tools, runs_as, needs, compared }) => [
    String(steps),
    fit(tools.join(", "), 30),
    runs_as,
    needs ?? "-",
    compared ?? "-",
  ]);
  const header = ["steps", "tool", "runs as", "needs", "compared"];
  const columns = header.map((title, at) =>
    Math.max(...[header, ...rows].map((row) => widthOf(row[at] ?? title))),
  );
  const table = [header, ...rows].map((row, at) => {
    const text = row
      .map((cell, column) =>
        column === 0 ? padStart(cell, columns[0] ?? 0) : padEnd(cell, columns[column] ?? 0),
      )
      .join("  ");
    return paint(at === 0 ? "dim" : "cyan", "") + fit(`  ${text}`.trimEnd(), width);
  });
  const note = workspace.note === undefined ? "" : ` (${workspace.note})`;
  const lines = [
    `${paint("bold", `Plan for ctx://${hex.slice(0, 12)}`)}, ${countText(plan.steps, "step")}: nothing is executed`,
    paint("dim", hex),
    fit(
      `Workspace  a throw-away folder from ${countText(workspace.inputs, "input")}, seen as ${workspace.seen_as}${note}`,
      width,
    ),
    ...table,
    ...commandLines(plan, options.isFull ? Number.POSITIVE_INFINITY : mostCommands, width),
    ...programLines(plan, width),
    ...(untrusted.length === 0
      ? []
      : [
          fit(
            `Not used   ${untrusted.join(", ")}: in the store's config, and not trusted (\`ctx trust\`)`,
            width,
          ),
        ]),
    `Run it     ctx replay ${[shortHash(plan.pack_hash), ...plan.options.map(quoted)].join(" ")}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** `--recorded name`, with a name that a shell takes as it is. */
function quoted(option: string): string {
  const space = option.indexOf(" ");
  return `${option.slice(0, space)} ${shellWord(option.slice(space + 1))}`;
}

function commandLines({ commands, pack_hash }: ReplayPlan, most: number, width: number): string[] {
  const shown = commands.slice(0, most).map(({ command, count }, at) => {
    const label = at === 0 ? "Commands   " : "           ";
    return fit(`${label}${count}x ${command}`, width);
  });
  const rest = commands.length - most;
  return rest > 0
    ? [...shown, `           ${rest} more: ctx replay ${shortHash(pack_hash)} --plan --full`]
    : shown;
}

function programLines({ adapters, servers }: ReplayPlan, width: number): string[] {
  return [
    ...adapters.map(({ tool, command, calls }) =>
      fit(`Adapter    ${calls}x ${tool}: ${command.join(" ")}`, width),
    ),
    ...servers.map(({ server, command, calls }) =>
      fit(`MCP        ${calls}x ${server}: ${command.join(" ")}`, width),
    ),
  ];
}

export interface Question {
  /** The kinds of programs that are not allowed yet. */
  missing: readonly ("exec" | "adapters" | "mcp")[];
  sandboxed: boolean;
  network: boolean;
}

/** The question before programs run; the answer is read by whoever prints it. */
export function renderQuestion(
  plan: ReplayPlan,
  { missing, sandboxed, network }: Question,
  screen: Screen,
): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const calls = plan.commands.reduce((sum, { count }) => sum + count, 0);
  const first = plan.commands.slice(0, 3).map(({ command }) => `              ${fit(command, width - 14)}`);
  const lines = [
    paint("bold", "This pack wants to run programs on this machine."),
    `  pack      ${plan.pack_hash.slice("sha256:".length)}`,
    ...(missing.includes("exec")
      ? [
          `  exec      ${countText(calls, "command")} from the pack, ${plan.commands.length} different; the first ${first.length}:`,
          ...first,
        ]
      : []),
    ...(missing.includes("adapters")
      ? plan.adapters.map(({ command, calls: count }) =>
          fit(`  adapters  a program of yours, ${countText(count, "call")}: ${command.join(" ")}`, width),
        )
      : []),
    ...(missing.includes("mcp")
      ? plan.servers.map(({ command, calls: count }) =>
          fit(`  mcp       a server of yours, ${countText(count, "call")}: ${command.join(" ")}`, width),
        )
      : []),
    ...(sandboxed ? boxed(network) : [paint("red", "They run WITHOUT a sandbox, with all your rights.")]),
    "",
  ];
  return lines
    .map((line) => `${line}\n`)
    .join("")
    .replace(/\n\n$/, "\n");
}

function boxed(network: boolean): string[] {
  return [
    `They run in a sandbox: a copy of the files, ${network ? "WITH network" : "no network"}, no home folder, none of`,
    "your environment, at most 60 s and 16 MiB of output each. It does not stop",
    "them from reading /usr or using the processor.",
  ];
}

/** What can be answered. */
export function renderChoices(missing: Question["missing"]): string {
  const one = missing.length > 1 && missing.includes("exec") ? "   [e] only exec" : "";
  return `Run them?  [y] yes${one}   [l] list everything   [N] no: `;
}

/** All that would run, in full. */
export function renderPrograms(plan: ReplayPlan): string {
  const lines = [
    ...plan.commands.map(({ command, count }) => `${count}x ${printable(command)}`),
    ...plan.adapters.map(({ command, calls }) => `${calls}x ${printable(command.join(" "))}`),
    ...plan.servers.map(({ command, calls }) => `${calls}x ${printable(command.join(" "))}`),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}
