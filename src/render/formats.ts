// Renders the formats that can be packed, one per line.
import { maxOf } from "../base/lists.js";
import type { FormatResult } from "../results/intake.js";
import { fit, padEnd, painter, type Screen, widthOf, wrap } from "./layout.js";

export function renderFormats(formats: readonly FormatResult[], screen: Screen): string {
  const paint = painter(screen);
  const names = maxOf(formats, ({ name }) => widthOf(name));
  return formats
    .map(({ name, title, from }) => {
      const room = Math.max(screen.width - names - 2, 20);
      const lines = wrap(from, room).map((line) => `${" ".repeat(names + 2)}${paint("dim", line)}\n`);
      return `${paint("cyan", padEnd(name, names))}  ${fit(title, room)}\n${lines.join("")}`;
    })
    .join("");
}
