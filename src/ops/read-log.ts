// Reads a log into a temporary store, so that commands that look at packs can look at a log as it is. Secrets
// are masked as `ctx pack` masks them.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { LogName, OpenedPacks } from "../bundle/open-bundles.js";
import { redactionOf } from "../redact/settings.js";
import type { UserPaths } from "../store/config.js";
import { hasPack } from "../store/packs.js";
import { makeScratch, removeScratch } from "../store/scratch-store.js";
import type { Store } from "../store/store.js";
import { packAll, type PipelineInput } from "./pack.js";

export interface LogReading {
  /** The store whose settings say what is masked. */
  settings: Store | undefined;
  user: UserPaths;
}

/** Seals the runs of a log into a temporary store. */
export function readLogInto(scratch: Store, { log, open }: LogName, options: LogReading): OpenedPacks {
  const { settings, user } = options;
  const input: PipelineInput = { file: log, ...(open === undefined ? {} : { open }) };
  // A run without a time gets that of the file, and so the same hash in the next command.
  const at = fs.statSync(log, { throwIfNoEntry: false })?.mtime.toISOString();
  try {
    const redaction = redactionOf(settings, { user });
    const results = packAll(scratch, input, {
      redaction,
      sidecars: false,
      allowEmpty: true,
      ...(at === undefined ? {} : { at }),
    });
    const tops = results.map(({ hash }) => hexOf(hash));
    const subs = results.flatMap(({ packs = [] }) => packs.map(({ hash }) => hexOf(hash)));
    return { tops: [...new Set(tops)], packs: [...new Set([...tops, ...subs])] };
  } catch (error) {
    throw naming(error);
  }
}

/** Adds to an error what this command, which is not `ctx pack`, can advise. */
function naming(error: unknown): unknown {
  if (!(error instanceof CtxError) || !["unknown-format", "no-run"].includes(error.code)) return error;
  const { code, message, problems, hint } = error;
  const isUnknown = code === "unknown-format";
  return new CtxError(code, isUnknown ? `${message}, and it is not a bundle of packs` : message, {
    hint: isUnknown
      ? "`ctx pack --from list` lists the formats; `ctx pack --from <format>` reads the log in one of them"
      : (hint ?? "").replace("`--from`", "`ctx pack --from`"),
    ...(problems === undefined ? {} : { problems }),
    cause: error,
  });
}

/**
 * Returns the packs of a store that the runs of a log become, as `ctx pack` would make them now; none if the file is
 * no log.
 */
export function packsOfLog(store: Store, path: string, user: UserPaths): string[] {
  const scratch = makeScratch(tmpdir(), { folder: dirname(path), settings: store });
  try {
    return readLogInto(scratch, { log: path }, { settings: store, user }).tops.filter((hex) =>
      hasPack(store.root, hex),
    );
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  } finally {
    removeScratch(scratch);
  }
}
