// Short names for registries: they are the user's own, and no store can bring one.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { remoteTarget } from "../../src/registry/remotes.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { startProxy } from "../../dev/registry-proxy.js";
import { sharedLog, storeWith } from "../../dev/sharing.js";

let folder: string;
let home: string;

beforeEach(() => {
  folder = tempFolder();
  home = tempFolder();
});

const ctx = (...argv: string[]): Promise<CliResult> => cli(argv, { folder, env: { HOME: home } });
const file = (): string => join(home, ".config/ctx/remotes.json");

describe("ctx remote", () => {
  it("ctx remote lists, adds and removes, in the user's own settings, without a store", async () => {
    expect(await ctx("remote")).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "note: there are no remotes yet; `ctx remote add <name> oci://<host>/<repository>` adds one\n",
    });
    expect(await ctx("remote", "add", "team", "oci://Registry.Example.com/team/runs")).toMatchObject({
      status: 0,
      stdout: "",
    });
    expect(await ctx("remote", "add", "a", "oci://127.0.0.1:5000/x")).toMatchObject({ status: 0 });
    expect((await ctx("remote")).stdout).toBe(
      "a     oci://127.0.0.1:5000/x\nteam  oci://registry.example.com/team/runs\n",
    );
    expect(JSON.parse(fs.readFileSync(file(), "utf8"))).toEqual({
      a: { url: "oci://127.0.0.1:5000/x" },
      team: { url: "oci://registry.example.com/team/runs" },
    });
    expect(await ctx("remote", "rm", "a")).toMatchObject({ status: 0 });
    expect(JSON.parse((await ctx("remote", "--json")).stdout)).toEqual({
      remotes: [{ name: "team", url: "oci://registry.example.com/team/runs" }],
    });
    expect(fs.readdirSync(join(home, ".config/ctx"))).toEqual(["remotes.json"]);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it("ctx remote rm of an unknown name creates nothing", async () => {
    expect((await ctx("remote", "rm", "nosuch")).status).toBe(2);
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it("ctx remote add --plain-http is remembered", async () => {
    await ctx("remote", "add", "old", "oci://old.example.com/runs", "--plain-http");
    expect((await ctx("remote")).stdout).toBe("old  oci://old.example.com/runs  (plain HTTP)\n");
    const user = { config: join(home, ".config/ctx/config.json"), state: home };
    expect(remoteTarget("old:good", user)).toMatchObject({ plainHttp: true, address: { tag: "good" } });
    await ctx("remote", "add", "new", "oci://new.example.com/runs");
    expect(remoteTarget("new", user).plainHttp).toBe(false);
    expect((await ctx("remote", "--plain-http")).status).toBe(2);
    expect((await ctx("remote", "rm", "old", "--plain-http")).status).toBe(2);
  });

  it("ctx remote add does not replace a name", async () => {
    await ctx("remote", "add", "team", "oci://one/x");
    const again = await ctx("remote", "add", "team", "oci://two/x");
    expect(again.status).toBe(2);
    expect(again.stderr).toContain("ctx remote rm team");
    expect((await ctx("remote")).stdout).toContain("oci://one/x");
  });

  it.each(["", "-x", ".x", "a b", "a/b", "a:b", "a@b", "é", "x".repeat(101), "\u001b[2J"])(
    "ctx remote add refuses the name %j",
    async (name) => {
      const { status, stderr } = await ctx("remote", "add", "--", name, "oci://one/x");
      expect(status).toBe(2);
      expect(stderr).not.toContain("\u001b");
      expect(fs.existsSync(file())).toBe(false);
    },
  );

  it.each(["__proto__", "constructor", "toString"])("ctx remote treats %s as mere text", async (name) => {
    const added = await ctx("remote", "add", name, "oci://one/x");
    expect(added.status).toBe(name === "__proto__" ? 2 : 0);
    if (added.status === 0) expect((await ctx("remote")).stdout).toBe(`${name}  oci://one/x\n`);
    expect((await ctx("remote", "rm", "valueOf")).status).toBe(2);
  });

  it.each([
    ["oci://one/x:tag"],
    [`oci://one/x@sha256:${"0".repeat(64)}`],
    ["https://one/x"],
    ["oci://ana:hunter2@one/x"],
  ])("ctx remote add refuses the address %s", async (url) => {
    const { status, stderr } = await ctx("remote", "add", "team", url);
    expect(status).toBe(2);
    expect(stderr).not.toContain("hunter2");
    expect(fs.existsSync(file())).toBe(false);
  });

  it.each([[["add"]], [["add", "x"]], [["rm"]], [["rm", "x", "oci://one/x"]], [["mv", "x"]], [["rm", "x"]]])(
    "ctx remote %j is a usage error",
    async (words) => {
      expect((await ctx("remote", ...words)).status).toBe(2);
    },
  );

  it.each([
    "{",
    "[]",
    '{"a": 7}',
    '{"a": {"url": 7}}',
    '{"a": {"url": "oci://x/y", "more": 1}}',
    '{"a": {"url": "oci://x/y"}, "a": {"url": "oci://z/y"}}',
    '{"\\u001b[31m": {"url": "oci://x/y"}}',
  ])("ctx remote refuses, and does not change, a file that cannot be used: %s", async (text) => {
    fs.mkdirSync(join(home, ".config/ctx"), { recursive: true });
    fs.writeFileSync(file(), text);
    for (const words of [[], ["add", "b", "oci://one/x"], ["rm", "a"]]) {
      const { status, stderr } = await ctx("remote", ...words);
      expect(status).toBe(2);
      expect(stderr).not.toContain("bug");
      expect(stderr).toContain(`error: ${file()} cannot be used`);
      expect(stderr).toContain("hint: fix it");
    }
    expect(fs.readFileSync(file(), "utf8")).toBe(text);
  });
});

describe("a remote", () => {
  it("remote: its name stands for its address, with or without a tag or a hash", async () => {
    const proxy = await startProxy();
    await ctx("remote", "add", "team", `oci://${proxy.host}/runs`);
    const hex = "0".repeat(64);
    for (const name of ["team", "team:good", `team@sha256:${hex}`, `team:${hex}`]) {
      folder = tempStore().folder;
      expect((await ctx("pull", name)).stderr).toContain(`oci://${proxy.host}/runs`);
    }
    expect(proxy.seen.map(({ path }) => path)).toEqual([
      "/v2/runs/tags/list?n=1000",
      "/v2/runs/manifests/good",
      `/v2/runs/manifests/${hex}`,
      `/v2/runs/manifests/sha256:${hex}`,
      `/v2/runs/manifests/${hex}`,
    ]);
  });

  it("remote: ctx push sends a pack to its tag", async () => {
    const proxy = await startProxy();
    ({ folder } = await storeWith(sharedLog("a", [])));
    await ctx("remote", "add", "team", `oci://${proxy.host}/runs`);
    proxy.rule = () => ({ answer: { status: 403 } });
    const rehearsed = await ctx("push", "latest", "team:good", "--dry-run");
    expect(rehearsed.stdout).toContain(`would be pushed to oci://${proxy.host}/runs as good\n`);
    expect((await ctx("push", "latest", "team:good")).status).toBe(2);
    expect(proxy.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "HEAD /v2/runs/manifests/good",
    ]);
  });

  it("remote: an unknown name is an error that suggests a similar one", async () => {
    ({ folder } = tempStore());
    await ctx("remote", "add", "team", "oci://one/x");
    expect((await ctx("pull", "taem")).stderr).toContain("did you mean team?");
    expect((await ctx("pull", "something/else")).stderr).toContain("oci://registry.example.com/team/runs");
    const bare = await ctx("pull", "127.0.0.1:5000/team/runs");
    expect(bare.stderr).toContain(
      '"127.0.0.1:5000/team/runs" is not an address of packs\nhint: an address looks like oci://',
    );
    expect((await ctx("pull", "ana:hunter2@one/x")).stderr).not.toContain("hunter2");
    expect((await ctx("pull", "team:not a tag")).status).toBe(2);
    expect((await ctx("pull", "team/more")).status).toBe(2);
  });

  it("remote: a store cannot bring one", async () => {
    const store = tempStore();
    ({ folder } = store);
    const remotes = JSON.stringify({ evil: { url: "oci://evil.example.com/x", plain_http: true } });
    for (const place of [
      join(store.root, "remotes.json"),
      join(folder, "remotes.json"),
      join(folder, ".config/ctx/remotes.json"),
    ]) {
      fs.mkdirSync(join(place, ".."), { recursive: true });
      fs.writeFileSync(place, remotes);
    }
    expect((await ctx("remote")).stdout).toBe("");
    expect((await ctx("remote", "ls", "evil")).stderr).toContain('there is no remote "evil"');
  });

  it.each([
    [["push", "latest", "a-hash"], "can have a tag, but no hash"],
    [["push", "latest", "hex-tag"], "cannot be a tag"],
    [["push", "latest", "latest", "tag"], "a tag can only name one pack"],
    [["push", "--all", "tag"], "a tag can only name one pack"],
    [["push", "latest"], "needs a pack (or --all) and a destination"],
    [["push", "latest", "--all", "tag"], "name none"],
  ])("ctx push refuses wrong arguments: %j", async (words, said) => {
    ({ folder } = await storeWith(sharedLog("a", [])));
    const places: Record<string, string> = {
      "a-hash": `oci://127.0.0.1:1/x@sha256:${"0".repeat(64)}`,
      "hex-tag": `oci://127.0.0.1:1/x:${"0".repeat(64)}`,
      tag: "oci://127.0.0.1:1/x:tag",
    };
    const { status, stderr } = await ctx(...words.map((word) => places[word] ?? word));
    expect(status).toBe(2);
    expect(stderr).toContain(said);
  });

  it("remote: a refused connection is an error that says what to check", async () => {
    ({ folder } = await storeWith(sharedLog("a", [])));
    const proxy = await startProxy();
    await proxy.close();
    const places = [proxy.host, proxy.host.replace("127.0.0.1", "localhost")];
    for (const words of places.flatMap((host) =>
      [["push", "latest"], ["pull"], ["remote", "ls"]].map((command) => [...command, `oci://${host}/x`]),
    )) {
      const { status, stderr } = await ctx(...words);
      expect(status).toBe(2);
      expect(stderr).toMatch(/ECONNREFUSED[^]*check that the address is right/);
    }
  });
});
