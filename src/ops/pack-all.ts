// `ctx pack` for any log: recognises its format and seals every run in it, with the runs of sub-agents.
import * as fs from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { constants } from "node:buffer";
import { toReference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import { isObject } from "../base/json/value.js";
import { piecesOf } from "../base/fs/files.js";
import { Coverage } from "../intake/coverage.js";
import type { Format } from "../intake/format.js";
import { formats } from "../intake/formats.js";
import { formatNamed, isSurelyNative, nativeName, recognise } from "../intake/recognise.js";
import { logIn } from "../intake/log-folders.js";
import { gather, type LogSource, sourceOf } from "../intake/log-source.js";
import { unpacked } from "../intake/unpack.js";
import type { ExecutionLog } from "../model/log.js";
import { buildManifest, createdOf } from "../model/manifest.js";
import type { Redactions } from "../model/redactions.js";
import type { PackResult } from "../results/results.js";
import type { FormatResult } from "../results/intake.js";
import { logName } from "../drafts/draft.js";
import type { AddedPack } from "../store/commit-result.js";
import type { Batch } from "../store/batch.js";
import { alone, type Later, type Pending } from "../store/commit-group.js";
import type { Store } from "../store/store.js";
import { importedResult } from "../seal/imported-result.js";
import { RedactingSink } from "../redact/redacting-sink.js";
import { type Redaction, redactionOf, withWorkerScan, withMaskedErrors } from "../redact/settings.js";
import { type PackOptions, pack, packLater, readOwnLog, type Sealing, timeOption, withLog } from "./pack.js";

export { redactionOf } from "../redact/settings.js";

/** A log or draft on disk, or a stream with the folder that `…_file` paths are relative to. */
export type AnyLog =
  | { file: string; source?: string }
  | { pieces: Iterable<Buffer>; folder: string; source?: string };

export interface PackAllOptions extends PackOptions {
  /** The format. Without it, the format is recognised by the log's content. */
  from?: string;
  /** The prompt of a run whose log does not hold it. */
  prompt?: string;
  /** Timestamp for runs whose log has none, such as the time of its file. Default: now. */
  at?: string;
  /** Called now and then with the number of bytes read and the size of the file. */
  progress?: (done: number, of: number) => void;
}

/** How many bytes are needed to recognise ctx's own log format. */
const firstLook = 4096;

/** Seals every run that a log holds, in its order. */
export function packAll(
  store: Store,
  input: AnyLog,
  options: PackAllOptions & { redaction?: Redaction } = {},
): PackResult[] {
  return alone(store, (group) => packAllLater(store, input, { ...options, group }));
}

/**
 * Seals in a group: the runs are committed when the returned function is called, or the group is. Errors in
 * the log are thrown from the returned function as well, so that results stay in input order.
 */
export function packAllLater(
  store: Store,
  input: AnyLog,
  options: PackAllOptions & Pick<Sealing, "group" | "isFirstMasking"> & { redaction?: Redaction } & Opening,
): Later<PackResult[]> {
  const { redaction = redactionOf(store, options) } = options;
  try {
    return withMaskedErrors(redaction, () => packInput(store, input, { ...options, redaction }));
  } catch (error) {
    return () => {
      throw asIoError(error);
    };
  }
}

/** How to open a discovered log, whose path could lead elsewhere by now. */
interface Opening {
  open?: () => number;
}

function packInput(
  store: Store,
  input: AnyLog,
  options: PackAllOptions & Sealing & Opening,
): Later<PackResult[]> {
  const format = options.from === undefined ? undefined : { named: formatNamed(options.from) };
  if ("pieces" in input) {
    // A stream may be slow: commit the runs before it first.
    options.group.publish();
    const name = input.source ?? "-";
    const source = sourceOf(input.pieces, { name: name === "-" ? "standard input" : name });
    return packSource(store, source, { ...options, name, folder: input.folder, isFile: false, format });
  }
  const { open } = options;
  if (open === undefined && fs.statSync(input.file, { throwIfNoEntry: false })?.isDirectory() === true) {
    const log = isDraft(input.file) ? undefined : logIn(input.file);
    // A draft is compared with its parent, which may still be in the group.
    if (log === undefined) {
      options.group.publish();
      const result = pack(store, input, options);
      return () => [result];
    }
    const source = join(input.source ?? input.file, relative(input.file, log));
    return packInput(store, { file: log, source }, options);
  }
  const { file, source: name = file } = input;
  const read = (descriptor: number): Later<PackResult[]> => {
    const about = { name, folder: dirname(resolve(file)), isFile: true, format };
    const stat = fs.fstatSync(descriptor);
    if (stat.isFile() && format === undefined && startsNatively(descriptor)) {
      refusePrompt(options);
      return withWorkerScan(options.redaction, stat.size, (ahead) => {
        const bytes = readOwnLog(descriptor, name, ahead !== undefined);
        const { folder } = about;
        return one(packLater(store, { bytes, folder, source: name, isFile: true, ahead }, options));
      });
    }
    let done = 0;
    const taken = (bytes: number): void => options.progress?.((done += bytes), stat.size);
    const source = sourceOf(piecesOf(descriptor, taken), { name, path: resolve(file) });
    return packSource(store, source, { ...options, ...about });
  };
  return withLog(file, name, read, open);
}

/** Returns whether a folder holds a log in ctx's own format, as drafts of `ctx fork` do. */
function isDraft(folder: string): boolean {
  return fs.lstatSync(join(folder, logName), { throwIfNoEntry: false }) !== undefined;
}

/** Returns the formats that `--from` accepts. */
export function listFormats(): FormatResult[] {
  const own = {
    name: nativeName,
    title: "ctx's own execution log",
    from: "programs that write it; see `ctx help format`",
  };
  const others = formats.map(({ name, title, from }) => ({ name, title, from }));
  // Sorted by name; recognition tries them in another order.
  return [own, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

function startsNatively(descriptor: number): boolean {
  const bytes = Buffer.allocUnsafe(firstLook);
  const length = fs.readSync(descriptor, bytes, 0, firstLook, 0);
  return isSurelyNative(bytes.toString("utf8", 0, length));
}

interface Packing extends PackAllOptions, Sealing {
  /** The log's name in the result. */
  name: string;
  folder: string;
  isFile: boolean;
  format: { named: Format | undefined } | undefined;
}

function one(later: Later<PackResult>): Later<PackResult[]> {
  return () => [later()];
}

function packSource(store: Store, packed: LogSource, options: Packing): Later<PackResult[]> {
  const source = unpacked(packed);
  const isPlain = options.format === undefined && isSurelyNative(source.head.toString("utf8", 0, firstLook));
  const format =
    options.format === undefined ? (isPlain ? undefined : recognise(source)) : options.format.named;
  if (format === undefined) {
    refusePrompt(options);
    const bytes = gather(source, constants.MAX_LENGTH);
    const { folder, name, isFile } = options;
    return one(packLater(store, { bytes, folder, source: name, isFile }, options));
  }
  if (options.remove !== undefined && options.remove !== false)
    throw new CtxError("usage", `${options.name} is not a draft of \`ctx fork\`, and will not be removed`, {
      hint: "leave --rm out",
    });
  // Only one process at a time may pack a log without times, lest it be packed twice: read a stream to its
  // end before others have to wait for it.
  const whole =
    format.isTimeless === true && !options.isFile ? [gather(source, constants.MAX_LENGTH)] : undefined;
  const ready = whole === undefined ? source : sourceOf(whole, { name: source.name });
  return packRuns(store, { source: ready, format }, options);
}

function refusePrompt({ prompt }: PackAllOptions): void {
  if (prompt === undefined) return;
  throw new CtxError("usage", "--prompt is for logs of agents that do not record it", {
    hint: "an execution log of ctx's own has `prompts`",
  });
}

interface AddedRun {
  added: AddedPack;
  redactions: Redactions | undefined;
  /** Number of contents that are not text. */
  unsearched: number;
}

/** A run that another run started. */
interface SubRun extends AddedRun {
  agent: string;
}

function packRuns(
  store: Store,
  { source, format }: { source: LogSource; format: Format },
  options: Packing,
): Later<PackResult[]> {
  const created = options.created === undefined ? undefined : timeOption(options.created);
  const addRuns = (batch: Batch): Pending<PackResult[]> => {
    const coverage = new Coverage();
    const subs: SubRun[] = [];
    const now = options.at ?? new Date().toISOString();
    const maskings = new Map<ExecutionLog, RedactingSink>();
    const add = (run: ExecutionLog, own: string | undefined): AddedRun =>
      addRun(batch, run, { created: own, now, masking: maskings.get(run) as RedactingSink });
    const { search } = options.redaction;
    const runs = format.read(source, {
      keeper() {
        const masking = new RedactingSink({ root: store.root, sink: batch, search });
        return {
          keep: (bytes, origin) => masking.from(origin).addBytes(bytes),
          finish: (run) => void maskings.set(run, masking),
        };
      },
      seal(run, { agent }) {
        const added = add(run, createdOf(run) ?? created);
        subs.push({ ...added, agent });
        return toReference(added.added.hex);
      },
      coverage,
      prompt: options.prompt,
    });
    if (runs.every(isEmpty))
      throw new CtxError(
        "no-run",
        `${source.name} holds no run: nobody asked, answered or did anything in it`,
        {
          hint: `it was read as ${format.name}; \`--from\` reads it as something else`,
        },
      );
    if (runs.length > 1) for (const run of runs) noteLog(run, coverage);
    const mains = runs.map((run) => add(run, created ?? createdOf(run)));
    const main = mains.map(({ added }) => added);
    const told = [...options.redaction.notices, ...noticesOf(coverage, options.name)];
    return {
      packs: [...subs.map((sub) => sub.added), ...main],
      main,
      finish(added) {
        const others = added
          .slice(0, subs.length)
          .map((sub, index) => ({ ...(subs[index] as SubRun), added: sub }));
        const about = { source: options.name, format: format.name, redaction: options.redaction };
        return added.slice(subs.length).map((done, index) => {
          const isFirst = index === 0;
          const run = { ...(mains[index] as AddedRun), added: done };
          return importedResult(run, { ...about, subs: isFirst ? others : [], notices: isFirst ? told : [] });
        });
      },
    };
  };
  return options.group.add(addRuns, { alone: format.isTimeless === true });
}

function noticesOf(coverage: Coverage, name: string): string[] {
  return coverage.notices().map((text) => `${name === "-" ? "standard input" : name}: ${text}`);
}

/** Notes the coverage of records that belong to no particular run in each run. */
function noteLog({ metadata = {} }: ExecutionLog, coverage: Coverage): void {
  const own = metadata["coverage"];
  if (coverage.isClean || own === undefined || !isObject(own)) return;
  metadata["coverage"] = { ...own, log: coverage.toJson([]) };
}

function isEmpty(run: ExecutionLog): boolean {
  return (run.prompts ?? []).length === 0 && (run.steps ?? []).length === 0;
}

function addRun(
  batch: Batch,
  run: ExecutionLog,
  { created, now, masking }: { created: string | undefined; now: string; masking: RedactingSink },
): AddedRun {
  const manifest = buildManifest(run, created ?? now, (content, origin) => {
    if ("bytes" in content) return masking.from(origin).addBytes(content.bytes);
    throw new TypeError("a run that was taken in names no files");
  });
  const redactions = masking.finish(manifest);
  const added = batch.addPack(manifest, { once: created === undefined });
  return { added, redactions, unsearched: masking.unsearched };
}
