// Renders --help from the table that the parser reads.
import { CtxError } from "../base/errors.js";
import { maxOf } from "../base/lists.js";
import { nearest } from "../base/nearest.js";
import { padEnd, type Paint, painter, type Screen, widthOf } from "../render/layout.js";
import {
  aboutOption,
  type Command,
  commonOptions,
  type Option,
  type Table,
  versionOption,
  visible,
} from "./command.js";
import { topics } from "./topics.js";

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
      ...wrap(sentence(command.details ?? command.summary), width, 0),
    ],
    section(
      "arguments",
      command.arguments.map(({ name, summary }) => [`<${name}>`, summary]),
      paint,
      width,
    ),
    section(
      "options",
      [...command.options, ...commonOptions].map((option) => [optionLine(option), aboutOption(option)]),
      paint,
      width,
    ),
    section(command.notes?.title ?? "", command.notes?.rows ?? [], paint, width),
    section(
      "examples",
      command.examples.map(({ run, does }) => [run, does]),
      paint,
      width,
    ),
    section(
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
export function renderOverview(groups: Table["groups"], screen: Screen): string {
  const paint = painter(screen);
  const width = Math.min(screen.width, 100);
  const sections = [
    [
      `${paint("bold", "ctx")}: git for agent runs`,
      "",
      `${paint("bold", "usage:")} ctx [options] <command> [arguments]`,
    ],
    groups.flatMap(({ title, commands }) =>
      section(
        title,
        // All groups share one column width.
        commands.map(({ name, summary }) => [padEnd(name, longestName(groups)), summary]),
        paint,
        width,
      ),
    ),
    section(
      "options",
      [...commonOptions, versionOption].map((option) => [optionLine(option), aboutOption(option)]),
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

function longestName(groups: readonly { commands: readonly Command[] }[]): number {
  return maxOf(groups, ({ commands }) => maxOf(commands, ({ name }) => name.length));
}

/** Renders the help on a topic, or throws an error that names the most similar command or topic. */
export function renderTopic(name: string, commands: readonly Command[]): string {
  const topic = topics.find((candidate) => candidate.name === name);
  if (topic !== undefined) return `${topic.text}\n${topic.more?.() ?? ""}`;
  const near = nearest(
    name,
    [...visible(commands), ...topics].map((candidate) => candidate.name),
  );
  throw new CtxError("usage", `there is no help on "${name}"`, {
    hint: near === undefined ? "`ctx help` lists commands and topics" : `did you mean \`ctx help ${near}\`?`,
  });
}

function section(
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
      const lines = wrap(right, width, column + 4);
      return lines.map((line, index) =>
        index === 0 ? `  ${paint("cyan", padEnd(left, column))}  ${line.trimStart()}` : line,
      );
    }),
  ];
}

/** Wraps text into lines of at most `width` columns, all indented. */
function wrap(text: string, width: number, indent: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > Math.max(width - indent, 20)) {
      lines.push(" ".repeat(indent) + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, " ".repeat(indent) + line];
}

function sentence(text: string): string {
  const start = (text[0] ?? "").toUpperCase() + text.slice(1);
  return start.endsWith(".") ? start : `${start}.`;
}
