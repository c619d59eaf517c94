// The list of safeguards by which `npm run torture -- --safeguards` proves that each is missed: it must fit
// the sources as they are.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cases } from "../../torture/cases.js";
import { safeguards } from "../../torture/safeguards.js";
import { changed } from "../../torture/without.js";
import { repository } from "../../dev/built.js";

describe("the list of safeguards", () => {
  it.each(safeguards)(
    "safeguards: the row can be taken out: $kind: $name",
    ({ file, from, to, missedBy }) => {
      const text = fs.readFileSync(join(repository, file), "utf8");
      expect(changed(text, { from, to })).not.toBe(text);
      const isCase = cases.some(({ group, name }) => `${group}: ${name}`.includes(missedBy));
      expect(isCase || fs.existsSync(join(repository, missedBy)), missedBy).toBe(true);
    },
  );

  it("safeguards: a text that occurs twice or not at all is refused", () => {
    for (const text of ["no such line", "a line and a line"])
      expect(() => changed(text, { from: "a line", to: "" })).toThrow("times");
  });
});
