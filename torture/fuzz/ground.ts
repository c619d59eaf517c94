// The folder that every input is tried in: a store with runs, a tag, a draft and files with sidecars, and a
// user's settings. Made by the built program, once; each process gets a copy.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository } from "../../dev/built.js";
import { atEnd } from "../../dev/endings.js";
import { json, runLog } from "../../dev/logs.js";
import { runCtx } from "../../dev/processes.js";

/** Files that parsers read, in their original state. */
export interface Ground {
  folder: string;
  /** Two packs: the second was made from the first, and has the tag good. */
  first: string;
  second: string;
  bytes: (file: string) => Buffer;
}

let made: Promise<Ground> | undefined;

export function ground(): Promise<Ground> {
  return (made ??= make());
}

/**
 * In memory where possible: nothing here is about disks. `npm run torture` sets the folder, and removes it.
 */
const quick = process.env["CTX_TORTURE_MEMORY"] ?? (fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

export function quickFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(quick, "ctx-fuzz-")));
  atEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy that may be damaged. */
export async function copyOfGround(): Promise<string> {
  const { folder } = await ground();
  const copy = quickFolder();
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** How a command is run there. */
export function inGround(folder: string): { env: Record<string, string> } {
  return { env: { HOME: join(folder, "home") } };
}

export const draft = ".ctx/drafts/tried/execution.json";
export const userConfig = "home/.config/ctx/config.json";
export const remotes = "home/.config/ctx/remotes.json";
export const settings = "home/.claude/settings.json";
export const session = "home/.claude/projects/-work/0a1b2c3d-0000-4000-8000-0123456789ab.jsonl";
export const hookRuns = "home/.local/state/ctx/hook-runs.jsonl";
export const hookMemory = "home/.local/state/ctx/hooks.json";

/** Settings with a value in every section. */
export const fullConfig = {
  version: "0.1",
  diff: { ignore: ["steps[*].timestamp", "metadata"] },
  replay: {
    adapters: {
      search: { command: ["search", "--json"], timeout: 5, env: ["TERM"], network: false, input: "json" },
      grep: { command: ["grep"], input: "arguments", version: ["grep", "--version"], compare: "lines" },
    },
    mcp: { files: { command: ["files-server"], timeout: 10 } },
    normalise: [{ name: "times", pattern: "\\d+ ms", replace: "N ms", tools: ["run_command"] }],
  },
  redact: {
    mode: "strict",
    rules: [{ id: "ticket", pattern: "TICKET-[0-9]{4,}", keywords: ["TICKET"] }],
    allow: ["TICKET-0000"],
  },
};

async function make(): Promise<Ground> {
  const folder = quickFolder();
  const examples = join(repository, "examples");
  for (const name of ["run.json", "report.md", "pages.mjs", "staging.env"])
    fs.copyFileSync(join(examples, name), join(folder, name));
  const ctx = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await runCtx(folder, args, inGround(folder));
    if (status !== 0) throw new Error(`ctx ${args.join(" ")} failed: ${stderr}`);
    return stdout.trim();
  };
  await ctx("init");
  const first = (await ctx("pack", "run.json")).slice("ctx://".length);
  write(folder, "second.json", json(runLog({ parent: `sha256:${first}`, metadata: { kind: "fuzz" } })));
  const second = (await ctx("pack", "second.json")).slice("ctx://".length);
  await ctx("tag", "good", second);
  await ctx("fork", "good");
  const drafts = join(folder, ".ctx/drafts");
  fs.renameSync(join(drafts, fs.readdirSync(drafts)[0] ?? ""), dirname(join(folder, draft)));
  await ctx("export", "--all", "--output", "all.ctx");
  write(folder, userConfig, json({ ...fullConfig, redact: { mode: "standard" } }));
  write(folder, remotes, json({ team: { url: "oci://registry.example.com/team/runs", plain_http: false } }));
  await ctx("hook", "install", "claude-code", "--yes");
  write(
    folder,
    hookRuns,
    `${JSON.stringify({ time: "2026-02-10T12:00:00.000Z", hook: "claude-code", packs: [`sha256:${first}`], log: "/x.jsonl" })}\n` +
      `${JSON.stringify({ time: "2026-02-11T12:00:00.000Z", hook: "codex", packs: [], problem: "there is no store" })}\n`,
  );
  write(folder, session, fs.readFileSync(join(examples, "sessions/fix-pages.jsonl")));
  // Blobs that the manifests of the first implementation refer to.
  fs.cpSync(join(repository, "test/golden/go-store/.ctx/objects"), join(folder, ".ctx/objects"), {
    recursive: true,
  });
  await ctx("log");
  return { folder, first, second, bytes: (file) => fs.readFileSync(join(folder, file)) };
}

export function write(folder: string, name: string, bytes: string | Buffer): void {
  const path = join(folder, name);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, bytes);
}
