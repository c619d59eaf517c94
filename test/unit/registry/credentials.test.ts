// Where a user's passwords are found, and that no message contains them.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findCredential, type Wallet } from "../../../src/registry/credentials.js";
import { tempFolder } from "../../../dev/folders.js";

const host = "registry.example.com:5000";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

let home: string;
let bin: string;
let wallet: Wallet;

beforeEach(() => {
  home = tempFolder();
  bin = join(home, "bin");
  fs.mkdirSync(bin);
  wallet = { home, env: { PATH: `${bin}:/usr/bin:/bin` } };
});

function config(value: unknown, folder = join(home, ".docker")): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, "config.json"), typeof value === "string" ? value : JSON.stringify(value));
}

function helper(name: string, script: string, folder = bin): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const answer = (user: string, secret: string): string =>
  `read -r host; [ "$1" = get ] || exit 9; printf '{"ServerURL":"%s","Username":"${user}","Secret":"${secret}"}' "$host"`;

describe("a credential", () => {
  it("credentials: there are none without a file and variables", async () => {
    expect(await findCredential(host, wallet)).toBeUndefined();
    config("{}");
    expect(await findCredential(host, wallet)).toBeUndefined();
  });

  it("credentials: three variables come first, and only for the host that they name", async () => {
    config({ auths: { [host]: { auth: base64("ana:file") } } });
    const both = { CTX_REGISTRY_USER: "ana", CTX_REGISTRY_PASSWORD: "variable" };
    for (const name of [host, host.toUpperCase(), ` ${host}`])
      expect(
        await findCredential(host, { home, env: { ...wallet.env, ...both, CTX_REGISTRY_HOST: name } }),
      ).toEqual({ user: "ana", password: "variable" });
    for (const half of [
      { CTX_REGISTRY_HOST: host, CTX_REGISTRY_USER: "ana" },
      { CTX_REGISTRY_HOST: host, CTX_REGISTRY_PASSWORD: "x" },
      { CTX_REGISTRY_HOST: host, CTX_REGISTRY_USER: "", CTX_REGISTRY_PASSWORD: "x" },
      both,
      { ...both, CTX_REGISTRY_HOST: "" },
      { ...both, CTX_REGISTRY_HOST: "registry.example.com" },
      { ...both, CTX_REGISTRY_HOST: "registry.example.com:50" },
      { ...both, CTX_REGISTRY_HOST: "*" },
      { ...both, CTX_REGISTRY_HOST: `${host}/team` },
    ])
      expect(await findCredential(host, { home, env: { ...wallet.env, ...half } })).toEqual({
        user: "ana",
        password: "file",
      });
  });

  it.each<[string, unknown, unknown]>([
    ["base64", { auth: base64("ana:s:e:c") }, { user: "ana", password: "s:e:c" }],
    ["an empty password", { auth: base64("ana:") }, { user: "ana", password: "" }],
    ["letters beyond ASCII", { auth: base64("änä:pässwörd") }, { user: "änä", password: "pässwörd" }],
    ["two fields", { username: "ana", password: "p" }, { user: "ana", password: "p" }],
    ["an identity token", { auth: base64("ana:"), identitytoken: "tok" }, { identityToken: "tok" }],
    ["nothing in it", {}, undefined],
    ["no colon in it", { auth: base64("ana") }, undefined],
    ["a number", { auth: 7, username: 8, password: [] }, undefined],
    ["a null", null, undefined],
  ])("credentials: an entry is read as %s", async (_, entry, expected) => {
    config({ auths: { [host]: entry } });
    expect(await findCredential(host, wallet)).toEqual(expected);
  });

  it.each([`https://${host}`, `https://${host}/`, `https://${host}/v1/`, `https://${host}/v2/`])(
    "credentials: an entry may stand under %s",
    async (name) => {
      config({ auths: { [name]: { auth: base64("a:b") } } });
      expect(await findCredential(host, wallet)).toEqual({ user: "a", password: "b" });
    },
  );

  it.each([
    "registry.example.com",
    "example.com:5000",
    `${host}.evil.com`,
    `http://${host}`,
    "",
    "__proto__",
  ])("credentials: an entry under %j is not used", async (name) => {
    config(`{"auths": {${JSON.stringify(name)}: {"auth": "${base64("a:b")}"}}}`);
    expect(await findCredential(host, wallet)).toBeUndefined();
  });

  it("credentials: DOCKER_CONFIG names the folder", async () => {
    config({ auths: { [host]: { auth: base64("a:home") } } });
    config({ auths: { [host]: { auth: base64("a:there") } } }, join(home, "there"));
    expect(
      await findCredential(host, { home, env: { ...wallet.env, DOCKER_CONFIG: join(home, "there") } }),
    ).toEqual({ user: "a", password: "there" });
  });

  it.each(['{"auths": {"x": "S3CRET-cut', '"S3CRET" {', "S3CRET"])(
    "credentials: a broken file is an error that does not quote it: %s",
    async (text) => {
      config(text);
      const failure = await findCredential(host, wallet).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: "registry",
        message: expect.stringContaining("is not JSON") as string,
      });
      expect(
        JSON.stringify([
          failure,
          String(failure),
          (failure as Error).stack,
          String((failure as Error).cause),
        ]),
      ).not.toContain("S3CRET");
    },
  );

  it("credentials: a path that is no regular file is an error, or means none", async () => {
    fs.mkdirSync(join(home, ".docker/config.json"), { recursive: true });
    await expect(findCredential(host, wallet)).rejects.toMatchObject({ code: "registry" });
    expect(await findCredential(host, { home: join(home, "bin", "x"), env: {} })).toBeUndefined();
  });

  it.each(["[]", "null", "7", '{"auths": []}', '{"auths": null, "credHelpers": 3, "credsStore": {}}'])(
    "credentials: there are none in %s",
    async (text) => {
      config(text);
      expect(await findCredential(host, wallet)).toBeUndefined();
    },
  );
});

describe("a program that keeps credentials", () => {
  it("credential helper: the one named for the host is called before the default one", async () => {
    helper("one", `read -r host; printf '{"Username":"%s","Secret":"one"}' "$host"`);
    helper("two", answer("ana", "two"));
    config({ credsStore: "two", credHelpers: { [host]: "one" }, auths: { [host]: { auth: base64("a:b") } } });
    expect(await findCredential(host, wallet)).toEqual({ user: host, password: "one" });
    expect(await findCredential("other", wallet)).toEqual({ user: "ana", password: "two" });
  });

  it("credential helper: it may return a token", async () => {
    helper("x", answer("<token>", "tok"));
    config({ credsStore: "x" });
    expect(await findCredential(host, wallet)).toEqual({ identityToken: "tok" });
  });

  it.each([
    ["knows nothing", "echo 'credentials not found in native keychain'; exit 1"],
    ["prints no JSON", "echo hello"],
    ["prints nothing", "exit 0"],
    ["prints an empty name", answer("", "x")],
  ])("credential helper: one that %s means no credentials", async (_, script) => {
    helper("x", script);
    config({ credsStore: "x" });
    expect(await findCredential(host, wallet)).toBeUndefined();
  });

  it("credential helper: a failing one is named, and its output is not quoted", async () => {
    helper("x", "echo S3CRET; echo S3CRET >&2; exit 1");
    config({ credsStore: "x" });
    const failure = await findCredential(host, wallet).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "registry", message: "docker-credential-x failed" });
    expect(JSON.stringify(failure)).not.toContain("S3CRET");
  });

  it("credential helper: endless output does not fill the memory, and ignored input does no harm", async () => {
    helper("x", "exec 0<&-; head -c 3000000 /dev/zero; exit 1");
    config({ credsStore: "x" });
    await expect(findCredential(host, wallet)).rejects.toMatchObject({ code: "registry" });
  });

  it("credential helper: its background processes are not waited for", async () => {
    const file = join(home, "pid");
    helper("x", `sleep 100 & echo $! > ${file}; ${answer("ana", "p")}`);
    config({ credsStore: "x" });
    try {
      expect(await findCredential(host, wallet)).toEqual({ user: "ana", password: "p" });
    } finally {
      process.kill(Number(fs.readFileSync(file, "utf8")));
    }
  });

  it("credential helper: one that never answers ends when the request is aborted", async () => {
    helper("x", "exec sleep 100");
    config({ credsStore: "x" });
    const controller = new AbortController();
    const asked = findCredential(host, wallet, controller.signal);
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(asked).rejects.toMatchObject({ code: "registry" });
  });

  it("credential helper: one that does not exist is an error", async () => {
    config({ credsStore: "absent" });
    await expect(findCredential(host, wallet)).rejects.toThrow("docker-credential-absent");
  });

  it("credential helper: its name cannot be a path", async () => {
    helper("x", answer("a", "b"), join(home, "docker-credential-dir"));
    for (const name of ["dir/../../x", "../x", "dir/docker-credential-x", "x y", "x;y"]) {
      config({ credsStore: name });
      await expect(findCredential(host, wallet)).rejects.toMatchObject({ code: "registry" });
    }
  });

  it("credential helper: it is never taken from the working folder", async () => {
    const here = tempFolder();
    helper("here", answer("a", "b"), here);
    config({ credsStore: "here" });
    const before = process.cwd();
    const path = ["", ".", ":", "relative"];
    // Threads of tests may not change their folder; then the paths alone are tried.
    try {
      process.chdir(here);
    } catch {
      path.push("./");
    }
    try {
      for (const PATH of path)
        await expect(findCredential(host, { home, env: { PATH } })).rejects.toThrow("is not on the PATH");
    } finally {
      if (process.cwd() !== before) process.chdir(before);
    }
  });
});
