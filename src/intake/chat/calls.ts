// Calls and their results as chat messages have them. Ids are chosen by whatever made the call: some models use one id again
// and again, older ones give none, and arguments are a text that may not be JSON.
import { isObject, type JsonObject, type JsonValue } from "../../base/json.js";
import type { Coverage } from "../coverage.js";
import { parseValue } from "../parse.js";

export interface AskedCall {
  id: string | undefined;
  tool: string;
  /** The number of the message that asked for it. */
  message: number;
}

/** Names calls so that each has a name of its own, and finds the one that a result answers. */
export interface CallBook {
  add(call: AskedCall): string;
  /** The name of the call; undefined when none is waiting for such a result. */
  answered(result: { id: string | undefined; tool: string | undefined }): string | undefined;
}

export function callBook(): CallBook {
  const names = new Set<string>();
  const waiting = new Map<string, AskedCall>();
  const byTool = new Map<string, Set<string>>();
  /** For each id, the calls that wait, those of one message together and the last message at the end. */
  const byId = new Map<string, string[][]>();
  return {
    add(call) {
      const { id, tool, message } = call;
      const name = unused(id, names);
      names.add(name);
      waiting.set(name, call);
      byTool.set(tool, (byTool.get(tool) ?? new Set()).add(name));
      if (id === undefined) return name;
      const groups = byId.get(id) ?? [];
      byId.set(id, groups);
      const last = groups.at(-1);
      if (last?.[0] !== undefined && waiting.get(last[0])?.message === message) last.push(name);
      else groups.push([name]);
      return name;
    },
    answered({ id, tool }) {
      const group = id === undefined ? undefined : (byId.get(id)?.at(-1) ?? []);
      // Results without an id come in the order of the calls.
      const [oldest] = (tool === undefined ? waiting.keys() : byTool.get(tool)?.keys()) ?? [];
      const same = tool === undefined ? undefined : group?.find((name) => waiting.get(name)?.tool === tool);
      const named = same ?? group?.[0];
      const found = group === undefined ? oldest : named;
      const call = found === undefined ? undefined : waiting.get(found);
      if (found === undefined || call === undefined) return undefined;
      waiting.delete(found);
      byTool.get(call.tool)?.delete(found);
      const groups = call.id === undefined ? undefined : byId.get(call.id);
      const own = groups?.findLast((each) => each.includes(found));
      own?.splice(own.indexOf(found), 1);
      if (own?.length === 0) groups?.splice(groups.lastIndexOf(own), 1);
      return found;
    },
  };
}

/** A name for a call: its id, with a number where the id was there before. */
function unused(id: string | undefined, names: ReadonlySet<string>): string {
  if (id !== undefined && !names.has(id)) return id;
  let number = names.size + 1;
  while (names.has(`${id ?? "call"}-${number}`)) number++;
  return `${id ?? "call"}-${number}`;
}

/** Arguments as an object; what is no JSON object is kept as it is, under `arguments`. */
export function argumentsOf(value: JsonValue | undefined, coverage: Coverage): JsonObject {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value !== "string") return isObject(value) ? value : { arguments: value };
  const parsed = parsedText(value, coverage);
  return parsed !== undefined && isObject(parsed) ? parsed : { arguments: value };
}

/** What a text holds as JSON; undefined when it is none. */
export function parsedText(text: string, coverage: Coverage): JsonValue | undefined {
  if (!/^\s*[[{"\-\dtfn]/.test(text)) return undefined;
  const value = parseValue(Buffer.from(text), coverage);
  return value instanceof Error ? undefined : value;
}
