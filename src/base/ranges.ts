// Ranges of whole numbers, as people write them: `3-9,14`.

/** Returns sorted numbers as ranges: `3-5,9`. */
export function rangesText(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    const from = at;
    while (numbers[at + 1] === (numbers[at] as number) + 1) at++;
    parts.push(from === at ? String(numbers[at]) : `${numbers[from]}-${numbers[at]}`);
    at++;
  }
  return parts.join(",");
}

/**
 * Parses `3-9,14` and `20-`, which ends with the last number. Returns what is wrong with the text, if it is
 * not of that form.
 */
export function parseRanges(text: string): { from: number; to?: number }[] | string {
  const ranges: { from: number; to?: number }[] = [];
  for (const part of text.split(",")) {
    const [, first, dash, last] = /^(\d{1,9})(-)?(\d{1,9})?$/.exec(part) ?? [];
    if (first === undefined || (dash === undefined && last !== undefined))
      return `"${part}" is neither a number nor a range such as 3-9`;
    const from = Number(first);
    if (last !== undefined && Number(last) < from) return `the range ${part} ends before it begins`;
    if (dash !== undefined && last === undefined) ranges.push({ from });
    else ranges.push({ from, to: last === undefined ? from : Number(last) });
  }
  return ranges;
}
