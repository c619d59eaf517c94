// `npm run demo`: a few commands that show what ctx is for, on example sessions in a folder of their own. On
// a terminal it waits for Enter before each chapter; in a pipe it does not wait. However it ends, it removes
// the folder.
import { spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeExampleHome } from "./example-home.mjs";

const root = join(fileURLToPath(import.meta.url), "../..");
const { env } = process;
const isTerminal = process.stdout.isTTY === true;
const isWatched = isTerminal && process.stdin.isTTY === true && !env.CI;
const hasColour =
  !env.NO_COLOR && (isSet(env.FORCE_COLOR) || (isTerminal && env.TERM !== "dumb" && !("FORCE_COLOR" in env)));

const good = "7c1e9a52";
const bad = "b25f03d4";
/** The pack that the good session becomes: the same on every machine. */
const pack = "c67a4398ac51";

const chapters = [
  {
    title: "Your agents leave logs. Keep them",
    stops: [
      { say: "A store is a folder beside your code, as .git is." },
      { run: "ctx init" },
      { say: "Three sessions are on this machine, two of Claude Code and one of Codex. Pack them:" },
      { run: "ctx pack --discover" },
      { say: "Each name is the SHA-256 of the whole run: nothing in it can change unnoticed." },
      { run: "ctx log" },
    ],
  },
  {
    title: "What did the agent do?",
    stops: [
      { say: "Prompts, tool calls, results, answers; and, at the end, what the log leaves open." },
      { run: `ctx show ${good}` },
    ],
  },
  {
    title: "Same prompt, same model: where did the runs diverge?",
    stops: [
      { say: "Both agents say that all 3 cases pass. Only one of them ran the tests:" },
      { run: `ctx diff ${good} ${bad} --only tool,reasoning${isTerminal ? "" : " --human"}` },
    ],
  },
  {
    title: "Was it true? Run it again",
    stops: [
      { say: "Every call, in a throw-away folder; the tests in a sandbox without network:" },
      { play: replay },
    ],
  },
  {
    title: "Is this file really what the agent made?",
    stops: [
      { run: "ctx verify pages.mjs --write-sidecar" },
      { say: "Now change the file:" },
      {
        shell: "echo '// changed by hand' >> pages.mjs",
        effect: () => appendFileSync(join(tour, "pages.mjs"), "// changed by hand\n"),
      },
      { run: "ctx verify pages.mjs", status: 1 },
    ],
  },
  {
    title: "Try something else, and pass it on",
    stops: [
      { say: "A pack never changes. To try another prompt, edit a draft of it, a folder of plain files:" },
      { run: `ctx fork ${pack}` },
      {
        shell: `echo 'Run the tests after every change.' > .ctx/drafts/${pack}/system_prompt.md`,
        effect: () =>
          writeFileSync(
            join(tour, ".ctx/drafts", pack, "system_prompt.md"),
            "Run the tests after every change.\n",
          ),
      },
      { run: "ctx status" },
      { say: "A run travels as one file. ctx scans it for secrets first, and lists what else it reveals:" },
      { run: `ctx export ${pack} -o fix.ctx` },
    ],
  },
];

const commands = chapters.flatMap(({ stops }) => stops).filter(({ run, play }) => run ?? play);
const intro = `This is ctx, git for agent runs: ${commands.length} commands in ${chapters.length} chapters, in less than a minute.
It works on example sessions in a new folder below ${tmpdir()} and removes it at the end.
It reads none of your own sessions and sends nothing.
`;
const outro = `That was it; the folder of the demo is removed. To see your own sessions:

  npm pack --quiet
  npm i -g ./contextsubstrate-0.1.0.tgz
  ctx discover

docs/guide.md goes through all of this slowly.
`;

/** Why the demo ends early, though nothing failed. */
class Stopped extends Error {
  constructor(status) {
    super("stopped");
    this.status = status;
  }
}

const home = realpathSync(mkdtempSync(join(tmpdir(), "ctx-demo-")));
const tour = join(home, "tour");
let child;
let stop;
for (const [signal, status] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(signal, () => {
    stop ??= new Stopped(status);
    child?.kill(signal);
  });

try {
  cpSync(join(root, "examples"), tour, { recursive: true });
  makeExampleHome(home);
  print(intro);
  if (isWatched) print(faint("Enter goes on to the next chapter, q stops.\n"));
  for (const [at, { title, stops }] of chapters.entries()) {
    if (isWatched) await waitForEnter(at);
    print(`\n${style(1, `${at + 1}/${chapters.length}  ${title}`)}\n`);
    for (const each of stops) await visit(each);
  }
  print(`\n${outro}`);
} catch (error) {
  if (error instanceof Stopped) {
    print("stopped; the folder of the demo is removed\n");
    process.exitCode = error.status;
  } else if (error.code !== "EPIPE") {
    process.stderr.write(`the demo failed: ${error.message}\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function visit({ say, run, status, shell, effect, play }) {
  if (say !== undefined) print(`\n${style(36, say)}\n`);
  else if (play !== undefined) await play();
  else if (shell !== undefined) {
    prompt(shell);
    effect();
  } else {
    prompt(run);
    await ctx(run, { status });
  }
}

/** Replays with the sandbox where it works. Elsewhere the demo says what is missing, and replays the rest. */
async function replay() {
  const whole = `ctx replay ${good} --allow exec`;
  const { fidelity, steps = [] } = JSON.parse(
    await ctx(`${whole} --json`, { isCaptured: true, status: "any" }),
  );
  if (fidelity === "exact") {
    prompt(whole);
    await ctx(whole);
    return;
  }
  const { message } = steps.find(({ reason }) => reason !== undefined) ?? {};
  print(`The tests cannot run on this machine: ${message ?? `this replay is ${fidelity}`}.\n`);
  print("Only the reads and edits run again, so this replay is degraded; with a sandbox it is exact.\n");
  const rest = `ctx replay ${good} --recorded Bash`;
  prompt(rest);
  await ctx(rest, { status: 1 });
}

function prompt(line) {
  print(`${style(32, "$")} ${style(1, line)}\n`);
}

/** Runs a command line of ctx in the tour, and returns what it printed if that was captured. */
async function ctx(line, { isCaptured = false, status = 0 } = {}) {
  if (stop !== undefined) throw stop;
  child = spawn(process.execPath, [join(root, "dist/ctx.cjs"), ...line.split(" ").slice(1)], {
    cwd: tour,
    stdio: ["ignore", isCaptured ? "pipe" : "inherit", "inherit"],
    env: commandEnv(),
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => (output += text));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (...end) => resolve(end));
  });
  child = undefined;
  if (stop !== undefined) throw stop;
  if (signal !== null) throw new Error(`${line} ended by ${signal}`);
  if (status !== "any" && code !== status) throw new Error(`${line} ended with exit status ${code}`);
  return output;
}

/** None of the variables that lead agents, and so `ctx discover`, to a user's sessions. */
function commandEnv() {
  const kept = ["PATH", "TERM", "COLORTERM", "LANG", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TMPDIR"];
  const own = kept.filter((name) => name in env).map((name) => [name, env[name]]);
  return { ...Object.fromEntries(own), HOME: home, CTX_PAGER: "cat" };
}

/** Waits for Enter or the space bar. q, Ctrl-C and the end of the input stop the demo. */
async function waitForEnter(chapter) {
  const { stdin } = process;
  const text = chapter === 0 ? "Enter to begin (q ends it) " : "Enter to go on (q ends it) ";
  print(`\n${faint(text)}`);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    for (;;) {
      const key = await nextKey(stdin);
      if (stop !== undefined) throw stop;
      if (key === undefined || key === "q" || key === "Q" || key === "\u0004") throw new Stopped(0);
      if (key === "\u0003") throw new Stopped(130);
      if (["\r", "\n", " "].includes(key)) break;
    }
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    print(`\r${" ".repeat(text.length)}\r`);
  }
}

/** Returns the next key; nothing at the end of the input, or when a signal arrives. */
function nextKey(stdin) {
  return new Promise((resolve) => {
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    const done = (key) => {
      stdin.off("data", onData).off("end", onEnd);
      for (const signal of signals) process.off(signal, onEnd);
      resolve(key);
    };
    const onData = (bytes) => done(String(bytes)[0]);
    const onEnd = () => done();
    stdin.once("data", onData).once("end", onEnd);
    for (const signal of signals) process.once(signal, onEnd);
  });
}

function isSet(value) {
  return value !== undefined && value !== "0" && value !== "false";
}

function faint(text) {
  return style(2, text);
}

function style(code, text) {
  return hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
}

function print(text) {
  writeSync(1, text);
}
