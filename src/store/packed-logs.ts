// Which logs of agents were packed into a store, in the state that they had then. Only a note under cache/:
// without it, logs are read again, and become the same packs.
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError, errnoOf } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { makeFolder, openRegular, readWhole, usingDescriptor } from "../base/fs/files.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { modesOf } from "./modes.js";
import { withLock } from "./state-lock.js";
import type { Store } from "./store.js";

export interface TakenLog {
  /** Signature of the log when it was packed. */
  signature: string;
  /** Hashes of the packs that its runs became, without those of sub-agents. */
  packs: string[];
  /** Why it has no packs, although something happened in it. */
  refused?: { why: string; by: string };
}

export class TakenLogs {
  readonly #store: Store;
  readonly #logs: Map<string, TakenLog>;
  /** Logs recorded since the last save. */
  readonly #changed = new Map<string, TakenLog>();

  private constructor(store: Store, logs: Map<string, TakenLog>) {
    this.#store = store;
    this.#logs = logs;
  }

  /** Reads the note; empty if there is none, or something else has its name. */
  static read(store: Store): TakenLogs {
    return new TakenLogs(store, store.foreign ? new Map() : readNote(notePath(store)));
  }

  get(path: string): TakenLog | undefined {
    return this.#logs.get(path);
  }

  /** Returns the hashes of all packs that logs became. */
  packs(): Set<string> {
    return new Set([...this.#logs.values()].flatMap(({ packs }) => packs));
  }

  set(path: string, log: TakenLog): void {
    this.#logs.set(path, log);
    this.#changed.set(path, log);
  }

  /** Adds new logs to the note. A store that cannot be written to does without. */
  save(): void {
    if (this.#changed.size === 0 || this.#store.foreign) return;
    const path = notePath(this.#store);
    const folder = join(this.#store.root, "cache");
    // A link here, which a clone could bring, would redirect the write to another user's files.
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) return;
    try {
      this.#store.assertExists();
      // Other processes add to the note as well: none may read it before another one has written it.
      const { root, onWait } = this.#store;
      const add = (): void => {
        makeFolder(folder, modesOf(root).folder);
        write(path, new Map([...readNote(path), ...this.#changed]));
      };
      withLock(root, "note-taken-logs", add, { onWait });
      this.#changed.clear();
    } catch (error) {
      if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
    }
  }
}

function write(path: string, logs: ReadonlyMap<string, TakenLog>): void {
  const text = JSON.stringify({ version: 1, logs: Object.fromEntries(logs) });
  replaceFile(path, Buffer.from(text), { durable: false, mode: 0o600 });
}

function notePath({ root }: Store): string {
  return join(root, "cache", "taken-logs.json");
}

function readNote(path: string): Map<string, TakenLog> {
  const logs = new Map<string, TakenLog>();
  try {
    const bytes = usingDescriptor(openRegular(path).descriptor, (descriptor) =>
      readWhole(descriptor, 1 << 28),
    );
    const note = JSON.parse(bytes.toString("utf8")) as JsonValue;
    const held = isObject(note) && note["version"] === 1 ? note["logs"] : undefined;
    if (held === undefined || !isObject(held)) return logs;
    for (const [name, log] of Object.entries(held)) if (isTaken(log)) logs.set(name, log);
  } catch {
    // There is no note, or no complete one.
  }
  return logs;
}

function isTaken(value: unknown): value is TakenLog {
  if (typeof value !== "object" || value === null || !("signature" in value) || !("packs" in value))
    return false;
  const { signature, packs, refused } = value as Partial<TakenLog>;
  const isTold =
    refused === undefined || (typeof refused?.why === "string" && typeof refused.by === "string");
  return (
    isTold &&
    typeof signature === "string" &&
    Array.isArray(packs) &&
    packs.every((hex) => typeof hex === "string" && /^[0-9a-f]{64}$/.test(hex))
  );
}
