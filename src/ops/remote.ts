// `ctx remote`: short names for addresses. They are the user's own: a store that came from somebody cannot name one.
import { dirname, join } from "node:path";
import { canonicalBytes } from "../base/json/canonical.js";
import { CtxError, type Problem } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { JsonReader } from "../base/json/reader.js";
import { nearest } from "../base/nearest.js";
import type { Remote, RemoteResult } from "../results/share.js";
import { boolean, mapOf, object, optional, required, text } from "../model/shape.js";
import { type Address, parseAddress, repositoryText } from "../registry/address.js";
import type { UserPlace } from "../store/config.js";
import { withStateLock } from "../store/state-lock.js";
import { readText, writeText } from "../hooks/settings-file.js";

const shape = mapOf(object({ url: required(text()), plain_http: optional(boolean) }));

/** All remotes, by name. */
export function listRemotes(user: UserPlace): RemoteResult {
  const path = remotesPath(user);
  const bytes = readIfThere(path);
  if (bytes === undefined) return { remotes: [] };
  const found = readRemotes(path, bytes);
  const remotes = Object.entries(found).map(([name, { url, plain_http }]): Remote => {
    return { name, url, ...(plain_http === true ? { plain_http } : {}) };
  });
  return { remotes: remotes.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function readRemotes(path: string, bytes: Buffer): Record<string, { url: string; plain_http?: boolean }> {
  const unusable = (problems: readonly Problem[] = []): CtxError =>
    new CtxError("store-unusable", `${path} cannot be used`, {
      problems: [...problems],
      hint: "put it right, or remove it and add your remotes again",
    });
  try {
    const reader = new JsonReader(bytes);
    const found = shape.read(reader);
    reader.end();
    if (found === undefined || reader.problems.length > 0) throw unusable(reader.problems);
    // Shells are offered them.
    const bad = Object.keys(found).filter((name) => !isName(name));
    if (bad.length > 0) throw unusable(bad.map((path) => ({ path, message: "is no name for a remote" })));
    return found;
  } catch (error) {
    if (error instanceof CtxError && error.code === "not-json") throw unusable(error.problems);
    throw error;
  }
}

function isName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text);
}

export function addRemote(user: UserPlace, { name, url, plain_http }: Remote): RemoteResult {
  if (!isName(name))
    throw new CtxError("bad-name", `"${name}" is no name for a remote`, {
      hint: "use letters, digits, dots, dashes and underscores",
    });
  const address = parseAddress(url);
  if (address.tag !== undefined || address.digest !== undefined)
    throw new CtxError("bad-name", "a remote is a repository, without a tag", {
      hint: repositoryText(address),
    });
  const added: Remote = {
    name,
    url: repositoryText(address),
    ...(plain_http === true ? { plain_http } : {}),
  };
  return change(user, (remotes) => {
    if (remotes.some((remote) => remote.name === name))
      throw new CtxError("exists", `there is a remote ${name} already`, { hint: `ctx remote rm ${name}` });
    return [...remotes, added];
  });
}

export function removeRemote(user: UserPlace, name: string): RemoteResult {
  return change(user, (remotes) => {
    if (!remotes.some((remote) => remote.name === name)) throw unknownRemote(name, remotes);
    return remotes.filter((remote) => remote.name !== name);
  });
}

/** Reads and writes the remotes while no other process does, so that none of two that are added at once is lost. */
function change(user: UserPlace, edit: (remotes: Remote[]) => Remote[]): RemoteResult {
  const edited = (): RemoteResult => {
    const before = readText(remotesPath(user));
    return write(user, edit(listRemotes(user).remotes), before);
  };
  return withStateLock(user.state, "note-remotes", edited, { patience: 2_000 });
}

export interface Place {
  address: Address;
  /** Plain HTTP was allowed when the remote was added. */
  plainHttp: boolean;
}

/** Where an address, or a remote with or without a tag (`team`, `team:good`, `team@sha256:…`), leads. */
export function placeOf(text: string, user: UserPlace | undefined): Place {
  if (text.startsWith("oci://")) return { address: parseAddress(text), plainHttp: false };
  const [, name = text, rest = ""] = /^([A-Za-z0-9][A-Za-z0-9._-]*)((?:[:@].*)?)$/s.exec(text) ?? [];
  const { remotes } = user === undefined ? { remotes: [] } : listRemotes(user);
  const remote = remotes.find((candidate) => candidate.name === name);
  if (remote === undefined) {
    // No name has a slash: an address was meant, and this says how one looks.
    if (text.includes("/")) parseAddress(text);
    throw unknownRemote(name, remotes);
  }
  return { address: parseAddress(remote.url + rest), plainHttp: remote.plain_http === true };
}

function unknownRemote(name: string, remotes: readonly Remote[]): CtxError {
  const near = nearest(
    name,
    remotes.map((remote) => remote.name),
  );
  return new CtxError("not-found", `there is no remote "${name.slice(0, 100)}"`, {
    hint:
      near === undefined
        ? "an address looks like oci://registry.example.com/team/runs; `ctx remote add` gives it a short name"
        : `did you mean ${near}?`,
  });
}

function remotesPath({ config }: UserPlace): string {
  return join(dirname(config), "remotes.json");
}

/** `before` is what the file held when the remotes were read. */
function write(user: UserPlace, remotes: Remote[], before: string | undefined): RemoteResult {
  const path = remotesPath(user);
  const content = Object.fromEntries(remotes.map(({ name, ...remote }) => [name, remote]));
  writeText(path, `${canonicalBytes(content).toString()}\n`, { before });
  return { remotes: remotes.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}
