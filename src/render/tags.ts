// Renders the list of tags, one per line.
import { someOf } from "../base/lists.js";
import type { TagResult } from "../results/log.js";
import { fit, padEnd, painter, type Screen, shortHash, timeText, widthOf } from "./layout.js";

/** The most tags of one pack in a line. */
const maxTags = 10;

/** The room that a title needs beside the names of tags. */
const minTitle = 24;

/** Returns the tags of a pack in one line. */
export function tagList(tags: readonly string[]): string {
  return someOf(tags, maxTags);
}

export function renderTags(tags: readonly TagResult[], screen: Screen): string {
  const paint = painter(screen);
  const column = tags.reduce((maxWidth, { name }) => Math.max(maxWidth, widthOf(name)), 0);
  // Long names have lines of their own, so that nothing breaks them and the titles keep their room.
  const isWide = column > Math.max(screen.width, 40) - 2 - 12 - 2 - 16 - 2 - minTitle;
  return tags
    .map((tag) => {
      if (tag.hash === null)
        return `${paint("green", padEnd(tag.name, column))}  ${paint("red", "damaged")}  \`ctx tag -d ${tag.name}\` removes it\n`;
      const name = isWide ? `${paint("green", tag.name)}\n` : paint("green", padEnd(tag.name, column));
      const head = `${name}  ${paint("yellow", shortHash(tag.hash))}`;
      if (!tag.present) return `${head}  ${paint("red", "not in this store")}\n`;
      if (tag.created === undefined) return `${head}  ${paint("red", "damaged")}\n`;
      const room = screen.width - (isWide ? 0 : column) - 2 - 12 - 2 - 16 - 2;
      return `${head}  ${paint("dim", timeText(tag.created).slice(0, 16))}  ${fit(tag.title ?? tag.model ?? "", Math.max(room, 8))}\n`;
    })
    .join("");
}
