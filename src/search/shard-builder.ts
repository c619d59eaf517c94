// A shard of the text index while it grows: which texts go into which group.
import { mapBits } from "./grams.js";
import type { GroupText, IndexedGroup } from "./search-task.js";
import type { IndexedText, ShardContent } from "./shard.js";

/** How many bytes of text a group has. */
const groupBytes = 1 << 18;

/** A group with texts that were not read yet. */
export interface PlannedGroup {
  number: number;
  texts: GroupText[];
}

/** A shard that grows. */
export class ShardBuilder {
  readonly #content: ShardContent;
  readonly #numbers = new Map<string, number>();
  /** The groups that new texts were added to, by number; the first may be an old one that was not full. */
  #planned = new Map<number, PlannedGroup>();
  readonly #packCount: number;

  constructor(content: ShardContent = { packs: [], texts: [], groups: [] }) {
    this.#content = content;
    this.#packCount = content.packs.length;
    content.texts.forEach((text, number) => {
      if (text.kind !== "unread") this.#numbers.set(keyOf(text), number);
    });
  }

  get groupCount(): number {
    return this.#content.groups.length;
  }

  get pending(): number {
    return this.#planned.size;
  }

  /** How many packs were added. */
  get added(): number {
    return this.#content.packs.length - this.#packCount;
  }

  has(content: string): boolean {
    return this.#numbers.has(content);
  }

  add(hex: string, contents: ReadonlyMap<string, number>, parameters: string): void {
    const texts: number[] = [];
    for (const [content, size] of contents)
      texts.push(this.#numberOf({ kind: "content", hex: content }, { content }, size));
    if (parameters !== "")
      texts.push(
        this.#numberOf({ kind: "parameters", hex }, { text: parameters }, Buffer.byteLength(parameters)),
      );
    this.#content.packs.push({ hex, texts });
  }

  takePending(): PlannedGroup[] {
    const planned = [...this.#planned.values()];
    this.#planned = new Map();
    return planned;
  }

  /**
   * Adds the n-grams of groups. Packs with contents that could not be read are removed, and such a content is read again
   * for the next pack that has it: it may have been repaired.
   */
  merge(planned: readonly PlannedGroup[], indexed: readonly IndexedGroup[]): void {
    const unread = new Set<number>();
    for (const [at, { number }] of planned.entries()) {
      const { map, unreadable } = indexed[at] as IndexedGroup;
      const group = this.#content.groups[number] as ShardContent["groups"][number];
      for (let byte = 0; byte < map.length; byte++) (group.map[byte] as number) |= map[byte] as number;
      for (const hex of unreadable) unread.add(this.#numbers.get(hex) as number);
    }
    if (unread.size === 0) return;
    for (const number of unread) {
      const { hex } = this.#content.texts[number] as IndexedText;
      this.#numbers.delete(hex);
      this.#content.texts[number] = { kind: "unread", hex };
    }
    this.#content.packs = this.#content.packs.filter(({ texts }) => !texts.some((text) => unread.has(text)));
  }

  /** Returns what is to be written; undefined if no pack was added. */
  content(): ShardContent | undefined {
    return this.added > 0 ? this.#content : undefined;
  }

  #numberOf(text: IndexedText, source: GroupText, size: number): number {
    const known = this.#numbers.get(keyOf(text));
    if (known !== undefined) return known;
    const number = this.#content.texts.push(text) - 1;
    this.#numbers.set(keyOf(text), number);
    const { groups } = this.#content;
    if ((groups.at(-1)?.bytes ?? groupBytes) >= groupBytes)
      groups.push({ end: 0, bytes: 0, map: new Uint8Array(mapBits >>> 3) });
    const at = groups.length - 1;
    const group = groups[at] as ShardContent["groups"][number];
    group.end = number + 1;
    group.bytes += size;
    const planned = this.#planned.get(at) ?? { number: at, texts: [] };
    planned.texts.push(source);
    this.#planned.set(at, planned);
    return number;
  }
}

function keyOf({ kind, hex }: IndexedText): string {
  return `${kind === "content" ? "" : "p"}${hex}`;
}
