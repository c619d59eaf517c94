// The lint rules for lists whose length a pack, log or store decides.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";

/** Returns the numbers of the lines that the rules report. */
function reported(lines: readonly string[]): number[] {
  const folder = tempFolder();
  const file = join(folder, "sample.ts");
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  const plugin = join(repository, "scripts/lint/any-number.mjs");
  const config = join(folder, "oxlint.json");
  const rules = { "ctx/no-spread-call": "error", "ctx/no-copy-append": "error", "ctx/no-shift": "error" };
  fs.writeFileSync(config, JSON.stringify({ jsPlugins: [plugin], plugins: [], categories: {}, rules }));
  const oxlint = join(repository, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(oxlint, ["-c", config, "-A", "all", "-f", "unix", file], { encoding: "utf8" });
  return [...stdout.matchAll(/sample\.ts:(\d+):/g)].map((match) => Number(match[1])).sort((a, b) => a - b);
}

describe("the lint rule ctx/no-spread-call", () => {
  it("ctx/no-spread-call reports each way to call with as many arguments as a list has items", () => {
    const bad = [
      "list.push(...many);",
      "list.unshift(1, ...many);",
      "list.splice(0, 0, ...many);",
      "Math.max(0, ...many.map((one) => one.length));",
      "String.fromCharCode(...codes);",
      "new Set(...many);",
      "list.push(...[1, ...many]);",
      "list.push(...(few ? [1] : many));",
      "list?.push(...many);",
      "[].concat.apply([], many);",
      "Reflect.apply(Math.max, Math, many);",
    ];
    expect(reported(bad)).toEqual(bad.map((_, at) => at + 1));
  });

  it("ctx/no-spread-call allows array literals, rest parameters that are passed on, and spreads outside calls", () => {
    const good = [
      "const all = [...many, ...more];",
      "const copy = { ...object };",
      "list.push(...[1, 2], ...(few ? [1] : []), ...([3] as const));",
      "const passOn = (...words: string[]) => print(...words);",
      "function outer(...words: string[]) { return () => print(...words); }",
      "class Paths { join(...parts: string[]) { return join(this.root, ...parts); } }",
      "patch.apply(text);",
    ];
    expect(reported(good)).toEqual([]);
  });
});

describe("the lint rules ctx/no-copy-append and ctx/no-shift", () => {
  it("ctx/no-copy-append and ctx/no-shift report a list copied for each item, and one that loses its first item", () => {
    const bad = [
      "lists.set(key, [...(lists.get(key) ?? []), item]);",
      "this.lists.set(key, [...this.lists.get(key), item]);",
      "const first = list.shift();",
      "lists.get(key)?.shift();",
    ];
    expect(reported(bad)).toEqual(bad.map((_, at) => at + 1));
    expect(reported(["lists.set(key, [item]);", "lists.set(key, [...some, item]);"])).toEqual([]);
  });
});

describe("the lint rules for lists of any length", () => {
  it("the lint rules for lists of any length are switched on for all of src", () => {
    const config = JSON.parse(fs.readFileSync(join(repository, ".oxlintrc.json"), "utf8")) as {
      overrides: { files: string[]; rules: Record<string, string> }[];
    };
    const own = config.overrides.find(({ files }) => files[0] === "src/**");
    expect(own?.rules).toMatchObject({
      "ctx/no-spread-call": "error",
      "ctx/no-copy-append": "error",
      "ctx/no-shift": "error",
    });
  });
});
