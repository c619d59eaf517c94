// Runs cases through the comparison and counts: which passed, how exactly, and whether the required rates are
// met.
import { type Case, caseName } from "./generate.js";
import { judge, problemsOf, type Verdict } from "./judge.js";
import { type Compared, mirrorProblem } from "./mirror.js";

export type Compare = (a: Case["a"], b: Case["b"]) => Compared;

export interface Outcome extends Verdict {
  planted: Case;
  /** Why it is not mirrored or not the same bytes again; empty when it is both. */
  unsteady: string[];
  alignment: string;
  milliseconds: number;
}

export function examine(planted: Case, compare: Compare): Outcome {
  const { a, b } = planted;
  try {
    const start = performance.now();
    const report = compare(a, b);
    const milliseconds = performance.now() - start;
    const back = compare(b, a);
    const unsteady: string[] = [];
    if (JSON.stringify(report) !== JSON.stringify(compare(a, b))) unsteady.push("not the same bytes again");
    const notMirrored = mirrorProblem(report, back);
    if (notMirrored !== undefined) unsteady.push(`not mirrored: ${notMirrored}`);
    for (const problem of problemsOf(b.manifest, a.manifest, back)) unsteady.push(`mirror: ${problem}`);
    const verdict = judge(a.manifest, b.manifest, report, planted.planted);
    return { ...verdict, planted, unsteady, alignment: report.alignment, milliseconds };
  } catch (error) {
    const problems = [`threw ${error instanceof Error ? error.message : String(error)}`];
    const verdict = { problems, cost: Infinity, plantedCost: 0, passed: false, exact: "other" } as const;
    return { ...verdict, planted, unsteady: [], alignment: "none", milliseconds: 0 };
  }
}

/** Realistic and distinct runs, for which more is required. */
export function isPlain({ planted }: Outcome): boolean {
  return planted.shape === "realistic" || planted.shape === "distinct";
}

interface Requirement {
  what: string;
  least: number;
  of: (outcome: Outcome) => boolean;
  holds: (outcome: Outcome) => boolean;
}

const passed = ({ passed }: Outcome): boolean => passed;
const inSet =
  (set: number) =>
  ({ planted }: Outcome): boolean =>
    planted.set === set;

const requirements: Requirement[] = [
  { what: "set 1 passed", least: 0.995, of: inSet(1), holds: passed },
  {
    what: "set 1 exact, realistic and distinct",
    least: 0.97,
    of: (outcome) => inSet(1)(outcome) && isPlain(outcome),
    holds: ({ exact }) => exact !== "other",
  },
  { what: "set 2 passed", least: 0.97, of: inSet(2), holds: passed },
  {
    what: "set 2 passed, realistic and distinct",
    least: 0.99,
    of: (outcome) => inSet(2)(outcome) && isPlain(outcome),
    holds: passed,
  },
  { what: "complete", least: 1, of: () => true, holds: ({ problems }) => problems.length === 0 },
  {
    what: "mirrored and the same bytes again",
    least: 1,
    of: () => true,
    holds: ({ unsteady }) => unsteady.length === 0,
  },
];

export interface Rate {
  what: string;
  least: number;
  held: number;
  of: number;
  met: boolean;
  /** The cases that did not hold. */
  missed: Outcome[];
}

/** Each requirement that any of the cases is under. */
export function ratesOf(outcomes: readonly Outcome[]): Rate[] {
  return requirements.flatMap(({ what, least, of, holds }) => {
    const concerned = outcomes.filter(of);
    const missed = concerned.filter((outcome) => !holds(outcome));
    const held = concerned.length - missed.length;
    return concerned.length === 0
      ? []
      : [{ what, least, held, of: concerned.length, met: held >= least * concerned.length, missed }];
  });
}

export function percent(held: number, of: number): string {
  return of === 0 ? "-" : `${((100 * held) / of).toFixed(2)} %`;
}

/** A case that failed, with the arguments to repeat it. */
export function describeFailure({
  planted,
  problems,
  unsteady,
  cost,
  plantedCost,
  alignment,
}: Outcome): string {
  const why = [...problems, ...unsteady].slice(0, 3);
  return [`${caseName(planted)}; cost ${cost}, planted ${plantedCost}, ${alignment}`, ...why].join("\n    ");
}
