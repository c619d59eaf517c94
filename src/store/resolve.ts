// Resolves a name that a person typed to one pack or one blob.
import * as fs from "node:fs";
import { resolve } from "node:path";
import { CtxError, errnoOf } from "../base/errors.js";
import { nearest } from "../base/nearest.js";
import { parsePackName, type NameTarget } from "../model/pack-name.js";
import { withCatalog } from "./catalog.js";
import { hasObject, objectsByPrefix } from "./objects.js";
import { minSession, packedSessions } from "./packed-sessions.js";
import { hasPack, listPacks, parentOf, readPack } from "./packs.js";
import { isDamagedTag, listTags, readLatest, readTag } from "./refs.js";
import type { Store } from "./store.js";

const look = "`ctx log` lists the packs";

/** Returns the hash of the pack that a name stands for. */
export function resolvePack(store: Store, text: string): string {
  const { target, generations: up } = parsePackName(text);
  let hex = packOf(store, target, text);
  for (let step = 1; step <= up; step++) {
    const parent = parentOf(readPack(store.root, hex));
    if (parent === undefined)
      throw new CtxError("not-found", `${text}: ctx://${hex.slice(0, 12)} has no parent`, { hint: look });
    if (!hasPack(store.root, parent))
      throw new CtxError("not-found", `${text}: the parent ctx://${parent} is not in this store`, {
        hint: look,
      });
    hex = parent;
  }
  return hex;
}

/** Returns the hash of the blob that a name stands for; a pack's name stands for its manifest. */
export function resolveBlob(store: Store, text: string): string {
  const { target, generations: up } = parsePackName(text);
  if (up > 0 || target.kind === "latest" || target.kind === "tag") return resolvePack(store, text);
  if (target.kind === "hash") {
    if (hasObject(store.root, target.hex) || hasPack(store.root, target.hex)) return target.hex;
    throw new CtxError("not-found", `no blob or pack in this store has the hash ${target.hex}`, {
      hint: look,
    });
  }
  const found = new Set([...objectsByPrefix(store.root, target.hex), ...packsByPrefix(store, target.hex)]);
  return only(store, [...found].sort(), text, { noun: "blob or pack", scheme: "sha256:" });
}

function packOf(store: Store, target: NameTarget, text: string): string {
  switch (target.kind) {
    case "hash":
      if (hasPack(store.root, target.hex)) return target.hex;
      if (hasObject(store.root, target.hex)) throw isBlob(target.hex);
      throw new CtxError("not-found", `no pack in this store has the hash ${target.hex}`, { hint: look });
    case "prefix": {
      const found = packsByPrefix(store, target.hex);
      const blobs = found.length === 0 ? objectsByPrefix(store.root, target.hex) : [];
      if (blobs.length === 1) throw isBlob(blobs[0] as string);
      return only(store, found, text, { noun: "pack", scheme: "ctx://" });
    }
    case "latest":
      return latestPack(store);
    case "tag": {
      const hex = readTag(store.root, target.tag);
      if (hex === undefined) {
        if (isDamagedTag(store.root, target.tag))
          throw new CtxError("damaged", `the tag "${target.tag}" is damaged`, {
            hint: `\`ctx tag --force ${target.tag} <pack>\` sets it again, \`ctx tag -d ${target.tag}\` removes it`,
          });
        if (target.tag === "HEAD")
          throw new CtxError("not-found", "there is no HEAD in this store", {
            hint: "latest is the name of the pack added last",
          });
        const near = nearest(target.tag, listTags(store.root));
        const isFile = target.tag.endsWith(".ctx") ? `\`ctx import ${target.tag}\` imports a bundle` : look;
        const hint =
          sessionHint(store, target.tag) ?? (near === undefined ? isFile : `did you mean ${near}?`);
        throw new CtxError("not-found", `there is no pack or tag "${text}"`, { hint });
      }
      if (!hasPack(store.root, hex))
        throw new CtxError(
          "not-found",
          `the tag "${target.tag}" points to ctx://${hex}, which is not in this store`,
        );
      return hex;
    }
  }
}

/** Returns the pack added last; if that is not known, the first that `ctx log` lists. */
function latestPack(store: Store): string {
  const named = readLatest(store.root);
  if (named !== undefined && hasPack(store.root, named)) return named;
  const first = withCatalog(store, (catalog) => catalog.entries().next().value);
  if (first !== undefined) return first.hex;
  throw new CtxError("not-found", "there are no packs in this store yet", {
    hint: "add one with `ctx pack <log>`",
  });
}

/** Returns the packs whose hashes begin with these digits. */
export function packsByPrefix(store: Store, prefix: string): string[] {
  const found = withCatalog(store, (catalog) => catalog.byPrefix(prefix)).filter((hex) =>
    hasPack(store.root, hex),
  );
  if (found.length > 0) return found;
  // Before reporting that there is none, list the store itself.
  return listPacks(store.root).filter((hex) => hex.startsWith(prefix));
}

function only(
  store: Store,
  found: string[],
  text: string,
  { noun, scheme }: { noun: string; scheme: string },
): string {
  const [first, second] = found;
  if (first === undefined) {
    const isShort = /^[0-9a-f]+$/i.test(text) && text.length < minSession;
    const all = isShort ? `${look}; a session's id needs ${minSession} or more characters` : look;
    throw new CtxError("not-found", `no ${noun} in this store has a hash that starts with ${text}`, {
      hint: sessionHint(store, text) ?? all,
    });
  }
  if (second === undefined) return first;
  throw new CtxError("ambiguous", `${text} is ambiguous: ${found.length} hashes start with it`, {
    problems: found.map((hex) => ({ path: "", message: `${scheme}${hex}` })),
    hint: "type more digits of the hash",
  });
}

/** Returns the pack to name in place of a session's id, if the text can only mean one session. */
function sessionHint(store: Store, text: string): string | undefined {
  if (text.length < minSession) return undefined;
  const [session, another] = packedSessions(store, text);
  return session === undefined || another !== undefined
    ? undefined
    : `${text} is a session; its newest pack is ctx://${session.pack.slice(0, 12)}`;
}

function isBlob(hex: string): CtxError {
  return new CtxError("not-a-pack", `${hex} is a blob, not a pack`, {
    hint: `\`ctx cat ${hex.slice(0, 12)}\` shows it`,
  });
}

/** How a command reads the names of its targets. */
export interface TargetOptions {
  /** The kind of every target; decided for each one if undefined. */
  as?: "file" | "pack" | undefined;
  /** The folder that relative paths start from. */
  folder?: string;
}

/**
 * Returns whether a target is a file: `ctx://…` and `sha256:…` are packs; otherwise an existing path is a
 * file, and anything else a pack.
 */
export function isFileTarget(target: string, { as, folder = "." }: TargetOptions): boolean {
  if (as !== undefined) return as === "file";
  if (/^(?:ctx:\/\/|sha256:)/i.test(target)) return false;
  try {
    return fs.lstatSync(resolve(folder, target), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
