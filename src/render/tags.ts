// Renders the list of tags, one per line.
import { someOf } from "../base/lists.js";
import type { TagResult } from "../results/log.js";
import { fit, padEnd, painter, type Screen, shortHash, timeText, widthOf } from "./layout.js";

/** The most tags of one pack in a line. */
const maxTags = 10;

/** Returns the tags of a pack in one line. */
export function tagList(tags: readonly string[]): string {
  return someOf(tags, maxTags);
}

export function renderTags(tags: readonly TagResult[], screen: Screen): string {
  const paint = painter(screen);
  const column = tags.reduce((maxWidth, { name }) => Math.max(maxWidth, widthOf(name)), 0);
  return tags
    .map((tag) => {
      if (tag.hash === null)
        return `${paint("green", padEnd(tag.name, column))}  ${paint("red", "damaged")}  \`ctx tag -d ${tag.name}\` removes it\n`;
      const head = `${paint("green", padEnd(tag.name, column))}  ${paint("yellow", shortHash(tag.hash))}`;
      if (!tag.present) return `${head}  ${paint("red", "not in this store")}\n`;
      if (tag.created === undefined) return `${head}  ${paint("red", "damaged")}\n`;
      const room = screen.width - column - 2 - 12 - 2 - 16 - 2;
      return `${head}  ${paint("dim", timeText(tag.created).slice(0, 16))}  ${fit(tag.title ?? tag.model ?? "", room)}\n`;
    })
    .join("");
}
