import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { cat, catPieces, show, showPart, Store } from "../../src/index.js";

async function packed(folder: string, log: unknown): Promise<string> {
  const result = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(result.status, result.stderr).toBe(0);
  return result.stdout.trim().slice("ctx://".length);
}

/** Returns the columns that a line takes on a terminal, as far as these texts go. */
function columns(line: string): number {
  return line.length + (line.match(/[\u3000-\u9fff]/g) ?? []).length;
}

const busy = runLog({
  model: { identifier: "claude-opus-4-6", parameters: { temperature: 0, max_tokens: 4096 } },
  system_prompt: "You are a careful engineer.\nAlways run the tests.\nNever guess.\nSay what you did.\n",
  prompts: [
    { role: "user", content: "Fix the failing test.\nIt is in src/." },
    { role: "assistant", content: "On it." },
  ],
  steps: [
    {
      type: "tool_call",
      tool: "run_command",
      parameters: { timeout: 60, command: "npm test\n", cwd: "/repo" },
      output: "\n\n1 failing\n  off by one",
      timestamp: "2026-02-10T11:58:00Z",
    },
    {
      type: "reasoning",
      output: "The loop stops one too early: `<` should be `<=`. I will change it and run the tests again.",
      timestamp: "2026-02-10T11:58:02.25Z",
    },
    {
      type: "tool_call",
      tool: "write_file",
      parameters: { path: "src/日本語.ts", content: "x".repeat(5000) },
      output: "",
      deterministic: true,
      timestamp: "2026-02-10T12:00:07Z",
    },
    {
      type: "tool_call",
      tool: "screenshot",
      output_base64: "iVBORw0KGgo=",
      timestamp: "2026-02-10T13:00:00Z",
    },
    { type: "message" },
  ],
  environment: { os: "linux/x64", runtime: "node20", tool_versions: { git: "2.39.5", npm: "11.1" } },
  parent: `sha256:${"ab".repeat(32)}`,
});

describe("ctx show", () => {
  it("ctx show prints the whole run in 80 columns", async () => {
    const { folder } = tempStore();
    await packed(folder, busy);
    const { stdout, status } = await cli(["show", "latest"], { folder });
    expect(status).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "ctx://941fd8ece8e6c1ed2d8db1d1bbabdb776db69bc042ea7d3e9c13d9ef281d48ad
      Fix the failing test.
      model    claude-opus-4-6  max_tokens=4096 temperature=0
      created  2026-02-10 12:00:00 UTC
      run      5 steps, 3 tool calls, 1h02m
      system   linux/x64, node20, git 2.39.5, npm 11.1
      parent   abababababab  (not in this store)

      system prompt  81 B
        You are a careful engineer.
        Always run the tests.
        Never guess.
        …

      prompts  2
        0  user          36 B  Fix the failing test.
        1  assistant      6 B  On it.

      inputs  1
        notes.txt      8 B  c3f9c8c283a2  one

      steps  5   1 deterministic (=), 4 not (~)
        0   +0.0s  ~ run_command  npm test cwd=/repo timeout=60    → 1 failing
        1   +2.3s  ~ reasoning    The loop stops one too early: \`<\` should be \`<=\`. I…
        2  +2m07s  = write_file   src/日本語.ts content=xxxxxxxxxxxxxxxxxxx… → (empty)
        3  +1h02m  ~ screenshot   (binary)
        4          ~ message

      outputs  1
        answer.txt      2 B  53c234e5e847  confidence high

      in full: ctx show 941fd8ece8e6 --step 0   ctx cat 53c234e5e847
      "
    `);
  });

  it.each([40, 80, 200])("ctx show fits %i columns", async (width) => {
    const { folder } = tempStore();
    await packed(folder, busy);
    const { stdout } = await cli(["show", "latest"], { folder, width });
    // The one thing that is never cut is the hash.
    for (const line of stdout.split("\n").slice(1)) expect(columns(line)).toBeLessThanOrEqual(width);
  });

  it("ctx show is coloured on a terminal only", async () => {
    const { folder } = tempStore();
    await packed(folder, busy);
    const plain = (await cli(["show", "latest"], { folder })).stdout;
    const coloured = (await cli(["show", "latest"], { folder, terminal: 80 })).stdout;
    expect(plain).not.toContain("\u001b");
    expect(coloured).toContain("\u001b[");
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
  });

  it("ctx show prints one part in full", async () => {
    const { folder } = tempStore();
    await packed(folder, busy);
    const part = async (...args: string[]): Promise<string> =>
      (await cli(["show", "latest", ...args], { folder })).stdout;
    expect(await part("--step", "0")).toMatchInlineSnapshot(`
      "step 0  run_command  of ctx://941fd8ece8e6
      type       tool_call, not deterministic
      time       2026-02-10 11:58:00 UTC
      parameters
        command  npm test\\u{a}
        cwd      /repo
        timeout  60

      output  24 B  cf53426c18f3


      1 failing
        off by one
      "
    `);
    expect(await part("--step", "4")).toMatchInlineSnapshot(`
      "step 4  message  of ctx://941fd8ece8e6
      type       message, not deterministic
      output     not recorded
      "
    `);
    expect(await part("--system")).toMatchInlineSnapshot(`
      "system prompt  of ctx://941fd8ece8e6

      content  81 B  5aa0dd7d1274
      You are a careful engineer.
      Always run the tests.
      Never guess.
      Say what you did.
      "
    `);
    expect(await part("--prompt", "1")).toMatchInlineSnapshot(`
      "prompt 1  assistant  of ctx://941fd8ece8e6

      content  6 B  3de7b096e780
      On it.
      "
    `);
    expect(await part("--input", "notes.txt")).toMatchInlineSnapshot(`
      "input  notes.txt  of ctx://941fd8ece8e6

      content  8 B  c3f9c8c283a2
      one
      two
      "
    `);
    expect(await part("--output", "answer.txt")).toMatchInlineSnapshot(`
      "output  answer.txt  of ctx://941fd8ece8e6

      content  2 B  53c234e5e847
      2
      "
    `);
    expect(await part("--step", "3")).toContain("(binary; `ctx cat ");
    expect(JSON.parse(await part("--step", "1", "--json"))).toMatchObject({
      part: "step",
      index: 1,
      step: { type: "reasoning" },
      output: { text: expect.stringContaining("too early") },
    });
  });

  it("ctx show of one content says on standard error how to get its bytes alone, unless it is for a terminal", async () => {
    const { folder } = tempStore();
    await packed(folder, busy);
    const noted = async (args: string[], options = {}): Promise<string> =>
      (await cli(["show", "latest", ...args], { folder, ...options })).stderr;
    expect(await noted(["--output", "answer.txt"])).toBe("note: for the bytes alone: ctx cat 53c234e5e847\n");
    expect(await noted(["--system"])).toMatch(/^note: for the bytes alone: ctx cat [\da-f]{12}\n$/);
    expect(await noted(["--output", "answer.txt"], { terminal: 80 })).toBe("");
    expect(await noted(["--output", "answer.txt", "--json"])).toBe("");
    expect(await noted(["--step", "0"])).toBe("");
  });

  it("ctx show: an error about a missing part says which parts there are", async () => {
    const { folder } = tempStore();
    const hex = await packed(folder, busy);
    const error = async (...args: string[]): Promise<string> => {
      const result = await cli(["show", "latest", ...args], { folder });
      expect(result.status).toBe(2);
      return result.stderr;
    };
    const short = hex.slice(0, 12);
    expect(await error("--step", "5")).toBe(`error: ctx://${short} has no step 5: its steps are 0 to 4\n`);
    expect(await error("--input", "x")).toBe(
      `error: ctx://${short} has no input named "x"\nhint: it has notes.txt\n`,
    );
    expect(await error("--step", "-1")).toContain('--step needs a whole number, not "-1"');
    expect(await error("--step", "1", "--system")).toContain("--step and --system cannot be used together");
  });

  it("ctx show refuses content that is too large to print", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "large.txt"), "");
    fs.truncateSync(join(folder, "large.txt"), (64 << 20) + 1);
    await packed(folder, smallLog({ inputs: [{ name: "large.txt", content_file: "large.txt" }] }));
    for (const more of [[], ["--json"]]) {
      const { status, stdout, stderr } = await cli(["show", "latest", "--input", "large.txt", ...more], {
        folder,
      });
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("has 67108865 bytes, which is too large to show");
    }
  });

  it("ctx show --json prints the sealed manifest", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder, runLog());
    const { stdout } = await cli(["show", hex, "--json"], { folder });
    expect(stdout).toBe(`${fs.readFileSync(join(root, "packs", hex), "utf8")}\n`);
    const manifest = JSON.parse(stdout) as { hash: string; outputs: { context_pack: string }[] };
    expect(manifest.hash).toBe(`sha256:${hex}`);
    expect(manifest.outputs[0]?.context_pack).toBe(`sha256:${hex}`);
  });

  it("ctx show marks damaged content, and exits with status 2", async () => {
    const { folder, root } = tempStore();
    await packed(folder, runLog());
    const blob = createHash("sha256").update("Two lines.").digest("hex");
    const path = join(root, "objects", blob.slice(0, 2), blob.slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "Two liars.");
    const actual = createHash("sha256").update("Two liars.").digest("hex");
    const { status, stdout, stderr } = await cli(["show", "latest"], { folder });
    expect(status).toBe(2);
    expect(stdout).toMatch(/1 .*reasoning.*damaged/);
    expect(stdout).toContain("read_file");
    expect(stderr).toContain(`${path} is damaged: its bytes have the hash ${actual}`);
    expect(stderr).toContain("pack the run's log again to repair it");
    const repaired = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(runLog()) });
    expect(repaired.stderr).toBe(`note: sha256:${blob} was damaged in the store; it is repaired now\n`);
    expect((await cli(["show", "latest"], { folder })).status).toBe(0);
  });
});

describe("--json of ctx show and ctx cat", () => {
  it("ctx show and ctx cat --json print what the library returns", async () => {
    const { folder } = tempStore();
    const hex = await packed(folder, busy);
    const store = Store.find(folder);
    const printed = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await cli([...args, "--json"], { folder })).stdout);
    expect(await printed("show", hex)).toEqual(show(store, hex));
    const { system_prompt, steps } = show(store, hex);
    expect(await printed("show", hex, "--system")).toEqual(showPart(store, hex, { kind: "system" }));
    expect(await printed("show", hex, "--prompt", "1")).toEqual(
      showPart(store, hex, { kind: "prompt", index: 1 }),
    );
    for (const { index } of steps)
      expect(await printed("show", hex, "--step", `${index}`)).toEqual(
        showPart(store, hex, { kind: "step", index }),
      );
    expect(await printed("cat", system_prompt)).toEqual(cat(store, system_prompt));
    const pieces: Buffer[] = [];
    catPieces(store, system_prompt, (piece) => pieces.push(Buffer.from(piece)));
    expect(Buffer.concat(pieces).toString()).toBe(cat(store, system_prompt).text);
  });
});

describe("ctx cat", () => {
  it("ctx cat writes the bytes as they are into a pipe, and as base64 with --json", async () => {
    const { folder } = tempStore();
    await packed(folder, busy);
    const png = createHash("sha256").update(Buffer.from("iVBORw0KGgo=", "base64")).digest("hex");
    for (const name of [
      png,
      png.slice(0, 8),
      `sha256:${png}`,
      `ctx://${png.slice(0, 12)}`,
      png.toUpperCase(),
    ])
      expect((await cli(["cat", name], { folder })).bytes.toString("base64")).toBe("iVBORw0KGgo=");
    expect(JSON.parse((await cli(["cat", png, "--json"], { folder })).stdout)).toEqual({
      hash: `sha256:${png}`,
      size: 8,
      base64: "iVBORw0KGgo=",
    });
  });

  it("ctx cat escapes text on a terminal, and refuses other bytes without --raw", async () => {
    const { folder } = tempStore();
    await packed(
      folder,
      smallLog({
        system_prompt: "a\u001b]0;title\u0007\nb",
        inputs: [{ name: "b", content_base64: "/w==" }],
      }),
    );
    const text = createHash("sha256").update("a\u001b]0;title\u0007\nb").digest("hex");
    const binary = createHash("sha256")
      .update(Buffer.from([255]))
      .digest("hex");
    expect((await cli(["cat", text], { folder, terminal: 80 })).stdout).toBe("a\\u{1b}]0;title\\u{7}\nb\n");
    expect((await cli(["cat", text, "--raw"], { folder, terminal: 80 })).stdout).toBe(
      "a\u001b]0;title\u0007\nb",
    );
    const refused = await cli(["cat", binary], { folder, terminal: 80 });
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain("use --raw");
    expect((await cli(["cat", binary, "--raw"], { folder, terminal: 80 })).bytes).toEqual(Buffer.from([255]));
  });

  it("ctx cat prints a pack's canonical manifest, whose hash is the pack's name", async () => {
    const { folder } = tempStore();
    const hex = await packed(folder, runLog());
    for (const name of [hex, "latest", `ctx://${hex.slice(0, 6)}`]) {
      const { bytes } = await cli(["cat", name], { folder });
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(hex);
    }
  });
});

describe("a store of the Go implementation", () => {
  const hex = "31fedb77780dea1fadea0a31a366af1af2591bffa0781465983ab33fd7dd7e96";
  const folder = tempFolder();
  fs.cpSync(join(repository, "test/golden/go-store"), folder, { recursive: true });

  it("a store of the Go implementation can be listed, shown and read with cat", async () => {
    expect((await cli(["log", "--oneline"], { folder })).stdout).toMatchInlineSnapshot(`
      "7d277f9c167a  3d  (no title)
      31fedb77780d  3d  Summarize this file
      "
    `);
    expect((await cli(["show", "31fedb"], { folder })).stdout).toMatchInlineSnapshot(`
      "ctx://31fedb77780dea1fadea0a31a366af1af2591bffa0781465983ab33fd7dd7e96
      Summarize this file
      model    gpt-4  temperature=0
      created  2026-11-15 08:50:07 UTC
      run      2 steps, 1 tool call
      system   linux, go1.23, read_file 1.0
      format   written by the Go implementation

      system prompt  31 B
        You are <b>helpful</b> & brief.

      prompts  1
        0  user     19 B  Summarize this file

      inputs  1
        readme.md     13 B  faa57de96fd4  # Hello World

      steps  2   1 deterministic (=), 1 not (~)
        0  +0.0s  = read_file  readme.md q=a<b && c>d → # Hello World
        1         ~ think

      outputs  1
        summary.txt     22 B  2615ea963891  A test project readme.

      in full: ctx show 31fedb77780d --step 0   ctx cat 2615ea963891
      "
    `);
    expect(
      createHash("sha256")
        .update((await cli(["cat", hex], { folder })).bytes)
        .digest("hex"),
    ).toBe(hex);
    expect((await cli(["show", "7d277f", "--json"], { folder })).status).toBe(0);
    expect((await cli(["show", "latest"], { folder })).stdout).toContain("ctx://7d277f");
  });

  it("a store of the Go implementation accepts packs of this ctx, and keeps its own entries", async () => {
    const entry = join(folder, ".ctx/packs", hex);
    const before = fs.readFileSync(entry);
    await packed(folder, runLog());
    expect(fs.readFileSync(entry)).toEqual(before);
    expect((await cli(["log", "--json"], { folder })).stdout.trim().split("\n")).toHaveLength(3);
  });
});
