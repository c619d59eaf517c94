// What `ctx replay --seal` makes proves no more than the replay did: a pack of it has only the outputs that
// an executed step made, and what the model said; neither a file of the user's nor the text of a draft
// becomes a proof that way.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import type { VerifyResult } from "../../src/results/verify.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { snapshot, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { manifestOf } from "../../dev/provenance.js";

let folder: string;
let root: string;

beforeEach(() => {
  ({ folder, root } = tempStore());
});

const ctx = (...argv: string[]): Promise<CliResult> => cli(argv, { folder });

function call(tool: string, parameters: AnyLog, output: string): AnyLog {
  return { type: "tool_call", tool, parameters, output, deterministic: true };
}

const make = call("run_command", { command: "make report" }, "ok\n");
const readNotes = call("read_file", { path: "notes.txt" }, "one\ntwo\n");

async function run(steps: AnyLog[], outputs: Record<string, string>): Promise<void> {
  const log = smallLog({
    inputs: [{ name: "notes.txt", content: "one\ntwo\n" }],
    steps,
    outputs: Object.entries(outputs).map(([name, content]) => ({ name, content })),
  });
  const { stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
}

async function sealed(...argv: string[]): Promise<{ hex: string; outputs: AnyLog[]; origin: AnyLog }> {
  const { stdout, stderr } = await ctx("replay", "latest", "--seal", "--json", ...argv);
  expect(stderr).toBe("");
  const hex = ((JSON.parse(stdout) as ReplayReport).sealed as string).slice("sha256:".length);
  const manifest = manifestOf(root, hex) as { outputs: AnyLog[]; metadata: { origin: AnyLog } };
  return { hex, outputs: manifest.outputs, origin: manifest.metadata.origin };
}

async function verified(file: string): Promise<{ exit: number; result: string; detail: string }> {
  const { status, stdout } = await ctx("verify", file, "--json");
  const [target] = (JSON.parse(stdout) as VerifyResult).targets;
  const detail = target?.claims.find(({ claim }) => claim === "content")?.detail ?? "";
  return { exit: status, result: target?.result ?? "", detail };
}

function put(path: string, content: string): void {
  fs.mkdirSync(join(folder, path, ".."), { recursive: true });
  fs.writeFileSync(join(folder, path), content);
}

const passed = "it passed, all five hundred of them\n";

describe("ctx replay --seal", () => {
  it("ctx replay --seal seals nothing where no step was executed", async () => {
    await run([make], { "report.md": "it failed\n" });
    put("ws/report.md", passed);
    put("report.md", passed);
    const before = snapshot(root);
    for (const argv of [[], ["--workspace", "ws"]]) {
      const { status, stderr } = await ctx("replay", "latest", "--seal", ...argv);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringContaining("no step was executed, so there is nothing to seal") as string,
      });
    }
    expect(snapshot(root)).toEqual(before);
    expect(await verified("report.md")).toMatchObject({ exit: 2, result: "unproven" });
  });

  it("ctx replay --seal leaves out a file of the workspace that no executed step made", async () => {
    const append = call("append_file", { path: "private/notes.txt", content: "" }, "ok");
    const edit = call("edit_file", { path: "plan.md", old_text: "gone", new_text: "x" }, "ok");
    await run([readNotes, make, append, edit], {
      "report.md": "it failed\n",
      "private/diary.txt": "?",
      "private/notes.txt": "?",
      "plan.md": "?",
    });
    for (const name of ["report.md", "private/diary.txt", "private/notes.txt", "plan.md"]) {
      put(`ws/${name}`, passed);
      put(name, passed);
    }
    expect((await sealed("--workspace", "ws")).outputs).toEqual([]);
    expect(await verified("report.md")).toMatchObject({ exit: 2, result: "unproven" });
  });

  it("ctx replay --seal takes what an executed step made, and verify says which step of which replay", async () => {
    const write = call("write_file", { path: "report.md", content: passed }, "ok");
    const changed = call("read_file", { path: "notes.txt" }, "one\n");
    await run([changed, write], { "report.md": "another report, as long as it may be\n" });
    const { outputs, origin } = await sealed();
    expect(outputs).toMatchObject([{ name: "report.md" }]);
    expect(origin).toMatchObject({ kind: "replay", made_by: [1] });
    put("report.md", passed);
    expect(await verified("report.md")).toMatchObject({
      exit: 0,
      result: "verified",
      detail: expect.stringMatching(
        /sealed by a replay of ctx:\/\/[0-9a-f]{12} \(degraded, 2 tool calls checked\), in which step 1 produced it/,
      ) as string,
    });
  });

  it("ctx replay --seal keeps what the model said, which the run proves and the replay alone does not", async () => {
    await run([readNotes, { type: "message", output: passed }], { "answer.md": passed });
    const source = fs.readFileSync(join(root, "refs/latest"), "utf8").trim();
    const { hex, outputs, origin } = await sealed();
    expect(outputs).toMatchObject([{ name: "answer.md" }]);
    expect(origin).toMatchObject({ made_by: [null] });
    put("answer.md", passed);
    const { detail, ...rest } = await verified("answer.md");
    expect(rest).toEqual({ exit: 0, result: "verified" });
    expect(detail).not.toContain(hex.slice(0, 12));
    expect((await ctx("rm", source, "--force")).status).toBe(0);
    expect(await verified("answer.md")).toMatchObject({
      exit: 2,
      result: "unproven",
      detail: expect.stringContaining("in which no step produced it") as string,
    });
    expect((await ctx("verify", "--write-sidecar", "answer.md")).status).toBe(2);
  });

  it("ctx replay --seal does not take what a draft says that the model said", async () => {
    await run([readNotes, { type: "message", output: "it failed\n" }], { "report.md": "it failed\n" });
    const sets = [`outputs[report.md].content=${passed}`, `steps[1].output=${passed}`];
    const { status } = await ctx("fork", "latest", ...sets.flatMap((set) => ["--set", set]), "--seal");
    expect(status).toBe(0);
    expect((await sealed()).outputs).toEqual([]);
    put("report.md", passed);
    expect(await verified("report.md")).toMatchObject({ exit: 2, result: "unproven" });
  });
});
