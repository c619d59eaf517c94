// Which secrets are masked: what the user asks for, what the settings say, and the rules that come of it.
import { CtxError } from "../base/errors.js";
import type { Redactions, RuleCounts } from "../model/redactions.js";
import { unsearchedText } from "../results/scan.js";
import { Ahead, worthAThread } from "./worker-scan.js";
import type { SearchSettings } from "./worker-scan-loop.js";
import { ownFinder, ruleProblem } from "./rules/own.js";
import { Redactor } from "./redactor.js";
import { type Mode, type Search, searchOf } from "./scanner.js";
import { readRedaction, type RedactSettings, type UserPlace } from "../store/config.js";
import type { Store } from "../store/store.js";

export interface RedactionOptions {
  /** How much is masked; without it, what the settings say, and `standard` where they say nothing. */
  redact?: Mode | undefined;
  /** Where the user's own settings are. */
  user?: UserPlace | undefined;
}

export interface Redaction {
  /** Undefined when nothing is masked. */
  search: Search | undefined;
  /** What the search was made of. */
  settings?: SearchSettings;
  /** Ids of rules that come from a store's config which is not trusted. */
  untrusted?: string[];
  /** What a person should know about the settings. */
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
      hint: "`ctx help redaction` says what a rule looks like",
    });
  return { search: searchFor(mode, rules, allow), settings: { mode, rules, allow }, untrusted, notices };
}

/** The same for those that must not fail: where the settings cannot be used, the user's own, or else the built-in rules alone. */
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

/** How often each rule masked something that comes from a store's config which is not trusted. */
export function untrustedCounts(
  { untrusted = [] }: Redaction,
  redactions: Redactions | undefined,
): RuleCounts | undefined {
  const ids = untrusted.filter((id) => redactions?.rules[id] !== undefined);
  if (ids.length === 0) return undefined;
  return Object.fromEntries(ids.map((id) => [id, redactions?.rules[id]?.count ?? 0]));
}

/** Notices about what untrusted rules masked, and about contents that are not text. */
export function searchNotices(untrusted: RuleCounts | undefined, unsearched: number): string[] {
  const counts = Object.entries(untrusted ?? {}).map(([id, count]) => `${id} ${count}`);
  return [
    ...(counts.length === 0
      ? []
      : [
          `masked by rules of the store's config, which is not trusted: ${counts.join(", ")}; if you do not know them, look at config.json, and pack the log again without them`,
        ]),
    ...(unsearched === 0 ? [] : [unsearchedText(unsearched)]),
  ];
}

/** Does `work`, for a log of this size with the help of a second thread where that is worth it. */
export function withAhead<T>({ settings }: Redaction, size: number, work: (ahead?: Ahead) => T): T {
  if (settings === undefined || size < worthAThread) return work();
  const ahead = new Ahead(settings);
  try {
    return work(ahead);
  } finally {
    ahead.close();
  }
}

let last: { key: string; search: Search } | undefined;

/** Making one takes as long as packing a small log: the last one is kept, for those who pack many. */
function searchFor(mode: "standard" | "strict", rules: RedactSettings["rules"], allow: string[]): Search {
  const key = JSON.stringify([mode, rules, allow]);
  if (last?.key !== key) last = { key, search: searchOf({ mode, own: ownFinder(rules), allow }) };
  return last.search;
}

/** What a person is told about secrets that were masked, a line each; nothing when none were. */
export function redactionNotices(redactions: Redactions | undefined, what: string): string[] {
  if (redactions === undefined) return [];
  const { rules, places, own = [] } = redactions;
  const counts = Object.entries(rules).map(([rule, { count }]) => `${rule} ${count}`);
  const names = Object.keys(places);
  const more = names.length > mostPlaces ? `, and ${names.length - mostPlaces} more` : "";
  const where = names.slice(0, mostPlaces).join(", ");
  return [
    `masked in ${what}: ${counts.join(", ")} (${where}${more}); the log still holds them, so rotate what is real`,
    ...(own.length === 0
      ? []
      : [
          `own rules (${own.join(", ")}) are part of this pack's hash: others get it only with the same rules`,
        ]),
  ];
}

const mostPlaces = 4;

/** Does `work`, whose errors hold no secrets: what is wrong with a log is often said in the words of the log. */
export function withMaskedErrors<T>({ search }: Redaction, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CtxError && search !== undefined ? maskedError(error, search) : error;
  }
}

function maskedError(error: CtxError, search: Search): CtxError {
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
