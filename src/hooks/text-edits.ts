// Small edits of a text: insertions and cuts.

export interface Insertion {
  /** Position in the text before the edit. */
  at: number;
  text: string;
}

export interface Cut {
  from: number;
  to: number;
}

export function insert(text: string, insertions: readonly Insertion[]): string {
  let made = "";
  let done = 0;
  for (const { at, text: added } of insertions) {
    made += text.slice(done, at) + added;
    done = at;
  }
  return made + text.slice(done);
}

export function cut(text: string, cuts: readonly Cut[]): string {
  let made = "";
  let done = 0;
  for (const { from, to } of cuts) {
    made += text.slice(done, from);
    done = Math.max(done, to);
  }
  return made + text.slice(done);
}

/** Returns the cuts that undo insertions, as positions in the text after them. */
export function undoing(insertions: readonly Insertion[]): Cut[] {
  let shift = 0;
  return insertions.map(({ at, text }) => {
    const from = at + shift;
    shift += text.length;
    return { from, to: from + text.length };
  });
}
