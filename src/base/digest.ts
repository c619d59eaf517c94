// SHA-256 and the two ways a hash is written: bare hex for file names, `sha256:<hex>` inside documents.
import type * as Crypto from "node:crypto";
import { lazy } from "./lazy.js";

export type Reference = `sha256:${string}`;

let loaded: typeof Crypto | undefined;

/** Loads node:crypto once, which takes three milliseconds; completion, help and refusals hash nothing. */
function crypto(): typeof Crypto {
  loaded ??= lazy("crypto");
  return loaded;
}

/** Returns the SHA-256 of some bytes, in lower-case hex. */
export function sha256(bytes: Buffer): string {
  const { hash, createHash } = crypto();
  // One call per blob is twice as fast as a hash object; it came with Node 20.12.
  const oneShot: typeof hash | undefined = hash;
  if (oneShot !== undefined) return oneShot("sha256", bytes, "hex");
  return createHash("sha256").update(bytes).digest("hex");
}

/** Starts a running SHA-256, for bytes that come in pieces. */
export function startSha256(): { add(bytes: Buffer): void; hex(): string } {
  const hash = crypto().createHash("sha256");
  return { add: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
}

export function toReference(hex: string): Reference {
  return `sha256:${hex}`;
}

/** Returns the hex of a reference that is known to be valid. */
export function hexOf(reference: Reference): string {
  return reference.slice("sha256:".length);
}

/** Returns whether a text is a reference in full and in lower case: the only form that documents may hold. */
export function isReference(text: string): text is Reference {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
