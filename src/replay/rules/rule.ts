// What a comparison rule is, and how rules are applied: a rule makes equal only what its name says, and the
// report lists the rules without which two outputs would differ.
import type { ComparedPart } from "../../results/replay.js";

/** A recorded output and the one of this replay. */
export interface OutputPair {
  recorded: string;
  now: string;
}

/** Removes from both outputs what may differ. */
export interface RewritingRule {
  name: string;
  apply(pair: OutputPair): OutputPair;
  /** Called if the step matched, and would not have without this rule. */
  accept?(): void;
}

/** Compares two outputs by something else than their bytes. */
export interface ComparingRule {
  /** For `normalised` in the report; undefined where `compared` says it. */
  name?: string;
  compared: ComparedPart;
  /** Whether it compares the outputs as they are, not as the other rules leave them. */
  isRaw?: boolean;
  isEqual(pair: OutputPair): boolean;
}

export interface MatchRules {
  rewriting: readonly RewritingRule[];
  comparing: readonly ComparingRule[];
}

export interface RuleMatch {
  compared: ComparedPart;
  /** The rules without which the outputs differ. */
  used: string[];
  /** To be called if nothing else speaks against the step. */
  accept(): void;
}

const bytes: ComparingRule = { compared: "normalised", isEqual: ({ recorded, now }) => recorded === now };

/** Larger outputs are not rewritten. */
const maxText = 4 << 20;

/** Returns how the rules make two outputs equal; undefined if they do not. */
export function matchBy(
  { rewriting, comparing }: MatchRules,
  one: Buffer,
  other: Buffer,
): RuleMatch | undefined {
  const isLarge = one.length > maxText || other.length > maxText;
  const pair = { recorded: one.toString("latin1"), now: other.toString("latin1") };
  for (const comparison of [bytes, ...comparing]) {
    const rules = isLarge || comparison.isRaw === true ? [] : rewriting;
    if (!comparison.isEqual(rewritten(pair, rules))) continue;
    const needed = neededRules(pair, rules, comparison);
    const names = needed.map(({ name }) => name);
    return {
      compared: comparison.compared,
      used: comparison.name === undefined ? names : [...names, comparison.name],
      accept() {
        for (const rule of needed) rule.accept?.();
      },
    };
  }
  return undefined;
}

function rewritten(pair: OutputPair, rules: readonly RewritingRule[]): OutputPair {
  return rules.reduce((texts, rule) => rule.apply(texts), pair);
}

/** Leaves out each rule without which the outputs are equal, too; of two that do the same, the later one. */
function neededRules(
  pair: OutputPair,
  rules: readonly RewritingRule[],
  comparison: ComparingRule,
): readonly RewritingRule[] {
  let needed = rules;
  for (const rule of [...rules].reverse()) {
    const others = needed.filter((each) => each !== rule);
    if (comparison.isEqual(rewritten(pair, others))) needed = others;
  }
  return needed;
}

/** Returns a rule that replaces what a pattern finds in both outputs. */
export function replacing(name: string, pattern: RegExp, replacement: string): RewritingRule {
  return inBoth(name, (text) => text.replaceAll(pattern, replacement));
}

/** Returns a rule that rewrites both outputs in the same way. */
export function inBoth(name: string, rewrite: (text: string) => string): RewritingRule {
  return { name, apply: ({ recorded, now }) => ({ recorded: rewrite(recorded), now: rewrite(now) }) };
}
