// Reads a trace of system calls as a power cut would: a name or a byte that was not flushed may be gone. Says wherever
// a file got its name, a pack its entry, or the user an answer before what it rests on was on the disk.
import { basename, dirname, join } from "node:path";
import { isFlush, joinLines, mainThread } from "./strace.js";

export interface Scene {
  /** The .ctx folder. */
  root: string;
  /** Files that were there before, of which nobody knows whether they were ever flushed. */
  found?: readonly string[];
  /** Names that were there before, of which nobody knows whether their folder was ever flushed. */
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

/** What is wrong with the order of calls in a trace; empty when a power cut at any moment would be harmless. */
export function violations(trace: string, scene: Scene): string[] {
  const disk = new Disk(scene);
  const main = mainThread(trace);
  for (const step of stepsOf(trace)) {
    const [first, second] = step.paths;
    if (isFlush(step.name)) disk.flush(step.name === "syncfs" ? undefined : first);
    else if (/^(?:mkdir|mkdirat)$/.test(step.name)) disk.name(first as string);
    else if (step.name.startsWith("rename")) disk.rename(first as string, second as string);
    else if (/^(?:link|linkat|symlink|symlinkat)$/.test(step.name))
      disk.wrong(`${step.name} of ${second}: not how files get their names here`);
    else if (/^(?:open|openat|creat)$/.test(step.name)) {
      if (/O_CREAT|O_TRUNC/.test(step.text)) disk.create(first as string);
    } else if (step.thread === main && /^writev?\(1</.test(step.text)) disk.report();
    else if (/^p?write|^(?:copy_file_range|sendfile|ftruncate)/.test(step.name)) {
      const target = step.name === "copy_file_range" ? second : first;
      if (target?.startsWith("/") === true && !target.startsWith("/dev/")) disk.write(target);
    }
  }
  return disk.wrongs;
}

/** For every flush in a trace: the trace without it, and the trace with it at the very end, too late for anything. */
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
  readonly #root: string;
  readonly #needs: readonly string[];
  /** Files with bytes that are in memory only. */
  readonly #dirty = new Set<string>();
  /** Names that are in memory only; each lies in the folder that must be flushed. */
  readonly #unnamed = new Set<string>();
  readonly #seen = new Set<string>();

  constructor({ root, found = [], named = [], needs = [] }: Scene) {
    this.#root = root;
    this.#needs = needs;
    for (const path of named) this.#unnamed.add(path);
    for (const path of found) {
      this.#dirty.add(path);
      this.#seen.add(path);
      // Who made an object may have made its folder just before.
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
    for (const name of this.#unnamed)
      if (path === undefined || dirname(name) === path) this.#unnamed.delete(name);
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
    if (this.#isTree(path, "objects") || this.#isTree(path, "packs") || this.#isTree(path, "refs"))
      this.wrong(`${path} is written in place`);
  }

  rename(from: string, to: string): void {
    if (this.#dirty.has(from) && !this.#isScratch(to))
      this.wrong(`${to} gets its name before the flush of its bytes`);
    if (this.#dirty.delete(from)) this.#dirty.add(to);
    else this.#dirty.delete(to);
    this.#unnamed.delete(from);
    this.name(to);
    if (dirname(to) === join(this.#root, "packs")) this.#packAppears(to);
    if (to === join(this.#root, "config.json")) this.#storeAppears(to);
  }

  /** Everything that the pack reaches must be on the disk before the pack is visible. */
  #packAppears(pack: string): void {
    for (const [path, what] of this.#unflushed())
      if (this.#isTree(path, "objects")) this.wrong(`${pack} appears before the flush of ${what}`);
    for (const need of this.#needs) if (!this.#seen.has(need)) this.wrong(`${pack} appears without ${need}`);
  }

  /** With its config.json a store counts as finished, and others may add packs to it: nothing may be missing then. */
  #storeAppears(config: string): void {
    for (const [path, what] of this.#unflushed())
      if (path !== config && !this.#isScratch(path))
        this.wrong(`${config} appears before the flush of ${what}`);
  }

  /** The user is told: whatever was made must outlive a power cut. refs/latest need not: it is found again without. */
  report(): void {
    for (const [path, what] of this.#unflushed())
      if (!this.#isScratch(path) && path !== join(this.#root, "refs/latest"))
        this.wrong(`the result is reported before the flush of ${what}`);
    for (const need of this.#needs)
      if (!this.#seen.has(need)) this.wrong(`the result is reported without ${need}`);
  }

  /** What a power cut could take away now, and in words. */
  #unflushed(): [path: string, what: string][] {
    return [
      ...[...this.#dirty].map((path): [string, string] => [path, `the bytes of ${path}`]),
      ...[...this.#unnamed].map((path): [string, string] => [path, `the name ${path}`]),
    ];
  }

  #isTree(path: string, folder: string): boolean {
    return path.startsWith(join(this.#root, folder, "/"));
  }

  /** What may be lost: writers make it anew. */
  #isScratch(path: string): boolean {
    return this.#isTree(path, "tmp") || this.#isTree(path, "locks");
  }
}

/** The calls that succeeded, each at the moment when it was done. */
export function* stepsOf(trace: string): Generator<Step> {
  const held = new Map<string, string>();
  for (const line of joinLines(trace).split("\n")) {
    const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const [, name, result] = /^(\w+)\(.*\) += (-?\d+)/.exec(text) ?? [];
    if (name === undefined || result === undefined || result.startsWith("-")) continue;
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
