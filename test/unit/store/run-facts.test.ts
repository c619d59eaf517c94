// What the catalog says of a run so that a person recognises it: its room, and what a title may hold.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempStore } from "../../../dev/folders.js";
import { importedMetadata, json, smallLog } from "../../../dev/logs.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";
import { log } from "../../../src/ops/log.js";
import { pack, packMany } from "../../../src/ops/pack.js";
import { setTitle } from "../../../src/ops/tag.js";
import { type HistoryEntry, withCatalog } from "../../../src/store/catalog.js";
import { encodeCatalog } from "../../../src/store/catalog-file.js";
import type { Store } from "../../../src/store/store.js";

const times = { mtimeNs: 0n, ctimeNs: 0n };
/**
 * Where a pack's record begins, and which session it is a version of: for the facts' sake in the catalog,
 * too.
 */
const inTables = 8 + 24;

/** By how many bytes the facts of a run enlarge the catalog. */
function growth(entry: HistoryEntry): number {
  if ("damage" in entry.content) throw new Error(entry.content.damage);
  const { title, prompts, failed, denied, tokens, duration, subruns, untimed, ...rest } = entry.content;
  expect(JSON.stringify({ title, prompts, failed, denied, tokens, duration, subruns, untimed })).toBeTruthy();
  const bare = { ...entry, content: rest } as unknown as HistoryEntry;
  return encodeCatalog([entry], times).length - encodeCatalog([bare], times).length + inTables;
}

function entriesOf(store: Store): HistoryEntry[] {
  return withCatalog(store, (catalog) => [...catalog.entries()]);
}

/** Returns the title that a run with this prompt has. */
function titleFor(content: string): string | null | undefined {
  const store = tempStore();
  pack(store, { bytes: json(smallLog({ prompts: [{ role: "user", content }] })), folder: "/" });
  return log(store).entries[0]?.title;
}

it("facts of a run: they take at most 250 bytes of the catalog, whatever they are", () => {
  const most = Number.MAX_SAFE_INTEGER;
  const usage = { requests: 1, input_tokens: most - 1, output_tokens: 1 };
  const store = tempStore();
  const lines = ["x", "é", "漢", "🙂", '"', "\\", '\\"', "a\u0301"].map((text) => `x${text.repeat(1 << 10)}`);
  for (const line of lines)
    for (const [at, isLong] of [true, false].entries())
      pack(store, {
        bytes: json(
          smallLog({
            prompts: Array.from({ length: isLong ? 100 : 1 }, () => ({ role: "user", content: line })),
            steps: [
              { type: "message", output: "a", timestamp: "1970-01-01T00:00:00.001Z" },
              ...Array.from({ length: isLong ? 100 : 1 }, (_, index) => ({
                type: "tool_call",
                tool: "Task",
                parameters: { index },
                output: "no",
                timestamp: "9999-12-31T23:59:59.999Z",
                metadata: { status: index % 2 === 0 ? "error" : "denied" },
              })),
            ],
            metadata: importedMetadata({ usage, at, coverage: { unknown: ["times"] } }),
          }),
        ),
        folder: "/",
      });
  const sizes = entriesOf(store).map(growth);
  expect(sizes).toHaveLength(2 * lines.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(250);
  // There is room for a title all the same.
  for (const { content } of entriesOf(store))
    expect(Buffer.byteLength(("title" in content && content.title) || "")).toBeGreaterThan(30);
});

it("facts of a run: a title is one line without what controls a terminal", () => {
  expect(titleFor("\u001b[31mFix\u0007\u0000 \u202ethe\u2066 pager\u200b\r\nand the rest")).toBe(
    "Fix the pager",
  );
  const long = titleFor(`${"Fix the pager ".repeat(100_000)}\nmore`) as string;
  expect(long.startsWith("Fix the pager Fix the pager")).toBe(true);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(150);
});

it("facts of a run: a secret in the first line is masked in the title and in the catalog", () => {
  const store = tempStore();
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4".padEnd(36, "x7Y")}`;
  const content = `Push with the token ${secret} please`;
  pack(store, { bytes: json(smallLog({ prompts: [{ role: "user", content }] })), folder: "/" });
  const title = log(store).entries[0]?.title as string;
  expect(title).toMatch(/^Push with the token \S+ please$/);
  expect(title).not.toContain(secret);
  const cache = join(store.root, "cache");
  const files = fs.readdirSync(cache).map((name) => fs.readFileSync(join(cache, name)).toString("latin1"));
  expect(files.join("")).toContain("Push with the token");
  expect(files.join("")).not.toContain(secret);
});

it("facts of a run: the user's own title wins, also over a catalog that was forged", () => {
  const store = tempStore();
  const prompts = [{ role: "user", content: "The prompt's" }];
  const { hash } = pack(store, { bytes: json(smallLog({ prompts })), folder: "/" });
  setTitle(store, "Mine", { pack: hash });
  const { mtimeNs, ctimeNs } = fs.statSync(join(store.root, "packs"), { bigint: true });
  log(store);
  const [entry] = entriesOf(store) as [HistoryEntry];
  const forged = { ...entry, content: { ...entry.content, title: "forged" } } as HistoryEntry;
  const path = join(store.root, "cache/catalog");
  fs.writeFileSync(path, encodeCatalog([forged], { mtimeNs, ctimeNs }));
  fs.utimesSync(path, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
  expect(log(store).entries.map(({ title }) => title)).toEqual(["Mine"]);
});

const found = ["samples", "samples-2"].flatMap((collection) => samples(collection));

describeWith([realLogs(found)], "facts of real runs", () => {
  it("facts of real runs: they take at most 250 bytes of the catalog", { timeout: 120_000 }, () => {
    const store = tempStore();
    packMany(store, found, { onError: () => undefined });
    const sizes = entriesOf(store).map(growth);
    expect(sizes.length).toBeGreaterThan(found.length / 2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(250);
  });
});
