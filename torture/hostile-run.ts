// Runs one command among hostile packs, in a pipe or in a pseudo-terminal, and returns its output and what it
// changed.
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { starter, words } from "../dev/built.js";
import { controls } from "./hostile-text.js";

export type Mode = "pipe" | "json" | "terminal";

export interface Heard {
  status: number | null;
  stdout: Buffer;
  stderr: Buffer;
  isOverdue: boolean;
}

/** No command here takes this long, also on a busy machine. */
const patience = 30_000;

/** Kind and time of change, by the path relative to the folder. */
type Tree = Map<string, string>;

/** A copy of everything, in which commands are run one after the other. */
export class Arena {
  readonly #original: string;
  readonly folder: string;
  readonly #temp: string;
  #before: Tree | undefined;
  #runs = 0;

  constructor(original: string, arena: string) {
    this.#original = original;
    this.folder = join(arena, "around");
    this.#temp = join(arena, "temp");
    fs.mkdirSync(this.#temp, { recursive: true });
  }

  #refresh(): Tree {
    fs.rmSync(this.folder, { recursive: true, force: true });
    copyAll(this.#original, this.folder);
    return treeOf(this.folder);
  }

  /** Runs it, and returns the changes that are not allowed. */
  async run(
    args: readonly string[],
    mode: Mode,
    input: string,
    writes?: RegExp,
  ): Promise<Heard & { changed: string[] }> {
    const before = (this.#before ??= this.#refresh());
    const heard = await hear(args, mode, input, join(this.folder, "work"), this.#environment(mode));
    // It has only started: the rest runs in the background.
    if (args[0] === "hook" && args[1] === "run") await pause(2000);
    const after = treeOf(this.folder);
    const all = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    const changed = all.filter((path) => !/^work\/\.ctx\/cache(?:\/|$)/.test(path));
    // The next command must not find these changes.
    this.#before = changed.length > 0 ? undefined : after;
    const left = fs.readdirSync(this.#temp).map((name) => `temp/${name}`);
    for (const name of left) fs.rmSync(join(this.#temp, "..", name), { recursive: true, force: true });
    const made = all.filter((path) => !before.has(path) && isBadDraftFile(path));
    return {
      ...heard,
      changed: [
        ...made.map((path) => `its draft to have ${path}`),
        ...changed.filter((path) => writes?.test(path) !== true),
        ...(args.includes("--keep") ? [] : left),
      ],
    };
  }

  /** Returns the user's own environment, and now and then one that misdescribes the terminal. */
  #environment(mode: Mode): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    const plain = { TERM: "xterm-256color", COLUMNS: "100", LANG: "C.UTF-8" };
    const odd = [
      // Node itself crashes when this is long.
      { TERM: controls, COLUMNS: "-1", LANG: "\u001b[2J" },
      { TERM: "", COLUMNS: "99999999999999999999", LC_ALL: "C" },
      { TERM: "../../outside", COLUMNS: "1", LANG: "xx" },
    ][Math.floor(this.#runs / 4) % 3];
    return {
      PATH,
      HOME: join(this.folder, "home"),
      TMPDIR: this.#temp,
      PAGER: "cat",
      NODE_DISABLE_COMPILE_CACHE: "1",
      ...(this.#runs++ % 4 === 3 && mode !== "json" ? odd : plain),
    };
  }
}

/**
 * Returns whether a file of a new draft has a name that some file system cannot hold, or would read as
 * something else.
 */
function isBadDraftFile(path: string): boolean {
  const inside = /^work\/(?:\.ctx\/drafts\/[0-9a-f]{12}|mine)\/(.*)$/s.exec(path)?.[1];
  return (inside?.split("/") ?? []).some(
    (part) =>
      /[\p{Cc}<>:"|?*\\]|[. ]$/u.test(part) ||
      /^(?:con|nul|com1)(?:\.|$)|^\.(?:git|ctx)$|^git~1$/i.test(part) ||
      Buffer.byteLength(part) > 255,
  );
}

/** A copy that keeps links, pipes and times. */
export function copyAll(from: string, to: string): void {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(`cannot copy: ${stderr}`);
}

/** Everything in a folder: outside the store also the bytes, and the times of folders. */
export function treeOf(folder: string): Tree {
  const tree: Tree = new Map();
  const walk = (inside: Buffer, shown: string): void => {
    for (const name of fs.readdirSync(inside, { encoding: "buffer" })) {
      const path = Buffer.concat([inside, Buffer.from("/"), name]);
      const key = shown === "" ? name.toString() : `${shown}/${name.toString()}`;
      const stat = fs.lstatSync(path, { bigint: true });
      const isOurs = key.startsWith("work");
      const time =
        stat.isDirectory() && isOurs ? "" : `${stat.mtimeNs} ${stat.isDirectory() ? "" : stat.size}`;
      const target = stat.isSymbolicLink() ? fs.readlinkSync(path, { encoding: "latin1" }) : "";
      const bytes = stat.isFile() && !isOurs ? fs.readFileSync(path, "latin1") : "";
      // Names that are not UTF-8 may look alike.
      tree.set(
        tree.has(key) ? `${key} ${stat.ino}` : key,
        [stat.mode, stat.ino, time, target, bytes].join(" "),
      );
      if (stat.isDirectory()) walk(path, key);
    }
  };
  walk(Buffer.from(folder), "");
  return tree;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function hear(
  args: readonly string[],
  mode: Mode,
  input: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Heard> {
  const own = mode === "json" ? [...args, "--json"] : args;
  // A terminal echoes its input, so the input is a here-document.
  const hereDocument = input === "" ? "" : ` <<'END'\n${input}\nEND`;
  const line = `stty rows 40 cols 100; exec ${[starter, ...words, ...own].map(quoted).join(" ")}${hereDocument}`;
  const [command, ...rest] =
    mode === "terminal" ? ["script", "-qec", line, "/dev/null"] : [starter, ...words, ...own];
  const child = spawn(command, rest, { cwd, env, stdio: "pipe", detached: true });
  const heard: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (bytes: Buffer) => heard[name].push(bytes));
  child.stdin.on("error", () => undefined);
  child.stdin.end(mode === "terminal" ? "" : input);
  return new Promise((resolve, reject) => {
    let isOverdue = false;
    const overdue = setTimeout(() => {
      isOverdue = true;
      end(child.pid);
    }, patience);
    child.on("error", reject);
    child.on("close", (status) => {
      clearTimeout(overdue);
      const [stdout, stderr] = [Buffer.concat(heard.stdout), Buffer.concat(heard.stderr)];
      resolve({ status, stdout, stderr, isOverdue });
    });
  });
}

/** Ends a process and its children; `script` runs its child in a group of its own. */
function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    for (const child of fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" "))
      if (child !== "") end(Number(child));
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
