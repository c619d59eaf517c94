// `ctx verify --write-sidecar`: writes a sidecar beside each file that was verified.
import { CtxError } from "../base/errors.js";
import type { SidecarOptions } from "../ops/write-sidecar.js";
import { exitOfTargets, type VerifiedTarget, type VerifyResult } from "../results/verify.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import type { Call, Option } from "./command.js";
import { userPaths } from "./environment.js";
import { openStore } from "./open-store.js";
import { nonEmpty } from "./shared-options.js";

const levels = ["high", "medium", "low"] as const;

/** The codes of errors that say why a file that is not verified gets no sidecar. */
const unbacked: readonly string[] = [
  "not-backed",
  "damaged",
  "missing",
  "not-found",
  "unknown-version",
  "usage",
];

export const sidecarOptions: Option[] = [
  {
    long: "write-sidecar",
    summary: "write (or correct) a sidecar next to each file that a pack proves",
    conflicts: ["pack", "all", "replay"],
  },
  {
    long: "from",
    value: "pack",
    summary: "the pack to name in the sidecar (default: the newest that proves the file)",
    complete: "pack",
    needs: ["write-sidecar"],
  },
  {
    long: "confidence",
    value: "level",
    summary: "confidence in the sidecar: high, medium or low, if the pack has none",
    complete: levels,
    needs: ["write-sidecar"],
  },
  {
    long: "notes",
    value: "text",
    summary: "notes in the sidecar, if the pack has none",
    needs: ["write-sidecar"],
  },
];

/**
 * Writes the sidecars of files that a pack proves, also where only the present sidecar is wrong, and updates
 * the result. Returns an error for each target that has no sidecar now, except where the answer itself says
 * why.
 */
export async function writeSidecars(call: Call, result: VerifyResult): Promise<CtxError[]> {
  const store = openStore(call);
  const options = parseSidecarOptions(store, call);
  const { sidecar } = await import("../ops/write-sidecar.js");
  const { verify } = await import("../ops/verify.js");
  const errors: CtxError[] = [];
  for (const [at, target] of result.targets.entries()) {
    if (target.kind !== "file") {
      errors.push(new CtxError("usage", `${target.target} is a pack, but only files have sidecars`));
      continue;
    }
    try {
      const written = sidecar(store, target.target, options);
      // The old answer may have been about the old sidecar.
      const { targets } = verify(store, [target.target], {
        as: "file",
        folder: call.folder,
        lines: call.options.has("lines"),
        user: userPaths(call.terminal.env),
      });
      result.targets[at] = { ...(targets[0] as VerifiedTarget), written };
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      if (target.result === "verified" || !unbacked.includes(error.code)) errors.push(error);
      else target.notes.push(`no sidecar was written: ${error.message}`);
    }
  }
  result.exit = errors.length > 0 ? 2 : exitOfTargets(result.targets);
  return errors;
}

function parseSidecarOptions(store: Store, call: Call): SidecarOptions {
  const from = nonEmpty(call, "from");
  const pack = from === undefined ? undefined : resolvePack(store, from);
  const notes = nonEmpty(call, "notes");
  const confidence = levels.find((level) => level === call.options.get("confidence"));
  return {
    folder: call.folder,
    user: userPaths(call.terminal.env),
    ...(pack === undefined ? {} : { pack }),
    ...(notes === undefined ? {} : { notes }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}
