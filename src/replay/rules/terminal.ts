// What a terminal added to the record: agents that run commands in one record its line ends, its codes for
// colours, and the prompt behind the output. Commands of a replay print into a pipe.
import type { RewritingRule } from "./rule.js";

/** What SWE-agent's shell prints behind each output, on lines of its own. */
export const shellState = /(?:^|\n)\(Open file: [^\n]+\)\n\(Current directory: [^\n]+\)\nbash-\$\s*$/;
/** A prompt behind an output whose lines end as a terminal ends them. */
const prompt = /(?:^|\r\n)[\w.-]+@[\w.-]+:\S* ?[#$] ?$/;
/** Colours, styles and titles. */
const codes = /\u001b(?:\[[\d;?]*[A-Za-z]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\))/g;

/**
 * Only the record is rewritten: that each line ends in CR LF is the terminal's doing, and a line feed of the
 * program's own cannot be distinguished from it.
 */
export const terminalLines: RewritingRule = {
  name: "terminal",
  apply({ recorded, now }) {
    const state = shellState.exec(recorded);
    if (state !== null) return { recorded: recorded.slice(0, state.index), now };
    const output = recorded.replace(prompt, "");
    const isTerminal = output !== recorded || /\r\n/.test(output);
    if (!isTerminal || /(?<!\r)\n/.test(output)) return { recorded, now };
    // Whether the output ended in a line end cannot be seen from the position of the prompt.
    const printed = output === recorded ? now : now.replace(/\n$/, "");
    return { recorded: output.replaceAll("\r\n", "\n"), now: printed };
  },
};

/** Colours and styles, in both: programs can print them into a pipe, too. */
export const terminalCodes: RewritingRule = {
  name: "terminal codes",
  apply: ({ recorded, now }) => ({
    recorded: recorded.replaceAll(codes, ""),
    now: now.replaceAll(codes, ""),
  }),
};

/** The steps of a terminal's tabs, which a record of its screen has as spaces. */
const tabWidth = 8;

/** Shows tabs as a terminal does. */
export function withoutTabs(line: string): string {
  let text = "";
  for (const part of line.split(/(\t)/))
    text += part === "\t" ? " ".repeat(tabWidth - (text.length % tabWidth)) : part;
  return text;
}

/** Tabs, where the record is of a screen: it has none, and the output of this replay has. */
export const terminalTabs: RewritingRule = {
  name: "terminal tabs",
  apply({ recorded, now }) {
    if (recorded.includes("\t") || !now.includes("\t")) return { recorded, now };
    return { recorded, now: now.split("\n").map(withoutTabs).join("\n") };
  },
};
