// Reads the folder of a conversation: its state, and a file for each event. Nothing in it is trusted: only
// regular files are read, and no link is followed.
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { readWhole } from "../../../base/fs/files.js";
import { isObject, type JsonObject } from "../../../base/json/value.js";
import { namesIn, openSafely } from "../../sibling-files.js";
import type { Coverage } from "../../coverage.js";
import { parseValue } from "../../parse.js";
import { maxLine } from "../../log-source.js";

/** The file name of a conversation's state. */
export const stateName = "base_state.json";
const eventsName = "events";

/** File names of events, of the SDK and of the first generation. */
const eventName = /^(?:event-)?(\d{1,15})(?:-[\w-]{1,100})?\.json$/;

/** Returns the file that stands for a folder's conversation; undefined when it holds none. */
export function conversationIn(folder: string): string | undefined {
  const [first] = eventNames(join(folder, eventsName));
  if (first === undefined) return undefined;
  const state = join(folder, stateName);
  return isFile(state) ? state : join(folder, eventsName, first);
}

/** Returns the folder with the events that belong to a file: the state beside them, or one of them. */
export function eventsFolder(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const own = basename(path) === stateName ? join(dirname(path), eventsName) : dirname(path);
  const isOwn =
    basename(path) === stateName || (basename(own) === eventsName && eventName.test(basename(path)));
  return isOwn && eventNames(own).length > 0 ? own : undefined;
}

/** Yields the events in a folder, in their order. */
export function* eventsOf(folder: string, coverage: Coverage): Generator<JsonObject> {
  for (const [index, name] of eventNames(folder).entries()) {
    const bytes = bytesOf(join(folder, name));
    const value = bytes === undefined ? new Error("cannot be read") : parseValue(bytes, coverage);
    if (value instanceof Error) coverage.damage(index + 1, `event file ${value.message}`);
    else if (isObject(value)) {
      coverage.records++;
      yield value;
    } else coverage.damage(index + 1, "event file is no JSON object");
  }
}

/** Returns the bytes of the state file, if it can be read. */
export function stateBytes(folder: string): Buffer | undefined {
  return bytesOf(join(dirname(folder), stateName));
}

/** Returns the file names of events in a folder, in their order. */
function eventNames(folder: string): string[] {
  const found = namesIn(folder).flatMap((name) => {
    const number = eventName.exec(name)?.[1];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
  return found.sort((a, b) => a.number - b.number).map(({ name }) => name);
}

function isFile(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function bytesOf(path: string): Buffer | undefined {
  return openSafely(path, (descriptor) =>
    fs.fstatSync(descriptor).size > maxLine ? undefined : readWhole(descriptor, maxLine + 1),
  );
}
