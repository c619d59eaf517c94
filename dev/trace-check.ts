// Reads a trace of system calls as a power cut would: a name or a byte that was not flushed may be lost.
// Reports where a file got its name, a pack its entry, or the user an answer before everything that it
// depends on was on the disk.
import { basename, dirname, join } from "node:path";
import { isFlush, joinLines, mainThread } from "./strace.js";

export interface Scene {
  /** The command was refused: nothing was reported as done. */
  refused?: boolean;
  /** The .ctx folder. */
  root: string;
  /** Files that existed before, which may never have been flushed. */
  found?: readonly string[];
  /** Names that existed before, whose folder may never have been flushed. */
  named?: readonly string[];
  /** Objects that the pack needs. */
  needs?: readonly string[];
}

interface Step {
  thread: string;
  name: string;
  /** Paths in the order of the arguments, absolute; the result's path, if it is a descriptor, comes last. */
  paths: string[];
  text: string;
}

/**
 * Returns what is wrong with the order of calls in a trace; empty when a power cut at any moment would be
 * harmless.
 */
export function violations(trace: string, scene: Scene): string[] {
  const disk = new Disk(scene);
  const main = mainThread(trace);
  for (const step of stepsOf(trace)) {
    const [first = "", second = ""] = step.paths;
    if (isFlush(step.name)) disk.flush(step.name === "syncfs" ? undefined : first);
    else if (/^mkdir(?:at)?$/.test(step.name)) disk.name(first);
    else if (step.name.startsWith("rename")) disk.rename(first, second);
    else if (/^link(?:at)?$/.test(step.name)) disk.link(first, second);
    else if (step.name.startsWith("symlink")) disk.wrong(`${step.name} of ${second}: nothing here is a link`);
    else if (/^(?:unlink|unlinkat|rmdir)$/.test(step.name)) disk.remove(first);
    else if (/^(?:open|openat|creat)$/.test(step.name)) {
      if (/O_CREAT|O_TRUNC/.test(step.text)) disk.create(first);
    } else if (step.thread === main && /^(?:writev?\(1<|exit_group\(0\))/.test(step.text)) disk.report();
    else if (/^p?write|^(?:copy_file_range|sendfile|ftruncate)/.test(step.name)) {
      const target = step.name === "copy_file_range" ? second : first;
      if (target.startsWith("/") && !target.startsWith("/dev/")) disk.write(target);
    }
  }
  // A part of a trace has no exit.
  if (!disk.hasReported && scene.refused !== true) disk.report();
  return disk.wrongs;
}

/** For every flush in a trace: the trace without it, and the trace with it at the very end, too late. */
export function* ablations(trace: string): Generator<{ flush: string; traces: string[] }> {
  const lines = trace.split("\n");
  for (const [at, line] of lines.entries()) {
    const [, name = "", path = ""] = /^\d+ +(\w+)\(\d+<([^>]*)>\) += 0/.exec(line) ?? [];
    const without = lines.toSpliced(at, 1);
    if (isFlush(name))
      yield { flush: `${name} ${path}`, traces: [without.join("\n"), [...without, line].join("\n")] };
  }
}

class Disk {
  readonly wrongs: string[] = [];
  hasReported = false;
  readonly #root: string;
  readonly #needs: readonly string[];
  /** Files with bytes that are in memory only. */
  readonly #dirty = new Set<string>();
  /** Names that are in memory only; each is in the folder that must be flushed. */
  readonly #unnamed = new Set<string>();
  /** Names whose removal is in memory only. */
  readonly #removed = new Set<string>();
  readonly #seen = new Set<string>();

  constructor({ root, found = [], named = [], needs = [] }: Scene) {
    this.#root = root;
    this.#needs = needs;
    for (const path of named) this.#unnamed.add(path);
    for (const path of found) {
      this.#dirty.add(path);
      this.#seen.add(path);
      // The process that made an object may have made its folder just before.
      for (let at = path; at !== join(root, "objects") && at !== join(root, "packs"); at = dirname(at))
        this.#unnamed.add(at);
    }
  }

  wrong(text: string): void {
    this.wrongs.push(text.replaceAll(`${this.#root}/`, ""));
  }

  /** Without a path: the whole file system. */
  flush(path: string | undefined): void {
    for (const file of this.#dirty) if (path === undefined || file === path) this.#dirty.delete(file);
    for (const names of [this.#unnamed, this.#removed])
      for (const name of names) if (path === undefined || dirname(name) === path) names.delete(name);
  }

  name(path: string): void {
    this.#unnamed.add(path);
    this.#seen.add(path);
  }

  create(path: string): void {
    this.name(path);
    this.write(path);
  }

  write(path: string): void {
    this.#dirty.add(path);
    if (["objects", "packs", "refs"].some((folder) => this.#isTree(path, folder)))
      this.wrong(`${path} is written in place`);
  }

  /**
   * A removed file may be needed until its replacement is safe. A pack or a tag that was removed must not
   * come back.
   */
  remove(path: string): void {
    this.#dirty.delete(path);
    this.#unnamed.delete(path);
    if (!this.#mayBeLost(path))
      for (const [other, what] of this.#unflushed())
        if (!this.#mayBeLost(other)) this.wrong(`${path} is removed before the flush of ${what}`);
    if (this.#isPromise(path)) this.#removed.add(path);
  }

  rename(from: string, to: string): void {
    // Files are removed from the store by way of tmp/.
    if (isScratch(to, this.#root) && !isScratch(from, this.#root)) {
      this.remove(from);
      this.name(to);
      return;
    }
    this.#appears(from, to);
    if (!this.#dirty.has(from)) this.#dirty.delete(to);
    // Removing a folder removes its content.
    for (const paths of [this.#dirty, this.#unnamed])
      for (const path of [...paths].filter((one) => one === from || one.startsWith(`${from}/`))) {
        paths.delete(path);
        paths.add(to + path.slice(from.length));
      }
    this.name(to);
  }

  /**
   * A link fails where a rename would replace, so names that users choose are links. Objects and packs are
   * renamed.
   */
  link(from: string, to: string): void {
    if (this.#isTree(to, "objects") || this.#isTree(to, "packs"))
      this.wrong(`link of ${to}: not how files get their names here`);
    this.#appears(from, to);
    this.name(to);
  }

  /**
   * A file that gets a name must be on the disk; before a file that makes others count, they must be, too.
   */
  #appears(from: string, to: string): void {
    if (isScratch(to, this.#root)) return;
    if (this.#dirty.has(from)) this.wrong(`${to} gets its name before the flush of its bytes`);
    for (const [path, what] of this.#unflushed())
      if (path.startsWith(`${from}/`)) this.wrong(`${to} gets its name before the flush of ${what}`);
    if (dirname(to) === join(this.#root, "packs")) this.#packAppears(to);
    // With its config.json a store counts as finished, and with its execution.json a draft.
    if (to === join(this.#root, "config.json") || basename(to) === "execution.json")
      this.#markAppears(to, from);
  }

  /** Everything that the pack refers to must be on the disk before the pack is visible. */
  #packAppears(pack: string): void {
    for (const [path, what] of this.#unflushed())
      if (this.#isTree(path, "objects")) this.wrong(`${pack} appears before the flush of ${what}`);
    for (const need of this.#needs) if (!this.#seen.has(need)) this.wrong(`${pack} appears without ${need}`);
  }

  #markAppears(mark: string, from: string): void {
    const isBeside = (path: string): boolean =>
      path.startsWith(`${dirname(mark)}/`) && !path.startsWith(`${dirname(from)}/`) && path !== mark;
    for (const [path, what] of this.#unflushed())
      if (
        (mark.startsWith(`${this.#root}/`) || isBeside(path)) &&
        path !== mark &&
        !isScratch(path, this.#root)
      )
        this.wrong(`${mark} appears before the flush of ${what}`);
  }

  /** The user gets an answer, by output or by exit status 0: the results must outlive a power cut. */
  report(): void {
    this.hasReported = true;
    for (const [path, what] of this.#unflushed())
      if (!this.#mayBeLost(path)) this.wrong(`the result is reported before the flush of ${what}`);
    for (const path of this.#removed) this.wrong(`the result is reported before ${path} is gone for good`);
    for (const need of this.#needs)
      if (!this.#seen.has(need)) this.wrong(`the result is reported without ${need}`);
  }

  /** Returns what a power cut could lose now, as text. */
  #unflushed(): [path: string, what: string][] {
    return [
      ...[...this.#dirty].map((path): [string, string] => [path, `the bytes of ${path}`]),
      ...[...this.#unnamed].map((path): [string, string] => [path, `the name ${path}`]),
    ];
  }

  /** A note that can be missing; `latest` is found again. */
  #mayBeLost(path: string): boolean {
    const isNote =
      path.startsWith(join(this.#root, "cache")) ||
      path === join(this.#root, "refs/latest") ||
      path.endsWith("/ctx/hook-runs.jsonl");
    return isNote || isScratch(path, this.#root);
  }

  /** Returns whether the user requested the removal. An emptied folder of a sealed draft may come back. */
  #isPromise(path: string): boolean {
    if (path.startsWith(`${this.#root}/`))
      return ["packs", "refs/tags"].some((name) => this.#isTree(path, name));
    return !isScratch(path, this.#root) && !/\/\.ctx-draft-[^/]*\.ready$/.test(path);
  }

  #isTree(path: string, folder: string): boolean {
    return path.startsWith(join(this.#root, folder, "/"));
  }
}

/** Files that may be lost or torn: they are rebuilt, or their reader notices that they are incomplete. */
function isScratch(path: string, root: string): boolean {
  return (
    ["tmp", "locks"].some((name) => path.startsWith(join(root, name, "/"))) ||
    /\/\.ctx-[^/]*\.tmp(?:\/|$)|\/ctx\/locks(?:\/|$)/.test(path)
  );
}

/** Returns the calls that succeeded, in the order in which they finished. */
export function* stepsOf(trace: string): Generator<Step> {
  const held = new Map<string, string>();
  for (const line of joinLines(trace).split("\n")) {
    const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const [, name, result] = /^(\w+)\(.*\) += (-?\d+|\?$)/.exec(text) ?? [];
    if (name === undefined || result === undefined || result.startsWith("-")) continue;
    // Reported as done, and not done.
    if (text.endsWith("(INJECTED)")) continue;
    yield { thread, name, paths: pathsOf(text, held), text };
    const [, descriptor, target] = / = (\d+)<([^>]*)>$/.exec(text) ?? [];
    if (descriptor !== undefined && target !== undefined) held.set(descriptor, target);
  }
}

/** Resolves paths that are relative to a descriptor, by the system's own means or through /proc. */
function pathsOf(text: string, held: ReadonlyMap<string, string>): string[] {
  const paths: string[] = [];
  let base = "/";
  for (const [, folder, target, quoted] of text.matchAll(/(AT_FDCWD|\b\d+)<([^>]*)>|"([^"]*)"/g)) {
    if (quoted === undefined) {
      base = target ?? "/";
      if (folder !== "AT_FDCWD") paths.push(base);
      continue;
    }
    const [, number, below] = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(quoted) ?? [];
    if (number !== undefined) paths.push(join(held.get(number) ?? "/unknown", below ?? ""));
    else if (quoted.startsWith("/")) paths.push(quoted);
    else if (quoted !== "") {
      // "name" in the folder of the descriptor before it.
      if (paths.at(-1) === base) paths.pop();
      paths.push(join(base, basename(quoted) === quoted ? quoted : `./${quoted}`));
    }
  }
  return paths;
}
