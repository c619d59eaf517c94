import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CtxError } from "../../src/base/errors.js";
import { exportLog } from "../../src/ops/export-as.js";
import { packAll } from "../../src/ops/pack.js";
import { show } from "../../src/ops/show.js";
import { Store } from "../../src/store/store.js";
import type { Manifest } from "../../src/model/manifest.js";
import { repository } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, realLogs } from "../../dev/needs.js";
import { samples } from "../../dev/samples.js";
import { specimens } from "../../dev/specimens/all.js";

const session = join(repository, "examples/sessions/fix-pages.jsonl");

async function exported(
  folder: string,
  to: string,
): // oxlint-disable-next-line typescript/no-explicit-any -- another shape for each format
Promise<{ log: any; lost: { what: string; count: number }[] }> {
  const { stdout, status, stderr } = await cli(["export", "latest", "--as", to, "--json"], { folder });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Returns what a round trip must keep: calls with their results, texts, and the order of all that. */
function essence(manifest: Manifest): unknown {
  const { prompts, steps, system_prompt, model } = manifest;
  return {
    system: system_prompt,
    model: model.identifier,
    parameters: model.parameters,
    prompts,
    steps: steps.map(
      ({ type, tool, parameters, output_ref, seen_ref, deterministic, timestamp, metadata = {} }) => ({
        type: type.endsWith("call") || type === "tool_result" ? type : type,
        tool,
        parameters,
        output_ref,
        seen_ref,
        deterministic,
        timestamp,
        // A call without an id gets one.
        metadata: {
          ...metadata,
          call_id: ((metadata["call_id"] as string | undefined) ?? "step-").replace(/^step-\d+$/, "step-"),
        },
      }),
    ),
    answer: manifest.outputs.find(({ name }) => name === ".answer.md")?.content_ref,
  };
}

/** Packs a log, exports each run, and packs that again; returns what was kept of both. */
function roundTrip(log: string | Buffer, file?: string): { before: unknown; after: unknown }[] {
  const { folder } = tempStore();
  const store = Store.find(folder);
  const options = { redact: "off" } as const;
  const first = packAll(
    store,
    file === undefined ? { pieces: [Buffer.from(log)], folder } : { file },
    options,
  );
  return first.map(({ uri }) => {
    const { log: trajectory } = exportLog(store, uri, "atif");
    const path = join(folder, "trajectory.json");
    fs.writeFileSync(path, JSON.stringify(trajectory));
    const [again] = packAll(store, { file: path }, options);
    return {
      before: essence(show(store, uri)),
      after: essence(show(store, again?.uri ?? "")),
    };
  });
}

/** Of metadata, only how calls ended. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) =>
      key === "metadata" ? { status: inner.status, exit_code: inner.exit_code } : inner,
    ),
  );
}

describe("pack, export --as atif, pack", () => {
  const cases = Object.entries(specimens).flatMap(([name, logs]) =>
    logs.map((log, number) => ({ name: `${name} ${number}`, log })),
  );
  it.each(cases)("export --as: ATIF and back keeps calls, results, texts and order: $name", ({ log }) => {
    for (const { before, after } of roundTrip(log)) expect(after).toEqual(before);
  });

  const real = samples().filter(({ detected }) => detected !== "openhands-base-state");
  describeWith([realLogs(real)], "real logs: pack, export --as atif, pack", () => {
    it.each(real)("export --as: ATIF and back keeps a real log: $name", ({ file }) => {
      for (const { before, after } of roundTrip("", file)) expect(after).toEqual(before);
    });
  });

  it("export --as: ATIF and back keeps sub-agents, each a pack that its call names", async () => {
    const { folder } = tempStore();
    await cli(["pack", session], { folder });
    const { log } = await exported(folder, "atif");
    expect(log.subagent_trajectories).toHaveLength(1);
    fs.writeFileSync(join(folder, "t.json"), JSON.stringify(log));
    const { stdout } = await cli(["pack", "t.json", "--json"], { folder });
    const [again] = stdout.split("\n").map((line) => line && JSON.parse(line));
    expect(again.packs).toEqual([expect.objectContaining({ step: 1 })]);
    const manifest = show(Store.find(folder), again.uri);
    expect(manifest.metadata?.["source"]).toMatchObject({
      format: "atif",
      agent: "claude-code",
      origin: "claude-code",
      session: "7c1e9a52-4b0d-4e1f-9a63-2f5d8c0b1e47",
      exported_from: log.trajectory_id,
    });
    expect(manifest.metadata).toMatchObject({ workdir: "/home/you/tour", git: { branch: "main" } });
  });

  it("export --as: an exported ATIF log that is packed again is no later version of its session", async () => {
    const { folder } = tempStore();
    await cli(["pack", session], { folder });
    fs.writeFileSync(join(folder, "t.json"), JSON.stringify((await exported(folder, "atif")).log));
    await cli(["pack", "t.json"], { folder });
    const { stdout } = await cli(["log", "--session", "7c1e9a52", "--json"], { folder });
    expect(stdout).not.toContain('"versions":2');
  });

  it("export --as: ATIF and back keeps bytes that are not text", () => {
    const log = json(
      smallLog({
        steps: [
          {
            type: "tool_call",
            tool: "t",
            output_base64: "/w==",
            seen: "shown",
            metadata: { status: "error", exit_code: 3 },
          },
          { type: "tool_call", tool: "t", metadata: { status: "interrupted", call_id: "same" } },
          { type: "tool_call", tool: "t", output: "x", metadata: { status: "ok", call_id: "same" } },
        ],
      }),
    );
    const [{ before, after } = { before: 0, after: 1 }] = roundTrip(log);
    expect(plain(after)).toEqual(plain(before));
  });
});

describe("ctx export --as", () => {
  it("export --as: ATIF follows the rules of that format", async () => {
    const { folder } = tempStore();
    await cli(["pack", session], { folder });
    const { log, lost } = await exported(folder, "atif");
    expect(log).toMatchObject({
      schema_version: "ATIF-v1.7",
      agent: { name: "claude-code", version: "2.1.42", model_name: "claude-opus-4-6" },
      final_metrics: {
        total_prompt_tokens: 20 + 100_255 + 1550,
        total_completion_tokens: 669,
        total_cached_tokens: 100_255,
      },
    });
    expect(log.steps.map(({ step_id }: { step_id: number }) => step_id)).toEqual(
      log.steps.map((_: unknown, index: number) => index + 1),
    );
    for (const step of log.steps) {
      expect(["system", "user", "agent"]).toContain(step.source);
      expect(step.message).toEqual(expect.any(String));
      // Only agents call, and every result names a call of its own step.
      if (step.tool_calls !== undefined) expect(step.source).toBe("agent");
      for (const { source_call_id } of step.observation?.results ?? [])
        expect(step.tool_calls.map((call: { tool_call_id: string }) => call.tool_call_id)).toContain(
          source_call_id,
        );
    }
    expect(lost).toEqual([
      { what: "files before the run (inputs)", count: 2 },
      { what: "files after the run (outputs)", count: 1 },
    ]);
  });

  it("export --as: in OpenAI messages, calls issued together are one message, and results follow", async () => {
    const { folder } = tempStore();
    await cli(["pack", session], { folder });
    const { log, lost } = await exported(folder, "openai");
    const roles = log.messages.map(({ role }: { role: string }) => role);
    expect(roles.join(" ")).toBe(
      "user assistant tool tool tool assistant tool assistant assistant tool assistant tool assistant",
    );
    expect(log.messages[1].tool_calls).toHaveLength(3);
    expect(log.messages[1].reasoning_content).toContain("I should see who uses pages()");
    expect(lost.map(({ what }) => what)).toContain("runs of sub-agents");
    fs.writeFileSync(join(folder, "o.json"), JSON.stringify(log));
    const { stdout } = await cli(["pack", "o.json", "--json"], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ format: "openai-messages", counts: { prompts: 1, steps: 9 } });
  });

  it("export --as: OTLP spans have valid ids and times, the same each time", async () => {
    const { folder } = tempStore();
    await cli(["pack", session], { folder });
    const { log } = await exported(folder, "otlp");
    const { spans } = log.resourceSpans[0].scopeSpans[0];
    expect(spans.map(({ name }: { name: string }) => name)).toEqual([
      "invoke_agent claude-code",
      "chat claude-opus-4-6",
      ...["Task", "Read", "Read", "Bash", "Edit", "Bash"].map((tool) => `execute_tool ${tool}`),
    ]);
    for (const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect([traceId, spanId, parentSpanId ?? spans[0].spanId].join(" ")).toMatch(
        /^[0-9a-f]{32} [0-9a-f]{16} [0-9a-f]{16}$/,
      );
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    }
    expect((await exported(folder, "otlp")).log).toEqual(log);
    fs.writeFileSync(join(folder, "s.json"), JSON.stringify(log));
    const { stdout } = await cli(["pack", "s.json", "--json"], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ format: "otel", counts: { prompts: 1, steps: 9 } });
  });

  it("export --as: notes name what was lost, and nothing printed steers a terminal", async () => {
    const { folder } = tempStore();
    const steps = [{ type: "message", output: "\u001b[2J\u202e" }];
    await cli(["pack", "-"], { folder, input: json(smallLog({ steps })) });
    const { stdout, stderr } = await cli(["export", "latest", "--as", "openai"], { folder });
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(JSON.parse(stdout).messages.at(-1)).toEqual({ role: "assistant", content: "\u001b[2J\u202e" });
    expect(stderr).toBe("note: not in the export: the run's time, metadata and environment (1)\n");
    await cli(["pack", session], { folder });
    expect((await cli(["export", "latest", "--as", "atif"], { folder })).stderr).toBe(
      "note: not in the export: files before the run (inputs) (2)\nnote: not in the export: files after the run (outputs) (1)\n",
    );
  });

  it("export --as refuses a pack that is not there, and a format that it does not know", async () => {
    const { folder } = tempStore();
    expect((await cli(["export", "latest", "--as", "csv"], { folder })).stderr).toContain(
      "atif, otlp, openai",
    );
    expect((await cli(["export", "0000", "--as", "atif"], { folder })).status).toBe(2);
    expect(() => exportLog(Store.find(folder), "nothing", "atif")).toThrow(CtxError);
  });
});
