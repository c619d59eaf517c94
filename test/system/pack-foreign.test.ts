// Logs of agents and the built program: many processes at once, one that is killed at every change, one whose
// calls fail, and a log that comes down a pipe.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { describeWith, program } from "../../dev/needs.js";
import { type Ended, failures, pool, runCtx, together } from "../../dev/processes.js";
import { copyOf, learn, must, spoil } from "../../dev/scenes.js";
import { chats, laterRecord, stream, writeSession } from "../../dev/sessions.js";
import {
  examine,
  flawsOf,
  leftovers,
  listed,
  objectFile,
  objectNames,
  reported,
  tornObjects,
} from "../../dev/store-check.js";
import { type Call, isChange, isFlush } from "../../dev/strace.js";

const crowd = 8;
const patience = 240_000;

/** Returns a new folder with a store and whatever is put beside it. */
async function sceneWith(put: (folder: string) => void): Promise<string> {
  const folder = tempFolder();
  await must(folder, ["init"]);
  put(folder);
  return folder;
}

function results(ended: readonly Ended[]): PackResult[] {
  return ended.flatMap(({ stdout }) =>
    stdout
      .split("\n")
      .filter(Boolean)
      .map((text) => JSON.parse(text) as PackResult),
  );
}

/** Returns what a listed pack names that is not there, or is no pack: the runs that it started. */
function danglingIn(folder: string, packs: readonly string[]): string[] {
  return packs.flatMap((hex) =>
    [...fs.readFileSync(objectFile(folder, hex), "utf8").matchAll(/"pack":"sha256:([0-9a-f]{64})"/g)]
      .map(([, sub]) => sub as string)
      .filter((sub) => !packs.includes(sub))
      .map((sub) => `${hex} names ${sub}, which is not listed`),
  );
}

describe("processes that pack logs of agents at once", () => {
  it("many processes that pack an agent's log without times at once make one pack", {
    timeout: patience,
  }, async () => {
    const folder = await sceneWith(() => undefined);
    for (let round = 0; round < 3; round++) {
      fs.writeFileSync(join(folder, "stream.jsonl"), lines(...stream(`Round ${round}.`)));
      const ended = await together(folder, crowd, () => ["pack", "stream.jsonl", "--json"]);
      expect(failures(ended)).toEqual([]);
      const packed = results(ended);
      expect(packed.length).toBe(crowd);
      expect(new Set(packed.map(({ hash }) => hash)).size).toBe(1);
      expect(packed.filter(({ new: isNew }) => isNew).length).toBe(1);
      expect((await listed(folder)).length).toBe(round + 1);
    }
    expect(leftovers(folder)).toEqual([]);
  });

  it("many processes that pack a log of several runs without times at once make one pack of each run", {
    timeout: patience,
  }, async () => {
    const folder = await sceneWith((at) =>
      fs.writeFileSync(join(at, "chats.jsonl"), chats("one", "two", "three")),
    );
    const ended = await together(folder, crowd, () => ["pack", "chats.jsonl"]);
    expect(failures(ended)).toEqual([]);
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect((await listed(folder)).sort()).toEqual([...new Set(reported(ended[0]?.stdout ?? ""))].sort());
    expect((await listed(folder)).length).toBe(3);
    expect(leftovers(folder)).toEqual([]);
  });

  it("many processes that pack a session at once make one pack of it, and one of its sub-agent", {
    timeout: patience,
  }, async () => {
    const folder = await sceneWith(writeSession);
    const ended = await together(folder, crowd, () => ["pack", "session.jsonl", "--json"]);
    expect(failures(ended)).toEqual([]);
    expect(new Set(results(ended).map(({ hash }) => hash)).size).toBe(1);
    expect((await listed(folder)).length).toBe(2);
    expect((await examine(folder, "")).wrongs).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
    const verified = await runCtx(folder, ["verify"]);
    expect([verified.status, verified.stderr]).toEqual([0, ""]);
  });
});

describe("a log in a pipe", () => {
  it("a log in a pipe is sealed at its end", async () => {
    const folder = await sceneWith(() => undefined);
    const input = lines(...stream());
    const piped = await runCtx(folder, ["pack", "-", "--prompt", "Do it."], { input });
    expect([piped.status, piped.stderr]).toEqual([0, ""]);
    const shown = await runCtx(folder, ["show", "latest"]);
    expect(shown.stdout).toContain("Do it.");
  });

  it("a log in a pipe of several megabytes with very long lines is read to its end", {
    timeout: patience,
  }, async () => {
    const folder = await sceneWith(() => undefined);
    const text = "x".repeat(3 << 20);
    const input = lines(...stream(`${text} the end`));
    const piped = await runCtx(folder, ["pack", "-", "--json"], { input });
    expect([piped.status, piped.stderr]).toEqual([0, ""]);
    const shown = await runCtx(folder, ["show", "latest", "--step", "0", "--json"]);
    expect(shown.stdout).toContain("x the end");
  });
});

/** Every object that a killed process may have left names nothing that shows. */
async function soundness(folder: string, stdout: string): Promise<{ packs: string[]; wrongs: string[] }> {
  const { packs, wrongs } = await examine(folder, stdout);
  return { packs, wrongs: [...wrongs, ...danglingIn(folder, packs)] };
}

describeWith([program("strace")], "packing a session with a sub-agent", () => {
  const args = ["pack", "session.jsonl"];

  async function expectedOf(start: string): Promise<{ main: string; all: string[]; objects: string[] }> {
    const folder = copyOf(start);
    const [main = ""] = await must(folder, args);
    return { main, all: (await listed(folder)).sort(), objects: objectNames(folder).sort() };
  }

  /** Returns what is wrong after the same command ran once more, when a call had gone wrong. */
  async function again(
    folder: string,
    { main, all }: { main: string; all: string[] },
    { what }: Call,
  ): Promise<string[]> {
    const { status, stdout, stderr } = await runCtx(folder, args);
    const wrong = stdout === `ctx://${main}\n` && status === 0 ? [] : [`${status} ${stdout}${stderr}`];
    const after = (await listed(folder)).sort();
    if (String(after) !== String(all)) wrong.push(`lists ${after.length} packs`);
    wrong.push(...tornObjects(folder), ...after.flatMap((hex) => flawsOf(folder, hex)));
    wrong.push(...leftovers(folder), ...danglingIn(folder, after));
    const latest = join(folder, ".ctx/refs/latest");
    // A pack that is there already does not move latest, which is all that was missing then.
    const isMoved = fs.existsSync(latest) && fs.readFileSync(latest, "utf8") === `sha256:${main}\n`;
    if (!isMoved && !/refs\/latest|^fsync @\/\.ctx\/packs$/.test(what))
      wrong.push("latest is not the main run");
    const verified = await runCtx(folder, ["verify"]);
    if (verified.status !== 0) wrong.push(`verify: ${verified.stdout}${verified.stderr}`);
    return wrong.map((text) => `again: ${text}`);
  }

  async function killEverywhere(start: string, choose: (call: Call) => boolean): Promise<[number, string[]]> {
    const expected = await expectedOf(start);
    const points = (await learn(copyOf(start), args)).filter(isChange).filter(choose);
    const found = await pool(points, async (call) => {
      const { folder, ended } = await spoil(start, args, call, { signal: "SIGKILL" });
      const { wrongs } = await soundness(folder, ended.stdout);
      if (ended.signal !== "SIGKILL") wrongs.push(`it survived with status ${ended.status}`);
      wrongs.push(...(await again(folder, expected, call)));
      fs.rmSync(folder, { recursive: true });
      return wrongs.map((text) => `killed at ${call.what}: ${text}`);
    });
    return [points.length, found.flat()];
  }

  // Flushes change nothing that a killed process could leave.
  // `npm run torture` does so at every change, when a hook seals a session.
  it("packing a session with a sub-agent, killed at each rename and some other changes, leaves nothing half-visible", {
    timeout: patience,
  }, async () => {
    const start = await sceneWith(writeSession);
    let count = 0;
    const [points, found] = await killEverywhere(
      start,
      ({ name }) => !isFlush(name) && (name.startsWith("rename") || ++count % 4 === 0),
    );
    expect(found).toEqual([]);
    expect(points).toBeGreaterThan(15);
  });

  it("packing a later version of a session, killed at any change, leaves the earlier version intact", {
    timeout: patience,
  }, async () => {
    const start = await sceneWith(writeSession);
    await must(start, args);
    fs.appendFileSync(join(start, "session.jsonl"), lines(laterRecord()));
    const [points, found] = await killEverywhere(start, ({ name }) => !isFlush(name) && name !== "write");
    expect(found).toEqual([]);
    expect(points).toBeGreaterThan(10);
  });

  it("packing a session with a sub-agent, failing at a change, leaves nothing half-visible and says so", {
    timeout: patience,
  }, async () => {
    const start = await sceneWith(writeSession);
    const expected = await expectedOf(start);
    const calls = (await learn(copyOf(start), args)).filter(({ name }) => name !== "exit_group");
    const chosen = calls.filter(isChange).filter(({ name }, at) => name.startsWith("rename") || at % 5 === 0);
    const found = await pool(chosen, async (call) => {
      const { folder, ended } = await spoil(start, args, call, { error: "ENOSPC" });
      const { wrongs } = await soundness(folder, ended.stdout);
      if ((ended.status === 0) !== (reported(ended.stdout)[0] === expected.main))
        wrongs.push(`prints ${ended.stdout}`);
      if (ended.status !== 0 && !ended.stderr.includes("ENOSPC")) wrongs.push(`says ${ended.stderr}`);
      wrongs.push(...(await again(folder, expected, call)));
      fs.rmSync(folder, { recursive: true });
      return wrongs.map((text) => `ENOSPC at ${call.what}: ${text}`);
    });
    expect(found.flat()).toEqual([]);
    expect(chosen.length).toBeGreaterThan(15);
  });

  it("packing a session with a sub-agent names the packs only when all of their objects have their names", {
    timeout: patience,
  }, async () => {
    const start = await sceneWith(writeSession);
    const renames = (await learn(copyOf(start), args))
      .filter(({ name }) => name.startsWith("rename"))
      .map(({ what }) =>
        what.includes("/.ctx/packs/") ? "pack" : what.includes("/.ctx/objects/") ? "object" : "other",
      );
    expect(renames.filter((kind) => kind === "pack").length).toBe(2);
    expect(renames.lastIndexOf("object")).toBeLessThan(renames.indexOf("pack"));
    expect(renames.at(-1)).toBe("other");
  });
});
