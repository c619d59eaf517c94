// The order of writes and flushes of every command, read from a trace as a power cut would: file systems
// forgive most mistakes most of the time, a trace forgives none. And the reverse: without any one of the
// flushes something must be noticed.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { ctxCommand, pool } from "../dev/processes.js";
import { copyOf } from "../dev/scenes.js";
import { objectFile, objectNames, objectsOf, reported } from "../dev/store-check.js";
import { callsOf, isFlush, record } from "../dev/strace.js";
import { ablations, type Scene as Order, violations } from "../dev/trace-check.js";
import type { Case, Options, Report } from "./case.js";
import { inFolder } from "./judge.js";
import { chance, spread } from "./sample.js";
import { type Scene, sceneIn, type StateName, stateNames, type Subject } from "./subject.js";
import * as subjects from "./subjects.js";

export interface Traced {
  trace: string;
  order: Order;
  folder: string;
}

function packsIn(folder: string): string[] {
  const path = join(folder, ".ctx/packs");
  return fs.existsSync(path) ? fs.readdirSync(path) : [];
}

/** Returns whether the output of the command names packs that it has made, or found to be made already. */
function isSealing({ args }: Scene): boolean {
  return /^(?:pack|import|pull|__seal)$/.test(args[0] ?? "") || args.includes("--seal");
}

/**
 * Runs the command with a trace. Existing files count as never flushed: another writer may have just made
 * them.
 */
export async function traced(scene: Scene, rules: readonly string[] = []): Promise<Traced> {
  const folder = copyOf(scene.folder);
  const root = join(folder, scene.store ?? "", ".ctx");
  const [objects, packs] = [objectNames(folder), packsIn(folder)];
  const named = (scene.unsure ?? []).map((name) => join(folder, name)).filter((path) => fs.existsSync(path));
  if (scene.isUnsureAbove === true)
    for (let at = folder; at !== dirname(at); at = dirname(at)) named.push(at);
  const { trace, ended } = await record(ctxCommand(folder, scene.args), rules, scene.options?.(folder));
  const now = packsIn(folder);
  const isReported = (hex: string): boolean =>
    scene.isSilent === true || reported(ended.stdout).includes(hex);
  const reportedPacks = now.filter((hex) => !packs.includes(hex) || (isSealing(scene) && isReported(hex)));
  // A parent is named, but is no part of the pack.
  const needs = [...new Set(reportedPacks.flatMap((hex) => objectsOf(folder, hex)))].filter(
    (hex) => reportedPacks.includes(hex) || !now.includes(hex),
  );
  const found = [
    ...needs.filter((hex) => objects.includes(hex)).map((hex) => objectFile(folder, hex)),
    ...packs.filter((hex) => reportedPacks.includes(hex)).map((hex) => join(root, "packs", hex)),
  ];
  if (reportedPacks.length > 0) for (const name of ["objects", "packs"]) named.push(join(root, name));
  return {
    trace,
    folder,
    order: {
      root,
      found,
      named,
      needs: needs.map((hex) => objectFile(folder, hex)),
      refused: ended.status !== 0,
    },
  };
}

interface Start {
  subject: Subject;
  state: StateName;
}

/** Every command in every state; in the short form, some of them. */
function startsFor({ short, seed }: Options, few: number): Start[] {
  const all = Object.values(subjects)
    .flatMap((subject) => stateNames.map((state) => ({ subject, state })))
    // There, one flush of the whole file system is as good as the other.
    .filter(({ subject, state }) => subject !== subjects.packOfMany || state !== "present");
  return short ? spread(all, few, chance(seed), ({ state }) => state) : all;
}

/** A subject that cannot be tried is a violation, and the others are tried. */
async function tryOne<T>(start: Start, work: () => Promise<T>, without: (wrong: string[]) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return without([
      `${start.subject.name}, ${start.state}: it could not be tried: ${(error as Error).message}`,
    ]);
  }
}

function labelled({ subject, state }: Start, folder: string, wrong: readonly string[]): string[] {
  return wrong.map((text) => inFolder(`${subject.name}, ${state}: ${text}`, folder));
}

const order: Case = {
  group: "power cut",
  name: "order of writes and flushes in a trace",
  needs: ["strace"],
  async run(options: Options): Promise<Report> {
    let points = 0;
    const starts = startsFor(options, 12);
    const attack = async (start: Start): Promise<string[]> => {
      const { trace, order, folder } = await traced(await sceneIn(start.subject, start.state));
      points += trace.split("\n").length;
      options.say(start.subject.name);
      const wrong = violations(trace, order);
      fs.rmSync(folder, { recursive: true });
      return labelled(start, folder, wrong);
    };
    const found = await pool(starts, (start) =>
      tryOne(
        start,
        () => attack(start),
        (wrong) => wrong,
      ),
    );
    return { points, tries: starts.length, violations: found.flat() };
  },
};

/** Flushes that the trace check does not miss when they are left out, or done too late. */
async function unnoticed(
  scene: Scene,
): Promise<{ points: number; tries: number; folder: string; wrong: string[] }> {
  const whole = await traced(scene);
  const nothing = { points: 0, tries: 0, folder: whole.folder, wrong: [] };
  if (whole.order.refused === true) return nothing;
  const already = new Set(violations(whole.trace, whole.order));
  const isNoticed = ({ trace, order }: Pick<Traced, "trace" | "order">): boolean =>
    violations(trace, order).some((text) => !already.has(text));
  const late = [...ablations(whole.trace)];
  const wrong = late
    .filter(({ traces }) => !traces.every((trace) => isNoticed({ trace, order: whole.order })))
    .map(({ flush }) => `no check notices that ${flush} is missing or late`);
  // The same with the program itself: the system reports a flush that it has not done.
  const flushes = callsOf(whole.trace, whole.folder).filter(({ name }) => isFlush(name));
  for (const { name, when, what } of flushes) {
    const without = await traced(scene, ["-e", `inject=${name}:retval=0:when=${when}`]);
    if (!without.trace.includes("(INJECTED)")) wrong.push(`could not disable ${what}`);
    else if (!isNoticed(without)) wrong.push(`no check notices the missing ${what}`);
    fs.rmSync(without.folder, { recursive: true });
  }
  fs.rmSync(whole.folder, { recursive: true });
  return {
    points: Math.max(late.length, flushes.length),
    tries: 2 * late.length + flushes.length,
    folder: whole.folder,
    wrong,
  };
}

const ablation: Case = {
  group: "ablation",
  name: "each flush disabled in turn, then the trace",
  needs: ["strace"],
  async run(options: Options): Promise<Report> {
    const attack = async (start: Start) => {
      const { folder, wrong, ...counts } = await unnoticed(await sceneIn(start.subject, start.state));
      options.say(start.subject.name);
      return { ...counts, wrong: labelled(start, folder, wrong) };
    };
    const reports = await pool(startsFor(options, 4), (start) =>
      tryOne(
        start,
        () => attack(start),
        (wrong) => ({ points: 1, tries: 1, wrong }),
      ),
    );
    return {
      points: reports.reduce((sum, { points }) => sum + points, 0),
      tries: reports.reduce((sum, { tries }) => sum + tries, 0),
      violations: reports.flatMap(({ wrong }) => wrong),
    };
  },
};

export const orderCases: Case[] = [order, ablation];
