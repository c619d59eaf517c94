// How long ago something happened, in the few characters that a list has for it.

/** Returns `now`, `5m ago`, `3h ago`, `12d ago`; the local date for what is older than 30 days. */
export function agoText(time: string, now: Date): string {
  const then = new Date(time);
  const seconds = (now.getTime() - then.getTime()) / 1000;
  // A clock that was set back makes a time of the future.
  if (seconds >= -60 && seconds < 60) return "now";
  if (seconds > 0 && seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds > 0 && seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  if (seconds > 0 && seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)}d ago`;
  const [year, month, day] = [then.getFullYear(), then.getMonth() + 1, then.getDate()];
  return `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
