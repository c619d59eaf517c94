// The manifest: one run, as canonical JSON that points at its blobs, named by the SHA-256 of its own bytes.
import { canonicalBytes, canonicalChunks, canonicalObject } from "../base/json/canonical.js";
import type { Reference } from "../base/digest.js";
import { sha256, toReference } from "../base/digest.js";
import type { JsonObject } from "../base/json/value.js";
import type { Content, GivenContent, Stored } from "./content.js";
import type { ExecutionLog, LogStep } from "./log.js";
import { sortKey } from "./times.js";

/** The one version of the format that there is. */
export const formatVersion = "0.1";

export interface Manifest {
  version: typeof formatVersion;
  /** Empty in the object that is hashed; filled in where the pack is sealed. */
  hash: Reference | "";
  created: string;
  model: { identifier: string; parameters: JsonObject };
  system_prompt: Reference;
  prompts: { role: string; content_ref: Reference }[];
  inputs: { name: string; content_ref: Reference; size: number }[];
  steps: Step[];
  outputs: Output[];
  environment: { os: string; runtime: string; tool_versions: Record<string, string> };
  parent?: Reference;
  metadata?: JsonObject;
}

export interface Step {
  index: number;
  type: string;
  tool?: string;
  parameters: JsonObject;
  output_ref?: Reference;
  seen_ref?: Reference;
  deterministic: boolean;
  timestamp?: string;
  pack?: Reference;
  metadata?: JsonObject;
}

export interface Output {
  name: string;
  content_ref: Reference;
  /** Filled in where the pack is sealed. */
  context_pack?: Reference;
  confidence?: "high" | "medium" | "low";
  notes?: string;
}

/** When the run took place as far as its log says: `created`, else the latest step; undefined when it says nothing. */
export function createdOf(log: ExecutionLog): string | undefined {
  if (log.created !== undefined) return log.created;
  let latest: string | undefined;
  let key = "";
  for (const { timestamp } of log.steps ?? []) {
    if (timestamp === undefined) continue;
    const own = sortKey(timestamp);
    if (latest === undefined || own > key) [latest, key] = [timestamp, own];
  }
  return latest;
}

/** Where a content comes from: a step's call, or a file of this name. */
export interface ContentOrigin {
  tool?: string | undefined;
  parameters?: JsonObject | undefined;
  path?: string;
}

/**
 * Builds the manifest of a log, unsealed. `store` is handed each content that has no name yet, in order and with where it comes from, and
 * names it. The log's steps are used up.
 */
export function buildManifest(
  log: ExecutionLog,
  created: string,
  store: (content: GivenContent, origin?: ContentOrigin) => Stored,
): Manifest {
  const named = (content: Content, origin?: ContentOrigin): Stored =>
    "stored" in content ? content.stored : store(content, origin);
  const keep = (content: Content, origin?: ContentOrigin): Reference =>
    toReference(named(content, origin).hex);
  return {
    version: formatVersion,
    hash: "",
    created,
    model: { identifier: log.model.identifier, parameters: log.model.parameters ?? {} },
    system_prompt: keep(log.system_prompt),
    prompts: (log.prompts ?? []).map(({ role, content }) => ({ role, content_ref: keep(content) })),
    inputs: (log.inputs ?? []).map(({ name, content }) => {
      const { hex, size } = named(content, { path: name });
      return { name, content_ref: toReference(hex), size };
    }),
    steps: takeOver(log.steps ?? [], (step, index) => buildStep(step, index, keep)),
    outputs: (log.outputs ?? []).map(({ name, content, confidence, notes }) => ({
      name,
      content_ref: keep(content, { path: name }),
      ...given({ confidence, notes }),
    })),
    environment: {
      os: log.environment.os,
      runtime: log.environment.runtime,
      tool_versions: log.environment.tool_versions ?? {},
    },
    ...given({ parent: log.parent, metadata: log.metadata }),
  };
}

/** Makes a list of another, which is empty then: a long run has hundreds of thousands of steps, and both would take much room. */
function takeOver<T, U>(list: (T | undefined)[], make: (item: T, index: number) => U): U[] {
  const made: U[] = [];
  for (let index = 0; index < list.length; index++) {
    made.push(make(list[index] as T, index));
    list[index] = undefined;
  }
  list.length = 0;
  return made;
}

function buildStep(
  step: LogStep,
  index: number,
  keep: (content: Content, origin: ContentOrigin) => Reference,
): Step {
  // One by one and in their order, since there may be a million of them: then nothing is copied, and nothing sorted later.
  const made: Partial<Step> = { deterministic: step.deterministic ?? false, index };
  if (step.metadata !== undefined) made.metadata = step.metadata;
  if (step.output !== undefined) made.output_ref = keep(step.output, step);
  if (step.pack !== undefined) made.pack = step.pack;
  made.parameters = step.parameters ?? {};
  if (step.seen !== undefined) made.seen_ref = keep(step.seen, step);
  if (step.timestamp !== undefined) made.timestamp = step.timestamp;
  if (step.tool !== undefined) made.tool = step.tool;
  made.type = step.type;
  return made as Step;
}

/** The fields that have a value. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: Partial<Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) result[key] = value;
  return result as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The manifest with its own hash filled in, as it stands in `packs/`. */
export function seal(manifest: Manifest, hex: string): Manifest {
  const hash = toReference(hex);
  return {
    ...manifest,
    hash,
    outputs: manifest.outputs.map((output) => ({ ...output, context_pack: hash })),
  };
}

/** The name that the run has. */
export function manifestHash(manifest: Manifest): string {
  return sha256(canonicalBytes({ ...manifest, hash: "" }));
}

/**
 * The bytes that are hashed, and a function that gives the sealed ones without writing the steps out a second time. Both in
 * pieces, since a long run's manifest is large.
 */
export function manifestBytes(manifest: Manifest): { hashed: Buffer[]; sealed(hex: string): Buffer[] } {
  const members = new Map(Object.entries(manifest).map(([key, value]) => [key, canonicalChunks(value)]));
  return {
    hashed: canonicalObject(members),
    sealed(hex) {
      const { hash, outputs } = seal(manifest, hex);
      return canonicalObject(
        new Map([...members, ["hash", canonicalChunks(hash)], ["outputs", canonicalChunks(outputs)]]),
      );
    },
  };
}

/**
 * Whether `sealed` is the sealed form of the manifest whose canonical bytes are `hashed`. The two differ in the hash and in
 * the outputs only, so that most of them is compared as it stands.
 */
export function isSealedFrom(manifest: Manifest, hashed: Buffer, sealed: Buffer, hex: string): boolean {
  const { hash, outputs } = seal(manifest, hex);
  const first = canonicalBytes({ created: manifest.created, environment: manifest.environment, hash: "" });
  const plain = Buffer.concat([Buffer.from(',"outputs":'), canonicalBytes(manifest.outputs)]);
  const at = hashed.indexOf(plain);
  const isPlain = hashed.subarray(0, first.length - 1).equals(first.subarray(0, -1));
  // Where the same text stands twice, or a field comes first that is not known, all is written out.
  if (!isPlain || at < 0 || hashed.includes(plain, at + 1))
    return Buffer.concat(manifestBytes(manifest).sealed(hex)).equals(sealed);
  return Buffer.concat([
    canonicalBytes({ created: manifest.created, environment: manifest.environment, hash }).subarray(0, -1),
    hashed.subarray(first.length - 1, at),
    Buffer.from(',"outputs":'),
    canonicalBytes(outputs),
    hashed.subarray(at + plain.length),
  ]).equals(sealed);
}

/** Every blob that the manifest reaches, in order, with repeats. */
export function* reached(manifest: Manifest): Generator<Reference> {
  yield manifest.system_prompt;
  for (const prompt of manifest.prompts) yield prompt.content_ref;
  for (const input of manifest.inputs) yield input.content_ref;
  for (const step of manifest.steps) {
    if (step.output_ref !== undefined) yield step.output_ref;
    if (step.seen_ref !== undefined) yield step.seen_ref;
  }
  for (const output of manifest.outputs) yield output.content_ref;
}

/** The runs of sub-agents that steps name, each once. A manifest names them without reaching them. */
export function subAgentsOf({ steps }: Manifest): Set<Reference> {
  const named = new Set<Reference>();
  for (const { pack } of steps) if (pack !== undefined) named.add(pack);
  return named;
}
