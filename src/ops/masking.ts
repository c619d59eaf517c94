// Masks the secrets of one run on their way into the store: contents when they come, the manifest at the end.
import { sha256 } from "../base/digest.js";
import { openRegular, piecesFromStart, usingDescriptor } from "../base/files.js";
import { CtxError } from "../base/errors.js";
import type { Stored } from "../model/content.js";
import type { Manifest } from "../model/manifest.js";
import type { Redactions } from "../model/redactions.js";
import type { Ahead } from "../redact/ahead.js";
import { maskManifest } from "../redact/mask-manifest.js";
import { type Hits, Redactor } from "../redact/redactor.js";
import type { Search } from "../redact/search.js";
import { decoded, isText } from "../redact/windows.js";
import { objectPath } from "../store/layout.js";
import { objectSize, readObject } from "../store/objects.js";
import type { Sink } from "../store/sink.js";

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

  constructor({ root, sink, search, before, ahead }: MaskingOptions) {
    this.#root = root;
    this.#sink = sink;
    this.#search = search;
    this.#ahead = ahead;
    this.#redactor = search === undefined ? undefined : new Redactor(search, before);
  }

  addBytes(bytes: Buffer): Stored {
    if (this.#redactor === undefined) return this.#sink.addBytes(bytes);
    // A long run has the same few contents many times: what is in them is found out once.
    const clean = this.#ahead?.cleanHash(bytes);
    const hex = clean ?? sha256(bytes);
    if (this.#isKnown(hex)) return this.#sink.addBytes(bytes, hex);
    const { value, hits } = this.#redactor.bytes(bytes, clean !== undefined);
    if (value !== bytes) {
      const stored = this.#noted(this.#sink.addBytes(value), hits);
      this.#before.set(stored.hex, hex);
      return stored;
    }
    if (hits.size === 0 && this.#clean.size < mostClean) this.#clean.add(hex);
    return this.#noted(this.#sink.addBytes(bytes, hex), hits);
  }

  /** Whether nothing was found in a content, and nothing was learned since that could be found in it now. */
  #isKnown(hex: string): boolean {
    const learned = this.#redactor?.learned ?? 0;
    if (learned !== this.#learned) this.#clean.clear();
    this.#learned = learned;
    return this.#clean.has(hex);
  }

  addPieces(pieces: Iterable<Buffer>): Stored {
    if (this.#redactor === undefined || !isText(pieces)) return this.#sink.addPieces(pieces);
    const hits = new Map<string, number>();
    return this.#noted(this.#sink.addPieces(bytesOf(this.#redactor.texts(textOf(pieces), hits))), hits);
  }

  addStored(hex: string): Stored {
    if (this.#redactor === undefined) return this.#sink.addStored(hex);
    if ((objectSize(this.#root, hex) ?? 0) <= largestHeld) return this.addBytes(readObject(this.#root, hex));
    // Its bytes are checked here, and masked after that.
    this.#sink.addStored(hex);
    return usingDescriptor(openRegular(objectPath(this.#root, hex)).descriptor, (descriptor) =>
      this.addPieces({ [Symbol.iterator]: () => piecesFromStart(descriptor) }),
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

  #noted(stored: Stored, hits: Hits): Stored {
    if (hits.size > 0) this.#contents.set(stored.hex, hits);
    return stored;
  }
}

/** What was text a moment ago is text still, or somebody changes the file. */
function* textOf(pieces: Iterable<Buffer>): Generator<string> {
  try {
    yield* decoded(pieces);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CtxError("io", "a file changed while it was read", { cause: error });
  }
}

function* bytesOf(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
