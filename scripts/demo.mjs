// `npm run demo`: a short tour with the real program, in a folder of its own that is removed at the end. Each stop of
// the tour is one entry of the list below.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist/ctx.cjs");
const isWatched = process.stdout.isTTY === true && !process.env.CI;
const hasColour = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";

const draft = ".ctx/drafts/47d75f3304bf";
const report = sha256(readFileSync(join(root, "examples/report.md")));

// `run` is a command line of ctx. `check` is computed by the demo itself, and shown under `shell`, if there
// is one.
const tour = [
  {
    say: "A store is a .ctx folder. Commands find it from any folder below, as git finds .git.",
    run: "init",
  },
  {
    say: "run.json is the log of an agent that fixed an off-by-one error. Seal it:",
    run: "pack run.json",
  },
  { say: "The same run always gets the same name, here and on every machine:", run: "pack run.json" },
  { say: "Give it a name that is easy to remember:", run: "tag first-fix" },
  { say: "What is in the store?", run: "log" },
  { say: "The run at a glance: prompts, inputs, every step, and what came out.", run: "show latest" },
  { say: "Step 2 in full: the tests, before the fix.", run: "show first-fix --step 2" },
  { say: "Step 4: the fix.", run: "show first-fix --step 4" },
  {
    say: "Every content is a blob, named by its hash. This one is the agent's report:",
    run: `cat ${report.slice(0, 12)}`,
  },
  {
    say: "report.md is in the folder, byte for byte, so it got a sidecar:",
    shell: "cat report.md.ctx.json",
    check: () => readFileSync(join(folder, "report.md.ctx.json"), "utf8"),
  },
  { say: "Is report.md really what that run produced?", run: "verify report.md" },
  {
    say: "A lost sidecar can be written again, if a pack backs it:",
    run: "verify report.md --write-sidecar",
  },
  {
    say: "The same task again, with another system prompt. brief.json names the first run as its parent:",
    run: "pack --no-sidecars brief.json",
  },
  { say: "Where did the runs diverge, and why?", run: "diff latest --human" },
  {
    say: "Agents write logs of their own. This is a session of Claude Code, with a sub-agent:",
    run: "pack sessions/fix-pages.jsonl",
  },
  { say: "What it did, and what its log does not say:", run: "show latest" },
  { say: "ctx finds them. Which sessions did agents leave on this machine?", run: "discover" },
  { say: "A hook packs each session when it ends:", run: "hook install claude-code --dry-run" },
  {
    say: "Logs hold credentials. They are masked before anything is stored:",
    run: "pack --no-sidecars deploy.json",
  },
  { say: "What is there instead?", run: "show latest --prompt 0" },
  { say: "Did a secret get into the store before? No:", run: "scan" },
  {
    say: "A run can travel as one file. ctx scans it for secrets first:",
    run: "export first-fix -o fix.ctx",
  },
  { say: "Commands read the file as it is, without importing it:", run: "verify fix.ctx" },
  { say: "A colleague has a store, too:", run: "init -C colleague" },
  {
    say: "The colleague imports the run: the same name, the same bytes.",
    run: "import ../fix.ctx -C colleague",
  },
  {
    say: "Or it goes through any registry for container images. This demo runs a small one:",
    run: "remote add team REGISTRY",
  },
  { say: "ctx sends only what is missing there:", run: "push first-fix team:fix" },
  { say: "What is in the registry?", run: "remote ls team" },
  { say: "And fetches only what is missing here, which is nothing:", run: "pull team:fix -C colleague" },
  {
    say: "Other tools can read a run, for example as chat messages:",
    shell: "ctx export first-fix --as openai | head -n 8",
    check: () =>
      ctx(["export", "first-fix", "--as", "openai"], ["ignore", "pipe", "ignore"])
        .toString("utf8")
        .split(/(?<=\n)/)
        .slice(0, 8)
        .join(""),
  },
  { say: "What would it take to execute the first run again?", run: "replay first-fix --plan" },
  {
    say: "Its reads and edits, without any program (so not the tests), in a throw-away folder:",
    run: "replay first-fix --recorded run_command",
    status: 1,
  },
  {
    say: "A store may name programs for replays; they run only if you trust it. This one names none:",
    run: "trust",
  },
  {
    say: "A pack never changes. To try something else, make a draft from it:",
    run: "fork first-fix",
  },
  {
    say: "It is a folder of plain files. Edit the system prompt:",
    shell: `echo "Be concise." > ${draft}/system_prompt.md`,
    check: () => {
      writeFileSync(join(folder, draft, "system_prompt.md"), "Be concise.\n");
      return "";
    },
  },
  { say: "What differs so far?", run: "status" },
  { say: "Seal it: a new pack, whose parent is the old one.", run: `pack --rm ${draft}` },
  { say: "And compare it with its parent.", run: "diff latest --human" },
  { say: "Remove a pack from the listing:", run: "rm latest" },
  { say: "ctx gc removes what nothing needs any more, once it is old enough.", run: "gc --dry-run" },
  {
    say: "TAB can complete commands, packs and tags. Set it up, in four shells:",
    shell: "ctx completion --help",
    check: () =>
      /^to install:\n(?: .*\n)+/m.exec(ctx(["completion", "--help"], ["ignore", "pipe", "inherit"]))[0],
  },
  { say: "Is this machine set up for ctx?", run: "doctor" },
  { say: "You need not trust ctx: a pack's name is the SHA-256 of its manifest.", check: checkName },
];

const next = `What to try next:
  npm link         puts ctx on the PATH
  ctx --help       lists the commands
  docs/guide.md    goes through all this in detail
  docs/format.md   explains how to write a log for your own agent
`;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ctx-demo-")));
let registry;
process.once("SIGINT", () => {
  registry?.kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit(130);
});
try {
  cpSync(join(root, "examples"), folder, { recursive: true });
  // The machine of this demo: its sessions, not yours.
  cpSync(join(root, "examples/sessions"), join(folder, "home/.claude/projects/tour"), { recursive: true });
  for (const stop of tour) await visit(stop);
  print(`\nThat was it; the folder of this demo is removed. ${next}`);
} catch (error) {
  process.stderr.write(`the demo failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  registry?.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function visit({ say, run: line, shell: shown, check, status }) {
  const run = line?.includes("REGISTRY") === true ? line.replace("REGISTRY", await startRegistry()) : line;
  const shell = shown ?? (run && `ctx ${run}`);
  print(`\n${style(36, say)}\n`);
  await pause(900);
  if (shell !== undefined) print(`${style(32, "$")} ${style(1, shell)}\n`);
  await pause(400);
  if (check === undefined) ctx(run.split(" "), ["ignore", "inherit", "inherit"], status);
  else print(check());
  await pause(1100);
}

/** A registry on this machine that ends with the demo. */
async function startRegistry() {
  registry = spawn(process.execPath, [join(root, "scripts/small-registry.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = await once(registry.stdout, "data");
  return `oci://127.0.0.1:${String(port).trim()}/team/runs`;
}

/** Only if a person is watching. */
async function pause(milliseconds) {
  if (isWatched) await sleep(milliseconds);
}

function ctx(words, stdio, expected = 0) {
  const env = {
    ...process.env,
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  const { status, stdout, error } = spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    stdio,
    env,
  });
  if (error !== undefined) throw error;
  if (status !== expected) throw new Error(`ctx ${words.join(" ")} ended with exit status ${status}`);
  return stdout;
}

/** The output of `ctx cat latest | sha256sum`; not every machine has sha256sum. */
function checkName() {
  const hash = sha256(ctx(["cat", "latest"], ["ignore", "pipe", "inherit"]));
  const { hash: name } = JSON.parse(ctx(["show", "latest", "--json"], ["ignore", "pipe", "inherit"]));
  if (name !== `sha256:${hash}`) throw new Error(`the manifest has the hash ${hash}, but is named ${name}`);
  return `named   ${name.slice("sha256:".length)}\nhashed  ${hash}  equal\n`;
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function style(code, text) {
  return hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
}

function print(text) {
  writeSync(1, text);
}
