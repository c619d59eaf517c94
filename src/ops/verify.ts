// `ctx verify`: where a file came from, and whether a pack or a whole store is intact.
import { resolve } from "node:path";
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isText, maxText } from "../diff/content.js";
import { textDiff } from "../diff/text-diff.js";
import { originText } from "../model/origin.js";
import {
  absentTarget,
  exitOf,
  exitOfTargets,
  goNote,
  notProven,
  type VerifiedTarget,
  type VerifyResult,
} from "../results/verify.js";
import type { BundleName, BundleOptions } from "../bundle/open-bundles.js";
import { Checker, packClaims } from "../verify/pack.js";
import { lineOrigins, type RecordedLines } from "../verify/line-origins.js";
import { knownOrigin, provenOutputs } from "../verify/origin.js";
import { type ReadFile, verifyFile } from "../verify/file.js";
import { verifyStore } from "../verify/store.js";
import { withCatalog } from "../store/catalog.js";
import { objectSize, readObject } from "../store/objects.js";
import { readPack } from "../store/packs.js";
import { isFileTarget, resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";
import type { RedactionOptions } from "../redact/settings.js";
import type { ReplayOptions } from "../replay/options.js";
import { judgeMasked } from "../verify/masked.js";

export interface VerifyOptions extends RedactionOptions {
  /** What the targets are. Without it, this is decided for each target. */
  as?: "file" | "pack" | undefined;
  /** The folder that paths are relative to. */
  folder?: string;
  /** Report which lines of a file were recorded, and where. */
  lines?: boolean;
  /** For a store: the share of its objects to hash, from 0 to 1. */
  sample?: number;
  progress?: (done: number, of: number) => void;
}

/** Verifies files and packs; without targets, the whole store. */
export function verify(store: Store, targets: readonly string[], options: VerifyOptions = {}): VerifyResult {
  const checker = new Checker(store);
  const answers =
    targets.length === 0
      ? [verifyStore(store, options)]
      : targets.map((target) =>
          isFileTarget(target, options)
            ? file(store, checker, target, options)
            : pack(store, checker, target),
        );
  return { exit: exitOfTargets(answers), targets: answers, not_proven: notProven };
}

/** Adds the claim "a replay reproduces it" to every target that a pack backs. */
export async function verifyReplay(
  store: Store,
  result: VerifyResult,
  options: ReplayOptions,
): Promise<VerifyResult> {
  const { replay } = await import("./replay.js");
  const { withReplay } = await import("../verify/replay.js");
  return await withReplay(store, result, (pack) => replay(store, pack, options));
}

/** Verifies the packs of a bundle, or the one that is named. `verifyPacks` verifies packs of a store. */
export async function verifyBundle(
  shown: string,
  name: BundleName,
  options: BundleOptions,
  verifyPacks: (store: Store, hashes: readonly string[]) => Promise<VerifyResult>,
): Promise<VerifyResult> {
  // Few targets are bundles, so their readers are loaded only for those.
  const bundles = await import("../verify/bundles.js");
  return await bundles.verifyBundle(shown, name, options, verifyPacks);
}

/**
 * Returns the result for targets that cannot be read, so that the other targets of the command get theirs.
 */
export function unreadableTargets(
  names: readonly string[],
  { message, hint, problems = [] }: CtxError,
  kind: "file" | "pack" = "pack",
): VerifyResult {
  const targets = names.map(
    (target): VerifiedTarget => ({
      ...absentTarget(target, kind),
      claims: [{ claim: kind === "pack" ? "pack" : "content", answer: "not_checked", detail: message }],
      notes: [...problems.map((problem) => problem.message), ...(hint === undefined ? [] : [hint])],
    }),
  );
  return { exit: exitOf.absent, targets, not_proven: notProven };
}

function pack(store: Store, checker: Checker, name: string): VerifiedTarget {
  const target = absentTarget(name, "pack");
  let hex: string;
  try {
    hex = resolvePack(store, name);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const isDamage = ["damaged", "missing"].includes(error.code);
    target.result = isDamage ? "damaged" : "absent";
    target.claims.push({ claim: "pack", answer: isDamage ? "no" : "not_checked", detail: error.message });
    if (error.code === "not-found" && error.hint !== undefined) target.notes.push(error.hint);
    return target;
  }
  const { claims, faults, form, isNewer } = packClaims(checker, hex);
  const manifest = checker.check(hex).pack?.manifest;
  const origin = manifest === undefined ? undefined : knownOrigin(store, manifest);
  return {
    ...target,
    ...(manifest === undefined ? {} : { title: titleFor(store.root, hex, manifest) }),
    result: faults.length > 0 ? "damaged" : isNewer ? "unproven" : "verified",
    packs: [toReference(hex)],
    claims,
    faults,
    notes: [
      ...(form === "go" ? [goNote] : []),
      ...(origin === undefined ? [] : [`the pack ${originText(origin)}`]),
    ],
    ...(form === undefined ? {} : { form }),
    next: [`ctx show ${hex.slice(0, 12)}`, `ctx replay ${hex.slice(0, 12)} --plan`],
  };
}

function file(store: Store, checker: Checker, path: string, options: VerifyOptions): VerifiedTarget {
  const { target, file: read } = verifyFile(store, checker, resolve(options.folder ?? ".", path));
  target.target = path;
  if (options.as === undefined && isPackName(store, path))
    target.notes.push(
      `${path} is both a file here and the name of a pack: \`ctx verify --pack ${path}\` checks the pack`,
    );
  if (read === undefined) return target;
  const shown = judgeMasked(store, target, read, options);
  if (target.was !== undefined && target.result !== "masked") {
    const diff = diffFrom(store, target.was.reference, shown);
    if (diff !== undefined) target.was.diff = diff;
  }
  if (options.lines === true) addLines(store, target, read);
  // An edited output under another name has other bytes: only its lines still say where they come from.
  else if (target.result === "unproven" && target.packs.length === 0 && isLineText(read))
    target.next.push(`ctx verify ${/^[\w./][\w@%+=:,./-]*$/.test(path) ? path : "<file>"} --lines`);
  return target;
}

/** Returns whether a word could also name a pack: a tag, `latest`, or a prefix of a hash. */
function isPackName(store: Store, word: string): boolean {
  try {
    return !/[/\\]/.test(word) && resolvePack(store, word) !== "";
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}

/** Returns the diff from the recorded text to the file's; undefined if either is not text or is too large. */
function diffFrom(store: Store, reference: Reference, bytes: Buffer | undefined): string | undefined {
  const recorded = textOf(store, reference);
  if (recorded === undefined || bytes === undefined || bytes.length > maxText || !isText(bytes))
    return undefined;
  return textDiff(recorded, bytes.toString("utf8"), 3).diff;
}

function isLineText({ bytes }: ReadFile): boolean {
  return bytes !== undefined && bytes.length > 0 && isText(bytes);
}

/** How many outputs are searched for lines, and how many bytes of them. */
const maxOutputs = 2000;
const maxBytes = 64 << 20;

function addLines(store: Store, target: VerifiedTarget, { bytes }: ReadFile): void {
  if (bytes === undefined || !isText(bytes)) {
    target.notes.push("it is not text, or too large, so its lines were not compared");
    return;
  }
  const { recorded, isCut } = recordedTexts(store, target.packs);
  if (isCut) target.notes.push("there are more recorded outputs than were compared line by line");
  target.lines = lineOrigins(bytes.toString("utf8"), recorded);
}

/** Returns the texts of outputs: first those of the packs in `first`, then newest first. */
function recordedTexts(
  store: Store,
  first: readonly Reference[],
): { recorded: RecordedLines[]; isCut: boolean } {
  const all = withCatalog(store, (catalog) => [...catalog.entries()].map(({ hex }) => hex));
  const order = [...new Set([...first.map(hexOf), ...all])];
  const recorded: RecordedLines[] = [];
  const seen = new Set<Reference>();
  let bytes = 0;
  for (const hex of order) {
    try {
      const { manifest } = readPack(store.root, hex);
      for (const { name, content_ref } of provenOutputs(store, manifest)) {
        if (seen.has(content_ref)) continue;
        if (seen.size >= maxOutputs || bytes > maxBytes) return { recorded, isCut: true };
        seen.add(content_ref);
        const text = textOf(store, content_ref);
        if (text === undefined) continue;
        bytes += text.length;
        recorded.push({ pack: toReference(hex), name, text });
      }
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return { recorded, isCut: false };
}

/** Returns a recorded content as text; undefined if it is not text, too large, missing or damaged. */
function textOf(store: Store, reference: Reference): string | undefined {
  const hex = hexOf(reference);
  if ((objectSize(store.root, hex) ?? Infinity) > maxText) return undefined;
  try {
    const bytes = readObject(store.root, hex);
    return isText(bytes) ? bytes.toString("utf8") : undefined;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
