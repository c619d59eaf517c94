// The index of `ctx grep`, whatever happens to it and to the store: it never changes what is found.
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tempStore } from "../../../dev/folders.js";
import { runLog, smallLog } from "../../../dev/logs.js";
import { packHardRuns } from "../../../dev/search-store.js";
import { gc } from "../../../src/ops/gc.js";
import { grep, type GrepOptions } from "../../../src/ops/grep.js";
import { pack } from "../../../src/ops/pack.js";
import { rm } from "../../../src/ops/rm.js";
import type { FoundRun, SearchSummary } from "../../../src/results/search.js";
import { buildIndex } from "../../../src/search/build-index.js";
import { unindexedPacks } from "../../../src/search/indexed-packs.js";
import type { Store } from "../../../src/store/store.js";

const everywhere: GrepOptions = {
  in: ["prompt", "system", "param", "output", "seen", "reasoning", "file"],
  echoes: true,
};

function search(
  store: Store,
  pattern: string,
  options: GrepOptions = {},
): SearchSummary & { found: FoundRun[] } {
  const found: FoundRun[] = [];
  const summary = grep(store, pattern, { ...everywhere, ...options, onRun: (run) => void found.push(run) });
  return { ...summary, found };
}

/** What was found, as text; the index has no part in it. */
function hitsOf(store: Store, pattern: string, options: GrepOptions = {}): string {
  const { found, hits, runs } = search(store, pattern, options);
  return JSON.stringify({ found, hits, runs });
}

function add(store: Store, log: object): string {
  return pack(store, { bytes: Buffer.from(JSON.stringify(log)), folder: store.folder }).hash.slice(7);
}

function shards(store: Store): string[] {
  const folder = join(store.root, "cache/search");
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.startsWith("text-"))
    .map((name) => join(folder, name));
}

const patterns = [
  "foo",
  "src/auth.ts",
  "cannot.*Error",
  "nowhere-to-be-found",
  "\\$HOME",
  "[0-9]{4}",
  "You are careful",
];

function expectSame(store: Store, about: string): void {
  for (const pattern of patterns)
    expect(hitsOf(store, pattern), `${about}: ${pattern}`).toBe(hitsOf(store, pattern, { noIndex: true }));
}

function word(part: string): string {
  return `planted-in-${part} planted-anywhere`;
}

function overwrite(path: string, bytes: Buffer): void {
  fs.chmodSync(path, 0o644);
  fs.writeFileSync(path, bytes);
}

describe("the index of ctx grep", () => {
  it("grep: packs added, removed, collected, an index deleted, cut or flipped: the same is found as without", () => {
    const step = fc.constantFrom("add", "add", "rm", "gc", "index", "index", "delete", "cut", "flip", "swap");
    fc.assert(
      fc.property(fc.array(step, { minLength: 4, maxLength: 12 }), fc.nat(), (steps, seed) => {
        const store = tempStore();
        let next = 0;
        const packs: string[] = [];
        for (const [at, action] of ["add", "index", ...steps].entries()) {
          const file = shards(store)[0];
          const bytes = file === undefined ? undefined : fs.readFileSync(file);
          const place = (seed * 7919 + at * 104_729) % (bytes?.length ?? 1);
          if (action === "add") packs.push(...packHardRuns(store, seed % 1000, next, (next += 2)));
          else if (action === "rm" && packs.length > 0) rm(store, [packs.pop() as string], { force: true });
          else if (action === "gc") gc(store, { grace: 0 });
          else if (action === "index") buildIndex(store);
          else if (action === "delete")
            fs.rmSync(join(store.root, "cache"), { recursive: true, force: true });
          else if (file === undefined || bytes === undefined) continue;
          else if (action === "cut") overwrite(file, bytes.subarray(0, place));
          else if (action === "flip") {
            bytes[place] = (bytes[place] as number) ^ (1 << (seed % 8));
            overwrite(file, bytes);
          } else if (action === "swap" && bytes.length >= 8192) {
            const moved = Buffer.concat([
              bytes.subarray(4096, 8192),
              bytes.subarray(0, 4096),
              bytes.subarray(8192),
            ]);
            overwrite(file, moved);
          }
          expectSame(store, `${action} ${at}`);
        }
        expect(next).toBeGreaterThan(0);
      }),
      { numRuns: process.env["CTX_FAULTS"] === "all" ? 100 : 6 },
    );
  }, 300_000);

  it("grep: an index that ends at any byte is not believed", () => {
    const store = tempStore();
    packHardRuns(store, 3, 0, 3);
    buildIndex(store);
    const [file = ""] = shards(store);
    const whole = fs.readFileSync(file);
    const expected = hitsOf(store, "foo", { noIndex: true });
    const all = process.env["CTX_FAULTS"] === "all";
    for (
      let size = 0;
      size < whole.length;
      size += all ? 1 : size % 4096 === 4095 || size % 4096 === 0 ? 1 : 1365
    ) {
      fs.writeFileSync(file, whole.subarray(0, size));
      expect(hitsOf(store, "foo"), `cut at ${size}`).toBe(expected);
    }
  }, 3_600_000);

  it("grep: a content that was damaged while the index was built, and then repaired, is found", () => {
    const store = tempStore();
    // An index belongs to its store as long as objects/ gets no new folder.
    for (let at = 0; at < 256; at++)
      fs.mkdirSync(join(store.root, "objects", at.toString(16).padStart(2, "0")), { recursive: true });
    const shared = { type: "tool_call", tool: "run_command", parameters: {}, output: "needle in shared\n" };
    add(store, smallLog({ steps: [shared], prompts: [{ role: "user", content: "one" }] }));
    const { found } = search(store, "needle in shared");
    const ref = found[0]?.hits[0]?.ref?.slice(7) as string;
    const object = join(store.root, "objects", ref.slice(0, 2), ref.slice(2));
    const sound = fs.readFileSync(object);
    overwrite(object, Buffer.from("needle is gone!!\n"));
    expect(buildIndex(store)).toBe(0);
    expect(search(store, "needle in shared").incomplete).toHaveLength(1);
    add(store, smallLog({ prompts: [{ role: "user", content: "a sound pack" }] }));
    expect(buildIndex(store)).toBe(1);
    // Nothing to add: the index stays as it is.
    const before = shards(store);
    expect(buildIndex(store)).toBe(0);
    expect(shards(store)).toEqual(before);
    overwrite(object, sound);
    add(store, smallLog({ steps: [shared], prompts: [{ role: "user", content: "two" }] }));
    expect(buildIndex(store)).toBe(2);
    expect(unindexedPacks(store)).toBe(0);
    expect(search(store, "needle in shared").runs).toBe(2);
  });

  it("grep: a missing content is reported once for each pack, and the rest is searched", () => {
    const store = tempStore();
    const hex = add(store, runLog());
    const { found } = search(store, "one");
    const ref = found[0]?.hits[0]?.ref?.slice(7) as string;
    fs.rmSync(join(store.root, "objects", ref.slice(0, 2), ref.slice(2)));
    const { incomplete, hits } = search(store, "o");
    expect(incomplete).toMatchObject([{ pack: `sha256:${hex}`, ref: `sha256:${ref}` }]);
    expect(hits).toBeGreaterThan(0);
  });

  it("grep: ctx rm and ctx gc remove what the index has of packs that are gone", () => {
    const store = tempStore();
    const [first = ""] = packHardRuns(store, 5, 0, 2);
    buildIndex(store);
    expect(shards(store)).toHaveLength(1);
    rm(store, [first]);
    expect(shards(store)).toEqual([]);
    buildIndex(store);
    fs.rmSync(join(store.root, "packs", fs.readdirSync(join(store.root, "packs"))[0] as string));
    gc(store);
    expect(shards(store)).toEqual([]);
  });

  it("grep: each part that --in names finds exactly its own", () => {
    const store = tempStore();
    add(
      store,
      smallLog({
        system_prompt: word("system"),
        prompts: [{ role: "user", content: word("prompt") }],
        inputs: [{ name: "planted-name.txt", content: word("file") }],
        steps: [
          {
            type: "tool_call",
            tool: "run_command",
            parameters: { command: `echo "${word("param")}"`, "planted-key": 1 },
            output: word("output"),
            seen: word("seen"),
          },
          { type: "reasoning", output: word("reasoning") },
        ],
        outputs: [{ name: "out.txt", content: `${word("file")}\n` }],
      }),
    );
    for (const isIndexed of [false, true]) {
      if (isIndexed) buildIndex(store);
      for (const part of everywhere.in ?? []) {
        const { found } = search(store, "planted-", { in: [part] });
        const hits = found.flatMap((run) => run.hits);
        expect(new Set(hits.map((hit) => hit.part))).toEqual(new Set([part]));
        expect(hits).toHaveLength(part === "file" ? 2 : 1);
        expect(search(store, `planted-in-${part}`, { in: [part] }).hits).toBe(hits.length);
      }
      // Names of files and keys of parameters are no texts.
      expect(search(store, "planted-(?:name|key)").hits).toBe(0);
      expect(search(store, "planted-anywhere").hits).toBe(8);
    }
  });

  it("grep: parameters are searched as what they mean, not as JSON writes it", () => {
    const store = tempStore();
    const odd = { ["__proto__"]: 1, a: { b: ['say "hi"', "x\u2028y", 4711, true, null, 1.5, "tab\there"] } };
    const parameters = JSON.parse(
      JSON.stringify(odd).replace('"a"', '"__proto__":{"deep":"proto-word"},"big":12345678901234567890,"a"'),
    );
    add(store, smallLog({ steps: [{ type: "tool_call", tool: "x", parameters, output: "" }] }));
    for (const isIndexed of [false, true]) {
      if (isIndexed) buildIndex(store);
      for (const text of ['say "hi"', "x\u2028y", "4711", "true", "1.5", "tab\there"])
        expect(search(store, text, { fixed: true, in: ["param"] }).hits, text).toBe(1);
      for (const text of ['\\"hi', "\\u2028", "null", "\\t"])
        expect(search(store, text, { fixed: true, in: ["param"] }).hits, text).toBe(0);
    }
  });

  it("grep: a search says how many packs its index knows, also where the pattern is too short for it", () => {
    const store = tempStore();
    // An index is believed while no folder is added to objects/.
    for (let at = 0; at < 256; at++)
      fs.mkdirSync(join(store.root, "objects", at.toString(16).padStart(2, "0")), { recursive: true });
    packHardRuns(store, 3, 0, 3);
    const counted = (pattern: string, options: GrepOptions = {}): number[] => {
      const counts: number[] = [];
      search(store, pattern, { ...options, onIndexed: (...both) => void counts.push(...both) });
      return counts;
    };
    expect(counted("planted")).toEqual([0, 3]);
    buildIndex(store);
    expect([counted("planted"), counted("x")]).toEqual([
      [3, 3],
      [3, 3],
    ]);
    packHardRuns(store, 3, 3, 4);
    expect([counted("planted"), counted("x"), counted("planted", { noIndex: true })]).toEqual([
      [3, 4],
      [3, 4],
      [],
    ]);
  });

  it("grep: parameters that look like fields of a manifest name no content that is read or missed", () => {
    const store = tempStore();
    const outside = `sha256:${"../".repeat(21)}x`;
    const absent = `sha256:${"a".repeat(64)}`;
    const texts = [outside, absent, "", "planted in a parameter"];
    const steps = texts.map((text, at) => ({
      type: "tool_call",
      tool: "run_command",
      parameters: { output_ref: text, text: `"seen_ref":"${text}"` },
      output: `planted in output ${at}`,
    }));
    const packs = steps.map((step) => add(store, smallLog({ steps: [step] })));
    expect(new Set(packs).size).toBe(texts.length);
    const options: GrepOptions = {
      noIndex: true,
      in: ["prompt", "param", "output", "seen", "reasoning", "file"],
    };
    const { incomplete, found, searched } = search(store, "planted", options);
    const hits = found.flatMap((run) => run.hits).map(({ part, text }) => `${part} ${text}`);
    expect(hits.toSorted()).toEqual([
      "output planted in output 0",
      "output planted in output 1",
      "output planted in output 2",
      "output planted in output 3",
      'param "seen_ref":"planted in a parameter"',
      "param planted in a parameter",
    ]);
    expect([incomplete, searched.packs]).toEqual([[], texts.length]);
  });

  it("grep: limits for hits and runs, and the oldest run first", () => {
    const store = tempStore();
    for (let at = 0; at < 5; at++)
      add(
        store,
        smallLog({
          created: `2026-02-1${at}T00:00:00Z`,
          prompts: [{ role: "user", content: `hit ${at}\nhit\nhit` }],
        }),
      );
    for (const isIndexed of [false, true]) {
      if (isIndexed) buildIndex(store);
      expect(search(store, "hit")).toMatchObject({ hits: 15, runs: 5 });
      expect(search(store, "hit", { maxHits: 2 })).toMatchObject({ hits: 10, runs: 5 });
      expect(search(store, "hit", { maxRuns: 2 })).toMatchObject({ hits: 6, runs: 2, ended_early: true });
      expect(search(store, "hit", { maxRuns: 5 }).ended_early).toBeUndefined();
      const { found } = search(store, "hit", { first: true });
      expect(found.map(({ created, hits }) => [created, hits.length])).toEqual([["2026-02-10T00:00:00Z", 1]]);
    }
  });
});
