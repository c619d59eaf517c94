// Seals what was replayed as a new pack, so that `ctx diff` can compare it with the original.
import { type Reference, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { isObject, type JsonObject } from "../base/json/value.js";
import { prettyBytes } from "../base/json/pretty.js";
import type { Manifest } from "../model/manifest.js";
import type { ReplayReport } from "../results/replay.js";
import { StepFailure } from "./outcome.js";
import type { Workspace } from "./workspace.js";
import { isMadeByTool } from "./fidelity.js";
import type { WatchedOutput } from "./output-watch.js";
import { type Draft, draftOf } from "../drafts/draft.js";
import { draftFiles } from "../drafts/draft-files.js";
import type { Store } from "../store/store.js";
import type { Redaction } from "../redact/settings.js";
import { sealLog } from "../seal/own-log.js";

export interface FinishedReplay {
  hex: string;
  manifest: Manifest;
  report: ReplayReport;
  workspace: Workspace;
  /** The state of each output of the manifest, in order. */
  outputs: readonly WatchedOutput[];
  /** Returns the output of a step, if that is not the recorded one. */
  read: (index: number) => Buffer | undefined;
}

/**
 * Seals a replay. Throws if no step was executed: such a pack would say nothing but what the first one says.
 */
export function sealReplay(store: Store, replayed: FinishedReplay, redaction: Redaction): Reference {
  const { hex, manifest, report } = replayed;
  if (report.steps.every(({ executed }) => !executed))
    throw new CtxError("no-run", "no step was executed, so there is nothing to seal", {
      hint: `\`ctx replay ${hex.slice(0, 12)} --plan\` lists what each step needs to run`,
    });
  const created = new Date().toISOString();
  const draft = draftOf(hex, manifest, { created, at: report.steps.length });
  setSteps(draft, replayed);
  const made_by = setOutputs(draft, replayed);
  setEnvironment(draft, report);
  const result = sealLog(
    store,
    {
      bytes: prettyBytes(draft.log),
      source: `the replay of ctx://${hex.slice(0, 12)}`,
      files: draftFiles(draft),
      artifacts: () => new Map(),
    },
    {
      redaction,
      sidecars: false,
      allowEmpty: true,
      origin: {
        kind: "replay",
        of: toReference(hex),
        fidelity: report.fidelity,
        checked: report.counts.checked,
        made_by,
        ...(isOfDraft(report) ? { of_draft: true } : {}),
      },
    },
  );
  return result.hash;
}

/** Returns whether no agent ran the steps that were replayed. */
function isOfDraft({ origin }: ReplayReport): boolean {
  return origin?.kind === "draft" || (origin?.kind === "replay" && origin.of_draft === true);
}

function setSteps(draft: Draft, { report, read }: FinishedReplay): void {
  for (const { index, exit_code, status } of report.steps) {
    const step = (draft.log["steps"] as JsonObject[])[index] as JsonObject;
    if (status === "failed") {
      // It returned nothing, and its recorded output was not reproduced.
      for (const key of ["output_file", "seen_file"]) delete step[key];
      continue;
    }
    const { output_file: known, metadata } = step;
    const bytes = read(index);
    if (bytes !== undefined) {
      const path = typeof known === "string" ? known : `steps/given-${index}.out`;
      step["output_file"] = path;
      draft.files.set(path, bytes);
    }
    if (
      exit_code !== undefined &&
      metadata !== undefined &&
      isObject(metadata) &&
      Object.hasOwn(metadata, "exit_code")
    )
      step["metadata"] = { ...metadata, exit_code };
  }
}

/**
 * Keeps the outputs that an executed step made, as they are in the workspace. A file that was only present is
 * the user's own, or came with the pack. Text that the model said stays, unless the pack is a draft, in which
 * no model said it. Returns the maker of each output that was kept.
 */
function setOutputs(
  draft: Draft,
  { workspace, manifest, outputs, report }: FinishedReplay,
): (number | null)[] {
  const isFile = isMadeByTool(manifest);
  const makers: (number | null)[] = [];
  draft.log["outputs"] = (draft.log["outputs"] as JsonObject[]).filter((entry, index) => {
    const { output, path, madeBy: made, isUntouched, isSetBack } = outputs[index] as WatchedOutput;
    if (made !== undefined && path !== undefined && !isUntouched && !isSetBack) {
      const bytes = readFrom(workspace, path);
      if (bytes === undefined) return false;
      draft.files.set(entry["content_file"] as string, bytes);
      makers.push(made);
      return true;
    }
    if (isFile(output) || report.origin?.kind === "draft") return false;
    makers.push(null);
    return true;
  });
  return makers;
}

function readFrom(workspace: Workspace, path: string): Buffer | undefined {
  try {
    return workspace.read(path);
  } catch (error) {
    if (error instanceof StepFailure || error instanceof CtxError || errnoOf(error) !== undefined)
      return undefined;
    throw error;
  }
}

/** Records how the environment differs here. */
function setEnvironment(draft: Draft, { environment }: ReplayReport): void {
  const log = draft.log["environment"] as {
    os: string;
    runtime: string;
    tool_versions: Record<string, string>;
  };
  const versions = { ...log.tool_versions };
  const changed = { ...log, tool_versions: versions };
  for (const { kind, name, recorded, found, status } of environment) {
    if (status !== "differs" || typeof found !== "string") continue;
    if (kind === "os") changed.os = found;
    else if (kind === "tool") versions[name] = found;
    else if (kind === "runtime") changed.runtime = `${/^[A-Za-z]*/.exec(recorded)?.[0] ?? ""}${found}`;
  }
  draft.log["environment"] = changed;
}
