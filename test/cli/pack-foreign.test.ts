// `ctx pack` of logs that agents write, from the log to what every other command makes of its packs.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import type { LogEntry } from "../../src/results/log.js";
import { listFormats, packAll } from "../../src/ops/pack.js";
import { formats } from "../../src/intake/formats.js";
import { cli, type CliOptions, type CliResult } from "../../dev/cli.js";
import { snapshot, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { chats, laterRecord, sessionId, stream, transcript, writeSession } from "../../dev/sessions.js";

const line = /^ctx:\/\/[0-9a-f]{64}\n$/;

/** Runs a command that must succeed. */
async function must(argv: readonly string[], options: CliOptions): Promise<CliResult> {
  const result = await cli(argv, options);
  expect(result.status, result.stderr).toBe(0);
  return result;
}

async function packJson(folder: string, ...argv: string[]): Promise<PackResult[]> {
  const { stdout } = await must(["pack", "--json", ...argv], { folder });
  return results(stdout);
}

function results(stdout: string): PackResult[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((text) => JSON.parse(text) as PackResult);
}

async function entries(folder: string): Promise<LogEntry[]> {
  const { stdout } = await must(["log", "--json"], { folder });
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((text) => JSON.parse(text) as LogEntry);
}

async function manifest(folder: string, pack: string): Promise<Record<string, unknown>> {
  return JSON.parse((await must(["show", pack, "--json"], { folder })).stdout) as Record<string, unknown>;
}

/** Returns a store with a session and its sub-agent beside it. */
function withSession(): { folder: string; file: string; root: string } {
  const { folder, root } = tempStore();
  return { folder, root, file: writeSession(folder) };
}

describe("ctx pack of a session", () => {
  it("ctx pack: a session prints one URI, and packed again the same, changing nothing", async () => {
    const { folder, file } = withSession();
    const first = await must(["pack", file], { folder });
    expect(first.stdout).toMatch(line);
    expect(first.stderr).toBe("");
    const before = snapshot(folder);
    expect((await must(["pack", file], { folder })).stdout).toBe(first.stdout);
    expect(snapshot(folder)).toEqual(before);
    const [again] = await packJson(folder, file);
    expect(again).toMatchObject({ new: false, bytes_new: 0, uri: first.stdout.trim() });
    expect(again?.packs?.map((sub) => sub.new)).toEqual([false]);
  });

  it("ctx pack: a session makes the same pack in any store, from any folder, without the cache", async () => {
    const one = withSession();
    const [first] = await packJson(one.folder, one.file);
    const other = tempStore();
    fs.mkdirSync(join(other.folder, "deep/er"), { recursive: true });
    const moved = writeSession(join(other.folder, "deep/er"), "renamed");
    fs.rmSync(join(other.root, "cache"), { recursive: true, force: true });
    const [second] = await packJson(other.folder, `deep/er/${moved}`);
    expect(second?.hash).toBe(first?.hash);
    expect(second?.packs?.[0]?.hash).toBe(first?.packs?.[0]?.hash);
  });

  it("ctx pack --json of a session has every documented field", async () => {
    const { folder, file } = withSession();
    const [result] = await packJson(folder, file);
    expect(result).toEqual({
      uri: expect.stringMatching(/^ctx:\/\/[0-9a-f]{64}$/),
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      created: "2026-02-11T14:20:06.000Z",
      new: true,
      source: "session.jsonl",
      format: "claude-code",
      counts: { prompts: 1, inputs: 1, steps: 3, outputs: 2 },
      bytes_new: expect.any(Number),
      bytes_shared: 0,
      sidecars: [],
      outputs_absent: [],
      repaired: [],
      packs: [
        {
          uri: expect.stringMatching(/^ctx:\/\/[0-9a-f]{64}$/),
          hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          new: true,
          agent: "a1",
          step: 0,
        },
      ],
      notices: [],
    });
  });

  it("ctx pack: a session that grew makes another pack, which the log shows as a version", async () => {
    const { folder, file } = withSession();
    const [first] = await packJson(folder, file);
    fs.appendFileSync(join(folder, file), lines(laterRecord()));
    const [second] = await packJson(folder, file);
    expect(second?.hash).not.toBe(first?.hash);
    expect(second).toMatchObject({ new: true, created: "2026-02-11T14:30:00.000Z" });
    expect(second?.packs?.map((sub) => sub.new)).toEqual([false]);
    const names = new Map([
      [first?.uri, "first"],
      [second?.uri, "second"],
      [first?.packs?.[0]?.uri, "agent"],
    ]);
    let { stdout } = await must(["log"], { folder });
    for (const [uri = "", name] of names)
      stdout = stdout.replaceAll(uri, `ctx://<${name}>`).replaceAll(uri.slice(6, 18), `<${name}>`);
    expect(stdout).toMatchInlineSnapshot(`
      "<second>  Make two pages of it.
                    2026-02-11 · claude-code · 3 steps · 4.0s · claude-x-1 · 24 tokens
                    <first>  version 1  3 steps  2026-02-11
      "
    `);
    const versions = (await entries(folder)).filter(({ hash }) => hash !== first?.packs?.[0]?.hash);
    expect(versions.map(({ version, versions: of }) => [version, of])).toEqual([
      [2, 2],
      [1, 2],
    ]);
    const manifests = await Promise.all([first, second].map((one) => manifest(folder, one?.hash as string)));
    for (const one of manifests) expect(one).not.toHaveProperty("parent");
  });

  it("ctx pack: a session's pack names its sub-agent's pack at the step that started it, and is latest", async () => {
    const { folder, file } = withSession();
    const { stdout } = await must(["pack", file], { folder });
    const main = await manifest(folder, "latest");
    expect(`ctx://${(main["hash"] as string).slice(7)}\n`).toBe(stdout);
    const [step] = main["steps"] as { tool: string; pack: string }[];
    expect(step?.tool).toBe("Task");
    const sub = await manifest(folder, step?.pack as string);
    expect(sub["metadata"]).toMatchObject({ source: { session: sessionId, subagent: "a1" } });
    expect((await entries(folder)).map(({ hash }) => hash).sort()).toEqual(
      [main["hash"] as string, step?.pack as string].sort(),
    );
    const verified = await cli(["verify", "latest"], { folder });
    expect(verified.stdout).toMatch(/^latest {2}verified\n/);
  });

  it("ctx pack: a session without the files of its sub-agents is a pack by itself", async () => {
    const { folder, file } = withSession();
    fs.rmSync(join(folder, "session"), { recursive: true });
    const [result] = await packJson(folder, file);
    expect(result).not.toHaveProperty("packs");
  });

  it("ctx pack --created sets the time of a session, and its sub-agents keep theirs", async () => {
    const { folder, file } = withSession();
    const [result] = await packJson(folder, file, "--created", "2020-01-01T01:00:00+01:00");
    expect(result?.created).toBe("2020-01-01T00:00:00Z");
    expect(await manifest(folder, result?.packs?.[0]?.hash as string)).toMatchObject({
      created: "2026-02-11T14:20:02.900Z",
    });
    const bad = await cli(["pack", file, "--created", "today"], { folder });
    expect([bad.status, bad.stdout]).toEqual([2, ""]);
  });

  it("ctx pack: a session writes no sidecars, though its outputs are there", async () => {
    const { folder, file } = withSession();
    fs.writeFileSync(join(folder, "pages.txt"), "two pages\n");
    const before = fs.readdirSync(folder).sort();
    const { stderr } = await must(["pack", file], { folder });
    expect(stderr).toBe("");
    expect(fs.readdirSync(folder).sort()).toEqual(before);
  });

  it("ctx verify finds the session that wrote a file", async () => {
    const { folder, file } = withSession();
    fs.writeFileSync(join(folder, "pages.txt"), "two pages\n");
    const { stdout } = await must(["pack", file], { folder });
    const found = await must(["verify", "pages.txt", "--json"], { folder });
    expect(found.stdout).toContain(stdout.trim().slice("ctx://".length));
    const screen = await must(["verify", "pages.txt"], { folder });
    expect(screen.stdout).toMatch(/^pages\.txt {2}verified\n.*the bytes of output pages\.txt of ctx:\/\//);
    fs.writeFileSync(join(folder, "pages.txt"), "three pages\n");
    expect((await cli(["verify", "pages.txt"], { folder })).status).not.toBe(0);
  });
});

describe("a session that another process packs meanwhile", () => {
  it("ctx pack: a session that another process packs meanwhile is not new, and nothing is repaired", () => {
    const store = tempStore();
    // So long that the first look at it does not see its end.
    const text = lines(...transcript()).replace(
      "Make two pages of it.",
      "Make two pages of it. ".repeat(20_000),
    );
    function* pieces(): Generator<Buffer> {
      yield Buffer.from(text);
      packAll(store, { pieces: [Buffer.from(text)], folder: store.folder });
    }
    const [result] = packAll(store, { pieces: pieces(), folder: store.folder });
    expect(result?.new).toBe(false);
    expect(result?.repaired).toEqual([]);
  });
});

describe("several runs in one log", () => {
  it("ctx pack: several runs in one log print a line each, in order, and the last is latest", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "chats.jsonl"), chats("one", "two", "three"));
    const { stdout } = await must(["pack", "chats.jsonl"], { folder });
    expect(stdout).toMatch(/^(?:ctx:\/\/[0-9a-f]{64}\n){3}$/);
    const packed = await packJson(folder, "chats.jsonl");
    expect(packed.map(({ uri }) => `${uri}\n`).join("")).toBe(stdout);
    for (const { new: isNew, format } of packed) expect([isNew, format]).toEqual([false, "openai-messages"]);
    const shown = await must(["show", packed[1]?.uri as string], { folder });
    expect(shown.stdout).toContain("two!");
    expect((await manifest(folder, "latest"))["hash"]).toBe(packed[2]?.hash);
  });

  it("ctx pack --tag is an error for several runs in one log, which are sealed all the same", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "chats.jsonl"), chats("one", "two"));
    const { status, stdout, stderr } = await cli(["pack", "chats.jsonl", "--tag", "base"], { folder });
    expect(status).toBe(2);
    expect(stdout).toMatch(/^(?:ctx:\/\/[0-9a-f]{64}\n){2}$/);
    expect(stderr).toMatchInlineSnapshot(`
      "error: --tag is for one pack, but chats.jsonl contains several runs
      hint: they are packed; \`ctx tag <name> <pack>\` tags one of them
      "
    `);
    expect((await must(["tag"], { folder })).stdout).not.toContain("base");
  });

  it("ctx pack --tag of a session with a sub-agent tags the main run", async () => {
    const { folder, file } = withSession();
    const { stdout } = await must(["pack", file, "--tag", "base"], { folder });
    await must(["pack", file, "--tag", "base"], { folder });
    expect(`ctx://${((await manifest(folder, "base"))["hash"] as string).slice(7)}\n`).toBe(stdout);
  });

  it("ctx pack: the same run many times in one log makes one pack", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "chats.jsonl"), chats(...Array.from({ length: 300 }, () => "one")));
    const packed = await packJson(folder, "chats.jsonl");
    expect(new Set(packed.map(({ hash }) => hash)).size).toBe(1);
    expect((await entries(folder)).length).toBe(1);
  });
});

describe("ctx pack --from", () => {
  it("ctx pack --from list lists the formats, also outside of a store", async () => {
    const { folder } = tempStore();
    fs.rmSync(join(folder, ".ctx"), { recursive: true });
    const { stdout } = await must(["pack", "--from", "list"], { folder });
    expect(stdout).toMatchInlineSnapshot(`
      "native              ctx's own execution log
                          any program that writes it; see \`ctx help format\`
      anthropic-messages  Anthropic messages
                          programs that call Anthropic's API, and Cline, Roo and Kilo:
                          tasks/<id>/api_conversation_history.json
      atif                ATIF trajectories
                          Harbor and Terminal-Bench (agent/trajectory.json), and
                          exporters of many agents
      claude-code         Claude Code transcript, with its sub-agents
                          ~/.claude/projects/<project>/<session>.jsonl
      claude-stream-json  what \`claude -p --output-format stream-json\` prints
                          claude -p … --output-format stream-json --verbose, or the
                          GitHub action's execution file
      codex               Codex rollouts
                          ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl
      codex-exec-json     what \`codex exec --json\` prints
                          codex exec --json
      copilot-cli         GitHub Copilot CLI session, with its sub-agents
                          ~/.copilot/session-state/<session>/events.jsonl, or copilot
                          -p … --output-format json
      gemini-cli          Gemini CLI session, with its sub-agents, or a saved chat
                          ~/.gemini/tmp/<project>/chats/session-*.jsonl (or .json),
                          checkpoint-*.json
      gemini-stream-json  what \`gemini -p … -o stream-json\` prints
                          gemini -p … --output-format stream-json
      iflow               iFlow CLI session
                          ~/.iflow/projects/<project>/session-<id>.jsonl
      inspect             Inspect AI evaluation logs
                          inspect eval: logs/*.eval, or *.json; a run for each sample
                          and epoch
      langsmith           LangSmith runs
                          exports of LangSmith: LangChain, LangGraph, and programs
                          that use its SDK
      mcp                 MCP traffic, as hosts and inspectors log it
                          Claude Desktop's mcp-server-<name>.log and mcp.log; proxies
                          and inspectors of MCP
      mini-swe-agent      mini-swe-agent trajectories
                          <output>/<instance>/<instance>.traj.json, or
                          ~/.config/mini-swe-agent/last_mini_run.traj.json
      openai-messages     OpenAI chat messages
                          programs that call chat completions: LiteLLM and OpenHands
                          completion logs, tau-bench, batches
      openai-responses    OpenAI responses
                          programs that call the Responses API: responses, requests,
                          items, captures of streams
      opencode            opencode session, exported or stored as JSON
                          opencode export <session>, or
                          ~/.local/share/opencode/storage/session/<project>/<session>.json
      openhands           OpenHands conversations and evaluations
                          ~/.openhands/conversations/<id>, a downloaded trajectory, or
                          output.jsonl of an evaluation
      openinference       OpenInference spans
                          programs with OpenInference instrumentation, and exports of
                          Arize Phoenix
      otel                OpenTelemetry GenAI spans
                          programs with GenAI instrumentation: OTLP/JSON files,
                          console exporters, any-agent traces, Vercel AI SDK telemetry
      otel-events         OpenTelemetry log events of agents
                          the telemetry of Claude Code, Gemini CLI, Qwen Code and
                          Codex, and GenAI events in OTLP logs
      pi                  pi session
                          ~/.pi/agent/sessions/<project>/<time>_<id>.jsonl
      qwen-code           Qwen Code session, with its sub-agents
                          ~/.qwen/projects/<project>/chats/<session>.jsonl
      swe-agent           SWE-agent trajectories
                          trajectories/<user>/<run>/<instance>/<instance>.traj
      vercel-ai           Vercel AI SDK messages
                          programs with Vercel's AI SDK: saved chats (UIMessage,
                          ModelMessage), .devtools/generations.json
      "
    `);
    const listed = results((await must(["pack", "--from", "list", "--json"], { folder })).stdout);
    expect(listed.map((one) => (one as unknown as { name: string }).name)).toEqual([
      "native",
      ...formats.map(({ name }) => name).sort(),
    ]);
    for (const one of listed) expect(Object.keys(one)).toEqual(["from", "name", "title"]);
  });

  it("ctx pack --from refuses an unknown format, and suggests a known one", async () => {
    const { folder, file } = withSession();
    const before = snapshot(folder);
    const { status, stdout, stderr } = await cli(["pack", "--from", "claude-cod", file], { folder });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatchInlineSnapshot(`
      "error: there is no format "claude-cod" (is it "claude-code"?)
      hint: \`ctx pack --from list\` lists them
      "
    `);
    expect(snapshot(folder)).toEqual(before);
  });

  it("ctx pack --from reads a log as that format, and says when it holds no run then", async () => {
    const { folder, file } = withSession();
    fs.writeFileSync(join(folder, "chats.jsonl"), chats("one"));
    const plain = await packJson(folder, file);
    expect(await packJson(folder, "--from", "claude-code", file)).toEqual([
      { ...plain[0], new: false, bytes_new: 0, bytes_shared: expect.any(Number), packs: [expect.anything()] },
    ]);
    const wrong = await cli(["pack", "--from", "claude-code", "chats.jsonl"], { folder });
    expect([wrong.status, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toMatchInlineSnapshot(`
      "error: chats.jsonl contains no run: it has no prompt, message or tool call
      hint: it was read as claude-code; \`--from\` reads it in another format
      "
    `);
    expect((await entries(folder)).length).toBe(2);
  });

  it.each(["codex", "codex-exec-json", "claude-stream-json", "otel", "openai-messages", "native"])(
    "ctx pack --from %s refuses another format's log, and leaves nothing",
    async (name) => {
      const { folder } = tempStore();
      fs.writeFileSync(join(folder, "other.jsonl"), '{"hello":"world"}\n{"hello":"moon"}\n');
      const before = snapshot(folder);
      const { status, stdout, stderr } = await cli(["pack", "--from", name, "other.jsonl"], { folder });
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^error: other\.jsonl (?:contains no|is not)/);
      expect(stderr).not.toContain("ctx has a bug");
      expect(snapshot(folder)).toEqual(before);
    },
  );

  it("ctx pack --from native reads one of ctx's own logs", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "run.json"), json(runLog()));
    const [plain] = await packJson(folder, "run.json");
    expect(await packJson(folder, "--from", "native", "run.json")).toMatchObject([{ hash: plain?.hash }]);
  });

  it("ctx pack --from: its formats are completed", async () => {
    const { folder } = tempStore();
    const offered = async (...words: string[]): Promise<string[]> =>
      (await must(["__complete", "--", ...words], { folder })).stdout
        .split("\n")
        .map((one) => one.split("\t")[0] ?? "");
    expect(await offered("pack", "--from", "")).toEqual([
      ...listFormats().map(({ name }) => name),
      "list",
      "",
    ]);
    expect(await offered("pack", "--from", "claude")).toEqual(["claude-code", "claude-stream-json", ""]);
    expect(await offered("pack", "--from=ot")).toEqual(["--from=otel", "--from=otel-events", ""]);
  });
});

describe("ctx pack --prompt", () => {
  it("ctx pack --prompt is the prompt of a log that holds none", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "stream.jsonl"), lines(...stream()));
    const [without] = await packJson(folder, "stream.jsonl");
    const [result] = await packJson(folder, "stream.jsonl", "--prompt", "Do it.\nNow.");
    expect(result?.counts.prompts).toBe(1);
    expect(result?.hash).not.toBe(without?.hash);
    const { stdout } = await must(["show", "latest"], { folder });
    expect(stdout).toContain("\nprompts  1\n  0  user     11 B  Do it.\n");
    const { metadata } = await manifest(folder, without?.hash as string);
    expect(metadata).toMatchObject({
      coverage: { unknown: expect.arrayContaining(["the prompt (give it with --prompt)"]) },
    });
  });

  it("ctx pack --prompt is refused for a log that holds its prompts, and for one of ctx's own", async () => {
    const { folder, file } = withSession();
    fs.writeFileSync(join(folder, "run.json"), json(runLog()));
    const before = snapshot(folder);
    const foreign = await cli(["pack", file, "--prompt", "x"], { folder });
    expect([foreign.status, foreign.stdout]).toEqual([2, ""]);
    expect(foreign.stderr).toMatchInlineSnapshot(`
      "error: the log records its own prompts, so --prompt cannot be used
      "
    `);
    const native = await cli(["pack", "run.json", "--prompt", "x"], { folder });
    expect([native.status, native.stdout]).toEqual([2, ""]);
    expect(native.stderr).toMatchInlineSnapshot(`
      "error: --prompt is only for logs of agents that do not record the prompt
      hint: in an execution log, the prompts go under "prompts"
      "
    `);
    const piped = await cli(["pack", "-", "--prompt", "x"], { folder, input: json(smallLog()) });
    expect([piped.status, piped.stderr]).toEqual([2, native.stderr]);
    expect(snapshot(folder)).toEqual(before);
  });
});

describe("ctx pack of a stream", () => {
  it("ctx pack -: a stream makes the same pack as its file, with CRLF, a BOM or as an array", async () => {
    const { folder } = tempStore();
    const text = lines(...stream());
    fs.writeFileSync(join(folder, "stream.jsonl"), text);
    const { stdout } = await must(["pack", "stream.jsonl"], { folder });
    for (const input of [
      text,
      text.replaceAll("\n", "\r\n"),
      `\ufeff${text}`,
      `\n${text}\n\n`,
      text.trimEnd(),
    ]) {
      const result = await must(["pack", "-"], { folder, input });
      expect([result.stdout, result.stderr]).toEqual([stdout, ""]);
    }
    const array = await must(["pack", "-"], { folder, input: JSON.stringify(stream(), null, 2) });
    expect(array.stdout).toBe(stdout);
  });

  it("ctx pack -: an error names standard input", async () => {
    const { folder } = tempStore();
    const { status, stderr } = await cli(["pack", "-"], { folder, input: "Dear diary,\n" });
    expect(status).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "error: standard input is not in a format that ctx recognises: it does not start with JSON
      hint: \`ctx pack --from list\` lists the formats; \`--from <format>\` reads the log in one of them
      "
    `);
  });

  it("ctx pack -: a session from a pipe has no sub-agents", async () => {
    const { folder } = withSession();
    const { stdout } = await must(["pack", "-", "--json"], { folder, input: lines(...transcript()) });
    expect(results(stdout)[0]).toMatchObject({ source: "-", format: "claude-code", counts: { steps: 3 } });
    expect(results(stdout)[0]).not.toHaveProperty("packs");
  });
});

describe("a log without times", () => {
  it.each([
    ["of claude -p", lines(...stream())],
    ["of chat messages", chats("one")],
  ])("ctx pack: a log without times %s is one pack, also without the cache", async (_, text) => {
    const { folder, root } = tempStore();
    fs.writeFileSync(join(folder, "log.jsonl"), text);
    const [first] = await packJson(folder, "log.jsonl");
    expect(first).toMatchObject({ new: true, created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
    fs.rmSync(join(root, "cache"), { recursive: true, force: true });
    const [second] = await packJson(folder, "log.jsonl");
    expect(second).toMatchObject({ new: false, hash: first?.hash, created: first?.created });
    expect((await entries(folder)).length).toBe(1);
  });

  it("ctx pack --created sets the time of a log without times", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log.jsonl"), lines(...stream()));
    const [first] = await packJson(folder, "log.jsonl", "--created", "2020-01-01T00:00:00Z");
    expect(first?.created).toBe("2020-01-01T00:00:00Z");
    expect(await packJson(folder, "log.jsonl")).toMatchObject([{ new: false, hash: first?.hash }]);
  });
});

describe("a log that is damaged", () => {
  it("ctx pack: damaged lines of a log are left out, and named", async () => {
    const { folder } = tempStore();
    const [first, ...rest] = transcript().map((record) => JSON.stringify(record));
    fs.writeFileSync(
      join(folder, "log.jsonl"),
      [first, '{"type":"user","uu', "[1]", ...rest, '{"type":"assis'].join("\n"),
    );
    const { stdout, stderr } = await must(["pack", "log.jsonl"], { folder });
    expect(stdout).toMatch(line);
    expect(stderr).toMatchInlineSnapshot(`
      "note: log.jsonl: line 2: is not valid JSON; it is left out
      note: log.jsonl: line 3: is no JSON object; it is left out
      note: log.jsonl: its end is missing: it is still being written, or was cut off
      "
    `);
    const { stdout: screen } = await must(["show", "latest"], { folder });
    expect(screen).toContain("damaged   2 lines (line 2: is not valid JSON, line 3: is no JSON object)");
    expect(screen).toContain("its end is missing");
    const [result] = await packJson(folder, "log.jsonl");
    expect(result?.notices).toHaveLength(3);
  });

  it("ctx pack: text that no pack can hold is replaced, and counted", async () => {
    const { folder } = tempStore();
    const text = lines(...transcript()).replace("Two pages it is.", "Two \\ud800pages\\u0000 it \xff is.");
    fs.writeFileSync(join(folder, "log.jsonl"), text, "latin1");
    await must(["pack", "log.jsonl"], { folder });
    expect((await must(["show", "latest"], { folder })).stdout).toContain("2 characters replaced");
    expect((await cli(["verify", "latest"], { folder })).stdout).toMatch(/^latest {2}verified\n/);
  });

  it("ctx pack: a log with a number past a double is packed", async () => {
    const { folder } = tempStore();
    const text = lines(...transcript()).replace(
      '"prompt":"Who reads it?"',
      '"prompt":"Who reads it?","n":1e400',
    );
    expect(text).toContain("1e400");
    fs.writeFileSync(join(folder, "log.jsonl"), text);
    const { stderr } = await must(["pack", "log.jsonl"], { folder });
    expect(stderr).not.toContain("ctx has a bug");
  });

  it("ctx pack: a log with tokens that add up past a double is packed", async () => {
    const { folder } = tempStore();
    const text = lines(...transcript()).replaceAll('"input_tokens":3', '"input_tokens":1.7e308');
    fs.writeFileSync(join(folder, "log.jsonl"), text);
    const { stderr } = await must(["pack", "log.jsonl"], { folder });
    expect(stderr).not.toContain("ctx has a bug");
  });

  it("ctx pack: a log with an id that is cut within a character makes packs that verify", async () => {
    const { folder } = tempStore();
    const common = { sessionId, isSidechain: true, timestamp: "2026-02-11T14:20:02Z" };
    const aside = [
      // An id is cut after eight units, which may be in the middle of a character.
      { ...common, type: "user", uuid: "1234567😀", message: { role: "user", content: "aside" } },
      {
        ...common,
        type: "assistant",
        uuid: "b",
        parentUuid: "1234567😀",
        message: { id: "m", role: "assistant", model: "x", content: [{ type: "text", text: "so" }] },
      },
    ];
    fs.writeFileSync(join(folder, "log.jsonl"), lines(...transcript(), ...aside));
    const [main] = await packJson(folder, "log.jsonl");
    expect(main?.packs?.length).toBe(1);
    for (const { uri } of [main as PackResult, ...(main?.packs ?? [])])
      expect((await cli(["verify", uri], { folder })).stdout).toContain("  verified\n");
  });

  it("ctx pack: a log with unknown kinds of records is packed, and they are counted as skipped", async () => {
    const { folder } = tempStore();
    const odd = [`${"k".repeat(99)}😀`, "__proto__", "x".repeat(100_000), "\ud800", ""];
    const records = odd.map((type) => ({ type, sessionId }));
    fs.writeFileSync(join(folder, "log.jsonl"), lines(...transcript(), ...records));
    await must(["pack", "log.jsonl"], { folder });
    expect((await must(["show", "latest"], { folder })).stdout).toMatch(
      /skipped {3}\d records? of unknown kinds/,
    );
    expect((await cli(["verify", "latest"], { folder })).stdout).toMatch(/^latest {2}verified\n/);
  });

  it("ctx pack: a log without prompts, answers or calls is refused, and nothing changes", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log.jsonl"), lines({ type: "summary", summary: "s", leafUuid: "l" }));
    const before = snapshot(folder);
    const { status, stderr } = await cli(["pack", "log.jsonl"], { folder });
    expect(status).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "error: log.jsonl contains no run: it has no prompt, message or tool call
      hint: it was read as claude-code; \`--from\` reads it in another format
      "
    `);
    expect(snapshot(folder)).toEqual(before);
  });

  it("ctx pack: invalid JSON in a log of ctx's own is an error about such a log", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "run.json"), '{"model":{"identifier":"m"},"steps":[],"prompts":[}');
    const { status, stderr } = await cli(["pack", "run.json"], { folder });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: run\.json is not a valid execution log/);
  });

  it("ctx pack: a log of no known format does not prevent packing the others", async () => {
    const { folder, file } = withSession();
    fs.writeFileSync(join(folder, "bad.jsonl"), "Dear diary,\n");
    fs.writeFileSync(join(folder, "run.json"), json(runLog()));
    const { status, stdout, stderr } = await cli(["pack", "bad.jsonl", file, "run.json", "--no-sidecars"], {
      folder,
    });
    expect(status).toBe(2);
    expect(stdout).toMatch(/^(?:ctx:\/\/[0-9a-f]{64}\n){2}$/);
    expect(stderr).toMatch(/^error: bad\.jsonl is not in a format that ctx recognises/);
  });
});

describe("ctx pack --rm", () => {
  it("ctx pack --rm does not remove an agent's own log", async () => {
    const { folder, file } = withSession();
    const before = snapshot(folder);
    const { status, stdout, stderr } = await cli(["pack", "--rm", file], { folder });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatchInlineSnapshot(`
      "error: session.jsonl is not a draft of \`ctx fork\`, so --rm will not remove it
      hint: leave out --rm
      "
    `);
    expect(snapshot(folder)).toEqual(before);
  });
});

describe("the pack of a session", () => {
  it("ctx fork of a session's pack makes no version of the session", async () => {
    const { folder, file } = withSession();
    const [main] = await packJson(folder, file);
    await must(["fork", main?.uri as string, "mine"], { folder });
    const draft = join(folder, "mine");
    expect(fs.existsSync(join(draft, "execution.json"))).toBe(true);
    const unchanged = await cli(["pack", "mine"], { folder });
    expect(unchanged.status).toBe(1);
    const execution = join(draft, "execution.json");
    const text = fs.readFileSync(execution, "utf8");
    const log = JSON.parse(text) as { model: { identifier: string } };
    log.model.identifier = "claude-z-1";
    fs.writeFileSync(execution, JSON.stringify(log));
    const [forked] = await packJson(folder, "mine");
    expect(forked).toMatchObject({ new: true, parent: main?.hash });
    const listed = await entries(folder);
    expect(listed.find(({ hash }) => hash === forked?.hash)).not.toHaveProperty("version");
    expect(listed.find(({ hash }) => hash === main?.hash)).toMatchObject({ version: 1, versions: 1 });
    const shown = await manifest(folder, forked?.hash as string);
    expect((shown["steps"] as { pack?: string }[])[0]?.pack).toBe(main?.packs?.[0]?.hash);
    expect((await cli(["verify", forked?.uri as string], { folder })).stdout).toMatch(/verified\n/);
  });

  it("ctx diff compares a session's pack with an earlier version", async () => {
    const { folder, file } = withSession();
    const [first] = await packJson(folder, file);
    fs.appendFileSync(join(folder, file), lines(laterRecord()));
    const [second] = await packJson(folder, file);
    const { status, stdout, stderr } = await cli(
      ["diff", "--human", first?.uri as string, second?.uri as string],
      {
        folder,
      },
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(
      stdout
        .replaceAll(first?.uri.slice(6, 18) ?? "", "<first>")
        .replaceAll(second?.uri.slice(6, 18) ?? "", "<second>"),
    ).toMatchInlineSnapshot(`
      "Comparing <first> vs <second>

      1 difference(s) found:

        1. [prompt_drift] Prompt 1 (user) added

      <first>  Make two pages of it.
      <second>  Make two pages of it.

      The runs made the same decisions.

      1. Prompt 1 (user) added
           @@ -0,0 +1 @@
           +Thank you.
           \\ No newline at end of file
      "
    `);
    const differs = (...packs: (string | undefined)[]): Promise<CliResult> =>
      cli(["diff", "--exit-code", ...packs.map(String)], { folder });
    expect((await differs(first?.uri, second?.uri)).status).toBe(1);
    expect((await differs(first?.uri, first?.uri)).status).toBe(0);
  });
});
