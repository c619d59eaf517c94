// Settings: those that a team keeps with its runs, in the store's config.json, and the user's own. A store may come from
// somebody else: what it would run is inert until the user has said that just this content is trusted.
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere } from "../base/files.js";
import { JsonReader } from "../base/json-reader.js";
import { type ConfigFile, configShape, type ReplayConfig, userConfigShape } from "../model/config.js";
import type { Shape } from "../model/shape.js";
import type { Store } from "./store.js";
import { isTrusted } from "./trust.js";

export interface Config {
  diff: { ignore: string[] };
}

/** Where the user's own settings are. */
export interface UserPlace {
  /** The user's config.json. */
  config: string;
  /** The folder for what is remembered about stores. */
  state: string;
}

/** What runs nothing. That of a store which belongs to somebody else has no effect before it is trusted. */
export function readConfig(store: Store, user?: UserPlace): Config {
  const isOurs = !store.foreign || (user !== undefined && isTrusted(store, storeBytes(store), user.state));
  return { diff: { ignore: isOurs ? (readStoreFile(store).file.diff?.ignore ?? []) : [] } };
}

export interface Programs {
  /** The user's own, and those of the store if they are trusted; the user's come first. */
  usable: ReplayConfig;
  /** Names of adapters, servers and normalisers of the store that are not trusted. */
  untrusted: string[];
}

/** The programs that a replay may use. */
export function readPrograms(store: Store, user: UserPlace): Programs {
  const own = readUserFile(user).replay ?? {};
  const { file, bytes } = readStoreFile(store);
  const shared = file.replay ?? {};
  const names = [
    ...Object.keys(shared.adapters ?? {}),
    ...Object.keys(shared.mcp ?? {}),
    ...(shared.normalise ?? []).map((rule) => rule.name),
  ];
  // Also what only changes a verdict: a rule that ignores everything would make every run look faithful.
  const trusted = isTrusted(store, bytes, user.state) ? shared : {};
  return {
    usable: {
      adapters: { ...trusted.adapters, ...own.adapters },
      mcp: { ...trusted.mcp, ...own.mcp },
      normalise: [...(own.normalise ?? []), ...(trusted.normalise ?? [])],
    },
    untrusted: trusted === shared ? [] : names,
  };
}

/** The store's settings, and the very bytes that they were read from. */
export function readStoreFile(store: Store): { file: ConfigFile; bytes: Buffer } {
  const path = join(store.root, "config.json");
  const bytes = storeBytes(store);
  // Reading a document uses its bytes up.
  return { file: bytes.length === 0 ? {} : parse(Buffer.from(bytes), path, configShape), bytes };
}

function storeBytes(store: Store): Buffer {
  return readIfThere(join(store.root, "config.json")) ?? Buffer.alloc(0);
}

function readUserFile({ config }: UserPlace): ConfigFile {
  const bytes = readIfThere(config);
  return bytes === undefined ? {} : parse(bytes, config, userConfigShape);
}

function parse<T>(bytes: Buffer, path: string, shape: Shape<T>): T {
  const reader = new JsonReader(bytes);
  const file = shape.read(reader);
  reader.end();
  if (reader.problems.length > 0 || file === undefined)
    throw new CtxError("store-unusable", `${path} has settings that cannot be used`, {
      problems: reader.problems,
      hint: "docs/format.md says what may stand there",
    });
  return file;
}
