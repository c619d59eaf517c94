import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createFile, linkIfFree, replaceFile, sweepLeftovers } from "../../../../src/base/fs/atomic.js";
import { openNew } from "../../../../src/base/fs/owner-mode.js";
import { ownId } from "../../../../src/base/owner-id.js";
import { tempFolder } from "../../../../dev/folders.js";

const plain = { durable: true, mode: 0o644 };

function scene(text = "old"): { folder: string; file: string } {
  const folder = tempFolder();
  fs.writeFileSync(join(folder, "file"), text);
  return { folder, file: join(folder, "file") };
}

/** Returns the name of a temporary file; by default of a process that has ended. */
function temporary(id = deadId()): string {
  return `.ctx-${id}.tmp`;
}

function deadId(): string {
  const [place, , ...rest] = ownId().split(".");
  return [place, 4194305, ...rest].join(".");
}

describe("replaceFile", () => {
  it("replaceFile replaces the whole content, and leaves nothing else behind", () => {
    const { folder, file } = scene("a longer text than the new one");
    replaceFile(file, Buffer.from("new"), plain);
    expect(fs.readFileSync(file, "utf8")).toBe("new");
    expect(fs.readdirSync(folder)).toEqual(["file"]);
  });

  it("replaceFile writes content that comes in pieces", () => {
    const { file } = scene();
    replaceFile(file, (take) => ["a", "b", "c"].forEach((text) => take(Buffer.from(text))), plain);
    expect(fs.readFileSync(file, "utf8")).toBe("abc");
  });

  it("replaceFile leaves the old content, and nothing else, when the new content fails half-way", () => {
    const { folder, file } = scene();
    const write = (): void =>
      replaceFile(
        file,
        (take) => {
          take(Buffer.from("ne"));
          throw new Error("no more");
        },
        plain,
      );
    expect(write).toThrow("no more");
    expect(fs.readdirSync(folder)).toEqual(["file"]);
    expect(fs.readFileSync(file, "utf8")).toBe("old");
  });

  it("replaceFile leaves the old content, and nothing else, when its caller does not confirm", () => {
    const { folder, file } = scene();
    const write = (): void =>
      replaceFile(file, Buffer.from("new"), {
        ...plain,
        confirm() {
          throw new Error("changed meanwhile");
        },
      });
    expect(write).toThrow("changed meanwhile");
    expect(fs.readdirSync(folder)).toEqual(["file"]);
    expect(fs.readFileSync(file, "utf8")).toBe("old");
  });

  it("replaceFile replaces a link, and leaves the file behind it alone", () => {
    const { folder, file } = scene();
    fs.symlinkSync("file", join(folder, "link"));
    replaceFile(join(folder, "link"), Buffer.from("new"), plain);
    expect(fs.readFileSync(file, "utf8")).toBe("old");
    expect(fs.lstatSync(join(folder, "link")).isFile()).toBe(true);
  });

  it("replaceFile finds the folder of a path with .. behind a link as the system does", () => {
    const { folder } = scene();
    fs.mkdirSync(join(folder, "a/b"), { recursive: true });
    fs.symlinkSync("a/b", join(folder, "link"));
    replaceFile(`${folder}/link/../new`, Buffer.from("new"), plain);
    expect(fs.readdirSync(join(folder, "a"))).toEqual(["b", "new"]);
    expect(fs.readdirSync(folder)).toEqual(["a", "file", "link"]);
  });

  it("replaceFile sets an exact mode whatever the umask, and a usual one by the umask", () => {
    const { file } = scene();
    const before = process.umask(0o077);
    try {
      replaceFile(file, Buffer.from("new"), { durable: false, mode: { mode: 0o100755 } });
      expect(fs.statSync(file).mode & 0o777).toBe(0o755);
      replaceFile(file, Buffer.from("new"), { durable: false, mode: 0o644 });
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it("replaceFile names the path that it was called with in messages, or the one to be shown", () => {
    const folder = tempFolder();
    const write = (shown?: string): void =>
      replaceFile(join(folder, "none/file"), Buffer.from("x"), {
        ...plain,
        ...(shown === undefined ? {} : { shown }),
      });
    expect(() => write()).toThrow(`cannot write ${folder}/none/file: `);
    expect(() => write("settings")).toThrow("cannot write settings: ");
  });
});

describe("createFile", () => {
  it("createFile creates a file, and leaves an existing one unchanged", () => {
    const { folder, file } = scene();
    expect(createFile(file, Buffer.from("new"), plain)).toBe(false);
    expect(createFile(join(folder, "other"), Buffer.from("new"), plain)).toBe(true);
    expect([fs.readFileSync(file, "utf8"), fs.readFileSync(join(folder, "other"), "utf8")]).toEqual([
      "old",
      "new",
    ]);
    expect(fs.readdirSync(folder)).toEqual(["file", "other"]);
  });

  it("linkIfFree replaces nothing, not even a dangling link", () => {
    const { folder, file } = scene();
    fs.symlinkSync("nowhere", join(folder, "link"));
    expect(linkIfFree(file, join(folder, "link"))).toBe(false);
    expect(fs.readlinkSync(join(folder, "link"))).toBe("nowhere");
  });
});

describe("the temporary file of an atomic write", () => {
  it("openNew opens no file that exists, nor one behind a link", () => {
    const { folder, file } = scene();
    fs.symlinkSync("file", join(folder, "link"));
    for (const path of [file, join(folder, "link")])
      expect(() => openNew(path, 0o600)).toThrow(expect.objectContaining({ code: "EEXIST" }));
    expect(fs.readFileSync(file, "utf8")).toBe("old");
  });
});

describe("sweepLeftovers", () => {
  it("sweepLeftovers removes files of processes that have ended, and no other file", () => {
    const { folder } = scene();
    const elsewhere = temporary("elsewhere-0-1.12.34.abcdef012345");
    const others = ["file", temporary(ownId()), elsewhere, ".ctx-.tmp", ".ctx-notes.tmp", `x${temporary()}`];
    const dead = temporary();
    for (const name of [...others, dead]) fs.writeFileSync(join(folder, name), "");
    sweepLeftovers(folder);
    expect(new Set(fs.readdirSync(folder))).toEqual(new Set(others));
  });

  it("sweepLeftovers removes files of other machines, and of the time before a reboot, after a day", () => {
    const { folder } = scene();
    const [recent, old] = ["aa", "bb"].map((random) => temporary(`elsewhere-0-1.12.34.${random}`));
    for (const [name, hours] of [
      [recent, 23],
      [old, 25],
      [".ctx-notes.tmp", 25],
    ] as const) {
      fs.writeFileSync(join(folder, name as string), "");
      const time = Date.now() / 1000 - hours * 3600;
      fs.utimesSync(join(folder, name as string), time, time);
    }
    sweepLeftovers(folder);
    expect(new Set(fs.readdirSync(folder))).toEqual(new Set([recent, ".ctx-notes.tmp", "file"]));
  });

  it("sweepLeftovers measures the age of a file by the file system's clock, and leaves no file of its own", () => {
    const { folder } = scene();
    const recent = temporary("elsewhere-0-1.12.34.aa");
    fs.writeFileSync(join(folder, recent), "");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 48 * 3600_000 });
    try {
      sweepLeftovers(folder);
    } finally {
      vi.useRealTimers();
    }
    expect(new Set(fs.readdirSync(folder))).toEqual(new Set([recent, "file"]));
  });

  it("replaceFile and createFile remove leftovers in their folder", () => {
    const { folder, file } = scene();
    for (const write of [replaceFile, createFile]) {
      fs.writeFileSync(join(folder, temporary()), "");
      write(file, Buffer.from("new"), plain);
      expect(fs.readdirSync(folder)).toEqual(["file"]);
    }
  });

  it("sweepLeftovers does nothing for a folder that does not exist", () => {
    expect(() => sweepLeftovers(join(tempFolder(), "none"))).not.toThrow();
  });
});
