// Registries that require a password, or a token from another server; and that no other server
// receives either.
import { createPrivateKey, sign, X509Certificate } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { describeWith, program } from "../../dev/needs.js";
import {
  blobFile,
  makeCertificate,
  openssl,
  type RunningRegistry,
  startRegistry,
} from "../../dev/registry.js";
import { type Proxy, type Seen, startProxy } from "../../dev/registry-proxy.js";
import { hexIn, isBlobGet, longText, sharedLog, stateOf, storeWith } from "../../dev/sharing.js";
import { flawsOf } from "../../dev/store-check.js";

const password = "hunter2";
const ana = { CTX_REGISTRY_USER: "ana", CTX_REGISTRY_PASSWORD: password };
const basic = `Basic ${Buffer.from(`ana:${password}`).toString("base64")}`;
/** Made from that password by bcrypt. */
const hashed = "$2y$05$abcdefghijklmnopqrstuuoXuKqgZXLiJqzfmMXDDhSFPIvxV7t8.";
/** Everything that was printed; no password may be in it. */
const printed: string[] = [];

/** Passwords in `env` are for the host of the address, unless another one is named. */
async function run(folder: string, argv: string[], env: Record<string, string> = {}): Promise<CliResult> {
  const host = argv.map((word) => /^oci:\/\/([^/]+)\//.exec(word)?.[1]).find((found) => found !== undefined);
  const named =
    env["CTX_REGISTRY_USER"] === undefined || host === undefined ? {} : { CTX_REGISTRY_HOST: host };
  const result = await cli(argv, { folder, env: { ...named, ...env } });
  printed.push(result.stdout, result.stderr);
  return result;
}

async function good(folder: string, argv: string[], env: Record<string, string> = {}): Promise<void> {
  const { status, stderr } = await run(folder, argv, env);
  expect(status, stderr).toBe(0);
}

/** Runs a command that must fail and leave the store as it was; returns its message. */
async function bad(folder: string, argv: string[], env: Record<string, string> = {}): Promise<string> {
  const before = stateOf(folder);
  const { status, stderr } = await run(folder, argv, env);
  expect(status, stderr).toBe(2);
  expect(stateOf(folder)).toEqual(before);
  expect(stderr).not.toContain("bug");
  return stderr;
}

afterEach(() => {
  for (const text of printed.splice(0))
    for (const secret of [
      password,
      "wrong-one",
      basic.slice(6),
      Buffer.from("ana:wrong-one").toString("base64"),
      "eyJ",
    ])
      if (text.includes(secret)) throw new Error(`a secret was printed: ${text}`);
});

let source: string;
let hex: string;

beforeAll(async () => {
  const store = await storeWith(
    sharedLog("a", [longText("a", 70_000), longText("b", 70_000), longText("c", 70_000)]),
  );
  source = store.folder;
  hex = store.packs[0] ?? "";
});

const withAuthorization = ({ seen }: Proxy): Seen[] =>
  seen.filter(({ headers }) => headers.authorization !== undefined);

describeWith([program("docker-registry")], "a registry with passwords", () => {
  let registry: RunningRegistry;
  let proxy: Proxy;
  let elsewhere: Proxy;
  let at: string;

  beforeAll(async () => {
    const file = join(tempFolder(), "htpasswd");
    fs.writeFileSync(file, `ana:${hashed}\n`);
    registry = await startRegistry({ auth: `  htpasswd: {realm: test, path: ${file}}` });
    proxy = await startProxy(registry.port);
    elsewhere = await startProxy();
    at = `oci://${proxy.host}/runs`;
    await good(source, ["push", "latest", at], ana);
  });

  beforeEach(() => {
    for (const one of [proxy, elsewhere]) {
      one.seen = [];
      one.rule = undefined;
    }
  });

  it("registry with passwords: a password from the variables or from Docker's config is accepted", async () => {
    const { folder } = tempStore();
    await good(folder, ["pull", at], ana);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(new Set(withAuthorization(proxy).map(({ headers }) => headers.authorization))).toEqual(
      new Set([basic]),
    );
    const home = tempFolder();
    fs.mkdirSync(join(home, ".docker"));
    fs.writeFileSync(
      join(home, ".docker/config.json"),
      JSON.stringify({ auths: { [proxy.host]: { auth: basic.slice(6) } } }),
    );
    await good(folder, ["remote", "ls", at], { HOME: home });
  });

  it("registry with passwords: the password of the variables is sent only to the host that they name", async () => {
    const { folder } = tempStore();
    for (const [host, said] of [
      ["", "CTX_REGISTRY_HOST is not set"],
      ["registry.example.com", "CTX_REGISTRY_HOST is registry.example.com"],
    ] as const)
      for (const command of [
        ["pull", at],
        ["remote", "ls", at],
        ["pull", `${at}@sha256:${hex}`],
      ]) {
        const stderr = await bad(folder, command, { ...ana, CTX_REGISTRY_HOST: host });
        expect(stderr).toContain("401");
        expect(stderr).toContain(`were not sent: ${said}`);
        expect(stderr).toContain(`set CTX_REGISTRY_HOST=${proxy.host}`);
      }
    expect((await run(source, ["push", "latest", at], { ...ana, CTX_REGISTRY_HOST: "" })).status).toBe(2);
    expect(withAuthorization(proxy)).toEqual([]);
  });

  it("registry with passwords: an error says to log in, or that the password may be wrong", async () => {
    const { folder } = tempStore();
    for (const command of [
      ["pull", at],
      ["remote", "ls", at],
    ]) {
      expect(await bad(folder, command)).toMatch(/401[^]*docker login/);
      expect(await bad(folder, command, { ...ana, CTX_REGISTRY_PASSWORD: "wrong-one" })).toMatch(
        /401[^]*password may be wrong/,
      );
    }
    expect(await bad(source, ["push", "latest", at])).toMatch(/401[^]*docker login/);
    // Each receives one request without and one with the password, and no more.
    expect(proxy.seen.length).toBeLessThanOrEqual(9);
  });

  it("registry with passwords: a download that is redirected elsewhere does not send the password along", async () => {
    const { folder } = tempStore();
    proxy.rule = (seen) =>
      isBlobGet(seen)
        ? { answer: { status: 307, headers: { location: elsewhere.origin + seen.path } } }
        : undefined;
    elsewhere.rule = (seen) => ({
      answer: { status: 200, body: fs.readFileSync(blobFile(registry, hexIn(seen))) },
    });
    await good(folder, ["pull", at], ana);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(elsewhere.seen.length).toBeGreaterThan(3);
    expect(withAuthorization(elsewhere)).toEqual([]);
  });

  it.each(["Basic realm=x", "Bearer realm"])(
    "registry with passwords: a host that a download is redirected to cannot request the password: %s",
    async (challenge) => {
      const { folder } = tempStore();
      proxy.rule = (seen) =>
        isBlobGet(seen)
          ? { answer: { status: 307, headers: { location: elsewhere.origin + seen.path } } }
          : undefined;
      const header =
        challenge === "Bearer realm" ? `Bearer realm="${elsewhere.origin}/token",service="x"` : challenge;
      elsewhere.rule = ({ path }) =>
        path.startsWith("/token")
          ? { answer: { status: 200, body: '{"token":"abc"}' } }
          : { answer: { status: 401, headers: { "www-authenticate": header } } };
      await bad(folder, ["pull", at], ana);
      expect(elsewhere.seen.length).toBeGreaterThan(0);
      expect(elsewhere.seen.filter(({ path }) => path.startsWith("/token"))).toEqual([]);
      expect(withAuthorization(elsewhere)).toEqual([]);
    },
  );

  it("registry with passwords: an upload to another host does not send the password along", async () => {
    proxy.rule = ({ method }) =>
      method === "POST"
        ? {
            head: (_, headers) => {
              headers["location"] = `${elsewhere.origin}/upload?x=1`;
              return undefined;
            },
          }
        : undefined;
    elsewhere.rule = () => ({
      answer: { status: 401, headers: { "www-authenticate": `Bearer realm="${elsewhere.origin}/token"` } },
    });
    await bad(source, ["push", "latest", `${at}/new`], ana);
    expect(elsewhere.seen.some(({ path }) => path.startsWith("/upload?x=1&digest=sha256"))).toBe(true);
    expect(elsewhere.seen.filter(({ path }) => path.startsWith("/token"))).toEqual([]);
    expect(withAuthorization(elsewhere)).toEqual([]);
  });

  it.each([
    "http://192.0.2.1/token",
    "http://127.0.0.1.example.com/token",
    "file:///etc/passwd",
    "",
    "http://a:b@127.0.0.1/token",
  ])("registry with passwords: no password is sent for a token to realm %j", async (realm) => {
    elsewhere.rule = () => ({
      answer: { status: 401, headers: { "www-authenticate": `Bearer realm="${realm}"` } },
    });
    const said = await bad(tempStore().folder, ["pull", `oci://${elsewhere.host}/runs`], ana);
    expect(said).toContain("no password was sent");
    expect(withAuthorization(elsewhere)).toEqual([]);
  });

  it("registry with passwords: an error says why a password cannot be read", async () => {
    const home = tempFolder();
    fs.mkdirSync(join(home, ".docker"));
    fs.writeFileSync(join(home, ".docker/config.json"), `{"auths": {"x": "${password}`);
    expect(await bad(tempStore().folder, ["pull", at], { HOME: home })).toContain("is not JSON");
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns a server that issues tokens, as Docker specifies it. */
function tokens(
  certificate: string,
  key: string,
): { answer: (seen: Seen) => string; issued: { scopes: string[]; user: string }[] } {
  const x5c = [new X509Certificate(fs.readFileSync(certificate)).raw.toString("base64")];
  const privateKey = createPrivateKey(fs.readFileSync(key));
  const issued: { scopes: string[]; user: string }[] = [];
  return {
    issued,
    answer({ path, headers }) {
      const query = new URL(path, "http://x").searchParams;
      const user = headers.authorization === basic ? "ana" : "";
      const scopes = query.getAll("scope").flatMap((scope) => scope.split(" "));
      issued.push({ scopes, user });
      const access = scopes.map((scope) => {
        const [type = "", name = "", actions = ""] = scope.split(":");
        return {
          type,
          name,
          actions: actions.split(",").filter((action) => user !== "" || action === "pull"),
        };
      });
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: "tests",
        aud: "registry",
        sub: user,
        exp: now + 300,
        nbf: now - 10,
        iat: now,
        jti: String(issued.length),
        access,
      };
      const text = `${part({ typ: "JWT", alg: "ES256", x5c })}.${part(claims)}`;
      return `${text}.${sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    },
  };
}

describeWith([program("docker-registry"), openssl], "a registry with tokens", () => {
  let proxy: Proxy;
  let authority: Proxy;
  let realm: string;
  let issuer: ReturnType<typeof tokens>;
  let at: string;
  let count = 0;

  beforeAll(async () => {
    const { certificate, key } = makeCertificate("tests");
    issuer = tokens(certificate, key);
    authority = await startProxy();
    realm = `${authority.origin}/token`;
    const registry = await startRegistry({
      auth: `  token: {realm: "${realm}", service: registry, issuer: tests, rootcertbundle: ${certificate}}`,
    });
    proxy = await startProxy(registry.port);
    at = `oci://${proxy.host}/runs`;
    authority.rule = give;
    await good(source, ["push", "latest", at], ana);
  });

  const give = (seen: Seen): { answer: { status: number; body?: string } } =>
    seen.headers.authorization !== undefined && seen.headers.authorization !== basic
      ? { answer: { status: 401 } }
      : { answer: { status: 200, body: JSON.stringify({ token: issuer.answer(seen) }) } };

  beforeEach(() => {
    for (const one of [proxy, authority]) one.seen = [];
    proxy.rule = undefined;
    authority.rule = give;
    issuer.issued.splice(0);
  });

  it("registry with tokens: a push needs a password, a pull needs none", async () => {
    const to = `${at}-${count++}`;
    await good(source, ["push", "latest", `${to}:good`], ana);
    // The password goes to where tokens come from, and the tokens to the registry; one for reading and one
    // for writing.
    expect(new Set(withAuthorization(authority).map(({ headers }) => headers.authorization))).toEqual(
      new Set([basic]),
    );
    for (const { headers } of withAuthorization(proxy)) expect(headers.authorization).toMatch(/^Bearer /);
    expect(issuer.issued.length).toBeLessThanOrEqual(2);
    const { folder } = tempStore();
    issuer.issued.splice(0);
    await good(folder, ["pull", `${to}:good`]);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(issuer.issued).toEqual([{ scopes: [expect.stringMatching(/:pull$/) as string], user: "" }]);
  });

  it("registry with tokens: a push without a password is refused, and the error says to log in", async () => {
    expect(await bad(source, ["push", "latest", `${at}-${count++}`])).toMatch(/docker login/);
  });

  it("registry with tokens: a wrong password is refused by the token server, and the error says so", async () => {
    expect(
      await bad(tempStore().folder, ["pull", at], { ...ana, CTX_REGISTRY_PASSWORD: "wrong-one" }),
    ).toMatch(/sent no token: it answered 401[^]*password may be wrong/);
  });

  it("registry with tokens: an expired token is renewed, also in the middle of a push or a pull", async () => {
    const to = `oci://${proxy.host}/renew-${count++}`;
    const challenge = `Bearer realm="${realm}",service="registry",scope="repository:${to.split("/").at(-1)}:pull,push",error="invalid_token"`;
    const old = new Set<string>();
    const expire = (kind: (seen: Seen) => boolean): void => {
      old.clear();
      proxy.rule = (seen) => {
        const token = seen.headers.authorization;
        if (token === undefined || !kind(seen)) return undefined;
        // The first token that is used for it has just expired, for all.
        if (old.size === 0) old.add(token);
        return old.has(token)
          ? { answer: { status: 401, headers: { "www-authenticate": challenge } } }
          : undefined;
      };
    };
    expire(({ method, path }) => method === "PUT" && path.includes("/blobs/uploads/"));
    await good(source, ["push", "latest", to], ana);
    // Requests that were refused at the same time share a new token.
    expect(issuer.issued.length).toBeLessThanOrEqual(3);
    issuer.issued.splice(0);
    expire(isBlobGet);
    const { folder } = tempStore();
    await good(folder, ["pull", to]);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(issuer.issued).toHaveLength(2);
  });

  it("registry with tokens: a failing token server is tried again", async () => {
    authority.rule = (seen, before) =>
      before === 0
        ? { answer: { status: 503 } }
        : before === 1
          ? { by: (request) => void request.socket.destroy() }
          : give(seen);
    const { folder } = tempStore();
    await good(folder, ["pull", at]);
    expect(flawsOf(folder, hex)).toEqual([]);
  });

  it("registry with tokens: a registry that rejects every token is not tried for ever", async () => {
    proxy.rule = () => ({
      answer: {
        status: 401,
        headers: { "www-authenticate": `Bearer realm="${realm}",scope="repository:runs:pull"` },
      },
    });
    expect(await bad(tempStore().folder, ["pull", at], ana)).toContain("401");
    expect(proxy.seen.length).toBeLessThan(5);
  });

  describe("with an identity token", () => {
    it("registry with tokens: an identity token of Docker's config is exchanged for an access token", async () => {
      const home = tempFolder();
      fs.mkdirSync(join(home, ".docker"));
      fs.writeFileSync(
        join(home, ".docker/config.json"),
        JSON.stringify({ auths: { [proxy.host]: { identitytoken: "refresh-me" } } }),
      );
      let form = "";
      authority.rule = (seen) => ({
        by: (request, response) => {
          request.on("data", (piece: Buffer) => void (form += piece.toString()));
          request.on("end", () => {
            const scope = new URLSearchParams(form).get("scope") ?? "";
            const path = `/token?scope=${encodeURIComponent(scope)}`;
            response.end(JSON.stringify({ access_token: issuer.answer({ ...seen, path }) }));
          });
        },
      });
      await good(tempStore().folder, ["pull", at], { HOME: home });
      expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
        grant_type: "refresh_token",
        refresh_token: "refresh-me",
        client_id: "ctx",
        service: "registry",
        scope: "repository:runs:pull",
      });
      expect(withAuthorization(authority)).toEqual([]);
    });
  });
});
