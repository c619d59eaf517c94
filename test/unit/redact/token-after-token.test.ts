// Tokens in consecutive lines, as logs have them that join standard output and standard error. A token whose
// line ends near a usual width may go on in the next line, but not where another token begins there.
import { describe, expect, it } from "vitest";
import { Redactor } from "../../../src/redact/redactor.js";
import { builtInRules, createScanner } from "../../../src/redact/scanner.js";

const search = createScanner({ mode: "standard" });

/** The examples of all rules that know a token by its form: the text, and what is masked of it. */
const examples = builtInRules
  .filter(({ isGuess, id }) => isGuess === undefined && id !== "private-key")
  .flatMap(({ id, examples: { masked } }) => masked.map((text) => ({ id, text })))
  .map(({ id, text }) => ({
    id,
    text: text.replace(/^key | end$/g, "").replaceAll(/[«»]/g, ""),
    secret: /«([^»]*)»/.exec(text)?.[1] ?? "",
  }));

/** Returns another token of the same form: its last digit is another one. */
function other({ text, secret }: { text: string; secret: string }): { text: string; secret: string } {
  const changed = secret.replace(/\d(?=\D*$)/, (digit) => (digit === "7" ? "2" : "7"));
  return { text: text.replace(secret, changed), secret: changed };
}

/** Returns whether twelve characters in a row of a secret are left. */
function isLeft(secret: string, text: string): boolean {
  for (let at = 0; at + 12 <= secret.length; at++) if (text.includes(secret.slice(at, at + 12))) return true;
  return false;
}

const separators = ["\n", "\r\n", "\n    ", "\\n", "\\r\\n", "\n> ", "\n| ", "\n+", "\n\n", "\n12\t", "\\\n"];

describe("tokens in consecutive lines", () => {
  it.each(separators.map((separator) => [JSON.stringify(separator), separator]))(
    "redact: of two tokens with %s between them nothing is left, for every rule",
    (_, separator) => {
      const left: string[] = [];
      for (const [at, first] of examples.entries())
        for (const [index, one] of examples.entries()) {
          // Every pair for the plain line end; for the others each rule with itself and with a few others.
          if (separator !== "\n" && one !== first && (at + index) % 16 !== 0) continue;
          const second = { id: one.id, ...(one === first ? other(one) : one) };
          // The first line ends in a column where lines are wrapped.
          const text = `${"word ".repeat(20).slice(0, Math.max(0, 75 - first.text.length))} ${first.text}${separator}${second.text} end`;
          const { value } = new Redactor(search).text(text);
          if (isLeft(first.secret, value) || isLeft(second.secret, value))
            left.push(`${first.id}, ${second.id}`);
        }
      expect(examples.length).toBeGreaterThan(80);
      expect(left).toEqual([]);
    },
  );
});

it("redact: two tokens in consecutive lines get a placeholder each", () => {
  const one = `hvs.${"aB3dE6gH9jK2mN5p".repeat(5)}`;
  const two = `hvs.${"Q8rS1tU4vW7xY0zC".repeat(5)}`;
  const { value } = new Redactor(search).text(`${one}\n${two}\n${one}\nghp_${"aB3d".repeat(9)}\n`);
  expect(value).toBe(
    "[REDACTED:vault-token:1]\n[REDACTED:vault-token:2]\n[REDACTED:vault-token:1]\n[REDACTED:github-token:1]\n",
  );
});

it("redact: a token prefix that ends too soon does not hide the token in the next line", () => {
  const whole = `AGE-SECRET-KEY-1${"Q3W7E1R9T5Y2U8I4O6PAZSXDCFVGBHNJ".repeat(2).slice(0, 58)}`;
  const { value } = new Redactor(search).text(`${whole.slice(0, -3)}\n${whole}\n`);
  expect(isLeft(whole, value)).toBe(false);
});

it("redact: a token that continues in the next line is masked to its end", () => {
  const token = `hvs.${"aB3dE6gH9jK2mN5p".repeat(8)}`;
  const { value } = new Redactor(search).text(`${token.slice(0, 80)}\n${token.slice(80)}\n(end)`);
  expect(value).toBe("[REDACTED:vault-token:1]\n\n(end)");
});
