import { describe, expect, it } from "vitest";
import { printsFiles } from "../../../src/replay/file-printer.js";

const shell = (line: string): boolean => printsFiles(["/bin/bash", "-c", line]);

describe("a command line prints nothing but files", () => {
  it.each([
    "awk 1 f",
    "jq -rR . f",
    "timeout 5 cat f",
    "timeout -k 2 5s cat f",
    "nice -n 5 cat f",
    "stdbuf -o0 cat f",
    "cat f | tee x",
    "perl -ne print f",
    "dd if=f",
    "strings f",
    "less f",
    "xargs -a f echo",
    "cat f | xargs -n 1 echo",
    "eval cat f",
    "env A=1 nice cat f",
    "cat a.txt",
    "cat 'a b.txt' \"c d\"",
    "head -20 a | tail -n 5",
    "cat a | grep -v x | sed -n '1,5p' | nl | wc -l",
    "cd /repo && cat a",
    "cd /repo; cat a; cat b",
    "cat a\ncat b\n",
    "LC_ALL=C grep x a",
    "A=1 B='2 3' cat a",
    "/bin/cat a",
    "\\cat a",
    'c"a"t a',
    "cat a 2>/dev/null",
    "cat a 2>&1 | head",
    "cat a &> b; cat b",
    "cat < a",
    "cat <<'EOF' > a\nnode x.js\ndate\nEOF\ncat a",
    "cat $(ls | head -1)",
    "cat `ls`",
    'cat "$HOME/x"',
    "cat a # node b",
    "echo '--- a' && cat a",
    "printf '%s' x; cat a",
    "for f in *.txt; do cat $f; done",
    "if test -f a; then cat a; fi",
    "! grep -q x a || cat a",
    "(cd x && cat a)",
    "{ cat a; cat b; }",
    "bash -lc 'cat a | head'",
    "sudo cat a",
    "env X=1 command cat a",
    "cat a &",
    "cat 'unclosed",
    "grep '|' a",
    'grep "a && node" b',
    "true && cat a || true",
    "cat <(sort a) <(sort b)",
  ])("%s", (line) => {
    expect(shell(line)).toBe(true);
  });

  it("as a program and its arguments", () => {
    expect(printsFiles(["cat", "a b"])).toBe(true);
    expect(printsFiles(["bash", "-lc", "head -3 a"])).toBe(true);
    expect(printsFiles(["node", "cat"])).toBe(false);
  });
});

describe("a command line may print something else", () => {
  it.each([
    "",
    "echo x",
    "cd x",
    "A=1",
    "node test.js",
    "cat a | node x.js",
    "cat a; date",
    "cat a && npm test",
    "cat a\nnpm test",
    "ls -l | head",
    "time cat a",
    "$CAT a",
    "$(echo date)",
    "echo $(date); cat a",
    'echo "$now"; cat a',
    "cat a & date",
    "for f in a b; do node $f; done",
    "if node x; then cat a; fi",
    "bash -c 'cat a; date'",
    "bash script.sh",
    "bash -c",
    "cat <(date)",
    "cat <<EOF\nx\nEOF\ndate",
    "case x in x) date;; esac",
  ])("%s", (line) => {
    expect(shell(line)).toBe(false);
  });

  it("and long or deep lines are read in proportion to their length", () => {
    expect(shell(`${"cat a | ".repeat(20_000)}cat`)).toBe(true);
    expect(shell(`cat ${"$(".repeat(50_000)}`)).toBe(true);
    expect(shell(`${"( ".repeat(50_000)}date`)).toBe(false);
    expect(shell(`cat a ${"<<E ".repeat(20_000)}\n`)).toBe(true);
  });
});
