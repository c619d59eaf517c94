// Bundles for tests, made and taken apart without the program's own code: it must not judge itself.
import { createHash } from "node:crypto";
import { exportPacks, type ExportOptions } from "../src/ops/export.js";
import { pack } from "../src/ops/pack.js";
import type { Store } from "../src/store/store.js";
import { type AnyLog, json } from "./logs.js";

export function hashOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface Entry {
  name: string;
  bytes: Buffer;
  /** Fields of its header that differ from the usual ones. */
  header?: HeaderFields;
}

export interface HeaderFields {
  mode?: string;
  type?: string;
  link?: string;
  magic?: string;
  prefix?: string;
  /** The bytes of the size field, if they differ from the size. */
  size?: string | Buffer;
  /** A checksum instead of the right one. */
  sum?: string;
}

/** A header as POSIX has it. */
export function header(name: string, size: number, fields: HeaderFields = {}): Buffer {
  const block = Buffer.alloc(512);
  const put = (at: number, text: string | Buffer): void => {
    block.set(Buffer.isBuffer(text) ? text : Buffer.from(text, "latin1"), at);
  };
  put(0, name);
  put(100, `${fields.mode ?? "0000644"}\0`);
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, fields.size ?? `${size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, " ".repeat(8));
  put(156, fields.type ?? "0");
  put(157, fields.link ?? "");
  put(257, fields.magic ?? "ustar\u000000");
  put(329, "0000000\0");
  put(337, "0000000\0");
  put(345, fields.prefix ?? "");
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, fields.sum ?? `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** Returns an entry of a tar, with the zeros after it. */
export function entry(name: string, bytes: Buffer, fields?: HeaderFields): Buffer {
  return Buffer.concat([header(name, bytes.length, fields), bytes, Buffer.alloc(-bytes.length & 511)]);
}

export const end = Buffer.alloc(1024);

export function tar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.map((one) => entry(one.name, one.bytes, one.header)), end]);
}

/** Returns a tar of blobs, as a layer has it. */
export function blobTar(blobs: readonly (Buffer | string)[]): Buffer {
  const sorted = blobs
    .map((blob) => ({ name: hashOf(blob), bytes: Buffer.from(blob as string), header: { mode: "0000444" } }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return tar(sorted);
}

/** Returns the entries of a tar; folders end in a slash. */
export function untar(bytes: Buffer): Entry[] {
  const found: Entry[] = [];
  for (let at = 0; bytes[at] !== 0; ) {
    const name = bytes.toString("latin1", at, bytes.indexOf(0, at));
    const size = Number.parseInt(bytes.toString("latin1", at + 124, at + 135), 8);
    const type = String.fromCharCode(bytes[at + 156] as number);
    const header = type === "0" ? {} : { header: { type, mode: "0000755" } };
    found.push({ name, bytes: Buffer.from(bytes.subarray(at + 512, at + 512 + size)), ...header });
    at += 512 + size + (-size & 511);
  }
  return found;
}

export interface AnyDescriptor {
  mediaType: string;
  digest: string;
  size: number;
  annotations?: Record<string, string>;
  [field: string]: unknown;
}

export interface AnyOci {
  schemaVersion: number;
  layers: AnyDescriptor[];
  config: AnyDescriptor;
  [field: string]: unknown;
}

/** An unpacked bundle, to be changed and packed again. */
export class Unpacked {
  readonly entries: Entry[];

  constructor(bytes: Buffer) {
    this.entries = untar(bytes);
  }

  bytes(): Buffer {
    return tar(this.entries);
  }

  file(name: string): Entry {
    const found = this.entries.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  blob(hex: string): Entry {
    return this.file(`blobs/sha256/${hex.replace("sha256:", "")}`);
  }

  add(bytes: Buffer): string {
    const hex = hashOf(bytes);
    this.entries.push({ name: `blobs/sha256/${hex}`, bytes });
    return hex;
  }

  remove({ name }: Entry): void {
    this.entries.splice(
      this.entries.findIndex((one) => one.name === name),
      1,
    );
  }

  get index(): { manifests: AnyDescriptor[]; [field: string]: unknown } {
    return JSON.parse(this.file("index.json").bytes.toString()) as { manifests: AnyDescriptor[] };
  }

  set index(index: object) {
    this.file("index.json").bytes = json(index);
  }

  /** Returns the OCI manifest of one of its packs. */
  oci(at = 0): AnyOci {
    return JSON.parse(this.blob(this.index.manifests[at]?.digest ?? "").bytes.toString()) as AnyOci;
  }

  /** Changes an OCI manifest, and everything that refers to it. */
  changeOci(change: (oci: AnyOci) => void, at = 0): void {
    const oci = this.oci(at);
    change(oci);
    this.replaceOci(json(oci), at);
  }

  replaceOci(bytes: Buffer, at = 0): void {
    const { index } = this;
    const descriptor = index.manifests[at] as AnyDescriptor;
    const old = this.blob(descriptor.digest);
    const hex = hashOf(bytes);
    Object.assign(old, { name: `blobs/sha256/${hex}`, bytes });
    Object.assign(descriptor, { digest: `sha256:${hex}`, size: bytes.length });
    this.index = index;
  }

  /** Replaces the bytes of a layer, and everything that refers to it. */
  changeLayer(layer: number, change: (bytes: Buffer) => Buffer): void {
    const { digest } = this.oci().layers[layer] as AnyDescriptor;
    const old = this.blob(digest);
    const bytes = change(Buffer.from(old.bytes));
    const hex = hashOf(bytes);
    Object.assign(old, { name: `blobs/sha256/${hex}`, bytes });
    this.changeOci(({ layers }) =>
      Object.assign(layers[layer] as AnyDescriptor, { digest: `sha256:${hex}`, size: bytes.length }),
    );
  }
}

/** Seals a log, and returns the hash of the pack. */
export function packed(store: Store, log: AnyLog): string {
  return pack(
    store,
    { bytes: json(log), folder: store.folder },
    { sidecars: false, redact: "off" },
  ).hash.slice(7);
}

/** Returns the bytes of a bundle with these packs. */
export function exported(store: Store, names: readonly string[], options: ExportOptions = {}): Buffer {
  const pieces: Buffer[] = [];
  exportPacks(store, names, { ...options, write: (piece) => void pieces.push(Buffer.from(piece)) });
  return Buffer.concat(pieces);
}
