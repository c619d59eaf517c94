// One request over HTTP, by Node's own client: fetch unpacks what must be hashed as it came, and hangs on streams that are ended.
import * as http from "node:http";
import * as https from "node:https";
import { CtxError } from "../base/errors.js";

export interface Request {
  method: "GET" | "HEAD" | "POST" | "PUT";
  url: URL;
  headers?: Record<string, string>;
  body?: Body | undefined;
  signal?: AbortSignal | undefined;
}

export interface Body {
  size: number;
  /** The bytes, from the first one on each time. A piece belongs to whoever took it. */
  pieces(): AsyncIterable<Buffer> | Iterable<Buffer>;
  /** Told of bytes that went. */
  sent?: (bytes: number) => void;
}

/** How many requests are under way at once. */
export const connections = 8;

/** How long a connection may be silent, in milliseconds. */
const patience = 60_000;
/** How many times that more it may be, after the last byte of a body. */
const finishing = 9;
/** How many interim answers (1xx) may come before the real one. */
const mostInterim = 1000;

export class Client {
  readonly #patience: number;
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: connections });
  readonly #secure = new https.Agent({ keepAlive: true, maxSockets: connections });

  constructor(silence = patience) {
    this.#patience = silence;
  }

  /**
   * Returns the answer as soon as its head is there. Its body must be read or destroyed. Every request settles: whatever the other
   * side does, and also if it does nothing, there is an answer or an error in the end.
   */
  async send({ method, url, headers, body, signal }: Request): Promise<http.IncomingMessage> {
    const isSecure = url.protocol === "https:";
    signal?.throwIfAborted();
    return await new Promise((resolve, reject) => {
      const length = body === undefined ? (method === "POST" ? 0 : undefined) : body.size;
      const request = (isSecure ? https : http).request(url, {
        method,
        agent: isSecure ? this.#secure : this.#plain,
        // From the beginning: a host that is not there does not refuse.
        ...(body === undefined ? { timeout: this.#patience / 2 } : {}),
        headers: { ...headers, ...(length === undefined ? {} : { "content-length": String(length) }) },
      });
      const stop = (): void => void request.destroy(asError(signal?.reason));
      signal?.addEventListener("abort", stop, { once: true });
      const done = (): void => signal?.removeEventListener("abort", stop);
      // A head that comes a byte at a time keeps the socket from being silent. A body has its own limits in `pump`.
      const overdue =
        body === undefined
          ? setTimeout(() => void request.destroy(timedOut()), this.#patience * (1 + finishing))
          : undefined;
      let interim = 0;
      request.on("timeout", () => void request.destroy(timedOut()));
      request.on("information", () => {
        if (++interim > mostInterim)
          request.destroy(badAnswer(url, `more than ${mostInterim} interim answers`));
      });
      request.on("error", (error) => {
        done();
        reject(error);
      });
      // Nobody asked for another protocol. Node hands the socket over where the answer names one, and no answer follows; where it
      // names none, Node takes everything that follows for the body.
      const switched = (): CtxError => badAnswer(url, "101, which means another protocol than HTTP");
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(switched());
      });
      request.on("response", (response) => {
        clearTimeout(overdue);
        if (response.statusCode === 101) {
          request.destroy(switched());
          return;
        }
        response.once("close", done);
        resolve(response);
      });
      // The last event of every request: nothing changes here if the request has settled.
      request.on("close", () => {
        clearTimeout(overdue);
        reject(cutOff());
      });
      if (body === undefined) request.end();
      else void pump(request, body, this.#patience);
    });
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

/** Sends a body as fast as the other side takes it. It stops when the request is over: an answer may come early. */
async function pump(request: http.ClientRequest, body: Body, silence: number): Promise<void> {
  let isOver = false;
  // Until there is an answer this is not left to the socket, which tells of silence once, and not always of a reader's.
  let silent = setTimeout(() => request.destroy(timedOut()), silence);
  const over = (): void => {
    isOver = true;
    clearTimeout(silent);
  };
  request.once("response", (response) => {
    over();
    request.setTimeout(silence);
    response.once("close", () => {
      // What was not sent will not be: the connection is of no more use.
      if (!request.writableFinished) request.destroy();
    });
  });
  request.once("close", over);
  try {
    for await (const piece of body.pieces()) {
      if (isOver) return;
      const isFull = !request.write(piece);
      body.sent?.(piece.length);
      if (isFull) await drained(request);
      silent.refresh();
    }
    request.end();
    clearTimeout(silent);
    // A registry looks through all of a large blob before it answers.
    if (!isOver) silent = setTimeout(() => request.destroy(timedOut()), silence * (1 + finishing));
  } catch (error) {
    request.destroy(asError(error));
  }
}

async function drained(request: http.ClientRequest): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const name of events) request.off(name, done);
      resolve();
    };
    const events = ["drain", "close", "error", "response"];
    for (const name of events) request.on(name, done);
  });
}

/** All of a body, which may have at most this many bytes, and take at most this many milliseconds. */
export async function readBody(
  response: http.IncomingMessage,
  most: number,
  longest = patience * (1 + finishing),
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  // A body that comes a byte at a time is never silent.
  const overdue = setTimeout(() => void response.destroy(timedOut()), longest);
  // What is announced may never come, and is not waited for.
  let size = Number(response.headers["content-length"] ?? "0");
  const check = (): void => {
    if (size > most) throw new CtxError("registry", `a registry's answer has more than ${most} bytes`);
  };
  try {
    check();
    size = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      size += piece.length;
      check();
      pieces.push(piece);
    }
  } finally {
    clearTimeout(overdue);
    response.destroy();
  }
  if (!response.complete) throw cutOff();
  return Buffer.concat(pieces);
}

/** Lets a connection be used again, where that costs little. */
export function dismiss(response: http.IncomingMessage): void {
  const most = 1 << 16;
  const length = Number(response.headers["content-length"] ?? "0");
  response.on("error", () => undefined);
  // What is said to be there may never come.
  if (length > most || response.statusCode === 416) {
    response.destroy();
    return;
  }
  let size = 0;
  response.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size > most) response.destroy();
  });
}

function badAnswer(url: URL, what: string): CtxError {
  return new CtxError("registry", `${url.host} answered with ${what}`, {
    hint: "is this the address of a registry? a proxy on the way may have answered in its place",
  });
}

function cutOff(): Error {
  return Object.assign(new Error("the connection was cut"), { code: "ECONNRESET" });
}

function timedOut(): Error {
  return Object.assign(new Error("nothing came for too long"), { code: "ETIMEDOUT" });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Whether it may work the next time. */
export function isTransient(error: unknown): boolean {
  return passing.has(codeOf(error));
}

/** Whether nobody listens there. */
export function isRefused(error: unknown): boolean {
  return codeOf(error) === "ECONNREFUSED";
}

const passing = new Set([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ECONNABORTED",
  "HPE_INVALID_EOF_STATE",
]);

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Whether nothing came for too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ETIMEDOUT";
}
