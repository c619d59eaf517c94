// How files in a workspace are named and reached, and what a failure to reach one becomes.
import type * as fs from "node:fs";
import { CtxError, toIoError } from "../base/errors.js";
import { isNoSpace, StepFailure } from "./outcome.js";
import type { DirCursor } from "./dir-cursor.js";

/**
 * A file or folder in the workspace: the folder that holds it, and its name there; `.` is that folder itself.
 */
export interface WorkspaceEntry {
  cursor: DirCursor;
  name: string;
  stat: fs.Stats | undefined;
}

export interface ReachOptions {
  /** For messages: "read", "write". */
  verb: string;
  /** If the path ends in a link, use the link itself. */
  usesLinkItself?: boolean;
  /** Create the folders on the way. */
  createsFolders?: boolean;
}

export function checkRegular(path: string, stat: fs.Stats): void {
  if (stat.isFile()) return;
  const kind = stat.isDirectory() ? "a folder" : "not a regular file";
  throw new StepFailure("error", `${path === "" ? "." : path} is ${kind}`);
}

/** Turns a failed system call into the failure of a step; returns any other error unchanged. */
export function failureAt(path: string, error: unknown, verb: string): unknown {
  const known = toIoError(error, path === "" ? "." : path, verb);
  if (!(known instanceof CtxError)) return error;
  return new StepFailure("error", known.message, { atLimit: isNoSpace(known.data?.["errno"]) });
}

export function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

export function outsideWorkspace(path: string): StepFailure {
  return new StepFailure("outside", `${path} leads out of the workspace`);
}

export function noSuchFile(path: string): StepFailure {
  return new StepFailure("missing_input", `there is no file ${path === "" ? "." : path}`);
}
