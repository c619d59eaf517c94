// Renders which secrets were redacted in a run, for the end of `ctx show`. This is metadata, in which a
// stranger can write anything: a value that ctx would not have written is shown with the other metadata.
import { maxOf } from "../base/lists.js";
import { redactionsOf } from "../model/redactions.js";
import { countText, fit, padEnd, widthOf } from "./layout.js";
import { sectionTitle, type ShowView } from "./show-view.js";

const maxLocations = 4;

export function maskedLines(view: ShowView): string[] {
  const redactions = redactionsOf(view.manifest);
  if (redactions === undefined) return [];
  const rules = Object.entries(redactions.rules);
  const places = Object.entries(redactions.places);
  const total = rules.reduce((sum, [, { secrets }]) => sum + secrets, 0);
  const column = maxOf(rules, ([rule]) => widthOf(rule));
  const isOwn = new Set(redactions.own ?? []);
  return [
    sectionTitle(view, "masked", `${countText(total, "secret")} in ${countText(places.length, "place")}`),
    ...rules.map(([rule, { count }]) => {
      const ruleLocations = places
        .filter(([, counts]) => Object.hasOwn(counts, rule))
        .map(([location]) => location);
      const more =
        ruleLocations.length > maxLocations ? `, and ${ruleLocations.length - maxLocations} more` : "";
      const own = isOwn.has(rule) ? " (own rule)" : "";
      const text = `${padEnd(rule, column)}  ${count}\u00d7${own}  ${ruleLocations.slice(0, maxLocations).join(", ")}${more}`;
      return `  ${fit(text, view.width - 2)}`;
    }),
  ];
}
