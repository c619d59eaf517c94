// Finds the cells below a telling head: in Markdown, in CSV and TSV, and in what psql, mysql and column print.
// Only the head says that they are secrets.

export interface TableCell {
  from: number;
  to: number;
}

/** A longer line is no row, and more rows than these are judged only if a rule knows their form. */
const maxLine = 4000;
const maxRows = 2000;
const maxHead = 400;

/** What separates the columns of a table, by the look of its head. */
type Separator = "|" | "\t" | "," | ";" | "  ";

/**
 * Returns the cells below the name at this position, if the name is the head of a column. `onRead` is called
 * with the number of characters read, and returns whether to go on.
 */
export function cellsBelow(text: string, at: number, onRead: (count: number) => boolean): TableCell[] {
  if (!mayBeHead(text, at)) return none;
  const start = Math.max(lineBefore(text, at), 0);
  const end = lineBreakAt(text, at);
  if (end.from - start > maxHead || end.to >= text.length) return [];
  const head = text.slice(start, end.from);
  if (!onRead(head.length)) return [];
  const separator = separatorOf(head);
  if (separator === undefined) return [];
  // Lists in source are indented, and continue.
  if (separator !== "|" && /^[ \t]{3}|^\t|[,;]\s*$/.test(head)) return [];
  const columns = cellsOf(head, separator);
  const index = columns.findIndex(({ from, to }) => at - start >= from && at - start < to);
  const column = columns[index];
  if (
    column === undefined ||
    columns.length < 2 ||
    !columns.every((one) => isHead(head.slice(one.from, one.to), separator))
  )
    return [];
  const first = head.slice(columns[0]?.from, columns[0]?.to);
  const found: TableCell[] = [];
  let from = end.to;
  for (let count = 0; count < maxRows && from < text.length; count++) {
    const { from: to, to: next } = lineBreakAt(text, from);
    const row = text.slice(from, Math.min(to, from + maxLine));
    if (!onRead(row.length) || row.trim() === "") break;
    if (!/^[-+=:|\s\u2500-\u257f]+$/.test(row)) {
      const cell = cellOf(row, { separator, index, count: columns.length, column });
      // Lines that begin alike are statements.
      if (cell === undefined || (separator !== "|" && row.startsWith(`${first}${separator}`))) break;
      const bare = bared(row, cell);
      if (bare !== undefined) found.push({ from: from + bare.from, to: from + bare.to });
    }
    from = next;
  }
  return found;
}

const none: TableCell[] = [];

/** Returns whether a separator, or the end of the line, follows a name; a quick check. */
function mayBeHead(text: string, at: number): boolean {
  for (let end = at; end < at + maxName; end++) {
    const code = text.charCodeAt(end);
    if (code === 44 || code === 59 || code === 124 || code === 0x2502 || code < 14) return true;
    if (code === 92) return text.charCodeAt(end + 1) === 110;
    // Two blanks in a row.
    if (code === 32 && text.charCodeAt(end + 1) === 32) return true;
    if (code === 61 || code === 58 || code === 40 || code === 36 || code === 47 || Number.isNaN(code))
      return false;
  }
  return false;
}

const maxName = 40;

/** Returns the end of the line, and where the next begins; a line may end as JSON escapes it. */
function lineBreakAt(text: string, at: number): { from: number; to: number } {
  for (let end = at; end < text.length && end - at <= maxLine; end++) {
    const code = text.charCodeAt(end);
    if (code === 10) return { from: text.charCodeAt(end - 1) === 13 ? end - 1 : end, to: end + 1 };
    if (code === 92 && text.charCodeAt(end + 1) === 110) return { from: end, to: end + 2 };
  }
  return { from: Math.min(text.length, at + maxLine), to: text.length };
}

function lineBefore(text: string, at: number): number {
  for (let start = at; start > 0 && at - start <= maxHead; start--) {
    const code = text.charCodeAt(start - 1);
    if (code === 10 || (code === 110 && text.charCodeAt(start - 2) === 92)) return start;
  }
  return at <= maxHead ? 0 : -1;
}

function separatorOf(head: string): Separator | undefined {
  if (/[|\u2502]/.test(head)) return "|";
  for (const one of ["\t", ",", ";"] as const) if (head.includes(one)) return one;
  return /\S {2,}\S/.test(head) ? "  " : undefined;
}

function cellsOf(line: string, separator: Separator): TableCell[] {
  const pattern =
    separator === "  "
      ? /\S+(?: \S+)*/g
      : separator === "|"
        ? /[^|\u2502]+/g
        : separator === "\t"
          ? /[^\t]*(?:\t|$)/g
          : separator === ","
            ? /(?:"(?:[^"]|"")*"|[^,"]*)(?:,|$)/g
            : /(?:"(?:[^"]|"")*"|[^;"]*)(?:;|$)/g;
  const cells: TableCell[] = [];
  for (const { 0: cell, index } of line.matchAll(pattern)) {
    const text = separator === "|" || separator === "  " ? cell : cell.replace(/[\t,;]$/, "");
    if (cell === "" && cells.length > 0) break;
    if (separator === "|" && cell.trim() === "" && (index === 0 || index + cell.length === line.length))
      continue;
    cells.push({ from: index, to: index + text.length });
    if (separator !== "|" && separator !== "  " && cell === text) break;
  }
  return cells;
}

/** Returns whether a text may be the head of a column. */
function isHead(text: string, separator: Separator): boolean {
  if (text.length > 60) return false;
  // Columns of blanks: only heads in capitals, as kubectl has them, are no list of words.
  if (separator === "  ") return /^[A-Z][A-Z0-9 _-]*$/.test(text);
  return separator === "|"
    ? /^[\p{L}\p{N}\s_\-./`*#()]*$/u.test(text)
    : /^ ?(?<quote>"?)[\p{L}#][\p{L}\p{N} _.-]*\k<quote>$/u.test(text);
}

interface Column {
  separator: Separator;
  index: number;
  count: number;
  column: TableCell;
}

/** Returns the cell of a row in a column; undefined if the row does not belong to the table. */
function cellOf(row: string, { separator, index, count, column }: Column): TableCell | undefined {
  const cells = cellsOf(row, separator);
  if (separator !== "  ") return cells.length === count ? cells[index] : undefined;
  if (cells.length < 2) return undefined;
  return cells.find(({ from, to }) => from < column.to && to > column.from) ?? { from: 0, to: 0 };
}

/** Returns a cell without blanks, quotes and marks around its text; undefined if it has several words. */
function bared(row: string, { from, to }: TableCell): TableCell | undefined {
  const cell = row.slice(from, to);
  const before = /^[\s"'`*]*/.exec(cell)?.[0].length ?? 0;
  const text = cell.slice(before).replace(/[\s"'`*]+$/, "");
  return text.length < 6 || /\s/.test(text)
    ? undefined
    : { from: from + before, to: from + before + text.length };
}
