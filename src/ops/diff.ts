// `ctx diff`: where two runs diverge, and why.
import { hexOf, type Reference, sha256, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { compareRuns, type ComparedRun, traitsOf } from "../diff/compare-runs.js";
import { parseRule, type IgnoreRule, withoutIgnored } from "../diff/ignore.js";
import type { DriftReport, DriftType } from "../results/drift.js";
import { knownOrigin } from "../verify/origin.js";
import { readConfig, type UserPaths } from "../store/config.js";
import { glimpseObject, objectSize } from "../store/objects.js";
import { hasPack, parentOf, readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";
import { addContents, type ContentOptions } from "../diff/content-diffs.js";

export interface DiffOptions extends Partial<ContentOptions> {
  /** `index`: compare step i with step i. */
  align?: "index" | undefined;
  /**
   * More runs of the same kind as the first pack. Differences that also occur among these are usual and do
   * not count.
   */
  baselines?: readonly string[];
  /** Tools and paths to ignore, in addition to those in the store's config. */
  ignore?: readonly string[];
  /** Report and count only these types of drift. */
  only?: readonly DriftType[];
  /**
   * The user's own settings, which hold the trust decisions: the config of a store of another owner applies
   * only if it is trusted there.
   */
  user?: UserPaths;
}

/** Compares two packs; without the second, the first with its parent. */
export function diff(store: Store, a: string, b: string | undefined, options: DiffOptions = {}): DriftReport {
  const [hexA, hexB] =
    b === undefined ? withParent(store, a) : [resolvePack(store, a), resolvePack(store, b)];
  const runA = readRun(store, hexA);
  const runB = hexB === hexA ? runA : readRun(store, hexB);
  const baselines = (options.baselines ?? [])
    .map((name) => resolvePack(store, name))
    .filter((hex, at, all) => hex !== hexA && hex !== hexB && all.indexOf(hex) === at);
  const ignore = [...configuredRules(store, options.user), ...(options.ignore ?? []).map(parseRule)];
  const compare = { align: options.align, ignore };
  const report = compareRuns(runA, runB, {
    ...compare,
    usual: baselines.map((hex) => traitsOf(runA, readRun(store, hex), compare)),
    readText: textReader(store),
  });
  const origins = { ...originOfRun(store, runA, "origin_a"), ...originOfRun(store, runB, "origin_b") };
  const titles = {
    title_a: titleFor(store.root, hexA, runA.manifest),
    title_b: titleFor(store.root, hexB, runB.manifest),
  };
  const only = filtered(
    { ...report, ...titles, baselines: baselines.map(toReference), ...origins },
    options.only,
  );
  if (only.entries.length === 0) checkComparable(runA, runB, ignore, options.only);
  addContents(store, only, { unified: options.unified ?? 3, content: options.content ?? "some" });
  return only;
}

/**
 * Returns the verdict of a report, for the exit status: drift that counts, no drift, or an incomplete
 * comparison.
 */
export function verdictOf(report: DriftReport): "same" | "drift" | "incomplete" {
  if (report.unreadable.length > 0) return "incomplete";
  return report.has_drift ? "drift" : "same";
}

/**
 * Returns the ignore rules of the store's config. An invalid rule is reported as an error of the config, not
 * of the caller.
 */
function configuredRules(store: Store, user: UserPaths | undefined): IgnoreRule[] {
  return readConfig(store, user).diff.ignore.map((text, at) => {
    try {
      return parseRule(text);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      throw new CtxError("store-unusable", `${store.root}/config.json has settings that cannot be used`, {
        problems: [{ path: `diff.ignore[${at}]`, message: error.message }],
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      });
    }
  });
}

function originOfRun(
  store: Store,
  { manifest }: ComparedRun,
  key: "origin_a" | "origin_b",
): Pick<DriftReport, "origin_a" | "origin_b"> {
  const origin = knownOrigin(store, manifest);
  return origin === undefined ? {} : { [key]: origin };
}

function readRun(store: Store, hex: string): ComparedRun {
  return { hex, manifest: readPack(store.root, hex).manifest };
}

function withParent(store: Store, name: string): [string, string] {
  const hex = resolvePack(store, name);
  const parent = parentOf(readPack(store.root, hex));
  const short = `ctx://${hex.slice(0, 12)}`;
  if (parent === undefined)
    throw new CtxError("nothing-to-compare", `${short} has no parent to compare it with`, {
      hint: "name a second pack or a --baseline",
    });
  if (!hasPack(store.root, parent))
    throw new CtxError("not-found", `the parent of ${short}, ctx://${parent}, is not in this store`);
  return [parent, hex];
}

const emptyContent = toReference(sha256(Buffer.alloc(0)));

/** Throws if neither side has anything that could differ: that must never look like a pass. */
function checkComparable(
  a: ComparedRun,
  b: ComparedRun,
  ignore: readonly IgnoreRule[],
  only: readonly DriftType[] | undefined,
): void {
  const isRequested = (...types: DriftType[]): boolean =>
    only === undefined || types.some((type) => only.includes(type));
  const isThere = [a, b].some(({ manifest }) => {
    const { steps, prompts, outputs, system_prompt } = withoutIgnored(manifest, ignore).manifest;
    return (
      (isRequested("tool_drift", "param_drift", "reasoning_drift") && steps.length > 0) ||
      (isRequested("prompt_drift") && (prompts.length > 0 || !["", emptyContent].includes(system_prompt))) ||
      (isRequested("output_drift") && outputs.length > 0)
    );
  });
  if (isThere) return;
  const why =
    only !== undefined || ignore.length > 0
      ? "--only and --ignore leave nothing of either pack"
      : "neither pack has a step, a prompt or an output";
  throw new CtxError("nothing-to-compare", `there is nothing to compare: ${why}`);
}

/** Returns the report with only the entries of these types; indices of entries are updated. */
function filtered(report: DriftReport, only: readonly DriftType[] | undefined): DriftReport {
  if (only === undefined) return report;
  const positions = new Map<number, number>();
  report.entries.forEach(({ type }, at) => {
    if (only.includes(type)) positions.set(at, positions.size);
  });
  const entries = report.entries.filter((_, at) => positions.has(at));
  for (const entry of entries) {
    if (entry.leans_on === undefined) continue;
    const position = positions.get(entry.leans_on);
    if (position === undefined) delete entry.leans_on;
    else entry.leans_on = position;
  }
  const first = report.first_divergence;
  return {
    ...report,
    entries,
    has_drift: entries.some(({ usual }) => usual === undefined),
    first_divergence:
      first === null
        ? null
        : {
            ...first,
            entry: first.entry === null ? null : (positions.get(first.entry) ?? null),
            causes: {
              ...first.causes,
              entries: first.causes.entries.flatMap((at) => positions.get(at) ?? []),
              other: first.causes.entries.flatMap((at) =>
                positions.has(at) ? [] : (report.entries[at]?.description ?? []),
              ),
            },
          },
    ignored: {
      ...report.ignored,
      usual: entries.filter(({ usual }) => usual !== undefined).length,
      filtered: report.entries.length - entries.length,
    },
  };
}

/** How many bytes of a content are read for its words, and the largest content that is read at all. */
const headSize = 64 << 10;
const maxRead = 4 << 20;

/**
 * Returns a function that reads the beginning of a content, or returns undefined if the content is too large,
 * missing or damaged.
 */
function textReader(store: Store): (reference: Reference) => string | undefined {
  return (reference) => {
    try {
      const hex = hexOf(reference);
      if ((objectSize(store.root, hex) ?? Infinity) > maxRead) return undefined;
      return glimpseObject(store.root, hex, headSize).head.toString("utf8");
    } catch (error) {
      if (error instanceof CtxError) return undefined;
      throw error;
    }
  };
}
