// The JSON Schema of an origin. The program itself never loads this file.
import type { ContinuedOrigin, DraftOrigin, KnownOrigin, ReplayOrigin } from "../../model/origin.js";
import { nullable, onlyTrue, result } from "./shape.js";
import { count, list, oneOf, optional, reference, required, type Shape, text } from "../../model/shape.js";

/** The fields of every kind: which of them are there, the kind says. */
type AnyOrigin = Pick<KnownOrigin, "kind" | "parent" | "recognised"> &
  Partial<Omit<DraftOrigin, "kind"> & Omit<ReplayOrigin, "kind"> & Omit<ContinuedOrigin, "kind">>;

export const knownOrigin = result<AnyOrigin>({
  kind: required(oneOf("draft", "replay", "continued")),
  edited: optional(list(text())),
  of: optional(reference),
  fidelity: optional(oneOf("exact", "degraded", "failed")),
  checked: optional(count),
  made_by: optional(list(nullable(count))),
  of_draft: optional(onlyTrue),
  at: optional(count),
  parent: optional(reference),
  recognised: optional(onlyTrue),
}) as Shape<unknown> as Shape<KnownOrigin>;
