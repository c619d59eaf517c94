// Where a registry may send us. What it does with requests is tested on real ones.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/registry/address.js";
import { Registry } from "../../../src/registry/registry.js";

function place(
  location: string,
  { host = "registry.example.com", plainHttp = false, from = "" } = {},
): string {
  const wallet = { home: "/nowhere", env: {} };
  const registry = new Registry(parseAddress(`oci://${host}/team/runs`), { wallet, plainHttp });
  return registry.resolveLocation(location, from).href;
}

describe("a registry that takes connections and never answers", () => {
  it("a registry that never answers is not tried again, unless it answered before; then ctx waits and says so", async () => {
    const sockets: Socket[] = [];
    let answers = 0;
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", () => {
        if (answers-- > 0)
          socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const reasons: string[] = [];
    const controller = new AbortController();
    const registry = new Registry(parseAddress(`oci://127.0.0.1:${port}/team/runs`), {
      wallet: { home: "/nowhere", env: {} },
      patience: 60,
      signal: controller.signal,
      waiting(why) {
        reasons.push(why);
        controller.abort(new Error("that is enough"));
      },
    });
    const ask = { method: "GET", path: "manifests/x", expect: [404] } as const;
    try {
      await expect(registry.request(ask)).rejects.toMatchObject({ code: "registry" });
      expect({ tries: sockets.length, reasons }).toEqual({ tries: 1, reasons: [] });
      answers = 1;
      (await registry.request(ask)).resume();
      await expect(registry.request(ask)).rejects.toThrow("that is enough");
      expect(sockets.length).toBeGreaterThan(4);
      expect(reasons[0]).toContain("cannot reach");
    } finally {
      registry.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});

describe("a place that a registry names", () => {
  it.each([
    ["/v2/x?state=a%2Fb", "https://registry.example.com/v2/x?state=a%2Fb"],
    ["abc?state=1", "https://registry.example.com/v2/team/runs/abc?state=1"],
    ["//cdn.example.org/x", "https://cdn.example.org/x"],
    ["https://registry.example.com:443/x", "https://registry.example.com/x"],
    ["https://cdn.example.org/x?sig=1", "https://cdn.example.org/x?sig=1"],
  ])("a registry may redirect to %s", (location, expected) => expect(place(location)).toBe(expected));

  it("a redirect is relative to the URL that answered it", () => {
    expect(place("abc?x=1", { from: "blobs/uploads/" })).toBe(
      "https://registry.example.com/v2/team/runs/blobs/uploads/abc?x=1",
    );
  });

  it.each([
    "http://registry.example.com/x",
    "http://cdn.example.org/x",
    "https://127.0.0.1/x",
    "http://localhost:5000/x",
    "https://[::1]/x",
    "https://a:b@cdn.example.org/x",
    "https://a@registry.example.com/x",
    "file:///etc/passwd",
    "data:text/plain,x",
    "ftp://cdn.example.org/",
    "https://[",
  ])("a registry may not redirect to %s", (location) => {
    expect(() => place(location)).toThrow(expect.objectContaining({ code: "registry" }));
  });

  it("a registry on this machine may redirect to this machine", () => {
    expect(place("http://127.0.0.1:9/x", { host: "localhost:5000" })).toBe("http://127.0.0.1:9/x");
    expect(() => place("http://192.0.2.1/x", { host: "localhost:5000" })).toThrow("which is not safe");
  });

  it("a redirect may be plain HTTP only if the registry is, on request", () => {
    expect(place("/x", { plainHttp: true })).toBe("http://registry.example.com/x");
    expect(() => place("http://cdn.example.org/x", { plainHttp: true })).toThrow("which is not safe");
  });
});
