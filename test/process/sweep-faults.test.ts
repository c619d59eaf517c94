// `ctx gc`, `ctx rm` and `ctx sidecar` under faults: killed at every change, and with every kind of call failing once. What is
// needed stays, whatever happens; what is said is so; and the same command works when it is run again.
import * as fs from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { eachKind } from "../support/fault-kinds.js";
import { snapshot } from "../support/folders.js";
import { type AnyLog, json } from "../support/logs.js";
import { describeWith, program } from "../support/needs.js";
import { ctxCommand, pool, runCtx } from "../support/processes.js";
import { copyOf, crashLog, emptyStore, isSame, learn, must, packArgs, spoil } from "../support/scenes.js";
import { leftovers, objectFile, objectsOf, sha256 } from "../support/store-check.js";
import { type Call, callsOf, isChange, record } from "../support/strace.js";
import { violations } from "../support/trace-check.js";

const patience = 240_000;

interface Scene {
  folder: string;
  /** The command that is put to the test. */
  args: string[];
  /** Objects that must be there whatever happens. */
  kept: string[];
  /** Packs that must be listed whatever happens. */
  packs: string[];
}

/** A run with contents of its own. */
function ownLog(name: string): AnyLog {
  return crashLog({
    system_prompt: `You are ${name}.`,
    prompts: [{ role: "user", content: `Be ${name}.` }],
    inputs: [],
    steps: [],
    outputs: [{ name: `${name}.txt`, content: `of ${name}\n` }],
  });
}

async function add(folder: string, name: string): Promise<string> {
  fs.writeFileSync(join(folder, `${name}.json`), json(ownLog(name)));
  const [hex = ""] = await must(folder, ["pack", `${name}.json`, "--no-sidecars"]);
  return hex;
}

/**
 * A store with two packs, one of them tagged; what a tag and what a draft name, though they are packs no more; and what
 * nobody names. Everything is old.
 */
async function scene(command: "gc" | "rm" | "sidecar"): Promise<Scene> {
  const folder = await emptyStore();
  const ctx = join(folder, ".ctx");
  const [drafted, tagged, loose, doomed] = [
    await add(folder, "drafted"),
    await add(folder, "tagged"),
    await add(folder, "loose"),
    await add(folder, "doomed"),
  ];
  await must(folder, ["tag", "old", tagged]);
  await must(folder, ["tag", "release", doomed]);
  const [kept = ""] = await must(folder, packArgs);
  for (const hex of [drafted, tagged, loose]) fs.rmSync(join(ctx, "packs", hex));
  fs.mkdirSync(join(ctx, "drafts/one"), { recursive: true });
  fs.writeFileSync(join(ctx, "drafts/one/execution.json"), JSON.stringify({ parent: `sha256:${drafted}` }));
  for (const hex of fs.readdirSync(join(ctx, "objects"), { recursive: true }) as string[])
    if (hex.length > 2) fs.utimesSync(join(ctx, "objects", hex), 1, 1);
  const needed = [kept, drafted, tagged, ...(command === "rm" ? [] : [doomed])];
  return {
    folder,
    args: {
      gc: ["gc", "--grace", "0d"],
      rm: ["rm", doomed, "--force"],
      sidecar: ["sidecar", "answer.txt", "--notes", "by hand"],
    }[command],
    kept: [...new Set(needed.flatMap((hex) => objectsOf(folder, hex)))],
    packs: command === "rm" ? [kept] : [kept, doomed],
  };
}

/** The calls of the command. What it does in cache/ has another name each time, and can be lost at any time. */
async function callsFor({ folder, args }: Scene): Promise<Call[]> {
  return (await learn(copyOf(folder), args)).filter(({ what }) => !what.includes("/.ctx/cache"));
}

/** What must never be: something needed is gone, a sidecar is torn. */
function losses(folder: string, { kept, packs }: Scene): string[] {
  const sidecar = join(folder, "answer.txt.ctx.json");
  const isWhole = (): boolean => {
    try {
      return (JSON.parse(fs.readFileSync(sidecar, "utf8")) as AnyLog)["context_pack"] !== undefined;
    } catch {
      return false;
    }
  };
  return [
    ...kept
      .filter(
        (hex) =>
          !fs.existsSync(objectFile(folder, hex)) || sha256(fs.readFileSync(objectFile(folder, hex))) !== hex,
      )
      .map((hex) => `lost ${hex}`),
    ...packs
      .filter((hex) => !fs.existsSync(join(folder, ".ctx/packs", hex)))
      .map((hex) => `lost pack ${hex}`),
    ...(isWhole() ? [] : ["the sidecar is torn or gone"]),
    ...(fs.readFileSync(join(folder, "answer.txt"), "utf8") === "2\n" ? [] : ["the artifact was touched"]),
  ];
}

/** All files but those that come and go. */
function tree(folder: string): string {
  return [...snapshot(folder)]
    .map(([path, content]) => `${relative(folder, path)} ${content}`)
    .filter((line) => !/^\.ctx\/(?:cache|tmp|locks)\b/.test(line))
    .sort()
    .join("\n");
}

/** Runs the same command once more, and says how that differs from a run that nothing disturbed. */
async function again(folder: string, { args }: Scene, clean: string): Promise<string[]> {
  const { status, stderr } = await runCtx(folder, args);
  // What was taken out is no pack any more, and that is said.
  const isOut = args[0] === "rm" && status === 2 && stderr.includes("is a blob, not a pack");
  const wrong = status === 0 || isOut ? [] : [`again: ${status} ${stderr}`];
  if (tree(folder) !== clean) wrong.push("again: not what it should be");
  // A command that finds nothing to do clears nothing, either; the next writer does.
  await must(folder, packArgs);
  return [...wrong, ...leftovers(folder).map((one) => `again: left ${one}`)];
}

describeWith([program("strace")], "a command that removes or replaces", () => {
  const scenes = new Map<string, Scene & { clean: string }>();

  beforeAll(async () => {
    for (const name of ["gc", "rm", "sidecar"] as const) {
      const made = await scene(name);
      const folder = copyOf(made.folder);
      await must(folder, made.args);
      scenes.set(name, { ...made, clean: tree(folder) });
    }
  }, patience);

  it.each(["gc", "rm", "sidecar"])(
    "(%s) is killed at every change, and harms nothing",
    { timeout: patience },
    async (name) => {
      const at = scenes.get(name) as Scene & { clean: string };
      const points = (await callsFor(at)).filter(isChange);
      expect(points.length).toBeGreaterThan(7);
      expect(losses(at.folder, at)).toEqual([]);
      const found = await pool(points, async (call) => {
        const { folder, ended } = await spoil(at.folder, at.args, call, { signal: "SIGKILL" });
        const wrong = ended.signal === "SIGKILL" ? [] : [`it survived with ${ended.status}`];
        wrong.push(...losses(folder, at), ...(await again(folder, at, at.clean)), ...losses(folder, at));
        fs.rmSync(folder, { recursive: true });
        return wrong.map((text) => `killed at ${call.what}: ${text}`);
      });
      expect(found.flat()).toEqual([]);
    },
  );

  it.each([
    ["gc", "EIO"],
    ["gc", "EMFILE"],
    ["gc", "EACCES"],
    ["rm", "EIO"],
    ["sidecar", "EIO"],
    ["sidecar", "ENOSPC"],
  ])(
    "(%s) with %s at every kind of call loses nothing, and says what is so",
    { timeout: patience },
    async (name, errno) => {
      const at = scenes.get(name) as Scene & { clean: string };
      const calls = (await callsFor(at)).filter((call) => {
        if (call.name === "exit_group" || call.name === "close") return false;
        return errno === "EIO" || (errno === "ENOSPC" ? isChange(call) : call.name === "openat");
      });
      expect(calls.length).toBeGreaterThan(5);
      const found = await pool(eachKind(calls), async (call) => {
        const { folder, ended } = await spoil(at.folder, at.args, call, { error: errno });
        const wrong = losses(folder, at);
        if (ended.status !== 0 && ended.status !== 2) wrong.push(`status ${ended.status}: ${ended.stderr}`);
        if (/^ +at |node:|ctx has a bug/m.test(ended.stderr))
          wrong.push(`shows its insides: ${ended.stderr}`);
        if (ended.status === 0 && tree(folder) !== at.clean)
          wrong.push(`says that it was done: ${ended.stdout}`);
        if (ended.status === 2 && !ended.stderr.includes(errno))
          wrong.push(`hides the errno: ${ended.stderr}`);
        // A folder that is as it was before needs no second try.
        if (!isSame(folder, at.folder)) wrong.push(...(await again(folder, at, at.clean)));
        fs.rmSync(folder, { recursive: true });
        return wrong.map((text) => `${errno} at ${call.what}: ${text}`);
      });
      expect(found.flat()).toEqual([]);
    },
  );

  it("(sidecar) is on the disk before it is reported, and has its name only when it is whole", async () => {
    const { folder, args } = scenes.get("sidecar") as Scene;
    const copy = copyOf(folder);
    const { trace, ended } = await record(ctxCommand(copy, args));
    expect(ended.status).toBe(0);
    const wrong = violations(trace, { root: join(copy, ".ctx") });
    expect(wrong.filter((text) => !text.includes("the name cache"))).toEqual([]);
  });

  it("(rm) without --force takes out no pack from which another was made, whichever call fails", {
    timeout: patience,
  }, async () => {
    const folder = await emptyStore();
    const [parent = ""] = await must(folder, packArgs);
    fs.writeFileSync(
      join(folder, "child.json"),
      json(crashLog({ parent: `sha256:${parent}`, metadata: { child: 1 } })),
    );
    await must(folder, ["pack", "child.json"]);
    const args = ["rm", parent];
    const { trace } = await record(ctxCommand(copyOf(folder), args));
    const calls = callsOf(trace, folder).filter(
      ({ name, line }) =>
        /^(?:openat|read|getdents64|statx)$/.test(name) &&
        line.includes("/.ctx/") &&
        !line.includes("/.ctx/cache"),
    );
    const known = calls.map((call) => ({ ...call, what: call.what.replaceAll(/\/tmp\/ctx-test-\w+/g, "@") }));
    expect(known.length).toBeGreaterThan(20);
    const found = await pool(known, async (call) => {
      const { folder: spoiled, ended } = await spoil(folder, args, call, { error: "EIO" });
      const isThere = fs.existsSync(join(spoiled, ".ctx/packs", parent));
      fs.rmSync(spoiled, { recursive: true });
      return isThere && ended.status === 2
        ? []
        : [`${call.what}: ${ended.status} ${ended.stdout}${ended.stderr}`];
    });
    expect(found.flat()).toEqual([]);
  });

  it("(rm) has taken the pack out for good before it says so", async () => {
    const { folder, args } = scenes.get("rm") as Scene;
    const copy = copyOf(folder);
    const { trace } = await record(ctxCommand(copy, args));
    const order = ["unlink", "fsync", "write"].map((call) => {
      const about =
        call === "write"
          ? /write\(1</
          : call === "unlink"
            ? /unlink\(.*\/packs\/[0-9a-f]{64}"/
            : /fsync\(.*\/packs>/;
      return trace.split("\n").findIndex((line) => about.test(line));
    });
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });
});
