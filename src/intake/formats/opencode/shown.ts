// What opencode shows to the model in place of what a tool returned: files with line numbers in tags, and
// remarks behind the output.

/** A file, or a part of it, as the model was shown it. */
export interface ShownFile {
  text: string;
  /** Whether these are all lines of the file, none of them cut. */
  isWhole: boolean;
  /** Whether the text shows how the last line ends. */
  isExact: boolean;
}

const openings = /^(?:<path>[^\n]*<\/path>\n<type>file<\/type>\n<content>\n?|<file>\n)/;
/** A longer line is cut. */
const maxShownLine = 2000;

/** Returns the file that a text shows; undefined when it shows none. */
export function fileShown(seen: string): ShownFile | undefined {
  const opening = openings.exec(seen)?.[0];
  if (opening === undefined) return undefined;
  const isOld = opening.startsWith("<file>");
  const [end, form] = isOld ? ["\n</file>", /^(\d+)\| ?/] : ["\n</content>", /^(\d+): ?/];
  const to = seen.indexOf(end, opening.length - 1);
  if (to === -1) return undefined;
  const shown = seen.slice(opening.length, to).split("\n");
  const numbers: number[] = [];
  const lines: string[] = [];
  for (const line of shown) {
    const [head = "", number] = form.exec(line) ?? [];
    if (number === undefined) break;
    numbers.push(Number(number));
    lines.push(line.slice(head.length));
  }
  const remark = shown.slice(lines.length).join("\n").trim();
  const first = numbers[0] ?? 1;
  if (!/^(?:\(.*\))?$/.test(remark) || numbers.some((number, at) => number !== first + at)) return undefined;
  return {
    text: lines.join("\n"),
    isWhole:
      first === 1 && remark.startsWith("(End of file") && lines.every((line) => line.length < maxShownLine),
    isExact: isOld,
  };
}

const entries =
  /^<path>[^\n]*<\/path>\n<type>directory<\/type>\n<entries>\n([^]*?)\n\n?\([^\n]*\)\n<\/entries>/;

/** Returns the names in a folder that a text lists; undefined when it lists none. */
export function entriesShown(seen: string): string | undefined {
  return entries.exec(seen)?.[1];
}

/** How the remarks begin that follow the output of a tool. */
const remarks: Readonly<Record<string, readonly string[]>> = {
  bash: ["\n\n<bash_metadata>\n", "\n\n<shell_metadata>\n"],
  task: ["\n\n<task_metadata>\n"],
  ...Object.fromEntries(
    ["edit", "multiedit", "write", "apply_patch", "patch"].map((tool) => [
      tool,
      ["\n\nLSP errors detected in ", "\n\nThis file has errors, please fix\n", "\n<file_diagnostics>\n"],
    ]),
  ),
};

/** Returns an output without the remarks to the model behind it. */
export function withoutRemarks(tool: string, seen: string): string {
  const marks = Object.hasOwn(remarks, tool) ? (remarks[tool] ?? []) : [];
  const isCommand = tool === "bash" || tool === "task";
  // A command may print such a mark itself: only the last one is the program's, and it is closed at the end.
  const [start] = marks
    .filter((mark) => !isCommand || seen.trimEnd().endsWith(`</${mark.trim().slice(1)}`))
    .map((mark) => (isCommand ? seen.lastIndexOf(mark) : seen.indexOf(mark)))
    .filter((at) => at !== -1)
    .sort((a, b) => a - b);
  return seen.slice(0, start);
}
