// Packs that are not the record of a run: sealed from an edited draft, or by a replay. Every command says so,
// and a file that was edited by hand is never verified.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { canonicalBytes } from "../../src/base/json/canonical.js";
import type { DriftReport } from "../../src/results/drift.js";
import { type Manifest, seal } from "../../src/model/manifest.js";
import type { StatusResult } from "../../src/results/results.js";
import type { LogEntry } from "../../src/results/log.js";
import type { VerifyResult } from "../../src/results/verify.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json } from "../../dev/logs.js";
import {
  manifestOf,
  packed,
  putObject,
  reportLog,
  reportStore,
  reportText,
  verify,
  write,
} from "../../dev/provenance.js";
import { compile, readSchema } from "../../dev/schemas.js";

let folder: string;
let root: string;
/** The pack of the run, and its first digits. */
let hex: string;
let short: string;

beforeEach(async () => {
  ({ folder, root, hex } = await reportStore());
  short = hex.slice(0, 12);
});

const forged = "# Report\n\nAll five hundred tests passed, and nothing was skipped.\n";

function ctx(...argv: string[]): Promise<CliResult> {
  return cli(argv, { folder });
}

async function uri(...argv: string[]): Promise<string> {
  const { status, stdout, stderr } = await ctx(...argv);
  expect(status, stderr).toBe(0);
  return stdout.trim().slice("ctx://".length);
}

/** Seals the run with another report in it, which no step wrote. */
function forge(content = forged): Promise<string> {
  return uri("fork", hex, "--set", `outputs[report.md].content=${content}`, "--seal");
}

function originIn(pack: string): unknown {
  return (manifestOf(root, pack)["metadata"] as AnyLog | undefined)?.["origin"];
}

/** Puts a pack into the store as another program, or an earlier version of ctx, would have: by hand. */
function sealByHand(pack: string, change: (manifest: AnyLog) => AnyLog, into = root): string {
  const manifest = change(manifestOf(root, pack)) as unknown as Manifest;
  const made = putObject(into, canonicalBytes(manifest));
  fs.writeFileSync(join(into, "packs", made), canonicalBytes(seal(manifest, made)));
  return made;
}

/** As an earlier version sealed a draft: it has a parent, other content, and nothing that says so. */
function oldDraft(): string {
  const content_ref = `sha256:${putObject(root, forged)}`;
  return sealByHand(hex, (manifest) => ({
    ...manifest,
    created: "2026-03-01T00:00:00Z",
    parent: `sha256:${hex}`,
    outputs: [{ confidence: "high", content_ref, name: "report.md", notes: "looked at twice" }],
  }));
}

/** Returns the log that a draft of the run has, in a folder without its README: a log like any other. */
async function logOfDraft(change: (log: AnyLog) => void): Promise<string> {
  await ctx("fork", hex, "away");
  const path = join(folder, "away", "execution.json");
  const log = JSON.parse(fs.readFileSync(path, "utf8")) as AnyLog;
  change(log);
  fs.writeFileSync(path, JSON.stringify(log));
  fs.rmSync(join(folder, "away", "README.md"));
  return "away/execution.json";
}

/** Returns the steps of the report, all at one time. */
function at(timestamp: string): AnyLog[] {
  return stepsOf(reportLog()).map((step) => ({ ...step, timestamp }));
}

function stepsOf(log: AnyLog): AnyLog[] {
  return log["steps"] as AnyLog[];
}

describe("a pack sealed from a draft", () => {
  it("draft: the sealed pack lists the edited paths in metadata.origin, sorted", async () => {
    await ctx("fork", hex, "draft");
    write(folder, "draft/system_prompt.md", "Lie.");
    write(folder, "draft/outputs/report.md", forged);
    expect(originIn(await uri("pack", "draft"))).toEqual({
      kind: "draft",
      edited: ["outputs[report.md].content", "system_prompt"],
    });
  });

  it("draft: ctx fork --seal records the edited paths without a folder", async () => {
    expect(originIn(await forge())).toEqual({ kind: "draft", edited: ["outputs[report.md].content"] });
  });

  it('draft: what was edited is "unknown" when the parent is not in the store', async () => {
    await ctx("fork", hex, "draft");
    const other = tempStore();
    const { status, stdout } = await cli(["pack", join(folder, "draft")], { folder: other.folder });
    expect(status).toBe(0);
    const { metadata } = manifestOf(other.root, stdout.trim().slice("ctx://".length)) as { metadata: AnyLog };
    expect(metadata["origin"]).toEqual({ kind: "draft", edited: ["unknown"] });
  });

  it("draft: ctx pack refuses an unedited one; with --allow-empty, `edited` is empty", async () => {
    await ctx("fork", hex, "draft");
    const before = snapshot(root);
    expect(await ctx("pack", "draft")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("nothing changed") as string,
    });
    expect(snapshot(root)).toEqual(before);
    const sealed = await uri("pack", "draft", "--allow-empty");
    expect(originIn(sealed)).toEqual({ kind: "draft", edited: [] });
    // What is sealed already can be sealed again.
    expect(await uri("pack", "draft")).toBe(sealed);
  });

  it("draft: its log is a draft without its README, and from a pipe", async () => {
    const { stdout } = await ctx("fork", hex);
    const draft = join(folder, stdout.trim());
    write(draft, "outputs/report.md", forged);
    const value = JSON.parse(fs.readFileSync(join(draft, "execution.json"), "utf8")) as AnyLog;
    delete stepsOf(value)[0]?.["output_file"];
    const log = JSON.stringify(value);
    write(draft, "execution.json", log);
    const piped = await cli(["pack", "-"], { folder: draft, input: log });
    expect(piped.status, piped.stderr).toBe(0);
    fs.rmSync(join(draft, "README.md"));
    const again = await uri("pack", stdout.trim());
    expect(piped.stdout.trim()).toBe(`ctx://${again}`);
    expect(originIn(again)).toEqual({
      kind: "draft",
      edited: ["outputs[report.md].content", "steps[0].output"],
    });
  });

  it("draft: ctx status predicts the hash of the sealed pack", async () => {
    await ctx("fork", hex, "draft");
    write(folder, "draft/outputs/report.md", forged);
    const before = JSON.parse((await ctx("status", "draft", "--json")).stdout) as StatusResult;
    const sealed = await uri("pack", "draft");
    expect(before.drafts[0]).toMatchObject({ state: "edited", hash: `sha256:${sealed}` });
    const after = JSON.parse((await ctx("status", "draft", "--json")).stdout) as StatusResult;
    expect(after.drafts[0]).toMatchObject({ state: "sealed" });
  });

  it("draft: the sealed pack is no version of the session, even without a parent", async () => {
    const source = { format: "codex", session: "0123456789" };
    const run = await packed(folder, reportLog({ metadata: { source } }));
    await ctx("fork", run, "draft");
    const path = join(folder, "draft/execution.json");
    const log = JSON.parse(fs.readFileSync(path, "utf8")) as AnyLog;
    delete log["parent"];
    fs.writeFileSync(path, JSON.stringify(log));
    const draft = await uri("pack", "draft");
    expect(originIn(draft)).toEqual({ kind: "draft", edited: ["unknown"] });
    const entries = (await ctx("log", "--session", source.session, "--json")).stdout.trim().split("\n");
    const versions = entries.map((entry) => JSON.parse(entry) as LogEntry).map((each) => each.versions);
    expect(versions).toEqual([undefined, 1]);
  });

  it("draft: a draft of a draft is compared with that draft and does not inherit its origin", async () => {
    const first = await forge();
    const again = await ctx("fork", first, "draft");
    expect(again.status).toBe(0);
    expect(fs.readFileSync(join(folder, "draft/execution.json"), "utf8")).not.toContain('"origin"');
    expect(await ctx("pack", "draft")).toMatchObject({ status: 1 });
    write(folder, "draft/system_prompt.md", "Lie.");
    expect(originIn(await uri("pack", "draft"))).toEqual({ kind: "draft", edited: ["system_prompt"] });
  });
});

describe("a log of ctx's own", () => {
  it("native log: metadata.origin is an error, whatever it says", async () => {
    for (const origin of [{ kind: "replay" }, { kind: "draft", edited: [] }, "ci", null, {}]) {
      const { status, stderr } = await cli(["pack", "-"], {
        folder,
        input: json(reportLog({ metadata: { origin } })),
      });
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringContaining("metadata.origin: is reserved for ctx: leave it out") as string,
      });
    }
    await ctx("fork", hex, "draft");
    const path = join(folder, "draft/execution.json");
    const log = JSON.parse(fs.readFileSync(path, "utf8")) as AnyLog;
    fs.writeFileSync(path, JSON.stringify({ ...log, metadata: { origin: { kind: "replay" } } }));
    expect(await ctx("pack", "draft")).toMatchObject({ status: 2 });
  });

  it("native log: one whose steps are all its parent's is sealed as a draft, wherever it lies", async () => {
    const path = await logOfDraft((log) => void delete log["created"]);
    write(folder, "away/outputs/report.md", forged);
    write(folder, "report.md", forged);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const { status, stdout, stderr } = await ctx("pack", path);
    expect(status, stderr).toBe(0);
    expect(stderr).toContain(`all its steps are those of its parent, ctx://${short}`);
    const sealed = stdout.trim().slice("ctx://".length);
    expect(originIn(sealed)).toEqual({ kind: "draft", edited: ["outputs[report.md].content"] });
    expect(fs.existsSync(join(folder, "report.md.ctx.json"))).toBe(false);
  });

  it("native log: metadata.replay does not make a draft a replay", async () => {
    const path = await logOfDraft((log) => {
      log["metadata"] = { replay: { of: `sha256:${hex}`, fidelity: "exact", checked: 3 } };
    });
    write(folder, "away/outputs/report.md", forged);
    expect(originIn(await uri("pack", path))).toEqual({
      kind: "draft",
      edited: ["metadata.replay", "outputs[report.md].content"],
    });
  });

  it("native log: one with its parent's times in another notation is sealed as a draft", async () => {
    const first = await packed(folder, reportLog({ steps: at("2026-02-10T11:00:02Z") }));
    const again = { ...reportLog(), parent: `sha256:${first}`, outputs: [] };
    for (const time of ["2026-02-10T11:00:02.000Z", "2026-02-10T12:00:02.0+01:00"])
      expect(originIn(await packed(folder, { ...again, steps: at(time) }))).toMatchObject({ kind: "draft" });
    const later = await packed(folder, { ...again, steps: at("2026-02-10T11:00:02.001Z") });
    expect(originIn(later)).toBeUndefined();
  });

  it("native log: one that `ctx fork` wrote is a draft without README.md and with a step edited", async () => {
    const path = await logOfDraft(() => undefined);
    const [step] = fs.readdirSync(join(folder, "away/steps"));
    write(folder, `away/steps/${step}`, "something else");
    const { stdout, stderr } = await ctx("pack", path);
    expect(stderr).toContain("sealed as an edited draft, not as a run: the log looks like a draft of ctx://");
    expect(originIn(stdout.trim().slice("ctx://".length))).toMatchObject({
      kind: "draft",
      edited: [expect.stringMatching(/^steps\[\d+\]\.output$/)],
    });
  });

  it("native log: a child is a run if its steps have new times or results, or neither run has steps", async () => {
    const first = await packed(folder, reportLog({ steps: at("2026-02-10T11:00:00Z") }));
    const again = { ...reportLog(), parent: `sha256:${first}`, outputs: [] };
    const rerun = await packed(folder, { ...again, steps: at("2026-05-05T00:00:00Z") });
    expect(originIn(rerun)).toBeUndefined();
    // Without a time a step says nothing for itself.
    for (const steps of [at("2026-02-10T11:00:00Z"), stepsOf(reportLog())])
      expect(originIn(await packed(folder, { ...again, steps }))).toMatchObject({ kind: "draft" });
    const parent = `sha256:${hex}`;
    const steps = [{ type: "tool_call", tool: "read_file", output: "something else" }];
    expect(originIn(await packed(folder, reportLog({ parent, steps })))).toBeUndefined();
    const chat = await packed(folder, { ...reportLog(), steps: [], created: "2026-01-01T00:00:00Z" });
    const next = { ...reportLog(), steps: [], parent: `sha256:${chat}`, system_prompt: "Another turn." };
    expect(originIn(await packed(folder, next))).toBeUndefined();
  });

  it("native log: a child has the same hash packed together with its parent as after it", async () => {
    const before = { ...reportLog(), system_prompt: "A run of its own." };
    const [first, second] = [tempStore(), tempStore()];
    const parent = await packed(first.folder, before, "--no-sidecars");
    const child = { ...before, parent: `sha256:${parent}`, outputs: [] };
    const alone = await packed(first.folder, child, "--no-sidecars");
    for (const [name, log] of Object.entries({ "1.json": before, "2.json": child }))
      fs.writeFileSync(join(second.folder, name), json(log));
    const { stdout } = await cli(["pack", "1.json", "2.json", "--no-sidecars"], { folder: second.folder });
    expect(stdout.trim().split("\n")).toEqual([`ctx://${parent}`, `ctx://${alone}`]);
    expect(manifestOf(first.root, alone)["metadata"]).toEqual({
      origin: { kind: "draft", edited: ["outputs"] },
    });
  });
});

const kinds = {
  "that says so": () => forge(),
  "that an earlier version sealed": () => Promise.resolve(oldDraft()),
};

describe.each(Object.entries(kinds))("a draft %s", (_, make) => {
  it("draft: show, log and replay say that it was never executed", async () => {
    const draft = await make();
    expect((await ctx("show", draft)).stdout).toMatch(
      /origin +never executed: it is a draft of ctx:\/\/[0-9a-f]{12}, edited by hand\s+\(outputs\[report\.md\]/,
    );
    expect((await ctx("show", hex)).stdout).not.toContain("never executed");
    expect((await ctx("log")).stdout).toContain("a draft, edited by hand: never executed");
    const line = (await ctx("log", "--oneline")).stdout
      .split("\n")
      .find((each) => each.startsWith(draft.slice(0, 12)));
    expect(line).toMatch(/ \(draft\)$/);
    const entries = (await ctx("log", "--json")).stdout.trim().split("\n");
    const origins = entries
      .map((entry) => JSON.parse(entry) as LogEntry)
      .map((each) => [each.hash, each.origin]);
    expect(Object.fromEntries(origins)).toEqual({
      [`sha256:${draft}`]: "draft",
      [`sha256:${hex}`]: undefined,
    });
    // From the catalog that was kept, too.
    expect((await ctx("log")).stdout.match(/never executed/g)).toHaveLength(1);
    const said = `ctx://${draft.slice(0, 12)} was never executed: it is a draft of ctx://${short}`;
    expect((await ctx("replay", draft)).stdout.replaceAll("\n", " ")).toContain(said);
    expect(JSON.parse((await ctx("replay", draft, "--json")).stdout)).toMatchObject({
      origin: { kind: "draft", parent: `sha256:${hex}` },
    });
    expect((await ctx("replay", draft, "--plan")).stdout).toContain("never executed: it is a draft");
    expect((await ctx("replay", draft, "--markdown")).stdout).toContain("was never executed");
    expect((await ctx("replay", hex)).stdout).not.toContain("never executed");
  });

  it("draft: diff says on either side that it was never executed", async () => {
    const draft = await make();
    const text = async (...argv: string[]): Promise<string> =>
      (await ctx("diff", ...argv)).stdout.replaceAll(/\s+/g, " ");
    expect(await text(draft, "--human")).toContain(
      "b was never executed: its steps are a's, except what was edited by hand: outputs[report.md].content",
    );
    expect(await text(draft, hex, "--human")).toContain("a was never executed: its steps are b's, except");
    expect(await text(draft, "--markdown")).toContain("b was never executed: its steps are a's, except");
    expect(await text(draft, "--stat")).toContain("b was never executed");
    const report = JSON.parse((await ctx("diff", hex, draft)).stdout) as DriftReport;
    expect(report.origin_a).toBeUndefined();
    expect(report.origin_b).toMatchObject({ kind: "draft", parent: `sha256:${hex}` });
    expect(compile(readSchema("diff-result"))(report)).toBe(true);
    const other = await packed(folder, { ...reportLog(), system_prompt: "Another run.", outputs: [] });
    expect(await text(other, draft, "--human")).toContain(
      `b was never executed: its steps are those of ctx://${short}`,
    );
  });

  it("draft: it proves no file; the run that it was made from still does", async () => {
    const draft = await make();
    write(folder, "report.md", forged);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const { status, target, detail } = await verify(folder, "report.md");
    expect({ status, result: target.result, packs: target.packs }).toEqual({
      status: 2,
      result: "unproven",
      packs: [`sha256:${draft}`],
    });
    expect(detail("content")).toContain(`edited by hand in a draft of ctx://${short}, not produced by a run`);
    write(folder, "report.md", reportText);
    expect(await verify(folder, "report.md")).toMatchObject({ status: 0, target: { result: "verified" } });
    // The draft itself is what it says.
    const own = await verify(folder, "--pack", draft);
    expect(own).toMatchObject({ status: 0, target: { result: "verified" } });
    expect(own.target.notes.join(" ")).toContain("was never executed");
  });

  it("draft: a run with the same bytes proves the file in its place, unless a sidecar names the draft", async () => {
    await make();
    write(folder, "report.md", forged);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const run = await packed(
      folder,
      {
        ...reportLog(),
        created: "2020-01-01T00:00:00Z",
        outputs: [{ name: "report.md", content: forged }],
        steps: [],
      },
      "--no-sidecars",
    );
    const { status, target } = await verify(folder, "report.md");
    expect({ status, first: target.packs[0] }).toEqual({ status: 0, first: `sha256:${run}` });
    // Where a sidecar names the draft, the sidecar decides.
    write(
      folder,
      "report.md.ctx.json",
      JSON.stringify({ context_pack: `sha256:${await make()}`, inputs: [], tools: [] }),
    );
    expect((await verify(folder, "report.md")).target.result).not.toBe("verified");
  });

  it("draft: ctx verify --write-sidecar writes none for its outputs", async () => {
    const draft = await make();
    write(folder, "report.md", forged);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    for (const more of [[], ["--from", draft]]) {
      const { status, stdout } = await ctx("verify", "--write-sidecar", "report.md", "--json", ...more);
      expect({ status, notes: (JSON.parse(stdout) as VerifyResult).targets[0]?.notes }).toEqual({
        status: 2,
        notes: expect.arrayContaining([
          expect.stringMatching(/^no sidecar was written: .* edited by hand in a draft of/),
        ]) as string[],
      });
    }
    expect(fs.existsSync(join(folder, "report.md.ctx.json"))).toBe(false);
    // One that names the draft is replaced once a run backs the file.
    write(
      folder,
      "report.md.ctx.json",
      JSON.stringify({ context_pack: `sha256:${draft}`, inputs: [], tools: [] }),
    );
    const outputs = [{ name: "report.md", content: forged }];
    const run = await packed(folder, { ...reportLog({ outputs }), steps: [], system_prompt: "A run." });
    expect(fs.readFileSync(join(folder, "report.md.ctx.json"), "utf8")).toContain(run);
  });

  it("draft: ctx verify --lines attributes no lines to it", async () => {
    await make();
    write(folder, "other.md", `${forged}${reportText}`);
    const { target } = await verify(folder, "other.md", "--lines");
    const packs = target.lines?.flatMap((range) => range.pack ?? []) ?? [];
    expect(new Set(packs)).toEqual(new Set([`sha256:${hex}`]));
  });

  it("draft: it remains a draft through export and import", async () => {
    const draft = await make();
    const other = tempStore();
    expect((await ctx("export", draft, hex, "-o", join(other.folder, "run.ctx"))).status).toBe(0);
    expect((await cli(["import", "run.ctx"], { folder: other.folder })).status).toBe(0);
    write(other.folder, "report.md", forged);
    const { status, target } = await verify(other.folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 2, result: "unproven" });
  });
});

describe("the origin in a pack from elsewhere", () => {
  const odd: unknown[] = [
    null,
    "draft",
    7,
    [],
    {},
    { kind: 5 },
    { kind: "draft" },
    { kind: "draft", edited: "all" },
    { kind: "draft", edited: [1, null, { a: 1 }] },
    { kind: "draft", edited: ["\u001b[31mred\u202e"] },
    { kind: "replay" },
    { kind: "replay", of: "sha256:1", fidelity: "exact", checked: 1 },
    { kind: "continued", at: -1 },
    { kind: "continued", at: 2 },
    { kind: "constructor" },
    { kind: "merged", of: [] },
  ];

  it.each(odd.map((origin) => [JSON.stringify(origin), origin] as const))(
    "origin: an odd one in a pack from elsewhere does no harm: %s",
    async (_, origin) => {
      const content_ref = `sha256:${putObject(root, forged)}`;
      const pack = sealByHand(hex, (manifest) => ({
        ...manifest,
        created: "2026-03-01T00:00:00Z",
        metadata: { origin },
        outputs: [{ name: "report.md", content_ref }],
      }));
      write(folder, "report.md", forged);
      fs.rmSync(join(folder, "report.md.ctx.json"));
      const isDraft = (origin as AnyLog | null)?.["kind"] === "draft";
      const commands = [
        ["show", pack],
        ["log"],
        ["log", "--json"],
        ["diff", hex, pack],
        ["diff", hex, pack, "--human"],
      ];
      for (const argv of [
        ...commands,
        ["replay", pack],
        ["verify", pack],
        ["fork", pack, "draft"],
        ["status", "draft"],
      ]) {
        const { status, stdout, stderr } = await ctx(...argv);
        expect([0, 1, 2], stderr).toContain(status);
        expect(stderr).not.toContain("bug");
        expect(stdout).not.toContain("\u001b");
      }
      const { status, target } = await verify(folder, "report.md");
      expect({ status, result: target.result }).toEqual(
        isDraft ? { status: 2, result: "unproven" } : { status: 0, result: "verified" },
      );
    },
  );

  it.each([
    [{ origin: { kind: "continued", at: 1 } }],
    [{ origin: { kind: "replay", of: `sha256:${"1".repeat(64)}`, fidelity: "exact", checked: 9 } }],
    [{ origin: "recorded" }],
    [{}],
  ])("origin: none in a pack from elsewhere improves the verdict of verify: %j", async (metadata) => {
    const content_ref = `sha256:${putObject(root, forged)}`;
    sealByHand(hex, (manifest) => ({
      ...manifest,
      created: "2026-03-01T00:00:00Z",
      metadata,
      outputs: [{ content_ref, name: "report.md" }],
      parent: `sha256:${hex}`,
    }));
    write(folder, "report.md", forged);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const { status, target, detail } = await verify(folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 2, result: "unproven" });
    expect(detail("content")).toContain("not produced by a run");
  });

  it("origin: a draft without a recorded one is not recognised once its parent is gone", async () => {
    oldDraft();
    expect((await ctx("log")).stdout).toContain("never executed");
    expect((await ctx("rm", hex, "--force")).status).toBe(0);
    expect((await ctx("log")).stdout).not.toContain("never executed");
    expect((await ctx("show", "latest")).stdout).not.toContain("never executed");
  });

  it("origin: metadata.replay, which an earlier ctx wrote, is shown as a replay", async () => {
    const old = sealByHand(hex, (manifest) => ({
      ...manifest,
      created: "2026-03-01T00:00:00Z",
      environment: { os: "darwin/arm64", runtime: "node22", tool_versions: {} },
      metadata: { replay: { of: `sha256:${hex}`, fidelity: "exact", checked: 3 } },
      parent: `sha256:${hex}`,
    }));
    const stdout = (await ctx("show", old)).stdout.replaceAll(/\s+/g, " ");
    expect(stdout).toContain(`recorded by a replay of ctx://${short} (exact, 3 tool calls checked)`);
    expect(stdout).not.toContain("metadata");
    expect((await ctx("log", "--oneline")).stdout).toMatch(/ \(replay\)$/m);
  });
});

describe("ctx replay --seal", () => {
  it("ctx replay --seal records that the pack is a replay, of what, and how exact", async () => {
    const { stdout } = await ctx("replay", hex, "--seal", "--json");
    const { sealed, fidelity, counts } = JSON.parse(stdout) as {
      sealed: string;
      fidelity: string;
      counts: { checked: number };
    };
    const pack = sealed.slice("sha256:".length);
    expect(originIn(pack)).toEqual({
      kind: "replay",
      of: `sha256:${hex}`,
      fidelity,
      checked: counts.checked,
      made_by: expect.any(Array) as unknown,
    });
    expect((await ctx("show", pack)).stdout).toContain("origin   recorded by a replay of");
    const entries = (await ctx("log", "--json")).stdout.trim().split("\n");
    expect(entries.map((entry) => (JSON.parse(entry) as LogEntry).origin)).toEqual(["replay", undefined]);
    expect((await ctx("fork", pack, "draft")).status).toBe(0);
    expect(fs.readFileSync(join(folder, "draft/execution.json"), "utf8")).not.toContain("fidelity");
  });
});

describe("a log that ctx exported", () => {
  it("export --as: a draft that is exported and packed again is still a draft", async () => {
    const draft = await forge();
    const { stdout } = await ctx("export", draft, "--as", "atif");
    const other = tempStore();
    const { status, stdout: sealed } = await cli(["pack", "-"], { folder: other.folder, input: stdout });
    expect(status).toBe(0);
    const { metadata } = manifestOf(other.root, sealed.trim().slice("ctx://".length)) as { metadata: AnyLog };
    expect(metadata["origin"]).toEqual({ kind: "draft", edited: ["outputs[report.md].content"] });
  });

  it.each(["openai", "otlp", "atif"])(
    "export --as: what proves nothing proves nothing after an export to %s and back",
    async (to) => {
      const steps = [{ ...stepsOf(reportLog())[0], index: 0, type: "message", output: forged }];
      const run = await packed(folder, reportLog({ steps }), "--no-sidecars");
      const draft = await uri("fork", run, "--set", "model.identifier=another", "--seal");
      for (const pack of [draft, oldDraft()]) {
        const { stdout, status } = await ctx("export", pack, "--as", to);
        expect(status).toBe(0);
        const other = tempStore();
        const sealed = await cli(["pack", "-"], { folder: other.folder, input: stdout });
        const { metadata } = manifestOf(other.root, sealed.stdout.trim().slice("ctx://".length));
        expect(metadata).toMatchObject({ origin: { kind: "draft" } });
        write(other.folder, "answer.md", forged);
        expect((await verify(other.folder, "answer.md")).status).toBe(2);
      }
      const { stdout } = await ctx("export", run, "--as", to);
      const other = tempStore();
      expect((await cli(["pack", "-"], { folder: other.folder, input: stdout })).status).toBe(0);
      write(other.folder, "answer.md", forged);
      expect((await verify(other.folder, "answer.md")).status).toBe(0);
    },
  );

  it.each(["openai", "otlp"])("export --as: %s says that it does not tell what was edited", async (to) => {
    const { stderr } = await ctx("export", await forge(), "--as", to);
    expect(stderr).toContain("the list of parts edited by hand");
  });

  it("export --as: a packed export brings no origin but a draft's", async () => {
    const { stdout } = await ctx("export", hex, "--as", "atif");
    const log = JSON.parse(stdout) as { extra: { ctx: AnyLog } };
    log.extra.ctx["metadata"] = {
      origin: { kind: "replay", of: `sha256:${hex}`, fidelity: "exact", checked: 9 },
    };
    const other = tempStore();
    const { stdout: sealed } = await cli(["pack", "-"], { folder: other.folder, input: json(log) });
    expect(manifestOf(other.root, sealed.trim().slice("ctx://".length))["metadata"]).not.toHaveProperty(
      "origin",
    );
  });
});

describe("a small file without a sidecar", () => {
  const outputs = [
    { name: "empty.txt", content: "" },
    { name: "ok.txt", content: "ok\n" },
    { name: "fifteen.txt", content: "fifteen bytes.\n" },
    { name: "sixteen.txt", content: "sixteen bytes..\n" },
  ];

  beforeEach(async () => {
    await packed(folder, { ...reportLog({ outputs }), steps: [] }, "--no-sidecars");
  });

  it.each(outputs.slice(0, 3))("a small file not named $name is unproven", async ({ name, content }) => {
    for (const place of [
      write(folder, "other", content),
      write(folder, `sub/${name}`, content),
      write(tempFolder(), name, content),
    ]) {
      const { status, target, detail } = await verify(folder, "--file", place);
      expect({ status, result: target.result }).toEqual({ status: 2, result: "unproven" });
      expect(detail("content")).toContain("under another name");
      expect((await ctx("verify", "--write-sidecar", "other")).status).toBe(2);
    }
    write(folder, name, content);
    expect(await verify(folder, name)).toMatchObject({ status: 0, target: { result: "verified" } });
  });

  it("ctx verify: a small file is verified under its own name among packs with other names for its bytes", async () => {
    for (const name of ["a.txt", "b.txt"])
      await packed(
        folder,
        { ...reportLog({ outputs: [{ name, content: "" }] }), steps: [], created: "2027-01-01T00:00:00Z" },
        "--no-sidecars",
      );
    write(folder, "empty.txt", "");
    expect(await verify(folder, "empty.txt")).toMatchObject({ status: 0 });
  });

  it("ctx verify: a file of 16 bytes is verified under any name", async () => {
    write(folder, "other", "sixteen bytes..\n");
    expect(await verify(folder, "other")).toMatchObject({ status: 0, target: { result: "verified" } });
  });

  it("ctx verify --write-sidecar writes none for a small file under another name, even with --from", async () => {
    write(folder, "other", "ok\n");
    expect((await ctx("verify", "--write-sidecar", "other", "--from", "latest")).status).toBe(2);
    expect(await verify(folder, "other")).toMatchObject({ status: 2, target: { result: "unproven" } });
  });
});

describe("the name of a file that ctx verify checks", () => {
  it("ctx verify: a file name in another Unicode form than the output's is shown as such", async () => {
    const content = "a text that is long enough\n";
    await packed(folder, { ...reportLog({ outputs: [{ name: "caf\u00e9.txt", content }] }), steps: [] });
    write(folder, "cafe\u0301.txt", content);
    const { status, detail } = await verify(folder, "cafe\u0301.txt");
    expect(status).toBe(0);
    expect(detail("content")).toContain(
      "recorded as caf\u00e9.txt (different Unicode form: NFC, the file's name is NFD)",
    );
  });

  it("ctx verify: a name of both a file and a pack is the file, with a note how to verify the pack", async () => {
    write(folder, "latest", "a file that is called so\n");
    const { status, target } = await verify(folder, "latest");
    expect({ status, kind: target.kind }).toEqual({ status: 2, kind: "file" });
    expect(target.notes.join()).toContain("`ctx verify --pack latest`");
    expect(await verify(folder, "--pack", "latest")).toMatchObject({
      status: 0,
      target: { kind: "pack", notes: [] },
    });
    expect((await verify(folder, "--file", "latest")).target.notes.join()).not.toContain("--pack");
  });
});
