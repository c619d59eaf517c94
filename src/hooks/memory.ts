// What was put into somebody's settings, so that just that can be taken out again: where, and how the whole was then. The text
// itself is not kept; settings hold keys.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { usingDescriptor, writeAll } from "../base/fs/files.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { openNew } from "../base/fs/owner-mode.js";
import type { Insertion } from "./text-edits.js";
import { withStateLock } from "../store/state-lock.js";

export interface HookMemory {
  /** The whole text, as it was written. */
  after: string;
  insertions: readonly Insertion[];
  /** Whether there was no file before. */
  made: boolean;
  /** Folders that were not there. */
  folders: readonly string[];
}

type Kept = { hash: string; insertions: Insertion[]; made: boolean; folders: string[] };

/** What is remembered of a file, if it still is what was written then. */
export function readMemory(state: string, file: string, text: string): Kept | undefined {
  const kept = readAll(state).get(file);
  return kept !== undefined && kept.hash === sha256(Buffer.from(text)) ? kept : undefined;
}

/** Remembers, or forgets. What cannot be written down is done without. */
export function writeMemory(state: string, file: string, memory: HookMemory | undefined): void {
  try {
    withStateLock(state, "note-hooks", () => {
      const all = readAll(state);
      if (memory === undefined) all.delete(file);
      else all.set(file, keptOf(memory));
      write(memoryPath(state), JSON.stringify(Object.fromEntries(all)));
    });
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
  }
}

function keptOf({ after, insertions, made, folders }: HookMemory): Kept {
  return { hash: sha256(Buffer.from(after)), insertions: [...insertions], made, folders: [...folders] };
}

/** By rename, and on the disk before that: after a power cut the old text is there, or the new one. */
function write(path: string, text: string): void {
  const temporary = `${path}-${process.pid}`;
  fs.rmSync(temporary, { force: true });
  try {
    usingDescriptor(openNew(temporary, 0o600), (descriptor) => {
      writeAll(descriptor, Buffer.from(text));
      fs.fsyncSync(descriptor);
    });
    fs.renameSync(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

function memoryPath(state: string): string {
  return join(state, "hooks.json");
}

function readAll(state: string): Map<string, Kept> {
  const all = new Map<string, Kept>();
  try {
    const value = JSON.parse(fs.readFileSync(memoryPath(state)).toString("utf8")) as JsonValue;
    if (isObject(value))
      for (const [file, kept] of Object.entries(value)) if (isKept(kept)) all.set(file, kept);
  } catch {
    // Nothing is remembered.
  }
  return all;
}

function isKept(value: unknown): value is Kept {
  const { hash, insertions, made, folders } = (value ?? {}) as Partial<Kept>;
  return (
    typeof hash === "string" &&
    typeof made === "boolean" &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === "string") &&
    Array.isArray(insertions) &&
    insertions.every(({ at, text }) => typeof at === "number" && typeof text === "string")
  );
}
