// What ctx writes down or prints about a run, besides the run: no secret stands in it either.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sealForHook } from "../../src/ops/seal-session.js";
import { acceptStore } from "../../src/store/accepted.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { githubToken } from "../../dev/secrets.js";

it("hook: the note about a session has no secret in its path or its problem", async () => {
  const store = tempStore();
  const { folder } = store;
  const state = join(folder, "state");
  acceptStore(store, state);
  const path = join(folder, githubToken(), "session.jsonl");
  const run = await sealForHook("claude-code", JSON.stringify({ transcript_path: path, cwd: folder }), {
    where: { folder, home: join(folder, ".nobody"), env: {} },
    state,
    user: { config: join(folder, "none.json"), state },
  });
  expect(run.problem).toContain("[REDACTED:github-token:1]");
  const written = fs.readFileSync(join(state, "hook-runs.jsonl"), "utf8");
  expect(written).toContain('[REDACTED:github-token:1]/session.jsonl"');
  expect(written).not.toContain(githubToken());
});

it("redact: the message about a rule that is no pattern says why, and does not quote the pattern", async () => {
  const { folder } = tempStore();
  const rules = [{ id: "mine", pattern: `(${githubToken()}` }];
  fs.writeFileSync(join(folder, ".ctx/config.json"), json({ version: "0.1", redact: { rules } }));
  const input = json(smallLog({ created: "2026-01-01T00:00:00Z" }));
  const { status, stderr } = await cli(["pack", "-"], { folder, input });
  expect(status).toBe(2);
  expect(stderr).toContain("missing closing )");
  expect(stderr).not.toContain(githubToken());
});
