// "Did you mean": the nearest of some words, if any is near enough.

/**
 * Returns the choice with the smallest edit distance, at most a third of the word's length. The dashes of an
 * option do not count, and the opposite of a word is never near it.
 */
export function nearest(typed: string, choices: readonly string[]): string | undefined {
  const word = withoutDashes(typed);
  if (word.length > 40) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const choice of choices) {
    const other = withoutDashes(choice);
    if (isOpposite(word, other)) continue;
    const distance = other.startsWith(word) && word.length >= 3 ? 1 : editDistance(word, other);
    if (distance < least) {
      least = distance;
      best = choice;
    }
  }
  return best;
}

function withoutDashes(word: string): string {
  return word.replace(/^--?/, "");
}

/** Returns whether one word negates the other: uninstall and install, no-graph and graph. */
function isOpposite(a: string, b: string): boolean {
  return negations.some((negation) => a === negation + b || b === negation + a);
}

const negations = ["un", "dis", "de", "no-", "no", "non-"];

/** Counts the insertions, deletions, changes and swaps of neighbours that lead from a to b. */
function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let least = Math.min(change, (previous[column] as number) + 1, (current[column - 1] as number) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        least = Math.min(least, (older[column - 2] as number) + 1);
      current.push(least);
    }
    older = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
