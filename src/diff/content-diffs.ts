// Adds details to a drift report: parameters by path, contents line by line. Reads two blobs at a time,
// within budgets that count work; a missing or damaged blob is reported on the entry that needed it, and the
// rest goes on.
import { hexOf, isReference, type Reference } from "../base/digest.js";
import { cutAround } from "../base/cut.js";
import { CtxError } from "../base/errors.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { contentChange, isText, maxText } from "./content.js";
import { textDiff } from "./text-diff.js";
import { valueChanges } from "./values.js";
import type { ContentChange, DriftEntry, DriftReport, ValueChange } from "../results/drift.js";
import { glimpseObject, objectSize, readObject } from "../store/objects.js";
import type { Store } from "../store/store.js";

export interface ContentOptions {
  /** Number of unchanged lines around each change. */
  unified: number;
  /** How many contents to compare line by line: none, a limited number, or all. */
  content: "none" | "some" | "all";
}

/** The default budget, used unless all contents are requested. */
const defaultBudget = {
  /** Contents, and texts in parameters, that are compared line by line; and their bytes. */
  contents: 200,
  compared: 32 << 20,
  /** Bytes of larger contents that are read to check them. */
  checked: 256 << 20,
};

/** The rest of a budget. */
type ContentBudget = typeof defaultBudget;

/** Fills in `changes` and `content` of every entry, the texts of steps, and `unreadable` of the report. */
export function addContents(store: Store, report: DriftReport, options: ContentOptions): void {
  const everything = { contents: Infinity, compared: Infinity, checked: Infinity };
  const budget: ContentBudget = options.content === "all" ? everything : { ...defaultBudget };
  const damaged = new Map<Reference, string>();
  for (const entry of mostWantedFirst(report.entries)) {
    const { pack_a, pack_b } = entry;
    if (entry.type === "param_drift" && entry.step_index !== null && isObject(pack_a) && isObject(pack_b))
      addChanges(entry, valueChanges(pack_a, pack_b), options, budget);
    if (options.content === "none" || !hasContent(entry)) continue;
    const [a, b] = [pack_a, pack_b].map((value) =>
      typeof value === "string" && isReference(value) ? value : null,
    ) as [Reference | null, Reference | null];
    entry.content = isAffordable(store, a, b, budget)
      ? compareBlobs(store, a, b, options.unified, damaged)
      : { kind: "unread", size_a: null, size_b: null, reason: tooMany };
  }
  if (options.content !== "none") addTexts(store, report);
  report.unreadable = [...damaged].map(([reference, message]) => ({ reference, message }));
}

const tooMany = "too many contents differ to compare all of them; use --all-content";

/** Returns whether the budget still covers comparing two contents, and charges it. */
function isAffordable(
  store: Store,
  a: Reference | null,
  b: Reference | null,
  budget: ContentBudget,
): boolean {
  // Past the budget not even sizes are read: there may be tens of thousands of contents.
  if (budget.contents <= 0) return false;
  const sizes = [contentSize(store, a) ?? 0, contentSize(store, b) ?? 0] as const;
  const which = Math.max(sizes[0], sizes[1]) > maxText ? "checked" : "compared";
  if (sizes[0] + sizes[1] > budget[which]) return false;
  budget.contents--;
  budget[which] -= sizes[0] + sizes[1];
  return true;
}

/** Maximum number of changed values listed per step. */
const maxValues = 100;

function addChanges(
  entry: DriftEntry,
  changes: ValueChange[],
  { content, unified }: ContentOptions,
  budget: ContentBudget,
): void {
  entry.changes = changes.slice(0, maxValues);
  if (changes.length > maxValues) entry.changes_omitted = changes.length - maxValues;
  for (const change of entry.changes) {
    const { pack_a, pack_b } = change;
    if (content === "none" || !isLongText(pack_a) || !isLongText(pack_b)) continue;
    const size = pack_a.length + pack_b.length;
    if (size > 2 * maxText || size > budget.compared || budget.contents <= 0) continue;
    budget.contents--;
    budget.compared -= size;
    change.diff = textDiff(pack_a, pack_b, unified).diff;
  }
}

function isLongText(value: JsonValue): value is string {
  return typeof value === "string" && value.includes("\n");
}

/** Maximum number of steps whose text is read. */
const maxTexts = 50;

/** Adds the first line of what steps without a tool said, where such steps are shown. */
function addTexts(store: Store, { entries, first_divergence }: DriftReport): void {
  const shown = [
    first_divergence?.step_a ?? [],
    first_divergence?.step_b ?? [],
    ...entries.flatMap(({ steps_a, steps_b }) => [...(steps_a ?? []), ...(steps_b ?? [])]),
  ].flat();
  const prose = shown.filter(({ tool, output_ref }) => tool === undefined && output_ref !== undefined);
  for (const step of prose.slice(0, maxTexts)) {
    const hex = hexOf(step.output_ref as Reference);
    if ((objectSize(store.root, hex) ?? Infinity) > maxText) continue;
    try {
      const bytes = readObject(store.root, hex);
      const line = bytes.toString("utf8").trimStart().split("\n")[0] ?? "";
      if (isText(bytes)) step.text = cutAround(line, undefined, 200);
    } catch (error) {
      // The text is only a preview; contents that a comparison needs are reported there.
      if (!(error instanceof CtxError)) throw error;
    }
  }
}

/** Puts prompts and artifacts before steps, of which there may be thousands. */
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

/** Returns null for a content that is missing or was never recorded. */
function contentSize(store: Store, reference: Reference | null): number | null {
  return reference === null ? null : (objectSize(store.root, hexOf(reference)) ?? null);
}

function compareBlobs(
  store: Store,
  a: Reference | null,
  b: Reference | null,
  context: number,
  damaged: Map<Reference, string>,
): ContentChange {
  const sizes = { size_a: contentSize(store, a), size_b: contentSize(store, b) };
  const isLarge = (sizes.size_a ?? 0) > maxText || (sizes.size_b ?? 0) > maxText;
  const problems: string[] = [];
  const read = (reference: Reference | null): Buffer | null => {
    if (reference === null) return null;
    try {
      // A large content is still checked, and its head shows whether it is text.
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
  if (problems.length > 0) return { kind: "unread", ...sizes, damage: problems.join("; ") };
  if (!isLarge) return contentChange(bytesA, bytesB, context);
  const kind = [bytesA, bytesB].every(isCutText) ? "text" : "binary";
  return { kind, ...sizes, reason: `larger than ${maxText >> 20} MB: not compared line by line` };
}

/** Returns whether the head of a content is text; it may end within a character. */
function isCutText(head: Buffer | null): boolean {
  return head === null || [0, 1, 2, 3].some((cut) => isText(head.subarray(0, head.length - cut)));
}
