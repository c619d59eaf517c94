// Links a later difference to the divergence: by a word in its parameters that first came up there, or by a
// path that was named there. Words that both runs share, or that came up earlier, link nothing.
import type { Reference } from "../base/digest.js";
import type { JsonObject } from "../base/json/value.js";
import type { DriftEntry } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import type { RankedEntry, StepDrift } from "./entries.js";
import type { Sequences } from "./sequence.js";
import { eachLeaf, wordsOf } from "./parameter-similarity.js";

const shortestWord = 4;
/** Characters read of a parameter: as many as of an output. */
const maxText = 1 << 16;
/** Maximum number of steps read per entry. */
const maxSteps = 64;
/** Maximum number of contents read for words, and of their characters. */
const maxContents = 1000;
const maxCharacters = 16 << 20;

export type CausalLink = Pick<DriftEntry, "because" | "leans_on" | "word" | "side"> & {
  relation: "follows" | "independent" | "unknown";
};

/** The state of one of the two runs. */
interface LinkSide {
  steps: readonly Step[];
  /** Words that link, and the entry in which each first came up. */
  sources: Map<string, number>;
  paths: Map<string, number>;
  /** Words that may link: used later, and not in any step that is shared or came before. */
  candidates: Set<string>;
  /** Why the candidates are uncertain: there was too much to read, or a content was unreadable. */
  uncertainty: "budget" | "unreadable" | undefined;
}

export class CausalLinks {
  readonly #a: LinkSide;
  readonly #b: LinkSide;
  readonly #readText: BudgetedReader | undefined;

  constructor(
    a: readonly Step[],
    b: readonly Step[],
    sequences: Sequences,
    drift: StepDrift,
    later: readonly RankedEntry[],
    readText: ((reference: Reference) => string | undefined) | undefined,
  ) {
    this.#readText = readText === undefined ? undefined : withinBudget(readText);
    const shared = drift.pairs.filter(([i, j]) => sequences.a.full[i] === sequences.b.full[j]);
    const pairsBefore = later[0]?.pairsBefore ?? 0;
    this.#a = this.#buildSide(
      a,
      later,
      "stepsA",
      drift.pairedA[pairsBefore - 1] ?? -1,
      new Set(shared.map(([i]) => i)),
    );
    this.#b = this.#buildSide(
      b,
      later,
      "stepsB",
      drift.pairedB[pairsBefore - 1] ?? -1,
      new Set(shared.map(([, j]) => j)),
    );
  }

  #buildSide(
    steps: readonly Step[],
    later: readonly RankedEntry[],
    which: "stepsA" | "stepsB",
    before: number,
    shared: ReadonlySet<number>,
  ): LinkSide {
    const side: LinkSide = {
      steps,
      sources: new Map(),
      paths: new Map(),
      candidates: new Set(),
      uncertainty: undefined,
    };
    for (const entry of later.slice(1))
      for (const at of entry[which].slice(0, maxSteps))
        for (const word of parameterWords((steps[at] as Step).parameters)) side.candidates.add(word);
    const known: Step[] = [];
    steps.forEach((step, at) => {
      if (at <= before || shared.has(at)) known.push(step);
    });
    this.#dropKnown(side, known);
    return side;
  }

  /** Removes the words of known steps: first those in parameters, then those in outputs. */
  #dropKnown(side: LinkSide, known: readonly Step[]): void {
    const { candidates } = side;
    for (const step of known) {
      if (candidates.size === 0) return;
      eachLeaf(step.parameters, "", (_, text) => {
        for (const word of wordsOf(text.slice(0, maxText))) candidates.delete(word);
      });
    }
    const readText = this.#readText;
    if (readText === undefined) return;
    const contents = new Set(
      known.flatMap(({ output_ref }) => (output_ref === undefined ? [] : [output_ref])),
    );
    for (const reference of contents) {
      if (candidates.size === 0) return;
      const found = readText(reference);
      if (typeof found === "object") for (const word of wordsOf(found.text)) candidates.delete(word);
      else side.uncertainty = found;
      if (side.uncertainty === "budget") return;
    }
  }

  /** Registers the words and paths of an entry, so that later entries link to it. */
  addSource(entry: RankedEntry, at: number): void {
    for (const [side, steps] of [
      [this.#a, entry.stepsA],
      [this.#b, entry.stepsB],
    ] as const)
      for (const index of steps.slice(0, maxSteps)) {
        const step = side.steps[index] as Step;
        const add = (words: Iterable<string>): void => {
          for (const word of words)
            if (side.candidates.has(word) && !side.sources.has(word)) side.sources.set(word, at);
        };
        add(parameterWords(step.parameters));
        if (step.output_ref !== undefined && side.candidates.size > 0 && this.#readText !== undefined) {
          const found = this.#readText(step.output_ref);
          if (typeof found === "object") add(wordsOf(found.text));
          else side.uncertainty ??= found;
        }
        for (const path of pathsOf(step.parameters)) if (!side.paths.has(path)) side.paths.set(path, at);
      }
  }

  /** Returns how an entry is linked to the entries added so far. */
  find(entry: RankedEntry): CausalLink {
    const found = [
      this.#valueLink(this.#a, entry.stepsA, "a"),
      this.#valueLink(this.#b, entry.stepsB, "b"),
    ].filter((link) => link !== undefined);
    const sure = moreSpecific(found.filter(({ relation }) => relation === "follows"));
    if (sure !== undefined) return sure;
    if (entry.entry.type === "reasoning_drift") {
      const resource = moreSpecific(
        [
          this.#resourceLink(this.#a, entry.stepsA, "a"),
          this.#resourceLink(this.#b, entry.stepsB, "b"),
        ].filter((link) => link !== undefined),
      );
      if (resource !== undefined) return resource;
    }
    return found[0] ?? { relation: "independent", because: "no_link" };
  }

  #valueLink(side: LinkSide, steps: readonly number[], name: "a" | "b"): CausalLink | undefined {
    let word: string | undefined;
    for (const at of steps.slice(0, maxSteps))
      for (const each of parameterWords((side.steps[at] as Step).parameters))
        if (side.sources.has(each) && isMoreSpecific(each, word)) word = each;
    if (word === undefined) return undefined;
    if (side.uncertainty !== undefined) return { relation: "unknown", because: side.uncertainty };
    const leans_on = side.sources.get(word) as number;
    return { relation: "follows", because: "value", leans_on, word, side: name };
  }

  #resourceLink(side: LinkSide, steps: readonly number[], name: "a" | "b"): CausalLink | undefined {
    let word: string | undefined;
    for (const at of steps)
      for (const path of pathsOf((side.steps[at] as Step).parameters))
        if (side.paths.has(path) && isMoreSpecific(path, word)) word = path;
    if (word === undefined) return undefined;
    const leans_on = side.paths.get(word) as number;
    return { relation: "follows", because: "same_resource", leans_on, word, side: name };
  }
}

/** Returns the text of a content, or why there is none. */
type BudgetedReader = (reference: Reference) => { text: string } | "budget" | "unreadable";

/** Returns a reader that reads each content once, within the budget. */
function withinBudget(readText: (reference: Reference) => string | undefined): BudgetedReader {
  const known = new Map<Reference, { text: string } | "unreadable">();
  let characters = 0;
  return (reference) => {
    const kept = known.get(reference);
    if (kept !== undefined) return kept;
    if (known.size >= maxContents || characters > maxCharacters) return "budget";
    const text = readText(reference);
    const found = text === undefined ? "unreadable" : { text };
    characters += text?.length ?? 0;
    known.set(reference, found);
    return found;
  };
}

/** Returns the more specific of the two sides' links; `both` if they agree. */
function moreSpecific(links: CausalLink[]): CausalLink | undefined {
  const [one, other] = links;
  if (one === undefined || other === undefined) return one;
  if (one.word === other.word)
    return { ...one, leans_on: Math.min(one.leans_on ?? 0, other.leans_on ?? 0), side: "both" };
  return isMoreSpecific(other.word ?? "", one.word) ? other : one;
}

/**
 * Prefers the longer word; among equally long ones the order decides, so that the result is always the same.
 */
function isMoreSpecific(word: string, other: string | undefined): boolean {
  return other === undefined || word.length > other.length || (word.length === other.length && word < other);
}

function parameterWords(parameters: JsonObject): Set<string> {
  const words = new Set<string>();
  eachLeaf(parameters, "", (_, text) => {
    for (const word of wordsOf(text.slice(0, maxText))) if (word.length >= shortestWord) words.add(word);
  });
  return words;
}

/** Returns everything that looks like a path: text with a slash, or a name with an extension. */
function pathsOf(parameters: JsonObject): Set<string> {
  const paths = new Set<string>();
  eachLeaf(parameters, "", (_, text) => {
    for (const piece of text.slice(0, maxText).match(/[^\s"'`;|&<>()=,]{3,200}/g) ?? [])
      if (/[\\/].*[A-Za-z0-9]|[A-Za-z0-9]\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(piece) && !piece.includes("://"))
        paths.add(piece.replace(/^\.\//, ""));
  });
  return paths;
}
