// A search of a store that shares no code with `ctx grep`: it reads the manifests in packs/ and the objects, splits them into
// lines, and tries every line. Expressions are made together with the same for JavaScript.
import * as fs from "node:fs";
import { join } from "node:path";

/** A hit, as far as both searches must agree. */
export interface PlainHit {
  pack: string;
  part: string;
  step?: number;
  prompt?: number;
  name?: string;
  role?: string;
  line: number;
  column: number;
  length?: number;
}

/** A line as characters: bytes that are not UTF-8 are a character each, as RE2 reads them. */
interface PlainLine {
  /** A character of the string for each byte. */
  bytes: string;
  text: string;
}

/** Returns where a line matches first, in `bytes` or in `text`. */
export type PlainTest = (line: PlainLine) => { at: number; length: number; isBytes: boolean } | undefined;

/** A text of a run: where it is, and its lines. */
interface PlainText {
  place: object;
  isBinary: boolean;
  lines: { bytes: string; text: string; all: PlainCharacter[] }[];
}

/** The texts of a store as they were when it was read. */
export class PlainStore {
  readonly #texts: PlainText[] = [];

  constructor(root: string) {
    for (const hex of fs.readdirSync(join(root, "packs"))) {
      const manifest = JSON.parse(fs.readFileSync(join(root, "packs", hex), "utf8"));
      const add = (place: object, bytes: Buffer): void =>
        void this.#texts.push({ place: { pack: `sha256:${hex}`, ...place }, ...linesOf(bytes) });
      const read = (ref: string): Buffer =>
        fs.readFileSync(join(root, "objects", ref.slice(7, 9), ref.slice(9)));
      add({ part: "system" }, read(manifest.system_prompt));
      for (const [prompt, { content_ref }] of manifest.prompts.entries())
        add({ part: "prompt", prompt }, read(content_ref));
      for (const { name, content_ref } of manifest.inputs)
        add({ part: "file", name, role: "input" }, read(content_ref));
      for (const { name, content_ref } of manifest.outputs)
        add({ part: "file", name, role: "output" }, read(content_ref));
      for (const step of manifest.steps) {
        for (const [name, text] of leaves(step.parameters ?? {}, ""))
          add({ part: "param", step: step.index, name }, Buffer.from(text));
        const part = step.tool === undefined ? "reasoning" : "output";
        if (step.output_ref !== undefined) add({ part, step: step.index }, read(step.output_ref));
        if (step.seen_ref !== undefined) add({ part: "seen", step: step.index }, read(step.seen_ref));
      }
    }
  }

  /** Returns all hits of a pattern. */
  search(test: PlainTest): PlainHit[] {
    return this.#texts.flatMap(({ place, isBinary, lines }) => {
      const found: object[] = [];
      for (const [index, line] of lines.entries()) {
        const match = test(line);
        if (match === undefined) continue;
        if (isBinary) return [{ ...place, line: 0, column: 0 } as PlainHit];
        const skipped = match.isBytes
          ? line.bytes.slice(0, match.at)
          : line.all
              .slice(0, match.at)
              .map(({ bytes }) => bytes)
              .join("");
        const before = Buffer.from(skipped, "latin1").toString("utf8");
        found.push({ ...place, line: index + 1, column: Array.from(before).length + 1 });
      }
      return found as PlainHit[];
    });
  }
}

function leaves(value: unknown, name: string): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object") return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
  if (Array.isArray(value)) return value.flatMap((each, at) => leaves(each, `${name}[${at}]`));
  return Object.entries(value).flatMap(([key, each]) => leaves(each, name === "" ? key : `${name}.${key}`));
}

function linesOf(bytes: Buffer): Pick<PlainText, "isBinary" | "lines"> {
  const lines = bytes.toString("latin1").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return {
    isBinary: bytes.subarray(0, 8000).includes(0),
    lines: lines.map((each) => {
      const line = each.replace(/\r$/, "");
      const all = characters(line);
      return { bytes: line, text: all.map(({ shown }) => shown).join(""), all };
    }),
  };
}

/** A character of a line, and its bytes as latin1. */
interface PlainCharacter {
  shown: string;
  bytes: string;
}

/** Returns a text with a single UTF-16 code unit for each character: V8 looks behind into the middle of two. */
export function inOneUnit(text: string): string {
  return Array.from(text)
    .map((each) =>
      each.length === 1 ? each : String.fromCharCode(0xf000 + ((each.codePointAt(0) as number) & 0x7ff)),
    )
    .join("");
}

/** Returns the characters of some bytes; one that is no UTF-8 becomes a character that no text has. */
function characters(latin: string): PlainCharacter[] {
  const bytes = Buffer.from(latin, "latin1");
  const found: PlainCharacter[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = [1, 2, 3, 4].find((length) => {
      const text = bytes.toString("utf8", at, at + length);
      return Array.from(text).length === 1 && Buffer.from(text).equals(bytes.subarray(at, at + length));
    });
    const shown =
      size === undefined
        ? String.fromCharCode(0xe000 + (bytes[at] as number))
        : inOneUnit(bytes.toString("utf8", at, at + size));
    found.push({ shown, bytes: latin.slice(at, at + (size ?? 1)) });
    at += size ?? 1;
  }
  return found;
}
