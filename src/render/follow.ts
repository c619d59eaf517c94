// Renders the steps of a run one after the other, while it goes on: columns have fixed widths, and a line
// says whose steps follow where that changes between a run and its sub-agents.
import { printable } from "../base/printable.js";
import type { StepsOverview } from "../results/show.js";
import { painter, type Screen } from "./layout.js";
import { columnsFor, rowOf, startTime, stepLine, turnLine } from "./show-steps.js";
import type { ShowView } from "./show-view.js";

/** What is new of a run. */
export interface FollowedNews {
  overview: StepsOverview;
  subagent: string | undefined;
  parts: readonly { kind: "prompt" | "step"; index: number }[];
}

export class FollowRenderer {
  readonly #screen: Screen;
  #subagent: string | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Returns the line that says whose steps follow; empty if they are those of the same run as before. */
  heading(subagent: string | undefined): string {
    if (subagent === this.#subagent) return "";
    this.#subagent = subagent;
    const text = subagent === undefined ? "main run" : `sub-agent ${printable(subagent)}`;
    return `${painter(this.#screen)("bold", text)}\n`;
  }

  rows({ overview, subagent, parts }: FollowedNews): string {
    const { manifest, previews, steps } = overview;
    const view: ShowView = {
      manifest,
      previews,
      paint: painter(this.#screen),
      width: Math.max(this.#screen.width, 40),
    };
    const start = startTime(manifest);
    const columns = columnsFor(view.width, start !== undefined);
    const { workdir } = manifest.metadata ?? {};
    const folder = typeof workdir === "string" ? workdir : undefined;
    const shown = new Set(steps);
    const lines = parts.flatMap(({ kind, index }) => {
      if (kind === "prompt") return [turnLine(view, index)];
      const step = manifest.steps[index];
      if (step === undefined || !shown.has(index)) return [];
      // The pack of a sub-agent does not exist yet: its steps were printed before.
      const { pack: _, ...own } = step;
      return [stepLine(view, rowOf(index, own, { start, folder }), columns)];
    });
    return lines.length === 0 ? "" : `${this.heading(subagent)}${lines.join("\n")}\n`;
  }
}
