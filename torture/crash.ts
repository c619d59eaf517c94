// Kills every command that writes at each of its calls to the file system, and makes each call fail, from
// three states of the store; then checks whether anything is lost, incomplete or falsely reported, and
// whether the command works again.
import { ofEachKind, kindOf } from "../dev/fault-kinds.js";
import { pool } from "../dev/processes.js";
import { type Call, type Fault, isChange } from "../dev/strace.js";
import type { Case, Options, Report } from "./case.js";
import { inFolder, Judge } from "./judge.js";
import { chance, spread } from "./sample.js";
import { type State, type StateName, stateNames, stateOf, spoil, type Subject } from "./subject.js";
import * as subjects from "./subjects.js";

/**
 * Which calls can fail for a reason. A kill at a call that changes nothing is covered by the kill at the next
 * change.
 */
const faults: Record<string, (call: Call) => boolean> = {
  SIGKILL: isChange,
  EIO: ({ name }) => name !== "exit_group",
  ENOSPC: isFailingChange,
  EROFS: isFailingChange,
  EDQUOT: isFailingChange,
  EMFILE: ({ name }) => /^(?:open|openat|socket|pipe2|dup)$/.test(name),
  "a short write": ({ what }) => what.startsWith("write @"),
};

/**
 * Signals that a process could handle; tried with one command. One that arrives at the exit changes nothing.
 */
const catchableSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

function isFailingChange(call: Call): boolean {
  return isChange(call) && call.name !== "exit_group";
}

interface Point {
  state: State;
  judge: Judge;
  call: Call;
  fault: string;
}

function faultOf(name: string): Fault {
  if (name.startsWith("SIG")) return { signal: name };
  return name === "a short write" ? { retval: 1 } : { error: name };
}

async function attack({ state, judge, call, fault }: Point): Promise<string[]> {
  const at = `${state.name}, ${fault} at ${call.what}`;
  try {
    const spoiled = await spoil(state.scene, call, faultOf(fault));
    const wrong = fault.startsWith("SIG")
      ? await judge.afterKill(spoiled, fault)
      : await judge.afterError(spoiled, call, fault === "a short write" ? "bytes were written" : fault);
    return wrong.map((text) => inFolder(`${at}: ${text}`, spoiled.folder));
  } catch (error) {
    // The other points are tried nevertheless.
    return [`${at}: it could not be tried: ${(error as Error).message}`];
  }
}

/** The faults that are tried with a variant of a command: other reasons for a fault run the same code. */
const ofVariants = ["SIGKILL", "EIO", "a short write"];

function pointsOf(subject: Subject, state: State, isVariant: boolean): Point[] {
  const judge = new Judge(state);
  const calls = state.scene.isVast === true ? ofEachKind(state.calls) : state.calls;
  const signals = subject === subjects.pack && state.name === "fresh" ? catchableSignals : [];
  const oneOfEachKind = new Set(ofEachKind(calls));
  // Reads that differ only in the object are run by the same code; the command itself has them all.
  const isAnother = (call: Call): boolean => !isVariant || isChange(call) || oneOfEachKind.has(call);
  const own = Object.entries(faults)
    .filter(([fault]) => !isVariant || ofVariants.includes(fault))
    .map(([fault, suits]) => [fault, (call: Call) => suits(call) && isAnother(call)] as const);
  const isOneOfItsKind = (call: Call): boolean => isFailingChange(call) && oneOfEachKind.has(call);
  const all = [...own, ...signals.map((signal) => [signal, isOneOfItsKind] as const)];
  return all.flatMap(([fault, suits]) => calls.filter(suits).map((call) => ({ state, judge, call, fault })));
}

/** Number of tries of each subject in the short form. */
const fewTries = 16;

async function attackAll(subject: Subject, states: readonly StateName[], options: Options): Promise<Report> {
  const isVariant = states.length === 1;
  const { short, seed } = options;
  const next = chance(seed + hashOf(subject.name));
  // In the short form the fresh state, and by chance one of the others.
  const other = states[1 + Math.floor(next() * 2)];
  const chosen = short ? states.filter((name) => name === states[0] || name === other) : states;
  const points = (
    await pool(chosen, async (name) => pointsOf(subject, await stateOf(subject, name), isVariant))
  ).flat();
  const tried = short
    ? spread(points, fewTries, next, ({ state, call, fault }) => `${state.name} ${fault} ${kindOf(call)}`)
    : points;
  let done = 0;
  const found = await pool(tried, async (point) => {
    if (++done % 10 === 0) options.say(`${subject.name}, ${done} of ${tried.length}`);
    return attack(point);
  });
  const calls = new Set(tried.map(({ state, call }) => `${state.name} ${state.calls.indexOf(call)}`));
  return { points: calls.size, tries: tried.length, violations: found.flat() };
}

/** Returns a number for a name. */
function hashOf(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) >>> 0, 0);
}

/**
 * A row of the table. The first of its subjects is tried from all three states, the others from a fresh
 * store.
 */
function row(name: string, [first, ...others]: readonly [Subject, ...Subject[]]): Case {
  return {
    group: "crash",
    name,
    needs: ["strace"],
    async run(options) {
      const reports = [await attackAll(first, stateNames, options)];
      for (const other of others) reports.push(await attackAll(other, ["fresh"], options));
      return {
        points: reports.reduce((sum, { points }) => sum + points, 0),
        tries: reports.reduce((sum, { tries }) => sum + tries, 0),
        violations: reports.flatMap(({ violations }) => violations),
      };
    },
  };
}

export const crashCases: Case[] = [
  row("init", [subjects.init, subjects.initBelow]),
  row("pack", [
    subjects.pack,
    subjects.packOfKnown,
    subjects.packIntoClone,
    subjects.packs,
    subjects.packOfMany,
  ]),
  row("tag", [subjects.tag, subjects.movedTag]),
  row("fork", [subjects.fork, subjects.forkToNew, subjects.forkToEmpty]),
  row("seal", [subjects.sealAndRemove, subjects.seal, subjects.forkAndSeal]),
  row("sidecar", [subjects.sidecar]),
  row("gc", [subjects.gc]),
  row("rm", [subjects.rm, subjects.refusedRm]),
  row("import", [subjects.importing, subjects.importReversed]),
  row("export", [subjects.exporting]),
  row("pull", [subjects.pull]),
  row("hook", [subjects.hook, subjects.hookInstall, subjects.hookRemove]),
  row("remote", [subjects.remote, subjects.firstRemote]),
];
