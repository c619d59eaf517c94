// One session with every command, good and bad calls, for two programs that must behave alike: the output of
// each call, and the resulting folder. Both run it in the same folder, one after the other, so that no path
// differs.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { repository } from "./built.js";
import { json, smallLog } from "./logs.js";

/** A command line, or more than that. `{host}` is a registry's. */
export type Call = string | { line: string; input?: Buffer | string; env?: Record<string, string> };

export interface Said {
  line: string;
  status: number | null;
  stdout: string;
  stderr: string;
}

const at = "2026-03-01T00:00:00Z";
const draft = ".ctx/drafts/47d75f3304bf";

/** Reads, searches of which one is none, and a name that is too long for any file. */
const searches = json(
  smallLog({
    created: at,
    inputs: [{ name: "a.txt", content: "first\nsecond\n" }],
    steps: [
      ["read_file", { path: "a.txt" }],
      ["grep", { pattern: "sec.nd" }],
      ["grep", { pattern: "(" }],
      ["glob", { pattern: "**/*" }],
      ["read_file", { path: "n".repeat(5000) }],
    ].map(([tool, parameters]) => ({
      type: "tool_call",
      tool,
      parameters,
      output: "x",
      deterministic: true,
    })),
  }),
);

export const calls: readonly Call[] = [
  "",
  "nonsense",
  "log",
  "--json log",
  "init",
  "init",
  "pack run.json --tag first-fix",
  "pack run.json --json",
  "pack no-such-file.json",
  "pack no-such-file.json --json",
  "pack broken.json",
  "pack wrong.json --json",
  "pack --no-such-option",
  `pack ${"long/".repeat(1000)}x`,
  "pack .",
  "pack --from list",
  { line: "pack -", input: searches },
  { line: "pack - --from claude-code", input: "what is this\n" },
  "pack --no-sidecars brief.json",
  "pack sessions/fix-pages.jsonl",
  "pack deploy.json --no-sidecars",
  "pack many-0.json many-1.json many-2.json",
  "pack utf.json",
  "log",
  "log --json",
  "log --oneline -n 2",
  { line: "log", env: { FORCE_COLOR: "1", COLUMNS: "60" } },
  "log --graph",
  "log --path pages.mjs --wrote --json",
  "log --ran node --oneline",
  "grep -n cases",
  "grep (ca+ses|pages) --json --in output,param",
  "grep nowhere-at-all",
  "grep (",
  "stats --by tool",
  "stats --json",
  "show first-fix",
  "show latest",
  "show latest --json",
  { line: "show first-fix", env: { FORCE_COLOR: "1", COLUMNS: "200" } },
  "show first-fix --step 4",
  "show first-fix --step 99",
  "show nothing",
  "show 4",
  "cat first-fix",
  "cat ffffffff",
  "tag",
  "tag again first-fix",
  "tag again first-fix",
  "tag ../evil first-fix",
  "diff first-fix e03edc39 --human",
  "diff first-fix e03edc39 --json",
  "diff first-fix e03edc39 --markdown",
  "diff first-fix first-fix",
  "verify report.md",
  "verify pages.mjs --lines",
  "verify run.json",
  "verify --all",
  "verify --all --json",
  `verify ${"d/".repeat(3000)}`,
  "verify report.md --write-sidecar",
  "sidecar brief.json",
  "scan",
  "scan deploy.json --json",
  "discover",
  "discover --json",
  "pack --discover",
  "hook",
  "hook install claude-code",
  "hook remove claude-code",
  "replay first-fix --plan",
  "replay first-fix --recorded run_command",
  "replay first-fix --allow exec --json",
  "replay first-fix --allow exec --junit out.xml",
  "replay searches --json",
  "trust",
  "fork first-fix",
  `fork first-fix --set created=${at} --set metadata.by=me --seal`,
  "fork first-fix --set nonsense",
  "status",
  `pack --rm ${draft} --allow-empty --created ${at}`,
  "export first-fix -o fix.ctx",
  "export first-fix -o fix.ctx",
  "export --all -o -",
  "show fix.ctx",
  "verify fix.ctx",
  "init -C colleague",
  "import ../fix.ctx -C colleague",
  "import run.json",
  "export first-fix --as openai",
  "export first-fix --as otlp",
  "remote add team oci://{host}/team/runs",
  "remote --json",
  "push first-fix team:fix",
  "push first-fix team:fix --json",
  "remote ls team --json",
  "pull team:fix -C colleague --json",
  "pull team:other",
  "remote ls oci://127.0.0.1:1/team/runs",
  "rm again",
  "rm latest",
  "gc --dry-run",
  "gc --older-than 0",
  "doctor",
  "doctor --json",
  "completion bash",
  "completion fish",
  "__complete -- show la",
  "__complete -- pack --fro",
  "help names",
  "help nothing",
  "--version",
];

/** The whole session with one program, and the folder as it is afterwards. */
export async function wholeSession(
  folder: string,
  words: readonly string[],
): Promise<{ said: Said[]; left: Map<string, string> }> {
  prepare(folder);
  const registry = spawn(process.execPath, [join(repository, "scripts/small-registry.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const said = await visit(folder, words, registry);
    return { said, left: tree(folder) };
  } finally {
    registry.kill();
    fs.rmSync(folder, { recursive: true });
  }
}

function prepare(folder: string): void {
  fs.cpSync(join(repository, "examples"), folder, { recursive: true });
  fs.cpSync(join(folder, "sessions"), join(folder, "home/.claude/projects/tour"), { recursive: true });
  const logs: Record<string, Buffer | string> = {
    "broken.json": '{"model": {',
    "wrong.json": json({ model: 7, stesp: [] }),
    "utf.json": json(smallLog({ created: at, system_prompt: "\u00e9 \u{1f600} \u202e \u0000 \ufeff" })),
  };
  for (const number of [0, 1, 2])
    logs[`many-${number}.json`] = json(smallLog({ created: `2026-03-0${number + 2}T00:00:00Z` }));
  for (const [name, text] of Object.entries(logs)) fs.writeFileSync(join(folder, name), text);
  const home = join(folder, "home");
  for (const name of fs.readdirSync(home, { recursive: true }) as string[])
    fs.utimesSync(join(home, name), new Date(at), new Date(at));
}

async function visit(folder: string, words: readonly string[], registry: ChildProcess): Promise<Said[]> {
  const [port] = (await once(registry.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const host = `127.0.0.1:${port.toString().trim()}`;
  const [command = "", ...rest] = words;
  const { PATH = "" } = process.env;
  return calls.map((call) => {
    const { line, input = "", env = {} } = typeof call === "string" ? { line: call } : call;
    const argv = line.split(" ").filter((word) => word !== "");
    const ran = spawnSync(command, [...rest, ...argv.map((word) => word.replace("{host}", host))], {
      cwd: folder,
      input,
      // The executable makes no code cache.
      env: { PATH, HOME: join(folder, "home"), TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: "1", ...env },
      maxBuffer: 1 << 28,
    });
    const [stdout, stderr] = [ran.stdout, ran.stderr].map((bytes) => plain(bytes.toString("latin1")));
    if (line.startsWith("pack -") && call !== line && ran.status === 0)
      spawnSync(command, [...rest, "tag", "searches"], {
        cwd: folder,
        env: { PATH, HOME: folder, NODE_DISABLE_COMPILE_CACHE: "1" },
      });
    return { line, status: ran.status, stdout: stdout ?? "", stderr: stderr ?? "" };
  });
}

/** Returns every file, with its mode and its content; not the cache, which holds times of this machine. */
function tree(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of (fs.readdirSync(folder, { recursive: true }) as string[]).sort()) {
    if (name.includes(".ctx/cache/") || name.startsWith("home/.local/state")) continue;
    const stat = fs.lstatSync(join(folder, name));
    const content = stat.isFile() ? plain(fs.readFileSync(join(folder, name), "latin1")) : "";
    found.set(name, `${stat.mode.toString(8)} ${content}`);
  }
  return found;
}

/**
 * Without text that differs between two runs: times, durations, the address of the registry, and which
 * program this is.
 */
function plain(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?/g, (time) =>
      Math.abs(Date.parse(`${time.replace(" ", "T")}Z`) - Date.now()) < 3_600_000 ? "NOW" : time,
    )
    .replaceAll(/("(?:duration_ms|time|seconds|duration)":)[\d.]+/g, "$1N")
    .replaceAll(/\btime="[\d.]+"/g, 'time="N"')
    .replaceAll(/^(ok +)(?:Node|Bun) +\S+$/gm, "$1RUNTIME")
    .replaceAll(/\{"found":"[\d.]+","name":"(?:Node|Bun)"/g, '{"found":"N","name":"RUNTIME"')
    .replaceAll(/^(lacks +ctx +)\S+?,? (?=not on the PATH)/gm, "$1PROGRAM ")
    .replaceAll(/("found":")[^"]*(?=","name":"ctx")/g, "$1PROGRAM")
    .replaceAll(/\d+ GB free/g, "N GB free")
    .replaceAll(/127\.0\.0\.1:\d{2,5}/g, "HOST")
    .replaceAll(/("command\\?": ?\\?").*(?= hook run)/g, "$1PROGRAM");
}
