// Replays every log in some folders and prints a table: by tool and by class, how many calls were checked,
// matched and diverged, and what the others need. docs/replay.md has the table of the samples.
//   node scripts/replay-table.mjs [<folder of logs>...] [--ctx dist/ctx.cjs] [--allow exec] [--repo <a clone>] [--json]
// Without folders, those of the agents in CTX_SAMPLES. `--ctx` may name another build, to compare with.
// With --repo, each replay starts from the revision of that repository that --git auto finds.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ctx: { type: "string", default: "dist/ctx.cjs" },
    allow: { type: "string" },
    repo: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const program = resolve(values.ctx);
const folder = fs.mkdtempSync(join(tmpdir(), "ctx-table-"));
fs.chmodSync(folder, 0o755);
const home = join(folder, "home");
fs.mkdirSync(home);
const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: folder };

function ctx(args, at) {
  return spawnSync(process.execPath, [program, ...args], {
    cwd: at,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 29,
  });
}

function logsBelow(path) {
  if (fs.statSync(path).isFile()) return [path];
  return fs
    .readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => /\.(?:jsonl?|traj|zip)$/.test(file) && fs.statSync(file).isFile());
}

/** The formats of agents that call tools on files and run commands. */
const agents =
  "claude-code claude-stream-json codex codex-exec-json gemini-cli mini-swe-agent openhands swe-agent".split(
    " ",
  );

function sampleFolders() {
  const samples = process.env["CTX_SAMPLES"];
  if (samples === undefined) throw new Error("name a folder of logs, or set CTX_SAMPLES");
  return agents.map((name) => join(samples, name)).filter((path) => fs.existsSync(path));
}

const groups = { tool: new Map(), class: new Map() };
const needs = new Map();
const total = { packs: 0, refusedExecuted: 0, exactWithDivergence: 0, verdicts: {}, resynced: 0 };
const empty = () => ({ calls: 0, checked: 0, matched: 0, diverged: 0, recorded: 0, failed: 0 });
const all = empty();

function add(row, { status, executed }) {
  row.calls++;
  if (executed && (status === "matched" || status === "diverged")) row.checked++;
  row[status]++;
}

function groupOf(groupName, name) {
  const rows = groups[groupName];
  if (!rows.has(name)) rows.set(name, empty());
  return rows.get(name);
}

/** Wordings of calls that never ran, apart from the table of ctx itself. */
const refusals =
  /^(?:<tool_use_error>|Error: )?(?:Permission (?:for this tool use was|to use .* has been) denied|The user doesn't want|Sibling tool call errored|File has not been read yet|PreToolUse:|.*hook (?:blocking )?error|.*rejected by user)/;

const folders = positionals.length === 0 ? sampleFolders() : positionals;
for (const log of folders.flatMap((path) => logsBelow(resolve(path)))) {
  const at = fs.mkdtempSync(join(folder, "store-"));
  if (values.repo !== undefined)
    spawnSync("git", ["clone", "-q", "--no-checkout", resolve(values.repo), at], { env });
  ctx(["init"], at);
  if (ctx(["pack", log, "--json"], at).status !== 0) continue;
  for (const name of fs
    .readdirSync(join(at, ".ctx", "packs"))
    .flatMap((each) => hexes(join(at, ".ctx", "packs"), each))) {
    const replay = ctx(
      [
        "replay",
        name,
        "--json",
        ...(values.allow === undefined ? [] : ["--allow", values.allow]),
        ...(values.repo === undefined ? [] : ["--git", "auto"]),
      ],
      at,
    );
    if (!replay.stdout.startsWith("{")) continue;
    take(JSON.parse(replay.stdout), at, name);
  }
  fs.rmSync(at, { recursive: true, force: true });
}

function hexes(packs, name) {
  const path = join(packs, name);
  const names = fs.statSync(path).isDirectory() ? fs.readdirSync(path).map((rest) => name + rest) : [name];
  return names.map((each) => each.replace(/\.json$/, "")).filter((each) => /^[0-9a-f]{64}$/.test(each));
}

function take(report, at, name) {
  const calls = report.steps.filter(({ type }) => type === "tool_call");
  if (calls.length === 0) return;
  const { steps } = JSON.parse(ctx(["cat", name], at).stdout);
  total.packs++;
  total.verdicts[report.fidelity] = (total.verdicts[report.fidelity] ?? 0) + 1;
  total.resynced += report.counts.resynced ?? 0;
  if (report.fidelity === "exact" && calls.some(({ status }) => status === "diverged"))
    total.exactWithDivergence++;
  for (const step of calls) {
    add(all, step);
    add(groupOf("tool", step.tool), step);
    add(groupOf("class", step.class ?? "?"), step);
    if (step.executed && wasRefused(at, steps[step.index])) total.refusedExecuted++;
  }
  for (const { what, calls: count } of report.coverage?.needs ?? [])
    needs.set(what, (needs.get(what) ?? 0) + count);
}

function wasRefused(at, { tool, metadata = {}, output_ref }) {
  if (metadata.status === "denied") return true;
  if (metadata.status !== "error" || output_ref === undefined) return false;
  // In Claude Code, a command that ran has an exit status.
  if (tool === "Bash" && metadata.exit_code === undefined) return true;
  return refusals.test(ctx(["cat", output_ref.slice("sha256:".length)], at).stdout);
}

fs.rmSync(folder, { recursive: true, force: true });
if (values.json)
  console.log(
    JSON.stringify({
      total,
      all,
      groups: { tool: Array.from(groups.tool), class: Array.from(groups.class) },
      needs: Array.from(needs),
    }),
  );
else {
  printTable("tool", groups.tool);
  printTable("class", groups.class);
  const sorted = Array.from(needs).sort((a, b) => b[1] - a[1]);
  console.log(
    "needs:",
    sorted
      .slice(0, 20)
      .map((need) => `${need[0]} ${need[1]}`)
      .join(", "),
  );
  console.log(JSON.stringify(total));
}

function printTable(title, rows) {
  console.log(`| ${title} | calls | checked | matched | diverged | not judged | needs something |`);
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  const sorted = Array.from(rows).sort((a, b) => b[1].calls - a[1].calls);
  for (const [label, row] of sorted.slice(0, 16)) console.log(line(label, row));
  console.log(line("**all**", all), "\n");
}

function line(label, { calls, checked, matched, diverged, recorded, failed }) {
  return `| ${label} | ${calls} | ${checked} | ${matched} | ${diverged} | ${recorded} | ${failed} |`;
}
