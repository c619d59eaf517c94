import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, type CliResult } from "../../dev/cli.js";
import { sessionStore, tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";

const first = "198393f2-22db-477b-ac77-1825bea883ae";
const second = "5a3bb1c8-0000-4000-8000-000000000001";
const token = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5";

function claude(sessionId: string, prompt = "Fix the pager", minute = "00"): string {
  const base = { sessionId, cwd: "/srv/web", version: "2.1.0", timestamp: `2026-02-10T12:${minute}:00.000Z` };
  return lines(
    { type: "user", uuid: `u${minute}`, ...base, message: { role: "user", content: prompt } },
    {
      type: "assistant",
      uuid: `a${minute}`,
      ...base,
      message: {
        id: `m${minute}`,
        model: "claude-x",
        role: "assistant",
        content: [{ type: "text", text: "hi" }],
      },
    },
  );
}

function put(folder: string, session: string, text = claude(session), project = "p"): string {
  const file = join(folder, ".nobody/.claude/projects", project, `${session}.jsonl`);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}

/** Returns one of the runs of a log that holds several. */
function task(name: string): object {
  const traj = [
    { role: "user", content: name },
    { role: "assistant", content: "done" },
  ];
  return { traj, task_id: name, trial: 0 };
}

async function ctx(folder: string, ...argv: string[]): Promise<CliResult> {
  return await cli(argv, { folder });
}

async function hashOf(folder: string, name: string): Promise<string> {
  const { stdout, stderr, status } = await ctx(folder, "show", name, "--json");
  expect(status, stderr).toBe(0);
  return (JSON.parse(stdout) as { hash: string }).hash;
}

describe("a log in place of a pack", () => {
  it("log: show, diff, replay --plan and scan read it without a store, and leave none behind", async () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first));
    fs.writeFileSync(join(folder, "b.jsonl"), claude(second, "Fix the footer"));
    const { stdout, stderr, status } = await ctx(folder, "show", "a.jsonl");
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toContain("Fix the pager");
    expect(stdout).toContain("in full: ctx show a.jsonl --step 0");
    expect((await ctx(folder, "show", "./a.jsonl", "--prompt", "0")).stdout).toContain("Fix the pager");
    expect((await ctx(folder, "diff", "a.jsonl", "b.jsonl", "--human")).stdout).toContain("[prompt_drift]");
    expect((await ctx(folder, "replay", "a.jsonl", "--plan")).stdout).toContain("nothing is executed");
    expect((await ctx(folder, "scan", "a.jsonl")).status).toBe(0);
    expect(fs.readdirSync(folder).sort()).toEqual(["a.jsonl", "b.jsonl"]);
  });

  it("log: it is the pack that ctx pack makes of it", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first, `Use ${token} to push`));
    const hash = await hashOf(folder, "a.jsonl");
    expect((await ctx(folder, "log")).stdout).toBe("");
    expect((await ctx(folder, "pack", "a.jsonl")).stdout).toContain(hash.slice("sha256:".length));
    expect((await ctx(folder, "diff", "a.jsonl", "latest", "--human")).stderr).toContain("the same pack");
  });

  it("log: secrets in it are masked", async () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first, `Use ${token} to push`));
    for (const argv of [["show"], ["show", "--json"], ["show", "--prompt", "0"], ["replay", "--plan"]]) {
      const { stdout, stderr } = await ctx(folder, argv[0] as string, "a.jsonl", ...argv.slice(1));
      expect(stdout + stderr).not.toContain(token);
    }
    expect((await ctx(folder, "show", "a.jsonl", "--prompt", "0")).stdout).toContain(
      "[REDACTED:github-token:1]",
    );
  });

  it("log: replay --seal of one says how to take it in first", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first));
    const { status, stderr } = await ctx(folder, "replay", "a.jsonl", "--seal");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("ctx pack a.jsonl"),
    });
  });

  it("log: one with several runs lists them, and each can be named", async () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "all.json"), JSON.stringify([task("one"), task("two")]));
    const { status, stderr } = await ctx(folder, "show", "all.json");
    expect(status).toBe(2);
    const names = [...stderr.matchAll(/all\.json#[0-9a-f]{12}/g)].map(([name]) => name);
    expect(names).toHaveLength(2);
    expect((await ctx(folder, "show", names[1] as string)).stdout).toContain("two");
  });

  it.each([
    ["notes.txt", "hello\n", "does not start with JSON, and it is not a bundle of packs"],
    ["empty.jsonl", "", "it is empty, and it is not a bundle of packs"],
    ["other.json", '{"a":1}\n', "and it is not a bundle of packs"],
  ])("log: %s is neither a log nor a bundle, and the error says so", async (name, text, why) => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, name), text);
    for (const command of ["show", "diff"]) {
      const { status, stderr } = await ctx(folder, command, name);
      expect(status).toBe(2);
      expect(stderr).toContain(why);
      expect(stderr).toContain("hint: `ctx pack --from list` lists the formats");
      expect(stderr).not.toMatch(/\btar\b/);
    }
  });

  it("log: import says that it is not a bundle, and what takes it", async () => {
    const { folder } = sessionStore();
    for (const text of [claude(first), "{}", claude(first, "long ".repeat(1000))]) {
      fs.writeFileSync(join(folder, "a.jsonl"), text);
      const { status, stderr } = await ctx(folder, "import", "a.jsonl");
      expect(status).toBe(2);
      expect(stderr).toMatch(
        /a\.jsonl is not a bundle of packs: .*\n.*if it is a log, pack it with `ctx pack`/,
      );
    }
  });
});

describe("a session in place of a pack", () => {
  it("session: its id, or 6 or more characters of it, means its log where it is not packed", async () => {
    const folder = tempFolder();
    put(folder, first);
    put(folder, second, claude(second, "Fix the footer"));
    for (const name of [first, first.slice(0, 8), first.slice(0, 6), `session:${first.slice(0, 8)}`])
      expect((await ctx(folder, "show", name)).stdout, name).toContain("Fix the pager");
    const shown = await ctx(folder, "show", "198393f2");
    expect(shown.stdout).toContain("in full: ctx show 198393f2 --step 0");
    const drift = await ctx(folder, "diff", "198393f2", "5a3bb1c8", "--human");
    expect(drift.stdout).toContain("[prompt_drift]");
    expect((await ctx(folder, "replay", "--plan", "198393f2")).status).toBe(0);
    expect((await ctx(folder, "scan", "198393f2")).status).toBe(0);
    expect((await ctx(folder, "show", first.slice(0, 5))).status).toBe(2);
  });

  it("session: an id that only the log has is found as well", async () => {
    const folder = tempFolder();
    put(folder, "renamed", claude(first));
    expect((await ctx(folder, "show", "198393f2")).stdout).toContain("Fix the pager");
    put(folder, "s", claude("s", "Short"));
    expect((await ctx(folder, "show", "session:s")).stdout).toContain("Short");
  });

  it("session: one that is packed means its newest version, and a grown log is mentioned", async () => {
    const { folder } = sessionStore();
    const file = put(folder, first);
    await ctx(folder, "pack", "--discover");
    const old = await hashOf(folder, "latest");
    expect(await hashOf(folder, "198393f2")).toBe(old);
    fs.appendFileSync(file, claude(first, "And the footer", "30"));
    const grown = await ctx(folder, "show", "198393f2", "--json");
    expect((JSON.parse(grown.stdout) as { hash: string }).hash).toBe(old);
    expect(grown.stderr).toContain("the session has grown since it was packed");
    await ctx(folder, "pack", "--discover");
    const latest = await hashOf(folder, "latest");
    expect(latest).not.toBe(old);
    expect(await hashOf(folder, "198393f2")).toBe(latest);
    fs.rmSync(file);
    expect(await hashOf(folder, "198393f2")).toBe(latest);
  });

  it("session: what several ids begin with is ambiguous", async () => {
    const folder = tempFolder();
    put(folder, first);
    put(folder, first.replace("22db", "33db"), claude(first.replace("22db", "33db")));
    const { status, stderr } = await ctx(folder, "show", "198393f2");
    expect(status).toBe(2);
    expect(stderr).toContain(`session:${first}, `);
    expect(stderr).toContain(`session:${first.replace("22db", "33db")}, `);
    expect((await ctx(folder, "show", "198393f2-22")).status).toBe(0);
  });

  it("session: what can be a pack and a session is ambiguous, and a scheme decides", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(second));
    const hash = await hashOf(folder, "a.jsonl");
    await ctx(folder, "pack", "a.jsonl");
    const digits = hash.slice("sha256:".length, "sha256:".length + 8);
    const id = `${digits}${first.slice(8)}`;
    put(folder, id, claude(id, "Another session"));
    for (const command of ["show", "diff", "scan"]) {
      const { status, stderr } = await ctx(folder, command, digits);
      expect(status, command).toBe(2);
      expect(stderr).toContain(`ctx://${hash.slice("sha256:".length)}`);
      expect(stderr).toContain(`session:${id}`);
      expect(stderr).toContain(
        `hint: write ctx://${digits} for the pack, or session:${digits} for the session`,
      );
    }
    expect(await hashOf(folder, `ctx://${digits}`)).toBe(hash);
    expect(await hashOf(folder, hash)).toBe(hash);
    expect((await ctx(folder, "show", `session:${digits}`)).stdout).toContain("Another session");
  });

  it("session: a tag comes before a file, and a file before a session", async () => {
    const { folder } = sessionStore();
    put(folder, "deadline", claude("deadline", "the session"));
    expect((await ctx(folder, "show", "deadline")).stdout).toContain("the session");
    fs.writeFileSync(join(folder, "deadline"), claude(first, "the file"));
    expect((await ctx(folder, "show", "deadline")).stdout).toContain("the file");
    fs.writeFileSync(join(folder, "a.jsonl"), claude(second, "the tag"));
    await ctx(folder, "pack", "a.jsonl", "--tag", "deadline");
    expect((await ctx(folder, "show", "deadline")).stdout).toContain("the tag");
    expect((await ctx(folder, "show", "./deadline")).stdout).toContain("the file");
    expect((await ctx(folder, "show", "session:deadline")).stdout).toContain("the session");
  });

  it("session: one that is not there is an error that names the command that lists them", async () => {
    const folder = tempFolder();
    put(folder, first);
    expect((await ctx(folder, "show", "session:ffffffff")).stderr).toContain(
      "`ctx discover` lists the sessions",
    );
    const { status, stderr } = await ctx(folder, "show", "ffffffff");
    expect(status).toBe(2);
    expect(stderr).toContain('no file or session here has the name "ffffffff"');
    expect(stderr).toContain("`ctx discover` lists the sessions");
  });

  it("session: commands that take only packs name the newest pack of the session", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first));
    const pack = (await hashOf(folder, "a.jsonl")).slice("sha256:".length);
    await ctx(folder, "pack", "a.jsonl");
    for (const argv of [["fork"], ["tag", "mine"], ["export"], ["rm"], ["verify"], ["cat"]])
      for (const id of ["198393f2", first]) {
        const { status, stdout, stderr } = await ctx(folder, ...argv, id);
        expect(status, argv[0]).toBe(2);
        expect((stderr + stdout).replaceAll(/\s+/g, " ")).toContain(
          `${id} is a session; its newest pack is ctx://${pack.slice(0, 12)}`,
        );
      }
    expect((await ctx(folder, "fork", "198394")).stderr).toContain("hint: `ctx log` lists the packs\n");
  });

  it("session: fewer than 6 characters are no session, and the hint says so", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first));
    await ctx(folder, "pack", "a.jsonl");
    expect((await ctx(folder, "show", "1983")).stderr).toContain("a session's id needs 6 or more characters");
    const outside = await ctx(tempFolder(), "show", "1983");
    expect(outside).toMatchObject({ status: 2, stderr: expect.stringContaining("`ctx discover` lists") });
    expect(outside.stderr).toContain("a session's id needs 6 or more characters");
  });

  it("session: next to a log, a name that means nothing is the same error as alone", async () => {
    const folder = tempFolder();
    put(folder, first);
    const alone = await ctx(folder, "show", "nosuch");
    expect(alone.stderr).toContain("`ctx discover` lists the sessions");
    expect((await ctx(folder, "diff", "198393f2", "nosuch")).stderr).toBe(alone.stderr);
  });

  it("session: a log that was replaced by a link is not read", async () => {
    const folder = tempFolder();
    const file = put(folder, first);
    fs.writeFileSync(join(folder, "secret.jsonl"), claude(first, "elsewhere"));
    fs.rmSync(file);
    fs.symlinkSync(join(folder, "secret.jsonl"), file);
    expect((await ctx(folder, "show", "198393f2")).stdout).not.toContain("elsewhere");
  });
});

describe("ctx show --follow", () => {
  it("show --follow: a pack is finished, and a name that means nothing is not found", async () => {
    const { folder } = sessionStore();
    fs.writeFileSync(join(folder, "a.jsonl"), claude(first));
    const { stdout } = await ctx(folder, "pack", "a.jsonl", "--tag", "good");
    for (const name of ["good", "latest", stdout.trim()])
      expect(await ctx(folder, "show", "--follow", name)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(
          `--follow needs a log that is still written, and ${name} is a finished pack`,
        ) as string,
      });
    const missing = await ctx(folder, "show", "--follow", "nothing");
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining("nothing") as string });
    expect(missing.stderr).not.toContain("finished");
    const outside = await ctx(tempFolder(), "show", "--follow", "nothing");
    expect(outside).toMatchObject({ status: 2, stderr: expect.stringContaining("no .ctx store") as string });
  });

  it.each(["--step=1", "--steps=1", "--files", "--system"])(
    "show --follow: %s cannot be used with it",
    async (option) => {
      const { status, stderr } = await ctx(tempFolder(), "show", "--follow", "x", option);
      expect({ status, stderr }).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("cannot be used together") as string,
      });
    },
  );
});
