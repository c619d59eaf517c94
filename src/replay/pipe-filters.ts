// Recognises filters that print only what a pipe feeds them: `… | tail -5`. With another operand, or an
// option that is not listed, they may print a file.
import type { Stage } from "../tools/shell-line.js";

interface Filter {
  /** Number of operands that are not files: a pattern, a script. */
  operands: number;
  /** Options without a value. Others, such as `grep -r`, may read files. */
  flags: RegExp;
  /** Options whose value is the next word. */
  valued?: RegExp;
  /** What an operand, or the value of such an option, has to match. */
  script?: RegExp;
}

const grep: Filter = {
  operands: 1,
  flags: /^-(?:[EFGPciovwxnhHqsaz]+|[ABCm]\d+|-color(?:=\w+)?|-invert-match|-ignore-case|-line-buffered)$/,
  valued: /^-(?:[ABCm]|[EFGPciovwxnh]*e)$/,
};
/** Scripts that name no file and run no program. */
const awk: Filter = {
  operands: 1,
  flags: /^-F.+$/,
  valued: /^-[Fv]$/,
  script: /^(?!.*(?:getline|system|[<|@]))/s,
};
const counted: Filter = { operands: 0, flags: /^-(?:\d+|[nc][+-]?\d+|[qvz])$/, valued: /^-[nc]$/ };
const plain: Filter = { operands: 0, flags: /^-[A-Za-z]+$/ };

const filters: Readonly<Record<string, Filter>> = {
  cat: plain,
  tac: plain,
  rev: plain,
  nl: plain,
  wc: plain,
  head: counted,
  tail: { ...counted, flags: /^-(?:\d+|[nc][+-]?\d+|[qvzfF])$|^\+\d+$/ },
  grep,
  egrep: grep,
  fgrep: grep,
  sed: {
    operands: 1,
    flags: /^-[nEru]+$/,
    valued: /^-[nEru]*e$/,
    // One command: lines or patterns, then a deletion, a print, an end or a replacement.
    script:
      /^(?:\d+|\$|\/[^/\n]*\/)?(?:,(?:\d+|\$|\/[^/\n]*\/))?!?(?:[pdq=]|s([/|#,])(?:(?!\1)[^\n])*\1(?:(?!\1)[^\n])*\1[gpIi\d]*)$/,
  },
  awk,
  gawk: awk,
  mawk: awk,
  cut: { operands: 0, flags: /^-(?:[dfcb].+|s)$/, valued: /^-[dfcb]$/ },
  sort: { operands: 0, flags: /^-(?:[bdfgiMhnRrVcCmsuz]+|[kt].+)$/, valued: /^-[kt]$/ },
  uniq: { operands: 0, flags: /^-[cdDiuz]+$/, valued: /^-[fsw]$/ },
  tr: { operands: 2, flags: /^-[cCdst]+$/ },
  tee: { operands: Number.POSITIVE_INFINITY, flags: /^-[ai]+$/ },
  fold: { operands: 0, flags: /^-(?:[bs]+|w\d+)$/, valued: /^-w$/ },
  column: { operands: 0, flags: /^-t$/ },
  less: plain,
  more: plain,
  jq: { operands: 1, flags: /^-[rRscnSeMCaj]+$/, script: /^(?!.*\b(?:import|include)\b)/s },
};

/** Returns whether a stage prints only what a pipe feeds it. */
export function isPipeFilter({ program, words, isPiped, hasExpansion, wrappers }: Stage): boolean {
  const filter = Object.hasOwn(filters, program) ? filters[program] : undefined;
  // Words that xargs adds may be names of files.
  if (filter === undefined || !isPiped || hasExpansion || wrappers.length > 0) return false;
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const isValued = filter.valued?.test(word) === true;
    if (!isValued && /^[-+]./.test(word)) {
      if (!filter.flags.test(word)) return false;
      continue;
    }
    const isPattern = isValued && word.endsWith("e");
    const text = isValued ? words[++at] : word;
    if ((!isValued || isPattern) && filter.script?.test(text ?? "") === false) return false;
    // A pattern in an option takes the place of the first operand.
    if (!isValued || (isPattern && operands === 0)) operands++;
  }
  return operands <= filter.operands;
}
