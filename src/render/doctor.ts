// Renders the findings of `ctx doctor`, one per line, with advice beside each problem.
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { DoctorResult } from "../results/results.js";
import { padEnd, painter, type Screen, wrap } from "./layout.js";

const marks = { ok: ["green", "ok   "], lacks: ["yellow", "lacks"], bad: ["red", "bad  "] } as const;

export function renderDoctor(result: DoctorResult, screen: Screen): string {
  const paint = painter(screen);
  const column = maxOf(result.checks, ({ name }) => name.length);
  const lines = result.checks.flatMap(({ name, status, found, advice }) => {
    const [colour, mark] = marks[status];
    const indent = " ".repeat(5 + 2 + column + 2);
    const room = Math.max(screen.width - indent.length, 20);
    const [first = "", ...more] = wrap(printable(found), room);
    return [
      `${paint(colour, mark)}  ${padEnd(name, column)}  ${first}`,
      ...more.map((line) => `${indent}${line}`),
      ...(advice === undefined
        ? []
        : wrap(printable(advice), room).map((line) => paint("dim", `${indent}${line}`))),
    ];
  });
  const fixed = (result.fixed ?? []).flatMap((line) =>
    wrap(printable(line), Math.max(screen.width - 7, 20)).map(
      (text, at) => `${at === 0 ? paint("green", "fixed") : "     "}  ${text}`,
    ),
  );
  return `${[...fixed, ...lines].join("\n")}\n`;
}
