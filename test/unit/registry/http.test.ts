// One request: that it always ends, whatever the server does.
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Client, dismiss, isTransient, readBody } from "../../../src/registry/http.js";

let server: http.Server;
let url: URL;
let handle: http.RequestListener;
let client: Client;

beforeEach(async () => {
  server = http.createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  client = new Client(300);
});

afterEach(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function thrown(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.unreachable("it should fail"),
    (error: unknown) => error,
  );
}

describe("silence", () => {
  it("http: silence before the response ends a request", async () => {
    handle = () => undefined;
    const error = await thrown(client.send({ method: "GET", url }));
    expect(isTransient(error)).toBe(true);
    expect(error).toMatchObject({ code: "ETIMEDOUT" });
  });

  it("http: silence in the middle of a response ends it, also on a reused connection", async () => {
    handle = (_, response) => void response.end("first");
    await readBody(await client.send({ method: "GET", url }), 100);
    handle = (_, response) => void response.writeHead(200, { "content-length": "10" }).write("12345");
    const response = await client.send({ method: "GET", url });
    expect(isTransient(await thrown(readBody(response, 100)))).toBe(true);
  });

  it("http: silence after the upload is tolerated longer, since the server may have to check it", async () => {
    handle = (request, response) => {
      request.resume();
      setTimeout(() => response.end("late"), 700);
    };
    const body = { size: 4, pieces: () => [Buffer.from("data")] };
    const response = await client.send({ method: "PUT", url, body });
    expect((await readBody(response, 100)).toString()).toBe("late");
  });

  it("http: silence after the upload ends the request in the end, and so does silence in its response", async () => {
    handle = (request) => void request.resume();
    const body = { size: 4, pieces: () => [Buffer.from("data")] };
    expect(await thrown(client.send({ method: "PUT", url, body }))).toMatchObject({ code: "ETIMEDOUT" });
    handle = (_, response) => void response.writeHead(200, { "content-length": "10" }).write("12345");
    const response = await client.send({ method: "PUT", url, body });
    expect(isTransient(await thrown(readBody(response, 100)))).toBe(true);
  });

  it("http: a server that stops reading ends the upload", async () => {
    handle = (request) => void request.pause();
    const size = 50 << 20;
    const body = { size, pieces: () => Array.from({ length: 50 }, () => Buffer.alloc(1 << 20)) };
    expect(isTransient(await thrown(client.send({ method: "PUT", url, body })))).toBe(true);
  });
});

describe("what is sent", () => {
  const sizes = { size: 20 << 20, count: 0, closed: false };
  const body = {
    size: sizes.size,
    async *pieces(): AsyncGenerator<Buffer> {
      try {
        for (sizes.count = 0; sizes.count < 20; sizes.count++) {
          await Promise.resolve();
          yield Buffer.alloc(1 << 20);
        }
      } finally {
        sizes.closed = true;
      }
    },
  };

  beforeEach(() => {
    sizes.closed = false;
  });

  it("http: an upload stops when the response comes early, and its source is closed", async () => {
    handle = (request, response) => {
      request.pause();
      response.writeHead(403).end("no");
    };
    const response = await client.send({ method: "PUT", url, body });
    expect(response.statusCode).toBe(403);
    expect((await readBody(response, 100)).toString()).toBe("no");
    await expect.poll(() => sizes.closed).toBe(true);
    expect(sizes.count).toBeLessThan(20);
    // The next request does not wait for the finished one.
    handle = (_, next) => void next.end("fine");
    expect((await readBody(await client.send({ method: "GET", url }), 100)).toString()).toBe("fine");
  });

  it("http: an upload stops when the connection is cut", async () => {
    handle = (request) => void request.once("data", () => request.socket.destroy());
    expect(isTransient(await thrown(client.send({ method: "PUT", url, body })))).toBe(true);
    await expect.poll(() => sizes.closed).toBe(true);
  });

  it("http: an upload stops when it is aborted, with the reason", async () => {
    const controller = new AbortController();
    handle = (request) => void request.once("data", () => controller.abort(new Error("enough")));
    await expect(client.send({ method: "PUT", url, body, signal: controller.signal })).rejects.toThrow(
      "enough",
    );
    await expect.poll(() => sizes.closed).toBe(true);
    await expect(client.send({ method: "GET", url, signal: controller.signal })).rejects.toThrow("enough");
  });

  it("http: an upload fails with the error of its source", async () => {
    handle = (request) => void request.resume();
    const broken = {
      size: 10,
      // oxlint-disable-next-line require-yield
      *pieces(): Generator<Buffer> {
        throw new Error("damaged here");
      },
    };
    await expect(client.send({ method: "PUT", url, body: broken })).rejects.toThrow("damaged here");
  });
});

describe("an unwanted response", () => {
  it("http: an unwanted response is not read for ever", async () => {
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      handle = (_, response) => {
        response.on("close", resolve);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 16))) written += 1 << 16;
          if (!response.destroyed) response.once("drain", more);
        };
        more();
      };
    });
    dismiss(await client.send({ method: "GET", url }));
    await closed;
    expect(written).toBeLessThan(200 << 20);
  });

  it("http: a short unwanted response leaves its connection usable", async () => {
    let connections = 0;
    server.on("connection", () => connections++);
    handle = (_, response) => void response.end("short");
    for (let times = 0; times < 3; times++) {
      const response = await client.send({ method: "GET", url });
      const ended = new Promise((resolve) => response.once("close", resolve));
      dismiss(response);
      await ended;
    }
    expect(connections).toBe(1);
  });

  it("http: an unwanted response may be cut", async () => {
    handle = (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("x");
      setImmediate(() => response.destroy());
    };
    const response = await client.send({ method: "GET", url });
    dismiss(response);
    await expect.poll(() => response.destroyed).toBe(true);
  });
});

/** Writes these texts, one every few milliseconds, for as long as the connection lasts. */
const dripping = (text: (at: number) => string) => (request: http.IncomingMessage) => {
  let at = 0;
  const timer = setInterval(() => void request.socket.write(text(at++)), 5);
  request.socket.on("close", () => clearInterval(timer));
  request.socket.on("error", () => undefined);
};

describe("a request settles", () => {
  it.each([
    ["101 that is followed by nothing", () => "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    [
      "101 that names a protocol",
      () => "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n",
    ],
    ["interim answers without end", () => "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50)],
  ])("http: a request settles though the response is %s", async (_, text) => {
    handle = dripping(text);
    // On a busy machine the response may also come too late.
    const settled = { code: expect.stringMatching(/^(?:registry|ETIMEDOUT)$/) as string };
    for (const method of ["GET", "HEAD", "POST"] as const)
      expect(await thrown(client.send({ method, url }))).toMatchObject(settled);
    const body = { size: 3_000_000, pieces: () => [Buffer.alloc(3_000_000)] };
    expect(await thrown(client.send({ method: "PUT", url, body }))).toMatchObject(settled);
  });

  it("http: a request settles though interim responses or the head drip in for ever", async () => {
    client.close();
    client = new Client(30);
    handle = dripping(() => "HTTP/1.1 103 Early Hints\r\n\r\n");
    expect(await thrown(client.send({ method: "GET", url }))).toMatchObject({ code: "ETIMEDOUT" });
    handle = dripping((at) => (at === 0 ? "HTTP/1.1 200 OK\r\nx: " : "y"));
    expect(await thrown(client.send({ method: "GET", url }))).toMatchObject({ code: "ETIMEDOUT" });
  });

  it("http: a request settles though its body drips in for ever", async () => {
    handle = dripping((at) => (at === 0 ? "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n" : "y"));
    const response = await client.send({ method: "GET", url });
    expect(await thrown(readBody(response, 1 << 20, 200))).toMatchObject({ code: "ETIMEDOUT" });
  });
});
