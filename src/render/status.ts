// Renders drafts for people: where each is, what it came from, what differs, and what to do next.
import type { DraftStatus, StatusResult } from "../results/results.js";
import { problemLines } from "./error.js";
import { fit, type Paint, painter, type Screen, shellWord, shortHash, timeText } from "./layout.js";

const maxChanges = 12;
const maxProblems = 40;

export function renderStatus({ drafts }: StatusResult, screen: Screen): string {
  if (drafts.length === 0) return "No drafts. `ctx fork <pack>` makes one.\n";
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  return `${drafts.map((draft) => draftLines(draft, paint, width).join("\n")).join("\n\n")}\n`;
}

function draftLines(draft: DraftStatus, paint: Paint, width: number): string[] {
  return [
    `${paint("bold", fit(draft.draft, width - 12))}  ${stateText(draft, paint)}`,
    ...originLines(draft).map((text) => paint("dim", fit(`  ${text}`, width))),
    ...listed(draft.changes, maxChanges).map((text) => `  ${fit(text, width - 2)}`),
    ...(draft.problems.some(({ line }) => line !== undefined)
      ? ["  cannot be sealed; in execution.json:"]
      : []),
    ...listed(problemLines(draft.problems, paint), maxProblems).map((line) => `  ${line}`),
    ...nextLines(draft).map((text) => paint("dim", `  ${text}`)),
  ];
}

function stateText({ state }: DraftStatus, paint: Paint): string {
  const colours = {
    unedited: "dim",
    edited: "cyan",
    sealed: "green",
    unfinished: "red",
    unknown: "yellow",
  } as const;
  return paint(colours[state], state);
}

function originLines({ parent, parent_present, created, title }: DraftStatus): string[] {
  if (parent === null) return [];
  const absent = parent_present ? "" : " (not in this store)";
  return [
    ...(title === null ? [] : [title]),
    `from ctx://${shortHash(parent)}${absent}${created === null ? "" : `, forked ${timeText(created)}`}`,
  ];
}

function listed(texts: readonly string[], maxShown: number): string[] {
  if (texts.length <= maxShown) return [...texts];
  return [...texts.slice(0, maxShown), `and ${texts.length - maxShown} more`];
}

function nextLines({ state, draft, hash }: DraftStatus): string[] {
  if (state === "edited") return [`to seal it: ctx pack ${shellWord(draft)}`];
  if (state === "sealed")
    return [
      `it is sealed as ctx://${shortHash(hash ?? "")}; to remove it: ctx pack --rm ${shellWord(draft)}`,
    ];
  return state === "unknown" ? ["its parent cannot be read here, so ctx cannot say what was edited"] : [];
}
