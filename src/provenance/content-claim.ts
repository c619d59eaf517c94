// Which of the packs that have a file's bytes among their outputs answers for it, and what that proves. A pack that was
// edited by hand proves nothing, and neither do a few bytes that some run happened to write as well.
import { hexOf, type Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest, Output } from "../model/manifest.js";
import { makerIn, originOf } from "../model/origin.js";
import type { Claim } from "../model/verification.js";
import { readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { isCopied, knownDraft, type UnprovenPack } from "./origin.js";

/** The file as far as its proof depends on it. */
export interface FileFacts {
  hash: Reference;
  size: number;
  /** Its path from the store's folder on; undefined when it lies elsewhere. */
  name: string | undefined;
}

/** Fewer bytes than this may be equal by chance. */
const fewest = 16;

/** How many packs are searched for an output of the file's own name. */
const mostSearched = 2000;

/**
 * The pack that answers for a file without a sidecar: the newest that is no draft, did not only copy the bytes in a replay, and has
 * them under the file's own name; then the newest that has them under another name, and no other bytes under this one. Only where
 * there is none, another.
 */
export function choosePack(store: Store, packs: readonly string[], file: FileFacts): string | undefined {
  let other: string | undefined;
  let denying: string | undefined;
  let searched = 0;
  for (const hex of packs) {
    const manifest = readOrUndefined(store, hex);
    // One that cannot be read decides, as damage.
    if (manifest === undefined) return other ?? denying ?? hex;
    if (knownDraft(store, manifest) !== undefined) continue;
    const output = outputOf(manifest, file);
    if (output !== undefined && isCopied(manifest, output)) continue;
    if (isSameName(output?.name, file.name)) return hex;
    if (output === undefined) denying ??= hex;
    else other ??= hex;
    if (++searched >= mostSearched) break;
  }
  return other ?? denying ?? packs[0];
}

function readOrUndefined(store: Store, hex: string): Manifest | undefined {
  try {
    return readPack(store.root, hex).manifest;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Whether so few bytes say nothing by themselves about where a file came from. */
function isSmall({ size }: Pick<FileFacts, "size">): boolean {
  return size < fewest;
}

/** Whether two names are the same to a person: file systems may store a name in another Unicode form. */
export function isSameName(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.normalize("NFC") === b.normalize("NFC");
}

/**
 * The recorded output with these bytes; of several one that a step made, and of those the one with the file's name. None where the
 * pack has an output of that name with other bytes: the file is not what the run left there, whatever else has its bytes.
 */
export function outputOf(
  manifest: Manifest,
  { hash, name }: Pick<FileFacts, "hash" | "name">,
): Output | undefined {
  const all = manifest.outputs.filter(({ content_ref }) => content_ref === hash);
  const made = all.filter((output) => !isCopied(manifest, output));
  const same = made.length > 0 ? made : all;
  const named =
    same.find((output) => output.name === name) ?? same.find((output) => isSameName(output.name, name));
  if (named !== undefined) return named;
  return manifest.outputs.some((output) => isSameName(output.name, name)) ? undefined : same[0];
}

export interface DoubtFacts {
  pack: string;
  manifest: Manifest;
  draft: UnprovenPack | undefined;
}

/** Why an output does not prove a file although it has the same bytes; undefined when it does. A sidecar lifts no doubt: anyone can write one. */
export function doubtOf(
  output: Output,
  file: FileFacts,
  { pack, manifest, draft }: DoubtFacts,
): string | undefined {
  const about = `output ${output.name} of ctx://${pack.slice(0, 12)}`;
  if (draft !== undefined) return `${draftText(draft)}, not produced by a run: ${about}`;
  if (isCopied(manifest, output)) return `${replayText(manifest)}, in which no step made it: ${about}`;
  if (!isSmall(file) || isSameName(output.name, file.name)) return undefined;
  const bytes = file.size === 0 ? "an empty file" : `${file.size} ${file.size === 1 ? "byte" : "bytes"}`;
  return `${bytes} under another name than ${about}: too little to tell by content alone where the file came from`;
}

/** `edited by hand in a draft of ctx://47d75f3304bf`. */
function draftText({ edited, parent, stated }: UnprovenPack): string {
  if (stated !== undefined && parent !== undefined)
    return `all steps are those of ctx://${hexOf(parent).slice(0, 12)}`;
  const how = edited.length === 0 ? "copied in a draft" : "edited by hand in a draft";
  return parent === undefined ? how : `${how} of ctx://${hexOf(parent).slice(0, 12)}`;
}

/** `sealed by a replay of ctx://47d75f3304bf (degraded, 3 tool calls checked)`. */
function replayText(manifest: Manifest): string {
  const origin = originOf(manifest);
  if (origin?.kind !== "replay") return "";
  const { of, fidelity, checked } = origin;
  const calls = `${checked} ${checked === 1 ? "tool call" : "tool calls"} checked`;
  return `sealed by a replay of ctx://${hexOf(of).slice(0, 12)} (${fidelity}, ${calls})`;
}

/** `, sealed by a replay of …, in which step 6 made it`; empty for the record of a run. */
function makerText(manifest: Manifest, output: Output): string {
  const origin = originOf(manifest);
  if (origin?.kind !== "replay") return "";
  return `, ${replayText(manifest)}, in which step ${makerIn(origin, manifest, output)} made it`;
}

/** Whether the bytes are those of an output. */
export function contentClaim(
  pack: string,
  manifest: Manifest | undefined,
  output: Output | undefined,
  { name, hash, doubt }: { name: string | undefined; hash: Reference; doubt: string | undefined },
): Claim {
  const about = `ctx://${pack.slice(0, 12)}`;
  if (manifest === undefined)
    return { claim: "content", answer: "not_checked", detail: `the manifest of ${about} cannot be read` };
  if (output === undefined)
    return { claim: "content", answer: "no", detail: denial(about, manifest, { name, hash }) };
  if (doubt !== undefined) return { claim: "content", answer: "not_checked", detail: doubt };
  return {
    claim: "content",
    answer: "yes",
    detail: `the bytes of output ${output.name} of ${about}${renamedText(output.name, name)}${makerText(manifest, output)}`,
  };
}

function denial(
  about: string,
  { outputs }: Manifest,
  { name, hash }: Pick<FileFacts, "name" | "hash">,
): string {
  const twin = outputs.find(({ content_ref }) => content_ref === hash);
  if (twin === undefined) return `${about} has no output with these bytes`;
  return `output ${name ?? ""} of ${about} has other bytes; these are those of its output ${twin.name}`;
}

function renamedText(recorded: string, name: string | undefined): string {
  if (recorded === name) return "";
  if (!isSameName(recorded, name)) return ", recorded under that name";
  const [there, here] = [recorded, name as string].map(unicodeForm);
  return `, recorded as ${recorded} (different Unicode form: ${there}, the file's name is ${here})`;
}

function unicodeForm(name: string): string {
  return (["NFC", "NFD"] as const).find((form) => name.normalize(form) === name) ?? "mixed";
}
