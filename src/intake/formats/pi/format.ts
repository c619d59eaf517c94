// Sessions of pi (pi-coding-agent): a header, then entries that form a tree, one a line.
import { textAt, valueAt, wordAt } from "../../json-access.js";
import type { Format } from "../../format.js";
import { recordsOf } from "../../parse.js";
import { PiReader } from "./reader.js";

export const pi: Format = {
  name: "pi",
  title: "pi session",
  from: "~/.pi/agent/sessions/<project>/<time>_<id>.jsonl",
  sniff: ({ records }) => {
    const [first] = records;
    const isHeader =
      textAt(first, "type") === "session" &&
      wordAt(first, "id") !== undefined &&
      textAt(first, "cwd") !== undefined &&
      valueAt(first, "payload") === undefined;
    return isHeader || { near: 0, missing: "its first line is not a session header with an id and a cwd" };
  },
  read(source, into) {
    const reader = new PiReader(into);
    for (const { value } of recordsOf(source, into.coverage)) reader.take(value);
    return [reader.finish()];
  },
};
