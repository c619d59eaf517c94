// Finds MCP messages in what hosts, proxies and inspectors write: one a line, behind a time and the sending
// side, or inside an object that states these.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { partialValue } from "../../document.js";
import { wordAt } from "../../json-access.js";
import { parseValue } from "../../parse.js";
import { isJsonRpc } from "../../protocols/mcp/messages.js";

export type McpSide = "client" | "server";

export interface McpMessage {
  value: JsonObject;
  /** The sender, where the log names it. */
  from: McpSide | undefined;
  /** The server, where the log covers several. */
  server: string | undefined;
  time: JsonValue | undefined;
  /** Whether the producer truncated it. */
  isCut: boolean;
}

/** A line that is no message: what the host says about a server. */
export interface Remark {
  level: string | undefined;
  text: string;
  server: string | undefined;
  time: JsonValue | undefined;
}

/** Returns the messages of a JSON value: it is one, several, or has one inside. */
export function messagesIn(value: JsonValue, coverage: Coverage): McpMessage[] {
  if (Array.isArray(value)) return value.flatMap((item) => messagesIn(item, coverage));
  if (!isObject(value)) return [];
  if (isJsonRpc(value)) return [{ value, from: undefined, server: undefined, time: undefined, isCut: false }];
  const about = {
    from: sideOf(value),
    server: wordAt(value, "server") ?? wordAt(value, "serverName") ?? wordAt(value, "server_name"),
    time: ["timestamp", "time", "ts", "@timestamp", "date"]
      .map((name) => value[name])
      .find((time) => time !== undefined),
    isCut: false,
  };
  return ["message", "payload", "data", "msg", "raw", "body", "content", "request", "response"].flatMap(
    (name) => {
      const inner = unwrapped(value[name], coverage);
      const list = Array.isArray(inner) ? inner : [inner];
      return list.filter(isJsonRpc).map((found) => ({ ...about, value: found }));
    },
  );
}

/** Parses a message that is a string. */
function unwrapped(value: JsonValue | undefined, coverage: Coverage): JsonValue | undefined {
  if (typeof value !== "string" || !value.includes('"jsonrpc"')) return value;
  const parsed = parseValue(Buffer.from(value), coverage);
  return parsed instanceof Error ? undefined : parsed;
}

function sideOf(record: JsonObject): McpSide | undefined {
  for (const name of ["from", "direction", "dir", "source", "sender", "origin", "side", "stream"]) {
    const side = sideNamed(wordAt(record, name) ?? "");
    if (side !== undefined) return side;
  }
  return undefined;
}

/** Returns the side that a word names, by its beginning: `client`, `c2s`, `client->server`, `stdin`. */
function sideNamed(word: string): McpSide | undefined {
  if (/^(?:client|c2s|c->s|c\u2192s|host|stdin)/i.test(word)) return "client";
  return /^(?:server|s2c|s->c|s\u2192c|stdout)/i.test(word) ? "server" : undefined;
}

const iso = /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)\]?\s+/;
const tags = /^\[([^\][]{1,200})\]\s*/;
const levels = /^(?:trace|debug|info|notice|warn|warning|error|fatal)$/i;

/** Maximum length of the text before a message in a line. */
const maxPrefix = 400;

/** Parses a line of text; undefined when it is neither message nor remark. */
export function lineOf(bytes: Buffer, coverage: Coverage): McpMessage[] | Remark | Error | undefined {
  const brace = bytes.indexOf(0x7b);
  const isJson = bytes[0] === 0x7b || bytes[0] === 0x5b;
  if (isJson) {
    const value = parseValue(bytes, coverage);
    if (!(value instanceof Error)) return messagesIn(value, coverage);
    // A tag may look like a list.
    if (bytes[0] === 0x7b) return value;
  }
  const prefix = prefixOf(bytes.toString("utf8", 0, brace === -1 ? maxPrefix : Math.min(brace, maxPrefix)));
  const { time, server, level } = prefix;
  if (brace !== -1 && brace < maxPrefix && bytes.includes('"jsonrpc"', brace)) {
    const found = embedded(bytes.subarray(brace), coverage);
    if (found === undefined) return new Error("is not valid JSON");
    return messagesIn(found.value, coverage).map((message) => ({
      ...message,
      time,
      server,
      from: message.from ?? prefix.from,
      isCut: found.isCut,
    }));
  }
  if (time === undefined) return undefined;
  const text = bytes.toString("utf8").slice(prefix.size);
  return { level, text, server, time };
}

interface Prefix {
  time: string | undefined;
  server: string | undefined;
  level: string | undefined;
  from: McpSide | undefined;
  size: number;
}

/** Parses `<time> [server] [level] Message from client: `, or with the level first, or `<time> [STDIN] `. */
function prefixOf(text: string): Prefix {
  const prefix: Prefix = { time: undefined, server: undefined, level: undefined, from: undefined, size: 0 };
  let rest = text.trimStart();
  const time = iso.exec(rest);
  if (time !== null) {
    prefix.time = time[1];
    rest = rest.slice(time[0].length);
  }
  for (let tag = tags.exec(rest); tag !== null; tag = tags.exec(rest)) {
    const [whole, word = ""] = tag;
    rest = rest.slice(whole.length);
    if (levels.test(word)) prefix.level ??= word.toLowerCase();
    else if (/^(?:STDIN|STDOUT|STDERR)$/i.test(word)) prefix.from ??= sideNamed(word);
    else prefix.server ??= word;
  }
  prefix.size = text.length - rest.length;
  const said = /\b(?:from|by) (client|server)\b|^(client|server|stdin|stdout)\b/i.exec(rest);
  if (said !== null) prefix.from ??= sideNamed(said[1] ?? said[2] ?? "");
  return prefix;
}

const metadataNote = / \{ metadata: [^{}]{0,200}\}$/;
const cutMark = /\.\.\.\[\d{1,12} chars truncated\]\.\.\./;

/** Returns the value in a line, which may be followed by a remark, and in which something may be cut out. */
function embedded(bytes: Buffer, coverage: Coverage): { value: JsonValue; isCut: boolean } | undefined {
  const text = bytes.toString("utf8");
  const isCut = cutMark.test(text);
  const note = metadataNote.exec(text.slice(-250));
  const own = note === null ? bytes : Buffer.from(text.slice(0, text.length - note[0].length));
  const value = parseValue(own, coverage);
  if (!(value instanceof Error)) return { value, isCut };
  const rest = isCut ? partialValue(text, coverage) : undefined;
  return rest === undefined ? undefined : { value: rest, isCut };
}
