// Where a pack comes from, when it was not recorded from a run: `metadata.origin`. Only ctx writes it, but a pack from
// elsewhere may hold anything there, so it is read with care, and it never makes a verdict better.
import { hexOf, isReference, type Reference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { originKey } from "./log.js";
import type { Manifest, Output } from "./manifest.js";

/** How faithfully a replay reproduced a pack. */
export type Fidelity = "exact" | "degraded" | "failed";

/** Sealed from a draft: edited by hand, never executed. */
export interface DraftOrigin {
  kind: "draft";
  /** Sorted paths of what differs from the parent; `["unknown"]` when the parent was not in the store. */
  edited: string[];
}

/** Sealed by `ctx replay --seal`. */
export interface ReplayOrigin {
  kind: "replay";
  of: Reference;
  fidelity: Fidelity;
  checked: number;
  /** For each output of the pack the step that made it in the replay; null where none did. Earlier versions did not write it. */
  made_by?: (number | null)[];
  /** The pack that was replayed is a draft, or the replay of one: no agent ran its steps. */
  of_draft?: true;
}

/** Continued from step `at` of its parent. Nothing writes this yet. */
export interface ContinuedOrigin {
  kind: "continued";
  at: number;
}

export type Origin = DraftOrigin | ReplayOrigin | ContinuedOrigin;

/** An origin as commands report it. */
export type KnownOrigin = Origin & {
  /** The parent that the pack names. */
  parent?: Reference;
  /** The pack has no origin: ctx concluded this from its steps, which are its parent's. */
  recognised?: true;
};

export type KnownDraft = Extract<KnownOrigin, { kind: "draft" }>;

/** What `edited` holds when the parent is not in the store. */
export const unknownEdits = ["unknown"];

/** The origin that a manifest states; undefined when it states none, or something that ctx does not write. */
export function originOf({ metadata, parent }: Pick<Manifest, "metadata" | "parent">): Origin | undefined {
  const value = metadata?.[originKey];
  if (value !== undefined && isObject(value)) {
    if (value["kind"] === "draft") return { kind: "draft", edited: pathsIn(value["edited"]) };
    if (value["kind"] === "replay") return replayIn(value);
    const { kind, at } = value;
    if (kind === "continued" && isCount(at)) return { kind, at };
  }
  // Earlier versions of ctx wrote this of a replay.
  const earlier = value === undefined ? metadata?.["replay"] : undefined;
  const replay = earlier !== undefined && isObject(earlier) ? replayIn(earlier) : undefined;
  return replay !== undefined && replay.of === parent ? replay : undefined;
}

/** `manifest` with this origin, in place of any that it had. */
export function withOrigin(manifest: Manifest, origin: Origin): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, [originKey]: { ...origin } } };
}

/** The metadata of a pack without its origin; undefined when nothing else is there. */
export function withoutOrigin(pack: Pick<Manifest, "metadata" | "parent">): JsonObject | undefined {
  return without(pack.metadata, originOf(pack) === undefined ? originKey : statedUnder(pack));
}

/** The metadata that the author of a log gave. What earlier versions wrote of replays is data like any other there. */
export function authorsMetadata({ metadata }: Pick<Manifest, "metadata">): JsonObject | undefined {
  return without(metadata, originKey);
}

function without(metadata: JsonObject | undefined, key: string): JsonObject | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, key)) return metadata;
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key));
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** The key of the metadata that states the origin of a pack that has one. */
export function statedUnder({ metadata }: Pick<Manifest, "metadata">): string {
  return metadata !== undefined && Object.hasOwn(metadata, originKey) ? originKey : "replay";
}

const mostNamed = 5;

/** `system_prompt, steps[3].output and 2 more`. */
export function editedText(edited: readonly string[]): string {
  const more = edited.length - mostNamed;
  return `${edited.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** `was never executed: it is a draft of ctx://47d75f3304bf, edited by hand (system_prompt)`; the pack is the subject. */
export function originText(origin: KnownOrigin): string {
  switch (origin.kind) {
    case "draft": {
      const { edited, parent } = origin;
      const of = parent === undefined ? "" : ` of ${short(parent)}`;
      const how = edited.length === 0 ? "not edited" : `edited by hand (${editedText(edited)})`;
      const why = origin.recognised === true ? "; all its steps are its parent's" : "";
      return `was never executed: it is a draft${of}, ${how}${why}`;
    }
    case "replay": {
      // Early in the line: some commands cut it.
      const draft = origin.of_draft === true ? ", from an edited draft" : "";
      return `was recorded by a replay of ${short(origin.of)}${draft} (${origin.fidelity}, ${origin.checked} tool calls checked)`;
    }
    case "continued":
      return `continues its parent from step ${origin.at}`;
  }
}

/** The tool call that made an output in the replay that the origin is about; undefined when it names none. */
export function makerIn(
  { made_by }: ReplayOrigin,
  { outputs, steps }: Pick<Manifest, "outputs" | "steps">,
  output: Output,
): number | undefined {
  // A list for other outputs than these says nothing.
  const maker = made_by?.length === outputs.length ? made_by[outputs.indexOf(output)] : undefined;
  // Nor does one that names a step that the pack does not have, or that ran no tool.
  return typeof maker === "number" && steps[maker]?.type === "tool_call" ? maker : undefined;
}

function short(reference: Reference): string {
  return `ctx://${hexOf(reference).slice(0, 12)}`;
}

/** A pack that ctx did not seal may say anything here: what is not a list of texts is unknown. */
function pathsIn(value: JsonValue | undefined): string[] {
  const isList = Array.isArray(value) && value.every((path) => typeof path === "string");
  return isList ? value : [...unknownEdits];
}

const fidelities: readonly string[] = ["exact", "degraded", "failed"] satisfies Fidelity[];

function replayIn({ of, fidelity, checked, made_by, of_draft }: JsonObject): ReplayOrigin | undefined {
  if (typeof of !== "string" || !isReference(of) || !isCount(checked)) return undefined;
  if (typeof fidelity !== "string" || !fidelities.includes(fidelity)) return undefined;
  const makers = makersIn(made_by);
  return {
    kind: "replay",
    of,
    fidelity: fidelity as Fidelity,
    checked,
    ...(makers === undefined ? {} : { made_by: makers }),
    ...(of_draft === true ? { of_draft } : {}),
  };
}

function makersIn(value: JsonValue | undefined): (number | null)[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((step): step is number | null => step === null || isCount(step)) ? value : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
