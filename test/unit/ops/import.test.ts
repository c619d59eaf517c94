// Bundles are imported whole, or not at all: whatever is wrong with one, the store stays as it was.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CtxError } from "../../../src/base/errors.js";
import type { ImportResult } from "../../../src/results/share.js";
import { importPacks } from "../../../src/ops/import.js";
import { listPacks } from "../../../src/store/packs.js";
import type { Store } from "../../../src/store/store.js";
import {
  type AnyDescriptor,
  type AnyOci,
  blobTar,
  end,
  type Entry,
  entry,
  exported,
  hashOf,
  packed,
  tar,
  Unpacked,
} from "../../../dev/bundles.js";
import { snapshot, tempStore } from "../../../dev/folders.js";
import { json, runLog, smallLog } from "../../../dev/logs.js";

const large = "large ".repeat(12_000);
const log = runLog({
  inputs: [
    { name: "notes.txt", content: "one\ntwo\n" },
    { name: "large.txt", content: large },
  ],
});

/** A pack with a large blob and a few small ones, and its file. */
let pack: string;
let file: Buffer;
/** A store to take it in, with another pack in it. */
let store: Store;
let before: Map<string, string>;

beforeAll(() => {
  const from = tempStore();
  pack = packed(from, log);
  file = exported(from, [pack]);
  store = tempStore();
  packed(store, smallLog());
  before = snapshot(store.root);
});

function take(to: Store, bytes: Buffer): ImportResult {
  return importPacks(to, "-", { name: "run.ctx", input: () => [bytes] });
}

/** Imports a bundle that must be refused, and returns the reason. */
function refusal(bytes: Buffer | Unpacked, code = "bundle-invalid"): string {
  let error: unknown;
  try {
    take(store, Buffer.isBuffer(bytes) ? bytes : bytes.bytes());
  } catch (thrown) {
    error = thrown;
  }
  expect(snapshot(store.root)).toEqual(before);
  expect(error).toMatchObject({ name: "CtxError", code });
  return (error as CtxError).message;
}

/** Returns all of a store, by names that begin in it. */
function plain({ root }: Store): string[] {
  return [...snapshot(root)].map(([path, content]) => `${path.slice(root.length)} ${content}`).sort();
}

function thoughts(contents: string[]): object[] {
  return contents.map((output) => ({ type: "reasoning", output }));
}

/** With CTX_FAULTS=all at every byte, which takes longer; reading tars is cut at every byte in any case. */
function isCut(at: number): boolean {
  return process.env["CTX_FAULTS"] === "all" || at < 600 || at % 512 < 3 || at % 97 === 0;
}

function blob(content: string): Buffer {
  return entry(hashOf(content), Buffer.from(content), { mode: "0000444" });
}

function changed(change: (unpacked: Unpacked) => void): Unpacked {
  const unpacked = new Unpacked(file);
  change(unpacked);
  return unpacked;
}

function changedOci(change: (oci: AnyOci) => void): Unpacked {
  return changed((unpacked) => unpacked.changeOci(change));
}

/** Replaces the tar of small blobs, honestly named. */
function changedTar(change: (bytes: Buffer) => Buffer): Unpacked {
  return changed((unpacked) => unpacked.changeLayer(1, change));
}

function layer(oci: AnyOci, at: number): AnyDescriptor {
  return oci.layers[at] as AnyDescriptor;
}

describe("a file of packs", () => {
  it("import: every pack of a bundle is imported and reported as new", () => {
    const to = tempStore();
    const result = take(to, file);
    expect(result).toEqual({
      from: "run.ctx",
      packs: [
        {
          hash: `sha256:${pack}`,
          uri: `ctx://${pack}`,
          new: true,
          created: "2026-02-10T12:00:00Z",
          model: "test-model",
          steps: 2,
          title: "Count the lines of notes.txt.",
          bytes_new: expect.any(Number) as number,
          bytes_shared: 0,
        },
      ],
      absent: [],
      notices: [],
    });
    expect(exported(to, [pack]).equals(file)).toBe(true);
    expect(fs.readFileSync(join(to.root, "refs/latest"), "utf8")).toBe(`sha256:${pack}\n`);
    for (const folder of ["tmp", "locks"]) expect(fs.readdirSync(join(to.root, folder))).toEqual([]);
  });

  it("import: the resulting store is that of packing the log, to the byte", () => {
    const [one, other] = [tempStore(), tempStore()];
    take(one, file);
    packed(other, log);
    expect(plain(one)).toEqual(plain(other));
  });

  it("import: a second import of a bundle changes nothing", () => {
    const to = tempStore();
    take(to, file);
    const then = snapshot(to.root);
    expect(take(to, file).packs).toMatchObject([{ new: false, bytes_new: 0 }]);
    expect(snapshot(to.root)).toEqual(then);
  });

  it("import: the entries of a bundle may be in any order", () => {
    const orders: ((entries: Entry[]) => Entry[])[] = [
      (entries) => entries.toReversed(),
      (entries) => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      (entries) => entries.toSorted((a, b) => (hashOf(a.name) < hashOf(b.name) ? -1 : 1)),
      (entries) => [...entries.slice(3), ...entries.slice(0, 3)],
    ];
    for (const order of orders) {
      const to = tempStore();
      take(to, tar(order(new Unpacked(file).entries)));
      expect(exported(to, [pack]).equals(file)).toBe(true);
      expect(fs.readdirSync(join(to.root, "tmp"))).toEqual([]);
    }
  });

  it("import: names may begin with ./ and folders need no entries", () => {
    const to = tempStore();
    const files = new Unpacked(file).entries.filter(({ name }) => !name.endsWith("/"));
    take(to, tar(files.map(({ name, bytes }) => ({ name: `./${name}`, bytes }))));
    expect(listPacks(to.root)).toEqual([pack]);
  });

  it("import: a bundle may hold empty blobs and a blob that is a config", () => {
    const from = tempStore();
    const [empty, config] = [smallLog({ system_prompt: "" }), smallLog({ system_prompt: "{}" })].map((one) =>
      packed(from, one),
    );
    for (const hex of [empty, config]) {
      const to = tempStore();
      const bytes = exported(from, [hex ?? ""]);
      take(to, bytes);
      take(to, tar(new Unpacked(bytes).entries.toReversed()));
      expect(exported(to, [hex ?? ""]).equals(bytes)).toBe(true);
    }
  });

  it("import: a bundle may arrive in pieces of any size", () => {
    for (const size of [1, 511, 513]) {
      const to = tempStore();
      const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, at) =>
        file.subarray(at * size, (at + 1) * size),
      );
      if (size === 1) pieces.splice(20_000, Infinity, file.subarray(20_000));
      importPacks(to, "-", { input: () => pieces });
      expect(listPacks(to.root)).toEqual([pack]);
    }
  });

  it("import: a damaged object is repaired and reported", () => {
    const to = tempStore();
    take(to, file);
    const objects = [hashOf(large), hashOf("2\n"), pack].map((hex) => ({
      hex,
      path: join(to.root, "objects", hex.slice(0, 2), hex.slice(2)),
    }));
    for (const { path } of objects) {
      fs.chmodSync(path, 0o644);
      fs.writeFileSync(path, "something else");
    }
    expect(take(to, file).packs[0]?.repaired?.toSorted()).toEqual(
      objects.map(({ hex }) => `sha256:${hex}`).sort(),
    );
    expect(exported(to, [pack]).equals(file)).toBe(true);
    fs.rmSync(objects[0]?.path ?? "");
    expect(take(to, file).packs).toMatchObject([{ new: false, repaired: [`sha256:${hashOf(large)}`] }]);
  });

  it("import: repairs are reported with the pack they belong to", () => {
    const from = tempStore();
    const logs = [smallLog(), smallLog({ prompts: [{ role: "user", content: "Go." }] })];
    const [one, other] = logs.map((given) => packed(from, given)) as [string, string];
    const to = tempStore();
    packed(to, logs[1] ?? {});
    const path = join(to.root, "objects", hashOf("Go.").slice(0, 2), hashOf("Go.").slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "Stop.");
    const { packs } = take(to, exported(from, [one, other]));
    expect(packs.find(({ uri }) => uri.endsWith(one))).not.toHaveProperty("repaired");
    expect(packs.find(({ uri }) => uri.endsWith(other))?.repaired).toEqual([`sha256:${hashOf("Go.")}`]);
  });

  it("import: a bundle may have any number of packs", () => {
    const from = tempStore();
    const parent = packed(from, smallLog());
    const child = packed(from, runLog({ parent: `sha256:${parent}` }));
    const other = packed(from, smallLog({ created: "2026-02-12T12:00:00Z" }));
    const bytes = exported(from, [], { all: true });
    const to = tempStore();
    const { packs, absent } = take(to, bytes);
    expect(absent).toEqual([]);
    expect(packs.map(({ hash }) => hash.slice(7)).toSorted()).toEqual([parent, child, other].sort());
    expect(fs.readFileSync(join(to.root, "refs/latest"), "utf8")).toBe(`sha256:${other}\n`);
    expect(exported(to, [], { all: true }).equals(bytes)).toBe(true);
    // All, or none.
    const cut = new Unpacked(bytes);
    cut.remove(cut.blob(parent));
    expect(refusal(cut)).toMatch(/the blob [0-9a-f]{64} is missing/);
  });

  it("import: a pack is committed before its forks and after its sub-agents", () => {
    const from = tempStore();
    const line = [packed(from, smallLog())];
    for (let at = 1; at < 9; at++) {
      const last = `sha256:${line.at(-1)}`;
      const steps = [{ type: "tool_call", tool: "Task", output: "None.", pack: last }];
      line.push(packed(from, smallLog(at % 2 === 0 ? { parent: last } : { steps })));
    }
    const { packs } = take(tempStore(), exported(from, [], { all: true }));
    expect(packs.map(({ hash }) => hash.slice(7))).toEqual(line);
  });

  it("import: missing parents and sub-agents are reported", () => {
    const from = tempStore();
    const parent = packed(from, smallLog());
    const agent = packed(from, smallLog({ created: "2026-02-09T12:00:00Z" }));
    const steps = [{ type: "tool_call", tool: "Task", output: "None.", pack: `sha256:${agent}` }];
    const child = packed(from, runLog({ parent: `sha256:${parent}`, steps }));
    const [to, other] = [tempStore(), tempStore()];
    expect(take(to, exported(from, [child])).absent).toEqual([
      { hash: `sha256:${parent}`, why: "parent", of: `sha256:${child}` },
    ]);
    // Packs of sub-agents are included; missing ones are reported.
    expect(listPacks(to.root).sort()).toEqual([agent, child].sort());
    expect(listPacks(to.root)).not.toContain(parent);
    const without = tempStore();
    packed(without, runLog({ parent: `sha256:${parent}`, steps }));
    expect(take(other, exported(without, [child])).absent).toHaveLength(2);
    expect(take(other, exported(from, [child], { withParents: true })).absent).toEqual([]);
    expect(listPacks(other.root)).toHaveLength(3);
  });
});

describe("a manifest with more in it than this version knows", () => {
  it("import: a manifest with unknown fields arrives unchanged", () => {
    const more = changed((unpacked) =>
      unpacked.changeLayer(0, (bytes) =>
        Buffer.from(
          bytes
            .toString()
            .replace(/}$/, `,"zeta":{"a":[1]}}`)
            .replace('"deterministic":true', '"deterministic":true,"extra":1'),
        ),
      ),
    );
    const hex = layer(more.oci(), 0).digest.slice(7);
    const to = tempStore();
    expect(take(to, more.bytes()).packs).toMatchObject([{ hash: `sha256:${hex}` }]);
    expect(new Unpacked(exported(to, [hex])).blob(hex).bytes).toEqual(more.blob(hex).bytes);
  });
});

describe("a run whose contents look like parts of a bundle", () => {
  it("import: a run whose content is a tar of its own blobs arrives", () => {
    const from = tempStore();
    const many = Array.from({ length: 80 }, (_, at) => `${at} ${"x".repeat(1000)}`);
    const small = [...many, "You are terse."];
    const hex = packed(
      from,
      smallLog({
        prompts: many.map((content) => ({ role: "user", content })),
        inputs: [{ name: "own.tar", content_base64: blobTar(small).toString("base64") }],
      }),
    );
    const bytes = exported(from, [hex]);
    const { layers } = new Unpacked(bytes).oci();
    expect(layers.map(({ digest }) => digest.slice(7))).toEqual([
      hex,
      hashOf(blobTar(small)),
      hashOf(blobTar(small)),
    ]);
    for (const order of [bytes, tar(new Unpacked(bytes).entries.toReversed())]) {
      const to = tempStore();
      take(to, order);
      expect(exported(to, [hex]).equals(bytes)).toBe(true);
    }
  });

  it.each(["manifest", "OCI manifest"])(
    "import: a run whose content is the %s of another pack arrives",
    (kind) => {
      const from = tempStore();
      const prompts = Array.from({ length: 650 }, (_, at) => ({ role: "user", content: `${at}` }));
      const inputs = Array.from({ length: 430 }, (_, at) => ({
        name: `${at}`,
        content: `${at} `.padEnd(65_536, "x"),
      }));
      const first = packed(from, smallLog(kind === "manifest" ? { prompts } : { inputs }));
      const unpacked = new Unpacked(exported(from, [first]));
      const manifest = unpacked.blob(
        kind === "manifest" ? first : (unpacked.index.manifests[0]?.digest ?? ""),
      ).bytes;
      expect(manifest.length).toBeGreaterThanOrEqual(65_536);
      const second = packed(
        from,
        smallLog({ inputs: [{ name: "manifest.json", content: manifest.toString() }] }),
      );
      const bytes = exported(from, [first, second]);
      const { entries } = new Unpacked(bytes);
      expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
      // Of the one that is large, one order has to do.
      for (const order of kind === "manifest" ? [bytes, tar(entries.toReversed())] : [bytes]) {
        const to = tempStore();
        take(to, order);
        expect(exported(to, [first, second]).equals(bytes)).toBe(true);
      }
      const alone = tempStore();
      take(alone, exported(from, [second]));
      expect(listPacks(alone.root)).toEqual([second]);
      // What one says of its size, the other must say, too.
      const lie = new Unpacked(bytes);
      const at = lie.index.manifests.findIndex(({ annotations }) =>
        Object.values(annotations ?? {}).includes(second),
      );
      lie.changeOci((oci) => void (layer(oci, 2).size += 1), at);
      expect(refusal(lie)).toMatch(/should have|has \d+ bytes|and has/);
    },
  );

  it("import: a tar that is all of one pack and a part of another arrives", () => {
    const from = tempStore();
    const every = Array.from({ length: 900 }, (_, at) => `${at} ${"x".repeat(6000)}`);
    // What begins with the digit of the system prompt is in one tar, and everything in the other pack.
    const digit = hashOf("You are terse.")[0] as string;
    const some = every.filter((content) => hashOf(content).startsWith(digit));
    const part = packed(from, smallLog({ steps: thoughts(some) }));
    const all = packed(from, smallLog({ steps: thoughts(every) }));
    const bytes = exported(from, [part, all]);
    const unpacked = new Unpacked(bytes);
    const tars = [0, 1].flatMap((at) =>
      unpacked.oci(at).layers.filter(({ annotations }) => annotations !== undefined),
    );
    expect(tars).toHaveLength(17);
    expect(new Set(tars.map(({ digest }) => digest)).size).toBe(16);
    const to = tempStore();
    take(to, bytes);
    expect(exported(to, [part, all]).equals(bytes)).toBe(true);
    // Either may not say what cannot be.
    const lie = new Unpacked(bytes);
    const at = unpacked.oci(0).layers.length === 2 ? 0 : 1;
    const wrong = digit === "0" ? "1" : "0";
    lie.changeOci((oci) => void (layer(oci, 1).annotations = { "dev.contextsubstrate.prefix": wrong }), at);
    expect(refusal(lie)).toMatch(/disagree about/);
  });
});

describe("a bundle that is refused", () => {
  it("import: a bundle that is cut at any byte is refused", () => {
    const from = tempStore();
    const tiny = exported(from, [packed(from, smallLog())]);
    const cuts = Array.from({ length: tiny.length }, (_, at) => at).filter(isCut);
    for (const at of cuts) {
      expect(() => take(store, tiny.subarray(0, at)), `cut at ${at}`).toThrow(
        expect.objectContaining({ code: "bundle-invalid" }),
      );
      expect(fs.readdirSync(join(store.root, "tmp")), `cut at ${at}`).toEqual([]);
    }
    expect(snapshot(store.root)).toEqual(before);
  });

  it("import: a bundle with any one bit flipped is refused", () => {
    const from = tempStore();
    const tiny = exported(from, [packed(from, smallLog())]);
    const bad: number[] = [];
    for (let at = 0; at < tiny.length; at += 23) {
      const bytes = Buffer.from(tiny);
      bytes[at] = (bytes[at] as number) ^ 4;
      const to = tempStoreAgain();
      try {
        take(to, bytes);
        // Some bits have no meaning: then the imported pack is right all the same.
        if (!exported(to, [], { all: true }).equals(tiny)) bad.push(at);
      } catch (error) {
        if ((error as CtxError).code !== "bundle-invalid" || listPacks(to.root).length > 0) bad.push(at);
      }
    }
    expect(bad).toEqual([]);
  });

  it.each([
    "../x",
    "/etc/x",
    "blobs/sha256/../../x",
    "blobs/sha256/x",
    "BLOBS/x",
    "index.json/",
    "././index.json",
    "",
    "blobs/sha512/x",
  ])("import: a bundle with a file called %j is refused", (name) => {
    const unpacked = changed(({ entries }) => entries.push({ name, bytes: Buffer.from("x") }));
    expect(refusal(unpacked)).toMatch(/it contains an unexpected file|not a valid tar/);
  });

  it.each(["../", "/", "blobs/sha512/", "x"])(
    "import: a bundle with a folder called %j is refused",
    (name) => {
      const folder = { name, bytes: Buffer.alloc(0), header: { type: "5" } };
      expect(refusal(changed(({ entries }) => entries.push(folder)))).toMatch(
        /it contains an unexpected folder/,
      );
    },
  );

  it.each([
    ["a symbolic link", "2"],
    ["a hard link", "1"],
    ["a sparse file", "S"],
  ])("import: a bundle with %s is refused", (_, type) => {
    const link = { name: "blobs/sha256/x", bytes: Buffer.alloc(0), header: { type, link: "/etc/passwd" } };
    expect(refusal(changed(({ entries }) => entries.unshift(link)))).toMatch(/neither a file nor a folder/);
  });

  it("import: a bundle with a duplicate entry is refused", () => {
    for (const at of [0, 1, 4, 5, 6, 7, 8])
      expect(refusal(changed(({ entries }) => entries.push(entries[at] as Entry)))).toMatch(/twice/);
    const twice = changed((unpacked) => {
      const { index } = unpacked;
      unpacked.index = { ...index, manifests: [...index.manifests, ...index.manifests] };
    });
    expect(refusal(twice)).toMatch(/twice/);
  });

  it("import: a bundle with a missing entry is refused", () => {
    const names = new Unpacked(file).entries.map(({ name }) => name);
    // The config is the same for all packs, and needs no request.
    const needed = names.filter(
      (name) => !name.endsWith("/") && name !== "oci-layout" && !name.includes("44136fa355"),
    );
    expect(needed).toHaveLength(5);
    for (const name of needed)
      expect(refusal(changed((unpacked) => unpacked.remove(unpacked.file(name)))), name).toMatch(
        /is missing|no index\.json/,
      );
  });

  it("import: a bundle with a blob that no pack needs is refused", () => {
    const stray = changed((unpacked) => void unpacked.add(Buffer.from("stray")));
    expect(refusal(stray)).toMatch(/which no pack in it refers to/);
    const first = changed(
      ({ entries }) => void entries.unshift({ name: `blobs/sha256/${hashOf("x")}`, bytes: Buffer.from("x") }),
    );
    expect(refusal(first)).toMatch(/which no pack in it refers to/);
  });

  it("import: a bundle with bytes that do not match their name is refused", () => {
    const names = new Unpacked(file).entries.map(({ name }) => name).filter((name) => /sha256\/./.test(name));
    for (const name of names) {
      const other = (unpacked: Unpacked): void => {
        const { bytes } = unpacked.file(name);
        bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
      };
      expect(refusal(changed(other)), name).toMatch(/has the hash|not a valid tar/);
      expect(refusal(tar(changed(other).entries.toReversed())), name).toMatch(/has the hash|not a valid tar/);
    }
  });

  it("import: a bundle with a wrong size is refused", () => {
    for (const at of [0, 1, 2])
      for (const by of [1, -1, 2 ** 40]) {
        const lie = changedOci((oci) => void (layer(oci, at).size += by));
        expect(refusal(lie), `${at} ${by}`).toMatch(/should have/);
        expect(refusal(tar(lie.entries.toReversed())), `${at} ${by}`).toMatch(/should have/);
      }
    const index = changed((unpacked) => {
      const { index } = unpacked;
      (index.manifests[0] as AnyDescriptor).size += 1;
      unpacked.index = index;
    });
    expect(refusal(index)).toMatch(/should have/);
  });

  it("import: a bundle with a tar of anything but blobs is refused", () => {
    const small = ["You are terse.", "Count the lines of notes.txt.", "one\ntwo\n", "Two lines.", "2\n"];
    const sorted = small.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
    const good = Buffer.concat([...sorted.map(blob), end]);
    expect(
      refusal(changedTar((bytes) => (bytes.equals(good) ? Buffer.concat([good, Buffer.alloc(512)]) : bytes))),
    ).toMatch(/after its end/);
    const cases: [Buffer[], RegExp][] = [
      [sorted.toReversed().map(blob), /not in order/],
      [[...sorted, sorted.at(-1) as string].map(blob), /not in order/],
      [
        [...small, "stray"].toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1)).map(blob),
        /does not refer to/,
      ],
      [sorted.slice(1).map(blob), /is missing from the bundle/],
      [[entry("readme", Buffer.from("x"), { mode: "0000444" })], /does not belong there/],
      [[entry(`../${"a".repeat(64)}`, Buffer.from("x"), { mode: "0000444" })], /does not belong there/],
      [sorted.map((content) => entry(hashOf(content), Buffer.from(content))), /is malformed/],
      [[entry(hashOf(sorted[0] as string), Buffer.from("x"), { mode: "0000444" })], /has the hash/],
      [[Buffer.from("no tar at all".padEnd(2048))], /not a valid tar/],
    ];
    for (const [entries, why] of cases)
      expect(refusal(changedTar(() => Buffer.concat([...entries, end])))).toMatch(why);
  });

  it("import: a bundle with another tar than announced is refused", () => {
    const other = changed((unpacked) => {
      const { digest, size } = layer(unpacked.oci(), 1);
      unpacked.changeOci((oci) => void (layer(oci, 1).digest = `sha256:${"7".repeat(64)}`));
      Object.assign(unpacked.blob(digest), { name: `blobs/sha256/${"7".repeat(64)}` });
      expect(unpacked.blob("7".repeat(64)).bytes).toHaveLength(size);
    });
    expect(refusal(other)).toMatch(/what arrived as the blob 7{64} has the hash/);
  });

  it("import: a bundle with a tar of blobs of another prefix is refused", () => {
    const prefix = changedOci(
      (oci) => void (layer(oci, 1).annotations = { "dev.contextsubstrate.prefix": "00" }),
    );
    expect(refusal(prefix)).toMatch(/does not belong there/);
  });

  it("import: a bundle whose pack lists a blob that it does not need is refused", () => {
    const listed = changed((unpacked) => {
      const hex = unpacked.add(Buffer.from("x".repeat(70_000)));
      unpacked.changeOci(
        ({ layers }) =>
          void layers.push({ ...(layers[2] as AnyDescriptor), digest: `sha256:${hex}`, size: 70_000 }),
      );
    });
    expect(refusal(listed)).toMatch(/does not refer to/);
  });

  it("import: a bundle whose pack needs a blob that nothing lists is refused", () => {
    const unlisted = changed((unpacked) => {
      unpacked.remove(unpacked.blob(hashOf(large)));
      unpacked.changeOci(({ layers }) => void layers.pop());
    });
    expect(refusal(unlisted)).toMatch(/needs [0-9a-f]{64}, which is missing from the bundle/);
  });

  it("import: a bundle with a malformed or non-canonical manifest is refused", () => {
    const changes: ((text: string) => string)[] = [
      (text) => ` ${text}`,
      (text) => text.replace(`"created"`, `"created" `),
      (text) => text.replace(`"version":"0.1"`, `"version":"0.1","x":1,"x":1`),
      (text) => text.replace(`"hash":""`, `"hash":"sha256:${pack}"`),
      (text) => text.replace("test-model", "test-m\\u006fdel"),
      (text) => text.replace(`"created":"2026-02-10T12:00:00Z"`, `"created":"yesterday"`),
      (text) => text.replace(/sha256:/, "sha256:../"),
      () => "",
      () => "sha256:",
    ];
    for (const change of changes) {
      const text = new Unpacked(file).blob(pack).bytes.toString();
      expect(change(text)).not.toBe(text);
      expect(
        refusal(changed((unpacked) => unpacked.changeLayer(0, () => Buffer.from(change(text))))),
      ).not.toBe("");
    }
  });

  it("import: a bundle with a manifest of a newer ctx or of an unknown version is refused", () => {
    for (const [text, code] of [
      [`{"version":"0.2"}`, "unknown-version"],
      [`{"a":"b"}`, "bundle-invalid"],
      [`{"version":"0.0"}`, "bundle-invalid"],
    ] as const) {
      const other = changed((unpacked) => unpacked.changeLayer(0, () => Buffer.from(text)));
      expect(refusal(other, code)).toMatch(
        code === "unknown-version" ? /written by a newer ctx/ : /manifest/,
      );
    }
  });

  it("import: a bundle with a malformed index is refused", () => {
    const manifest = "application/vnd.oci.image.manifest.v1+json";
    const [only] = new Unpacked(file).index.manifests as [AnyDescriptor];
    const cases: (object | Buffer)[] = [
      Buffer.from("{"),
      Buffer.alloc(0),
      Buffer.from("[".repeat(100_000)),
      { schemaVersion: 2, manifests: [] },
      { schemaVersion: 2 },
      { schemaVersion: 1, manifests: [only] },
      { schemaVersion: 2, manifests: [only], mediaType: manifest },
      { schemaVersion: 2, manifests: [only], layers: [] },
      { schemaVersion: 2, manifests: [only], config: only },
      { schemaVersion: 2, manifests: [{ ...only, mediaType: "application/vnd.oci.image.index.v1+json" }] },
      {
        schemaVersion: 2,
        manifests: [{ ...only, mediaType: "application/vnd.docker.distribution.manifest.v2+json" }],
      },
      { schemaVersion: 2, manifests: [{ ...only, size: -1 }] },
      { schemaVersion: 2, manifests: [{ ...only, digest: `sha256:${pack}` }] },
      { schemaVersion: 2, manifests: [only, { ...only, digest: `sha256:${"0".repeat(64)}` }] },
    ];
    for (const index of cases) {
      const bytes = Buffer.isBuffer(index) ? index : json(index);
      expect(refusal(changed((unpacked) => void (unpacked.file("index.json").bytes = bytes)))).not.toBe("");
    }
  });

  it("import: a bundle whose OCI manifest is an index or an image is refused", () => {
    expect(refusal(changedOci((oci) => void (oci["manifests"] = [])))).toMatch(/an index/);
    expect(refusal(changedOci((oci) => void delete oci["artifactType"]))).toMatch(/of an image/);
  });

  it("import: a bundle that claims to be endless is refused", () => {
    const huge = Buffer.from("8000000000ffffffffffffff", "hex");
    for (const size of [huge, "77777777777\0"])
      for (const name of ["index.json", "oci-layout", `blobs/sha256/${"a".repeat(64)}`]) {
        const bytes = tar([{ name, bytes: Buffer.alloc(0), header: { size } }]);
        expect(refusal(bytes)).toMatch(/too large|is cut off in the middle|an invalid size/);
      }
  });

  it("import: a bundle with a manifest beyond the size limit is refused", () => {
    const claim = changed((unpacked) => {
      const { index } = unpacked;
      (index.manifests[0] as AnyDescriptor).size = 5 << 20;
      unpacked.index = index;
      const oci = unpacked.blob(index.manifests[0]?.digest ?? "");
      oci.header = { size: `${(5 << 20).toString(8).padStart(11, "0")}\0` };
    });
    expect(refusal(claim)).toMatch(/too large/);
  });
});

let spare: Store | undefined;

/** A store for one try, used again while nothing came into it. */
function tempStoreAgain(): Store {
  if (spare === undefined || listPacks(spare.root).length > 0) spare = tempStore();
  return spare;
}
