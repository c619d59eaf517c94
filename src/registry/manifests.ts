// Reads the manifests and tags of a repository. Which manifest a tag names is the registry's claim; content
// that has a hash is checked.
import { sha256 } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { mediaTypes } from "../bundle/artifact.js";
import { maxOciManifest, notAPack, readArtifact, type DeclaredArtifact } from "../bundle/read-artifact.js";
import type { Registry } from "./registry.js";

const accept = { accept: mediaTypes.manifest };
const anyManifest = `${mediaTypes.manifest}, ${mediaTypes.index}, */*`;

export interface FoundArtifact {
  artifact: DeclaredArtifact;
  /** The hash of the OCI manifest. */
  digest: string;
}

/** Returns the artifact that a tag or a hash of an OCI manifest names; undefined if there is none. */
export async function getArtifact(registry: Registry, name: string): Promise<FoundArtifact | undefined> {
  const { response, body } = await registry.read(
    { method: "GET", path: `manifests/${name}`, headers: accept, expect: [200, 404] },
    maxOciManifest,
  );
  if (response.statusCode === 404) return undefined;
  const called = `${registry.text}:${name}`;
  const type = (response.headers["content-type"] ?? mediaTypes.manifest).split(";")[0]?.trim();
  if (type !== mediaTypes.manifest) throw notAPack(called, `its type is ${String(type).slice(0, 100)}`);
  const digest = sha256(body);
  const expected = name.startsWith("sha256:") ? name : response.headers["docker-content-digest"];
  if (expected !== undefined && expected !== `sha256:${digest}`)
    throw new CtxError(
      "registry",
      `${called} has the hash sha256:${digest}, not ${String(expected).slice(0, 100)}`,
    );
  return { artifact: readArtifact(body, called), digest };
}

/** Returns the hash of the manifest that a tag names, of whatever type, or undefined. */
export async function headManifest(registry: Registry, name: string): Promise<string | undefined> {
  const request = { path: `manifests/${name}`, headers: { accept: anyManifest } };
  const response = await registry.request({ ...request, method: "HEAD", expect: [200, 404, ...noHead] });
  response.resume();
  if (response.statusCode === 404) return undefined;
  if (response.statusCode === 200) {
    if (name.startsWith("sha256:")) return name;
    const digest = response.headers["docker-content-digest"];
    if (typeof digest === "string") return digest;
  }
  return await hashManifest(registry, name);
}

/** The statuses of a registry that does not support HEAD. */
const noHead = [405, 501];

/** Returns the hash of the bytes that a registry sends for a name, or undefined if it has none. */
async function hashManifest(registry: Registry, name: string): Promise<string | undefined> {
  const headers = { accept: anyManifest, "cache-control": "no-cache" };
  const request = { method: "GET" as const, path: `manifests/${name}`, headers, expect: [200, 404] };
  const { response, body } = await registry.read(request, maxOciManifest);
  return response.statusCode === 404 ? undefined : `sha256:${sha256(body)}`;
}

/** Throws unless the registry confirms, after a manifest was put, that the tag names it. */
export async function confirmTag(registry: Registry, tag: string, digest: string): Promise<void> {
  if ((await headManifest(registry, tag)) === digest) return;
  // The answer to HEAD may come from a cache, or be a hash of another algorithm: the bytes decide.
  const named = await hashManifest(registry, tag);
  if (named === digest) return;
  const answer =
    named === undefined ? "says that the tag does not exist" : `says that the tag names ${named}`;
  throw new CtxError(
    "registry",
    `${registry.text}:${tag} was pushed as ${digest}, but the registry now ${answer}`,
    { hint: "push again; another push may have moved the tag at the same time" },
  );
}

const maxTags = 200_000;
/** The most pages in a row without a new tag. */
const maxIdle = 10;
/** The most pages of a list of tags: registries put 100 or more tags on a page. */
const maxPages = 10_000;

/** Returns all tags, sorted; none if the repository does not exist. */
export async function listTags(registry: Registry): Promise<string[]> {
  const tags = new Set<string>();
  const seen = new Set<string>();
  const first = "tags/list?n=1000";
  let path: string | URL = first;
  for (let idle = 0; ; ) {
    if (seen.has(String(path)) || idle > maxIdle || seen.size >= maxPages)
      throw new CtxError("registry", `${registry.text} sends an endless list of tags`);
    seen.add(String(path));
    const expect = path === first ? [200, 404] : [200];
    const { response, body } = await registry.read({ method: "GET", path, expect }, 64 << 20);
    if (response.statusCode === 404) return [];
    const before = tags.size;
    for (const tag of tagsIn(body, registry.text)) tags.add(tag);
    idle = tags.size > before ? 0 : idle + 1;
    if (tags.size > maxTags)
      throw new CtxError("too-large", `${registry.text} has more than ${maxTags} tags`);
    const next = /<([^>]+)>\s*;\s*rel="?next"?/i.exec(String(response.headers["link"] ?? ""))?.[1];
    if (next === undefined) return [...tags].sort();
    path = registry.resolveLocation(next, path);
  }
}

function tagsIn(body: Buffer, name: string): string[] {
  try {
    const { tags } = JSON.parse(body.toString("utf8")) as { tags?: unknown };
    if (tags === null || tags === undefined) return [];
    if (Array.isArray(tags))
      return tags.filter((tag): tag is string => typeof tag === "string" && /^\w[\w.-]{0,127}$/.test(tag));
  } catch {
    // The error is thrown below.
  }
  throw new CtxError("registry", `${name} sent a list of tags that ctx cannot read`);
}
