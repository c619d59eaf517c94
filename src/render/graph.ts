// Draws the lineage of packs beside their list, as `git log --graph` does: a column for every line of
// descent, `*` for a pack, `/` where a line joins its parent's.

/** The drawing beside one pack. */
export interface GraphRow {
  /** Beside the pack's first line. */
  node: string;
  /** Beside its further lines. */
  rest: string;
  /** Between it and the next pack. */
  joins: string[];
}

/**
 * Draws a graph. `nodes` are in order, children before parents; a parent that is not among them is not drawn.
 */
export function drawGraph(nodes: readonly { hash: string; parent?: string }[]): GraphRow[] {
  const known = new Set(nodes.map((node) => node.hash));
  /** Which pack each column leads to. */
  const columns: string[] = [];
  return nodes.map(({ hash, parent }) => {
    let column = columns.indexOf(hash);
    if (column === -1) column = columns.push(hash) - 1;
    const node = columns.map((_, index) => (index === column ? "*" : "|")).join(" ");
    if (parent === undefined || !known.has(parent)) {
      const rest = columns.map((_, index) => (index === column ? " " : "|")).join(" ");
      columns.splice(column, 1);
      return {
        node,
        rest,
        joins: column < columns.length ? [shiftRow(columns.length + 1, column)] : [],
      };
    }
    const rest = columns.map(() => "|").join(" ");
    const other = columns.indexOf(parent);
    columns[column] = parent;
    return {
      node,
      rest,
      joins: other === -1 ? [] : joinRows(columns, Math.min(column, other), Math.max(column, other)),
    };
  });
}

/** Moves the column `from` to `to`, on its left, one step per line, and closes the gap. */
function joinRows(columns: string[], to: number, from: number): string[] {
  const rows: string[] = [];
  for (let at = from; at > to; at--) {
    const row = columns.flatMap((_, index) =>
      index === from ? [] : [index < from ? index * 2 : index * 2 - 2],
    );
    const text = Array.from({ length: Math.max(row.at(-1) ?? 0, at * 2 - 1) + 1 }, () => " ");
    for (const position of row) text[position] = "|";
    text[at * 2 - 1] = "/";
    rows.push(text.join(""));
  }
  columns.splice(from, 1);
  return rows;
}

/** Moves the columns to the right of one that ended to the left. */
function shiftRow(count: number, ended: number): string {
  const text = Array.from({ length: count * 2 - 1 }, () => " ");
  for (let index = 0; index < count; index++)
    if (index < ended) text[index * 2] = "|";
    else if (index > ended) text[index * 2 - 1] = "/";
  return text.join("").trimEnd();
}
