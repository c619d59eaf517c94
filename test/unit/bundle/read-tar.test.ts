// Tars from untrusted sources: what is read, and what is refused.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTar, type TarRules, wholeEntry } from "../../../src/bundle/read-tar.js";
import { paddingOf, tarEnd, tarHeader } from "../../../src/bundle/tar.js";
import { end, entry, header, type HeaderFields } from "../../../dev/bundles.js";
import { tempFolder } from "../../../dev/folders.js";

interface Read {
  name: string;
  isFolder: boolean;
  bytes: string;
}

function read(bytes: Buffer, rules: Partial<TarRules> = {}, pieceSize = bytes.length): Read[] {
  const all = { name: "it", ...rules };
  return [...entries(readTar(pieces(bytes, pieceSize), all), all)];
}

function* entries(found: ReturnType<typeof readTar>, rules: TarRules): Generator<Read> {
  for (const one of found)
    yield {
      name: one.name,
      isFolder: one.isFolder,
      bytes: wholeEntry(one, 1 << 24, rules).toString("latin1"),
    };
}

/** Yields pieces, each of which is overwritten when the next is requested, as those of a file are. */
function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Buffer.from(bytes.subarray(at, at + size));
    yield piece;
    piece.fill(0xaa);
  }
}

const abc = Buffer.from("abc");
const good = Buffer.concat([entry("a", abc), end]);

/** Returns a tar of one entry with something odd about its header, and its size not counted. */
function odd(fields: HeaderFields, name = "a"): Buffer {
  return Buffer.concat([header(name, 0, fields), end]);
}

function notes(text: string, type = "x"): Buffer {
  return Buffer.concat([entry("PaxHeaders/a", Buffer.from(text), { type }), entry("a", abc), end]);
}

/** Returns a note with its length in front. */
function note(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = [1, 2, 3]
    .map((digits) => rest.length + digits)
    .find((sum) => String(sum).length === sum - rest.length);
  return `${length}${rest}`;
}

function base256(first: number, value: bigint): Buffer {
  const field = Buffer.alloc(12);
  field[0] = first;
  field.writeBigUInt64BE(value, 4);
  return field;
}

describe("reading a tar", () => {
  it("reading a tar returns names, kinds and bytes", () => {
    const bytes = Buffer.concat([
      header("f/", 0, { type: "5" }),
      entry("f/a", abc),
      entry("b", Buffer.alloc(512, 1)),
      end,
    ]);
    expect(read(bytes)).toEqual([
      { name: "f/", isFolder: true, bytes: "" },
      { name: "f/a", isFolder: false, bytes: "abc" },
      { name: "b", isFolder: false, bytes: "\u0001".repeat(512) },
    ]);
  });

  it("reading a tar accepts the old file type, sizes padded with blanks, and zeros after the end", () => {
    expect(read(odd({ type: "\0", size: "        0 \0\0" }))).toHaveLength(1);
    expect(read(Buffer.concat([good, Buffer.alloc(8192)]))).toHaveLength(1);
  });

  it("reading a tar skips the unread rest of an entry", () => {
    const bytes = Buffer.concat([entry("a", Buffer.alloc(3000, 1)), entry("b", abc), end]);
    const names: string[] = [];
    for (const { name, pieces: content } of readTar(pieces(bytes, 700), { name: "it" })) {
      names.push(name);
      if (name === "a") for (const _ of content) break;
    }
    expect(names).toEqual(["a", "b"]);
  });

  it("reading a tar returns what was written, however the bytes arrive", () => {
    const files = fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[a-z0-9/.]{1,99}$/),
        bytes: fc.uint8Array({ maxLength: 1600 }),
      }),
      { selector: ({ name }) => name, maxLength: 6 },
    );
    fc.assert(
      fc.property(files, fc.integer({ min: 1, max: 2000 }), (entries, size) => {
        const bytes = Buffer.concat([
          ...entries.flatMap(({ name, bytes: content }) => [
            tarHeader({ name, size: content.length, mode: 0o444 }),
            content,
            Buffer.alloc(paddingOf(content.length)),
          ]),
          tarEnd,
        ]);
        const expected = entries.map(({ name, bytes: content }) => ({
          name,
          isFolder: false,
          bytes: Buffer.from(content).toString("latin1"),
        }));
        expect(read(bytes, { exactly: 0o444 }, size)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it.each(["ustar", "gnu", "posix"])("reading a tar accepts what GNU tar writes as %s", (format) => {
    const folder = tempFolder();
    fs.mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
    fs.writeFileSync(join(folder, "blobs/sha256", "a".repeat(64)), "abc");
    const { stdout } = spawnSync("tar", ["-c", `--format=${format}`, "."], { cwd: folder });
    expect(read(stdout)).toEqual([
      { name: "./", isFolder: true, bytes: "" },
      { name: "./blobs/", isFolder: true, bytes: "" },
      { name: "./blobs/sha256/", isFolder: true, bytes: "" },
      { name: `./blobs/sha256/${"a".repeat(64)}`, isFolder: false, bytes: "abc" },
    ]);
  });

  it("reading a tar skips extended headers about times and owners", () => {
    const text =
      note("mtime", "1.5") +
      note("uid", "7") +
      note("comment", "20 path=b\nx") +
      note("SCHILY.xattr.user.a", "b");
    expect(read(notes(text))).toMatchObject([{ name: "a", bytes: "abc" }]);
    expect(read(notes(text, "g"))).toMatchObject([{ name: "a", bytes: "abc" }]);
  });
});

describe("refusing a tar", () => {
  it.each([
    ["a hard link", { type: "1", link: "b" }],
    ["a symbolic link", { type: "2", link: "b" }],
    ["a character device", { type: "3" }],
    ["a block device", { type: "4" }],
    ["a FIFO", { type: "6" }],
    ["a contiguous file", { type: "7" }],
    ["a sparse file of GNU", { type: "S" }],
    ["a long name of GNU", { type: "L" }],
    ["a long link of GNU", { type: "K" }],
    ["a dumped folder of GNU", { type: "D" }],
    ["the notes of Solaris", { type: "X" }],
    ["an unknown kind", { type: "\u00ff" }],
  ])("a tar is refused because of %s", (_, fields) => {
    expect(() => read(odd(fields))).toThrow(/neither a file nor a folder/);
  });

  it.each([
    ["another sum", { sum: "0000000\0" }, /checksum of a header is wrong/],
    ["no sum", { sum: "\0\0\0\0\0\0\0\0" }, /checksum of a header is wrong/],
    ["no ustar", { magic: "\0\0\0\0\0" }, /ustar/],
    ["a name in two parts", { prefix: "x" }, /too long/],
    ["2^63 bytes", { size: base256(0x80, 2n ** 63n) }, /an invalid size/],
    ["8 EiB less one", { size: base256(0x80, 2n ** 63n - 1n) }, /an invalid size/],
    ["16 EiB less one", { size: base256(0x80, 2n ** 64n - 1n) }, /an invalid size/],
    ["more than is exact", { size: base256(0x80, 2n ** 53n) }, /an invalid size/],
    ["more than 64 bits", { size: Buffer.from("800000010000000000000001", "hex") }, /an invalid size/],
    ["less than nothing", { size: Buffer.alloc(12, 0xff) }, /an invalid size/],
    ["no size", { size: "            " }, /an invalid size/],
    ["a size that is no number", { size: "0000000000z\0" }, /an invalid size/],
    ["a size with a sign", { size: "-0000000001\0" }, /an invalid size/],
    ["a folder with a size", { type: "5", size: "00000000001\0" }, /has a size/],
  ])("a tar is refused with a reason because of %s", (_, fields, why) => {
    expect(() => read(odd(fields))).toThrow(why);
  });

  it("a tar is refused because it claims more bytes than there are", () => {
    for (const size of [base256(0x80, 2n ** 53n - 1n), "77777777777\0"])
      expect(() => [...readTar([odd({ size })], { name: "it" })]).toThrow(/is cut off in the middle/);
  });

  it.each([
    ["a name", note("path", "../b")],
    ["a size", note("size", "9999")],
    ["a link", note("linkpath", "/etc")],
    ["a sparse file", note("GNU.sparse.major", "1")],
    ["another size", note("SCHILY.realsize", "1")],
    ["a charset", note("hdrcharset", "BINARY")],
    ["an unknown field", note("mtimes", "1")],
    ["a name after another note", note("mtime", "1") + note("path", "b")],
    ["a name behind blanks", ` ${note("path", "b")}`],
    ["a name behind a tab", note("path", "b").replace(" ", "\t")],
    ["a wrong length", "99 mtime=1\n"],
    ["no length", "mtime=1\n"],
    ["a length of nothing", "0 mtime=1\n"],
    ["half a note", note("mtime", "1").slice(0, -1)],
  ])("a tar is refused because its extended header has %s", (_, text) => {
    for (const type of ["x", "g"]) expect(() => read(notes(text, type))).toThrow(/extended header/);
  });

  it("a tar is refused because its extended header is too long or hides a field", () => {
    expect(() => read(notes(note("comment", "x".repeat(66_000))))).toThrow(/too long/);
    const hidden = notes(note("mtime", "1"));
    hidden[1000] = 1;
    expect(() => read(hidden)).toThrow(/between two entries/);
  });

  it("a tar that is cut at any byte is refused", () => {
    const bytes = Buffer.concat([
      header("f/", 0, { type: "5" }),
      entry("a", abc),
      entry("b", Buffer.alloc(600, 1)),
      end,
    ]);
    expect(read(bytes)).toHaveLength(3);
    for (let length = 0; length < bytes.length; length++)
      expect(() => read(bytes.subarray(0, length)), `cut at ${length}`).toThrow(/is cut off in the middle/);
  });

  it("a tar is refused because of bytes after its end, between its end blocks, or in its padding", () => {
    expect(() => read(Buffer.concat([good, abc]))).toThrow(/after its end/);
    expect(() => read(Buffer.concat([good, Buffer.alloc(700), abc]))).toThrow(/after its end/);
    expect(() => read(Buffer.concat([good, good]))).toThrow(/after its end/);
    expect(() => read(Buffer.concat([good, Buffer.alloc((1 << 20) + 1)]))).toThrow(/after its end/);
    expect(() => read(Buffer.concat([entry("a", abc), Buffer.alloc(512), entry("b", abc), end]))).toThrow(
      /in the middle/,
    );
    const padded = Buffer.from(good);
    padded[512 + 3] = 1;
    expect(() => read(padded)).toThrow(/between two entries/);
  });

  it("a tar with any one bit of a header flipped is refused", () => {
    for (let at = 0; at < 512; at++) {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] as number) ^ 1;
      expect(() => read(bytes), `byte ${at}`).toThrow(/not a valid tar/);
    }
  });

  it("the refusal of a tar is a CtxError that names what was read", () => {
    expect(() => read(Buffer.alloc(0))).toThrow(
      expect.objectContaining({
        code: "bundle-invalid",
        message: "it is not a valid tar: it is cut off in the middle",
      }),
    );
  });
});

function exact(bytes: Buffer): Read[] {
  return read(bytes, { exactly: 0o444 });
}

describe("a tar of blobs", () => {
  const plain = { mode: "0000444" };

  it("a tar of blobs has only headers as ctx writes them", () => {
    expect(exact(Buffer.concat([entry("a", abc, plain), end]))).toHaveLength(1);
    const others: HeaderFields[] = [
      { mode: "0000644" },
      { ...plain, type: "\0" },
      { ...plain, type: "5" },
      { ...plain, type: "2", link: "b" },
      { ...plain, link: "b" },
      { ...plain, magic: "ustar  \0" },
      { ...plain, prefix: "b" },
      { ...plain, size: "          0\0" },
      { ...plain, size: base256(0x80, 0n) },
      { ...plain, type: "x" },
    ];
    for (const fields of others)
      expect(() => exact(odd(fields)), JSON.stringify(fields)).toThrow(/is malformed/);
  });

  it("a tar of blobs has no byte after its end", () => {
    expect(() => exact(Buffer.concat([entry("a", abc, plain), end, Buffer.alloc(1)]))).toThrow(
      /after its end/,
    );
  });
});
