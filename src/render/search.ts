// Renders what `ctx grep` found: a block for each run, with its title and the lines that match. Line numbers only
// under -n, as git grep prints them.
import { addTo, appendAll } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { FoundRun, SearchHit, SearchSummary } from "../results/search.js";
import {
  countText,
  fit,
  numberText,
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  shellWord,
  widthOf,
} from "./layout.js";
import { whenText } from "./when.js";

export interface SearchLayout {
  /** Number the lines. */
  numbered?: boolean;
  /** `list`: a line for each run; `count`: with the number of hits; `steps`: a line for each step. */
  shape?: "list" | "count" | "steps";
  /** Under a shape, print whole names of packs, for a program. */
  isPiped?: boolean;
  utc?: boolean;
  now?: Date;
}

/** A run, and what to type for it if it is not in the store. */
interface ShownRun {
  run: FoundRun;
  typed: string | undefined;
  /** The same line as the model was shown it. */
  seen: SearchHit | undefined;
}

const hashWidth = 12;
const maxLine = 200;
/** The least room for what is beside a command. */
const minLabel = 20;

/** Returns the hits of runs, one after the other. */
export class SearchRenderer {
  readonly #screen: Screen;
  readonly #layout: SearchLayout;
  readonly #paint: Paint;
  /** The lines that were printed, and the run that had them first. */
  readonly #printed = new Map<string, string>();
  #isFirst = true;
  #repeated = new Map<string, string[]>();

  constructor(screen: Screen, layout: SearchLayout) {
    this.#screen = screen;
    this.#layout = layout;
    this.#paint = painter(screen);
  }

  /** `typed`: what to type for the run, if it is not in the store. */
  run(run: FoundRun, typed?: string): string {
    const { shape } = this.#layout;
    if (shape === "list") return `${this.#name(run, typed)}\n`;
    if (shape === "count")
      return `${this.#name(run, typed)}${this.#layout.isPiped === true ? "\t" : "  "}${run.count}\n`;
    if (shape === "steps") return this.#steps(run, typed);
    const first = this.#firstWithAll(run);
    if (first !== undefined) {
      const others = this.#repeated.get(first) ?? [];
      others.push(shortHash(run.pack));
      this.#repeated.set(first, others);
      return "";
    }
    const gap = this.#isFirst ? "" : "\n";
    this.#isFirst = false;
    const lines = [...this.#head(run)];
    const shown = joinSeen(run.hits);
    for (const [at, { hit, seen }] of shown.entries())
      appendAll(lines, this.#hit({ run, typed, seen }, hit, shown[at - 1]?.hit));
    return `${gap}${lines.join("\n")}\n`;
  }

  /** Returns the runs whose hits were printed for another run already, and what was searched. */
  end(summary: SearchSummary): string {
    const { shape } = this.#layout;
    if (shape !== undefined) return "";
    const lines = [...this.#repeated].map(
      ([first, others]) => `the hits in ${first} are also in ${listed(others)}`,
    );
    const { hits, runs, searched, total, echoes } = summary;
    const isAll = summary.ended_early !== true && searched.packs === total ? " (all)" : "";
    if (hits > 0)
      lines.push(
        `${countText(hits, "hit")} in ${countText(runs, "run")}; searched ${countText(searched.packs, "run")}${isAll}`,
      );
    if (echoes > 0)
      lines.push(`left out ${countText(echoes, "call")} of ctx itself; --with-echoes adds them`);
    return lines.length === 0
      ? ""
      : `${this.#isFirst ? "" : "\n"}${lines.map((line) => this.#paint("dim", line)).join("\n")}\n`;
  }

  #name({ pack, title }: FoundRun, typed: string | undefined): string {
    if (this.#layout.isPiped === true) return typed ?? `ctx://${pack.replace(/^sha256:/, "")}`;
    const room = this.#screen.width - hashWidth - 2 - (this.#layout.shape === "count" ? 8 : 0);
    return `${this.#paint("yellow", shortHash(pack))}  ${padEnd(fit(title ?? "(no title)", room), this.#layout.shape === "count" ? room : 0)}`;
  }

  #head({ pack, title, created, agent, model }: FoundRun): string[] {
    const { now = new Date(), utc = false } = this.#layout;
    const facts = [whenText(created, { now, utc }), agent, model === "unknown" ? undefined : model]
      .filter((fact) => fact !== undefined)
      .join(" · ");
    const room = this.#screen.width - hashWidth - 2;
    const head = `${this.#paint("yellow", shortHash(pack))}  ${this.#paint("bold", fit(title ?? "(no title)", room))}`;
    return [head, `${" ".repeat(hashWidth + 2)}${this.#paint("dim", fit(facts, room))}`];
  }

  /** Returns a hit, below a line for its step, prompt or file if that is another than the last one's. */
  #hit(shown: ShownRun, hit: SearchHit, last: SearchHit | undefined): string[] {
    const lines: string[] = [];
    if (last === undefined || placeOf(hit) !== placeOf(last)) appendAll(lines, this.#place(shown, hit));
    for (const [at, text] of (hit.before ?? []).entries())
      lines.push(
        this.#line(hit, hit.line - (hit.before ?? []).length + at, this.#paint("dim", cut(text)), "-"),
      );
    lines.push(this.#line(hit, hit.line, this.#marked(hit), ":", shown.seen));
    for (const [at, text] of (hit.after ?? []).entries())
      lines.push(this.#line(hit, hit.line + 1 + at, this.#paint("dim", cut(text)), "-"));
    return lines;
  }

  /** Returns where hits are, and at the right edge the command that shows it, or on a line of its own. */
  #place({ run, typed }: ShownRun, hit: SearchHit): string[] {
    const command = showCommand(hit, typed);
    const what = [placeText(hit), hit.pack === run.pack ? undefined : "of a sub-agent", hit.tool]
      .filter((text) => text !== undefined)
      .join("  ");
    const room = this.#screen.width - widthOf(command) - 4;
    if (room < minLabel)
      return [`  ${fit(what, this.#screen.width - 2)}`, `      ${this.#paint("dim", command)}`];
    return [`  ${padEnd(fit(what, room), room)}  ${this.#paint("dim", command)}`];
  }

  #line(hit: SearchHit, number: number, text: string, separator: string, seen?: SearchHit): string {
    const label = (part: string, line: number): string =>
      this.#layout.numbered === true && hit.line > 0 ? `${part}${separator}${line}` : part;
    const labels = [label(partText(hit), number), ...(seen === undefined ? [] : [label("seen", seen.line)])];
    return `    ${this.#paint("green", labels.join(", "))}  ${text}`;
  }

  /** Returns what is around the match, with the match in colour. */
  #marked({ text, match, binary }: SearchHit): string {
    if (binary === true) return this.#paint("dim", "matches, but is not text");
    const from = Math.max(0, Math.min(match.at - 60, text.length - maxLine));
    const to = Math.min(text.length, from + maxLine);
    const [start, end] = [match.at, Math.min(to, match.at + match.length)];
    const before = `${from > 0 ? "…" : ""}${plain(text.slice(from, start))}`;
    const after = `${plain(text.slice(end, to))}${to < text.length ? "…" : ""}`;
    return `${before}${this.#paint("red", plain(text.slice(start, end)))}${after}`;
  }

  #steps(run: FoundRun, typed: string | undefined): string {
    const byPlace = new Map<string, SearchHit[]>();
    for (const hit of run.hits) addTo(byPlace, placeOf(hit), hit);
    const name = (hit: SearchHit): string =>
      this.#layout.isPiped === true
        ? (typed ?? `ctx://${hit.pack.replace(/^sha256:/, "")}`)
        : this.#paint("yellow", shortHash(hit.pack));
    return [...byPlace.values()]
      .map((hits) => {
        const [hit] = hits as [SearchHit];
        return `${name(hit)}  ${padEnd(fit(`${placeText(hit)}  ${hit.tool ?? ""}`.trimEnd(), 30), 30)}  ${this.#marked(hit)}\n`;
      })
      .join("");
  }

  /** Returns the run that has printed all hits of this one already; notes them otherwise. */
  #firstWithAll({ pack, hits }: FoundRun): string | undefined {
    const keys = hits.map((hit) => `${hit.ref ?? hit.text} ${hit.line} ${hit.part}`);
    const [key = ""] = keys;
    const first = this.#printed.get(key);
    if (first !== undefined && keys.every((each) => this.#printed.has(each))) return first;
    for (const each of keys) if (!this.#printed.has(each)) this.#printed.set(each, shortHash(pack));
    return undefined;
  }
}

/** How many lines of an output may have no counterpart before the next one that has. */
const maxApart = 16;

/**
 * Joins a line of an output with the same line as the model was shown it, which often has a number before it: that
 * is one line to a reader.
 */
function joinSeen(hits: readonly SearchHit[]): { hit: SearchHit; seen: SearchHit | undefined }[] {
  const joined = new Map<SearchHit, SearchHit>();
  const taken = new Set<SearchHit>();
  const outputs = new Map<string, SearchHit[]>();
  /** Both come in the order of lines, so each is looked for behind the last one. */
  const nexts = new Map<string, number>();
  for (const hit of hits) {
    const step = `${hit.pack} ${hit.step}`;
    if (hit.part === "output") addTo(outputs, step, hit);
    if (hit.part !== "seen") continue;
    const from = nexts.get(step) ?? 0;
    const near = (outputs.get(step) ?? []).slice(from, from + maxApart);
    const at = near.findIndex(({ text }) => hit.text.includes(text));
    if (at === -1) continue;
    nexts.set(step, from + at + 1);
    joined.set(near[at] as SearchHit, hit);
    taken.add(hit);
  }
  return hits.filter((hit) => !taken.has(hit)).map((hit) => ({ hit, seen: joined.get(hit) }));
}

/** Returns which step, prompt or file a hit is in. */
function placeOf({ pack, step, prompt, part, name }: SearchHit): string {
  return JSON.stringify([pack, step, prompt, step === undefined ? [part, name] : []]);
}

function placeText({ step, prompt, part, name, role }: SearchHit): string {
  if (step !== undefined) return `step ${step}`;
  if (prompt !== undefined) return `prompt ${prompt}`;
  return part === "file" ? `${role ?? "file"} ${name ?? ""}` : "system prompt";
}

function partText({ part, name }: SearchHit): string {
  return part === "param" ? fit(name === "" || name === undefined ? "param" : name, 30) : part;
}

/** Returns the command that shows where a hit is. */
function showCommand(hit: SearchHit, typed: string | undefined): string {
  const pack = typed === undefined ? shortHash(hit.pack) : shellWord(typed);
  const { step, prompt, part, role, name } = hit;
  if (step !== undefined) return `ctx show ${pack} --step ${step}`;
  if (prompt !== undefined) return `ctx show ${pack} --prompt ${prompt}`;
  return part === "file"
    ? `ctx show ${pack} --${role ?? "output"} ${shellWord(name ?? "")}`
    : `ctx show ${pack} --system`;
}

function listed(hashes: readonly string[]): string {
  if (hashes.length <= 3) return hashes.join(", ");
  return `${hashes.slice(0, 3).join(", ")} and ${numberText(hashes.length - 3)} more runs`;
}

function cut(text: string): string {
  return text.length > maxLine ? `${plain(text.slice(0, maxLine))}…` : plain(text);
}

/** Tabs become spaces, as `ctx show` has it. */
function plain(text: string): string {
  return printable(text.replaceAll("\t", "    "));
}
