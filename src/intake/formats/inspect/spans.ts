// Tracks where in an evaluation an event is: in which agent, inside which call, or in a scorer, whose own
// calls are not the run's. Newer logs name a span in each event; older ones open and close steps.
import type { JsonObject } from "../../../base/json/value.js";
import { textAt, wordAt } from "../../json-access.js";

export interface EventPosition {
  /** The agent at work, if the log names one. */
  agent?: string;
  /** Whether it is inside a call: then another agent, or the tool itself, did it. */
  isSub: boolean;
  isScorer: boolean;
  /** The call that it is inside of. */
  tool?: string;
}

export const top: EventPosition = { isSub: false, isScorer: false };

export class Spans {
  readonly #positions = new Map<string, EventPosition>();
  readonly #steps: EventPosition[] = [];

  begin(event: JsonObject, outer: EventPosition): void {
    const id = wordAt(event, "id");
    if (id === undefined || this.#positions.has(id)) return;
    const parent = this.#positions.get(textAt(event, "parent_id") ?? "") ?? outer;
    this.#positions.set(id, positionIn(parent, event, id));
  }

  /** Notes that a step of an older log begins or ends. */
  step(event: JsonObject, outer: EventPosition): void {
    if (textAt(event, "action") === "begin")
      this.#steps.push(positionIn(this.#steps.at(-1) ?? outer, event, undefined));
    else this.#steps.pop();
  }

  positionOf(event: JsonObject, outer: EventPosition): EventPosition {
    const span = textAt(event, "span_id");
    if (outer !== top) return outer;
    return (span === undefined ? this.#steps.at(-1) : this.#positions.get(span)) ?? outer;
  }
}

function positionIn(parent: EventPosition, event: JsonObject, id: string | undefined): EventPosition {
  const name = wordAt(event, "name");
  switch (textAt(event, "type")) {
    case "scorer":
    case "scorers":
      return { ...parent, isScorer: true };
    case "agent":
      return name === undefined ? parent : { ...parent, agent: name };
    case "tool":
      return { ...parent, isSub: true, ...(id === undefined ? {} : { tool: id }) };
    case "subtask":
      return { ...parent, isSub: true };
    default:
      return parent;
  }
}
