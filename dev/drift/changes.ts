// Changes of a step: another tool, other parameters, another output.
import type { Reference } from "../../src/base/digest.js";
import type { JsonObject } from "../../src/base/json/value.js";
import type { Random } from "./random.js";
import { type Body, freshTool } from "./runs.js";
import { callOf } from "./steps.js";

/** A step of the other run. */
export interface Item {
  body: Body;
  /** Its position in the first run; null for a step that is not from there. */
  from: number | null;
  /** The move that moved it. */
  move?: number;
  /** The step that it is an earlier attempt of. */
  attemptOf?: Item;
  /** Part of an edit, or beside one: the next edit stays away. */
  taken: boolean;
}

export interface Draft {
  random: Random;
  first: readonly Body[];
  items: Item[];
  moves: number;
}

/**
 * Returns another value for something: half fresh, the rest from the same run; never the value that it has.
 */
function other<T>(
  { random, items }: Draft,
  old: T,
  fresh: () => T,
  from: (body: Body) => T | undefined,
  text: (value: T) => string,
): T {
  if (random.chance(0.5))
    for (let count = 0; count < 10; count++) {
      const value = from(random.pick(items).body);
      if (value !== undefined && text(value) !== text(old)) return value;
    }
  return fresh();
}

export function otherOutput(draft: Draft, old: Reference): Reference {
  return other(
    draft,
    old,
    () => draft.random.reference(),
    (from) => from.output_ref,
    String,
  );
}

/** Sets another output of a step, or now and then none. */
export function changeOutput(draft: Draft, item: Item): boolean {
  const { output_ref: old, ...rest } = item.body;
  if (old === undefined) return false;
  item.body = draft.random.chance(0.03) ? rest : { ...rest, output_ref: otherOutput(draft, old) };
  return true;
}

function changeParameters(draft: Draft, item: Item): boolean {
  const { random } = draft;
  const { body } = item;
  if (body.tool === undefined) return false;
  const fresh = (): JsonObject => {
    if (random.chance(0.5)) return freshTool(random).parameters;
    const key = random.pick(Object.keys(body.parameters));
    return { ...body.parameters, [key]: random.word() };
  };
  const sameTool = (from: Body) => (from.tool === body.tool ? from.parameters : undefined);
  const parameters = other(draft, body.parameters, fresh, sameTool, (value) =>
    callOf({ type: "", parameters: value }),
  );
  item.body = { ...body, parameters };
  return true;
}

export function changeTool(draft: Draft, item: Item): boolean {
  const { random } = draft;
  const { tool } = item.body;
  if (tool === undefined) return false;
  item.body = {
    ...item.body,
    tool: other(
      draft,
      tool,
      () => random.word(),
      (from) => from.tool,
      String,
    ),
  };
  if (random.chance(0.1)) item.body.type = "subagent_call";
  if (random.chance(0.4)) changeParameters(draft, item);
  if (random.chance(0.4)) changeOutput(draft, item);
  return true;
}

export function changeCall(draft: Draft, item: Item): boolean {
  if (!changeParameters(draft, item)) return false;
  if (draft.random.chance(0.4)) changeOutput(draft, item);
  return true;
}
