// Decides which packs a search looks at, and which of them are one run: the run of a sub-agent is part of the run that
// started it, unless the user asks for it by itself.
import { hexOf } from "../base/digest.js";
import { addTo } from "../base/lists.js";
import type { Manifest } from "../model/manifest.js";
import { type Catalog, type HistoryEntry, readEntry } from "../store/catalog.js";

/** Packs that are reported as one run: its own, and those of its sub-agents. */
export interface RunPacks {
  main: HistoryEntry;
  /** Those that are searched; the main pack is not among them if the filters leave it out. */
  packs: HistoryEntry[];
}

export interface RunPlanOptions {
  root: string;
  catalog: Catalog;
  /** What the filters select. */
  fits: (entry: HistoryEntry) => boolean;
  /** Whether the runs of sub-agents are parts of other runs. */
  foldsSubagents: boolean;
  /** Returns the manifest of a pack; undefined if it cannot be read. */
  manifestOf: (hex: string) => Manifest | undefined;
}

/** The packs of a session: of the run itself, newest first, and of its sub-agents. */
interface SessionPacks {
  mains: HistoryEntry[];
  subruns: HistoryEntry[];
}

export class RunPlanner {
  readonly #options: RunPlanOptions;
  readonly #done = new Set<string>();
  /** By key; filled when the first run with sub-agents is met. */
  #sessions: Map<string, SessionPacks> | undefined;

  constructor(options: RunPlanOptions) {
    this.#options = options;
  }

  /** Yields the runs of a list; each pack belongs to one of them. */
  *runs(entries: Iterable<HistoryEntry>): Generator<RunPacks> {
    for (const entry of entries) {
      if (this.#done.has(entry.hex) || !this.#options.fits(entry)) continue;
      const session = this.#options.foldsSubagents ? this.#sessionOf(entry) : undefined;
      const main = session?.mains.find((each) => this.#options.fits(each)) ?? session?.mains[0];
      if (session === undefined || main === undefined || !isSubrun(entry)) yield this.#run(entry, [entry]);
      // The run that started it will be met, or was, and is searched with all of its sub-agents.
      else if (!this.#options.fits(main))
        yield this.#run(
          main,
          session.subruns.filter((each) => this.#options.fits(each)),
        );
    }
  }

  /** Yields the runs of packs that the user named, in that order. */
  *named(entries: readonly HistoryEntry[]): Generator<RunPacks> {
    const subruns: HistoryEntry[] = [];
    for (const entry of entries) {
      if (this.#done.has(entry.hex) || !this.#options.fits(entry)) continue;
      if (this.#options.foldsSubagents && isSubrun(entry)) subruns.push(entry);
      else yield this.#run(entry, [entry]);
    }
    const byMain = new Map<HistoryEntry, HistoryEntry[]>();
    for (const entry of subruns)
      if (!this.#done.has(entry.hex)) addTo(byMain, this.#sessionOf(entry)?.mains[0] ?? entry, entry);
    for (const [main, packs] of byMain) yield this.#run(main, packs);
  }

  /** Returns a run with these packs and those of their sub-agents that belong to no run yet. */
  #run(main: HistoryEntry, first: readonly HistoryEntry[]): RunPacks {
    const packs: HistoryEntry[] = [];
    const waiting = first.toReversed();
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      if (this.#done.has(entry.hex)) continue;
      this.#done.add(entry.hex);
      packs.push(entry);
      if (this.#options.foldsSubagents)
        for (const sub of this.#subrunsOf(entry).toReversed()) waiting.push(sub);
    }
    return { main, packs };
  }

  /** Returns the runs of sub-agents that belong to a run: those that it names, and those that no other run does. */
  #subrunsOf(entry: HistoryEntry): HistoryEntry[] {
    const found = this.#named(entry);
    const session = this.#sessionOf(entry);
    const [newest, ...older] = session?.mains.filter((each) => this.#options.fits(each)) ?? [];
    if (session === undefined || newest?.hex !== entry.hex) return found;
    let left = session.subruns.filter(({ hex }) => !found.some((each) => each.hex === hex));
    for (const other of older) {
      if (left.length === 0) break;
      const names = new Set(this.#named(other).map(({ hex }) => hex));
      left = left.filter(({ hex }) => !names.has(hex));
    }
    return [...found, ...left];
  }

  /** Returns the packs in the store that the steps of a run name as those of its sub-agents. */
  #named({ hex: pack, content }: HistoryEntry): HistoryEntry[] {
    if ("damage" in content || content.subruns === 0) return [];
    const { root, manifestOf } = this.#options;
    const named = new Set(
      manifestOf(pack)?.steps.flatMap((step) => (step.pack === undefined ? [] : [hexOf(step.pack)])),
    );
    return [...named].flatMap((hex) => readEntry(root, hex) ?? []);
  }

  /** Returns the session that a pack belongs to; undefined if it has no sub-agents in the store. */
  #sessionOf(entry: HistoryEntry): SessionPacks | undefined {
    const key = sessionKey(entry);
    if (key === undefined) return undefined;
    if (this.#sessions === undefined) {
      // Most stores have none of them, and then nothing is gathered.
      if (!isSubrun(entry) && !hasSubruns(entry)) return undefined;
      this.#sessions = new Map();
      for (const each of this.#options.catalog.entries()) {
        const of = sessionKey(each);
        if (of === undefined) continue;
        const session = this.#sessions.get(of) ?? { mains: [], subruns: [] };
        (isSubrun(each) ? session.subruns : session.mains).push(each);
        this.#sessions.set(of, session);
      }
    }
    const session = this.#sessions.get(key);
    return session === undefined || session.subruns.length === 0 ? undefined : session;
  }
}

function isSubrun({ content }: HistoryEntry): boolean {
  return !("damage" in content) && content.subagent !== undefined;
}

function hasSubruns({ content }: HistoryEntry): boolean {
  return !("damage" in content) && content.subruns > 0;
}

/** Names the session of a pack; that of a sub-agent's is the session of the run that started it. */
function sessionKey({ content }: HistoryEntry): string | undefined {
  if ("damage" in content || content.session === undefined) return undefined;
  const { session, subagent, format = "" } = content;
  return `${format} ${subagent === undefined ? session : session.slice(0, -subagent.length - 1)}`;
}
