// A proxy before a registry: records requests and bodies, and behaves like a bad network or a bad registry.
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./endings.js";

export interface Seen {
  method: string;
  /** With the query. */
  path: string;
  headers: http.IncomingHttpHeaders;
  /** How many bytes of a body arrived. */
  received: number;
  /** How many bytes of a body were sent back. */
  sent: number;
  status: number;
}

/** The fault of one request: an answer by the proxy itself, or a change to the registry's answer. */
export interface Fault {
  /** Answer this, without a request to the registry. */
  answer?: { status: number; headers?: http.OutgoingHttpHeaders; body?: Buffer | string };
  /** Answer by hand. */
  by?: (request: http.IncomingMessage, response: http.ServerResponse) => void;
  /** Cut the connection after this many bytes of the answer's body. */
  cutDown?: number;
  /** Cut the connection after this many bytes of the request's body. */
  cutUp?: number;
  /** Keep the connection and send nothing more after this many bytes of the answer's body. */
  stall?: number;
  /** Changes the head of the registry's answer. */
  head?: (status: number, headers: http.OutgoingHttpHeaders) => { status?: number } | undefined;
  /** Changes the bytes of the registry's answer. */
  bytes?: (piece: Buffer) => Buffer;
  /** More bytes after those of the registry. */
  after?: Buffer;
  /** Remove this header from the request to the registry. */
  without?: string;
  /** Called when the body of an answer begins to arrive. */
  begun?: () => void;
}

export type Rule = (request: Seen, count: number) => Fault | undefined;

export interface Proxy {
  host: string;
  origin: string;
  seen: Seen[];
  /** The rule for requests from now on; `count` is the number of earlier requests to which it applied. */
  rule: Rule | undefined;
  close(): Promise<void>;
  /** Cuts all connections, and accepts none for this many milliseconds. */
  rest(milliseconds: number): void;
}

const running: Proxy[] = [];

atEnd(async () => {
  for (const proxy of running.splice(0)) await proxy.close();
});

/** Starts a proxy before a registry on this machine; without one, a request that no rule answers gets 404. */
export async function startProxy(port?: number): Promise<Proxy> {
  let count = 0;
  const server = http.createServer((request, response) => {
    const seen: Seen = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      received: 0,
      sent: 0,
      status: 0,
    };
    proxy.seen.push(seen);
    const fault = proxy.rule?.(seen, count);
    if (fault !== undefined) count++;
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    serve({ request, response, seen, fault: fault ?? {}, port });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let rule: Rule | undefined;
  const proxy: Proxy = {
    host,
    origin: `http://${host}`,
    seen: [],
    get rule() {
      return rule;
    },
    set rule(next) {
      rule = next;
      count = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    rest(milliseconds) {
      const { port: own } = server.address() as AddressInfo;
      void this.close();
      setTimeout(() => server.listen(own, "127.0.0.1"), milliseconds);
    },
  };
  running.push(proxy);
  return proxy;
}

interface Exchange {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  seen: Seen;
  fault: Fault;
  port: number | undefined;
}

function serve({ request, response, seen, fault, port }: Exchange): void {
  const drop = (): void => void request.socket.destroy();
  if (fault.by !== undefined) {
    request.on("data", (piece: Buffer) => void (seen.received += piece.length));
    fault.by(request, response);
    return;
  }
  const answer = fault.answer ?? (port === undefined ? { status: 404 } : undefined);
  if (answer !== undefined) {
    // The whole request is read first: early answers are another test.
    request.on("data", (piece: Buffer) => void (seen.received += piece.length));
    request.on("end", () => {
      seen.status = answer.status;
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    });
    return;
  }
  const headers = { ...request.headers };
  if (fault.without !== undefined) delete headers[fault.without];
  // The Host header stays: the registry builds URLs from it.
  const onward = http.request({
    port: port ?? 0,
    host: "127.0.0.1",
    method: seen.method,
    path: seen.path,
    headers,
  });
  onward.on("error", drop);
  request.on("data", (piece: Buffer) => {
    seen.received += piece.length;
    if (fault.cutUp !== undefined && seen.received > fault.cutUp) {
      drop();
      onward.destroy();
    } else onward.write(piece);
  });
  request.on("end", () => onward.end());
  request.on("close", () => {
    if (!request.complete) onward.destroy();
  });
  response.on("close", () => void (response.writableFinished ? undefined : onward.destroy()));
  onward.on("response", (back) => relay(back, { response, seen, fault, drop }));
}

function relay(
  back: http.IncomingMessage,
  { response, seen, fault, drop }: Pick<Exchange, "response" | "seen" | "fault"> & { drop: () => void },
): void {
  const headers: http.OutgoingHttpHeaders = { ...back.headers };
  seen.status = back.statusCode ?? 0;
  const changed = fault.head?.(seen.status, headers);
  response.writeHead(changed?.status ?? seen.status, headers);
  back.on("error", drop);
  back.on("data", (whole: Buffer) => {
    let piece = fault.bytes?.(whole) ?? whole;
    const most = fault.cutDown ?? fault.stall;
    if (most !== undefined && seen.sent + piece.length >= most) {
      piece = piece.subarray(0, most - seen.sent);
      seen.sent += piece.length;
      response.write(piece, () => (fault.cutDown === undefined ? fault.begun?.() : drop()));
      back.destroy();
      return;
    }
    seen.sent += piece.length;
    response.write(piece);
  });
  back.on("end", () => response.end(fault.after));
}
