// Lets bundles and logs stand in for packs: their packs are read into a temporary store, with the same checks
// as in an import, and the user's own store stays unchanged.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { topsOf } from "./arrival.js";
import { hasPack, parentOf, readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import { linkPack, makeScratch, removeScratch } from "../store/scratch-store.js";
import type { Store } from "../store/store.js";
import { importBundle } from "./import-bundle.js";

export interface BundleName {
  file: string;
  /** The pack in the file. Default: the only one. */
  pack?: string | undefined;
}

/** A log in place of a bundle. */
export interface LogName {
  log: string;
  /** The pack of one of its runs. Default: the only one. */
  pack?: string | undefined;
  /** Opens a discovered log, whose path could lead elsewhere by now. */
  open?: () => number;
}

/** The packs of a file. */
export interface OpenedPacks {
  /** Those that a name without a hash means: neither the parent nor a sub-agent of another one. */
  tops: string[];
  packs: string[];
}

export interface BundleOptions {
  /** An ambiguous file stands for all packs that it could mean. */
  many?: boolean;
  /** The store in which other names are resolved. */
  store?: Store | undefined;
  /** The current folder. */
  folder: string;
  /** The folder for temporary files. */
  temp: string;
  progress?: (done: number, of: number) => void;
  /** Reads a log into the temporary store. */
  readLog?: (scratch: Store, log: LogName) => OpenedPacks;
}

/**
 * Runs `work` on a temporary store with the packs that these names resolve to, and on their hashes, then
 * removes it.
 */
export async function withBundles<T>(
  names: readonly (BundleName | LogName | string)[],
  options: BundleOptions,
  work: (store: Store, hashes: string[]) => Promise<T>,
): Promise<T> {
  const { store: own, folder, temp } = options;
  const scratch = makeScratch(temp, { folder: own?.folder ?? folder, settings: own });
  try {
    const opened = new Map<string, OpenedPacks>();
    const hashes = names.flatMap((name) => {
      if (typeof name === "string") return borrowed(own, scratch, name);
      const file = "log" in name ? name.log : name.file;
      const found = opened.get(file) ?? open(scratch, name, options);
      opened.set(file, found);
      if (own !== undefined) for (const hex of found.packs) lendParents(own, scratch, hex);
      const isAll = options.many === true && name.pack === undefined;
      return isAll ? found.tops : oneOf(scratch, { file, pack: name.pack }, found);
    });
    return await work(scratch, hashes);
  } finally {
    removeScratch(scratch);
  }
}

/** Reads a file into the temporary store. */
function open(scratch: Store, name: BundleName | LogName, { progress, readLog }: BundleOptions): OpenedPacks {
  if ("log" in name) {
    if (readLog === undefined) throw new TypeError("a caller that names logs says how to read them");
    return readLog(scratch, name);
  }
  const options = progress === undefined ? { flushes: false } : { flushes: false, progress };
  const packs = importBundle(scratch, name.file, options).packs.map(({ hash }) => hexOf(hash));
  return { packs, tops: topsIn(scratch, packs) };
}

function borrowed(own: Store | undefined, scratch: Store, name: string): string {
  if (own === undefined)
    throw new CtxError("no-store", `cannot look for "${name}": there is no .ctx store here or above`);
  const hex = resolvePack(own, name);
  linkPack(own, scratch, hex);
  return hex;
}

/**
 * Lends ancestors that are missing in the bundle but present here: a fork that a colleague sent is compared
 * with its parent.
 */
function lendParents(own: Store, scratch: Store, hex: string): void {
  for (let at = parentOf(readPack(scratch.root, hex)); at !== undefined; ) {
    if (!hasPack(scratch.root, at)) {
      if (!hasPack(own.root, at)) return;
      try {
        linkPack(own, scratch, at);
      } catch (error) {
        // A damaged pack in the user's store counts as missing.
        if (error instanceof CtxError && error.code !== "io") return;
        throw error;
      }
    }
    at = parentOf(readPack(scratch.root, at));
  }
}

/** Returns the one pack that a name means. */
function oneOf(scratch: Store, { file, pack }: BundleName, { tops, packs }: OpenedPacks): string {
  const [word = "", up = ""] = pack === undefined ? [] : (/^(.*?)((?:~\d*|\^)?)$/.exec(pack)?.slice(1) ?? []);
  const bare = word.toLowerCase().replace(/^(?:ctx:\/\/)?(?:sha256:)?/, "");
  if (pack !== undefined && !/^[0-9a-f]{4,64}$/.test(bare))
    throw new CtxError("bad-name", `"${pack}" is not the hash of a pack, nor its first 4 or more digits`);
  const found = pack === undefined ? tops : packs.filter((hex) => hex.startsWith(bare));
  const [only, another] = found;
  if (only === undefined)
    throw new CtxError("not-found", `no pack in ${file} has a hash that starts with ${bare}`, {
      problems: listed(packs, file),
      hint: "name one of these",
    });
  if (another !== undefined)
    throw new CtxError("ambiguous", `${file} is ambiguous: ${found.length} packs match`, {
      problems: listed(found, file),
      hint: "name one of these",
    });
  return up === "" ? only : resolvePack(scratch, only + up);
}

/** Returns the packs that are neither the parent nor a sub-agent of another one. */
function topsIn(scratch: Store, packs: readonly string[]): string[] {
  return topsOf(new Map(packs.map((hex) => [hex, readPack(scratch.root, hex).manifest])));
}

function listed(packs: readonly string[], file: string): { path: string; message: string }[] {
  return packs.slice(0, 20).map((hex) => ({ path: "", message: `${file}#${hex.slice(0, 12)}` }));
}
