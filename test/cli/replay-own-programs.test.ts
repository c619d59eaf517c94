// A stranger's pack and the user's own programs: nothing in the pack decides what an adapter or an MCP server
// runs, and none of them that has a secret runs beside the pack's commands, unless the user requested that by
// name.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayedStep, ReplayReport } from "../../src/results/replay.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { lastingFolder, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

const secret = "the-token-of-the-user";
/** What a planted file does when it is run: everything that it prints would be the result of a tool. */
const stolen = "STOLEN";

let folder: string;
let root: string;
let home: string;
let tools: string;

beforeEach(() => {
  ({ folder, root } = tempStore());
  home = tempFolder();
  tools = lastingFolder();
});

function ctx(...argv: string[]): Promise<CliResult> {
  const env = { HOME: home, TOKEN: secret, PATH: `${tools}/bin:${process.env["PATH"]}` };
  return cli(argv, { folder, env });
}

function configure(replay: AnyLog, place: "store" | "user" = "user"): void {
  const path = place === "store" ? join(root, "config.json") : join(home, ".config/ctx/config.json");
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, JSON.stringify({ version: "0.1", replay }));
}

async function packed(
  steps: AnyLog[],
  inputs: Record<string, string> = {},
  more: AnyLog = {},
): Promise<void> {
  const log = smallLog({
    steps,
    inputs: Object.entries(inputs).map(([name, content]) => ({ name, content })),
    ...more,
  });
  const { status, stderr } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
}

async function replayed(...argv: string[]): Promise<ReplayReport> {
  return JSON.parse((await ctx("replay", "latest", "--json", ...argv)).stdout) as ReplayReport;
}

/** Returns a step whose recorded output is empty: the difference shows what it returns now. */
function call(tool = "lookup", parameters: AnyLog = {}): AnyLog {
  return { type: "tool_call", tool, parameters, output: "-\n", deterministic: true };
}

function command(line: string, output = ""): AnyLog {
  return {
    type: "tool_call",
    tool: "run_command",
    parameters: { command: line },
    output,
    deterministic: true,
  };
}

/** Returns what a step returned, as far as the difference shows it. */
function returned(step: ReplayedStep | undefined): string {
  return `${step?.diff ?? ""}${step?.message ?? ""}`;
}

const isHere = (name: string): boolean =>
  spawnSync("/bin/sh", ["-c", `command -v ${name}`], { env: { PATH: "/usr/local/bin:/usr/bin:/bin" } })
    .status === 0;

/** Files in which programs look for what to run, each with something that prints the token. */
const js = `console.log("${stolen}", process.env.TOKEN); process.exit();\n`;
const py = `import os\nprint("${stolen}", os.environ.get("TOKEN"))\n`;
const sh = `echo ${stolen} $TOKEN\n`;
const planted: Record<string, string> = {
  ".npmrc": "script-shell=/usr/bin/node\nnode-options=--require ./pre.js\nprefix=.\n",
  "pre.js": js,
  "server.js": js,
  "index.js": js,
  "package.json": JSON.stringify({ name: "x", main: "index.js", bin: { "notes-server": "pre.js" } }),
  "node_modules/notes-server/package.json": JSON.stringify({
    name: "notes-server",
    version: "1.0.0",
    bin: "i.js",
  }),
  "node_modules/notes-server/i.js": `#!/usr/bin/env node\n${js}`,
  "node_modules/.bin/notes-server": `#!/bin/sh\n${sh}`,
  "pyproject.toml": "[project]\nname = 'x'\nversion = '1'\n",
  "sitecustomize.py": py,
  "usercustomize.py": py,
  "modtool.py": py,
  "__main__.py": py,
  "json.py": py,
  ".python-version": "9.9.9\n",
  ".tool-versions": "python 9.9.9\n",
  ".git/config": "[core]\n\tfsmonitor = echo STOLEN >&2; false\n[alias]\n\tst = !echo STOLEN\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".bashrc": sh,
  ".bash_profile": sh,
  ".profile": sh,
  ".envrc": sh,
  "tools/search.py": py,
  "compose.yaml": "services: {}\n",
};

/**
 * Stands for a program that is not installed: says what it finds where it starts, and in the sandbox also
 * above.
 */
const looks = `#!/bin/sh
at=$PWD; while :; do ls -A "$at" | grep -vxE 'bin|sbin|lib.*|usr|etc|proc|dev|run|var|tmp|ctx|opt|srv|root|home|program|workspace' | sed "s,^,found $at ,"; [ "$at" = / ] || [ ! -d /ctx ] && break; at=$(dirname "$at"); done
find "$HOME" "$TMPDIR" -mindepth 1 | sed 's/^/found in home or tmp: /'
echo looked
`;

describeWith([program("bwrap", "bubblewrap")], "files that a pack brings along", () => {
  const installed: [string, string[]][] = [
    ["python3", ["python3", "-c", "import sys, json; sys.stdin.read(); print('ran', sys.path[0])"]],
    ["python3", ["python3", "-m", "modtool"]],
    ["python3", ["python3", "-m", "json.tool"]],
    ["node", ["node", "-e", "console.log('ran')"]],
    ["node", ["node", "server.js"]],
    ["node", ["node", "."]],
    ["python3", ["python3", "tools/search.py"]],
    ["npx", ["npx", "-y", "notes-server"]],
    ["bash", ["bash", "-lc", "echo ran"]],
    ["bash", ["bash", "-ic", "echo ran"]],
    ["git", ["git", "st"]],
    ["git", ["git", "status"]],
    ["bash", ["bash", "-c", "find . ~ /tmp -mindepth 1; echo ran"]],
  ];
  it.each(installed.filter(([name]) => isHere(name)))(
    "replay: a pack's files do not change an adapter: %s %j",
    async (_, argv) => {
      configure({ adapters: { lookup: { command: argv, env: ["TOKEN"], timeout: 20 } } });
      await packed([call()], planted, { metadata: { workdir: "/home/ana/repo" } });
      const { steps } = await replayed("--allow", "adapters");
      expect(steps[0]?.status).not.toBe("matched");
      expect(returned(steps[0])).not.toBe("");
      expect(returned(steps[0])).not.toMatch(new RegExp(`${stolen}|${secret}|\\.npmrc|pyproject`));
    },
    40_000,
  );

  it.each([
    ["uvx", ["uvx", "notes-server"]],
    ["docker", ["docker", "run", "-i", "--rm", "notes"]],
    ["mise", ["mise", "exec", "--", "notes"]],
    ["direnv", ["direnv", "exec", ".", "notes"]],
  ])("replay: the adapter %s starts where none of the pack's files are", async (name, argv) => {
    fs.mkdirSync(join(tools, "bin"));
    fs.writeFileSync(join(tools, "bin", name), looks, { mode: 0o755 });
    configure({
      adapters: { lookup: { command: [join(tools, "bin", name), ...argv.slice(1)], env: ["TOKEN"] } },
    });
    for (const workdir of ["/home/ana/repo", "/node_modules", "/.git", "/opt"]) {
      await packed([call()], planted, { metadata: { workdir } });
      for (const more of [[], ["--no-sandbox"]]) {
        const { steps } = await replayed("--allow", "adapters", ...more);
        const text = returned(steps[0]);
        expect(text).toContain("+looked");
        expect(text, workdir).not.toContain("found");
      }
    }
  });

  it("replay: a pack's files do not reach an MCP server", async () => {
    configure({ mcp: { notes: { command: ["node", "server.js"], env: ["TOKEN"], network: true } } });
    await packed([call("mcp__notes__search")], planted);
    const { steps } = await replayed("--allow", "mcp");
    expect(steps[0]).toMatchObject({ status: "failed", reason: "error" });
    expect(returned(steps[0])).toContain('"server.js" in its command is a file of the workspace');
    configure({ mcp: { notes: { command: ["bash", "-lc", "ls -A . ~ /tmp >&2; exit 3"] } } });
    expect(returned((await replayed("--allow", "mcp")).steps[0])).not.toMatch(/npmrc|STOLEN/);
  });
});

describeWith([program("bwrap", "bubblewrap")], "an adapter and the workspace", () => {
  it("replay: an adapter starts in an empty folder, with a home and a /tmp that no command wrote to", async () => {
    const say = 'find . ~ "$TMPDIR" -mindepth 1 -printf "%f\\n"; pwd; touch left ~/kept; ls ~';
    configure({
      adapters: { lookup: { command: ["bash", "-c", say] }, other: { command: ["bash", "-c", say] } },
    });
    const litter = "touch ~/planted /tmp/planted planted; mkdir -p ~/.local/lib; true";
    await packed([
      command(litter),
      call(),
      call(),
      call("other"),
      command("ls -A ~ /tmp; cat planted left 2>&1"),
    ]);
    for (const more of [[], ["--no-sandbox"]]) {
      const { steps } = await replayed("--allow", "exec,adapters", ...more);
      for (const step of steps.slice(1, 4)) expect(returned(step)).not.toMatch(/planted|\.local|left/);
      // Its own home lasts; that of another program is another one.
      expect(returned(steps[1])).toMatch(/\+\S*(?:\/ctx\/program|start)\n\+kept\n/);
      expect(returned(steps[2])).toMatch(/\+kept\n\+\S*(?:\/ctx\/program|start)\n\+kept\n/);
      expect(returned(steps[3])).toMatch(/@\n-.*\n\+\S*(?:\/ctx\/program|start)\n\+kept\n/);
      expect(returned(steps[4])).not.toMatch(/kept/);
    }
  });

  it("replay: an adapter finds the workspace by a variable, and cannot write to it", async () => {
    const say =
      'cat "$CTX_WORKSPACE/a"; echo "$CTX_WORKSPACE $CTX_RECORDED_WORKSPACE"; echo x > "$CTX_WORKSPACE/new"; true';
    configure({ adapters: { lookup: { command: ["bash", "-c", say] } } });
    await packed([call()], { a: "content\n" }, { metadata: { workdir: "/home/ana/repo" } });
    expect(returned((await replayed("--allow", "adapters")).steps[0])).toContain(
      "+content\n+/ctx/workspace /home/ana/repo\n",
    );
    const kept = await replayed("--allow", "adapters", "--keep");
    expect(fs.readdirSync(kept.workspace.kept ?? "")).toEqual(["a"]);
    fs.rmSync(join(kept.workspace.kept ?? "", ".."), { recursive: true });
    expect(returned((await replayed("--allow", "adapters", "--no-sandbox")).steps[0])).toMatch(
      /\+content\n\+\S+\/ws \/home\/ana\/repo\n/,
    );
  });

  it("replay: an adapter is found beside the config that names it, with the files that it needs", async () => {
    fs.mkdirSync(join(tools, "config/ctx/tools"), { recursive: true });
    const text = "import sys; print('mine', *sys.argv[1:])";
    for (const name of ["tools/search.py", "run.py"]) fs.writeFileSync(join(tools, "config/ctx", name), text);
    const at = join(tools, "config/ctx");
    const own = join(at, "config.json");
    const use = async (...argv: string[]): Promise<string> => {
      fs.writeFileSync(own, JSON.stringify({ replay: { adapters: { lookup: { command: argv } } } }));
      const env = { HOME: home, XDG_CONFIG_HOME: join(tools, "config") };
      const run = (...words: string[]) => cli(["replay", "latest", ...words], { folder, env });
      const report = JSON.parse((await run("--json", "--allow", "adapters")).stdout) as ReplayReport;
      return returned(report.steps[0]);
    };
    await packed([call()], { "tools/search.py": py, "run.py": py });
    expect(await use("python3", "tools/search.py", "--root=./tools", "../x")).toContain(
      `+mine --root=${at}/tools ${tools}/config/x`,
    );
    expect(await use("python3", "run.py", "a/b", "@scope/package")).toContain("+mine a/b @scope/package");
    expect(await use("./tools/none", "x")).toContain(`there is no program ${at}/tools/none in the sandbox`);
    fs.rmSync(join(at, "tools"), { recursive: true });
    expect(await use("python3", "tools/search.py")).toMatch(
      /"tools\/search.py".* is a file of the workspace/,
    );
  });

  it.each([
    [["/ctx/workspace/run.sh"]],
    [["python3", "/ctx/workspace"]],
    [["node", "--require", "/ctx/workspace/pre.js", "/opt/x.js"]],
    [["npx", "--prefix", "/ctx/workspace", "server"]],
    [["npx", "--prefix=/ctx/workspace", "server"]],
    [["bash", "-c", "/ctx/workspace/run.sh"]],
  ])("replay: an adapter that would be read from the workspace is refused: %j", async (argv) => {
    configure({ adapters: { lookup: { command: argv } } });
    await packed([call()], planted);
    const [step] = (await replayed("--allow", "adapters")).steps;
    expect(step).toMatchObject({ status: "failed", reason: "error" });
    expect(returned(step)).toContain("would be read from the workspace");
  });

  it("replay: an adapter may have the workspace as its argument", async () => {
    configure({ adapters: { lookup: { command: ["ls", "/ctx/workspace"] } } });
    await packed([call()], { a: "1" });
    expect(returned((await replayed("--allow", "adapters")).steps[0])).toContain("+a\n");
  });
});

describeWith([program("bwrap", "bubblewrap")], "a program with a secret or the network", () => {
  const privileged: [string, AnyLog][] = [
    ["a variable", { env: ["TOKEN"] }],
    ["the network", { network: true }],
  ];
  it.each(privileged)("replay: a program with %s does not run beside commands", async (_, more) => {
    configure({
      adapters: { lookup: { command: ["echo", "ran"], version: ["echo", "v1"], ...more } },
      mcp: { notes: { command: ["echo", "ran"], ...more } },
    });
    await packed([command("echo x", "x\n"), call(), call("mcp__notes__search")]);
    const refused = {
      status: "failed",
      reason: "not_allowed",
      message: expect.stringContaining("--allow together"),
    };
    const { steps, fidelity, environment } = await replayed("--allow", "all");
    expect(steps).toMatchObject([{ status: "matched" }, refused, refused]);
    expect(fidelity).toBe("failed");
    expect(environment.find(({ name }) => name === "lookup")?.found ?? null).toBeNull();
    // With neither of them there is nothing to refuse.
    expect((await replayed("--allow", "adapters")).steps[1]).toMatchObject({ status: "diverged" });
    expect((await replayed("--allow", "exec,adapters,together")).steps[1]).toMatchObject({
      status: "diverged",
    });
  });

  it("replay: a program with a secret runs where no command does", async () => {
    configure({ adapters: { lookup: { command: ["echo", "ran"], env: ["TOKEN"] } } });
    await packed([call(), command("echo x", "x\n")]);
    expect((await replayed("--allow", "all", "--to", "0")).steps[0]).toMatchObject({ status: "diverged" });
    expect((await replayed("--allow", "all")).steps[0]).toMatchObject({ reason: "not_allowed" });
  });

  it("replay: --allow together is named by the plan, the question and `verify --replay`", async () => {
    configure({ adapters: { lookup: { command: ["echo", "ran"], env: ["TOKEN"] } } });
    await packed([command("echo x", "x\n"), call()]);
    const plan = (await ctx("replay", "latest", "--plan")).stdout;
    expect(plan).toContain("--allow adapters,together");
    expect(plan).toMatch(/Run it .*--allow exec,adapters,together\n$/);
    const answered = await cli(["replay", "latest"], {
      folder,
      env: { HOME: home },
      answers: ["y"],
      terminal: 80,
    });
    expect(answered.stderr).toContain("--allow together");
    expect(answered.stdout).toContain("not_allowed");
    const verified = await ctx("verify", "latest", "--replay", "--allow", "exec,adapters");
    expect(`${verified.stdout}${verified.stderr}`).toContain("--allow together");
    expect(
      (await ctx("verify", "latest", "--replay", "--allow", "exec,adapters,together")).stdout,
    ).not.toContain("--allow together");
    expect((await ctx("replay", "latest", "--allow", "nonsense")).stderr).toContain("together");
    expect((await ctx("replay", "--help")).stdout).toContain("together");
  });
});

describeWith([program("bwrap", "bubblewrap")], "the version of an adapter", () => {
  it("replay: an adapter's version is found without its secrets, in an empty folder", async () => {
    const version = ["bash", "-c", 'echo "1.0$TOKEN $(ls -A) $PWD"'];
    configure({ adapters: { lookup: { command: ["echo"], version, env: ["TOKEN"] } } });
    await packed([call()], planted);
    const { environment } = await replayed("--allow", "adapters");
    expect(environment.find(({ name }) => name === "lookup")?.found).toBe("1.0  /ctx/program");
  });
});

describe("a command in a store's config", () => {
  it("ctx trust shows a config's command as it would run", async () => {
    fs.mkdirSync(join(folder, "tools"));
    configure({ adapters: { lookup: { command: ["../tools/run", "x"] } } }, "store");
    expect((await ctx("trust")).stdout).toContain(`lookup: ${folder}/tools/run x`);
  });
});

/** Writes a file into the folder that the sandbox can show. */
function put(path: string, text: string): void {
  fs.mkdirSync(join(tools, path, ".."), { recursive: true });
  fs.writeFileSync(join(tools, path), text);
}

/** In a project, with a store that the sandbox could show. */
async function inProject(command: string[]): Promise<string> {
  const at = { folder: tools, env: { HOME: home, TOKEN: secret } };
  await cli(["init"], at);
  put("package.json", "{}");
  put(
    ".ctx/config.json",
    JSON.stringify({ version: "0.1", replay: { adapters: { lookup: { command, env: ["TOKEN"] } } } }),
  );
  await cli(["pack", "-", "--no-sidecars"], { ...at, input: json(smallLog({ steps: [call()] })) });
  const { status, stderr } = await cli(["trust"], at);
  expect(status, stderr).toBe(0);
  const { stdout } = await cli(["replay", "latest", "--json", "--allow", "adapters"], at);
  return returned((JSON.parse(stdout) as ReplayReport).steps[0]);
}

describeWith([program("bwrap", "bubblewrap")], "a program that a store's config names", () => {
  it("replay: a store's program sees what was hashed of its repository, and nothing else of its project", async () => {
    put("config/settings.json", "{}");
    put("config/sub/more.json", "{}");
    put("lib/other.js", js);
    put("src/main.js", "1");
    const find = 'find "$(dirname "$0")/.." -type f | xargs -n 1 realpath | sort';
    const said = await inProject(["bash", "-c", find, "../config/settings.json"]);
    expect(said).toContain(`+${tools}/config/settings.json\n+${tools}/config/sub/more.json\n`);
    expect(said).not.toMatch(/other\.js|main\.js|package\.json/);
  });

  it("replay: a store's program runs by a name that its runner completes, as `ctx trust` hashed it", async () => {
    put("config/settings.json", "{}");
    put("programs/server.js", 'console.log("first", require("./part.js"));\n');
    put("programs/part.js", 'module.exports = "part";\n');
    expect(await inProject(["node", "../programs/server", "../config/settings.json"])).toContain(
      "+first part",
    );
  });

  it("replay: a store's program cannot reach a script that `ctx trust` did not hash", async () => {
    put("config/settings.json", "{}");
    put("programs/server.js", js);
    // The name is put together in the shell, so `ctx trust` cannot see it.
    const line = 'node "$(dirname "$0")/../programs/server"; echo done';
    const said = await inProject(["bash", "-c", line, "../config/settings.json"]);
    expect(said).toContain("+done");
    expect(said).not.toContain(stolen);
  });

  it("replay: a store's program sees a file that a hashed link leads to, and not what lies beside it", async () => {
    const target = lastingFolder();
    fs.writeFileSync(join(target, "real.sh"), `ls ${target}\n`);
    fs.writeFileSync(join(target, "package.json"), "{}");
    put("programs/.keep", "");
    fs.symlinkSync(join(target, "real.sh"), join(tools, "programs/run.sh"));
    expect(await inProject(["bash", "../programs/run.sh"])).toMatch(/\+real\.sh\n(?!\+package)/);
  });
});
