// Unpacks logs that their agent compressed. Node itself reads zstd from 22.15 on.
import { CtxError } from "../base/errors.js";
import { lazy } from "../base/lazy.js";
import { gather, type LogSource, sourceOf } from "./log-source.js";

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** A small file must not use up all memory. */
const maxUnpacked = 1 << 30;
const alwaysPlausible = 2 ** 26;
/** No log compresses better than this ratio. */
const maxRatio = 200;

/** Returns the largest plausible unpacked size of so many bytes. */
export function maxPlausibleSize(packed: number): number {
  return Math.max(alwaysPlausible, packed * maxRatio);
}

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

/** Returns the zstd decoder; undefined where Node has none. */
export function zstdUnpack(): Unpack | undefined {
  return (lazy("zlib") as { zstdDecompressSync?: Unpack }).zstdDecompressSync;
}

/** Returns the unpacked log if the source is compressed; otherwise the source. */
export function unpacked(source: LogSource): LogSource {
  if (!source.head.subarray(0, magic.length).equals(magic)) return source;
  const hint = `unpack it with \`zstd -d\`, and pack the result`;
  const unpack = zstdUnpack();
  if (unpack === undefined)
    throw new CtxError(
      "log-unreadable",
      `${source.name} is compressed with zstd, which Node ${process.versions.node} cannot read`,
      { hint: `${hint}; Node 22.15 and newer can read it directly` },
    );
  const about = { name: source.name, ...(source.path === undefined ? {} : { path: source.path }) };
  try {
    const packed = gather(source, maxUnpacked);
    const bytes = unpack(packed, { maxOutputLength: Math.min(maxPlausibleSize(packed.length), maxUnpacked) });
    // If the end is missing, Node returns what it has, which may be nothing.
    if (bytes.length === 0) throw new Error("it is empty, or its end is missing");
    return sourceOf([bytes], about);
  } catch (error) {
    if (error instanceof CtxError) throw error;
    const why = (error as Error).message;
    throw new CtxError("log-unreadable", `cannot unpack ${source.name}: ${why}`, { hint, cause: error });
  }
}
