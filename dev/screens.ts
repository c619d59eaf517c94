// What the snapshots of all screens share: two runs, and what a command prints without what varies by
// machine.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { cli, type CliOptions } from "./cli.js";
import { tempStore } from "./folders.js";
import { type AnyLog, json, smallLog } from "./logs.js";

/** Every time of a suite is printed in UTC. */
export function inUtc(): void {
  const zone = process.env["TZ"];
  beforeAll(() => void (process.env["TZ"] = "UTC"));
  afterAll(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });
}

export interface ScreenOptions extends Partial<Omit<CliOptions, "folder" | "width" | "terminal">> {
  /** Both streams are a terminal, on which some commands print more; the snapshot has no colours. */
  onTerminal?: boolean;
  /** The exit status; 0 by default. */
  status?: number;
  /** What varies by machine or moment, and what a snapshot has instead. The folder is always an `@`. */
  varying?: readonly [string | RegExp, string][];
}

/** What a command prints at a width: standard output, and then standard error, each line of it with a `!`. */
export async function screen(
  folder: string,
  width: number,
  argv: readonly string[],
  { status = 0, varying = [], onTerminal = false, ...options }: ScreenOptions = {},
): Promise<string> {
  const size = onTerminal ? { terminal: width } : { width };
  const result = await cli(argv, { folder, ...size, ...options, env: { TZ: "UTC", ...options.env } });
  expect(result.status, result.stderr).toBe(status);
  let text = stripVTControlCharacters(`${result.stdout}${result.stderr.replaceAll(/^(?=.)/gm, "! ")}`);
  for (const [from, to] of [[folder, "@"], ...varying] as const) text = text.replaceAll(from, to);
  for (const line of text.split("\n")) expect(line).toBe(line.trimEnd());
  return `\n${text}`;
}

/** Returns a new store with these logs, each with a tag. */
export async function storeOf(logs: Readonly<Record<string, AnyLog>>): Promise<string> {
  const { folder } = tempStore();
  for (const [tag, log] of Object.entries(logs)) {
    const { status, stderr } = await cli(["pack", "-", "--tag", tag, "--no-sidecars"], {
      folder,
      input: json(log),
    });
    if (status !== 0) throw new Error(stderr);
  }
  return folder;
}

export const longTag = `release-candidate-${"x".repeat(42)}`;

function call(tool: string, parameters: object, minute: number, rest: object = {}): object {
  return {
    type: "tool_call",
    tool,
    parameters,
    output: "done",
    deterministic: true,
    timestamp: `2020-01-02T12:${String(minute).padStart(2, "0")}:00Z`,
    ...rest,
  };
}

const base = {
  model: { identifier: "anthropic/claude-opus-4-5-20251101" },
  metadata: {
    source: { format: "claude-code", agent: "claude-code", session: "5a3bb1c8-0000-4000-8000-000000000001" },
    workdir: "/srv/web/very-long-name-of-a-project",
  },
};

/** A run whose last command failed. */
export const goodRun = smallLog({
  ...base,
  prompts: [
    {
      role: "user",
      content: "Implement the following plan:\n\n# Page numbers in the footer of every list\n\nAnd test it.",
    },
  ],
  steps: [
    call("read_file", { path: "src/footer.ts" }, 0),
    call("edit_file", { path: "src/footer.ts", old_text: "a", new_text: "b" }, 3),
    call("bash", { command: "npm test" }, 7, { metadata: { status: "error" }, deterministic: false }),
  ],
});

/** A run with three prompts, the first of wide characters. */
export const wideRun = smallLog({
  ...base,
  metadata: { ...base.metadata, source: { format: "codex", agent: "codex" } },
  prompts: [
    {
      role: "user",
      content:
        "フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします",
    },
    { role: "user", content: "And now?" },
    { role: "user", content: "Go on." },
  ],
  steps: [
    call("read_file", { path: "src/footer.ts" }, 0),
    call("think", { thought: "Which list has no footer?" }, 1),
    call("edit_file", { path: "src/footer.ts", old_text: "a", new_text: "c" }, 2),
  ],
});
