// Masks the secrets of one run on their way into the store: contents when they come, the manifest at the end.
import { sha256 } from "../base/digest.js";
import { openRegular, piecesFromStart, usingDescriptor } from "../base/fs/files.js";
import { CtxError } from "../base/errors.js";
import type { Stored } from "../model/content.js";
import type { ContentOrigin, Manifest } from "../model/manifest.js";
import type { Redactions } from "../model/redactions.js";
import type { Ahead } from "./worker-scan.js";
import { decodedAs, encode, encodingOfPieces } from "./encoding.js";
import { isWide, type Looked, secondReading } from "./looked.js";
import { maskManifest } from "./mask-manifest.js";
import type { Printing } from "./printing.js";
import { type Hits, Redactor } from "./redactor.js";
import type { Search } from "./scanner.js";
import { StepPrintings } from "./step-printings.js";
import { objectPath } from "../store/layout.js";
import { objectSize, readObject } from "../store/objects.js";
import type { Sink } from "../store/content-sink.js";

/** So many contents are remembered. */
const mostClean = 10_000;

/** What is larger is not held in memory. */
const largestHeld = 1 << 24;

export interface MaskingOptions {
  /** The store's folder, for what it holds already. */
  root: string;
  sink: Sink;
  /** Undefined: nothing is masked. */
  search: Search | undefined;
  /** What was masked in the run before. */
  before?: Redactions | undefined;
  /** Somebody who looks for secrets as well. */
  ahead?: Ahead | undefined;
}

export class Masking implements Sink {
  readonly #root: string;
  readonly #sink: Sink;
  readonly #search: Search | undefined;
  readonly #redactor: Redactor | undefined;
  /** What was found in contents, by the names that they have now. */
  readonly #contents = new Map<string, Hits>();
  readonly #ahead: Ahead | undefined;
  /** Contents in which nothing was found, and how many secrets were known then that are looked for everywhere. */
  readonly #clean = new Set<string>();
  #learned = 0;
  readonly #before = new Map<string, string>();
  /** Contents that are no text. */
  readonly #binary = new Set<string>();
  readonly #printings = new StepPrintings();

  constructor({ root, sink, search, before, ahead }: MaskingOptions) {
    this.#root = root;
    this.#sink = sink;
    this.#search = search;
    this.#ahead = ahead;
    this.#redactor = search === undefined ? undefined : new Redactor(search, before);
  }

  /** Takes contents that came from there: what a command printed that was asked for a secret is judged as such. */
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

  addBytes(bytes: Buffer): Stored {
    return this.#addBytes(bytes);
  }

  addPieces(pieces: Iterable<Buffer>): Stored {
    return this.#addPieces(pieces);
  }

  addStored(hex: string): Stored {
    return this.#addStored(hex);
  }

  /** How many contents are no text: only what has a form of its own was looked for in them. */
  get unsearched(): number {
    return this.#binary.size;
  }

  #addBytes(bytes: Buffer, printing?: Printing): Stored {
    if (this.#redactor === undefined) return this.#sink.addBytes(bytes);
    // A long run has the same few contents many times: what is in them is found out once.
    const clean = this.#ahead?.cleanHash(bytes);
    const hex = clean ?? sha256(bytes);
    if (printing === undefined && this.#isKnown(hex)) return this.#sink.addBytes(bytes, hex);
    const looked: Looked = { printing };
    const isClean = clean !== undefined && printing === undefined;
    const { value, hits } = this.#redactor.bytes(bytes, { isClean, looked });
    if (value !== bytes) {
      const stored = this.#noted(this.#sink.addBytes(value), hits, looked);
      this.#before.set(stored.hex, hex);
      return stored;
    }
    const isClear = hits.size === 0 && printing === undefined && looked.isBinary !== true;
    if (isClear && this.#clean.size < mostClean) this.#clean.add(hex);
    return this.#noted(this.#sink.addBytes(bytes, hex), hits, looked);
  }

  /** Whether nothing was found in a content, and nothing was learned since that could be found in it now. */
  #isKnown(hex: string): boolean {
    const learned = this.#redactor?.learned ?? 0;
    if (learned !== this.#learned) this.#clean.clear();
    this.#learned = learned;
    return this.#clean.has(hex);
  }

  #addPieces(pieces: Iterable<Buffer>, printing?: Printing): Stored {
    if (this.#redactor === undefined) return this.#sink.addPieces(pieces);
    const hits = new Map<string, number>();
    const encoding = encodingOfPieces(pieces);
    const looked: Looked = { printing, encoding };
    let rest: Buffer = Buffer.alloc(0);
    const texts = unchanged(decodedAs(pieces, encoding, (left) => (rest = left)));
    const masked = this.#redactor.texts(texts, hits, looked);
    const bytes = function* (): Generator<Buffer> {
      for (const text of masked) yield encode(text, encoding);
      yield rest;
    };
    const all = isWide(encoding) ? this.#readAgain(bytes(), hits, looked) : bytes();
    return this.#noted(this.#sink.addPieces(all), hits, looked);
  }

  /** What claims to be UTF-16 may be plain text in part. */
  *#readAgain(pieces: Iterable<Buffer>, hits: Map<string, number>, looked: Looked): Generator<Buffer> {
    const again = (this.#redactor as Redactor).texts(
      decodedAs(pieces, "latin1"),
      hits,
      secondReading(looked),
    );
    for (const text of again) yield encode(text, "latin1");
  }

  #addStored(hex: string, printing?: Printing): Stored {
    if (this.#redactor === undefined) return this.#sink.addStored(hex);
    if ((objectSize(this.#root, hex) ?? 0) <= largestHeld)
      return this.#addBytes(readObject(this.#root, hex), printing);
    // Its bytes are checked here, and masked after that.
    this.#sink.addStored(hex);
    return usingDescriptor(openRegular(objectPath(this.#root, hex)).descriptor, (descriptor) =>
      this.#addPieces({ [Symbol.iterator]: () => piecesFromStart(descriptor) }, printing),
    );
  }

  /** The name that a content had before it was masked. */
  nameBefore({ hex }: Stored): string {
    return this.#before.get(hex) ?? hex;
  }

  /** Whether anything was masked that was not before. */
  get isUsed(): boolean {
    return this.#redactor?.isUsed === true;
  }

  /** Masks what the manifest itself holds, and notes in it what was masked; to be called once, at the end. */
  finish(manifest: Manifest): Redactions | undefined {
    if (this.#search === undefined || this.#redactor === undefined) return undefined;
    return maskManifest(manifest, {
      redactor: this.#redactor,
      mode: this.#search.mode,
      contents: this.#contents,
    });
  }

  #noted(stored: Stored, hits: Hits, { isBinary }: Looked): Stored {
    if (hits.size > 0) this.#contents.set(stored.hex, hits);
    if (isBinary === true) this.#binary.add(stored.hex);
    return stored;
  }
}

/** The text was valid UTF-8 before; if it no longer is, another process changed the file. */
function* unchanged(texts: Iterable<string>): Generator<string> {
  try {
    yield* texts;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CtxError("io", "a file changed while it was read", { cause: error });
  }
}
