// Times in documents: RFC 3339 with a zone, normalised to UTC with their original fraction digits. A double
// cannot represent nanoseconds, so the fraction stays text.
import { CtxError } from "../base/errors.js";

/** A time in its normalised form: UTC, with `T` and `Z`. */
export type UtcTime = string;

export interface Time {
  /** The normalised form: UTC, `T`, `Z`, the original fraction. */
  text: string;
  /** Whole seconds since 1970, for comparing. */
  seconds: number;
  /** The fraction's digits without trailing zeros, for comparing. */
  fraction: string;
}

const pattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** The most digits in a fraction of a second. Clocks have 9 at most; every digit is kept and compared. */
const maxFractionDigits = 100;

const day = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
const clock = "([01][0-9]|2[0-3]):[0-5][0-9]";

/**
 * What `parseTime` accepts, for JSON Schemas, except for the lengths of months and the range of years.
 * Stricter than the pattern above, which also matches times that get an error message of their own.
 */
export const timePattern = `^${day}[Tt]${clock}:[0-5][0-9](\\.[0-9]{1,${maxFractionDigits}})?([Zz]|[+-]${clock})$`;
/** The pattern of a time in its normalised form. */
export const utcTimePattern = `^${day}T${clock}:[0-5][0-9](\\.[0-9]{1,${maxFractionDigits}})?Z$`;

/** Parses a time, or returns what is wrong with it. */
export function parseTime(text: string): Time | string {
  if (!pattern.test(text)) return "must be an RFC 3339 time with a zone, such as 2026-02-10T12:00:00Z";
  const [year, month, day] = [parseDigits(text, 0, 4), parseDigits(text, 5, 7), parseDigits(text, 8, 10)];
  const [hour, minute, second] = [
    parseDigits(text, 11, 13),
    parseDigits(text, 14, 16),
    parseDigits(text, 17, 19),
  ];
  if (second === 60) return "leap seconds (:60) are not supported";
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return "is a date that does not exist";
  const isUtc = /[Zz]$/.test(text);
  const offsetHour = isUtc ? 0 : parseDigits(text, text.length - 5, text.length - 3);
  const offsetMinute = isUtc ? 0 : parseDigits(text, text.length - 2, text.length);
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59)
    return "is a time of day that does not exist";
  const offset = (text.at(-6) === "-" ? -60 : 60) * (offsetHour * 60 + offsetMinute);
  const seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  if (seconds < firstSecond || seconds > lastSecond) return "is outside the years 0001 to 9999 in UTC";
  const fraction = text[19] === "." ? text.slice(20, isUtc ? -1 : -6) : "";
  if (fraction.length > maxFractionDigits) return `has more than ${maxFractionDigits} digits after the point`;
  const whole =
    offset === 0
      ? `${text.slice(0, 10)}T${text.slice(11, 19)}`
      : new Date(seconds * 1000).toISOString().slice(0, 19);
  const kept = fraction === "" ? `${whole}Z` : `${whole}.${fraction}Z`;
  // Most times are in this form already. Reusing the text saves memory: a long run has one for each step.
  return {
    text: kept === text ? text : kept,
    seconds,
    fraction: withoutTrailingZeros(fraction),
  };
}

/** Removes trailing zeros. A regular expression would take quadratic time on zeros before another digit. */
function withoutTrailingZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x30) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** Parses digits. */
function parseDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - 0x30;
  return value;
}

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,100})?Z$/;

/**
 * Returns whether a text is a time in its normalised form. Faster than parsing it: a manifest has thousands.
 */
export function isUtcTime(text: string): boolean {
  if (!utc.test(text)) return false;
  const [year, month, day] = [parseDigits(text, 0, 4), parseDigits(text, 5, 7), parseDigits(text, 8, 10)];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  return parseDigits(text, 11, 13) < 24 && parseDigits(text, 14, 16) < 60 && parseDigits(text, 17, 19) < 60;
}

/** Returns a key by which normalised times sort. */
export function sortKey(utcText: string): string {
  const text = utcText.slice(0, -1);
  if (text.length <= 19) return text;
  const cut = withoutTrailingZeros(text);
  return cut.endsWith(".") ? cut.slice(0, -1) : cut;
}

/**
 * Returns a negative number if a is earlier than b, a positive one if it is later, and 0 for the same
 * instant.
 */
export function compareTimes(a: Time, b: Time): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  return a.fraction < b.fraction ? -1 : a.fraction > b.fraction ? 1 : 0;
}

/** Parses a time of a document that was validated already. */
export function knownTime(text: string): Time {
  const time = parseTime(text);
  if (typeof time === "string") throw new TypeError(`${text} ${time}`);
  return time;
}

const firstSecond = Date.parse("0001-01-01T00:00:00Z") / 1000;
const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;

/**
 * Returns the days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that a leap day
 * comes last.
 */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Parses a moment as people write it: a time; a date, `today` or `yesterday` (its first moment where this
 * machine is, or its last with `endOfDay`); or an age such as `7d`, `12h` or `90m`. Returns what is wrong
 * with any other text.
 */
export function parseMoment(text: string, options: { now: Date; endOfDay: boolean }): Time | string {
  const age = /^(\d{1,9})([smhdwy])$/.exec(text);
  if (age !== null) {
    const earliest = firstSecond * 1000;
    const moment = options.now.getTime() - Number(age[1]) * (unitSeconds[age[2] as string] as number) * 1000;
    return knownTime(new Date(Math.max(moment, earliest)).toISOString());
  }
  const { now, endOfDay } = options;
  const today = [now.getFullYear(), now.getMonth(), now.getDate()] as const;
  if (text === "today" || text === "yesterday")
    return localDay(today[0], today[1], today[2] - (text === "today" ? 0 : 1), endOfDay);
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (date !== null) {
    const known = parseTime(`${text}T00:00:00Z`);
    return typeof known === "string"
      ? known
      : localDay(Number(date[1]), Number(date[2]) - 1, Number(date[3]), endOfDay);
  }
  const time = parseTime(text);
  return typeof time === "string" && time.startsWith("must be")
    ? "is neither a time (2026-02-10T12:00:00Z), nor a date (2026-02-10, today, yesterday), nor an age (7d, 12h, 2w)"
    : time;
}

/** Returns the first moment of a day in local time, or its last. */
function localDay(year: number, month: number, day: number, isEnd: boolean): Time {
  const date = new Date(2000, 0, 1);
  // Sets the year apart: the constructor takes 99 for 1999.
  date.setFullYear(year, month, day + (isEnd ? 1 : 0));
  const seconds = date.getTime() / 1000 - (isEnd ? 1 : 0);
  const inRange = new Date(Math.min(Math.max(seconds, firstSecond), lastSecond) * 1000);
  return knownTime(`${inRange.toISOString().slice(0, 19)}${isEnd ? ".999999999" : ""}Z`);
}

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_557_600,
};

/** Parses the value of --since or --until: a time, a date, or an age such as `7d`. */
export function parseTimeOption(name: "since" | "until", text: string | undefined): Time | undefined {
  if (text === undefined) return undefined;
  const time = parseMoment(text, { now: new Date(), endOfDay: name === "until" });
  if (typeof time !== "string") return time;
  throw new CtxError("usage", `--${name} "${text}" ${time}`);
}
