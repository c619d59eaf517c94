// Prints what a search finds: at once in a pipe, through the pager on a terminal.
import type { FoundRun, SearchSummary } from "../results/search.js";
import { type SearchLayout, SearchRenderer } from "../render/search.js";
import type { Call } from "./command.js";
import { notice, noticeEach, type Progress, progressOn, writeJson, writeJsonLines } from "./output.js";
import { page } from "./pager.js";

export class SearchOutput {
  readonly progress: Progress;
  readonly #call: Call;
  readonly #renderer: SearchRenderer;
  readonly #pieces: string[] = [];

  constructor(call: Call) {
    this.#call = call;
    this.#renderer = new SearchRenderer(call.terminal.out.screen, layoutOf(call));
    this.progress = progressOn(call, (done, total) => `reading ${done} of ${total} packs`, 2000);
  }

  /** `typed`: what to type for the run, if it is not in the store. */
  run(run: FoundRun, typed?: string): void {
    this.progress.clear();
    if (this.#call.json) writeJsonLines(this.#call.terminal, run.hits);
    else this.#write(this.#renderer.run(run, typed));
  }

  /** Prints what was searched, and what could not be. Returns the exit status. */
  async end(summary: SearchSummary): Promise<number> {
    this.progress.clear();
    if (this.#call.json) writeJson(this.#call.terminal, summary);
    else {
      this.#write(this.#renderer.end(summary));
      await page(this.#call, this.#pieces.join(""));
    }
    this.#report(summary);
    if (summary.incomplete.length > 0) return 2;
    return summary.hits > 0 ? 0 : 1;
  }

  #write(text: string): void {
    const { out } = this.#call.terminal;
    if (out.isTerminal) this.#pieces.push(text);
    else if (text !== "") out.write(text);
  }

  #report({ incomplete, searched, hits, total }: SearchSummary): void {
    noticeEach(
      this.#call,
      incomplete.map(
        ({ pack, message }) => `ctx://${pack.slice("sha256:".length, 19)} was not searched whole: ${message}`,
      ),
      "places that could not be searched",
    );
    if (total === 0) notice(this.#call, "there are no packs here yet; `ctx pack <log>` adds one");
    else if (searched.packs === 0) notice(this.#call, `none of ${total} packs matches the filters`);
    else if (hits === 0 && incomplete.length === 0)
      notice(
        this.#call,
        `no hit in ${searched.packs} of ${total} packs${this.#call.options.has("ignore-case") ? "" : "; -i ignores the case"}`,
      );
  }
}

function layoutOf(call: Call): SearchLayout {
  const shape = (["list", "count", "steps"] as const).find((name) => call.options.has(name));
  return {
    numbered: call.options.has("line-number"),
    isPiped: !call.terminal.out.isTerminal,
    utc: call.options.has("utc"),
    now: new Date(),
    ...(shape === undefined ? {} : { shape }),
  };
}
