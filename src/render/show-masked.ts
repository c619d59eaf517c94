// Renders which secrets were redacted in a run, for the end of `ctx show`. This is metadata, in which a
// stranger can write anything: a value that ctx would not have written is shown with the other metadata.
import { maxOf } from "../base/lists.js";
import { redactionsOf } from "../model/redactions.js";
import { countText, fit, padEnd, widthOf } from "./layout.js";
import { title, type View } from "./show-view.js";

const mostPlaces = 4;

export function maskedLines(view: View): string[] {
  const redactions = redactionsOf(view.manifest);
  if (redactions === undefined) return [];
  const rules = Object.entries(redactions.rules);
  const places = Object.entries(redactions.places);
  const total = rules.reduce((sum, [, { secrets }]) => sum + secrets, 0);
  const column = maxOf(rules, ([rule]) => widthOf(rule));
  const isOwn = new Set(redactions.own ?? []);
  return [
    title(view, "masked", `${countText(total, "secret")} in ${countText(places.length, "place")}`),
    ...rules.map(([rule, { count }]) => {
      const where = places.filter(([, counts]) => Object.hasOwn(counts, rule)).map(([place]) => place);
      const more = where.length > mostPlaces ? `, and ${where.length - mostPlaces} more` : "";
      const own = isOwn.has(rule) ? " (own rule)" : "";
      const text = `${padEnd(rule, column)}  ${count}\u00d7${own}  ${where.slice(0, mostPlaces).join(", ")}${more}`;
      return `  ${fit(text, view.width - 2)}`;
    }),
  ];
}
