// Stores with packs that are pushed to registries and pulled from them.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { cli, type CliResult } from "./cli.js";
import { snapshot, tempStore } from "./folders.js";
import { type AnyLog, json, runLog } from "./logs.js";
import type { Proxy, Seen } from "./registry-proxy.js";
import { leftovers } from "./store-check.js";

/** Returns text of this many bytes that differs from any other. */
export function longText(name: string, bytes: number): string {
  return Array.from({ length: Math.ceil(bytes / 16) }, (_, at) => `${name} ${at}`.padEnd(15).slice(0, 15))
    .join("\n")
    .padEnd(bytes, ".")
    .slice(0, bytes);
}

export function hashOf(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns a run with small blobs and large ones. */
export function sharedLog(
  name: string,
  large: readonly string[] = [longText(name, 100_000)],
  fields: AnyLog = {},
): AnyLog {
  return runLog({
    prompts: [{ role: "user", content: `Look at ${name}.` }],
    inputs: large.map((content, at) => ({ name: `large-${at}.txt`, content })),
    ...fields,
  });
}

export async function packed(folder: string, log: AnyLog): Promise<string> {
  const { stdout, stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
  return stdout.trim().slice("ctx://".length);
}

/** Returns a new store with packs of these logs. */
export async function storeWith(...logs: AnyLog[]): Promise<{ folder: string; packs: string[] }> {
  const { folder } = tempStore();
  const packs: string[] = [];
  for (const log of logs) packs.push(await packed(folder, log));
  return { folder, packs };
}

export async function ctx(folder: string, ...argv: string[]): Promise<CliResult> {
  return await cli(argv, { folder });
}

/** Runs a command that must succeed, and returns its JSON output. */
export async function ok<T>(folder: string, ...argv: string[]): Promise<T> {
  const { status, stdout, stderr } = await cli([...argv, "--json"], { folder });
  expect(status, `ctx ${argv.join(" ")}: ${stderr}`).toBe(0);
  return JSON.parse(stdout) as T;
}

/** The JSON of a failure. */
export interface Failure {
  code: string;
  message: string;
  hint?: string;
  data?: Record<string, unknown>;
}

/** Runs a command that must fail, leave the store unchanged and nothing behind. */
export async function fails(folder: string, ...argv: string[]): Promise<Failure> {
  const before = stateOf(folder);
  const { status, stderr } = await cli([...argv, "--json"], { folder });
  expect(status, stderr).toBe(2);
  expect(stateOf(folder), "the store").toEqual(before);
  expect(leftovers(folder)).toEqual([]);
  return (JSON.parse(stderr) as { error: Failure }).error;
}

/** Returns all of a store except its cache. */
export function stateOf(folder: string): Map<string, string> {
  const root = join(folder, ".ctx");
  const cache = join(root, "cache");
  return new Map([...snapshot(root)].filter(([path]) => path !== cache && !path.startsWith(`${cache}/`)));
}

/** Unfinished downloads in the cache of a store. */
export function downloadsIn(folder: string): string[] {
  const downloads = join(folder, ".ctx/cache/downloads");
  return fs.existsSync(downloads) ? fs.readdirSync(downloads) : [];
}

/** Returns the blobs whose bodies were sent to a registry. */
export function blobsSent({ seen }: Proxy): string[] {
  return seen
    .filter(
      ({ method, path, status }) => method === "PUT" && path.includes("/blobs/uploads/") && status === 201,
    )
    .map(({ path }) => /digest=sha256(?:%3A|:)([0-9a-f]{64})/.exec(path)?.[1] ?? path)
    .sort();
}

/** Returns the blobs whose bodies were fetched from a registry. */
export function blobsFetched({ seen }: Proxy): string[] {
  return seen.filter(isBlobGet).map(hexIn).sort();
}

export function isBlobGet({ method, path }: Seen): boolean {
  return method === "GET" && path.includes("/blobs/sha256:");
}

export function hexIn({ path }: Seen): string {
  return /sha256:([0-9a-f]{64})/.exec(path)?.[1] ?? path;
}

export interface OciManifest {
  layers: { mediaType: string; digest: string; size: number; annotations?: Record<string, string> }[];
  [field: string]: unknown;
}

/** Returns the OCI manifest of a name, as the registry returns it. */
export async function ociManifest(host: string, repository: string, name: string): Promise<OciManifest> {
  const response = await fetch(`http://${host}/v2/${repository}/manifests/${name}`, {
    headers: { accept: "application/vnd.oci.image.manifest.v1+json" },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as OciManifest;
}

/** Puts a blob into a registry by hand. */
export async function putBlob(host: string, repository: string, bytes: Buffer): Promise<string> {
  const started = await fetch(`http://${host}/v2/${repository}/blobs/uploads/`, { method: "POST" });
  const url = new URL(started.headers.get("location") ?? "", `http://${host}`);
  url.searchParams.set("digest", `sha256:${hashOf(bytes)}`);
  const done = await fetch(url, { method: "PUT", body: new Uint8Array(bytes) });
  expect(done.status).toBe(201);
  return `sha256:${hashOf(bytes)}`;
}

/** Puts a manifest into a registry by hand. */
export async function putManifest(
  host: string,
  repository: string,
  { tag, manifest, type }: { tag: string; manifest: unknown; type?: string },
): Promise<void> {
  const response = await fetch(`http://${host}/v2/${repository}/manifests/${tag}`, {
    method: "PUT",
    headers: { "content-type": type ?? "application/vnd.oci.image.manifest.v1+json" },
    body: JSON.stringify(manifest),
  });
  expect(response.status, await response.text()).toBe(201);
}
