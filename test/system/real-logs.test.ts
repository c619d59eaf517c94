import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ctx, repository } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, realLogs } from "../../dev/needs.js";
import { samples } from "../../dev/samples.js";

const all = new Map(samples().map(({ name, file }) => [name, file]));

function read(name: string): string {
  return fs.readFileSync(join(repository, name), "utf8");
}

/** Compares what the documents show of real logs with what ctx reads from them. */
describeWith([realLogs([...all])], "documents on real logs", () => {
  const cwd = tempFolder();
  const seal = (name: string, tag: string): void =>
    expect(ctx(["pack", all.get(name) as string, "--tag", tag], { cwd })).toMatchObject({ status: 0 });

  it("docs/drift.md shows the diff of two real runs", () => {
    ctx(["init"], { cwd });
    seal("otel-genai/any-agent_OPENAI_trace.json", "agents-sdk");
    seal("otel-genai/any-agent_GOOGLE_trace.json", "adk");
    const { stdout } = ctx(["diff", "agents-sdk", "adk", "--human"], { cwd });
    const [summary = ""] = stdout.split("\n\n1. System prompts differ");
    expect(summary).toContain("The runs diverged at step 2");
    expect(read("docs/drift.md")).toContain(`$ ctx diff agents-sdk adk --human\n${summary}\n`);
    const ignored = ctx(["diff", "agents-sdk", "adk", "--human", "--ignore", "get_current_time:$.output"], {
      cwd,
    });
    expect(ignored.stdout).toContain("3 difference(s) found");
  });

  it("docs/replay.md shows the replay of a real session", () => {
    ctx(["init"], { cwd });
    seal("claude-code/entire_a6_e4c2a0fbd1_0.jsonl", "fix");
    const { stdout } = ctx(["replay", "fix"], { cwd });
    const shown = stdout.replace(/^environment .*\n/m, "").trimEnd();
    expect(read("docs/replay.md")).toContain(`$ ctx replay fix\n${shown}\n`);
  });
});
