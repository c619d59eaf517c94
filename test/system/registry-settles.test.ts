// Every request to a registry settles: whatever a server answers, and wherever, the command ends with status
// 2 and says why. An answer that Node hands over as no answer at all (101) once ended ctx with status 0 and
// nothing done.
import { beforeAll, expect, it } from "vitest";
import { ctx, ok, sharedLog, stateOf, storeWith } from "../../dev/sharing.js";
import { tempStore } from "../../dev/folders.js";
import { describeWith, program } from "../../dev/needs.js";
import { type RunningRegistry, startRegistry } from "../../dev/registry.js";
import { type Rule, type Seen, startProxy } from "../../dev/registry-proxy.js";

const head = (line: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${line}`, ...headers, "", ""].join("\r\n");
const empty = "content-length: 0";

/** What the server writes; `ends` closes the connection after it. */
interface RawAnswer {
  text: string;
  ends?: boolean;
  /** Writes the text over and over, until the other side has enough. */
  endless?: boolean;
}

const statuses = [
  "200 OK",
  "203 Non-Authoritative",
  "204 No Content",
  "205 Reset Content",
  "206 Partial Content",
  "226 IM Used",
  "300 Multiple Choices",
  "304 Not Modified",
  "305 Use Proxy",
  "400 Bad Request",
  "402 Payment Required",
  "403 Forbidden",
  "405 Method Not Allowed",
  "407 Proxy Authentication Required",
  "409 Conflict",
  "410 Gone",
  "412 Precondition Failed",
  "413 Content Too Large",
  "417 Expectation Failed",
  "418 I'm a teapot",
  "421 Misdirected Request",
  "426 Upgrade Required",
  "431 Request Header Fields Too Large",
  "451 Unavailable For Legal Reasons",
  "499 Client Closed Request",
];

const answers: [string, RawAnswer][] = [
  ["101 alone", { text: head("101 Switching Protocols") }],
  ["101 and the end", { text: head("101 Switching Protocols"), ends: true }],
  [
    "101 to websocket",
    { text: head("101 Switching Protocols", "connection: upgrade", "upgrade: websocket") },
  ],
  ["101 to h2c", { text: head("101 Switching Protocols", "connection: upgrade", "upgrade: h2c") }],
  [
    "101 with bytes",
    { text: `${head("101 Switching Protocols", "upgrade: x", "connection: upgrade")}bytes` },
  ],
  ["101 with a length", { text: `${head("101 Switching Protocols", "content-length: 5")}bytes` }],
  ["101 after 100", { text: head("100 Continue") + head("101 Switching Protocols"), ends: true }],
  ["200 that upgrades", { text: head("200 OK", "connection: upgrade", "upgrade: h2c", empty) }],
  ["100 without end", { text: head("100 Continue"), endless: true }],
  ["102 without end", { text: head("102 Processing"), endless: true }],
  ["103 without end", { text: head("103 Early Hints", "link: </x>; rel=preload"), endless: true }],
  ["no HTTP", { text: "SSH-2.0-OpenSSH_9.2\r\n", ends: true }],
  ["HTTP/0.9", { text: "<html>hello</html>\n", ends: true }],
  ["HTTP/2", { text: "HTTP/2.0 400 OK\r\ncontent-length: 0\r\n\r\n", ends: true }],
  ["a status of no digits", { text: "HTTP/1.1 abc OK\r\n\r\n", ends: true }],
  ["a status of four digits", { text: "HTTP/1.1 2000 OK\r\n\r\n", ends: true }],
  ["a status of zeros", { text: head("000 None", empty), ends: true }],
  ["a negative length", { text: head("200 OK", "content-length: -5"), ends: true }],
  ["two lengths", { text: `${head("200 OK", "content-length: 5", "content-length: 6")}bytes`, ends: true }],
  [
    "a length and chunks",
    { text: `${head("200 OK", "content-length: 5", "transfer-encoding: chunked")}0\r\n\r\n`, ends: true },
  ],
  ["chunks that are none", { text: `${head("200 OK", "transfer-encoding: chunked")}zz\r\n`, ends: true }],
  ["a header of 100 KB", { text: head("200 OK", `x: ${"y".repeat(100_000)}`), ends: true }],
  ["a header without a name", { text: head("200 OK", ": x", empty), ends: true }],
  ["a NUL in a header", { text: head("200 OK", "x: a\0b", empty), ends: true }],
  ...statuses.map((status): [string, RawAnswer] => [status, { text: head(status, empty), ends: true }]),
];

/** Connections that are cut are tried again, with pauses. */
const cuts: [string, RawAnswer][] = [
  ["the end at once", { text: "", ends: true }],
  ["half a line and the end", { text: "HTTP/1.1 20", ends: true }],
  ["half a head and the end", { text: "HTTP/1.1 200 OK\r\ncontent-le", ends: true }],
  ["500 Internal Server Error", { text: head("500 Internal Server Error", empty), ends: true }],
];

const look = "the look for a blob";

const places: [string, "pull" | "ls" | "push", (seen: Seen) => boolean][] = [
  ["a manifest", "pull", ({ path }) => path.includes("/manifests/")],
  ["a list of tags", "ls", ({ path }) => path.includes("/tags/list")],
  ["a blob", "pull", ({ path }) => path.includes("/blobs/")],
  // Where the answer has the wrong size, the blob is sent: that is not a failure.
  [look, "push", ({ method, path }) => method === "HEAD" && path.includes("/blobs/")],
  ["the start of an upload", "push", ({ method }) => method === "POST"],
  ["an upload", "push", ({ method, path }) => method === "PUT" && path.includes("/uploads/")],
  ["a new manifest", "push", ({ method, path }) => method === "PUT" && path.includes("/manifests/")],
  ["a token", "pull", ({ path }) => path.startsWith("/token")],
];

function writing({ text, ends = false, endless = false }: RawAnswer): NonNullable<ReturnType<Rule>> {
  return {
    by({ socket }) {
      socket.on("error", () => undefined);
      const more = (): void => {
        while (!socket.destroyed && socket.write(text));
      };
      if (endless) {
        socket.on("drain", more);
        more();
      } else if (ends) socket.end(text);
      else socket.write(text);
    },
  };
}

describeWith([program("docker-registry")], "a command ends with status 2 and a reason", () => {
  let registry: RunningRegistry;
  let source: string;
  let hex: string;
  /** Each push goes to a repository of its own; a port may be used twice. */
  let repositories = 0;

  beforeAll(async () => {
    registry = await startRegistry();
    const store = await storeWith(sharedLog("settles"));
    source = store.folder;
    hex = store.packs[0] ?? "";
    await ok(source, "push", hex, `oci://${registry.host}/runs:good`);
  });

  async function meet(answer: RawAnswer, [place, command, isHere]: (typeof places)[number]): Promise<void> {
    const proxy = await startProxy(registry.port);
    let met = 0;
    proxy.rule = (seen) => {
      if (isHere(seen)) {
        met++;
        return writing(answer);
      }
      if (place !== "a token") return undefined;
      const challenge = `Bearer realm="${proxy.origin}/token",service="s"`;
      return { answer: { status: 401, headers: { "www-authenticate": challenge } } };
    };
    const { folder } = tempStore();
    // A repository that has nothing yet, or nothing would be sent.
    const argv = {
      pull: ["pull", `oci://${proxy.host}/runs:good`],
      ls: ["remote", "ls", `oci://${proxy.host}/runs`],
      push: ["push", hex, `oci://${proxy.host}/new-${++repositories}:fine`],
    }[command];
    const before = stateOf(folder);
    const { status, stdout, stderr } = await ctx(command === "push" ? source : folder, ...argv);
    const said = `${place}: ${status} ${stdout}${stderr}`;
    expect(met, said).toBeGreaterThan(0);
    expect(status, said).toBe(2);
    expect(stderr, said).toMatch(/^error: /m);
    expect(stderr, said).not.toContain("bug");
    expect(stateOf(folder)).toEqual(before);
    await proxy.close();
  }

  it.concurrent.each([...answers, ...cuts])(
    "a command ends with status 2 and a reason wherever a registry answers %j",
    async (_, answer) => {
      const isFound = / 200 OK\r\n[^]*content-length: 0/.test(answer.text);
      const bad = places.filter(([place]) => place !== look || !isFound);
      const met = await Promise.allSettled(bad.map((place) => meet(answer, place)));
      expect(met.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []))).toEqual(
        [],
      );
    },
  );
});
