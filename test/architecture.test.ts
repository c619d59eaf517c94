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
  seal: ["base", "model", "tools", "results", "store", "intake", "redact", "drafts", "verify"],
  replay: ["base", "model", "tools", "results", "store", "redact", "diff", "drafts", "verify", "seal"],
  hooks: ["base", "results", "store", "intake"],
  doctor: ["base", "results", "store"],
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
    "doctor",
  ],
  library: ["base", "results", "store", "ops"],
  render: ["base", "model", "results"],
  cli: ["base", "model", "results", "store", "bundle", "ops", "render"],
};

/**
 * The door of store/: the files that other folders may import. docs/architecture.md says why it is a list.
 */
const storeDoor = Object.values({
  opening: [
    "store",
    "init",
    "config",
    "accepted",
    "trust",
    "git-exclude",
    "in-git",
    "layout",
    "modes",
    "vanished",
  ],
  reading: [
    "objects",
    "packs",
    "refs",
    "resolve",
    "catalog",
    "quick-listing",
    "titles",
    "lineage",
    "reach",
    "hash-objects",
  ],
  writing: [
    "batch-lock",
    "commit-group",
    "log-files",
    "write-tags",
    "write-titles",
    "packed-logs",
    "packed-sessions",
    "scratch-store",
    "remove",
  ],
  locking: ["lock-text", "state-lock"],
}).flat();

/** Packages that a folder may use, besides what comes with Node. */
const packages: Record<string, string[]> = {
  render: ["fast-string-truncated-width"],
  diff: ["diff"],
  redact: ["re2js"],
  replay: ["@modelcontextprotocol/client"],
};

/**
 * Files, or with a slash folders, that write files by themselves, and why. Everything else uses
 * base/fs/atomic.ts.
 */
const writers: Record<string, string> = {
  "base/fs/atomic.ts": "the one that others use",
  "base/fs/files.ts": "defines writeNew",
  "base/fs/owner-mode.ts": "defines openNew",
  "base/fs/folder-clock.ts": "makes an empty file for its time, and removes it",
  "store/batch.ts": "writes many files aside and flushes them at once, before any takes its name",
  "store/remove.ts":
    "takes files out of the store by way of the batch's folder, so that a lost lock stops it",
  "store/lock": "the file of a lock is empty: its name and its time say everything",
  "store/scratch-store.ts": "a store for one command, which removes it",
  "bundle/read-layout.ts": "keeps parts of a bundle in the batch's folder until their kind is known",
  "drafts/draft-folder.ts": "writes the files of a draft into a staged folder, and flushes them at once",
  "drafts/place-draft.ts": "moves that folder to its place as a whole",
  "registry/download.ts": "keeps what has arrived of a download, so that the next call can resume it",
  "replay/": "fills a throw-away folder that nothing but the replay reads",
  "cli/junit.ts": "the file that a user names may be a device or a pipe, and is written in place",
};

/** Ways to write to, or to rename, a file. */
const writing = [
  /\b(?:rename|writeFile|appendFile|copyFile|cp|truncate)Sync\b|\bcreateWriteStream\b/,
  /\bfs\.(?:rename|writeFile|appendFile|copyFile|cp|truncate)\b/,
  /\bpromises\.(?!open\()|["']node:fs\/promises["']/,
  /\bopen(?:Sync)?\((?:[^()]|\([^()]*\))*["'](?:r\+|[wa]x?\+?)["']/,
  /\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/,
  /(?<!function )\b(?:openNew|writeNew)\(/,
];

function writes(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return writing.flatMap((way) => way.exec(code)?.[0] ?? []);
}

const source = join(repository, "src");
const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replaceAll("\\", "/"));

/** Returns every module that a text imports: static, type-only, re-exporting or dynamic. */
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

/** The declaration of a type at the top level of a file. */
const declaration = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;

describe("architecture", () => {
  it("architecture: imports point one way only", () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.flatMap((file) => breaches(file, fs.readFileSync(join(source, file), "utf8")))).toEqual([]);
  });

  it("architecture: every folder is in the picture", () => {
    const folders = fs.readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual(Object.keys(layers).sort());
    const picture = fs.readFileSync(join(repository, "docs/architecture.md"), "utf8");
    for (const folder of Object.keys(layers)) expect(picture).toContain(`${folder}/`);
  });

  it("architecture: the page names every file of the large folders, and no others", () => {
    const page = fs.readFileSync(join(repository, "docs/architecture.md"), "utf8");
    const [, section = ""] = page.split("## Inside the large folders");
    for (const folder of ["replay", "redact", "store"]) {
      const [, list = ""] = section.split(`**\`${folder}/\`**`);
      const named = [...(list.split(/\n\*\*|\n## /)[0] ?? "").matchAll(/`([a-z0-9-]+)`/g)].map(
        (match) => match[1] ?? "",
      );
      const there = files.flatMap((file) => new RegExp(`^${folder}/([^/]+)\\.ts$`).exec(file)?.[1] ?? []);
      expect(named.sort(), folder).toEqual(there.sort());
    }
  });

  it("architecture: a violation of any kind is found", () => {
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

  it("architecture: no command imports another", () => {
    const sharing = files.filter((file) => /^cli\/(?!table\.ts|programs\/)/.test(file));
    const imports = sharing.flatMap((file) =>
      importsOf(fs.readFileSync(join(source, file), "utf8"))
        .filter((name) => name.startsWith("."))
        .map((name) => `${file} imports ${join(dirname(file), name)}`),
    );
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter((line) => line.includes(" imports cli/commands/"))).toEqual([]);
  });

  it("architecture: a protocol imports no format: formats read protocols, not the other way", () => {
    const protocols = files.filter((file) => file.startsWith("intake/protocols/"));
    expect(protocols.length).toBeGreaterThan(20);
    const imports = protocols.flatMap((file) =>
      importsOf(fs.readFileSync(join(source, file), "utf8")).map((name) => `${file} imports ${name}`),
    );
    expect(imports.filter((line) => line.includes("/formats/"))).toEqual([]);
  });

  it("architecture: other folders enter store/ by its door only, and every file of the door is used", () => {
    const entered = files
      .filter((file) => !file.startsWith("store/"))
      .flatMap((file) =>
        importsOf(fs.readFileSync(join(source, file), "utf8")).map((name) => join(dirname(file), name)),
      )
      .filter((path) => path.startsWith("store/"))
      .map((path) => path.slice("store/".length, -".js".length));
    expect([...new Set(entered)].sort()).toEqual(storeDoor.toSorted());
  });

  it("architecture: ops/ holds verbs only: each file is called by a command or by the library", () => {
    const callers = files.filter((file) => /^(?:cli|library)\//.test(file));
    const called = new Set(
      callers.flatMap((file) =>
        importsOf(fs.readFileSync(join(source, file), "utf8")).map((name) => join(dirname(file), name)),
      ),
    );
    const verbs = files.filter((file) => file.startsWith("ops/"));
    expect(verbs.length).toBeGreaterThan(20);
    expect(verbs.filter((file) => !called.has(file.replace(/ts$/, "js")))).toEqual([]);
  });

  it("architecture: a type name is declared once in src", () => {
    const declared = files.flatMap((file) =>
      [...fs.readFileSync(join(source, file), "utf8").matchAll(declaration)].map(([, name = ""]) => name),
    );
    expect(declared.length).toBeGreaterThan(500);
    expect(declared.filter((name, at) => declared.indexOf(name) !== at)).toEqual([]);
  });

  it("architecture: every file says why it exists, and why it is over 300 lines if it is", () => {
    for (const file of files) {
      const text = fs.readFileSync(join(source, file), "utf8");
      const reason = /^(?:\/\/ .*\n)*\/\/ Over 300 lines: \S/.test(text);
      expect(text.split("\n").length, file).toBeLessThanOrEqual(reason ? 401 : 301);
      if (!file.startsWith("cli/commands/")) expect(text, file).toMatch(/^\/\/ \S/);
    }
  });

  it("architecture: only the command line touches the process and its streams", () => {
    for (const file of files.filter((name) => !name.startsWith("cli/"))) {
      const text = fs.readFileSync(join(source, file), "utf8");
      expect(text, file).not.toMatch(/process\.(?:stdout|stderr|stdin|exit|env|argv|cwd)\b|console\./);
    }
  });

  it("architecture: no file is read as text by Node, which ends the process when the close fails", () => {
    const asText = /readFileSync\((?:[^()]|\([^()]*\))*["']utf-?8["']/;
    expect('fs.readFileSync(join(a, "b"), "utf8")').toMatch(asText);
    for (const file of files) expect(fs.readFileSync(join(source, file), "utf8"), file).not.toMatch(asText);
  });

  it("architecture: no folders are made by Node's recursive mkdir, which never ends below /proc", () => {
    const recursive = /\bmkdir(?:Sync)?\((?:[^()]|\([^()]*\))*\brecursive\b/;
    expect("fs.mkdirSync(dirname(path), { mode: 1, recursive: true })").toMatch(recursive);
    for (const file of files)
      expect(fs.readFileSync(join(source, file), "utf8"), file).not.toMatch(recursive);
  });

  it("architecture: files are written by base/fs/atomic.ts, with few exceptions", () => {
    const found = files.filter((file) => writes(fs.readFileSync(join(source, file), "utf8")).length > 0);
    const ruleOf = (file: string): string | undefined =>
      Object.keys(writers).find((name) => file.startsWith(name));
    expect(found.filter((file) => ruleOf(file) === undefined)).toEqual([]);
    // No exception outlives its reason.
    expect(Object.keys(writers).filter((name) => !found.some((file) => ruleOf(file) === name))).toEqual([]);
  });

  it("architecture: every way to write a file is seen", () => {
    const bad = [
      "fs.renameSync(a, b);",
      "writeFileSync(path, text);",
      "await fs.promises.writeFile(path, text);",
      'import { rename } from "node:fs/promises";',
      "fs.appendFileSync(path, line);",
      "fs.writeFile(path, text, done);",
      "below(root, path, fs.renameSync);",
      "fs.copyFileSync(a, b);",
      "fs.cpSync(a, b);",
      "fs.createWriteStream(path);",
      "fs.truncateSync(path);",
      'fs.openSync(path, "w");',
      'fs.openSync(join(a, "b"), "wx", 0o600);',
      'fs.openSync(\n  path,\n  "a",\n);',
      'fs.openSync(path, "r+");',
      "fs.openSync(path, flags.O_RDWR | flags.O_CREAT, 0o600);",
      "const descriptor = openNew(path, 0o600);",
      "writeNew(path, bytes, 0o644);",
    ];
    for (const text of bad) expect(writes(text), text).not.toEqual([]);
    const good = [
      'fs.openSync(path, "r");',
      "fs.openSync(path, flags.O_RDONLY);",
      "// fs.renameSync(a, b)",
      "replaceFile(path, bytes, o);",
    ];
    for (const text of good) expect(writes(text), text).toEqual([]);
  });

  it("architecture: no file or folder has a name that says nothing", () => {
    for (const file of files) expect(file).not.toMatch(/util|helper|common|manager|service/i);
    for (const file of files) expect(file).toMatch(/^(?:_?[a-z-]+\/)*[a-z0-9-]+\.ts$/);
  });
});
