// Any number of things: a pack, log, file or store with very many of something gets the right exit status and
// a bounded answer. Each number is above the 125,000 arguments that a call can have.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ctx as run, type Ran } from "../../dev/built.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { absentBlob, madeStep, putPack } from "../../dev/made-packs.js";
import { sha256 } from "../../dev/provenance.js";

const many = 130_000;

function ctx(
  args: readonly string[],
  { folder, input = "" }: { folder: string; input?: string | Buffer },
): Ran {
  return run(args, { cwd: folder, input, env: { HOME: join(folder, ".nobody") } });
}

/** Returns whether the text has these words. A failure does not print a text of many megabytes. */
function has(text: string, words: string | RegExp): boolean {
  return typeof words === "string" ? text.includes(words) : words.test(text);
}

interface ErrorLine {
  error: { code: string; problems: unknown[]; more_problems?: number };
}

describe("a pack with very many missing blobs", () => {
  const { folder, root } = tempStore();
  const steps = Array.from({ length: many }, (_, index) =>
    madeStep(index, { output_ref: absentBlob(index) }),
  );
  const hex = putPack(root, { steps });

  it("130,000 missing blobs: ctx verify says damaged, lists some of them, and counts the rest", () => {
    const { status, stdout, stderr } = ctx(["verify", hex], { folder });
    expect(stderr).toBe("");
    expect(status).toBe(1);
    expect(has(stdout, /and 129,\d{3} more faults; --json shows all/), stdout.slice(0, 500)).toBe(true);
    expect(stdout.length).toBeLessThan(50_000);
  });

  it("130,000 missing blobs: ctx verify --json lists each", () => {
    const all = ctx(["verify", hex, "--json"], { folder });
    expect(all.status).toBe(1);
    const { targets } = JSON.parse(all.stdout) as { targets: { result: string; faults: unknown[] }[] };
    expect(targets[0]?.result).toBe("damaged");
    expect(targets[0]?.faults).toHaveLength(many);
  });

  it("130,000 missing blobs: ctx show names some of them and exits with 2", () => {
    const { status, stderr } = ctx(["show", hex], { folder });
    expect(status).toBe(2);
    expect(has(stderr, "cannot be shown completely"), stderr.slice(0, 500)).toBe(true);
    expect(has(stderr, "… and 129,800 more problems\n"), stderr.slice(0, 500)).toBe(true);
    expect(stderr.split("\n").length).toBeLessThan(210);
    expect(has(stderr, "has a bug")).toBe(false);
  });
});

describe("very many problems in a log", () => {
  it("130,000 problems in a log: ctx pack counts them and lists the first", () => {
    const { folder } = tempStore();
    const steps = Array.from({ length: many }, () => ({ type: "tool_call" }));
    const input = json(smallLog({ steps }));
    const { status, stderr } = ctx(["pack", "-"], { folder, input });
    expect(status).toBe(2);
    expect(has(stderr, "steps[0].tool"), stderr.slice(0, 500)).toBe(true);
    expect(has(stderr, "… and 129,800 more problems\n"), stderr.slice(0, 500)).toBe(true);
    const asJson = ctx(["pack", "-", "--json"], { folder, input });
    expect(asJson.status).toBe(2);
    const { error } = JSON.parse(asJson.stderr) as ErrorLine;
    expect(error.problems).toHaveLength(1000);
    expect(error.more_problems).toBe(many - 1000);
  });
});

describe("very many secrets in a file", () => {
  it("130,000 secrets in a file: ctx scan finds them and lists the first", () => {
    const folder = tempFolder();
    const lines = Array.from({ length: many }, (_, at) => `ghp_${sha256(String(at)).slice(0, 36)}`);
    fs.writeFileSync(join(folder, "secrets.txt"), lines.join("\n"));
    const { status, stdout, stderr } = ctx(["scan", "secrets.txt"], { folder });
    expect(stderr).toBe("");
    expect(status).toBe(1);
    expect(has(stdout, /and 129,\d{3} more places; --json shows all/), stdout.slice(0, 500)).toBe(true);
    expect(stdout.length).toBeLessThan(50_000);
  });
});

describe("very many tags of one pack", () => {
  it("20,000 tags of one pack: ctx tag lists them; ctx log and ctx show name a few and count the rest", () => {
    const { folder, root } = tempStore();
    const hex = putPack(root);
    const text = `sha256:${hex}\n`;
    const count = 20_000;
    for (let at = 0; at < count; at++) fs.writeFileSync(join(root, "refs/tags", `tag-${at}`), text);
    expect(ctx(["log", "--oneline"], { folder }).stdout).toBe(
      `${hex.slice(0, 12)}  2026-02-10  (no title) (20,000 tags)\n`,
    );
    for (const argv of [["log"], ["show", hex]]) {
      const { status, stdout } = ctx(argv, { folder });
      expect(status).toBe(0);
      expect(has(stdout, "tag-0"), stdout.slice(0, 500)).toBe(true);
      expect(has(stdout, "and 19,990 more"), stdout.slice(0, 500)).toBe(true);
      expect(stdout.length).toBeLessThan(5000);
    }
    expect(ctx(["tag"], { folder }).stdout.split("\n")).toHaveLength(count + 1);
    const listed = JSON.parse(ctx(["log", "--json"], { folder }).stdout) as { tags: string[] };
    expect(listed.tags).toHaveLength(count);
    const refused = ctx(["rm", hex], { folder });
    expect(refused.status).toBe(2);
    expect(has(refused.stderr, "… and 19,800 more problems")).toBe(true);
  });
});

describe("very many dangling tags, unreadable packs and foreign files in a store", () => {
  it("1,000 dangling tags, unreadable packs and foreign files get a few notes, and one that counts the rest", () => {
    const { folder, root } = tempStore();
    const hex = putPack(root);
    for (let at = 0; at < 1000; at++) {
      fs.writeFileSync(join(root, "refs/tags", `torn-${at}`), "x");
      fs.writeFileSync(join(root, "packs", sha256(`no pack ${at}`)), "x");
      fs.writeFileSync(join(root, "packs", `notes ${at}.txt`), "x");
      fs.writeFileSync(join(root, `notes ${at}.txt`), "x");
    }
    for (const argv of [
      ["log", "-n", "1"],
      ["show", hex],
      ["log", "-n", "1", "--json"],
    ]) {
      const { status, stderr } = ctx(argv, { folder });
      expect(status).toBe(0);
      expect(has(stderr, "and 980 more packs that cannot be read"), stderr.slice(0, 500)).toBe(true);
      expect(has(stderr, "and 980 more tags that cannot be followed"), stderr.slice(0, 500)).toBe(true);
      expect(stderr.trimEnd().split("\n")).toHaveLength(42);
    }
    const { status, stdout } = ctx(["verify"], { folder });
    expect(status).toBe(1);
    expect(
      has(stdout, "1000 files in packs/ are not ctx's, such as packs/notes 0.txt"),
      stdout.slice(0, 500),
    ).toBe(true);
    expect(
      has(stdout, "1000 files in the store are not ctx's, such as notes 0.txt"),
      stdout.slice(0, 500),
    ).toBe(true);
    expect(stdout.match(/^ {2}note: /gm)).toHaveLength(2);
  });
});
