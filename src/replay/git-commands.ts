// What a run did with git, by its shell lines: which commands moved HEAD or changed files, which made
// commits, and which printed HEAD.
import { parseShellLine, type Stage } from "../tools/shell-line.js";
import { scriptOf } from "../tools/shell-stage.js";

/** What the git commands of a shell line do to HEAD and to the files of the checkout. */
export interface GitEffects {
  /** HEAD may be another commit afterwards. */
  movesHead: boolean;
  /** Files may have the content of another commit afterwards. */
  changesFiles: boolean;
  /** It makes a commit whose first parent is HEAD. */
  commits: boolean;
}

const moving = new Set(
  "reset pull merge rebase cherry-pick revert am bisect checkout switch clone init update-ref".split(" "),
);
const changing = new Set([...moving, "stash", "restore", "apply", "read-tree", "checkout-index", "clean"]);
/** Other programs that move HEAD. */
const others = new Set("gh hub jj gt sl hg svn git-town".split(" "));

export function gitEffects(line: string): GitEffects {
  const effects: GitEffects = { movesHead: false, changesFiles: false, commits: false };
  if (!/\b(?:git|gh|hub|jj|gt|sl|hg|svn)\b/.test(line)) return effects;
  const { stages, isKnown } = stagesOf(line);
  if (!isKnown) return { movesHead: true, changesFiles: true, commits: false };
  for (const stage of stages) {
    if (
      others.has(stage.program) &&
      /\b(?:checkout|co|sync|merge|up|update|rebase|new|edit)\b/.test(stage.words.join(" "))
    )
      effects.movesHead = effects.changesFiles = true;
    const [command = "", ...words] = gitWords(stage) ?? [];
    if (isNewBranch(command, words)) continue;
    effects.movesHead ||= moving.has(command) || (command === "commit" && words.includes("--amend"));
    effects.changesFiles ||= changing.has(command);
    effects.commits ||= command === "commit";
  }
  return effects;
}

/**
 * Returns whether all that a line prints is the commit that HEAD is, or a list of commits that begins with
 * it.
 */
export function printsHead(line: string): boolean {
  const { pipelines, isComplete } = parseShellLine(line.trim());
  const shown = pipelines.filter(({ stages }) => stages[0]?.program !== "cd");
  const [pipeline] = shown;
  if (!isComplete || shown.length !== 1 || pipeline === undefined || pipeline.isRedirected) return false;
  const [stage, ...filters] = pipeline.stages;
  if (stage === undefined || filters.some(({ program }) => program !== "head" && program !== "cat"))
    return false;
  if (stage.hasExpansion || stage.inner.length > 0) return false;
  const words = (gitWords(stage) ?? []).join(" ");
  return (
    /^rev-parse (?:--verify |--short(?:=\d+)? )?HEAD$/.test(words) ||
    /^log(?: --(?:oneline|decorate|no-decorate|stat|no-color|abbrev-commit|(?:format|pretty)=(?:oneline|medium|%[hH][^%]{0,3}(?:%(?:s|an|ar|cr|ad|cd|ae|n|d)[^%]{0,20})*))| -\d+| -n ?\d+| --max-count=\d+)*(?: HEAD)?$/.test(
      words,
    )
  );
}

/** Returns whether every git command of a line works in the folder in which the line starts, or in `root`. */
export function staysIn(line: string, root: string): boolean {
  const { stages, isKnown } = stagesOf(line);
  if (!isKnown) return false;
  return stages.every(({ program, words, hasExpansion }) => {
    if (/^(?:cd|pushd|popd|chdir)$/.test(program))
      return !hasExpansion && (words[0] === root || words[0] === ".");
    return program !== "git" || !/^(?:-C|--git-dir|--work-tree)/.test(words[0] ?? "");
  });
}

/** Returns the id at the beginning of what such a line printed. */
export function printedId(output: string): string | undefined {
  return /^(?:commit )?([0-9a-f]{7,64})(?=\s|$)/.exec(output.trimStart())?.[1];
}

/** Returns the commits that `git commit` reported: `[main abc1234] Subject`. */
export function reportedCommits(output: string): { id: string; subject: string; isRoot: boolean }[] {
  return [...output.matchAll(/^\[[^\]\n]{1,300} ([0-9a-f]{7,64})\] (.*)$/gm)].map(
    ([text, id = "", subject = ""]) => ({
      id,
      subject: subject.trim(),
      isRoot: text.includes(" (root-commit) "),
    }),
  );
}

/** Returns the words after `git` and its own options; undefined for another program. */
function gitWords({ program, words }: Stage): string[] | undefined {
  if (program !== "git") return undefined;
  let at = 0;
  while (words[at]?.startsWith("-") === true) at += /^-[cC]$/.test(words[at] as string) ? 2 : 1;
  return words.slice(at);
}

/** Returns whether a command makes a branch at HEAD and nothing else. */
function isNewBranch(command: string, words: readonly string[]): boolean {
  const [option = "", name = "", ...rest] = words;
  const isNew =
    (command === "checkout" && option === "-b") || (command === "switch" && /^-c$|^--create$/.test(option));
  return isNew && name !== "" && rest.length === 0;
}

/** Returns every stage of a line, also within substitutions and scripts that it passes to a shell. */
function stagesOf(line: string, depth = 0): { stages: Stage[]; isKnown: boolean } {
  const { pipelines, isComplete } = parseShellLine(line);
  const found = { stages: [] as Stage[], isKnown: isComplete && depth < 8 };
  if (!found.isKnown) return found;
  for (const stage of pipelines.flatMap(({ stages }) => stages)) {
    found.stages.push(stage);
    const script = scriptOf(stage);
    const inner = [
      ...stage.inner,
      ...stage.sets.flatMap((set) => set.inner),
      ...(script === undefined ? [] : [script]),
    ];
    for (const text of inner) {
      const below = stagesOf(text, depth + 1);
      found.isKnown &&= below.isKnown;
      found.stages = found.stages.concat(below.stages);
    }
  }
  return found;
}
