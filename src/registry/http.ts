// Sends one HTTP request with Node's own client: fetch decompresses bodies that must be hashed as sent, and
// hangs on streams that are ended.
import * as http from "node:http";
import * as https from "node:https";
import { CtxError } from "../base/errors.js";

export interface HttpRequest {
  method: "GET" | "HEAD" | "POST" | "PUT";
  url: URL;
  headers?: Record<string, string>;
  body?: RequestBody | undefined;
  signal?: AbortSignal | undefined;
}

export interface RequestBody {
  size: number;
  /** Returns the bytes, from the first one at every call. The caller owns each piece. */
  pieces(): AsyncIterable<Buffer> | Iterable<Buffer>;
  /** Called with the number of bytes sent. */
  sent?: (bytes: number) => void;
}

/** The most requests at a time. */
export const connections = 8;

/** How long a connection may be idle, in milliseconds. */
const patience = 60_000;
/** Extra patience (multiple of `patience`) after the last byte of a body was sent. */
const finishing = 9;
/** The most interim answers (1xx) before the final one. */
const maxInterim = 1000;

export class Client {
  readonly #patience: number;
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: connections });
  readonly #secure = new https.Agent({ keepAlive: true, maxSockets: connections });

  constructor(silence = patience) {
    this.#patience = silence;
  }

  /**
   * Returns the answer as soon as its head has arrived.
   * The caller must read or destroy its body. Every request settles: whatever the other side does, even if it
   * does nothing, the promise resolves or rejects in the end.
   */
  async send({ method, url, headers, body, signal }: HttpRequest): Promise<http.IncomingMessage> {
    const isSecure = url.protocol === "https:";
    signal?.throwIfAborted();
    return await new Promise((resolve, reject) => {
      const length = body === undefined ? (method === "POST" ? 0 : undefined) : body.size;
      const request = (isSecure ? https : http).request(url, {
        method,
        agent: isSecure ? this.#secure : this.#plain,
        // Set from the start: a host that does not exist does not refuse the connection either.
        ...(body === undefined ? { timeout: this.#patience / 2 } : {}),
        headers: { ...headers, ...(length === undefined ? {} : { "content-length": String(length) }) },
      });
      const stop = (): void => void request.destroy(asError(signal?.reason));
      signal?.addEventListener("abort", stop, { once: true });
      const done = (): void => signal?.removeEventListener("abort", stop);
      // A head that arrives one byte at a time keeps the socket from being idle. A body has its own limits in
      // `pump`.
      const overdue =
        body === undefined
          ? setTimeout(() => void request.destroy(timedOut()), this.#patience * (1 + finishing))
          : undefined;
      let interim = 0;
      request.on("timeout", () => void request.destroy(timedOut()));
      request.on("information", () => {
        if (++interim > maxInterim)
          request.destroy(badAnswer(url, `more than ${maxInterim} interim answers`));
      });
      request.on("error", (error) => {
        done();
        reject(error);
      });
      // No request asks for another protocol. If the answer names one, Node hands over the socket, and no
      // response event follows; if it names none, Node treats everything that follows as the body.
      const switched = (): CtxError => badAnswer(url, "101, a switch to another protocol than HTTP");
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
      // The last event of every request. Has no effect if the promise has settled.
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

/**
 * Sends a body as fast as the other side accepts it. Stops when the request is over: an answer may come
 * early.
 */
async function pump(request: http.ClientRequest, body: RequestBody, silence: number): Promise<void> {
  let isOver = false;
  // A timer of our own until there is an answer: the socket reports idleness once, and not always that of the
  // reader.
  let silent = setTimeout(() => request.destroy(timedOut()), silence);
  const over = (): void => {
    isOver = true;
    clearTimeout(silent);
  };
  request.once("response", (response) => {
    over();
    request.setTimeout(silence);
    response.once("close", () => {
      // The rest of the body will not be sent, so the connection cannot be reused.
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
    // A registry hashes all of a large blob before it answers.
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

/** Reads a whole body of at most `most` bytes, within `longest` milliseconds. */
export async function readBody(
  response: http.IncomingMessage,
  most: number,
  longest = patience * (1 + finishing),
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  // A body that arrives one byte at a time is never idle.
  const overdue = setTimeout(() => void response.destroy(timedOut()), longest);
  // A body whose announced length is too large is rejected without waiting for it.
  let size = Number(response.headers["content-length"] ?? "0");
  const check = (): void => {
    if (size > most) throw new CtxError("registry", `the answer of a registry has more than ${most} bytes`);
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

/** Drains the rest of an answer if it is small, so that the connection can be reused. */
export function dismiss(response: http.IncomingMessage): void {
  const most = 1 << 16;
  const length = Number(response.headers["content-length"] ?? "0");
  response.on("error", () => undefined);
  // The announced bytes may never come.
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
    hint: "check that this is the address of a registry; a proxy may have answered in its place",
  });
}

function cutOff(): Error {
  return Object.assign(new Error("the connection was cut"), { code: "ECONNRESET" });
}

function timedOut(): Error {
  return Object.assign(new Error("no data arrived for too long"), { code: "ETIMEDOUT" });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Returns whether the same request may succeed next time. */
export function isTransient(error: unknown): boolean {
  return passing.has(codeOf(error));
}

/** Returns whether the host refused the connection. */
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

/** Returns whether the connection was idle for too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ETIMEDOUT";
}
