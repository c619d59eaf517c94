// Renders --help from the table that the parser reads.
import { CtxError } from "../base/errors.js";
import { maxOf } from "../base/lists.js";
import { nearest } from "../base/nearest.js";
import { padEnd, type Paint, painter, type Screen, widthOf, wrap } from "../render/layout.js";
import {
  describeOption,
  type Command,
  commonOptions,
  type Option,
  type CommandTable,
  versionOption,
  visibleCommands,
} from "./command.js";
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
  const sections = [
    [
      `${paint("bold", "usage:")} ${usageLine(command)}`,
      "",
      ...wrap(asSentence(command.details ?? command.summary), Math.max(width, minWrap)),
    ],
    helpSection(
      "arguments",
      command.arguments.map(({ name, summary }) => [`<${name}>`, summary]),
      paint,
      width,
    ),
    helpSection(
      "options",
      [...command.options, ...commonOptions].map((option) => [optionLine(option), describeOption(option)]),
      paint,
      width,
    ),
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

/** Renders the help for the whole program. */
export function renderOverview(groups: CommandTable["groups"], screen: Screen): string {
  const paint = painter(screen);
  const width = Math.min(screen.width, 100);
  const sections = [
    [
      `${paint("bold", "ctx")}: git for agent runs`,
      "",
      `${paint("bold", "usage:")} ctx [options] <command> [arguments]`,
    ],
    groups.flatMap(({ title, commands }) =>
      helpSection(
        title,
        // All groups share one column width.
        commands.map(({ name, summary }) => [padEnd(name, maxNameLength(groups)), summary]),
        paint,
        width,
      ),
    ),
    helpSection(
      "options",
      [...commonOptions, versionOption].map((option) => [optionLine(option), describeOption(option)]),
      paint,
      width,
    ),
    [
      `${paint("bold", "exit status:")} 0 done, and the answer is good; 1 it is bad; 2 could not be done`,
      `${paint("bold", "topics:")} ${topics.map(({ name }) => name).join(", ")}`,
    ],
    ["`ctx help <command or topic>` says more about one of them."],
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function maxNameLength(groups: readonly { commands: readonly Command[] }[]): number {
  return maxOf(groups, ({ commands }) => maxOf(commands, ({ name }) => name.length));
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
    hint: near === undefined ? "`ctx help` lists commands and topics" : `did you mean \`ctx help ${near}\`?`,
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

function asSentence(text: string): string {
  const start = (text[0] ?? "").toUpperCase() + text.slice(1);
  return start.endsWith(".") ? start : `${start}.`;
}
