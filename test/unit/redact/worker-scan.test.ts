import { describe, expect, it } from "vitest";
import { hashSize, scanBackwards, states } from "../../../src/redact/worker-scan-loop.js";
import { sha256 } from "../../../src/base/digest.js";
import { Redactor } from "../../../src/redact/redactor.js";
import { createScanner } from "../../../src/redact/scanner.js";
import { githubToken } from "../../../dev/secrets.js";

/** Returns what a second thread says of these contents, when the first has come to `front`. */
function said(contents: readonly string[], { front = -1, own = "" } = {}): number[] {
  const lengths = contents.map((content) => Buffer.byteLength(content));
  const bytes = new SharedArrayBuffer(lengths.reduce((sum, length) => sum + length, 0));
  Buffer.from(contents.join("")).copy(Buffer.from(bytes));
  const task = {
    settings: {
      mode: "standard" as const,
      rules: own === "" ? [] : [{ id: "own", pattern: own }],
      allow: [],
    },
    bytes,
    ranges: new SharedArrayBuffer(contents.length * 8),
    states: new SharedArrayBuffer(contents.length),
    hashes: new SharedArrayBuffer(contents.length * hashSize),
    front: new SharedArrayBuffer(4),
  };
  let from = 0;
  new Uint32Array(task.ranges).set(
    lengths.flatMap((length) => {
      from += length;
      return [from - length, length];
    }),
  );
  new Int32Array(task.front)[0] = front;
  scanBackwards(task);
  const found = [...new Uint8Array(task.states)];
  for (const [at, state] of found.entries()) {
    const hash = Buffer.from(task.hashes).toString("hex", at * hashSize, (at + 1) * hashSize);
    const expected =
      state === states.clean ? sha256(Buffer.from(contents[at] as string)) : "00".repeat(hashSize);
    expect(hash).toBe(expected);
  }
  return found;
}

const { clean, unknown } = states;

describe("a second thread", () => {
  it("worker scan: contents without a secret are reported", () => {
    expect(said(["plain text", `a ${githubToken()} b`, "more of it", "über", "€uro \ud83d\ude00"])).toEqual([
      clean,
      unknown,
      clean,
      clean,
      clean,
    ]);
  });

  it("worker scan: contents with a secret are not reported, since numbering depends on the order of all", () => {
    expect(said(["a [REDACTED:x:4] b", "plain text"])).toEqual([unknown, clean]);
  });

  it("worker scan: contents that the main thread has reached are left to it", () => {
    expect(said(["plain text", "plain text", "plain text"], { front: 1 })).toEqual([unknown, unknown, clean]);
  });

  it("worker scan: the user's own rules apply", () => {
    expect(said(["ticket-1234", "ticket-none"], { own: "ticket-[0-9]{4}" })).toEqual([unknown, clean]);
  });
});

describe("what was said to be clean", () => {
  it("worker scan: contents reported as clean are searched for known secrets of the same run", () => {
    const redactor = new Redactor(createScanner({ mode: "standard" }));
    redactor.text("DB_PASSWORD=Tulp-Molen2023xy");
    const again = Buffer.from("so Tulp-Molen2023xy it is");
    expect(redactor.bytes(again, { isClean: true }).value.toString()).toBe(
      "so [REDACTED:named-secret:1] it is",
    );
    const other = Buffer.from("nothing here");
    expect(redactor.bytes(other, { isClean: true }).value).toBe(other);
  });
});
