// Bad inputs for every parser of data that others write. Most are tried in a few processes that run the built
// program repeatedly; some with a process for each. Inputs that once found a bug are kept, and tried first.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { Random } from "../../dev/drift/random.js";
import { repository } from "../../dev/built.js";
import { pool, runCtx } from "../../dev/processes.js";
import type { Case, Options, Report } from "../case.js";
import { copyOfGround, ground, inGround } from "./ground.js";
import type { Said } from "./inside.js";
import { changes, Lister } from "./listing.js";
import { Mutator } from "./mutate.js";
import { place } from "./parser.js";
import { type Parser, parsers } from "./parsers.js";
import { mostMemory, mostTime, wrongIn, wrongWith } from "./verdict.js";
import { type Room, watched } from "./watch.js";

/** Inputs for each parser: in a shared process, and with a process for each. */
const full = { inside: 10_000, started: 6 };
const short = { inside: 60, started: 1 };

export const fuzzCases: Case[] = parsers.map((parser) => ({
  group: "fuzz",
  name: parser.name,
  run: (options) => fuzz(parser, options),
}));

async function fuzz(parser: Parser, options: Options): Promise<Report> {
  const most = options.short ? short : full;
  const mutator = new Mutator(parser.seeds(await ground()), new Random(options.seed), parser);
  const kept = keptFor(parser);
  const failures = new Failures(parser);
  const good = parser.seeds(await ground());
  // Kept inputs are tried in every way, in every round.
  const everyWay = { ...parser, commands: [...parser.commands, ...(parser.later ?? [])], later: [] };
  const inputs = (function* (): Generator<[Parser, Buffer]> {
    for (const input of good) yield [parser, input];
    for (const input of kept) yield [everyWay, input];
    for (let count = 0; count < most.inside; count++) yield [parser, mutator.next()];
  })();
  let tries = 0;
  const work = async (room: Room): Promise<void> => {
    for (const [entrance, input] of inputs) {
      const answer = await room.try(entrance, input);
      if (++tries % 100 === 0) options.say(`${tries} inputs`);
      const wrong = typeof answer === "string" ? [answer] : answer.wrong;
      // A good input must be accepted: otherwise nothing was tested.
      if (good.includes(input) && typeof answer !== "string" && answer.said[0]?.status === 2)
        wrong.push(`a good input is refused: ${answer.said[0].stderr}`);
      if (wrong.length > 0) failures.add(input, wrong);
      if (typeof answer !== "string" && answer.memory > mostMemory) room.end();
    }
  };
  await Promise.all(watched(options.short ? 1 : 2).map(work));
  const started = [
    ...kept.slice(0, most.started),
    ...Array.from({ length: most.started }, () => mutator.next()),
  ];
  await pool(started, async (input) => {
    const wrong = await runStarted(parser, input);
    if (wrong.length > 0) failures.add(input, wrong);
    tries++;
  });
  return { points: most.inside + most.started + kept.length, tries, violations: failures.list() };
}

/** Returns one input for the real program, with a process for each command line. */
async function runStarted(parser: Parser, input: Buffer): Promise<string[]> {
  const folder = await copyOfGround();
  try {
    const placed = place(parser, folder, input);
    const before = new Lister(folder).list();
    const said: Said[] = [];
    for (const args of placed.commands) {
      // No system passes such a word to a program.
      if (args.some((word) => word.includes("\0") || word.length > 100_000)) return [];
      const options = { ...inGround(folder), input: placed.input.toString("utf8"), limit: 20 * mostTime };
      const { status, signal, stdout, stderr } = await runCtx(folder, args, options);
      if (status === null) return [`ctx ${args.join(" ")} is stopped by ${signal}`];
      said.push({ args, status, stdout, stderr });
    }
    const changed = changes(before, new Lister(folder).list());
    return [
      ...said.flatMap(wrongIn),
      ...wrongWith({ said: said.slice(0, 1), changed, spent: 0, memory: 0 }, parser),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** An input that once found a bug: as text, as texts with counts, or in base64 if it is not text. */
type Kept = { why: string } & ({ text: string } | { parts: [string, number][] } | { base64: string });

function keptFor({ name }: Parser): Buffer[] {
  const file = join(repository, "torture/fuzz/kept", `${name.replaceAll(/[^a-z0-9]+/g, "-")}.json`);
  if (!fs.existsSync(file)) return [];
  return (JSON.parse(fs.readFileSync(file, "utf8")) as Kept[]).map((one) => {
    if ("base64" in one) return Buffer.from(one.base64, "base64");
    const parts: [string, number][] = "text" in one ? [[one.text, 1]] : one.parts;
    return Buffer.from(parts.map(([text, times]) => text.repeat(times)).join(""));
  });
}

/** The violations, with the inputs written to files, so that they can be kept. */
class Failures {
  readonly #parser: Parser;
  readonly #all = new Map<string, number>();

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  add(input: Buffer, wrong: readonly string[]): void {
    // A violation with other digits, or another word, counts as the same.
    const kind = (wrong[0] ?? "").replaceAll(/[0-9a-f]{6,}|\d+|"[^"]*"/g, "*").slice(0, 200);
    const known = [...this.#all.keys()].find((text) => text.startsWith(`${kind}\n`));
    if (known !== undefined) this.#all.set(known, (this.#all.get(known) ?? 0) + 1);
    else this.#all.set(`${kind}\n${wrong.join("\n")}\ninput: ${this.#write(input)}`, 1);
  }

  list(): string[] {
    return [...this.#all].map(([text, times]) => `${times} times: ${text.slice(text.indexOf("\n") + 1)}`);
  }

  #write(input: Buffer): string {
    const keptFile = process.env["CTX_TORTURE_KEPT"];
    const folder = join(keptFile === undefined ? tmpdir() : dirname(keptFile), "ctx-fuzz-inputs");
    fs.mkdirSync(folder, { recursive: true });
    const hex = createHash("sha256").update(input).digest("hex").slice(0, 12);
    const file = join(folder, `${this.#parser.name.replaceAll(/[^a-z0-9]+/g, "-")}-${hex}`);
    fs.writeFileSync(file, input);
    return file;
  }
}
