// The commands that are run on each hostile pack, and where a command may write.
import type { Planted } from "./hostile-packs.js";

export interface Scene {
  args: readonly string[];
  /** Below `work`: where it may write, besides the list of packs in the store. */
  writes?: RegExp;
  input?: string;
  /** In a pipe it prints bytes unchanged, which is its purpose. */
  isBytes?: boolean;
  /** Among which packs it is run; a command that writes is run among both, unless this says otherwise. */
  among?: "sound" | "all";
  /**
   * One of many that differ in little: the full form has it in a pipe or in a terminal, the short form not at
   * all.
   */
  isOneOfMany?: boolean;
  /** Without it a missing safeguard could stay unnoticed: the short form has it, too. */
  isKey?: boolean;
  /** The required exit status. */
  ends?: number;
  /** Text that its output must contain. */
  says?: RegExp;
  /** Its JSON output must contain the text, too. */
  hasJson?: boolean;
}

/** Where everything that belongs to the store is. */
export const store = /^work\/\.ctx\/(?!config\.json|\.git)/;
export const sealing = /^work\/(?:\.ctx\/(?!config\.json|\.git|notes)|[^.].*\.ctx\.json$)/s;
/** A command that writes may clear leftovers of others. */
const cleared = "^work/\\.ctx/(?:tmp|locks)/";
export const named = (name: string): RegExp => new RegExp(`^work/(?:${name})(?:/|$)|${cleared}`);
export const state = /^home(?:\/\.local(?:\/state(?:\/ctx(?:\/|$)|$)|$)|$)/;
/** A new store is added to git's info/exclude, and noted in the user's state as one that accepts sessions. */
export const newStore = (name: string): RegExp =>
  new RegExp(`${named(name).source}|^work/\\.git/info(?:/exclude)?$|${state.source}`);
/**
 * A repair of a store may change its modes, its settings and its files for git, and the line that hides it
 * from git.
 */
export const anyOfStore = /^work\/\.ctx(?:\/|$)|^work\/\.git\/info(?:\/exclude)?$/;
/** …and, if the user says whose store it is, that it accepts sessions. */
export const mended = new RegExp(`${anyOfStore.source}|${state.source}`);
export const clearing = new RegExp(cleared);
/** The remotes, and the lock under which they are edited. */
export const settings = new RegExp(`${state.source}|^home/\\.config/ctx(?:/|$)`);

export const hooks = new RegExp(
  `${state.source}|^home/\\.claude(?:/settings\\.json.*)?$|^work/\\.git/hooks(?:/|$)`,
);

/** Packs that the short form tries, too. */
const keyPacks = ["text", "names", "escape", "content-link", "content-pipe", "content-device", "illegal-0"];

/** Returns all commands that are run on one pack. */
export function scenesOf({ name, hex, isRefused }: Planted): Scene[] {
  const isKey = keyPacks.includes(name);
  const fork: Scene = { args: ["fork", hex], writes: store, among: "all" };
  // Names are changed where necessary, and the fork succeeds.
  if (!isRefused) Object.assign(fork, { among: "sound", ends: 0 });
  const scenes: Scene[] = [
    { args: ["show", hex], isKey, ...(name.startsWith("entry-") ? { ends: 2, isKey: true } : {}) },
    { ...fork, isKey: isKey || name === "huge" },
    // The target of a link is not in the store, even with the right bytes.
    { args: ["verify", hex], isKey, ...(/^(?:content|entry)-/.test(name) ? { ends: 1 } : {}) },
    { args: ["diff", "text", hex, "--human"] },
    { args: ["replay", hex, "--plan", "--full"] },
  ];
  const more: Scene[] = [
    { args: ["show", hex, "--step", "0"], isKey: name === "text" },
    { args: ["cat", hex], isBytes: true, isKey: name === "text" },
    { args: ["scan", hex] },
    { args: ["export", hex, "-o", "out.ctx", "--allow-secrets"], writes: named("out\\.ctx"), among: "all" },
    { args: ["export", hex, "--as", "atif"] },
    { args: ["export", hex, "--as", "otlp", "--json"] },
    { args: ["log", "--parent", hex] },
  ];
  if (!isRefused)
    more.push({
      args: ["replay", hex, "--allow", "exec"],
      writes: store,
      among: "sound",
      isKey: name === "escape",
    });
  if (name.startsWith("illegal")) return scenes.map((scene) => ({ ...scene, isOneOfMany: true }));
  return [...scenes, ...more.map((scene) => ({ ...scene, isOneOfMany: name !== "text" }))];
}
