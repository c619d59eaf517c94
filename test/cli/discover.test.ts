import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { sessionStore, tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { itWith, onNode } from "../../dev/needs.js";

type Found = {
  agent: string;
  path: string;
  project: string | null;
  model: string | null;
  session: string | null;
  title: string | null;
  state: string;
  packs: string[];
};

function put(folder: string, path: string, text: string, modified = "2026-02-10T12:00:00Z"): string {
  const file = join(folder, ".nobody", path);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  fs.utimesSync(file, new Date(modified), new Date(modified));
  return file;
}

function claude(session: string, cwd: string, text = "hello"): string {
  const base = { sessionId: session, cwd, version: "2.1.0", timestamp: "2026-02-10T12:00:00.000Z" };
  return lines(
    { type: "user", uuid: "u", ...base, message: { role: "user", content: text } },
    {
      type: "assistant",
      uuid: "a",
      ...base,
      message: { id: "m", model: "claude-x", role: "assistant", content: [{ type: "text", text: "hi" }] },
    },
  );
}

function codex(id: string, cwd: string): string {
  const timestamp = "2026-02-11T12:00:00.000Z";
  return lines(
    { timestamp, type: "session_meta", payload: { id, timestamp, cwd, cli_version: "1" } },
    { timestamp, type: "turn_context", payload: { turn_id: "t", cwd, model: "gpt-x" } },
    { timestamp, type: "event_msg", payload: { type: "user_message", message: "do it" } },
    {
      timestamp,
      type: "response_item",
      payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
    },
  );
}

function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}

function user(content: unknown, more = {}): object {
  return { type: "user", sessionId: "s", message: { role: "user", content }, ...more };
}

function pi(id: string): string {
  return lines(
    { type: "session", version: 3, id, timestamp: "2026-02-10T12:00:00.000Z", cwd: "/srv/web" },
    { type: "model_change", id: "e1", parentId: null, provider: "openai", modelId: "gpt-x" },
    { type: "message", id: "e2", parentId: "e1", message: { role: "user", content: "hi" } },
  );
}

async function found(folder: string, ...argv: string[]): Promise<Found[]> {
  const { stdout, status, stderr } = await cli(["discover", "--json", ...argv], { folder });
  expect(status, stderr).toBe(0);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Found);
}

function home(): string {
  const { folder } = sessionStore();
  put(folder, ".claude/projects/-srv-web/s1.jsonl", claude("s1", "/srv/web"), "2026-02-10T12:00:00Z");
  put(folder, ".claude/projects/-srv-web/agent-1.jsonl", claude("s1", "/srv/web"));
  put(folder, ".claude/projects/-srv-api/s2.jsonl", claude("s2", "/srv/api"), "2026-02-12T12:00:00Z");
  put(folder, ".codex/sessions/2026/02/11/rollout-1.jsonl", codex("c1", "/srv/web"), "2026-02-11T12:00:00Z");
  return folder;
}

describe("ctx discover", () => {
  it("discover: sessions are listed newest first, with project, model and state", async () => {
    const folder = home();
    expect(await found(folder)).toEqual([
      expect.objectContaining({
        agent: "claude-code",
        project: "/srv/api",
        model: "claude-x",
        session: "s2",
        state: "new",
      }),
      expect.objectContaining({
        agent: "codex",
        project: "/srv/web",
        model: "gpt-x",
        session: "c1",
        state: "new",
      }),
      expect.objectContaining({ agent: "claude-code", project: "/srv/web", session: "s1", packs: [] }),
    ]);
  });

  it.each([
    [["--agent", "codex"], "c1"],
    [["--agent", "codex", "--agent", "claude-code"], "s2 c1 s1"],
    [["--project", "/srv/web"], "c1 s1"],
    [["--project", "api"], "s2"],
    [["--project", "."], ""],
    [["--since", "2026-02-11"], "s2 c1"],
    [["-n", "1"], "s2"],
    [["--new"], "s2 c1 s1"],
  ])("discover: %j lists only the sessions that fit", async (argv, sessions) => {
    expect((await found(home(), ...argv)).map(({ session }) => session).join(" ")).toBe(sessions);
  });

  it.each([60, 80, 120])("discover: the screen of %i columns says what to do next", async (width) => {
    const { folder } = sessionStore();
    const [first, second] = ["198393f2-7cc1-4d35-9de1-000000000001", "0198a3f2-1b2c-7000-8000-000000000002"];
    const prompt = "Fix the pager: it shows the last page twice when a file ends without a newline\nSee #12.";
    put(
      folder,
      `.claude/projects/p/${first}.jsonl`,
      claude(first, "/srv/web", prompt),
      "2026-02-12T12:00:00Z",
    );
    put(
      folder,
      `.codex/sessions/2026/02/11/rollout-${second}.jsonl`,
      codex(second, "/srv/a/folder/far/down/api"),
    );
    const third = second.replace("1b2c", "1b3c");
    put(
      folder,
      `.claude/projects/p/${third}.jsonl`,
      claude(third, "/srv/web", "<system-reminder>x</system-reminder>"),
    );
    const { stdout } = await cli(["discover"], { folder, width });
    for (const line of stdout.split("\n").slice(0, -4)) expect(line.length).toBeLessThanOrEqual(width);
    if (width === 60)
      expect(stdout).toMatchInlineSnapshot(`
      "198393f2      Fix the pager: it shows the last page tw…  new
                    2026-02-12  claude-code  /srv/web
      0198a3f2-1b3  (no prompt found)                          new
                    2026-02-10  claude-code  /srv/web
      0198a3f2-1b2  do it                                      new
                    2026-02-10  codex        …/folder/far/down/api

      3 sessions, 1.6 kB: 3 new
      \`ctx show <id>\` shows one
      \`ctx pack --discover\` packs the new and grown ones
      "
    `);
    else if (width === 80)
      expect(stdout).toMatchInlineSnapshot(`
      "198393f2      Fix the pager: it shows the last page twice when a file ends…  new
                    2026-02-12  claude-code  /srv/web
      0198a3f2-1b3  (no prompt found)                                              new
                    2026-02-10  claude-code  /srv/web
      0198a3f2-1b2  do it                                                          new
                    2026-02-10  codex        /srv/a/folder/far/down/api

      3 sessions, 1.6 kB: 3 new
      \`ctx show <id>\` shows one
      \`ctx pack --discover\` packs the new and grown ones
      "
    `);
    else
      expect(stdout).toMatchInlineSnapshot(`
      "198393f2      Fix the pager: it shows the last page twice when …  /srv/web                  claude-code  2026-02-12  new
      0198a3f2-1b3  (no prompt found)                                   /srv/web                  claude-code  2026-02-10  new
      0198a3f2-1b2  do it                                               …v/a/folder/far/down/api  codex        2026-02-10  new

      3 sessions, 1.6 kB: 3 new
      \`ctx show <id>\` shows one
      \`ctx pack --discover\` packs the new and grown ones
      "
    `);
  });

  it("discover: a log that changed just now says so", async () => {
    const { folder } = sessionStore();
    put(folder, ".claude/projects/p/a.jsonl", claude("a", "/p"), ago(10));
    put(folder, ".claude/projects/p/b.jsonl", claude("b", "/p"), ago(5.5 * 60));
    put(folder, ".claude/projects/p/c.jsonl", claude("c", "/p"), ago(3.5 * 3600));
    put(folder, ".claude/projects/p/d.jsonl", claude("d", "/p"), ago(13.5 * 86_400));
    put(folder, ".claude/projects/p/e.jsonl", claude("e", "/p"), ago(20 * 86_400));
    const { stdout } = await cli(["discover"], { folder });
    const ages = stdout.match(/now|\d+[mhd] ago|\d{4}-\d\d-\d\d/g);
    expect(ages).toEqual(["now", "5m ago", "3h ago", "13d ago", expect.stringMatching(/^\d{4}-/)]);
  });

  it("discover: a title has no secret and no control character, on the screen and in JSON", async () => {
    const { folder } = sessionStore();
    const token = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5".slice(0, 36)}`;
    put(folder, ".claude/projects/p/s.jsonl", claude("s", "/p", `\u001b[31mUse ${token} to\u0007 push`));
    const { stdout } = await cli(["discover"], { folder });
    const json = await cli(["discover", "--json"], { folder });
    for (const text of [stdout, json.stdout]) {
      expect(text).toContain("Use [REDACTED:");
      expect(text).not.toContain(token);
      expect(text).not.toMatch(/\u001b|\\u001b|\u0007|\\u0007/);
    }
  });

  it("discover: the title is that of the first prompt that a person wrote", async () => {
    const { folder } = sessionStore();
    put(
      folder,
      ".claude/projects/p/s.jsonl",
      lines(
        user("a warm-up of the client", { isMeta: true }),
        user("<command-name>/clear</command-name>"),
        user([{ type: "tool_result", content: "no prompt" }]),
        user([
          { type: "text", text: "<ide_opened_file>a.ts</ide_opened_file>" },
          { type: "text", text: "Fix it" },
        ]),
        user("and then that"),
      ),
    );
    put(
      folder,
      ".gemini/tmp/web/chats/session-1.json",
      JSON.stringify({ sessionId: "g", messages: [{ type: "user", content: [{ text: "Gemini's task" }] }] }),
    );
    put(
      folder,
      ".copilot/session-state/c/events.jsonl",
      lines({ type: "user.message", data: { content: "Copilot's task", transformedContent: "no" } }),
    );
    put(folder, ".pi/agent/sessions/p/2026_p.jsonl", pi("p"));
    put(
      folder,
      ".cline/data/tasks/17/api_conversation_history.json",
      JSON.stringify([{ role: "user", content: [{ type: "text", text: "<task>\nCline's task\n</task>" }] }]),
    );
    put(folder, ".codex/sessions/2026/02/11/rollout-1.jsonl", codex("c1", "/srv/web"));
    const titles = (await found(folder)).map(({ agent, title }) => `${agent}: ${title}`);
    expect(titles.sort()).toEqual([
      "claude-code: Fix it",
      "cline: Cline's task",
      "codex: do it",
      "copilot-cli: Copilot's task",
      "gemini-cli: Gemini's task",
      "pi: hi",
    ]);
  });

  it("discover: the title of a demonstration is not that of the run", async () => {
    const { folder } = sessionStore();
    const history = [
      { role: "user", content: "Here is a demonstration", is_demo: true },
      { role: "user", content: "Mend the parser" },
    ];
    const path = join(folder, "trajectories/u/m/i/1.traj");
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, JSON.stringify({ history }));
    expect((await found(folder)).map(({ title }) => title)).toEqual(["Mend the parser"]);
  });

  it("discover: a packed session has the title that `ctx log` shows, also one of the user's", async () => {
    const { folder } = sessionStore();
    // The prompt is too far down to be found without reading the whole log.
    const notes = user("x".repeat(1 << 18), { isMeta: true });
    const log = lines(notes) + claude("s", "/p", "Fix the pager");
    const path = put(folder, ".claude/projects/p/s.jsonl", log);
    const title = async (): Promise<string | null | undefined> => (await found(folder))[0]?.title;
    expect(await title()).toBeNull();
    expect((await cli(["pack", "--discover"], { folder })).status).toBe(0);
    expect(await title()).toBe("Fix the pager");
    expect((await cli(["tag", "--title", "the good one", "latest"], { folder })).status).toBe(0);
    expect(await title()).toBe("the good one");
    fs.appendFileSync(path, claude("s", "/p", "and this"));
    expect((await found(folder))[0]).toMatchObject({ state: "grown", title: "the good one" });
  });

  it("discover: identical bytes that were packed from elsewhere are packed, and grown if more is added", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "copy.jsonl"), claude("s", "/p"));
    expect((await cli(["pack", "copy.jsonl"], { folder })).status).toBe(0);
    const file = put(folder, ".claude/projects/p/s.jsonl", claude("s", "/p"), "2026-03-10T12:00:00Z");
    expect(await found(folder)).toEqual([expect.objectContaining({ state: "packed" })]);
    const later = claude("s", "/p", "more").replaceAll("2026-02-10T12:00", "2026-03-10T11:59");
    fs.appendFileSync(file, later.replaceAll(/"uuid":"(\w)"/g, '"uuid":"$1$1"'));
    expect(await found(folder)).toEqual([expect.objectContaining({ state: "grown" })]);
  });

  it("discover: where it found nothing, it says where it looked", async () => {
    const folder = home();
    const empty = await cli(["discover", "--agent", "gemini-cli"], { folder });
    expect(empty.stdout).toBe("no sessions found on this machine\n");
    const none = await cli(["discover", "--project", "nowhere"], { folder });
    expect(none.stdout).toMatchInlineSnapshot(`
      "no session matches; looked in
        ~/.claude/projects
        ~/.codex/sessions
      "
    `);
  });

  it("discover: sessions are listed where there is no store", async () => {
    const folder = tempFolder();
    put(folder, ".claude/projects/p/s.jsonl", claude("s", "/p"));
    expect(await found(folder)).toEqual([expect.objectContaining({ session: "s", state: "new" })]);
  });

  it("discover: a variable that moves an agent's folder is followed", async () => {
    const folder = home();
    const elsewhere = join(tempFolder(), "codex");
    fs.mkdirSync(join(elsewhere, "sessions/2026/01/01"), { recursive: true });
    fs.writeFileSync(join(elsewhere, "sessions/2026/01/01/rollout-9.jsonl"), codex("c9", "/x"));
    const { stdout } = await cli(["discover", "--json", "--agent", "codex"], {
      folder,
      env: { CODEX_HOME: elsewhere },
    });
    expect(
      stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as Found).session),
    ).toEqual(["c9"]);
  });

  it("discover: a session of pi is found in pi's folder, and in the one that a variable names", async () => {
    const folder = tempFolder();
    put(folder, ".pi/agent/sessions/--srv-web--/2026-02-10_s1.jsonl", pi("s1"));
    const elsewhere = tempFolder();
    fs.writeFileSync(join(elsewhere, "2026-02-11_s2.jsonl"), pi("s2"));
    const { stdout } = await cli(["discover", "--json", "--agent", "pi"], {
      folder,
      env: { PI_CODING_AGENT_SESSION_DIR: elsewhere },
    });
    const sessions = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Found);
    expect(sessions.map(({ session, project, model }) => `${session} ${project} ${model}`).sort()).toEqual([
      "s1 /srv/web gpt-x",
      "s2 /srv/web gpt-x",
    ]);
  });

  it("discover: a session in opencode's storage is found, and packed with the messages beside it", async () => {
    const { folder } = sessionStore();
    const storage = ".local/share/opencode/storage";
    const info = { id: "ses_1", title: "t", directory: "/srv/web", time: { created: 1_770_724_800_000 } };
    put(folder, `${storage}/session/p1/ses_1.json`, JSON.stringify(info));
    put(folder, `${storage}/message/ses_1/msg_1.json`, JSON.stringify({ id: "msg_1", role: "user" }));
    put(folder, `${storage}/part/msg_1/prt_1.json`, JSON.stringify({ type: "text", text: "mend it" }));
    put(folder, `${storage}/session_diff/ses_1.json`, "[]");
    const before = await found(folder);
    expect(before).toEqual([
      expect.objectContaining({ agent: "opencode", session: "ses_1", project: "/srv/web", state: "new" }),
    ]);
    expect((await cli(["pack", "--discover"], { folder })).status).toBe(0);
    expect(await found(folder)).toEqual([expect.objectContaining({ state: "packed", title: "mend it" })]);
    // A message that is added changes the log, though the file that describes the session stays as it is.
    put(folder, `${storage}/message/ses_1/msg_2.json`, JSON.stringify({ id: "msg_2", role: "user" }));
    expect(await found(folder)).toEqual([expect.objectContaining({ state: "grown" })]);
  });

  it("discover: links below the agents' folders are not followed", async () => {
    const folder = home();
    const secret = join(folder, "secret.jsonl");
    fs.writeFileSync(secret, claude("secret", "/secret"));
    const place = join(folder, ".nobody/.claude/projects");
    fs.symlinkSync(secret, join(place, "-srv-web/link.jsonl"));
    fs.mkdirSync(join(folder, "other"));
    fs.writeFileSync(join(folder, "other/o.jsonl"), claude("other", "/other"));
    fs.symlinkSync(join(folder, "other"), join(place, "linked"));
    expect((await found(folder)).map(({ session }) => session)).toEqual(["s2", "c1", "s1"]);
  });

  it("discover: the project of a Gemini CLI session is read from .project_root", async () => {
    const { folder } = sessionStore();
    put(
      folder,
      ".gemini/tmp/web/chats/session-1.json",
      JSON.stringify({ sessionId: "g", projectHash: "0", messages: [{ type: "gemini", model: "gemini-x" }] }),
    );
    put(folder, ".gemini/tmp/web/.project_root", "/srv/web\n");
    expect(await found(folder, "--project", "/srv")).toEqual([
      expect.objectContaining({ agent: "gemini-cli", session: "g", project: "/srv/web", model: "gemini-x" }),
    ]);
  });

  it("discover: an unknown agent is refused, with a suggestion", async () => {
    const { status, stderr } = await cli(["discover", "--agent", "codx"], { folder: home() });
    expect([status, stderr.split("\n")[0]]).toEqual([
      2,
      'error: ctx does not know where "codx" keeps its sessions (is it "codex"?)',
    ]);
  });
});

describe("ctx pack --discover", () => {
  // Of the two programs each tries once what the other could not take.
  itWith([onNode], "pack --discover: new sessions are packed once, bad logs are reported", async () => {
    const folder = home();
    put(folder, ".claude/projects/-srv-api/none.jsonl", '{"type":"summary","summary":"x","leafUuid":"l"}\n');
    put(folder, ".claude/projects/-srv-api/broken.jsonl", "what is this\n");
    const first = await cli(["pack", "--discover"], { folder });
    expect([first.status, first.stdout.split("\n").length]).toEqual([2, 4]);
    expect(first.stderr).toContain("broken.jsonl is not in a format that ctx recognises");
    expect(first.stderr).toContain(
      "note: 3 sessions packed (4 new packs), 1 empty, 1 failed, for the reasons above",
    );
    const log = await cli(["log", "--project", "/srv/web", "--json"], { folder });
    expect(log.stdout.split("\n").filter(Boolean).length).toBe(3);
    const again = await cli(["pack", "--discover"], { folder });
    expect(again).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const result = await cli(["pack", "--discover"], { folder, terminal: 120 });
    expect(result.stderr).toContain("3 already packed, 1 empty, 1 failed earlier (`ctx discover` says why)");
    const listed = await cli(["discover"], { folder, width: 120 });
    expect(listed.stdout).toContain(
      "refused  ~/.claude/projects/-srv-api/broken.jsonl is not in a format that ctx recognises: it does not start with JSON\n",
    );
    // What changes is tried again.
    fs.writeFileSync(join(folder, ".nobody/.claude/projects/-srv-api/broken.jsonl"), "");
    fs.rmSync(join(folder, ".nobody/.claude/projects/-srv-api/broken.jsonl"));
    expect((await found(folder)).map(({ session, state }) => `${session ?? "-"} ${state}`)).toEqual([
      "s2 packed",
      "c1 packed",
      "- empty",
      "s1 packed",
    ]);
  });

  it("pack --discover: a session that grew is packed again, one whose pack was removed is not", async () => {
    const folder = home();
    await cli(["pack", "--discover"], { folder });
    const file = join(folder, ".nobody/.claude/projects/-srv-web/s1.jsonl");
    fs.appendFileSync(
      file,
      lines({ type: "user", uuid: "u2", sessionId: "s1", message: { role: "user", content: "more" } }),
    );
    expect((await found(folder, "--new")).map(({ session, state }) => `${session ?? ""} ${state}`)).toEqual([
      "s1 grown",
    ]);
    const { stdout } = await cli(["pack", "--discover"], { folder });
    expect(stdout.split("\n").length).toBe(2);
    await cli(["rm", stdout.trim()], { folder });
    expect((await found(folder, "--project", "/srv/web"))[0]).toMatchObject({
      session: "s1",
      state: "removed",
    });
    expect((await cli(["pack", "--discover"], { folder })).stdout).toBe("");
  });

  it("pack --discover: a session that was packed by name counts as packed, also without the cache", async () => {
    const folder = home();
    const file = ".nobody/.claude/projects/-srv-web/s1.jsonl";
    const { stdout } = await cli(["pack", file], { folder });
    expect((await found(folder, "--project", "web", "--agent", "claude-code"))[0]).toMatchObject({
      state: "packed",
      packs: [`sha256:${stdout.trim().slice("ctx://".length)}`],
    });
    await cli(["pack", "--discover"], { folder });
    fs.rmSync(join(folder, ".ctx/cache"), { recursive: true });
    const again = await cli(["pack", "--discover", "--json"], { folder });
    expect(again.stdout).not.toContain('"new":true');
  });

  it("pack --discover: --project and --since select sessions, and options for one log are refused", async () => {
    const folder = home();
    const { stderr } = await cli(["pack", "--discover", "--project", "/srv/api", "--since", "2026-02-01"], {
      folder,
    });
    expect(stderr).toBe("");
    expect((await cli(["log", "--json"], { folder })).stdout.split("\n").length).toBe(2);
    for (const argv of [["--tag", "x"], ["--from", "codex"], ["a.jsonl"]])
      expect((await cli(["pack", "--discover", ...argv], { folder })).status).toBe(2);
    const lone = await cli(["pack", "--since", "7d", "x.json"], { folder });
    expect(lone.stderr).toContain("--since is for --discover");
  });

  it("pack --discover: a note says that --redact changes nothing that is packed already", async () => {
    const folder = home();
    await cli(["pack", "--discover"], { folder });
    const { stderr } = await cli(["pack", "--discover", "--redact", "strict"], { folder });
    expect(stderr).toBe(
      "note: --redact applies only to sessions packed now; earlier packs stay as they are\n",
    );
  });

  it("pack --discover: a run whose log has no time gets the time of its file, and is packed once", async () => {
    const { folder } = sessionStore();
    const chat = [
      { role: "user", content: "hi", ts: 1 },
      { role: "assistant", content: [{ type: "text", text: "ho" }], modelInfo: { modelId: "m" } },
    ];
    const path = ".cline/data/tasks/1/api_conversation_history.json";
    put(folder, path, JSON.stringify(chat), "2026-02-10T12:00:00Z");
    const { stdout } = await cli(["pack", "--discover", "--json"], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ created: "2026-02-10T12:00:00.000Z", new: true });
    put(folder, path, JSON.stringify(chat), "2026-02-11T12:00:00Z");
    const again = await cli(["pack", "--discover", "--json"], { folder });
    expect(JSON.parse(again.stdout)).toMatchObject({ created: "2026-02-10T12:00:00.000Z", new: false });
  });

  it("pack --discover: an empty file is a session in which nothing happened", async () => {
    const { folder } = sessionStore();
    put(folder, ".claude/projects/p/none.jsonl", "");
    expect((await found(folder)).map(({ state }) => state)).toEqual(["empty"]);
    expect((await cli(["pack", "--discover"], { folder })).status).toBe(0);
  });

  it("pack --discover: secrets are masked", async () => {
    const { folder } = sessionStore();
    const token = `ghp_${"a1B2".repeat(9)}`;
    put(folder, ".claude/projects/p/s.jsonl", claude("s", "/p", `use ${token}`));
    await cli(["pack", "--discover"], { folder });
    const { stdout } = await cli(["show", "latest", "--prompt", "0"], { folder });
    expect(stdout).not.toContain(token);
  });

  it("pack --discover: a terminal shows progress and a summary", async () => {
    const folder = home();
    const first = await cli(["pack", "--discover"], { folder, terminal: 80 });
    expect(first.stderr).toContain("0 of 3 sessions, 0 B of 1.3 kB");
    expect(first.stderr).toContain("3 sessions packed (4 new packs)\n");
    const again = await cli(["pack", "--discover"], { folder, terminal: 80 });
    expect(again.stderr).toContain("0 sessions packed, 3 already packed\n");
    const none = await cli(["pack", "--discover"], { folder: sessionStore().folder, terminal: 80 });
    expect(none.stderr).toContain("no sessions found; `ctx discover` lists where ctx looks");
  });
});
