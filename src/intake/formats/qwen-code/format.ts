// Sessions of Qwen Code: records with uuids, one a line, as Claude Code writes them, with contents as Gemini
// has them.
import { objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit, Format } from "../../format.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { isQwenRecord, QwenReader } from "./reader.js";

export const qwenCode: Format = {
  name: "qwen-code",
  title: "Qwen Code session",
  from: "~/.qwen/projects/<project>/chats/<session>.jsonl",
  sniff,
  read(source, into) {
    const reader = new QwenReader(into);
    for (const { value } of recordsOf(source, into.coverage)) reader.take(value);
    return [reader.finish()];
  },
};

function sniff({ records, document }: Head): Fit {
  const first = objectAt(document);
  const seen = records.length > 0 || first === undefined ? records : [first];
  const own = seen.filter((record) => textAt(record, "uuid") !== undefined && isQwenRecord(record));
  const spoken = own.filter((record) => Array.isArray(valueAt(record, "message", "parts")));
  const payloads = own.filter((record) => objectAt(record, "systemPayload") !== undefined);
  if (spoken.length + payloads.length > 0 && own.length * 2 > seen.length) return true;
  return { near: spoken.length > 0 ? 0.4 : 0, missing: "no record has a uuid and a message with parts" };
}
