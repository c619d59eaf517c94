// What the commands print under --json and write to disk, held to the schemas in docs/schema, and those to
// the code that they come from.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.js";
import { commands } from "../../src/cli/table.js";
import { listFormats } from "../../src/ops/pack.js";
import { repository } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { startRegistry } from "../../dev/console-blocks.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { password } from "../../dev/secrets.js";
import { closed, compile, readSchema, schemaFolder } from "../../dev/schemas.js";
import { transcript } from "../../dev/sessions.js";

/** The schemas of what each command prints. A new command brings its own: see scripts/schemas.mjs. */
const printed: Record<string, string[]> = {
  init: ["init-result"],
  pack: ["pack-result", "pack-format"],
  discover: ["found-session"],
  hook: ["hook-result"],
  export: ["export-result", "export-as-result"],
  import: ["import-result"],
  push: ["push-result"],
  pull: ["pull-result"],
  remote: ["remote-result", "remote-ls-result"],
  show: ["manifest", "show-part", "show-files", "followed-part"],
  cat: ["cat-result"],
  log: ["log-entry"],
  tag: ["tag-result", "title-result"],
  completion: ["completion-result"],
  doctor: ["doctor-result"],
  diff: ["diff-result"],
  fork: ["fork-result"],
  replay: ["replay-result", "replay-plan"],
  trust: ["trust-result"],
  status: ["status-result"],
  verify: ["verify-result"],
  scan: ["scan-result"],
  rm: ["rm-result"],
  gc: ["gc-result"],
};

/** The fields, at the top, that need not be there; all others must. */
const optionalFields: Record<string, string[]> = {
  log: ["version", "created", "prompts", "inputs", "steps", "outputs", "parent", "metadata"],
  manifest: ["parent", "metadata"],
  sidecar: ["confidence", "notes"],
  "trust-result": ["files", "why"],
  "pack-result": ["parent", "redactions", "untrusted_rules", "format", "packs"],
  "log-entry": [
    "parent",
    "parent_absent",
    "session",
    "project",
    "agent",
    "format",
    "subagent",
    "version",
    "versions",
    "untimed",
    "prompts",
    "failed",
    "duration_ms",
    "tokens",
    "subruns",
  ],
  "hook-result": ["dry_run", "last"],
  "show-part": ["output", "seen"],
  "followed-part": ["session", "subagent", "output", "seen", "failure"],
  "tag-result": ["change", "created", "model", "title"],
  "diff-result": ["alignment_reason"],
  "replay-result": ["sealed"],
  "export-result": ["dry_run"],
  "export-as-result": ["log"],
  "push-result": ["dry_run"],
};

type Value = Record<string, unknown>;
const reference = `sha256:${"ab".repeat(32)}`;
const names = fs
  .readdirSync(schemaFolder)
  .flatMap((file) => (file.endsWith(".schema.json") ? file.replace(".schema.json", "") : []));
/** What was really printed or written, by schema. */
const samples = new Map<string, Value[]>(names.map((name) => [name, []]));

function of(name: string): Value[] {
  return samples.get(name) ?? [];
}

function keep(name: string, text: string): void {
  samples.get(name)?.push(JSON.parse(text) as Value);
}

/**
 * Runs a command line under --json and keeps every line that it prints; `results` is how many there must be.
 */
async function collect(
  folder: string,
  argv: string[],
  { schema, results = 1, input = "" }: { schema: string; results?: number; input?: unknown },
): Promise<void> {
  const { stdout, stderr } = await cli([...argv, "--json"], { folder, input: json(input) });
  const lines = stdout.split("\n").slice(0, -1);
  expect(lines.length, `${argv.join(" ")}: ${stderr}`).toBe(results);
  for (const line of lines) keep(schema, line);
  for (const line of stderr.split("\n").slice(0, -1))
    keep(line.startsWith('{"notice":') ? "notice" : "error", line);
}

/** A run that has everything. */
const fullLog = smallLog({
  version: "0.1",
  parent: reference,
  metadata: { by: null },
  prompts: [{ role: "user", content: "hi\u001b" }],
  inputs: [{ name: "data.bin", content_base64: "/w==" }],
  steps: [
    {
      type: "tool_call",
      tool: "t",
      output_base64: "/w==",
      seen: "shown",
      timestamp: "2026-02-10T11:00:00.250+01:00",
      pack: reference,
      metadata: {},
    },
    { type: "reasoning" },
  ],
  outputs: [{ name: "out/report.md", content: "x", confidence: "low", notes: "n" }],
});

/** Follows a log until its first reading has been printed, and keeps each line. */
async function followOnce(folder: string): Promise<void> {
  fs.writeFileSync(join(folder, "session.jsonl"), lines(...transcript()));
  const before = process.listenerCount("SIGINT");
  const following = cli(["show", "--follow", "session.jsonl", "--json"], { folder });
  while (process.listenerCount("SIGINT") === before) await pause(10);
  process.emit("SIGINT");
  const { stdout, stderr, status } = await following;
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  for (const line of stdout.split("\n").slice(0, -1)) keep("followed-part", line);
  fs.rmSync(join(folder, "session.jsonl"));
}

async function packAndShow(folder: string): Promise<void> {
  const use = (argv: string[], schema: string, results = 1) => collect(folder, argv, { schema, results });
  await use(["init"], "init-result");
  await use(["init"], "init-result");
  await use(["log"], "log-entry", 0);
  fs.mkdirSync(join(folder, "out"));
  fs.writeFileSync(join(folder, "out/report.md"), "x");
  const session = runLog({ metadata: { source: { session: "s", subagent: "a" } } });
  const leaky = smallLog({ prompts: [{ role: "user", content: `PASSWORD=${password} and ACME-4711` }] });
  const config = join(folder, ".ctx/config.json");
  const usual = fs.readFileSync(config);
  const rules = [{ id: "acme", pattern: "ACME-\\d+" }];
  fs.writeFileSync(config, JSON.stringify({ version: "0.1", redact: { allow: ["x"], rules } }));
  await collect(folder, ["pack", "-"], { schema: "pack-result", input: leaky });
  await use(["trust", "--list"], "trust-result");
  fs.writeFileSync(config, usual);
  for (const input of [smallLog({ created: undefined }), session, fullLog, fullLog])
    await collect(folder, ["pack", "-"], { schema: "pack-result", input });
  await use(["log", "--tool", "none"], "log-entry", 0);
  for (const part of ["--system", "--prompt=0", "--step=0", "--step=1", "--input=data.bin"])
    await use(["show", "latest", part], "show-part");
  await use(["show", "latest", "--output=out/report.md"], "show-part");
  await use(["show", "latest"], "manifest");
  await use(["show", "latest", "--steps=0-1"], "show-part", 2);
  await use(["show", "latest", "--full"], "show-part", 4);
  await use(["show", "latest", "--files"], "show-files");
  await followOnce(folder);
  for (const blob of [Buffer.from("hi\u001b"), Buffer.from([0xff])])
    await use(["cat", sha256(blob)], "cat-result");
  await use(["cat", "latest"], "cat-result");
  await use(["replay", "latest"], "replay-result");
  await use(["replay", "latest~0", "--plan"], "replay-plan");
  await use(["trust", "--list"], "trust-result");
  fs.writeFileSync(join(folder, "leak.txt"), `PASSWORD=${password}`);
  await use(["scan", "leak.txt", "absent", "latest"], "scan-result");
  await use(["scan"], "scan-result");
  await use(["fork", "latest"], "fork-result");
  await use(["fork", "latest", "mine", "--at=1"], "fork-result");
  await use(["status"], "status-result");
  fs.writeFileSync(join(folder, "mine/execution.json"), '{\n"model": 1\n}');
  await use(["status", "mine"], "status-result");
}

async function tagAndFail(folder: string): Promise<void> {
  const use = (argv: string[], schema: string, results = 1) => collect(folder, argv, { schema, results });
  fs.writeFileSync(join(folder, ".ctx/refs/tags/absent"), `${reference}\n`);
  await use(["tag", "mine"], "tag-result");
  await use(["tag", "mine", "latest", "--force"], "tag-result");
  await use(["tag"], "tag-result", 2);
  await use(["tag", "-d", "mine"], "tag-result");
  await use(["tag", "--title", "a run"], "title-result");
  await use(["tag", "--title", ""], "title-result");
  await collect(folder, ["pack", "-"], { schema: "pack-result", results: 0, input: { model: 5 } });
  for (const argv of [["show"], ["show", "0000"], ["cat", "ctx://x"], ["nonsense"], ["pack", "none.json"]])
    await use(argv, "error", 0);
  await use(["completion", "bash"], "completion-result");
  await use(["doctor"], "doctor-result");
  await collect(tempFolder(), ["log"], { schema: "log-entry", results: 0 });
}

/** A blob that is damaged, and repaired by packing again; then a pack that is. */
async function damage(folder: string): Promise<void> {
  const blob = join(folder, ".ctx/objects", sha256(Buffer.from("shown")).replace(/^../, "$&/"));
  fs.rmSync(blob);
  fs.writeFileSync(blob, "other");
  await collect(folder, ["show", "latest", "--step=0"], { schema: "show-part", results: 0 });
  await collect(folder, ["pack", "-"], { schema: "pack-result", input: fullLog });
  const latest = fs.readFileSync(join(folder, ".ctx/refs/latest"), "utf8").slice("sha256:".length, -1);
  for (const pack of fs.readdirSync(join(folder, ".ctx/packs")))
    keep("manifest", fs.readFileSync(join(folder, ".ctx/packs", pack), "utf8"));
  fs.rmSync(join(folder, ".ctx/objects", latest.replace(/^../, "$&/")));
  await collect(folder, ["log"], { schema: "log-entry", results: 4 });
}

/** A session of an agent that started another, and the formats that are known. */
async function foreign(folder: string): Promise<void> {
  await collect(folder, ["init"], { schema: "init-result" });
  const session = join(repository, "examples/sessions/fix-pages.jsonl");
  await collect(folder, ["pack", session], { schema: "pack-result" });
  const projects = join(folder, ".nobody/.claude/projects/p");
  fs.mkdirSync(projects, { recursive: true });
  fs.cpSync(session, join(projects, "s.jsonl"));
  fs.writeFileSync(join(projects, "none.jsonl"), '{"type":"summary","summary":"x","leafUuid":"l"}\n');
  await collect(folder, ["discover"], { schema: "found-session", results: 2 });
  // The copy is packed already, from elsewhere.
  await collect(folder, ["pack", "--discover"], { schema: "pack-result", results: 0 });
  await collect(folder, ["discover", "--new"], { schema: "found-session", results: 0 });
  for (const to of ["atif", "otlp", "openai"])
    await collect(folder, ["export", "latest", "--as", to], { schema: "export-as-result" });
  await collect(folder, ["hook", "install", "codex", "--dry-run"], { schema: "hook-result" });
  await collect(folder, ["hook", "install", "codex", "--yes"], { schema: "hook-result" });
  await collect(folder, ["__seal", "codex"], { schema: "hook-result", results: 0 });
  await collect(folder, ["hook"], { schema: "hook-result", results: 3 });
  await collect(folder, ["hook", "remove", "codex"], { schema: "hook-result" });
  await collect(folder, ["pack", "--from", "list"], { schema: "pack-format", results: listFormats().length });
}

/** Two real runs, compared in several ways, at last with a content that is gone. */
async function compare(folder: string): Promise<void> {
  const use = (argv: string[]) => collect(folder, ["diff", ...argv], { schema: "diff-result" });
  await collect(folder, ["init"], { schema: "init-result" });
  for (const name of ["run", "brief"]) {
    const path = join(repository, "examples", `${name}.json`);
    await collect(folder, ["pack", "--no-sidecars", path], { schema: "pack-result" });
  }
  await use(["latest"]);
  await use(["latest~1", "latest", "--align", "index", "--ignore", "edit_file:$.parameters.new_text"]);
  await use(["--baseline", "latest~1", "--baseline", "latest", "latest", "--only", "output"]);
  await use(["latest", "latest"]);
  const report = fs.readFileSync(join(repository, "examples/report.md"));
  fs.rmSync(join(folder, ".ctx/objects", sha256(report).replace(/^../, "$&/")));
  await use(["latest"]);
}

/** Packs that go away and come back: one that is a fork, and one with a parent that stays behind. */
async function share(folder: string): Promise<void> {
  const use = (argv: string[]) => collect(folder, argv, { schema: `${argv[0]}-result` });
  const { host, stop } = startRegistry(repository, tempFolder());
  try {
    await use(["init"]);
    await collect(folder, ["pack", "-"], { schema: "pack-result", input: fullLog });
    await use(["export", "latest", "-o", "run.ctx", "--dry-run"]);
    await use(["export", "latest", "-o", "run.ctx"]);
    await use(["remote", "add", "team", `oci://${host}/team/runs`]);
    await use(["remote", "add", "lab", "oci://lab.example.com/runs", "--plain-http"]);
    await use(["remote"]);
    await use(["push", "latest", "team", "--dry-run"]);
    await use(["push", "latest", "team:good"]);
    await collect(folder, ["remote", "ls", "team"], { schema: "remote-ls-result" });
    const blob = join(folder, ".ctx/objects", sha256(Buffer.from("shown")).replace(/^../, "$&/"));
    fs.rmSync(blob);
    fs.writeFileSync(blob, "other");
    await use(["import", "run.ctx"]);
    await use(["pull", "team:good"]);
  } finally {
    stop();
  }
}

/** Files, packs and a store that are verified; things that are taken out. */
async function prove(folder: string): Promise<void> {
  const use = (argv: string[]) => collect(folder, argv, { schema: `${argv[0]}-result` });
  fs.cpSync(join(repository, "examples"), folder, { recursive: true });
  await use(["init"]);
  for (const name of ["run", "brief"]) await use(["pack", `${name}.json`]);
  await use(["verify", "report.md", "--lines"]);
  fs.appendFileSync(join(folder, "pages.mjs"), "// edited\n");
  await use(["verify", "pages.mjs", "latest", "run.json", "none.txt", "--lines"]);
  await use(["verify"]);
  await use(["verify", "--write-sidecar", "report.md"]);
  fs.rmSync(join(folder, "report.md.ctx.json"));
  await use(["verify", "--write-sidecar", "report.md", "--from", "latest~1"]);
  await use(["gc", "--dry-run"]);
  await use(["rm", "latest"]);
  await use(["gc", "--grace", "0d", "--dry-run"]);
  await use(["gc", "--grace", "0d"]);
  const objects = join(folder, ".ctx/objects");
  const shelf = fs.readdirSync(objects).find((name) => fs.readdirSync(join(objects, name)).length > 0) ?? "";
  for (const name of fs.readdirSync(join(objects, shelf))) fs.rmSync(join(objects, shelf, name));
  await use(["verify"]);
}

beforeAll(async () => {
  const folder = tempFolder();
  await compare(tempFolder());
  await foreign(tempFolder());
  await prove(tempFolder());
  await share(tempFolder());
  await packAndShow(folder);
  await tagAndFail(folder);
  await damage(folder);
  keep("config", fs.readFileSync(join(folder, ".ctx/config.json"), "utf8"));
  keep("sidecar", fs.readFileSync(join(folder, "out/report.md.ctx.json"), "utf8"));
  for (const log of [smallLog(), runLog(), fullLog]) keep("log", JSON.stringify(log));
  keep("log", fs.readFileSync(join(repository, "examples/run.json"), "utf8"));
  // Packs of the first implementation are shown as any other.
  const old = tempFolder();
  fs.cpSync(join(repository, "test/golden/go-store"), old, { recursive: true });
  await collect(old, ["log"], { schema: "log-entry", results: 2 });
  for (const pack of fs.readdirSync(join(old, ".ctx/packs")))
    await collect(old, ["show", pack], { schema: "manifest" });
});

describe("docs/schema (if it is out of date: npm run docs)", () => {
  it("docs/schema is what the types and shapes say, file by file (npm run docs)", () => {
    const script = join(repository, "scripts/schemas.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect({ status, stale: stdout, stderr }).toEqual({ status: 0, stale: "", stderr: "" });
  });

  it("docs/schema has a schema for what every command prints", () => {
    expect(Object.keys(printed).sort()).toEqual(
      commands.flatMap(({ name }) => (name.startsWith("__") ? [] : name)).sort(),
    );
    expect(names).toEqual(expect.arrayContaining(Object.values(printed).flat()));
  });

  it.each(names)("schema %s has a name, a title and a description", (name) => {
    expect(readSchema(name)).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `${name}.schema.json`,
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/\.$/),
    });
  });
});

describe("results that commands print and write", () => {
  it.each(names)("schema %s fits every result, and names every field of it", (name) => {
    const validate = compile(closed(readSchema(name)) as Value);
    const found = of(name);
    expect(found.length).toBeGreaterThan(0);
    for (const value of found) {
      validate(value);
      expect({ value, errors: validate.errors }).toEqual({ value, errors: null });
    }
  });

  it("schema: the results that are checked come in every variety", () => {
    expect(new Set(of("init-result").map(({ created }) => created))).toEqual(new Set([true, false]));
    const entries = of("diff-result").flatMap((report) => report["entries"] as Value[]);
    expect(new Set(entries.map(({ type }) => type)).size).toBe(5);
    expect(entries.some((entry) => "damage" in ((entry["content"] ?? {}) as Value))).toBe(true);
    expect(of("pack-result").some(({ repaired }) => (repaired as []).length > 0)).toBe(true);
    expect(of("pack-result").some(({ sidecars }) => (sidecars as []).length > 0)).toBe(true);
    expect(new Set(of("log-entry").map(({ damaged }) => damaged))).toEqual(new Set([true, false]));
    expect(new Set(of("log-entry").map(({ versions }) => versions))).toEqual(new Set([undefined, 1]));
    expect(new Set(of("tag-result").map(({ change }) => change))).toEqual(
      new Set([undefined, "created", "moved", "removed"]),
    );
    expect(new Set(of("show-part").map(({ part }) => part)).size).toBe(5);
    expect(of("show-part").some((part) => "seen" in part && "output" in part)).toBe(true);
    expect(new Set(of("cat-result").map((result) => "text" in result))).toEqual(new Set([true, false]));
    for (const field of ["hint", "problems"])
      expect(of("error").some(({ error }) => field in (error as Value))).toBe(true);
    expect(of("notice").length).toBeGreaterThan(2);
  });

  it.each(names)(
    "schema %s refuses a field of another type, and a missing field that is required",
    (name) => {
      const validate = compile(readSchema(name));
      for (const value of of(name))
        for (const field of Object.keys(value)) {
          for (const wrong of [[[]], 1.5])
            expect(validate({ ...value, [field]: wrong }), `${field} is ${JSON.stringify(wrong)}`).toBe(
              false,
            );
          const { [field]: _gone, ...rest } = value;
          expect(validate(rest), `without ${field}`).toBe(optionalFields[name]?.includes(field) ?? false);
        }
      for (const wrong of [null, [], "x", 1, {}]) expect(validate(wrong)).toBe(false);
    },
  );

  it.each<[string, string, (value: Value) => unknown]>([
    ["init-result", "text for a boolean", (value) => ({ ...value, created: "yes" })],
    [
      "pack-result",
      "an address in upper case",
      ({ uri, ...value }) => ({ ...value, uri: String(uri).toUpperCase() }),
    ],
    [
      "pack-result",
      "a count left out",
      (value) => ({ ...value, counts: { prompts: 0, inputs: 0, steps: 0 } }),
    ],
    ["pack-result", "a negative size", (value) => ({ ...value, bytes_new: -1 })],
    ["log-entry", "a damaged pack with a time", (value) => ({ ...value, damaged: true })],
    ["log-entry", "a whole pack without a time", (value) => ({ ...value, created: null })],
    ["show-part", "a part of another kind", (value) => ({ ...value, part: "step" })],
    [
      "show-part",
      "content without text or bytes",
      (value) => ({ ...value, content: { ref: reference, size: 0 } }),
    ],
    ["cat-result", "content twice", (value) => ({ ...value, text: "", base64: "" })],
    ["tag-result", "another change", (value) => ({ ...value, change: "made" })],
    ["tag-result", "a path for a name", (value) => ({ ...value, name: "../latest" })],
    [
      "doctor-result",
      "another status",
      (value) => ({ ...value, checks: [{ name: "", status: "good", found: "" }] }),
    ],
    ["error", "an unknown code", () => ({ error: { code: "oops", message: "" } })],
    ["error", "no message", () => ({ error: { code: "usage" } })],
    [
      "error",
      "a problem without its path",
      () => ({ error: { code: "usage", message: "", problems: [{ message: "" }] } }),
    ],
    ["diff-result", "another alignment", (value) => ({ ...value, alignment: "rough" })],
    ["diff-result", "an entry that is empty", (value) => ({ ...value, entries: [{}] })],
    ["config", "a rule that is no text", () => ({ version: "0.1", diff: { ignore: [1] } })],
    ["config", "another version", () => ({ version: "0.2" })],
    ["sidecar", "a short reference", (value) => ({ ...value, inputs: ["sha256:ab"] })],
    ["manifest", "an empty hash", (value) => ({ ...value, hash: "" })],
    ["manifest", "a time with an offset", (value) => ({ ...value, created: "2026-02-10T12:00:00+00:00" })],
    [
      "manifest",
      "an output that is not sealed",
      (value) => ({ ...value, outputs: [{ name: "a", content_ref: reference }] }),
    ],
    ["log", "an unknown field", (value) => ({ ...value, comment: "" })],
    ["log", "content in two ways", (value) => ({ ...value, system_prompt: "", system_prompt_base64: "" })],
    ["log", "a tool call without tool", (value) => ({ ...value, steps: [{ type: "tool_call" }] })],
    ["log", "a month 13", (value) => ({ ...value, created: "2026-13-01T00:00:00Z" })],
    ["log", "an hour 24", (value) => ({ ...value, created: "2026-02-10T24:00:00Z" })],
    ["log", "a leap second", (value) => ({ ...value, created: "2016-12-31T23:59:60Z" })],
    [
      "log",
      "base64 of the URL alphabet",
      (value) => ({ ...value, prompts: [{ role: "", content_base64: "-_8=" }] }),
    ],
    ["log", "a name that leads out", (value) => ({ ...value, inputs: [{ name: "../a", content: "" }] })],
  ])("schema %s refuses %s", (name, _what, change) => {
    const validate = compile(readSchema(name));
    // A damaged pack stands in the log where its arrival puts it, which may be first.
    const first = of(name).find(({ damaged }) => damaged !== true);
    expect(validate(first)).toBe(true);
    expect(validate(change(first as Value))).toBe(false);
  });
});
