// The picture in docs/architecture.md, held to the code: who may import whom, and how large a file may grow.
import * as fs from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../dev/built.js";

/** Each folder, and the folders besides itself that it may import. */
const layers: Record<string, string[]> = {
  base: [],
  model: ["base"],
  tools: ["base", "model"],
  results: ["base", "model"],
  store: ["base", "model", "tools", "results"],
  intake: ["base", "model", "tools"],
  redact: ["base", "model", "tools", "results", "store"],
  diff: ["base", "model", "results", "store"],
  export: ["base", "model"],
  drafts: ["base", "model", "store"],
  bundle: ["base", "model", "results", "store", "redact"],
  registry: ["base", "model", "results", "store", "bundle"],
  verify: ["base", "model", "tools", "results", "store", "redact", "bundle"],
  seal: ["base", "model", "tools", "results", "store", "redact", "verify"],
  replay: ["base", "model", "tools", "results", "store", "redact", "diff", "drafts", "verify", "seal"],
  hooks: ["base", "results", "store"],
  ops: [
    "base",
    "model",
    "tools",
    "results",
    "store",
    "intake",
    "redact",
    "diff",
    "export",
    "drafts",
    "bundle",
    "registry",
    "verify",
    "seal",
    "replay",
    "hooks",
  ],
  library: ["base", "results", "store", "ops"],
  render: ["base", "model", "results"],
  cli: ["base", "model", "results", "store", "bundle", "ops", "render"],
};

/** Packages that a folder may use, besides what comes with Node. */
const packages: Record<string, string[]> = {
  render: ["fast-string-truncated-width"],
  diff: ["diff"],
  redact: ["re2js"],
  replay: ["@modelcontextprotocol/client"],
};

const source = join(repository, "src");
const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replaceAll("\\", "/"));

/** Every module that a text imports: static, type-only, re-exporting or dynamic. */
function importsOf(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const statements = [
    /^(?:import|export)\s[^;"'`]*?from\s*(["'])([^"']+)\1/gm,
    /^import\s*(["'])([^"']+)\1/gm,
    /\b(?:import|require)\s*\(\s*(["'`])([^"'`]+)\1/g,
  ];
  return statements.flatMap((statement) => [...code.matchAll(statement)].map((match) => match[2] as string));
}

function breaches(file: string, text: string): string[] {
  const layer = file.includes("/") ? (file.split("/")[0] as string) : "index";
  const allowed =
    layer === "index"
      ? ["base", "model", "results", "store", "ops", "library"]
      : [layer, ...(layers[layer] ?? [])];
  return importsOf(text).flatMap((name) => {
    if (name.startsWith("node:")) return [];
    if (!name.startsWith("."))
      return (packages[layer] ?? []).includes(name) ? [] : [`${file} uses the package ${name}`];
    const target = relative(source, join(source, dirname(file), name)).split("/")[0] as string;
    return allowed.includes(target) ? [] : [`${file} imports ${target}/`];
  });
}

describe("architecture", () => {
  it("code points one way only", () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.flatMap((file) => breaches(file, fs.readFileSync(join(source, file), "utf8")))).toEqual([]);
  });

  it("every folder is in the picture", () => {
    const folders = fs.readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual(Object.keys(layers).sort());
    const picture = fs.readFileSync(join(repository, "docs/architecture.md"), "utf8");
    for (const folder of Object.keys(layers)) expect(picture).toContain(`${folder}/`);
  });

  it("a breach of any kind is seen", () => {
    const bad = [
      'import { x } from "../cli/main.js";',
      'import type { X } from "../cli/main.js";',
      'export { x } from "../cli/main.js";',
      'export * from "../cli/main.js";',
      'import "../cli/main.js";',
      'const x = await import("../cli/main.js");',
      "const x = await import('../cli/main.js');",
      'import {\n  x,\n} from "../cli/main.js";',
      'type T = import("../cli/main.js").T;',
    ];
    for (const text of bad) expect(breaches("store/x.ts", text)).toEqual(["store/x.ts imports cli/"]);
    expect(breaches("base/x.ts", 'import v from "valibot";')).toEqual(["base/x.ts uses the package valibot"]);
  });

  it("no command imports another: they share the files beside them", () => {
    const sharing = files.filter((file) => /^cli\/(?!table\.ts|programs\/)/.test(file));
    const imports = sharing.flatMap((file) =>
      importsOf(fs.readFileSync(join(source, file), "utf8"))
        .filter((name) => name.startsWith("."))
        .map((name) => `${file} imports ${join(dirname(file), name)}`),
    );
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter((line) => line.includes(" imports cli/commands/"))).toEqual([]);
  });

  it("every file says why it exists, and why it is over 300 lines if it is", () => {
    for (const file of files) {
      const text = fs.readFileSync(join(source, file), "utf8");
      const reason = /^(?:\/\/ .*\n)*\/\/ Over 300 lines: \S/.test(text);
      expect(text.split("\n").length, file).toBeLessThanOrEqual(reason ? 401 : 301);
      if (!file.startsWith("cli/commands/")) expect(text, file).toMatch(/^\/\/ \S/);
    }
  });

  it("only the command line touches the process and its streams", () => {
    for (const file of files.filter((name) => !name.startsWith("cli/"))) {
      const text = fs.readFileSync(join(source, file), "utf8");
      expect(text, file).not.toMatch(/process\.(?:stdout|stderr|stdin|exit|env|argv|cwd)\b|console\./);
    }
  });

  it("no file is read as text by Node, which ends the whole process when the close fails", () => {
    const asText = /readFileSync\((?:[^()]|\([^()]*\))*["']utf-?8["']/;
    expect('fs.readFileSync(join(a, "b"), "utf8")').toMatch(asText);
    for (const file of files) expect(fs.readFileSync(join(source, file), "utf8"), file).not.toMatch(asText);
  });

  it("no folders are made by Node's recursive mkdir, which never ends below /proc", () => {
    const recursive = /\bmkdir(?:Sync)?\((?:[^()]|\([^()]*\))*\brecursive\b/;
    expect("fs.mkdirSync(dirname(path), { mode: 1, recursive: true })").toMatch(recursive);
    for (const file of files)
      expect(fs.readFileSync(join(source, file), "utf8"), file).not.toMatch(recursive);
  });

  it("no name says nothing", () => {
    for (const file of files) expect(file).not.toMatch(/util|helper|common|manager|service/i);
    for (const file of files) expect(file).toMatch(/^(?:_?[a-z-]+\/)*[a-z0-9-]+\.ts$/);
  });
});
