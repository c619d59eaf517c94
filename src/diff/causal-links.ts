// Links a later difference to the divergence: by a word in its parameters that first came up there, or by a
// path that was named there. Words that both runs share, or that came up earlier, link nothing.
import type { Reference } from "../base/digest.js";
import type { JsonObject } from "../base/json/value.js";
import type { DriftEntry } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import type { PlacedEntry, StepDrift } from "./entries.js";
import type { Sequences } from "./sequence.js";
import { eachLeaf, wordsOf } from "./parameter-similarity.js";

const shortestWord = 4;
/** Characters read of a parameter: as many as of an output. */
const longestText = 1 << 16;
/** Maximum number of steps read per entry. */
const mostSteps = 64;
/** Maximum number of contents read for words, and of their characters. */
const mostContents = 1000;
const mostCharacters = 16 << 20;

export type Link = Pick<DriftEntry, "because" | "leans_on" | "word" | "side"> & {
  relation: "follows" | "independent" | "unknown";
};

/** The state of one of the two runs. */
interface Side {
  steps: readonly Step[];
  /** Words that link, and the entry in which each first came up. */
  sources: Map<string, number>;
  paths: Map<string, number>;
  /** Words that may link: used later, and not in any step that is shared or came before. */
  candidates: Set<string>;
  /** Why the candidates are uncertain: there was too much to read, or a content was unreadable. */
  unsure: "budget" | "unreadable" | undefined;
}

export class Links {
  private readonly a: Side;
  private readonly b: Side;
  private readonly textOf: Reader | undefined;

  constructor(
    a: readonly Step[],
    b: readonly Step[],
    sequences: Sequences,
    drift: StepDrift,
    later: readonly PlacedEntry[],
    textOf: ((reference: Reference) => string | undefined) | undefined,
  ) {
    this.textOf = textOf === undefined ? undefined : limited(textOf);
    const isShared = drift.pairs.filter(([i, j]) => sequences.a.full[i] === sequences.b.full[j]);
    const place = later[0]?.place ?? 0;
    this.a = this.sideOf(
      a,
      later,
      "stepsA",
      drift.placesA[place - 1] ?? -1,
      new Set(isShared.map(([i]) => i)),
    );
    this.b = this.sideOf(
      b,
      later,
      "stepsB",
      drift.placesB[place - 1] ?? -1,
      new Set(isShared.map(([, j]) => j)),
    );
  }

  private sideOf(
    steps: readonly Step[],
    later: readonly PlacedEntry[],
    which: "stepsA" | "stepsB",
    before: number,
    shared: ReadonlySet<number>,
  ): Side {
    const side: Side = {
      steps,
      sources: new Map(),
      paths: new Map(),
      candidates: new Set(),
      unsure: undefined,
    };
    for (const entry of later.slice(1))
      for (const at of entry[which].slice(0, mostSteps))
        for (const word of parameterWords((steps[at] as Step).parameters)) side.candidates.add(word);
    const known: Step[] = [];
    steps.forEach((step, at) => {
      if (at <= before || shared.has(at)) known.push(step);
    });
    this.dropKnown(side, known);
    return side;
  }

  /** Removes the words of known steps: first those in parameters, then those in outputs. */
  private dropKnown(side: Side, known: readonly Step[]): void {
    const { candidates } = side;
    for (const step of known) {
      if (candidates.size === 0) return;
      eachLeaf(step.parameters, "", (_, text) => {
        for (const word of wordsOf(text.slice(0, longestText))) candidates.delete(word);
      });
    }
    const { textOf } = this;
    if (textOf === undefined) return;
    const contents = new Set(
      known.flatMap(({ output_ref }) => (output_ref === undefined ? [] : [output_ref])),
    );
    for (const reference of contents) {
      if (candidates.size === 0) return;
      const found = textOf(reference);
      if (typeof found === "object") for (const word of wordsOf(found.text)) candidates.delete(word);
      else side.unsure = found;
      if (side.unsure === "budget") return;
    }
  }

  /** Registers the words and paths of an entry, so that later entries link to it. */
  addSource(entry: PlacedEntry, at: number): void {
    for (const [side, steps] of [
      [this.a, entry.stepsA],
      [this.b, entry.stepsB],
    ] as const)
      for (const index of steps.slice(0, mostSteps)) {
        const step = side.steps[index] as Step;
        const add = (words: Iterable<string>): void => {
          for (const word of words)
            if (side.candidates.has(word) && !side.sources.has(word)) side.sources.set(word, at);
        };
        add(parameterWords(step.parameters));
        if (step.output_ref !== undefined && side.candidates.size > 0 && this.textOf !== undefined) {
          const found = this.textOf(step.output_ref);
          if (typeof found === "object") add(wordsOf(found.text));
          else side.unsure ??= found;
        }
        for (const path of pathsOf(step.parameters)) if (!side.paths.has(path)) side.paths.set(path, at);
      }
  }

  /** Returns how an entry is linked to the entries added so far. */
  find(entry: PlacedEntry): Link {
    const found = [this.valueOn(this.a, entry.stepsA, "a"), this.valueOn(this.b, entry.stepsB, "b")].filter(
      (link) => link !== undefined,
    );
    const sure = best(found.filter(({ relation }) => relation === "follows"));
    if (sure !== undefined) return sure;
    if (entry.entry.type === "reasoning_drift") {
      const resource = best(
        [this.resourceOn(this.a, entry.stepsA, "a"), this.resourceOn(this.b, entry.stepsB, "b")].filter(
          (link) => link !== undefined,
        ),
      );
      if (resource !== undefined) return resource;
    }
    return found[0] ?? { relation: "independent", because: "no_link" };
  }

  private valueOn(side: Side, steps: readonly number[], name: "a" | "b"): Link | undefined {
    let word: string | undefined;
    for (const at of steps.slice(0, mostSteps))
      for (const each of parameterWords((side.steps[at] as Step).parameters))
        if (side.sources.has(each) && isMoreTelling(each, word)) word = each;
    if (word === undefined) return undefined;
    if (side.unsure !== undefined) return { relation: "unknown", because: side.unsure };
    const leans_on = side.sources.get(word) as number;
    return { relation: "follows", because: "value", leans_on, word, side: name };
  }

  private resourceOn(side: Side, steps: readonly number[], name: "a" | "b"): Link | undefined {
    let word: string | undefined;
    for (const at of steps)
      for (const path of pathsOf((side.steps[at] as Step).parameters))
        if (side.paths.has(path) && isMoreTelling(path, word)) word = path;
    if (word === undefined) return undefined;
    const leans_on = side.paths.get(word) as number;
    return { relation: "follows", because: "same_resource", leans_on, word, side: name };
  }
}

/** Returns the text of a content, or why there is none. */
type Reader = (reference: Reference) => { text: string } | "budget" | "unreadable";

/** Returns a reader that reads each content once, within the budget. */
function limited(textOf: (reference: Reference) => string | undefined): Reader {
  const known = new Map<Reference, { text: string } | "unreadable">();
  let characters = 0;
  return (reference) => {
    const kept = known.get(reference);
    if (kept !== undefined) return kept;
    if (known.size >= mostContents || characters > mostCharacters) return "budget";
    const text = textOf(reference);
    const found = text === undefined ? "unreadable" : { text };
    characters += text?.length ?? 0;
    known.set(reference, found);
    return found;
  };
}

/** Returns the more specific of the two sides' links; `both` if they agree. */
function best(links: Link[]): Link | undefined {
  const [one, other] = links;
  if (one === undefined || other === undefined) return one;
  if (one.word === other.word)
    return { ...one, leans_on: Math.min(one.leans_on ?? 0, other.leans_on ?? 0), side: "both" };
  return isMoreTelling(other.word ?? "", one.word) ? other : one;
}

/**
 * Prefers the longer word; among equally long ones the order decides, so that the result is always the same.
 */
function isMoreTelling(word: string, than: string | undefined): boolean {
  return than === undefined || word.length > than.length || (word.length === than.length && word < than);
}

function parameterWords(parameters: JsonObject): Set<string> {
  const words = new Set<string>();
  eachLeaf(parameters, "", (_, text) => {
    for (const word of wordsOf(text.slice(0, longestText))) if (word.length >= shortestWord) words.add(word);
  });
  return words;
}

/** Returns everything that looks like a path: text with a slash, or a name with an extension. */
function pathsOf(parameters: JsonObject): Set<string> {
  const paths = new Set<string>();
  eachLeaf(parameters, "", (_, text) => {
    for (const piece of text.slice(0, longestText).match(/[^\s"'`;|&<>()=,]{3,200}/g) ?? [])
      if (/[\\/].*[A-Za-z0-9]|[A-Za-z0-9]\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(piece) && !piece.includes("://"))
        paths.add(piece.replace(/^\.\//, ""));
  });
  return paths;
}
