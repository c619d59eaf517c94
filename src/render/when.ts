// When a run took place and how long it took, as people say it.
import { knownTime } from "../model/times.js";

export interface WhenOptions {
  now: Date;
  /** Show the time in UTC instead of how long ago it was. */
  utc: boolean;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

/** `5 minutes ago`, `3 days ago`; after two weeks the local date; with `utc`, `2026-02-10 12:00 UTC`. */
export function whenText(time: string, { now, utc }: WhenOptions): string {
  if (utc) return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  const age = ageOf(time, now);
  if (age < -minute || age >= 2 * week) return localDate(time);
  if (age < minute) return "just now";
  if (age < hour) return ago(age / minute, "minute");
  if (age < day) return ago(age / hour, "hour");
  return ago(age / day, "day");
}

function ago(count: number, unit: string): string {
  const whole = Math.floor(count);
  return `${whole} ${unit}${whole === 1 ? "" : "s"} ago`;
}

/** The same for a column: `now`, `5m`, `12h`, `3d`; after two weeks the local date. */
export function shortWhenText(time: string, options: WhenOptions): string {
  if (options.utc) return whenText(time, options);
  const age = ageOf(time, options.now);
  if (age < -minute || age >= 2 * week) return localDate(time);
  if (age < minute) return "now";
  if (age < hour) return `${Math.floor(age / minute)}m`;
  if (age < day) return `${Math.floor(age / hour)}h`;
  return `${Math.floor(age / day)}d`;
}

/** The same for a column without a heading: `now`, `5m ago`; after two weeks the local date. */
export function shortAgoText(time: string, now: Date): string {
  const text = shortWhenText(time, { now, utc: false });
  return /[mhd]$/.test(text) ? `${text} ago` : text;
}

function ageOf(time: string, now: Date): number {
  return Math.floor(now.getTime() / 1000) - knownTime(time).seconds;
}

function localDate(time: string): string {
  const date = new Date(knownTime(time).seconds * 1000);
  const [month, dayOfMonth] = [date.getMonth() + 1, date.getDate()].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${String(date.getFullYear()).padStart(4, "0")}-${month}-${dayOfMonth}`;
}

/** `0.4s`, `12s`, `3m05s`, `2h10m`, `3d04h`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)}s`;
  const full = Math.round(milliseconds / 1000);
  if (full < minute) return `${full}s`;
  if (full < hour) return `${Math.floor(full / minute)}m${twoDigits(full % minute)}s`;
  if (full < day) return `${Math.floor(full / hour)}h${twoDigits((full % hour) / minute)}m`;
  return `${Math.floor(full / day)}d${twoDigits((full % day) / hour)}h`;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

/** `950`, `12k`, `1.2M`. */
export function shortNumber(value: number): string {
  if (value < 1000) return String(value);
  let rest = value;
  for (const unit of ["k", "M", "G"]) {
    rest /= 1000;
    if (rest < 999.5) return `${rest < 9.95 ? rest.toFixed(1) : Math.round(rest)}${unit}`;
  }
  return `${Math.round(rest)}G`;
}
