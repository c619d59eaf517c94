// The names in a store that can complete a word. A store may come from a stranger, so a value is offered only
// if it is made of characters that mean nothing to any shell, whatever the completion scripts do with it.
import * as fs from "node:fs";
import { join, relative } from "node:path";
import { fit, timeText } from "../render/layout.js";
import { type Glance, glance } from "../store/quick-listing.js";
import type { HistoryEntry } from "../store/history.js";
import { objectsByPrefix } from "../store/objects.js";
import { listTags, readLatest, readTag } from "../store/refs.js";
import { Store } from "../store/store.js";

export interface Candidate {
  value: string;
  about: string;
}

/** The kinds of names that a store has. */
export type StoredKind = "pack" | "blob" | "tag" | "model" | "run-agent" | "tool" | "session" | "draft";

/** The most packs that are offered before anything is typed, and that are described in any case. */
const maxPacks = 50;
/** How many of the newest runs are searched for names of models, tools and sessions. */
const maxRuns = 200;
/** The most tags that are offered with a description. */
const maxDescribedTags = 200;

/** Returns the names of a kind that begin with `typed`, best first. Throws if there is no store. */
export function storedCandidates(kind: StoredKind, typed: string, folder: string): Candidate[] {
  const store = Store.find(folder);
  return find(kind, store, typed, folder).filter(({ value }) => value.startsWith(typed) && isSafe(value));
}

function find(kind: StoredKind, store: Store, typed: string, folder: string): Candidate[] {
  switch (kind) {
    case "pack":
      return packs(store, typed);
    case "blob":
      return unique([...packs(store, typed), ...blobs(store, typed)]);
    case "tag":
      return tags(store, typed, newest(store, maxPacks));
    case "model":
      return names(newest(store, maxRuns), ({ model, models = [] }) => [model, ...models]);
    case "run-agent":
      return names(newest(store, maxRuns), ({ agent }) => (agent === undefined ? [] : [agent]));
    case "tool":
      return names(newest(store, maxRuns), ({ tools }) => tools);
    case "session":
      return names(newest(store, maxRuns), ({ session }) => (session === undefined ? [] : [session]));
    case "draft":
      return drafts(store, folder);
  }
}

function newest(store: Store, count: number): HistoryEntry[] {
  return glance(store, { most: count, prefix: "" }).entries;
}

/** Returns whether a shell neither expands nor splits the value, and no program takes it for an option. */
function isSafe(value: string): boolean {
  return /^[A-Za-z0-9._/@][A-Za-z0-9._/@:+=-]{0,199}$/.test(value);
}

function packs(store: Store, typed: string): Candidate[] {
  const [, scheme = "", digits = ""] = /^((?:ctx:\/\/)?(?:sha256:)?)(.*)$/s.exec(typed) ?? [];
  const isHex = /^[0-9a-f]{0,64}$/.test(digits);
  const seen = glance(store, { most: maxPacks, prefix: isHex ? digits : "" });
  const hashes = isHex ? inOrder(seen, digits) : [];
  const known = new Map(seen.entries.map((entry) => [entry.hex, entry]));
  const found = hashes.slice(0, digits === "" ? maxPacks : undefined).map((hex) => ({
    value: scheme + (digits.length > 12 ? hex : hex.slice(0, 12)),
    about: describeEntry(known.get(hex)),
  }));
  if (scheme !== "") return unique(found);
  const latest = seen.entries.length === 0 ? [] : [latestOf(store, seen)];
  return unique([...latest, ...tags(store, typed, seen.entries), ...found]);
}

/** Returns the hashes that begin with `digits`: those in the catalog newest first, then the others. */
function inOrder({ entries, hashes }: Glance, digits: string): string[] {
  const first = entries.map(({ hex }) => hex).filter((hex) => hex.startsWith(digits));
  return [...new Set([...first, ...hashes])];
}

function latestOf(store: Store, { entries }: Glance): Candidate {
  const named = readLatest(store.root);
  const entry = named === undefined ? entries[0] : entries.find(({ hex }) => hex === named);
  return { value: "latest", about: describeEntry(entry) || "the pack last added" };
}

function tags(store: Store, typed: string, entries: readonly HistoryEntry[]): Candidate[] {
  const known = new Map(entries.map((entry) => [entry.hex, entry]));
  return listTags(store.root)
    .filter((tag) => tag.startsWith(typed))
    .flatMap((tag, index) => {
      if (index >= maxDescribedTags) return { value: tag, about: "" };
      const hex = readTag(store.root, tag);
      return hex === undefined
        ? []
        : { value: tag, about: describeEntry(known.get(hex)) || hex.slice(0, 12) };
    });
}

/** Returns blobs from two digits on, which name a single folder of objects. */
function blobs(store: Store, typed: string): Candidate[] {
  if (!/^[0-9a-f]{2,64}$/.test(typed)) return [];
  const digits = typed.length > 12 ? 64 : 12;
  return objectsByPrefix(store.root, typed).map((hex) => ({ value: hex.slice(0, digits), about: "blob" }));
}

function names(
  entries: readonly HistoryEntry[],
  of: (content: Extract<HistoryEntry["content"], { model: string }>) => readonly string[],
): Candidate[] {
  const counts = new Map<string, number>();
  for (const { content } of entries)
    if ("model" in content)
      for (const name of new Set(of(content))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, about: count === 1 ? "1 run" : `${count} runs` }));
}

/** Returns the paths of drafts, relative to the folder that the command works in. */
function drafts(store: Store, folder: string): Candidate[] {
  const root = join(store.root, "drafts");
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({ value: relative(fs.realpathSync(folder), join(root, name)), about: "draft" }));
}

function describeEntry(entry: HistoryEntry | undefined): string {
  if (entry === undefined) return "";
  const { content } = entry;
  if ("damage" in content) return content.newer === true ? "of a newer ctx" : "damaged";
  return `${fit(content.model, 40)}, ${timeText(content.created).slice(0, 16)}`;
}

function unique(candidates: readonly Candidate[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const candidate of candidates) if (!found.has(candidate.value)) found.set(candidate.value, candidate);
  return [...found.values()];
}
