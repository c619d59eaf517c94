// Renders the result of `ctx verify` for people: the verdict, each claim on a line, what is wrong and what to
// do, where to look next.
import { appendAll, maxOf } from "../base/lists.js";
import { printable, printableLines } from "../base/printable.js";
import type { Answer, LineRange, VerifiedTarget, VerifyOutcome, VerifyResult } from "../results/verify.js";
import {
  countText,
  fit,
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  sizeText,
  widthOf,
  wrap,
} from "./layout.js";

const answers: Record<Answer, string> = { yes: "yes", no: "no", not_checked: "not checked" };
const answerColours: Record<Answer, Parameters<Paint>[0]> = {
  yes: "green",
  no: "red",
  not_checked: "yellow",
};
const verdictColours: Record<VerifyOutcome, Parameters<Paint>[0]> = {
  verified: "green",
  sampled: "green",
  modified: "red",
  damaged: "red",
  unproven: "yellow",
  masked: "yellow",
  absent: "yellow",
};
const maxFaults = 50;
const maxDiffLines = 40;

export function renderVerify(result: VerifyResult, screen: Screen): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const parts = result.targets.map((target) => targetText(target, paint, width));
  const isProof = result.targets.some(({ kind, result: found }) => kind !== "store" && found === "verified");
  if (isProof)
    parts.push(
      ["This does not prove", ...result.not_proven.flatMap((line) => wrapped(line, width))].map((line) =>
        paint("dim", line),
      ),
    );
  return `${parts.map((part) => part.join("\n")).join("\n\n")}\n`;
}

function targetText(target: VerifiedTarget, paint: Paint, width: number): string[] {
  const name = target.kind === "store" ? `the store ${target.target}` : target.target;
  const lines = [`${paint("bold", printable(name))}  ${verdictText(target, paint)}`];
  if (target.title != null) lines.push(`  ${fit(target.title, width - 2)}`);
  const column = maxOf(target.claims, ({ claim }) => widthOf(claim));
  for (const { claim, answer, detail } of target.claims) {
    const mark = paint(answerColours[answer], answers[answer].padEnd(11));
    const room = Math.max(width - 17 - column, 20);
    const [first = "", ...more] = wrap(printable(detail), room);
    lines.push(`  ${mark}  ${padEnd(claim, column)}  ${first}`.trimEnd());
    for (const rest of more) lines.push(" ".repeat(17 + column) + rest);
  }
  if (target.counts !== undefined) lines.push(paint("dim", `  ${countsText(target.counts)}`));
  for (const fault of target.faults.slice(0, maxFaults)) appendAll(lines, faultText(fault, paint, width));
  if (target.faults.length > maxFaults)
    lines.push(`  … and ${countText(target.faults.length - maxFaults, "more fault")}; --json shows all`);
  for (const note of target.notes) appendAll(lines, wrapped(`note: ${note}`, width));
  if (target.written !== undefined) {
    const { sidecar, pack, changed } = target.written;
    appendAll(
      lines,
      wrapped(`${changed ? "wrote" : "kept"} ${sidecar}, which points to ctx://${shortHash(pack)}`, width),
    );
  }
  if (target.was !== undefined) appendAll(lines, wasText(target, target.was, paint, width));
  if (target.lines !== undefined) appendAll(lines, linesText(target.lines, paint));
  if (target.next.length > 0) lines.push(paint("dim", "  see also:"));
  for (const command of target.next) lines.push(`    ${printable(command)}`);
  return lines;
}

/** Returns the verdict; of what was verified, also what a replay answered. */
function verdictText({ result, claims }: VerifiedTarget, paint: Paint): string {
  const replay = claims.find(({ claim }) => claim === "replay")?.answer;
  if (result !== "verified" || replay === undefined) return paint(verdictColours[result], result);
  return paint(answerColours[replay], replayedVerdicts[replay]);
}

const replayedVerdicts: Record<Answer, string> = {
  yes: "verified, and the replay reproduced it",
  no: "verified by hash; the replay did not reproduce it",
  not_checked: "verified by hash; the replay was not conclusive",
};

function countsText({
  packs,
  objects,
  checked,
  bytes,
  unreached,
}: NonNullable<VerifiedTarget["counts"]>): string {
  const hashedPart = checked === objects ? "" : `, ${checked} of them hashed`;
  const unreachedPart = unreached === 0 ? "" : `, ${unreached} of no pack`;
  return `${countText(packs, "pack")}, ${countText(objects, "object")}${hashedPart}${unreachedPart}, ${sizeText(bytes)} read`;
}

function faultText(
  { message, packs, remedy }: VerifiedTarget["faults"][number],
  paint: Paint,
  width: number,
): string[] {
  const lost = packs
    .slice(0, 3)
    .map((pack) => `ctx://${shortHash(pack)}`)
    .join(", ");
  const more = packs.length > 3 ? `, and ${packs.length - 3} more` : "";
  return [
    ...wrapped(message, width).map((line) => paint("red", line)),
    ...(packs.length === 0 ? [] : [`    lost to ${lost}${more}`]),
    ...wrapped(`remedy: ${remedy}`, width - 2).map((line) => `  ${line}`),
  ];
}

function wasText(
  { result }: VerifiedTarget,
  was: NonNullable<VerifiedTarget["was"]>,
  paint: Paint,
  width: number,
): string[] {
  const output = `output ${fit(was.name, Math.max(width - 50, 20))} of ctx://${shortHash(was.pack)}`;
  const intro = result === "unproven" ? `  a different text is ${output}` : `  it was ${output}`;
  if (was.diff === undefined) return [intro];
  const head = `${intro}; ${result === "unproven" ? "compared with that:" : "since then:"}`;
  const lines = was.diff.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, maxDiffLines).map((line) => {
    const text = `    ${fit(printableLines(line).replaceAll("\t", "  "), width - 4)}`;
    if (line.startsWith("-")) return paint("red", text);
    return line.startsWith("+") ? paint("green", text) : text;
  });
  const more = lines.length - maxDiffLines;
  return [head, ...shown, ...(more > 0 ? [paint("dim", `    … ${countText(more, "more line")}`)] : [])];
}

function linesText(ranges: readonly LineRange[], paint: Paint): string[] {
  const names = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const column = maxOf(names, (name) => name.length);
  return ranges.map((range, at) => {
    const name = (names[at] as string).padStart(column);
    if (range.pack === undefined) return `  ${paint("yellow", `lines ${name}  in no recorded output`)}`;
    const location = `${printable(range.output ?? "")} of ctx://${shortHash(range.pack)}, from line ${range.at ?? 1}`;
    return `  lines ${name}  ${location}`;
  });
}

function wrapped(text: string, width: number): string[] {
  return wrap(printable(text), width - 4).map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`));
}
