// `ctx cat`: the bytes of a blob.
import { toReference } from "../base/digest.js";
import type { CatResult } from "../results/show.js";
import { glimpseObject, streamObject } from "../store/objects.js";
import { resolveBlob } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { readContent } from "./show.js";

/** Returns a blob as text, or as base64 if it is not UTF-8. Throws if it is too large to be shown. */
export function cat(store: Store, name: string): CatResult {
  const { ref: hash, ...content } = readContent(store, toReference(resolveBlob(store, name)));
  return { hash, ...content };
}

/** Passes the bytes of a blob of any size to `take` in pieces, once the whole blob is verified. */
export function catPieces(store: Store, name: string, take: (piece: Buffer) => void): void {
  const hex = resolveBlob(store, name);
  glimpseObject(store.root, hex, 0);
  streamObject(store.root, hex, take);
}
