import { describe, expect, it } from "vitest";
import { matchOf } from "./compare.js";

const lines = Array.from({ length: 200 }, (_, at) => `line ${at} of the file`);
const whole = `${lines.join("\n")}\n`;
const mark = "\u2026120 tokens truncated\u2026";
const cut = (head: number, tail: number): string => whole.slice(0, head) + mark + whole.slice(-tail);
const isCut = true;

describe("records that the agent's program cut", () => {
  it("cut: the whole lines before and after the cut must be there", () => {
    expect(matchOf("cat f", cut(1000, 1000), whole, { isCut })).toMatchObject({
      compared: "normalised",
      used: ["cut"],
    });
    expect(matchOf("make", cut(1000, 1000), whole, { isCut })?.used).toEqual(["cut"]);
  });

  it("cut: a line that changed, is missing or was added outside of the cut stays different", () => {
    const changes = [
      whole.replace("line 3 of", "line 3 in"),
      whole.replace("line 3 of the file\n", ""),
      whole.replace("line 195 of", "line 195 in"),
      `${whole}more\n`,
      `more\n${whole}`,
      whole.replace("line 3 of the file\nline 4 of the file\n", "line 4 of the file\nline 3 of the file\n"),
    ];
    for (const now of changes) expect(matchOf("cat f", cut(1000, 1000), now, { isCut })).toBeUndefined();
  });

  it("cut: without the log's word, or without a mark, nothing was cut", () => {
    expect(matchOf("cat f", cut(1000, 1000), whole)).toBeUndefined();
    expect(matchOf("cat f", whole.slice(0, 1000), whole, { isCut })).toBeUndefined();
  });

  it("cut: a record with hardly a line is none", () => {
    expect(matchOf("cat f", mark, whole, { isCut })).toBeUndefined();
    expect(matchOf("cat f", cut(30, 30), whole, { isCut })).toBeUndefined();
    expect(matchOf("cat f", cut(1000, 1000), whole.slice(0, 1500), { isCut })).toBeUndefined();
  });

  it("cut: 30,000 and 40,000 characters are where programs cut without a mark", () => {
    const long = "0123456789012345678\n".repeat(3000);
    expect(matchOf("cat f", `\u00e9${long.slice(0, 29_999)}`, `\u00e9${long}`)?.used).toEqual(["cut"]);
    expect(matchOf("cat f", long.slice(0, 40_000), long)?.used).toEqual(["cut"]);
    expect(matchOf("cat f", long.slice(0, 30_001), long)).toBeUndefined();
    expect(matchOf("cat f", `x${long.slice(0, 29_999)}`, long)).toBeUndefined();
  });

  it("cut: of a search without an order, each recorded line must be there as often", () => {
    const now = [...lines].reverse().join("\n");
    expect(matchOf("rg line", cut(1000, 1000), now, { isCut })?.used).toEqual(["cut"]);
    expect(
      matchOf("rg line", cut(1000, 1000), now.replace("line 3 of", "line 3 in"), { isCut }),
    ).toBeUndefined();
    const twice = cut(1000, 1000).replace("line 3 of", "line 4 of");
    expect(matchOf("rg line", twice, now, { isCut })).toBeUndefined();
  });
});
