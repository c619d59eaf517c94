// Rules that make outputs equal must not hide what differs: outputs that agents really recorded are tampered
// with, and each time the difference must be noticed.
import * as fs from "node:fs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readForeign } from "../../dev/intake.js";
import { describeWith, realLogs } from "../../dev/needs.js";
import { samples } from "../../dev/samples.js";
import { formatNamed } from "../../src/intake/recognise.js";
import { toolUse } from "../../src/tools/table.js";
import { matchOf } from "../unit/replay/rules/compare.js";

interface Command {
  line: string;
  output: string;
  isCut: boolean;
}

const formats = ["claude-code", "codex", "gemini-cli", "mini-swe-agent", "swe-agent", "openhands", "pi"];
const logs = [...samples(), ...samples("samples-2")].filter(
  ({ name }) => formats.some((format) => name.startsWith(`${format}/`)) && !name.endsWith("base_state.json"),
);

/** Returns the commands of a log with what they printed then. */
function commandsOf(name: string, file: string): Command[] {
  const format = formatNamed(name.split("/")[0] as string);
  if (format === undefined) throw new Error(`no format reads ${name}`);
  const { runs, text } = readForeign(format, fs.readFileSync(file), { path: file });
  return runs.flatMap(({ steps = [] }) =>
    steps.flatMap(({ tool, parameters = {}, output, metadata }) => {
      const use = tool === undefined ? undefined : toolUse(tool, parameters, undefined);
      const printed = text(output);
      if (use?.action !== "command" || typeof use.command !== "string" || printed === undefined) return [];
      return [{ line: use.command, output: printed, isCut: metadata?.["truncated"] === true }];
    }),
  );
}

/** What rules leave out by name: owners, dates, authors, how far a remote is, terminals, tests' own words. */
const leftOut =
  /^total \d|^ ?(?:Author|Commit)|^Your branch|^ {2}\(use|^## |^\s*$|\/tmp\/|[0-9a-f]{8}-[0-9a-f]{4}-|@.*[#$] ?$|truncated/;

/**
 * Returns the output with a line added, removed, repeated or changed; undefined where a rule may ignore it.
 */
function tampered(output: string, kind: number, place: number): string | undefined {
  const lines = output.split("\n");
  const at = place % lines.length;
  const line = lines[at] as string;
  if (kind === 0) return lines.toSpliced(at, 0, "tampered/file.ts").join("\n");
  if (leftOut.test(line)) return undefined;
  if (kind === 1) return lines.toSpliced(at, 1).join("\n");
  if (kind === 2) return lines.toSpliced(at, 0, line).join("\n");
  // The last word of a line is a name, a subject or a text: no rule leaves it out.
  const changed = line.replace(/([A-Za-z]{3})(\W*)$/, "zqz$2");
  return changed === line ? undefined : lines.with(at, changed).join("\n");
}

/** Lines of a test run that count: totals, states of packages, names of failed tests. */
const counts =
  /^ *(?:Tests|Test Files) |^(?:ok|FAIL) *\t|^ *--- (?:FAIL|PASS)|^(?:=+ )?\d+ (?:passed|failed|tests)/;

describeWith([realLogs(logs)], "rules for outputs that agents recorded", () => {
  const commands = logs
    .flatMap(({ name, file }) => commandsOf(name, file))
    .filter(({ output }) => output.length > 0 && output.length < 200_000);

  it("rules: no line that is added, removed, repeated or changed stays unnoticed", {
    timeout: 120_000,
  }, () => {
    expect(commands.length).toBeGreaterThan(100);
    let noticed = 0;
    const property = fc.property(fc.nat(commands.length - 1), fc.nat(3), fc.nat(), (index, kind, place) => {
      const { line, output, isCut } = commands[index] as Command;
      // A line that the record of a search does not have may be one that was cut.
      if (isCut && kind === 1) return;
      const other = tampered(output, kind, place);
      if (other === undefined) return;
      const match = matchOf(line, other, output, { agent: "claude-code", isCut });
      // Of a test run only the results count: the next test is about them.
      if (match?.compared === "results") return;
      noticed++;
      const lines = output.split("\n");
      const near = other.split("\n").filter((text) => !lines.includes(text));
      expect([line, match?.used, near]).toEqual([line, undefined, near]);
    });
    fc.assert(property, { numRuns: 3000, seed: 1 });
    expect(noticed).toBeGreaterThan(2000);
  });

  it("rules: no total and no failed test of a test run can be changed unnoticed", () => {
    let noticed = 0;
    for (const { line, output, isCut } of commands) {
      if (matchOf(line, `${output}\nx`, output)?.compared !== "results") continue;
      const lines = output.split("\n");
      for (const [at, text] of lines.entries()) {
        if (!counts.test(text)) continue;
        const changed = text.startsWith("ok")
          ? text.replace("ok  ", "FAIL")
          : text.replace(/\d+(?= (?:passed|failed|skipped|failures?|tests?))|\w+(?= \([\d.]+s\)$)/, "77");
        if (changed === text) continue;
        noticed++;
        const other = lines.with(at, changed).join("\n");
        expect([line, changed, matchOf(line, other, output, { isCut })]).toEqual([line, changed, undefined]);
      }
    }
    expect(noticed).toBeGreaterThan(10);
  });
});
