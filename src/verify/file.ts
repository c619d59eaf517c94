// Finds where a file came from, as far as the store can prove it. The bytes are read once, from one open
// descriptor; a sidecar beside the file is a claim that is checked like any other, and if there is one it
// decides.
import { basename } from "node:path";
import { hexOf, type Reference, sha256, startSha256, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { piecesOf, readWhole, usingRegular } from "../base/fs/files.js";
import { appendAll } from "../base/lists.js";
import type { Manifest, Output } from "../model/manifest.js";
import { buildSidecar, readSidecar, type Sidecar, sidecarPath } from "../model/sidecar.js";
import { absentTarget, type Claim, goNote, type VerifiedTarget } from "../results/verify.js";
import { hasPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { type Checker, packClaims } from "./pack.js";
import { choosePack, contentClaim, doubtOf, outputOf } from "./content-claim.js";
import { type FileName, fileName, isOwnName } from "./file-name.js";
import { type Holder, holdersOf, outputNamed } from "./find-content.js";
import { stepThatWrote } from "./find-step.js";
import { knownDraft } from "./origin.js";

/** A file that was read: its facts, and its bytes if they are few enough to keep. */
export interface ReadFile {
  hash: Reference;
  size: number;
  bytes: Buffer | undefined;
}

/** Larger files are only hashed. */
const maxKept = 4 << 20;
const maxSidecar = 16 << 20;

export function verifyFile(
  store: Store,
  checker: Checker,
  path: string,
): { target: VerifiedTarget; file: ReadFile | undefined } {
  const target = absentTarget(path, "file");
  const read = readFile(path);
  if (typeof read === "string") {
    target.claims.push({ claim: "content", answer: "not_checked", detail: read });
    return { target, file: undefined };
  }
  target.hash = read.hash;
  const name = fileName(store, path);
  const sidecar = sidecarOf(path);
  const holders = holdersOf(store, hexOf(read.hash));
  if (typeof sidecar === "string") falseSidecar(target, sidecar);
  const claimed = typeof sidecar === "object" ? hexOf(sidecar.context_pack) : undefined;
  if (claimed !== undefined && !hasPack(store.root, claimed)) unknownPack(target, claimed);
  else {
    const pack = claimed ?? choosePack(store, holders.outputs, { ...read, ...name });
    if (pack === undefined) judgeUnbacked(store, target, holders, name.name);
    else
      judge(store, checker, target, {
        pack,
        read,
        name,
        sidecar: typeof sidecar === "object" ? sidecar : undefined,
      });
  }
  nameOthers(target, holders);
  if (target.claims.some(({ answer }) => answer === "no") && target.result === "verified")
    target.result = target.faults.length > 0 ? "damaged" : "modified";
  return { target, file: read };
}

/** Returns the file, or why it cannot be read. */
export function readFile(path: string): ReadFile | string {
  try {
    return usingRegular(path, ({ descriptor, size }) => {
      if (size <= maxKept) {
        const bytes = readWhole(descriptor);
        return { hash: toReference(sha256(bytes)), size: bytes.length, bytes };
      }
      const hash = startSha256();
      let read = 0;
      for (const piece of piecesOf(descriptor)) {
        hash.add(piece);
        read += piece.length;
      }
      return { hash: toReference(hash.hex()), size: read, bytes: undefined };
    });
  } catch (error) {
    if (error instanceof CtxError) return error.message;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno === "ELOOP") return "it is a link: name its target instead";
    return errno === "ENOENT" ? "no such file" : `it cannot be read (${errno})`;
  }
}

/** Returns the sidecar, why it is invalid, or undefined if there is none. */
export function sidecarOf(path: string): Sidecar | string | undefined {
  try {
    const bytes = usingRegular(sidecarPath(path), ({ descriptor, size }) =>
      size > maxSidecar ? undefined : readWhole(descriptor, maxSidecar + 1),
    );
    if (bytes === undefined) return "it is too large to be a sidecar";
    return readSidecar(bytes) ?? "it is not a sidecar (docs/format.md describes the format)";
  } catch (error) {
    if (error instanceof CtxError) return error.message;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno === "ENOENT" || errno === "ENAMETOOLONG") return undefined;
    return errno === "ELOOP" ? "it is a link" : `it cannot be read (${errno})`;
  }
}

function falseSidecar(target: VerifiedTarget, why: string): void {
  target.result = "modified";
  target.claims.push({
    claim: "sidecar",
    answer: "no",
    detail: `${sidecarPath(basename(target.target))}: ${why}`,
  });
}

function unknownPack(target: VerifiedTarget, hex: string): void {
  target.result = "unproven";
  target.packs.push(toReference(hex));
  const detail = `the sidecar points to ctx://${hex}, which is not in this store`;
  for (const claim of ["content", "pack", "sidecar"])
    target.claims.push({ claim, answer: "not_checked", detail });
}

/** Sets the result of a file that no pack has among its outputs, if no sidecar says otherwise. */
function judgeUnbacked(
  store: Store,
  target: VerifiedTarget,
  { inputs, steps }: Holder,
  name: string | undefined,
): void {
  if (target.result === "absent") target.result = "unproven";
  const uses = [
    ...inputs.slice(0, 3).map((hex) => `an input of ctx://${hex.slice(0, 12)}`),
    ...steps.slice(0, 3).map(({ hex, index }) => `the output of step ${index} of ctx://${hex.slice(0, 12)}`),
  ];
  target.claims.unshift({
    claim: "content",
    answer: "not_checked",
    detail:
      uses.length === 0
        ? `no pack in this store has recorded these bytes${target.claims.length === 0 ? ", and there is no sidecar" : ""}`
        : `these bytes are recorded only as ${uses.join(", ")}: no recorded run produced the file`,
  });
  // It may have been an output before. Only its name suggests that.
  const named = uses.length > 0 || name === undefined ? undefined : outputNamed(store, name);
  if (named === undefined) return;
  const { hex, output } = named;
  target.was = { pack: toReference(hex), name: output.name, reference: output.content_ref };
  target.notes.push("only its name connects the file with that output");
  target.next.push(`ctx show ${hex.slice(0, 12)}`, `ctx cat ${hexOf(output.content_ref).slice(0, 12)}`);
}

interface FileCase {
  pack: string;
  read: ReadFile;
  name: FileName;
  sidecar: Sidecar | undefined;
}

function judge(
  store: Store,
  checker: Checker,
  target: VerifiedTarget,
  { pack, read, name, sidecar }: FileCase,
): void {
  const { claims, faults, form, isNewer } = packClaims(checker, pack);
  if (form !== undefined) target.form = form;
  if (form === "go") target.notes.push(goNote);
  const manifest = checker.check(pack).pack?.manifest;
  target.packs.push(toReference(pack));
  appendAll(target.faults, faults);
  const file = { hash: read.hash, size: read.size, ...name };
  const output = manifest === undefined ? undefined : outputOf(manifest, file);
  const draft = manifest === undefined ? undefined : knownDraft(store, manifest);
  const doubt =
    manifest === undefined || output === undefined
      ? undefined
      : doubtOf(output, file, { pack, manifest, draft });
  const content = contentClaim(pack, manifest, output, { ...file, doubt });
  target.claims = [content, ...claims, ...target.claims];
  if (isNewer) target.result = target.result === "modified" ? "modified" : "unproven";
  else if (manifest === undefined || faults.length > 0) target.result = "damaged";
  else if (output === undefined) {
    target.result = "modified";
    const was =
      manifest.outputs.find((each) => isOwnName(manifest, each, file)) ??
      manifest.outputs.find((each) => basename(each.name) === basename(target.target));
    if (was !== undefined)
      target.was = { pack: toReference(pack), name: was.name, reference: was.content_ref };
  } else if (target.result !== "modified") target.result = doubt === undefined ? "verified" : "unproven";
  if (sidecar !== undefined && manifest !== undefined)
    appendAll(
      target.claims,
      sidecarClaims(toReference(pack), manifest, output ?? nameless(manifest, name.name), sidecar),
    );
  else if (target.claims.every(({ claim }) => claim !== "sidecar"))
    target.claims.push({ claim: "sidecar", answer: "not_checked", detail: "there is no sidecar" });
  if (manifest !== undefined && output !== undefined && draft === undefined)
    target.claims.push(stepThatWrote(manifest, read.hash, read.size, target.target));
  const short = pack.slice(0, 12);
  target.next.push(
    `ctx show ${short}`,
    ...(output === undefined ? [] : [`ctx cat ${hexOf(output.content_ref).slice(0, 12)}`]),
    ...(target.was === undefined ? [] : [`ctx cat ${hexOf(target.was.reference).slice(0, 12)}`]),
    `ctx verify ${short}`,
    `ctx replay ${short} --plan`,
  );
}

function nameless(manifest: Manifest, name: string | undefined): Output {
  return manifest.outputs.find((output) => output.name === name) ?? { name: "", content_ref: "sha256:" };
}

/**
 * Returns the claims that the sidecar agrees with the pack. Remarks that the pack does not have are the
 * user's own.
 */
function sidecarClaims(pack: Reference, manifest: Manifest, output: Output, sidecar: Sidecar): Claim[] {
  const backed = buildSidecar(pack, manifest, output);
  const lies = (["inputs", "tools"] as const).filter(
    (field) => JSON.stringify(backed[field]) !== JSON.stringify(sidecar[field]),
  );
  const remarks = (["confidence", "notes"] as const).filter(
    (field) => sidecar[field] !== undefined || backed[field] !== undefined,
  );
  const denied = remarks.filter((field) => backed[field] !== undefined && backed[field] !== sidecar[field]);
  const own = remarks.filter((field) => backed[field] === undefined);
  const main: Claim = {
    claim: "sidecar",
    answer: lies.length === 0 ? "yes" : "no",
    detail:
      lies.length === 0
        ? "it names the recorded pack, inputs and tools"
        : `it differs from the pack in ${lies.join(" and ")}`,
  };
  if (remarks.length === 0) return [main];
  const detail =
    denied.length > 0
      ? `differs from the pack: ${denied.join(" and ")}`
      : own.length > 0
        ? `not in the pack, added later: ${own.join(" and ")}`
        : `as in the pack: ${remarks.join(" and ")}`;
  return [
    main,
    { claim: "remarks", answer: denied.length > 0 ? "no" : own.length > 0 ? "not_checked" : "yes", detail },
  ];
}

/** Names other packs with the same bytes; they never replace the one that decides. */
function nameOthers(target: VerifiedTarget, { outputs, unreadable }: Holder): void {
  if (unreadable.length > 0 && target.packs.length === 0)
    target.notes.push(
      `${unreadable.length} ${unreadable.length === 1 ? "pack" : "packs"} here cannot be read, and may have recorded it: ctx verify --all`,
    );
  const others = outputs.map(toReference).filter((reference) => !target.packs.includes(reference));
  if (others.length === 0) return;
  const names = others.slice(0, 5).map((reference) => `ctx://${hexOf(reference).slice(0, 12)}`);
  const more = others.length > 5 ? `, and ${others.length - 5} more` : "";
  target.notes.push(`the same bytes are an output of ${names.join(", ")}${more}`);
  appendAll(target.packs, others);
}
