// Writes docs/commands.md from the table that the parser and --help read, so that the page cannot disagree
// with them.
import { maxOf } from "../base/lists.js";
import { padEnd, widthOf } from "../render/layout.js";
import { combinationTexts } from "./combinations.js";
import { describeOption, type Command, commonOptions, type Option, visibleCommands } from "./command.js";
import { optionLine, usageLine } from "./help.js";

/** Returns the whole page, in Markdown. */
export function commandsPage(commands: readonly Command[]): string {
  const parts = [
    "# Commands",
    "<!-- Made by `npm run docs` from src/cli/table.ts: change the table, not this page. -->",
    "`ctx help <command>` prints the same on a terminal. How packs are named, and what a command prints for scripts, is in the [guide](guide.md).",
    markdownTable(
      ["command", "what it does"],
      visibleCommands(commands).map(({ name, summary }) => [
        `[\`ctx ${name}\`](#ctx-${name})`,
        escaped(summary),
      ]),
    ),
    "Every command has these options. They may stand before the command too, as in `ctx -C ~/agent-runs log`.",
    optionTable(commonOptions),
    "`ctx --version` (`-V`) prints the version.",
    ...visibleCommands(commands).flatMap(commandSection),
  ];
  return `${parts.join("\n\n")}\n`;
}

function commandSection(command: Command): string[] {
  const { name, summary, details, arguments: args, options, notes, examples, exits } = command;
  const widest = maxOf(examples, ({ run }) => run.length);
  const lines = examples.map(({ run, does }) => `${run.padEnd(widest)}  # ${does}`);
  return [
    `## ctx ${name}`,
    escaped([asSentence(summary), ...(details === undefined ? [] : [details])].join(" ")),
    codeBlock("text", [usageLine(command)]),
    ...(args.length === 0
      ? []
      : [
          markdownTable(
            ["argument", ""],
            args.map((argument) => [`\`<${argument.name}>\``, escaped(argument.summary)]),
          ),
        ]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...combinationParagraph([...options, ...commonOptions]),
    ...(notes === undefined
      ? []
      : [
          markdownTable(
            [notes.title, ""],
            notes.rows.map((row) => row.map(escaped)),
          ),
        ]),
    codeBlock("sh", lines),
    markdownTable(
      ["exit status", "when"],
      exits.map(({ status, when }) => [`\`${status}\``, escaped(when)]),
    ),
  ];
}

function optionTable(options: readonly Option[]): string {
  return markdownTable(
    ["option", ""],
    options.map((option) => [`\`${optionLine(option)}\``, escaped(describeOption(option))]),
  );
}

function combinationParagraph(options: readonly Option[]): string[] {
  const texts = combinationTexts(options).map((text) => text.replaceAll(/--[a-z-]+/g, "`$&`"));
  return texts.length === 0 ? [] : [`Combinations: ${texts.join("; ")}.`];
}

/** Returns a Markdown table with aligned columns, as the formatter wants it. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => maxOf([head, ...rows], (row) => widthOf(row[column] ?? "")));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function codeBlock(language: string, lines: readonly string[]): string {
  return ["```" + language, ...lines, "```"].join("\n");
}

/** Escapes text for a Markdown table: angle brackets are no HTML, and a bar ends no cell. */
function escaped(text: string): string {
  return text.replaceAll(/[<|]/g, String.raw`\$&`);
}

function asSentence(text: string): string {
  return `${(text[0] ?? "").toUpperCase()}${text.slice(1)}.`;
}
