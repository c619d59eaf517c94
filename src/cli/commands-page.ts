// Writes docs/commands.md from the table that the parser and --help read, so that the page cannot disagree
// with them.
import { maxOf } from "../base/lists.js";
import { padEnd, widthOf } from "../render/layout.js";
import { aboutOption, type Command, commonOptions, type Option, visible } from "./command.js";
import { optionLine, usageLine } from "./help.js";

/** Returns the whole page, in Markdown. */
export function commandsPage(commands: readonly Command[]): string {
  const parts = [
    "# Commands",
    "<!-- Made by `npm run docs` from src/cli/table.ts: change the table, not this page. -->",
    "`ctx help <command>` prints the same on a terminal. How packs are named, and what a command prints for scripts, is in the [guide](guide.md).",
    table(
      ["command", "what it does"],
      visible(commands).map(({ name, summary }) => [`[\`ctx ${name}\`](#ctx-${name})`, plain(summary)]),
    ),
    "Every command has these options. They may stand before the command too, as in `ctx -C ~/agent-runs log`.",
    optionTable(commonOptions),
    "`ctx --version` (`-V`) prints the version.",
    ...visible(commands).flatMap(section),
  ];
  return `${parts.join("\n\n")}\n`;
}

function section(command: Command): string[] {
  const { name, summary, details, arguments: args, options, notes, examples, exits } = command;
  const widest = maxOf(examples, ({ run }) => run.length);
  const lines = examples.map(({ run, does }) => `${run.padEnd(widest)}  # ${does}`);
  return [
    `## ctx ${name}`,
    plain(details ?? sentence(summary)),
    fence("text", [usageLine(command)]),
    ...(args.length === 0
      ? []
      : [
          table(
            ["argument", ""],
            args.map((argument) => [`\`<${argument.name}>\``, plain(argument.summary)]),
          ),
        ]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(notes === undefined
      ? []
      : [
          table(
            [notes.title, ""],
            notes.rows.map((row) => row.map(plain)),
          ),
        ]),
    fence("sh", lines),
    table(
      ["exit status", "when"],
      exits.map(({ status, when }) => [`\`${status}\``, plain(when)]),
    ),
  ];
}

function optionTable(options: readonly Option[]): string {
  return table(
    ["option", ""],
    options.map((option) => [`\`${optionLine(option)}\``, plain(aboutOption(option))]),
  );
}

/** Returns a Markdown table with aligned columns, as the formatter wants it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => maxOf([head, ...rows], (row) => widthOf(row[column] ?? "")));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function fence(language: string, lines: readonly string[]): string {
  return ["```" + language, ...lines, "```"].join("\n");
}

/** Escapes text for a Markdown table: angle brackets are no HTML, and a bar ends no cell. */
function plain(text: string): string {
  return text.replaceAll(/[<|]/g, String.raw`\$&`);
}

function sentence(text: string): string {
  return `${(text[0] ?? "").toUpperCase()}${text.slice(1)}.`;
}
