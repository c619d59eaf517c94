// Traffic between clients and servers of MCP, as hosts, proxies and inspectors log it: JSON-RPC messages,
// plain, in an object with time and sender, or in lines of text among other output of the host and the
// server.
import { CtxError } from "../../../base/errors.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { listAt, objectsAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import { linesOf, type LogSource, startOf } from "../../log-source.js";
import { isMcp, isOthers } from "../../protocols/mcp/messages.js";
import { lineOf, messagesIn } from "./lines.js";
import { McpReader } from "./reader.js";

export const mcp: Format = {
  name: "mcp",
  title: "MCP traffic, as hosts and inspectors log it",
  from: "Claude Desktop's mcp-server-<name>.log and mcp.log; proxies and inspectors of MCP",
  sniff,
  read(source, into) {
    const traffic = new McpReader(into);
    if (isList(source)) readList(source, into, traffic);
    else readLines(source, into, traffic);
    if (into.coverage.records === 0)
      throw new CtxError("log-unreadable", `${source.name} contains no messages of MCP`);
    return [traffic.finish()];
  },
};

const maxLines = 2000;

function sniff({ text, document }: Head): Fit {
  const coverage = new Coverage();
  const messages = objectsAt(document).flatMap((item) => messagesIn(item, coverage));
  for (const line of text.split("\n", maxLines)) {
    if (!line.includes("jsonrpc")) continue;
    const found = lineOf(Buffer.from(line.trim()), coverage);
    if (Array.isArray(found)) for (const message of found) messages.push(message);
  }
  const own = messages.filter(({ value }) => isMcp(value)).length;
  const others = messages.filter(({ value }) => isOthers(value)).length;
  if (own > others) return true;
  return messages.length > 0
    ? { near: 0.5, missing: "it has JSON-RPC messages, but none of MCP" }
    : { near: 0, missing: 'it has no JSON-RPC messages ("jsonrpc": "2.0")' };
}

/** Returns whether a document is a list over several lines; a list in one line is a batch. */
function isList(source: LogSource): boolean {
  const text = startOf(source);
  const [first = ""] = text.split("\n", 1);
  return /^\[\s*\{/.test(text) && !first.trimEnd().endsWith("]");
}

function readList(source: LogSource, { coverage }: Into, traffic: McpReader): void {
  const value = documentOf(source, coverage);
  for (const item of listAt(value)) {
    const found = messagesIn(item, coverage);
    for (const message of found) traffic.take(message);
    if (found.length === 0) coverage.skip("value that is no message");
  }
}

function readLines(source: LogSource, { coverage }: Into, traffic: McpReader): void {
  for (const { number, bytes, size, isEnded } of linesOf(source)) {
    if (bytes === undefined) {
      coverage.damage(number, `a line of ${size} bytes, which is too long`);
      continue;
    }
    const found = lineOf(bytes, coverage);
    if (found === undefined) coverage.leaveOut("line that is no message");
    else if (found instanceof Error) {
      if (isEnded) coverage.damage(number, found.message);
      else coverage.endsPartly();
    } else if (!Array.isArray(found)) traffic.remark(found);
    else {
      for (const message of found) traffic.take(message);
      if (found.length === 0) coverage.leaveOut("record that is no message");
    }
  }
}
