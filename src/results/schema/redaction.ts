// What is said about masked secrets, and what `ctx scan` prints, as schemas.
import { exit, result } from "./shape.js";
import type { Redactions } from "../../model/redactions.js";
import type { ScanFind, ScannedTarget, ScanResult } from "../scan.js";
import {
  count,
  list,
  mapOf,
  oneOf,
  optional,
  reference,
  required,
  text,
  utcTime,
} from "../../model/shape.js";

const counts = mapOf(count);
const mode = oneOf("standard", "strict");

export const redactions = result<Redactions>({
  version: required(count),
  mode: required(mode),
  rules: required(
    mapOf(result<Redactions["rules"][string]>({ secrets: required(count), count: required(count) })),
  ),
  places: required(mapOf(counts)),
  own: optional(list(text())),
});

const scannedTarget = result<ScannedTarget>({
  target: required(text()),
  kind: required(oneOf("file", "pack")),
  result: required(oneOf("clean", "found", "unread")),
  pack: optional(reference),
  created: optional(utcTime),
  finds: required(list(result<ScanFind>({ place: required(text()), rules: required(counts) }))),
  unsearched: optional(count),
  notes: required(list(text())),
});

export const scanResult = result<ScanResult>({
  exit: required(exit),
  version: required(count),
  mode: required(mode),
  targets: required(list(scannedTarget)),
});
