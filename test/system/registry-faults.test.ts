// Registries that fail or lie, and networks that cut: what passes is tried again; what does not leaves the
// store as it was.
import * as fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { LsResult, PullResult, PushResult } from "../../src/results/share.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { describeWith, program } from "../../dev/needs.js";
import { blobFile, type RunningRegistry, startRegistry } from "../../dev/registry.js";
import { type Fault, type Proxy, type Rule, type Seen, startProxy } from "../../dev/registry-proxy.js";
import {
  blobsFetched,
  blobsSent,
  ctx,
  downloadsIn,
  fails,
  hashOf,
  hexIn,
  isBlobGet,
  longText,
  type OciManifest,
  ociManifest,
  ok,
  putManifest,
  sharedLog,
  storeWith,
} from "../../dev/sharing.js";
import { flawsOf, leftovers, objectFile } from "../../dev/store-check.js";

const large = longText("large", 300_000);
const largeHex = hashOf(large);
const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";

const isManifest = ({ path }: Seen): boolean => path.includes("/manifests/");
const isLarge = (seen: Seen): boolean => isBlobGet(seen) && hexIn(seen) === largeHex;
const isPut = ({ method, path }: Seen): boolean => method === "PUT" && path.includes("/blobs/uploads/");
/** Requests about the tag `mine`. */
const isTag =
  (...methods: string[]) =>
  ({ method, path }: Seen): boolean =>
    methods.includes(method) && path.endsWith("/manifests/mine");
const isStart = ({ method }: Seen): boolean => method === "POST";
/** A fault for the first so many requests of a kind. */
const first =
  (kind: (seen: Seen) => boolean, fault: Fault, times = 1): Rule =>
  (seen, before) =>
    kind(seen) && before < times ? fault : undefined;
const always =
  (kind: (seen: Seen) => boolean, fault: Fault | ((seen: Seen) => Fault)): Rule =>
  (seen) =>
    kind(seen) ? (typeof fault === "function" ? fault(seen) : fault) : undefined;

const said = (body: Buffer | string, headers: Record<string, string> = {}): Fault => ({
  answer: { status: 200, headers: { "content-type": manifestType, ...headers }, body },
});
const endless =
  (headers: Record<string, string>) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": manifestType, ...headers });
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 16, " ")));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };
const setHead =
  (change: Record<string, string | undefined>, status?: number): NonNullable<Fault["head"]> =>
  (_, headers) => {
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) delete headers[name];
      else headers[name] = value;
    }
    return status === undefined ? undefined : { status };
  };
const flipped = (piece: Buffer): Buffer => {
  const copy = Buffer.from(piece);
  copy[0] = (copy[0] as number) ^ 1;
  return copy;
};

describeWith([program("docker-registry")], "a faulty registry", () => {
  let registry: RunningRegistry;
  let proxy: Proxy;
  let elsewhere: Proxy;
  let source: string;
  let hex: string;
  let other: string;
  let at: string;
  let manifest: OciManifest;
  let count = 0;

  beforeAll(async () => {
    registry = await startRegistry();
    proxy = await startProxy(registry.port);
    elsewhere = await startProxy(registry.port);
    const store = await storeWith(sharedLog("a", [large]), sharedLog("b", []));
    source = store.folder;
    [hex = "", other = ""] = store.packs;
    await ok(source, "push", hex, `oci://${registry.host}/runs:good`);
    await ok(source, "push", other, `oci://${registry.host}/runs:other`);
    manifest = await ociManifest(registry.host, "runs", "good");
    at = `oci://${proxy.host}/runs`;
  });

  beforeEach(() => {
    for (const one of [proxy, elsewhere]) {
      one.seen = [];
      one.rule = undefined;
    }
  });

  const lies: [string, string, () => Rule][] = [
    [
      "an index instead of a manifest",
      "bundle-invalid",
      () =>
        always(isManifest, said(JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [] }))),
    ],
    [
      "a manifest that is also an index",
      "bundle-invalid",
      () => always(isManifest, said(JSON.stringify({ ...manifest, manifests: [] }))),
    ],
    [
      "the right bytes with the type of an index",
      "bundle-invalid",
      () => always(isManifest, { head: setHead({ "content-type": indexType }) }),
    ],
    [
      "a manifest of another type",
      "bundle-invalid",
      () =>
        always(
          isManifest,
          said(
            JSON.stringify({
              ...manifest,
              mediaType: "application/vnd.docker.distribution.manifest.v2+json",
            }),
          ),
        ),
    ],
    ["a body that is not JSON", "bundle-invalid", () => always(isManifest, said("\u001b[2J<html>"))],
    ["deeply nested JSON", "bundle-invalid", () => always(isManifest, said("[".repeat(500_000)))],
    ["a null", "bundle-invalid", () => always(isManifest, said("null"))],
    ["an endless manifest", "registry", () => always(isManifest, { by: endless({}) })],
    [
      "a manifest of 10 GB",
      "registry",
      () => always(isManifest, { by: endless({ "content-length": "10000000000" }) }),
    ],
    [
      "a manifest of 10 GB that never arrives",
      "registry",
      () =>
        always(isManifest, {
          by: (_, response) => response.writeHead(200, { "content-length": "10000000000" }).flushHeaders(),
        }),
    ],
    [
      "a compressed manifest",
      "bundle-invalid",
      () => always(isManifest, said(gzipSync(JSON.stringify(manifest)), { "content-encoding": "gzip" })),
    ],
    [
      "a manifest whose hash differs from its header",
      "registry",
      () => always(isManifest, { head: setHead({ "docker-content-digest": `sha256:${"0".repeat(64)}` }) }),
    ],
    [
      "another pack under the name of the pack",
      "registry",
      () =>
        always((seen) => seen.path.endsWith(hex), {
          by: (_, response) =>
            void fetch(`http://${registry.host}/v2/runs/manifests/other`, {
              headers: { accept: manifestType },
            }).then(async (answer) =>
              response.writeHead(200, { "content-type": manifestType }).end(await answer.text()),
            ),
        }),
    ],
    [
      "a redirect to itself",
      "registry",
      () => always(isManifest, (seen) => ({ answer: { status: 307, headers: { location: seen.path } } })),
    ],
    [
      "a redirect to a file",
      "registry",
      () => always(isManifest, { answer: { status: 307, headers: { location: "file:///etc/passwd" } } }),
    ],
    [
      "a redirect to plain HTTP elsewhere",
      "registry",
      () => always(isLarge, { answer: { status: 307, headers: { location: "http://192.0.2.1/blob" } } }),
    ],
    [
      "a redirect with a password",
      "registry",
      () =>
        always(isLarge, { answer: { status: 307, headers: { location: "http://a:b@127.0.0.1:1/blob" } } }),
    ],
    [
      "a refusal",
      "registry",
      () =>
        always(isLarge, {
          answer: { status: 403, body: '{"errors":[{"code":"DENIED","message":"no \\u001b[31m"}]}' },
        }),
    ],
    ["a missing blob", "registry", () => always(isLarge, { answer: { status: 404 } })],
    ["wrong bytes", "registry", () => always(isLarge, { bytes: flipped })],
    [
      "a blob with one byte more, announced so",
      "registry",
      () =>
        always(isLarge, {
          head: setHead({ "content-length": String(large.length + 1) }),
          after: Buffer.from("x"),
        }),
    ],
    [
      "a blob announced one byte shorter",
      "registry",
      () => always(isLarge, { head: setHead({ "content-length": String(large.length - 1) }) }),
    ],
    [
      "a blob with one byte more",
      "registry",
      () => always(isLarge, { head: setHead({ "content-length": undefined }), after: Buffer.from("x") }),
    ],
    ["an endless blob", "registry", () => always(isLarge, { by: endless({}) })],
    [
      "a compressed blob",
      "registry",
      () =>
        always(isLarge, {
          answer: { status: 200, headers: { "content-encoding": "gzip" }, body: gzipSync(large) },
        }),
    ],
  ];

  it.each(lies)(
    "faulty registry: a pull that gets %s fails with %s, and the store is unchanged",
    async (lie, code, rule) => {
      const { folder } = tempStore();
      proxy.rule = rule();
      const failure = await fails(folder, "pull", `${at}:${hex}`);
      expect(failure).toMatchObject({ code });
      expect(failure.message).not.toContain("bug");
      // A later process may go on with the rest, and gc removes it: but one that is wrong must not stay.
      if (lie === "wrong bytes")
        expect(downloadsIn(folder).filter((name) => name.startsWith(largeHex))).toEqual([]);
    },
  );

  const passing: [string, () => Rule][] = [
    [
      "429 with Retry-After: 0",
      () => first(isManifest, { answer: { status: 429, headers: { "retry-after": "0" } } }),
    ],
    [
      "429 with Retry-After: 1",
      () => first(isLarge, { answer: { status: 429, headers: { "retry-after": "1" } } }),
    ],
    ["503", () => first(isManifest, { answer: { status: 503 } })],
    ["500 for a blob", () => first(isLarge, { answer: { status: 500, body: "oops" } })],
    [
      "a connection cut before the answer",
      () => first(isManifest, { by: (request) => void request.socket.destroy() }),
    ],
    ["a manifest that is cut short", () => first(isManifest, { cutDown: 10 })],
    ["a blob that is cut at once", () => first(isLarge, { cutDown: 0 })],
    [
      "a blob that ends early without an error",
      () => first(isLarge, { by: (_, response) => void response.writeHead(200).end(large.slice(0, 1000)) }),
    ],
    [
      "a redirect of a blob",
      () =>
        always(isLarge, (seen) => ({
          answer: { status: 307, headers: { location: elsewhere.origin + seen.path } },
        })),
    ],
    [
      "a redirect of a manifest",
      () =>
        always(
          (seen) => isManifest(seen),
          (seen) => ({ answer: { status: 302, headers: { location: elsewhere.origin + seen.path } } }),
        ),
    ],
    ["no Content-Length", () => always(isLarge, { head: setHead({ "content-length": undefined }) })],
    [
      "no Docker-Content-Digest",
      () =>
        always(isManifest, {
          head: setHead({ "docker-content-digest": undefined, "content-type": undefined }),
        }),
    ],
  ];

  it.each(passing)("faulty registry: a pull succeeds after %s", async (_, rule) => {
    const { folder } = tempStore();
    proxy.rule = rule();
    await ok(folder, "pull", `${at}:${hex}`);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect([...leftovers(folder), ...downloadsIn(folder)]).toEqual([]);
    for (const { headers } of elsewhere.seen) expect(headers).not.toHaveProperty("authorization");
  });

  it("faulty registry: a pull waits for a registry that restarts", async () => {
    const { folder } = tempStore();
    proxy.rule = first(isLarge, { by: () => proxy.rest(250) });
    await ok(folder, "pull", `${at}:${hex}`);
    expect(flawsOf(folder, hex)).toEqual([]);
  });

  it("faulty registry: another manifest than the hash names is refused", async () => {
    const { packs } = await ok<LsResult>(source, "remote", "ls", at);
    const { digest } = packs.find(({ hash }) => hash.endsWith(hex)) as LsResult["packs"][0];
    proxy.rule = always(
      ({ path }) => path.endsWith(digest),
      said(`${JSON.stringify(manifest)}\n`, { "docker-content-digest": digest }),
    );
    expect(await fails(tempStore().folder, "pull", `${at}@${digest}`)).toMatchObject({
      code: "registry",
      message: expect.stringContaining("has the hash") as string,
    });
  });

  it("faulty registry: a download that was cut resumes at its byte, and fetches only the missing bytes", async () => {
    const { folder } = tempStore();
    proxy.rule = first(isLarge, { cutDown: 100_000 });
    await ok(folder, "pull", `${at}:${hex}`);
    const gets = proxy.seen.filter(isLarge);
    expect(gets.map(({ headers, sent, status }) => [headers.range, sent, status])).toEqual([
      [undefined, 100_000, 200],
      ["bytes=100000-", 200_000, 206],
    ]);
    expect(flawsOf(folder, hex)).toEqual([]);
  });

  const ranges: [string, Fault][] = [
    ["is ignored", { without: "range" }],
    ["is answered with another part", { head: setHead({ "content-range": "bytes 5-299999/300000" }) }],
    ["is answered without Content-Range", { head: setHead({ "content-range": undefined }) }],
    ["is answered with 416", { answer: { status: 416, headers: { "content-length": "5000" }, body: "" } }],
  ];
  it.each(ranges)("faulty registry: a download starts again where its Range %s", async (_, fault) => {
    const { folder } = tempStore();
    proxy.rule = (seen, before) =>
      !isLarge(seen) ? undefined : before === 0 ? { cutDown: 100_000 } : before === 1 ? fault : undefined;
    await ok(folder, "pull", `${at}:${hex}`);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(downloadsIn(folder)).toEqual([]);
  });

  it("faulty registry: a blob with a flipped byte on the registry's disk is refused, and no part of it stays", async () => {
    const file = blobFile(registry, largeHex);
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(file, flipped(bytes));
    try {
      const { folder } = tempStore();
      expect(await fails(folder, "pull", `${at}:${hex}`)).toMatchObject({
        code: "registry",
        message: expect.stringContaining(`sent wrong bytes for sha256:${largeHex}`) as string,
      });
      expect(downloadsIn(folder).filter((name) => name.startsWith(largeHex))).toEqual([]);
    } finally {
      fs.writeFileSync(file, bytes);
    }
  });

  it.each([
    ["longer", large.length + 1, "registry"],
    ["shorter", large.length - 1, "registry"],
    ["larger than any disk", 2 ** 52, "too-large"],
  ])("faulty registry: a pull fails where the manifest says that a blob is %s", async (name, size, code) => {
    const layers = manifest.layers.map((layer) =>
      layer.digest.endsWith(largeHex) ? { ...layer, size } : layer,
    );
    await putManifest(registry.host, "runs", { tag: `lie-${size}`, manifest: { ...manifest, layers } });
    expect(await fails(tempStore().folder, "pull", `${at}:lie-${size}`), name).toMatchObject({ code });
    expect(proxy.seen.filter(isLarge).length).toBeLessThanOrEqual(1);
  });

  it.each([
    ["misses a blob", (layers: OciManifest["layers"]) => layers.slice(0, -1)],
    [
      "has a blob that the pack does not need",
      (layers: OciManifest["layers"]) => [
        ...layers,
        { ...(layers.at(-1) as OciManifest["layers"][0]), digest: `sha256:${hashOf("{}")}`, size: 2 },
      ],
    ],
    [
      "has the manifest of its pack twice",
      (layers: OciManifest["layers"]) => [...layers, layers[0] as OciManifest["layers"][0]],
    ],
    [
      "has a large blob instead of a tar",
      (layers: OciManifest["layers"]) =>
        layers.map((layer) =>
          layer.annotations === undefined
            ? layer
            : {
                ...(layers.at(-1) as OciManifest["layers"][0]),
                mediaType: layer.mediaType,
                annotations: layer.annotations,
              },
        ),
    ],
  ])("faulty registry: a pull fails where the OCI manifest %s", async (_, change) => {
    await putManifest(registry.host, "runs", {
      tag: "bent",
      manifest: { ...manifest, layers: change(manifest.layers) },
    });
    expect(await fails(tempStore().folder, "pull", `${at}:bent`)).toMatchObject({ code: "bundle-invalid" });
  });

  const pushes: [string, () => Rule][] = [
    [
      "a cut while a blob is sent",
      () => first((seen) => isPut(seen) && seen.headers["content-length"] === "300000", { cutUp: 50_000 }),
    ],
    ["503 for the start of an upload", () => first(isStart, { answer: { status: 503 } })],
    ["429 for a blob", () => first(isPut, { answer: { status: 429, headers: { "retry-after": "1" } } })],
    ["an upload that was lost", () => first(isPut, { answer: { status: 404 } })],
    [
      "500 for the manifest",
      () =>
        first(({ method, path }) => method === "PUT" && path.includes("/manifests/"), {
          answer: { status: 500 },
        }),
    ],
    [
      "a relative Location",
      () =>
        always(isStart, {
          head: (_, headers) => {
            headers["location"] = String(headers["location"]).replace(/^.*\/blobs\/uploads\//, "");
            return undefined;
          },
        }),
    ],
    [
      "a Location on another host",
      () =>
        always(isStart, {
          head: (_, headers) => {
            headers["location"] = String(headers["location"]).replace(proxy.origin, elsewhere.origin);
            return undefined;
          },
        }),
    ],
    [
      "no Content-Length for a blob that exists",
      () => always(({ method }) => method === "HEAD", { head: setHead({ "content-length": undefined }) }),
    ],
  ];
  it.each(pushes)("faulty registry: a push succeeds after %s", async (_, rule) => {
    const to = `oci://${proxy.host}/push-${count++}`;
    proxy.rule = rule();
    const pushed = await ok<PushResult>(source, "push", hex, to);
    expect(pushed.sent.blobs).toBe(4);
    proxy.rule = undefined;
    expect([...blobsSent(proxy), ...blobsSent(elsewhere)]).toHaveLength(4);
    const { folder } = tempStore();
    await ok(folder, "pull", to);
    expect(flawsOf(folder, hex)).toEqual([]);
    for (const { headers } of elsewhere.seen) expect(headers).not.toHaveProperty("authorization");
  });

  const otherDigest = `sha256:${"0".repeat(64)}`;
  const unkept: [string, RegExp, () => Rule][] = [
    [
      "accepts the tag and forgets it",
      /:mine was pushed as sha256:[0-9a-f]{64}, but the registry now says that the tag does not exist$/,
      () => always(isTag("PUT"), { answer: { status: 201 } }),
    ],
    [
      "points the tag to another manifest",
      /the registry now says that the tag names sha256:[0-9a-f]{64}$/,
      () => (seen, before) =>
        isTag("HEAD")(seen) && before > 0
          ? { head: setHead({ "docker-content-digest": otherDigest }) }
          : isTag("GET")(seen)
            ? said(JSON.stringify({ ...manifest, annotations: {} }))
            : isTag("HEAD")(seen)
              ? {}
              : undefined,
    ],
  ];
  it.each(unkept)("faulty registry: a push fails if the registry %s", async (_, message, rule) => {
    proxy.rule = rule();
    const error = await fails(source, "push", hex, `oci://${proxy.host}/push-${count++}:mine`);
    expect(error).toMatchObject({ code: "registry", message: expect.stringMatching(message) });
  });

  it.each<[string, Fault]>([
    ["has no HEAD", { answer: { status: 405 } }],
    ["has no digest in its answers to HEAD", { head: setHead({ "docker-content-digest": undefined }) }],
    ["has hashes of another kind", { head: setHead({ "docker-content-digest": "sha512:00" }) }],
  ])(
    "faulty registry: a push reads the manifest of its tag back with GET from a registry that %s",
    async (_, fault) => {
      const to = `oci://${proxy.host}/push-${count++}:mine`;
      proxy.rule = always(isTag("HEAD"), fault);
      await ok(source, "push", hex, to);
      const [last] = proxy.seen.filter(isTag("GET", "PUT")).toReversed();
      expect([last?.method, last?.status]).toEqual(["GET", 200]);
    },
  );

  const refusals: [string, () => Rule][] = [
    ["redirects uploads", () => always(isPut, { answer: { status: 307, headers: { location: "/x" } } })],
    ["answers without a Location", () => always(isStart, { answer: { status: 202 } })],
    [
      "answers with a Location that is no URL",
      () => always(isStart, { answer: { status: 202, headers: { location: "http://[" } } }),
    ],
    [
      "answers with a Location that has a password",
      () => always(isStart, { answer: { status: 202, headers: { location: "//a:b@127.0.0.1/x" } } }),
    ],
    [
      "confirms another manifest",
      () =>
        always(({ method, path }) => method === "PUT" && path.includes("/manifests/"), {
          head: setHead({ "docker-content-digest": `sha256:${"1".repeat(64)}` }),
        }),
    ],
    [
      "refuses uploads",
      () =>
        always(isStart, { answer: { status: 403, body: '{"errors":[{"code":"DENIED","message":"no"}]}' } }),
    ],
    [
      "answers before it has read the blob, and closes the connection",
      () =>
        always(isPut, {
          by: (_, response) => void response.writeHead(413, { connection: "close" }).end("too large"),
        }),
    ],
    [
      "answers before it has read the blob, and keeps the connection",
      () =>
        always(isPut, {
          by: (request, response) => {
            request.pause();
            response.writeHead(403).end("no");
          },
        }),
    ],
  ];
  it.each(refusals)("faulty registry: a push fails if the registry %s", async (_, rule) => {
    const to = `oci://${proxy.host}/push-${count++}`;
    proxy.rule = rule();
    const big = await big5();
    expect(await fails(big.folder, "push", "latest", to)).toMatchObject({ code: "registry" });
  });

  let bigStore: { folder: string } | undefined;
  /** More than fits into the buffers of two sockets. */
  async function big5(): Promise<{ folder: string }> {
    bigStore ??= await storeWith(sharedLog("big", [longText("big", 12_000_000)]));
    return bigStore;
  }

  it("faulty registry: a blob that is damaged here is not pushed, and a pull repairs it", async () => {
    const { folder } = await storeWith(sharedLog("a", [large, longText("small", 5000)]));
    await ok(folder, "push", "latest", `oci://${proxy.host}/mend`);
    for (const text of [large, longText("small", 5000)]) {
      const path = objectFile(folder, hashOf(text));
      fs.chmodSync(path, 0o644);
      fs.writeFileSync(path, flipped(Buffer.from(text)));
      const failure = await fails(
        folder,
        "push",
        "latest",
        `oci://${proxy.host}/push-${count++}`,
        "--allow-secrets",
      );
      expect(failure).toMatchObject({
        code: "damaged",
        message: expect.stringContaining(hashOf(text)) as string,
      });
      proxy.seen = [];
      const pulled = await ok<PullResult>(folder, "pull", `oci://${proxy.host}/mend`);
      expect(pulled.packs[0]?.repaired).toEqual([`sha256:${hashOf(text)}`]);
      expect(blobsFetched(proxy)).toHaveLength(1);
      expect(fs.readFileSync(path, "utf8")).toBe(text);
      expect((await ctx(folder, "verify", "latest")).status).toBe(0);
    }
  });

  it("faulty registry: a damaged blob here does not make a pull fetch other large blobs again", async () => {
    const shared = longText("shared", 80_000);
    const { folder } = await storeWith(sharedLog("x", [shared]));
    const more = await storeWith(sharedLog("y", [shared, large]));
    await ok(more.folder, "push", "latest", `oci://${proxy.host}/half`);
    const path = objectFile(folder, hashOf(shared));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "other");
    proxy.seen = [];
    await ok(folder, "pull", `oci://${proxy.host}/half`);
    expect(proxy.seen.filter(isLarge)).toHaveLength(1);
    expect((await ctx(folder, "verify", more.packs[0] ?? "")).status).toBe(0);
  });

  it("faulty registry: progress reaches the total, also after a cut", async () => {
    const { pull } = await import("../../src/ops/pull.js");
    const { push } = await import("../../src/ops/push.js");
    const { Store } = await import("../../src/store/store.js");
    const wallet = { home: "/nowhere", env: {} };
    const reports: [number, number][] = [];
    const progress = (done: number, of: number): void => void reports.push([done, of]);
    proxy.rule = first(isLarge, { cutDown: 100_000 });
    const result = await pull(tempStore(), `${at}:${hex}`, { wallet, progress });
    expect(reports.at(-1)).toEqual([result.received.bytes, result.received.bytes]);
    proxy.rule = first((seen) => isPut(seen) && seen.headers["content-length"] === "300000", {
      cutUp: 50_000,
    });
    const to = `oci://${proxy.host}/push-${count++}`;
    const after = reports.length;
    const pushed = await push(Store.find(source), [hex], to, { wallet, progress });
    expect(reports.at(-1)).toEqual([pushed.sent.bytes, pushed.sent.bytes]);
    expect(reports.length).toBeGreaterThan(after);
    for (const [done, of] of reports) {
      expect(of).toBeGreaterThan(0);
      expect(done).toBeGreaterThanOrEqual(0);
      expect(done).toBeLessThanOrEqual(of);
    }
  });

  it("faulty registry: a pull does not follow a link out of the store", async () => {
    const outside = tempFolder();
    for (const place of ["cache", "cache/downloads"]) {
      const { folder, root } = tempStore();
      fs.mkdirSync(join(root, place, ".."), { recursive: true });
      fs.symlinkSync(outside, join(root, place));
      expect((await ctx(folder, "pull", `${at}:${hex}`)).status).toBe(2);
      expect(fs.readdirSync(outside)).toEqual([]);
    }
  });

  it("faulty registry: a pull resumes an old download of another machine, and leaves young ones and links alone", async () => {
    const { folder, root } = tempStore();
    const place = join(root, "cache/downloads");
    fs.mkdirSync(place, { recursive: true });
    const outside = join(tempFolder(), "file");
    fs.writeFileSync(outside, large.slice(0, 5000));
    fs.symlinkSync(outside, join(place, `${largeHex}.a-1-1.1.1.link`));
    const young = join(place, `${largeHex}.elsewhere-1-1.1.1.young`);
    const old = join(place, `${largeHex}.elsewhere-1-1.1.1.zold`);
    const tooLong = join(place, `${largeHex}.elsewhere-1-1.1.1.ylong`);
    fs.writeFileSync(young, large.slice(0, 7000));
    fs.writeFileSync(old, large.slice(0, 9000));
    fs.writeFileSync(tooLong, `${large}x`);
    const hourAgo = Date.now() / 1000 - 3600;
    for (const path of [old, tooLong]) fs.utimesSync(path, hourAgo, hourAgo);
    expect(await ok<PullResult>(folder, "pull", `${at}:${hex}`)).toMatchObject({ resumed: 9000 });
    expect(proxy.seen.filter(isLarge).map(({ headers }) => headers.range)).toEqual(["bytes=9000-"]);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(fs.readFileSync(outside, "utf8")).toBe(large.slice(0, 5000));
    expect(fs.readFileSync(young, "utf8")).toBe(large.slice(0, 7000));
    // Abandoned downloads are removed with other unneeded files.
    await ok(folder, "gc", "--grace", "30m");
    expect(fs.existsSync(tooLong)).toBe(false);
    expect(fs.existsSync(young)).toBe(true);
  });
});
