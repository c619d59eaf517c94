// Adapters and MCP servers: whose they are, when they may run, and what they get.
import * as fs from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import { repository } from "../../dev/built.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { lastingFolder, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

/** The repository may be a temporary folder, which no sandbox shows. */
const tools = lastingFolder();
const tool = join(tools, "adapter.mjs");
const server = join(tools, "mcp-server.mjs");

beforeAll(async () => {
  fs.copyFileSync(join(repository, "dev/adapter.mjs"), tool);
  await build({
    entryPoints: [join(repository, "dev/mcp-server.mjs")],
    outfile: server,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});

let folder: string;
let root: string;
let home: string;

beforeEach(() => {
  ({ folder, root } = tempStore());
  home = tempFolder();
});

function ctx(...argv: string[]): Promise<CliResult> {
  return cli(argv, { folder, env: { HOME: home, TOKEN: "from the user", SECRET: "not for it" } });
}

async function packed(...steps: AnyLog[]): Promise<void> {
  const { status, stderr } = await cli(["pack", "-", "--no-sidecars"], {
    folder,
    input: json(smallLog({ steps })),
  });
  expect(status, stderr).toBe(0);
}

async function replayed(...argv: string[]): Promise<ReplayReport> {
  return JSON.parse((await ctx("replay", "latest", "--json", ...argv)).stdout) as ReplayReport;
}

function lookup(parameters: AnyLog, output: string): AnyLog {
  return { type: "tool_call", tool: "lookup", parameters, output, deterministic: true };
}

function configure(place: "store" | "user", replay: AnyLog): void {
  const path = place === "store" ? join(root, "config.json") : join(home, ".config/ctx/config.json");
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, JSON.stringify({ version: "0.1", replay }));
}

const adapters = (): AnyLog => ({ lookup: { command: ["node", tool], env: ["TOKEN"] } });

describe("replay settings in a store's config", () => {
  beforeEach(() =>
    configure("store", { adapters: adapters(), normalise: [{ name: "all", pattern: "[^]*" }] }),
  );

  it("ctx trust: a store's adapter is inert until trusted, and again when a byte of its config changes", async () => {
    await packed(lookup({ a: 1 }, "x"), {
      type: "tool_call",
      tool: "read_file",
      parameters: { path: "none" },
      output: "x",
    });
    const first = await replayed("--allow", "all");
    expect(first.steps[0]).toMatchObject({
      status: "failed",
      reason: "no_tool",
      message: expect.stringContaining("ctx trust"),
      executed: false,
    });
    expect((await ctx("trust", "--list")).status).toBe(1);
    const trusted = await ctx("trust");
    expect(trusted.stdout).toContain("is trusted now, until it changes:\n  adapter  lookup: node ");
    // All that it gets is shown, and what a rule really ignores.
    expect(trusted.stdout).toContain("(gets TOKEN)");
    expect(trusted.stdout).toContain("ignores  all: [^]*");
    expect((await ctx("trust", "--list")).status).toBe(0);
    expect((await ctx("replay", "latest", "--plan")).stdout).toContain("--allow adapters");
    configure("store", { adapters: adapters() });
    expect((await ctx("trust", "--list")).status).toBe(1);
    expect((await replayed("--allow", "all")).steps[0]).toMatchObject({ reason: "no_tool" });
    await ctx("trust");
    expect((await ctx("trust", "--forget")).stdout).toContain("is no longer trusted");
    expect((await ctx("trust", "--list")).status).toBe(1);
    // What is remembered is outside every store.
    expect(fs.readdirSync(join(home, ".local/state/ctx/trust"))).toHaveLength(1);
  });

  it("ctx trust: a store's normaliser cannot improve a verdict before it is trusted", async () => {
    fs.writeFileSync(
      join(folder, "x.json"),
      json(
        smallLog({
          inputs: [{ name: "a", content: "1" }],
          steps: [
            {
              type: "tool_call",
              // What reads a file is never normalised; what lists names may be.
              tool: "list_directory",
              parameters: { path: "." },
              output: "b\n",
              deterministic: true,
            },
          ],
        }),
      ),
    );
    await ctx("pack", "x.json");
    expect((await replayed()).fidelity).toBe("degraded");
    await ctx("trust");
    const report = await replayed();
    expect(report).toMatchObject({
      fidelity: "exact",
      steps: [{ compared: "normalised", normalised: ["all"] }],
    });
  });

  it.each([
    [{ adapters: { x: {} } }, "replay.adapters.x.command: required"],
    [{ adapters: { x: { command: [] } } }, "must name a program"],
    [{ adapter: {} }, "replay.adapter: unknown field"],
    [{ mcp: { x: { command: ["a"], envs: [] } } }, "replay.mcp.x.envs: unknown field"],
    [{ normalise: [{ name: "x", pattern: "(" }] }, "must be a regular expression"],
  ])("replay and pack refuse the replay settings %j, with the reason", async (replay, message) => {
    await packed();
    configure("store", replay);
    // Nothing is packed either: the secrets to mask are unknown.
    for (const command of [
      ["replay", "latest"],
      ["pack", "x.json"],
    ]) {
      const { status, stderr } = await ctx(...command);
      expect(status).toBe(2);
      expect(stderr).toContain(message);
    }
  });
});

describeWith([program("bwrap", "bubblewrap")], "an adapter", () => {
  it("replay: the user's adapter needs no trust, and gets the parameters as JSON and only named variables", async () => {
    configure("user", { adapters: adapters() });
    const output = { input: '{"a":[1,"x"]}', args: [], token: "from the user", home: "/ctx/home" };
    await packed(lookup({ a: [1, "x"] }, `${JSON.stringify(output)}\n`));
    expect((await replayed()).steps[0]).toMatchObject({
      reason: "not_allowed",
      message: expect.stringContaining("--allow adapters"),
    });
    expect(await replayed("--allow", "adapters")).toMatchObject({
      fidelity: "exact",
      sandbox: { kind: "bwrap" },
    });
  });

  it("replay: an adapter can get the parameters as arguments, and its failure is reported", async () => {
    configure("user", {
      adapters: { lookup: { command: ["node", tool], input: "arguments" } },
    });
    await packed(lookup({ path: "a b", deep: { x: null } }, ""), lookup({ fail: true }, ""));
    const { steps } = await replayed("--allow", "adapters");
    expect(steps[0]).toMatchObject({ status: "diverged" });
    expect(steps[0]?.diff).toContain('--deep={\\"x\\":null}","--path=a b');
    expect(steps[1]).toMatchObject({
      status: "failed",
      reason: "error",
      message: "the adapter ended with exit status 3: it broke",
    });
  });

  it("replay: the version that an adapter prints is a fact of the environment", async () => {
    const version = ["node", tool, "--fail=false"];
    configure("user", { adapters: { lookup: { command: ["node", tool], version } } });
    await packed(lookup({}, ""));
    const { environment } = await replayed("--allow", "adapters");
    expect(environment.filter(({ kind }) => kind === "tool")).toMatchObject([
      { name: "lookup", recorded: "", found: expect.stringContaining("--fail=false"), status: "unknown" },
    ]);
    expect((await replayed()).environment.some(({ kind }) => kind === "tool")).toBe(false);
  });

  it("replay: an adapter that the sandbox cannot reach fails with the reason", async () => {
    fs.writeFileSync(join(folder, "tool.mjs"), "");
    configure("user", { adapters: { lookup: { command: ["node", join(folder, "tool.mjs")] } } });
    await packed(lookup({}, ""));
    const { steps } = await replayed("--allow", "adapters");
    expect(steps[0]).toMatchObject({ reason: "error", message: expect.stringMatching(/temporary|nobody/) });
  });

  it("replay: an adapter that does not end is ended", async () => {
    configure("user", { adapters: { lookup: { command: ["sleep", "100"], timeout: 1 } } });
    await packed(lookup({}, ""));
    expect((await replayed("--allow", "adapters")).steps[0]).toMatchObject({ reason: "timeout" });
  });
});

/** Returns a call of a tool that returns an error now. */
function wrong(output: string, metadata: AnyLog): AnyLog {
  const tool = "mcp__notes__wrong";
  return { type: "tool_call", tool, parameters: {}, output, metadata, deterministic: true };
}

describeWith([program("bwrap", "bubblewrap")], "an MCP server", () => {
  beforeEach(() => {
    configure("user", { mcp: { notes: { command: ["node", server] } } });
  });

  it("replay: an MCP server is called for tools that only read, under the names that agents write", async () => {
    const parameters = { what: "hello" };
    await packed(
      { type: "tool_call", tool: "mcp__notes__say", parameters, output: "hello", deterministic: true },
      { type: "tool_call", tool: "mcp__notes__nonesuch", parameters, output: "x" },
    );
    expect((await replayed()).steps[0]).toMatchObject({
      reason: "not_allowed",
      message: expect.stringContaining("--allow mcp"),
    });
    const { steps } = await replayed("--allow", "mcp");
    expect(steps).toMatchObject([{ status: "matched" }, { status: "failed", reason: "no_tool" }]);
  });

  it("replay: an MCP error where the log records none diverges, also where the text is the same", async () => {
    await packed(
      wrong("no such note", { status: "ok" }),
      wrong("a note", { status: "ok" }),
      wrong("a note", {}),
    );
    const { steps, fidelity } = await replayed("--allow", "mcp");
    expect(fidelity).toBe("degraded");
    expect(steps).toMatchObject([
      { status: "diverged", message: "it returned an error, and the log records no failure" },
      { status: "diverged" },
      { status: "diverged" },
    ]);
  });
});
