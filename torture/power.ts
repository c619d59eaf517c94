// Cuts the power of real file systems: while a pack is written, at each of its calls, and after commands have
// reported success.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ctxCommand, pool } from "../dev/processes.js";
import { type Call, inject, injectAt, isChange } from "../dev/strace.js";
import type { Case, Options, Report } from "./case.js";
import { type DiskKind, diskKinds, LoopDisk, needsOf } from "./disks.js";
import { inFolder, Judge } from "./judge.js";
import { chance, spread } from "./sample.js";
import { run, type State, stateOf, type Subject } from "./subject.js";
import * as subjects from "./subjects.js";
import { differences, settledTree, wholeTree } from "./trees.js";

/** Writes a start state to a disk, and flushes it. */
function lay(disk: LoopDisk, { scene }: State): string {
  const folder = fs.mkdtempSync(join(disk.folder, "scene-"));
  fs.cpSync(scene.folder, folder, { recursive: true, preserveTimestamps: true });
  disk.flush();
  return folder;
}

/** Kills the command at a call and cuts the power. */
async function killAndCut(disk: LoopDisk, state: State, judge: Judge, call: Call): Promise<string[]> {
  const { scene } = state;
  const spoiled = await inject(
    call,
    { signal: "SIGKILL" },
    () => lay(disk, state),
    (folder) => ctxCommand(folder, scene.args),
    scene.options,
  );
  disk.cut();
  const wrong = await judge.afterKill(spoiled);
  return wrong.map((text) => inFolder(`cut at ${call.what}: ${text}`, spoiled.folder));
}

/** A row for a file system: the power is cut while a pack is written. */
function whileWriting(kind: DiskKind): Case {
  return {
    group: "power cut",
    name: `${kind}, at every call of a pack`,
    needs: needsOf(kind),
    async run(options: Options): Promise<Report> {
      const { short, seed, scratch } = options;
      const state = await stateOf(subjects.pack, "fresh");
      const changes = state.calls.filter(isChange);
      const points = short ? spread(changes, 6, chance(seed), ({ name }) => name) : changes;
      const judge = new Judge(state);
      const violations: string[] = [];
      let done = 0;
      // Several disks: each waits for its own.
      const disks = Array.from({ length: 3 }, () => new LoopDisk(kind, scratch));
      await pool(disks, async (disk) => {
        for (let call = points[done++]; call !== undefined; call = points[done++]) {
          options.say(`${done} of ${points.length}`);
          violations.push(...(await killAndCut(disk, state, judge, call)));
        }
        disk.remove();
      });
      return { points: points.length, tries: points.length, violations };
    },
  };
}

/** Every command that reports when it is done. */
const reporting: Subject[] = [
  subjects.init,
  subjects.pack,
  subjects.packOfKnown,
  subjects.packOfMany,
  subjects.packs,
  subjects.tag,
  subjects.movedTag,
  subjects.fork,
  subjects.forkToNew,
  subjects.forkToEmpty,
  subjects.forkAndSeal,
  subjects.seal,
  subjects.sealAndRemove,
  subjects.sidecar,
  subjects.rm,
  subjects.importing,
  subjects.exporting,
  subjects.pull,
  subjects.hook,
  subjects.hookInstall,
];

/** Returns the work of a command that is lost although it was reported. */
function goneFrom(folder: string, { scene, clean }: State): string[] {
  return differences(settledTree(wholeTree(folder)), clean.tree).filter(
    // A draft that was removed may be back: nothing is lost.
    (text) => scene.draft === undefined || !text.startsWith(`besides ${scene.draft}`),
  );
}

/** Runs commands one after the other, waits, cuts the power, and returns what is lost. */
async function tellAndCut(disk: LoopDisk, states: readonly State[], seconds: number): Promise<string[]> {
  const ran: { state: State; folder: string }[] = [];
  const violations: string[] = [];
  for (const state of states) ran.push({ state, folder: lay(disk, state) });
  for (const { state, folder } of ran) {
    const { status, stderr } = await run(state.scene, folder);
    if (status !== 0) violations.push(`${state.scene.args.join(" ")}: ${status} ${stderr}`);
  }
  await pause(seconds * 1000);
  disk.cut();
  for (const { state, folder } of ran) {
    const gone = goneFrom(folder, state).map(
      (text) => `ctx ${state.scene.args.join(" ")}, power cut ${seconds} s later: ${text}`,
    );
    violations.push(...gone.map((text) => inFolder(text, folder)));
    fs.rmSync(folder, { recursive: true });
  }
  return violations;
}

/** A row for a file system: the power is cut after commands have reported success. */
function afterTelling(kind: DiskKind): Case {
  return {
    group: "power cut",
    name: `${kind}, 0, 1, 3 and 6 s after success`,
    needs: needsOf(kind),
    async run(options: Options): Promise<Report> {
      const { short, seed, scratch } = options;
      const chosen = short ? spread(reporting, 4, chance(seed + kind.length), ({ name }) => name) : reporting;
      const states = await pool(chosen, (subject) => stateOf(subject, "fresh"));
      // A flush of one command may help the one before it, so each has a cut of its own; later cuts test
      // delayed writes.
      const rounds = [
        ...states.map((state) => ({ all: [state], seconds: 0 })),
        ...(short ? [] : [1, 3, 6].map((seconds) => ({ all: states, seconds }))),
      ];
      const disks = Array.from({ length: 3 }, () => new LoopDisk(kind, scratch));
      const violations: string[] = [];
      let done = 0;
      await pool(disks, async (disk) => {
        for (let round = rounds[done++]; round !== undefined; round = rounds[done++]) {
          options.say(`${done} of ${rounds.length}`);
          violations.push(...(await tellAndCut(disk, round.all, round.seconds)));
        }
        disk.remove();
      });
      const tries = rounds.reduce((sum, { all }) => sum + all.length, 0);
      return { points: rounds.length, tries, violations };
    },
  };
}

/** A row for a file system: with flushes disabled, a cut must be seen to lose reported work. */
function withoutFlushes(kind: DiskKind): Case {
  return {
    group: "ablation",
    name: `flushes disabled, then a power cut on ${kind}`,
    needs: needsOf(kind),
    async run({ scratch }: Options): Promise<Report> {
      // A pack without sidecars: their flushes come last, and would flush the earlier writes, too.
      const state = await stateOf(subjects.packs, "fresh");
      const last = state.calls.findLast(({ what }) => what === "fsync @/.ctx/packs") as Call;
      const disabled = { "every flush": "when=1+", "the flush of packs/": `when=${last.when}` };
      const disk = new LoopDisk(kind, scratch);
      const violations: string[] = [];
      for (const [what, when] of Object.entries(disabled)) {
        const folder = lay(disk, state);
        const { ended } = await injectAt("fsync", when, { retval: 0 }, ctxCommand(folder, state.scene.args));
        disk.cut();
        if (ended.status !== 0) violations.push(`without ${what}: ${ended.status} ${ended.stderr}`);
        else if (goneFrom(folder, state).length === 0) violations.push(`without ${what} nothing is lost`);
        fs.rmSync(folder, { recursive: true });
      }
      disk.remove();
      const tries = Object.keys(disabled).length;
      return { points: tries, tries, violations };
    },
  };
}

export const powerCases: Case[] = [
  ...diskKinds.flatMap((kind) => [whileWriting(kind), afterTelling(kind)]),
  ...diskKinds.map(withoutFlushes),
];
