// Chooses which of the packs that have a file's bytes among their outputs answers for it, and decides what
// that proves. A pack that was edited by hand proves nothing, and neither do a few bytes that some run
// happened to write as well.
import { hexOf, type Reference } from "../base/digest.js";
import type { Manifest, Output } from "../model/manifest.js";
import { outputMaker, originOf } from "../model/origin.js";
import type { Claim } from "../results/verify.js";
import { readIfPossible } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { type FileName, isBaseName, isOwnName, isSameName } from "./file-name.js";
import { isCopied, knownDraft, type UnprovenPack } from "./origin.js";

/** The facts about a file that its proof depends on. */
export interface FileFacts extends FileName {
  hash: Reference;
  size: number;
}

/** Fewer bytes than this may be equal by chance. */
const fewest = 16;

/** Maximum number of packs searched for an output with the file's own name. */
const maxSearched = 2000;

/**
 * Returns the pack that answers for a file without a sidecar: the newest that is not a draft, did not only
 * copy the bytes in a replay, and has them under the file's own name; then the newest that has them under
 * another name, and no other bytes under this one. Only if there is none, another.
 */
export function choosePack(store: Store, packs: readonly string[], file: FileFacts): string | undefined {
  let other: string | undefined;
  let denying: string | undefined;
  let swapped: string | undefined;
  let searched = 0;
  for (const hex of packs) {
    const manifest = readIfPossible(store.root, hex);
    // A pack that cannot be read decides, as damage.
    if (manifest === undefined) return other ?? denying ?? swapped ?? hex;
    if (knownDraft(store, manifest) !== undefined) continue;
    const output = outputOf(manifest, file);
    if (output !== undefined && isCopied(manifest, output)) continue;
    if (output === undefined) denying ??= hex;
    else if (isOwnName(manifest, output, file)) return hex;
    else if (otherNamed(manifest, output, file) !== undefined) swapped ??= hex;
    else other ??= hex;
    if (++searched >= maxSearched) break;
  }
  return other ?? denying ?? swapped ?? packs[0];
}

/** Returns whether so few bytes say nothing by themselves about where a file came from. */
function isSmall({ size }: Pick<FileFacts, "size">): boolean {
  return size < fewest;
}

/**
 * Returns the recorded output with these bytes; of several, one that a step made, and of those the one with
 * the file's name. Returns none if the pack has an output of that name with other bytes: the file is not what
 * the run left there, whatever else has its bytes.
 */
export function outputOf(manifest: Manifest, file: Omit<FileFacts, "size">): Output | undefined {
  const all = manifest.outputs.filter(({ content_ref }) => content_ref === file.hash);
  const made = all.filter((output) => !isCopied(manifest, output));
  const same = made.length > 0 ? made : all;
  const named =
    same.find((output) => output.name === file.name) ??
    same.find((output) => isOwnName(manifest, output, file));
  if (named !== undefined) return named;
  if (manifest.outputs.some((output) => isOwnName(manifest, output, file))) return undefined;
  return same.find((output) => isBaseName(output, file)) ?? same[0];
}

/**
 * Returns an output of the same pack whose name ends as the file's path does, while the output with the
 * file's bytes has another name: then the bytes of one output may have been put in the place of another.
 */
function otherNamed(manifest: Manifest, output: Output, file: FileName): Output | undefined {
  if (isOwnName(manifest, output, file) || isBaseName(output, file)) return undefined;
  return manifest.outputs.find((each) => isBaseName(each, file));
}

export interface DoubtFacts {
  pack: string;
  manifest: Manifest;
  draft: UnprovenPack | undefined;
}

/**
 * Returns why an output does not prove a file although it has the same bytes; undefined if it does. A sidecar
 * removes no doubt: anyone can write one.
 */
export function doubtOf(
  output: Output,
  file: FileFacts,
  { pack, manifest, draft }: DoubtFacts,
): string | undefined {
  const subject = `output ${output.name} of ctx://${pack.slice(0, 12)}`;
  if (draft !== undefined) return `${draftText(draft)}, not produced by a run: ${subject}`;
  if (isCopied(manifest, output)) return `${replayText(manifest)}, in which no step produced it: ${subject}`;
  const other = otherNamed(manifest, output, file);
  if (other !== undefined) return `the bytes of ${subject}, whose output ${other.name} has other bytes`;
  if (!isSmall(file) || isOwnName(manifest, output, file)) return undefined;
  const bytes = file.size === 0 ? "an empty file" : `${file.size} ${file.size === 1 ? "byte" : "bytes"}`;
  return `${bytes} under another name than ${subject}: such short content does not prove where the file came from`;
}

/** Returns text such as `edited by hand in a draft of ctx://47d75f3304bf`. */
function draftText({ edited, parent, stated, replay }: UnprovenPack): string {
  if (replay !== undefined) {
    const of = `ctx://${hexOf(replay.of).slice(0, 12)}`;
    return replay.why === "of-draft"
      ? `sealed by a replay of ${of}, whose steps come from a draft that was edited by hand`
      : `the pack says that it is an exact replay of ${of}, which has other outputs`;
  }
  if (stated !== undefined && parent !== undefined)
    return `all its steps are those of ctx://${hexOf(parent).slice(0, 12)}`;
  const how = edited.length === 0 ? "copied in a draft" : "edited by hand in a draft";
  return parent === undefined ? how : `${how} of ctx://${hexOf(parent).slice(0, 12)}`;
}

/** Returns text such as `sealed by a replay of ctx://47d75f3304bf (degraded, 3 tool calls checked)`. */
function replayText(manifest: Manifest): string {
  const origin = originOf(manifest);
  if (origin?.kind !== "replay") return "";
  const { of, fidelity, checked } = origin;
  const calls = `${checked} ${checked === 1 ? "tool call" : "tool calls"} checked`;
  return `sealed by a replay of ctx://${hexOf(of).slice(0, 12)} (${fidelity}, ${calls})`;
}

/**
 * Returns text such as `; the pack says that it was sealed by a replay of …, in which step 6 made it`; empty
 * for the record of a run.
 */
function makerText(manifest: Manifest, output: Output): string {
  const origin = originOf(manifest);
  if (origin?.kind !== "replay") return "";
  return `; the pack says that it was ${replayText(manifest)}, in which step ${outputMaker(origin, manifest, output)} produced it`;
}

/** Returns the claim that the bytes are those of an output. */
export function contentClaim(
  pack: string,
  manifest: Manifest | undefined,
  output: Output | undefined,
  file: Omit<FileFacts, "size"> & { doubt: string | undefined },
): Claim {
  const subject = `ctx://${pack.slice(0, 12)}`;
  if (manifest === undefined)
    return { claim: "content", answer: "not_checked", detail: `the manifest of ${subject} cannot be read` };
  if (output === undefined)
    return { claim: "content", answer: "no", detail: denial(subject, manifest, file) };
  if (file.doubt !== undefined) return { claim: "content", answer: "not_checked", detail: file.doubt };
  // In the folder of the run, the file has the output's own name.
  const isOther = isSameName(output.name, file.name) || !isOwnName(manifest, output, file);
  const name = isOther ? file.name : output.name;
  return {
    claim: "content",
    answer: "yes",
    detail: `the bytes of output ${output.name} of ${subject}${renamedText(output, { ...file, name })}${makerText(manifest, output)}`,
  };
}

function denial(subject: string, manifest: Manifest, file: Omit<FileFacts, "size">): string {
  const twin = manifest.outputs.find(({ content_ref }) => content_ref === file.hash);
  const name = manifest.outputs.find((output) => isOwnName(manifest, output, file))?.name;
  if (twin === undefined) return `${subject} has no output with these bytes`;
  return `output ${name ?? ""} of ${subject} has other bytes; these are those of its output ${twin.name}`;
}

function renamedText(output: Output, { name, path }: FileName): string {
  const recorded = output.name;
  if (recorded === name) return "";
  if (!isSameName(recorded, name))
    return isBaseName(output, { path }) ? ", recorded under that name" : ", recorded under another name";
  const [there, here] = [recorded, name as string].map(unicodeForm);
  return `, recorded as ${recorded} (different Unicode form: ${there}, the file's name is ${here})`;
}

function unicodeForm(name: string): string {
  return (["NFC", "NFD"] as const).find((form) => name.normalize(form) === name) ?? "mixed";
}
