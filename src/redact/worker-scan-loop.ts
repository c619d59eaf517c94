// Scans and hashes the contents of a log in a worker thread, from the last one to the first, while the main
// thread works on them from the front.
import { sha256 } from "../base/digest.js";
import { Redactor } from "./redactor.js";
import { ownFinder } from "./rules/user-rules.js";
import { type Mode, createScanner } from "./scanner.js";

/** Everything that determines the results of a scanner. */
export interface ScannerSettings {
  mode: Exclude<Mode, "off">;
  rules: Parameters<typeof ownFinder>[0];
  allow: readonly string[];
}

/** Memory shared by the threads. */
export interface WorkerScanTask {
  settings: ScannerSettings;
  /** Holds all contents. */
  bytes: SharedArrayBuffer;
  /** Offset and length of each content. */
  ranges: SharedArrayBuffer;
  /** One of `states` for each content. */
  states: SharedArrayBuffer;
  /** The SHA-256 of each clean content. */
  hashes: SharedArrayBuffer;
  /** How far the main thread has come. */
  front: SharedArrayBuffer;
}

export const states = { unknown: 0, clean: 1 } as const;
export const hashSize = 32;

/** Scans contents backwards until it meets the main thread. */
export function scanBackwards({
  settings,
  bytes,
  ranges,
  states: shared,
  hashes,
  front,
}: WorkerScanTask): void {
  const search = createScanner({ ...settings, own: ownFinder(settings.rules) });
  const offsets = new Uint32Array(ranges);
  const found = new Uint8Array(shared);
  const names = Buffer.from(hashes);
  const met = new Int32Array(front);
  const whole = Buffer.from(bytes);
  let redactor = new Redactor(search);
  for (let at = found.length - 1; at > Atomics.load(met, 0); at--) {
    const from = offsets[at * 2] as number;
    const content = whole.subarray(from, from + (offsets[at * 2 + 1] as number));
    if (content.includes("[REDACTED:")) continue;
    if (redactor.bytes(content).hits.size === 0) {
      names.write(sha256(content), at * hashSize, "hex");
      Atomics.store(found, at, states.clean);
    }
    // Only the main thread knows the secrets that came before, and their order.
    else redactor = new Redactor(search);
  }
}
