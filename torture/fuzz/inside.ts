// Runs the built program for one input after the other in one process: a process for each would take hours.
// The parent process watches this one, sends a line for each input, and gets a line back.
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Terminal } from "../../src/cli/terminal.js";
import { changes, Lister, type Listing } from "./listing.js";
import { type Entrance, place } from "./parser.js";
import { mostTime, wrongWith } from "./verdict.js";

export interface Setup {
  /** The file that holds the complete program. */
  program: string;
  /** A folder of its own, which is restored after each input. */
  folder: string;
}

export interface Said {
  args: readonly string[];
  status: number;
  stdout: string;
  stderr: string;
}

export interface Answer {
  /** Only the necessary part of it, unless all was requested. */
  said: Said[];
  /** What is wrong with it. */
  wrong: string[];
  /** Paths that have changed, relative to the folder. */
  changed: string[];
  /** Milliseconds of processor time, and bytes of memory. */
  spent: number;
  memory: number;
  /** An error that was thrown out of the program. */
  thrown?: string;
}

const load = createRequire(import.meta.url);
// Pauses that a command makes are skipped.
(load("node:timers/promises") as { setTimeout: unknown }).setTimeout = () => Promise.resolve();

// No other program is started, not even git.
const missing = Object.assign(new Error("spawnSync ENOENT"), {
  code: "ENOENT",
  errno: -2,
  syscall: "spawnSync",
});
(load("node:child_process") as { spawnSync: unknown }).spawnSync = () => ({
  error: missing,
  status: null,
  signal: null,
  pid: 0,
  stdout: null,
  stderr: null,
});

interface Program {
  main(argv: readonly string[], terminal: Terminal): Promise<number>;
}

class Tried {
  readonly #setup: Setup;
  readonly #program: Program;
  readonly #good = new Map<string, Good>();
  /** The catalog of the packs, which need not stay the same. */
  readonly #cache = new Map<string, Good>();
  readonly #lister: Lister;
  readonly #listed: Map<string, string>;
  #turn = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#program = load(setup.program) as Program;
    this.#lister = new Lister(setup.folder);
    this.#listed = this.#lister.list();
    for (const [path, state] of this.#listed)
      if (state !== "folder") this.#good.set(path, goodFile(join(setup.folder, path)));
    const cache = join(setup.folder, ".ctx/cache");
    for (const name of fs.existsSync(cache) ? fs.readdirSync(cache) : [])
      this.#cache.set(join(cache, name), goodFile(join(cache, name)));
  }

  /** A slow input is tried again: the machine may have been busy. */
  async try(entrance: Entrance, input: Buffer): Promise<Answer> {
    const answer = await this.#try(entrance, input);
    return answer.spent <= mostTime ? answer : await this.#try(entrance, input, process.cpuUsage());
  }

  async #try(entrance: Entrance, input: Buffer, spent?: NodeJS.CpuUsage): Promise<Answer> {
    const { folder } = this.#setup;
    if (entrance.by === "rot") this.#resetCache(entrance.isForgetful === true);
    const placed = place(entrance, folder, input);
    const before = new Map(this.#listed);
    for (const path of placed.files) {
      for (let above = dirname(path); above !== "."; above = dirname(above)) before.set(above, "folder");
      before.set(path, this.#lister.state(path) ?? "");
    }
    const began = performance.now();
    const said: Said[] = [];
    let thrown: string | undefined;
    try {
      for (const args of placed.commands) said.push(await this.#run(args, placed.input));
      const isLooked = this.#turn++ % 6 === 0;
      const next = placed.later[Math.floor(this.#turn / 6) % (placed.later.length || 1)];
      if (next !== undefined && isLooked && said[0]?.status !== 2)
        said.push(await this.#run(next, placed.input));
    } catch (error) {
      thrown = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    }
    const took = performance.now() - began;
    const { user, system } = spent === undefined ? { user: took * 1000, system: 0 } : process.cpuUsage(spent);
    const after = this.#lister.list();
    const changed = changes(before, after);
    this.#putBack(after, placed.files);
    const answer = {
      said,
      changed,
      spent: (user + system) / 1000,
      // Measuring takes time.
      memory: took > 30 || this.#turn % 32 === 0 ? process.memoryUsage.rss() : 0,
      ...(thrown === undefined ? {} : { thrown }),
    };
    const wrong = wrongWith(answer, entrance);
    return { ...answer, wrong, said: entrance.isToldAll === true ? said : said.slice(0, 1).map(brief) };
  }

  async #run(args: readonly string[], input: Buffer): Promise<Said> {
    const { folder } = this.#setup;
    const out: Buffer[] = [];
    const error: Buffer[] = [];
    const status = await this.#program.main(args, {
      out: stream(out),
      error: stream(error),
      folder,
      env: { PATH: join(folder, "home/bin"), HOME: join(folder, "home") },
      program: [process.execPath, "ctx"],
      readInput: () => input,
      input: () => [input],
    });
    return {
      args,
      status,
      stdout: Buffer.concat(out).toString("utf8"),
      stderr: Buffer.concat(error).toString("utf8"),
    };
  }

  #resetCache(isEmpty: boolean): void {
    const folder = join(this.#setup.folder, ".ctx/cache");
    fs.rmSync(folder, { recursive: true, force: true });
    if (isEmpty) return;
    fs.mkdirSync(folder);
    for (const [path, { bytes, stat }] of this.#cache) {
      fs.writeFileSync(path, bytes);
      fs.utimesSync(path, stat.atime, stat.mtime);
    }
  }

  /** The folder as it was before the input. */
  #putBack(after: Listing, placed: readonly string[]): void {
    const { folder } = this.#setup;
    const different = new Set([...changes(this.#listed, after), ...placed]);
    if (different.size === 0) return;
    const added = [...different].filter((name) => !this.#listed.has(name));
    // The content of a folder before the folder.
    for (const name of added.sort((a, b) => b.length - a.length)) remove(join(folder, name), after.get(name));
    for (const name of different) {
      const path = join(folder, name);
      if (!this.#listed.has(name)) continue;
      const good = this.#good.get(name);
      const isThere = after.has(name) && after.get(name) !== "folder";
      if (good === undefined) fs.mkdirSync(path, { recursive: true });
      else {
        // Written in place, so that the folder does not change.
        if (isThere) fs.chmodSync(path, 0o600);
        else fs.rmSync(path, { recursive: true, force: true });
        fs.mkdirSync(dirname(path), { recursive: true });
        fs.writeFileSync(path, good.bytes);
        fs.chmodSync(path, good.stat.mode);
        fs.utimesSync(path, good.stat.atime, good.stat.mtime);
      }
      const state = this.#lister.state(name);
      if (state === undefined) this.#listed.delete(name);
      else this.#listed.set(name, state);
    }
  }
}

/** Much faster than listing all possible paths. */
function remove(path: string, state: string | undefined): void {
  try {
    if (state === "folder") fs.rmdirSync(path);
    else fs.unlinkSync(path);
  } catch {
    fs.rmSync(path, { recursive: true, force: true });
  }
}

/** Sending everything would take as long as computing it. */
function brief(said: Said): Said {
  return { ...said, stdout: "", stderr: said.status === 2 ? said.stderr.slice(0, 1000) : "" };
}

function stream(target: Buffer[]): Terminal["out"] {
  return {
    isTerminal: false,
    screen: { width: 80, colour: false },
    write: (text) => void target.push(Buffer.from(text as string)),
  };
}

interface Good {
  bytes: Buffer;
  stat: fs.Stats;
}

function goodFile(path: string): Good {
  return { bytes: fs.readFileSync(path), stat: fs.statSync(path) };
}

let tried: Tried | undefined;
let entrance: Entrance | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  if (tried === undefined) tried = new Tried(JSON.parse(line) as Setup);
  else if (line.startsWith("{")) entrance = JSON.parse(line) as Entrance;
  else if (entrance !== undefined)
    fs.writeSync(1, `${JSON.stringify(await tried.try(entrance, Buffer.from(line, "base64")))}\n`);
}
