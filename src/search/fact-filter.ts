// Selects runs by their facts: by the files that they used, and by the commands that they executed.
import { CtxError } from "../base/errors.js";
import { type FactSheet, fileUse } from "./fact-sheet.js";
import { commandUse, type FactShard, isWhole, pathUse } from "./fact-shard.js";
import { numberAt, textAt, type Texts } from "./fact-texts.js";
import { compileMatcher, type Matcher } from "./matcher.js";
import { pathPattern } from "./path-pattern.js";
import { SearchedText } from "./text-lines.js";

export interface FactFilter {
  /** Only runs that used a file like this. */
  path?: string;
  /** With `path`: only runs that wrote, moved or deleted it. */
  wrote?: boolean;
  /** With `path`: only runs that read it. */
  read?: boolean;
  /** Only runs that executed a command which contains this text, or matches it as a regular expression. */
  ran?: string;
}

/** `unsure`: the facts are not all there, and the manifest must be read. */
export type FactAnswer = "yes" | "no" | "unsure";

/** Compiles a filter; undefined if it selects every run. */
export function compileFactFilter(filter: FactFilter): CompiledFilter | undefined {
  const { path, wrote = false, read = false, ran } = filter;
  for (const [name, text] of Object.entries({ path, ran }))
    if (text === "") throw new CtxError("usage", `--${name} needs a non-empty value`);
  if (path === undefined && (wrote || read))
    throw new CtxError("usage", `--${wrote ? "wrote" : "read"} needs --path <path>`);
  if (wrote && read) throw new CtxError("usage", "--wrote cannot be combined with --read");
  return path === undefined && ran === undefined ? undefined : new CompiledFilter(filter);
}

export class CompiledFilter {
  readonly #path: PathFilter | undefined;
  readonly #command: CommandFilter | undefined;

  constructor({ path, wrote, read, ran }: FactFilter) {
    const bits = wrote === true ? fileUse.written | fileUse.deleted : read === true ? fileUse.read : allUses;
    if (path !== undefined) this.#path = new PathFilter(path, bits);
    if (ran !== undefined) this.#command = new CommandFilter(ran);
  }

  /** Returns whether a run is selected, by all that its manifest says. */
  fits(sheet: FactSheet): boolean {
    return this.#path?.fits(sheet) !== false && this.#command?.fits(sheet) !== false;
  }

  /** Returns the answer for each pack of a shard. */
  answers(shard: FactShard): Map<string, FactAnswer> {
    const packs = shard.packs();
    const parts = [this.#path?.answers(shard, packs), this.#command?.answers(shard, packs)];
    return new Map(
      packs.map(({ hex }, at) => {
        const own = parts.map((answers) => answers?.[at] ?? "yes");
        return [hex, own.includes("no") ? "no" : own.includes("unsure") ? "unsure" : "yes"];
      }),
    );
  }
}

const allUses = fileUse.read | fileUse.written | fileUse.deleted | fileUse.named;

type ShardPacks = ReturnType<FactShard["packs"]>;

class PathFilter {
  readonly #isPath: (path: string, folder?: string) => boolean;
  readonly #bits: number;
  /** Whether the folder of a run matters. */
  readonly #isAbsolute: boolean;

  constructor(pattern: string, bits: number) {
    this.#isPath = pathPattern(pattern);
    this.#bits = bits;
    this.#isAbsolute = pattern.startsWith("/");
  }

  fits({ paths, workdir }: FactSheet): boolean {
    for (const [path, use] of paths) if ((use & this.#bits) !== 0 && this.#isPath(path, workdir)) return true;
    return false;
  }

  answers(shard: FactShard, packs: ShardPacks): FactAnswer[] {
    const { uses, texts } = shard.paths();
    // Each path is matched once, and an absolute pattern once for each folder that a path is relative to.
    const known = new Map<number, Int8Array>();
    const isPath = (path: number, folder: number | undefined): boolean => {
      const key = this.#isAbsolute ? (folder ?? -1) : -1;
      let answers = known.get(key);
      if (answers === undefined) known.set(key, (answers = new Int8Array(texts.ends.length)));
      if (answers[path] === 0) {
        const workdir = key === -1 ? undefined : textAt(texts, key);
        answers[path] = this.#isPath(textAt(texts, path), workdir) ? 1 : -1;
      }
      return answers[path] === 1;
    };
    return packs.map((pack) => {
      let folder: number | undefined;
      for (let at = pack.paths.from; at < pack.paths.to; at++) {
        const { path, bits, isFolder } = pathUse(uses[at] as number);
        if (isFolder) folder = path;
        else if ((bits & this.#bits) !== 0 && isPath(path, folder)) return "yes";
      }
      return isWhole(pack, "paths") ? "no" : "unsure";
    });
  }
}

/** Selects commands that contain a text, or match it as a regular expression where it is one. */
class CommandFilter {
  readonly #text: Buffer;
  readonly #matcher: Matcher | undefined;

  constructor(text: string) {
    this.#text = Buffer.from(text);
    this.#matcher = matcherFor(text);
  }

  fits({ commands }: FactSheet): boolean {
    for (const command of commands) {
      const bytes = Buffer.from(command);
      if (bytes.includes(this.#text) || (this.#matcher !== undefined && hasMatch(this.#matcher, bytes)))
        return true;
    }
    return false;
  }

  answers(shard: FactShard, packs: ShardPacks): FactAnswer[] {
    const { uses, texts } = shard.commands();
    const [contain, match] = [this.#containing(texts), this.#matching(texts)];
    return packs.map((pack) => {
      let isUnsure = !isWhole(pack, "commands");
      for (let at = pack.commands.from; at < pack.commands.to; at++) {
        const { command, isCut } = commandUse(uses[at] as number);
        if (contain[command] === 1 || (!isCut && match?.[command] === 1)) return "yes";
        isUnsure ||= isCut;
      }
      return isUnsure ? "unsure" : "no";
    });
  }

  /** Returns a 1 for each text that contains the text. */
  #containing(texts: Texts): Uint8Array {
    const { bytes, ends } = texts;
    const found = new Uint8Array(ends.length);
    for (let at = bytes.indexOf(this.#text); at !== -1; at = bytes.indexOf(this.#text, at)) {
      const number = numberAt(texts, at);
      const end = ends[number] as number;
      // A text with a line feed may be found across the border of two commands.
      const isInside = at + this.#text.length < end;
      if (isInside) found[number] = 1;
      at = isInside ? end : at + 1;
    }
    return found;
  }

  /** Returns a 1 for each text with a line that matches; undefined if there is no expression. */
  #matching(texts: Texts): Uint8Array | undefined {
    if (this.#matcher === undefined) return undefined;
    const found = new Uint8Array(texts.ends.length);
    this.#matcher.matches(new SearchedText(texts.bytes), ({ from }) => {
      found[numberAt(texts, from)] = 1;
      return true;
    });
    return found;
  }
}

function hasMatch(matcher: Matcher, bytes: Buffer): boolean {
  let isFound = false;
  matcher.matches(new SearchedText(bytes), () => {
    isFound = true;
    return false;
  });
  return isFound;
}

/** Returns a matcher for a text that is a regular expression, as `ctx grep` reads them. */
function matcherFor(text: string): Matcher | undefined {
  if (!/[\\^$.|?*+()[\]{}]/.test(text)) return undefined;
  try {
    return compileMatcher({ patterns: [text] });
  } catch (error) {
    if (error instanceof CtxError && error.code === "usage") return undefined;
    throw error;
  }
}
