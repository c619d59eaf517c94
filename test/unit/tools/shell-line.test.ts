// The parser of shell command lines: stages, quotes, redirections, substitutions and here-documents.
import { describe, expect, it } from "vitest";
import { parseShellLine, type Stage } from "../../../src/tools/shell-line.js";

function stages(line: string): Stage[] {
  return parseShellLine(line).pipelines.flatMap((pipeline) => pipeline.stages);
}

function only(line: string): Stage {
  const [stage, second] = stages(line);
  expect(second).toBeUndefined();
  return stage as Stage;
}

describe("a shell command line", () => {
  it.each([
    ["a b | c && d; e\nf & (g || h)", "a c d e f g h"],
    ["a |& b", "a b"],
    ["/usr/bin/Git.exe x", "git"],
    ["c\"a\"t 'x y' \\| z", "cat"],
    ["a # | b\nc", "a c"],
    ["a 2>&1 >b &>c", "a"],
    ["if a; then b; else c; fi", "a b c fi"],
    ["a <(b) x", "a b x"],
    ["echo $'it\\'s | x'; b", "echo b"],
    ["a <<E; b\nc\nE\nd", "a b d"],
    ["a <<'E F'\nc\nE F\nd", "a d"],
    ["a <<-E-1\nc\n\tE-1\nd", "a d"],
    ["a \\\n  b\\\r\n c; d", "a d"],
    ['a > "b c"; d', "a d"],
    ["sudo -u root timeout -k 2 5 env A=1 nice -n 5 a b", "a"],
    ["docker compose exec -T db a b", "a"],
    ["kubectl exec pod -- a b", "a"],
    ["A=1 B+=2 c", "c"],
    ["type C:\\a\\b.txt", "type"],
  ])("shell line: %j runs %s", (line, programs) => {
    expect(stages(line).map(({ program }) => program)).toEqual(programs.split(" "));
  });

  it("shell line: words have no quotes, and those that the shell replaces are marked", () => {
    expect(only('a \'b c\' d\\ e "f\\"g"')).toMatchObject({
      words: ["b c", "d e", 'f"g'],
      hasExpansion: false,
    });
    for (const line of ["a $b", 'a "$b"', "a `b`", "a *.c", "a {b,c}", "a [bc]"])
      expect(only(line).hasExpansion, line).toBe(true);
    for (const line of ["a '$b'", "a \\$b", "a '*'", 'a "*"'])
      expect(only(line).hasExpansion, line).toBe(false);
    for (const line of ["$a b", "`a` b", "{a,b}", "$(a)/b"])
      expect(only(line).isProgramExpanded, line).toBe(true);
    for (const line of ["a $b", "[ -f a ]", "[[ -f a ]]"])
      expect(only(line).isProgramExpanded, line).toBe(false);
  });

  it("shell line: substitutions are parsed, also in quotes, values and targets", () => {
    expect(only('a $(b "$(c)") "`d`"').inner).toEqual(['b "$(c)"', "d"]);
    expect(only("X=$(b c) a").sets).toEqual([{ name: "X", inner: ["b c"], text: "$()" }]);
    expect(only("a > $(b)").inner).toEqual(["b"]);
    expect(only("a <<< $(b)").inner).toEqual(["b"]);
    expect(only("a '$(b)'").inner).toEqual([]);
  });

  it("shell line: files that programs read and write are listed", () => {
    expect(only("a < b > c")).toMatchObject({ input: "b", target: "c" });
    expect(only("a 0<b 1>>c")).toMatchObject({ input: "b", target: "c", words: ["b"] });
    expect(only("a > 'b c' d")).toMatchObject({ target: "b c", words: ["d"] });
    expect(only("a &> b")).toMatchObject({ target: "b" });
    expect(only("a >&3")).toMatchObject({ target: "3" });
    expect(only("a 2> b 2>&1")).toMatchObject({ target: undefined, words: [] });
    expect(only("a > b > /dev/stdout")).toMatchObject({ target: undefined });
    expect(only("< b")).toMatchObject({ program: "cat", input: "b" });
    expect(stages("a | b; c").map(({ isPiped }) => isPiped)).toEqual([false, true, false]);
    expect(stages("(a) | b").map(({ isPiped }) => isPiped)).toEqual([false, true]);
  });

  it("shell line: the text of here-documents and here-strings is kept", () => {
    expect(only("a <<E\nx\ny\nE\n").document).toBe("x\ny\n");
    expect(only("a <<< 'x y'")).toMatchObject({ document: "x y", words: [] });
    expect(stages("a <<E <<F | b\nx\nE\ny\nF\n").map(({ document }) => document)).toEqual(["y\n", undefined]);
  });

  it.each(["a 'b", 'a "b', "a $(b", "a `b", "a $'b", "a <<E\nb"])("shell line: %j is incomplete", (line) => {
    expect(parseShellLine(line).isComplete).toBe(false);
  });

  it.each(["a 'b'", 'a "$(b)"', "a <<E\nb\nE", "a $'b\\''"])("shell line: %j is complete", (line) => {
    expect(parseShellLine(line).isComplete).toBe(true);
  });
});
