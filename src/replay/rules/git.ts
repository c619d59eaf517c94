// What git prints that depends on the clone and on the moment: the length of abbreviated hashes, hashes of
// commits that the run itself made, who is configured to commit, and how far the remote is.
import type { Stage } from "../../tools/shell-line.js";
import { addTo } from "../../base/lists.js";
import { inBoth, type OutputPair, type RewritingRule } from "./rule.js";

/** Commands of git that make commits, and print `[branch hash]`. */
const committing = /^(?:commit|merge|rebase|cherry-pick|revert|am)$/;
/** Commands of git whose output has hashes, and which print no file unless `-p` is among their words. */
const naming =
  /^(?:commit|merge|rebase|cherry-pick|revert|am|log|status|branch|checkout|switch|reset|rev-parse|rev-list|reflog|describe|stash|pull|tag|shortlog)$/;
/** The same for those that print changes, in which only lines of the head have hashes. */
const changes = /^(?:diff|show|log)$/;

/** More commits of a run are not followed: a step can print any number of lines that look like new ones. */
const maxMade = 1000;

interface MadeCommit {
  recorded: string;
  now: string;
}

/** Hashes of commits that the run made, with those of the commits that this replay made in their place. */
export class CommitHashes {
  /** The commits by the beginning of the recorded hash, and by that of the other. */
  readonly #byRecorded = new Map<string, MadeCommit[]>();
  readonly #byNow = new Map<string, MadeCommit[]>();
  #count = 0;

  /** Records that a step made one commit then, and the other now. The first pair of a hash counts. */
  add(recorded: string, now: string): void {
    if (this.#count >= maxMade) return;
    const sameThen = this.#byRecorded.get(beginning(recorded)) ?? [];
    const sameNow = this.#byNow.get(beginning(now)) ?? [];
    const isKnown =
      sameThen.some((made) => isPrefix(made.recorded, recorded)) ||
      sameNow.some((made) => isPrefix(made.now, now));
    if (isKnown) return;
    const made = { recorded, now };
    addTo(this.#byRecorded, beginning(recorded), made);
    addTo(this.#byNow, beginning(now), made);
    this.#count++;
  }

  isSame(recorded: string, now: string): boolean {
    if (isPrefix(recorded, now)) return true;
    const candidates = this.#byRecorded.get(beginning(recorded)) ?? [];
    return candidates.some((made) => isPrefix(made.recorded, recorded) && isPrefix(made.now, now));
  }
}

/** Returns the digits that git prints of every hash. */
function beginning(hash: string): string {
  return hash.slice(0, 7);
}

/** Returns whether one hash abbreviates the other. Digits alone may be a number. */
function isPrefix(one: string, other: string): boolean {
  if (one === other) return true;
  return /[a-f]/.test(one) && /[a-f]/.test(other) && (one.startsWith(other) || other.startsWith(one));
}

/** Returns the rules for the stages of a command line that run git and print no file. */
export function gitRules(stages: readonly Stage[], hashes: CommitHashes): RewritingRule[] {
  const commands = stages.filter(({ program }) => program === "git").map(commandOf);
  if (!commands.some((name) => naming.test(name))) return [];
  const isCommitting = commands.some((name) => committing.test(name));
  return [hashRule(hashAt, hashes, isCommitting), identity, remoteState];
}

/** Returns the rules for a line that only prints changes by git: hashes in their heads. */
export function gitChangeRules(stages: readonly Stage[], hashes: CommitHashes): RewritingRule[] {
  const [first, ...others] = stages;
  const isAlone = first?.program === "git" && changes.test(commandOf(first)) && others.every(isWindow);
  // `git show HEAD:file` prints the file itself.
  const printsFile = first?.words.some((word) => !word.startsWith("-") && word.includes(":")) !== false;
  return isAlone && !printsFile ? [hashRule(headHashAt, hashes, false)] : [];
}

function isWindow({ program, isPiped }: Stage): boolean {
  return isPiped && (program === "head" || program === "tail");
}

/** Returns the command of git: the first word that is no option, nor the value of one. */
function commandOf({ words }: Stage): string {
  const at = words.findIndex(
    (word, index) => !word.startsWith("-") && !/^-[Cc]$/.test(words[index - 1] ?? ""),
  );
  return words[at] ?? "";
}

/**
 * Where git writes hashes: at the beginning of a line or after one of git's own words, two in a row after
 * `Merge:` or with dots between them, and in `[branch hash]`.
 */
const hashAt =
  /^[*|/\\_ ]*(?:(?:commit|tree|parent|Merge:|Updating|HEAD is now at|HEAD detached at|Previous HEAD position was|index) )?([0-9a-f]{7,40})(?:(?:\.{2,3}|(?<=^Merge: [0-9a-f]{7,40}) )([0-9a-f]{7,40}))?\b|^\[[^\]\n]* ([0-9a-f]{7,40})\]/dgm;
/** Lines of a change begin with a space, a sign or an `@`, and so are no part of its head. */
const headHashAt = /^(?:index|commit|Merge:) ([0-9a-f]{7,40})(?:(?:\.{2,3}| )([0-9a-f]{7,40}))?\b/dgm;

function hashRule(pattern: RegExp, hashes: CommitHashes, isCommitting: boolean): RewritingRule {
  let made: [recorded: string, now: string][] = [];
  return {
    name: "git hashes",
    apply({ recorded, now }: OutputPair) {
      made = [];
      // A blob that `git show` prints has no head.
      if (pattern === headHashAt && ![recorded, now].every((text) => /^(?:commit |diff --)/.test(text)))
        return { recorded, now };
      const [before, after] = [hashesIn(recorded, pattern), hashesIn(now, pattern)];
      if (before.length !== after.length) return { recorded, now };
      let text = "";
      let end = 0;
      for (const [index, hash] of after.entries()) {
        const old = before[index] as FoundHash;
        const isNew = isCommitting && hash.isMade && old.isMade;
        const isSame = hashes.isSame(old.text, hash.text);
        if (isNew && !isSame) made.push([old.text, hash.text]);
        text += now.slice(end, hash.at) + (isSame || isNew ? old.text : hash.text);
        end = hash.at + hash.text.length;
      }
      return { recorded, now: text + now.slice(end) };
    },
    accept() {
      for (const [recorded, now] of made) hashes.add(recorded, now);
    },
  };
}

interface FoundHash {
  text: string;
  at: number;
  /** Whether it is in `[branch hash]`, as git reports a commit that it has made. */
  isMade: boolean;
}

function hashesIn(text: string, pattern: RegExp): FoundHash[] {
  return [...text.matchAll(pattern)].flatMap((match) =>
    match.slice(1).flatMap((hash, group) => {
      const at = match.indices?.[group + 1]?.[0];
      return at === undefined ? [] : [{ text: hash, at, isMade: group === 2 }];
    }),
  );
}

/** The author of a commit in a replay differs from the recorded one. */
const identity = withoutLines(
  "git identity",
  /^ ?(?:Author|Committer|Commit): .*\n|^Your name and email address were configured automatically[^]{0,1000}?--reset-author\n\n?/gm,
);

/** How far a branch of another machine is. */
const remoteState = inBoth("git remote state", (text) =>
  withoutMatches(
    text,
    /^Your branch (?:is|and) .*\n(?:and have .*\n)?(?: {2}\(use "git .*\n)*\n?/gm,
  ).replaceAll(/^## .*$/gm, (line) => line.replace(/\.\.\..*$/, "")),
);

function withoutLines(name: string, pattern: RegExp): RewritingRule {
  return inBoth(name, (text) => withoutMatches(text, pattern));
}

/** Removes whole lines, also from a text without a line end. */
function withoutMatches(text: string, pattern: RegExp): string {
  return `${text}\n`.replaceAll(pattern, "").replace(/\n$/, "");
}
