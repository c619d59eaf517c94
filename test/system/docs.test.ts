// What the documents say, held to the program: every command they show is run, every link leads somewhere.
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { visibleCommands } from "../../src/cli/command.js";
import { commandsPage } from "../../src/cli/commands-page.js";
import { parse } from "../../src/cli/parse.js";
import { commands as table } from "../../src/cli/table.js";
import type { Terminal } from "../../src/cli/terminal.js";
import { ctx, program, repository, run } from "../../dev/built.js";
import { rerunConsoleBlocks, startRegistry } from "../../dev/console-blocks.js";
import { lines } from "../../dev/intake.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, linux, program as needed } from "../../dev/needs.js";

const commands = visibleCommands(table);

const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...fs
    .readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

function read(name: string): string {
  return fs.readFileSync(join(repository, name), "utf8");
}

/** Runs what a document shows, and compares. */
function isUpToDate(name: string, first: string): void {
  const text = read(name);
  expect(text).toContain(`\`\`\`console\n${first}`);
  expect(rerunConsoleBlocks(text, repository)).toBe(text);
}

describeWith([needed("bwrap", "bubblewrap")], "documents with programs in them", () => {
  it.each([
    ["README.md", "$ ctx init\n"],
    ["docs/guide.md", "$ ctx init\n"],
    ["docs/replay.md", "$ ctx init\n"],
    ["docs/agents.md", "$ ctx init\n"],
  ])("%s shows what the commands print", isUpToDate);
});

describe("documents (if one is out of date: npm run docs)", () => {
  it("docs/commands.md is what the command table generates", () => {
    expect(read("docs/commands.md")).toBe(commandsPage(commands));
  });

  it.each([
    ["docs/contest.md", "$ ctx init\n"],
    ["docs/fork.md", "$ ctx init\n"],
    ["docs/redaction.md", "$ ctx init\n"],
    ["docs/export.md", "$ ctx init\n"],
    ["docs/share.md", "$ ctx init\n"],
    ["docs/discover.md", "$ mkdir"],
    ["docs/drift.md", "$ ctx init\n"],
    ["docs/search.md", "$ ctx init\n"],
    ["docs/library.md", "$ node library.mjs\n[ 'derived: my-model' ]\n"],
  ])("%s shows what the commands print", isUpToDate);

  it("the pictures of the README show what the commands print", () => {
    const folder = tempFolder();
    const { status, stderr } = run(process.execPath, [join(repository, "scripts/picture.mjs"), folder], {
      cwd: repository,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const pictures = fs.readdirSync(folder);
    expect(fs.readdirSync(join(repository, "docs/images"))).toEqual(pictures);
    for (const name of pictures) {
      expect(read(`docs/images/${name}`)).toBe(fs.readFileSync(join(folder, name), "utf8"));
      expect(fs.statSync(join(folder, name)).size).toBeLessThan(60_000);
      expect(read("README.md")).toContain(`docs/images/${name}`);
    }
  });

  it.each(commands.map(({ name }) => name))("the guide runs an example of ctx %s", (name) => {
    const examples = [...read("docs/guide.md").matchAll(/^```console\n([^]*?)^```$/gm)].join("\n");
    expect(examples).toMatch(new RegExp(`^\\$ (?:.*\\| )?ctx (?:-C \\S+ )?${name}(?: |$)`, "m"));
  });

  it("docs/traps.md lists 20 traps, each named by a test", () => {
    const numbers = [...read("docs/traps.md").matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    const tests = ["test/unit/intake", "test/cli"].flatMap((folder) =>
      fs.readdirSync(join(repository, folder)).map((name) => read(join(folder, name))),
    );
    const named = new Set(
      tests.flatMap((text) =>
        [...text.matchAll(/\btraps? ([\d, and]+)/g)].flatMap(([, list = ""]) =>
          [...list.matchAll(/\d+/g)].map(([number]) => Number(number)),
        ),
      ),
    );
    expect(numbers).toHaveLength(20);
    expect(numbers.filter((number) => !named.has(number))).toEqual([]);
  });

  it("docs/format.md shows the log, manifest and hash of its golden example", () => {
    const text = read("docs/format.md");
    const golden = "test/golden/identity/plain";
    const blocks = [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, body = ""]) => body);
    expect(blocks.filter((body) => !body.includes("…")).map((body): unknown => JSON.parse(body))).toEqual([
      JSON.parse(read(`${golden}.log.json`)),
    ]);
    expect(text).toContain(`\n${read(`${golden}.manifest.json`)}\n`);
    expect(text).toContain(`\n${read(`${golden}.hash`).trim().slice("sha256:".length)}\n`);
  });

  it.each(documents)("%s has no dead link", (name) => {
    const links = [...read(name).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, link = ""]) => link);
    for (const link of links) {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? name : join(dirname(name), path);
      expect(fs.existsSync(join(repository, target)), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(read(target)), link).toContain(anchor);
    }
  });
});

/** Returns the anchors that GitHub makes for a page's headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe("examples in --help", () => {
  const examples = commands.flatMap(({ name, examples }) =>
    examples.map((example) => ({ name, ...example })),
  );
  let place: { cwd: string; env: Record<string, string> };
  let registry: ReturnType<typeof startRegistry>;
  beforeAll(() => {
    registry = startRegistry(repository, tempFolder());
    place = prepare(registry.host);
  });
  afterAll(() => registry.stop());

  it.each(examples)("an example in --help is a call of its command: $run", ({ name, run: line }) => {
    const terminal = { folder: "/" } as Terminal;
    const calls = line.split(" | ").filter((part) => part.startsWith("ctx "));
    const requests = calls.map((call) => parse(words(call).slice(1), commands, terminal));
    expect(requests).toMatchObject([{ kind: "run", command: { name } }]);
  });

  it.each(examples.filter(({ run: line }) => !line.includes("--allow")))(
    "an example in --help runs: $run",
    runs,
  );

  describeWith([needed("bwrap", "bubblewrap")], "examples in --help with programs in them", () => {
    it.each(examples.filter(({ run: line }) => line.includes("--allow")))(
      "an example in --help runs: $run",
      runs,
    );
  });

  function runs({ run: line }: { run: string }): void {
    // The hashes in examples are samples; only `latest` certainly exists.
    const command = line
      // This command runs until Ctrl-C, and needs a session with a log.
      .replace(
        /^(ctx show --follow) [0-9a-f]{8}$/,
        "timeout --preserve-status -s INT 3 $1 .claude/projects/p/s.jsonl",
      )
      .replaceAll(/:[0-9a-f]{8}\b/g, ":good")
      .replaceAll(/\b[0-9a-f]{8,64}\b/g, "latest")
      .replaceAll("registry.example.com", registry.host);
    const { status, stderr } = run("sh", ["-c", command], place);
    // What a format cannot express, and what is followed, is said on standard error, and is no failure.
    expect({
      status,
      stderr: stderr.replaceAll(/^note: (?:following .*; Ctrl-C ends it|not in the export: .*)\n/gm, ""),
    }).toEqual({
      status: 0,
      stderr: "",
    });
  }
});

/** Returns the words of a command line, as a shell separates them. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

function seal(log: string): string[] {
  return ["pack", "--no-sidecars", log];
}

/** Returns a folder with a store and all else that the examples speak of, and a PATH that leads to it. */
function prepare(registry: string): { cwd: string; env: Record<string, string> } {
  const folder = tempFolder();
  fs.cpSync(join(repository, "examples"), folder, { recursive: true });
  for (const name of ["bin", "runs"]) fs.mkdirSync(join(folder, name));
  fs.copyFileSync(join(folder, "run.json"), join(folder, "runs/1.json"));
  fs.symlinkSync(program, join(folder, "bin/ctx"));
  const codex = { type: "item.completed", item: { id: "i", type: "agent_message", text: "Done." } };
  const stubs = {
    "my-agent": "cat run.json",
    codex: `echo '${JSON.stringify({ type: "thread.started", thread_id: "t" })}'\necho '${JSON.stringify(codex)}'`,
    sha256sum: "cat >/dev/null",
    // To a store beside this one.
    ssh: 'shift\ncd "$HOME/elsewhere"\nexec "$@"',
  };
  const about = { sessionId: "s", cwd: fs.realpathSync(folder) };
  const said = { id: "m", model: "claude-opus-4-6", content: [{ type: "text", text: "Hi." }] };
  const session = lines(
    { type: "user", uuid: "u", ...about, message: { role: "user", content: "Hello." } },
    { type: "assistant", uuid: "a", ...about, message: said },
  );
  fs.mkdirSync(join(folder, ".claude/projects/p"), { recursive: true });
  fs.writeFileSync(join(folder, ".claude/projects/p/s.jsonl"), session);
  for (const [name, script] of Object.entries(stubs))
    fs.writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  run("git", ["init", "-q"], { cwd: folder });
  // A run that is named good, and the same one at another time.
  const good = read("examples/brief.json").replaceAll("2026-02-11T", "2026-02-12T");
  fs.writeFileSync(join(folder, "good.json"), good);
  for (const args of [
    ["init"],
    seal(".claude/projects/p/s.jsonl"),
    seal("run.json"),
    seal("good.json"),
    ["tag", "good"],
    seal("brief.json"),
  ])
    expect(ctx(args, { cwd: folder })).toMatchObject({ status: 0 });
  expect(ctx(["fork", "latest", "my-draft", "--set", "metadata.by=me"], { cwd: folder })).toMatchObject({
    status: 0,
  });
  const path = [join(folder, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { PATH: path, HOME: folder };
  for (const args of [
    ["init", "-C", "elsewhere"],
    ["export", "latest", "-o", "run.ctx"],
    ["export", "good~1", "-o", "parent.ctx"],
    ["import", "../parent.ctx", "-C", "elsewhere"],
    ["remote", "add", "team", `oci://${registry}/team/runs`],
    ["remote", "add", "old", `oci://${registry}/old/runs`],
    ["push", "good", "team:good"],
  ])
    expect(ctx(args, { cwd: folder, env })).toMatchObject({ status: 0 });
  return { cwd: folder, env };
}

describe("the demo", () => {
  const demo = join(repository, "scripts/demo.mjs");

  it("the demo says first what it does, shows its commands without pauses, and leaves nothing behind", () => {
    const folder = tempFolder();
    const { status, stdout, stderr } = run(process.execPath, [demo], {
      cwd: folder,
      env: { TMPDIR: folder, CODEX_HOME: "/elsewhere" },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const shown = [...stdout.matchAll(/^\$ ctx (\w+)/gm)].map(([, name]) => name);
    expect(stdout.split("\n")[0]).toContain(`${shown.length} commands in 6 chapters`);
    expect(new Set(shown)).toEqual(
      new Set(["init", "pack", "log", "show", "diff", "replay", "verify", "fork", "status", "export"]),
    );
    expect(stdout).toMatch(/^6\/6 {2}/m);
    expect(stdout).toContain("pages.mjs  verified\n");
    expect(stdout).toContain("pages.mjs  modified\n");
    expect(stdout).not.toContain("\u001b");
    // The demo ends with the way to install ctx that README.md has.
    const readme = fs.readFileSync(join(repository, "README.md"), "utf8");
    const installs = [...stdout.matchAll(/^ {2}(npm .*)$/gm)].map(([, line]) => line);
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(readme).toContain(`\n${line}\n`);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  describeWith([needed("bwrap", "bubblewrap")], "the demo with a sandbox", () => {
    it("the demo replays a session exactly", () => {
      const { stdout } = run(process.execPath, [demo], { cwd: repository, env: {} });
      expect(stdout).toMatch(/^exact: /m);
    });
  });

  it("the demo says why it cannot run the tests of a session without a sandbox", () => {
    const bin = tempFolder();
    fs.symlinkSync(process.execPath, join(bin, "node"));
    const { status, stdout } = run(process.execPath, [demo], { cwd: repository, env: { PATH: bin } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^The tests cannot run on this machine: \S/m);
    expect(stdout).toMatch(/^degraded: /m);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("the demo stops at %s, and removes its folder", async (signal) => {
    const folder = tempFolder();
    const child = spawn(process.execPath, [demo], {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (output === "") child.kill(signal);
      output += text;
    });
    const [status] = (await once(child, "close")) as [number];
    expect(output).toContain("stopped; the folder of the demo is removed\n");
    expect(status).toBe(signal === "SIGINT" ? 130 : 143);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  describeWith([needed("script"), linux], "the demo on a terminal", () => {
    it.each([
      ["q", "q", 0, {}],
      ["Ctrl-C", "\u0003", 130, {}],
      ["q under NO_COLOR", "q", 0, { NO_COLOR: "1" }],
    ])("the demo waits for Enter, and %s stops it", async (_name, key, expected, colours) => {
      const folder = tempFolder();
      const command = `${process.execPath} ${demo}`;
      const { CI: _ci, NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        cwd: folder,
        env: { ...env, TMPDIR: folder, TERM: "xterm", ...colours },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let output = "";
      const keys = ["\r", key];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (/Enter to (?:begin|go on) \(q ends it\) \S*$/.test(output)) child.stdin.write(keys.shift() ?? "");
      });
      const [status] = (await once(child, "close")) as [number];
      expect(output).toContain("NO_COLOR" in colours ? "\n1/6 " : "\u001b[1m1/6 ");
      // oxlint-disable-next-line no-control-regex -- the escape sequences that select a style
      expect(/\u001b\[\d+m/.test(output)).toBe(!("NO_COLOR" in colours));
      expect(output).not.toContain("2/6 ");
      expect(output).toContain("stopped; the folder of the demo is removed");
      expect(status).toBe(expected);
      expect(fs.readdirSync(folder)).toEqual([]);
    });
  });

  it("the demo fails when a command fails", () => {
    const folder = tempFolder();
    for (const name of ["scripts", "dist", "tmp"]) fs.mkdirSync(join(folder, name));
    fs.cpSync(join(repository, "examples"), join(folder, "examples"), { recursive: true });
    for (const name of ["demo.mjs", "example-home.mjs"])
      fs.copyFileSync(join(repository, "scripts", name), join(folder, "scripts", name));
    fs.writeFileSync(join(folder, "dist/ctx.cjs"), "process.exitCode = 2;");
    const env = { TMPDIR: join(folder, "tmp") };
    const { status, stderr } = run(process.execPath, ["scripts/demo.mjs"], { cwd: folder, env });
    expect(stderr).toBe("the demo failed: ctx init ended with exit status 2\n");
    expect(status).toBe(1);
    expect(fs.readdirSync(join(folder, "tmp"))).toEqual([]);
  });
});
