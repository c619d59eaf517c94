// The names in a store that can complete a word. A store may come from a stranger, so a value is offered only
// if it is made of characters that mean nothing to any shell, whatever the completion scripts do with it.
import * as fs from "node:fs";
import { join, relative } from "node:path";
import { fit, timeText } from "../render/layout.js";
import { type QuickListing, listQuickly } from "../store/quick-listing.js";
import type { HistoryEntry } from "../store/catalog.js";
import { objectsByPrefix } from "../store/objects.js";
import { listTags, readLatest, readTag } from "../store/refs.js";
import { Store } from "../store/store.js";
import { readTitle } from "../store/titles.js";

export interface CompletionCandidate {
  value: string;
  description: string;
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
export function storedCandidates(kind: StoredKind, typed: string, folder: string): CompletionCandidate[] {
  const store = Store.find(folder);
  return candidatesOf(kind, store, typed, folder).filter(
    ({ value }) => value.startsWith(typed) && isSafe(value),
  );
}

function candidatesOf(kind: StoredKind, store: Store, typed: string, folder: string): CompletionCandidate[] {
  switch (kind) {
    case "pack":
      return packCandidates(store, typed);
    case "blob":
      return uniqueCandidates([...packCandidates(store, typed), ...blobCandidates(store, typed)]);
    case "tag":
      return tagCandidates(store, typed, newestEntries(store, maxPacks));
    case "model":
      return nameCandidates(newestEntries(store, maxRuns), ({ model, models = [] }) => [model, ...models]);
    case "run-agent":
      return nameCandidates(newestEntries(store, maxRuns), ({ agent }) =>
        agent === undefined ? [] : [agent],
      );
    case "tool":
      return nameCandidates(newestEntries(store, maxRuns), ({ tools }) => tools);
    case "session":
      return nameCandidates(newestEntries(store, maxRuns), ({ session }) =>
        session === undefined ? [] : [session],
      );
    case "draft":
      return draftCandidates(store, folder);
  }
}

function newestEntries(store: Store, count: number): HistoryEntry[] {
  return listQuickly(store, { limit: count, prefix: "" }).entries;
}

/** Returns whether a shell neither expands nor splits the value, and no program takes it for an option. */
function isSafe(value: string): boolean {
  return /^[A-Za-z0-9._/@][A-Za-z0-9._/@:+=-]{0,199}$/.test(value);
}

function packCandidates(store: Store, typed: string): CompletionCandidate[] {
  const [, scheme = "", digits = ""] = /^((?:ctx:\/\/)?(?:sha256:)?)(.*)$/s.exec(typed) ?? [];
  const isHex = /^[0-9a-f]{0,64}$/.test(digits);
  const listing = listQuickly(store, { limit: maxPacks, prefix: isHex ? digits : "" });
  const hashes = isHex ? matchingHashes(listing, digits) : [];
  const entryByHash = new Map(listing.entries.map((entry) => [entry.hex, entry]));
  const found = hashes.slice(0, digits === "" ? maxPacks : undefined).map((hex) => ({
    value: scheme + (digits.length > 12 ? hex : hex.slice(0, 12)),
    description: describeEntry(store, entryByHash.get(hex)),
  }));
  if (scheme !== "") return uniqueCandidates(found);
  const latest = listing.entries.length === 0 ? [] : [latestCandidate(store, listing)];
  return uniqueCandidates([...latest, ...tagCandidates(store, typed, listing.entries), ...found]);
}

/** Returns the hashes that begin with `digits`: those in the catalog newest first, then the others. */
function matchingHashes({ entries, hashes }: QuickListing, digits: string): string[] {
  const first = entries.map(({ hex }) => hex).filter((hex) => hex.startsWith(digits));
  return [...new Set([...first, ...hashes])];
}

function latestCandidate(store: Store, { entries }: QuickListing): CompletionCandidate {
  const named = readLatest(store.root);
  const entry = named === undefined ? entries[0] : entries.find(({ hex }) => hex === named);
  return { value: "latest", description: describeEntry(store, entry) || "the pack added last" };
}

function tagCandidates(store: Store, typed: string, entries: readonly HistoryEntry[]): CompletionCandidate[] {
  const entryByHash = new Map(entries.map((entry) => [entry.hex, entry]));
  return listTags(store.root)
    .filter((tag) => tag.startsWith(typed))
    .flatMap((tag, index) => {
      if (index >= maxDescribedTags) return { value: tag, description: "" };
      const hex = readTag(store.root, tag);
      return hex === undefined
        ? []
        : { value: tag, description: describeEntry(store, entryByHash.get(hex)) || hex.slice(0, 12) };
    });
}

/** Returns blobs from two digits on, which name a single folder of objects. */
function blobCandidates(store: Store, typed: string): CompletionCandidate[] {
  if (!/^[0-9a-f]{2,64}$/.test(typed)) return [];
  const digits = typed.length > 12 ? 64 : 12;
  return objectsByPrefix(store.root, typed).map((hex) => ({
    value: hex.slice(0, digits),
    description: "blob",
  }));
}

function nameCandidates(
  entries: readonly HistoryEntry[],
  namesOf: (content: Extract<HistoryEntry["content"], { model: string }>) => readonly string[],
): CompletionCandidate[] {
  const counts = new Map<string, number>();
  for (const { content } of entries)
    if ("model" in content)
      for (const name of new Set(namesOf(content))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({
    value,
    description: count === 1 ? "1 run" : `${count} runs`,
  }));
}

/** Returns the paths of drafts, relative to the folder that the command works in. */
function draftCandidates(store: Store, folder: string): CompletionCandidate[] {
  const root = join(store.root, "drafts");
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({ value: relative(fs.realpathSync(folder), join(root, name)), description: "draft" }));
}

/** Returns the day of a run and its title; its model if it has none. */
function describeEntry(store: Store, entry: HistoryEntry | undefined): string {
  if (entry === undefined) return "";
  const { hex, content } = entry;
  if ("damage" in content) return content.newer === true ? "written by a newer ctx" : "damaged";
  const when = timeText(content.created).slice(0, 10);
  const title = readTitle(store.root, hex) ?? content.title;
  return `${when}  ${title === undefined ? fit(content.model, 40) : fit(title, 60)}`;
}

function uniqueCandidates(candidates: readonly CompletionCandidate[]): CompletionCandidate[] {
  const found = new Map<string, CompletionCandidate>();
  for (const candidate of candidates) if (!found.has(candidate.value)) found.set(candidate.value, candidate);
  return [...found.values()];
}
