// Finds what a session of opencode consists of: its description, and its messages with their parts.
import { basename, dirname, join } from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { wholeOf } from "../../log-source.js";
import { parseValue } from "../../parse.js";
import { isFolder, namesIn, readBeside } from "../../sibling-files.js";

export interface OpencodeMessage {
  info: JsonObject;
  parts: readonly JsonValue[];
}

export interface OpencodeSession {
  info: JsonObject;
  messages: OpencodeMessage[];
}

/** The form of opencode's ids, which name files and folders of its storage. */
const safeId = /^[\w-]{1,200}$/;

/** Returns whether a document, or its beginning, is one that `opencode export` prints. */
export function isExport(document: JsonValue | undefined): document is JsonObject {
  if (!Array.isArray(valueAt(document, "messages"))) return false;
  if (isSessionId(wordAt(document, "info", "id"))) return true;
  const [first] = listAt(document, "messages");
  return isSessionId(wordAt(first, "info", "sessionID")) && textAt(first, "info", "role") !== undefined;
}

/** Returns whether a document describes a session and does not hold its messages. */
export function isSessionInfo(document: JsonValue | undefined): document is JsonObject {
  return isSessionId(wordAt(document, "id")) && numberAt(document, "time", "created") !== undefined;
}

function isSessionId(id: string | undefined): boolean {
  return id?.startsWith("ses_") === true;
}

export function exportedSession(document: JsonObject, coverage: Coverage): OpencodeSession {
  const messages: OpencodeMessage[] = [];
  for (const item of listAt(document, "messages")) {
    const info = objectAt(item, "info");
    if (info === undefined) coverage.skip("message without its info");
    else messages.push({ info, parts: listAt(item, "parts") });
  }
  coverage.records += messages.length;
  return { info: objectAt(document, "info") ?? {}, messages };
}

/** Returns the folder with the messages of a session, by the path of the file that describes it. */
export function messagesFolder(path: string | undefined, info: JsonObject): string | undefined {
  const id = wordAt(info, "id");
  if (path === undefined || id === undefined || !safeId.test(id)) return undefined;
  const folder = join(rootOf(path), "message", id);
  return isFolder(folder) ? folder : undefined;
}

/** Returns the folder with `message/` and `part/`: in the first versions, `session/` itself. */
function rootOf(path: string): string {
  const sessions = dirname(dirname(path));
  return isOldest(path) ? sessions : dirname(sessions);
}

/** Returns whether a path is of the first versions, which had a storage for each project. */
function isOldest(path: string): boolean {
  return basename(dirname(path)) === "info";
}

/** Returns a session with the messages that lie beside its description; undefined when there are none. */
export function storedSession(
  path: string | undefined,
  info: JsonObject,
  coverage: Coverage,
): OpencodeSession | undefined {
  const folder = messagesFolder(path, info);
  if (path === undefined || folder === undefined) return undefined;
  const messages = objectsIn(folder, coverage).map((message) => {
    const id = wordAt(message, "id");
    if (id === undefined || !safeId.test(id)) return { info: message, parts: [] };
    const own = isOldest(path) ? [basename(folder), id] : [id];
    return { info: message, parts: objectsIn(join(rootOf(path), "part", own.join("/")), coverage) };
  });
  coverage.records += messages.length;
  return { info, messages: messages.sort((a, b) => createdAt(a) - createdAt(b)) };
}

/** Returns the description of a session beside that of another one of the same project. */
export function infoBeside(
  path: string | undefined,
  id: string,
): { path: string; info: JsonObject } | undefined {
  if (path === undefined || !safeId.test(id)) return undefined;
  const other = join(dirname(path), `${id}.json`);
  const info = readBeside(other, (source) => parseSilently(wholeOf(source)));
  return isSessionInfo(info) ? { path: other, info } : undefined;
}

function parseSilently(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString("utf8")) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Returns the objects in the files of a folder, in the order of their names. */
function objectsIn(folder: string, coverage: Coverage): JsonObject[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name, index) => {
      const value = readBeside(join(folder, name), (source) => parseValue(wholeOf(source), coverage));
      if (value !== undefined && !(value instanceof Error) && isObject(value)) return [value];
      const why =
        value instanceof Error ? value.message : value === undefined ? "cannot be read" : "is no object";
      coverage.damage(index + 1, `file of ${basename(dirname(folder))}/ ${why}`);
      return [];
    });
}

function createdAt({ info }: OpencodeMessage): number {
  return numberAt(info, "time", "created") ?? 0;
}
