// Counts what became of the records of a log: read, left out, not understood, damaged or repaired. The counts
// go into the run's metadata, so that nothing is dropped silently.
import type { JsonObject } from "../base/json/value.js";

/** Maximum number of damaged lines that are listed. */
const maxNamed = 10;

export class Coverage {
  /** Records that could be read. */
  records = 0;
  /** Characters and numbers that a pack cannot hold, and that were replaced. */
  replaced = 0;
  /** Records that repeat an earlier record, by their own ids. */
  duplicates = 0;
  /** Outputs that the producer had truncated. */
  truncated = 0;
  readonly #damaged: { line: number; why: string }[] = [];
  #damagedCount = 0;
  #partial = false;
  readonly #skipped = new Map<string, number>();
  readonly #leftOut = new Map<string, number>();
  readonly #unknown = new Set<string>();
  readonly #reconstructed = new Set<string>();

  /** Counts a record of an unknown kind. */
  skip(kind: string): void {
    count(this.#skipped, kind);
  }

  /** Counts a record of a known kind that says nothing about the run. */
  leaveOut(kind: string): void {
    count(this.#leftOut, kind);
  }

  damage(line: number, why: string): void {
    this.#damagedCount++;
    if (this.#damaged.length < maxNamed) this.#damaged.push({ line, why });
  }

  /** Notes that the last line is incomplete: the log is still being written, or its writer was cut off. */
  endsPartly(): void {
    this.#partial = true;
  }

  /** Notes something that the log does not record. The text goes into the pack, and so into its hash. */
  addUnknown(what: string): void {
    this.#unknown.add(what);
  }

  /** Notes something that the log does not record, but that was derived from it. */
  rebuilt(what: string): void {
    this.#reconstructed.add(what);
  }

  /** Returns whether every record was understood. */
  get isClean(): boolean {
    return this.#damagedCount === 0 && this.#skipped.size === 0 && !this.#partial;
  }

  /** Returns the notices that a user should see at once. */
  notices(): string[] {
    const lines = this.#damaged.map(({ line, why }) => `line ${line}: ${why}; it is left out`);
    const rest = this.#damagedCount - this.#damaged.length;
    if (rest > 0) lines.push(`${rest} more ${rest === 1 ? "line is" : "lines are"} damaged, and left out`);
    if (this.#partial) lines.push("its end is missing: it is still being written, or was cut off");
    return lines;
  }

  toJson(captured: readonly string[]): JsonObject {
    return {
      records: this.records,
      captured: [...captured],
      ...(this.#reconstructed.size === 0 ? {} : { reconstructed: [...this.#reconstructed] }),
      ...(this.#unknown.size === 0 ? {} : { unknown: [...this.#unknown] }),
      ...(this.#skipped.size === 0 ? {} : { skipped: Object.fromEntries(sorted(this.#skipped)) }),
      ...(this.#leftOut.size === 0 ? {} : { left_out: Object.fromEntries(sorted(this.#leftOut)) }),
      ...(this.#damagedCount === 0
        ? {}
        : { damaged: { count: this.#damagedCount, lines: this.#damaged.map((each) => ({ ...each })) } }),
      ...(this.#partial ? { partial_last_line: true } : {}),
      ...(this.duplicates === 0 ? {} : { duplicates: this.duplicates }),
      ...(this.truncated === 0 ? {} : { truncated: this.truncated }),
      ...(this.replaced === 0 ? {} : { replaced: this.replaced }),
    };
  }
}

/** The name under which kinds that are too long to be words are counted. */
const longKind = "(more than 100 characters)";

function count(map: Map<string, number>, kind: string): void {
  // Kinds come from the log: a hostile one could have a million. A long kind is not truncated: half a secret
  // is hard to recognise.
  const short = kind.length <= 100 ? kind : longKind;
  const key = map.has(short) || map.size < 100 ? short : "others";
  map.set(key, (map.get(key) ?? 0) + 1);
}

function sorted(map: ReadonlyMap<string, number>): [string, number][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
