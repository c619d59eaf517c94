// How files in a workspace are named and reached, and what a failure to reach one becomes.
import type * as fs from "node:fs";
import { CtxError, toIoError } from "../base/errors.js";
import { isNoSpace, StepFailure } from "./outcome.js";
import type { DirCursor } from "./dir-cursor.js";

/**
 * A file or folder in the workspace: the folder that holds it, and its name there; `.` is that folder itself.
 */
export interface Spot {
  place: DirCursor;
  name: string;
  stat: fs.Stats | undefined;
}

export interface Reach {
  /** For messages: "read", "write". */
  doing: string;
  /** If the path ends in a link, use the link itself. */
  isLinkMeant?: boolean;
  /** Create the folders on the way. */
  makesFolders?: boolean;
}

export function checkRegular(path: string, stat: fs.Stats): void {
  if (stat.isFile()) return;
  const what = stat.isDirectory() ? "a folder" : "not a regular file";
  throw new StepFailure("error", `${path === "" ? "." : path} is ${what}`);
}

/** Turns a failed system call into the failure of a step; returns any other error unchanged. */
export function failureAt(path: string, error: unknown, doing: string): unknown {
  const known = toIoError(error, path === "" ? "." : path, doing);
  if (!(known instanceof CtxError)) return error;
  return new StepFailure("error", known.message, { atLimit: isNoSpace(known.data?.["errno"]) });
}

export function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

export function outside(path: string): StepFailure {
  return new StepFailure("outside", `${path} leads out of the workspace`);
}

export function missing(path: string): StepFailure {
  return new StepFailure("missing_input", `there is no file ${path === "" ? "." : path}`);
}
