// Parses times as agents write them: RFC 3339, ISO without a zone, seconds, milliseconds, microseconds or
// nanoseconds since 1970, as numbers or strings.
import { ExactInteger, type JsonValue } from "../base/json/value.js";
import { parseTime } from "../model/times.js";
import type { Coverage } from "./coverage.js";

const unreadable = "some times (they cannot be read)";

/** Returns a time in normalised form; undefined when the value is none. */
export function timeOf(value: JsonValue | undefined, coverage: Coverage): string | undefined {
  if (typeof value === "number") return ofNumber(value);
  if (value instanceof ExactInteger) return ofDigits(value.digits);
  if (typeof value !== "string") return undefined;
  if (/^\d{10,19}$/.test(value)) return ofDigits(value);
  const time = parseTime(value);
  if (typeof time !== "string") return time.text;
  const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/.exec(
    value,
  );
  if (local === null) {
    if (value.trim() !== "") coverage.addUnknown(unreadable);
    return undefined;
  }
  const [, day, clock, fraction, zone] = local;
  const offset =
    zone === undefined || zone === "UTC" || zone === "Z" ? "Z" : zone.replace(/^(...)(\d\d)$/, "$1:$2");
  const parsed = parseTime(`${day}T${clock}${fraction === undefined ? "" : `.${fraction}`}${offset}`);
  if (typeof parsed === "string") {
    coverage.addUnknown(unreadable);
    return undefined;
  }
  if (zone === undefined) coverage.addUnknown("the time zone (times are taken as UTC)");
  return parsed.text;
}

/** Seconds have ten digits; milli-, micro- and nanoseconds three more each. */
function ofDigits(digits: string): string | undefined {
  if (!/^\d{10,19}$/.test(digits)) return undefined;
  const seconds = Number(digits.slice(0, 10));
  const fraction = digits.slice(10);
  if (![0, 3, 6, 9].includes(fraction.length)) return undefined;
  return withFraction(seconds, fraction);
}

function ofNumber(value: number): string | undefined {
  if (!Number.isFinite(value) || value < 1e9) return undefined;
  if (Number.isInteger(value)) return ofDigits(String(value));
  const [whole = "", part = ""] = String(value).split(".");
  return whole.length === 10 && /^\d{1,9}$/.test(part) ? withFraction(Number(whole), part) : ofDigits(whole);
}

function withFraction(seconds: number, fraction: string): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return fraction === "" ? `${whole}Z` : `${whole}.${fraction}Z`;
}
