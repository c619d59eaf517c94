// The screens of the commands that capture runs.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hookProgram } from "../../dev/cli.js";
import { sessionStore, tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json } from "../../dev/logs.js";
import { goodRun, inUtc, screen, storeOf } from "../../dev/screens.js";
import { githubToken } from "../../dev/secrets.js";

inUtc();

/** Returns a home with a session of each of two agents, both of long ago. */
function home(): string {
  const { folder } = sessionStore();
  const put = (path: string, modified: string, ...records: object[]): void => {
    const file = join(folder, ".nobody", path);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, lines(...records));
    fs.utimesSync(file, new Date(modified), new Date(modified));
  };
  const cwd = "/srv/web/very-long-name-of-a-project";
  const timestamp = "2020-01-02T12:00:00.000Z";
  const claude = { sessionId: "5a3bb1c8-0000-4000-8000-000000000001", cwd, version: "2.1.0", timestamp };
  const prompt = "Put page numbers in the footer of every list, and test it with a list of 1000 lines.";
  put(
    ".claude/projects/-srv-web/5a3bb1c8-0000-4000-8000-000000000001.jsonl",
    "2020-01-02T12:00:00Z",
    { type: "user", uuid: "u", ...claude, message: { role: "user", content: prompt } },
    {
      type: "assistant",
      uuid: "a",
      ...claude,
      message: {
        id: "m",
        model: "claude-opus-4-5-20251101",
        role: "assistant",
        content: [{ type: "text", text: "Done." }],
      },
    },
  );
  put(
    ".codex/sessions/2020/01/03/rollout-1.jsonl",
    "2020-01-03T12:00:00Z",
    { timestamp, type: "session_meta", payload: { id: "c1", timestamp, cwd: "/srv/api", cli_version: "1" } },
    { timestamp, type: "turn_context", payload: { turn_id: "t", cwd: "/srv/api", model: "gpt-5-codex" } },
    {
      timestamp,
      type: "event_msg",
      payload: { type: "user_message", message: "フッターのページ番号を直してください🎉" },
    },
    {
      timestamp,
      type: "response_item",
      payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
    },
  );
  return folder;
}

describe("screen of ctx init", () => {
  it("ctx init has the store's folder", async () => {
    expect(await screen(tempFolder(), 80, ["init"], { onTerminal: true })).toMatchInlineSnapshot(`
      "
      made the store @/.ctx
      "
    `);
  });
});

describe("screen of ctx pack", () => {
  it("ctx pack of a log has the pack's name", async () => {
    const folder = await storeOf({});
    expect(
      await screen(folder, 80, ["pack", "-"], { onTerminal: true, input: json(goodRun) }),
    ).toMatchInlineSnapshot(`
      "
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      "
    `);
  });
  it("ctx pack of a log with a secret has what was masked", async () => {
    const folder = await storeOf({});
    const log = { ...goodRun, system_prompt: `The token is ${githubToken()}.` };
    expect(
      await screen(folder, 80, ["pack", "-", "--redact", "standard"], { onTerminal: true, input: json(log) }),
    ).toMatchInlineSnapshot(`
      "
      ctx://453aa4fc994e7b8ba7ddb24b8af3bc99b9951781e01fce27a973d61495a79b80
      ! note: masked in -: github-token 1 (system_prompt); the log still contains them, so rotate those that are real
      "
    `);
  });
});

describe("screen of ctx discover", () => {
  it("ctx discover at 60 columns has a session a line", async () => {
    expect(await screen(home(), 60, ["discover"])).toMatchInlineSnapshot(`
      "
      c1        フッターのページ番号を直してください🎉         new
                2020-01-03  codex        /srv/api
      5a3bb1c8  Put page numbers in the footer of every list…  new
                2020-01-02  claude-code  …y-long-name-of-a-project

      2 sessions, 1.2 kB: 2 new
      \`ctx show <id>\` shows one
      \`ctx pack --discover\` packs the new and grown ones
      "
    `);
  });
  it("ctx discover at 80 columns has a session a line", async () => {
    expect(await screen(home(), 80, ["discover"])).toMatchInlineSnapshot(`
      "
      c1        フッターのページ番号を直してください🎉                             new
                2020-01-03  codex        /srv/api
      5a3bb1c8  Put page numbers in the footer of every list, and test it with a…  new
                2020-01-02  claude-code  /srv/web/very-long-name-of-a-project

      2 sessions, 1.2 kB: 2 new
      \`ctx show <id>\` shows one
      \`ctx pack --discover\` packs the new and grown ones
      "
    `);
  });
  it("ctx discover at 120 columns has a session a line", async () => {
    expect(await screen(home(), 120, ["discover"])).toMatchInlineSnapshot(`
      "
      c1        フッターのページ番号を直してください🎉                /srv/api                    codex        2020-01-03  new
      5a3bb1c8  Put page numbers in the footer of every list, and t…  …ry-long-name-of-a-project  claude-code  2020-01-02  new

      2 sessions, 1.2 kB: 2 new
      \`ctx show <id>\` shows one
      \`ctx pack --discover\` packs the new and grown ones
      "
    `);
  });
});

describe("screen of ctx hook", () => {
  it("ctx hook install --dry-run has the change before it is made", async () => {
    const { folder } = sessionStore();
    const varying: [string, string][] = [[JSON.stringify(hookProgram).slice(1, -1), "<ctx>"]];
    const install = ["hook", "install", "claude-code", "--dry-run"];
    expect(await screen(folder, 80, install, { varying })).toMatchInlineSnapshot(`
      "
      @/.nobody/.claude/settings.json would change:
      + {
      +   "hooks": {
      +     "SessionEnd": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "<ctx> hook run claude-code >/dev/null 2>&1 || true"
      +           }
      +         ]
      +       }
      +     ]
      +   }
      + }
      note: the only store found here is for @: \`ctx -C ~ init\` makes one for all sessions outside other stores
      "
    `);
  });
});
