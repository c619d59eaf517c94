// `ctx hook`: makes agents and git call ctx when there is something to seal. Changes are shown first,
// existing settings stay, and removal takes out exactly what was inserted.
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { CtxError, errnoOf } from "../base/errors.js";
import { cutItem, insertItem, type OwnParts } from "../hooks/edit-json.js";
import { parseJsonText, memberOf, scalarOf, type JsonNode } from "../hooks/json-text.js";
import { blockIn, insertBlock } from "../hooks/shell-block.js";
import { commandTail, type HookName, hookEntry, hookPath, isOwnCommand, targets } from "../hooks/targets.js";
import { cut, insert, undoing } from "../hooks/text-edits.js";
import type { HookResult } from "../results/intake.js";
import { lineChanges } from "../hooks/line-changes.js";
import { readMemory, writeMemory } from "../hooks/memory.js";
import { readText, removeText, writeText } from "../hooks/settings-file.js";
import { acceptStore, objectionTo, readersOf } from "../store/accepted.js";
import { storeName } from "../store/layout.js";
import { withStateLock } from "../store/state-lock.js";
import { Store } from "../store/store.js";
import type { AgentPaths } from "./discover.js";

export { gitPaths } from "../hooks/git-paths.js";
export { lastRuns } from "../hooks/runs.js";

export interface HookOptions {
  where: AgentPaths;
  /** The user's state folder. */
  state: string;
  /** The command that starts ctx, in shell syntax. */
  program: string;
  /** For git: path of the hook script of the current repository. */
  gitHook?: string | undefined;
}

/** The planned change, and a function that applies it. */
export interface HookPlan {
  result: HookResult;
  apply?: () => void;
  /**
   * Records the consent to put sessions into the store here although others can read it. Undefined if there
   * is nothing to accept.
   */
  accept?: () => void;
}

export function planInstall(name: HookName, options: HookOptions): HookPlan {
  const file = fileOf(name, options);
  const before = readText(file);
  const text = before ?? "";
  const advice = [
    ...(name === "git" ? [] : targets[name].advice),
    ...storeAdvice(options.where),
    ...readerAdvice(options),
  ];
  const accept = acceptance(options);
  if (isInstalled(name, text, file)) {
    const about = readerAdvice(options);
    return { result: { hook: name, file, change: "present", lines: [], advice: about }, ...accept };
  }
  if (name === "git" && before !== undefined) refuseIdle(file);
  const command = `${options.program} ${commandTail(name)}`;
  const insertions =
    name === "git"
      ? insertBlock(text, { command, about: gitAbout, name: file })
      : insertItem(text, hookPath, { item: hookEntry(name, command), name: file });
  const after = insert(text, insertions);
  return {
    result: { hook: name, file, change: "installed", lines: lineChanges(text, after), advice },
    apply: () =>
      withSettings(options.state, () => {
        const folders = writeText(file, after, { before, mode: name === "git" ? 0o755 : 0o600 });
        writeMemory(options.state, file, { after, insertions, made: before === undefined, folders });
      }),
    ...accept,
  };
}

export function planRemove(name: HookName, options: HookOptions): HookPlan {
  const file = fileOf(name, options);
  const before = readText(file);
  if (before === undefined || !isInstalled(name, before, file))
    return { result: { hook: name, file, change: "absent", lines: [], advice: [] } };
  const memory = readMemory(options.state, file, before);
  const cuts = memory === undefined ? cutsOf(name, before, file) : undoing(memory.insertions);
  const after = cut(before, cuts);
  const isOurs = memory?.made ?? (name === "git" && after.trim() === "#!/bin/sh");
  return {
    result: {
      hook: name,
      file,
      change: "removed",
      lines: lineChanges(before, isOurs ? "" : after),
      advice: [],
    },
    apply: () =>
      withSettings(options.state, () => {
        if (isOurs) removeText(file);
        else writeText(file, after, { before });
        for (const folder of (memory?.folders ?? []).toReversed()) removeEmpty(folder);
        writeMemory(options.state, file, undefined);
      }),
  };
}

/**
 * Runs `work` under a lock. Of two concurrent `ctx hook`, the second finds that the settings have changed.
 */
function withSettings(state: string, work: () => void): void {
  withStateLock(state, "note-settings", work, { timeout: 2_000 });
}

/** Returns whether a hook is installed. */
export function hookState(name: HookName, options: HookOptions): HookResult {
  const file = fileOf(name, options);
  const text = readText(file) ?? "";
  const change = isInstalled(name, text, file) ? "present" : "absent";
  return { hook: name, file, change, lines: [], advice: [] };
}

/** Returns advice for a home without a store: a hook that finds no store can only record that. */
function storeAdvice({ home, folder }: AgentPaths): string[] {
  if (fs.existsSync(join(home, storeName))) return [];
  let here = "";
  try {
    here = Store.find(folder).folder;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
  }
  const where =
    here === ""
      ? "there is no store here or in your home folder"
      : `the only store found here is for ${here}`;
  return [`${where}: \`ctx -C ~ init\` makes one for all sessions outside other stores`];
}

/**
 * Returns the stores for sessions of this folder and of the home that others can read or may have created.
 */
function openStores({ where: { home, folder }, state }: HookOptions): { store: Store; readers: string }[] {
  const found = new Map<string, { store: Store; readers: string }>();
  for (const from of [folder, home]) {
    try {
      const store = Store.find(from);
      const readers = readersOf(store) ?? objectionTo(store, { home, state });
      if (readers !== undefined) found.set(store.root, { store, readers });
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return [...found.values()];
}

/** Returns advice about these stores: sessions are private, so the user should know if the store is not. */
function readerAdvice(options: HookOptions): string[] {
  return openStores(options).map(({ store, readers }) => {
    const about = `the store for ${store.folder} ${readers}`;
    if (store.foreign) return `${about}, and belongs to another user, so hooks do not use it`;
    return `${about}; hooks put sessions into it. \`ctx trust --forget\` stops that; \`ctx doctor --fix --private\` makes the store private`;
  });
}

/**
 * Returns the `accept` function of a plan. `ctx hook install` shows who can read the store, so installing
 * counts as consent to put sessions there.
 */
function acceptance(options: HookOptions): Pick<HookPlan, "accept"> {
  const stores = openStores(options).filter(({ store }) => !store.foreign);
  if (stores.length === 0) return {};
  return {
    accept: () => {
      for (const { store } of stores) acceptStore(store, options.state);
    },
  };
}

const gitAbout = "seals this repository's agent sessions after a commit; `ctx hook remove git` removes it";

function fileOf(name: HookName, { where, gitHook }: HookOptions): string {
  if (name !== "git") {
    const { folder, file } = targets[name];
    const moved = where.env[folder.variable] ?? "";
    return moved === ""
      ? join(where.home, folder.usual, file)
      : resolve(where.folder, moved, folder.rest, file);
  }
  if (gitHook !== undefined) return gitHook;
  throw new CtxError("usage", "there is no git repository here", {
    hint: "`ctx -C <folder> hook install git` works in another folder",
  });
}

function isInstalled(name: HookName, text: string, file: string): boolean {
  if (name === "git") return blockIn(text).length > 0;
  let node = parseJsonText(text, file);
  for (const key of hookPath) node = memberOf(node, key);
  return (node?.items ?? []).some((item) => ownParts(name, text, item).own.length > 0);
}

/**
 * Returns the commands of a hook entry and those of them that are ours: the user may have added others to it.
 */
function ownParts(name: HookName, text: string, item: JsonNode): OwnParts {
  const list = memberOf(item, "hooks");
  const own = (list?.items ?? []).filter((hook) => {
    const node = memberOf(hook, "command");
    const command = node === undefined ? undefined : scalarOf(text, node);
    return typeof command === "string" && isOwnCommand(name, command);
  });
  return { list, own };
}

function cutsOf(name: HookName, text: string, file: string): ReturnType<typeof cutItem> {
  if (name === "git") return blockIn(text);
  return cutItem(text, hookPath, {
    name: file,
    parts: (whole, item) => ownParts(name, whole, item),
  });
}

/**
 * Throws if a git hook is not executable. Git does not run it, and making it executable would revive a script
 * that its owner disabled.
 */
function refuseIdle(file: string): void {
  if ((fs.statSync(file).mode & 0o111) !== 0) return;
  throw new CtxError("exists", `${file} exists, but git does not run it, because it is not executable`, {
    hint: "nothing was changed; make it executable, or move it away",
  });
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
