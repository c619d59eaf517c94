// Adds to a drift report what changed inside: parameters by path, contents line by line. Blobs are read two at a time,
// within budgets that count work; one that is missing or damaged is told where it was needed, and the rest goes on.
import { hexOf, isReference, type Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isObject } from "../base/json.js";
import { contentChange, isText, largestText } from "../diff/content.js";
import { valueChanges } from "../diff/values.js";
import type { ContentChange, DriftEntry, DriftReport, ValueChange } from "../model/drift.js";
import { glimpseObject, objectSize, readObject } from "../store/objects.js";
import type { Store } from "../store/store.js";

export interface ContentOptions {
  /** Unchanged lines around each change. */
  unified: number;
  /** How many contents are compared line by line: none, a limited number, or all. */
  content: "none" | "some" | "all";
}

/** How many contents are compared when not all are asked for. */
export const mostContents = 200;
/** How many bytes are read for that, in all. */
const mostBytes = 256 << 20;

/** Fills in `changes` and `content` of every entry, and `unreadable` of the report. */
export function addContents(store: Store, report: DriftReport, options: ContentOptions): void {
  let [left, bytesLeft] = options.content === "all" ? [Infinity, Infinity] : [mostContents, mostBytes];
  const damaged = new Map<Reference, string>();
  for (const entry of mostWantedFirst(report.entries)) {
    const { pack_a, pack_b } = entry;
    if (entry.type === "param_drift" && entry.step_index !== null && isObject(pack_a) && isObject(pack_b))
      addChanges(
        entry,
        valueChanges(pack_a, pack_b, options.content === "none" ? undefined : options.unified),
      );
    if (options.content === "none" || !hasContent(entry)) continue;
    const [a, b] = [pack_a, pack_b].map((value) =>
      typeof value === "string" && isReference(value) ? value : null,
    ) as [Reference | null, Reference | null];
    // What is past the budget is not even asked for its size: there may be tens of thousands.
    const size = left > 0 ? (sizeOf(store, a) ?? 0) + (sizeOf(store, b) ?? 0) : 0;
    if (left <= 0 || size > bytesLeft) {
      const reason = "too many contents differ to compare all of them; --all-content does";
      entry.content = { kind: "unread", size_a: null, size_b: null, reason };
      continue;
    }
    entry.content = compareBlobs(store, a, b, options.unified, damaged);
    left--;
    bytesLeft -= size;
  }
  report.unreadable = [...damaged].map(([reference, message]) => ({ reference, message }));
}

/** How many changed values of one step are listed. */
const mostValues = 100;

function addChanges(entry: DriftEntry, changes: ValueChange[]): void {
  entry.changes = changes.slice(0, mostValues);
  if (changes.length > mostValues) entry.changes_omitted = changes.length - mostValues;
}

/** Prompts and artifacts come before steps, of which there may be thousands. */
function mostWantedFirst(entries: readonly DriftEntry[]): DriftEntry[] {
  return [
    ...entries.filter(({ step_index }) => step_index === null),
    ...entries.filter(({ step_index }) => step_index !== null),
  ];
}

function hasContent({ type, fields, change }: DriftEntry): boolean {
  if (type === "prompt_drift") return fields.length !== 1 || fields[0] !== "role";
  if (type === "output_drift") return true;
  return type === "reasoning_drift" || (change === "moved" && fields.includes("output"));
}

/** Null for a content that is not there, or of which there is none. */
function sizeOf(store: Store, reference: Reference | null): number | null {
  return reference === null ? null : (objectSize(store.root, hexOf(reference)) ?? null);
}

function compareBlobs(
  store: Store,
  a: Reference | null,
  b: Reference | null,
  context: number,
  damaged: Map<Reference, string>,
): ContentChange {
  const about = { size_a: sizeOf(store, a), size_b: sizeOf(store, b) };
  const isLarge = (about.size_a ?? 0) > largestText || (about.size_b ?? 0) > largestText;
  const problems: string[] = [];
  const read = (reference: Reference | null): Buffer | null => {
    if (reference === null) return null;
    try {
      // A large one is checked all the same, and looked into to see whether it is text.
      return isLarge
        ? glimpseObject(store.root, hexOf(reference), 1 << 13).head
        : readObject(store.root, hexOf(reference));
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      damaged.set(reference, error.message);
      problems.push(error.message);
      return null;
    }
  };
  const [bytesA, bytesB] = [read(a), read(b)];
  if (problems.length > 0) return { kind: "unread", ...about, damage: problems.join("; ") };
  if (!isLarge) return contentChange(bytesA, bytesB, context);
  const kind = [bytesA, bytesB].every(isCutText) ? "text" : "binary";
  return { kind, ...about, reason: `larger than ${largestText >> 20} MB: not compared line by line` };
}

/** The head of a text may end within a character; what is text up to there counts as text. */
function isCutText(head: Buffer | null): boolean {
  return head === null || [0, 1, 2, 3].some((cut) => isText(head.subarray(0, head.length - cut)));
}
