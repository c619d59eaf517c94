// Finds the line of a text that says most about it, for previews of one line: the first that is more than
// brackets, a rule, a code fence or the frame of a patch.

/** Lines without a letter or digit: `}`, `---`, `/**`. */
const isBare = /^[^\p{L}\p{N}]*$/u;
/**
 * A code fence, a tag alone, the first line of a patch, or what a runner prints before the output: the script
 * of npm, the command line of yarn or mise, the test that Go starts.
 */
const isFrame =
  /^(?:`{3,}|~{3,}).*$|^<\/?[\w:-]+(?: [\w-]+)*\/?>$|^\*\*\* Begin Patch$|^> (?:@[\w.-]+\/)?[\w.-]+@\d[\w.+-]* \S+|^(?:\[[\w:./@-]+\] )?\$ \S|^=== (?:RUN|PAUSE|CONT|NAME)\b/;
/** An element that an agent put around a text: `<tool_use_error>…`. */
const element = /^<([a-z]+(?:[-_][a-z]+)+)>(?=\S)(.*?)(?:<\/\1>)?$/;
/** How lines look that say what failed, in the output of tests, compilers and shells. */
const isFailure =
  /^(?:--- FAIL|FAIL(?:ED)?\b|not ok\b|[\u2715-\u2717\u00d7]|E {3}\S|panic:|fatal:|npm (?:ERR!|error))|\b\w*(?:Error|Exception)\b: |\berror(?:\[\w+\])?: |\berror TS\d|\b[1-9]\d* (?:failed|failing|failures?|errors?)\b/;

/** How the lines look in which a test runner sums up a run, or a package of it. */
const isResult =
  /^(?:ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|PASS$|(?:=+ )?\d+ (?:passed|failed)\b|Tests?:?\s+\d+ (?:passed|failed)|Tests:\s+\d|test result: |Ran \d+ tests? in |OK(?: \(|$)|# (?:pass|fail) \d|\d+ passing\b|\d+ examples?, \d+ failures?)/;
/** How agents introduce the words of the person who denied a call. */
const beforeReason =
  /\b(?:the user said|user(?:'s)? (?:feedback|reason|message)|reason(?: given)?(?: by the user)?):\s*/i;

/** Returns the first telling line, with spaces for tabs; the first that is not blank if none is telling. */
export function tellingLine(text: string): string {
  let first = "";
  for (const line of linesOf(text)) {
    if (!isBare.test(line) && !isFrame.test(line)) return spaced(line);
    if (first === "") first = line;
  }
  return spaced(first);
}

/** Returns the line of a failed call's output that says what failed; the first telling one if none does. */
export function failureLine(text: string): string {
  for (const line of linesOf(text)) if (isFailure.test(line)) return spaced(line);
  return tellingLine(text);
}

/**
 * Returns the line of a command's output that says how its tests ended: the first failure, or else the last
 * summary. Without a summary, the first telling line.
 */
export function resultLine(text: string): string {
  let summary: string | undefined;
  let failure: string | undefined;
  for (const line of linesOf(text)) {
    if (isResult.test(line)) summary = line;
    if (failure === undefined && isFailure.test(line)) failure = line;
  }
  return summary === undefined ? tellingLine(text) : spaced(failure ?? summary);
}

/** Returns what the person who denied a call said; the first telling line if they said nothing. */
export function denialLine(text: string): string {
  const match = beforeReason.exec(text);
  const reason = match === null ? "" : tellingLine(text.slice(match.index + match[0].length));
  return reason === "" ? tellingLine(text) : reason;
}

/** Yields the lines that are not blank, without the elements around them. */
function* linesOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end === -1 ? undefined : end).trim();
    if (line !== "") yield element.exec(line)?.[2] ?? line;
    if (end === -1) return;
    from = end + 1;
  }
}

/** Replaces each run of tabs by a space. */
function spaced(line: string): string {
  return line.replaceAll(/ *\t[ \t]*/g, " ");
}
