// A disk that is full, and one that is read-only: nothing is claimed that is not there, nothing is left
// behind, and what can be read is read.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { json } from "../../dev/logs.js";
import { memoryFolder, remount } from "../../dev/mounts.js";
import { describeWith, mounts, program } from "../../dev/needs.js";
import { ctxCommand, type Ended, pool, runCtx, type StartOptions } from "../../dev/processes.js";
import {
  asNobody,
  copyOf,
  crashLog,
  emptyStore,
  learn,
  must,
  packArgs,
  repeatingStore,
} from "../../dev/scenes.js";
import { objectsOf, reported } from "../../dev/store-check.js";
import { type Fault, inject, injectAt, isChange, record } from "../../dev/strace.js";
import { violations } from "../../dev/trace-check.js";

const reading = (pack: string, blob: string): string[][] => [
  ["log"],
  ["log", "--json"],
  ["show", "latest"],
  ["show", pack, "--json"],
  ["show", pack, "--step", "0"],
  ["cat", blob],
];

/** Returns what does not work though it only reads, and how a pack fails. */
async function tryAll(folder: string, options: StartOptions): Promise<{ failed: unknown[]; pack: Ended }> {
  const [pack = ""] = fs.readdirSync(join(folder, ".ctx/packs"));
  const failed: unknown[] = [];
  for (const args of reading(pack, objectsOf(folder, pack)[1] as string)) {
    const { status, stderr } = await runCtx(folder, args, options);
    if (status !== 0 || stderr !== "") failed.push([args, status, stderr]);
  }
  return { failed, pack: await runCtx(folder, packArgs, options) };
}

/** A pack that failed for this reason, and said so. */
function refusal(folder: string, errno: string): unknown {
  const text = `error: cannot create ${folder}/.ctx/\\S+: [^\\n]+ \\(${errno}\\)\\nhint: [^\\n]+\\n`;
  return { status: 2, signal: null, stdout: "", stderr: expect.stringMatching(new RegExp(`^${text}$`)) };
}

describe("a store without permission to write", () => {
  it("a store without permission to write can be read, and a pack into it is refused with EACCES", async () => {
    const { path, options } = asNobody(await repeatingStore());
    const all = ["", ...(fs.readdirSync(path, { recursive: true }) as string[])].map((name) =>
      join(path, name),
    );
    const folders = all.filter((name) => fs.lstatSync(name).isDirectory());
    for (const folder of folders) fs.chmodSync(folder, 0o555);
    const { failed, pack } = await tryAll(path, options);
    expect(failed).toEqual([]);
    expect(pack).toEqual(refusal(path, "EACCES"));
    for (const folder of folders) fs.chmodSync(folder, 0o755);
  });
});

describeWith([mounts], "a store on a read-only file system", () => {
  it("a store on a read-only file system can be read, and a pack into it is refused with EROFS", async () => {
    const folder = memoryFolder("size=1m");
    fs.cpSync(copyOf(await repeatingStore()), folder, { recursive: true });
    remount(folder, "ro");
    const { failed, pack } = await tryAll(folder, {});
    expect(failed).toEqual([]);
    expect(pack).toEqual(refusal(folder, "EROFS"));
  });
});

function far(folder: string): string[] {
  return fs.readdirSync(join(folder, "far")).sort();
}

describeWith([mounts], "an artifact on another file system than its store", () => {
  let start: string;

  beforeAll(async () => {
    start = await emptyStore(crashLog({ outputs: [{ name: "far/answer.txt", content: "2\n" }] }));
    fs.mkdirSync(join(start, "far"));
  });

  function distantStore(): string {
    const folder = copyOf(start);
    memoryFolder("size=1m", join(folder, "far"));
    fs.writeFileSync(join(folder, "far/answer.txt"), "2\n");
    return folder;
  }

  it("an artifact on another file system than its store gets its sidecar", async () => {
    const folder = distantStore();
    await must(folder, packArgs);
    expect(far(folder)).toEqual(["answer.txt", "answer.txt.ctx.json"]);
  });

  describeWith([program("strace")], "with strace", () => {
    it("a sidecar on another file system is written in an order that survives a power cut", async () => {
      const folder = distantStore();
      const { trace, ended } = await record(ctxCommand(folder, packArgs));
      expect(ended.status).toBe(0);
      expect(violations(trace, { root: join(folder, ".ctx") })).toEqual([]);
    });

    it("a sidecar on another file system is not mixed up with one that another pack writes at the same time", async () => {
      const folder = distantStore();
      const other = crashLog({ outputs: [{ name: "far/other.txt", content: "3\n" }] });
      fs.writeFileSync(join(folder, "other.json"), json(other));
      fs.writeFileSync(join(folder, "far/other.txt"), "3\n");
      const last = (await learn(distantStore(), packArgs)).findLast(({ name }) => name === "rename");
      // The first stops before it renames its sidecar.
      const late = injectAt(
        "rename",
        `when=${last?.when}`,
        { delay_enter: 1_000_000 },
        ctxCommand(folder, packArgs),
      );
      await pause(400);
      const [second] = await must(folder, ["pack", "other.json"]);
      const { ended } = await late;
      const sidecars = ["answer", "other"].map((name) =>
        fs.readFileSync(join(folder, `far/${name}.txt.ctx.json`), "utf8"),
      );
      expect(sidecars[0]).toContain(reported(ended.stdout)[0]);
      expect(sidecars[1]).toContain(second);
      expect(far(folder).length).toBe(4);
    });

    it.each<Fault>([{ error: "EIO" }, { signal: "SIGKILL" }])(
      "a sidecar on another file system leaves nothing else beside it after %o and another try",
      async (fault) => {
        const all = await learn(distantStore(), packArgs);
        const calls = all.filter((call) => isChange(call) && call.name !== "exit_group");
        // From the copy beside the artifact to the end.
        const points = calls.slice(calls.findIndex(({ what }) => what.includes("@/far/")));
        expect(points.length).toBeGreaterThan(2);
        const found = await pool(points, async (call) => {
          const { folder } = await inject(call, fault, distantStore, (copy) => ctxCommand(copy, packArgs));
          await must(folder, packArgs);
          return far(folder)
            .filter((name) => !/^answer\.txt(?:\.ctx\.json)?$/.test(name))
            .map((name) => `${call.what}: ${name}`);
        });
        expect(found.flat()).toEqual([]);
      },
    );
  });
});
