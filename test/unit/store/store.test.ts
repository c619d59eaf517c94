import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CtxError, type ErrorCode } from "../../../src/base/errors.js";
import { init } from "../../../src/ops/init.js";
import { pack } from "../../../src/ops/pack.js";
import { Store } from "../../../src/store/store.js";
import { snapshot, tempFolder, tempStore } from "../../../dev/folders.js";
import { json, smallLog } from "../../../dev/logs.js";
import { itWith, root } from "../../../dev/needs.js";

function codeOf(work: () => unknown): ErrorCode | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof CtxError) return error.code;
    throw error;
  }
  return undefined;
}

describe("init", () => {
  it("init makes a complete store, and changes nothing the second time", () => {
    const folder = tempFolder();
    expect(init(folder)).toMatchObject({ store: join(folder, ".ctx"), created: true });
    const before = snapshot(folder);
    expect([...before.keys()].map((path) => path.slice(folder.length + 6)).sort()).toEqual(
      [
        "",
        ".gitattributes",
        ".gitignore",
        "config.json",
        "locks",
        "objects",
        "packs",
        "refs",
        "refs/tags",
        "tmp",
      ].sort(),
    );
    expect(fs.readFileSync(join(folder, ".ctx/.gitignore"), "utf8")).toBe("*\n");
    const team = tempFolder();
    init(team, { shared: true });
    expect(fs.readFileSync(join(team, ".ctx/.gitignore"), "utf8")).toBe(
      "tmp/\nlocks/\ncache/\ndrafts/\nrefs/latest\nrecordings/\nheads/self\n",
    );
    expect(fs.readFileSync(join(folder, ".ctx/.gitattributes"), "utf8")).toBe(
      "* -text !eol -ident -filter !working-tree-encoding -diff -merge -export-subst\n",
    );
    expect(init(folder)).toMatchObject({ store: join(folder, ".ctx"), created: false });
    expect(snapshot(folder)).toEqual(before);
  });

  it("init makes the folder, completes an unfinished store, and leaves another program's .ctx alone", () => {
    const folder = tempFolder();
    expect(init(join(folder, "new/deep")).created).toBe(true);
    fs.mkdirSync(join(folder, "half/.ctx/objects"), { recursive: true });
    expect(codeOf(() => Store.find(join(folder, "half")))).toBe("store-unusable");
    expect(init(join(folder, "half")).created).toBe(true);
    expect(Store.find(join(folder, "half")).folder).toBe(join(folder, "half"));
    fs.mkdirSync(join(folder, "other/.ctx"), { recursive: true });
    fs.writeFileSync(join(folder, "other/.ctx/settings.toml"), "");
    expect(codeOf(() => init(join(folder, "other")))).toBe("store-unusable");
  });

  it("init refuses a folder that every user can write to", () => {
    const folder = tempFolder();
    fs.chmodSync(folder, 0o1777);
    expect(codeOf(() => init(folder))).toBe("store-unusable");
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});

describe("finding a store", () => {
  it("finding a store goes upwards, and skips folders that are no store", () => {
    const { folder } = tempStore();
    fs.mkdirSync(join(folder, "a/b/.ctx"), { recursive: true });
    expect(Store.find(join(folder, "a/b")).folder).toBe(folder);
    expect(Store.find(folder).foreign).toBe(false);
  });

  it("finding a store skips one in a folder that every user can write to", () => {
    const { folder } = tempStore();
    fs.mkdirSync(join(folder, "mine"));
    fs.chmodSync(folder, 0o777);
    expect(() => Store.find(join(folder, "mine"))).toThrow(/ignored because every user can write/);
  });

  it("finding a store fails when there is none, when it is a link, or has another version", () => {
    const folder = tempFolder();
    expect(codeOf(() => Store.find(folder))).toBe("no-store");
    expect(codeOf(() => Store.find(join(folder, "gone")))).toBe("io");
    const { root } = tempStore();
    fs.symlinkSync(root, join(folder, ".ctx"));
    expect(codeOf(() => Store.find(folder))).toBe("store-unusable");
    fs.writeFileSync(join(root, "config.json"), '{"version":"9.9"}');
    expect(codeOf(() => Store.find(dirname(root)))).toBe("unknown-version");
    for (const bad of ["[]", "", "{", '{"version":"0.1","version":"0.1"}', "null"]) {
      fs.writeFileSync(join(root, "config.json"), bad);
      expect(codeOf(() => Store.find(dirname(root)))).toBe("store-unusable");
    }
    fs.writeFileSync(join(root, "config.json"), "{}");
    expect(codeOf(() => Store.find(dirname(root)))).toBe("unknown-version");
  });

  it.each(["objects", "packs", "refs", "refs/tags", "drafts", "tmp", "locks"])(
    "a store whose %s is a link is refused",
    (name) => {
      const { root, folder } = tempStore();
      fs.mkdirSync(join(root, name), { recursive: true });
      fs.renameSync(join(root, name), join(folder, "elsewhere"));
      fs.symlinkSync(join(folder, "elsewhere"), join(root, name));
      expect(codeOf(() => Store.find(folder))).toBe("store-unusable");
    },
  );

  itWith([root], "a store of another owner is used, and marked as foreign", () => {
    const { root, folder } = tempStore();
    fs.chownSync(root, 12345, 12345);
    expect(Store.find(folder).foreign).toBe(true);
  });
});

describe("writing", () => {
  it("writing makes folders again that git dropped", () => {
    const store = tempStore();
    for (const name of ["objects", "packs", "refs/tags", "refs", "tmp", "locks"])
      fs.rmdirSync(join(store.root, name));
    const found = Store.find(store.folder);
    expect(pack(found, { bytes: json(smallLog()), folder: "/" }).new).toBe(true);
  });

  it("writing refuses a link in place of a two-digit folder", () => {
    const store = tempStore();
    const outside = tempFolder();
    for (let shelf = 0; shelf < 256; shelf++)
      fs.symlinkSync(outside, join(store.root, "objects", shelf.toString(16).padStart(2, "0")));
    expect(codeOf(() => pack(store, { bytes: json(smallLog()), folder: "/" }))).toBe("store-unusable");
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  it("writing leaves objects and packs read-only, and nothing in tmp/ or locks/", () => {
    const store = tempStore();
    pack(store, { bytes: json(smallLog()), folder: "/" });
    for (const [path, entry] of snapshot(store.root))
      if (/\/(objects\/..|packs)\/[0-9a-f]+$/.test(path)) expect(entry).toMatch(/^100400 /);
    expect(fs.readdirSync(join(store.root, "tmp"))).toEqual([]);
    expect(fs.readdirSync(join(store.root, "locks"))).toEqual([]);
  });
});
