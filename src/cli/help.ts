// Renders --help from the table that the parser reads.
import { CtxError } from "../base/errors.js";
import { maxOf } from "../base/lists.js";
import { nearest } from "../base/nearest.js";
import { padEnd, type Paint, painter, type Screen, widthOf, wrap } from "../render/layout.js";
import { combinationTexts } from "./combinations.js";
import {
  describeOption,
  type Command,
  commonOptions,
  type Option,
  type CommandTable,
  versionOption,
  visibleCommands,
} from "./command.js";
import { hintFor, otherWords } from "./other-words.js";
import { topics } from "./topics.js";

/** Help wraps at no fewer columns, however narrow the screen is. */
const minWrap = 20;

/** `ctx pack [options] <log>…` */
export function usageLine({ name, arguments: args }: Command): string {
  const words = args.map((argument) => {
    const many = argument.many === true ? "…" : "";
    return argument.required ? `<${argument.name}>${many}` : `[${argument.name}]${many}`;
  });
  return ["ctx", name, "[options]", ...words].join(" ");
}

/** `-n, --max-count <number>` */
export function optionLine({ long, short, value }: Option): string {
  return `${short === undefined ? "" : `-${short}, `}--${long}${value === undefined ? "" : ` <${value}>`}`;
}

/** Renders the help for one command. */
export function renderHelp(command: Command, screen: Screen): string {
  const paint = painter(screen);
  const width = Math.min(screen.width, 100);
  const options = [...command.options, ...commonOptions];
  const sections = [
    [
      `${paint("bold", "usage:")} ${usageLine(command)}`,
      "",
      ...wrap(asSentence(command.summary), Math.max(width, minWrap)),
      ...(command.details === undefined ? [] : ["", ...wrap(command.details, Math.max(width, minWrap))]),
    ],
    helpSection(
      "arguments",
      command.arguments.map(({ name, summary }) => [`<${name}>`, summary]),
      paint,
      width,
    ),
    helpSection(
      "options",
      options.map((option) => [optionLine(option), describeOption(option)]),
      paint,
      width,
    ),
    combinationSection(options, paint, width),
    helpSection(command.notes?.title ?? "", command.notes?.rows ?? [], paint, width),
    helpSection(
      "examples",
      command.examples.map(({ run, does }) => [run, does]),
      paint,
      width,
    ),
    helpSection(
      "exit status",
      command.exits.map(({ status, when }) => [String(status), when]),
      paint,
      width,
    ),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** Renders the help for the whole program, on one screen: the first commands, then the others by purpose. */
export function renderOverview({ groups, first }: CommandTable, screen: Screen): string {
  const paint = painter(screen);
  const width = Math.min(screen.width, 100);
  const rest = groups
    .filter(({ isPlumbing }) => isPlumbing !== true)
    .map((group) => ({ ...group, commands: group.commands.filter((command) => !first.includes(command)) }));
  const sections = [
    [`${paint("bold", "ctx")}: git for agent runs`],
    [`${paint("bold", "usage:")} ctx [options] <command> [arguments]`],
    groupRows([{ title: "Start", commands: first }], groups, paint, width),
    groupRows(rest, groups, paint, width),
    [
      `${paint("bold", "options:")} --json, -C <dir>, --help, --version; every command has the first three`,
      `${paint("bold", "exit status:")} 0 success; 1 a negative answer, such as "modified"; 2 an error`,
      `${paint("bold", "topics:")} ${topics.map(({ name }) => name).join(", ")}`,
    ].flatMap((line) => wrap(line, Math.max(width, minWrap))),
    ["`ctx help <command or topic>` shows more; `ctx help --all` lists every command."].flatMap((line) =>
      wrap(line, Math.max(width, minWrap)),
    ),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Renders every command by purpose, plumbing included, then the options of all commands and the topics. */
export function renderAllCommands(groups: CommandTable["groups"], screen: Screen): string {
  const paint = painter(screen);
  const width = Math.min(screen.width, 100);
  const sections = [
    ...groups.map((group) => groupRows([group], groups, paint, width)),
    helpSection(
      "options",
      [...commonOptions, versionOption].map((option) => [optionLine(option), describeOption(option)]),
      paint,
      width,
    ),
    helpSection(
      "topics",
      topics.map(({ name, summary }) => [name, summary]),
      paint,
      width,
    ),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Renders a row for each command, with the title of its group before the first. `all` sets the columns. */
function groupRows(
  shown: CommandTable["groups"],
  all: CommandTable["groups"],
  paint: Paint,
  width: number,
): string[] {
  const titles = maxOf(all, ({ title }) => title.length);
  const names = maxOf(all, ({ commands }) => maxOf(commands, ({ name }) => name.length));
  const room = Math.max(width - titles - names - 4, minWrap);
  return shown.flatMap(({ title, commands }) =>
    commands.flatMap(({ name, summary }, at) => {
      const label = paint("bold", padEnd(at === 0 ? title : "", titles));
      return wrap(summary, room).map((line, row) =>
        row === 0
          ? `${label}  ${paint("cyan", padEnd(name, names))}  ${line}`
          : `${" ".repeat(titles + names + 4)}${line}`,
      );
    }),
  );
}

/** Renders the help on a topic, or throws an error that names the most similar command or topic. */
export function renderTopic(name: string, commands: readonly Command[]): string {
  const topic = topics.find((candidate) => candidate.name === name);
  if (topic !== undefined) return `${topic.text}\n${topic.more?.() ?? ""}`;
  const near = nearest(
    name,
    [...visibleCommands(commands), ...topics].map((candidate) => candidate.name),
  );
  throw new CtxError("usage", `there is no help on "${name}"`, {
    hint:
      hintFor(otherWords.commands, name) ??
      (near === undefined ? "`ctx help` lists commands and topics" : `did you mean \`ctx help ${near}\`?`),
  });
}

function helpSection(
  title: string,
  rows: readonly (readonly [string, string])[] | string[][],
  paint: Paint,
  width: number,
): string[] {
  if (rows.length === 0) return [];
  const column = maxOf<readonly string[]>(rows, ([left = ""]) => widthOf(left));
  return [
    paint("bold", `${title}:`),
    ...rows.flatMap(([left, right]) => {
      const lines = wrap(right, Math.max(width - column - 4, minWrap));
      return lines.map((line, index) =>
        index === 0
          ? `  ${paint("cyan", padEnd(left, column))}  ${line.trimStart()}`
          : `${" ".repeat(column + 4)}${line}`,
      );
    }),
  ];
}

function combinationSection(options: readonly Option[], paint: Paint, width: number): string[] {
  const texts = combinationTexts(options);
  if (texts.length === 0) return [];
  const lines = texts.flatMap((text) =>
    wrap(text, Math.max(width - 4, minWrap)).map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`)),
  );
  return [paint("bold", "combinations:"), ...lines];
}

function asSentence(text: string): string {
  const start = (text[0] ?? "").toUpperCase() + text.slice(1);
  return start.endsWith(".") ? start : `${start}.`;
}
