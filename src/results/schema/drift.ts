// The JSON Schema of a drift report, held to its type by the compiler. The program itself never loads this file.
import {
  type Change,
  type ContentChange,
  type ContextChange,
  type Divergence,
  type DriftEntry,
  type DriftReport,
  driftTypes,
  type TakenStep,
  type ValueChange,
} from "../drift.js";
import { knownOrigin } from "./origin.js";
import { any, nullable, onlyTrue, result } from "./shape.js";
import {
  anyObject,
  boolean,
  count,
  list,
  oneOf,
  optional,
  reference,
  required,
  text,
} from "../../model/shape.js";

const taken = result<TakenStep>({
  index: required(count),
  type: required(text()),
  tool: optional(text()),
  parameters: required(anyObject),
  output_ref: optional(reference),
  text: optional(text()),
});

const value = result<ValueChange>({
  path: required(text()),
  pack_a: required(any),
  pack_b: required(any),
  absent: optional(oneOf("a", "b")),
  diff: optional(text()),
});

const content = result<ContentChange>({
  kind: required(oneOf("text", "binary", "unread")),
  size_a: required(nullable(count)),
  size_b: required(nullable(count)),
  diff: optional(text()),
  lines_added: optional(count),
  lines_removed: optional(count),
  reason: optional(text()),
  damage: optional(text()),
});

const changes: Change[] = ["added", "removed", "moved", "replaced", "changed", "retried"];

const entry = result<DriftEntry>({
  // oxlint-disable-next-line ctx/no-spread-call -- a constant
  type: required(oneOf(...driftTypes)),
  // oxlint-disable-next-line ctx/no-spread-call -- a constant
  change: required(oneOf(...changes)),
  description: required(text()),
  step_index: required(nullable(count)),
  index_a: required(nullable(count)),
  index_b: required(nullable(count)),
  count: required(count),
  fields: required(list(text())),
  extra_a: required(list(count)),
  extra_b: required(list(count)),
  pack_a: required(any),
  pack_b: required(any),
  relation: required(nullable(oneOf("before", "follows", "independent", "unknown"))),
  because: optional(oneOf("same_stretch", "value", "same_resource", "no_link", "budget", "unreadable")),
  leans_on: optional(count),
  word: optional(text()),
  side: optional(oneOf("a", "b", "both")),
  steps_a: optional(list(taken)),
  steps_b: optional(list(taken)),
  at_end: optional(onlyTrue),
  prompt_index: optional(count),
  prompt_index_a: optional(nullable(count)),
  prompt_index_b: optional(nullable(count)),
  name: optional(text()),
  changes: optional(list(value)),
  changes_omitted: optional(count),
  content: optional(content),
  usual: optional(result<NonNullable<DriftEntry["usual"]>>({ seen: required(count), of: required(count) })),
});

const context = result<ContextChange>({
  kind: required(oneOf("input", "environment", "deterministic", "seen", "confidence", "notes")),
  name: required(text()),
  pack_a: required(any),
  pack_b: required(any),
});

const pair = result<{ index_a: number; index_b: number }>({
  index_a: required(count),
  index_b: required(count),
});

const divergence = result<Divergence>({
  entry: required(nullable(count)),
  description: required(text()),
  index_a: required(nullable(count)),
  index_b: required(nullable(count)),
  step_a: required(nullable(taken)),
  step_b: required(nullable(taken)),
  causes: required(
    result<Divergence["causes"]>({
      entries: required(list(count)),
      context: required(list(count)),
      other: required(list(text())),
    }),
  ),
});

type Ignored = DriftReport["ignored"];

export const driftReport = result<DriftReport>({
  pack_hash_a: required(reference),
  pack_hash_b: required(reference),
  has_drift: required(boolean),
  entries: required(list(entry)),
  context: required(list(context)),
  reordered: required(list(pair)),
  first_divergence: required(nullable(divergence)),
  resync: required(nullable(pair)),
  alignment: required(oneOf("exact", "coarse", "index")),
  alignment_reason: optional(text()),
  ignored: required(
    result<Ignored>({
      rules: required(
        list(
          result<Ignored["rules"][number]>({
            rule: required(text()),
            count_a: required(count),
            count_b: required(count),
          }),
        ),
      ),
      differences: required(count),
      usual: required(count),
      filtered: required(count),
    }),
  ),
  baselines: required(list(reference)),
  origin_a: optional(knownOrigin),
  origin_b: optional(knownOrigin),
  unreadable: required(
    list(
      result<DriftReport["unreadable"][number]>({
        reference: required(reference),
        message: required(text()),
      }),
    ),
  ),
});
