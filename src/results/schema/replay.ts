// What `ctx replay` and `ctx trust` print, as schemas.
import {
  failReasons,
  type EnvironmentFact,
  type ReplayedOutput,
  type ReplayedStep,
  type ReplayPlan,
  type ReplayReport,
} from "../replay.js";
import { knownOrigin } from "./origin.js";
import { nullable, onlyTrue, result } from "./shape.js";
import type { TrustResult } from "../results.js";
import { boolean, count, list, oneOf, optional, reference, required, text } from "../../model/shape.js";

const programFields = {
  command: required(list(text())),
  env: required(list(text())),
  network: required(boolean),
  version: optional(list(text())),
};

const compared = oneOf("output", "normalised", "lines", "effect");

const replayedStep = result<ReplayedStep>({
  index: required(count),
  type: required(text()),
  tool: optional(text()),
  status: required(oneOf("matched", "diverged", "recorded", "failed")),
  expected: optional(onlyTrue),
  executed: required(boolean),
  compared: optional(compared),
  expected_hash: optional(reference),
  actual_hash: optional(reference),
  // oxlint-disable-next-line ctx/no-spread-call -- a constant
  reason: optional(oneOf(...failReasons)),
  message: optional(text()),
  exit_code: optional(count),
  normalised: optional(list(text())),
  by_request: optional(onlyTrue),
  diff: optional(text()),
});

const replayedOutput = result<ReplayedOutput>({
  name: required(text()),
  reproduced: required(nullable(boolean)),
  made_by: required(nullable(count)),
  unchanged: optional(onlyTrue),
  said: optional(onlyTrue),
  expected_hash: required(reference),
  actual_hash: optional(reference),
  message: optional(text()),
  diff: optional(text()),
});

const environmentFact = result<EnvironmentFact>({
  kind: required(oneOf("os", "runtime", "tool", "input")),
  name: required(text()),
  recorded: required(text()),
  found: required(nullable(text())),
  status: required(oneOf("same", "differs", "unknown", "missing", "damaged")),
});

export const replayReport = result<ReplayReport>({
  pack_hash: required(reference),
  fidelity: required(oneOf("exact", "degraded", "failed")),
  counts: required(
    result<ReplayReport["counts"]>({
      steps: required(count),
      tool_calls: required(count),
      checked: required(count),
      matched: required(count),
      normalised: required(count),
      diverged: required(count),
      recorded: required(count),
      failed: required(count),
    }),
  ),
  steps: required(list(replayedStep)),
  environment: required(list(environmentFact)),
  outputs: required(list(replayedOutput)),
  sandbox: required(
    result<ReplayReport["sandbox"]>({
      kind: required(oneOf("bwrap", "none", "off")),
      version: optional(text()),
      network: required(boolean),
    }),
  ),
  workspace: required(
    result<ReplayReport["workspace"]>({
      seen_as: required(text()),
      from: optional(text()),
      kept: optional(text()),
      note: optional(text()),
    }),
  ),
  sealed: optional(reference),
  origin: optional(knownOrigin),
  notices: required(list(text())),
});

export const replayPlan = result<ReplayPlan>({
  pack_hash: required(reference),
  steps: required(count),
  groups: required(
    list(
      result<ReplayPlan["groups"][number]>({
        steps: required(count),
        tools: required(list(text())),
        runs_as: required(text()),
        needs: required(nullable(text())),
        compared: required(nullable(compared)),
      }),
    ),
  ),
  commands: required(
    list(result<ReplayPlan["commands"][number]>({ command: required(text()), count: required(count) })),
  ),
  adapters: required(
    list(
      result<ReplayPlan["adapters"][number]>({
        tool: required(text()),
        calls: required(count),
        ...programFields,
      }),
    ),
  ),
  servers: required(
    list(
      result<ReplayPlan["servers"][number]>({
        server: required(text()),
        calls: required(count),
        ...programFields,
      }),
    ),
  ),
  workspace: required(
    result<ReplayPlan["workspace"]>({
      inputs: required(count),
      seen_as: required(text()),
      from: optional(text()),
      note: optional(text()),
    }),
  ),
  untrusted: required(list(text())),
  untrusted_why: optional(text()),
  options: required(list(text())),
  origin: optional(knownOrigin),
});

export const trustResult = result<TrustResult>({
  store: required(text()),
  content: required(reference),
  trusted: required(boolean),
  changed: required(boolean),
  adapters: required(
    list(result<TrustResult["adapters"][number]>({ tool: required(text()), ...programFields })),
  ),
  servers: required(
    list(result<TrustResult["servers"][number]>({ server: required(text()), ...programFields })),
  ),
  normalisers: required(
    list(
      result<TrustResult["normalisers"][number]>({
        name: required(text()),
        pattern: required(text()),
        replace: required(text()),
      }),
    ),
  ),
  unmasked: required(list(text())),
  files: optional(
    list(
      result<NonNullable<TrustResult["files"]>[number]>({
        path: required(text()),
        hash: required(nullable(reference)),
      }),
    ),
  ),
  why: optional(text()),
});
