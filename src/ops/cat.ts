// `ctx cat`: the bytes of a blob.
import { toReference } from "../base/digest.js";
import type { CatResult } from "../results/show.js";
import { glimpseObject, streamObject } from "../store/objects.js";
import { resolveBlob } from "../store/resolve.js";
import type { Store } from "../store/store.js";

export interface Cat extends CatResult {
  /** Passes the bytes to `take` in pieces. The whole blob is verified before the first one. */
  pieces(take: (piece: Buffer) => void): void;
}

export function cat(store: Store, name: string): Cat {
  const hex = resolveBlob(store, name);
  const { size } = glimpseObject(store.root, hex, 0);
  return { hash: toReference(hex), size, pieces: (take) => streamObject(store.root, hex, take) };
}
