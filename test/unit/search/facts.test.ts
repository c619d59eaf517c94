// The facts of a store: which of them are kept, when manifests are read, and how many files there are.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hexOf, toReference } from "../../../src/base/digest.js";
import { CtxError } from "../../../src/base/errors.js";
import { log, type LogOptions } from "../../../src/ops/log.js";
import { pack } from "../../../src/ops/pack.js";
import { rm } from "../../../src/ops/rm.js";
import { stats } from "../../../src/ops/stats.js";
import { compileFactFilter, type CompiledFilter } from "../../../src/search/fact-filter.js";
import { withFacts } from "../../../src/search/facts.js";
import { listPacks } from "../../../src/store/packs.js";
import { withLock } from "../../../src/store/state-lock.js";
import type { Store } from "../../../src/store/store.js";
import { tempStore } from "../../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../../dev/logs.js";
import { putPack } from "../../../dev/made-packs.js";

/** A store that has all folders of objects: while it gets them, it looks like a copy of itself. */
function grownStore(): Store {
  const store = tempStore();
  for (let at = 0; at < 256; at++)
    fs.mkdirSync(join(store.root, "objects", at.toString(16).padStart(2, "0")), { recursive: true });
  return store;
}

function add(store: Store, fields: AnyLog): string {
  return hexOf(pack(store, { bytes: json(smallLog(fields)), folder: "/" }, { redact: "off" }).hash);
}

function command(text: string): AnyLog {
  return { type: "tool_call", tool: "bash", parameters: { command: text } };
}

function reading(path: string): AnyLog {
  return { type: "tool_call", tool: "Read", parameters: { file_path: path } };
}

/** Returns the packs that are listed, and how many manifests the facts lacked. */
function listed(store: Store, options: LogOptions): { packs: string[]; read: number } {
  let read = 0;
  const filter = compileFactFilter(options) as CompiledFilter;
  withFacts(
    store,
    (facts) => listPacks(store.root).filter(facts.selecting(filter)),
    () => void read++,
  );
  return { packs: log(store, options).entries.map(({ hash }) => hexOf(hash)), read };
}

function shards(store: Store): string[] {
  const folder = join(store.root, "cache/search");
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];
}

describe("the facts of a store", () => {
  it("a manifest is read once: later answers come from the facts", () => {
    const store = grownStore();
    const a = add(store, { steps: [reading("a.ts")] });
    expect(listed(store, { path: "a.ts" })).toEqual({ packs: [a], read: 1 });
    expect(listed(store, { path: "a.ts" })).toEqual({ packs: [a], read: 0 });
    expect(listed(store, { ran: "a.ts" })).toEqual({ packs: [], read: 0 });
    const b = add(store, { steps: [command("cat a.ts")] });
    expect(listed(store, { path: "a.ts", read: true })).toEqual({ packs: [b, a], read: 1 });
    expect(stats(store, { by: "tool" }).rows.map(({ key }) => key)).toEqual(["Read", "bash"]);
  });

  it("few packs at a time leave few files, and packs that are gone leave none of their facts", () => {
    const store = grownStore();
    const hashes = Array.from({ length: 24 }, (_, number) => {
      const hex = add(store, {
        created: `2026-02-10T12:00:${10 + number}Z`,
        steps: [command(`echo ${number}`)],
      });
      expect(listed(store, { ran: `echo ${number}` }).packs).toContain(hex);
      return hex;
    });
    expect(shards(store).length).toBeLessThan(6);
    const [first = "", ...rest] = hashes;
    rm(store, rest.slice(0, 20));
    add(store, { steps: [command("echo last")] });
    for (let count = 0; count < 30; count++) {
      add(store, { created: `2026-03-10T12:00:${10 + count}Z`, steps: [command(`ls ${count}`)] });
      listed(store, { ran: "ls" });
    }
    const texts = shards(store)
      .map((path) => fs.readFileSync(path, "latin1"))
      .join("");
    expect(texts).toContain("echo last");
    expect(texts).not.toContain("echo 5\n");
    expect(listed(store, { ran: "echo 0" })).toEqual({ packs: [first], read: 0 });
  });

  it("a damaged file is dropped and made again", () => {
    const store = tempStore();
    const hex = add(store, { steps: [reading("a.ts")] });
    for (const spoil of [
      (path: string) => fs.truncateSync(path, 0),
      (path: string) => fs.truncateSync(path, 100),
      (path: string) => fs.writeFileSync(path, Buffer.alloc(4096)),
      (path: string) => fs.writeFileSync(path, fs.readFileSync(path).fill(0x20, 60, 61)),
    ]) {
      listed(store, { path: "a.ts" });
      const [path = ""] = shards(store);
      spoil(path);
      expect(listed(store, { path: "a.ts" })).toEqual({ packs: [hex], read: 1 });
      expect(listed(store, { path: "a.ts" })).toEqual({ packs: [hex], read: 0 });
    }
  });

  it("while another process adds facts, the answer is right and nothing is written", () => {
    const store = grownStore();
    const hex = add(store, { steps: [reading("a.ts")] });
    withLock(store.root, "work-search-facts", () => {
      for (let time = 0; time < 2; time++)
        expect(listed(store, { path: "a.ts" })).toEqual({ packs: [hex], read: 1 });
      expect(shards(store)).toEqual([]);
    });
    expect(listed(store, { path: "a.ts" })).toEqual({ packs: [hex], read: 1 });
    expect(listed(store, { path: "a.ts" })).toEqual({ packs: [hex], read: 0 });
  });

  it("facts that came with a copy of a store are not believed", () => {
    const [store, other] = [tempStore(), tempStore()];
    const hex = add(store, { steps: [reading("a.ts")] });
    add(other, { steps: [reading("a.ts")] });
    listed(store, { path: "a.ts" });
    fs.cpSync(join(store.root, "cache/search"), join(other.root, "cache/search"), { recursive: true });
    expect(listed(other, { path: "a.ts" })).toEqual({ packs: [hex], read: 1 });
  });

  it("a store that takes no cache answers all the same", () => {
    const store = tempStore();
    const hex = add(store, { steps: [reading("a.ts")] });
    fs.mkdirSync(join(store.root, "cache"), { recursive: true });
    fs.writeFileSync(join(store.root, "cache/search"), "");
    for (let time = 0; time < 2; time++)
      expect(listed(store, { path: "a.ts" })).toEqual({ packs: [hex], read: 1 });
  });

  it("runs with more than is kept are answered from their manifests", () => {
    const store = tempStore();
    const many = Array.from({ length: 3000 }, (_, at) => `${at} ${"x".repeat(1000)}`);
    const hex = putPack(store.root, {
      steps: many.map((text, index) => ({
        deterministic: false,
        index,
        type: "tool_call",
        tool: index % 2 === 0 ? "bash" : "Read",
        parameters: index % 2 === 0 ? { command: text } : { file_path: text },
      })),
      system_prompt: toReference("0".repeat(64)),
    });
    for (let time = 0; time < 2; time++) {
      expect(listed(store, { ran: "2998 x" }).packs).toEqual([hex]);
      expect(listed(store, { path: "2999 *" }).packs).toEqual([hex]);
      expect(listed(store, { ran: "3001 x" }).packs).toEqual([]);
      expect(listed(store, { path: "3001 *" }).packs).toEqual([]);
    }
    const [path = ""] = shards(store);
    expect(fs.statSync(path).size).toBeLessThan(3 << 20);
  });

  it("a command is found by its end, however long it is, and never across two commands", () => {
    const store = tempStore();
    const long = add(store, { steps: [command(`echo ${"é".repeat(600)} the end`)] });
    const two = add(store, { created: "2026-02-09T12:00:00Z", steps: [command("one"), command("two")] });
    for (let time = 0; time < 2; time++) {
      expect(listed(store, { ran: "the end" }).packs).toEqual([long]);
      expect(listed(store, { ran: "end$" }).packs).toEqual([long]);
      expect(listed(store, { ran: "é$" }).packs).toEqual([]);
      expect(listed(store, { ran: "one\ntwo" }).packs).toEqual([]);
      expect(listed(store, { ran: "^two$" }).packs).toEqual([two]);
    }
  });

  it.each([
    [{ path: "" }, "--path"],
    [{ ran: "" }, "--ran"],
    [{ wrote: true }, "--wrote"],
    [{ path: "a", read: true, wrote: true }, "--wrote"],
  ] satisfies [LogOptions, string][])("log(%j) is a usage error that names %s", (options, name) => {
    const store = tempStore();
    expect(() => log(store, options)).toThrow(CtxError);
    expect(() => log(store, options)).toThrow(name);
  });
});
