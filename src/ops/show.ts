// `ctx show`: an overview of a run, or one part of it in full.
import { isUtf8 } from "node:buffer";
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { type Manifest, reached } from "../model/manifest.js";
import type { PartContent, Preview, ShowPartResult, ShowResult } from "../results/show.js";
import { knownOrigin } from "../verify/origin.js";
import { glimpseObject, readObject } from "../store/objects.js";
import { hasPack, type Pack, parentOf, readPack, sealedManifest } from "../store/packs.js";
import { childrenOf } from "../store/lineage.js";
import { readTags } from "../store/refs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";

/** How many bytes of each blob an overview reads. */
const headSize = 2048;

/** Returns the manifest of a run without reading any blob. */
export function showManifest(store: Store, name: string): Manifest {
  return sealedManifest(readPack(store.root, resolvePack(store, name)));
}

/** Returns a run with a preview of every blob. A damaged blob is marked and does not stop the rest. */
export function show(store: Store, name: string): ShowResult {
  const pack = readPack(store.root, resolvePack(store, name));
  const previews = new Map<Reference, Preview>();
  for (const reference of reached(pack.manifest))
    if (!previews.has(reference)) previews.set(reference, preview(store, reference));
  const parent = parentOf(pack);
  const { byPack, lost } = readTags(store.root);
  const unread: Reference[] = [];
  const children = childrenOf(store, new Set([pack.hex]), (hex) => unread.push(toReference(hex)));
  const origin = knownOrigin(store, pack.manifest);
  return {
    ...(origin === undefined ? {} : { origin }),
    manifest: sealedManifest(pack),
    tags: byPack.get(pack.hex) ?? [],
    lost_tags: lost,
    previews,
    children: children.map(toReference),
    unread,
    parentPresent: parent === undefined ? undefined : hasPack(store.root, parent),
    fromGo: pack.fromGo,
    unknown: pack.unknown,
  };
}

function preview(store: Store, reference: Reference): Preview {
  try {
    const { size, head } = glimpseObject(store.root, hexOf(reference), headSize);
    return { size, text: headText(head, size > head.length) };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { size: 0, text: null, damage: error.message };
  }
}

/**
 * Returns the head as text, or null if it is not text. A character that was cut in the middle is left out.
 */
function headText(head: Buffer, isCut: boolean): string | null {
  if (head.includes(0)) return null;
  for (let drop = 0; drop <= (isCut ? Math.min(3, head.length) : 0); drop++) {
    const whole = head.subarray(0, head.length - drop);
    if (isUtf8(whole)) return whole.toString("utf8");
  }
  return null;
}

export type Part =
  | { kind: "system" }
  | { kind: "step" | "prompt"; index: number }
  | { kind: "input" | "output"; name: string };

/** Returns one part of a run, in full. */
export function showPart(store: Store, name: string, part: Part): ShowPartResult {
  const pack = readPack(store.root, resolvePack(store, name));
  const base = { pack: toReference(pack.hex), part: part.kind };
  const content = (label: string, reference: Reference): ShowPartResult["contents"] => {
    checkShowable(store, reference);
    const bytes = readObject(store.root, hexOf(reference));
    return [{ label, content: describe(reference, bytes), bytes }];
  };
  switch (part.kind) {
    case "system":
      return { ...base, contents: content("content", pack.manifest.system_prompt) };
    case "prompt": {
      const prompt = at(pack, pack.manifest.prompts, part.index, "prompt");
      return {
        ...base,
        index: part.index,
        role: prompt.role,
        contents: content("content", prompt.content_ref),
      };
    }
    case "step": {
      const step = at(pack, pack.manifest.steps, part.index, "step");
      const output = step.output_ref === undefined ? [] : content("output", step.output_ref);
      const seen = step.seen_ref === undefined ? [] : content("seen", step.seen_ref);
      return { ...base, index: part.index, step, contents: [...output, ...seen] };
    }
    case "input":
    case "output": {
      const list = part.kind === "input" ? pack.manifest.inputs : pack.manifest.outputs;
      const found = list.find((item) => item.name === part.name);
      if (found === undefined)
        throw noPart(
          pack,
          `${part.kind} named "${part.name}"`,
          list.map((item) => item.name),
        );
      return { ...base, name: part.name, contents: content("content", found.content_ref) };
    }
  }
}

/** Maximum size of a blob that is shown, in bytes. */
const largestShown = 64 << 20;

/** Throws if a blob is too large to be text on a screen or in a JSON document. */
export function checkShowable(store: Store, reference: Reference): void {
  const { size } = glimpseObject(store.root, hexOf(reference), 0);
  if (size <= largestShown) return;
  throw new CtxError("too-large", `${reference} has ${size} bytes: too many to be shown`, {
    hint: `\`ctx cat ${hexOf(reference).slice(0, 12)}\` writes them to a file or pipe`,
  });
}

function at<T>(pack: Pack, list: readonly T[], index: number, what: string): T {
  const found = list[index];
  if (found !== undefined) return found;
  const range = list.length === 0 ? `it has no ${what}s` : `its ${what}s are 0 to ${list.length - 1}`;
  throw new CtxError("no-such-part", `ctx://${pack.hex.slice(0, 12)} has no ${what} ${index}: ${range}`);
}

function noPart(pack: Pack, what: string, names: string[]): CtxError {
  return new CtxError("no-such-part", `ctx://${pack.hex.slice(0, 12)} has no ${what}`, {
    hint:
      names.length === 0
        ? "it has none"
        : `it has ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`,
  });
}

function describe(ref: Reference, bytes: Buffer): PartContent {
  const about = { ref, size: bytes.length };
  return isUtf8(bytes)
    ? { ...about, text: bytes.toString("utf8") }
    : { ...about, base64: bytes.toString("base64") };
}
