// A store's own .gitignore is read as git reads it.
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../../dev/folders.js";
import { describeWith, program } from "../../../dev/needs.js";
import { ignoreLines, ignoresAll } from "../../../src/store/own-ignore.js";

/** Returns what ctx and git say about a file in a store with this .gitignore. */
function judged(text: string): { ctx: boolean; git: boolean } {
  const folder = tempFolder();
  execFileSync("git", ["init", "-q", folder]);
  const root = join(folder, ".ctx");
  fs.mkdirSync(root);
  fs.writeFileSync(join(root, ".gitignore"), Buffer.from(text, "latin1"));
  fs.writeFileSync(join(root, "config.json"), "{}");
  const { status } = spawnSync("git", ["check-ignore", "-q", ".ctx/config.json"], { cwd: folder });
  return { ctx: ignoresAll(ignoreLines(root)), git: status === 0 };
}

describeWith([program("git")], "ignoresAll", () => {
  it.each([
    "*",
    "*\n",
    "*\r\n",
    "*\r",
    "*  \n",
    "*  \r\n",
    "a\n*\nb\n",
    "!a\n*\n",
    "\xef\xbb\xbf*\n",
    "*\0x\n",
  ])("a store with the .gitignore %j is ignored, as git says", (text) =>
    expect(judged(text)).toEqual({ ctx: true, git: true }),
  );

  it.each([
    "",
    " *\n",
    "\t*\n",
    "*\t\n",
    "*\xa0\n",
    "\xa0*\n",
    "*\x0b\n",
    "*\r\r\n",
    "*\\ \n",
    "\\*\n",
    "#*\n",
    "# \r*\n",
    "*\n!config.json\n",
    "*\n!*\0x\n",
  ])("a store with the .gitignore %j is not ignored, as git says", (text) =>
    expect(judged(text)).toEqual({ ctx: false, git: false }),
  );
});
