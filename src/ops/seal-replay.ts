// What was replayed as a pack of its own, so that `ctx diff` can compare it with the one that it came from.
import { type Reference, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { isObject, type JsonObject } from "../base/json.js";
import { prettyBytes } from "../base/pretty-json.js";
import type { Manifest } from "../model/manifest.js";
import type { ReplayReport } from "../model/replay.js";
import { StepFailure } from "../replay/executor.js";
import type { Tree } from "../replay/tree.js";
import { isMade } from "../replay/verdict.js";
import { type Draft, draftOf } from "../share/drafts/draft.js";
import { draftFiles } from "../share/drafts/draft-files.js";
import type { Store } from "../store/store.js";
import type { Redaction } from "./redaction.js";
import { sealLog } from "./seal-log.js";

export interface Replayed {
  hex: string;
  manifest: Manifest;
  report: ReplayReport;
  tree: Tree;
  /** What a step gave, where that is not what is recorded. */
  read: (index: number) => Buffer | undefined;
}

export function sealReplay(store: Store, replayed: Replayed, redaction: Redaction): Reference {
  const { hex, manifest, report } = replayed;
  const created = new Date().toISOString();
  const draft = draftOf(hex, manifest, { created, at: report.steps.length });
  setSteps(draft, replayed);
  setOutputs(draft, replayed);
  setEnvironment(draft, report);
  const { result } = sealLog(
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
      },
    },
  );
  return result.hash;
}

function setSteps(draft: Draft, { report, read }: Replayed): void {
  for (const { index, exit_code, status } of report.steps) {
    const step = (draft.log["steps"] as JsonObject[])[index] as JsonObject;
    if (status === "failed") {
      // It gave nothing, and what it gave once is not what was replayed.
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

/** As the workspace has them; one that was not made is left out. What the model only said stays. */
function setOutputs(draft: Draft, { tree, manifest }: Replayed): void {
  const outputs = draft.log["outputs"] as JsonObject[];
  const said = new Set(
    manifest.outputs.filter((output) => !isMade(manifest)(output)).map(({ name }) => name),
  );
  draft.log["outputs"] = outputs.filter((output) => {
    if (said.has(output["name"] as string)) return true;
    const bytes = readFrom(tree, output["name"] as string);
    if (bytes !== undefined) draft.files.set(output["content_file"] as string, bytes);
    return bytes !== undefined;
  });
}

function readFrom(tree: Tree, name: string): Buffer | undefined {
  try {
    return tree.read(tree.locate(name));
  } catch (error) {
    if (error instanceof StepFailure || error instanceof CtxError || errnoOf(error) !== undefined)
      return undefined;
    throw error;
  }
}

/** What was found to be different here. */
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
