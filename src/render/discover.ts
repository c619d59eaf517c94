// Renders the list of sessions that agents left on this machine.
import { printable } from "../base/printable.js";
import type { DiscoverResult, FoundSession } from "../results/intake.js";
import {
  countText,
  fit,
  numberText,
  type Paint,
  padEnd,
  padStart,
  painter,
  type Screen,
  sizeText,
  widthOf,
} from "./layout.js";

const colours = {
  new: "green",
  changed: "yellow",
  packed: "dim",
  removed: "dim",
  empty: "dim",
  refused: "red",
} as const;

export function renderDiscovered(
  result: DiscoverResult,
  screen: Screen,
  { home, limit, hasStore }: { home: string; limit: number; hasStore: boolean },
): string {
  const paint = painter(screen);
  const { sessions, folders } = result;
  if (sessions.length === 0) return noSessionsText(folders, home, paint);
  const rows = sessions.slice(0, limit).map((session) => ({
    state: session.state,
    time: `${session.modified.slice(0, 10)} ${session.modified.slice(11, 16)}`,
    agent: session.agent,
    // Without a known project, the path of the file is most informative.
    project: shortPath(session.project ?? session.path, home),
    model: session.model ?? "-",
    size: sizeText(session.size),
  }));
  const column = (name: "agent" | "project" | "model" | "size", maxWidth: number): number =>
    rows.reduce((width, row) => Math.max(width, widthOf(fit(row[name], maxWidth))), 0);
  const agent = column("agent", 14);
  const size = column("size", 10);
  // Project and model share the rest of the line.
  const room = Math.max(screen.width - 16 - agent - size - 7 - 5 * 2, 24);
  const model = Math.min(column("model", 40), Math.floor(room / 2));
  const project = Math.min(column("project", 200), room - model);
  const lines = rows.map(
    (row) =>
      `${paint("dim", row.time)}  ${padEnd(fit(row.agent, agent), agent)}  ${padEnd(fitEnd(row.project, project), project)}  ${padEnd(fit(row.model, model), model)}  ${padStart(row.size, size)}  ${paint(colours[row.state], row.state)}`,
  );
  return `${lines.join("\n")}\n\n${summary(sessions, { paint, hasStore })}\n${refusals(sessions.slice(0, limit), home, paint)}`;
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
  const states = (["new", "changed", "packed", "removed", "empty", "refused"] as const).flatMap((state) => {
    const count = sessions.filter((session) => session.state === state).length;
    return count === 0 ? [] : [`${numberText(count)} ${state}`];
  });
  const hasUnpacked = sessions.some(({ state }) => state === "new" || state === "changed");
  const advice = hasStore
    ? "`ctx pack --discover` packs what is new or changed"
    : "`ctx init` makes a store here, `ctx -C ~ init` one for all; then `ctx pack --discover` packs them";
  const hint = hasUnpacked ? `\n${paint("dim", advice)}` : "";
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
  if (folders.length === 0) return "no agent that ctx knows has left sessions on this machine\n";
  const folderLines = folders.map((folder) => `  ${fit(shortPath(folder, home), 200)}\n`).join("");
  return `no session fits; looked into\n${paint("dim", folderLines)}`;
}
