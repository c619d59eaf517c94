// `ctx scan`: searches for secrets in files and packs, and changes nothing.
import { resolve } from "node:path";
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { piecesOf, usingRegular } from "../base/fs/files.js";
import { appendAll } from "../base/lists.js";
import { type Manifest, reached } from "../model/manifest.js";
import type { ScanFind, ScannedTarget, ScanResult } from "../results/scan.js";
import { beginOf, endOf, startOf } from "./matches.js";
import { maskManifest } from "./mask-manifest.js";
import { addHits, type Hits, Redactor } from "./redactor.js";
import { ruleSetVersion, type Scanner } from "./scanner.js";
import { decodedOnce, encode, type OnePass } from "./encoding.js";
import { contextOf, isWide, type ContentScan, secondReading } from "./content-scan.js";
import type { Printing } from "./printing.js";
import { throughWindows } from "./windows.js";
import { withCatalog } from "../store/catalog.js";
import { objectSize, readObject, withObject } from "../store/objects.js";
import { readPack } from "../store/packs.js";
import { isFileTarget, resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { type Redaction, redactionOf, type RedactionOptions } from "./settings.js";
import { addLogFinds, HeldInput, printedIn } from "./scan-locations.js";

export interface ScanOptions extends RedactionOptions {
  /** What the targets are; decided for each one if not set. */
  as?: "file" | "pack" | undefined;
  /** The folder that paths are relative to. */
  folder?: string;
  /** Reads the input that `-` stands for. */
  input?: () => Iterable<Buffer>;
  progress?: (done: number, of: number) => void;
  /** Returns the bytes of a blob that the caller has just read and verified. */
  held?: (hex: string) => Buffer | undefined;
  /** Called with the number of bytes of packs that were scanned. */
  looked?: (bytes: number) => void;
}

/** A file that may be a log, or standard input. */
export type ScannableLog = { file: string } | { pieces: Iterable<Buffer>; folder: string };

/** Scans a log location by location; returns undefined if it is not a log. */
export type ReadLog = (log: ScannableLog, redaction: Redaction) => ScanFind[] | undefined;

/** Scans files and packs; without targets, every pack of the store. Files need no store. */
export function scan(
  store: Store | undefined,
  targets: readonly string[],
  options: ScanOptions = {},
  readLog?: ReadLog,
): ScanResult {
  // An explicit scan hides nothing: `off` is for packing.
  const { redact = "standard" } = options;
  const mode = redact === "off" ? "standard" : redact;
  const redaction = redactionOf(store, { ...options, redact: mode });
  const scanner = new TargetScanner(store, redaction.search as Scanner, options);
  const inLog = (log: ScannableLog): ScanFind[] | undefined => readLog?.(log, redaction);
  const names = targets.length === 0 && store !== undefined ? allPacks(store) : targets;
  const answers = names.map((target, index) => {
    options.progress?.(index, names.length);
    return isFile(target, options) ? scanner.file(target, options, inLog) : scanner.pack(target);
  });
  const isFound = answers.some(({ result }) => result === "found");
  const isUnread = answers.some(({ notes }) => notes.length > 0);
  return { exit: isFound ? 1 : isUnread ? 2 : 0, version: ruleSetVersion, mode, targets: answers };
}

/** Returns whether one of the targets is, or could only be, a pack. */
export function needsStore(targets: readonly string[], options: Pick<ScanOptions, "as" | "folder">): boolean {
  return targets.length === 0 || targets.some((target) => !isFile(target, options));
}

function isFile(target: string, options: Pick<ScanOptions, "as" | "folder">): boolean {
  return target === "-" || isFileTarget(target, options);
}

function allPacks(store: Store): string[] {
  return withCatalog(store, (catalog) => [...catalog.entries()].map(({ hex }) => toReference(hex)));
}

/** The id of a background command is within its first bytes. */
const maxReadSize = 1 << 20;

class TargetScanner {
  readonly #store: Store | undefined;
  readonly #search: Scanner;
  readonly #held: ScanOptions["held"];
  readonly #onScanned: NonNullable<ScanOptions["looked"]>;
  /** Findings in each scanned blob: packs have many in common. */
  readonly #seen = new Map<string, { hits: Hits; isBinary: boolean }>();

  constructor(
    store: Store | undefined,
    search: Scanner,
    { held, looked: onScanned = () => undefined }: Pick<ScanOptions, "held" | "looked">,
  ) {
    this.#store = store;
    this.#search = search;
    this.#held = held;
    this.#onScanned = onScanned;
  }

  file(
    target: string,
    { folder = ".", input }: ScanOptions,
    inLog: (log: ScannableLog) => ScanFind[] | undefined,
  ): ScannedTarget {
    const answer: ScannedTarget = { target, kind: "file", result: "clean", finds: [], notes: [] };
    const content: ContentScan = {};
    const scanPieces = (pieces: Iterable<Buffer>): void =>
      appendAll(answer.finds, this.#lines(pieces, content));
    try {
      if (target === "-") {
        const held = new HeldInput(input?.() ?? []);
        scanPieces(held.pieces());
        if (held.isWhole) addLogFinds(answer, inLog({ pieces: held.all, folder: resolve(folder) }));
      } else {
        const file = resolve(folder, target);
        usingRegular(file, ({ descriptor }) => scanPieces(piecesOf(descriptor)));
        addLogFinds(answer, inLog({ file }));
      }
    } catch (error) {
      answer.notes.push(whyUnread(error));
    }
    if (content.isBinary === true) {
      answer.unsearched = 1;
      answer.notes.push("it is not text, so ctx scanned only for tokens with a distinctive form");
    }
    return judged(answer);
  }

  /** Returns the lines that contain secrets. */
  #lines(pieces: Iterable<Buffer>, content: ContentScan): ScanFind[] {
    const finds = new Map<number, Map<string, number>>();
    const pass = decodedOnce(pieces);
    const first = this.#linesOf(pass.texts, onePass(content, pass), finds);
    for (const _ of readTwice(first, pass, (texts) => this.#linesOf(texts, secondReading(content), finds)));
    return [...finds]
      .sort(([a], [b]) => a - b)
      .map(([at, rules]) => ({ place: `line ${at}`, rules: Object.fromEntries(rules) }));
  }

  /** Counts the findings of each line, and yields the text with them blanked out. */
  #linesOf(
    texts: Iterable<string>,
    content: ContentScan,
    finds: Map<number, Map<string, number>>,
  ): Generator<string> {
    let line = 1;
    return throughWindows(texts, {
      find: (text) =>
        this.#search
          .find(text, contextOf(content, text))
          .map((found) => ({ ...found, from: beginOf(found), to: endOf(found) })),
      replace: (text, found) => {
        let next = text.indexOf("\n");
        let left = "";
        let at = 0;
        const goTo = (position: number): void => {
          for (; next !== -1 && next < position; next = text.indexOf("\n", next + 1)) line++;
        };
        for (const one of found) {
          goTo(startOf(one));
          const counts = finds.get(line) ?? new Map<string, number>();
          counts.set(one.rule, (counts.get(one.rule) ?? 0) + 1);
          finds.set(line, counts);
          for (const { from, to } of one.pieces) {
            left += text.slice(at, from) + blank.repeat(to - from);
            at = to;
          }
        }
        goTo(text.length);
        return left + text.slice(at);
      },
    });
  }

  pack(target: string): ScannedTarget {
    const answer: ScannedTarget = { target, kind: "pack", result: "clean", finds: [], notes: [] };
    try {
      const store = this.#store as Store;
      const hex = resolvePack(store, target);
      answer.pack = toReference(hex);
      const { manifest } = readPack(store.root, hex);
      answer.created = manifest.created;
      const contents = this.#contents(store, manifest, answer);
      const redactor = new Redactor(this.#search);
      const found = maskManifest(manifest, { redactor, mode: this.#search.mode, contents });
      answer.finds = Object.entries(found?.places ?? {}).map(([place, rules]) => ({ place, rules }));
    } catch (error) {
      answer.notes.push(whyUnread(error));
    }
    return judged(answer);
  }

  #contents(store: Store, manifest: Manifest, answer: ScannedTarget): Map<string, Hits> {
    const found = new Map<string, Hits>();
    let unsearched = 0;
    const printed = printedIn(manifest, (reference) => this.#small(store, hexOf(reference)));
    for (const reference of new Set(reached(manifest))) {
      try {
        const { hits, isBinary } = this.#blob(store, reference, printed.get(reference));
        if (hits.size > 0) found.set(hexOf(reference), hits);
        if (isBinary) unsearched++;
      } catch (error) {
        answer.notes.push(whyUnread(error));
      }
    }
    if (unsearched > 0) answer.unsearched = unsearched;
    return found;
  }

  /**
   * Returns a content that is held, or an object of the store; undefined if it is large or cannot be read,
   * which `#blob` reports.
   */
  #small(store: Store, hex: string): Buffer | undefined {
    const held = this.#held?.(hex);
    if (held !== undefined || (objectSize(store.root, hex) ?? Infinity) > maxReadSize) return held;
    try {
      return readObject(store.root, hex);
    } catch (error) {
      if (error instanceof CtxError) return undefined;
      throw error;
    }
  }

  #blob(store: Store, reference: Reference, printing?: Printing): { hits: Hits; isBinary: boolean } {
    const hex = hexOf(reference);
    const key = printing === undefined ? hex : `${hex} ${printing.prints} ${printing.isAlone}`;
    const seen = this.#seen.get(key);
    if (seen !== undefined) return seen;
    const hits = new Map<string, number>();
    const content: ContentScan = { printing };
    const redactor = new Redactor(this.#search);
    const scanPieces = (pieces: Iterable<Buffer>, whole?: Buffer): void => {
      if (whole !== undefined) return addHits(hits, redactor.bytes(whole, { scan: content }).hits);
      const pass = decodedOnce(this.#counted(pieces));
      const first = redactor.texts(pass.texts, hits, onePass(content, pass));
      for (const _ of readTwice(first, pass, (texts) => redactor.texts(texts, hits, secondReading(content))));
    };
    const held = this.#held?.(hex);
    this.#onScanned(held?.length ?? 0);
    if (held !== undefined) scanPieces([], held);
    else withObject(store.root, hex, scanPieces);
    const answer = { hits, isBinary: content.isBinary === true };
    this.#seen.set(key, answer);
    return answer;
  }

  *#counted(pieces: Iterable<Buffer>): Generator<Buffer> {
    for (const piece of pieces) {
      this.#onScanned(piece.length);
      yield piece;
    }
  }
}

/** Lets `scan.encoding` follow the pass: the encoding is known only while it is read. */
function onePass(content: ContentScan, pass: OnePass): ContentScan {
  return Object.defineProperty(content, "encoding", { get: () => pass.encoding });
}

/** Replaces a secret that was found, in the second reading of the text. */
const blank = " ";

/** Reads alleged UTF-16 a second time, as plain bytes. */
function* readTwice(
  first: Iterable<string>,
  pass: OnePass,
  again: (texts: Iterable<string>) => Iterable<string>,
): Generator<string> {
  const bytes = function* (): Generator<string> {
    for (const text of first) if (isWide(pass.encoding)) yield encode(text, pass.encoding).toString("latin1");
  };
  yield* again(bytes());
}

function judged(answer: ScannedTarget): ScannedTarget {
  const result = answer.finds.length > 0 ? "found" : answer.notes.length > 0 ? "unread" : "clean";
  return { ...answer, result };
}

function whyUnread(error: unknown): string {
  if (error instanceof CtxError) return error.message;
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (errno === "ELOOP") return "it is a link: name its target instead";
  return errno === "ENOENT" ? "no such file" : `it cannot be read (${errno})`;
}
