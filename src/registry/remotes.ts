// The user's remotes: short names for addresses of registries, in the user's own config folder.
import { dirname, join } from "node:path";
import { CtxError, type Problem } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { JsonReader } from "../base/json/reader.js";
import { nearest } from "../base/nearest.js";
import { boolean, mapOf, object, optional, required, text } from "../model/shape.js";
import type { Remote } from "../results/share.js";
import type { UserPaths } from "../store/config.js";
import { type Address, parseAddress } from "./address.js";

const shape = mapOf(object({ url: required(text()), plain_http: optional(boolean) }));

/** Returns all remotes, sorted by name. */
export function readRemotes(user: UserPaths): Remote[] {
  const path = remotesPath(user);
  const bytes = readIfThere(path);
  if (bytes === undefined) return [];
  const found = parseRemotes(path, bytes);
  const remotes = Object.entries(found).map(([name, { url, plain_http }]): Remote => {
    return { name, url, ...(plain_http === true ? { plain_http } : {}) };
  });
  return remotes.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function parseRemotes(path: string, bytes: Buffer): Record<string, { url: string; plain_http?: boolean }> {
  const unusable = (problems: readonly Problem[] = []): CtxError =>
    new CtxError("store-unusable", `${path} cannot be used`, {
      problems: [...problems],
      hint: "fix it, or remove it and add your remotes again",
    });
  try {
    const reader = new JsonReader(bytes);
    const found = shape.read(reader);
    reader.end();
    if (found === undefined || reader.problems.length > 0) throw unusable(reader.problems);
    // Names must be safe: shells offer them as completions.
    const bad = Object.keys(found).filter((name) => !isRemoteName(name));
    if (bad.length > 0)
      throw unusable(bad.map((path) => ({ path, message: "is not a valid name for a remote" })));
    return found;
  } catch (error) {
    if (error instanceof CtxError && error.code === "not-json") throw unusable(error.problems);
    throw error;
  }
}

export function isRemoteName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text);
}

/** The target that the user named: an address, and whether plain HTTP may be used. */
export interface RemoteTarget {
  address: Address;
  /** Whether plain HTTP was allowed when the remote was added. */
  plainHttp: boolean;
}

/** Resolves an address, or a remote with or without a tag (`team`, `team:good`, `team@sha256:…`). */
export function remoteTarget(text: string, user: UserPaths | undefined): RemoteTarget {
  if (text.startsWith("oci://")) return { address: parseAddress(text), plainHttp: false };
  const [, name = text, rest = ""] = /^([A-Za-z0-9][A-Za-z0-9._-]*)((?:[:@].*)?)$/s.exec(text) ?? [];
  const remotes = user === undefined ? [] : readRemotes(user);
  const remote = remotes.find((candidate) => candidate.name === name);
  if (remote === undefined) {
    // No remote has a slash in its name: the user meant an address, and this error explains the form of one.
    if (text.includes("/")) parseAddress(text);
    throw unknownRemote(name, remotes);
  }
  return { address: parseAddress(remote.url + rest), plainHttp: remote.plain_http === true };
}

export function unknownRemote(name: string, remotes: readonly Remote[]): CtxError {
  const near = nearest(
    name,
    remotes.map((remote) => remote.name),
  );
  return new CtxError("not-found", `there is no remote "${name.slice(0, 100)}"`, {
    hint:
      near === undefined
        ? "an address looks like oci://registry.example.com/team/runs; `ctx remote add` gives one a short name"
        : `did you mean ${near}?`,
  });
}

export function remotesPath({ config }: UserPaths): string {
  return join(dirname(config), "remotes.json");
}
