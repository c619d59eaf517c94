// Renders the packs that leave a store, that arrived in one, and that are in a registry.
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import { unsearchedText } from "../results/scan.js";
import type {
  AbsentPack,
  ExportResult,
  ImportResult,
  LeavingPack,
  LsResult,
  Personal,
  PullResult,
  PushResult,
  RemotePack,
  RemoteResult,
  Traffic,
} from "../results/share.js";
import {
  countText,
  fit,
  padEnd,
  padStart,
  painter,
  type Paint,
  type Screen,
  shellWord,
  shortHash,
  sizeText,
  timeText,
  widthOf,
} from "./layout.js";

/**
 * Renders the packs that leave, and what others will see of them and of the person who made them, before they
 * do.
 */
export function renderLeaving(
  packs: readonly LeavingPack[],
  personal: Personal | undefined,
  screen: Screen,
): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  const unsearched = packs.reduce((sum, pack) => sum + (pack.unsearched ?? 0), 0);
  return lines([
    paint("bold", `${countText(packs.length, "pack")}, ${sizeText(bytes)}:`),
    ...packs.slice(0, maxPacks).flatMap((pack) => leavingLines(pack, paint, width)),
    ...(packs.length > maxPacks ? [`  and ${countText(packs.length - maxPacks, "more pack")}`] : []),
    ...(unsearched === 0 ? [] : [`  ${unsearchedText(unsearched)}`]),
    ...(personal === undefined ? [] : personalLines(personal, paint, width)),
  ]);
}

const maxValues = 5;

function personalLines(personal: Personal, paint: Paint, width: number): string[] {
  const { homes, users, folders, branches, more } = personal;
  const listed = (label: string, values: readonly string[]): string[] => [
    ...values.slice(0, maxValues).map((value) => `    ${fit(`${label} ${value}`, width - 4)}`),
    ...(values.length > maxValues ? [`    ${label}: ${values.length - maxValues} more`] : []),
  ];
  const paths = homes.map(({ path, places }) => `${path} (${countText(places, "place")})`);
  return [
    paint("yellow", "  also:"),
    ...listed("paths below", paths),
    ...listed("user name", users),
    ...listed("folder", folders),
    ...listed("branch", branches),
    ...(more > 0 ? [`    and ${countText(more, "more value")}`] : []),
  ];
}

const maxPacks = 50;
const maxFiles = 8;
const reasons = { asked: "", parent: "  (a parent)", subagent: "  (a sub-agent)" } as const;

function leavingLines(pack: LeavingPack, paint: Paint, width: number): string[] {
  const { files, prompts, steps } = pack;
  const summary = [
    countText(steps, "step"),
    countText(prompts, "prompt"),
    countText(files.length, "file"),
    sizeText(pack.bytes),
  ].join(", ");
  const named = files.slice(0, maxFiles).join(", ");
  const more = files.length > maxFiles ? `, and ${files.length - maxFiles} more` : "";
  return [
    `  ${paint("yellow", shortHash(pack.hash))}  ${timeText(pack.created)}  ${fit(pack.model, Math.max(width - 41 - reasons[pack.why].length, 12))}${paint("dim", reasons[pack.why])}`,
    ...(pack.title === null ? [] : [`    ${fit(pack.title, width - 4)}`]),
    `    ${summary}`,
    ...(files.length === 0 ? [] : [paint("dim", `    ${fit(named + more, width - 4)}`)]),
  ];
}

export function renderExport(result: ExportResult, screen: Screen): string {
  const { file, bytes, dry_run } = result;
  const size = sizeText(bytes);
  const paint = painter(screen);
  const done =
    dry_run === true
      ? `would be ${size} in ${fileText(file)}`
      : `${paint("green", "wrote")} ${fileText(file)}, ${size}`;
  return lines([done]);
}

function fileText(file: string): string {
  return file === "-" ? "standard output" : shellWord(file);
}

/** Renders a line for each pack, as `ctx pack` does. */
export function renderArrived({ packs }: ImportResult): string {
  return lines(packs.map(({ uri }) => uri));
}

/** Returns a summary of an import, for people: how many packs, and the title of each. */
export function arrivalSummary(
  { packs }: ImportResult,
  screen: Screen,
  traffic?: Pick<PullResult, "received" | "resumed">,
): string {
  const paint = painter(screen);
  const titled = packs.filter(({ title }) => title !== null);
  const titles = titled
    .slice(0, maxPacks)
    .map(
      ({ hash, title }) => `  ${paint("yellow", shortHash(hash))}  ${fit(title ?? "", screen.width - 16)}`,
    );
  const fresh = packs.filter((pack) => pack.new).length;
  const known = packs.length - fresh;
  const parts = [
    ...(fresh > 0 ? [`${countText(fresh, "pack")} imported`] : []),
    ...(known > 0 ? [`${countText(known, "pack")} already here`] : []),
  ];
  if (traffic !== undefined && traffic.received.blobs > 0) {
    const resumedPart =
      traffic.resumed === 0 ? "" : `, ${sizeText(traffic.resumed)} of it by an earlier attempt`;
    parts.push(`received ${trafficText(traffic.received)}${resumedPart}`);
  }
  return lines([parts.join("; "), ...titles]);
}

/** Returns notices about packs that other packs name and that are missing. */
export function absentNotices(absent: readonly AbsentPack[]): string[] {
  return absent.map(({ hash, why, of }) => {
    const label = why === "parent" ? "its parent" : "a sub-agent's run";
    return `ctx://${shortHash(of)}: ${label}, ctx://${shortHash(hash)}, is not in this store`;
  });
}

export function renderPush(result: PushResult, screen: Screen): string {
  const paint = painter(screen);
  const { to, sent, present, packs } = result;
  const names = packs.flatMap(({ tags }) => tags.filter((tag) => !/^[0-9a-f]{64}$/.test(tag)));
  const tags = names.length === 0 ? "" : ` as ${names.map(printable).join(", ")}`;
  const done =
    result.dry_run === true
      ? `would be pushed to ${printable(to)}${tags}`
      : `${paint("green", "pushed")} to ${printable(to)}${tags}: ${sentText(sent, present)}`;
  return lines([done]);
}

function sentText(sent: Traffic, present: Traffic): string {
  if (sent.blobs === 0) return "everything was already there";
  const known = present.blobs === 0 ? "" : `, ${trafficText(present)} already there`;
  return `${trafficText(sent)} sent${known}`;
}

function trafficText({ blobs, bytes }: Traffic): string {
  return `${countText(blobs, "blob")} (${sizeText(bytes)})`;
}

export function renderLs({ at, packs, others }: LsResult, screen: Screen): string {
  const paint = painter(screen);
  if (packs.length === 0)
    return lines([`there are no packs at ${printable(at)}`, ...othersLine(others, paint)]);
  const model = maxOf(packs, (pack) => widthOf(fit(pack.model ?? "", 24)));
  const room = Math.max(screen.width, 40) - 14;
  return lines([
    ...packs.flatMap((pack) => [
      lsLine(pack, model, paint),
      ...(pack.title === null ? [] : [`${" ".repeat(14)}${fit(pack.title, room)}`]),
    ]),
    ...othersLine(others, paint),
  ]);
}

function lsLine(pack: RemotePack, model: number, paint: Paint): string {
  const tags = pack.tags.filter((tag) => !/^[0-9a-f]{64}$/.test(tag)).map((tag) => fit(tag, 40));
  const created = pack.created === undefined ? "" : fit(timeText(pack.created), 23);
  const steps = pack.steps === undefined ? "" : countText(pack.steps, "step");
  const notes = [
    ...(tags.length === 0 ? [] : [paint("cyan", `(${tags.join(", ")})`)]),
    ...(pack.here === true ? [paint("dim", "here")] : []),
  ];
  return [
    paint("yellow", shortHash(pack.hash)),
    padEnd(created, 23),
    padEnd(fit(pack.model ?? "", 24), model),
    padStart(steps, 12),
    padStart(sizeText(pack.bytes), 7),
    ...notes,
  ].join("  ");
}

function othersLine(others: readonly string[], paint: Paint): string[] {
  if (others.length === 0) return [];
  return [
    paint(
      "dim",
      `${countText(others.length, "tag")} there that ${others.length === 1 ? "points" : "point"} to no pack, or to another pack than the digits in the tag say`,
    ),
  ];
}

export function renderRemotes({ remotes }: RemoteResult): string {
  const width = maxOf(remotes, ({ name }) => widthOf(name));
  return lines(
    remotes.map(
      ({ name, url, plain_http }) =>
        `${padEnd(printable(name), width)}  ${printable(url)}${plain_http === true ? "  (plain HTTP)" : ""}`,
    ),
  );
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
