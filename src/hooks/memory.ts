// Remembers what ctx inserted into settings that belong to another program, so that exactly this can be
// removed again: the positions, and a hash of the whole text afterwards. The text itself is not stored,
// because settings hold keys.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import type { Insertion } from "./text-edits.js";
import { withStateLock } from "../store/state-lock.js";

export interface HookMemory {
  /** The whole text after the insertions. */
  after: string;
  insertions: readonly Insertion[];
  /** Whether ctx created the file. */
  made: boolean;
  /** Folders that ctx created. */
  folders: readonly string[];
}

type StoredMemory = { hash: string; insertions: Insertion[]; made: boolean; folders: string[] };

/** Returns what is remembered about a file, if its text has not changed since. */
export function readMemory(state: string, file: string, text: string): StoredMemory | undefined {
  const kept = readAll(state).get(file);
  return kept !== undefined && kept.hash === sha256(Buffer.from(text)) ? kept : undefined;
}

/**
 * Stores what is remembered about a file, or deletes it if `memory` is undefined. Failure to write is
 * ignored.
 */
export function writeMemory(state: string, file: string, memory: HookMemory | undefined): void {
  try {
    withStateLock(state, "note-hooks", () => {
      const all = readAll(state);
      if (memory === undefined) all.delete(file);
      else all.set(file, toStoredMemory(memory));
      const text = JSON.stringify(Object.fromEntries(all));
      replaceFile(memoryPath(state), Buffer.from(text), { durable: true, mode: 0o600 });
    });
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
  }
}

function toStoredMemory({ after, insertions, made, folders }: HookMemory): StoredMemory {
  return { hash: sha256(Buffer.from(after)), insertions: [...insertions], made, folders: [...folders] };
}

function memoryPath(state: string): string {
  return join(state, "hooks.json");
}

function readAll(state: string): Map<string, StoredMemory> {
  const all = new Map<string, StoredMemory>();
  try {
    const value = JSON.parse(fs.readFileSync(memoryPath(state)).toString("utf8")) as JsonValue;
    if (isObject(value))
      for (const [file, kept] of Object.entries(value)) if (isStoredMemory(kept)) all.set(file, kept);
  } catch {
    // An unreadable file means that nothing is remembered.
  }
  return all;
}

function isStoredMemory(value: unknown): value is StoredMemory {
  const { hash, insertions, made, folders } = (value ?? {}) as Partial<StoredMemory>;
  return (
    typeof hash === "string" &&
    typeof made === "boolean" &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === "string") &&
    Array.isArray(insertions) &&
    insertions.every(({ at, text }) => typeof at === "number" && typeof text === "string")
  );
}
