// Finds a call by its tool and arguments, where a message and a span describe it and not both have its id.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { OrderedSet } from "../../../base/lists.js";

interface Findable {
  tool: string;
  /** Undefined when they were not recorded. */
  parameters: JsonObject | undefined;
}

export interface CallIndex<C extends Findable> {
  add(call: C): void;
  delete(call: C): void;
  /**
   * Returns the first call of the same tool with the same arguments, or with more: a message may leave out those
   * that the program adds, or all. Unrecorded arguments match any.
   */
  find(wanted: Findable): C | undefined;
}

export function callIndex<C extends Findable>(): CallIndex<C> {
  const sets = new Map<string, OrderedSet<C>>();
  // More about a call may become known while it is indexed.
  const keys = new Map<C, string[]>();
  const first = (key: string): C | undefined => sets.get(key)?.first();
  return {
    add(call) {
      const { tool, parameters } = call;
      const own = [`any ${tool}`, parameters === undefined ? `open ${tool}` : sameKey(tool, parameters)];
      keys.set(call, own);
      for (const key of own) {
        const set = sets.get(key) ?? new OrderedSet();
        sets.set(key, set);
        set.add(call);
      }
    },
    delete(call) {
      for (const key of keys.get(call) ?? []) sets.get(key)?.delete(call);
      keys.delete(call);
    },
    find({ tool, parameters }) {
      if (!sets.has(`any ${tool}`)) return undefined;
      return (
        first(sameKey(tool, parameters ?? {})) ??
        first(`open ${tool}`) ??
        (parameters === undefined ? first(`any ${tool}`) : including(sets.get(`any ${tool}`), parameters))
      );
    },
  };
}

/** At most this many calls of a tool are compared. */
const maxCompared = 100;

/** Returns the first call that has all these arguments. */
function including<C extends Findable>(calls: OrderedSet<C> | undefined, wanted: JsonObject): C | undefined {
  const names = Object.keys(wanted);
  return calls?.find(
    ({ parameters = {} }) =>
      names.every(
        (name) =>
          Object.hasOwn(parameters, name) &&
          canonicalText(parameters[name] as JsonValue) === canonicalText(wanted[name] as JsonValue),
      ),
    maxCompared,
  );
}

function sameKey(tool: string, parameters: JsonObject): string {
  return `same ${JSON.stringify(tool)} ${canonicalText(parameters)}`;
}
