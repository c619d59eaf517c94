// Renders steps of a replay that were not executed: several that have the same reason are one line, because a
// long run without --allow would otherwise fill the screen with them.
import { addTo, someOf } from "../base/lists.js";
import type { Step } from "../model/manifest.js";
import type { ReplayedStep } from "../results/replay.js";
import { printable } from "../base/printable.js";
import { fit, padStart, painter, type Screen, widthOf } from "./layout.js";
import { reasonLines, renderStep, stepColours, stepNote } from "./replay.js";

interface Held {
  replayed: ReplayedStep;
  step: Step;
  context: { steps: number; visiblePath: string };
}

/** The fewest steps that become one line. */
const minFolded = 3;

export class StepFolder {
  readonly #screen: Screen;
  #held: Held[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Returns what can be printed now; a step that was not executed waits for the next one that was. */
  add(replayed: ReplayedStep, step: Step, context: Held["context"]): string {
    if (!replayed.executed && replayed.status !== "diverged") {
      this.#held.push({ replayed, step, context });
      return "";
    }
    return `${this.flush()}${renderStep(replayed, step, context, this.#screen)}`;
  }

  /** Returns the lines of the steps that wait. */
  flush(): string {
    const byReason = new Map<string, Held[]>();
    for (const held of this.#held) addTo(byReason, reasonOf(held.replayed), held);
    const lines = this.#held.map((held) => {
      const same = byReason.get(reasonOf(held.replayed)) ?? [];
      if (same.length < minFolded) return renderStep(held.replayed, held.step, held.context, this.#screen);
      return same[0] === held ? foldedLine(same, this.#screen) : "";
    });
    this.#held = [];
    return lines.join("");
  }
}

function reasonOf(replayed: ReplayedStep): string {
  return `${replayed.status} ${stepNote(replayed)}`;
}

function foldedLine(same: readonly Held[], screen: Screen): string {
  const paint = painter(screen);
  const { replayed, context } = same[0] as Held;
  const { index, status, reason, needs } = replayed;
  const digits = String(Math.max(context.steps - 1, 0)).length;
  const note =
    reason === "not_allowed" && needs !== undefined
      ? `need ${needs}`
      : stepNote(replayed)
          .replace(/^(?!needs )/, ": ")
          .replace(/^needs /, "need ");
  const tools = someOf([...new Set(same.map((held) => held.replayed.tool ?? held.replayed.type))], 3);
  const last = (same.at(-1) as Held).replayed.index;
  const width = Math.max(screen.width, 40);
  const room = width - (2 + digits + 2 + 8 + 2);
  const where = `(up to step ${last}: ${tools})`;
  const head = `  ${padStart(String(index), digits)}  ${paint(stepColours[status], status.padEnd(8))}  `;
  const text = printable(`${same.length} calls ${note} ${where}`.replace(" : ", ": "));
  if (status !== "failed" || widthOf(text) <= room) return `${head}${fit(text, room)}\n`;
  const below = reasonLines(note.replace(/^: /, ""), { indent: 2 + digits + 2, width, paint });
  return [`${head}${fit(`${same.length} calls ${where}`, room)}`, ...below]
    .map((line) => `${line}\n`)
    .join("");
}
