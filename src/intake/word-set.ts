// Splits a list of known names, written as one string.

export function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}
