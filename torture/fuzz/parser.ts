// What is fuzzed: a place where the program reads data that others have written.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { parsed } from "./mutate.js";

/**
 * The part of a parser that the process needs that runs the program. For bit rot, the input names the byte.
 */
export interface Entrance {
  name: string;
  /**
   * How an input is passed: as a file, a word of the command line, standard input, or a manifest under its
   * own hash.
   */
  by: "file" | "rot" | "word" | "input" | "manifest" | "go manifest";
  /** For a file: its path relative to the folder. */
  file?: string;
  /** Command lines that are run with each input; `{}` stands for the word, or for the pack. */
  commands: readonly (readonly string[])[];
  /** One of these is run after every sixth input, in turn, when the first command was not refused. */
  later?: readonly (readonly string[])[];
  /** A successful command may add to the store. */
  writes?: boolean;
  /** The catalog is removed before. */
  isForgetful?: boolean;
  /** Paths that begin so may change at any time. */
  free?: readonly string[];
  /** The complete output is needed. */
  isToldAll?: boolean;
}

export interface Placed {
  commands: readonly string[][];
  later: readonly string[][];
  input: Buffer;
  /** The path that was written, relative to the folder. */
  files: readonly string[];
}

/** Stands for the folder in an input, which differs in each process. */
export const here = "@HERE@";

/** Writes an input to where the program will find it. */
export function place(entrance: Entrance, folder: string, original: Buffer): Placed {
  const { by, file = "" } = entrance;
  const input = original.includes(here)
    ? Buffer.from(
        original.toString("latin1").replaceAll(here, () => folder),
        "latin1",
      )
    : original;
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

/** Like a fault of a disk: one bit flips, and the times of the file stay. */
function rot(path: string, at: number): void {
  const { mode, atime, mtime } = fs.statSync(path);
  const bytes = fs.readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
  fs.chmodSync(path, 0o600);
  fs.writeFileSync(path, bytes);
  fs.chmodSync(path, mode);
  fs.utimesSync(path, atime, mtime);
}

/** Returns the entry of a pack, as anyone could write it. */
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
    // Nested too deep to be written.
    return input;
  }
}
