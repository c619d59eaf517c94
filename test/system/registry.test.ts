// The built program and a registry: it is killed in the middle and resumes, ends when it is done, and trusts
// no stranger.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { mediaTypes } from "../../src/bundle/artifact.js";
import { tempStore } from "../../dev/folders.js";
import { describeWith, itWith, program, root } from "../../dev/needs.js";
import { runCtx, startCtx, type StartOptions } from "../../dev/processes.js";
import { makeCertificate, openssl, startRegistry } from "../../dev/registry.js";
import { type Fault, type Proxy, type Seen, startProxy } from "../../dev/registry-proxy.js";
import {
  blobsSent,
  ctx,
  downloadsIn,
  hashOf,
  hexIn,
  isBlobGet,
  longText,
  ociManifest,
  ok,
  sharedLog,
  stateOf,
  storeWith,
} from "../../dev/sharing.js";
import { flawsOf, leftovers } from "../../dev/store-check.js";

const size = 3_000_000;
const half = 1_500_000;
const large = longText("large", size);
const largeHex = hashOf(large);
const isLarge = (seen: Seen): boolean => isBlobGet(seen) && hexIn(seen) === largeHex;

const isLargePut = ({ method, headers }: Seen): boolean =>
  method === "PUT" && headers["content-length"] === String(size);

describeWith([program("docker-registry")], "the built program and a registry", () => {
  let proxy: Proxy;
  let source: string;
  let hex: string;
  let at: string;
  /**
   * The bytes of all that a pull fetches into files: not the manifest and tars, which are small and held in
   * memory.
   */
  let whole: number;
  /** The others, as they are fetched. */
  let passing: [undefined, number][];
  let count = 0;

  beforeAll(async () => {
    proxy = await startProxy((await startRegistry()).port);
    const store = await storeWith(sharedLog("a", [large, longText("second", 80_000)]));
    source = store.folder;
    hex = store.packs[0] ?? "";
    at = `oci://${proxy.host}/runs`;
    await ok(source, "push", "latest", at);
    const { layers } = await ociManifest(proxy.host, "runs", hex);
    const blobs = layers.filter(({ mediaType }) => mediaType === mediaTypes.blob);
    whole = blobs.reduce((sum, { size: bytes }) => sum + bytes, 0);
    passing = layers.filter((layer) => !blobs.includes(layer)).map((layer) => [undefined, layer.size]);
  });

  beforeEach(() => {
    proxy.seen = [];
    proxy.rule = undefined;
  });

  /** Starts a pull, and ends it when half of the large blob has arrived. */
  async function pullUntilHalf(
    folder: string,
    signal: NodeJS.Signals,
    options: StartOptions = {},
  ): Promise<Awaited<ReturnType<typeof runCtx>>> {
    const stalled = new Promise<void>((begun) => {
      proxy.rule = (seen) => (isLarge(seen) ? ({ stall: half, begun } satisfies Fault) : undefined);
    });
    const { pid, ended } = startCtx(folder, ["pull", at], options);
    await stalled;
    // All but the other half.
    const there = (): number =>
      downloadsIn(folder).reduce(
        (sum, name) => sum + fs.statSync(join(folder, ".ctx/cache/downloads", name)).size,
        0,
      );
    for (let tries = 0; tries < 500 && there() < whole - half; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(there()).toBe(whole - half);
    process.kill(pid, signal);
    const result = await ended;
    proxy.rule = undefined;
    return result;
  }

  it.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)(
    "a pull that %s ended resumes by byte the next time",
    async (signal) => {
      const { folder } = tempStore();
      const before = stateOf(folder);
      const ended = await pullUntilHalf(folder, signal);
      expect(ended).toMatchObject({ status: null, signal });
      expect(stateOf(folder)).toEqual(before);
      proxy.seen = [];
      const { status, stderr, stdout } = await runCtx(folder, ["pull", at, "--json"]);
      expect(status, stderr).toBe(0);
      const fetched = proxy.seen.filter(isBlobGet).map(({ headers, sent }) => [headers.range, sent]);
      expect(fetched).toHaveLength(passing.length + 1);
      expect(fetched).toEqual(expect.arrayContaining([...passing, [`bytes=${half}-`, size - half]]));
      expect((JSON.parse(stdout) as { resumed: number }).resumed).toBeGreaterThan(half);
      expect(flawsOf(folder, hex)).toEqual([]);
      expect([...leftovers(folder), ...downloadsIn(folder)]).toEqual([]);
    },
  );

  it("a pull notices a wrong byte in a partial download, and fetches the blob again", async () => {
    const { folder } = tempStore();
    await pullUntilHalf(folder, "SIGKILL");
    for (const name of downloadsIn(folder)) {
      const path = join(folder, ".ctx/cache/downloads", name);
      const bytes = fs.readFileSync(path);
      bytes[100] = (bytes[100] as number) ^ 1;
      fs.chmodSync(path, 0o600);
      fs.writeFileSync(path, bytes);
    }
    proxy.seen = [];
    const { status, stderr } = await runCtx(folder, ["pull", at]);
    expect(status, stderr).toBe(0);
    expect(proxy.seen.filter(isLarge).map(({ headers }) => headers.range)).toEqual([
      `bytes=${half}-`,
      undefined,
    ]);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(downloadsIn(folder)).toEqual([]);
  });

  itWith(
    [root],
    "a pull by an ordinary user resumes after SIGKILL, also with files that are complete",
    async () => {
      const { folder } = tempStore();
      const user = 65_534;
      execFileSync("chown", ["-R", `${user}:${user}`, folder]);
      fs.chmodSync(folder, 0o755);
      await pullUntilHalf(folder, "SIGKILL", { user });
      // The ones that were whole are read-only by now.
      expect(downloadsIn(folder)).toHaveLength(2);
      const { status, stderr } = await runCtx(folder, ["pull", at], { user });
      expect(status, stderr).toBe(0);
      expect(flawsOf(folder, hex)).toEqual([]);
      expect(downloadsIn(folder)).toEqual([]);
    },
  );

  it("a pull does not use a partial download that another process is still writing", async () => {
    const { folder } = tempStore();
    const stalled = new Promise<void>((begun) => {
      proxy.rule = (seen, before) => (isLarge(seen) && before === 0 ? { stall: half, begun } : undefined);
    });
    const slow = startCtx(folder, ["pull", at]);
    await stalled;
    const { status, stderr } = await runCtx(folder, ["pull", at]);
    expect(status, stderr).toBe(0);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(proxy.seen.filter(isLarge).map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
    process.kill(slow.pid, "SIGINT");
    expect(await slow.ended).toMatchObject({ signal: "SIGINT" });
    expect(leftovers(folder)).toEqual([]);
  });

  it("a push that SIGINT ended sends only what is missing the next time", async () => {
    const to = `oci://${proxy.host}/push-${count++}`;
    const before = stateOf(source);
    const reached = new Promise<void>((resolve) => {
      proxy.rule = (seen) =>
        isLargePut(seen)
          ? {
              by: (request) => {
                request.once("data", () => {
                  request.pause();
                  resolve();
                });
              },
            }
          : undefined;
    });
    const { pid, ended } = startCtx(source, ["push", hex, to]);
    await reached;
    for (let tries = 0; tries < 500 && blobsSent(proxy).length < 4; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(pid, "SIGINT");
    expect(await ended).toMatchObject({ status: null, signal: "SIGINT" });
    expect(blobsSent(proxy)).toHaveLength(4);
    expect(stateOf(source)).toEqual(before);
    expect(proxy.seen.some(({ method, path }) => method === "PUT" && path.includes("/manifests/"))).toBe(
      false,
    );
    proxy.rule = undefined;
    proxy.seen = [];
    const again = await runCtx(source, ["push", hex, to]);
    expect(again.status, again.stderr).toBe(0);
    expect(blobsSent(proxy)).toEqual([largeHex]);
  });

  it("a pull that waits for Retry-After ends at once on SIGINT", async () => {
    proxy.rule = (seen) =>
      isLarge(seen) ? { answer: { status: 429, headers: { "retry-after": "100" } } } : undefined;
    const { folder } = tempStore();
    const { pid, ended } = startCtx(folder, ["pull", at]);
    for (let tries = 0; tries < 1000 && !proxy.seen.some(isLarge); tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(pid, "SIGINT");
    expect(await ended).toMatchObject({ status: null, signal: "SIGINT" });
    expect(leftovers(folder)).toEqual([]);
  });

  it("push --all and pull --all of many packs print no stray output, and stop at the first failure", async () => {
    const { folder } = await storeWith(...Array.from({ length: 15 }, (_, at) => sharedLog(`many ${at}`, [])));
    const to = `oci://${proxy.host}/many`;
    const pushed = await runCtx(folder, ["push", "--all", to]);
    expect(pushed).toMatchObject({ status: 0, stderr: "" });
    const pulled = await runCtx(tempStore().folder, ["pull", "--all", to]);
    expect(pulled).toMatchObject({ status: 0, stderr: "" });
    // The first failure ends all of it.
    proxy.rule = ({ path }) =>
      /manifests\/[0-9a-f]{64}$/.test(path) ? { answer: { status: 403 } } : undefined;
    proxy.seen = [];
    const refused = await runCtx(tempStore().folder, ["pull", "--all", to]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("403");
    expect(proxy.seen.length).toBeLessThan(15);
  });
});

describeWith([program("docker-registry"), openssl], "a registry with a certificate of its own", () => {
  let certificate: string;
  let at: string;

  beforeAll(async () => {
    const made = makeCertificate("localhost", "-addext", "subjectAltName=IP:127.0.0.1");
    certificate = made.certificate;
    at = `oci://${(await startRegistry({ tls: made })).host}/runs`;
  });

  it("a registry with a private certificate is used if it is trusted, and otherwise the error says how to trust it", async () => {
    const { folder, packs } = await storeWith(sharedLog("a"), sharedLog("b"));
    const known = { env: { NODE_EXTRA_CA_CERTS: certificate } };
    for (const args of [
      ["push", "--all", at],
      ["pull", `${at}:${packs[0]}`],
    ]) {
      const refused = await runCtx(folder, args);
      expect(refused.status).toBe(2);
      expect(refused.stderr).toMatch(/certificate/i);
      expect(refused.stderr).toContain("NODE_EXTRA_CA_CERTS");
    }
    const pushed = await runCtx(folder, ["push", "--all", at], known);
    expect(pushed.status, pushed.stderr).toBe(0);
    const other = tempStore().folder;
    const pulled = await runCtx(other, ["pull", at, "--all"], known);
    expect(pulled.status, pulled.stderr).toBe(0);
    expect((await ctx(other, "verify", packs[0] ?? "")).status).toBe(0);
  });
});
