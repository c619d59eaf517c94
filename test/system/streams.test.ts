// What only a real process shows: closed pipes, full devices, terminals, standard input, and that nothing
// leaves the machine.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ctx, line, program, repository, run, starter, words } from "../../dev/built.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { describeWith, itWith, only, onNode, program as needsProgram, root } from "../../dev/needs.js";
import { runCtx } from "../../dev/processes.js";

function shell(script: string, cwd: string): { status: number | null; stdout: string; stderr: string } {
  return run("/bin/bash", ["-c", `set -o pipefail; ctx() { ${line} "$@"; }; ${script}`], { cwd });
}

const fullDevice = only("/dev/full", fs.existsSync("/dev/full"));

describe("streams", () => {
  it("a closed pipe fails no command", () => {
    const { folder } = tempStore();
    const steps = Array.from({ length: 3000 }, (_, index) => ({ type: "x", output: `output ${index}` }));
    ctx(["pack", "-"], { cwd: folder, input: json(smallLog({ steps })) });
    const { status, stdout, stderr } = shell("ctx show latest | head -n 1", folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^ctx:/);
  });

  it("a closed pipe does not keep `export` from writing its file", async () => {
    const { folder } = tempStore();
    ctx(["pack", "-"], { cwd: folder, input: json(runLog()) });
    const { status, stderr } = await runCtx(folder, ["export", "latest", "-o", "run.ctx"], { deaf: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(ctx(["verify", "run.ctx"], { cwd: folder }).status).toBe(0);
  });

  itWith([fullDevice], "a full device fails `pack`, whose pack is complete", () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(runLog()));
    const { status, stderr } = shell("ctx pack log > /dev/full", folder);
    expect(status).toBe(2);
    expect(stderr).toContain("ENOSPC");
    expect(stderr).not.toContain("    at ");
    // The pack that was sealed before the report failed is whole.
    expect(ctx(["log", "--json"], { cwd: folder }).stdout).toContain('"damaged":false');
  });

  itWith([fullDevice], "a full device fails `export -o -`", () => {
    const { folder } = tempStore();
    ctx(["pack", "-"], { cwd: folder, input: json(runLog()) });
    const { status, stderr } = shell("ctx export latest -o - > /dev/full", folder);
    expect(status).toBe(2);
    expect(stderr).toContain("standard output");
    expect(stderr).toContain("(ENOSPC)");
  });

  it("a closed pipe does not keep `pack` from the other logs", async () => {
    const { folder } = tempStore();
    const logs = ["a", "b", "c"];
    for (const name of logs) fs.writeFileSync(join(folder, name), json(smallLog({ system_prompt: name })));
    fs.writeFileSync(join(folder, "bad"), "{");
    expect(await runCtx(folder, ["pack", ...logs], { deaf: true })).toMatchObject({ status: 0, stderr: "" });
    expect(ctx(["log", "--json"], { cwd: folder }).stdout.trim().split("\n")).toHaveLength(3);
    expect(await runCtx(folder, ["pack", "a", "bad", "b"], { deaf: true })).toMatchObject({ status: 2 });
  });

  it("--version ends with 2 on a full device, and with 0 on a closed pipe", () => {
    const folder = tempFolder();
    const { status, stderr } = shell("ctx --version > /dev/full", folder);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(
        /^error: cannot write to standard output: .*\(ENOSPC\)\n(?:hint: .*\n)?$/,
      ),
    });
    expect(shell("{ sleep 0.5; ctx --version; } | true", folder)).toMatchObject({ status: 0, stderr: "" });
  });

  it("a log can be packed from a pipe, a FIFO and a process substitution", () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(smallLog()));
    const uri = ctx(["pack", "log"], { cwd: folder }).stdout;
    expect(shell("cat log | ctx pack -", folder).stdout).toBe(uri);
    expect(shell("ctx pack <(cat log)", folder).stdout).toBe(uri);
    expect(shell("mkfifo f && (cat log > f &) && ctx pack f", folder).stdout).toBe(uri);
    expect(shell("ctx pack - < log", folder).stdout).toBe(uri);
    expect(shell("ctx pack - < /dev/null", folder).stderr).toContain("it is empty");
  });

  it("output to a pipe has no colour, also under CI, unless FORCE_COLOR is set and NO_COLOR is not", () => {
    const { folder } = tempStore();
    ctx(["pack", "-"], { cwd: folder, input: json(runLog({ system_prompt: "long ".repeat(50) })) });
    const shown = (env: Record<string, string>): string =>
      ctx(["show", "latest"], { cwd: folder, env }).stdout;
    expect(shown({ CI: "true" })).not.toContain("\u001b");
    expect(shown({ FORCE_COLOR: "1" })).toContain("\u001b[");
    expect(shown({ FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain("\u001b");
    expect(shown({ COLUMNS: "200" })).not.toBe(shown({}));
  });

  it("an error has no stack, and CTX_DEBUG=1 shows one", () => {
    const folder = tempFolder();
    expect(ctx(["log"], { cwd: folder }).stderr).not.toContain("    at ");
    expect(ctx(["log"], { cwd: folder, env: { CTX_DEBUG: "1" } }).stderr).toContain("    at ");
  });

  it("a log of many megabytes in one value is packed", () => {
    const { folder } = tempStore();
    const text = 'line of text with "quotes" and \\ and é\n'.repeat(1_000_000);
    fs.writeFileSync(join(folder, "log"), json(smallLog({ inputs: [{ name: "big", content: text }] })));
    const uri = ctx(["pack", "log"], { cwd: folder }).stdout.trim();
    const shown = spawnSync(
      "/bin/bash",
      [
        "-c",
        `${line} show ${uri} --json | sed 's/.*"inputs":\\[{"content_ref":"sha256:\\([0-9a-f]*\\)".*/\\1/' | xargs ${line} cat`,
      ],
      { cwd: folder, maxBuffer: 1 << 28 },
    );
    expect(shown.stdout.equals(Buffer.from(text))).toBe(true);
  });
});

/** Standard error that nothing can be written to, as a shell makes it. */
const mute: [string, string][] = [
  ["closed", "2>&-"],
  ["a full device", "2>/dev/full"],
  ["a pipe whose reader has gone", "2>&3"],
  ["open for reading only", "2</dev/null"],
];

describe("standard error that cannot be written to", () => {
  const { folder } = tempStore();
  const good = ["one", "two"];

  beforeAll(() => {
    for (const name of good) fs.writeFileSync(join(folder, name), json(smallLog({ system_prompt: name })));
    for (const name of ["bad1", "bad2"]) fs.writeFileSync(join(folder, name), "{");
    fs.cpSync(join(repository, "examples"), folder, { recursive: true });
    ctx(["pack", "run.json"], { cwd: folder });
    fs.appendFileSync(join(folder, "report.md"), "one more line\n");
  });

  /** Runs a line with this standard error. Descriptor 3 is a pipe without a reader. */
  const silently = (line: string, redirect: string): { status: number | null; stdout: string } => {
    const { status, stdout } = shell(`exec 3> >(:); sleep 0.3; ${line} ${redirect}`, folder);
    return { status, stdout };
  };

  it.each(mute)("pack keeps its status and its work when standard error is %s", (_, redirect) => {
    const { status, stdout } = silently("ctx pack bad1 one bad2 none two --no-sidecars", redirect);
    expect(status).toBe(2);
    expect(stdout.trim().split("\n")).toHaveLength(2);
    expect(silently("ctx pack bad1 --json", redirect)).toEqual({ status: 2, stdout: "" });
    expect(silently("ctx pack one", redirect).status).toBe(0);
  });

  it.each(mute)(
    "verify, replay, diff and errors keep their status when standard error is %s",
    (_, redirect) => {
      for (const [line, status] of [
        ["ctx verify report.md", 1],
        ["ctx verify report.md --json", 1],
        ["ctx verify none.txt", 2],
        ["ctx replay latest --allow nonsense", 2],
        ["ctx diff 47d7 47d7 --exit-code", 0],
        ["ctx show nothing", 2],
        ["ctx nonsense", 2],
        ["ctx", 2],
        ["ctx log", 0],
        ["ctx push latest oci://127.0.0.1:1/x", 2],
      ] as const)
        expect([line, silently(line, redirect).status]).toEqual([line, status]);
    },
  );

  itWith([root], "verify of another user's store keeps its status when its note cannot be printed", () => {
    const other = tempFolder();
    fs.cpSync(folder, other, { recursive: true });
    run("chown", ["-R", "65534", other], { cwd: other });
    for (const [, redirect] of mute) {
      const line = `exec 3> >(:); sleep 0.3; ctx verify report.md > /dev/null ${redirect}`;
      expect(shell(line, other).status).toBe(1);
    }
  });
});

describeWith([onNode], "a program that ends before it has answered", () => {
  const folder = tempFolder();
  /** Breaks something of Node's from outside. */
  const broken = (name: string, text: string, args: string[], env: Record<string, string> = {}) => {
    fs.writeFileSync(join(folder, `${name}.cjs`), text);
    return run(process.execPath, ["-r", join(folder, `${name}.cjs`), program, ...args], { cwd: folder, env });
  };
  /** A request that never calls back. */
  const unanswered = `const events = require("node:events");
    require("node:http").request = () => Object.assign(new events(), { end() {}, destroy() {} });`;
  const late = (what: string): string => `${unanswered} setTimeout(() => { ${what} }, 300);`;

  it("ctx exits with 2 and an error when nothing is left to do before the answer", () => {
    // Timers keep no process.
    const text = `${unanswered} const set = setTimeout; globalThis.setTimeout = (...given) => set(...given).unref();`;
    const { status, stderr } = broken("lost", text, ["remote", "ls", "oci://127.0.0.1:1/x"]);
    expect(stderr).not.toContain("    at ");
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^error: .*\n/) });
  });

  it.each([
    ["an exception", late("throw new Error('from nowhere')")],
    ["a rejection", late("void Promise.reject(new Error('from nowhere'))")],
    ["a null", late("throw null")],
    ["something without text", late("throw Object.create(null)")],
  ])("ctx exits with 2 and one line after %s that nothing catches", (name, text) => {
    for (const args of [
      ["remote", "ls", "oci://127.0.0.1:1/x"],
      ["remote", "ls", "oci://127.0.0.1:1/x", "--json"],
    ]) {
      const { status, stderr } = broken(name.replaceAll(" ", "-"), text, args);
      expect(status).toBe(2);
      expect(stderr).not.toContain("    at ");
      expect(stderr.split("\n")[0]).toMatch(
        args.includes("--json") ? /^\{"error":\{"code":"internal"/ : /^error: ctx has a bug/,
      );
    }
    const { stderr } = broken(name.replaceAll(" ", "-"), text, ["remote", "ls", "oci://127.0.0.1:1/x"], {
      CTX_DEBUG: "1",
    });
    if (name === "an exception" || name === "a rejection") expect(stderr).toContain("    at ");
  });

  it("ctx exits with 2 and two lines when its own files are gone", () => {
    const copy = tempFolder();
    fs.copyFileSync(program, join(copy, "ctx.cjs"));
    for (const args of [["log"], ["replay"], ["--help"]]) {
      const { status, stdout, stderr } = run(process.execPath, [join(copy, "ctx.cjs"), ...args], {
        cwd: copy,
      });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/^error: ctx cannot load its program: .*\nhint: install ctx again\n$/);
    }
  });
});

describeWith([needsProgram("strace")], "network", () => {
  it("init, pack, log, show, cat and --help open no internet socket and run no program", () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(runLog()));
    const calls = [["init"], ["pack", "log"], ["log"], ["show", "latest"], ["cat", "latest"], ["--help"]];
    for (const call of calls) {
      const trace = join(folder, "trace");
      const args = [
        "-f",
        "-qq",
        "-o",
        trace,
        "-e",
        "trace=socket,connect,execve",
        starter,
        ...words,
        ...call,
      ];
      expect(run("strace", args, { cwd: folder }).status).toBe(0);
      const lines = fs.readFileSync(trace, "utf8").trim().split("\n");
      expect(lines.filter((line) => /AF_INET|AF_NETLINK/.test(line))).toEqual([]);
      expect(lines.filter((line) => line.includes("execve("))).toHaveLength(1);
    }
  });
});
