// How a log is cut into lines, and how its beginning is read, whatever the sizes of its pieces.
import { constants } from "node:buffer";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { Coverage } from "../../../src/intake/coverage.js";
import { recordsOf } from "../../../src/intake/parse.js";
import {
  bomSize,
  gather,
  headSize,
  linesOf,
  maxLine,
  type LogSource,
  sourceOf,
  wholeOf,
} from "../../../src/intake/log-source.js";

const mebibyte = 1 << 20;

/** Hands out one piece after the other in the same memory, as reading a file does. */
function* inOnePlace(pieces: readonly (string | Buffer)[]): Generator<Buffer> {
  const place = Buffer.alloc(Math.max(1, ...pieces.map((piece) => Buffer.byteLength(piece))));
  for (const piece of pieces) {
    const bytes = Buffer.from(piece as string);
    place.fill("?");
    bytes.copy(place);
    yield place.subarray(0, bytes.length);
  }
}

function reusing(pieces: readonly (string | Buffer)[]): LogSource {
  return sourceOf(inOnePlace(pieces), { name: "log" });
}

/**
 * The same, but nothing was looked at before: the beginning of a log is one piece otherwise, if it is small.
 */
function unseen(pieces: readonly (string | Buffer)[]): LogSource {
  return { name: "log", head: Buffer.alloc(0), isWhole: false, pieces: () => inOnePlace(pieces) };
}

function linesIn(...pieces: (string | Buffer)[]): string[] {
  // A line is good until the next one.
  return Array.from(
    linesOf(unseen(pieces)),
    ({ number, bytes, isEnded }) => `${number}: ${bytes?.toString("utf8")}${isEnded ? "" : " (not ended)"}`,
  );
}

/** Returns what a call that must fail throws. */
function thrownBy(work: () => unknown): CtxError {
  try {
    work();
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("lines", () => {
  it("lines: a line may span several pieces of the log", () => {
    expect(linesIn("on", "e\ntw", "", "o", "\nthr", "ee\n")).toEqual(["1: one", "2: two", "3: three"]);
    expect(linesIn("one\n", "two\n")).toEqual(["1: one", "2: two"]);
    expect(linesIn("one", "\n", "two", "\n")).toEqual(["1: one", "2: two"]);
  });

  it("lines: lines are the same wherever the pieces end, even in the middle of a character", () => {
    const text = '\ufeff{"a":"é"}\r\n\n  \n{"b":"😀"}\nlast';
    const bytes = Buffer.from(text);
    const whole = linesIn(bytes);
    expect(whole).toEqual(['1: {"a":"é"}', '4: {"b":"😀"}', "5: last (not ended)"]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
        const ends = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = ends.slice(1).map((end, at) => bytes.subarray(ends[at], end));
        expect(linesIn(...pieces)).toEqual(whole);
      }),
    );
  });

  it("lines: a line loses the carriage return at its end, and no other", () => {
    expect(linesIn("a\r\nb\rc\r\n\r\n d \r\n")).toEqual(["1: a", "2: b\rc", "4: d"]);
    expect(linesIn("a\r", "\nb\r", "\n")).toEqual(["1: a", "2: b"]);
  });

  it("lines: the first line loses its BOM, and no other line does", () => {
    expect(linesIn("\ufeffa\n\ufeffb\n")).toEqual(["1: a", "2: \ufeffb"]);
    expect(linesIn("\ufeff\na\n")).toEqual(["2: a"]);
    expect(linesIn(Buffer.from([0xef]), Buffer.from([0xbb]), Buffer.from([0xbf, 0x61, 0x0a]))).toEqual([
      "1: a",
    ]);
    expect([
      bomSize(Buffer.from("\ufeffa")),
      bomSize(Buffer.from([0xef, 0xbb])),
      bomSize(Buffer.from("")),
    ]).toEqual([3, 0, 0]);
  });

  it("lines: empty and blank lines are left out, but are counted in line numbers", () => {
    expect(linesIn("\n\n \t\r\na\n\n", "\n", "b\n\n")).toEqual(["4: a", "7: b"]);
    expect(linesIn("")).toEqual([]);
    expect(linesIn()).toEqual([]);
    expect(linesIn("\n")).toEqual([]);
    expect(linesIn("  ")).toEqual([]);
  });

  it("lines: a last line without a line feed is marked as not ended", () => {
    expect(linesIn("a\nb")).toEqual(["1: a", "2: b (not ended)"]);
    expect(linesIn("a\nb", "c")).toEqual(["1: a", "2: bc (not ended)"]);
    expect(linesIn("a\nb\r")).toEqual(["1: a", "2: b (not ended)"]);
  });

  it("lines: NUL and Unicode line separators do not end a line", () => {
    expect(linesIn("a\0b\u2028c\u0085d\f\v\n")).toEqual(["1: a\0b\u2028c\u0085d\f\v"]);
  });
});

/** Returns a log with a line of that many mebibytes and a few bytes in the middle. */
function* withLongLine(mebibytes: number, ending: string): Generator<Buffer> {
  yield Buffer.from('{"at":1}\n{"at":2,"text":"');
  const piece = Buffer.alloc(mebibyte, "x");
  for (let at = 0; at < mebibytes; at++) yield piece;
  yield Buffer.from(ending);
}

/** Returns a record of just so many bytes. */
function recordOf(size: number): Buffer {
  const line = Buffer.alloc(size, " ");
  line.write('{"at":1', 0);
  line.write("}", size - 1);
  return line;
}

/** Returns what is read of a log whose first record has just so many bytes. */
function readAfter(size: number): { records: number; json: object } {
  const coverage = new Coverage();
  const pieces = [recordOf(size), Buffer.from('\n{"at":2}\n')];
  const records = [...recordsOf(sourceOf(pieces, { name: "log" }), coverage)].length;
  return { records, json: coverage.toJson([]) };
}

describe("lines that are too long", () => {
  it("lines: a line of 600 MB is damaged, and the records around it are read", () => {
    const coverage = new Coverage();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    function* watched(): Generator<Buffer> {
      for (const piece of withLongLine(600, '"}\n{"at":3}\r\n{"at":4}\n')) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        yield piece;
      }
    }
    const source = sourceOf(watched(), { name: "log" });
    const records = [...recordsOf(source, coverage)].map(({ line, value }) => [line, value["at"]]);
    expect(records).toEqual([
      [1, 1],
      [3, 3],
      [4, 4],
    ]);
    // No more of it than a record may have is ever held.
    expect(most).toBeLessThan(1.5 * maxLine);
    expect(coverage.notices()).toMatchInlineSnapshot(`
      [
        "line 2: a record of 629145618 bytes, over the limit of 134217728; it is left out",
      ]
    `);
    expect(coverage.toJson([])).toMatchObject({ records: 3, damaged: { count: 1, lines: [{ line: 2 }] } });
  });

  it("lines: a line that is too long is damaged at the end of the log, too", () => {
    const coverage = new Coverage();
    const source = sourceOf(withLongLine(130, ""), { name: "log" });
    expect([...recordsOf(source, coverage)].map(({ line }) => line)).toEqual([1]);
    expect(coverage.toJson([])).toMatchObject({ records: 1, damaged: { count: 1, lines: [{ line: 2 }] } });
  });

  it("lines: a line of exactly 128 MiB is read, one byte more is too long", () => {
    expect(readAfter(maxLine)).toEqual({ records: 2, json: { records: 2, captured: [] } });
    const { records, json } = readAfter(maxLine + 1);
    expect(records).toBe(1);
    expect(json).toMatchObject({ damaged: { count: 1, lines: [{ line: 1 }] } });
  });
});

describe("the beginning of a log", () => {
  it("log head: the head of a small log is all of it", () => {
    const source = reusing(["ab", "", "cd"]);
    expect([source.head.toString(), source.isWhole]).toEqual(["abcd", true]);
    expect(Buffer.concat([...source.pieces()].map((piece) => Buffer.from(piece))).toString()).toBe("abcd");
  });

  it("log head: the head of an empty log is empty", () => {
    const source = reusing([]);
    expect([source.head.length, source.isWhole]).toEqual([0, true]);
    expect([...linesOf(source)]).toEqual([]);
  });

  it("log head: the head of a large log is its beginning, and the rest is read once, after it", () => {
    let count = 0;
    function* pieces(): Generator<Buffer> {
      const piece = Buffer.alloc(1 << 16);
      for (; count < 40; count++) yield piece.fill(count);
    }
    const source = sourceOf(pieces(), { name: "log", path: "/p/log" });
    expect(source.head.length).toBe(headSize);
    expect(source.isWhole).toBe(false);
    expect(source.path).toBe("/p/log");
    expect(count).toBeLessThan(20);
    const all = gather(source, 1 << 30);
    expect(all.length).toBe(40 << 16);
    for (let at = 0; at < 40; at++) expect([all[at << 16], all[((at + 1) << 16) - 1]]).toEqual([at, at]);
  });

  it("log head: the head does not change when later pieces are read", () => {
    const source = reusing([Buffer.alloc(headSize, "a"), "b", "c"]);
    expect([...linesOf(source)].map(({ size }) => size)).toEqual([headSize + 2]);
    expect(source.head.equals(Buffer.alloc(headSize, "a"))).toBe(true);
  });

  it("log head: a log of exactly the size of a head is not known to be complete", () => {
    // Only a read at the end shows that nothing follows; until then more may come.
    const source = reusing([Buffer.alloc(headSize, "a")]);
    expect(source.isWhole).toBe(false);
    expect(gather(source, headSize).length).toBe(headSize);
  });
});

describe("logs that are read into memory", () => {
  it("whole log: pieces are joined, without a BOM", () => {
    expect(wholeOf(reusing(["\ufeff[1", ",2]", ""])).toString()).toBe("[1,2]");
    expect(gather(reusing(["\ufeff[1", ",2]"]), 100).toString()).toBe("\ufeff[1,2]");
    expect(wholeOf(reusing([])).length).toBe(0);
  });

  it("whole log: a log up to the limit is read, one beyond it is refused", () => {
    expect(gather(reusing(["abc", "de"]), 5).toString()).toBe("abcde");
    const error = thrownBy(() => gather(reusing(["abc", "de", "f"]), 5));
    expect(error.code).toBe("too-large");
    expect(`${error.message}; ${error.hint}`).toMatchInlineSnapshot(
      `"log is a single JSON document of more than 5 bytes; only logs with one record per line can be larger"`,
    );
  });

  it("whole log: a log that does not fit into one string is refused", () => {
    // Memory that is never written to costs nothing.
    const huge = Buffer.alloc(constants.MAX_STRING_LENGTH + 1);
    const source: LogSource = { name: "log", head: Buffer.alloc(0), isWhole: false, pieces: () => [huge] };
    expect(thrownBy(() => wholeOf(source)).code).toBe("too-large");
  });

  it("whole log: reading stops at the limit", () => {
    let yielded = 0;
    const piece = Buffer.alloc(mebibyte);
    function* endless(): Generator<Buffer> {
      for (;;) {
        yielded++;
        yield piece;
      }
    }
    expect(thrownBy(() => gather(sourceOf(endless(), { name: "log" }), 3 * mebibyte)).code).toBe("too-large");
    expect(yielded).toBe(4);
  });
});
