// `ctx pack`: seals an execution log into a pack.
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import { toReference } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { below, openRegular, readWhole, usingDescriptor, usingRegular } from "../base/files.js";
import type { Content } from "../model/content.js";
import { type ExecutionLog, readLog } from "../model/log.js";
import { buildManifest, createdOf, type Stored } from "../model/manifest.js";
import type { PackResult } from "../model/results.js";
import { parseTime } from "../model/times.js";
import { type SidecarReport, writeSidecars } from "../provenance/write-sidecars.js";
import { type Batch, withBatch } from "../store/batch.js";
import type { Store } from "../store/store.js";

/** A log in a file, or one already in memory with the folder that its `…_file` paths start from. */
export type LogInput = { file: string; source?: string } | { bytes: Buffer; folder: string; source?: string };

export interface PackOptions {
  /** Overrides the time of the run. */
  created?: string;
  /** Write sidecars beside outputs that are on disk; true unless said otherwise. */
  sidecars?: boolean;
}

/** Seals one log. Everything that is wrong with it is reported at once, and then nothing is written. */
export function pack(store: Store, input: LogInput, options: PackOptions = {}): PackResult {
  const source = input.source ?? ("file" in input ? input.file : "-");
  const folder = "file" in input ? dirname(resolve(input.file)) : input.folder;
  const override = options.created === undefined ? undefined : timeOption(options.created);
  // A caller keeps its own bytes: reading a log uses them up.
  const bytes = "file" in input ? readLogFile(input.file, source) : Buffer.from(input.bytes);
  const log = readLog(bytes, { source: called(source), fileProblem: (path) => fileProblem(folder, path) });
  const known = override ?? createdOf(log);
  return withBatch(store.root, known === undefined ? "once" : "add", (batch) => {
    const created = known ?? new Date().toISOString();
    const manifest = buildManifest(log, created, (content) => addContent(batch, folder, content));
    const added = batch.commit(manifest, { once: known === undefined });
    const files = outputFiles(log, folder);
    const sidecars: SidecarReport =
      options.sidecars === false
        ? { written: [], absent: [], notices: [] }
        : writeSidecars(store, batch, { hex: added.hex, manifest: added.manifest, files });
    return {
      uri: `ctx://${added.hex}`,
      hash: toReference(added.hex),
      created: added.manifest.created,
      new: added.isNew,
      ...(added.manifest.parent === undefined ? {} : { parent: added.manifest.parent }),
      source,
      counts: {
        prompts: manifest.prompts.length,
        inputs: manifest.inputs.length,
        steps: manifest.steps.length,
        outputs: manifest.outputs.length,
      },
      bytes_new: added.bytesNew,
      bytes_shared: added.bytesShared,
      sidecars: sidecars.written,
      outputs_absent: sidecars.absent,
      repaired: added.repaired.map(toReference),
      notices: [...(added.notice === undefined ? [] : [added.notice]), ...sidecars.notices],
    };
  });
}

function called(source: string): string {
  return source === "-" ? "standard input" : source;
}

function timeOption(text: string): string {
  const time = parseTime(text);
  if (typeof time !== "string") return time.text;
  throw new CtxError("usage", `--created ${text}: ${time}`);
}

function readLogFile(file: string, source: string): Buffer {
  try {
    // Not only regular files: a log may come through a named pipe or a process substitution.
    return usingDescriptor(fs.openSync(file, "r"), (descriptor) => readWhole(descriptor));
  } catch (error) {
    if (error instanceof CtxError && error.code === "too-large")
      throw new CtxError("log-unreadable", `cannot read the log ${source}: ${error.message}`, {
        hint: "put large contents into files beside the log, and refer to them with …_file",
      });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const why = errno === "ENOENT" ? "there is no such file" : errno === "EISDIR" ? "it is a folder" : errno;
    throw new CtxError("log-unreadable", `cannot read the log ${source}: ${why}`, { cause: error });
  }
}

/** What is wrong with a `…_file` path, if anything. */
function fileProblem(folder: string, path: string): string | undefined {
  if (path === "" || path.includes("\0") || path.startsWith("/") || path.split("/").includes(".."))
    return `"${path}" does not lead to a file below the log's folder`;
  try {
    below(folder, path, (file) => fs.closeSync(openRegular(file).descriptor));
    return undefined;
  } catch (error) {
    if (error instanceof CtxError) return `"${path}" is not a regular file`;
    switch (errnoOf(error)) {
      case undefined:
        throw error;
      case "ENOENT":
        return `there is no file "${path}"`;
      case "ELOOP":
      case "ENOTDIR":
        return `"${path}" is reached through a link, or through something that is not a folder`;
      default:
        return `"${path}" cannot be read (${errnoOf(error)})`;
    }
  }
}

function addContent(batch: Batch, folder: string, content: Content): Stored {
  if ("bytes" in content) return batch.addBytes(content.bytes);
  return withPath(content.file, "read", () =>
    below(folder, content.file, (file) =>
      usingRegular(file, ({ descriptor, size }) =>
        size <= 1 << 24 ? batch.addBytes(readWhole(descriptor)) : batch.addFile(descriptor),
      ),
    ),
  );
}

/** Where the contents of outputs came from, for those that came from files. */
function outputFiles(log: ExecutionLog, folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, content } of log.outputs ?? [])
    if ("file" in content) files.set(name, resolve(folder, content.file));
  return files;
}
