import { afterEach, describe, expect, it } from "vitest";
import {
  compareTimes,
  isUtcTime,
  knownTime,
  parseMoment,
  parseTime,
  sortKey,
} from "../../../src/model/times.js";

function text(time: string): string {
  const parsed = parseTime(time);
  return typeof parsed === "string" ? parsed : parsed.text;
}

/** -1, 0 or 1: which of two times is the earlier. */
function order(a: string, b: string): number {
  return Math.sign(compareTimes(knownTime(a), knownTime(b)));
}

describe("times", () => {
  it.each([
    ["2026-02-10T12:00:00Z", "2026-02-10T12:00:00Z"],
    ["2026-02-10t12:00:00z", "2026-02-10T12:00:00Z"],
    ["2026-03-01T01:02:03.450+02:00", "2026-02-28T23:02:03.450Z"],
    ["2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00Z"],
    ["2024-02-29T23:59:59.123456789-23:59", "2024-03-01T23:58:59.123456789Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["0000-12-31T23:30:00-01:00", "0001-01-01T00:30:00Z"],
    ["0099-05-05T05:05:05Z", "0099-05-05T05:05:05Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("the time %s is kept as %s", (written, kept) => expect(text(written)).toBe(kept));

  it.each([
    ["2026-02-10", "RFC 3339"],
    ["2026-02-10 12:00:00Z", "RFC 3339"],
    ["2026-02-10T12:00:00", "RFC 3339"],
    ["2026-02-10T12:00Z", "RFC 3339"],
    ["2026-02-10T12:00:00.Z", "RFC 3339"],
    ["2026-02-10T12:00:00+0100", "RFC 3339"],
    ["2026-02-10T12:00:00Z\n", "RFC 3339"],
    ["12026-02-10T12:00:00Z", "RFC 3339"],
    ["2026-12-31T23:59:60Z", "leap seconds"],
    ["2026-02-29T00:00:00Z", "a date that does not exist"],
    ["1900-02-29T00:00:00Z", "a date that does not exist"],
    ["2026-13-01T00:00:00Z", "a date that does not exist"],
    ["2026-00-01T00:00:00Z", "a date that does not exist"],
    ["2026-01-00T00:00:00Z", "a date that does not exist"],
    ["2026-01-01T24:00:00Z", "a time of day that does not exist"],
    ["2026-01-01T00:60:00Z", "a time of day that does not exist"],
    ["2026-01-01T00:00:61Z", "a time of day that does not exist"],
    ["2026-01-01T00:00:00+24:00", "a time of day that does not exist"],
    ["0000-01-01T00:00:00Z", "outside the years"],
    ["0001-01-01T00:00:00+00:01", "outside the years"],
    ["9999-12-31T23:59:59-00:01", "outside the years"],
  ])("the time %s is refused: %s", (written, why) => expect(text(written)).toContain(why));

  it("times compare by instant, to the last digit", () => {
    expect(order("2026-01-01T00:00:00.9Z", "2026-01-01T01:00:00.90+01:00")).toBe(0);
    expect(order("2026-01-01T00:00:00.1000000001Z", "2026-01-01T00:00:00.1Z")).toBe(1);
    expect(order("2026-01-01T00:00:00.05Z", "2026-01-01T00:00:00.5Z")).toBe(-1);
    expect(order("2025-12-31T23:59:59.9Z", "2026-01-01T00:00:00Z")).toBe(-1);
  });

  it("normalised times are recognised, and sort as text", () => {
    const good = [
      "2026-01-01T00:00:00Z",
      "0001-01-01T00:00:00.10Z",
      "9999-12-31T23:59:59.999999999999Z",
      "2024-02-29T00:00:00Z",
    ];
    const bad = [
      "2026-01-01T00:00:00z",
      "2026-01-01t00:00:00Z",
      "2026-01-01T00:00:00+00:00",
      "0000-01-01T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z",
      "2026-01-01T00:00:60Z",
      "2026-13-01T00:00:00Z",
      "2026-01-01T00:00:00.Z",
    ];
    for (const time of good) expect(isUtcTime(time), time).toBe(true);
    for (const time of bad) expect(isUtcTime(time), time).toBe(false);
    const ordered = [
      "2025-12-31T23:59:59.9Z",
      "2026-01-01T00:00:00Z",
      "2026-01-01T00:00:00.05Z",
      "2026-01-01T00:00:00.1Z",
      "2026-01-01T00:00:00.1000001Z",
    ];
    for (const [index, time] of ordered.slice(1).entries())
      expect(sortKey(ordered[index] as string) < sortKey(time)).toBe(true);
    expect(sortKey("2026-01-01T00:00:10.00Z")).toBe(sortKey("2026-01-01T00:00:10Z"));
    expect(sortKey("2026-01-01T00:00:00.50Z")).toBe(sortKey("2026-01-01T00:00:00.5Z"));
  });

  it("a time may have 100 digits of a fraction, and no more", () => {
    const longest = `2026-01-01T00:00:00.${"0".repeat(99)}1Z`;
    const tooLong = longest.replace(".", ".0");
    expect(parseTime(longest)).toMatchObject({ text: longest });
    expect(isUtcTime(longest)).toBe(true);
    expect(parseTime(tooLong)).toBe("has more than 100 digits after the point");
    expect(isUtcTime(tooLong)).toBe(false);
  });

  it("trailing zeros of a fraction are removed in linear time", { timeout: 20_000 }, () => {
    // A quadratic search takes a minute.
    const zeros = `2026-01-01T00:00:00.${"0".repeat(200_000)}1`;
    expect(sortKey(`${zeros}0Z`)).toBe(zeros);
  });
});

/** Returns the first and the last moment of a day, in UTC. */
function day(text: string, timeZone: string, now = "2026-11-18T02:00:00Z"): string[] {
  process.env["TZ"] = timeZone;
  return [false, true].map((endOfDay) => {
    const time = parseMoment(text, { now: new Date(now), endOfDay });
    return typeof time === "string" ? time : time.text;
  });
}

describe("a moment as people write it", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it.each([
    ["2026-11-01", "UTC", "2026-11-01T00:00:00Z", "2026-11-01T23:59:59.999999999Z"],
    ["2026-11-01", "Asia/Tokyo", "2026-10-31T15:00:00Z", "2026-11-01T14:59:59.999999999Z"],
    // The day on which clocks are set back has 25 hours.
    ["2026-11-01", "America/Los_Angeles", "2026-11-01T07:00:00Z", "2026-11-02T07:59:59.999999999Z"],
    ["today", "America/Los_Angeles", "2026-11-17T08:00:00Z", "2026-11-18T07:59:59.999999999Z"],
    ["today", "Asia/Tokyo", "2026-11-17T15:00:00Z", "2026-11-18T14:59:59.999999999Z"],
    ["yesterday", "UTC", "2026-11-17T00:00:00Z", "2026-11-17T23:59:59.999999999Z"],
    ["0001-01-01", "Asia/Tokyo", "0001-01-01T00:00:00Z", "0001-01-01T14:59:59.999999999Z"],
    ["9999-12-31", "America/Los_Angeles", "9999-12-31T08:00:00Z", "9999-12-31T23:59:59.999999999Z"],
  ])("a moment: %s in %s is a day of local time", (text, timeZone, first, last) => {
    const [from, to] = day(text, timeZone);
    expect([from?.slice(0, 13), to?.slice(0, 13)]).toEqual([first.slice(0, 13), last.slice(0, 13)]);
    if (!text.startsWith("0001")) expect([from, to]).toEqual([first, last]);
  });

  it.each(["tomorrow", "last week", "2026-11", "3x", "Today", "", "2026-11-01 12:00"])(
    "a moment: %j is none",
    (text) => expect(day(text, "UTC")[0]).toMatch(/^is neither a time/),
  );

  it("a moment: a date that does not exist is none", () => {
    expect(day("2026-02-30", "UTC")[0]).toBe("is a date that does not exist");
  });
});
