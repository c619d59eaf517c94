// The template that new formats are copied from recognises its own logs.
import { expect, it } from "vitest";
import { template } from "../../../src/intake/formats/_template/format.js";
import { headOf } from "../../../src/intake/head.js";

function sniff(line: string): unknown {
  return template.sniff(headOf(Buffer.from(`${line}\n`), true));
}

it("the template format claims its own log and no other", () => {
  expect(sniff('{"type":"start","template_version":"1"}')).toBe(true);
  expect(sniff('{"type":"start"}')).toEqual({ near: 0, lacks: "no record has a template_version" });
});
