// Tables: for a terminal, and for a page as the project's formatter wants them.

/** @typedef {{ head: readonly string[], right: ReadonlySet<number>, lines: readonly (readonly string[])[] }} Table `right`: the columns that are aligned there */

/** @param {Table} table */
export function terminalTable({ head, right, lines }) {
  const all = [head, ...lines];
  const widths = widthsOf(all);
  return all.map((line) => aligned(line, widths, right).join("  ").trimEnd()).join("\n");
}

/** @param {Table} table */
export function markdownTable({ head, right, lines }) {
  const all = [head, ...lines.map((line) => line.map(escaped))];
  const widths = widthsOf(all).map((width) => Math.max(width, 3));
  const rule = widths.map((width, column) =>
    right.has(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  const [first, ...rest] = all.map((line) => aligned(line, widths, right));
  return [first, rule, ...rest].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** A name such as `<prefix>` is no tag of HTML. @param {string} cell */
function escaped(cell) {
  return cell.replaceAll("|", "\\|").replaceAll("<", "\\<");
}

/** @param {readonly (readonly string[])[]} lines */
function widthsOf(lines) {
  return lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
}

/** @param {readonly string[]} line @param {readonly number[]} widths @param {ReadonlySet<number>} right */
function aligned(line, widths, right) {
  return line.map((cell, column) =>
    right.has(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
  );
}
