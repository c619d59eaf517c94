// What was tried against masking: logs that claim things about themselves, settings that come with a clone,
// secrets at odd places.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { githubToken } from "../../dev/secrets.js";

async function pack(folder: string, log: AnyLog): Promise<PackResult> {
  const { status, stdout, stderr } = await cli(["pack", "-", "--json"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as PackResult;
}

function stored(folder: string): string {
  return fs
    .readdirSync(join(folder, ".ctx"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

function configure(folder: string, redact: unknown): void {
  fs.writeFileSync(join(folder, ".ctx/config.json"), JSON.stringify({ version: "0.1", redact }));
}

describe("a log that says what was masked in it", () => {
  it.each([
    {
      version: 1,
      mode: "standard",
      rules: { "github-token": { secrets: 999_999_999, count: 0 } },
      places: {},
    },
    { version: 1, mode: "standard", rules: { "github-token": { secrets: 0.5, count: 0 } }, places: {} },
    { version: 1, mode: "standard", rules: { "github-token": { secrets: -7, count: 0 } }, places: {} },
    { version: 1, mode: "standard", rules: { [githubToken()]: { secrets: 1, count: 0 } }, places: {} },
    { version: 1, mode: "standard", rules: {}, places: { [githubToken()]: { a: 1 } } },
    `the token was ${githubToken()}`,
    { note: githubToken() },
  ])("redact: a log that claims redactions is masked all the same: %j", async (redactions) => {
    const { folder } = tempStore();
    await pack(folder, smallLog({ system_prompt: `token ${githubToken()} end`, metadata: { redactions } }));
    expect(stored(folder)).not.toContain(githubToken());
    expect((await cli(["show", "latest"], { folder })).status).toBe(0);
  });

  it("redact: a log's own metadata.redactions is kept as log_redactions", async () => {
    const { folder } = tempStore();
    await pack(folder, smallLog({ system_prompt: githubToken(), metadata: { redactions: "none of ours" } }));
    const shown = await cli(["show", "latest", "--json"], { folder });
    expect(JSON.parse(shown.stdout)).toMatchObject({ metadata: { log_redactions: "none of ours" } });
  });

  it("redact: claimed redactions do not make a sound output masked, nor break show", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "plain.txt"), "plain\n");
    const places = { "outputs[0].content": { "github-token": 1 } };
    const redactions = { version: 1, mode: "standard", rules: {}, places };
    await pack(
      folder,
      smallLog({ outputs: [{ name: "plain.txt", content: "plain\n" }], metadata: { redactions } }),
    );
    expect((await cli(["verify", "plain.txt"], { folder })).status).toBe(0);
    for (const odd of [{ own: 5 }, { rules: { a: { x: 1 } } }]) {
      await pack(folder, smallLog({ metadata: { redactions: { ...redactions, ...odd } } }));
      const { status, stdout } = await cli(["show", "latest"], { folder });
      expect(status).toBe(0);
      expect(stdout).not.toMatch(/NaN|undefined/);
    }
  });

  it("redact: in a log with placeholders, secrets get other numbers and no name or key is lost", async () => {
    const { folder } = tempStore();
    await pack(
      folder,
      smallLog({
        system_prompt: `before: [REDACTED:github-token:1] now ${githubToken()}`,
        inputs: [
          { name: githubToken("y"), content: "a" },
          { name: "[REDACTED:github-token:3]", content: "b" },
        ],
        steps: [
          {
            type: "tool_call",
            tool: "t",
            parameters: { [githubToken("z")]: "first", "[REDACTED:github-token:4]": "second" },
          },
        ],
      }),
    );
    const system = await cli(["show", "latest", "--system"], { folder });
    expect(system.stdout).toContain("before: [REDACTED:github-token:1] now [REDACTED:github-token:2]");
    const { inputs, steps } = JSON.parse((await cli(["show", "latest", "--json"], { folder })).stdout) as {
      inputs: { name: string }[];
      steps: { parameters: object }[];
    };
    expect(new Set(inputs.map(({ name }) => name)).size).toBe(2);
    expect(new Set(Object.values(steps[0]?.parameters ?? {}))).toEqual(new Set(["first", "second"]));
  });
});

describe("a masked name", () => {
  it("redact: a masked name gets a suffix where another name is that placeholder already", async () => {
    const { folder } = tempStore();
    const mark = "[REDACTED:github-token:1]";
    await pack(
      folder,
      smallLog({
        inputs: [
          { name: githubToken(), content: "a" },
          { name: mark, content: "b" },
        ],
      }),
    );
    const { inputs } = JSON.parse((await cli(["show", "latest", "--json"], { folder })).stdout) as {
      inputs: { name: string }[];
    };
    expect(inputs.map(({ name }) => name)).toEqual([`${mark}~2`, mark]);
  });
});

describe("redact settings of a store", () => {
  it("redact: a store's rules that match a part of a secret cannot leave the rest unmasked", async () => {
    const { folder } = tempStore();
    configure(folder, {
      rules: [
        { id: "x", pattern: "ghp_" },
        { id: "y", pattern: "(?i)password=(?P<secret>.{4})" },
      ],
    });
    await pack(folder, smallLog({ system_prompt: `tok ${githubToken()} and password=hunter42xYz!` }));
    expect(stored(folder)).not.toMatch(/xB3dxB3d|42xYz/);
  });

  it("redact: a store's rules with long matches end, leave placeholders alone, and may be called constructor", async () => {
    const { folder } = tempStore();
    configure(folder, {
      rules: [
        { id: "long", pattern: "(?s)BEGINX.*ENDX" },
        { id: "constructor", pattern: "(?i)acme[a-z]*" },
      ],
    });
    const text = `acmecorp\nBEGINX\n${"line of text\n".repeat(340_000)}ENDX\n${"line of text\n".repeat(100_000)}`;
    const { redactions } = await pack(folder, smallLog({ system_prompt: text }));
    expect(redactions?.own).toEqual(["constructor"]);
    expect((await cli(["fork", "latest", "draft"], { folder })).status).toBe(0);
    expect((await cli(["status", "draft"], { folder })).stdout).toContain("unedited");
    fs.writeFileSync(join(folder, "a.txt"), "acmecorp\n");
    const { stdout } = await cli(["scan", "a.txt", "--json"], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ targets: [{ finds: [{ rules: { constructor: 1 } }] }] });
  });
});

describe("a secret at the end of a window", () => {
  const size = 1 << 22;
  const lines = "a line of some text of no matter\n".repeat(140_000);
  const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(24)}-----END PRIVATE KEY-----\n`;
  it.each([
    ["a key", 500, key, /MIIEvQ/],
    ["a quoted value", 15, ` password="s3cr3t-Passw0rd-Longer99"`, /s3cr3t-P/],
    ["a printed value", 20, "\nx | base64 -d; echo\n91aMIVB3UDW2TrFC\n", /91aMIVB/],
    ["a named value", 24, "\n- name: STRIPE_SECRET\n  value: 9f8aB7c6D5e4F3a2B1c0\n", /9f8aB7c6/],
  ])("redact: %s at the end of a window is masked", async (_, before, secret, left) => {
    const { folder } = tempStore();
    const text = `${lines.slice(0, size - before)}${secret}${lines.slice(0, 200_000)}`;
    await pack(folder, smallLog({ system_prompt: text }));
    expect(left.test(stored(folder))).toBe(false);
  });
});

describe("a draft with a secret", () => {
  it("redact: a draft's secret is not shown by status, and pack --rm removes the draft", async () => {
    const { folder } = tempStore();
    await pack(folder, smallLog());
    await cli(["fork", "latest", "draft"], { folder });
    fs.writeFileSync(join(folder, "draft/system_prompt.md"), `use ${githubToken()}\n`);
    const sealed = await cli(["pack", "--rm", "draft"], { folder });
    expect(sealed.status, sealed.stderr).toBe(0);
    expect(fs.existsSync(join(folder, "draft"))).toBe(false);
    await cli(["fork", "latest", "other"], { folder });
    const log = join(folder, "other/execution.json");
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace("{", `{ "${githubToken()}": 1,`));
    const { stdout } = await cli(["status", "other"], { folder });
    expect(stdout).toContain("[REDACTED:github-token:1]");
    expect(stdout).not.toContain(githubToken());
  });
});

function call(parameters: unknown): AnyLog {
  return { steps: [{ type: "tool_call", tool: "t", parameters }] };
}

describe("a secret in an odd position", () => {
  it.each([
    [
      "a known secret is masked where nothing else marks it",
      {
        system_prompt: "DB_PASSWORD=Zomer2024x",
        prompts: [{ role: "user", content: "it did not take Zomer2024x" }],
      },
      "Zomer2024x",
    ],
    ["a chosen password is masked in parameters", call({ db: { password: "Zomer2024" } }), "Zomer2024"],
    [
      "a secret with punctuation is masked whole in parameters",
      call({ auth: { pass: "Tulp&Molen2023xy" } }),
      "Molen2023xy",
    ],
    [
      "a secret is masked after its command-line option",
      call({ command: ["mysql", "--password", "Zomer2024!"] }),
      "Zomer2024!",
    ],
    [
      "a secret with punctuation is masked whole in a file of settings",
      { system_prompt: "A=1\nDB_PASSWORD=Tulp12&Molen2023xy\nB=2" },
      "Molen2023xy",
    ],
    [
      "a secret that holds the other quote is masked whole",
      { system_prompt: `{"password":"hun'ter42xY!zQ9"}` },
      "ter42xY!zQ9",
    ],
    [
      "a secret is masked between grep's colours",
      { system_prompt: `\u001b[01;31m\u001b[K${githubToken()}\u001b[m\u001b[K` },
      githubToken(),
    ],
    [
      "a secret beside another in a cookie is masked with it",
      { system_prompt: `Cookie: sid=9f8aB7c6D5e4F3a2B1c0d9E8; access=${githubToken()}` },
      "9f8aB7c6D5e4F3a2B1c0d9E8",
    ],
    [
      "a very long secret is masked to its end",
      { system_prompt: `Authorization: Bearer ${"9f8aB7c6D5".repeat(500)}Zq7Zq7Zq7Zq7` },
      "Zq7Zq7Zq7Zq7",
    ],
    [
      "a private key is masked in a diff that removes it",
      {
        system_prompt: `-----BEGIN PRIVATE KEY-----\n${`-${"MIIEvQIBADANBgkqhkiG9w0BAQ".repeat(2)}\n`.repeat(9)}-----END PRIVATE KEY-----\n`,
      },
      "MIIEvQ",
    ],
    [
      "a private key that is cut off is masked",
      {
        system_prompt: `-----BEGIN RSA PRIVATE KEY-----\n${`${"MIIEvQIBADANBgkqhkiG9w0BAQ".repeat(2)}\n`.repeat(9)}$ ls -la ----- x\n`,
      },
      "MIIEvQ",
    ],
  ] as [string, AnyLog, string][])("redact: %s", async (_, fields, secret) => {
    const { folder } = tempStore();
    await pack(folder, smallLog(fields));
    expect(stored(folder)).not.toContain(secret);
  });
});
