// Sessions of iFlow CLI: records as Claude Code writes them, with results as Gemini CLI has them.
import { objectAt, textAt } from "../../json-access.js";
import type { Fit, Format } from "../../format.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { IflowReader, isIflowRecord } from "./reader.js";

export const iflow: Format = {
  name: "iflow",
  title: "iFlow CLI session",
  from: "~/.iflow/projects/<project>/session-<id>.jsonl",
  sniff,
  read(source, into) {
    const reader = new IflowReader(into);
    for (const { value } of recordsOf(source, into.coverage)) reader.take(value);
    return [reader.finish()];
  },
};

function sniff({ records, document }: Head): Fit {
  const first = objectAt(document);
  const seen = records.length > 0 || first === undefined ? records : [first];
  const spoken = seen.filter((record) => /^(?:user|assistant)$/.test(textAt(record, "type") ?? ""));
  const own = spoken.filter(isIflowRecord);
  if (own.length > 0 && own.length === spoken.length) return true;
  return { near: own.length > 0 ? 0.4 : 0, missing: "not every message has a sessionId like session-<uuid>" };
}
