// The result of removing each safeguard: as a table on the screen, and for docs/reliability.md.
import { columns, inBlock, line } from "./table.js";
import type { Missed } from "./without.js";

export interface Proof {
  /** The day, as 2026-02-10. */
  date: string;
  safeguards: Missed[];
}

/** For a screen. */
export function proofTable({ safeguards }: Proof): string {
  const rows = safeguards.map(({ kind, name, missedBy, violations, seconds }) => [
    `${kind}: ${name}`,
    missedBy,
    violations.length === 0 ? "none" : String(violations.length),
    seconds.toFixed(0),
  ]);
  return columns([["without", "is missed by", "violations", "seconds"], ...rows]);
}

/** Returns the document with these rows instead of the old ones. */
export function withProof(document: string, { date, safeguards }: Proof): string {
  const rows = safeguards.map(({ kind, name, file, missedBy, violations }) => [
    kind,
    name,
    `\`${file}\``,
    missedBy.endsWith(".test.ts") ? `\`${missedBy}\`` : missedBy,
    String(violations.length),
  ]);
  const head = ["kind", "without", "in", "is missed by", "violations"];
  const table = [head, ["---", "---", "---", "---", "---:"], ...rows].map(line);
  return inBlock(document, "safeguards", [`${date}:`, "", ...table].join("\n"));
}
