// Turns the lines that were found in contents into hits of a run, each with the place where the run has it.
import { hexOf, toReference } from "../base/digest.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { SearchGap, SearchHit } from "../results/search.js";
import { isEcho } from "./echoes.js";
import type { Matcher } from "./matcher.js";
import { type RunText, type SearchedPart, type TextPlace, textsOf } from "./run-texts.js";
import { ContentScanner, type FoundLine, scanBytes, type ScanOutcome } from "./scan-contents.js";

/** Which texts of a run are searched. */
export interface SearchedTexts {
  parts: ReadonlySet<SearchedPart>;
  /** Which steps are searched; without it all, and what belongs to no step as well. */
  isStep?: ((step: Step, manifest: Manifest) => boolean) | undefined;
}

/** Yields the texts of a run that are searched. */
export function* searchedTexts(manifest: Manifest, { isStep, parts }: SearchedTexts): Generator<RunText> {
  for (const text of textsOf(manifest, (step) => isStep?.(step, manifest) !== false)) {
    const { part, step } = text.place;
    if (parts.has(part) && (isStep === undefined || step !== undefined)) yield text;
  }
}

export interface HitOptions extends SearchedTexts {
  /** Report the steps that called ctx itself, too. */
  withEchoes: boolean;
  context: number;
  /** The most hits for each run. */
  maxHits: number;
}

/** What was found in the contents of a pack. */
export interface PackOutcomes {
  outcomes: ReadonlyMap<string, ScanOutcome>;
  /** Whether its parameters may match. */
  hasParameters: boolean;
}

export class HitCollector {
  readonly #root: string;
  readonly #matcher: Matcher;
  readonly #options: HitOptions;
  readonly #onGap: (gap: SearchGap) => void;
  /** The steps that were left out because they called ctx itself. */
  echoes = 0;

  constructor(root: string, matcher: Matcher, options: HitOptions, onGap: (gap: SearchGap) => void) {
    this.#root = root;
    this.#matcher = matcher;
    this.#options = options;
    this.#onGap = onGap;
  }

  /** Yields the hits in a pack. */
  *hitsIn(hex: string, manifest: Manifest, { outcomes, hasParameters }: PackOutcomes): Generator<SearchHit> {
    const pack = toReference(hex);
    const left = new Set<number>();
    for (const text of searchedTexts(manifest, this.#options)) {
      const found =
        "content" in text
          ? this.#linesOf(pack, hexOf(text.content), outcomes)
          : hasParameters
            ? this.#linesIn(Buffer.from(text.text))
            : [];
      if (found.length === 0) continue;
      const { place } = text;
      const step = place.step === undefined ? undefined : manifest.steps[place.step];
      if (step !== undefined && !this.#options.withEchoes && isEcho(step, manifest)) {
        if (!left.has(step.index)) this.echoes++;
        left.add(step.index);
        continue;
      }
      for (const line of found) yield hitOf({ pack, created: manifest.created, place, step }, text, line);
    }
  }

  #linesOf(
    pack: SearchGap["pack"],
    hex: string,
    outcomes: ReadonlyMap<string, ScanOutcome>,
  ): readonly FoundLine[] {
    const outcome = outcomes.get(hex);
    if (outcome === undefined) return [];
    if ("code" in outcome) {
      this.#onGap({ pack, ref: toReference(hex), message: outcome.message });
      return [];
    }
    return outcome.hasMore && outcome.hits.length < this.#options.maxHits ? this.#allOf(hex) : outcome.hits;
  }

  /** Searches a content with many hits again, for all of them. */
  #allOf(hex: string): FoundLine[] {
    const { context, maxHits } = this.#options;
    const outcome = new ContentScanner(this.#root, this.#matcher, { context, most: maxHits }).scan(hex);
    return outcome === undefined || "code" in outcome ? [] : outcome.hits;
  }

  #linesIn(bytes: Buffer): readonly FoundLine[] {
    const { context, maxHits } = this.#options;
    return scanBytes(bytes, this.#matcher, { context, most: maxHits }).hits;
  }
}

function hitOf(
  {
    pack,
    created,
    place,
    step,
  }: { pack: SearchHit["pack"]; created: string; place: TextPlace; step: Step | undefined },
  text: RunText,
  { line, column, text: shown, match, isCut, isBinary, before, after }: FoundLine,
): SearchHit {
  const { part, name, prompt, role } = place;
  // In canonical order, so that millions of them are written as JSON as they are.
  return {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(isBinary === true ? { binary: true } : {}),
    column,
    created,
    ...(isCut === true ? { cut: true } : {}),
    line,
    match,
    ...(name === undefined ? {} : { name }),
    pack,
    part,
    ...(prompt === undefined ? {} : { prompt }),
    ...("content" in text ? { ref: text.content } : {}),
    ...(role === undefined ? {} : { role }),
    ...(place.step === undefined ? {} : { step: place.step }),
    text: shown,
    ...(step?.tool === undefined ? {} : { tool: step.tool }),
  };
}
