// A pack and a sweep at the same time, each held back at every one of its changes while the other runs: the
// sweep removes exactly the objects that the pack needs.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { VerifyResult } from "../src/results/verify.js";
import { ctxCommand, type Ended, runCtx } from "../dev/processes.js";
import { copyOf, learn, must, packArgs, repeatingStore } from "../dev/scenes.js";
import { flawsOf, leftovers, objectFile, objectNames, reported, tornObjects } from "../dev/store-check.js";
import { type Call, inject, isChange } from "../dev/strace.js";
import type { Case, Options, Report } from "./case.js";
import { chance, spread } from "./sample.js";

export const sweep = ["gc", "--grace", "0d"];

/**
 * Returns a store that holds all blobs of the log, but no pack that needs them any more, so that gc would
 * remove them.
 */
export async function abandonedStore(): Promise<string> {
  const folder = await repeatingStore();
  const [hex = ""] = await must(folder, packArgs);
  fs.rmSync(join(folder, ".ctx/packs", hex));
  fs.rmSync(join(folder, ".ctx/refs/latest"));
  fs.rmSync(join(folder, "answer.txt.ctx.json"));
  for (const name of objectNames(folder)) fs.utimesSync(objectFile(folder, name), 1, 1);
  return folder;
}

/** Returns what is wrong with a store, according to its own verify and to the check here. */
export async function wrongs(folder: string): Promise<string[]> {
  const { status, stdout, stderr } = await runCtx(folder, ["verify", "--all", "--json"]);
  const packs = fs.readdirSync(join(folder, ".ctx/packs"));
  const faults =
    status === 2 ? [] : (JSON.parse(stdout) as VerifyResult).targets.flatMap((target) => target.faults);
  return [
    ...(status === 0 ? [] : [`verify: ${status} ${stderr}`]),
    ...faults.map(({ message }) => message),
    ...packs.flatMap((hex) => flawsOf(folder, hex)),
    ...tornObjects(folder),
  ];
}

export function failed({ status, stderr }: Ended): string[] {
  return status === 0 ? [] : [`${status}: ${stderr}`];
}

/** Microseconds for which a call is held back: longer than the other command takes. */
const held = 1_500_000;
/** The processes mostly wait. */
const atOnce = 6;

/** Holds one command back at a call, and runs the other one meanwhile. */
async function meet(abandoned: string, slow: readonly string[], call: Call): Promise<string[]> {
  const other = slow === sweep ? packArgs : sweep;
  let meanwhile: Promise<Ended> | undefined;
  const { folder, ended } = await inject(
    call,
    { delay_enter: held },
    () => copyOf(abandoned),
    (copy) => {
      meanwhile = comeBy(copy, other);
      return ctxCommand(copy, slow);
    },
    () => ({ limit: 30_000 }),
  );
  const late = (await meanwhile) as Ended;
  const [packed] = slow === sweep ? [late] : [ended];
  const [hex = ""] = reported(packed.stdout);
  const all = [
    ...failed(ended),
    ...failed(late),
    ...(fs.existsSync(join(folder, ".ctx/packs", hex)) && hex !== "" ? [] : ["the pack is not there"]),
    ...(await wrongs(folder)),
    ...leftovers(folder).map((name) => `left ${name}`),
  ];
  fs.rmSync(folder, { recursive: true });
  return all.map((wrong) => `ctx ${slow.join(" ")} is held back at ${call.what}: ${wrong}`);
}

/** Runs a command once the other one has a lock: before that, nothing shows how far it is. */
async function comeBy(folder: string, args: readonly string[]): Promise<Ended> {
  for (let tries = 0; tries < 80 && leftovers(folder).length === 0; tries++) await pause(10);
  // Time to reach the call at which it is held back.
  await pause(100);
  return runCtx(folder, args);
}

async function race(slow: readonly string[], options: Options): Promise<Report> {
  const abandoned = await abandonedStore();
  const calls = (await learn(copyOf(abandoned), slow)).filter(
    (call) => isChange(call) && call.what.includes("@/.ctx/"),
  );
  const points = options.short ? spread(calls, 8, chance(options.seed), ({ name }) => name) : calls;
  const violations: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let call = points[next++]; call !== undefined; call = points[next++]) {
      options.say(`${next} of ${points.length}`);
      violations.push(...(await meet(abandoned, slow, call)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { points: points.length, tries: points.length, violations };
}

export const raceCases: Case[] = [
  {
    group: "load",
    name: "a sweep beside a pack that is held back",
    needs: ["strace"],
    run: (options) => race(packArgs, options),
  },
  {
    group: "load",
    name: "a pack beside a sweep that is held back",
    needs: ["strace"],
    run: (options) => race(sweep, options),
  },
];
