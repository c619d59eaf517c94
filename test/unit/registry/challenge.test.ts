// What a registry may request, and where a password may be sent for it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { basic, checkRealm, fetchToken, parseChallenge, Scopes } from "../../../src/registry/challenge.js";
import { Client } from "../../../src/registry/http.js";
import { type Proxy, startProxy } from "../../../dev/registry-proxy.js";

describe("a challenge", () => {
  const bearer = { kind: "bearer", realm: "https://auth/token" };
  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    ["", undefined],
    ['Basic realm="x"', { kind: "basic" }],
    ["basic", { kind: "basic" }],
    ['Bearer realm="https://auth/token"', bearer],
    ['bearer REALM="https://auth/token"', bearer],
    ["Bearer realm=https://auth/token", bearer],
    [
      'Bearer realm="https://auth/token",service="s",scope="repository:a/b:pull,push"',
      { ...bearer, service: "s", scope: "repository:a/b:pull,push" },
    ],
    ['Bearer service="s" , realm = "https://auth/token"', { ...bearer, service: "s" }],
    ['Basic realm="x", Bearer realm="https://auth/token"', bearer],
    ['Bearer realm="https://auth/token", Basic realm="x"', bearer],
    ['Negotiate, Basic realm="x"', { kind: "basic" }],
    ['Bearer realm="https://auth/token",realm="https://evil/token"', bearer],
    ["Bearer", undefined],
    ['Bearer service="s"', undefined],
    ['Bearer service="s", Basic realm="x"', { kind: "basic" }],
    ['Basic realm="a, Bearer realm=https://evil/"', { kind: "basic" }],
    ['Negotiate YWJj==, Basic realm="x"', { kind: "basic" }],
    ["Digest realm=x", undefined],
    ["Basically nothing", undefined],
    ['Bearer realm="https://auth/token" error="invalid_token"', bearer],
  ])("the authentication challenge %s is parsed", (header, expected) => {
    const found = parseChallenge(header);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toEqual(expected);
  });

  it("an authentication challenge is parsed in linear time, however odd", () => {
    for (const odd of [
      `Bearer ${"a=".repeat(20_000)}`,
      `Bearer ${'a="'.repeat(20_000)}`,
      `${",".repeat(50_000)}x`,
      "Basic ".repeat(20_000),
    ])
      expect(() => parseChallenge(odd)).not.toThrow();
  });
});

describe("scopes", () => {
  it("registry scopes are equal in any order, and add up", () => {
    const scopes = new Scopes();
    scopes.add("repository:a/b:push,pull");
    scopes.add("repository:a/b:pull,push");
    expect(scopes.all()).toEqual(["repository:a/b:pull,push"]);
    scopes.add("repository:host:5000/c:pull registry:catalog:* odd");
    scopes.add("repository:a/b:delete");
    scopes.add("");
    expect(scopes.all()).toEqual([
      "odd",
      "registry:catalog:*",
      "repository:a/b:delete,pull,push",
      "repository:host:5000/c:pull",
    ]);
  });
});

describe("where a token comes from", () => {
  const secure = "https://registry.example.com";
  const home = "http://127.0.0.1:5000";
  const homeSecure = "https://localhost:5000";
  const plain = "http://registry.example.com";
  it.each([
    [secure, "https://registry.example.com/token"],
    [secure, "https://auth.example.org/token"],
    [home, "http://127.0.0.1:5000/token"],
    [home, "http://localhost:9/token"],
    [home, "https://auth.example.org/token"],
    [homeSecure, "http://127.0.0.1:5001/token"],
    [plain, "http://registry.example.com/token"],
  ])("the registry %s may name the token server %s", (registry, realm) => {
    expect(checkRealm(realm, new URL(registry)).href).toBe(realm);
  });
  it.each([
    [secure, "http://registry.example.com/token"],
    [secure, "http://auth.example.org/token"],
    [secure, "http://127.0.0.1/token"],
    [secure, "/token"],
    [secure, ""],
    [secure, "file:///etc/passwd"],
    [secure, "ftp://registry.example.com/"],
    [secure, "https://a:b@registry.example.com/token"],
    [home, "http://127.0.0.1.evil.com/token"],
    [home, "http://auth.example.org/token"],
    [home, "http://0.0.0.0:5000/token"],
    [plain, "https://auth.example.org/token"],
    [plain, "http://registry.example.com:81/token"],
    [plain, "https://registry.example.com/token"],
    [plain, "http://127.0.0.1/token"],
  ])("the registry %s may not name the token server %s", (registry, realm) => {
    expect(() => checkRealm(realm, new URL(registry))).toThrow(expect.objectContaining({ code: "registry" }));
  });
});

describe("a token", () => {
  let server: Proxy;
  let elsewhere: Proxy;
  let client: Client;

  beforeEach(async () => {
    server = await startProxy();
    elsewhere = await startProxy();
    client = new Client();
  });
  afterEach(() => client.close());

  const ask = async (credential?: Parameters<typeof fetchToken>[2]["credential"]): Promise<string> =>
    await fetchToken(
      client,
      {
        realm: new URL(`${server.origin}/token?old=1`),
        service: "s v",
        scopes: ["repository:a:pull", "repository:a:push"],
      },
      { credential, logIn: "log in", signal: undefined },
    );
  const giving = (body: string, status = 200): void => {
    server.rule = () => ({ answer: { status, body } });
  };

  it("a token is requested anonymously, by user name, or by a refresh token", async () => {
    giving('{"token":"abc"}');
    expect(await ask()).toBe("abc");
    expect(await ask({ user: "ana", password: "p" })).toBe("abc");
    expect(await ask({ identityToken: "id" })).toBe("abc");
    expect(server.seen.map(({ method, headers }) => [method, headers.authorization])).toEqual([
      ["GET", undefined],
      ["GET", basic({ user: "ana", password: "p" })],
      ["POST", undefined],
    ]);
    expect(server.seen[0]?.path).toBe(
      "/token?old=1&service=s+v&scope=repository%3Aa%3Apull&scope=repository%3Aa%3Apush",
    );
    expect(server.seen[2]?.path).toBe("/token?old=1");
    expect(server.seen[2]?.received).toBeGreaterThan(0);
  });

  it.each(['{"access_token":"abc"}', '{"token":"abc","access_token":"def"}'])(
    "a token is read from %s",
    async (body) => {
      giving(body);
      expect(await ask()).toBe("abc");
    },
  );

  it.each([
    "",
    "null",
    "[]",
    "{}",
    '{"token":7}',
    '{"token":""}',
    '{"token":"a\\r\\nx: y"}',
    '{"token":"a b"}',
    '{"token":"é"}',
    "{",
  ])("no token is read from %s", async (body) => {
    giving(body);
    await expect(ask()).rejects.toMatchObject({ code: "registry" });
  });

  it.each([301, 302, 307, 308])(
    "a token request does not follow a redirect with status %d",
    async (status) => {
      server.rule = () => ({ answer: { status, headers: { location: `${elsewhere.origin}/token` } } });
      const failure = await ask({ user: "ana", password: "S3CRET" }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "registry", data: { status } });
      expect(JSON.stringify([failure, String(failure)])).not.toContain("S3CRET");
      expect(elsewhere.seen).toEqual([]);
    },
  );

  it("a token that is too long is refused", async () => {
    giving(`{"token":"${"a".repeat(2 << 20)}"}`);
    await expect(ask()).rejects.toMatchObject({ code: "registry" });
  });
});
