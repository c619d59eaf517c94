// The JSON Schema of what `ctx verify` prints, held to its type by the compiler. The program itself never loads this file.
import { exit, nullable, result } from "./shape.js";
import type { GcResult, RmResult, SidecarResult } from "../results.js";
import { boolean, count, list, oneOf, optional, reference, required, text } from "../../model/shape.js";
import type { Claim, Fault, LineRange, VerifiedTarget, VerifyResult } from "../verification.js";

const claim = result<Claim>({
  claim: required(text()),
  answer: required(oneOf("yes", "no", "not_checked")),
  detail: required(text()),
});

const fault = result<Fault>({
  about: required(text()),
  message: required(text()),
  packs: required(list(reference)),
  remedy: required(text()),
});

const range = result<LineRange>({
  from: required(count),
  to: required(count),
  pack: optional(reference),
  output: optional(text()),
  at: optional(count),
});

const target = result<VerifiedTarget>({
  target: required(text()),
  kind: required(oneOf("file", "pack", "store")),
  result: required(oneOf("verified", "modified", "unproven", "masked", "damaged", "absent", "sampled")),
  packs: required(list(reference)),
  claims: required(list(claim)),
  faults: required(list(fault)),
  notes: required(list(text())),
  next: required(list(text())),
  form: optional(oneOf("ours", "go")),
  hash: optional(reference),
  was: optional(
    result<NonNullable<VerifiedTarget["was"]>>({
      pack: required(reference),
      name: required(text()),
      reference: required(reference),
      diff: optional(text()),
    }),
  ),
  lines: optional(list(range)),
  counts: optional(
    result<NonNullable<VerifiedTarget["counts"]>>({
      packs: required(count),
      objects: required(count),
      checked: required(count),
      bytes: required(count),
      unreached: required(count),
      go: optional(count),
      newer: optional(count),
    }),
  ),
});

export const verifyResult = result<VerifyResult>({
  exit: required(exit),
  targets: required(list(target)),
  not_proven: required(list(text())),
});

export const sidecarResult = result<SidecarResult>({
  sidecar: required(text()),
  pack: required(reference),
  output: required(text()),
  changed: required(boolean),
});

const amount = result<GcResult["young"]>({ objects: required(count), bytes: required(count) });

export const gcResult = result<GcResult>({
  removed: required(
    list(result<GcResult["removed"][number]>({ hash: required(reference), size: required(count) })),
  ),
  bytes: required(count),
  young: required(amount),
  downloads: required(result<GcResult["downloads"]>({ files: required(count), bytes: required(count) })),
  newer: optional(count),
  dry_run: required(boolean),
});

export const rmResult = result<RmResult>({
  removed: required(list(reference)),
  children: required(list(reference)),
  callers: optional(list(reference)),
  tags: required(list(text())),
  frees: required(nullable(amount)),
});
