// From what a person typed to one pack or one blob.
import { CtxError } from "../base/errors.js";
import { parsePackName, type Target } from "../model/pack-name.js";
import { readHistory } from "./history.js";
import { hasObject, objectsByPrefix } from "./objects.js";
import { hasPack, listPacks, parentOf, readPack } from "./packs.js";
import { readLatest, readTag } from "./refs.js";

const look = "`ctx log` lists the packs";

/** The hash of the pack that a name stands for. */
export function resolvePack(root: string, text: string): string {
  const { target, up } = parsePackName(text);
  let hex = packOf(root, target, text);
  for (let step = 1; step <= up; step++) {
    const parent = parentOf(readPack(root, hex));
    if (parent === undefined)
      throw new CtxError("not-found", `${text}: ctx://${hex.slice(0, 12)} has no parent`, { hint: look });
    if (!hasPack(root, parent))
      throw new CtxError("not-found", `${text}: the parent ctx://${parent} is not in this store`, {
        hint: look,
      });
    hex = parent;
  }
  return hex;
}

/** The hash of the blob that a name stands for; a pack's name stands for its manifest. */
export function resolveBlob(root: string, text: string): string {
  const { target, up } = parsePackName(text);
  if (up > 0 || target.kind === "latest" || target.kind === "tag") return resolvePack(root, text);
  if (target.kind === "hash") {
    if (hasObject(root, target.hex) || hasPack(root, target.hex)) return target.hex;
    throw new CtxError("not-found", `no blob or pack in this store has the hash ${target.hex}`, {
      hint: look,
    });
  }
  const found = new Set([...objectsByPrefix(root, target.hex), ...packsByPrefix(root, target.hex)]);
  return only([...found].sort(), text, { noun: "blob or pack", scheme: "sha256:" });
}

function packOf(root: string, target: Target, text: string): string {
  switch (target.kind) {
    case "hash":
      if (hasPack(root, target.hex)) return target.hex;
      if (hasObject(root, target.hex)) throw isBlob(target.hex);
      throw new CtxError("not-found", `no pack in this store has the hash ${target.hex}`, { hint: look });
    case "prefix": {
      const found = packsByPrefix(root, target.hex);
      const blobs = found.length === 0 ? objectsByPrefix(root, target.hex) : [];
      if (blobs.length === 1) throw isBlob(blobs[0] as string);
      return only(found, text, { noun: "pack", scheme: "ctx://" });
    }
    case "latest":
      return latestPack(root);
    case "tag": {
      const hex = readTag(root, target.tag);
      if (hex === undefined)
        throw new CtxError("not-found", `no pack or tag is named "${text}"`, { hint: look });
      if (!hasPack(root, hex))
        throw new CtxError(
          "not-found",
          `the tag ${target.tag} names ctx://${hex}, which is not in this store`,
        );
      return hex;
    }
  }
}

/** The pack last added here; where that is not known, the first that `ctx log` lists. */
function latestPack(root: string): string {
  const named = readLatest(root);
  if (named !== undefined && hasPack(root, named)) return named;
  const first = readHistory(root)[0];
  if (first !== undefined) return first.hex;
  throw new CtxError("not-found", "there is no pack in this store yet", {
    hint: "add one with `ctx pack <log>`",
  });
}

function packsByPrefix(root: string, prefix: string): string[] {
  return listPacks(root)
    .filter((hex) => hex.startsWith(prefix))
    .sort();
}

function only(found: string[], text: string, { noun, scheme }: { noun: string; scheme: string }): string {
  const [first, second] = found;
  if (first === undefined)
    throw new CtxError("not-found", `no ${noun} in this store begins with ${text}`, { hint: look });
  if (second === undefined) return first;
  throw new CtxError("ambiguous", `${text} is the beginning of ${found.length} names`, {
    problems: found.map((hex) => ({ path: "", message: `${scheme}${hex}` })),
    hint: "type more digits",
  });
}

function isBlob(hex: string): CtxError {
  return new CtxError("not-a-pack", `${hex} is a blob, not a pack`, {
    hint: `\`ctx cat ${hex.slice(0, 12)}\` shows it`,
  });
}
