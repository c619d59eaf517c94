// Renders a run for people: a summary at the top, then prompts, inputs, steps and outputs, then where to look
// next.
import type { Reference } from "../base/digest.js";
import { canonicalText } from "../base/json/canonical.js";
import { appendAll, maxOf, someOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import { isUnknown } from "../model/coverage-codes.js";
import type { Manifest } from "../model/manifest.js";
import { originText, originMember } from "../model/origin.js";
import type { RunOverview } from "../results/show.js";
import { knownTime } from "../model/times.js";
import {
  commandLines,
  countText,
  fit,
  padEnd,
  padStart,
  painter,
  type Screen,
  shellWord,
  shortHash,
  sinceText,
  timeText,
  widthOf,
  wrap,
} from "./layout.js";
import { parametersText } from "./parameters.js";
import { coverageLines } from "./show-coverage.js";
import { maskedLines } from "./show-masked.js";
import { type SourceFacts, sourceFacts } from "./show-source.js";
import { stepLines } from "./show-steps.js";
import { firstLine, previewOf, blobSizeText, sectionTitle, type ShowView } from "./show-view.js";
import { tagList } from "./tags.js";

const maxChildren = 4;

export function renderShow(result: RunOverview, screen: Screen, file?: string): string {
  const { manifest } = result;
  const view: ShowView = {
    previews: result.previews,
    manifest,
    file,
    paint: painter(screen),
    width: Math.max(screen.width, 40),
  };
  const source = sourceFacts(manifest.metadata ?? {});
  const coverage = coverageLines(view, manifest.metadata?.["coverage"]);
  const masked = maskedLines(view);
  const parts = [
    heading(view, result, source.facts),
    promptLines(view),
    inputLines(view),
    stepLines(view),
    outputLines(view),
    masked,
    coverage,
    metadataLines(view, [
      ...source.shownMembers,
      ...(coverage.length === 0 ? [] : ["coverage"]),
      ...(masked.length === 0 ? [] : ["redactions"]),
      ...(result.origin === undefined || result.origin.recognised === true ? [] : [originMember(manifest)]),
    ]),
    nextLine(view),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`;
}

/** The most versions of tools in a line. */
const maxVersions = 50;

function heading(view: ShowView, result: RunOverview, source: SourceFacts["facts"]): string[] {
  const { manifest, paint, width } = view;
  const { tool_versions: versions } = manifest.environment;
  const facts: [string, string][] = [
    ["model", `${manifest.model.identifier}  ${parametersText(manifest.model.parameters)}`],
    ["created", timeText(manifest.created)],
    ["run", summaryText(manifest)],
    [
      "system",
      someOf(
        [
          ...[manifest.environment.os, manifest.environment.runtime].filter((each) => each !== "unknown"),
          ...Object.entries(versions).map((v) => v.join(" ")),
        ],
        maxVersions,
      ) || "unknown",
    ],
  ];
  appendAll(facts, source);
  if (result.tags.length > 0) facts.push(["tags", tagList(result.tags)]);
  if (manifest.parent !== undefined)
    facts.push([
      "parent",
      `${shortHash(manifest.parent)}${result.parent_present === true ? "" : "  (not in this store)"}`,
    ]);
  if (result.origin !== undefined) facts.push(["origin", originText(result.origin).replace(/^was /, "")]);
  if (result.children.length > 0) facts.push(["children", childrenText(result.children)]);
  if (result.from_go) facts.push(["format", "written by the Go implementation"]);
  if (result.unknown.length > 0)
    facts.push(["unknown", `fields of a newer format: ${someOf(result.unknown)}`]);
  return [
    paint("yellow", `ctx://${shortHash(manifest.hash)}`) +
      paint("dim", manifest.hash.slice("sha256:".length + 12)),
    ...(result.title === null ? [] : [paint("bold", fit(result.title, width))]),
    ...facts.flatMap(([label, text]) =>
      factLines(text.trimEnd(), width - 9).map(
        (line, index) => `${paint("dim", (index === 0 ? label : "").padEnd(8))} ${line}`,
      ),
    ),
  ];
}

/** Returns a fact in one line, or in two if it is longer; the rest is cut. */
function factLines(text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text.length > width * 4 ? text.slice(0, width * 4) : text, width);
  return [first, ...(rest.length === 0 ? [] : [rest.join(" ")])].map((line) => fit(line, width));
}

function childrenText(children: readonly Reference[]): string {
  const named = children.slice(0, maxChildren).map(shortHash).join(", ");
  const rest = children.length - maxChildren;
  return rest > 0 ? `${named} and ${rest} more (\`ctx log --graph\`)` : named;
}

function summaryText(manifest: Manifest): string {
  const calls = manifest.steps.filter((step) => step.type === "tool_call").length;
  const times = manifest.steps.flatMap((step) => step.timestamp ?? []);
  const [first, last] = [times[0], times.at(-1)];
  const parts = [countText(manifest.steps.length, "step"), countText(calls, "tool call")];
  if (first !== undefined && last !== undefined && times.length > 1)
    parts.push(sinceText(knownTime(first), knownTime(last)).slice(1));
  return parts.join(", ");
}

function promptLines(view: ShowView): string[] {
  const { manifest, paint } = view;
  const lines = [
    sectionTitle(view, "system prompt", blobSizeText(view, manifest.system_prompt)),
    ...(isUnknown(manifest, "system_prompt")
      ? ["  (not recorded)"]
      : firstLines(view, manifest.system_prompt)),
  ];
  if (manifest.prompts.length === 0) return lines;
  lines.push("", sectionTitle(view, "prompts", String(manifest.prompts.length)));
  const roles = Math.min(
    12,
    maxOf(manifest.prompts, (prompt) => widthOf(printable(prompt.role))),
  );
  const digits = String(manifest.prompts.length - 1).length;
  for (const [index, prompt] of manifest.prompts.entries()) {
    const head = `  ${padStart(String(index), digits)}  ${paint("cyan", padEnd(fit(prompt.role, roles), roles))}  `;
    const size = padStart(blobSizeText(view, prompt.content_ref), 7);
    const room = view.width - (2 + digits + 2 + roles + 2 + 7 + 2);
    lines.push(`${head}${paint("dim", size)}  ${firstLine(view, prompt.content_ref, room)}`);
  }
  return lines;
}

/** Returns the first lines of a prompt, indented. */
function firstLines(view: ShowView, reference: Reference): string[] {
  const { damage, text, size } = previewOf(view, reference);
  if (damage !== undefined) return [`  ${view.paint("red", "damaged")}`];
  if (text === null) return ["  (binary)"];
  if (size === 0) return ["  (empty)"];
  const all = text.trimEnd().split("\n");
  const shown = all.slice(0, 3).map((line) => `  ${fit(line, view.width - 2)}`);
  return all.length > 3 ? [...shown, view.paint("dim", "  …")] : shown;
}

function inputLines(view: ShowView): string[] {
  const { manifest } = view;
  if (manifest.inputs.length === 0) return [];
  const list = manifest.inputs.map((input) => ({ ...input, note: "" }));
  return [sectionTitle(view, "inputs", String(list.length)), ...fileLines(view, list)];
}

function outputLines(view: ShowView): string[] {
  const { manifest } = view;
  if (manifest.outputs.length === 0) return [];
  const list = manifest.outputs.map((output) => ({
    ...output,
    note: [output.confidence === undefined ? "" : `confidence ${output.confidence}`, output.notes ?? ""]
      .filter(Boolean)
      .join(": "),
  }));
  return [sectionTitle(view, "outputs", String(list.length)), ...fileLines(view, list)];
}

function fileLines(
  view: ShowView,
  list: readonly { name: string; content_ref: Reference; note: string }[],
): string[] {
  const room = Math.floor((view.width - 2) * 0.45);
  const names = list.map(({ name }) => fit(name, room));
  const column = maxOf(names, widthOf);
  return list.map(({ content_ref, note }, index) => {
    const rest = view.width - (2 + column + 2 + 7 + 2 + 12 + 2);
    const size = padStart(blobSizeText(view, content_ref), 7);
    const line = `  ${padEnd(names[index] as string, column)}  ${view.paint("dim", size)}  ${view.paint("dim", shortHash(content_ref))}`;
    const text = note === "" ? firstLine(view, content_ref, rest) : fit(note, rest);
    return `${line}  ${text}`.trimEnd();
  });
}

/** Returns the metadata that is not shown elsewhere. */
function metadataLines(view: ShowView, shownElsewhere: readonly string[]): string[] {
  const entries = Object.entries(view.manifest.metadata ?? {}).filter(
    ([key]) => !shownElsewhere.includes(key),
  );
  if (entries.length === 0) return [];
  const column = Math.min(
    20,
    maxOf(entries, ([key]) => widthOf(printable(key))),
  );
  return [
    sectionTitle(view, "metadata", ""),
    ...entries.map(([key, value]) => {
      const text = typeof value === "string" ? value : canonicalText(value);
      return `  ${view.paint("cyan", padEnd(fit(key, column), column))}  ${fit(text, view.width - column - 4)}`;
    }),
  ];
}

function nextLine(view: ShowView): string[] {
  const { manifest, paint } = view;
  const name = view.file === undefined ? shortHash(manifest.hash) : shellWord(view.file);
  const step = manifest.steps.findIndex((candidate) => candidate.output_ref !== undefined);
  const commands = [step === -1 ? `ctx show ${name} --system` : `ctx show ${name} --step ${step}`];
  const content = manifest.outputs[0]?.content_ref ?? manifest.steps[step]?.output_ref;
  // `ctx cat` reads from the store only.
  if (view.file === undefined) commands.push(`ctx cat ${shortHash(content ?? manifest.system_prompt)}`);
  return commandLines("in full:", commands, view.width).map((line) => paint("dim", line));
}
