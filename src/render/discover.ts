// Renders the list of sessions that agents left on this machine.
import { printable } from "../base/printable.js";
import type { DiscoverResult, FoundSession } from "../results/intake.js";
import {
  countText,
  fit,
  numberText,
  type Paint,
  padEnd,
  painter,
  type Screen,
  sizeText,
  widthOf,
} from "./layout.js";
import { shortAgoText } from "./when.js";

const colours = {
  new: "green",
  grown: "yellow",
  packed: "dim",
  removed: "dim",
  empty: "dim",
  refused: "red",
} as const;

/** From this width on, a session takes one line; below it, the title has a line of its own. */
const wide = 100;

interface DiscoverView {
  home: string;
  limit: number;
  hasStore: boolean;
  now: Date;
}

interface SessionRow {
  id: string;
  title: string;
  agent: string;
  project: string;
  ago: string;
  state: FoundSession["state"];
}

export function renderDiscovered(
  result: DiscoverResult,
  screen: Screen,
  { home, limit, hasStore, now }: DiscoverView,
): string {
  const paint = painter(screen);
  const { sessions, folders } = result;
  if (sessions.length === 0) return noSessionsText(folders, home, paint);
  const ids = shortIds(sessions.map(({ id }) => id));
  const rows = sessions.slice(0, limit).map((session, at) => ({
    id: ids[at] as string,
    title: session.title ?? "(no prompt found)",
    agent: session.agent,
    // Without a known project, the path of the file is most informative.
    project: shortPath(session.project ?? session.path, home),
    ago: shortAgoText(session.modified, now),
    state: session.state,
  }));
  const lines = screen.width < wide ? narrowLines(rows, screen, paint) : wideLines(rows, screen, paint);
  return `${lines.join("\n")}\n\n${summary(sessions, { paint, hasStore })}\n${refusals(sessions.slice(0, limit), home, paint)}`;
}

/** Returns the width of a column, at most `maxWidth`. */
function columnOf(rows: readonly SessionRow[], name: keyof SessionRow, maxWidth: number): number {
  return rows.reduce((width, row) => Math.max(width, widthOf(fit(row[name], maxWidth))), 0);
}

function wideLines(rows: readonly SessionRow[], screen: Screen, paint: Paint): string[] {
  const [id, ago] = [columnOf(rows, "id", 36), columnOf(rows, "ago", 10)];
  const [agent, state] = [columnOf(rows, "agent", 14), columnOf(rows, "state", 10)];
  const room = screen.width - id - ago - agent - state - 5 * 2;
  const project = columnOf(rows, "project", Math.floor(room / 3));
  const title = Math.min(columnOf(rows, "title", 200), room - project);
  return rows.map((row) =>
    [
      paint("cyan", padEnd(fit(row.id, id), id)),
      padEnd(fit(row.title, title), title),
      padEnd(fitEnd(row.project, project), project),
      padEnd(fit(row.agent, agent), agent),
      paint("dim", padEnd(row.ago, ago)),
      paint(colours[row.state], row.state),
    ].join("  "),
  );
}

function narrowLines(rows: readonly SessionRow[], screen: Screen, paint: Paint): string[] {
  const [id, state] = [columnOf(rows, "id", 36), columnOf(rows, "state", 10)];
  const [agent, ago] = [columnOf(rows, "agent", 14), columnOf(rows, "ago", 10)];
  const room = screen.width - id - 2;
  const title = Math.max(room - state - 2, 10);
  const project = Math.max(room - agent - ago - 2 * 2, 10);
  return rows.flatMap((row) => [
    `${paint("cyan", padEnd(fit(row.id, id), id))}  ${padEnd(fit(row.title, title), title)}  ${paint(colours[row.state], row.state)}`,
    `${" ".repeat(id + 2)}${paint("dim", `${padEnd(row.ago, ago)}  ${padEnd(fit(row.agent, agent), agent)}  ${fitEnd(row.project, project)}`)}`,
  ]);
}

/** How many characters of an id are shown, unless more are needed to tell it from the others. */
const idLength = 8;

/** Returns the beginnings of ids that can be typed in their place. */
function shortIds(ids: readonly string[]): string[] {
  const sorted = [...new Set(ids)].sort();
  const lengths = new Map(
    sorted.map((id, at) => {
      const before = commonLength(id, sorted[at - 1] ?? "");
      const after = commonLength(id, sorted[at + 1] ?? "");
      return [id, Math.max(idLength, before + 1, after + 1)];
    }),
  );
  return ids.map((id) => id.slice(0, lengths.get(id)));
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Cuts a path to a width, and keeps its end, which says more than its beginning. */
function fitEnd(text: string, width: number): string {
  const safe = fit(text, 10_000);
  if (widthOf(safe) <= width) return safe;
  let end = safe;
  while (end !== "" && widthOf(end) > width - 1) end = end.slice(1);
  return `\u2026${end}`;
}

function shortPath(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function summary(
  sessions: readonly FoundSession[],
  { paint, hasStore }: { paint: Paint; hasStore: boolean },
): string {
  const total = sessions.reduce((sum, { size }) => sum + size, 0);
  const states = (["new", "grown", "packed", "removed", "empty", "refused"] as const).flatMap((state) => {
    const count = sessions.filter((session) => session.state === state).length;
    return count === 0 ? [] : [`${numberText(count)} ${state}`];
  });
  const hasUnpacked = sessions.some(({ state }) => state === "new" || state === "grown");
  const advice = hasStore
    ? "`ctx pack --discover` packs the new and grown ones"
    : "to pack them, make a store: `ctx init` (here) or `ctx -C ~ init` (for all)\nthen run `ctx pack --discover`";
  const look = "`ctx show <id>` shows one";
  const hint = `\n${paint("dim", hasUnpacked ? `${look}\n${advice}` : look)}`;
  return `${countText(sessions.length, "session")}, ${sizeText(total)}: ${states.join(", ")}${hint}`;
}

/** Returns why some sessions cannot be packed. */
function refusals(sessions: readonly FoundSession[], home: string, paint: Paint): string {
  const lines = sessions.flatMap(({ path, problem }) =>
    problem === undefined
      ? []
      : [`${paint("red", "refused")}  ${printable(problem.replace(path, () => shortPath(path, home)))}\n`],
  );
  return lines.length === 0 ? "" : `\n${lines.join("")}`;
}

function noSessionsText(folders: readonly string[], home: string, paint: Paint): string {
  if (folders.length === 0) return "no sessions found on this machine\n";
  const folderLines = folders.map((folder) => `  ${fit(shortPath(folder, home), 200)}\n`).join("");
  return `no session matches; looked in\n${paint("dim", folderLines)}`;
}
