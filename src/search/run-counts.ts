// Adds up what runs did and cost, by day, week, model, agent, tool or project.
import { knownTime } from "../model/times.js";
import type { StatsCounts, StatsGroup, StatsRow, StatsTokens } from "../results/stats.js";
import type { HistoryEntry } from "../store/catalog.js";
import type { CallCounts, ModelTally, Money, RunTally, TokenCounts } from "./fact-sheet.js";

/** A pack that can be read. */
export interface CountedPack {
  hex: string;
  content: Exclude<HistoryEntry["content"], { damage: string }>;
}

export interface GroupOptions {
  by: StatsGroup | undefined;
  utc: boolean;
}

const noCalls: CallCounts = { steps: 0, failed: 0, denied: 0 };
const callFields = ["steps", "failed", "denied"] as const;

/** What a pack adds to a row. */
interface Share extends CallCounts {
  tokens?: TokenCounts | undefined;
  cost?: readonly Money[] | undefined;
  duration?: number | undefined;
}

export class RunCounts {
  readonly #options: GroupOptions;
  readonly #rows = new Map<string | null, CountedRow>();
  readonly #total = new CountedRow();

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /** Adds a pack to the run that it is part of, or is. All packs of a run must be added one after the other. */
  add(pack: CountedPack, tally: RunTally, run: CountedPack): void {
    const { content } = pack;
    const { steps, failed, denied = 0 } = content;
    const each = [tally, ...tally.models];
    const whole: Share = {
      steps,
      failed,
      denied,
      tokens: sumOf(each.flatMap(({ tokens }) => tokens ?? [])),
      cost: each.flatMap(({ cost }) => cost ?? []),
      // A sub-agent works while its run does.
      duration: pack === run ? content.duration : undefined,
    };
    const { by } = this.#options;
    if (by === "tool") {
      for (const { name, ...calls } of tally.tools) this.#rowOf(name).add(calls, pack, run);
      this.#total.add(callsIn(tally), pack, run);
      return;
    }
    this.#total.add(whole, pack, run);
    if (by === "model") this.#addModels(tally, whole, { pack, run });
    else if (by !== undefined) this.#rowOf(this.#keyOf(by, run)).add(whole, pack, run);
  }

  rows(): StatsRow[] {
    const rows = [...this.#rows].map(([key, row]) => ({ key, ...row.counts() }));
    const byTime = this.#options.by === "day" || this.#options.by === "week";
    const withTokens = rows.some(({ tokens }) => tokens !== undefined);
    const measure = ({ tokens, steps }: StatsRow): number =>
      withTokens ? (tokens?.input ?? 0) + (tokens?.output ?? 0) : steps;
    return rows.sort((a, b) => {
      if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
      const order = byTime ? 0 : measure(b) - measure(a) || b.steps - a.steps;
      return order !== 0 ? order : a.key < b.key ? -1 : 1;
    });
  }

  total(): StatsCounts {
    return this.#total.counts();
  }

  /** Adds each model's share; what cannot be told apart counts for none of them. */
  #addModels(tally: RunTally, whole: Share, { pack, run }: { pack: CountedPack; run: CountedPack }): void {
    const [only, another] = tally.models;
    const isOne = only !== undefined && another === undefined;
    const rest: Share = { ...noCalls, tokens: tally.tokens, cost: tally.cost };
    if (!isOne) rest.duration = whole.duration;
    for (const key of callFields)
      rest[key] = tally.models.reduce((left, model) => left - model[key], whole[key]);
    for (const model of tally.models)
      this.#rowOf(model.name).add(isOne ? { ...model, duration: whole.duration } : model, pack, run);
    const { steps, tokens, cost = [], duration } = rest;
    if (steps > 0 || tokens !== undefined || cost.length > 0 || duration !== undefined)
      this.#rowOf(null).add(rest, pack, run);
  }

  #keyOf(by: Exclude<StatsGroup, "model" | "tool">, { content }: CountedPack): string | null {
    if (by === "agent") return content.agent ?? null;
    if (by === "project") return content.project ?? null;
    // The time in the manifest is when it was packed.
    if (content.untimed === true) return null;
    return dayOf(content.created, { week: by === "week", utc: this.#options.utc });
  }

  #rowOf(key: string | null): CountedRow {
    const row = this.#rows.get(key) ?? new CountedRow();
    this.#rows.set(key, row);
    return row;
  }
}

class CountedRow {
  #runs = 0;
  #subruns = 0;
  readonly #calls = { ...noCalls };
  #tokens: StatsTokens | undefined;
  readonly #cost = new Map<string, { amount: number; packs: number }>();
  #duration: number | undefined;
  /** The run that was counted last. */
  #last: string | undefined;

  add(share: Share | ModelTally, pack: CountedPack, run: CountedPack): void {
    if (this.#last !== run.hex) this.#runs++;
    this.#last = run.hex;
    if (pack !== run) this.#subruns++;
    for (const key of callFields) this.#calls[key] += share[key];
    if (share.tokens !== undefined) {
      const { packs, ...tokens } = this.#tokens ?? { ...noTokens, packs: 0 };
      this.#tokens = { ...addTokens(tokens, share.tokens), packs: packs + 1 };
    }
    for (const { currency, amount } of share.cost ?? []) {
      const known = this.#cost.get(currency) ?? { amount: 0, packs: 0 };
      this.#cost.set(currency, { amount: known.amount + amount, packs: known.packs + 1 });
    }
    const duration = "duration" in share ? share.duration : undefined;
    if (duration !== undefined) this.#duration = limited((this.#duration ?? 0) + duration);
  }

  counts(): StatsCounts {
    const counts: StatsCounts = { runs: this.#runs, subruns: this.#subruns, ...this.#calls };
    if (this.#tokens !== undefined) counts.tokens = this.#tokens;
    if (this.#cost.size > 0)
      counts.cost = [...this.#cost]
        .map(([currency, { amount, packs }]) => ({ currency, amount: rounded(amount), packs }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1));
    if (this.#duration !== undefined) counts.duration_ms = this.#duration;
    return counts;
  }
}

/** Returns the calls of all tools. */
function callsIn({ tools }: RunTally): CallCounts {
  const sum = { ...noCalls };
  for (const tool of tools) for (const key of callFields) sum[key] += tool[key];
  return sum;
}

const noTokens: TokenCounts = { input: 0, output: 0, cache_read: 0, cache_creation: 0, reasoning: 0 };

function sumOf(tokens: readonly TokenCounts[]): TokenCounts | undefined {
  return tokens.length === 0 ? undefined : tokens.reduce(addTokens, noTokens);
}

function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: limited(a.input + b.input),
    output: limited(a.output + b.output),
    cache_read: limited(a.cache_read + b.cache_read),
    cache_creation: limited(a.cache_creation + b.cache_creation),
    reasoning: limited(a.reasoning + b.reasoning),
  };
}

/** Logs can state any number. */
function limited(sum: number): number {
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

/** Removes the error that adding fractions makes. */
function rounded(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** Returns the day of a time, or the Monday of its week, where this machine is or in UTC. */
function dayOf(time: string, { week, utc }: { week: boolean; utc: boolean }): string {
  const date = new Date(knownTime(time).seconds * 1000);
  const [year, month, day, weekday] = utc
    ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCDay()]
    : [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()];
  const shown = new Date(0);
  shown.setUTCFullYear(year, month, week ? day - ((weekday + 6) % 7) : day);
  return shown.toISOString().replace(/T.*/s, "");
}
