// Programs in the sandbox: what they return, what lasts from one to the next, and that nothing of them is
// left.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type SandboxDir,
  makeSandboxDir,
  mountPoint,
  removeSandboxDir,
  chownSandboxDir,
} from "../../src/replay/sandbox-dir.js";
import {
  type LimitedProgram,
  type RunProgramOptions,
  runProgram,
  startProgram,
} from "../../src/replay/spawn.js";
import { DiskBudget } from "../../src/replay/disk-budget.js";
import { probeSandbox } from "../../src/replay/sandbox.js";
import type { Sandbox } from "../../src/replay/sandbox-args.js";
import { toolchainsOf } from "../../src/replay/user-programs.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, itWith, only, program } from "../../dev/needs.js";

const path = process.env["PATH"] ?? "";
const boxes: SandboxDir[] = [];

afterAll(() => {
  for (const box of boxes) removeSandboxDir(box);
});

/** Not below the test's own folder, which root keeps to itself. */
function newBox(workdir?: string): SandboxDir {
  const box = makeSandboxDir({ temp: tmpdir(), ...(workdir === undefined ? {} : { workdir }) });
  boxes.push(box);
  return box;
}

const mebi = 1024 ** 2;

/**
 * Returns a box that may take this much of the disk. What others write or remove there meanwhile counts too,
 * so it is a disk that hardly anything else uses.
 */
function small(bytes: number, files?: number): SandboxDir {
  const quiet = "/dev/shm";
  const box = makeSandboxDir({ temp: fs.existsSync(quiet) ? quiet : tmpdir() });
  boxes.push(box);
  box.disk = new DiskBudget(box.folder, { bytes, ...(files === undefined ? {} : { files }) });
  return box;
}

/** Leaves 260 MiB in the buffers of sockets, which belong to no process, and never more. */
const buffersOfSockets = `
import socket, time
left, kept = 260 << 20, []
while left > 0 and len(kept) < 1500:
  a, b = socket.socketpair()
  a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
  a.setblocking(False)
  kept.append((a, b))
  try:
    while left > 0: left -= a.send(bytes(1 << 15))
  except BlockingIOError: pass
time.sleep(20)`;

type Extra = Partial<LimitedProgram> & Partial<RunProgramOptions> & { sandbox?: Sandbox };

/** Runs a command of a shell, and returns the output as text. */
async function shell(box: SandboxDir, command: string, extra: Extra = {}) {
  const {
    sandbox = { kind: "bwrap", version: "" },
    network = false,
    signal,
    separateErrors,
    memory,
    ...rest
  } = extra;
  const program = {
    argv: ["/bin/bash", "-c", command],
    folder: box.visiblePath,
    timeout: 20_000,
    outputLimit: 1 << 20,
    ...rest,
  };
  const options = {
    network,
    path,
    ...(signal === undefined ? {} : { signal }),
    separateErrors: separateErrors === true,
    ...(memory === undefined ? {} : { memory }),
  };
  const ran = await runProgram(box, sandbox, program, options);
  return { ...ran, output: ran.output.toString(), errors: ran.errors?.toString() };
}

/** Processes of this machine with a word in their command line. */
function processesWith(word: string): string[] {
  return fs.readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}

/** A number of seconds that no other process sleeps for. */
let naps = 0;
const nap = (): string => `3${process.pid}.${++naps}`;

const kinds: [string, Sandbox][] = [
  ["in the sandbox", { kind: "bwrap", version: "" }],
  ["without a sandbox", { kind: "off" }],
];

describeWith([program("bwrap")], "programs of a replay", () => {
  describe.each(kinds)("%s", (where, sandbox) => {
    let box: SandboxDir;
    beforeAll(() => {
      box = newBox("/home/ana/my repo");
    });
    const run = (command: string, extra: Extra = {}) => shell(box, command, { ...extra, sandbox });

    it(`a program ${where} returns both streams in the order they were written`, async () => {
      const loop = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; echo again > /dev/stderr";
      const { output } = await run(`${loop}; echo end > /dev/stdout`);
      expect(output).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nagain\nend\n");
    });

    it(`a program ${where} can return its streams separately`, async () => {
      const ran = await run("echo out; echo err >&2", { separateErrors: true });
      expect(ran).toMatchObject({ output: "out\n", errors: "err\n" });
    });

    it(`a program ${where} returns its exit status`, async () => {
      for (const code of [0, 1, 3, 127, 255])
        expect(await run(`exit ${code}`)).toMatchObject({ exitCode: code, signal: null, timedOut: false });
    });

    it(`a program ${where} returns the signal that ended it, as shells do`, async () => {
      expect(await run("kill -TERM $$")).toMatchObject({ exitCode: 143, signal: "SIGTERM" });
      expect(await run("kill -KILL $$")).toMatchObject({ exitCode: 137, signal: "SIGKILL", timedOut: false });
    });

    it(`a program ${where} returns bytes that are not text unchanged`, async () => {
      const argv = ["/bin/bash", "-c", String.raw`printf '\xff\x00\xfe\n'`];
      const options = { network: false, path };
      const program = { argv, folder: box.visiblePath, timeout: 9000, outputLimit: 99 };
      expect((await runProgram(box, sandbox, program, options)).output).toEqual(
        Buffer.from("ff00fe0a", "hex"),
      );
    });

    it(`a program ${where} reads its input to the end, and can open it again`, async () => {
      const input = Buffer.alloc(300_000, "x");
      expect((await run("cat | wc -c; cat | wc -c", { input })).output).toBe("300000\n0\n");
      expect((await run("wc -c < /dev/stdin", { input })).output).toBe("300000\n");
      expect((await run("wc -c")).output).toBe("0\n");
      expect((await run("true", { input })).exitCode).toBe(0);
    });

    it(`a program ${where} that is missing has the exit status of shells`, async () => {
      expect(await run("no-such-program")).toMatchObject({ exitCode: 127 });
      expect(await run("", { argv: ["no-such-program"] })).toMatchObject({ exitCode: 127 });
    });

    it(`a program ${where} runs in its folder, and not at all if that does not exist`, async () => {
      await run("mkdir -p a/b");
      expect((await run("pwd", { folder: `${box.visiblePath}/a/b` })).output).toMatch(/\/a\/b\n$/);
      await expect(run("pwd", { folder: `${box.visiblePath}/gone` })).rejects.toMatchObject({
        reason: "error",
      });
    });

    it(`a program ${where} is refused with a NUL character in an argument, variable or folder`, async () => {
      await expect(run("echo a\0b")).rejects.toMatchObject({ reason: "error" });
      await expect(run("true", { env: { A: "x\0--bind\0/\0/host" } })).rejects.toMatchObject({
        reason: "error",
      });
      await expect(run("true", { folder: "/a\0b" })).rejects.toMatchObject({ reason: "error" });
    });

    it(`a program ${where} with arguments that are too long fails, and the next one runs`, async () => {
      await expect(run(`: ${"x".repeat(200_000)}`)).rejects.toMatchObject({ reason: "error" });
      expect(await run("true")).toMatchObject({ exitCode: 0 });
    });

    it(`a program ${where} gets none of ctx's environment`, async () => {
      const { output } = await run("env -0 | cut -z -d= -f1 | sort -z | tr '\\0' ' '", {
        env: { EXTRA: "a b" },
      });
      const own = sandbox.kind === "off" ? "CTX_REPLAY " : "";
      expect(output).toBe(
        `${own}EXTRA HOME LANG PATH PWD SHLVL TERM TMPDIR _ npm_config_fetch_retries npm_config_offline `,
      );
      expect((await run('printf "$EXTRA"', { env: { EXTRA: "a b\n=ü" } })).output).toBe("a b\n=ü");
    });

    it(`a program ${where} is ended at its time-out with all its children`, async () => {
      const seconds = nap();
      const stubborn = `trap '' TERM INT HUP; setsid sleep ${seconds} & (sleep ${seconds} &); (setsid bash -c 'sleep ${seconds} & sleep ${seconds}' &)`;
      const ran = await run(`${stubborn}; echo started; while :; do sleep ${seconds}; done`, {
        timeout: 700,
      });
      expect(ran).toMatchObject({ output: "started\n", exitCode: null, signal: "SIGKILL", timedOut: true });
      expect(processesWith(seconds)).toEqual([]);
    });

    it(`a program ${where} that ends by itself leaves no process`, async () => {
      const seconds = nap();
      const ran = await run(
        `setsid sleep ${seconds} >/dev/null 2>&1 < /dev/null & sleep ${seconds} & echo done`,
      );
      expect(ran).toMatchObject({ output: "done\n", exitCode: 0 });
      expect(processesWith(seconds)).toEqual([]);
    });

    it(`a program ${where} that writes too much is ended, and its output is cut at the limit`, async () => {
      const ran = await run("yes abcdefg", { outputLimit: 100_000 });
      expect(ran).toMatchObject({ tooLong: true, timedOut: false, exitCode: null });
      expect(ran.output).toBe("abcdefg\n".repeat(12_500));
      expect(await run("printf 12345", { outputLimit: 5 })).toMatchObject({
        output: "12345",
        tooLong: false,
      });
      expect(await run("printf 123456", { outputLimit: 5 })).toMatchObject({
        output: "12345",
        tooLong: true,
      });
    });

    it(`a program ${where} is ended at once when the replay is aborted`, async () => {
      const seconds = nap();
      const stop = new AbortController();
      const running = run(`sleep ${seconds} & sleep ${seconds}`, { signal: stop.signal });
      while (processesWith(seconds).length < 2) await pause(5);
      stop.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
      expect(processesWith(seconds)).toEqual([]);
      await expect(run("true", { signal: stop.signal })).rejects.toThrow("enough");
    });

    it(`programs ${where} keep files from one to the next`, async () => {
      await run('echo 1 > kept; echo 2 > "$TMPDIR/kept"; echo 3 > ~/kept');
      expect((await run('cat kept "$TMPDIR/kept" ~/kept')).output).toBe("1\n2\n3\n");
      expect(fs.readFileSync(join(box.workspace, "kept"), "utf8")).toBe("1\n");
    });

    it(`a program ${where} can be a server: it reads and writes while it runs, and is stopped with its children`, async () => {
      const seconds = nap();
      const command = `sleep ${seconds} & echo hello >&2; while read -r line; do echo "got $line"; done; exit 5`;
      const bare = { argv: ["/bin/bash", "-c", command], folder: box.visiblePath };
      const server = startProgram(box, sandbox, bare, { network: false, path });
      server.stdin.write("a\n");
      for await (const bytes of server.stdout.iterator({ destroyOnReturn: false })) {
        expect(String(bytes)).toBe("got a\n");
        break;
      }
      expect((await run("echo beside")).output).toBe("beside\n");
      server.stdin.end("b\n");
      expect(await text(server.stdout)).toBe("got b\n");
      expect(await server.exited).toBe(5);
      expect(server.errorText()).toBe("hello\n");
      expect(processesWith(seconds)).toEqual([]);
      const second = startProgram(box, sandbox, bare, { network: false, path });
      await second.stop();
      expect(await second.exited).toBeNull();
      second.stdin.write("nobody reads this");
      expect(processesWith(seconds)).toEqual([]);
    });
  });

  it("sandbox: a program sees its folder under the recorded path", async () => {
    const names = ["/Users/ana/repo", "/testbed", "/root/x", "/root", "/var/www", "/srv/a b", "/usr/src/app"];
    for (const name of [...names, "/tmp/x/y", "/var/tmp/x", "/run/x", "/opt", "/home/ö", "/-x/--bind"]) {
      const box = newBox(name);
      fs.writeFileSync(join(box.workspace, "f"), "x");
      chownSandboxDir(box);
      expect(await shell(box, "pwd; cat f; touch new; node -p 1+1"), name).toMatchObject({
        output: `${name}\nx2\n`,
        exitCode: 0,
      });
      expect(fs.readdirSync(box.workspace).sort(), name).toEqual(["f", "new"]);
    }
  });

  it("sandbox: a program cannot use up the inotify instances of the user", async () => {
    const script =
      "import ctypes; l=ctypes.CDLL(None, use_errno=True); print(l.inotify_init1(0), ctypes.get_errno())";
    const { output } = await shell(newBox(), `python3 -c "${script}"`);
    expect(output).toBe("-1 24\n");
  });

  it("sandbox: a program cannot reserve disk space at once; libc's fallback writes it", async () => {
    const box = newBox();
    const { output, exitCode } = await shell(box, "fallocate -l 1G big");
    expect(output).toContain("Operation not supported");
    expect(exitCode).toBe(1);
    const script = "import os; f = os.open('f', os.O_RDWR | os.O_CREAT); os.posix_fallocate(f, 0, 1 << 20)";
    const reserved = await shell(
      box,
      `python3 -c "${script}" && stat -c %s f && du -k f | cut -f 1; stat -c %s big`,
    );
    expect(reserved.output).toMatch(/^1048576\n10[0-9]{2}\n0\n$/);
  });

  it("sandbox: processes, file sizes and shared memory are limited", async () => {
    const box = newBox();
    const seconds = nap();
    const bomb = `f() { f & f & sleep ${seconds}; }; f 2>/dev/null; sleep ${seconds}`;
    let most = 0;
    const watch = setInterval(() => void (most = Math.max(most, processesWith(seconds).length)), 100);
    const ran = await shell(box, bomb, { timeout: 1500 });
    clearInterval(watch);
    expect(ran.timedOut).toBe(true);
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThan(600);
    expect(processesWith(seconds)).toEqual([]);
    const big = await shell(box, "truncate -s 2G f; ulimit -c; ulimit -n; ulimit -u");
    expect(big.output).toMatch(/File too large\n0\n4096\n512\n$|File size limit.*\n0\n4096\n512\n$/);
    expect((await shell(box, "head -c 300M /dev/zero > /dev/shm/f")).output).toContain("No space left");
  });

  it("sandbox: a program has a user, host name, home and descriptors of its own", async () => {
    const box = newBox();
    const { output } = await shell(
      box,
      "id -un; hostname; echo ~; getent hosts localhost; ls -A /run; ls /home",
    );
    expect(output).toMatch(/^ctx\nctx\n\/ctx\/home\n\S+ +localhost.*\nls: cannot access '\/home'.*\n$/);
    expect((await shell(box, "ls /proc/self/fd")).output).toMatch(/^0\n1\n2\n(?:\d+\n)+$/);
  });

  it("sandbox: a program reaches its own server, and no other host", async () => {
    const serve = `const s=require("http").createServer((q,r)=>r.end("own")).listen(0,async()=>{console.log(await (await fetch("http://localhost:"+s.address().port)).text());process.exit()})`;
    expect((await shell(newBox(), `node -e '${serve}'`)).output).toBe("own\n");
    expect((await shell(newBox(), "getent hosts example.com || echo none")).output).toBe("none\n");
  });

  it("sandbox: git, python3, awk and perl of the system work", async () => {
    const tools =
      "git init -q . && git status --short && python3 -c 'print(1)' && awk 'BEGIN{print 2}' && perl -e 'print 3'";
    expect((await shell(newBox(), tools)).output).toBe("1\n2\n3");
  });

  it.each([
    ["over a toolchain", (): string => "/opt"],
    ["at a toolchain", (folder: string): string => folder],
    ["inside a toolchain", (folder: string): string => `${folder}/bin`],
  ])("sandbox: a workspace %s does not put its own programs on the PATH", async (_, workdirOf) => {
    const folder = fs.mkdtempSync("/opt/ctx-test-");
    try {
      fs.chmodSync(folder, 0o755);
      fs.mkdirSync(join(folder, "bin"));
      const toolchains = toolchainsOf({ path: `${folder}/bin:${path}`, home: "/nowhere", user: 65534 });
      expect(toolchains.map(({ bin }) => bin)).toContain(`${folder}/bin`);
      const box = newBox(workdirOf(folder));
      const bin = join(box.workspace, join(folder, "bin").slice(box.visiblePath.length));
      fs.mkdirSync(bin, { recursive: true });
      for (const name of ["prlimit", "node", "sh"])
        fs.writeFileSync(join(bin, name), "#!/bin/bash\necho forged\n", { mode: 0o755 });
      chownSandboxDir(box);
      const argv = ["sh", "-c", 'ulimit -n; echo "$PATH"'];
      const ran = await runProgram(
        box,
        { kind: "bwrap", version: "" },
        { argv, folder: box.visiblePath, timeout: 20_000, outputLimit: 1 << 20 },
        { network: false, path, toolchains, separateErrors: false },
      );
      expect(ran.output.toString()).toMatch(/^4096\n/);
      expect(ran.output.toString()).not.toContain(folder);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it("sandbox: a program can run toolchains, but cannot change them", async () => {
    const box = newBox();
    // A file outside /usr that every user can read.
    const folder = fs.mkdtempSync("/opt/ctx-test-");
    try {
      fs.mkdirSync(join(folder, "bin"));
      fs.writeFileSync(join(folder, "bin/greet"), "#!/bin/sh\necho hello\n", { mode: 0o755 });
      for (const one of [folder, join(folder, "bin")]) fs.chmodSync(one, 0o755);
      const toolchains = toolchainsOf({ path: `${folder}/bin:${path}`, home: "/nowhere", user: 65534 });
      const options = { network: false, path, toolchains };
      const argv = ["/bin/bash", "-c", `greet; echo x > ${folder}/new`];
      const program = { argv, folder: box.visiblePath, timeout: 9000, outputLimit: 999 };
      const { output } = await runProgram(box, { kind: "bwrap", version: "" }, program, options);
      expect(output.toString()).toMatch(/^hello\n.*(?:Read-only file system|Permission denied)\n$/);
      expect(fs.readdirSync(folder)).toEqual(["bin"]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  itWith(
    [only("an x64 processor", process.arch === "x64")],
    "sandbox: a program that takes over the first process of the sandbox is ended all the same",
    async () => {
      const box = newBox();
      // It then no longer dies with bwrap, and waits for ever: prctl(PR_SET_PDEATHSIG, 0), then pause() again
      // and again.
      const code = "bf0100000031f6b89d0000000f05b8220000000f05ebf7";
      const steps = [
        `code = bytes.fromhex('${code}')`,
        "at = int(open('/proc/1/syscall').read().split()[-1], 16)",
        "memory = open('/proc/1/mem', 'r+b', 0); memory.seek(at); memory.write(code); print('taken')",
      ];
      const mark = nap();
      const command = `: ${mark}; /usr/bin/python3 -c "${steps.join("; ")}"; exit 7`;
      const ran = await shell(box, command, { timeout: 3000 });
      expect(ran).toMatchObject({ output: "taken\n", exitCode: null, timedOut: true });
      // The command line of the first process has that of the program in it.
      expect(processesWith(mark)).toEqual([]);
    },
  );

  describe("programs that exceed their limits", () => {
    const ended = { excess: expect.stringMatching(/^a replay may use /), timedOut: false, exitCode: null };

    it("sandbox: a program that fills the disk is ended, and bytes from before do not count", async () => {
      const box = small(64 * mebi);
      fs.writeFileSync(join(box.workspace, "ground"), Buffer.alloc(80 * mebi));
      box.disk.resetBaseline();
      expect((await shell(box, "head -c 20M /dev/zero > small")).excess).toBeUndefined();
      const fill = "for i in 1 2 3; do fallocate -l 30M $i || head -c 30M /dev/zero > $i; done; sleep 20";
      expect(await shell(box, fill)).toMatchObject(ended);
    });

    it("sandbox: a program that fills the disk with deleted or unlistable files is ended", async () => {
      const unnamed = `exec 7>f; rm f; head -c 80M /dev/zero >&7; sleep 20`;
      expect(await shell(small(64 * mebi), unnamed)).toMatchObject(ended);
      const passed = `import socket, array, os, time
a, b = socket.socketpair()
f = os.open("f", os.O_CREAT | os.O_RDWR); os.unlink("f")
a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f]))])
os.posix_fallocate(f, 0, 80 << 20); os.close(f); time.sleep(20)`;
      expect(await shell(small(64 * mebi), "", { argv: ["/usr/bin/python3", "-c", passed] })).toMatchObject(
        ended,
      );
      const box = small(100 * mebi);
      const closed = "mkdir d; head -c 70M /dev/zero > d/f; chmod 000 d";
      expect((await shell(box, closed)).excess).toBeUndefined();
      expect((await shell(box, "head -c 70M /dev/zero > g")).excess).toMatch(/^a replay may use/);
    });

    it("sandbox: disk space that a step uses counts for later steps until it is freed", async () => {
      const box = small(100 * mebi);
      expect((await shell(box, "head -c 70M /dev/zero > f")).excess).toBeUndefined();
      expect((await shell(box, "exec 7>g; rm g; head -c 70M /dev/zero >&7; sleep 20")).excess).toBeDefined();
      expect((await shell(box, "rm -f f; head -c 70M /dev/zero > g")).excess).toBeUndefined();
    });

    it("sandbox: a program that makes too many files is ended", async () => {
      const box = small(2048 * mebi, 500);
      const many = "mkdir m; for i in {1..600}; do : > m/$i; done; sleep 20";
      expect(await shell(box, many)).toMatchObject({ excess: expect.stringContaining("500 files") });
    });

    const memory = { limit: 200 * mebi };
    const shared =
      "import mmap,time; m=mmap.mmap(-1,300<<20); [m.write(b'x'*(1<<20)) for i in range(300)]; time.sleep(20)";
    const unmapped =
      "import os,time; f=os.memfd_create('x'); os.posix_fallocate(f,0,300<<20); time.sleep(20)";
    const systemV =
      "import ctypes,time; c=ctypes.CDLL(None); c.shmat.restype=ctypes.c_void_p; i=c.shmget(0,300<<20,0o1600); " +
      "p=c.shmat(i,None,0); ctypes.memset(p,1,300<<20); c.shmdt(ctypes.c_void_p(p)); time.sleep(20)";
    const several =
      "import os,time\nfor i in range(4):\n  if os.fork()==0:\n    b=bytearray(80<<20); time.sleep(20)\ntime.sleep(20)";
    it.each([
      ["a shared mapping", shared],
      ["a memfd that is not mapped", unmapped],
      ["a System V segment that is not attached", systemV],
      ["several processes together", several],
      ["private memory", "import time; b=bytearray(300<<20); time.sleep(20)"],
      ["buffers of sockets", buffersOfSockets],
    ])("sandbox: a program that uses too much memory is ended: %s", async (_, code) => {
      const ran = await shell(newBox(), "", { argv: ["/usr/bin/python3", "-c", code], memory });
      expect(ran).toMatchObject({
        excess: expect.stringContaining("200 MiB of memory that a step may use"),
        exitCode: null,
      });
    });

    it("sandbox: a page that several processes share counts once", async () => {
      const fork =
        "import os,time\nb=bytearray(200<<20)\nfor i in range(5):\n  if os.fork()==0:\n    time.sleep(0.5); os._exit(0)\nfor i in range(5): os.wait()\nprint('done')";
      const argv = ["/usr/bin/python3", "-c", fork];
      // Shared memory that other suites use meanwhile counts too, so the limit leaves room for them.
      const ran = await shell(newBox(), "", { argv, memory: { limit: 900 * mebi } });
      expect(ran).toMatchObject({ output: "done\n", exitCode: 0 });
      expect(ran.excess).toBeUndefined();
    });
  });

  it("probeSandbox starts a sandbox to find out whether it can, and says that bwrap is missing", async () => {
    const box = newBox();
    expect(await probeSandbox(box, { network: false, path })).toEqual({
      ok: true,
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(await probeSandbox(box, { network: true, path })).toMatchObject({ ok: true });
    const missing = {
      ok: false,
      why: "bwrap is not installed",
      hint: expect.stringContaining("install bubblewrap"),
    };
    expect(await probeSandbox(box, { network: false, path: "relative:/nowhere" })).toEqual(missing);
  });

  it.each([
    ["bwrap: setting up uid map: Permission denied", /AppArmor/],
    ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", /AppArmor/],
    ["bwrap: No permissions to create new namespace, likely because ...", /container/],
    [
      "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded",
      /no more/,
    ],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /hides parts of \/proc/],
    ["bwrap: setting up uid map: Operation not permitted", /no capabilities/],
    ["bwrap: Unknown option --disable-userns", /too old/],
    ["bwrap: something else", /cannot be used: bwrap: something else/],
  ])("probeSandbox explains an error of bwrap: %s", async (said, why) => {
    const folder = tempFolder();
    fs.chmodSync(folder, 0o755);
    fs.writeFileSync(join(folder, "bwrap"), `#!/bin/sh\necho "${said}" >&2\nexit 1\n`, { mode: 0o755 });
    const probed = await probeSandbox(newBox(), { network: false, path: `${folder}:${path}` });
    expect(probed).toMatchObject({ ok: false, why: expect.stringMatching(why) });
    expect(probed).toMatchObject({ hint: expect.stringContaining("--no-sandbox") });
  });
});

describe("the sandbox folder", () => {
  it("the sandbox folder is removed, whatever is left in it", () => {
    const box = newBox();
    const deep = "perl -e 'for (1..3000) { mkdir q(d); chdir q(d) }'";
    const closed = "mkdir -p x/000/y; chmod 000 x/000 x; ln -s / root; ln -s . self";
    spawnSync("bash", ["-c", `${deep}; ${closed}`], {
      cwd: box.workspace,
      ...(box.user === undefined ? {} : { uid: box.user, gid: box.user }),
    });
    expect(fs.readdirSync(box.workspace)).toEqual(["d", "root", "self", "x"]);
    removeSandboxDir(box);
    expect(fs.existsSync(box.folder)).toBe(false);
    removeSandboxDir(box);
  });

  it("chownSandboxDir shares no file with the outside, and follows no link", () => {
    const outside = tempFolder();
    fs.writeFileSync(join(outside, "f"), "1", { mode: 0o755 });
    fs.mkdirSync(join(outside, "d"));
    const before = fs.statSync(join(outside, "f"));
    // On the same file system as the box, or there could be no hard link.
    const box = newBox();
    fs.linkSync(join(outside, "f"), join(box.workspace, "f"));
    fs.symlinkSync(join(outside, "d"), join(box.workspace, "link"));
    fs.writeFileSync(Buffer.from(`${box.workspace}/\xff`, "latin1"), "");
    chownSandboxDir(box);
    fs.appendFileSync(join(box.workspace, "f"), "2");
    expect(fs.readFileSync(join(outside, "f"), "utf8")).toBe("1");
    const after = fs.statSync(join(outside, "f"));
    expect([after.uid, after.mode, after.nlink]).toEqual([before.uid, before.mode, 1]);
    expect(fs.statSync(join(box.workspace, "f")).mode).toBe(before.mode);
    expect(fs.statSync(join(outside, "d")).uid).toBe(before.uid);
    if (box.user !== undefined) expect(fs.statSync(join(box.workspace, "f")).uid).toBe(box.user);
  });

  it("the sandbox folder is closed to others", () => {
    const { mode, uid } = fs.statSync(newBox().folder);
    expect(mode & 0o027).toBe(0);
    // The user that programs run as can enter it, and write nothing into it.
    expect(uid).toBe(process.geteuid?.());
  });

  it.each([
    ["/home/ana/repo/", "/home/ana/repo"],
    ["//home//ana/./repo", "/home/ana/repo"],
    ["/usr/app", "/usr/app"],
    ["/tmpx", "/tmpx"],
    [undefined, "/workspace"],
  ])("mountPoint: the recorded folder is kept: %s", (workdir, seen) => {
    expect(mountPoint(workdir)).toEqual({ path: seen });
  });

  const system = "/ // /etc /etc/x /proc/self/cwd /dev /dev/shm/x /sys /tmp /tmp/ /var/tmp /bin /lib64/x";
  const others = "/usr /usr/bin /usr/lib/x /ctx /ctx/home C:\\repo repo ./x /home/../etc /a/..";
  const odd = ["", "/a\nb", "/a\u009bb", `/${"x".repeat(256)}`, `/${"x/".repeat(600)}`];
  it.each([...system.split(" "), ...others.split(" "), ...odd])(
    "mountPoint: /workspace replaces a recorded folder that cannot be used: %j",
    (workdir) => {
      expect(mountPoint(workdir)).toEqual({
        path: "/workspace",
        note: expect.stringMatching(/^the run's own folder /),
      });
    },
  );
});

describe("toolchains", () => {
  it("toolchains are single versions of what a manager installed, never the folders above them", () => {
    const home = tempFolder();
    const installs = [
      ".local/share/mise/installs/node/22.1.0",
      ".asdf/installs/elixir/1.17",
      ".local/share/fnm/node-versions/v20.1.0",
      ".local/share/uv/python/cpython-3.12",
      ".local/share/pnpm/nodejs/22.1.0",
    ].map((name) => join(home, name));
    const others =
      ".local/share/mise/shims .asdf/shims .local/share/pnpm .local/share/uv/tools/x/bin .config/mise/bin";
    const bins = [
      ...installs.map((folder) => join(folder, "bin")),
      ...others.split(" ").map((name) => join(home, name)),
    ];
    for (const bin of bins) fs.mkdirSync(bin, { recursive: true });
    expect(toolchainsOf({ path: bins.join(":"), home })).toEqual(
      installs.map((folder) => ({ folder, bin: join(folder, "bin") })),
    );
  });

  it("toolchains are those of version managers, never a home or a folder with credentials", () => {
    const home = tempFolder();
    const managed = ".pyenv/shims .pyenv/bin .nvm/versions/node/v20.1.0/bin .cargo/bin";
    const others = ".ssh bin .local/bin .rustup/toolchains/stable-x/bin .config/x/bin work/node_modules/.bin";
    const folders = `${managed} ${others}`.split(" ");
    for (const folder of folders) fs.mkdirSync(join(home, folder), { recursive: true });
    fs.writeFileSync(join(home, ".rustup/settings.toml"), 'version = "12"\ndefault_toolchain = "stable-x"\n');
    fs.symlinkSync(join(home, ".ssh"), join(home, ".pyenv/link"));
    const all = [...folders, ".pyenv/link", "", ".pyenv/gone"].map((name) => join(home, name));
    const path = [...all, ".", "", "relative/.pyenv/bin", "/usr/bin", "/bin"].join(":");
    const found = toolchainsOf({ path, home });
    expect(found).toEqual([
      { folder: join(home, ".pyenv"), bin: join(home, ".pyenv/shims") },
      { folder: join(home, ".pyenv"), bin: join(home, ".pyenv/bin") },
      { folder: join(home, ".nvm/versions/node/v20.1.0"), bin: join(home, ".nvm/versions/node/v20.1.0/bin") },
      {
        folder: join(home, ".rustup/toolchains/stable-x"),
        bin: join(home, ".rustup/toolchains/stable-x/bin"),
      },
    ]);
    expect(toolchainsOf({ path: all.join(":"), home: dirname(home) })).toEqual([]);
  });

  it("toolchains: of rbenv one version, or with its shims all of it, but never the variables for all projects", () => {
    const home = tempFolder();
    const [version, shims] = [".rbenv/versions/3.3.0", ".rbenv/shims"].map((name) => join(home, name)) as [
      string,
      string,
    ];
    const path = `${version}/bin:${shims}`;
    for (const bin of path.split(":")) fs.mkdirSync(bin, { recursive: true });
    const one = { folder: version, bin: join(version, "bin") };
    expect(toolchainsOf({ path, home })).toEqual([one, { folder: join(home, ".rbenv"), bin: shims }]);
    fs.writeFileSync(join(home, ".rbenv/vars"), "TOKEN=secret\n");
    expect(toolchainsOf({ path, home })).toEqual([one]);
  });

  it("toolchains that the user nobody cannot read are left out", () => {
    const home = tempFolder();
    fs.mkdirSync(join(home, ".pyenv/bin"), { recursive: true });
    fs.chmodSync(home, 0o700);
    expect(toolchainsOf({ path: join(home, ".pyenv/bin"), home, user: 65534 })).toEqual([]);
    fs.chmodSync(home, 0o755);
    expect(toolchainsOf({ path: join(home, ".pyenv/bin"), home, user: 65534 }).length).toBe(1);
  });
});
