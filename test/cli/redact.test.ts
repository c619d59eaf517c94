// Masking, from a log to everything that is stored and printed: nothing of a secret is left anywhere, the
// record says what was masked, and what was masked proves and replays nothing.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { cli, type CliOptions } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { claudeSession } from "../../dev/redact-scenes.js";
import { connection, githubToken, password, secrets, spoken } from "../../dev/secrets.js";

function logWithSecrets(fields: AnyLog = {}): AnyLog {
  return smallLog({
    created: "2026-01-01T00:00:00Z",
    model: { identifier: "m", parameters: { headers: { authorization: `Bearer ${githubToken()}` } } },
    system_prompt: `the password is ${spoken}`,
    prompts: [{ role: "user", content: `use ${githubToken()}` }],
    inputs: [{ name: `keys/${githubToken("y")}.txt`, content: `DB_PASSWORD=${password}\n` }],
    steps: [
      {
        type: "tool_call",
        tool: "shell",
        parameters: { command: `psql ${connection}`, env: { API_TOKEN: githubToken("y") } },
        output: `connected to ${connection}\n`,
        seen: `seen ${githubToken()}\n`,
        metadata: { note: `PASSWORD=${password}` },
      },
      { type: "tool_call", tool: "read_file", parameters: { path: "a" }, output: "nothing\n" },
    ],
    outputs: [{ name: "out.env", content: `DB_PASSWORD=${password}\n`, notes: `the password is ${spoken}` }],
    environment: { os: "linux", runtime: "node", tool_versions: { cli: `1.0 ${githubToken()}` } },
    metadata: { login: { password } },
    ...fields,
  });
}

/** Returns everything in a folder: names and bytes, in one text. */
function everything(folder: string): string {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path}\n${entry.isFile() ? fs.readFileSync(path, "latin1") : ""}`;
    })
    .join("\n");
}

function expectNoSecret(text: string): void {
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(createHash("sha256").update(secret).digest("hex"));
    expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(0, -4));
  }
}

async function pack(
  folder: string,
  log: AnyLog | string,
  more: string[] = [],
  options: Partial<CliOptions> = {},
): Promise<{ result: PackResult; stderr: string; stdout: string }> {
  const input = typeof log === "string" ? log : json(log);
  const { status, stdout, stderr } = await cli(["pack", "-", "--json", ...more], {
    folder,
    input,
    ...options,
  });
  expect(status, stderr).toBe(0);
  return { result: JSON.parse(stdout) as PackResult, stderr, stdout };
}

describe("a log with secrets in it", () => {
  it("redact: no secret is left in the store, its names, what is printed, or as a hash (row 55)", async () => {
    const { folder } = tempStore();
    const { stdout, stderr, result } = await pack(folder, logWithSecrets());
    expectNoSecret(everything(folder) + stdout + stderr);
    for (const argv of [["show", "latest"], ["show", "latest", "--json"], ["log"], ["scan"]])
      expectNoSecret((await cli(argv, { folder })).stdout);
    expect(Object.keys(result.redactions?.places ?? {}).sort()).toEqual([
      "environment",
      "inputs[0].content",
      "inputs[0].name",
      "metadata",
      "model",
      "outputs[0].content",
      "outputs[0].notes",
      "prompts[0].content",
      "steps[0].metadata",
      "steps[0].output",
      "steps[0].parameters",
      "steps[0].seen",
      "system_prompt",
    ]);
  });

  it("redact: no secret of an agent's log is left, sub-agents included (trap 18)", async () => {
    const folder = tempStore().folder;
    const session = claudeSession(folder, { secret: githubToken(), other: password });
    const { status, stdout, stderr } = await cli(["pack", session, "--json"], { folder });
    expect(status, stderr).toBe(0);
    const result = JSON.parse(stdout) as PackResult;
    expectNoSecret(everything(join(folder, ".ctx")) + stdout + stderr);
    expect(result.redactions?.rules["github-token"]?.secrets).toBe(1);
    expect(result.packs?.[0]?.redactions?.rules["github-token"]).toEqual({ secrets: 1, count: 1 });
    // Each run numbers its own: what a sub-agent is called by does not depend on what others found before.
    const shown = await cli(["show", result.packs?.[0]?.uri ?? "", "--prompt", "0"], { folder });
    expect(shown.stdout).toContain("[REDACTED:github-token:1]");
  });

  it("redact: a secret has the same placeholder everywhere, and pack and show say how many there are", async () => {
    const { folder } = tempStore();
    const { result, stderr } = await pack(folder, logWithSecrets());
    expect(result.redactions).toMatchObject({ version: 2, mode: "standard" });
    expect(result.redactions?.rules["github-token"]?.secrets).toBe(2);
    const prompt = await cli(["show", "latest", "--prompt", "0"], { folder });
    expect(prompt.stdout).toContain("use [REDACTED:github-token:1]");
    expect(stderr).toMatch(/masked in -: .*github-token \d/);
    const shown = await cli(["show", "latest"], { folder });
    expect(shown.stdout).toMatch(/^masked {2}\d+ secrets in 13 places$/m);
    expect(shown.stdout).not.toContain("redactions");
  });

  it("redact: packing a log with secrets again makes the same pack, in any store", async () => {
    const { folder } = tempStore();
    const first = await pack(folder, logWithSecrets());
    const again = await pack(folder, logWithSecrets());
    expect(again.result.uri).toBe(first.result.uri);
    const other = await pack(tempStore().folder, logWithSecrets());
    expect(other.result.uri).toBe(first.result.uri);
  });

  it("redact: a log without secrets makes the same pack as with masking off", async () => {
    const { folder } = tempStore();
    const log = smallLog({ created: "2026-01-01T00:00:00Z", prompts: [{ role: "user", content: "hello" }] });
    const [off, on] = [await pack(folder, log, ["--redact", "off"]), await pack(folder, log)];
    expect(on.result.uri).toBe(off.result.uri);
    expect(on.result.redactions).toBeUndefined();
  });

  it("ctx pack --redact masks nothing with off, more with strict, and refuses other modes", async () => {
    const { folder } = tempStore();
    const off = await pack(folder, logWithSecrets(), ["--redact", "off"]);
    expect(off.result.redactions).toBeUndefined();
    expect(everything(folder)).toContain(githubToken());
    const guess = smallLog({ prompts: [{ role: "user", content: "token: deploy2024" }] });
    expect((await pack(folder, guess)).result.redactions).toBeUndefined();
    expect((await pack(folder, guess, ["--redact", "strict"])).result.redactions?.mode).toBe("strict");
    const wrong = await cli(["pack", "-", "--redact", "some"], { folder, input: "" });
    expect(wrong).toMatchObject({ status: 2 });
    expect(wrong.stderr).toContain("--redact must be one of off, standard");
  });

  it("redact: the errors of an invalid log show no secret", async () => {
    const { folder } = tempStore();
    const { status, stdout, stderr } = await cli(["pack", "-"], {
      folder,
      input: JSON.stringify({
        ...logWithSecrets(),
        [githubToken()]: 1,
        outputs: [{ name: `/${githubToken()}` }],
      }),
    });
    expect(status).toBe(2);
    expectNoSecret(stdout + stderr);
    expect(stderr).toContain("[REDACTED:github-token:1]");
  });

  it("ctx verify --write-sidecar masks secrets in --notes", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "a.md"), "fine\n");
    await pack(folder, smallLog({ outputs: [{ name: "a.md", content: "fine\n" }] }), ["--no-sidecars"]);
    const { status } = await cli(
      ["verify", "--write-sidecar", "a.md", "--notes", `made with ${githubToken()}`],
      { folder },
    );
    expect(status).toBe(0);
    expect(fs.readFileSync(join(folder, "a.md.ctx.json"), "utf8")).toContain("[REDACTED:github-token:1]");
  });
});

describe("a large file that a log names", () => {
  it("redact: a large file is masked window by window, with the same result as inline", async () => {
    const { folder } = tempStore();
    const line = `${"some text of a log, and more of it ".repeat(3)}\n`;
    const body = line.repeat(Math.ceil((17 << 20) / line.length));
    // At the place where the first window is cut, and at the end.
    const at = (1 << 22) - 20;
    const text = `${body.slice(0, at)} ${githubToken()} ${body.slice(at)}${githubToken("y")}\n`;
    fs.writeFileSync(join(folder, "big.txt"), text);
    const named = { created: "2026-01-01T00:00:00Z", outputs: [{ name: "big", content_file: "big.txt" }] };
    fs.writeFileSync(join(folder, "run.json"), json(smallLog(named)));
    const { status, stderr } = await cli(["pack", "run.json"], { folder });
    expect(status, stderr).toBe(0);
    const { bytes } = await cli(["show", "latest", "--output", "big", "--json"], { folder });
    const shown = JSON.parse(bytes.toString("utf8")) as { text?: string; content?: { text: string } };
    const stored = shown.text ?? shown.content?.text ?? "";
    expect(
      stored ===
        text
          .replace(githubToken(), "[REDACTED:github-token:1]")
          .replace(githubToken("y"), "[REDACTED:github-token:2]"),
    ).toBe(true);
    const inline = { ...named, outputs: [{ name: "big", content: text }] };
    const [file, whole] = [await cli(["log", "--json"], { folder }), await pack(folder, smallLog(inline))];
    expect(file.stdout).toContain(whole.result.hash);
  });

  it("redact: a large file that is not UTF-8 is masked, too", async () => {
    const { folder } = tempStore();
    const bytes = Buffer.concat([
      Buffer.from(`${githubToken()}\n${"a line of text\n".repeat(600_000)}`.repeat(2)),
      Buffer.from([0xff, 0xfe]),
    ]);
    fs.writeFileSync(join(folder, "big.bin"), bytes);
    fs.writeFileSync(
      join(folder, "run.json"),
      json(smallLog({ outputs: [{ name: "b", content_file: "big.bin" }] })),
    );
    const { stdout } = await cli(["pack", "run.json", "--json"], { folder });
    const { redactions, hash } = JSON.parse(stdout) as PackResult;
    expect(redactions?.rules["github-token"]).toEqual({ secrets: 1, count: 2 });
    const shown = await cli(["show", hash, "--output", "b", "--json"], { folder });
    expect(shown.status).toBe(0);
    expect(everything(join(folder, ".ctx")).includes(githubToken())).toBe(false);
  });
});

describe("masked contents", () => {
  it("ctx verify: a file whose output was masked is masked, with exit status 2", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "out.env"), `DB_PASSWORD=${password}\n`);
    await pack(folder, logWithSecrets());
    const real = await cli(["verify", "out.env", "--json"], { folder });
    expect(real.status).toBe(2);
    expect(JSON.parse(real.stdout)).toMatchObject({
      targets: [{ result: "masked", claims: [{ claim: "content", answer: "not_checked" }] }],
    });
    expectNoSecret(real.stdout);
    // The recorded bytes are not what the run wrote, either.
    fs.writeFileSync(join(folder, "copy.env"), "DB_PASSWORD=[REDACTED:named-secret:1]\n");
    const recorded = await cli(["verify", "copy.env"], { folder });
    expect(recorded.status).toBe(2);
    expect(recorded.stdout).toMatch(/copy\.env {2}masked/);
    // A name that differs in more is reported as before, without its secrets.
    fs.writeFileSync(join(folder, "out.env"), `DB_PASSWORD=${password}\nMORE=1\n`);
    const other = await cli(["verify", "out.env"], { folder });
    expect(other.status).toBe(2);
    expect(other.stdout).toContain("unproven");
    expect(other.stdout).toContain("+MORE=1");
    expectNoSecret(other.stdout);
  });

  it("ctx replay: a step with masked parameters fails as masked", async () => {
    const { folder } = tempStore();
    await pack(folder, logWithSecrets());
    const { stdout } = await cli(["replay", "latest", "--json"], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ steps: [{ status: "failed", reason: "masked" }, {}] });
  });

  it("ctx fork: masked contents keep their numbers, and new secrets get others", async () => {
    const { folder } = tempStore();
    await pack(folder, logWithSecrets());
    const edit = `prompts[0].content=use ${githubToken("z")} too`;
    const forked = await cli(["fork", "latest", "--set", edit, "--seal", "--json"], { folder });
    expect(forked.status, forked.stderr).toBe(0);
    const { redactions } = JSON.parse(forked.stdout) as PackResult;
    expect(redactions?.rules["github-token"]?.secrets).toBe(3);
    const prompt = await cli(["show", "latest", "--prompt", "0"], { folder });
    expect(prompt.stdout).toContain("use [REDACTED:github-token:3] too");
    // Steps that are cut off are no places any more.
    const cut = await cli(["fork", "latest~1", "--at", "0", "--seal", "--json"], { folder });
    const places = Object.keys((JSON.parse(cut.stdout) as PackResult).redactions?.places ?? {});
    expect(places.filter((place) => place.startsWith("steps"))).toEqual([]);
  });

  it("ctx fork: a draft of a pack with secrets is masked when it is sealed", async () => {
    const { folder } = tempStore();
    await pack(folder, logWithSecrets(), ["--redact", "off"]);
    expect((await cli(["fork", "latest", "draft"], { folder })).status).toBe(0);
    const sealed = await cli(["pack", "draft", "--json"], { folder });
    const { hash } = JSON.parse(sealed.stdout) as PackResult;
    expect((await cli(["status", "draft"], { folder })).stdout).toMatch(/sealed/);
    expect((await cli(["scan", hash], { folder })).status).toBe(0);
  });
});

/** Returns the user's own settings, and the environment in which they are found. */
function user(folder: string, config: unknown): Record<string, string> {
  fs.mkdirSync(join(folder, "conf/ctx"), { recursive: true });
  fs.writeFileSync(join(folder, "conf/ctx/config.json"), JSON.stringify(config));
  return { XDG_CONFIG_HOME: join(folder, "conf") };
}

describe("the user's redact rules and allow-list", () => {
  const log = smallLog({ prompts: [{ role: "user", content: `ticket ACME-4711-XK and ${githubToken()}` }] });

  it("redact rules: the user's rules and allow-list are used, and pack says that they change the hash", async () => {
    const { folder } = tempStore();
    const env = user(folder, {
      redact: { rules: [{ id: "acme-ticket", pattern: "ACME-\\d+-[A-Z]{2}" }], allow: [githubToken()] },
    });
    const { result, stderr } = await pack(folder, log, [], { env });
    expect(result.redactions).toMatchObject({ own: ["acme-ticket"], rules: { "acme-ticket": { count: 1 } } });
    expect(result.redactions?.rules["github-token"]).toBeUndefined();
    expect(stderr).toContain("own rules (acme-ticket) affect the hash of this pack");
    const prompt = await cli(["show", "latest", "--prompt", "0"], { folder });
    expect(prompt.stdout).toContain(`ticket [REDACTED:acme-ticket:1] and ${githubToken()}`);
  });

  it("redact rules: a store's rules can mask more at once, and less only once they are trusted", async () => {
    const { folder } = tempStore();
    const config = join(folder, ".ctx/config.json");
    const redact = {
      mode: "off",
      allow: [githubToken()],
      rules: [{ id: "acme-ticket", pattern: "ACME-\\d+" }],
    };
    fs.writeFileSync(config, JSON.stringify({ version: "0.1", redact }));
    const { result, stderr } = await pack(folder, log);
    expect(Object.keys(result.redactions?.rules ?? {}).sort()).toEqual(["acme-ticket", "github-token"]);
    const messages = stderr.replaceAll("\\", "");
    expect(messages).toContain('"mode": "off" for redact, which has no effect until you run `ctx trust`');
    expect(messages).toContain('"allow" for redact');
    const trusted = await cli(["trust"], { folder });
    expect(trusted.stdout).toContain("unmasked everything");
    expect((await pack(folder, log)).result.redactions).toBeUndefined();
    // The stricter of two settings counts.
    const env = user(folder, { redact: { mode: "strict" } });
    expect((await pack(folder, log, [], { env })).result.redactions?.mode).toBe("strict");
  });

  it("redact rules: ones that cannot be used are refused, with the reason", async () => {
    const { folder } = tempStore();
    const rules = [
      { id: "Bad Id", pattern: "x" },
      { id: "look", pattern: "(?=x)" },
      { id: "empty", pattern: "x*" },
      { id: "github-token", pattern: "xyz" },
    ];
    const { status, stderr } = await cli(["pack", "-"], {
      folder,
      input: json(log),
      env: user(folder, { redact: { rules } }),
    });
    expect(status).toBe(2);
    for (const text of ["small letters", "not one that RE2 takes", "matches the empty text", "built-in rule"])
      expect(stderr).toContain(text);
  });

  it("redact rules: a nested-quantifier pattern ends on a long text", async () => {
    const { folder } = tempStore();
    const env = user(folder, { redact: { rules: [{ id: "slow", pattern: "(a+)+b(a+)+$" }] } });
    const { result } = await pack(
      folder,
      smallLog({ prompts: [{ role: "user", content: "a".repeat(1 << 20) }] }),
      [],
      { env },
    );
    expect(result.redactions).toBeUndefined();
  });
});

describe("ctx scan", () => {
  it("ctx scan names lines of files, without a store, and never prints a secret", async () => {
    const folder = tempFolder();
    fs.writeFileSync(
      join(folder, "a.log"),
      `one\n${githubToken()} ${githubToken("y")}\nthree\nPASSWORD=${password}\n`,
    );
    fs.writeFileSync(join(folder, "b.log"), "nothing\n");
    const { status, stdout } = await cli(["scan", "a.log", "b.log"], { folder });
    expect(status).toBe(1);
    expectNoSecret(stdout);
    expect(stdout).toContain("a.log  3 found");
    expect(stdout).toMatch(/line 2 {2}github-token ×2/);
    expect(stdout).toMatch(/line 4 {2}named-secret/);
    expect(stdout).toContain("1 target without secrets");
    expect(stdout).toContain("Rotate first");
    expect((await cli(["scan", "b.log"], { folder })).status).toBe(0);
    expect((await cli(["scan", "-"], { folder, input: githubToken() })).status).toBe(1);
    expect((await cli(["scan", "latest"], { folder })).stderr).toContain("there is no");
  });

  it("ctx scan names parts of packs sealed without masking, and commands that remove the secrets", async () => {
    const { folder } = tempStore();
    const { result } = await pack(folder, logWithSecrets(), ["--redact", "off"]);
    await pack(folder, smallLog());
    const { status, stdout } = await cli(["scan"], { folder });
    expect(status).toBe(1);
    const short = result.hash.slice(7, 19);
    expect(stdout).toContain(`ctx://${short}  `);
    expect(stdout).toMatch(/steps\[0\]\.output +url-password/);
    const commands = [...stdout.matchAll(/^ {2}ctx (\S.*?) {2,}/gm)].map(([, words = ""]) =>
      words.split(" "),
    );
    expect(commands.map(([name]) => name)).toEqual(["fork", "rm", "gc"]);
    for (const argv of commands) expect((await cli(argv, { folder })).status).toBe(0);
    expectNoSecret(everything(folder));
    expect((await cli(["scan"], { folder })).status).toBe(0);
  });

  it("ctx scan says what it could not search, with exit status 2", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "a.bin"), Buffer.from([0x61, 0xff, 0xfe, 0x62, 0, 1, 2, 3, 4, 5]));
    const { status, stdout } = await cli(["scan", "a.bin", "--file"], { folder });
    expect(status).toBe(2);
    expect(stdout).toContain("it is not text, so ctx scanned only for tokens");
    expect((await cli(["scan", "absent.txt", "--file"], { folder })).stdout).toContain("no such file");
    const { result } = await pack(folder, smallLog({ prompts: [{ role: "user", content: "x y z" }] }));
    const { manifest } = { manifest: result.hash };
    const shown = JSON.parse((await cli(["show", manifest, "--json"], { folder })).stdout) as {
      prompts: { content_ref: string }[];
    };
    const hex = shown.prompts[0]?.content_ref.slice(7) ?? "";
    fs.rmSync(join(folder, ".ctx/objects", hex.slice(0, 2), hex.slice(2)));
    expect((await cli(["scan", "latest"], { folder })).status).toBe(2);
  });

  it("ctx scan --strict finds what the standard rules do not", async () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "a.log"), "token: deploy2024\n");
    expect((await cli(["scan", "a.log"], { folder })).status).toBe(0);
    expect((await cli(["scan", "a.log", "--strict"], { folder })).status).toBe(1);
  });
});

describe("secrets in a foreign log", () => {
  it("redact: secrets in an agent's folder names, branches and record types are masked", async () => {
    const { folder } = tempStore();
    const records = lines(
      {
        type: "user",
        sessionId: "s",
        uuid: "u1",
        parentUuid: null,
        cwd: `/home/${githubToken()}`,
        gitBranch: githubToken("y"),
        version: "2.0.0",
        timestamp: "2026-01-01T00:00:00.000Z",
        message: { role: "user", content: "hello" },
      },
      { type: githubToken(), sessionId: "s", uuid: "u2", timestamp: "2026-01-01T00:00:01.000Z" },
    );
    const { stdout, stderr, result } = await pack(folder, records, ["--from", "claude-code"]);
    expectNoSecret(everything(folder) + stdout + stderr);
    expect(Object.keys(result.redactions?.places ?? {})).toEqual(["metadata"]);
  });
});
