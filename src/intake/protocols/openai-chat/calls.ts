// Matches calls and results of chat messages. Ids are chosen by whatever made the call: some models reuse one
// id, older ones have none, and arguments are a text that may not be JSON.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { parseValue } from "../../parse.js";

export interface RequestedCall {
  id: string | undefined;
  tool: string;
  /** The number of the message that requested it. */
  message: number;
}

/** Gives each call a unique name, and finds the call that a result answers. */
export interface CallBook {
  add(call: RequestedCall): string;
  /** Returns the name of the call; undefined when none waits for such a result. */
  answered(result: { id: string | undefined; tool: string | undefined }): string | undefined;
}

/** Waiting calls of one message with one id, in their order. */
interface WaitingCalls {
  message: number;
  names: Set<string>;
}

/** At most this many calls of one message with one id are searched for the right tool. */
const maxCompared = 100;

export function callBook(): CallBook {
  const unused = uniqueNames();
  const waiting = new Map<string, { call: RequestedCall; group: WaitingCalls | undefined }>();
  const byTool = new Map<string, Set<string>>();
  /** For each id, the waiting calls, the latest message last. */
  const byId = new Map<string, WaitingCalls[]>();
  const lastGroup = (id: string): WaitingCalls | undefined => {
    const groups = byId.get(id) ?? [];
    while (groups.at(-1)?.names.size === 0) groups.pop();
    if (groups.length === 0) byId.delete(id);
    return groups.at(-1);
  };
  const groupFor = (id: string, message: number): WaitingCalls => {
    const last = lastGroup(id);
    if (last?.message === message) return last;
    const made = { message, names: new Set<string>() };
    const groups = byId.get(id) ?? [];
    groups.push(made);
    byId.set(id, groups);
    return made;
  };
  const sameTool = ({ names }: WaitingCalls, tool: string): string | undefined => {
    let left = maxCompared;
    for (const name of names) {
      if (waiting.get(name)?.call.tool === tool) return name;
      if (--left === 0) break;
    }
    return undefined;
  };
  return {
    add(call) {
      const { id, tool, message } = call;
      const name = unused(id);
      const group = id === undefined ? undefined : groupFor(id, message);
      group?.names.add(name);
      waiting.set(name, { call, group });
      byTool.set(tool, (byTool.get(tool) ?? new Set()).add(name));
      return name;
    },
    answered({ id, tool }) {
      const group = id === undefined ? undefined : lastGroup(id);
      const same = group === undefined || tool === undefined ? undefined : sameTool(group, tool);
      // Results without an id come in the order of the calls.
      const inOrder = tool === undefined ? waiting.keys() : byTool.get(tool)?.keys();
      const [first] = (id === undefined ? inOrder : group?.names.keys()) ?? [];
      const found = same ?? first;
      const match = found === undefined ? undefined : waiting.get(found);
      if (found === undefined || match === undefined) return undefined;
      waiting.delete(found);
      byTool.get(match.call.tool)?.delete(found);
      match.group?.names.delete(found);
      return found;
    },
  };
}

/** Returns a function that names calls: by id, with a number where the id was used before. */
function uniqueNames(): (id: string | undefined) => string {
  const names = new Set<string>();
  const last = new Map<string | undefined, number>();
  return (id) => {
    let name = id;
    if (name === undefined || names.has(name)) {
      let number = Math.max(names.size, last.get(id) ?? 0) + 1;
      while (names.has(`${id ?? "call"}-${number}`)) number++;
      last.set(id, number);
      name = `${id ?? "call"}-${number}`;
    }
    names.add(name);
    return name;
  };
}

/** Returns arguments as an object; anything but a JSON object is kept as it is, under `arguments`. */
export function argumentsOf(value: JsonValue | undefined, coverage: Coverage): JsonObject {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value !== "string") return isObject(value) ? value : { arguments: value };
  const parsed = parsedText(value, coverage);
  return parsed !== undefined && isObject(parsed) ? parsed : { arguments: value };
}

/** Parses a text as JSON; undefined when it is none. */
export function parsedText(text: string, coverage: Coverage): JsonValue | undefined {
  if (!/^\s*[[{"\-\dtfn]/.test(text)) return undefined;
  const value = parseValue(Buffer.from(text), coverage);
  return value instanceof Error ? undefined : value;
}
