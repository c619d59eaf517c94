import { describe, expect, it } from "vitest";
import { knownTime } from "../../../src/model/times.js";
import { fit, sinceText, widthOf } from "../../../src/render/layout.js";

describe("a text that is cut", () => {
  const texts = [
    "Got it \u2014 I\u2019ll quickly check reliable, up-to-date sources",
    "\u8868\u306b\u3059\u308b text",
    "plain ASCII, long enough",
  ];
  it.each(texts)("layout: %s is never cut wider than the limit", (text) => {
    for (let width = 0; width < 60; width++) expect(widthOf(fit(text, width))).toBeLessThanOrEqual(width);
  });
});

describe("the time since", () => {
  it.each([
    ["2026-01-01T00:00:59.400Z", "+59s"],
    ["2026-01-01T00:00:59.700Z", "+1m00s"],
    ["2026-01-01T00:59:59.700Z", "+1h00m"],
    ["2026-01-01T23:59:59.700Z", "+1d00h"],
    ["2026-01-01T00:01:05.200Z", "+1m05s"],
  ])("layout: the time since %s is %s", (end, text) => {
    expect(sinceText(knownTime("2026-01-01T00:00:00Z"), knownTime(end))).toBe(text);
  });
});
