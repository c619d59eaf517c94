// Determines which secrets are redacted, from the user's options and the settings, and builds the scanner for
// them.
import { CtxError } from "../base/errors.js";
import type { Redactions, RuleCounts } from "../model/redactions.js";
import { unsearchedText } from "../results/scan.js";
import { WorkerScan, minWorkerBytes } from "./worker-scan.js";
import type { ScannerSettings } from "./worker-scan-loop.js";
import { ownFinder, ruleProblem } from "./rules/user-rules.js";
import { Redactor } from "./redactor.js";
import { type Mode, type Scanner, createScanner } from "./scanner.js";
import { readRedaction, type RedactSettings, type UserPaths } from "../store/config.js";
import type { Store } from "../store/store.js";

export interface RedactionOptions {
  /** How much is redacted; by default as the settings say, or `standard`. */
  redact?: Mode | undefined;
  /** Where the user's settings are. */
  user?: UserPaths | undefined;
}

export interface Redaction {
  /** Undefined when nothing is redacted. */
  search: Scanner | undefined;
  /** The settings that the scanner was built from. */
  settings?: ScannerSettings;
  /** Ids of rules from a store's config that is not trusted. */
  untrusted?: string[];
  /** Notices about the settings for the user. */
  notices: string[];
}

export function redactionOf(store: Store | undefined, { redact, user }: RedactionOptions): Redaction {
  const { mode: set, rules, allow, untrusted, notices } = readRedaction(store, user);
  const mode = redact ?? set;
  if (mode === "off") return { search: undefined, notices: redact === "off" ? [] : notices };
  const problems = rules.flatMap((rule) => {
    const message = ruleProblem(rule);
    return message === undefined ? [] : [{ path: `redact.rules["${rule.id}"]`, message }];
  });
  if (problems.length > 0)
    throw new CtxError("store-unusable", "the settings have rules for secrets that cannot be used", {
      problems,
      hint: "`ctx help redaction` shows what a rule looks like",
    });
  return { search: searchFor(mode, rules, allow), settings: { mode, rules, allow }, untrusted, notices };
}

/**
 * Returns a redaction for callers that must not fail: where the settings are unusable, from the user's
 * settings alone, or else from the built-in rules alone.
 */
export function redactionOrBuiltIn(
  store: Store | undefined,
  options: RedactionOptions,
): { redaction: Redaction; problem?: string } {
  try {
    return { redaction: redactionOf(store, options) };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const [first] = error.problems ?? [];
    const why = first === undefined ? error.message : `${error.message}: ${first.path}: ${first.message}`;
    const redaction = withoutStore(options);
    return { redaction, problem: `${why}; sealed without those settings, with the built-in rules` };
  }
}

function withoutStore(options: RedactionOptions): Redaction {
  try {
    return redactionOf(undefined, options);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return redactionOf(undefined, { redact: options.redact === "strict" ? "strict" : "standard" });
  }
}

/** Returns how often each rule from an untrusted store config redacted something. */
export function untrustedCounts(
  { untrusted = [] }: Redaction,
  redactions: Redactions | undefined,
): RuleCounts | undefined {
  const ids = untrusted.filter((id) => redactions?.rules[id] !== undefined);
  if (ids.length === 0) return undefined;
  return Object.fromEntries(ids.map((id) => [id, redactions?.rules[id]?.count ?? 0]));
}

/** Returns notices about what untrusted rules redacted, and about contents that are not text. */
export function searchNotices(untrusted: RuleCounts | undefined, unsearched: number): string[] {
  const counts = Object.entries(untrusted ?? {}).map(([id, count]) => `${id} ${count}`);
  return [
    ...(counts.length === 0
      ? []
      : [
          `masked by rules of the store's config, which is not trusted: ${counts.join(", ")}; if you do not know them, read config.json, and pack the log again without them`,
        ]),
    ...(unsearched === 0 ? [] : [unsearchedText(unsearched)]),
  ];
}

/** Runs `work`, with the help of a second thread if the log is large enough. */
export function withWorkerScan<T>({ settings }: Redaction, size: number, work: (ahead?: WorkerScan) => T): T {
  if (settings === undefined || size < minWorkerBytes) return work();
  const ahead = new WorkerScan(settings);
  try {
    return work(ahead);
  } finally {
    ahead.close();
  }
}

let last: { key: string; search: Scanner } | undefined;

/**
 * Returns a scanner. Building one takes as long as packing a small log, so the last one is kept for callers
 * that pack many.
 */
function searchFor(mode: "standard" | "strict", rules: RedactSettings["rules"], allow: string[]): Scanner {
  const key = JSON.stringify([mode, rules, allow]);
  if (last?.key !== key) last = { key, search: createScanner({ mode, own: ownFinder(rules), allow }) };
  return last.search;
}

/** Returns notices about redacted secrets, one line each; none if there are none. */
export function redactionNotices(redactions: Redactions | undefined, source: string): string[] {
  if (redactions === undefined) return [];
  const { rules, places: locations, own = [] } = redactions;
  const counts = Object.entries(rules).map(([rule, { count }]) => `${rule} ${count}`);
  const names = Object.keys(locations);
  const more = names.length > maxLocations ? `, and ${names.length - maxLocations} more` : "";
  const location = names.slice(0, maxLocations).join(", ");
  return [
    `masked in ${source}: ${counts.join(", ")} (${location}${more}); the log still contains them, so rotate those that are real`,
    ...(own.length === 0
      ? []
      : [
          `own rules (${own.join(", ")}) affect the hash of this pack: others get the same hash only with the same rules`,
        ]),
  ];
}

const maxLocations = 4;

/** Runs `work` and redacts its errors. */
export function withMaskedErrors<T>(redaction: Redaction, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw maskedError(redaction, error);
  }
}

/** Returns an error without the secrets in its texts, which often quote the log. */
export function maskedError({ search }: Redaction, error: unknown): unknown {
  return error instanceof CtxError && search !== undefined ? withoutSecrets(error, search) : error;
}

function withoutSecrets(error: CtxError, search: Scanner): CtxError {
  const redactor = new Redactor(search);
  let isMasked = false;
  const text = (value: string): string => {
    const { value: masked, hits } = redactor.text(value);
    isMasked ||= hits.size > 0;
    return masked;
  };
  const problems = error.problems?.map((problem) => ({
    ...problem,
    path: text(problem.path),
    message: text(problem.message),
  }));
  const masked = new CtxError(error.code, text(error.message), {
    ...(problems === undefined ? {} : { problems }),
    ...(error.hint === undefined ? {} : { hint: text(error.hint) }),
    ...(error.data === undefined ? {} : { data: error.data }),
  });
  return isMasked ? masked : error;
}
