import { describe, expect, it } from "vitest";
import { growthOf, inProportion } from "../../../../dev/growth.js";
import { CommitHashes } from "../../../../src/replay/rules/git.js";
import { matchOf } from "./compare.js";

const status = (remote: string, file: string): string =>
  `On branch main\n${remote}\nChanges not staged for commit:\n\tmodified:   ${file}\n`;
const log = (author: string): string => `commit 1a2b3c4\nAuthor: ${author}\n\n    Fix\n`;
const diff = (hash: string, text: string): string =>
  `diff --git a/x b/x\nindex ${hash}..f55e657 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${text}\n+b\n`;
/** Returns lines as git prints for new commits, each with another hash. */
function madeLines(digit: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `[m ${digit}${at.toString(16).padStart(7, "0")}]\n`).join(
    "",
  );
}

describe("rules for git", () => {
  it("git: a hash equals its abbreviation, and no other hash", () => {
    expect(matchOf("git log --oneline", "1a2b3c4 Fix", "1a2b3c4d5 Fix")?.used).toEqual(["git hashes"]);
    expect(matchOf("git log --oneline", "1a2b3c4 Fix", "1a2b3d4d5 Fix")).toBeUndefined();
    expect(matchOf("git log --oneline", "1a2b3c4 Fix", "1a2b3c4d5 Fux")).toBeUndefined();
    expect(matchOf("git log", "commit 1a2b3c4\n\n    Fix\n", "commit 1a2b3c4d5\n\n    Fix\n")?.used).toEqual([
      "git hashes",
    ]);
  });

  it("git: a hash in a subject is text, and so is a number", () => {
    expect(matchOf("git log --oneline", "1a2b3c4 Revert abcdef1", "1a2b3c4 Revert abcdef12")).toBeUndefined();
    expect(matchOf("git log --format=%ct", "1234567", "12345678")).toBeUndefined();
  });

  it("git: hashes of a commit that the run made equal those of this replay, in later steps too", () => {
    const hashes = new CommitHashes();
    const made = matchOf(
      "git commit -m Fix",
      "[main abc1234] Fix\n 1 file changed",
      "[main 5678def] Fix\n 1 file changed",
      { hashes },
    );
    expect(made?.used).toEqual(["git hashes"]);
    expect(matchOf("git log --oneline", "abc1234 Fix", "5678def Fix", { hashes })).toBeUndefined();
    made?.accept();
    expect(matchOf("git log --oneline", "abc1234 Fix", "5678def Fix", { hashes })?.used).toEqual([
      "git hashes",
    ]);
    expect(matchOf("git log --oneline", "abc1234 Fix", "5678dee Fix", { hashes })).toBeUndefined();
    const other = matchOf("git log --oneline", "abc1234 Fix", "999aaaa Fix", { hashes });
    expect(other).toBeUndefined();
  });

  it("git: a step that prints very many new hashes is compared in time proportional to their number", () => {
    const growth = growthOf((size) => {
      const [recorded, now] = [madeLines("a", size), madeLines("b", size)];
      return () => {
        const hashes = new CommitHashes();
        const made = matchOf("git commit -m Fix", recorded, now, { hashes });
        expect(made?.used).toEqual(["git hashes"]);
        made?.accept();
        expect(hashes.isSame("a0000000", "b0000000")).toBe(true);
      };
    }, 2000);
    expect(growth).toBeLessThan(inProportion);
  });

  it("git: a commit of other files stays different", () => {
    expect(
      matchOf(
        "git commit -m Fix",
        "[main abc1234] Fix\n 1 file changed",
        "[main 5678def] Fix\n 2 files changed",
      ),
    ).toBeUndefined();
    expect(matchOf("git commit -m Fix", "[main abc1234] Fix", "[dev 5678def] Fix")).toBeUndefined();
  });

  it("git: only a command that commits makes a hash new", () => {
    expect(matchOf("git status", "[main abc1234] Fix", "[main 5678def] Fix")).toBeUndefined();
  });

  it("git: authors and how far the remote is are left out, files and branches are not", () => {
    const ahead =
      "Your branch is ahead of 'origin/main' by 2 commits.\n  (use \"git push\" to publish your local commits)\n";
    expect(matchOf("git status", status(ahead, "a.ts"), status("", "a.ts"))).toBeUndefined();
    expect(
      matchOf("git status", `On branch main\n${ahead}\nnothing`, "On branch main\nnothing")?.used,
    ).toEqual(["git remote state"]);
    expect(matchOf("git status", `On branch main\n${ahead}\na`, "On branch main\nb")).toBeUndefined();
    expect(matchOf("git status -sb", "## main...origin/main [ahead 1]\n M a", "## main\n M a")?.used).toEqual(
      ["git remote state"],
    );
    expect(matchOf("git status -sb", "## main...origin/main\n M a", "## dev\n M a")).toBeUndefined();
    expect(matchOf("git log", log("Ana <a@b>"), log("ctx <c@d>"))?.used).toEqual(["git identity"]);
  });

  it("git: in changes only the hashes of the heads may be abbreviated", () => {
    expect(matchOf("git diff", diff("20edef5", "a"), diff("20edef5a1", "a"))?.used).toEqual(["git hashes"]);
    expect(matchOf("git diff", diff("20edef5", "a"), diff("20edef6", "a"))).toBeUndefined();
    expect(
      matchOf("git diff", diff("20edef5", "index abc1234"), diff("20edef5", "index abc12345")),
    ).toBeUndefined();
    expect(matchOf("git show HEAD:x", "index abc1234\n", "index abc12345\n")).toBeUndefined();
    expect(matchOf("git show HEAD:x", diff("20edef5", "a"), diff("20edef5a1", "a"))).toBeUndefined();
    expect(matchOf("git show abc", "index abc1234\n", "index abc12345\n")).toBeUndefined();
    expect(matchOf("git diff; cat x", diff("20edef5", "a"), diff("20edef5a1", "a"))).toBeUndefined();
  });

  it("git: other programs have no such rules", () => {
    expect(matchOf("make", "1a2b3c4 Fix", "1a2b3c4d5 Fix")).toBeUndefined();
    expect(matchOf("git log --oneline | cat - notes", "1a2b3c4 Fix", "1a2b3c4d5 Fix")).toBeUndefined();
  });
});
