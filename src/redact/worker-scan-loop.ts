// Looks through the contents of a log for secrets and hashes them, from the last one to the first: what a second thread does while the
// first works on them from the front.
import { sha256 } from "../base/digest.js";
import { Redactor } from "./redactor.js";
import { ownFinder } from "./rules/own.js";
import { type Mode, searchOf } from "./scanner.js";

/** What makes two searches the same. */
export interface SearchSettings {
  mode: Exclude<Mode, "off">;
  rules: Parameters<typeof ownFinder>[0];
  allow: readonly string[];
}

/** What the threads share. */
export interface AheadTask {
  settings: SearchSettings;
  /** All contents lie in it. */
  bytes: SharedArrayBuffer;
  /** Where each begins, and how long it is. */
  places: SharedArrayBuffer;
  /** A byte for each: see `states`. */
  states: SharedArrayBuffer;
  /** The SHA-256 of each that is clean. */
  hashes: SharedArrayBuffer;
  /** How many the first thread has come to. */
  front: SharedArrayBuffer;
}

export const states = { unknown: 0, clean: 1 } as const;
export const hashSize = 32;

/** Until it meets the other thread. */
export function lookAhead({ settings, bytes, places, states: shared, hashes, front }: AheadTask): void {
  const search = searchOf({ ...settings, own: ownFinder(settings.rules) });
  const places32 = new Uint32Array(places);
  const found = new Uint8Array(shared);
  const names = Buffer.from(hashes);
  const met = new Int32Array(front);
  const whole = Buffer.from(bytes);
  let redactor = new Redactor(search);
  for (let at = found.length - 1; at > Atomics.load(met, 0); at--) {
    const from = places32[at * 2] as number;
    const content = whole.subarray(from, from + (places32[at * 2 + 1] as number));
    if (content.includes("[REDACTED:")) continue;
    if (redactor.bytes(content).hits.size === 0) {
      names.write(sha256(content), at * hashSize, "hex");
      Atomics.store(found, at, states.clean);
    }
    // Only the first thread knows what came before, and in which order.
    else redactor = new Redactor(search);
  }
}
