// Settings: those that a team keeps with its runs, in the store's config.json, and the user's own. A store
// may come from another person: programs that it would run are inert until the user has trusted exactly this
// content.
import { dirname, join, resolve } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere } from "../base/fs/files.js";
import { JsonReader } from "../base/json/reader.js";
import { maxOf } from "../base/lists.js";
import {
  type ConfigFile,
  configShape,
  type McpServer,
  type RedactConfig,
  type ReplayConfig,
  type StoreConfig,
  userConfigShape,
} from "../model/config.js";
import type { Shape } from "../model/shape.js";
import { resolvePrograms } from "./command-words.js";
import type { Store } from "./store.js";
import { isTrusted, trustedPrograms } from "./trust.js";
import type { Bounds } from "./trusted-files.js";

export { resolvePrograms } from "./command-words.js";
export type { Bounds } from "./trusted-files.js";

export interface Config {
  diff: { ignore: string[] };
}

/** Where the user's own settings are. */
export interface UserPaths {
  /** The user's config.json. */
  config: string;
  /** The folder for what is remembered about stores. */
  state: string;
}

/** Reads the settings that run nothing. Those of another user's store have no effect before it is trusted. */
export function readConfig({ settings: store }: Store, user?: UserPaths): Config {
  const isOurs = !store.foreign || (user !== undefined && isTrusted(store, storeBytes(store), user.state));
  return { diff: { ignore: isOurs ? (readStoreFile(store).file.diff?.ignore ?? []) : [] } };
}

export interface ConfiguredPrograms {
  /** The user's own, and those of the store if they are trusted; the user's take precedence. */
  usable: ReplayConfig;
  /** Names of adapters, servers and normalisers of the store that are not trusted. */
  untrusted: string[];
  /** Why they are not trusted, if there are any. */
  why?: string;
  /**
   * The part of the repository that each program of the store may see; the user's own programs have no entry.
   */
  bounds: ReadonlyMap<McpServer, Bounds>;
}

/** Reads the programs that a replay may use. */
export function readPrograms({ settings: store }: Store, user: UserPaths): ConfiguredPrograms {
  const own = resolvePrograms(readUserFile(user).replay ?? {}, dirname(resolve(user.config)));
  const {
    file: { replay: shared = {} },
    bytes,
  } = readStoreFile(store);
  const names = [
    ...Object.keys(shared.adapters ?? {}),
    ...Object.keys(shared.mcp ?? {}),
    ...(shared.normalise ?? []).map((rule) => rule.name),
  ];
  if (names.length === 0) return { usable: own, untrusted: [], bounds: new Map() };
  // Rules that only change a verdict need trust, too: one that ignores everything would make every run look
  // faithful.
  const trusted = trustedPrograms(store, bytes, user.state);
  if ("why" in trusted) return { usable: own, untrusted: names, why: trusted.why, bounds: new Map() };
  const { adapters, mcp, normalise = [] } = trusted.replay;
  return {
    usable: {
      adapters: { ...adapters, ...own.adapters },
      mcp: { ...mcp, ...own.mcp },
      normalise: [...(own.normalise ?? []), ...normalise],
    },
    untrusted: [],
    bounds: new Map(
      [...Object.values(adapters ?? {}), ...Object.values(mcp ?? {})].map((program) => [
        program,
        trusted.bounds,
      ]),
    ),
  };
}

export interface RedactSettings {
  mode: NonNullable<RedactConfig["mode"]>;
  rules: NonNullable<RedactConfig["rules"]>;
  allow: string[];
  /** Ids of rules from a store's config that is not trusted. */
  untrusted: string[];
  /**
   * Notices of settings without effect: a user's file that cannot be read, and content that an untrusted
   * store wants unmasked.
   */
  notices: string[];
}

const strictness = ["off", "standard", "strict"] as const;

/**
 * Reads the redaction settings. A store's settings can make redaction mask more, and less only once they are
 * trusted: they may have come with a clone.
 */
export function readRedaction(from: Store | undefined, user?: UserPaths): RedactSettings {
  const store = from?.settings;
  const {
    file: { redact: own = {} },
    problem,
  } = user === undefined ? { file: {} } : mayRead(user);
  const { file, bytes } = store === undefined ? { file: {}, bytes: Buffer.alloc(0) } : readStoreFile(store);
  const { redact: shared = {} }: ConfigFile = file;
  const isKnown = store !== undefined && user !== undefined && isTrusted(store, bytes, user.state);
  const isUsed = isKnown || store?.foreign === false;
  const allow = isKnown ? (shared.allow ?? []) : [];
  const modes = [own.mode, isUsed ? shared.mode : undefined].filter((mode) => mode !== undefined);
  const strictest = maxOf(modes, (mode) => strictness.indexOf(mode));
  const mode = modes.length === 0 ? "standard" : (strictness[strictest] as RedactSettings["mode"]);
  // Only the user, and stores that the user trusts, can turn redaction off.
  const sharedRules = isUsed ? (shared.rules ?? []) : [];
  checkRules([
    { of: user?.config ?? "", rules: own.rules ?? [] },
    { of: store === undefined ? "" : join(store.root, "config.json"), rules: sharedRules },
  ]);
  const isOff = mode === "off" && own.mode === undefined && !isKnown;
  const notices = [
    ...(problem === undefined ? [] : [problem]),
    ...(isOff ? [inert('"mode": "off"')] : []),
    ...(!isKnown && (shared.allow ?? []).length > 0 ? [inert('"allow"')] : []),
  ];
  return {
    mode: isOff ? "standard" : mode,
    rules: [...(own.rules ?? []), ...sharedRules],
    untrusted: isKnown ? [] : sharedRules.map(({ id }) => id),
    allow: [...(own.allow ?? []), ...allow],
    notices,
  };
}

/**
 * Limits on custom rules, and on the bytes of their patterns and keywords: compiling them takes time and
 * memory.
 */
const maxRules = 1000;
const maxPatterns = 1 << 16;

/** Throws if the rules exceed these limits, in one file or in both together. */
function checkRules(files: readonly { of: string; rules: RedactSettings["rules"] }[]): void {
  let count = 0;
  let bytes = 0;
  for (const { of, rules } of files) {
    count += rules.length;
    for (const { pattern, keywords = [] } of rules)
      bytes += Buffer.byteLength(pattern) + keywords.reduce((sum, word) => sum + Buffer.byteLength(word), 0);
    const message =
      count > maxRules
        ? `there are ${count} rules; at most ${maxRules} are allowed`
        : bytes > maxPatterns
          ? `the patterns and keywords of the rules have ${bytes} bytes; at most ${maxPatterns} are allowed`
          : undefined;
    if (message !== undefined)
      throw new CtxError("store-unusable", `${of} has settings that cannot be used`, {
        problems: [{ path: "redact.rules", message }],
        hint: "join patterns with `|`, or remove rules that you do not need",
      });
  }
}

function inert(setting: string): string {
  return `the store's config sets ${setting} for redact, which has no effect until you run \`ctx trust\``;
}

/**
 * Returns the user's settings, or why they cannot be read: a process that runs as another user may not read
 * this user's home.
 */
function mayRead(user: UserPaths): { file: ConfigFile; problem?: string } {
  try {
    return { file: readUserFile(user) };
  } catch (error) {
    if (!(error instanceof CtxError) || error.data?.["errno"] !== "EACCES") throw error;
    return { file: {}, problem: `${error.message}; its settings have no effect` };
  }
}

/** Returns the store's settings, and the very bytes that they were read from. */
export function readStoreFile(store: Store): { file: Partial<StoreConfig>; bytes: Buffer } {
  const path = join(store.root, "config.json");
  const bytes = storeBytes(store);
  // Reading a document consumes its bytes.
  return { file: bytes.length === 0 ? {} : parse(Buffer.from(bytes), path, configShape), bytes };
}

/** Returns whether a store is one that a team commits. A store with unusable settings is not. */
export function isShared(store: Store): boolean {
  try {
    return readStoreFile(store).file.shared === true;
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}

function storeBytes(store: Store): Buffer {
  return readIfThere(join(store.root, "config.json")) ?? Buffer.alloc(0);
}

function readUserFile({ config }: UserPaths): ConfigFile {
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
      hint: "docs/format.md describes the settings",
    });
  return file;
}
