// What an audit of a store reports beside its faults: the claims, and notes about other files.
import { dirname, join } from "node:path";
import { isHash } from "../base/digest.js";
import { listIfThere } from "../base/fs/files.js";
import { addTo } from "../base/lists.js";
import type { Claim, Fault } from "../results/verify.js";
import { isOwnerRunning } from "../base/owner-id.js";
import { hasPack } from "../store/packs.js";
import { readLatest } from "../store/refs.js";
import { titlePath } from "../store/layout.js";
import type { Store } from "../store/store.js";

function isRef({ about }: Fault): boolean {
  return about.startsWith("tag ");
}

function isObject({ about }: Fault): boolean {
  return about.startsWith("sha256:") || about.startsWith("objects/");
}

function claim(name: string, wrong: number, good: string, isWhole = true): Claim {
  return {
    claim: name,
    answer: wrong > 0 ? "no" : isWhole ? "yes" : "not_checked",
    detail: wrong > 0 ? `${wrong} wrong` : good,
  };
}

/** The runs of sub-agents that packs of a store name. */
export interface SubAgentCounts {
  named: number;
  /** Those that are not in the store. */
  absent: Set<string>;
}

interface StoreCounts {
  objects: number;
  checked: number;
  packs: number;
  /** Parents that are not in the store. */
  missing: number;
  subAgents: SubAgentCounts;
  newer: number;
}

export function claimsOf(faults: readonly Fault[], count: StoreCounts): Claim[] {
  const broken = (of: (fault: Fault) => boolean): number => faults.filter(of).length;
  const isWhole = count.checked === count.objects;
  const summary = isWhole
    ? `${count.objects} of ${count.objects} match their hashes`
    : `${count.checked} of ${count.objects} were hashed, and match`;
  return [
    claim("objects", broken(isObject), summary, isWhole),
    claim(
      "manifests",
      broken((fault) => !isObject(fault) && !isRef(fault)),
      count.newer === 0
        ? `${count.packs} of ${count.packs} are canonical and correctly sealed`
        : `${count.newer} of ${count.packs} were written by a newer ctx, which this one cannot read`,
      count.newer === 0,
    ),
    claim(
      "references",
      broken((fault) => isObject(fault) && fault.message.includes("is not in the store")),
      count.newer === 0
        ? "every content that a pack refers to is here"
        : "every content of the packs that this ctx can read is here",
      count.newer === 0,
    ),
    claim("refs", broken(isRef), "every tag points to a pack that is here"),
    {
      claim: "lineage",
      answer: count.missing > 0 ? "not_checked" : "yes",
      detail: count.missing > 0 ? `${count.missing} parents are not in this store` : "every parent is here",
    },
    ...subAgentClaim(count.subAgents),
  ];
}

/**
 * Returns the claim about sub-agents, or none if no pack names one. Damage in a run that is here is reported
 * with its own pack.
 */
function subAgentClaim({ named, absent }: SubAgentCounts): Claim[] {
  if (named === 0) return [];
  const detail =
    absent.size === 0
      ? "every run of a sub-agent that a pack names is here"
      : `${absent.size} ${absent.size === 1 ? "run of a sub-agent is" : "runs of sub-agents are"} not in this store`;
  return [{ claim: "sub_agents", answer: absent.size === 0 ? "yes" : "not_checked", detail }];
}

export function notesOf(
  store: Store,
  {
    strangers,
    unreached,
    absentParents,
    absentSubAgents,
  }: { strangers: string[]; unreached: number; absentParents: string[]; absentSubAgents: string[] },
): string[] {
  const notes: string[] = [];
  if (unreached > 0)
    notes.push(`objects that no pack refers to: ${unreached}; ctx gc removes them once they are old enough`);
  for (const text of strangerNotes([...strangers, ...strangersIn(store)])) notes.push(text);
  const deadLocks = listIfThere(join(store.root, "locks")).filter(
    (name) => isOwnerRunning(name.slice(name.indexOf(".") + 1)) === false,
  );
  const leftovers = listIfThere(join(store.root, "tmp")).length;
  if (deadLocks.length > 0)
    notes.push(
      `locks of processes that no longer run: ${deadLocks.length}; the next command that writes removes them`,
    );
  if (leftovers > 0)
    notes.push(
      `unfinished writes in tmp/: ${leftovers}; the next command that writes removes those of processes that no longer run`,
    );
  const latest = readLatest(store.root);
  if (latest !== undefined && !hasPack(store.root, latest))
    notes.push("latest points to a pack that is not here; ctx uses the newest one instead");
  for (const parent of [...new Set(absentParents)].slice(0, 5))
    notes.push(`the parent ctx://${parent.slice(0, 12)} is not in this store`);
  for (const run of absentSubAgents.slice(0, 5))
    notes.push(`the run of a sub-agent, ctx://${run.slice(0, 12)}, is not in this store`);
  return notes;
}

const knownNames = new Set([
  "objects",
  "packs",
  "refs",
  "drafts",
  "tmp",
  "locks",
  "cache",
  "config.json",
  ".gitignore",
  ".gitattributes",
  "graph",
]);

/** Maximum number of files of a folder that are named one by one. */
const fewStrangers = 3;

/** Returns notes about files that are not ctx's; one note for each folder that holds many of them. */
function strangerNotes(names: readonly string[]): string[] {
  const byFolder = new Map<string, string[]>();
  for (const name of names) addTo(byFolder, dirname(name).replace(/^objects\/.*/, "objects"), name);
  return [...byFolder].flatMap(([folder, all]) =>
    all.length <= fewStrangers
      ? all.map((name) => `${name} is not one of ctx's files`)
      : [
          `${all.length} files in ${folder === "." ? "the store" : `${folder}/`} are not ctx's, such as ${all[0] ?? ""}`,
        ],
  );
}

function strangersIn({ root }: Store): string[] {
  return [
    ...listIfThere(root).filter((name) => !knownNames.has(name)),
    ...listIfThere(join(root, "packs"))
      .filter((name) => !isHash(name))
      .map((name) => `packs/${name}`),
    ...listIfThere(join(root, "refs"))
      .filter((name) => !["latest", "tags", "titles"].includes(name))
      .map((name) => `refs/${name}`),
    ...listIfThere(titlePath(root, ""))
      .filter((name) => !isHash(name))
      .map((name) => `refs/titles/${name}`),
  ];
}
