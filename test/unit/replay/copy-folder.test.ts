import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyFolder } from "../../../src/replay/fill-workspace.js";
import { tempFolder } from "../../../dev/folders.js";

describe("a copy of a folder", () => {
  it("copy of a folder: files, folders and links whose names are not UTF-8 are copied", () => {
    const [from, to] = [tempFolder(), tempFolder()];
    const odd = Buffer.from("caf\u00e9", "latin1");
    const inside = Buffer.concat([Buffer.from(`${from}/`), odd]);
    fs.mkdirSync(inside);
    fs.writeFileSync(Buffer.concat([inside, Buffer.from("/"), odd]), "x");
    fs.symlinkSync(odd, join(from, "link"));
    fs.mkdirSync(join(from, ".ctx"));
    fs.mkdirSync(join(from, "closed"));
    fs.writeFileSync(join(from, "closed/y"), "y");
    fs.chmodSync(join(from, "closed"), 0o555);
    expect(copyFolder(from, to, { except: to })).toEqual([]);
    expect(fs.readdirSync(to, "latin1").sort()).toEqual(["caf\u00e9", "closed", "link"]);
    const copied = Buffer.concat([Buffer.from(`${to}/`), odd, Buffer.from("/"), odd]);
    expect(fs.readFileSync(copied, "utf8")).toBe("x");
    expect(fs.readlinkSync(join(to, "link"), "latin1")).toBe("caf\u00e9");
    expect(fs.statSync(join(to, "closed")).mode & 0o777).toBe(0o555);
    // So that the folders can be removed by others than root, too.
    for (const folder of [from, to]) fs.chmodSync(join(folder, "closed"), 0o755);
  });

  it("copy of a folder: it does not start without room, however little a sparse file takes", () => {
    const [from, to] = [tempFolder(), tempFolder()];
    fs.writeFileSync(join(from, "a"), "a");
    fs.writeFileSync(join(from, "disk.img"), "");
    fs.truncateSync(join(from, "disk.img"), 2 << 20);
    expect(() => copyFolder(from, to, { except: to, room: 1 << 20 })).toThrow(
      /^a copy of \S+ would take 2097153 bytes, and half of what is free/,
    );
    expect(fs.readdirSync(to)).toEqual([]);
    expect(copyFolder(from, to, { except: to, room: 4 << 20 })).toEqual([]);
  });
});
