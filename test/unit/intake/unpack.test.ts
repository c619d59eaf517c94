// Logs that their agent has compressed with zstd. Newer versions of Node can read them, older ones say what
// to do.
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { gather, sourceOf } from "../../../src/intake/log-source.js";
import { unpacked } from "../../../src/intake/unpack.js";
import { describeWith, only } from "../../../dev/needs.js";

const compress = (zlib as { zstdCompressSync?: (bytes: Buffer) => Buffer }).zstdCompressSync;
const canUnpack = compress !== undefined;

/** `{"a":1}` and a line feed, as `zstd` compresses it. */
const small = Buffer.from("28b52ffd2408410000 7b2261223a317d0a fe2c1e5c".replaceAll(" ", ""), "hex");

function sourceFrom(...pieces: Buffer[]): ReturnType<typeof sourceOf> {
  return sourceOf(pieces, { name: "rollout.jsonl.zst", path: "/p/rollout.jsonl.zst" });
}

function packed(bytes: Buffer): Buffer {
  return (compress as NonNullable<typeof compress>)(bytes);
}

function refusal(bytes: Buffer): { code: string; message: string; hint: string | undefined } {
  try {
    unpacked(sourceFrom(bytes));
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
  throw new Error("it was unpacked");
}

describe("a log that is not compressed", () => {
  it.each([
    ["is empty", Buffer.alloc(0)],
    ["is shorter than the magic number of zstd", Buffer.from([0x28, 0xb5, 0x2f])],
    ["is JSON", Buffer.from('{"a":1}\n')],
    ["has the magic number of zstd later on", Buffer.concat([Buffer.from(" "), small])],
  ])("zstd: a log that %s is left as it is", (_, bytes) => {
    const source = sourceFrom(bytes);
    expect(unpacked(source)).toBe(source);
  });
});

describeWith(
  [only("a Node without zstd, such as 20", !canUnpack)],
  "a log in zstd, where Node cannot read that",
  () => {
    it("zstd: a compressed log is refused with a hint if Node cannot read it", () => {
      const { code, message, hint } = refusal(small);
      expect(code).toBe("log-unreadable");
      expect(message.replace(process.versions.node, "<version>")).toMatchInlineSnapshot(
        `"rollout.jsonl.zst is compressed with zstd, which Node <version> cannot read"`,
      );
      expect(hint).toMatchInlineSnapshot(
        `"unpack it with \`zstd -d\`, and pack the result; Node 22.15 and newer can read it directly"`,
      );
    });
  },
);

describeWith(
  [only("Node 22.15 or newer, which has zstd", canUnpack)],
  "a log in zstd, where Node can read that",
  () => {
    it("zstd: a compressed log is decompressed, and keeps its name and path", () => {
      const bytes = Buffer.from('{"a":1}\n'.repeat(200_000));
      const whole = packed(bytes);
      const source = unpacked(sourceFrom(whole.subarray(0, 5), whole.subarray(5)));
      expect([source.name, source.path]).toEqual(["rollout.jsonl.zst", "/p/rollout.jsonl.zst"]);
      expect(gather(source, 1 << 30).equals(bytes)).toBe(true);
      expect(refusal(packed(Buffer.alloc(0))).message).toContain("it is empty");
    });

    it("zstd: the head of a compressed log is as short as that of any other log", () => {
      const source = unpacked(sourceFrom(packed(Buffer.alloc(1 << 25, '{"a":1}\n'))));
      expect(source.head.length).toBeLessThan(1 << 22);
    });

    it("zstd: a log that decompresses to far more than its size is refused", () => {
      expect(refusal(packed(Buffer.alloc(2 ** 26 + 1))).message).toMatch(
        /^cannot unpack rollout\.jsonl\.zst: /,
      );
    });

    it("zstd: a compressed log that is damaged is refused", () => {
      const whole = packed(Buffer.from('{"a":1}\n'.repeat(1000)));
      const { code, message, hint } = refusal(Buffer.concat([whole.subarray(0, 6), Buffer.alloc(20, 0xff)]));
      expect(code).toBe("log-unreadable");
      expect(message).toMatch(/^cannot unpack rollout\.jsonl\.zst: \S/);
      expect(hint).toContain("zstd -d");
    });
  },
);

it("zstd: exactly one of the two suites above runs", () => {
  expect(canUnpack).toBe("zstdDecompressSync" in zlib);
});
