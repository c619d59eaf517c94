// `ctx show`: an overview of a run, or one part of it in full.
import { isUtf8 } from "node:buffer";
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { failureOf } from "../model/failed-calls.js";
import { type Manifest, reached } from "../model/manifest.js";
import type {
  FileUse,
  PartContent,
  Preview,
  RunOverview,
  ShowFilesResult,
  ShowPartResult,
  StepsOverview,
} from "../results/show.js";
import { isExitUnknown } from "../tools/exit-unknown.js";
import { filesUsed } from "../tools/files-used.js";
import { knownOrigin } from "../verify/origin.js";
import { glimpseObject, readObject } from "../store/objects.js";
import { hasPack, type Pack, parentOf, readPack, sealedManifest } from "../store/packs.js";
import { childrenOf } from "../store/lineage.js";
import { readTags } from "../store/refs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";

/** How many bytes of each blob an overview reads. */
const headSize = 2048;
/** And of its end, where a test runner sums up. */
const tailSize = 1024;

/** Returns the sealed manifest of a run, without reading any blob. */
export function show(store: Store, name: string): Manifest {
  return sealedManifest(readPack(store.root, resolvePack(store, name)));
}

/**
 * Returns a run with a preview of every blob, its tags and its relatives. A damaged blob is marked and does
 * not stop the rest.
 */
export function showOverview(store: Store, name: string): RunOverview {
  const pack = readPack(store.root, resolvePack(store, name));
  const previews: Record<Reference, Preview> = {};
  for (const reference of reached(pack.manifest)) previews[reference] ??= preview(store, reference);
  const parent = parentOf(pack);
  const { byPack, lost } = readTags(store.root);
  const unread: Reference[] = [];
  const children = childrenOf(store, new Set([pack.hex]), (hex) => unread.push(toReference(hex)));
  const origin = knownOrigin(store, pack.manifest);
  return {
    ...(origin === undefined ? {} : { origin }),
    manifest: sealedManifest(pack),
    title: titleFor(store.root, pack.hex, pack.manifest),
    tags: byPack.get(pack.hex) ?? [],
    lost_tags: lost,
    previews,
    children: children.map(toReference),
    unread,
    ...(parent === undefined ? {} : { parent_present: hasPack(store.root, parent) }),
    from_go: pack.fromGo,
    unknown: pack.unknown,
  };
}

function preview(store: Store, reference: Reference): Preview {
  try {
    const { size, head, tail } = glimpseObject(store.root, hexOf(reference), headSize, tailSize);
    const text = headText(head, size > head.length);
    return { size, text, ...(text === null || tail.length === 0 ? {} : { tail: tailText(tail) }) };
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

/** Returns the whole lines at the end of a text. */
function tailText(tail: Buffer): string {
  return tail.subarray(tail.indexOf("\n") + 1).toString("utf8");
}

export type RunPart =
  | { kind: "system" }
  | { kind: "step" | "prompt"; index: number }
  | { kind: "input" | "output"; name: string };

/** Which steps of a run are shown: those of these ranges, and of them only those that failed. */
export interface StepSelection {
  /** Both ends belong to a range; without `to` it ends with the last step. */
  ranges?: readonly { from: number; to?: number }[];
  failed?: boolean;
}

/** Returns the selected steps with a preview of their outputs. */
export function showSteps(store: Store, name: string, selection: StepSelection = {}): StepsOverview {
  const pack = readPack(store.root, resolvePack(store, name));
  const { manifest } = pack;
  const steps = selectSteps(pack, selection);
  const previews: Record<Reference, Preview> = {};
  for (const prompt of manifest.prompts) previews[prompt.content_ref] ??= preview(store, prompt.content_ref);
  for (const index of steps) {
    const output = manifest.steps[index]?.output_ref;
    if (output !== undefined) previews[output] ??= preview(store, output);
  }
  return { manifest: sealedManifest(pack), title: titleFor(store.root, pack.hex, manifest), steps, previews };
}

/** Returns the files that the selected steps read, wrote and deleted, as far as their calls name them. */
export function showFiles(store: Store, name: string, selection: StepSelection = {}): ShowFilesResult {
  const pack = readPack(store.root, resolvePack(store, name));
  const files = new Map<string, FileUse>();
  const commands: number[] = [];
  for (const index of selectSteps(pack, selection)) {
    const step = pack.manifest.steps[index];
    if (step === undefined) continue;
    const uses = filesUsed(step, pack.manifest, ({ output_ref }) =>
      output_ref === undefined ? "" : (preview(store, output_ref).text ?? ""),
    );
    if (uses.isOpen) commands.push(index);
    for (const kind of ["read", "written", "deleted"] as const)
      for (const path of uses[kind]) {
        const file = files.get(path) ?? { path, read: [], written: [], deleted: [] };
        files.set(path, file);
        file[kind].push(index);
      }
  }
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const title = titleFor(store.root, pack.hex, pack.manifest);
  return { pack: toReference(pack.hex), title, files: sorted, commands };
}

/**
 * Returns the parts of a run in the order in which they took place: the system prompt, then each prompt
 * before the steps that answer it. With a selection only the selected steps. `read` reads each content when
 * its part is due.
 */
export function* transcript(
  store: Store,
  name: string,
  selection: StepSelection,
  read: (store: Store, reference: Reference) => PartContent = readContent,
): Generator<ShowPartResult> {
  const pack = readPack(store.root, resolvePack(store, name));
  const { manifest } = pack;
  const part = (which: RunPart): ShowPartResult => readPart(pack, which, (ref) => read(store, ref));
  const isWhole = selection.ranges === undefined && selection.failed !== true;
  let prompt = isWhole ? 0 : manifest.prompts.length;
  if (isWhole) yield part({ kind: "system" });
  for (const index of selectSteps(pack, selection)) {
    const turn = manifest.steps[index]?.metadata?.["turn"];
    // Without turns it is unknown which step answers which prompt, so all prompts come first.
    const due = typeof turn === "number" ? turn + 1 : manifest.prompts.length;
    for (; prompt < Math.min(due, manifest.prompts.length); prompt++)
      yield part({ kind: "prompt", index: prompt });
    yield part({ kind: "step", index });
  }
  for (; prompt < manifest.prompts.length; prompt++) yield part({ kind: "prompt", index: prompt });
}

function selectSteps(pack: Pack, { ranges, failed }: StepSelection): number[] {
  const { steps } = pack.manifest;
  const selected = new Set<number>();
  for (const { from, to } of ranges ?? [{ from: 0 }]) {
    if (ranges !== undefined) at(pack, steps, to ?? from, "step");
    for (let index = from; index <= (to ?? steps.length - 1); index++) selected.add(index);
  }
  return [...selected]
    .sort((a, b) => a - b)
    .filter((index) => {
      const step = steps[index];
      return failed !== true || (step !== undefined && failureOf(step) !== undefined);
    });
}

/** Returns one part of a run, in full. */
export function showPart(store: Store, name: string, part: RunPart): ShowPartResult {
  const pack = readPack(store.root, resolvePack(store, name));
  return readPart(pack, part, (reference) => readContent(store, reference));
}

function readPart(held: Pack, part: RunPart, content: (reference: Reference) => PartContent): ShowPartResult {
  const { manifest } = held;
  const pack = toReference(held.hex);
  switch (part.kind) {
    case "system":
      return { pack, part: part.kind, content: content(manifest.system_prompt) };
    case "prompt": {
      const { index } = part;
      const { role, content_ref } = at(held, manifest.prompts, index, "prompt");
      return { pack, part: part.kind, index, role, content: content(content_ref) };
    }
    case "step": {
      const { index } = part;
      const step = at(held, manifest.steps, index, "step");
      const failure = failureOf(step);
      const failed = failure === undefined ? {} : { failure };
      const output = step.output_ref === undefined ? {} : { output: content(step.output_ref) };
      const seen = step.seen_ref === undefined ? {} : { seen: content(step.seen_ref) };
      const exit = isExitUnknown(step, manifest) ? { exit_unknown: true as const } : {};
      return { pack, part: part.kind, index, step, ...exit, ...failed, ...output, ...seen };
    }
    case "input":
    case "output": {
      const list = part.kind === "input" ? manifest.inputs : manifest.outputs;
      const found = list.find((item) => item.name === part.name);
      if (found === undefined)
        throw noPart(
          held,
          `${part.kind} named "${part.name}"`,
          list.map((item) => item.name),
        );
      return { pack, part: part.kind, name: part.name, content: content(found.content_ref) };
    }
  }
}

/** Maximum size of a blob that is shown, in bytes. */
const maxShown = 64 << 20;

/** Reads a blob as text or base64; throws if it is too large for a screen or a JSON document. */
export function readContent(store: Store, ref: Reference): PartContent {
  const { size } = glimpseObject(store.root, hexOf(ref), 0);
  if (size > maxShown)
    throw new CtxError("too-large", `${ref} has ${size} bytes, which is too large to show`, {
      hint: `\`ctx cat ${hexOf(ref).slice(0, 12)}\` writes it to a file or pipe`,
    });
  const bytes = readObject(store.root, hexOf(ref));
  return isUtf8(bytes)
    ? { ref, size, text: bytes.toString("utf8") }
    : { ref, size, base64: bytes.toString("base64") };
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
