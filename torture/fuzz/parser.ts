// What is fuzzed: a place where the program takes in what somebody else has written.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { parsed } from "./mutate.js";

/** As much of a parser as the process needs that runs the program. For rot, the input says in which byte. */
export interface Entrance {
  name: string;
  /** How an input gets there: as a file, a word of the command line, standard input, or a manifest under its own hash. */
  by: "file" | "rot" | "word" | "input" | "manifest" | "go manifest";
  /** For a file: which one, from the folder. */
  file?: string;
  /** Command lines that each input is given to; `{}` stands for the word, or for the pack. */
  commands: readonly (readonly string[])[];
  /** One of these follows after every sixth input, each in its turn, when the first was not refused. */
  later?: readonly (readonly string[])[];
  /** What succeeds may add to the store. */
  writes?: boolean;
  /** What is known of the packs is forgotten before. */
  isForgetful?: boolean;
  /** Whatever begins so may change at any time. */
  free?: readonly string[];
  /** All that was said is wanted. */
  isToldAll?: boolean;
}

export interface Placed {
  commands: readonly string[][];
  later: readonly string[][];
  input: Buffer;
  /** What was written, from the folder. */
  files: readonly string[];
}

/** Stands for the folder in an input, which is another one in each process. */
export const here = "@HERE@";

/** Puts an input where the program will find it. */
export function place(entrance: Entrance, folder: string, given: Buffer): Placed {
  const { by, file = "" } = entrance;
  const input = given.includes(here)
    ? Buffer.from(
        given.toString("latin1").replaceAll(here, () => folder),
        "latin1",
      )
    : given;
  const filled = (word: string): Pick<Placed, "commands" | "later"> => ({
    commands: entrance.commands.map((words) => words.map((one) => one.replaceAll("{}", () => word))),
    later: (entrance.later ?? []).map((words) => words.map((one) => one.replaceAll("{}", () => word))),
  });
  if (by === "word") return { ...filled(input.toString("utf8")), input: Buffer.alloc(0), files: [] };
  if (by === "input") return { ...filled(""), input, files: [] };
  if (by === "rot") {
    rot(join(folder, file), Number(input.toString()));
    return { ...filled(""), input: Buffer.alloc(0), files: [file] };
  }
  if (by === "file") {
    write(folder, file, input);
    return { ...filled(""), input: Buffer.alloc(0), files: [file] };
  }
  const hex = createHash("sha256").update(input).digest("hex");
  const object = `.ctx/objects/${hex.slice(0, 2)}/${hex.slice(2)}`;
  const pack = `.ctx/packs/${hex}`;
  write(folder, object, input);
  write(folder, pack, by === "go manifest" ? `sha256:${hex}\n` : sealed(input, hex));
  return { ...filled(hex), input: Buffer.alloc(0), files: [object, pack] };
}

function write(folder: string, name: string, bytes: string | Buffer): void {
  const path = join(folder, name);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.rmSync(path, { force: true });
  fs.writeFileSync(path, bytes);
}

/** As a disk does it: one bit is another, and nobody has written to the file. */
function rot(path: string, at: number): void {
  const { mode, atime, mtime } = fs.statSync(path);
  const bytes = fs.readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
  fs.chmodSync(path, 0o600);
  fs.writeFileSync(path, bytes);
  fs.chmodSync(path, mode);
  fs.utimesSync(path, atime, mtime);
}

/** The entry of a pack, as anybody could write it. */
function sealed(input: Buffer, hex: string): string | Buffer {
  const manifest = parsed(input.toString("utf8"));
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest)) return input;
  const hash = `sha256:${hex}`;
  const outputs = Array.isArray(manifest["outputs"])
    ? manifest["outputs"].map((output) =>
        typeof output === "object" && output !== null && !Array.isArray(output)
          ? { ...output, context_pack: hash }
          : output,
      )
    : manifest["outputs"];
  try {
    return JSON.stringify({ ...manifest, hash, outputs });
  } catch {
    // Too deep to be written.
    return input;
  }
}
