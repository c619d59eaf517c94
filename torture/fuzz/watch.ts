// Watches the process in which inputs are tried: one that does not answer in time is ended, one that ends by
// itself has crashed. In both cases the next input gets a new process.
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type * as Esbuild from "esbuild";
import { program, repository } from "../../dev/built.js";
import { atEnd } from "../../dev/endings.js";
import { copyOfGround, quickFolder } from "./ground.js";
import type { Answer, Setup } from "./inside.js";
import type { Entrance } from "./parser.js";

/**
 * Milliseconds without an answer that count as a hang: more than an input may take, since the machine may be
 * busy.
 */
const patience = 20_000;
/** The heap that a process may have, in megabytes. */
const heap = 300;

let built: { inside: string; program: string } | undefined;

/**
 * The bundle that is run there, and the program that it runs: a copy, so that a build at the same time
 * changes nothing.
 */
function builtFiles(): NonNullable<typeof built> {
  if (built !== undefined) return built;
  const folder = quickFolder();
  const dist = program.endsWith(".cjs") ? dirname(program) : join(repository, "dist");
  const files = fs.readdirSync(dist);
  for (const name of files) if (name.endsWith(".cjs")) fs.copyFileSync(join(dist, name), join(folder, name));
  const whole = files.find((name) => /^program-all-[0-9a-f]+\.cjs$/.test(name));
  if (whole === undefined) throw new Error(`${dist} holds no program: run \`npm run build\` first`);
  // It is the function that a module is.
  const source = fs.readFileSync(join(dist, whole), "latin1");
  const main = join(folder, "program.cjs");
  fs.writeFileSync(main, `${source}(exports, require, module, __filename, __dirname);\n`);
  // From its own location: this may run elsewhere.
  const { buildSync } = createRequire(join(repository, "package.json"))("esbuild") as typeof Esbuild;
  const inside = join(folder, "inside.mjs");
  buildSync({
    entryPoints: [join(repository, "torture/fuzz/inside.ts")],
    outfile: inside,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  built = { inside, program: main };
  return built;
}

const rooms: Room[] = [];
atEnd(() => {
  for (const one of rooms) one.end();
});

/** So many processes, each of which is used again by the next parser: what it has learnt makes it fast. */
export function watched(count: number): Room[] {
  while (rooms.length < count) rooms.push(new Room(copyOfGround));
  return rooms.slice(0, count);
}

export class Room {
  readonly #makeFolder: () => Promise<string>;
  #child: ChildProcess | undefined;
  #entrance: Entrance | undefined;
  #answers: AsyncIterator<string> | undefined;
  #errors = "";

  constructor(makeFolder: () => Promise<string>) {
    this.#makeFolder = makeFolder;
  }

  /** Returns the result of an input: an answer, or how the process ended. */
  async try(entrance: Entrance, input: Buffer): Promise<Answer | string> {
    const child = (this.#child ??= await this.#start());
    if (this.#entrance !== entrance) child.stdin?.write(`${JSON.stringify(bare(entrance))}\n`);
    this.#entrance = entrance;
    let isLate = false;
    const overdue = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, patience);
    child.stdin?.write(`${input.toString("base64")}\n`);
    const next = await this.#answers?.next();
    clearTimeout(overdue);
    if (next?.done === false) return JSON.parse(next.value) as Answer;
    const how = child.signalCode ?? `status ${child.exitCode}`;
    this.end();
    return isLate
      ? `returns no answer in ${patience / 1000} s`
      : `ends the process (${how}): ${this.#errors.slice(-600)}`;
  }

  /** The next input gets a process of its own. */
  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    this.#entrance = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const { inside, program: whole } = builtFiles();
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${heap}`, "--max-semi-space-size=32", "--single-threaded-gc", inside],
      {
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...env, TMPDIR: quickFolder() },
      },
    );
    child.stdin.on("error", () => undefined);
    this.#errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (this.#errors += text));
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const setup: Setup = { program: whole, folder: await this.#makeFolder() };
    child.stdin.write(`${JSON.stringify(setup)}\n`);
    return child;
  }
}

/** Without fields that cannot be sent to another process. */
function bare(entrance: Entrance): Entrance {
  const { name, by, file = "", commands, later = [], isForgetful = false } = entrance;
  const { writes = false, free = [], isToldAll = false } = entrance;
  return { name, by, file, commands, later, isForgetful, writes, free, isToldAll };
}
