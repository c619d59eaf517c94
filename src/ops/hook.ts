// `ctx hook`: makes agents and git call ctx when there is something to seal. What is written is shown first, everything that stood
// there stays, and removing takes out just what was put in.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { cutItem, insertItem } from "../hooks/edit-json.js";
import { parseJsonText, memberOf, scalarOf, type JsonNode } from "../hooks/json-text.js";
import { blockIn, insertBlock } from "../hooks/shell-block.js";
import { commandTail, type HookName, hookEntry, hookPath, isOwnCommand, targets } from "../hooks/targets.js";
import { cut, insert, undoing } from "../hooks/text-edits.js";
import type { HookResult } from "../model/intake-results.js";
import { lineChanges } from "../hooks/line-changes.js";
import { readMemory, writeMemory } from "./hook-memory.js";
import { storeName } from "../store/layout.js";
import { Store } from "../store/store.js";
import type { Whereabouts } from "./discover.js";

export { gitPaths } from "../hooks/git-paths.js";
export { lastRuns } from "./hook-runs.js";

export interface HookOptions {
  where: Whereabouts;
  /** The folder for the user's own state. */
  state: string;
  /** What starts ctx, as a shell takes it. */
  program: string;
  /** For git: the file of its hook in the repository that one is in. */
  gitHook?: string | undefined;
}

/** What installing would do, and a function that does it. */
export interface HookPlan {
  result: HookResult;
  apply?: () => void;
}

export function planInstall(name: HookName, options: HookOptions): HookPlan {
  const file = fileOf(name, options);
  const before = readText(file);
  const text = before ?? "";
  const advice = [...(name === "git" ? [] : targets[name].advice), ...storeAdvice(options.where)];
  if (isInstalled(name, text, file))
    return { result: { hook: name, file, change: "present", lines: [], advice } };
  const command = `${options.program} ${commandTail(name)}`;
  const insertions =
    name === "git"
      ? insertBlock(text, { command, about: gitAbout, name: file })
      : insertItem(text, hookPath, { item: hookEntry(name, command), name: file });
  const after = insert(text, insertions);
  return {
    result: { hook: name, file, change: "installed", lines: lineChanges(text, after), advice },
    apply: () => {
      const folders = makeFolder(dirname(file));
      writeText(file, after, { isScript: name === "git", before });
      writeMemory(options.state, file, { after, insertions, made: before === undefined, folders });
    },
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
  const isOurs = memory?.made === true || (name === "git" && after.trim() === "#!/bin/sh");
  return {
    result: {
      hook: name,
      file,
      change: "removed",
      lines: lineChanges(before, isOurs ? "" : after),
      advice: [],
    },
    apply: () => {
      if (isOurs) withPath(file, "remove", () => fs.unlinkSync(file));
      else writeText(file, after, { isScript: name === "git", before });
      for (const folder of (memory?.folders ?? []).toReversed()) removeEmpty(folder);
      writeMemory(options.state, file, undefined);
    },
  };
}

/** Whether each hook is there. */
export function hookState(name: HookName, options: HookOptions): HookResult {
  const file = fileOf(name, options);
  const text = readText(file) ?? "";
  const change = isInstalled(name, text, file) ? "present" : "absent";
  return { hook: name, file, change, lines: [], advice: [] };
}

/** A hook that finds no store can only write that down. */
function storeAdvice({ home, folder }: Whereabouts): string[] {
  if (fs.existsSync(join(home, storeName))) return [];
  let here = "";
  try {
    here = Store.find(folder).folder;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
  }
  const where =
    here === "" ? "there is no store here or in your home" : `the only store known here is for ${here}`;
  return [`${where}: \`ctx -C ~ init\` makes one for all sessions that have none of their own`];
}

const gitAbout = "seals this repository's agent sessions after a commit; `ctx hook remove git` takes it out";

function fileOf(name: HookName, { where, gitHook }: HookOptions): string {
  if (name !== "git") {
    const { folder, file } = targets[name];
    const moved = where.env[folder.variable] ?? "";
    return join(moved === "" ? join(where.home, folder.usual) : join(moved, folder.rest), file);
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
  return (node?.items ?? []).some((item) => isOwnItem(name, text, item));
}

/** An entry whose only command is ours. */
function isOwnItem(name: HookName, text: string, item: JsonNode): boolean {
  const commands = (memberOf(item, "hooks")?.items ?? []).map((hook) => {
    const command = memberOf(hook, "command");
    return command === undefined ? undefined : scalarOf(text, command);
  });
  return commands.length === 1 && typeof commands[0] === "string" && isOwnCommand(name, commands[0]);
}

function cutsOf(name: HookName, text: string, file: string): ReturnType<typeof cutItem> {
  if (name === "git") return blockIn(text);
  return cutItem(text, hookPath, { name: file, fits: (whole, item) => isOwnItem(name, whole, item) });
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    return withPath(file, "read", () => {
      throw error;
    });
  }
}

/** Puts a new text in the place of the old one in one go, behind a link too, with the rights that it had. */
function writeText(
  file: string,
  text: string,
  { isScript, before }: { isScript: boolean; before: string | undefined },
): void {
  withPath(file, "write", () => {
    const real = before === undefined ? file : fs.realpathSync(file);
    const had = before === undefined ? (isScript ? 0o755 : 0o600) : fs.statSync(real).mode & 0o777;
    const mode = isScript ? had | 0o111 : had;
    const temporary = `${real}.ctx-${process.pid}`;
    try {
      const descriptor = fs.openSync(temporary, "wx", mode);
      try {
        fs.writeFileSync(descriptor, text);
        fs.fchmodSync(descriptor, mode);
        fs.fsyncSync(descriptor);
      } finally {
        fs.closeSync(descriptor);
      }
      // Whoever changed it since must not lose that.
      if (readText(real) !== before) throw changedMeanwhile(file);
      fs.renameSync(temporary, real);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  });
}

function changedMeanwhile(file: string): CtxError {
  return new CtxError("exists", `${file} has changed in the meantime`, {
    hint: "nothing was changed; try again",
  });
}

/** Makes a folder and those above it, and gives those that were not there. */
function makeFolder(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; !fs.existsSync(at); at = dirname(at)) missing.unshift(at);
  withPath(folder, "make", () => fs.mkdirSync(folder, { recursive: true }));
  return missing;
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
