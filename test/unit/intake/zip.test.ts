// Archives of which nothing is believed.
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { crc32, plainCrc32, readZip, type ZipLimits } from "../../../src/intake/zip.js";
import { firstNames } from "../../../src/intake/zip-directory.js";
import { type Packed, zipOf } from "../../../dev/zip.js";

const one: Packed = { name: "a.txt", content: "apples and pears, apples and pears" };
const two: Packed = { name: "b/c.txt", content: "plums", method: 0 };

function textsIn(bytes: Buffer, limits?: ZipLimits): Record<string, string> {
  const zip = readZip(bytes, "log.eval", limits);
  return Object.fromEntries(
    zip.names.map((name) => {
      const read = zip.read(name);
      return [name, read instanceof Error ? `(${read.message})` : read.toString()];
    }),
  );
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CtxError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "taken";
}

const whole = { "a.txt": one.content, "b/c.txt": "plums" };

describe("an archive", () => {
  it("zip: entries are read, deflated or stored", () => {
    expect(textsIn(zipOf([one, two]))).toEqual(whole);
  });

  it("zip: an archive may be empty, or have a comment", () => {
    expect(textsIn(zipOf([]))).toEqual({});
    expect(textsIn(zipOf([one, two], { comment: "made by hand PK\u0005\u0006" }))).toEqual(whole);
  });

  it("zip: Zip64 entries and ends are read", () => {
    const large = [one, two].map((entry) => ({ ...entry, isLarge: true }));
    expect(textsIn(zipOf(large, { isLarge: true }))).toEqual(whole);
    expect(textsIn(zipOf(large))).toEqual(whole);
    expect(textsIn(zipOf([one, two], { isLarge: true }))).toEqual(whole);
  });

  it("zip: checksums agree with those of another implementation", () => {
    const crc = 0xcbf43926;
    expect([plainCrc32, crc32].map((of) => of(Buffer.from("123456789")))).toEqual([crc, crc]);
    const bytes = zipOf([{ name: "x", content: "123456789", says: { crc } }]);
    expect(textsIn(bytes)).toEqual({ x: "123456789" });
  });

  it("zip: the last of several entries with the same name counts", () => {
    const bytes = zipOf([one, { ...one, content: "newer" }]);
    expect(textsIn(bytes)).toEqual({ "a.txt": "newer" });
    expect(readZip(bytes, "x").duplicates).toBe(1);
  });

  it("zip: names that look like paths are only names", () => {
    const name = "../../etc/passwd";
    expect(textsIn(zipOf([{ name, content: "x" }]))).toEqual({ [name]: "x" });
    expect(textsIn(zipOf([{ name: "__proto__", content: "x" }]))).toHaveProperty("__proto__");
  });

  it("zip: an entry that does not exist is an error", () => {
    expect(readZip(zipOf([one]), "x").read("y")).toEqual(new Error("is not there"));
  });
});

describe("entries that differ from the directory", () => {
  it.each<[string, Packed, string]>([
    ["a wrong checksum", { ...one, says: { crc: 7 } }, "(does not match its checksum)"],
    ["a size that is too small", { ...one, says: { size: 3 } }, "(is longer than the archive says)"],
    ["a size that is too large", { ...one, says: { size: 300 } }, "(is not as long as the archive says)"],
    ["bytes that cannot be unpacked", { ...one, bytes: Buffer.from("nonsense") }, "(cannot be unpacked)"],
    ["a password", { ...one, says: { flags: 1 } }, "(is encrypted)"],
    ["another compression", { ...one, method: 14 }, "(is compressed in a way that is not known (14))"],
    [
      "a wrong size and no compression",
      { ...two, says: { size: 4 } },
      "(is not as long as the archive says)",
    ],
  ])("zip: an entry with %s is not read, and the others are", (_, entry, why) => {
    const bytes = zipOf([entry, { name: "z", content: "zucchini" }]);
    expect(textsIn(bytes)).toEqual({ [entry.name]: why, z: "zucchini" });
  });

  it("zip: a zstd entry is read only on a Node that supports zstd", () => {
    const frame = Buffer.from("28b52ffd20084100007b2261223a317d0a", "hex");
    const bytes = zipOf([{ name: "x", content: '{"a":1}\n', method: 93, bytes: frame }]);
    const canUnpack = "zstdDecompressSync" in zlib;
    const outcome = refusal(() => expect(textsIn(bytes)).toEqual({ x: '{"a":1}\n' }));
    expect(outcome).toMatch(canUnpack ? /^taken$/ : /^log-unreadable: .* zstd, which Node/);
  });
});

describe("directories that are wrong", () => {
  const damaged = "log-unreadable: log.eval is an archive whose directory is damaged";

  it.each<[string, Buffer]>([
    ["entries share their bytes", zipOf([one, { ...one, name: "again", says: { offset: 0 } }])],
    ["an entry lies outside", zipOf([{ ...one, says: { offset: 0xfffffff0 } }])],
    ["an entry is longer than the archive", zipOf([{ ...one, says: { packedSize: 100_000 } }])],
    ["an offset does not fit into a number", zipOf([{ ...one, isLarge: true, says: { offset: 2 ** 60 } }])],
    ["a size does not fit into a number", zipOf([{ ...one, isLarge: true, says: { packedSize: 2 ** 62 } }])],
    ["the directory claims more entries", zipOf([one], { says: { count: 3 } })],
    ["the directory claims fewer entries", zipOf([one, two], { says: { count: 1 } })],
    ["the directory begins elsewhere", zipOf([one], { says: { start: 1 } })],
    ["the directory is shorter", zipOf([one, two], { says: { size: 60 } })],
  ])("zip: an archive is refused if %s", (_, bytes) => {
    expect(refusal(() => textsIn(bytes))).toBe(damaged);
  });

  it("zip: an archive that claims too many entries is refused at once", () => {
    const bytes = zipOf([one], { isLarge: true, says: { count: 2 ** 40 } });
    expect(refusal(() => textsIn(bytes))).toBe(
      "too-large: log.eval is an archive of more than 1000000 entries",
    );
  });
});

describe("archives that unpack to far more than their size", () => {
  const zeros = Buffer.alloc(1 << 20);
  const bomb = { name: "bomb", content: zeros };

  it("zip: unpacking stops at the limit of one entry", () => {
    expect(refusal(() => textsIn(zipOf([bomb]), { one: 1 << 16 }))).toBe(
      "too-large: log.eval unpacks to more than the limit of 65536 bytes",
    );
  });

  it("zip: unpacking stops at the limit of all entries", () => {
    const bombs = [bomb, { ...bomb, name: "2" }, { ...bomb, name: "3" }];
    expect(refusal(() => textsIn(zipOf(bombs), { all: 5 << 19 }))).toMatch(/^too-large: log.eval unpacks/);
    expect(Object.keys(textsIn(zipOf(bombs)))).toHaveLength(3);
  });

  it("zip: the limit depends on the size of the archive", () => {
    const large = { name: "bomb", content: Buffer.alloc(2 ** 26 + 1) };
    expect(refusal(() => textsIn(zipOf([large])))).toBe(
      "too-large: log.eval unpacks to more than the limit of 67108864 bytes",
    );
  });

  it("zip: an entry larger than its declared size is not read", () => {
    const bytes = zipOf([{ ...bomb, says: { size: 10 } }]);
    expect(textsIn(bytes)).toEqual({ bomb: "(is longer than the archive says)" });
  });

  it("zip: an archive whose declared sizes are too large is refused before it is unpacked", () => {
    const bytes = zipOf([{ ...one, isLarge: true, says: { size: 2 ** 50 } }]);
    expect(refusal(() => textsIn(bytes))).toMatch(/^too-large: log.eval unpacks/);
  });
});

describe("truncated archives", () => {
  const bytes = zipOf([one, two, { name: "z", content: "zucchini" }]);

  it("zip: a truncated archive has the entries that are complete", () => {
    const zip = readZip(bytes.subarray(0, bytes.lastIndexOf("PK\u0003\u0004") + 20), "x");
    expect({ ...zip, read: undefined }).toMatchObject({ isCut: true, names: ["a.txt", "b/c.txt"] });
    expect(zip.read("b/c.txt").toString()).toBe("plums");
  });

  it("zip: a truncated or changed archive is read or refused, and nothing else", () => {
    const known = /^(?:taken|log-unreadable: .+|too-large: .+)$/;
    for (let end = 0; end < bytes.length; end++)
      expect(refusal(() => textsIn(bytes.subarray(0, end)))).toMatch(known);
    for (let at = 0; at < bytes.length; at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        expect(refusal(() => textsIn(changed))).toMatch(known);
      }
  });

  it("zip: firstNames returns the names of the first entries", () => {
    expect(firstNames(bytes)).toEqual(["a.txt", "b/c.txt", "z"]);
    expect(firstNames(bytes.subarray(0, 40))).toEqual(["a.txt"]);
    expect(firstNames(Buffer.from("text"))).toEqual([]);
    const streamed = zipOf([{ ...one, says: { flags: 8 } }, two]);
    expect(firstNames(streamed)).toEqual(["a.txt"]);
  });
});
