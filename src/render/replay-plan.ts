// Renders what a replay would do, and the one question before programs run. Everything in it comes from a
// pack: it is escaped, and the whole hash identifies the pack.
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { ProgramInfo } from "../model/config.js";
import { originText } from "../model/origin.js";
import type { ReplayPlan } from "../results/replay.js";
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
  wrap,
} from "./layout.js";

const maxCommands = 8;

export interface RenderPlanOptions {
  /** List every command. */
  isFull: boolean;
  /** The file that contains the pack, as it was typed; undefined if the pack is in the store. */
  file?: string | undefined;
}

export function renderPlan(plan: ReplayPlan, screen: Screen, options: RenderPlanOptions): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const { workspace, groups, untrusted } = plan;
  const hex = plan.pack_hash.slice("sha256:".length);
  const name = options.file === undefined ? shortHash(plan.pack_hash) : shellWord(options.file);
  const header = ["steps", "tool", "runs as", "needs", "compared"];
  const rows = groups.map(({ steps, tools, runs_as, needs, compared }) => [
    String(steps),
    tools.join(", "),
    runs_as,
    needs ?? "-",
    compared ?? "-",
  ]);
  const columns = header.map((_, at) => maxOf([header, ...rows], (row) => widthOf(row[at] ?? "")));
  // The names of tools get the room that the other columns leave.
  const others = columns.reduce((sum, column, at) => (at === 1 ? sum : sum + column), 0);
  const room = Math.max(12, width - others - 2 - 2 * (header.length - 1));
  columns[1] = Math.min(columns[1] ?? 0, room);
  const table = [header, ...rows].map((row, at) => {
    const cells = row.map((cell, column) => {
      const columnWidth = columns[column] ?? 0;
      return column === 0 ? padStart(cell, columnWidth) : padEnd(fit(cell, columnWidth), columnWidth);
    });
    const line = `  ${cells.join("  ")}`.trimEnd();
    return at === 0 ? paint("dim", line) : line;
  });
  const note = workspace.note === undefined ? "" : ` (${workspace.note})`;
  const lines = [
    `${paint("bold", `Plan for ctx://${hex.slice(0, 12)}`)}, ${countText(plan.steps, "step")}: nothing is executed`,
    ...(plan.title === null ? [] : [paint("bold", fit(plan.title, width))]),
    paint("dim", hex),
    ...(plan.origin === undefined
      ? []
      : [fit(`Origin     ${originText(plan.origin).replace(/^was /, "")}`, width)]),
    fit(
      `Workspace  a throw-away folder from ${countText(workspace.inputs, "input")}, seen as ${workspace.seen_as}${note}`,
      width,
    ),
    ...table,
    ...classLines(plan, width),
    ...checkoutLines(plan, width),
    ...commandLines(plan, { name, maxShown: options.isFull ? Number.POSITIVE_INFINITY : maxCommands, width }),
    ...programLines(plan),
    ...(plan.options.some((option) => /^--allow .*\btogether\b/.test(option))
      ? ["Together   programs that get variables or the network, beside the pack's commands"]
      : []),
    ...(untrusted.length === 0
      ? []
      : [
          fit(
            `Not used   ${untrusted.join(", ")}: in the store's config, but ${plan.untrusted_why ?? "it is not trusted"} (\`ctx trust\`)`,
            width,
          ),
        ]),
    `Run it     ctx replay ${[name, ...plan.options.map(quoted)].join(" ")}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns `--recorded name`, with a name that a shell reads as it is. */
function quoted(option: string): string {
  const space = option.indexOf(" ");
  return `${option.slice(0, space)} ${shellWord(option.slice(space + 1))}`;
}

function classLines({ classes }: ReplayPlan, width: number): string[] {
  const text = classes.map(({ class: name, calls }) => `${calls} ${name}`).join(", ");
  return text === "" ? [] : [fit(`Classes    ${text}`, width)];
}

/** Returns how many calls need the files of the run's repository, and of which one. */
function checkoutLines({ checkout }: ReplayPlan, width: number): string[] {
  if (checkout === undefined) return [];
  const { reads, searches, commands, remote } = checkout;
  const what = remote === undefined ? "a checkout" : `a checkout of ${printable(remote)}`;
  const may = [
    ...(searches === 0 ? [] : [`${searches} search${searches === 1 ? "" : "es"}`]),
    ...(commands === 0 ? [] : [countText(commands, "command")]),
  ].join(" and ");
  const needed = reads === 0 ? "" : `${countText(reads, "read")} ${reads === 1 ? "needs" : "need"} ${what}`;
  const maybe = may === "" ? "" : reads === 0 ? `${may} may need ${what}` : `; ${may} may`;
  const text = `${needed}${maybe}: --auto finds it, or --auto --repo <folder>`;
  return wrap(text, width - 11).map((line, at) =>
    fit(`${(at === 0 ? "Checkout" : "").padEnd(11)}${line}`, width),
  );
}

/** Marks the ends of lines as `ctx show` does, and shows what follows: what would run is never left out. */
function onOneLine(command: string): string {
  return command.trimEnd().replaceAll("\n", "⏎");
}

function commandLines(
  { commands }: ReplayPlan,
  { name, maxShown, width }: { name: string; maxShown: number; width: number },
): string[] {
  const shown = commands.slice(0, maxShown).map(({ command, count }, at) => {
    const label = at === 0 ? "Commands   " : "           ";
    return fit(`${label}${count}x ${onOneLine(command)}`, width);
  });
  const rest = commands.length - maxShown;
  return rest > 0 ? [...shown, `           ${rest} more: ctx replay ${name} --plan --full`] : shown;
}

function programLines({ adapters, servers }: ReplayPlan): string[] {
  return [
    ...adapters.map(
      (adapter) => `Adapter    ${adapter.calls}x ${printable(`${adapter.tool}: ${programText(adapter)}`)}`,
    ),
    ...servers.map(
      (server) => `MCP        ${server.calls}x ${printable(`${server.server}: ${programText(server)}`)}`,
    ),
  ];
}

export interface Question {
  /** The kinds of programs that are not allowed yet. */
  missing: readonly ("exec" | "adapters" | "mcp")[];
  sandboxed: boolean;
  network: boolean;
}

/** Renders the question before programs run; the caller reads the answer. */
export function renderQuestion(
  plan: ReplayPlan,
  { missing, sandboxed, network }: Question,
  screen: Screen,
): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const calls = plan.commands.reduce((sum, { count }) => sum + count, 0);
  const first = plan.commands
    .slice(0, 3)
    .map(({ command }) => `              ${fit(onOneLine(command), width - 14)}`);
  const lines = [
    paint("bold", "This pack wants to run programs on this machine."),
    `  pack      ${plan.pack_hash.slice("sha256:".length)}`,
    ...(missing.includes("exec")
      ? [
          `  exec      ${countText(calls, "command")} from the pack (${countText(plan.commands.length, "different one")}), first:`,
          ...first,
        ]
      : []),
    ...(missing.includes("adapters")
      ? plan.adapters.map(
          (adapter) =>
            `  adapters  ${countText(adapter.calls, "call")} of ${printable(programText(adapter))}`,
        )
      : []),
    ...(missing.includes("mcp")
      ? plan.servers.map(
          (server) => `  mcp       ${countText(server.calls, "call")} of ${printable(programText(server))}`,
        )
      : []),
    ...togetherLines(plan),
    ...(sandboxed
      ? sandboxLines(network)
      : [paint("red", "They run WITHOUT a sandbox: they can do what you can, or nobody, if you are root.")]),
    "",
  ];
  return lines
    .map((line) => `${line}\n`)
    .join("")
    .replace(/\n\n$/, "\n");
}

/** Returns what is refused even after a yes, because it needs an option of its own. */
function togetherLines({ adapters, servers, commands }: ReplayPlan): string[] {
  const isMixed =
    commands.length > 0 && [...adapters, ...servers].some(({ env, network }) => env.length > 0 || network);
  return isMixed
    ? [
        "Programs that get variables or the network do not run beside the pack's own",
        "commands, unless you start again with --allow together.",
      ]
    : [];
}

function sandboxLines(network: boolean): string[] {
  return [
    `They run in a sandbox: a copy of the files, no home folder, ${network ? "WITH the network" : "no network"} and`,
    ...(network ? ["whatever listens on this machine, also on its loopback, "] : []),
    "nothing of your environment except what is named above. At most 60 s (or",
    "three times as long as in the run) and 16 MiB of output each. They can still",
    "read /usr and use the CPU.",
  ];
}

/** Returns a command with everything that is passed to it. */
export function programText({ command, env, network, version }: ProgramInfo): string {
  const more = [
    ...(env.length === 0 ? [] : [`gets ${env.join(", ")}`]),
    ...(network ? ["NETWORK"] : []),
    ...(version === undefined ? [] : [`version: ${version.join(" ")}`]),
  ];
  return `${command.join(" ")}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}

/** Renders the possible answers. */
export function renderChoices(missing: Question["missing"]): string {
  const one = missing.length > 1 && missing.includes("exec") ? "   [e] only exec" : "";
  return `Run them?  [y] yes${one}   [l] list everything   [N] no: `;
}

/** Renders all programs that would run, in full. */
export function renderPrograms(plan: ReplayPlan): string {
  const lines = [
    ...plan.commands.map(({ command, count }) => `${count}x ${printable(command)}`),
    ...[...plan.adapters, ...plan.servers].map((each) => `${each.calls}x ${printable(programText(each))}`),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}
