// A process whose lock another one took over: it was suspended, or runs in another container, and wakes up
// later. Whatever it was about to do, a pack that was reported keeps its objects, and it fails with a clear
// error.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { abandonedStore, sweep, wrongs } from "../../torture/races.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, namespaces, program } from "../../dev/needs.js";
import { ctxCommand, type Ended, pool, runCtx } from "../../dev/processes.js";
import { copyOf, emptyStore, must, packArgs, repeatingStore } from "../../dev/scenes.js";
import { leftovers, objectNames, reported } from "../../dev/store-check.js";
import { injectAt } from "../../dev/strace.js";

const patience = 120_000;
/** Microseconds for which the sleeper is held at one rename. */
const held = 6_000_000;

/** Starts ctx in a process namespace of its own, where it sleeps before its `nth` rename. */
function sleeper(folder: string, args: readonly string[], nth: number): Promise<Ended> {
  const apart = ["unshare", "--pid", "--fork", "--mount-proc", "--uts"];
  const command = [...apart, ...ctxCommand(folder, args)];
  return injectAt("rename", `when=${nth}`, { delay_enter: held }, command).then(({ ended }) => ended);
}

/** Waits until the sleeper has done what comes before that rename, and returns its lock. */
async function lockOf(folder: string, isBefore: () => boolean): Promise<string> {
  const locks = join(folder, ".ctx/locks");
  const isAsleep = (): boolean => fs.readdirSync(locks).length > 0 && isBefore();
  for (let tries = 0; tries < 4000 && !isAsleep(); tries++) await pause(5);
  await pause(500);
  return join(locks, fs.readdirSync(locks)[0] ?? "none");
}

/** Returns whether a sweep has moved two objects. */
function hasRemovedTwo(folder: string): () => boolean {
  const tmp = join(folder, ".ctx/tmp");
  return () => fs.readdirSync(tmp).some((name) => fs.readdirSync(join(tmp, name)).length === 2);
}

/** What a suspended machine, or one whose time is wrong, makes of a lock. */
function age(lock: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds;
  fs.utimesSync(lock, time, time);
}

describeWith([program("strace"), namespaces], "a process whose lock was taken over", () => {
  let abandoned: string;
  let repeating: string;
  let empty: string;
  beforeAll(async () => {
    [abandoned, repeating, empty] = [await abandonedStore(), await repeatingStore(), await emptyStore()];
  });

  it.each([
    ["31 minutes old", 31 * 60],
    ["of the year 2031", -5 * 365 * 86_400],
  ])(
    "gc whose lock (%s) was taken over removes nothing more, and says so",
    { timeout: patience },
    async (_, seconds) => {
      const folder = copyOf(abandoned);
      const sleeping = sleeper(folder, sweep, 3);
      age(await lockOf(folder, hasRemovedTwo(folder)), seconds);
      const packed = await runCtx(folder, packArgs);
      const woken = await sleeping;
      expect([packed.status, reported(packed.stdout).length]).toEqual([0, 1]);
      expect(await wrongs(folder)).toEqual([]);
      expect([woken.status, woken.stdout]).toEqual([2, ""]);
      expect(woken.stderr).toContain("lost the lock");
      expect(leftovers(folder)).toEqual([]);
    },
  );

  it("rm whose lock was taken over removes no pack that was reported since", {
    timeout: patience,
  }, async () => {
    const folder = copyOf(repeating);
    const [hex = ""] = fs.readdirSync(join(folder, ".ctx/packs"));
    const sleeping = sleeper(folder, ["rm", hex], 2);
    const latest = join(folder, ".ctx/refs/latest");
    age(await lockOf(folder, () => !fs.existsSync(latest)), 31 * 60);
    const packed = await runCtx(folder, packArgs);
    const woken = await sleeping;
    expect([packed.status, reported(packed.stdout)]).toEqual([0, [hex]]);
    expect(fs.readdirSync(join(folder, ".ctx/packs"))).toEqual([hex]);
    expect(await wrongs(folder)).toEqual([]);
    expect([woken.status, woken.stdout]).toEqual([2, ""]);
    expect(woken.stderr).toContain("lost the lock");
  });

  it("pack whose lock was taken over reports no pack whose objects a gc removed", {
    timeout: patience,
  }, async () => {
    // Into a store that holds all objects: the pack, then latest. Into an empty one: ten objects first.
    const points = [
      ...[1, 2].map((nth) => ({ start: abandoned, nth })),
      ...[1, 2, 10, 11].map((nth) => ({ start: empty, nth })),
    ];
    const found = await pool(points, async ({ start, nth }) => {
      const folder = copyOf(start);
      const sleeping = sleeper(folder, packArgs, nth);
      const named = (): number =>
        objectNames(folder).length + fs.readdirSync(join(folder, ".ctx/packs")).length;
      const before = objectNames(start).length;
      age(await lockOf(folder, () => named() === before + nth - 1), 31 * 60);
      const swept = await runCtx(folder, sweep);
      const { status, stdout, stderr } = await sleeping;
      const isHonest = status === 0 ? stdout.includes("ctx://") : stderr.includes("lost the lock");
      const packs = fs.readdirSync(join(folder, ".ctx/packs"));
      const missing = status === 0 && packs.length === 0 ? ["reported, but not there"] : [];
      return [
        ...(swept.status === 0 ? [] : [swept.stderr]),
        ...(isHonest ? [] : [`${status} ${stderr}`]),
        ...missing,
        ...(await wrongs(folder)),
        ...leftovers(folder),
      ].map((wrong) => `rename ${nth}: ${wrong}`);
    });
    expect(found.flat()).toEqual([]);
  });
});

describeWith([program("strace"), namespaces], "a process whose clock is wrong", () => {
  it.each([
    ["an hour ahead", 3_600_000],
    ["an hour behind", -3_600_000],
  ])(
    "pack on a clock %s waits for a gc in another container, and says for whom",
    { timeout: patience },
    async (_, skew) => {
      const folder = await abandonedStore();
      const shim = join(tempFolder(), "clock.cjs");
      fs.writeFileSync(shim, `const now = Date.now; Date.now = () => now() + ${skew};\n`);
      const sleeping = sleeper(folder, sweep, 3);
      await lockOf(folder, hasRemovedTwo(folder));
      const packed = await runCtx(folder, packArgs, { env: { NODE_OPTIONS: `--require ${shim}` } });
      const { status, stderr } = await sleeping;
      expect([status, stderr]).toEqual([0, ""]);
      expect(packed.status).toBe(0);
      expect(packed.stderr).toMatch(
        /note: waiting for `ctx gc` or `ctx rm`: process \d+ in another container/,
      );
      expect(packed.stderr.match(/waiting for/g)?.length).toBe(1);
      expect(await wrongs(folder)).toEqual([]);
    },
  );

  it("gc on a clock 30 days ahead keeps young objects", { timeout: patience }, async () => {
    const folder = await repeatingStore();
    const [hex = ""] = fs.readdirSync(join(folder, ".ctx/packs"));
    await must(folder, ["rm", hex]);
    const shim = join(tempFolder(), "clock.cjs");
    fs.writeFileSync(shim, "const now = Date.now; Date.now = () => now() + 30 * 86_400_000;\n");
    const env = { NODE_OPTIONS: `--require ${shim}` };
    const swept = await runCtx(folder, ["gc", "--json"], { env });
    expect(JSON.parse(swept.stdout)).toMatchObject({ removed: [], young: { objects: 10 } });
  });
});
