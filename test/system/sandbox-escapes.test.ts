// Attempts to get out of the sandbox, each shown to work outside of it. They are harmless if they succeed:
// files are opened and not written, sockets are made and nothing is sent but to ourselves. What stands
// outside is compared before and after.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FinishedProgram } from "../../src/replay/spawn.js";
import { denied } from "../../src/replay/seccomp.js";
import { lastingFolder, snapshot, tempFolder } from "../../dev/folders.js";
import { describeWith, itWith, program, root as asRoot } from "../../dev/needs.js";

const isRoot = process.geteuid?.() === 0;
const isArm = process.arch === "arm64";
/** What an attempt says when it got through. */
const out = "ESCAPED";

interface Attempt {
  name: string;
  /**
   * Commands, each a step of its own. `@HOST` is a folder outside, `@CODE` a checkout whose dependencies are mounted,
   * and `@MANAGER` what a version manager installed; see `fill` for the others.
   */
  steps: string[];
  /** Which users can do it outside. What depends on the kernel is tried there, and need not succeed. */
  by: "anyone" | "root" | "kernel";
  /** What shows that it works outside, where the steps themselves would do harm. */
  control?: string;
  env?: Record<string, string>;
}

const anyone = (name: string, ...steps: string[]): Attempt => ({ name, steps, by: "anyone" });
const root = (name: string, ...steps: string[]): Attempt => ({ name, steps, by: "root" });
const kernel = (name: string, ...steps: string[]): Attempt => ({ name, steps, by: "kernel" });

const perl = (code: string): string => `perl -e '${code}'`;
const python = (code: string): string => `/usr/bin/python3 -c '${code}; print("${out}")' 2>&1 | tail -1`;
const opens = (file: string): string => `{ exec 9>>${file}; } 2>/dev/null && echo ${out}`;
const reads = (file: string): string => `[ "$(head -c 1 ${file} | wc -c)" = 1 ] && echo ${out}`;
const exists = (file: string): string => `[ -e ${file} ] && echo ${out}`;
const makes = (folder: string): string => `mkdir ${folder} && rmdir ${folder} && echo ${out}`;
const does = (command: string): string => `${command} && echo ${out}`;
const socket = (family: number, type: number): string =>
  python(`import socket; socket.socket(${family}, ${type})`);
const connects = (family: string, address: string): string =>
  python(`import socket; socket.socket(socket.${family}).connect(${address})`);
const ioctl = (request: string): string =>
  python(`import pty, fcntl; fcntl.ioctl(pty.openpty()[1], ${request}, b"x")`);

/** Succeeds if the kernel executes the call at all, even if it rejects the arguments. */
function reaches(number: number, ...args: (number | string)[]): string {
  const words = [number, ...args, ...Array<number>(5).fill(-1)].slice(0, 6).join(",");
  const held = "$r < 0 && ($e == 1 || $e == 38 || $e == 97)";
  return perl(`$r = syscall(${words}); $e = $!+0; print ${held} ? "errno $e" : "${out}"`);
}

/** Returns a program of a few machine instructions that exits with 42. */
function tiny(bits: 32 | 64, code: number[]): string {
  const start = bits === 32 ? 84 : 120;
  const file = Buffer.alloc(start + code.length);
  const base = 0x400000;
  file.set([0x7f, 0x45, 0x4c, 0x46, bits / 32, 1, 1]);
  file.set([2, 0, bits === 32 ? 3 : 62, 0, 1], 16);
  if (bits === 32) {
    for (const [at, value] of [base + start, 52].entries()) file.writeUInt32LE(value, 24 + 4 * at);
    for (const [at, value] of [52, 32, 1].entries()) file.writeUInt16LE(value, 40 + 2 * at);
    const segment = [1, 0, base, base, file.length, file.length, 5, 4096];
    for (const [at, value] of segment.entries()) file.writeUInt32LE(value, 52 + 4 * at);
  } else {
    for (const [at, value] of [base + start, 64].entries()) file.writeBigUInt64LE(BigInt(value), 24 + 8 * at);
    for (const [at, value] of [64, 56, 1].entries()) file.writeUInt16LE(value, 52 + 2 * at);
    file.set([1, 0, 0, 0, 5], 64);
    const segment = [0, base, base, file.length, file.length, 4096];
    for (const [at, value] of segment.entries()) file.writeBigUInt64LE(BigInt(value), 72 + 8 * at);
  }
  file.set(code, start);
  return `echo ${file.toString("base64")} | base64 -d > tiny; chmod +x tiny; ./tiny; [ $? = 42 ] && echo ${out}`;
}

/** mov eax, 1; mov ebx, 42; int 0x80 */
const exitByInterrupt = [0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80];
/** mov edi, 42; mov eax, 0x4000003c; syscall */
const exitByX32 = [0xbf, 42, 0, 0, 0, 0xb8, 0x3c, 0, 0, 0x40, 0x0f, 0x05];
/** mov edi, 42; mov eax, 60; syscall */
const exitAsUsual = [0xbf, 42, 0, 0, 0, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05];

const connecting = [
  anyone("bash's own network", does("exec 9<>/dev/tcp/127.0.0.1/@PORT")),
  anyone("curl", `curl -sm 2 http://127.0.0.1:@PORT`),
  anyone("IPv4", connects("AF_INET", '("127.0.0.1", @PORT)')),
  anyone("IPv4 written as IPv6", connects("AF_INET6", '("::ffff:127.0.0.1", @PORT)')),
  anyone("the list of the host's sockets", does("grep -i :@HEXPORT /proc/net/tcp /proc/net/tcp6")),
  anyone("a socket in /tmp", connects("AF_UNIX", '"@HOST/socket"')),
  anyone("an abstract socket", connects("AF_UNIX", String.raw`"\0@MARK"`)),
  anyone("the list of the host's local sockets", does("grep @MARK /proc/net/unix")),
  anyone("netlink", socket(16, 3)),
  root("raw packets", socket(17, 3)),
  root("raw IP", python("import socket; socket.socket(2, 3, 1)")),
  kernel("sockets of virtual machines", socket(40, 1)),
  kernel("sockets of the kernel's ciphers", socket(38, 5)),
  kernel("sockets of clusters", socket(30, 1)),
  kernel("a pair of them", python("import socket; socket.socketpair(30, 1)")),
];

const reading = [
  anyone("a secret", reads("@HOST/secret")),
  anyone("a secret, from above", reads("../../../../../../../../../..@HOST/secret")),
  anyone("a secret, through the root of a process", reads("/proc/self/root@HOST/secret")),
  anyone(
    "a secret, through the folder of a process",
    reads("/proc/self/cwd/../../../../../../..@HOST/secret"),
  ),
  anyone("a secret, through a link", "ln -s @HOST/secret link", reads("link")),
  anyone("an inherited descriptor", does("grep -a secret <&20")),
  anyone("the home of the user who replays", exists(homedir())),
  { ...anyone("the box, from inside", exists("@BOX")), control: exists("@HOST") },
  anyone("password hashes", exists("/etc/shadow")),
  anyone("other users", does("grep ^daemon: /etc/passwd")),
  anyone("the environment of others", does("cat /proc/[0-9]*/environ 2>/dev/null | grep -a @SECRET")),
  anyone("our environment", does("env | grep @SECRET")),
  anyone("the processes of the host", does("cat /proc/[0-9]*/cmdline 2>/dev/null | grep -a @PATTERN")),
  anyone("a process of the host", exists("/proc/@PID")),
  anyone("shared memory", exists("/dev/shm/@MARK")),
  anyone("System V shared memory", perl(`print "${out}" if defined shmget(@KEY, 0, 0)`)),
  anyone("/sys", exists("/sys/kernel")),
  anyone("what runs on the host", does("ls -A /run | grep .")),
  anyone("the kernel's messages", exists("/dev/kmsg")),
  kernel("the kernel's memory", reads("/proc/kcore")),
  kernel("the machine's memory", exists("/dev/mem")),
  kernel("disks", does("find /dev -type b | grep .")),
];

const writing = [
  anyone("a new file", opens("@HOST/new")),
  anyone("a file that is there", opens("@HOST/secret")),
  anyone("git's hooks", opens("@HOST/.git/hooks/post-commit")),
  anyone("a store", opens("@HOST/.ctx/config.json")),
  anyone("from above", opens("../../../../../../../../../..@HOST/new")),
  anyone("through a link of an earlier step", "ln -s @HOST link", opens("link/new")),
  anyone("through a second name", does("ln @HOST/secret second")),
  anyone("by renaming", does("mv @HOST/secret moved")),
  anyone("by removing", does("rm @HOST/secret")),
  root("/usr", opens("/usr/lib/os-release")),
  root("/etc", opens("/etc/passwd")),
  root("/dev", makes("/dev/@MARK-dev")),
  root("the root folder", makes("/@MARK-root")),
  root("/run", makes("/run/@MARK-run")),
  root("the kernel's settings", opens("/proc/sys/kernel/panic")),
  root("what the kernel runs after a crash", opens("/proc/sys/kernel/core_pattern")),
  kernel("the limit of namespaces", opens("/proc/sys/user/max_user_namespaces")),
  root("any setting at all", does("find /proc/sys -type f -writable 2>/dev/null | grep .")),
  kernel("the keyboard of the kernel", opens("/proc/sysrq-trigger")),
  root("interrupts", opens("/proc/irq/default_smp_affinity")),
  root("control groups", does("find /sys/fs/cgroup -name cgroup.procs -writable 2>/dev/null | grep .")),
  root("a device: a disk", does("mknod disk b 8 0")),
  root("a device: memory", does("mknod memory c 1 1")),
  kernel("a device: fuse", opens("/dev/fuse")),
];

/**
 * What one step plants where the next one's bwrap mounts something. Outside, nothing keeps a link from
 * working.
 */
const planted = "mkdir own; rmdir own; ln -s @HOST own; [ -e own/secret ] && echo ESCAPED";
const turning = (what: string): string =>
  `cd /; rm -rf ${what} ${what}/* ${what}/.[a-z]*; mv ${what} ${what}-; ln -s @HOST ${what}; true`;
const planting = [
  { ...anyone("the home becomes a link", turning("/ctx/home"), exists("~/secret")), control: planted },
  { ...anyone("/tmp becomes a link", turning("/tmp"), exists("/tmp/secret")), control: planted },
  { ...anyone("/var/tmp becomes a link", turning("/var/tmp"), exists("/var/tmp/secret")), control: planted },
  { ...anyone("the workspace becomes a link", turning('"$OLDPWD"'), exists("secret")), control: planted },
  {
    ...anyone("its parent becomes a link", turning("/home/ana"), exists("/home/ana/secret")),
    control: planted,
  },
  {
    ...anyone(
      "links where mounts would go",
      "for n in home ws etc tmp; do ln -s @HOST $n ~/$n /tmp/$n; done",
      opens("~/home/new"),
      opens("/tmp/ws/new"),
    ),
    control: planted,
  },
  {
    ...anyone("the output is closed to its reader", "chmod 000 /proc/self/fd/1", exists("@HOST")),
    control: exists("@HOST"),
  },
];

/** Checks that a mount is as it was: what a step may have put in its place would not hold this file. */
const changed = "! grep -q 'from left' node_modules/left.js && echo ESCAPED";
const code = "@CODE/node_modules/left.js";
/** What a step does to the place where dependencies are mounted, and the next one finds there. */
const replacing = (name: string, step: string): Attempt => ({
  ...anyone(`dependencies ${name}`, step, `${changed}; ${exists("node_modules/secret")}`),
  control: `cp -r @CODE/node_modules .; ${step}; ${changed}`,
});
const mounts = [
  replacing("are moved, and a link takes their place", "mv node_modules moved; ln -s @HOST node_modules"),
  replacing("are removed, and a link takes their place", "rm -rf node_modules; ln -s @HOST node_modules"),
  replacing("are replaced by a folder", "mkdir own; mv node_modules gone; mv -T own node_modules"),
  replacing(
    "are exchanged with a folder",
    `mkdir own; cp @HOST/secret own; ${perl(
      `syscall(${isArm ? 276 : 316}, -100, my $a = "own", -100, my $b = "node_modules", 2)`,
    )}`,
  ),
  replacing("are covered by a link to their folder", "ln -sfnT @HOST node_modules || rm -r node_modules"),
  replacing("move with the workspace", 'cd ..; mv "$OLDPWD" app; cd app; rm -rf node_modules'),
  { ...anyone("a dependency is changed", opens("node_modules/left.js")), control: opens(code) },
  { ...anyone("a dependency is added", opens("node_modules/new")), control: opens("@CODE/node_modules/new") },
  {
    ...anyone("a dependency gets other permissions", does("chmod 777 node_modules/left.js")),
    control: does(`cp ${code} left.js; chmod 777 left.js`),
  },
  {
    ...anyone("a dependency gets a second name", does("ln node_modules/left.js left.js")),
    control: does(`ln ${code} @CODE/node_modules/second; rm @CODE/node_modules/second`),
  },
  anyone("what lies beside the dependencies", exists("@CODE/.env"), exists("node_modules/../.env")),
  {
    ...anyone(
      "what a link among the dependencies leads to",
      reads("node_modules/out"),
      reads("node_modules/up"),
    ),
    control: reads("@CODE/node_modules/out"),
  },
  {
    ...anyone(
      "the mount's source in the list of mounts",
      does("ls -d $(awk '/node_modules/ { print $4 }' /proc/self/mountinfo)/.. | grep @CODE"),
    ),
    control: does("ls -d @CODE/node_modules/.. | grep @CODE"),
  },
  anyone("a toolchain is changed", opens("@MANAGER/installs/tool/1.0/bin/tool")),
  anyone("a program is added to a toolchain", opens("@MANAGER/installs/tool/1.0/bin/other")),
  anyone("a token beside a toolchain's version", reads("@MANAGER/installs/tool/token")),
  anyone("a token above the toolchains", reads("@MANAGER/installs/token")),
  anyone("a token in the version manager's folder", reads("@MANAGER/token")),
  {
    ...anyone("a token that a link in a toolchain leads to", reads("@MANAGER/installs/tool/1.0/link")),
    control: reads("@MANAGER/installs/tool/1.0/link"),
  },
  {
    ...anyone(
      "the folder above a toolchain becomes a link",
      "mv @MANAGER/installs @MANAGER/moved && ln -s @HOST @MANAGER/installs",
      exists("@MANAGER/installs/secret"),
    ),
    control: planted,
  },
  {
    ...anyone("a file of the run's from outside is changed", opens("/srv/notes/outside.md")),
    control: opens("@HOST/secret"),
  },
  {
    ...anyone(
      "a file of the run's from outside is replaced",
      "cd /srv; rm -rf notes; mv notes moved; ln -s @HOST notes",
      exists("/srv/notes/secret"),
    ),
    control: planted,
  },
];

const powers = [
  anyone("a signal to the host", does("kill -0 @PID")),
  anyone("a new user namespace", does("unshare -U true")),
  anyone("all new namespaces", does("unshare -Urmpfn true")),
  anyone("a sandbox in the sandbox", does("bwrap --unshare-user --ro-bind / / true")),
  anyone(
    "a new namespace by clone",
    perl(
      `$r = syscall(${isArm ? 220 : 56}, 0x10000011, 0, 0, 0, 0); exit if $r == 0; print "${out}" if $r > 0`,
    ),
  ),
  anyone("clone3", reaches(435, 0, 0)),
  root("a namespace of another process", does("nsenter -t $$ -u true")),
  {
    ...root("a mount", does("mount -t tmpfs tmpfs /tmp")),
    control: does("unshare -m mount -t tmpfs tmpfs /tmp"),
  },
  {
    ...root("the root folder made writable", does("mount -o remount,bind,rw /")),
    control: does("unshare -m mount -o remount,bind,rw /"),
  },
  {
    ...root("/usr made writable", does("mount -o remount,bind,rw /usr")),
    control: does("unshare -m mount -o remount,bind,rw /"),
  },
  {
    ...root("what covers /proc/sys taken away", does("umount /proc/sys")),
    control: does("unshare -m umount -l /dev/shm"),
  },
  root("another root folder", does("chroot / true")),
  root("another user", does("setpriv --reuid 0 --clear-groups true")),
  { ...kernel("higher limits", does("ulimit -Hn 8192")), control: does("ulimit -Hn 4096; ulimit -Hn 8192") },
  anyone("programs that give more rights", does("grep NoNewPrivs:.0 /proc/self/status")),
  root("capabilities", does("grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status")),
  root(
    "capabilities of the first process",
    does("grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/1/status"),
  ),
  anyone("no filter of calls", does("grep Seccomp:.0 /proc/self/status")),
  anyone("no filter of the first process's calls", does("grep Seccomp:.0 /proc/1/status")),
  anyone("a fixed layout of memory", does("setarch -R true")),
  root("typing into a terminal", ioctl("0x5412")),
  {
    ...anyone("a setting that changes bwrap itself", "true"),
    env: { LD_DEBUG: "libs", LD_DEBUG_OUTPUT: "@HOST/ld" },
    control: does("/usr/bin/true; ls @HOST/ld.*"),
  },
];

const otherCalls = isArm
  ? []
  : [
      kernel("a 32-bit program", tiny(32, exitByInterrupt)),
      {
        ...kernel("a 32-bit call of a 64-bit program", tiny(64, exitByInterrupt)),
        control: tiny(64, exitAsUsual),
      },
      { ...kernel("an x32 call", tiny(64, exitByX32)), control: tiny(64, exitAsUsual) },
    ];

/**
 * Every call that the filter names, but for the one that would hang up the terminal of the user who runs the
 * tests.
 */
const calls = Object.entries(denied).flatMap(([name, numbers]) => {
  const number = numbers[isArm ? 1 : 0];
  return number === undefined || name === "vhangup" ? [] : [kernel(`the call ${name}`, reaches(number))];
});

const groups = { connecting, reading, writing, planting, mounts, powers, otherCalls, calls };
const attempts = Object.entries(groups).flatMap(([group, all]) =>
  all.map((one) => ({ ...one, name: `${group}: ${one.name}` })),
);

const mark = `ctx-test-${process.pid}`;
const key = 0x63740000 + (process.pid % 0xffff);
let mounted: { checkout: string; manager: string };
let server: Server;
let sleeper: ChildProcess;
/** The folder of its socket. */
let servers: string;
let driver: string;

/** A folder that every user may read and write, so that only the sandbox stands in the way. */
function newHost(): string {
  const host = tempFolder();
  fs.mkdirSync(join(host, ".git/hooks"), { recursive: true });
  fs.mkdirSync(join(host, ".ctx"));
  for (const name of ["secret", ".git/hooks/post-commit", ".ctx/config.json"])
    fs.writeFileSync(join(host, name), "secret");
  for (const name of ["", ".git", ".git/hooks", ".ctx"]) fs.chmodSync(join(host, name), 0o777);
  for (const name of ["secret", ".git/hooks/post-commit", ".ctx/config.json"])
    fs.chmodSync(join(host, name), 0o666);
  return host;
}

/** A checkout with dependencies, and what a version manager installed, with a token in every folder above them. */
function newMounts(): { checkout: string; manager: string } {
  const top = lastingFolder();
  const [checkout, manager] = [join(top, "project"), join(top, "home/.local/share/mise")];
  const bin = join(manager, "installs/tool/1.0/bin");
  fs.mkdirSync(join(checkout, "node_modules"), { recursive: true });
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(join(checkout, "node_modules/left.js"), "// from left\n");
  fs.writeFileSync(join(bin, "tool"), "#!/bin/sh\necho tool\n");
  const tokens = [checkout, manager, join(manager, "installs"), join(manager, "installs/tool")];
  for (const folder of tokens)
    for (const name of [".env", "token"]) fs.writeFileSync(join(folder, name), "secret");
  fs.symlinkSync(join(checkout, ".env"), join(checkout, "node_modules/out"));
  fs.symlinkSync("../.env", join(checkout, "node_modules/up"));
  fs.symlinkSync("../../token", join(manager, "installs/tool/1.0/link"));
  // So that only the sandbox stands in the way.
  for (const name of ["", ...fs.readdirSync(top, { recursive: true, encoding: "utf8" })])
    if (!fs.lstatSync(join(top, name)).isSymbolicLink()) fs.chmodSync(join(top, name), 0o777);
  return { checkout, manager };
}

/** Puts the names of what stands outside into a text. */
function fill(command: string, host: string): string {
  const port = (server.address() as { port: number }).port;
  const values: Record<string, string> = {
    HOST: host,
    CODE: mounted.checkout,
    MANAGER: mounted.manager,
    PORT: String(port),
    HEXPORT: port.toString(16).padStart(4, "0"),
    MARK: mark,
    // Not found in the command line that looks for it.
    PATTERN: `[c]${mark.slice(1)}`,
    SECRET: `${mark}-secret`,
    PID: String(sleeper.pid),
    KEY: String(key),
  };
  return command.replaceAll(/@([A-Z]+)/g, (whole, name: string) => values[name] ?? whole);
}

/** What both sides start with: a variable and a descriptor that are none of a program's business. */
function setting(host: string, user: number | undefined) {
  return {
    env: { PATH: process.env["PATH"] ?? "", HOME: homedir(), TEST_SECRET: `${mark}-secret` },
    stdio: Array.from({ length: 21 }, (_, at) =>
      at < 3 ? ("pipe" as const) : at === 20 ? fs.openSync(join(host, "secret"), "r") : ("ignore" as const),
    ),
    ...(user === undefined ? {} : { uid: user, gid: user }),
  };
}

/** Runs an attempt, or its control, where there is no sandbox. */
async function tryOutside({ steps, control, env = {} }: Attempt): Promise<string> {
  const host = newHost();
  const options = setting(host, undefined);
  const cwd = tempFolder();
  let said = "";
  for (const step of control === undefined ? steps : [control]) {
    // The socket is where its server put it.
    const command = fill(step.replaceAll("@HOST/socket", join(servers, "socket")), host);
    const child = spawn("bash", ["-c", command], {
      ...options,
      cwd,
      env: { ...options.env, ...filled(env, host) },
    });
    child.stdin?.end();
    said += await text(child.stdout as Readable);
  }
  fs.closeSync(options.stdio[20] as number);
  return said;
}

function filled(env: Record<string, string>, host: string): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value, host)]));
}

/** Runs all attempts in sandboxes, a new box for each, by a process of that user. */
async function tryInside(
  host: string,
  user: number | undefined,
): Promise<(FinishedProgram & { output: string })[][]> {
  const options = setting(host, user);
  const child = spawn(process.execPath, [driver], { ...options, cwd: "/" });
  const all = attempts.map(({ steps, env = {} }) => ({
    steps: steps.map((step) => fill(step, host)),
    env: filled(env, host),
  }));
  const { checkout, manager } = mounted;
  child.stdin?.end(JSON.stringify({ all, checkout, tool: join(manager, "installs/tool/1.0") }));
  const [said, errors] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
  fs.closeSync(options.stdio[20] as number);
  expect(errors).toBe("");
  return JSON.parse(said) as (FinishedProgram & { output: string })[][];
}

const driverCode = `
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { makeSandboxDir, removeSandboxDir, chownSandboxDir } from "./src/replay/sandbox-dir.js";
import { runProgram } from "./src/replay/spawn.js";
import { addDependencies } from "./src/replay/dependency-folders.js";
import { Workspace } from "./src/replay/workspace.js";
const results = [];
const { all, checkout, tool } = JSON.parse(await text(process.stdin));
const toolchains = [{ folder: tool, bin: tool + "/bin" }];
for (const { steps, env } of all) {
  const box = makeSandboxDir({ temp: "/tmp", workdir: "/home/ana/repo" });
  box.outside.names.push("/srv/notes/outside.md");
  mkdirSync(join(box.outside.folder, "srv/notes"), { recursive: true });
  writeFileSync(join(box.outside.folder, "srv/notes/outside.md"), "notes\\n");
  const workspace = new Workspace(box.workspace, box.visiblePath);
  addDependencies(checkout, { box, workspace }, { isNamed: true });
  workspace.close();
  chownSandboxDir(box);
  const ran = [];
  const first = "echo alive; cat node_modules/left.js /srv/notes/outside.md; sh " + tool + "/bin/tool";
  for (const step of [first, ...steps]) {
    const argv = ["/bin/bash", "-c", step.replaceAll("@BOX", box.folder)];
    const program = { argv, folder: box.visiblePath, env: step === first ? {} : env, timeout: 20000, outputLimit: 65536 };
    const one = await runProgram(box, { kind: "bwrap", version: "" }, program, { network: false, path: process.env.PATH, toolchains });
    ran.push({ ...one, output: one.output.toString() });
  }
  results.push(ran);
  removeSandboxDir(box);
}
console.log(JSON.stringify(results));
`;

/** Returns the names in folders that an escape would change. */
function listing(): string[] {
  return ["/", "/etc", "/usr", "/usr/bin", "/dev", "/var"].flatMap((folder) =>
    fs.readdirSync(folder).map((name) => join(folder, name)),
  );
}

const needs = [program("bwrap"), program("perl"), program("python3"), program("curl")];

describeWith(needs, "escapes from the sandbox", () => {
  beforeAll(async () => {
    const folder = tempFolder();
    fs.chmodSync(folder, 0o755);
    driver = join(folder, "driver.mjs");
    const entry = {
      contents: driverCode,
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
      loader: "ts" as const,
    };
    buildSync({
      stdin: entry,
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: driver,
      logLevel: "error",
    });
    mounted = newMounts();
    servers = newHost();
    server = createServer((client) =>
      client.on("error", () => undefined).end(`HTTP/1.0 200 OK\r\n\r\n${out}`),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const code = `import socket, sys; a = socket.socket(1); a.bind("\\0" + sys.argv[1]); a.listen(); b = socket.socket(1); b.bind(sys.argv[2]); b.listen(); import os; os.chmod(sys.argv[2], 0o777); print("ready", flush=True); sys.stdin.read()`;
    sleeper = spawn("/usr/bin/python3", ["-c", code, mark, join(servers, "socket")], {
      stdio: ["pipe", "pipe", "inherit"],
      ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
    });
    await new Promise((resolve) => sleeper.stdout?.once("data", resolve));
    fs.writeFileSync(`/dev/shm/${mark}`, "");
    spawnSync("perl", ["-e", `shmget(${key}, 4096, 01666) // die`]);
  });

  afterAll(() => {
    server.close();
    sleeper.stdin?.end();
    fs.rmSync(`/dev/shm/${mark}`, { force: true });
    spawnSync("perl", ["-e", `shmctl(shmget(${key}, 0, 0), 0, 0)`]);
  });

  it("escapes: there are over 100, each with its own name", () => {
    expect(new Set(attempts.map(({ name }) => name)).size).toBe(attempts.length);
    expect(attempts.length).toBeGreaterThan(100);
  });

  describe("outside the sandbox", () => {
    let said: string[];

    beforeAll(async () => {
      said = [];
      for (let at = 0; at < attempts.length; at += 8)
        said.push(...(await Promise.all(attempts.slice(at, at + 8).map(tryOutside))));
    });

    const all = attempts.map(({ name, by }, at) => ({ name, by, at }));
    const sure = all.filter(({ by }) => by === "anyone" || (by === "root" && isRoot));
    it.each(sure)("an escape works outside the sandbox: $name", ({ at }) => {
      expect(said[at]).toContain(out);
    });

    itWith(
      [asRoot],
      "escapes by calls reach the kernel outside the sandbox, except those that it does not have",
      () => {
        const tried = all.filter(({ by }) => by === "kernel");
        const lacking = tried.filter(({ at }) => said[at]?.includes(out) !== true).map(({ name }) => name);
        // No kernel has everything; with one that has almost nothing, this would be a test of nothing.
        expect(lacking.length, lacking.join()).toBeLessThan(tried.length / 3);
      },
    );
  });

  const users = isRoot ? [undefined, 65534] : [undefined];
  describe.each(users)("in the sandbox, by user %s", (user) => {
    let results: Awaited<ReturnType<typeof tryInside>>;
    const before = { host: new Map<string, string>(), mounts: new Map<string, string>(), listing: [""] };
    let host: string;

    beforeAll(async () => {
      host = newHost();
      before.host = snapshot(host);
      before.mounts = snapshot(join(mounted.checkout, ".."));
      before.listing = listing();
      results = await tryInside(host, user);
    }, 120_000);

    it.each(attempts.map(({ name }, at) => [name, at] as const))(
      `an escape in the sandbox by user ${user ?? "of the tests"} fails: %s`,
      (_, at) => {
        const [alive, ...steps] = results[at] ?? [];
        expect(alive).toMatchObject({ output: "alive\n// from left\nnotes\ntool\n", exitCode: 0 });
        expect(steps.length).toBe(attempts[at]?.steps.length);
        for (const { output, timedOut } of steps) {
          expect(output).not.toContain(out);
          expect(timedOut).toBe(false);
        }
      },
    );

    it(`escapes in the sandbox by user ${user ?? "of the tests"} are refused by the filter, not by chance`, () => {
      const said = attempts.flatMap(({ name }, at) =>
        name.startsWith("calls: ") ? [results[at]?.[1]?.output] : [],
      );
      expect(new Set(said)).toEqual(new Set(["errno 1"]));
      for (const [at, { name }] of attempts.entries())
        if (name.startsWith("otherCalls"))
          expect(results[at]?.[1]?.output, name).toMatch(/Bad system call|annot execute/);
    });

    it(`escapes in the sandbox by user ${user ?? "of the tests"} leave everything outside unchanged`, () => {
      expect(snapshot(host)).toEqual(before.host);
      expect(snapshot(join(mounted.checkout, ".."))).toEqual(before.mounts);
      expect(listing()).toEqual(before.listing);
      expect(sleeper.exitCode).toBeNull();
    });
  });
});
