// What every command must print for a store with one wrong bit: the truth, or that something is damaged.
import * as fs from "node:fs";
import { join } from "node:path";
import type { Said } from "./fuzz/inside.js";
import type { VerifyResult } from "../src/results/verify.js";

interface Sound {
  first: string;
  second: string;
  /** The output of each command when nothing is wrong. */
  clean: readonly Said[];
}

export class Rot {
  readonly #folder: string;
  readonly #sound: Sound;
  readonly #clean: ReadonlyMap<string, Said>;

  constructor(folder: string, sound: Sound) {
    this.#folder = folder;
    this.#sound = sound;
    this.#clean = new Map(sound.clean.map((said) => [said.args.join(" "), said]));
  }

  /** Returns what is wrong with the output of a command while this byte of this file is flipped. */
  wrongWith(found: Said, file: string, at: number): string[] {
    const wrong = this.#wrong(found, file, at);
    return wrong === undefined ? [] : [`ctx ${found.args.join(" ")} ${wrong}`];
  }

  #wrong(found: Said, file: string, at: number): string | undefined {
    const line = found.args.join(" ");
    const right = this.#clean.get(line) as Said;
    const isSame = found.status === right.status && plain(found.stdout) === plain(right.stdout);
    // Without valid settings there is no store, and the command says so.
    if (file === ".ctx/config.json")
      return found.status === 2 && found.stderr.includes(".ctx")
        ? undefined
        : `is not refused: ${summaryOf(found)}`;
    if (line === "verify --json") return this.#wrongOfStore(found, file);
    // A draft may be changed by anyone, and only its own state is printed.
    if (file.startsWith(".ctx/drafts/") && line === "status --json") return undefined;
    if (file.startsWith("report.md") && line === "verify report.md --json") {
      // White space means nothing.
      const isBlank = file.endsWith(".json") && /\s/.test(this.#bytes(file).toString("latin1", at, at + 1));
      return found.status !== 0 || isBlank ? undefined : "takes it for proof";
    }
    if (file === ".ctx/refs/latest" && line === "show latest --json" && !isSame) return this.#isShown(found);
    if (!counts(file)) return isSame ? undefined : `prints another answer: ${summaryOf(found)}`;
    if (line.startsWith("verify ")) {
      const { first, second } = this.#sound;
      const isNeeded = this.#basis(first).has(file);
      // One that names no pack is in both.
      const mayFail = isNeeded || (line.includes("copy.md") && this.#basis(second).has(file));
      const isWrong = found.status === 0 ? isNeeded : !mayFail;
      return isWrong ? `exits with ${found.status}: ${summaryOf(found)}` : undefined;
    }
    if (line === "tag --json" && file !== ".ctx/refs/tags/good")
      return /"hash":"([^"]*)"/.exec(found.stdout)?.[1] === /"hash":"([^"]*)"/.exec(right.stdout)?.[1]
        ? undefined
        : `prints a wrong answer: ${summaryOf(found)}`;
    // A refusal, or a report of damage, is no wrong answer.
    if (isSame && (file !== ".ctx/refs/tags/good" || !line.includes("good"))) return undefined;
    const says = `${found.stderr}${found.stdout}`;
    if (!honest.test(says)) return `prints a wrong answer: ${summaryOf(found)}`;
    return found.status === 2 || isSame ? undefined : this.#wrongLines(found, right);
  }

  /** `ctx verify` finds it, and names the object and the packs that it damages. */
  #wrongOfStore(found: Said, file: string): string | undefined {
    const { exit, targets } = JSON.parse(found.stdout) as VerifyResult;
    const faults = (targets[0]?.faults ?? []).map(({ about, packs }) => ({
      about,
      packs: [...packs].sort(),
    }));
    const right = this.#fault(file);
    const expected = JSON.stringify({
      exit: right === undefined ? 0 : 1,
      faults: right === undefined ? [] : [right],
    });
    const said = JSON.stringify({ exit, faults });
    return said === expected ? undefined : `says ${said}, not ${expected}`;
  }

  #fault(file: string): { about: string; packs: string[] } | undefined {
    if (file === ".ctx/refs/tags/good") return { about: "tag good", packs: [] };
    const [, name] = /^\.ctx\/(?:objects|packs)\/(.*)$/.exec(file) ?? [];
    if (name === undefined) return undefined;
    const hex = name.replace("/", "");
    const { first, second } = this.#sound;
    if (hex === first || hex === second) return { about: `ctx://${hex}`, packs: [`sha256:${hex}`] };
    const losers = [first, second].filter((pack) => this.#needs(pack).includes(hex));
    return { about: `sha256:${hex}`, packs: losers.map((pack) => `sha256:${pack}`).sort() };
  }

  /** Objects that a pack needs, found by a reader of its own. */
  #needs(hex: string): string[] {
    const text = this.#bytes(`.ctx/objects/${hex.slice(0, 2)}/${hex.slice(2)}`).toString("utf8");
    const { parent: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    return [...JSON.stringify(rest).matchAll(/sha256:([0-9a-f]{64})/g)].map(([, name]) => name as string);
  }

  /** Returns the objects that the proof of a file of this pack depends on. */
  #basis(pack: string): Set<string> {
    const objects = [pack, ...this.#needs(pack)].map(
      (hex) => `.ctx/objects/${hex.slice(0, 2)}/${hex.slice(2)}`,
    );
    return new Set([...objects, `.ctx/packs/${pack}`]);
  }

  /** Whichever pack is the latest, it is shown correctly. */
  #isShown(found: Said): string | undefined {
    const packs = this.#sound.clean.filter(({ args }) => args[0] === "show" && args[2] === "--json");
    return packs.some(({ stdout }) => stdout === found.stdout)
      ? undefined
      : `shows no pack: ${summaryOf(found)}`;
  }

  /** Each line of a list is correct, or says that its pack is damaged. */
  #wrongLines(found: Said, right: Said): string | undefined {
    const known = new Set(lines(right));
    const bad = lines(found).filter((line) => !known.has(line) && !honest.test(line));
    return bad.length === 0 || found.args[0] !== "log"
      ? undefined
      : `lists what is not so: ${bad.join("\n")}`;
  }

  #bytes(file: string): Buffer {
    return fs.readFileSync(join(this.#folder, file));
  }
}

/** Words by which an answer says that something is wrong. */
const honest =
  /"damaged":true|is damaged|cannot be (?:read|shown)|is not (?:a manifest|in (?:this|the) store)|"hash":null|"present":false|"state":"unknown"|cannot be followed/;

/**
 * Returns whether the content of a file matters: a cache can be rebuilt, git's files are git's, and latest is
 * a convenience.
 */
function counts(file: string): boolean {
  return /^\.ctx\/(?:objects\/|packs\/|refs\/tags\/)/.test(file);
}

/** Returns the lines of a list; a lost tag has a note of its own. */
function lines({ stdout }: Said): string[] {
  return plain(stdout).replaceAll('"tags":["good"]', '"tags":[]').split("\n");
}

/** Without paths and times that differ in each copy. */
function plain(text: string): string {
  return text.replaceAll(/\/[\w./-]*ctx-fuzz-\w+/g, "@");
}

function summaryOf({ status, stdout, stderr }: Said): string {
  return `${status}, ${JSON.stringify(stdout.slice(0, 300))}, ${JSON.stringify(stderr.slice(0, 300))}`;
}
