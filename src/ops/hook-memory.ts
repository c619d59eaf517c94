// What was put into somebody's settings, so that just that can be taken out again: where, and how the whole was then. The text
// itself is not kept; settings hold keys.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../base/digest.js";
import { errnoOf } from "../base/errors.js";
import { isObject, type JsonValue } from "../base/json.js";
import type { Insertion } from "../hooks/text-edits.js";

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
  const all = readAll(state);
  if (memory === undefined) all.delete(file);
  else {
    const { after, insertions, made, folders } = memory;
    all.set(file, {
      hash: sha256(Buffer.from(after)),
      insertions: [...insertions],
      made,
      folders: [...folders],
    });
  }
  const path = memoryPath(state);
  try {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.writeFileSync(`${path}-${process.pid}`, JSON.stringify(Object.fromEntries(all)), { mode: 0o600 });
    fs.renameSync(`${path}-${process.pid}`, path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
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
