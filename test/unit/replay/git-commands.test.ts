// What shell lines do with git, and which parts of files they print.
import { describe, expect, it } from "vitest";
import {
  gitEffects,
  printedId,
  printsHead,
  reportedCommits,
  staysIn,
} from "../../../src/replay/git-commands.js";
import { printedPart } from "../../../src/replay/shell-reads.js";

describe("git in shell lines", () => {
  it.each([
    ["git status", "none"],
    ["git checkout -b feature && git add .", "none"],
    ["git switch -c feature", "none"],
    ["git commit -m 'git pull is gone'", "commits"],
    ["cd sub && git commit -qam x", "commits"],
    ["git checkout -b feature origin/main", "moves"],
    ["git -c user.name=x pull --rebase", "moves"],
    ["git commit --amend --no-edit", "moves"],
    ["echo $(git checkout main)", "moves"],
    ["bash -c 'git reset --hard HEAD~1'", "moves"],
    ["gh pr checkout 12", "moves"],
    ["git stash", "changes"],
    ["git restore src", "changes"],
    ["git commit -m 'unfinished", "moves"],
  ])("replay --git auto: %s %s", (line, expected) => {
    const { movesHead, changesFiles, commits } = gitEffects(line);
    const what = movesHead ? "moves" : changesFiles ? "changes" : commits ? "commits" : "none";
    expect(what).toBe(expected);
  });

  it.each([
    ["git rev-parse HEAD", true],
    ["git rev-parse --short HEAD", true],
    ["git log --oneline -5", true],
    ["git log -1 --format=%H", true],
    ["git log -n 3 | head -5", true],
    ["git log origin/main -1", false],
    ["git log --all --oneline", false],
    ["git log --oneline -5 -- src", false],
    ["git log --oneline --reverse", false],
    ["git log --oneline --author=me -2", false],
    ["git log -1 --format='%an %H'", false],
    ["git rev-parse HEAD~1", false],
    ["git rev-parse HEAD > x", false],
    ["git log --oneline | tail -1", false],
    ["git fetch && git log --oneline", false],
  ])("replay --git auto: %s prints HEAD: %s", (line, expected) => {
    expect(printsHead(line)).toBe(expected);
  });

  it("replay --git auto: git in another folder says nothing about HEAD", () => {
    expect(staysIn("cd /work && git log", "/work")).toBe(true);
    expect(staysIn("cd /other && git log", "/work")).toBe(false);
    expect(staysIn("git -C /other log", "/work")).toBe(false);
    expect(staysIn("git --git-dir=/other/.git log", "/work")).toBe(false);
    expect(staysIn("cd $DIR && git log", "/work")).toBe(false);
  });

  it("replay --git auto: reads the ids that git printed", () => {
    expect(printedId("commit 0123456789abcdef0123456789abcdef01234567\nAuthor: x")).toMatch(/^0123/);
    expect(printedId("0123abc Fix it")).toBe("0123abc");
    expect(printedId("fatal: not a git repository")).toBeUndefined();
    expect(
      reportedCommits("[fix/x 0123abc] Fix it\n 1 file changed\n[main (root-commit) abcdef0] First"),
    ).toEqual([
      { id: "0123abc", subject: "Fix it", isRoot: false },
      { id: "abcdef0", subject: "First", isRoot: true },
    ]);
  });
});

describe("parts of files that shell lines print", () => {
  it.each([
    ["cat src/a.ts", { path: "/w/src/a.ts", from: 1 }],
    ["cat -n src/a.ts", { path: "/w/src/a.ts", from: 1 }],
    ["sed -n '5,20p' a.ts", { path: "/w/a.ts", from: 5, lines: 16 }],
    ["sed -n 7p a.ts", { path: "/w/a.ts", from: 7, lines: 1 }],
    ["sed -n '7,$p' a.ts", { path: "/w/a.ts", from: 7 }],
    ["head a.ts", { path: "/w/a.ts", from: 1, lines: 10 }],
    ["head -n 3 a.ts", { path: "/w/a.ts", from: 1, lines: 3 }],
    ["head -40 a.ts", { path: "/w/a.ts", from: 1, lines: 40 }],
    ["tail -n 3 a.ts", { path: "/w/a.ts", from: 1, lines: 3, isEnd: true }],
    ["nl -ba a.ts | sed -n '5,20p'", { path: "/w/a.ts", from: 5, lines: 16 }],
    ["cat a.ts | head -20", { path: "/w/a.ts", from: 1, lines: 20 }],
    ["cd sub && sed -n '1,5p' a.ts", { path: "/w/sub/a.ts", from: 1, lines: 5 }],
    ["cat a.ts b.ts", undefined],
    ["cat a.ts > b.ts", undefined],
    ["cat a.ts | grep x", undefined],
    ["cat *.ts", undefined],
    ["cat a.ts && git diff", undefined],
    ["sed -n '5,20p;30p' a.ts", undefined],
    ["sed -n '20,5p' a.ts", undefined],
    ["sed -i 's/a/b/' a.ts", undefined],
    ["head -c 20 a.ts", undefined],
    ["cat ~/.netrc", undefined],
    ["sed -n '5,20p' a.ts | head -3", undefined],
    ["FOO=1 cat a.ts", undefined],
    ["cat <<END\nx\nEND", undefined],
  ])("replay --git auto: %s", (line, expected) => {
    expect(printedPart(line, "/w")).toEqual(expected);
  });
});
