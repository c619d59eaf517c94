// Builds the result of `ctx pack` for a run that was read from an agent's log, and the runs that it started.
import { toReference } from "../base/digest.js";
import type { Redactions, RuleCounts } from "../model/redactions.js";
import type { PackResult } from "../results/results.js";
import type { Added } from "../store/batch-lock.js";
import { type Redaction, redactionNotices, searchNotices, untrustedCounts } from "../redact/settings.js";

interface ImportContext {
  source: string;
  format: string;
  redaction: Redaction;
  subs: PublishedSub[];
  notices: string[];
}

interface Published {
  added: Added;
  redactions: Redactions | undefined;
  unsearched: number;
}

interface PublishedSub extends Published {
  agent: string;
}

export function importedResult(published: Published, about: ImportContext): PackResult {
  const { added: main, redactions } = published;
  const { source, format, subs, notices } = about;
  const { manifest } = main;
  const untrusted = sumOf(
    [published, ...subs].map((run) => untrustedCounts(about.redaction, run.redactions)),
  );
  const unsearched = subs.reduce((total, run) => total + run.unsearched, published.unsearched);
  const sum = (key: "bytesNew" | "bytesShared"): number =>
    subs.reduce((total, { added }) => total + added[key], main[key]);
  return {
    uri: `ctx://${main.hex}`,
    hash: toReference(main.hex),
    created: manifest.created,
    new: main.isNew,
    source,
    format,
    counts: {
      prompts: manifest.prompts.length,
      inputs: manifest.inputs.length,
      steps: manifest.steps.length,
      outputs: manifest.outputs.length,
    },
    bytes_new: sum("bytesNew"),
    bytes_shared: sum("bytesShared"),
    // An agent's files are in a repository, where a sidecar beside each file is unwanted: `ctx verify` finds
    // them by content.
    sidecars: [],
    outputs_absent: [],
    repaired: main.repaired.map(toReference),
    ...(subs.length === 0 ? {} : { packs: subs.map((sub) => subResult(sub, main)) }),
    ...(redactions === undefined ? {} : { redactions }),
    ...(untrusted === undefined ? {} : { untrusted_rules: untrusted }),
    ...(unsearched === 0 ? {} : { unsearched }),
    notices: [
      ...redactionNotices(redactions, source),
      ...subs.flatMap((sub) => redactionNotices(sub.redactions, `agent ${sub.agent}`)),
      ...searchNotices(untrusted, unsearched),
      ...(main.notice === undefined ? [] : [main.notice]),
      ...notices,
    ],
  };
}

/** Sums the counts of several runs; returns undefined if there are none. */
function sumOf(some: readonly (RuleCounts | undefined)[]): RuleCounts | undefined {
  const sum = new Map<string, number>();
  for (const counts of some)
    for (const [rule, count] of Object.entries(counts ?? {})) sum.set(rule, (sum.get(rule) ?? 0) + count);
  return sum.size === 0 ? undefined : Object.fromEntries(sum);
}

function subResult(
  { added: sub, agent, redactions }: PublishedSub,
  main: Added,
): NonNullable<PackResult["packs"]>[number] {
  const hash = toReference(sub.hex);
  const step = main.manifest.steps.findIndex((candidate) => candidate.pack === hash);
  return {
    uri: `ctx://${sub.hex}`,
    hash,
    new: sub.isNew,
    agent,
    ...(step === -1 ? {} : { step }),
    ...(redactions === undefined ? {} : { redactions }),
  };
}
