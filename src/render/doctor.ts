// Renders the findings of `ctx doctor`, one per line, with advice beside each problem.
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { DoctorResult } from "../results/results.js";
import { fit, padEnd, painter, type Screen } from "./layout.js";

const marks = { ok: ["green", "ok   "], lacks: ["yellow", "lacks"], bad: ["red", "bad  "] } as const;

export function renderDoctor(result: DoctorResult, screen: Screen): string {
  const paint = painter(screen);
  const column = maxOf(result.checks, ({ name }) => name.length);
  const lines = result.checks.flatMap(({ name, status, found, advice }) => {
    const [colour, mark] = marks[status];
    const indent = " ".repeat(5 + 2 + column + 2);
    const line = `${paint(colour, mark)}  ${padEnd(name, column)}  ${fit(found, screen.width - indent.length)}`;
    return advice === undefined ? [line] : [line, paint("dim", `${indent}${printable(advice)}`)];
  });
  const fixed = (result.fixed ?? []).map((line) => `${paint("green", "fixed")}  ${printable(line)}`);
  return `${[...fixed, ...lines].join("\n")}\n`;
}
