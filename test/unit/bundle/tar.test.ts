// The tars that ctx writes, as GNU tar sees them.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { checksum, entrySize, paddingOf, tarEnd, tarHeader } from "../../../src/bundle/tar.js";
import { header } from "../../../dev/bundles.js";

/** Returns what GNU tar lists, and whether it was content. */
function listed(bytes: Buffer): { lines: string[]; status: number | null } {
  const { stdout, status } = spawnSync("tar", ["--numeric-owner", "--utc", "-tvf", "-"], { input: bytes });
  return { lines: stdout.toString().trimEnd().split("\n"), status };
}

const hex = "0123456789abcdef".repeat(4);

describe("a tar's header", () => {
  it("a tar header is that of POSIX, byte for byte", () => {
    expect(tarHeader({ name: hex, size: 4711, mode: 0o444 })).toEqual(header(hex, 4711, { mode: "0000444" }));
    expect(tarHeader({ name: "blobs/", size: 0, mode: 0o755, isFolder: true })).toEqual(
      header("blobs/", 0, { mode: "0000755", type: "5" }),
    );
  });

  it("GNU tar reads a tar header that ctx wrote", () => {
    const bytes = Buffer.concat([
      tarHeader({ name: "blobs/", size: 0, mode: 0o755, isFolder: true }),
      tarHeader({ name: hex, size: 3, mode: 0o444 }),
      Buffer.from("abc"),
      Buffer.alloc(paddingOf(3)),
      tarEnd,
    ]);
    const { lines, status } = listed(bytes);
    expect(status).toBe(0);
    expect(lines.map((line) => line.split(/ +/))).toEqual([
      ["drwxr-xr-x", "0/0", "0", "1970-01-01", "00:00", "blobs/"],
      ["-r--r--r--", "0/0", "3", "1970-01-01", "00:00", hex],
    ]);
  });

  it.each([
    ["the largest in octal", 8 * 2 ** 30 - 1],
    ["8 GiB", 8 * 2 ** 30],
    ["3 TB and a bit", 3e12 + 1],
    ["the largest that is exact", Number.MAX_SAFE_INTEGER],
  ])("a tar header encodes a size over 8 GiB as GNU tar does: %s", (_, size) => {
    const { lines } = listed(tarHeader({ name: hex, size, mode: 0o444 }));
    expect(lines[0]?.split(/ +/)[2]).toBe(String(size));
  });

  it("the checksum of a tar header counts its own field as blanks", () => {
    const block = tarHeader({ name: hex, size: 1, mode: 0o444 });
    expect(Number.parseInt(block.toString("latin1", 148, 154), 8)).toBe(checksum(block));
    block[0] = (block[0] as number) + 1;
    expect(Number.parseInt(block.toString("latin1", 148, 154), 8)).toBe(checksum(block) - 1);
  });

  it("the room of a tar entry is rounded up to whole blocks", () => {
    expect([0, 1, 511, 512, 513].map(paddingOf)).toEqual([0, 511, 1, 0, 511]);
    expect([0, 1, 512, 513].map(entrySize)).toEqual([512, 1024, 1024, 1536]);
  });
});
