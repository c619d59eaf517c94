import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commonOptions, visibleCommands } from "../../src/cli/command.js";
import { complete } from "../../src/cli/complete.js";
import { commands } from "../../src/cli/table.js";
import { topics } from "../../src/cli/topics.js";
import { decodeCatalog, encodeCatalog } from "../../src/store/catalog-file.js";
import { cli } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, runLog, smallLog } from "../../dev/logs.js";

/** Returns what `ctx __complete` answers, by value. It never fails, and never says anything else. */
async function answers(folder: string, ...words: string[]): Promise<Record<string, string>> {
  const { status, stdout, stderr } = await cli(["__complete", "--", ...words], { folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = stdout === "" ? [] : stdout.replace(/\n$/, "").split("\n");
  for (const line of lines) expect(line).toMatch(/^(?:[!-~]+\t[^\t\p{Cc}]*|:files|:folders)$/u);
  return Object.fromEntries(
    lines.map((line) => [line.split("\t")[0] as string, line.split("\t")[1] ?? "(marker)"]),
  );
}

async function values(folder: string, ...words: string[]): Promise<string[]> {
  return Object.keys(await answers(folder, ...words));
}

async function pack(folder: string, log: AnyLog): Promise<string> {
  const { stdout, stderr } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(stderr).toBe("");
  return stdout.trim().slice("ctx://".length);
}

/** Returns a store with two runs, the first of them tagged. */
async function twoRuns(): Promise<{ folder: string; root: string; a: string; b: string }> {
  const { folder, root } = tempStore();
  const a = await pack(folder, runLog());
  await cli(["tag", "base"], { folder });
  const model = { identifier: "other/model-2" };
  const b = await pack(folder, smallLog({ model, created: "2026-02-11T08:30:00Z" }));
  return { folder, root, a, b };
}

describe("completion without a store", () => {
  const folder = tempFolder();

  it("completion: commands are offered with their summaries", async () => {
    const offered = await answers(folder, "");
    expect(Object.keys(offered)).toEqual([...visibleCommands(commands).map(({ name }) => name), "help"]);
    expect(offered["log"]).toBe("list packs, newest first");
    expect(await values(folder, "sh")).toEqual(["show"]);
    expect(await values(folder, "nothing")).toEqual([]);
    expect(await values(folder, "-C", "/", "--json", "sh")).toEqual(["show"]);
    expect(await values(folder, "help", "lo")).toEqual(["log"]);
    expect(await values(folder, "help", "")).toEqual(
      [...visibleCommands(commands), ...topics].map(({ name }) => name),
    );
    expect(await values(folder, "help", "log", "")).toEqual([]);
    expect(await values(folder)).toContain("show");
  });

  it("completion: long and short options are offered, and again only where they may be repeated", async () => {
    const all = await answers(folder, "log", "-");
    for (const { long, short, summary, needs = [] } of [
      ...(commands.find(({ name }) => name === "log")?.options ?? []),
      ...commonOptions,
    ]) {
      const described = needs.length === 0 ? summary : `with --path: ${summary}`;
      expect(all[`--${long}`]).toBe(described);
      if (short !== undefined) expect(all[`-${short}`]).toBe(described);
    }
    expect(await values(folder, "log", "--o")).toEqual(["--oneline"]);
    expect(await values(folder, "log", "")).toEqual(Object.keys(all));
    expect(await values(folder, "-")).toContain("--version");
    expect(await values(folder, "log", "--v")).toEqual([]);
    expect(await values(folder, "log", "--oneline", "--o")).toEqual([]);
    expect(await values(folder, "log", "-n5", "-")).not.toContain("--max-count");
    expect(await values(folder, "log", "-n", "5", "-")).not.toContain("-n");
    expect(await values(folder, "tag", "-df", "-")).not.toContain("--force");
    expect(await values(folder, "log", "-C", "/", "--di")).toEqual(["--directory"]);
    expect(await values(folder, "show", "--", "-")).toEqual([]);
  });

  it("completion: words of a fixed list, files and folders are offered", async () => {
    expect(await values(folder, "completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
    expect(await values(folder, "completion", "bash", "-")).toContain("--json");
    for (const words of [["-C"], ["log", "-C"], ["log", "--directory"], ["init"]])
      expect(await answers(folder, ...words, "")).toEqual({ ":folders": "(marker)" });
    expect(await values(folder, "log", "--directory=")).toEqual([":folders"]);
    expect(await values(folder, "pack", "a.json", "b")).toEqual([":files"]);
    // The shell would look in its own folder.
    expect(await values(folder, "-C", "elsewhere", "pack", "b")).toEqual([]);
    expect(await values(folder, "-C", "elsewhere", "pack", "/b")).toEqual([":files"]);
  });

  it.each([
    ["show", ""],
    ["log", "--tag", ""],
    ["log", "--tool="],
    ["log", "-n", ""],
    ["log", "--since="],
    ["log", "--no-such-option="],
    ["log", "--oneline="],
    ["tag", "a", "b", "c", ""],
    ["-C", "/no/such/folder", "show", ""],
    ["-C", "\0", "show", ""],
    ["--", ""],
    ["no-such-command", ""],
    ["__complete", ""],
  ])("completion: a line without values to offer is no error: case %#, %j", async (...words) => {
    const offered = await values(folder, ...words);
    expect(offered.filter((value) => !value.startsWith("-"))).toEqual([]);
  });
});

describe("completion with a store", () => {
  it("completion: latest, tags and packs are offered, newest first, with day and title", async () => {
    const { folder, a, b } = await twoRuns();
    const first = "2026-02-10  Count the lines of notes.txt.";
    const second = "2026-02-11  other/model-2";
    const all = { latest: second, base: first, [b.slice(0, 12)]: second, [a.slice(0, 12)]: first };
    for (const words of [["show"], ["cat"], ["tag", "new"], ["log", "--parent"], ["show", "--json"]]) {
      expect(await answers(folder, ...words, "")).toEqual(all);
      expect(await values(folder, ...words, "")).toEqual(Object.keys(all));
    }
    expect(await values(folder, "show", "la")).toEqual(["latest"]);
    expect(await values(folder, "show", a.slice(0, 3))).toEqual([a.slice(0, 12)]);
    expect(await values(folder, "show", a.slice(0, 20))).toEqual([a]);
    expect(await values(folder, "show", "ctx://")).toEqual([b, a].map((hex) => `ctx://${hex.slice(0, 12)}`));
    expect(await values(folder, "show", `sha256:${a[0]}`)).toContain(`sha256:${a.slice(0, 12)}`);
    expect(await values(folder, "log", `--parent=${a.slice(0, 5)}`)).toEqual([`--parent=${a.slice(0, 12)}`]);
    expect(await values(tempFolder(), "-C", folder, "show", "ba")).toEqual(["base"]);
    expect(await complete(["-C", "~/", "show", "ba"], commands, { folder: "/", home: folder })).toEqual([
      `base\t${first}`,
    ]);
  });

  it("completion: tags, models, tools and sessions are offered, and blobs by their first digits", async () => {
    const { folder, root } = await twoRuns();
    for (const words of [["tag"], ["tag", "-d"], ["log", "--tag"]])
      expect(await values(folder, ...words, "")).toEqual(["base"]);
    expect(await answers(folder, "log", "--model", "")).toEqual({
      "test-model": "1 run",
      "other/model-2": "1 run",
    });
    expect(await values(folder, "log", "--tool=r")).toEqual(["--tool=read_file"]);
    for (const text of ["a", "b"])
      await pack(folder, smallLog({ system_prompt: text, metadata: { source: { session: "1a2b-3c" } } }));
    expect(await answers(folder, "log", "--session", "1")).toEqual({ "1a2b-3c": "2 runs" });
    const shelf = fs.readdirSync(join(root, "objects"))[0] as string;
    const [name] = fs.readdirSync(join(root, "objects", shelf)) as [string];
    expect(await values(folder, "cat", shelf)).toContain(`${shelf}${name}`.slice(0, 12));
    expect(await values(folder, "cat", `${shelf}${name}`.slice(0, 30))).toEqual([`${shelf}${name}`]);
  });

  it("completion: drafts are offered beside files, as paths from the working folder", async () => {
    const { folder, root } = await twoRuns();
    fs.mkdirSync(join(root, "drafts/fix-2"), { recursive: true });
    fs.mkdirSync(join(root, "drafts/a b"));
    fs.writeFileSync(join(root, "drafts/note"), "");
    fs.mkdirSync(join(folder, "below"));
    expect(await answers(folder, "pack", "")).toEqual({ ".ctx/drafts/fix-2": "draft", ":files": "(marker)" });
    expect(await values(join(folder, "below"), "pack", "..")).toEqual(["../.ctx/drafts/fix-2", ":files"]);
    expect(await values(folder, "pack", "run")).toEqual([":files"]);
  });

  it("completion: the newest fifty packs are offered, or all that begin as typed", async () => {
    const { folder } = tempStore();
    const packed: string[] = [];
    for (let minute = 0; minute < 60; minute++) {
      const created = `2026-03-01T10:${String(minute).padStart(2, "0")}:00Z`;
      packed.unshift(await pack(folder, smallLog({ created })));
    }
    const short = packed.map((hex) => hex.slice(0, 12));
    const check = async (newest: number): Promise<void> => {
      const offered = await values(folder, "show", "");
      expect(offered).toHaveLength(51);
      expect(offered.slice(1, newest)).toEqual(short.slice(0, newest - 1));
      const digit = packed[59]?.[0] as string;
      const all = short.filter((hex) => hex.startsWith(digit));
      expect((await values(folder, "show", digit)).sort()).toEqual(all.sort());
    };
    await check(40);
    await cli(["log"], { folder });
    await check(50);
    const late = await pack(folder, smallLog({ created: "2026-03-02T00:00:00Z" }));
    expect((await values(folder, "show", "")).slice(0, 2)).toEqual(["latest", late.slice(0, 12)]);
  });

  it("completion: nothing is written", async () => {
    const { folder } = await twoRuns();
    const before = snapshot(folder);
    await values(folder, "show", "");
    expect(snapshot(folder)).toEqual(before);
  });

  it("completion: a line is parsed as the option parser parses it", async () => {
    const { folder } = await twoRuns();
    for (const before of [
      ["log", "-n", "--tag"],
      ["log", "--model", "-C"],
      ["tag", "-fd"],
      ["tag", "-d", "--"],
      ["show", "-"],
      ["log", "--since=1d", "-n1"],
    ]) {
      const offered = await values(folder, ...before, "");
      // If a value came next, the parser would miss it.
      const { stderr } = await cli(before, { folder });
      expect(stderr).not.toContain("needs a value");
      expect(offered).not.toContain(":folders");
    }
  });
});

describe("completion with a store that is hostile or damaged", () => {
  it("completion: no value is offered that could mean something to a shell", async () => {
    const { folder, root } = tempStore();
    const evil = [
      "$(touch pwned)",
      "`touch pwned`",
      "a b",
      "a\tb",
      "a\nb",
      "-rf",
      "--json",
      "=ls",
      "~root",
      "*",
      ":files",
      "a;b",
      "a'b",
      'a"b',
      "a\\b",
      "é",
      "\u001b[31m",
      "!!",
      "#x",
      "x".repeat(300),
    ];
    const steps = [...evil, "fine_tool"].map((tool) => ({ type: "tool_call", tool, output: "" }));
    await pack(folder, smallLog({ model: { identifier: "fine-model" }, steps }));
    // Without a title, the model describes a run.
    for (const identifier of evil) await pack(folder, smallLog({ model: { identifier }, steps: [] }));
    for (const name of ["a b", "$(touch pwned)", "a;b"])
      fs.mkdirSync(join(root, "drafts", name), { recursive: true });
    for (const name of ["a b", "$(x)", "-x", "a\nb"]) fs.writeFileSync(join(root, "refs/tags", name), "x\n");
    expect(await values(folder, "log", "--model", "")).toEqual(["fine-model"]);
    expect(await values(folder, "log", "--tool", "")).toEqual(["fine_tool"]);
    expect(await values(folder, "log", "--tool=-")).toEqual([]);
    expect(await values(folder, "pack", "")).toEqual([":files"]);
    expect(await values(folder, "tag", "")).toEqual([]);
    // Their names appear in descriptions, where nothing steers a terminal.
    const about = Object.values(await answers(folder, "show", ""));
    expect(about.join("\n")).toContain(String.raw`2026-02-10  \u{1b}[31m`);
    expect(about.join("\n")).toContain(String.raw`2026-02-10  a\u{9}b`);
  });

  it("completion: a forged or damaged catalog changes nothing", async () => {
    const { folder, root, a, b } = await twoRuns();
    await cli(["log"], { folder });
    const path = join(root, "cache/catalog");
    const bytes = fs.readFileSync(path);
    const kept = decodeCatalog((offset, length) => bytes.subarray(offset, offset + length), bytes.length);
    const [entry] = [...(kept?.entries() ?? [])];
    if (kept === undefined || entry === undefined) throw new Error("no catalog");
    const expected = ["latest", "base", b.slice(0, 12), a.slice(0, 12)];
    const forged: unknown[] = [
      { ...entry, hex: "$(touch pwned)" },
      { ...entry, content: { toJSON: () => null } },
      { ...entry, content: { toJSON: () => "model" } },
      { ...entry, content: { ...entry.content, created: "soon" } },
      { ...entry, content: { ...entry.content, model: ["x"] } },
      { ...entry, content: { ...entry.content, tools: "x" } },
      { ...entry, content: { ...entry.content, session: ["x"] } },
    ];
    for (const one of forged) {
      const bad = { ...(one as typeof entry), contents: [] };
      const catalog = encodeCatalog([bad], { mtimeNs: 1n, ctimeNs: 1n });
      fs.writeFileSync(path, catalog);
      expect(await values(folder, "show", "")).toEqual(expected);
      expect(await values(folder, "log", "--model", "")).toHaveLength(2);
    }
    for (const text of ["", "ctxcat01", bytes.subarray(0, 100), Buffer.alloc(500, "ctxcat01")]) {
      fs.writeFileSync(path, text);
      expect(await values(folder, "show", "")).toEqual(expected);
    }
    fs.rmSync(path);
    fs.mkdirSync(path);
    expect(await values(folder, "show", "")).toEqual(expected);
  });

  it("completion: what cannot be read is called damaged or not offered, without an error", async () => {
    const { folder, root, a } = await twoRuns();
    fs.rmSync(join(root, "objects", a.slice(0, 2), a.slice(2)));
    expect((await answers(folder, "show", ""))[a.slice(0, 12)]).toBe("damaged");
    fs.rmSync(join(root, "packs"), { recursive: true });
    fs.writeFileSync(join(root, "packs"), "");
    expect(await values(folder, "show", "")).toEqual([]);
    expect(await values(folder, "show", "--st")).toEqual(["--step", "--steps"]);
  });

  it.each(["$(touch pwned)", "`x`", "a b", "'", '"', "*", "\n", "\u001b", "", "--", "-", "é", "\ud800"])(
    "completion: the word %j is plain text in every position",
    async (word) => {
      const { folder } = await twoRuns();
      for (const words of [
        [word],
        ["show", word],
        ["show", word, ""],
        [word, ""],
        ["-C", word, "show", ""],
        ["log", "--tag", word],
        ["log", `--tag=${word}`],
        ["log", `-${word}`, ""],
        ["cat", word, word, word],
      ])
        expect((await values(folder, ...words)).join("")).not.toContain("pwned");
    },
  );
});

describe("ctx __complete", () => {
  it("ctx __complete: it is in no list or suggestion, and options of ctx do not reach it", async () => {
    const folder = tempFolder();
    expect((await cli(["--help"], { folder })).stdout).not.toContain("__complete");
    expect((await cli(["__complet"], { folder })).stderr).not.toContain("__complete");
    for (const argv of [
      ["__complete"],
      ["__complete", "--json"],
      ["__complete", "--bad"],
      ["--json", "__complete"],
    ])
      expect(await cli(argv, { folder })).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("ctx completion", () => {
  const folder = tempFolder();

  it.each(["bash", "zsh", "fish", "powershell"])("ctx completion: prints a script for %s", async (shell) => {
    const { status, stdout, stderr } = await cli(["completion", shell], { folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("__complete -- ");
    expect(stdout).not.toMatch(/\beval\b|compgen -W|Invoke-Expression|\biex\b/);
    expect(stdout).toMatch(/^[\t\n -~]*\n$/);
    expect((await cli(["completion", "--help"], { folder })).stdout).toContain(`ctx completion ${shell}`);
    expect(JSON.parse((await cli(["completion", shell, "--json"], { folder })).stdout)).toEqual({
      shell,
      script: stdout,
    });
  });

  it("ctx completion: another shell is a usage error", async () => {
    expect(await cli(["completion", "bsh"], { folder })).toMatchObject({
      status: 2,
      stdout: "",
      stderr:
        'error: <shell> must be one of bash, zsh, fish, powershell, not "bsh"\nhint: did you mean bash?\n',
    });
    expect((await cli(["completion", "tcsh-4"], { folder })).stderr).toContain("ctx completion --help");
  });
});
