// Renders what was removed, for people.
import { printable } from "../base/printable.js";
import type { GcResult, RmResult } from "../results/results.js";
import { countText, padStart, painter, type Screen, shortHash, sizeText } from "./layout.js";

export function renderGc(result: GcResult, screen: Screen): string {
  const paint = painter(screen);
  const listed = result.dry_run
    ? result.removed.map(
        ({ hash, size }) => `${paint("yellow", shortHash(hash))}  ${padStart(sizeText(size), 7)}`,
      )
    : [];
  const verb = result.dry_run ? "would be removed" : "removed";
  const lines = [
    ...listed,
    `${countText(result.removed.length, "object")} ${verb}, ${sizeText(result.bytes)}`,
  ];
  if (result.young.objects > 0)
    lines.push(
      paint(
        "dim",
        `${countText(result.young.objects, "more object")}, ${sizeText(result.young.bytes)}, unreferenced but too recent to remove`,
      ),
    );
  if (result.newer !== undefined)
    lines.push(
      `${countText(result.newer, "pack")} written by a newer ctx may need any object here, so nothing is removed: update ctx`,
    );
  const { files, bytes } = result.downloads;
  if (files > 0) lines.push(`${countText(files, "unfinished download")} ${verb}, ${sizeText(bytes)}`);
  return lines.map((line) => `${line}\n`).join("");
}

export function renderRm({ removed, tags, frees }: RmResult): string {
  const lines = removed.map((pack) => `removed ctx://${pack.slice("sha256:".length)}`);
  for (const tag of tags) lines.push(`removed the tag ${printable(tag)}`);
  if (frees !== null)
    lines.push(`ctx gc will free ${countText(frees.objects, "object")}, ${sizeText(frees.bytes)}`);
  return lines.map((line) => `${line}\n`).join("");
}
