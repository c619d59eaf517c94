// Times as agents write them, and values that are none.
import { describe, expect, it } from "vitest";
import { ExactInteger, type JsonValue } from "../../../src/base/json/value.js";
import { Coverage } from "../../../src/intake/coverage.js";
import { timeOf } from "../../../src/intake/times.js";
import { isUtcTime } from "../../../src/model/times.js";

function time(value: JsonValue | undefined): { text: string | undefined; unknown: JsonValue | undefined } {
  const coverage = new Coverage();
  const text = timeOf(value, coverage);
  return { text, unknown: coverage.toJson([])["unknown"] };
}

const noZone = ["the time zone (times are taken as UTC)"];

describe("times as text", () => {
  it.each([
    ["2026-02-10T12:00:00Z", "2026-02-10T12:00:00Z"],
    ["2026-02-10t12:00:00z", "2026-02-10T12:00:00Z"],
    ["2026-02-10T12:00:00.123Z", "2026-02-10T12:00:00.123Z"],
    ["2026-02-10T12:00:00.123456789Z", "2026-02-10T12:00:00.123456789Z"],
    ["2026-02-10T12:00:00.1234567890123Z", "2026-02-10T12:00:00.1234567890123Z"],
    ["2026-02-10T12:00:00+01:00", "2026-02-10T11:00:00Z"],
    ["2026-02-10T12:00:00.500-05:30", "2026-02-10T17:30:00.500Z"],
    ["2026-02-10T12:00:00+0530", "2026-02-10T06:30:00Z"],
    ["2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z"],
    ["2026-02-10 12:00:00+00:00", "2026-02-10T12:00:00Z"],
    ["2026-02-10 12:00:00.25 +0100", "2026-02-10T11:00:00.25Z"],
    ["2026-02-10 12:00:00 UTC", "2026-02-10T12:00:00Z"],
    ["2026-02-10 12:00:00,123Z", "2026-02-10T12:00:00.123Z"],
  ])("times: the text %s is %s", (value, text) => {
    expect(time(value)).toEqual({ text, unknown: undefined });
  });

  it.each([
    ["2026-02-10T12:00:00", "2026-02-10T12:00:00Z"],
    ["2026-02-10 12:00:00", "2026-02-10T12:00:00Z"],
    ["2026-02-10T12:00:00.123456", "2026-02-10T12:00:00.123456Z"],
    ["2026-02-10 12:00:00,123", "2026-02-10T12:00:00.123Z"],
  ])("times: a text without a zone is read as UTC, and coverage says so: %s", (value, text) => {
    expect(time(value)).toEqual({ text, unknown: noZone });
  });

  it("times: coverage mentions a missing zone once", () => {
    const coverage = new Coverage();
    for (const value of ["2026-02-10T12:00:00", "2026-02-10T12:00:01"]) timeOf(value, coverage);
    expect(coverage.toJson([])["unknown"]).toEqual(noZone);
  });
});

describe("times since 1970", () => {
  it.each<[string, JsonValue, string]>([
    ["seconds", 1700000000, "2023-11-14T22:13:20Z"],
    ["milliseconds", 1700000000123, "2023-11-14T22:13:20.123Z"],
    ["microseconds", 1700000000123456, "2023-11-14T22:13:20.123456Z"],
    ["nanoseconds that a double holds", 1700000000000000000, "2023-11-14T22:13:20.000000000Z"],
    ["seconds as text", "1700000000", "2023-11-14T22:13:20Z"],
    ["milliseconds as text", "1700000000123", "2023-11-14T22:13:20.123Z"],
    ["microseconds as text", "1700000000123456", "2023-11-14T22:13:20.123456Z"],
    ["nanoseconds as text", "1700000000123456789", "2023-11-14T22:13:20.123456789Z"],
    [
      "nanoseconds with all digits",
      new ExactInteger("1700000000123456789"),
      "2023-11-14T22:13:20.123456789Z",
    ],
    ["seconds with a fraction", 1700000000.25, "2023-11-14T22:13:20.25Z"],
    ["seconds as Python's clock returns them", 1700000000.1234567, "2023-11-14T22:13:20.1234567Z"],
    ["milliseconds with a fraction", 1700000000123.5, "2023-11-14T22:13:20.123Z"],
    ["the first number of ten digits", 1e9, "2001-09-09T01:46:40Z"],
    ["the last number of ten digits", 9999999999, "2286-11-20T17:46:39Z"],
  ])("times: a time since 1970 may be %s", (_, value, text) => {
    expect(time(value)).toEqual({ text, unknown: undefined });
  });
});

describe("values that are no times", () => {
  it.each<[string, JsonValue | undefined]>([
    ["undefined", undefined],
    ["null", null],
    ["a flag", true],
    ["a list", [1700000000]],
    ["an object", { seconds: 1700000000 }],
    ["an empty text", ""],
    ["a word", "yesterday"],
    ["a date", "2026-02-10"],
    ["a time without seconds", "2026-02-10T12:00"],
    ["a day that does not exist", "2026-02-30T12:00:00Z"],
    ["a day that does not exist, without a zone", "2026-02-30T12:00:00"],
    ["an hour that does not exist, without a zone", "2026-02-10 25:00:00"],
    ["a leap second", "2026-06-30T23:59:60Z"],
    ["a year past 9999", "12026-02-10T12:00:00Z"],
    ["a time before the year 1", "0001-01-01T00:00:00+01:00"],
    ["a date as digits", "20260210120000"],
    ["a small number", 12],
    ["zero", 0],
    ["a negative number", -1700000000],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a huge number", 1e300],
    ["eleven digits", 17000000001],
    ["twenty digits", new ExactInteger("17000000001234567890")],
    ["a negative integer past 2^53", new ExactInteger("-1700000000123456789")],
    ["more after the time", "2026-02-10T12:00:00Z and more"],
  ])("times: no time is read from %s", (_, value) => {
    // A value that is no time says nothing about time zones; a text in its place was meant to be one.
    const isMeant = typeof value === "string" && !/^\d*$/.test(value);
    expect(time(value)).toEqual({
      text: undefined,
      unknown: isMeant ? ["some times (they cannot be read)"] : undefined,
    });
  });

  it("times: an extreme time that is read is one that a pack can hold", () => {
    for (const value of ["0000000000", "9999999999999999999", "2026-02-10T12:00:00.000000000-23:59"]) {
      const { text } = time(value);
      expect(text !== undefined && isUtcTime(text), value).toBe(true);
    }
  });
});
