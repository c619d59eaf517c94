// Logs that their agent has compressed. Node itself can read zstd from 22.15 on.
import { createRequire } from "node:module";
import type * as Zlib from "node:zlib";
import { CtxError } from "../base/errors.js";
import { gather, type Source, sourceOf } from "./log-source.js";

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** A small file must not become all memory that there is. */
const mostUnpacked = 1 << 30;
const alwaysFine = 2 ** 26;
/** No log packs better than this many times. */
const bestRatio = 200;

/** What so many bytes may become when they are unpacked. */
export function fairSize(packed: number): number {
  return Math.max(alwaysFine, packed * bestRatio);
}

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

/** Few logs need it, and loading it takes a few milliseconds. */
export function zlib(): typeof Zlib {
  return createRequire(import.meta.url)("node:zlib") as typeof Zlib;
}

/** Undefined where Node cannot do it. */
export function zstdUnpack(): Unpack | undefined {
  return (zlib() as { zstdDecompressSync?: Unpack }).zstdDecompressSync;
}

/** The log itself, when the source is compressed; else the source as it is. */
export function unpacked(source: Source): Source {
  if (!source.head.subarray(0, magic.length).equals(magic)) return source;
  const hint = `\`zstd -d\` makes a plain file of it, which can be packed`;
  const unpack = zstdUnpack();
  if (unpack === undefined)
    throw new CtxError(
      "log-unreadable",
      `${source.name} is compressed with zstd, which Node ${process.versions.node} cannot read`,
      { hint: `${hint}; Node 22.15 and newer can read it as it is` },
    );
  const about = { name: source.name, ...(source.path === undefined ? {} : { path: source.path }) };
  try {
    const packed = gather(source, mostUnpacked);
    const bytes = unpack(packed, { maxOutputLength: Math.min(fairSize(packed.length), mostUnpacked) });
    // Where the end is missing Node gives what it has, which may be nothing.
    if (bytes.length === 0) throw new Error("there is nothing in it, or its end is missing");
    return sourceOf([bytes], about);
  } catch (error) {
    if (error instanceof CtxError) throw error;
    const why = (error as Error).message;
    throw new CtxError("log-unreadable", `cannot unpack ${source.name}: ${why}`, { hint, cause: error });
  }
}
