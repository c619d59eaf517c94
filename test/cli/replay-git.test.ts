// `ctx replay --git` as a person meets it: which commit `auto` finds, how sure that is, and what a hostile
// repository can do to the git that reads it.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import { cli, type CliOptions, type CliResult } from "../../dev/cli.js";
import { lastingFolder, snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { GitHistory } from "../../dev/git-history.js";
import { describeWith, program } from "../../dev/needs.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";

const start = Date.parse("2026-02-10T10:00:00Z") / 1000;
const day = 86_400;

let folder: string;

beforeEach(() => {
  ({ folder } = tempStore());
});

function text(name: string, version: number): string {
  return `the first line of ${name}\nversion ${version} of it\nthe last line of ${name}\n`;
}

function ctx(argv: readonly string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
  return cli(argv, { folder, ...options });
}

async function replayed(...argv: string[]): Promise<ReplayReport> {
  const { stdout, stderr } = await ctx(["replay", "latest", "--json", ...argv]);
  expect(stderr).toBe("");
  return JSON.parse(stdout) as ReplayReport;
}

function at(minute: number): string {
  return new Date((start + minute * 60) * 1000).toISOString();
}

/** Seals a run that read these files, at the start and in a minute each. */
async function packed(
  seen: Record<string, string>,
  more: { steps?: AnyLog[]; git?: AnyLog; isOwnLog?: boolean; workdir?: string } = {},
): Promise<void> {
  const steps = [{ type: "message", output: "hello" }, ...(more.steps ?? [])];
  const log = smallLog({
    created: at(60),
    inputs: Object.entries(seen).map(([name, content]) => ({ name, content })),
    steps: steps.map((step, minute) => ({ ...step, timestamp: at(minute) })),
    metadata: {
      workdir: more.workdir ?? "/home/user/project",
      // In an imported log, a command that reads the home or another folder would not be executed at all.
      ...(more.isOwnLog === true ? {} : { source: { format: "claude-code" } }),
      git: { branch: "main", ...more.git },
    },
  });
  const { status, stderr } = await ctx(["pack", "-", "--no-sidecars"], { input: json(log) });
  expect(status, stderr).toBe(0);
}

function bash(command: string, output: string): AnyLog {
  return { type: "tool_call", tool: "Bash", parameters: { command }, output, metadata: { status: "ok" } };
}

/** Returns three commits of main, each with another version of `a.txt`, and of `b.txt` from the second on. */
function threeCommits(): string[] {
  const history = new GitHistory();
  const files = [
    { "a.txt": text("a", 1), "b.txt": text("b", 1), "c.txt": text("c", 1) },
    { "a.txt": text("a", 2), "b.txt": text("b", 2) },
    { "a.txt": text("a", 3) },
  ];
  const marks: number[] = [];
  for (const [at, changed] of files.entries())
    marks.push(
      history.commit({ parents: marks.slice(-1), files: changed, authored: start - (3 - at) * day }),
    );
  history.ref("refs/heads/main", marks[2] as number);
  const { ids } = history.write({ folder });
  return marks.map((mark) => ids.get(mark) as string);
}

describe("the commit that --git auto finds", () => {
  it("replay --git auto: a commit that alone holds all that was read, at the tip of the branch, is sure", async () => {
    const [, , third] = threeCommits();
    await packed({ "a.txt": text("a", 3), "b.txt": text("b", 2), "c.txt": text("c", 1) });
    expect((await replayed("--git", "auto")).tree).toEqual({ commit: third, how: "sure", holds: 3, of: 3 });
  });

  it("replay --git auto: parts that commands printed are witnesses, and the screen has the recorded commit", async () => {
    const [first = "", second = ""] = threeCommits();
    await packed(
      {},
      {
        steps: [
          bash("sed -n '1,2p' a.txt", text("a", 2).split("\n").slice(0, 2).join("\n")),
          bash("cat b.txt", text("b", 2)),
          bash("nl -ba c.txt | sed -n '2,3p'", "     2\tversion 1 of it\n     3\tthe last line of c"),
        ],
        git: { commit: first },
      },
    );
    const { tree } = await replayed("--git", "auto");
    expect(tree).toMatchObject({ commit: second, how: "likely", holds: 3, of: 3, recorded: { holds: 1 } });
    const { stdout } = await ctx(["replay", "latest", "--git", "auto"]);
    expect(stdout).toContain(
      `likely: ${second.slice(0, 12)} holds 3 of 3 (recorded ${first.slice(0, 10)} holds 1)`,
    );
  });

  it("replay --git auto: what was read after a change, or after a checkout, is no witness", async () => {
    const [, , third] = threeCommits();
    const edit = {
      type: "tool_call",
      tool: "Edit",
      parameters: { file_path: "/home/user/project/c.txt", old_string: "version 1", new_string: "version 7" },
      output: "ok",
      metadata: { status: "ok" },
    };
    await packed(
      { "a.txt": text("a", 3) },
      {
        steps: [
          edit,
          bash("cat c.txt", text("c", 7)),
          bash("git checkout other", ""),
          bash("cat b.txt", text("b", 9)),
        ],
      },
    );
    expect((await replayed("--git", "auto")).tree).toMatchObject({ commit: third, holds: 1, of: 1 });
  });

  it("replay --git auto: the parent of the run's own first commit is proved, and so is the HEAD that it printed", async () => {
    const [first = "", second = ""] = threeCommits();
    // The content is that of the third.
    const seen = { "a.txt": text("a", 3), "b.txt": text("b", 2), "c.txt": text("c", 1) };
    await packed(seen, { steps: [bash("git log --oneline -2", `${first.slice(0, 7)} Change 1`)] });
    expect((await replayed("--git", "auto")).tree).toMatchObject({
      commit: first,
      how: "proved",
      holds: 1,
      of: 3,
    });
    const own = execFileSync(
      "git",
      [
        "-C",
        folder,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit-tree",
        `${second}^{tree}`,
        "-p",
        second,
      ],
      {
        input: "Fix it\n",
        encoding: "utf8",
        env: {
          ...process.env,
          GIT_COMMITTER_DATE: `${start + 120} +0000`,
          GIT_AUTHOR_DATE: `${start + 120} +0000`,
        },
      },
    ).trim();
    const commit = bash(
      "git add . && git commit -m 'Fix it'",
      `[main ${own.slice(0, 7)}] Fix it\n 1 file changed`,
    );
    await packed(seen, { steps: [commit] });
    expect((await replayed("--git", "auto")).tree).toMatchObject({ commit: second, how: "proved" });
    // HEAD may have moved before, or the commit is of another subject: then content decides.
    for (const steps of [
      [bash("git pull", "Updating"), commit],
      [bash("git commit -m 'Fix it'", `[main ${own.slice(0, 7)}] Another`)],
      [bash("cd ../other && git log --oneline -2", `${first.slice(0, 7)} Change 1`)],
    ]) {
      await packed(seen, { steps });
      expect((await replayed("--git", "auto")).tree?.how).not.toBe("proved");
    }
  });

  it("replay --git auto: a guess is not taken unseen", async () => {
    threeCommits();
    await packed({ "a.txt": "of no commit at all\n", "b.txt": "nor this one\n", "c.txt": text("c", 1) });
    const refused = await ctx(["replay", "latest", "--git", "auto"]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(/only a guess: [0-9a-f]{12} holds 1 of 3/);
    expect(refused.stderr).toMatch(/--git [0-9a-f]{12}/);
    expect((await ctx(["replay", "latest", "--git", "auto"], { answers: ["n"] })).status).toBe(2);
    expect((await ctx(["replay", "latest", "--git", "auto"], { answers: ["y"] })).stdout).toContain("guess");
    expect((await replayed("--git", "auto", "--yes")).tree?.how).toBe("guess");
    expect((await ctx(["replay", "latest", "--yes"])).status).toBe(2);
  });
});

/** Returns a repository in which a session takes place, and a store beside it that has a clone of it. */
function project(): { checkout: string; run: (command: string) => AnyLog } {
  const checkout = tempFolder();
  const history = new GitHistory();
  const [first, second] = [0, 1].map((at) =>
    history.commit({
      parents: at === 0 ? [] : [1],
      files: { "a.txt": text("a", at), ".gitignore": "out\n", "src/b.txt": text("b", 0) },
      authored: start - (2 - at) * day,
    }),
  ) as [number, number];
  history.ref("refs/heads/main", second);
  history.ref("refs/heads/fix", first);
  history.ref("refs/remotes/origin/main", second);
  history.write({ folder: checkout, head: "fix" });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8" });
  git("reset", "-q", "--hard");
  let minute = 0;
  const date = (): string => `${start + ++minute * 60} +0100`;
  return {
    checkout,
    run: (command) => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: tempFolder() };
      const at = date();
      const who = { NAME: "Ana Example", EMAIL: "ana@example.com", DATE: at };
      const roles = Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]);
      const script = ["-c", `${command} 2>&1`];
      const output = execFileSync("bash", script, {
        cwd: checkout,
        env: { ...env, ...(Object.fromEntries(roles) as Record<string, string>) },
        encoding: "utf8",
      });
      return bash(command, output);
    },
  };
}

describeWith([program("bwrap")], "the repository in the workspace", () => {
  it("replay --git: git in the workspace answers as it did, and a commit has the recorded id", async () => {
    const { checkout, run } = project();
    const steps = [
      "git status --short --branch",
      "git log --oneline --decorate",
      "git branch -a",
      "git rev-parse --abbrev-ref HEAD",
      "sed -i s/version/Version/ a.txt; touch out new.txt; git status --porcelain; git diff --stat",
      "git add -A && git commit -m 'Fix the version'",
      "git log -1 --format='%H %an %ae %ad'",
      "git show --stat HEAD~1 --format=%h",
      "git fsck --no-dangling; git stash list; git ls-files",
    ].map(run);
    execFileSync("git", ["clone", "-q", "--bare", checkout, join(folder, ".git")]);
    const git = (...args: string[]): string =>
      execFileSync("git", [`--git-dir=${join(folder, ".git")}`, ...args], { encoding: "utf8" }).trim();
    // As a clone of the user's has it, some days later.
    git("config", "core.bare", "false");
    const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    const later = git(...who, "commit-tree", "-m", "later", "-p", "main", "fix^{tree}");
    git("update-ref", "refs/remotes/origin/main", later);
    git("update-ref", "refs/heads/main", later);
    await packed({}, { steps, git: { branch: "fix" } });
    const before = snapshot(join(folder, ".git"));
    const report = await replayed("--git", "auto", "--allow", "exec");
    expect(report.tree?.how).toBe("proved");
    expect(report.notices).toEqual([]);
    const calls = report.steps.filter(({ tool }) => tool === "Bash");
    expect(calls.map(({ status, diff }) => ({ status, diff }))).toEqual(
      calls.map(() => ({ status: "matched", diff: undefined })),
    );
    expect(snapshot(join(folder, ".git"))).toEqual(before);
  });

  it("replay: files from outside the run's folder are at their recorded paths, read-only, and not in the workspace", async () => {
    threeCommits();
    const outside = {
      ".outside/home/user/notes.md": "notes\n",
      ".outside/etc/passwd": "evil\n",
      ".outside/tmp/x": "x\n",
    };
    await packed(
      { ...outside, ".outside/home/user/both": "1\n", ".outside/home/user/both/under": "2\n" },
      {
        isOwnLog: true,
        steps: [
          bash("git status --porcelain", ""),
          bash("cat /home/user/notes.md", "notes\n"),
          bash("ls -A /home/user", "notes.md\nproject\n"),
          { ...bash("", ""), tool: "Glob", parameters: { pattern: "**/*.md" }, output: "" },
          bash("echo x 2>/dev/null >> /home/user/notes.md || echo refused", "refused\n"),
          bash("rm -f /home/user/notes.md 2>/dev/null || echo refused", "refused\n"),
          bash("mv /home/user /home/moved 2>/dev/null || echo refused", "refused\n"),
          bash("grep -c evil /etc/passwd; ls /tmp/x 2>/dev/null; true", "0\n"),
          {
            ...bash("", ""),
            tool: "Read",
            parameters: { file_path: "/home/user/notes.md" },
            output: "notes\n",
          },
        ],
      },
    );
    const report = await replayed("--git", "main", "--allow", "exec");
    const calls = report.steps.filter(({ tool }) => tool !== undefined);
    expect(calls.map(({ status, message, diff }) => ({ status, message, diff }))).toEqual(
      calls.map(() => ({ status: "matched", message: undefined, diff: undefined })),
    );
  });

  it("replay --git: nothing of the user's settings, hooks, stashes and other branches is in the workspace", async () => {
    threeCommits();
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
    git("config", "user.email", "private@example.com");
    git("config", "http.extraHeader", "Authorization: token");
    git("branch", "private-branch", "main~1");
    git("update-ref", "refs/stash", "main");
    fs.writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    fs.writeFileSync(join(folder, ".git/info/exclude"), "private-name\n");
    await packed({}, { git: { branch: "main", remote: "https://user:secret@example.com/x/y.git" } });
    const report = await replayed("--git", "main", "--keep");
    const kept = report.workspace.kept as string;
    const files = [...snapshot(join(kept, ".git")).entries()];
    const all = files
      .map(([path, content]) => `${path} ${Buffer.from(content.split(" ")[1] ?? "", "hex").toString()}`)
      .join("\n");
    expect(all).not.toMatch(/private|Authorization|refs\/stash|hooks|secret/);
    expect(all).toContain('url = "https://example.com/x/y.git"');
    expect(all).toContain("ref: refs/heads/main");
    fs.rmSync(join(kept, ".."), { recursive: true, force: true });
  });

  it("replay --git: history goes back 200 commits, and a branch that git refuses leaves HEAD detached", async () => {
    const history = new GitHistory();
    const marks: number[] = [];
    for (let at = 0; at < 250; at++)
      marks.push(
        history.commit({
          parents: marks.slice(-1),
          files: { "a.txt": text("a", at) },
          authored: start - day + at,
        }),
      );
    history.ref("refs/heads/main", marks.at(-1) as number);
    const { ids } = history.write({ folder });
    const steps = [
      bash("git log --oneline | wc -l", "200\n"),
      bash("git rev-parse --abbrev-ref HEAD", "HEAD\n"),
    ];
    await packed({}, { steps, git: { branch: "../../evil" } });
    const report = await replayed("--git", ids.get(marks.at(-1) as number) as string, "--allow", "exec");
    expect(report.steps.slice(1).map(({ status }) => status)).toEqual(["matched", "matched"]);
  });
});

/**
 * Returns a checkout with dependencies, and a token in every folder above them. Readable by the user nobody.
 */
function checkoutWithDependencies(): { checkout: string; tokens: string[] } {
  const top = lastingFolder();
  const checkout = join(top, "code/project");
  fs.mkdirSync(join(checkout, "node_modules/left/.bin"), { recursive: true });
  fs.mkdirSync(join(checkout, "packages/inner/node_modules"), { recursive: true });
  fs.writeFileSync(join(checkout, "node_modules/left/index.js"), "module.exports = 'from left';\n");
  const tokens = [top, join(top, "code"), checkout].map((folder) => join(folder, ".env"));
  for (const path of tokens) fs.writeFileSync(path, "TOKEN=do-not-read\n");
  return { checkout, tokens };
}

describeWith([program("bwrap")], "the dependencies of a checkout", () => {
  it("replay --deps: programs read them, cannot change them between steps, and read nothing above them", async () => {
    const { checkout, tokens } = checkoutWithDependencies();
    const before = snapshot(checkout);
    const attempts = [
      "mv node_modules moved",
      "rm -rf node_modules",
      "rmdir node_modules",
      "ln -sfn /etc node_modules",
      "mkdir fake && mv -T fake node_modules",
      "echo x > node_modules/left/index.js",
      "mount -t tmpfs none node_modules",
      ...tokens.map((path) => `cat ${path}`),
      `ls ${checkout}`,
      "cat node_modules/../../.env",
      "cat packages/inner/node_modules/x",
    ];
    const path = "/home/user/project/node_modules/left/index.js";
    const tool = (name: string, parameters: AnyLog): AnyLog => ({ ...bash("", ""), tool: name, parameters });
    const refused = [
      tool("Read", { file_path: path }),
      tool("Write", { file_path: path, content: "x" }),
      tool("Read", { file_path: "/home/user/project/l/left/index.js" }),
      tool("delete_file", { path: "node_modules" }),
      tool("move_file", { source: "node_modules", destination: "other" }),
      tool("move_file", { source: "p.json", destination: "node_modules" }),
    ];
    const works = bash("node -p 'require(\"left\")'", "from left\n");
    await packed(
      { "p.json": "{}\n" },
      {
        isOwnLog: true,
        steps: [
          works,
          bash("ln -s node_modules l", ""),
          ...attempts.map((line) =>
            bash(`(${line}) > /dev/null 2>&1 && echo done || echo refused`, "refused\n"),
          ),
          ...refused,
          works,
        ],
      },
    );
    const report = await replayed("--deps", checkout, "--allow", "exec");
    const calls = report.steps.filter(({ tool: name }) => name !== undefined);
    const builtin = calls.slice(-1 - refused.length, -1);
    expect(builtin.map(({ reason }) => reason)).toEqual(refused.map(() => "outside"));
    const others = calls.filter((step) => !builtin.includes(step));
    expect(others.map(({ index, status, diff }) => ({ index, status, diff }))).toEqual(
      others.map(({ index }) => ({ index, status: "matched", diff: undefined })),
    );
    expect(report.notices).toEqual([`dependencies of ${checkout}, read-only: node_modules`]);
    expect(snapshot(checkout)).toEqual(before);
  });

  it("replay --deps: a link in place of a dependency folder, or a folder of the run's own, is not bound", async () => {
    const { checkout } = checkoutWithDependencies();
    fs.symlinkSync("/etc", join(checkout, "vendor"));
    fs.mkdirSync(join(checkout, "dist"));
    await packed(
      { "dist/own.js": "own\n" },
      {
        steps: [
          bash("ls dist vendor 2>&1 | head -1", "ls: cannot access 'vendor': No such file or directory\n"),
          bash("cat dist/own.js", "own\n"),
        ],
      },
    );
    const report = await replayed("--deps", checkout, "--allow", "exec");
    expect(report.steps.slice(1).map(({ status, diff }) => ({ status, diff }))).toEqual([
      { status: "matched", diff: undefined },
      { status: "matched", diff: undefined },
    ]);
    expect(report.notices.join()).toContain("dist of the checkout is left out");
    expect((await ctx(["replay", "latest", "--deps", join(checkout, "packages")])).stderr).toContain(
      "no dependencies",
    );
  });

  it.each([
    ["without a remote", []],
    ["of another remote", ["https://example.com/my/private"]],
  ])("replay --auto: a pack that names a repository %s as its folder does not get it", async (_, remotes) => {
    const mine = lastingFolder();
    const history = new GitHistory();
    history.ref(
      "refs/heads/main",
      history.commit({ files: { "a.txt": text("a", 1) }, authored: start - day }),
    );
    history.write({ folder: mine });
    for (const url of remotes) execFileSync("git", ["-C", mine, "remote", "add", "origin", url]);
    for (const git of [{}, { remote: "https://example.com/x/y" }]) {
      await packed({}, { steps: [bash("cat a.txt", "")], git, workdir: mine });
      const { status, stdout, stderr } = await ctx(["replay", "latest", "--auto", "--allow", "exec"]);
      expect(status).toBe(2);
      // The title of the run, and no step.
      expect(stdout).toMatch(/^ctx:\/\/[0-9a-f]{12} {2}Bash cat a\.txt\n$/);
      expect(stderr).toContain("the repository of this run was not found on this machine");
    }
  });

  it("replay --auto: finds the repository its commit and its dependencies", async () => {
    const { checkout } = checkoutWithDependencies();
    const history = new GitHistory();
    const mark = history.commit({
      files: { "a.txt": text("a", 1), ".gitignore": "node_modules\n" },
      authored: start - day,
    });
    history.ref("refs/heads/main", mark);
    history.write({ folder: checkout });
    execFileSync("git", ["-C", checkout, "remote", "add", "origin", "git@example.com:x/y.git"]);
    const steps = [bash("node -p 'require(\"left\")'; git status --porcelain", "from left\n")];
    await packed({ "a.txt": text("a", 1) }, { steps, git: { remote: "https://example.com/x/y" } });
    const none = await ctx(["replay", "latest", "--auto"]);
    expect(none.status).toBe(2);
    expect(none.stderr).toContain(
      "hint: name a checkout of example.com/x/y with --repo <folder>, or go on without: ctx replay latest\n",
    );
    const found = await replayed("--auto", "--allow", "exec", "--repo", checkout);
    expect(found.tree).toMatchObject({ how: "likely", holds: 1, of: 1 });
    expect(found.steps[1]).toMatchObject({ status: "matched" });
    // One question, which names the dependencies; with --yes there is none, so that --allow has to say what
    // may run.
    const answered = await ctx(["replay", "latest", "--auto", "--repo", checkout], { answers: ["y"] });
    expect(answered.stderr).toContain("They can read the dependencies");
    expect(answered.stdout).toContain("matched");
    expect((await ctx(["replay", "latest", "--auto", "--yes"])).stderr).toContain("--allow");
    // A checkout of another remote is not taken, whatever the recorded folder is.
    fs.renameSync(join(checkout, ".git"), join(folder, ".git"));
    expect((await replayed("--auto")).notices).toContain(`the repository is ${folder}`);
    execFileSync("git", ["-C", folder, "remote", "set-url", "origin", "https://example.com/other"]);
    expect((await ctx(["replay", "latest", "--auto"])).stderr).toContain(
      "the repository of this run was not found on this machine",
    );
  });
});

describeWith([program("bwrap")], "toolchains of version managers", () => {
  it("replay: a command runs what a version manager installed, and reads nothing in the folders above", async () => {
    const home = lastingFolder();
    const installs = [
      ".local/share/mise/installs/tool/1.0",
      ".asdf/installs/other/2.0",
      ".local/share/fnm/node-versions/v20",
      ".local/share/uv/python/cpython-3.12",
      ".local/share/pnpm/nodejs/22.1.0",
    ];
    const tokens: string[] = [];
    for (const [at, name] of installs.entries()) {
      fs.mkdirSync(join(home, name, "bin"), { recursive: true });
      fs.writeFileSync(join(home, name, `bin/tool${at}`), `#!/bin/sh\necho tool ${at}\n`, { mode: 0o755 });
      for (let above = join(home, name, ".."); above.length >= home.length; above = join(above, ".."))
        tokens.push(join(above, "token"));
    }
    for (const path of tokens) fs.writeFileSync(path, "TOKEN\n");
    const PATH = [...installs.map((name) => join(home, name, "bin")), process.env["PATH"]].join(":");
    await packed(
      {},
      {
        isOwnLog: true,
        steps: [
          bash("tool0; tool1; tool2; tool3; tool4", "tool 0\ntool 1\ntool 2\ntool 3\ntool 4\n"),
          bash(`cat ${[...new Set(tokens)].join(" ")} 2>/dev/null; true`, ""),
        ],
      },
    );
    const { stdout } = await ctx(["replay", "latest", "--allow", "exec", "--json"], {
      env: { PATH, HOME: home },
    });
    const { steps } = JSON.parse(stdout) as ReplayReport;
    expect(steps.slice(1).map(({ status, diff }) => ({ status, diff }))).toEqual([
      { status: "matched", diff: undefined },
      { status: "matched", diff: undefined },
    ]);
  });
});

/** A home with programs in folders that also hold tokens. */
function homeWithPrograms(): { home: string; PATH: string } {
  const home = lastingFolder();
  const write = (name: string, text: string, mode = 0o755): void => {
    fs.mkdirSync(join(home, name, ".."), { recursive: true });
    fs.writeFileSync(join(home, name), text, { mode });
    fs.chmodSync(join(home, name), mode);
  };
  write("go/bin/solo", "#!/bin/sh\necho solo; ls -A $(dirname $0) | tr '\\n' ' '\n");
  write("go/bin/unnamed", "#!/bin/sh\necho unnamed\n");
  write("go/bin/notes", "TOKEN\n");
  write("go/bin/shared", "#!/bin/sh\necho shared\n", 0o777);
  write(".asdf/shims/shim", "#!/bin/sh\nexec asdf exec shim\n");
  write("lib/linked.sh", "#!/bin/sh\necho linked\n");
  fs.symlinkSync("../../lib/linked.sh", join(home, "go/bin/linked"));
  write("miniconda3/bin/conda-tool", "#!/bin/sh\ncat $(dirname $0)/../lib/text\n");
  write("miniconda3/lib/text", "from lib\n");
  for (const name of ["token", "go/token", "go/bin/token", "lib/token", "miniconda3/token"])
    write(name, "TOKEN\n", 0o644);
  const bins = ["go/bin", ".asdf/shims", "miniconda3/bin"].map((name) => join(home, name));
  return { home, PATH: [...bins, process.env["PATH"]].join(":") };
}

async function statuses(env: Record<string, string>, ...argv: string[]): Promise<unknown[]> {
  const options = ["--allow", "exec", "--json", "--workspace", tempFolder()];
  const { stdout } = await ctx(["replay", "latest", ...options, ...argv], { env });
  const { steps } = JSON.parse(stdout) as ReplayReport;
  return steps.slice(1).map(({ status, reason, diff }) => reason ?? diff ?? status);
}

describeWith([program("bwrap")], "single programs of the user's PATH", () => {
  const lines: readonly [string, string][] = [
    ["solo", "solo\nlinked solo "],
    ["linked", "linked\n"],
    ["conda-tool", "from lib\n"],
    ["u=unnamed; $u", ""],
    ["notes", ""],
    ["shared", ""],
    ["shim", ""],
  ];

  it("replay: a command runs a single program that it names, and sees nothing beside it", async () => {
    const { home, PATH } = homeWithPrograms();
    const tokens = ["token", "go/token", "go/bin/token", "go/bin/notes", "lib/token", "miniconda3/token"];
    const reads = `cat ${tokens.map((name) => join(home, name)).join(" ")} 2>/dev/null; true`;
    await packed({}, { steps: [...lines.map(([line, output]) => bash(line, output)), bash(reads, "")] });
    expect(await statuses({ PATH, HOME: home })).toEqual([
      "matched",
      "matched",
      "matched",
      // What the scanner cannot read is not shown, and neither is what is no program, what others may change, and
      // what would only start something else.
      "no_program",
      "no_program",
      "no_program",
      "no_program",
      "recorded",
    ]);
    expect(await statuses({ PATH, HOME: home }, "--tools", "solo,unnamed")).toEqual([
      "@@ -1,2 +1,2 @@\n solo\n-linked solo \n\\ No newline at end of file\n+solo unnamed \n\\ No newline at end of file\n",
      "no_program",
      "no_program",
      "@@ -0,0 +1 @@\n+unnamed\n",
      "no_program",
      "no_program",
      "no_program",
      "recorded",
    ]);
    expect((await statuses({ PATH, HOME: home }, "--tools", "")).slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => "no_program"),
    );
  });

  it("replay: --tools refuses what the sandbox cannot show, and the question names what commands could read", async () => {
    const { home, PATH } = homeWithPrograms();
    const env = { PATH, HOME: home };
    await packed({}, { steps: [bash("solo", "")] });
    for (const name of ["gone", "notes", "shared", "shim", "../token", "token"])
      expect((await ctx(["replay", "latest", "--allow", "exec", "--tools", name], { env })).stderr).toContain(
        "on your PATH that the sandbox can show",
      );
    const asked = await ctx(["replay", "latest"], { env, answers: ["n"] });
    expect(asked.stderr).toContain(
      `They can read these of your programs: ${["miniconda3/bin", "miniconda3/lib", "go/bin/solo"].map((name) => join(home, name)).join(", ")}.`,
    );
  });
});

describeWith([program("bwrap")], "what commands with the network can read", () => {
  it("replay --allow net: no single program and no dependency that is not named", async () => {
    const { home, PATH } = homeWithPrograms();
    const { checkout } = checkoutWithDependencies();
    const history = new GitHistory();
    const mark = history.commit({ files: { "a.txt": text("a", 1) }, authored: start - day });
    history.ref("refs/heads/main", mark);
    history.write({ folder: checkout });
    await packed(
      { "a.txt": text("a", 1) },
      { steps: [bash("linked", "linked\n"), bash("ls node_modules", "left\n")] },
    );
    const run = async (...argv: string[]): Promise<ReplayReport> => {
      const options = ["--allow", "exec,net", "--repo", checkout, "--json"];
      const env = { PATH, HOME: home };
      return JSON.parse(
        (await ctx(["replay", "latest", ...options, ...argv], { env })).stdout,
      ) as ReplayReport;
    };
    const unnamed = await run("--auto");
    expect(unnamed.steps.slice(1).map(({ reason }) => reason)).toEqual(["no_program", "no_dependency"]);
    expect(unnamed.notices.join()).toContain("--deps shows them");
    const named = await run("--auto", "--deps", checkout, "--tools", "linked");
    expect(named.steps.slice(1).map(({ status }) => status)).toEqual(["matched", "matched"]);
  });
});

describeWith([program("bwrap")], "caches of packages", () => {
  it("replay --deps: commands find the packages that go and cargo have cached, and no token beside them", async () => {
    const { checkout } = checkoutWithDependencies();
    const home = lastingFolder();
    for (const name of ["go.mod", "Cargo.toml"]) fs.writeFileSync(join(checkout, name), "");
    const cached = ["go/pkg/mod/a.go", ".cargo/registry/src/b.rs"];
    const tokens = [
      "go/pkg/token",
      "go/token",
      ".cargo/credentials.toml",
      ".cargo/registry/token",
      ".m2/settings.xml",
    ];
    for (const name of [...cached, ...tokens, ".m2/repository/c.jar"]) {
      fs.mkdirSync(join(home, name, ".."), { recursive: true });
      fs.writeFileSync(join(home, name), `${name}\n`);
    }
    // A link could lead anywhere.
    fs.symlinkSync(join(home, "go"), join(home, ".cargo/registry/cache"));
    const steps = [
      bash("cat $GOMODCACHE/a.go $CARGO_HOME/registry/src/b.rs", cached.map((name) => `${name}\n`).join("")),
      bash("echo $GOPROXY $CARGO_NET_OFFLINE $MAVEN_ARGS", "off true\n"),
      bash(
        `cat ${[...tokens, ".m2/repository/c.jar", ".cargo/registry/cache/token"].map((name) => join(home, name)).join(" ")} 2>/dev/null; true`,
        "",
      ),
      bash("(echo x > $GOMODCACHE/a.go) 2>/dev/null || echo refused", "refused\n"),
    ];
    await packed({}, { isOwnLog: true, steps });
    const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
    const run = async (...argv: string[]): Promise<ReplayReport> =>
      JSON.parse(
        (await ctx(["replay", "latest", "--json", "--allow", "exec", ...argv], { env })).stdout,
      ) as ReplayReport;
    const found = await run("--deps", checkout);
    expect(found.steps.slice(1).map(({ status, diff }) => diff ?? status)).toEqual(
      steps.map(() => "matched"),
    );
    expect(found.notices).toEqual([
      `dependencies of ${checkout}, read-only: node_modules, ${join(home, "go/pkg/mod")}, ${join(home, ".cargo/registry/src")}`,
    ]);
    expect((await run()).steps[1]).toMatchObject({ status: "diverged" });
  });
});

/** A repository of the user's, with a commit that nothing else has. */
function privateRepository(): { mine: string; secret: string } {
  const mine = lastingFolder();
  const history = new GitHistory();
  history.ref(
    "refs/heads/main",
    history.commit({ files: { "secret.txt": "SECRET\n" }, authored: start - day }),
  );
  history.write({ folder: mine });
  return {
    mine,
    secret: execFileSync("git", ["-C", mine, "rev-parse", "main"], { encoding: "utf8" }).trim(),
  };
}

/** A path in the repository around the store. */
function own(...names: string[]): string {
  return join(folder, ".git", ...names);
}
function git(...args: string[]): void {
  gitIn(folder, args);
}

function gitIn(at: string, args: string[], input = ""): string {
  const allowed = ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b"];
  return execFileSync("git", ["-C", at, ...allowed, ...args], {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  }).trim();
}

describe("a hostile repository", () => {
  it.each<[string, (mine: string, secret: string) => void]>([
    ["a file in place of .git", (mine) => fs.writeFileSync(own(), `gitdir: ${mine}/.git\n`)],
    ["a link in place of .git", (mine) => fs.symlinkSync(join(mine, ".git"), own())],
    [
      "a .git of which a part is another's",
      (mine) => {
        git("init", "-q");
        fs.writeFileSync(own("commondir"), `${mine}/.git\n`);
      },
    ],
    [
      "borrowed objects",
      (mine) => {
        git("init", "-q");
        fs.writeFileSync(own("objects/info/alternates"), `${mine}/.git/objects\n`);
      },
    ],
    [
      "objects that are borrowed twice",
      (mine) => {
        git("init", "-q");
        fs.mkdirSync(join(folder, "between/info"), { recursive: true });
        fs.writeFileSync(own("objects/info/alternates"), "../../between\n");
        fs.writeFileSync(join(folder, "between/info/alternates"), `${mine}/.git/objects\n`);
      },
    ],
    [
      "borrowed objects whose folder is in quotes",
      (mine) => {
        git("init", "-q");
        fs.writeFileSync(own("objects/info/alternates"), `"${mine}/.git/objects"\n`);
      },
    ],
    [
      "borrowed objects behind many folders of its own",
      (mine) => {
        git("init", "-q");
        const others = Array.from({ length: 30 }, (_, at) => own(`own-${at}`));
        for (const folder of others) fs.mkdirSync(folder);
        const lines = [...others, `${mine}/.git/objects`].map((folder) => `${folder}\n`);
        fs.writeFileSync(own("objects/info/alternates"), lines.join(""));
      },
    ],
    [
      "a link in place of a folder of objects",
      (mine, secret) => {
        git("init", "-q");
        for (const name of new Set([secret.slice(0, 2), "pack"])) {
          fs.rmSync(own("objects", name), { recursive: true, force: true });
          fs.symlinkSync(join(mine, ".git/objects", name), own("objects", name));
        }
      },
    ],
    [
      "settings that call it bare",
      (mine) => {
        git("init", "-q");
        fs.writeFileSync(own("objects/info/alternates"), `${mine}/.git/objects\n`);
        git("config", "core.bare", "true");
      },
    ],
  ])(
    "replay --git: %s does not open another repository of the user's, unless they name it",
    async (_, make) => {
      const { mine, secret } = privateRepository();
      const before = snapshot(mine);
      make(mine, secret);
      await packed({}, { steps: [bash("cat secret.txt", "")], git: { commit: secret } });
      for (const argv of [["--git", secret], ["--git", "auto", "--yes"], ["--git", "main"], ["--auto"]]) {
        const { status, stdout, stderr } = await ctx(["replay", "latest", ...argv, "--allow", "exec"]);
        expect(status).toBe(2);
        expect(stdout + stderr).not.toContain("SECRET");
        expect(stderr).toMatch(
          /has objects in another folder|git cannot find|the repository of this run was/,
        );
      }
      expect(snapshot(mine)).toEqual(before);
    },
  );

  it("replay --git: a linked worktree and a submodule are read, and borrowed objects of a repository that is named", async () => {
    const { mine, secret } = privateRepository();
    const [worktree, above, shared] = [tempFolder(), tempFolder(), tempFolder()];
    gitIn(mine, ["worktree", "add", "--detach", join(worktree, "w"), "main"]);
    gitIn(above, ["init", "-q"]);
    gitIn(above, ["submodule", "add", mine, "sub"]);
    gitIn(shared, ["clone", "-qs", mine, "clone"]);
    const log = json(smallLog({ created: at(60), steps: [{ type: "message", output: "x" }] }));
    for (const [place, argv] of [
      [join(worktree, "w"), []],
      [join(above, "sub"), []],
      [join(shared, "clone"), ["--repo", join(shared, "clone")]],
    ] as const) {
      expect((await cli(["init"], { folder: place })).status).toBe(0);
      await cli(["pack", "-"], { folder: place, input: log });
      const { stderr } = await cli(["replay", "latest", "--git", secret, ...argv], { folder: place });
      expect(stderr).toBe("");
    }
    const unnamed = await cli(["replay", "latest", "--git", secret], { folder: join(shared, "clone") });
    expect(unnamed.stderr).toContain(`--repo ${join(shared, "clone")}`);
  });

  it("replay --git: a commit whose files have no room is refused before any is written", async () => {
    // One blob of 64 MiB, in folders of folders: a hundred thousand files.
    git("init", "-q");
    const names = Array.from({ length: 10 }, (_, index) => index);
    let entry = `100644 blob ${gitIn(folder, ["hash-object", "-w", "--stdin"], "x".repeat(1 << 26))}`;
    for (let level = 0; level < 5; level++)
      entry = `040000 tree ${gitIn(folder, ["mktree"], names.map((name) => `${entry}\t${name}\n`).join(""))}`;
    const commit = gitIn(folder, ["commit-tree", "-m", "bomb", entry.split(" ")[2] ?? ""]);
    await packed({}, {});
    const { status, stderr } = await ctx(["replay", "latest", "--git", commit]);
    expect(status).toBe(2);
    expect(stderr).toContain("half of what is free in the temporary folder");
  });

  it("replay --git auto: starts no program that the repository names, and fetches nothing", async () => {
    const [, , third = ""] = threeCommits();
    await packed({ "a.txt": text("a", 3), "b.txt": text("b", 2), "c.txt": text("c", 1) });
    const trap = tempFolder();
    const program = join(trap, "run.sh");
    fs.writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${trap}/ran\n`, { mode: 0o755 });
    const set = (name: string, value: string): void =>
      void execFileSync("git", ["-C", folder, "config", name, value]);
    for (const name of ["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass"])
      set(name, program);
    for (const name of [
      "gpg.program",
      "diff.external",
      "filter.x.smudge",
      "filter.x.clean",
      "filter.x.process",
    ])
      set(name, program);
    set("log.showSignature", "true");
    set("uploadpack.packObjectsHook", program);
    set("core.alternateRefsCommand", program);
    set("diff.x.textconv", program);
    // A partial clone, whose remote is a program, and an object that is missing.
    set("core.repositoryFormatVersion", "1");
    set("extensions.partialClone", "evil");
    set("remote.evil.promisor", "true");
    set("remote.evil.url", `ext::${program}`);
    set("remote.evil.uploadpack", program);
    set("protocol.allow", "always");
    fs.mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"])
      fs.copyFileSync(program, join(folder, ".git/hooks", hook));
    fs.mkdirSync(join(folder, ".git/info"), { recursive: true });
    fs.writeFileSync(join(folder, ".git/info/attributes"), "* filter=x diff=x\n");
    fs.writeFileSync(join(folder, ".git/info/grafts"), `${third}\n`);
    fs.writeFileSync(join(folder, ".git/refs/heads/missing"), `${"12".repeat(20)}\n`);
    for (const argv of [["auto"], ["main"], ["missing"], ["12".repeat(20)]])
      await ctx(["replay", "latest", "--git", ...argv]);
    expect((await replayed("--git", "auto", "--yes")).tree?.commit).toBe(third);
    expect(fs.existsSync(join(trap, "ran")) ? fs.readFileSync(join(trap, "ran"), "utf8") : "").toBe("");
  });
});
