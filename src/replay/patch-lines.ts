// Lines of a file that a patch is applied to. They are byte strings, so bytes that are not UTF-8 survive, and
// keep their own line ends, so CRLF does.
import { StepFailure } from "./outcome.js";
import { toBytes } from "./dir-cursor.js";

export interface FileLine {
  /** Without the line feed, and without a carriage return before it. */
  text: string;
  end: "\n" | "\r\n" | "";
}

const maxLines = 2_000_000;
const maxPatch = 1 << 24;

export function splitLines(content: Buffer): FileLine[] {
  const lines: FileLine[] = [];
  for (let at = 0; at < content.length; ) {
    const feed = content.indexOf(10, at);
    const stop = feed === -1 ? content.length : feed;
    const isWindows = feed > at && content[feed - 1] === 13;
    lines.push({
      text: content.toString("latin1", at, isWindows ? stop - 1 : stop),
      end: feed === -1 ? "" : isWindows ? "\r\n" : "\n",
    });
    if (lines.length > maxLines)
      throw new StepFailure("error", "the file has too many lines to be patched", { untried: true });
    at = stop + 1;
  }
  return lines;
}

/** Returns the content; a line without an end that is no longer the last gets one. */
export function joinLines(lines: FileLine[]): Buffer {
  const end = usualEnd(lines);
  return Buffer.from(
    lines
      .map((line, index) => line.text + (line.end === "" && index < lines.length - 1 ? end : line.end))
      .join(""),
    "latin1",
  );
}

/** Returns the end of the first line that has one: new lines get it. */
export function usualEnd(lines: FileLine[]): "\n" | "\r\n" {
  return lines.find((line) => line.end !== "")?.end || "\n";
}

/** Returns the lines of a patch as byte strings, without line feeds. */
export function patchLines(text: string): string[] {
  if (text.length > maxPatch) throw new StepFailure("error", "the patch is too large", { untried: true });
  const lines = toBytes(text).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns a counter of comparisons that ends a search that would take forever. */
export function limitedWork(): () => void {
  let left = 100_000_000;
  return () => {
    if (--left < 0) throw new StepFailure("timeout", "the patch takes too long to apply");
  };
}
