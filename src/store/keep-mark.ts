// What makes git refuse to delete a private store. git treats ignored files as expendable: where another branch has a file or a
// link named .ctx, `git checkout` and `git pull` delete the whole ignored folder without a word. They refuse to delete a folder
// that holds an untracked file which is not ignored, so a private store has one such file. Its name is random: one that a colleague
// committed by accident must not be in the way of anybody's pull.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere, writeNew } from "../base/files.js";
import { ignoreAll } from "./layout.js";

const markLine = /^!\/(keep-[0-9a-f]{12})$/;

export const markText =
  "git refuses to delete the folder around this file as long as the file is neither committed nor ignored.\n";

export function isMarkName(name: string): boolean {
  return markLine.test(`!/${name}`);
}

export function newMarkName(): string {
  return `keep-${randomBytes(6).toString("hex")}`;
}

/** The lines of a store's own .gitignore; none where it cannot be read, or is a link, which git does not follow. */
export function ignoreLines(root: string): string[] {
  try {
    const text = readIfThere(join(root, ".gitignore"))?.toString("latin1") ?? "";
    return text.split(/\r?\n/).map((line) => line.trim());
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

/** Whether a store's own .gitignore keeps all of its contents out of git, but for the mark. The last pattern that matches wins. */
export function ignoresContents(lines: readonly string[]): boolean {
  const at = lines.lastIndexOf(ignoreAll);
  return at >= 0 && !lines.slice(at).some((line) => line.startsWith("!") && !markLine.test(line));
}

/** The mark that a store's .gitignore names and git therefore sees. */
export function markOf(lines: readonly string[]): string | undefined {
  const line = lines.slice(lines.lastIndexOf(ignoreAll) + 1).findLast((each) => markLine.test(each));
  return line === undefined ? undefined : markLine.exec(line)?.[1];
}

/** Whether a store lacks the mark that its .gitignore names. */
export function lacksMark(root: string, mark: string | undefined): mark is string {
  return mark !== undefined && fs.lstatSync(join(root, mark), { throwIfNoEntry: false }) === undefined;
}

/** Writes the mark again where it is missing: `git stash -u` takes it away, for example. */
export function renewMark(root: string): void {
  const mark = markOf(ignoreLines(root));
  if (lacksMark(root, mark)) writeNew(join(root, mark), Buffer.from(markText), 0o600);
}

/** Removes the marks of a store that is shared from now on. */
export function removeMarks(root: string): void {
  for (const name of fs.readdirSync(root)) if (isMarkName(name)) fs.rmSync(join(root, name));
}
