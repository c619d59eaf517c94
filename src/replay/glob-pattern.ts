// Matches glob patterns from strangers. A pattern becomes a small automaton that is in all its states at
// once, without backtracking and without expanding braces: the work is at most the pattern's length for each
// character of a path.
import { appendAll } from "../base/lists.js";
import { StepFailure } from "./outcome.js";

type GlobState =
  /** `isFirst`: no star precedes it in its name, so as a dot it can begin a name. */
  | { kind: "literal"; character: string; isFirst: boolean }
  /** `?` or `[…]`. */
  | { kind: "one"; fits: (character: string) => boolean }
  /** `*`: any characters of one name. */
  | { kind: "star" }
  /** A `**` and the slash after it: any number of folders. */
  | { kind: "folders" }
  /** A `**` at the end: everything below. */
  | { kind: "rest" }
  | { kind: "split"; to: number[] };

const longest = 1024;
const deepest = 32;
/** Maximum number of state changes over all matches of one pattern; more is not a search but an attack. */
const maxWork = 50_000_000;

/**
 * Returns a function that matches paths. `*`, `?` and `[…]` do not match a dot that begins a name, unless
 * `dots` is set.
 */
export function globMatcher(pattern: string, options: { dots?: boolean } = {}): (path: string) => boolean {
  if (pattern.length > longest)
    throw new StepFailure("error", "the glob pattern is too long", { untried: true });
  const program = compile(Array.from(pattern));
  const seen = new Uint32Array(program.length + 1);
  let work = 0;
  let round = 0;

  /** Adds a state and those reachable from it without a character, each once. */
  function add(states: number[], first: number, isStart: boolean): void {
    const open = [first];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen[at] === round) continue;
      seen[at] = round;
      states.push(at);
      const state = program[at];
      if (state?.kind === "split") appendAll(open, state.to);
      else if (state?.kind === "star" || state?.kind === "rest") open.push(at + 1);
      else if (state?.kind === "folders" && isStart) open.push(at + 1);
    }
  }

  return (path) => {
    let isStart = true;
    let states: number[] = [];
    round++;
    add(states, 0, isStart);
    for (const character of path) {
      if (states.length === 0) return false;
      work += states.length;
      if (work > maxWork) throw new StepFailure("timeout", "the glob pattern takes too long to match");
      const isHidden = character === "." && isStart && options.dots !== true;
      isStart = character === "/";
      const next: number[] = [];
      round++;
      for (const at of states) {
        const to = after(program[at], at, { character, isHidden });
        if (to !== undefined) add(next, to, isStart);
      }
      states = next;
    }
    return states.includes(program.length);
  };
}

/** Returns the state that a character leads to. A state that is complete leads to the next one. */
function after(
  state: GlobState | undefined,
  at: number,
  next: { character: string; isHidden: boolean },
): number | undefined {
  const { character, isHidden } = next;
  if (state === undefined || state.kind === "split") return undefined;
  if (state.kind === "literal")
    return state.character === character && (state.isFirst || !isHidden) ? at + 1 : undefined;
  if (isHidden) return undefined;
  if (state.kind === "one") return state.fits(character) ? at + 1 : undefined;
  return state.kind === "star" && character === "/" ? undefined : at;
}

function compile(pattern: string[]): GlobState[] {
  const program: GlobState[] = [];
  let at = 0;
  let hasStar = false;

  function literal(character: string): void {
    program.push({ kind: "literal", character, isFirst: !hasStar });
    if (character === "/") hasStar = false;
  }

  function sequence(depth: number): void {
    const ends = depth > 0 ? ",}" : "";
    for (let next = pattern[at]; next !== undefined && !ends.includes(next); next = pattern[at]) one(depth);
  }

  function one(depth: number): void {
    const character = pattern[at] as string;
    const group = character === "{" && depth < deepest && isClosed(pattern, at);
    const set = character === "[" ? readSet(pattern, at) : undefined;
    if (group) return alternatives(depth);
    if (character === "*") return stars();
    at += set?.length ?? 1;
    if (set !== undefined) program.push({ kind: "one", fits: set.fits });
    else if (character === "?") program.push({ kind: "one", fits: (found) => found !== "/" });
    else if (character === "\\" && at < pattern.length) literal(pattern[at++] as string);
    else literal(character);
  }

  function stars(): void {
    const before = pattern[at - 1];
    const from = at;
    while (pattern[at] === "*") at++;
    const isName = at - from === 1 || !(before === undefined || "/{,".includes(before));
    if (isName || !(at === pattern.length || "/,}".includes(pattern[at] as string)))
      program.push({ kind: "star" });
    else if (pattern[at] !== "/") program.push({ kind: "rest" });
    else {
      at++;
      program.push({ kind: "folders" });
      return;
    }
    hasStar = true;
  }

  function alternatives(depth: number): void {
    const choice: GlobState = { kind: "split", to: [] };
    const ends: number[][] = [];
    const hadStar = hasStar;
    let hasAny = false;
    program.push(choice);
    do {
      at++;
      hasStar = hadStar;
      choice.to.push(program.length);
      sequence(depth + 1);
      hasAny ||= hasStar;
      const to: number[] = [];
      program.push({ kind: "split", to });
      ends.push(to);
    } while (pattern[at] === ",");
    at++;
    hasStar = hasAny;
    for (const to of ends) to.push(program.length);
  }

  sequence(0);
  return program;
}

/** Returns whether the brace at `at` has a closing one; otherwise it is an ordinary character. */
function isClosed(pattern: string[], at: number): boolean {
  let depth = 0;
  for (let index = at; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === "\\") index++;
    else if (character === "[") index += (readSet(pattern, index)?.length ?? 1) - 1;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return true;
  }
  return false;
}

/** Parses `[abc]`, `[a-z]` or `[!abc]`; returns undefined if it is not closed, and so an ordinary bracket. */
function readSet(
  pattern: string[],
  from: number,
): { length: number; fits: (character: string) => boolean } | undefined {
  let at = from + 1;
  const isNegated = pattern[at] === "!" || pattern[at] === "^";
  if (isNegated) at++;
  const first = at;
  const ranges: [string, string][] = [];
  for (; at < pattern.length; at++) {
    if (pattern[at] === "]" && at > first) {
      return {
        length: at + 1 - from,
        fits: (character) =>
          character !== "/" &&
          isNegated !== ranges.some(([low, high]) => character >= low && character <= high),
      };
    }
    if (pattern[at] === "\\" && at + 1 < pattern.length) at++;
    const low = pattern[at] as string;
    const high = pattern[at + 2];
    const isRange = pattern[at + 1] === "-" && high !== undefined && high !== "]";
    ranges.push([low, isRange ? high : low]);
    if (isRange) at += 2;
  }
  return undefined;
}
