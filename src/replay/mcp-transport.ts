// Carries MCP messages over the pipes of a program that replay has started, one per line. The client's own
// transport would start the program itself, outside the sandbox; and it would change numbers past 2^53.
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { canonicalText } from "../base/json/canonical.js";
import { cutAt } from "../base/cut.js";
import { JsonReader } from "../base/json/reader.js";
import { printable } from "../base/printable.js";
import type { Server } from "./spawn.js";

export interface McpTransport extends Transport {
  /** Returns why the server can no longer be used, as text after "the MCP server"; undefined while it can. */
  broken(): string | undefined;
  /** Returns how many lines were skipped because they are not messages: some servers print a greeting. */
  strays(): number;
  /** Stops the server. Never rejects. */
  close(): Promise<void>;
}

/** Value of `broken()` after `close()`. */
export const stopped = "was stopped";

/** More stray lines than this are not a greeting. */
const mostStrays = 100;

/**
 * The server may write `limit` bytes for each thing that it is asked. `onRequest` is told what the server asks of us,
 * which the client declines.
 */
export function openTransport(
  server: Server,
  limit: number,
  onRequest: (method: string) => void,
): McpTransport {
  const { stdin, stdout } = server;
  let why: string | undefined;
  let strays = 0;
  let received = 0;
  /** The beginning of a line. */
  let pieces: Buffer[] = [];

  const end = (reason: string): void => {
    if (why !== undefined) return;
    why = reason;
    pieces = [];
    stdout.off("data", take);
    stdout.resume();
    void stop();
    transport.onclose?.();
  };
  const stop = async (): Promise<void> => {
    await server.stop().catch(() => undefined);
  };
  function take(chunk: Buffer): void {
    received += chunk.length;
    if (received > limit) {
      end(`wrote more than ${sizeOf(limit)} for one call`);
      return;
    }
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, chunk.subarray(from, to)]);
      pieces = [];
      from = to + 1;
      takeLine(line);
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  function takeLine(line: Buffer): void {
    if (why !== undefined) return;
    const text = line.toString("utf8").trim();
    if (text === "") return;
    const message = text.startsWith("{") ? readMessage(line, text) : null;
    if (message === undefined) {
      end("wrote a line that is not JSON");
    } else if (!isMessage(message)) {
      if (++strays > mostStrays) end("does not speak MCP");
    } else {
      try {
        if (!isWhole(message)) throw new TypeError("neither a question nor an answer");
        transport.onmessage?.(message);
        if ("method" in message && "id" in message && message.method !== "ping") onRequest(message.method);
      } catch {
        end("wrote a message that makes no sense");
      }
    }
  }

  const transport: McpTransport = {
    async start() {
      if (why !== undefined) throw new Error(why);
      stdout.on("data", take);
    },
    async send(message) {
      if (why !== undefined) throw new Error(why);
      const isRequest = "method" in message && "id" in message;
      // A list of tools may come in any number of pages: they have the room of one answer between them.
      if (isRequest && message.method !== "tools/list")
        received = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (!("method" in message) && stdin.writableLength > limit) end("does not read what it is sent");
      // Not waited for: a server that does not read is seen by its silence.
      else stdin.write(`${canonicalText(message)}\n`);
    },
    async close() {
      end(stopped);
      await stop();
    },
    broken: () => why,
    strays: () => strays,
  };

  // A server that is gone is seen by its exit, not by a failed write.
  stdin.on("error", () => undefined);
  stdout.on("error", () => undefined);
  void watch(server).then(end);
  return transport;
}

/** Waits until the server has exited, and returns why. */
async function watch(server: Server): Promise<string> {
  let status: number | null | undefined;
  const exited = server.exited.then(
    (code) => (status = code),
    () => (status = null),
  );
  const silent = new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) server.stdout.once(event, resolve);
  });
  await Promise.race([exited, silent]);
  // Its last output may still be in the pipe, and the reason why the pipe was closed may still be on its way.
  await Promise.race([Promise.all([exited, silent]), sleep(500, undefined, { ref: false })]);
  const said = words(server.said().trim().split("\n").at(-1) ?? "");
  const how =
    status === undefined
      ? "closed its output"
      : status === null
        ? "was ended by a signal"
        : `ended with exit status ${status}`;
  return said === "" ? how : `${how}: ${said}`;
}

/** Returns undefined if the line is not JSON. */
function readMessage(line: Buffer, text: string): unknown {
  try {
    const reader = new JsonReader(line);
    const value = reader.value();
    reader.end();
    if (reader.problems.length === 0) return value;
  } catch {
    // ctx's reader is stricter than those that servers are made for: half a surrogate pair, for example, is
    // common.
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "jsonrpc");
}

/** Returns whether a message is complete. The client silently drops one that is not, and keeps waiting. */
function isWhole(message: object): boolean {
  if ("method" in message) return typeof message.method === "string";
  const answer = "result" in message ? message.result : "error" in message ? message.error : undefined;
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false;
  return "result" in message || ("code" in answer && typeof answer.code === "number" && "message" in answer);
}

function sizeOf(bytes: number): string {
  return bytes >= 1 << 20 ? `${Math.floor(bytes / (1 << 20))} MiB` : `${bytes} bytes`;
}

/** Shortens text from a server and makes it printable. */
export function words(text: string): string {
  return printable(cutAt(text, 300));
}
