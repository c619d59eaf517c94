// What ctx counts in sessions that real agents wrote, against the script of the model that they talked to.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type AgentName, realAgents } from "../../dev/agents/agents.js";
import { expectedCounts, type RunCounts } from "../../dev/agents/script.js";
import { prompts, repairScript, workspace } from "../../dev/agents/scripts.js";
import { AgentSession, agentIsThere } from "../../dev/agents/session.js";
import { ctx } from "../../dev/built.js";
import { describeWith, program } from "../../dev/needs.js";
import type { Manifest } from "../../src/model/manifest.js";
import type { FoundSession, HookRun } from "../../src/results/intake.js";
import type { LogEntry } from "../../src/results/log.js";

/** The names of the hooks that seal at the end of a session; Qwen Code has none. */
const hooks: Partial<Record<AgentName, string>> = {
  "claude-code": "claude-code",
  codex: "codex",
  "codex-code-mode": "codex",
  "gemini-cli": "gemini",
};

function linesOf<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** Waits for the next minute if this one is about to end: Gemini CLI names the files of a session by the minute. */
function waitForMinute(): void {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 30_000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, left);
}

for (const name of Object.keys(realAgents) as AgentName[])
  describeWith([agentIsThere(realAgents[name]), program("bwrap")], `a real session of ${name}`, () => {
    const session = new AgentSession(realAgents[name], workspace);
    const { folder: cwd, home } = session;
    const script = repairScript(name, cwd);
    const expected = expectedCounts(script);
    const hook = hooks[name];
    const { agent } = realAgents[name];

    function json<T>(...args: string[]): T[] {
      const ran = ctx([...args, "--json"], { cwd, env: session.env });
      expect(ran).toMatchObject({ status: 0 });
      return linesOf<T>(ran.stdout);
    }

    /** The newest pack of the session, or of its sub-agent, which may not have a prompt as title. */
    const packOf = (isSubAgent: boolean): LogEntry | undefined =>
      json<LogEntry>("log").find(({ title }) => (title === prompts.first) !== isSubAgent);

    /** What the hook noted of each session that it sealed, without times and paths. */
    function hookRuns(): Partial<HookRun>[] {
      const file = join(home, ".local/state/ctx/hook-runs.jsonl");
      if (!fs.existsSync(file)) return [];
      return linesOf<HookRun>(fs.readFileSync(file, "utf8")).map(({ time: _time, log: _log, ...run }) => run);
    }

    function countsOf(isSubAgent: boolean): RunCounts {
      const entry = packOf(isSubAgent);
      const [manifest] = json<Manifest>("show", entry?.hash.slice("sha256:".length) ?? "");
      const usage = manifest?.metadata?.["usage"] as Record<string, number>;
      const cached = usage["cache_read_input_tokens"] ?? 0;
      return {
        prompts: manifest?.prompts.length ?? 0,
        // A search for tools is a server_tool_call.
        calls: manifest?.steps.filter(({ type }) => type.endsWith("tool_call")).length ?? 0,
        failed: entry?.failed ?? 0,
        tokens: {
          // Only Anthropic counts cached input beside the rest.
          input: (usage["input_tokens"] ?? 0) - (name === "claude-code" ? 0 : cached),
          cached,
          output: usage["output_tokens"] ?? 0,
        },
      };
    }

    it(`${name} plays the script, and its hook packs the session after each prompt`, () => {
      const prepare = [["init"], ...(hook === undefined ? [] : [["hook", "install", hook, "--yes"]])];
      for (const args of prepare) expect(ctx(args, { cwd, env: session.env })).toMatchObject({ status: 0 });
      waitForMinute();
      for (const prompt of [prompts.first, prompts.second])
        expect(session.prompt(prompt, script)).toMatchObject({ status: 0 });
      expect(fs.readFileSync(join(cwd, "pages.mjs"), "utf8")).toContain("Math.ceil");
      expect(fs.readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("floor instead of ceil\n");
      const answered = session.requests().filter(({ task }) => task !== undefined);
      const turns = script.flatMap((task, at) => task.turns.map((_turn, turn) => `${at}.${turn}`));
      expect(answered.map(({ task, turn }) => `${task}.${turn}`).sort()).toEqual(turns.sort());
      const sealed = { hook, packs: [expect.stringMatching(/^sha256:/)] };
      expect(hookRuns()).toEqual(hook === undefined ? [] : [sealed, sealed]);
    }, 240_000);

    it(`${name}: ctx discover finds the session, and its packs have the counts of the script`, () => {
      const found = json<FoundSession>("discover").filter(
        // A session of Gemini CLI that is continued in another minute has another, empty file.
        ({ title, model }) => title === prompts.first && (agent !== "gemini-cli" || model !== null),
      );
      expect(found).toMatchObject([{ agent, project: cwd, state: hook === undefined ? "new" : "packed" }]);
      ctx(["pack", "--discover"], { cwd, env: session.env });
      expect(json<FoundSession>("discover").map(({ state }) => state)).not.toContain("new");
      // The hook has sealed it twice, so nothing was left to do.
      expect(packOf(false)).toMatchObject({ version: hook === undefined ? 1 : 2 });
      expect(countsOf(false)).toEqual(expected.session);
      expect(countsOf(true)).toEqual(expected.subAgents[0]);
      // Codex writes the log of a sub-agent as a session of its own.
      expect(packOf(false)).toMatchObject({ subruns: agent === "codex" ? 0 : 1 });
      expect(new Set(json<LogEntry>("log").map(({ title }) => title)).size).toBe(2);
    });
  });
