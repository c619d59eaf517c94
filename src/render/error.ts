// Renders an error for a person: what is wrong, each problem on a line of its own, and at most one line of
// advice.
import type { CtxError, Problem } from "../base/errors.js";
import { cutAt } from "../base/cut.js";
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { ErrorLine } from "../results/messages.js";
import { countText, type Paint, painter, type Screen } from "./layout.js";

/** The most problems that an error lists for a person, and for a script. */
const maxProblems = 200;
const maxJsonProblems = 1000;

export function renderError(error: CtxError, screen: Screen): string {
  const paint = painter(screen);
  const lines = [`${paint("red", "error:")} ${printable(error.message)}`];
  const problems = shownProblems(error) ?? [];
  for (const line of problemLines(problems.slice(0, maxProblems), paint)) lines.push(`  ${line}`);
  const more = problems.length - maxProblems;
  if (more > 0) lines.push(`  … and ${countText(more, "more problem")}`);
  if (error.hint !== undefined) lines.push(`${paint("yellow", "hint:")} ${printable(error.hint)}`);
  return `${lines.join("\n")}\n`;
}

/** Errors about documents, whose problems are located by keys that anyone may have written. */
const documentErrors: ReadonlySet<string> = new Set(["log-invalid", "store-unusable", "not-json"]);

/** No field of ours has a longer name, and no placeholder is longer than its rule. */
const maxKeyLength = 32;
const cutKeyLength = 12;

/** Returns the problems of an error, with long keys cut: a key may be a secret that no rule knows. */
function shownProblems({ code, problems }: CtxError): readonly Problem[] | undefined {
  if (!documentErrors.has(code)) return problems;
  return problems?.map((problem) => ({
    ...problem,
    path: problem.path.replaceAll(/\[REDACTED:[a-z0-9-]+:\d+\]|[A-Za-z_$][\w$]*|"(?:[^"\\]|\\.)*"/g, (key) =>
      key.length <= maxKeyLength || key.startsWith("[")
        ? key
        : `${cutAt(key, cutKeyLength)}…${key.startsWith('"') ? '"' : ""}`,
    ),
  }));
}

/** Returns a line for each problem, with its line number if the document has several lines. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  const digits = String(maxOf(problems, ({ line = 0 }) => line)).length;
  const hasSeveralLines = problems.some(({ line = 0 }) => line > 1);
  return problems.map(({ path, message, line }) => {
    const isInMessage = message.includes(`line ${line},`);
    const lineText =
      line === undefined || !hasSeveralLines || isInMessage ? "" : `line ${String(line).padStart(digits)}: `;
    const location = path === "" ? "" : `${paint("cyan", printable(path))}: `;
    return `${paint("dim", lineText)}${location}${printable(message)}`;
  });
}

/**
 * Returns an error for a script. Of very many problems it has the first; `more_problems` counts the others.
 */
export function errorJson(error: CtxError): ErrorLine {
  const { code, message, hint } = error;
  const problems = shownProblems(error);
  const more = (problems?.length ?? 0) - maxJsonProblems;
  return {
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(problems === undefined ? {} : { problems: problems.slice(0, maxJsonProblems) }),
      ...(more > 0 ? { more_problems: more } : {}),
    },
  };
}
