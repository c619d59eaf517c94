// Packs go to a real registry and come back the same: what is sent, what is not, and by which names it is
// found.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LsResult, PullResult, PushResult } from "../../src/results/share.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { describeWith, program } from "../../dev/needs.js";
import { startRegistry } from "../../dev/registry.js";
import { type Fault, type Proxy, startProxy } from "../../dev/registry-proxy.js";
import {
  blobsFetched,
  blobsSent,
  ctx,
  downloadsIn,
  fails,
  hashOf,
  longText,
  ociManifest,
  ok,
  packed,
  putBlob,
  putManifest,
  sharedLog,
  storeWith,
} from "../../dev/sharing.js";
import { leftovers, objectsOf } from "../../dev/store-check.js";

const empty = hashOf("{}");

const page = (tags: string[], next?: string): Fault => ({
  answer: {
    status: 200,
    ...(next === undefined ? {} : { headers: { link: `<${next}>; rel="next"` } }),
    body: JSON.stringify({ tags }),
  },
});

const skopeo = (...args: string[]): void => {
  const { status, stderr } = spawnSync("skopeo", ["--insecure-policy", "copy", "-q", ...args], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
};

describeWith([program("docker-registry")], "packs in a registry", () => {
  let proxy: Proxy;
  let repository: string;
  let at: string;
  let count = 0;

  beforeAll(async () => {
    proxy = await startProxy((await startRegistry()).port);
  });

  beforeEach(() => {
    repository = `team/runs-${count++}`;
    at = `oci://${proxy.host}/${repository}`;
    proxy.seen = [];
    proxy.rule = undefined;
  });

  it("registry: a pack that is pushed and pulled has the same hash and all of its objects", async () => {
    const { folder, packs } = await storeWith(sharedLog("a", [longText("a", 70_000), longText("b", 90_000)]));
    const [hex = ""] = packs;
    const pushed = await ok<PushResult>(folder, "push", "latest", `${at}:good`);
    expect(pushed.packs).toMatchObject([{ hash: `sha256:${hex}`, tags: [hex, "good"], new: true }]);
    const listed = await ok<LsResult>(folder, "remote", "ls", at);
    expect(listed).toMatchObject({
      packs: [{ hash: `sha256:${hex}`, tags: [hex, "good"].sort(), here: true }],
    });
    const other = tempStore().folder;
    const pulled = await ok<PullResult>(other, "pull", `${at}:good`);
    expect(pulled).toMatchObject({ packs: [{ hash: `sha256:${hex}`, new: true }], resumed: 0 });
    expect(pulled.received.blobs).toBe(4);
    expect((await ctx(other, "verify", hex)).status).toBe(0);
    expect(objectsOf(other, hex).sort()).toEqual(objectsOf(folder, hex).sort());
    expect((await ctx(other, "show", "latest")).stdout).toBe((await ctx(folder, "show", hex)).stdout);
    expect([...leftovers(other), ...downloadsIn(other)]).toEqual([]);
  });

  it("registry: a pack that is there already is not sent or fetched again", async () => {
    const { folder } = await storeWith(sharedLog("a"));
    await ok(folder, "push", "latest", at);
    expect(blobsSent(proxy)).toHaveLength(4);
    proxy.seen = [];
    const again = await ok<PushResult>(folder, "push", "latest", at);
    expect(again).toMatchObject({
      sent: { blobs: 0, bytes: 0 },
      present: { blobs: 4 },
      packs: [{ new: false }],
    });
    expect(blobsSent(proxy)).toEqual([]);
    // Not even a name is written again.
    expect(new Set(proxy.seen.map(({ method }) => method))).toEqual(new Set(["HEAD"]));
    expect(await ok<PullResult>(folder, "pull", at)).toMatchObject({
      received: { blobs: 0 },
      packs: [{ new: false }],
    });
    expect(blobsFetched(proxy)).toEqual([]);
  });

  it("registry: a push and a pull of a fork transfer only what is new in it", async () => {
    const { folder, packs } = await storeWith(
      sharedLog("a", [longText("a", 70_000), longText("b", 90_000)], {
        steps: Array.from({ length: 120 }, (_, step) => ({
          type: "reasoning",
          output: longText(`thought ${step} `, 60_000),
        })),
      }),
    );
    const parent = packs[0] ?? "";
    await ok(folder, "push", "latest", at);
    const before = (await ociManifest(proxy.host, repository, parent)).layers;
    expect(before.filter(({ mediaType }) => mediaType.endsWith("tar")).length).toBeGreaterThan(5);
    const other = tempStore().folder;
    await ok(other, "pull", at);

    const large = longText("new", 80_000);
    const { stdout } = await ctx(
      folder,
      "fork",
      parent,
      "--seal",
      "--set",
      `inputs[0].content=${large}`,
      "--set",
      'steps[3].output="another thought"',
    );
    const child = /ctx:\/\/([0-9a-f]{64})/.exec(stdout)?.[1] ?? "";
    proxy.seen = [];
    const pushed = await ok<PushResult>(folder, "push", child, at);
    const after = (await ociManifest(proxy.host, repository, child)).layers;
    const known = new Set(before.map(({ digest }) => digest));
    const fresh = after.filter(({ digest }) => !known.has(digest));
    expect(blobsSent(proxy)).toEqual(fresh.map(({ digest }) => digest.slice(7)).sort());
    expect(blobsSent(proxy)).toContain(child);
    expect(blobsSent(proxy)).toContain(hashOf(large));
    expect(fresh.filter(({ mediaType }) => mediaType.endsWith("tar")).length).toBeLessThanOrEqual(3);
    expect(pushed.sent.bytes).toBe(fresh.reduce((sum, { size }) => sum + size, 0));

    // Only tars are fetched that hold something new: what another tar lost is of no interest.
    proxy.seen = [];
    await ok(other, "pull", `${at}:${child}`);
    const news = objectsOf(folder, child).filter((hex) => !objectsOf(folder, parent).includes(hex));
    const wanted = fresh.filter(({ mediaType, annotations = {} }) =>
      mediaType.endsWith("tar")
        ? news.some(
            (hex) =>
              hex !== child &&
              hex !== hashOf(large) &&
              hex.startsWith(annotations["dev.contextsubstrate.prefix"] ?? "?"),
          )
        : true,
    );
    expect(blobsFetched(proxy)).toEqual(wanted.map(({ digest }) => digest.slice(7)).sort());
    expect((await ctx(other, "verify", child)).status).toBe(0);
  });

  it("registry: push and pull of a pack include the packs of its sub-agents", async () => {
    const { folder, packs } = await storeWith(sharedLog("sub"));
    const [sub = ""] = packs;
    const main = await packed(
      folder,
      sharedLog("main", [], {
        steps: [{ type: "tool_call", tool: "Task", output: "done", pack: `sha256:${sub}` }],
      }),
    );
    const pushed = await ok<PushResult>(folder, "push", main, `${at}:both`);
    expect(pushed.packs.map(({ hash, why, tags }) => [hash.slice(7), why, tags.length])).toEqual([
      [main, "asked", 2],
      [sub, "subagent", 1],
    ]);
    // A blob arrives before the manifest that names it.
    const puts = proxy.seen.filter(({ method, path }) => method === "PUT" && path.includes("/manifests/"));
    expect(puts.map(({ path }) => path.split("/").at(-1))).toEqual([sub, main, "both"]);
    const other = tempStore().folder;
    const pulled = await ok<PullResult>(other, "pull", `${at}:both`);
    expect(pulled.packs.map(({ hash }) => hash.slice(7)).sort()).toEqual([main, sub].sort());
    expect(pulled.absent).toEqual([]);
    expect((await ctx(other, "verify", sub)).status).toBe(0);
  });

  describe("packs with parents", () => {
    let folder: string;
    let first: string;
    let second: string;
    let third: string;

    beforeAll(async () => {
      const store = await storeWith(sharedLog("first"));
      ({ folder } = store);
      first = store.packs[0] ?? "";
      second = await forked(first, "two");
      third = await forked(second, "three");
    });

    async function forked(parent: string, prompt: string): Promise<string> {
      const { stdout } = await ctx(
        folder,
        "fork",
        parent,
        "--seal",
        "--set",
        `prompts[0].content="${prompt}"`,
      );
      return /ctx:\/\/([0-9a-f]{64})/.exec(stdout)?.[1] ?? "";
    }

    it("registry: a fork goes without its parents by default, and a pull reports the missing parent", async () => {
      expect((await ok<PushResult>(folder, "push", third, at)).packs).toHaveLength(1);
      const other = tempStore().folder;
      const pulled = await ok<PullResult>(other, "pull", `${at}:${third}`, "--with-parents");
      expect(pulled.packs.map(({ hash }) => hash)).toEqual([`sha256:${third}`]);
      expect(pulled.absent).toEqual([{ hash: `sha256:${second}`, why: "parent", of: `sha256:${third}` }]);
      const { stderr } = await ctx(other, "pull", `${at}:${third}`);
      expect(stderr).toContain(second.slice(0, 12));
    });

    it.each([
      ["named oldest first", () => [first, second, third]],
      ["named newest first", () => [third, second, first]],
      ["with --all", () => ["--all"]],
    ])("registry: parents are pushed before their forks, %s", async (_, names) => {
      await ok(folder, "push", ...names(), at);
      const puts = proxy.seen.filter(({ method, path }) => method === "PUT" && path.includes("/manifests/"));
      expect(puts.map(({ path }) => path.split("/").at(-1))).toEqual([first, second, third]);
    });

    it("registry: --with-parents pushes the parents, and pulls them", async () => {
      const pushed = await ok<PushResult>(folder, "push", third, at, "--with-parents");
      expect(pushed.packs.map(({ hash }) => hash.slice(7))).toEqual([third, second, first]);
      const alone = tempStore().folder;
      expect((await ok<PullResult>(alone, "pull", `${at}:${third}`)).packs).toHaveLength(1);
      const all = await ok<PullResult>(alone, "pull", `${at}:${third}`, "--with-parents");
      expect(new Map(all.packs.map(({ hash, new: isNew }) => [hash.slice(7), isNew]))).toEqual(
        new Map([
          [first, true],
          [second, true],
          [third, false],
        ]),
      );
      expect(all.absent).toEqual([]);
    });
  });

  it("registry: a push restores a pack's own tag that names another manifest", async () => {
    const { folder, packs } = await storeWith(sharedLog("a", []), sharedLog("b", []));
    const [one = "", two = ""] = packs;
    await ok(folder, "push", one, `${at}:good`);
    const manifest = await ociManifest(proxy.host, repository, "good");
    await ok(folder, "push", two, at);
    await putManifest(proxy.host, repository, { tag: two, manifest });
    expect(await fails(folder, "pull", `${at}:${two}`)).toMatchObject({ code: "registry" });
    expect((await ok<LsResult>(folder, "remote", "ls", at)).others).toEqual([two]);
    expect(await ok<PushResult>(folder, "push", two, at)).toMatchObject({
      sent: { blobs: 0 },
      packs: [{ new: false }],
    });
    expect((await ok<PullResult>(folder, "pull", `${at}:${two}`)).packs).toMatchObject([
      { hash: `sha256:${two}` },
    ]);
  });

  it("registry: a push does not move a tag of another pack, except with --force", async () => {
    const { folder, packs } = await storeWith(sharedLog("a"), sharedLog("b"));
    const [one = "", two = ""] = packs;
    await ok(folder, "push", one, `${at}:good`);
    expect(await fails(folder, "push", two, `${at}:good`)).toMatchObject({ code: "tag-exists" });
    expect((await ociManifest(proxy.host, repository, "good")).layers[0]?.digest).toBe(`sha256:${one}`);
    await ok(folder, "push", one, `${at}:good`);
    await ok(folder, "push", two, `${at}:good`, "--force");
    expect((await ociManifest(proxy.host, repository, "good")).layers[0]?.digest).toBe(`sha256:${two}`);
  });

  it("registry: a push knows whose a tag is where the registry does not say its hash", async () => {
    const { folder, packs } = await storeWith(sharedLog("a"), sharedLog("b"));
    await ok(folder, "push", packs[0] ?? "", `${at}:good`);
    proxy.rule = ({ method }) =>
      method === "HEAD" ? { head: (_, headers) => void delete headers["docker-content-digest"] } : undefined;
    await ok(folder, "push", packs[0] ?? "", `${at}:good`);
    expect(await fails(folder, "push", packs[1] ?? "", `${at}:good`)).toMatchObject({ code: "tag-exists" });
  });

  describe("names of packs", () => {
    let folder: string;
    let packs: string[];
    let digest: string;
    let place: string;

    beforeAll(async () => {
      place = `oci://${proxy.host}/names`;
      ({ folder, packs } = await storeWith(sharedLog("a", []), sharedLog("b", [])));
      const pushed = await ok<PushResult>(folder, "push", packs[0] ?? "", `${place}:v1.0_x-y`);
      digest = pushed.packs[0]?.digest ?? "";
      await ok(folder, "push", packs[1] ?? "", place);
    });

    it.each([
      ["a tag", () => ":v1.0_x-y"],
      ["the hash", () => `:${packs[0]}`],
      ["the beginning of the hash", () => `:${packs[0]?.slice(0, 8)}`],
      ["the hash after an @", () => `@sha256:${packs[0]}`],
      ["the hash of the OCI manifest", () => `@${digest}`],
      ["a tag and the hash", () => `:v1.0_x-y@sha256:${packs[0]}`],
    ])("registry: a pack can be pulled by %s", async (_, name) => {
      const pulled = await ok<PullResult>(tempStore().folder, "pull", place + name());
      expect(pulled.packs.map(({ hash }) => hash.slice(7))).toEqual([packs[0]]);
    });

    it("registry: a pull from a repository of several packs needs a name or --all", async () => {
      const other = tempStore().folder;
      const { stderr, status } = await ctx(other, "pull", place);
      expect(status).toBe(2);
      for (const hex of packs) expect(stderr).toContain(`${place}:${hex.slice(0, 12)}`);
      expect(await fails(other, "pull", `${place}:good`, "--all")).toMatchObject({ code: "usage" });
      const pulled = await ok<PullResult>(other, "pull", place, "--all");
      expect(pulled.packs.map(({ hash }) => hash.slice(7)).sort()).toEqual([...packs].sort());
    });

    it.each([
      [":other", "not-found"],
      [":abcdef", "not-found"],
      [`@sha256:${"0".repeat(64)}`, "not-found"],
      [`:${"0".repeat(64)}`, "not-found"],
    ])("registry: a pull of %s finds nothing (%s)", async (name, code) => {
      expect(await fails(tempStore().folder, "pull", place + name)).toMatchObject({ code });
    });

    it("registry: a repository that does not exist is not-found for pull, and empty for ls", async () => {
      expect(await fails(tempStore().folder, "pull", `${place}/none`)).toMatchObject({ code: "not-found" });
      expect(await ok<LsResult>(folder, "remote", "ls", `${place}/none`)).toMatchObject({
        packs: [],
        others: [],
      });
    });
  });

  /** As another program, or an older ctx, may do it. */
  const tagByHand = async (tag: string, hex: string): Promise<void> =>
    await putManifest(proxy.host, repository, {
      tag,
      manifest: await ociManifest(proxy.host, repository, hex),
    });

  describe("a tag that reads as the beginning of a hash", () => {
    let folder: string;
    let first: string;
    let second: string;

    beforeEach(async () => {
      const store = await storeWith(sharedLog("a", []), sharedLog("b", []));
      folder = store.folder;
      [first = "", second = ""] = store.packs;
      for (const hex of store.packs) await ok(folder, "push", hex, at);
    });

    it.each([4, 8, 63])(
      "registry: a tag of %d digits that begins as another pack's hash is never pulled for it",
      async (digits) => {
        const tag = first.slice(0, digits);
        await tagByHand(tag, second);
        const { code, message, hint } = await fails(tempStore().folder, "pull", `${at}:${tag}`);
        expect(code).toBe("registry");
        expect(message).toContain(`a tag ${tag} that names ctx://${second}`);
        expect(message).toContain(`the digits mean ctx://${first}`);
        expect(hint).toContain(`@sha256:${first}`);
        await ok(tempStore().folder, "pull", `${at}@sha256:${first}`);
        // More digits than the tag has are no tag.
        if (digits < 63) await ok(tempStore().folder, "pull", `${at}:${first.slice(0, digits + 1)}`);
        const listed = await ok<LsResult>(folder, "remote", "ls", at);
        expect(listed.others).toEqual([tag]);
        expect(listed.packs.flatMap(({ tags }) => tags).sort()).toEqual([first, second].sort());
        const some = await ok<LsResult>(folder, "remote", "ls", `${at}:${tag}`);
        expect(some.packs.map(({ hash }) => hash.slice(7))).toEqual([first]);
      },
    );

    it("registry: a tag of hex digits that its pack's hash does not begin with is refused, in either case", async () => {
      for (const tag of ["0000", "DEADBEEF", "0".repeat(65)]) {
        await tagByHand(tag, second);
        const { message } = await fails(tempStore().folder, "pull", `${at}:${tag}`);
        expect(message).toContain(
          `a tag ${tag} that names ctx://${second}, whose hash does not start with it`,
        );
      }
    });

    it("registry: a tag that begins as its own pack's hash can be pulled", async () => {
      await tagByHand(first.slice(0, 6), first);
      const pulled = await ok<PullResult>(tempStore().folder, "pull", `${at}:${first.slice(0, 6)}`);
      expect(pulled.packs.map(({ hash }) => hash.slice(7))).toEqual([first]);
      const upper = await ok<PullResult>(
        tempStore().folder,
        "pull",
        `${at}:${first.slice(0, 12).toUpperCase()}`,
      );
      expect(upper.packs.map(({ hash }) => hash.slice(7))).toEqual([first]);
    });

    it("registry: a tag that reads as the beginning of a hash cannot be pushed", async () => {
      await ok(folder, "remote", "add", "team", at);
      for (const tag of ["47d7", "47d75f33", "DEAD", "0123456789", first, first.slice(0, 63), "0".repeat(65)])
        for (const to of [`${at}:${tag}`, `team:${tag}`]) {
          const { code, message } = await fails(folder, "push", first, to, "--force");
          expect(code).toBe("usage");
          expect(message).toContain(`"${tag}" cannot be a tag`);
        }
      await ok(folder, "push", first, `${at}:47d`);
      await ok(folder, "push", first, `${at}:latest`);
      await ok(folder, "push", first, `${at}:v47d75f33`);
    });
  });

  // The registry itself now and then calls one of two manifests corrupt that arrive at once (DIGEST_INVALID).
  it("registry: two pushes at once, and two pulls into one store at once, all succeed", {
    retry: 2,
  }, async () => {
    const shared = longText("shared", 300_000);
    const { folder, packs } = await storeWith(
      sharedLog("a", [shared, longText("a", 70_000)]),
      sharedLog("b", [shared, longText("b", 70_000)]),
    );
    await Promise.all(packs.map((hex) => ok(folder, "push", hex, at)));
    const other = tempStore().folder;
    const both = [...packs, packs[0] ?? ""];
    await Promise.all(both.map((hex) => ok(other, "pull", `${at}:${hex}`)));
    for (const hex of packs) expect((await ctx(other, "verify", hex)).status).toBe(0);
    expect([...leftovers(other), ...downloadsIn(other)]).toEqual([]);
  });

  it("registry: ls lists other images beside packs, and prints no control characters of annotations", async () => {
    const { folder, packs } = await storeWith(sharedLog("a", []));
    await ok(folder, "push", "latest", at);
    const config = await putBlob(proxy.host, repository, Buffer.from('{"os":"linux"}'));
    const layer = await putBlob(proxy.host, repository, Buffer.from("layer"));
    const type = "application/vnd.oci.image.manifest.v1+json";
    const image = {
      schemaVersion: 2,
      mediaType: type,
      config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: config, size: 14 },
      layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", digest: layer, size: 5 }],
    };
    await putManifest(proxy.host, repository, { tag: "image", manifest: image });
    // The name of a pack that is none.
    await putManifest(proxy.host, repository, { tag: "ab".repeat(32), manifest: image });
    const own = await ociManifest(proxy.host, repository, packs[0] ?? "");
    const loud = {
      ...own,
      annotations: {
        "dev.contextsubstrate.model": "\u001b[2Jevil\u202e\nline",
        "dev.contextsubstrate.steps": "999999999999",
        "org.opencontainers.image.created": "\u001b]0;x\u0007",
      },
    };
    await putManifest(proxy.host, repository, { tag: "loud", manifest: loud });
    const listed = await ok<LsResult>(folder, "remote", "ls", at);
    expect(listed.others).toEqual(["ab".repeat(32), "image"]);
    expect(
      listed.packs
        .map(({ tags }) => tags)
        .flat()
        .sort(),
    ).toEqual([packs[0] ?? "", "loud"].sort());
    const { stdout } = await ctx(folder, "remote", "ls", at);
    expect(stdout).toContain("evil");
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(await fails(folder, "pull", `${at}:image`)).toMatchObject({ code: "bundle-invalid" });
    expect(await fails(folder, "pull", `${at}:${"ab".repeat(32)}`)).toMatchObject({ code: "bundle-invalid" });
  });

  it("registry: ls works without a store", async () => {
    const { folder, packs } = await storeWith(sharedLog("a", []));
    await ok(folder, "push", "latest", at);
    const listed = await ok<LsResult>(tempFolder(), "remote", "ls", at);
    expect(listed.packs).toMatchObject([{ hash: `sha256:${packs[0]}` }]);
    expect(listed.packs[0]).not.toHaveProperty("here");
  });

  it("registry: a push of a pack with a secret, or with --dry-run, sends no request", async () => {
    const { folder } = await storeWith(sharedLog("a", [], { created: "2026-02-10T12:00:00Z" }));
    await ok(folder, "push", "latest", at, "--dry-run");
    const secret = ["ghp_", "xB3d".repeat(9)].join("");
    await ctx(folder, "pack", "-", "--no-sidecars", "--no-redact");
    const log = JSON.stringify(
      sharedLog("b", [], { prompts: [{ role: "user", content: `my token is ${secret}` }] }),
    );
    const { cli } = await import("../../dev/cli.js");
    expect(
      await cli(["pack", "-", "--no-sidecars", "--redact", "off"], { folder, input: log }),
    ).toMatchObject({ status: 0 });
    const failure = await fails(folder, "push", "latest", at);
    expect(failure).toMatchObject({ code: "secret-found" });
    expect(JSON.stringify(failure)).not.toContain(secret);
    expect(proxy.seen).toEqual([]);
    await ok(folder, "push", "latest", at, "--allow-secrets");
  });

  it("registry: ls reads a list of tags in pages, and ends one without end with an error", async () => {
    const { folder, packs } = await storeWith(sharedLog("a", []), sharedLog("b", []));
    await ok(folder, "push", "--all", at);
    proxy.rule = ({ path }) =>
      path.includes("last=2")
        ? page([packs[1] ?? ""])
        : path.includes("last=1")
          ? page([], "list?last=2")
          : path.includes("tags/list")
            ? page([packs[0] ?? ""], `/v2/${repository}/tags/list?last=1`)
            : undefined;
    expect((await ok<LsResult>(folder, "remote", "ls", at)).packs).toHaveLength(2);
    // The same page for ever, and ever another one.
    for (const next of ["list?n=1000", ""]) {
      let page2 = 0;
      proxy.rule = ({ path }) =>
        path.includes("tags/list") ? page([], next || `list?last=${++page2}`) : undefined;
      expect(await fails(folder, "remote", "ls", at)).toMatchObject({
        code: "registry",
        message: expect.stringContaining("endless list") as string,
      });
    }
    proxy.rule = ({ path }) => (path.includes("tags/list") ? page([], "http://[::1") : undefined);
    expect(await fails(folder, "remote", "ls", at)).toMatchObject({ code: "registry" });
  });

  it("registry: a pack of empty texts can be pushed and pulled", async () => {
    const { folder, packs } = await storeWith(
      sharedLog("", [""], {
        system_prompt: "",
        prompts: [],
        steps: [{ type: "reasoning", output: "" }],
        outputs: [],
      }),
    );
    await ok(folder, "push", "latest", at);
    const other = tempStore().folder;
    await ok(other, "pull", at);
    expect((await ctx(other, "verify", packs[0] ?? "")).status).toBe(0);
    expect(blobsSent(proxy)).toContain(empty);
  });
});

describeWith([program("docker-registry"), program("skopeo")], "packs that skopeo copied", () => {
  it("registry: a pack that skopeo copied from another registry or from a bundle can be pulled", async () => {
    const registry = await startRegistry();
    const second = await startRegistry();
    const { folder, packs } = await storeWith(sharedLog("a", [longText("a", 70_000)]));
    const [hex = ""] = packs;
    await ok(folder, "push", "latest", `oci://${registry.host}/from:good`);
    skopeo(
      "--src-tls-verify=false",
      "--dest-tls-verify=false",
      `docker://${registry.host}/from:good`,
      `docker://${second.host}/copy:best`,
    );
    const file = join(folder, "runs.ctx.tar");
    await ok(folder, "export", "latest", "-o", file);
    skopeo("--dest-tls-verify=false", `oci-archive:${file}:${hex}`, `docker://${second.host}/archive:best`);
    for (const name of ["copy", "archive"]) {
      const other = tempStore().folder;
      const pulled = await ok<PullResult>(other, "pull", `oci://${second.host}/${name}:best`);
      expect(pulled.packs.map(({ hash }) => hash.slice(7))).toEqual([hex]);
      expect((await ctx(other, "verify", hex)).status).toBe(0);
    }
  });
});
