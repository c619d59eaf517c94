// Times as documents hold them: RFC 3339 with a zone, kept in UTC with the fraction digits they were given. A double
// cannot hold nanoseconds, so the fraction stays text.

export interface Time {
  /** The normalised form: UTC, `T`, `Z`, the original fraction. */
  text: string;
  /** Whole seconds since 1970, for comparing. */
  seconds: number;
  /** The fraction's digits without trailing zeros, for comparing. */
  fraction: string;
}

const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Reads a time, or says why it is none. */
export function parseTime(text: string): Time | string {
  const match = pattern.exec(text);
  if (match === null) return "must be an RFC 3339 time with a zone, such as 2026-02-10T12:00:00Z";
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (second === 60) return "leap seconds (:60) are not supported";
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return "is a date that does not exist";
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59)
    return "is a time of day that does not exist";
  const offset = (match[8] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60;
  const seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  if (seconds < firstSecond || seconds > lastSecond) return "is outside the years 0001 to 9999 in UTC";
  const fraction = match[7] ?? "";
  const whole =
    offset === 0
      ? `${text.slice(0, 10)}T${text.slice(11, 19)}`
      : new Date(seconds * 1000).toISOString().slice(0, 19);
  return { text: `${whole}${fraction && `.${fraction}`}Z`, seconds, fraction: fraction.replace(/0+$/, "") };
}

/** Negative when a is earlier than b, positive when it is later, 0 when they are the same instant. */
export function compareTimes(a: Time, b: Time): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  return a.fraction < b.fraction ? -1 : a.fraction > b.fraction ? 1 : 0;
}

/** A time from a document that was validated already. */
export function knownTime(text: string): Time {
  const time = parseTime(text);
  if (typeof time === "string") throw new TypeError(`${text} ${time}`);
  return time;
}

const firstSecond = Date.parse("0001-01-01T00:00:00Z") / 1000;
const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** Days from 1970-01-01, in the Gregorian calendar; years begin in March here, so that the leap day is the last. */
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
 * A moment as a person writes it: a time, a date (its first second in UTC, or its last with `endOfDay`), or an age such
 * as `7d`, `12h` or `90m`.
 */
export function parseMoment(text: string, options: { now: Date; endOfDay: boolean }): Time | string {
  const age = /^(\d{1,9})([smhdwy])$/.exec(text);
  if (age !== null) {
    const milliseconds = Number(age[1]) * (unitSeconds[age[2] as string] as number) * 1000;
    const moment = new Date(options.now.getTime() - milliseconds);
    return moment.getTime() < firstSecond * 1000
      ? knownTime("0001-01-01T00:00:00Z")
      : knownTime(moment.toISOString());
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return parseTime(`${text}T${options.endOfDay ? "23:59:59.999999999" : "00:00:00"}Z`);
  const time = parseTime(text);
  return typeof time === "string" && time.startsWith("must be")
    ? "is neither a time (2026-02-10T12:00:00Z), nor a date (2026-02-10), nor an age (7d, 12h, 2w)"
    : time;
}

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_557_600,
};
