// The origin of a pack that no agent ran: `metadata.origin`. Only ctx writes it, but a pack from elsewhere
// may contain anything there, so it is validated, and it never improves a verdict.
import { hexOf, isReference, type Reference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { originKey } from "./log.js";
import type { Manifest, Output } from "./manifest.js";

/** How faithfully a replay reproduced a pack. */
export type Fidelity = "exact" | "degraded" | "failed";

/** Sealed from a draft: edited by hand, never executed. */
export interface DraftOrigin {
  kind: "draft";
  /**
   * Sorted paths of the parts that differ from the parent; `["unknown"]` if the parent was not in the store.
   */
  edited: string[];
}

/** Sealed by `ctx replay --seal`. */
export interface ReplayOrigin {
  kind: "replay";
  of: Reference;
  fidelity: Fidelity;
  checked: number;
  /**
   * For each output of the pack, the step that made it in the replay, or null. Earlier versions did not write
   * it.
   */
  made_by?: (number | null)[];
  /** The replayed pack is a draft, or the replay of one: no agent ran its steps. */
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
  /** The pack states no origin: ctx concluded it from the steps, which are its parent's. */
  recognised?: true;
};

export type KnownDraft = Extract<KnownOrigin, { kind: "draft" }>;

/** The value of `edited` if the parent is not in the store. */
export const unknownEdits = ["unknown"];

/**
 * Returns the origin that a manifest states; undefined if it states none, or one that ctx would not write.
 */
export function originOf({ metadata, parent }: Pick<Manifest, "metadata" | "parent">): Origin | undefined {
  const value = metadata?.[originKey];
  if (value !== undefined && isObject(value)) {
    if (value["kind"] === "draft") return { kind: "draft", edited: readEditedPaths(value["edited"]) };
    if (value["kind"] === "replay") return readReplayOrigin(value);
    const { kind, at } = value;
    if (kind === "continued" && isCount(at)) return { kind, at };
  }
  // Earlier versions of ctx stored the origin of a replay here.
  const legacyReplay = value === undefined ? metadata?.["replay"] : undefined;
  const replay =
    legacyReplay !== undefined && isObject(legacyReplay) ? readReplayOrigin(legacyReplay) : undefined;
  return replay !== undefined && replay.of === parent ? replay : undefined;
}

/** Returns `manifest` with this origin instead of its own. */
export function withOrigin(manifest: Manifest, origin: Origin): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, [originKey]: { ...origin } } };
}

/**
 * The name of the mark in an exported log that cannot hold an origin; it fits into metadata and attributes.
 */
const markName = "ctx.origin";

/** Returns the mark for the exported log of a pack that no agent ran; empty for others. */
export function originMark(pack: Pick<Manifest, "metadata" | "parent">): JsonObject {
  return originOf(pack)?.kind === "draft" ? { [markName]: "draft" } : {};
}

/** Returns the origin that a mark among these values stands for. */
export function markedOrigin(values: JsonObject | undefined): DraftOrigin | undefined {
  return values?.[markName] === "draft" ? { kind: "draft", edited: [...unknownEdits] } : undefined;
}

/** Returns the metadata of a pack without its origin; undefined if it has no other. */
export function withoutOrigin(pack: Pick<Manifest, "metadata" | "parent">): JsonObject | undefined {
  return withoutMember(pack.metadata, originOf(pack) === undefined ? originKey : originMember(pack));
}

/** Returns the metadata that the author of a log wrote, including the `replay` member of earlier versions. */
export function authorsMetadata({ metadata }: Pick<Manifest, "metadata">): JsonObject | undefined {
  return withoutMember(metadata, originKey);
}

function withoutMember(metadata: JsonObject | undefined, key: string): JsonObject | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, key)) return metadata;
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key));
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Returns the key of the metadata that states the origin of a pack that has one. */
export function originMember({ metadata }: Pick<Manifest, "metadata">): string {
  return metadata !== undefined && Object.hasOwn(metadata, originKey) ? originKey : "replay";
}

const maxNamed = 5;

/** `system_prompt, steps[3].output and 2 more`. */
export function editedText(edited: readonly string[]): string {
  const more = edited.length - maxNamed;
  return `${edited.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * Returns the predicate of a sentence about the pack: `was never executed: it is a draft of
 * ctx://47d75f3304bf, edited by hand (system_prompt)`.
 */
export function originText(origin: KnownOrigin): string {
  switch (origin.kind) {
    case "draft": {
      const { edited, parent } = origin;
      const of = parent === undefined ? "" : ` of ${shortUri(parent)}`;
      const how = edited.length === 0 ? "not edited" : `edited by hand (${editedText(edited)})`;
      const why = origin.recognised === true ? "; all its steps are its parent's" : "";
      return `was never executed: it is a draft${of}, ${how}${why}`;
    }
    case "replay": {
      // At the beginning, because some commands cut the line.
      const draft = origin.of_draft === true ? ", from an edited draft" : "";
      return `was recorded by a replay of ${shortUri(origin.of)}${draft} (${origin.fidelity}, ${origin.checked} tool calls checked)`;
    }
    case "continued":
      return `continues its parent from step ${origin.at}`;
  }
}

/** Returns the tool call that made an output in the replay; undefined if the origin names none. */
export function outputMaker(
  { made_by }: ReplayOrigin,
  { outputs, steps }: Pick<Manifest, "outputs" | "steps">,
  output: Output,
): number | undefined {
  // A list of another length is about other outputs.
  const maker = made_by?.length === outputs.length ? made_by[outputs.indexOf(output)] : undefined;
  // Ignores a step that does not exist in the pack, or that called no tool.
  return typeof maker === "number" && steps[maker]?.type === "tool_call" ? maker : undefined;
}

function shortUri(reference: Reference): string {
  return `ctx://${hexOf(reference).slice(0, 12)}`;
}

/**
 * Returns the edited paths; a pack that ctx did not seal may contain anything here, which counts as unknown.
 */
function readEditedPaths(value: JsonValue | undefined): string[] {
  const isList = Array.isArray(value) && value.every((path) => typeof path === "string");
  return isList ? value : [...unknownEdits];
}

const fidelities: readonly string[] = ["exact", "degraded", "failed"] satisfies Fidelity[];

function readReplayOrigin({
  of,
  fidelity,
  checked,
  made_by,
  of_draft,
}: JsonObject): ReplayOrigin | undefined {
  if (typeof of !== "string" || !isReference(of) || !isCount(checked)) return undefined;
  if (typeof fidelity !== "string" || !fidelities.includes(fidelity)) return undefined;
  const makers = readMakers(made_by);
  return {
    kind: "replay",
    of,
    fidelity: fidelity as Fidelity,
    checked,
    ...(makers === undefined ? {} : { made_by: makers }),
    ...(of_draft === true ? { of_draft } : {}),
  };
}

function readMakers(value: JsonValue | undefined): (number | null)[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((step): step is number | null => step === null || isCount(step)) ? value : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
