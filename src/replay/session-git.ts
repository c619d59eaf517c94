// What a run says about its place in the history: when it began, the branch and the commit that its log
// records, the commits that it made, and the commits that it proves to have started from.
import { isObject } from "../base/json/value.js";
import type { Reference } from "../base/digest.js";
import { type Manifest, type Step, workdirOf } from "../model/manifest.js";
import { appendAll } from "../base/lists.js";
import { parseTime } from "../model/times.js";
import { toolUse } from "../tools/table.js";
import { gitEffects, printedId, printsHead, reportedCommits, staysIn } from "./git-commands.js";
import { agentOf } from "./plan.js";
import { failureOf } from "../model/failed-calls.js";
import { lineOf } from "./witnesses.js";

export interface SessionGit {
  /** Seconds since 1970. */
  start: number;
  end: number;
  branch?: string;
  /** The commit that the log names as the one of the checkout. */
  recorded?: string;
  remote?: string;
  /** How many digits of an id git printed. */
  abbreviation?: number;
  /** The commits that the run made, by the beginnings of their ids. */
  made: { id: string; subject: string }[];
  /** The first commit that it made, where HEAD cannot have moved before. */
  firstMade?: { id: string; subject: string };
  /** The HEAD that it printed before HEAD can have moved. */
  printed?: string;
}

/** Reads what a run says. `read` returns a content of the pack, or undefined if it is missing. */
export function sessionGit(
  manifest: Manifest,
  read: (reference: Reference) => Buffer | undefined,
): SessionGit {
  const times = manifest.steps.flatMap(({ timestamp }) => secondsOf(timestamp) ?? []);
  const created = secondsOf(manifest.created) ?? 0;
  const recorded = recordedCommit(manifest);
  const facts = gitFacts(manifest);
  const found: SessionGit = {
    start: times.reduce((a, b) => Math.min(a, b), created),
    end: times.reduce((a, b) => Math.max(a, b), created),
    ...facts,
    ...(recorded === undefined ? {} : { recorded }),
    made: [],
  };
  addCommits(found, manifest, read);
  const short = found.made[0]?.id ?? found.printed;
  if (short !== undefined && short.length < 40) found.abbreviation = short.length;
  return found;
}

function addCommits(
  found: SessionGit,
  manifest: Manifest,
  read: (reference: Reference) => Buffer | undefined,
): void {
  const agent = agentOf(manifest);
  const root = workdirOf(manifest) ?? "";
  let hasMoved = false;
  for (const step of manifest.steps) {
    const { branch, cwd } = step.metadata ?? {};
    // The user changed the branch in between.
    if (branch !== undefined && step.index > 0) hasMoved = true;
    const line = lineOf(step, agent);
    if (line === undefined) continue;
    const folder = folderOf(step, agent) ?? cwd ?? root;
    const isHere = (folder === root || folder === "." || folder === "") && staysIn(line, root);
    const { movesHead, commits } = gitEffects(line);
    // Other agents have one shell for all commands, and their logs do not record where it is.
    if (!isHere && (commits || !recordsFolders.has(agent))) hasMoved = true;
    const isRead = commits || (isHere && !hasMoved && found.printed === undefined && printsHead(line));
    const output =
      isRead && step.output_ref !== undefined ? read(step.output_ref)?.toString("utf8") : undefined;
    if (commits) {
      const made = reportedCommits(output ?? "");
      const [first] = made;
      appendAll(found.made, made);
      if (!hasMoved && !movesHead && first?.isRoot === false)
        found.firstMade = { id: first.id, subject: first.subject };
      // A commit that failed moves nothing; one that reports nothing may have.
      if (first !== undefined || failureOf(step) === undefined) hasMoved = true;
    } else if (isRead && output !== undefined && !movesHead) {
      const printed = printedId(output);
      if (printed !== undefined) found.printed = printed;
    }
    hasMoved ||= movesHead;
  }
}

/** Agents whose logs record the folder of each command. */
const recordsFolders: ReadonlySet<string | undefined> = new Set(["claude-code", "codex"]);

function folderOf({ tool = "", parameters }: Step, agent: string | undefined): string | undefined {
  const use = toolUse(tool, parameters, agent);
  return use?.action === "command" ? use.folder : undefined;
}

/** Returns the commit that a log records; it need not be the one of the files. */
function recordedCommit({ metadata }: Manifest): string | undefined {
  for (const object of [metadata, metadata?.["git"], metadata?.["source"]]) {
    if (object === undefined || !isObject(object)) continue;
    for (const key of ["commit", "commit_hash", "revision"]) {
      const value = Object.hasOwn(object, key) ? object[key] : undefined;
      if (typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value)) return value;
    }
  }
  return undefined;
}

function gitFacts({ metadata }: Manifest): { branch?: string; remote?: string } {
  const git = metadata?.["git"];
  if (git === undefined || !isObject(git)) return {};
  const text = (key: string): string | undefined => {
    const value = Object.hasOwn(git, key) ? git[key] : undefined;
    return typeof value === "string" && value !== "" && value.length < 1000 ? value : undefined;
  };
  const [branch, remote] = [text("branch"), text("remote") ?? text("remote_url")];
  return {
    ...(branch === undefined || branch === "HEAD" ? {} : { branch }),
    ...(remote === undefined ? {} : { remote }),
  };
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  return typeof time === "string" ? undefined : time.seconds;
}
