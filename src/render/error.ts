// Renders an error for a person: what is wrong, each problem on a line of its own, and at most one line of
// advice.
import type { CtxError, Problem } from "../base/errors.js";
import { cutAt } from "../base/cut.js";
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { ErrorLine } from "../results/messages.js";
import { countText, type Paint, painter, type Screen } from "./layout.js";

/** The most problems that an error lists for a person, and for a script. */
const mostProblems = 200;
const mostJsonProblems = 1000;

export function renderError(error: CtxError, screen: Screen): string {
  const paint = painter(screen);
  const lines = [`${paint("red", "error:")} ${printable(error.message)}`];
  const problems = problemsOf(error) ?? [];
  for (const line of problemLines(problems.slice(0, mostProblems), paint)) lines.push(`  ${line}`);
  const more = problems.length - mostProblems;
  if (more > 0) lines.push(`  … and ${countText(more, "more problem")}`);
  if (error.hint !== undefined) lines.push(`${paint("yellow", "hint:")} ${printable(error.hint)}`);
  return `${lines.join("\n")}\n`;
}

/** Errors about documents, whose problems are located by keys that anyone may have written. */
const aboutDocuments: ReadonlySet<string> = new Set(["log-invalid", "store-unusable", "not-json"]);

/** No field of ours has a longer name, and no placeholder is longer than its rule. */
const longestKey = 32;
const shownKey = 12;

/** Returns the problems of an error, with long keys cut: a key may be a secret that no rule knows. */
function problemsOf({ code, problems }: CtxError): readonly Problem[] | undefined {
  if (!aboutDocuments.has(code)) return problems;
  return problems?.map((problem) => ({
    ...problem,
    path: problem.path.replaceAll(/\[REDACTED:[a-z0-9-]+:\d+\]|[A-Za-z_$][\w$]*|"(?:[^"\\]|\\.)*"/g, (key) =>
      key.length <= longestKey || key.startsWith("[")
        ? key
        : `${cutAt(key, shownKey)}…${key.startsWith('"') ? '"' : ""}`,
    ),
  }));
}

/** Returns a line for each problem, with its line number if the document has several lines. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  const digits = String(maxOf(problems, ({ line = 0 }) => line)).length;
  const isLong = problems.some(({ line = 0 }) => line > 1);
  return problems.map(({ path, message, line }) => {
    const isSaid = message.includes(`line ${line},`);
    const where = line === undefined || !isLong || isSaid ? "" : `line ${String(line).padStart(digits)}: `;
    const place = path === "" ? "" : `${paint("cyan", printable(path))}: `;
    return `${paint("dim", where)}${place}${printable(message)}`;
  });
}

/**
 * Returns an error for a script. Of very many problems it has the first; `more_problems` counts the others.
 */
export function errorJson(error: CtxError): ErrorLine {
  const { code, message, hint } = error;
  const problems = problemsOf(error);
  const more = (problems?.length ?? 0) - mostJsonProblems;
  return {
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(problems === undefined ? {} : { problems: problems.slice(0, mostJsonProblems) }),
      ...(more > 0 ? { more_problems: more } : {}),
    },
  };
}
