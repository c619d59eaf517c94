// Renders hooks: what is written where, which hooks exist, and what they did.
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { HookResult } from "../results/intake.js";
import { fit, padEnd, painter, type Screen, shortHash, timeText, wrap } from "./layout.js";

const signs = { same: " ", added: "+", removed: "-" } as const;

export function renderHook({ file, change, dry_run, lines, advice }: HookResult, screen: Screen): string {
  const paint = painter(screen);
  const more = advice.map((text) => `${paint("yellow", "note:")} ${printable(text)}`);
  if (change === "present")
    return `${[`the hook is already installed, in ${fit(file, 1000)}`, ...more].join("\n")}\n`;
  if (change === "absent") return `the hook is not installed: nothing in ${fit(file, 1000)} calls ctx\n`;
  const head = dry_run === true ? `${fit(file, 1000)} would change:` : `${change}: ${fit(file, 1000)}`;
  const changes = lines.map(({ kind, text }) => {
    // In full: this is what the user consents to.
    const line = `${signs[kind]} ${printable(text.replaceAll("\t", "  "))}`;
    return kind === "same" ? paint("dim", line) : paint(kind === "added" ? "green" : "red", line);
  });
  return `${[paint("bold", head), ...changes, ...more].join("\n")}\n`;
}

export function renderHooks(hooks: readonly HookResult[], screen: Screen): string {
  const paint = painter(screen);
  const width = maxOf(hooks, ({ hook }) => hook.length);
  return hooks
    .map(({ hook, file, change, last }) => {
      const state = change === "present" ? paint("green", "installed    ") : paint("dim", "not installed");
      const path = fit(file, Math.max(screen.width - width - 17, 20));
      const line = `${paint("cyan", padEnd(hook, width))}  ${state}  ${paint("dim", path)}\n`;
      if (last === undefined) return line;
      const packs = last.packs.map((pack) => `ctx://${shortHash(pack)}`).join(" ");
      const outcome = [packs, last.problem ?? "", last.notice ?? ""].filter(Boolean).join("; ");
      const lastRun = printable(
        `last ${timeText(last.time).slice(0, 16)}  ${outcome === "" ? "nothing new" : outcome}`,
      );
      const room = Math.max(screen.width - width - 2, 20);
      return `${line}${wrap(lastRun, room)
        .map((text) => `${" ".repeat(width + 2)}${text}\n`)
        .join("")}`;
    })
    .join("");
}
