// Carries MCP messages over the pipes of a program that replay has started, one per line. The client's own
// transport would start the program itself, outside the sandbox; and it would change numbers past 2^53.
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { canonicalText } from "../base/json/canonical.js";
import { cutAt } from "../base/cut.js";
import { JsonReader } from "../base/json/reader.js";
import { printable } from "../base/printable.js";
import type { RunningServer } from "./spawn.js";

/** Value of `broken()` after `close()`. */
export const stopped = "was stopped";

/** More stray lines than this are not a greeting. */
const maxStrays = 100;

export class McpTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: RunningServer;
  readonly #limit: number;
  readonly #onRequest: (method: string) => void;
  #broken: string | undefined;
  #strays = 0;
  #received = 0;
  /** The beginning of a line. */
  #pieces: Buffer[] = [];

  /**
   * `limit` is how many bytes the server may write in response to one request. `onRequest` is called with the
   * method of each request that the server sends, which the client declines.
   */
  constructor(server: RunningServer, limit: number, onRequest: (method: string) => void) {
    this.#server = server;
    this.#limit = limit;
    this.#onRequest = onRequest;
    // A server that is gone is seen by its exit, not by a failed write.
    server.stdin.on("error", () => undefined);
    server.stdout.on("error", () => undefined);
    void watch(server).then((reason) => this.#end(reason));
  }

  async start(): Promise<void> {
    if (this.#broken !== undefined) throw new Error(this.#broken);
    this.#server.stdout.on("data", this.#receive);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#broken !== undefined) throw new Error(this.#broken);
    const { stdin } = this.#server;
    const isRequest = "method" in message && "id" in message;
    // A list of tools may come in any number of pages: they have the room of one answer between them.
    if (isRequest && message.method !== "tools/list")
      this.#received = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (!("method" in message) && stdin.writableLength > this.#limit) this.#end("does not read its input");
    // Not waited for: a server that does not read is seen by its silence.
    else stdin.write(`${canonicalText(message)}\n`);
  }

  /** Stops the server. Never rejects. */
  async close(): Promise<void> {
    this.#end(stopped);
    await this.#stop();
  }

  /** Returns why the server can no longer be used, as text after "the MCP server"; undefined while it can. */
  broken(): string | undefined {
    return this.#broken;
  }

  /** Returns how many lines were skipped because they are not messages: some servers print a greeting. */
  strays(): number {
    return this.#strays;
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > this.#limit) {
      this.#end(`wrote more than ${sizeText(this.#limit)} for one call`);
      return;
    }
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#pieces, chunk.subarray(from, to)]);
      this.#pieces = [];
      from = to + 1;
      this.#receiveLine(line);
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
  };

  #receiveLine(line: Buffer): void {
    if (this.#broken !== undefined) return;
    const text = line.toString("utf8").trim();
    if (text === "") return;
    const message = text.startsWith("{") ? readMessage(line, text) : null;
    if (message === undefined) {
      this.#end("wrote a line that is not JSON");
    } else if (!isMessage(message)) {
      if (++this.#strays > maxStrays) this.#end("does not speak MCP");
    } else {
      try {
        if (!isComplete(message)) throw new TypeError("neither a question nor an answer");
        this.onmessage?.(message);
        if ("method" in message && "id" in message && message.method !== "ping")
          this.#onRequest(message.method);
      } catch {
        this.#end("wrote an invalid message");
      }
    }
  }

  #end(reason: string): void {
    if (this.#broken !== undefined) return;
    this.#broken = reason;
    this.#pieces = [];
    this.#server.stdout.off("data", this.#receive);
    this.#server.stdout.resume();
    void this.#stop();
    this.onclose?.();
  }

  async #stop(): Promise<void> {
    await this.#server.stop().catch(() => undefined);
  }
}

/** Waits until the server has exited, and returns why. */
async function watch(server: RunningServer): Promise<string> {
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
  const lastLine = printableExcerpt(server.errorText().trim().split("\n").at(-1) ?? "");
  const how =
    status === undefined
      ? "closed its output"
      : status === null
        ? "was ended by a signal"
        : `ended with exit status ${status}`;
  return lastLine === "" ? how : `${how}: ${lastLine}`;
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
function isComplete(message: object): boolean {
  if ("method" in message) return typeof message.method === "string";
  const body = "result" in message ? message.result : "error" in message ? message.error : undefined;
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  return "result" in message || ("code" in body && typeof body.code === "number" && "message" in body);
}

function sizeText(bytes: number): string {
  return bytes >= 1 << 20 ? `${Math.floor(bytes / (1 << 20))} MiB` : `${bytes} bytes`;
}

/** Shortens text from a server and makes it printable. */
export function printableExcerpt(text: string): string {
  return printable(cutAt(text, 300));
}
