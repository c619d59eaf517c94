// A moment as somebody asks for it: a time, a date, or an age such as `7d`.
import { CtxError } from "../base/errors.js";
import { parseMoment, type Time } from "./times.js";

export function momentOption(name: "since" | "until", text: string | undefined): Time | undefined {
  if (text === undefined) return undefined;
  const time = parseMoment(text, { now: new Date(), endOfDay: name === "until" });
  if (typeof time !== "string") return time;
  throw new CtxError("usage", `--${name} ${text}: ${time}`);
}
