// Who made the commits of a run, and when: with that, `git commit` in a replay makes a commit with the
// recorded id.
import type { Manifest } from "../model/manifest.js";
import { gitEffects, reportedCommits } from "./git-commands.js";
import { agentOf, type PlannedStep } from "./plan.js";
import { commitNamed, git, type Repository } from "./repository.js";
import type { Reference } from "../base/digest.js";
import { lineOf } from "./witnesses.js";

/**
 * Adds the identity and the dates to each step that runs git: those of the commit that the step made, where
 * the repository has it, and else the time of the step.
 */
export function addIdentities(
  repository: Repository,
  { manifest, steps }: { manifest: Manifest; steps: readonly PlannedStep[] },
  read: (reference: Reference) => Buffer | undefined,
): void {
  const agent = agentOf(manifest);
  for (const { step, execution } of steps) {
    if (execution.how !== "command") continue;
    const line = lineOf(step, agent) ?? "";
    if (!/\bgit\b/.test(line)) continue;
    const { commits } = gitEffects(line);
    const output =
      commits && step.output_ref !== undefined ? read(step.output_ref)?.toString("utf8") : undefined;
    const [made] = reportedCommits(output ?? "");
    const id = made === undefined ? undefined : commitNamed(repository, made.id);
    const own = id === undefined ? undefined : identityOf(repository, id);
    execution.env = own ?? datesAt(step.timestamp);
  }
}

/** Returns the variables by which git makes a commit with the people and dates of another. */
function identityOf(repository: Repository, id: string): Record<string, string> | undefined {
  const [head = ""] = git(repository, ["cat-file", "commit", id]).toString("utf8").split("\n\n");
  const found: Record<string, string> = {};
  for (const role of ["author", "committer"]) {
    const match = new RegExp(`^${role} ([^<\\n]*) <([^>\\n]*)> (\\d+ [+-]\\d{4})$`, "m").exec(head);
    if (match === null || match.some((part) => part.includes("\0"))) return undefined;
    const [, name = "", email = "", date = ""] = match;
    const prefix = `GIT_${role.toUpperCase()}`;
    Object.assign(found, {
      [`${prefix}_NAME`]: name,
      [`${prefix}_EMAIL`]: email,
      [`${prefix}_DATE`]: `@${date}`,
    });
  }
  return found;
}

function datesAt(timestamp: string | undefined): Record<string, string> {
  if (timestamp === undefined) return {};
  const date = `${timestamp.slice(0, 19)}+0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}
