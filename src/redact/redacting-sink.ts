// Redacts the secrets of one run on their way into the store: contents as they arrive, the manifest at the
// end.
import { sha256 } from "../base/digest.js";
import { openRegular, piecesOf, usingDescriptor } from "../base/fs/files.js";
import { CtxError } from "../base/errors.js";
import type { StoredContent } from "../model/content.js";
import type { ContentOrigin, Manifest } from "../model/manifest.js";
import type { Redactions } from "../model/redactions.js";
import type { WorkerScan } from "./worker-scan.js";
import { decodedAs, encode, encodingOfPieces } from "./encoding.js";
import { isWide, type ContentScan, secondReading } from "./content-scan.js";
import { containAny, replaceContents } from "./late-secrets.js";
import { maskManifest } from "./mask-manifest.js";
import type { Printing } from "./printing.js";
import { addHits, type Hits, Redactor } from "./redactor.js";
import type { Scanner } from "./scanner.js";
import type { SharedSecrets } from "./shared-secrets.js";
import { StepPrintings } from "./step-printings.js";
import { objectPath } from "../store/layout.js";
import { objectSize, readObject } from "../store/objects.js";
import type { Sink } from "../store/log-files.js";

/** Most contents that are remembered as clean. */
const maxClean = 10_000;

/** A larger content is not held in memory. */
const maxHeldSize = 1 << 24;

export interface RedactingSinkOptions {
  /** The store's folder, for contents that it already holds. */
  root: string;
  sink: Sink;
  /** Nothing is redacted if undefined. */
  search: Scanner | undefined;
  /** What was redacted in the run before. */
  before?: Redactions | undefined;
  /** Secrets that the runs of a log share. */
  shared?: SharedSecrets | undefined;
  /** A worker thread that scans the same contents. */
  ahead?: WorkerScan | undefined;
}

export class RedactingSink implements Sink {
  readonly #root: string;
  readonly #sink: Sink;
  readonly #search: Scanner | undefined;
  readonly #redactor: Redactor | undefined;
  /** Findings in contents, by the hash of the redacted content. */
  readonly #contents = new Map<string, Hits>();
  readonly #ahead: WorkerScan | undefined;
  /** Contents without findings, as of `#learned` known secrets. */
  readonly #clean = new Set<string>();
  #learned = 0;
  /** Contents that were searched for all secrets known so far; empty while none is known. */
  readonly #current = new Set<string>();
  readonly #isAgain: boolean;
  readonly #before = new Map<string, string>();
  /** Contents that are not text. */
  readonly #binary = new Set<string>();
  readonly #printings = new StepPrintings();

  constructor({ root, sink, search, before, shared, ahead }: RedactingSinkOptions) {
    this.#root = root;
    this.#sink = sink;
    this.#search = search;
    this.#ahead = ahead;
    this.#isAgain = before !== undefined;
    this.#redactor = search === undefined ? undefined : new Redactor(search, before, shared);
  }

  /**
   * Returns a sink for contents of this origin: the output of a command that prints secrets is judged as
   * such.
   */
  from(origin: ContentOrigin | undefined): Sink {
    if (origin === undefined || this.#redactor === undefined) return this;
    const printing = this.#printings.of(origin);
    if (printing === undefined) return this;
    return {
      addBytes: (bytes) => {
        this.#printings.printed(origin, bytes);
        return this.#addBytes(bytes, printing);
      },
      addPieces: (pieces) => this.#addPieces(pieces, printing),
      addStored: (hex) => this.#addStored(hex, printing),
    };
  }

  addBytes(bytes: Buffer): StoredContent {
    return this.#addBytes(bytes);
  }

  addPieces(pieces: Iterable<Buffer>): StoredContent {
    return this.#addPieces(pieces);
  }

  addStored(hex: string): StoredContent {
    return this.#addStored(hex);
  }

  /** Number of contents that are not text: only tokens of a recognizable form were searched for in them. */
  get unsearched(): number {
    return this.#binary.size;
  }

  #addBytes(bytes: Buffer, printed?: Printing): StoredContent {
    if (this.#redactor === undefined) return this.#sink.addBytes(bytes);
    const printing = printed ?? this.#printings.reported(bytes);
    // A long run repeats a few contents many times: each is scanned once.
    const clean = this.#ahead?.cleanHash(bytes);
    const hex = clean ?? sha256(bytes);
    if (printing === undefined && this.#isKnown(hex)) {
      this.#noteCurrent(hex);
      return this.#sink.addBytes(bytes, hex);
    }
    const scan: ContentScan = { printing };
    const isClean = clean !== undefined && printing === undefined;
    const { value, hits } = this.#redactor.bytes(bytes, { isClean, scan });
    if (value !== bytes) {
      const stored = this.#noted(this.#sink.addBytes(value), hits, scan);
      this.#before.set(stored.hex, hex);
      return stored;
    }
    const isClear = hits.size === 0 && printing === undefined && scan.isBinary !== true;
    if (isClear && this.#clean.size < maxClean) this.#clean.add(hex);
    return this.#noted(this.#sink.addBytes(bytes, hex), hits, scan);
  }

  /** Returns whether a content had no findings, and no secret was learned since that it could contain. */
  #isKnown(hex: string): boolean {
    if (this.#redactor?.learned !== this.#learned) this.#forget();
    return this.#clean.has(hex);
  }

  /** Forgets which contents are clean: they may contain a secret that was learned since. */
  #forget(): void {
    this.#learned = this.#redactor?.learned ?? 0;
    this.#clean.clear();
    this.#current.clear();
  }

  /** Notes a content that was searched for all secrets known so far. */
  #noteCurrent(hex: string): void {
    const learned = this.#redactor?.learned ?? 0;
    if (learned !== this.#learned) this.#forget();
    if (learned > 0) this.#current.add(hex);
  }

  #addPieces(pieces: Iterable<Buffer>, printing?: Printing): StoredContent {
    if (this.#redactor === undefined) return this.#sink.addPieces(pieces);
    const hits = new Map<string, number>();
    const encoding = encodingOfPieces(pieces);
    const scan: ContentScan = { printing, encoding };
    let rest: Buffer = Buffer.alloc(0);
    const texts = unchanged(decodedAs(pieces, encoding, (left) => (rest = left)));
    const masked = this.#redactor.texts(texts, hits, scan);
    const bytes = function* (): Generator<Buffer> {
      for (const text of masked) yield encode(text, encoding);
      yield rest;
    };
    const all = isWide(encoding) ? this.#readAgain(bytes(), hits, scan) : bytes();
    return this.#noted(this.#sink.addPieces(all), hits, scan);
  }

  /** Alleged UTF-16 may be plain text in part. */
  *#readAgain(pieces: Iterable<Buffer>, hits: Map<string, number>, scan: ContentScan): Generator<Buffer> {
    const again = (this.#redactor as Redactor).texts(decodedAs(pieces, "latin1"), hits, secondReading(scan));
    for (const text of again) yield encode(text, "latin1");
  }

  #addStored(hex: string, printing?: Printing): StoredContent {
    if (this.#redactor === undefined) return this.#sink.addStored(hex);
    if ((objectSize(this.#root, hex) ?? 0) <= maxHeldSize)
      return this.#addBytes(readObject(this.#root, hex), printing);
    // Its bytes are verified here, and redacted after that.
    this.#sink.addStored(hex);
    return usingDescriptor(openRegular(objectPath(this.#root, hex)).descriptor, (descriptor) =>
      this.#addPieces({ [Symbol.iterator]: () => piecesOf(descriptor, { from: 0 }) }, printing),
    );
  }

  /** Returns the hash that a content had before it was redacted. */
  nameBefore({ hex }: StoredContent): string {
    return this.#before.get(hex) ?? hex;
  }

  /** Returns whether anything was redacted that was not before. */
  get isUsed(): boolean {
    return this.#redactor?.isUsed === true;
  }

  /**
   * Redacts the fields of the manifest, and records the redactions in it; must be called once, at the end.
   */
  finish(manifest: Manifest): Redactions | undefined {
    if (this.#search === undefined || this.#redactor === undefined) return undefined;
    this.#maskEarlier(manifest, this.#redactor);
    return maskManifest(manifest, {
      redactor: this.#redactor,
      mode: this.#search.mode,
      contents: this.#contents,
    });
  }

  /**
   * Redacts contents again that were stored before a secret was known that they repeat; this run, or another
   * one of the log, may have learned it since.
   */
  #maskEarlier(manifest: Manifest, redactor: Redactor): void {
    if (redactor.learned === 0) return;
    const secrets = redactor.spreading();
    const masked = new Map<string, StoredContent | undefined>();
    const again = (hex: string): StoredContent | undefined => {
      if (this.#current.has(hex)) return undefined;
      if (!masked.has(hex)) masked.set(hex, this.#maskedAgain(hex, secrets));
      return masked.get(hex);
    };
    replaceContents(manifest, again);
  }

  #maskedAgain(hex: string, secrets: readonly string[]): StoredContent | undefined {
    const path = this.#sink.fileOf?.(hex);
    if (path === undefined) return undefined;
    return usingDescriptor(openRegular(path).descriptor, (descriptor) => {
      const pieces = { [Symbol.iterator]: () => piecesOf(descriptor, { from: 0 }) };
      if (!containAny(pieces, secrets)) return undefined;
      const stored = this.#addPieces(pieces);
      const before = this.#contents.get(hex);
      // In a run that was redacted before, every placeholder of the content is already counted.
      if (before !== undefined && !this.#isAgain && stored.hex !== hex) {
        const hits = new Map(this.#contents.get(stored.hex));
        addHits(hits, before);
        this.#contents.set(stored.hex, hits);
      }
      return stored;
    });
  }

  #noted(stored: StoredContent, hits: Hits, { isBinary }: ContentScan): StoredContent {
    this.#noteCurrent(stored.hex);
    if (hits.size > 0) this.#contents.set(stored.hex, hits);
    if (isBinary === true) this.#binary.add(stored.hex);
    return stored;
  }
}

/** Reports a file that another process changed: the text was valid UTF-8 in the first pass. */
function* unchanged(texts: Iterable<string>): Generator<string> {
  try {
    yield* texts;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CtxError("io", "a file changed while ctx was reading it", { cause: error });
  }
}
