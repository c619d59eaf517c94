// Imports packs into a store from a bundle, which is not trusted: it may come from a stranger.
import * as fs from "node:fs";
import { hexOf, toReference } from "../base/digest.js";
import { asIoError, CtxError, toIoError, withPath } from "../base/errors.js";
import { piecesOf, usingDescriptor } from "../base/fs/files.js";
import type { Manifest } from "../model/manifest.js";
import type { AbsentPack, ArrivedPack, ImportResult } from "../results/share.js";
import { subagentsOf } from "./arrival.js";
import { readLayout } from "./read-layout.js";
import { type Added, withBatch } from "../store/batch-lock.js";
import { hasPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";

export interface ImportOptions {
  /** The name of the file in the result. Default: its path. */
  name?: string;
  /** Standard input, for the name `-`. */
  input?: () => Iterable<Buffer>;
  /** False if nothing has to outlive the process. */
  flushes?: boolean;
  progress?: (done: number, of: number) => void;
}

/** Imports the packs of a file: all of them, or none. */
export function importBundle(store: Store, file: string, options: ImportOptions = {}): ImportResult {
  const { name = file, input, progress } = options;
  const shownName = file === "-" ? "standard input" : name;
  const take = (pieces: Iterable<Buffer>): Added[] => {
    const read = readFrom(pieces, file === "-" ? shownName : file);
    return withBatch(store, "add", (batch) => readLayout(batch, read, shownName).publish(), options);
  };
  try {
    if (file === "-") return imported(store, name, take(input?.() ?? []));
    // The user named the file: it may be a link, or a pipe.
    const added = withPath(file, "read", () =>
      usingDescriptor(fs.openSync(file, "r"), (descriptor) => {
        const { size } = fs.fstatSync(descriptor);
        let done = 0;
        const onRead = (bytes: number): void => progress?.((done += bytes), size);
        return take(piecesOf(descriptor, { onRead }));
      }),
    );
    return imported(store, name, added);
  } catch (error) {
    throw asIoError(naming(shownName, error));
  }
}

const usual =
  "if `ctx export` wrote it, copy it again: it is damaged or incomplete; if it is a log, pack it with `ctx pack`";

/** Adds the file's name and a hint to an error about a bundle. */
function naming(name: string, error: unknown): unknown {
  const isOfBundle = error instanceof CtxError && ["bundle-invalid", "unknown-version"].includes(error.code);
  if (!isOfBundle) return error;
  const { code, message, problems, data } = error;
  const hint = error.hint ?? (code === "bundle-invalid" ? usual : undefined);
  return new CtxError(code, message.startsWith(name) ? message : `${name}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(problems === undefined ? {} : { problems }),
    ...(data === undefined ? {} : { data }),
  });
}

/** Attributes read errors to the source, not to the store that is written. */
function* readFrom(pieces: Iterable<Buffer>, from: string): Generator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    throw toIoError(error, from, "read");
  }
}

/** Returns the result of an import. */
export function imported(store: Store, from: string, added: readonly Added[]): ImportResult {
  return {
    from,
    packs: added.map((each) => arrived(store.root, each)),
    notices: [...new Set(added.flatMap(({ notice }) => notice ?? []))],
    absent: added.flatMap(({ hex, manifest }) => absentOf(store, hex, manifest)),
  };
}

function arrived(
  root: string,
  { hex, isNew, manifest, bytesNew, bytesShared, repaired }: Added,
): ArrivedPack {
  return {
    hash: toReference(hex),
    uri: `ctx://${hex}`,
    title: titleFor(root, hex, manifest),
    new: isNew,
    created: manifest.created,
    model: manifest.model.identifier,
    steps: manifest.steps.length,
    bytes_new: bytesNew,
    bytes_shared: bytesShared,
    ...(repaired.length === 0 ? {} : { repaired: repaired.map(toReference) }),
  };
}

function absentOf({ root }: Store, hex: string, manifest: Manifest): AbsentPack[] {
  const parent = manifest.parent === undefined ? [] : [hexOf(manifest.parent)];
  return [
    ...parent.map((of) => ({ hash: of, why: "parent" as const })),
    ...subagentsOf(manifest).map((of) => ({ hash: of, why: "subagent" as const })),
  ]
    .filter(({ hash }) => !hasPack(root, hash))
    .map(({ hash, why }) => ({ hash: toReference(hash), why, of: toReference(hex) }));
}
