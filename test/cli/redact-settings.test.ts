// Rules of one's own: what they may mask, how many there may be, and what becomes of a run whose settings
// cannot be used.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { CtxError } from "../../src/base/errors.js";
import { sealForHook } from "../../src/ops/seal-session.js";
import { Store } from "../../src/store/store.js";
import { withBatch } from "../../src/store/batch-lock.js";
import { cli } from "../../dev/cli.js";
import { sessionStore, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { claudeSession } from "../../dev/redact-scenes.js";
import { githubToken, password } from "../../dev/secrets.js";

function configure(folder: string, redact: object): void {
  fs.writeFileSync(join(folder, ".ctx/config.json"), json({ version: "0.1", redact }));
}

const log = smallLog({
  created: "2026-01-01T00:00:00Z",
  model: { identifier: "some-model-1", parameters: { temperature: 0.2, acme_secret_option: "on" } },
  environment: { os: "linux", runtime: "node 20", tool_versions: { ripgrep_and_more: "14.1.0" } },
  steps: [
    {
      type: "tool_call",
      tool: "read_file",
      parameters: { path: "a.txt", acme_secret_option: "x" },
      output: "nothing here\n",
      metadata: { exit_code: 0 },
    },
  ],
  metadata: { redactions: "of the log's own" },
});

describe("redact rules in a config", () => {
  it.each([
    String.raw`\b[a-z]{10}\b`,
    "(?s).{4,1000}",
    "[a-z_]{4,}",
    "parameters|identifier|tool_versions|deterministic|redactions",
  ])("redact rules: fields of the format are never masked: %s", async (pattern) => {
    const { folder } = tempStore();
    configure(folder, { rules: [{ id: "acme-app", pattern }] });
    const { status, stdout } = await cli(["pack", "-", "--json"], { folder, input: json(log) });
    expect(status).toBe(0);
    const { untrusted_rules, notices } = JSON.parse(stdout) as PackResult;
    const shown = await cli(["show", "latest", "--json"], { folder });
    expect(shown.status, shown.stderr).toBe(0);
    expect((await cli(["verify", "latest"], { folder })).status).toBe(0);
    const counted = untrusted_rules?.["acme-app"] ?? 0;
    if (counted > 0) expect(notices.join("\n")).toContain(`not trusted: acme-app ${counted}`);
  });

  it("redact rules: free-form keys are masked, and counted apart until the store is trusted", async () => {
    const { folder } = tempStore();
    configure(folder, { rules: [{ id: "acme-option", pattern: "acme_secret_option" }] });
    const first = await cli(["pack", "-", "--json"], { folder, input: json(log) });
    const before = JSON.parse(first.stdout) as PackResult;
    expect(before.untrusted_rules).toEqual({ "acme-option": 2 });
    expect((await cli(["trust"], { folder })).status).toBe(0);
    const second = await cli(["pack", "-", "--json"], { folder, input: json(log) });
    const after = JSON.parse(second.stdout) as PackResult;
    expect(after.untrusted_rules).toBeUndefined();
    expect(after.hash).toBe(before.hash);
  });

  it.each([
    [
      "1001 rules",
      Array.from({ length: 1001 }, (_, at) => ({ id: `r${at}`, pattern: `acme${at}x` })),
      "there are 1001 rules; at most 1000",
    ],
    [
      "too long patterns",
      [{ id: "r", pattern: `acme${"x".repeat(1 << 16)}` }],
      "bytes; at most 65536 are allowed",
    ],
    [
      "too many keywords",
      [{ id: "r", pattern: "acme-x", keywords: Array.from({ length: 9000 }, (_, at) => `keyword-${at}`) }],
      "bytes; at most 65536 are allowed",
    ],
  ])("redact rules: more than the limits are refused by pack and scan: %s", async (_, rules, message) => {
    const { folder } = tempStore();
    configure(folder, { rules });
    for (const argv of [
      ["pack", "-"],
      ["scan", "-"],
    ]) {
      const { status, stderr } = await cli(argv, { folder, input: json(log) });
      expect(status).toBe(2);
      expect(stderr).toContain(message);
    }
  });

  it("redact rules: 1,000 are accepted", async () => {
    const { folder } = tempStore();
    configure(folder, {
      rules: Array.from({ length: 1000 }, (_, at) => ({ id: `r${at}`, pattern: `acme${at}x` })),
    });
    expect((await cli(["pack", "-"], { folder, input: json(log) })).status).toBe(0);
  });
});

describe("redact settings that cannot be used", () => {
  const bad: readonly [string, string | Buffer][] = [
    ["a rule that is no pattern", json({ version: "0.1", redact: { rules: [{ id: "x", pattern: "(" }] } })],
    ["a misspelt mode", json({ version: "0.1", redact: { mode: "of" } })],
    [
      "too many rules",
      json({
        version: "0.1",
        redact: { rules: Array.from({ length: 1001 }, (_, at) => ({ id: `r${at}`, pattern: `acme${at}x` })) },
      }),
    ],
  ];

  it.each(bad)("bad redact settings stop pack, and a hook uses built-in rules: %s", async (_, config) => {
    const { folder } = sessionStore("state");
    fs.writeFileSync(join(folder, ".ctx/config.json"), config);
    const { status } = await cli(["pack", "-"], { folder, input: json(log) });
    expect(status).toBe(2);
    const path = claudeSession(folder, { secret: githubToken(), other: password });
    const state = join(folder, "state");
    const run = await sealForHook("claude-code", JSON.stringify({ transcript_path: path, cwd: folder }), {
      where: { folder, home: join(folder, ".nobody"), env: {} },
      state,
      user: { config: join(folder, "none.json"), state },
    });
    expect(run.problem).toBeUndefined();
    expect(run.packs).toHaveLength(1);
    expect(run.notice).toContain("sealed without those settings, with the built-in rules");
    expect(fs.readFileSync(join(state, "hook-runs.jsonl"), "utf8")).toContain("built-in rules");
    const shown = await cli(["show", run.packs[0] ?? "", "--json"], { folder });
    expect(shown.stdout).toContain("github-token");
    expect(shown.stdout).not.toContain(githubToken());
  });
});

describe("a store that cannot be used", () => {
  it("hook: a session of a store that cannot be used is sealed in the home's store, with a notice", async () => {
    const { folder } = tempStore();
    const { folder: home } = tempStore();
    fs.writeFileSync(join(folder, ".ctx/config.json"), "{");
    const path = claudeSession(folder, { secret: githubToken(), other: password });
    const seal = async (at: string): ReturnType<typeof sealForHook> =>
      await sealForHook("claude-code", JSON.stringify({ transcript_path: path, cwd: folder }), {
        where: { folder, home: at, env: {} },
        state: join(folder, "state"),
        user: { config: join(folder, "none.json"), state: join(folder, "state") },
      });
    const { packs, notice } = await seal(home);
    expect(packs).toHaveLength(1);
    expect(notice).toMatch(/config\.json is not a valid JSON object .*; sealed in .* instead/);
    expect((await cli(["show", packs[0] ?? ""], { folder: home })).status).toBe(0);
    expect((await seal(join(folder, "gone"))).problem).toContain("config.json is not a valid JSON object");
  });
});

describe("a manifest that cannot be read", () => {
  it("store: a manifest that cannot be read back is never committed", () => {
    const { folder } = tempStore();
    const store = Store.find(folder);
    const manifest = {
      version: "0.1" as const,
      hash: "" as const,
      created: "2026-01-01T00:00:00Z",
      model: { identifier: "", parameters: {} },
      system_prompt: `sha256:${"0".repeat(64)}` as const,
      prompts: [],
      inputs: [],
      steps: [],
      outputs: [],
      environment: { os: "linux", runtime: "node", tool_versions: {} },
    };
    const many = Array.from({ length: 5000 }, (_, index) => ({
      index: index === 4999 ? 0 : index,
      type: "message",
      parameters: { text: "x".repeat(60) },
      deterministic: false,
    }));
    const model = { identifier: "m", parameters: {} };
    for (const bad of [manifest, { ...manifest, model, steps: many }]) {
      const add = (): unknown =>
        withBatch(store, "add", (batch) => batch.commit([batch.addPack(bad, { once: false })]));
      expect(add).toThrow(CtxError);
      expect(add).toThrow("cannot read back");
      expect(fs.readdirSync(join(store.root, "packs"))).toEqual([]);
    }
  });
});

describe("an unknown key in a log", () => {
  it("ctx pack: an unknown key of a log is masked in errors if it is a secret, and cut if it is long", async () => {
    const { folder } = tempStore();
    for (const [key, shown] of [
      [githubToken(), "steps[0].[REDACTED:github-token:1]: unknown field"],
      [`q${"w".repeat(5000)}`, "steps[0].qwwwwwwwwwww…: unknown field"],
      [`q ${"w".repeat(5000)}`, 'steps[0]["q wwwwwwwww…"]: unknown field'],
    ] as const) {
      const input = json(smallLog({ steps: [{ type: "message", [key]: 1 }] }));
      const { stderr } = await cli(["pack", "-"], { folder, input });
      expect(stderr).toContain(shown);
      const machine = await cli(["pack", "-", "--json"], { folder, input });
      expect(machine.stderr).not.toContain(key);
      const off = await cli(["pack", "-", "--redact", "off"], { folder, input });
      expect(off.status).toBe(2);
      expect(off.stderr).not.toContain(key);
    }
  });
});
