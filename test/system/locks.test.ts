// Which process waits for which: a lock whose owner is gone must stop no process, and one whose owner may be
// at work must be respected, but only by those whose work it touches.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { json } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { type Running, startCtx } from "../../dev/processes.js";
import { copyOf, crashedStore, crashLog, emptyStore, must, packArgs } from "../../dev/scenes.js";
import { leftovers } from "../../dev/store-check.js";

describeWith([program("strace")], "a lock", () => {
  let empty: string;
  let crashed: string;
  /**
   * The parts of a name that a killed process left: where it ran, its number, when it started, and what makes
   * it unique.
   */
  let name: { where: string; pid: string; started: string; unique: string };

  beforeAll(async () => {
    empty = await emptyStore();
    const { created: _, ...log } = crashLog({ steps: [] });
    fs.writeFileSync(join(empty, "timeless.json"), json(log));
    crashed = await crashedStore();
    const [, where, pid, started, unique] = (locksIn(crashed)[0] ?? "").split(".");
    name = { where: where ?? "", pid: pid ?? "", started: started ?? "", unique: unique ?? "" };
  });

  /** Returns a store with a lock of this kind, and unfinished work of its owner. */
  function withLock(kind: string, owner: Partial<typeof name>, ageMinutes = 0): string {
    const folder = copyOf(empty);
    const { where, pid, started, unique } = { ...name, ...owner };
    const id = [where, pid, started, unique].join(".");
    const lock = join(folder, ".ctx/locks", `${kind}.${id}`);
    fs.writeFileSync(lock, "");
    fs.mkdirSync(join(folder, ".ctx/tmp", id));
    fs.writeFileSync(join(folder, ".ctx/tmp", id, "pack"), "{", { mode: 0o444 });
    const time = Date.now() / 1000 - ageMinutes * 60;
    fs.utimesSync(lock, time, time);
    return folder;
  }

  const elsewhere = { where: "otherhost-0123456789ab-1", pid: "1", started: "1" };

  it("the name of a lock has the shape that this suite forges", () => {
    expect(locksIn(crashed).length).toBe(1);
    expect(locksIn(crashed)[0]).toMatch(/^add\.[\w-]+\.\d+\.\d+\.[0-9a-f]{12}$/);
  });

  it("the lock of a killed process is cleared at once, with its leftovers", async () => {
    expect(leftovers(crashed).length).toBe(2);
    const folder = copyOf(crashed);
    await must(folder, packArgs);
    expect(leftovers(folder)).toEqual([]);
  });

  it.each(["add", "once", "sweep"])("a lock (%s) of a dead process is cleared at once", async (kind) => {
    const folder = withLock(kind, {});
    expect(await trouble(startCtx(folder, ["pack", "timeless.json"]))).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
  });

  it.each(["once", "sweep"])(
    "a lock (%s) whose process id another process has now is cleared at once",
    async (kind) => {
      const folder = withLock(kind, { pid: String(process.pid), started: "1" });
      expect(await trouble(startCtx(folder, ["pack", "timeless.json"]))).toEqual([]);
      expect(leftovers(folder)).toEqual([]);
    },
  );

  it.each(["once", "sweep"])("a lock (%s) of a live process is waited for", async (kind) => {
    const folder = withLock(kind, { pid: String(process.pid), started: startOf(process.pid) });
    expect(await waits(startCtx(folder, ["pack", "timeless.json"]), folder, kind)).toBe(true);
  });

  it("a lock (sweep) of another machine is waited for", async () => {
    const folder = withLock("sweep", elsewhere);
    expect(await waits(startCtx(folder, packArgs), folder, "sweep")).toBe(true);
  });

  it("a lock (once) of another machine stops only the packs of logs without a time", async () => {
    const folder = withLock("once", elsewhere);
    expect(await trouble(startCtx(folder, packArgs))).toEqual([]);
    expect(leftovers(folder).length).toBe(2);
    expect(await waits(startCtx(folder, ["pack", "timeless.json"]), folder, "once")).toBe(true);
  });

  it("a lock (add) of another machine stops no pack, and its staged files are left alone", async () => {
    const folder = withLock("add", elsewhere);
    expect(await trouble(startCtx(folder, packArgs))).toEqual([]);
    expect(await trouble(startCtx(folder, ["pack", "timeless.json"]))).toEqual([]);
    expect(leftovers(folder).length).toBe(2);
  });

  it.each(["add", "once", "sweep"])(
    "a lock (%s) of another machine is cleared after 31 minutes",
    async (kind) => {
      const young = withLock("add", elsewhere, 29);
      expect(await trouble(startCtx(young, packArgs))).toEqual([]);
      expect(leftovers(young).length).toBe(2);
      const old = withLock(kind, elsewhere, 31);
      expect(await trouble(startCtx(old, ["pack", "timeless.json"]))).toEqual([]);
      expect(leftovers(old)).toEqual([]);
    },
  );

  it.each(["", "sweep", "sweep.", "note.txt", `add.${"x".repeat(200)}`])(
    "a file in locks/ with the name %j does not stop writers for ever",
    async (odd) => {
      const folder = copyOf(empty);
      const path = join(folder, ".ctx/locks", odd === "" ? ".hidden" : odd);
      fs.writeFileSync(path, "");
      const time = Date.now() / 1000 - 31 * 60;
      fs.utimesSync(path, time, time);
      expect(await trouble(startCtx(folder, packArgs))).toEqual([]);
      expect(leftovers(folder)).toEqual([]);
    },
  );
});

function locksIn(folder: string): string[] {
  return fs.readdirSync(join(folder, ".ctx/locks"));
}

/** Returns when a process started, as the kernel counts it. */
function startOf(pid: number): string {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** What kept a command from ending well, and at once: one that waits for two seconds says so. */
async function trouble(running: Running): Promise<string[]> {
  const { status, stderr } = await running.ended;
  const said = stderr.replaceAll(/^note: no sidecar .*\n/gm, "");
  return status === 0 && said === "" ? [] : [`${status} ${said}`];
}

/** The process must be waiting still after a second; when the lock goes away, it must get on. */
async function waits(running: Running, folder: string, kind: string): Promise<boolean> {
  const first = await Promise.race([running.ended, pause(1_000, "waits")]);
  // It may have put its own down by now, which must stay.
  const others = locksIn(folder).filter((lock) => !lock.includes(`.${running.pid}.`));
  for (const lock of others.filter((one) => one.startsWith(`${kind}.`)))
    fs.rmSync(join(folder, ".ctx/locks", lock), { force: true });
  expect((await trouble(running)).filter((said) => !/^0 note: waiting for .*\n$/.test(said))).toEqual([]);
  return first === "waits";
}
