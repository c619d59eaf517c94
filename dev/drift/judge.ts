// Judges a report by the contract alone: is it complete, and what does it cost against the planted entries?
// It shares no code with src/ but the table of costs.
import type { Manifest } from "../../src/model/manifest.js";
import { type Exactness, exactness } from "./exact.js";
import {
  type Entry,
  type Explanation,
  isStepEntry,
  type Pair,
  priceOf,
  retryProblem,
} from "./explanation.js";
import { outOfOrder } from "./order.js";
import { fieldsOf, groupNames, isTool, type Keyed, keyed } from "./steps.js";

export interface Verdict {
  /** Why the report is not complete; empty when it is. */
  problems: string[];
  cost: number;
  plantedCost: number;
  /** Complete, and at most as expensive as the planted entries. */
  passed: boolean;
  /** Whether it has the planted entries, up to slides: all but `other`. */
  exact: Exactness;
}

export function judge(a: Manifest, b: Manifest, report: Explanation, planted: Explanation): Verdict {
  const problems = [...problemsOf(a, b, report), ...otherProblems(report.entries, planted.entries)];
  const [cost, plantedCost] = [priceOf(a, b, report), priceOf(a, b, planted)];
  const passed = problems.length === 0 && cost <= plantedCost;
  const exact = passed && cost === plantedCost ? exactness(a, b, report, planted) : "other";
  return { problems, cost, plantedCost, passed, exact };
}

/** Entries that are not about steps must be the planted ones, and no others. */
function otherProblems(entries: readonly Entry[], planted: readonly Entry[]): string[] {
  const [is, should] = [textOf(entries), textOf(planted)];
  return is === should ? [] : [`entries that are not about steps: ${is} instead of ${should}`];
}

function textOf(entries: readonly Entry[]): string {
  const texts = entries
    .filter((entry) => !isStepEntry(entry))
    .map(({ type, change, prompt_index, fields }) => {
      const which = change === "changed" && prompt_index !== undefined ? fields.join() : "";
      return `${type} ${change} ${prompt_index ?? "system"} ${which}`;
    });
  return texts.join("; ");
}

/** Returns why an explanation is not complete and well-formed. */
export function problemsOf(a: Manifest, b: Manifest, explanation: Explanation): string[] {
  return new Check(keyed(a.steps), keyed(b.steps), explanation).problems;
}

/** Rebuilds the alignment from the entries and what is reordered. */
class Check {
  readonly problems: string[] = [];
  readonly #a: Keyed;
  readonly #b: Keyed;
  readonly #usedA: boolean[];
  readonly #usedB: boolean[];

  constructor(a: Keyed, b: Keyed, { entries, reordered }: Explanation) {
    this.#a = a;
    this.#b = b;
    this.#usedA = a.steps.map(() => false);
    this.#usedB = b.steps.map(() => false);
    const steps = entries.filter(isStepEntry);
    for (const entry of steps) this.#leaveOut(entry);
    const crossing: Pair[] = [];
    for (const { index_a, index_b } of reordered) {
      this.#use("a", index_a, 1, "a reordered pair");
      this.#use("b", index_b, 1, "a reordered pair");
      crossing.push([index_a, index_b]);
    }
    const restA = rest(this.#usedA);
    const restB = rest(this.#usedB);
    if (restA.length !== restB.length)
      this.#wrong(`${restA.length} steps of a and ${restB.length} of b are left over`);
    const inOrder = restA.slice(0, restB.length).map((i, position): Pair => [i, restB[position] as number]);
    this.#checkPairs(steps, [...inOrder, ...crossing]);
    this.#checkCrossings(inOrder, crossing);
    this.#checkEnds(steps, inOrder);
    const wrong = outOfOrder({
      entries,
      pairs: [...inOrder, ...crossing],
      lengths: [a.steps.length, b.steps.length],
    });
    if (wrong !== -1) this.#wrong(`entry ${wrong} is out of order`);
  }

  #wrong(problem: string): void {
    if (this.problems.length < 20) this.problems.push(problem);
  }

  #use(side: "a" | "b", first: number | null, count: number, by: string): void {
    const used = side === "a" ? this.#usedA : this.#usedB;
    if (first === null || !(first >= 0) || !(count >= 1) || first + count > used.length)
      return this.#wrong(`${by}: no steps ${first} + ${count} in ${side}`);
    for (let index = first; index < first + count; index++) {
      if (used[index]) this.#wrong(`${by}: step ${index} of ${side} is used twice`);
      used[index] = true;
    }
  }

  /** Removes steps that are in no pair from the runs, and checks the entry itself. */
  #leaveOut(entry: Entry): void {
    const { change, index_a, index_b, count, fields } = entry;
    const name = `${change} ${index_a}/${index_b}`;
    if (entry.step_index !== (index_a ?? index_b)) this.#wrong(`${name}: step_index ${entry.step_index}`);
    if (change !== "retried" && entry.extra_a.length + entry.extra_b.length > 0)
      this.#wrong(`${name}: extra steps without a retry`);
    if (entry.at_end === true && change !== "added" && change !== "removed")
      this.#wrong(`${name}: at_end of what is no stretch`);
    if (!["changed", "replaced"].includes(change) && entry.type !== "tool_drift")
      this.#wrong(`${name}: is ${entry.type}`);
    if (change === "removed" || change === "added") {
      const side = change === "removed" ? "a" : "b";
      if ((side === "a" ? index_b : index_a) !== null) this.#wrong(`${name}: has both indices`);
      this.#use(side, side === "a" ? index_a : index_b, count, name);
    } else if (index_a === null || index_b === null) this.#wrong(`${name}: has not both indices`);
    else if (change === "moved") {
      this.#use("a", index_a, count, name);
      this.#use("b", index_b, count, name);
      this.#checkMove(index_a, index_b, count, fields, name);
    } else if (change === "retried") {
      for (const extra of entry.extra_a) this.#use("a", extra, 1, name);
      for (const extra of entry.extra_b) this.#use("b", extra, 1, name);
    } else if (count !== 1) this.#wrong(`${name}: count ${count}`);
  }

  #checkMove(i: number, j: number, count: number, fields: readonly string[], name: string): void {
    const [a, b] = [this.#a, this.#b];
    if (fields.join() === "output") {
      if (count !== 1 || !isTool(a.steps[i]) || a.calls[i] !== b.calls[j] || a.keys[i] === b.keys[j])
        this.#wrong(`${name}: not one tool step with the same call and other output`);
      return;
    }
    if (fields.length > 0) this.#wrong(`${name}: fields ${fields.join()}`);
    for (let step = 0; step < count; step++)
      if (a.keys[i + step] === undefined || a.keys[i + step] !== b.keys[j + step])
        return this.#wrong(`${name}: step ${step} of it is not equal`);
  }

  /** Every pair is equal, or is the pair of one entry with exactly its fields. */
  #checkPairs(entries: readonly Entry[], pairs: readonly Pair[]): void {
    const open = new Map<string, Entry>();
    const retried = new Map<string, Entry>();
    for (const entry of entries) {
      const pair = `${entry.index_a}/${entry.index_b}`;
      const list = entry.change === "retried" ? retried : open;
      if (entry.change !== "retried" && entry.change !== "changed" && entry.change !== "replaced") continue;
      if (list.has(pair)) this.#wrong(`two entries for the pair ${pair}`);
      list.set(pair, entry);
    }
    for (const pair of pairs) {
      const [i, j] = pair;
      const name = `${i}/${j}`;
      const entry = open.get(name);
      open.delete(name);
      this.#checkPair(pair, entry);
      const retry = retried.get(name);
      retried.delete(name);
      const problem = retry && retryProblem(this.#a, this.#b, pair, retry.extra_a, retry.extra_b);
      if (problem !== undefined) this.#wrong(`retried ${name}: ${problem}`);
    }
    for (const [name, { change }] of [...open, ...retried]) this.#wrong(`${change} ${name}: is no pair`);
  }

  #checkPair([i, j]: Pair, entry: Entry | undefined): void {
    const [one, other] = [this.#a.steps[i], this.#b.steps[j]];
    if (one === undefined || other === undefined) return this.#wrong(`pair ${i}/${j}: no such steps`);
    const equal = this.#a.keys[i] === this.#b.keys[j];
    if (entry === undefined) {
      if (!equal) this.#wrong(`pair ${i}/${j} differs and has no entry`);
      return;
    }
    const fields = fieldsOf(one, other);
    const name = `${entry.change} ${i}/${j}`;
    if (entry.fields.join() !== fields.join() || equal)
      this.#wrong(`${name}: fields ${entry.fields.join()} instead of ${fields.join()}`);
    const should =
      fields[0] === "type" || fields[0] === "tool"
        ? "tool_drift replaced"
        : `${fields[0] === "parameters" ? "param_drift" : "reasoning_drift"} changed`;
    if (`${entry.type} ${entry.change}` !== should)
      this.#wrong(`${name}: ${entry.type} instead of ${should}`);
  }

  /** Two pairs may cross only within a parallel group of either run. */
  #checkCrossings(inOrder: readonly Pair[], crossing: readonly Pair[]): void {
    if (crossing.length === 0) return;
    const [inA, inB] = [groupNames(this.#a.steps), groupNames(this.#b.steps)];
    const all = [...inOrder, ...crossing];
    for (const [i, j] of crossing) {
      const [groupA, groupB] = [inA[i], inB[j]];
      for (const [k, l] of all) {
        if (i < k === j < l || (i === k && j === l)) continue;
        if (groupA === undefined || groupB === undefined || inA[k] !== groupA || inB[l] !== groupB)
          return this.#wrong(`reordered ${i}/${j} crosses ${k}/${l}, which is not in its group`);
      }
    }
  }

  /** `at_end` where a stretch reaches the end; it must be there when the other run ends with a pair. */
  #checkEnds(entries: readonly Entry[], inOrder: readonly Pair[]): void {
    const [lastA, lastB] = [this.#a.steps.length - 1, this.#b.steps.length - 1];
    for (const entry of entries) {
      if (entry.change !== "removed" && entry.change !== "added") continue;
      const removed = entry.change === "removed";
      const reaches = (entry.index_a ?? entry.index_b ?? 0) + entry.count - 1 === (removed ? lastA : lastB);
      const otherEnds = inOrder.at(-1)?.[removed ? 1 : 0] === (removed ? lastB : lastA);
      if (entry.at_end === true ? !reaches : reaches && otherEnds)
        this.#wrong(`${entry.change} ${entry.step_index}: at_end ${String(entry.at_end)}`);
    }
  }
}

function rest(used: readonly boolean[]): number[] {
  return [...used.keys()].filter((index) => !used[index]);
}
