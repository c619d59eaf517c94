// All cases of the property test, as a table: `npm run drift`.
import { parseArgs } from "node:util";
import { type CaseSet, kinds, makeCase, setSizes } from "./generate.js";
import { type Compare, describeFailure, examine, isPlain, type Outcome, percent, ratesOf } from "./rates.js";
import { shapes } from "./runs.js";

const usage = `options:
  --set 1|2     one set only
  --from N      begin with case N
  --count N     that many cases of each set
  --only KIND   ${kinds.join(", ")}
  --inexact     list the passed cases too whose entries are not the planted ones
  --all         list every failure, not the first 50`;

/** Runs the selected cases, and returns whether every required rate was met. */
export function runAll(args: string[], compare: Compare, print: (line: string) => void): boolean {
  const { values } = parseArgs({
    args,
    options: {
      set: { type: "string" },
      from: { type: "string", default: "0" },
      count: { type: "string", default: "10000" },
      only: { type: "string" },
      inexact: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const bad = values.only !== undefined && !kinds.some((kind) => kind === values.only);
  const numbers = [values.from, values.count, values.set ?? "1"].map(Number);
  if (values.help || bad || !numbers.every(Number.isInteger)) {
    print(usage);
    return values.help;
  }
  const sets = ([1, 2] as CaseSet[]).filter((set) => values.set === undefined || Number(values.set) === set);
  const outcomes: Outcome[] = [];
  for (const set of sets) {
    const start = performance.now();
    const end = Math.min(setSizes[set], Number(values.from) + Number(values.count));
    const some: Outcome[] = [];
    for (let number = Number(values.from); number < end; number++)
      if (values.only === undefined || kinds[number % kinds.length] === values.only)
        some.push(examine(makeCase(set, number), compare));
    outcomes.push(...some);
    const comparing = some.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const slowest = Math.max(0, ...some.map(({ milliseconds }) => milliseconds));
    print(
      `set ${set}: ${some.length} cases in ${seconds(performance.now() - start)}, one comparison of each in`,
    );
    print(`  ${seconds(comparing)}, the slowest in ${slowest.toFixed(0)} ms; passed, exact:`);
    for (const line of table(some)) print(`  ${line}`);
    listFailures(some, values, print);
    print("");
  }
  return summary(outcomes, print);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function table(outcomes: readonly Outcome[]): string[] {
  const rows = [["", ...shapes, "all"]];
  for (const kind of [...kinds, "all"]) {
    const cells = [...shapes, "all"].map((shape) => {
      const cell = outcomes.filter(
        ({ planted }) =>
          (kind === "all" || planted.kind === kind) && (shape === "all" || planted.shape === shape),
      );
      const passed = cell.filter((outcome) => outcome.passed).length;
      const exact = cell.filter((outcome) => outcome.exact !== "other").length;
      return cell.length === 0 ? "-" : `${passed}/${cell.length} ${exact}`;
    });
    rows.push([kind, ...cells]);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(column === 0 ? 12 : 17))
      .join("")
      .trimEnd(),
  );
}

function summary(outcomes: readonly Outcome[], print: (line: string) => void): boolean {
  const count = (name: string): number => outcomes.filter(({ exact }) => exact === name).length;
  const cheaper = outcomes.filter(({ passed, cost, plantedCost }) => passed && cost < plantedCost).length;
  print(`planted entries in the same places: ${count("same")}; in others as good: ${count("alike")};`);
  print(`  not: ${count("other")}, of which ${cheaper} have cheaper ones`);
  print(`coarse: ${outcomes.filter(({ alignment }) => alignment === "coarse").length}`);
  const rates = ratesOf(outcomes);
  for (const { what, least, held, of, met } of rates)
    print(
      `${met ? "met   " : "MISSED"}  ${what}: ${held}/${of} = ${percent(held, of)}, required ${percent(least, 1)}`,
    );
  return outcomes.length > 0 && rates.every(({ met }) => met);
}

function listFailures(
  outcomes: readonly Outcome[],
  { inexact, all }: { inexact: boolean; all: boolean },
  print: (line: string) => void,
): void {
  const failures = outcomes.filter(
    ({ passed, problems, unsteady }) => !passed || problems.length > 0 || unsteady.length > 0,
  );
  listCases("failed", failures, all, print);
  if (inexact)
    listCases(
      "passed with other entries (realistic and distinct)",
      outcomes.filter((outcome) => outcome.passed && outcome.exact === "other" && isPlain(outcome)),
      all,
      print,
    );
}

function listCases(
  title: string,
  list: readonly Outcome[],
  all: boolean,
  print: (line: string) => void,
): void {
  const shown = all ? list : list.slice(0, 50);
  print(`${list.length} ${title}${shown.length < list.length ? `, the first ${shown.length}` : ""}`);
  for (const outcome of shown) print(`  ${describeFailure(outcome)}`);
}
