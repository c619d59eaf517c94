// Text that agents send in the user's name, by rules that are data: every rule has an example, and every example is
// recognised by its rule.
import { describe, expect, it } from "vitest";
import {
  type MarkedAgent,
  markerKind,
  markers,
  type Marker,
  spokenParts,
} from "../../../src/model/markers.js";
import { markerExamples } from "../../../dev/markers.js";

const agents = Object.keys(markers) as MarkedAgent[];
const examples = agents.flatMap((agent) =>
  markerExamples[agent].map(([kind, text]) => [agent, kind, text] as const),
);

describe("what agents send in the user's name", () => {
  it.each(examples)("markers: %s sends a text of kind %s: %j", (agent, kind, text) => {
    expect(markerKind(agent, text)).toBe(kind);
    expect(spokenParts(agent, text)).toEqual([{ kind, text }]);
    expect(markerKind(agent, `\n  ${text}\n`)).toBe(kind);
    expect(markerKind(agent, `I ask: ${text}`)).toBeUndefined();
  });

  it.each(agents)("markers: every rule of %s has an example", (agent) => {
    const rules: readonly Marker[] = markers[agent];
    const texts = markerExamples[agent].map(([, text]) => text);
    const names = texts.map((text) => /^<([\w -]+?)(?:>| \w+=)/.exec(text)?.[1]?.replaceAll(/[ -]/g, "_"));
    const missing = rules.flatMap(({ tags, starts }) => [
      ...[...(tags ?? [])].filter((tag) => !names.includes(tag)),
      ...(starts === undefined || texts.some((text) => starts.test(text)) ? [] : [String(starts)]),
    ]);
    expect(missing).toEqual([]);
  });

  it.each([
    ["<ide_opened_file>a.ts</ide_opened_file>\nFix it.", ["ide", undefined]],
    ["Fix it.\n\n<system-reminder>\nBe brief.\n</system-reminder>", [undefined, "reminder"]],
    [
      "<system-reminder>a</system-reminder>\nFix it.\n<system-reminder>b</system-reminder>",
      ["reminder", undefined, "reminder"],
    ],
    ["<command-name>/a</command-name><command-message>a</command-message>", ["command"]],
    ["<bash-input>ls</bash-input>\n<ide_selection>x</ide_selection>", ["shell", "ide"]],
    ["<system-reminder>never ends", ["reminder"]],
    ["What does <system-reminder>x</system-reminder> mean?", [undefined]],
    ["What does this mean: <system-reminder>x</system-reminder>", [undefined]],
    ["", [undefined]],
  ])("markers: what a person wrote is told from what stands before and after it: %j", (text, kinds) => {
    const parts = spokenParts("claude-code", text);
    expect(parts.map(({ kind }) => kind)).toEqual(kinds);
    const typed = parts.filter(({ kind }) => kind === undefined).map((part) => part.text);
    if (text.includes("Fix it.")) expect(typed).toEqual(["Fix it."]);
  });

  it("markers: what follows the instructions of a project is the prompt", () => {
    const text = "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>\n\nFix it.";
    expect(spokenParts("codex", text).map(({ kind, text: part }) => [kind, part.slice(0, 11)])).toEqual([
      ["agents_md", "# AGENTS.md"],
      [undefined, "Fix it."],
    ]);
  });

  it("markers: a text of many elements is read in time that grows with its length", () => {
    const many = "<system-reminder>x</system-reminder>\n".repeat(20_000);
    const begin = performance.now();
    expect(spokenParts("claude-code", `${many}Fix it.\n${many}`)).toHaveLength(3);
    expect(spokenParts("claude-code", "<system-reminder>".repeat(20_000))).toHaveLength(1);
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});
