// What `ctx trust` covers: the command lines of a store's config as they are, and the files of the repository
// that they name.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayPlan } from "../../src/results/replay.js";
import type { TrustResult } from "../../src/results/results.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";

let folder: string;
let root: string;
let home: string;

beforeEach(async () => {
  ({ folder, root } = tempStore());
  home = tempFolder();
  const step = { type: "tool_call", tool: "lookup", parameters: {}, output: "x" };
  await cli(["pack", "-", "--no-sidecars"], { folder, input: json(smallLog({ steps: [step] })) });
});

function ctx(...argv: string[]): Promise<CliResult> {
  return cli(argv, { folder, env: { HOME: home } });
}

function write(path: string, text: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
}

function configure(command: string[], more: AnyLog = {}): void {
  const replay = { adapters: { lookup: { command, ...more } } };
  write(join(root, "config.json"), JSON.stringify({ version: "0.1", replay }));
}

async function plan(): Promise<ReplayPlan> {
  return JSON.parse((await ctx("replay", "latest", "--plan", "--json")).stdout) as ReplayPlan;
}

async function trust(): Promise<TrustResult> {
  const { status, stdout, stderr } = await ctx("trust", "--json");
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as TrustResult;
}

/** Returns why the adapter is not used; every message must say so. */
async function whyUntrusted(): Promise<string | undefined> {
  const { adapters, untrusted, untrusted_why: why } = await plan();
  expect({ adapters, untrusted }).toEqual({ adapters: [], untrusted: ["lookup"] });
  const listed = await ctx("trust", "--list");
  expect(listed.status).toBe(1);
  expect(listed.stdout).toContain(`is not trusted (${why})`);
  const replayed = await ctx("replay", "latest", "--allow", "all", "--json");
  expect(replayed.stdout).toContain(why);
  return why;
}

describe("a file that a trusted command names", () => {
  it("ctx trust: a file that a command names is shown, and must not change", async () => {
    const script = join(root, "tools/s.py");
    write(script, "print(1)");
    configure(["python3", "tools/s.py"]);
    const { files } = await trust();
    expect(files).toEqual([{ path: script, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }]);
    expect((await ctx("trust")).stdout).toMatch(
      /is trusted, until it changes or one of these files does:\n(?:.*\n)* {2}file {5}\S+\/tools\/s\.py: sha256:[0-9a-f]{12}\n$/,
    );
    expect(await plan()).toMatchObject({ adapters: [{ command: ["python3", script] }], untrusted: [] });
    write(script, "print(2)");
    expect(await whyUntrusted()).toBe(`${script} has changed since it was trusted`);
    await trust();
    expect(await plan()).toMatchObject({ untrusted: [] });
  });

  it.each([
    ["files beside it", "tools/lib.py"],
    ["files in a folder beside it", "tools/lib/deep/x.py"],
  ])("ctx trust: a file that a command names counts with %s", async (_, other) => {
    write(join(root, "tools/s.py"), "import lib");
    configure(["python3", "tools/s.py"]);
    await trust();
    write(join(root, other), "evil()");
    expect(await whyUntrusted()).toBe(`${join(root, other)} is new since it was trusted`);
    await trust();
    fs.rmSync(join(root, other));
    expect(await whyUntrusted()).toBe(`${join(root, other)} is gone since it was trusted`);
  });

  it.each([
    ["in the repository", (): string[] => ["node", "../scripts/run.mjs"]],
    ["as an absolute path", (): string[] => ["node", join(folder, "scripts/run.mjs")]],
    ["as the value of an option", (): string[] => ["node", "--import=../scripts/run.mjs"]],
    ["joined to an option", (): string[] => ["perl", `-I${join(folder, "scripts")}`]],
    [
      "within a shell command line",
      (): string[] => ["sh", "-c", `exec '${join(folder, "scripts/run.mjs")}' 2>&1`],
    ],
    ["as a folder", (): string[] => ["node", "../scripts"]],
    ["as the program", (): string[] => ["../scripts/run.mjs"]],
  ])("ctx trust: a file that a command names is found %s", async (_, command) => {
    const script = join(folder, "scripts/run.mjs");
    write(script, "1");
    configure(command());
    await trust();
    expect((await plan()).untrusted).toEqual([]);
    write(script, "2");
    expect(await whyUntrusted()).toBe(`${script} has changed since it was trusted`);
  });

  it("ctx trust: a file that the version's command names must not change", async () => {
    write(join(root, "tools/v.sh"), "1");
    configure(["node"], { version: ["sh", "./tools/v.sh"] });
    await trust();
    write(join(root, "tools/v.sh"), "2");
    expect(await whyUntrusted()).toBe(`${join(root, "tools/v.sh")} has changed since it was trusted`);
  });

  it("ctx trust: a link that a command names counts with its target", async () => {
    const target = join(tempFolder(), "real.py");
    write(target, "1");
    fs.mkdirSync(join(root, "tools"));
    fs.symlinkSync(target, join(root, "tools/s.py"));
    configure(["python3", "./tools/s.py"]);
    await trust();
    write(target, "2");
    expect(await whyUntrusted()).toBe(`${join(root, "tools/s.py")} has changed since it was trusted`);
  });

  it.each([
    ["in a folder that exists", "tools"],
    ["in a folder that does not exist either", "tools/none"],
  ])("ctx trust: a missing file that a command names must not appear %s", async (_, place) => {
    fs.mkdirSync(join(root, "tools"));
    configure(["python3", `./${place}/s.py`]);
    expect((await trust()).files).toEqual([{ path: join(root, place, "s.py"), hash: null }]);
    write(join(root, place, "s.py"), "evil()");
    expect(await whyUntrusted()).toBe(`${join(root, place, "s.py")} is new since it was trusted`);
  });

  it.each([
    ["node adds the extension", ["node", "../tools/server"], "tools/server.js"],
    [
      "node adds the extension of a module to require",
      ["node", "--require=../tools/server", "x"],
      "tools/server.js",
    ],
    ["node prefers a file to a folder of that name", ["node", "../tools/folder"], "tools/folder.js"],
    ["the program itself has no extension", ["../tools/server"], "tools/server.js"],
    ["java reads every jar", ["java", "-cp", "../tools/*", "Main"], "tools/a.jar"],
    ["a shell completes a pattern", ["sh", "-c", "exec node TOP/tools/s*.js"], "tools/server.js"],
  ])("ctx trust: a file with an incomplete name must not change: %s", async (_, command, file) => {
    write(join(folder, "tools/folder/index.js"), "1");
    write(join(folder, file), "1");
    configure(command.map((word) => word.replace("TOP", folder)));
    const { files = [] } = await trust();
    expect(files.map(({ path }) => path)).toContain(join(folder, file));
    expect((await plan()).untrusted).toEqual([]);
    write(join(folder, file), "2");
    expect(await whyUntrusted()).toBe(`${join(folder, file)} has changed since it was trusted`);
  });

  it("ctx trust: a file with an incomplete name, behind a link from elsewhere, must not change", async () => {
    write(join(folder, "tools/server.js"), "1");
    const link = join(tempFolder(), "link");
    fs.symlinkSync(join(folder, "tools"), link);
    configure(["node", join(link, "server")]);
    await trust();
    write(join(folder, "tools/server.js"), "2");
    expect(await whyUntrusted()).toMatch(/server\.js has changed since it was trusted$/);
  });

  it("ctx trust: a file outside of the repository may change", async () => {
    const script = join(tempFolder(), "run.mjs");
    write(script, "1");
    configure(["node", script]);
    expect((await trust()).files).toEqual([]);
    write(script, "2");
    expect((await plan()).untrusted).toEqual([]);
  });
});

describe("a word of a trusted command", () => {
  it.each(["node:fs/promises", "x.y", "tools/s.py", "tools/server", "@scope/pkg", "--stdio", "-y"])(
    "ctx trust: the word %s of a command names no file that appears later",
    async (word) => {
      configure(["node", word]);
      await trust();
      write(join(root, word), "evil()");
      expect(await plan()).toMatchObject({ adapters: [{ command: ["node", word] }], untrusted: [] });
    },
  );
});

async function refusal(): Promise<string> {
  const { status, stderr } = await ctx("trust");
  expect(status).toBe(2);
  expect(stderr).toContain("the programs of the store's config cannot be trusted");
  expect(stderr).toContain("such as .ctx/tools, or configure them in your own config");
  expect((await plan()).untrusted).toEqual(["lookup"]);
  return stderr;
}

describe("programs that ctx trust refuses", () => {
  it.each([
    ["./none/s.py", ".ctx"],
    ["../server", ""],
    ["../none/deep/server", ""],
    ["--require=../server", ""],
  ])("ctx trust refuses a missing program that has no folder of its own: %s", async (word, place) => {
    configure(["node", word]);
    const said = await refusal();
    expect(said).toContain(", which does not exist, is not in a folder of its own");
    expect(said).toContain(`to trust it, ctx would have to trust everything in ${join(folder, place)}`);
  });

  it.each(["./s.py", "../s.py", ".."])("ctx trust refuses %s, not in a folder of its own", async (word) => {
    write(join(root, "s.py"), "1");
    write(join(folder, "s.py"), "1");
    configure(["python3", word]);
    expect(await refusal()).toContain("is not in a folder of its own");
  });

  it("ctx trust refuses a program beside more than 1000 files", async () => {
    for (let count = 0; count <= 1000; count++) write(join(root, `tools/${count}`), "");
    configure(["python3", "./tools/1"]);
    expect(await refusal()).toContain("more than 1000 files");
  });

  it("ctx trust refuses a program of more than 16 MiB", async () => {
    write(join(root, "tools/s.py"), "");
    fs.truncateSync(join(root, "tools/s.py"), (1 << 24) + 1);
    configure(["python3", "./tools/s.py"]);
    expect(await refusal()).toContain("more than 16 MiB");
  });

  it("ctx trust refuses a program beside a link to another folder", async () => {
    write(join(root, "tools/s.py"), "");
    fs.symlinkSync(tempFolder(), join(root, "tools/lib"));
    configure(["python3", "./tools/s.py"]);
    expect(await refusal()).toContain("tools/lib is a link to another folder");
  });
});

it("ctx trust: consent that an earlier ctx recorded does not cover programs", async () => {
  configure(["python3"]);
  await trust();
  const kept = join(home, ".local/state/ctx/trust");
  for (const name of fs.readdirSync(kept)) fs.writeFileSync(join(kept, name), `${root}\n`);
  expect(await whyUntrusted()).toBe(
    "it was trusted with an earlier ctx, which did not check the files that it names",
  );
});
