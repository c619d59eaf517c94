// Test runners: seeds, process ids and the order of parallel tests differ from run to run, so what is
// compared is the result: how many tests are in each state, and which failed.
import type { ShellLine, Stage } from "../../tools/shell-line.js";
import { isPipeFilter } from "../pipe-filters.js";
import type { ComparingRule } from "./rule.js";
import { type Runner, resultOf, testRunners } from "./test-runners.js";

/** Returns the rule for a command line that only runs tests; none for any other. */
export function resultRules(line: ShellLine): ComparingRule[] {
  const runners = runnersOf(line);
  if (runners.length === 0) return [];
  return [
    {
      compared: "results",
      isRaw: true,
      isEqual: ({ recorded, now }) =>
        runners.some((runner) => {
          const result = resultOf(runner, utf8(recorded));
          return result !== undefined && result === resultOf(runner, utf8(now));
        }),
    },
  ];
}

function utf8(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

/** Programs beside a test run that print nothing. */
const silent = new Set(["cd", "true", "export", "set", "source", ".", ""]);

/** Returns the runners that a line may run; none if another of its commands prints something. */
function runnersOf({ pipelines, isComplete }: ShellLine): readonly Runner[] {
  const printing = pipelines.filter(({ stages }) => !stages.every(({ program }) => silent.has(program)));
  const [first, another] = printing;
  if (!isComplete || first === undefined || another !== undefined || first.isRedirected) return [];
  const [runner, ...filters] = first.stages;
  return runner !== undefined && filters.every(isPipeFilter) ? runnersBy(runner) : [];
}

/** The names of scripts that may run any test runner. */
const testScript = /^(?:test|tests|unit|integration|e2e)(?:[:/_-][\w:./-]*)?$/;

function runnersBy({ program, words, isProgramExpanded }: Stage): readonly Runner[] {
  if (isProgramExpanded) return [];
  const [first = "", second = ""] = words.filter((word) => !/^-(?!m$)/.test(word));
  if (program === "go" || program === "mix" || program === "cargo")
    return /^(?:test|t|nextest)$/.test(first) ? [program] : [];
  if (program === "vitest" || program === "jest") return [program];
  if (program === "pytest" || program === "py.test") return ["pytest"];
  if (program === "node") return words.includes("--test") ? ["node"] : [];
  if (/^python[\d.]*$/.test(program) && first === "-m")
    return second === "pytest" || second === "unittest" ? [second] : [];
  if (/^(?:pnpm|yarn|bun)$/.test(program) && (first === "vitest" || first === "jest")) return [first];
  const script = /^run(?:-script)?$/.test(first) ? second : first;
  if (/^(?:npm|pnpm|yarn|bun|mise|make|just|task)$/.test(program) && testScript.test(script))
    return testRunners;
  return [];
}
