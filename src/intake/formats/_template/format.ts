// A format to copy: it compiles and is tested, but is not in formats.ts. docs/adding-a-format.md explains
// each step.
import { textAt } from "../../json-access.js";
import type { Format } from "../../format.js";
import { recordsOf } from "../../parse.js";
import { TemplateReader } from "./reader.js";

export const template: Format = {
  name: "template",
  title: "session of the template agent",
  from: "~/.template/sessions/*.jsonl",
  // Claim a log only by something that no other format has. `near` ranks the formats in the error for unknown
  // logs.
  sniff: ({ records }) =>
    records.some((record) => textAt(record, "template_version") !== undefined)
      ? true
      : { near: 0, missing: "no record has a template_version" },
  read(source, into) {
    const reader = new TemplateReader(into);
    for (const { value } of recordsOf(source, into.coverage)) reader.take(value);
    return [reader.finish()];
  },
};
