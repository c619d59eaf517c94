import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clearLeftovers, type LockKind, takeLock } from "../../../src/store/lock.js";
import { tempStore } from "../../../dev/folders.js";

const kinds: LockKind[] = ["add", "once", "sweep"];

/** Puts a lock there as a live process of this machine would have it, by borrowing one of our own. */
function held(root: string, kind: LockKind): () => void {
  const lock = takeLock(root, kind);
  return () => lock.release();
}

describe("locks", () => {
  it("lock: its file vanishes on release", () => {
    const { root } = tempStore();
    const lock = takeLock(root, "add");
    expect(fs.readdirSync(join(root, "locks"))).toEqual([`add.${lock.id}`]);
    lock.refresh();
    lock.release();
    expect(fs.readdirSync(join(root, "locks"))).toEqual([]);
  });

  it("lock: writers share it", () => {
    const { root } = tempStore();
    const releases = [held(root, "add"), held(root, "add"), held(root, "once")];
    expect(fs.readdirSync(join(root, "locks"))).toHaveLength(3);
    for (const release of releases) release();
  });

  it.each(kinds)("lock: one of a dead process does not block %s", (kind) => {
    const { root } = tempStore();
    const lock = takeLock(root, "add");
    lock.release();
    const [place, , , random] = lock.id.split(".");
    // A number that no process has, one that another process has now, and one that was killed under another
    // start time.
    const dead = [
      `${place}.4194304.1.${random}`,
      `${place}.1.999999999999.${random}`,
      `${place}.${process.pid}.1.${random}`,
    ];
    for (const id of dead) fs.writeFileSync(join(root, "locks", `sweep.${id}`), "");
    fs.mkdirSync(join(root, "tmp", dead[0] as string));
    fs.writeFileSync(join(root, "tmp", dead[0] as string, "blob"), "", { mode: 0o444 });
    takeLock(root, kind).release();
    clearLeftovers(root);
    expect(fs.readdirSync(join(root, "locks"))).toEqual([]);
    expect(fs.readdirSync(join(root, "tmp"))).toEqual([]);
  });

  it("lock: one of another machine counts until it is old", () => {
    const { root } = tempStore();
    const foreign = join(root, "locks", "add.elsewhere-0-0.77.1.abc");
    fs.writeFileSync(foreign, "");
    fs.mkdirSync(join(root, "tmp", "elsewhere-0-0.77.1.abc"));
    clearLeftovers(root);
    expect(fs.readdirSync(join(root, "tmp"))).toHaveLength(1);
    const old = Date.now() / 1000 - 31 * 60;
    fs.utimesSync(foreign, old, old);
    clearLeftovers(root);
    expect(fs.readdirSync(join(root, "locks"))).toEqual([]);
    expect(fs.readdirSync(join(root, "tmp"))).toEqual([]);
  });

  it("lock: a process that waits reports who holds it", () => {
    const { root } = tempStore();
    const add = takeLock(root, "add");
    expect(() => takeLock(root, "sweep", { timeout: 20 })).toThrow(
      expect.objectContaining({ code: "store-busy" }),
    );
    add.release();
    const sweep = takeLock(root, "sweep");
    for (const kind of kinds)
      expect(() => takeLock(root, kind, { timeout: 20 })).toThrow(
        new RegExp(`: process ${process.pid} on this machine`),
      );
    sweep.release();
    const once = takeLock(root, "once");
    expect(() => takeLock(root, "once", { timeout: 20 })).toThrow(
      expect.objectContaining({ code: "store-busy" }),
    );
    takeLock(root, "add", { timeout: 20 }).release();
    once.release();
    expect(fs.readdirSync(join(root, "locks"))).toEqual([]);
  });
});
