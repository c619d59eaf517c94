import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/base/json/canonical.js";
import { diff, type DriftEntry, type DriftReport, Store, verdictOf } from "../../src/index.js";
import { cli, type CliOptions, type CliResult } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, runLog, smallLog } from "../../dev/logs.js";
import { driftTypes } from "../../src/results/drift.js";
import { memoryFolder, remount } from "../../dev/mounts.js";
import { itWith, mounts, root } from "../../dev/needs.js";

async function packed(folder: string, log: AnyLog): Promise<string> {
  const result = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(result.status, result.stderr).toBe(0);
  return result.stdout.trim().slice("ctx://".length);
}

interface Pair {
  folder: string;
  root: string;
  a: string;
  b: string;
  /** Runs `ctx diff` on the two. */
  run: (...args: string[]) => Promise<CliResult>;
  /** Runs the same; the command must print a report. */
  report: (...args: string[]) => Promise<DriftReport>;
}

/** A new store with two packs. */
async function pair(logA: AnyLog, logB: AnyLog, options: Omit<CliOptions, "folder"> = {}): Promise<Pair> {
  const { folder, root } = tempStore();
  const [a, b] = [await packed(folder, logA), await packed(folder, logB)];
  const run = (...args: string[]): Promise<CliResult> => cli(["diff", a, b, ...args], { folder, ...options });
  const report = async (...args: string[]): Promise<DriftReport> => {
    const { stdout, stderr, status } = await run(...args);
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout) as DriftReport;
  };
  return { folder, root, a, b, run, report };
}

const pairs = new Map<string, Promise<Pair>>();

/** The same for tests that change nothing: those with the same two logs share a store. */
function known(logA: AnyLog, logB: AnyLog): Promise<Pair> {
  const key = JSON.stringify([logA, logB]);
  let found = pairs.get(key);
  if (found === undefined) pairs.set(key, (found = pair(logA, logB)));
  return found;
}

function blobPath(root: string, content: string | Buffer): string {
  const hex = createHash("sha256").update(content).digest("hex");
  return join(root, "objects", hex.slice(0, 2), hex.slice(2));
}

function call(tool: string, parameters: object, output?: string): AnyLog {
  return { type: "tool_call", tool, parameters, ...(output === undefined ? {} : { output }) };
}

function stripped(text: string): string {
  return text.replaceAll(/\u001b\[\d+m/g, "");
}

function types({ entries }: DriftReport): string[] {
  return entries.map(({ type }) => type);
}

/** Returns the seeds' example: a run, and its fork with another system prompt. */
function original(fields: AnyLog = {}): AnyLog {
  return runLog({
    system_prompt: "You are a careful engineer.\nExplain every step.\n",
    steps: [
      call("list_files", { path: "." }, "notes.txt\n"),
      { type: "reasoning", output: "I will read it." },
      call("read_file", { path: "notes.txt" }, "one\ntwo\n"),
      call("count_lines", { text: "notes" }, "2"),
    ],
    ...fields,
  });
}

const concise = original({
  system_prompt: "You are a careful engineer.\nBe concise.\n",
  steps: [
    call("list_files", { path: "." }, "notes.txt\n"),
    { type: "reasoning", output: "I will read it." },
    call("read_file", { path: "notes.txt" }, "one\nthree\n"),
    call("count_lines", { text: "notes" }, "2"),
  ],
});

/** Two runs that differ in everything that can. */
const left = original({
  model: { identifier: "small", parameters: { temperature: 0, stop: ["x"] } },
  prompts: [
    { role: "user", content: "Count." },
    { role: "user", content: "Now." },
  ],
  steps: [
    call("list_files", { path: "." }, "notes.txt\n"),
    call("read_file", { path: "notes.txt", from: 1, text: "a\nb\nc\n" }, "one\n"),
    call("grep", { pattern: "x" }, "1"),
    call("stat", { path: "notes.txt" }, "8 bytes"),
    call("bash", { command: "exit" }, "bye"),
  ],
  outputs: [
    { name: "answer.txt", content: "2\n", confidence: "high", notes: "sure" },
    { name: "old.txt", content: "old\n" },
  ],
  environment: { os: "linux/x64", runtime: "node20", tool_versions: { git: "2.39" } },
});
const right = original({
  system_prompt: "You are hasty.\n",
  model: { identifier: "large", parameters: { temperature: 1, top_p: 0.5 } },
  prompts: [{ role: "user", content: "Count!" }],
  inputs: [{ name: "notes.txt", content: "one\n2\n" }],
  steps: [
    call("list_files", { path: "." }, "notes.txt\n"),
    call("read_file", { path: "notes.txt", from: 2, text: "a\nX\nc\n" }, "one\n"),
    call("find", { pattern: "x" }, "2"),
    call("stat", { path: "notes.txt" }, "6 bytes"),
  ],
  outputs: [
    { name: "answer.txt", content: "3\n", confidence: "low" },
    { name: "new.txt", content: "new\n" },
  ],
  environment: { os: "darwin/arm64", runtime: "node22", tool_versions: { npm: "11" } },
});

describe("ctx diff --human", () => {
  it("diff --human: the report begins with the differences, as the example of a fork does", async () => {
    const { a, b, run } = await known(original(), concise);
    const { status, stdout, stderr } = await run("--human");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const start = [
      `Comparing ${a.slice(0, 12)} vs ${b.slice(0, 12)}`,
      "",
      "2 difference(s) found:",
      "",
      "  1. [prompt_drift] System prompts differ",
      "  2. [reasoning_drift] Step 2: read_file produced different output",
      "",
      "",
    ].join("\n");
    expect(stdout.slice(0, start.length)).toBe(start);
    expect(stdout).toContain("The runs made the same decisions.");
    expect(stdout).toMatch(/^ *-two\n *\+three$/m);
    expect(stdout).toMatch(/^ *-Explain every step\.\n *\+Be concise\.$/m);
  });

  it("diff --human: the first lines say where the runs diverged, how, and what differed before", async () => {
    const { a, b, run } = await pair(
      left,
      { ...left, system_prompt: "Other.", steps: right["steps"] },
      { width: 100 },
    );
    const { stdout } = await run("--human");
    expect(stdout).toContain("The runs diverged at step 1:");
    expect(stdout).toMatch(new RegExp(`^ +${a.slice(0, 12)} +step 1 +read_file `, "m"));
    expect(stdout).toMatch(new RegExp(`^ +${b.slice(0, 12)} +step 1 +read_file `, "m"));
    expect(stdout).toMatch(/These differed before that:\n +System prompts differ\n/);
    expect(stdout.split("\n").findIndex((line) => line.includes("diverged"))).toBeLessThan(20);
  });

  it.each([40, 80, 200])("diff --human: the report fits %i columns", async (width) => {
    const long = "tool_with_a_very_long_name_".repeat(12);
    const { run } = await pair(
      { ...left, steps: [...(left["steps"] as AnyLog[]), call(long, { [long]: long }, long)] },
      {
        ...right,
        steps: [...(right["steps"] as AnyLog[]), call(`${long}2`, { [`${long}2`]: `${long}2` }, "x")],
      },
      { width },
    );
    const { stdout } = await run("--human", "--align", "index");
    const wide = stdout.split("\n").filter((line) => line.length > width);
    expect(wide).toEqual([]);
  });

  it("diff --human: only a terminal gets colours, and the text is the same", async () => {
    const { folder, a, b } = await known(left, right);
    const plain = await cli(["diff", a, b, "--human"], { folder });
    const coloured = await cli(["diff", a, b, "--human"], { folder, terminal: 80 });
    expect(plain.stdout).not.toContain("\u001b");
    expect(coloured.stdout).toContain("\u001b[3");
    expect(stripped(coloured.stdout)).toBe(plain.stdout);
  });

  it("diff --human: the report says that nothing differs, or only what is around the runs", async () => {
    const same = await known(original(), original({ created: "2026-03-01T00:00:00Z" }));
    expect((await same.run("--human")).stdout).toContain("No differences.");
    const around = await known(
      original(),
      original({
        inputs: [{ name: "notes.txt", content: "other" }],
        environment: { os: "darwin", runtime: "node20" },
      }),
    );
    const { stdout, status } = await around.run("--human", "--exit-code");
    expect(status).toBe(0);
    expect(stdout).toContain("No drift. Other changes:");
    expect(stdout).toContain("notes.txt");
    expect(stdout).toContain("darwin");
    expect(await around.report()).toMatchObject({ has_drift: false, entries: [], context: [{}, {}] });
  });

  it("diff --human: a final line feed that was removed is visible", async () => {
    const { run } = await known(
      original({ outputs: [{ name: "x", content: "same\n" }] }),
      original({ outputs: [{ name: "x", content: "same" }] }),
    );
    const { stdout } = await run("--human");
    const [old, fresh] = ["-", "+"].map((sign) =>
      stdout.split("\n").find((line) => line.trim().startsWith(`${sign}same`)),
    );
    // Without a word about it, the two lines are the same.
    expect(stdout.includes("newline") || old?.replace("-", "") !== fresh?.replace("+", "")).toBe(true);
  });
});

/** Returns a run of messages only, and one with two prompts before its first call. */
const talk = (run: string, count: number): AnyLog[] =>
  Array.from({ length: count }, (_, at) => ({ type: "message", output: `${run} says ${at}` }));
const talker = original({ steps: talk("first", 25) });
const worker = original({
  steps: [
    ...talk("second", 2),
    { type: "message", output: "I look." },
    ...Array.from({ length: 23 }, (_, at) => call("search", { flight: `HAT${at}` }, `seats ${at}`)),
    { type: "message", output: "Goodbye." },
  ],
});

/** A run that thinks aloud before it works in another way. */
const searcher = original({
  steps: [
    ...talk("third", 4),
    ...Array.from({ length: 20 }, (_, at) =>
      call("query_database", { table: `seats_${at}`, where: "cabin = economy" }, `rows ${at}`),
    ),
  ],
});

/** A run that works at once. */
const silent = original({ steps: (worker["steps"] as AnyLog[]).slice(3, -1) });

describe("where the runs diverged, for people", () => {
  it("diff --human: names the first step and the first call of either run, at 60, 80 and 120 columns", async () => {
    const { folder, a, b } = await known(searcher, silent);
    const block = async (width: number): Promise<string> => {
      const { stdout } = await cli(["diff", a, b, "--human"], { folder, width });
      const [, found = ""] = /(The runs diverged[^]*?)\n\n/.exec(stdout) ?? [];
      expect(found.split("\n").filter((line) => line.length > width)).toEqual([]);
      return found;
    };
    expect(await block(60)).toMatchInlineSnapshot(`
      "The runs diverged at step 0:
        200e44da92a5  step 0  message         third says 0
          first call  step 4  query_database  table=seats_0 where…
        76ccc7718f4d  step 0  search          flight=HAT0
        No recorded difference came before that.
        They did not reconverge."
    `);
    expect(await block(80)).toMatchInlineSnapshot(`
      "The runs diverged at step 0:
        200e44da92a5  step 0  message         third says 0
          first call  step 4  query_database  table=seats_0 where=cabin = economy
        76ccc7718f4d  step 0  search          flight=HAT0
        No recorded difference came before that.
        They did not reconverge."
    `);
    expect(await block(120)).toMatchInlineSnapshot(`
      "The runs diverged at step 0:
        200e44da92a5  step 0  message         third says 0
          first call  step 4  query_database  table=seats_0 where=cabin = economy
        76ccc7718f4d  step 0  search          flight=HAT0
        No recorded difference came before that.
        They did not reconverge."
    `);
  });

  it("diff --human: the difference that diverged begins where the divergence is", async () => {
    const { run, report } = await known(worker, talker);
    const { first_divergence: first, entries } = await report();
    const { stdout } = await run("--human");
    expect(stdout).toContain(`The runs diverged at step ${first?.index_a}`);
    expect(entries[first?.entry ?? -1]?.index_a).toBe(first?.index_a);
    expect(stdout).toContain("\n   the runs diverged here\n");
  });
});

const numberLog = (digits: string): string =>
  JSON.stringify(smallLog({ steps: [call("x", { n: "@" }, "y")] })).replace('"@"', digits);

describe("ctx diff as JSON", () => {
  it("diff: the report is JSON on one line by default, the same as with --json", async () => {
    const { run } = await known(left, right);
    const plain = await run();
    expect(plain).toMatchObject({ status: 0, stderr: "" });
    expect(plain.stdout).toMatch(/^\{[^\n]*\}\n$/);
    expect((await run("--json")).stdout).toBe(plain.stdout);
  });

  it("diff: the JSON report has every field of its contract", async () => {
    const { a, b, report } = await known(left, right);
    const found = await report();
    expect(found).toMatchObject({
      pack_hash_a: `sha256:${a}`,
      pack_hash_b: `sha256:${b}`,
      has_drift: true,
      reordered: [],
      alignment: "exact",
      ignored: { rules: [], differences: 0, usual: 0, filtered: 0 },
      baselines: [],
      unreadable: [],
    });
    expect(new Set(types(found))).toEqual(
      new Set(["prompt_drift", "param_drift", "tool_drift", "reasoning_drift", "output_drift"]),
    );
    for (const entry of found.entries)
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining([
          "type",
          "change",
          "description",
          "step_index",
          "index_a",
          "index_b",
          "count",
          "fields",
          "extra_a",
          "extra_b",
          "pack_a",
          "pack_b",
          "relation",
        ]),
      );
    const parameters = found.entries.find((entry) => entry.description.includes("different parameters"));
    expect(parameters?.changes).toMatchObject([
      { path: "$.from", pack_a: 1, pack_b: 2 },
      { path: "$.text", diff: expect.stringContaining("-b\n+X\n") },
    ]);
    const artifact = found.entries.find(({ name }) => name === "answer.txt");
    expect(artifact?.content).toEqual({
      kind: "text",
      size_a: 2,
      size_b: 2,
      diff: "@@ -1 +1 @@\n-2\n+3\n",
      lines_added: 1,
      lines_removed: 1,
    });
    expect(found.context.map(({ kind }) => kind)).toEqual([
      "input",
      "environment",
      "environment",
      "environment",
      "environment",
      "confidence",
      "notes",
    ]);
  });

  it("diff: on a terminal the report is for people, elsewhere JSON; --human and --json decide anywhere", async () => {
    const { folder, a, b } = await known(left, right);
    const run = (...args: string[]): Promise<CliResult> => cli(["diff", a, b, ...args], { folder });
    const onTerminal = (...args: string[]): Promise<CliResult> =>
      cli(["diff", a, b, ...args], { folder, terminal: 80 });
    const [human, asJson] = [await run("--human"), await run("--json")];
    expect(human.stdout).toMatch(/^Comparing /);
    expect((await run()).stdout).toBe(asJson.stdout);
    const shown = await onTerminal();
    expect(shown).toMatchObject({ status: 0, stderr: "" });
    expect(stripped(shown.stdout)).toBe(human.stdout);
    expect((await onTerminal("--human")).stdout).toBe(shown.stdout);
    expect(await onTerminal("--json")).toMatchObject({ stdout: asJson.stdout, stderr: "" });
    expect(stripped((await onTerminal("--stat")).stdout)).toBe((await run("--stat")).stdout);
    expect((await onTerminal("--markdown")).stdout).toBe((await run("--markdown")).stdout);
  });

  it("diff: no type of drift has the colour of added or removed lines", async () => {
    const { folder, a, b } = await known(left, right);
    for (const option of ["--human", "--stat"]) {
      const { stdout } = await cli(["diff", a, b, option], { folder, terminal: 80 });
      const colours = new Map(
        [...stdout.matchAll(/\u001b\[(\d+)m\[?(\w+_drift)/g)].map(([, colour, type]) => [type, colour]),
      );
      expect(new Set(colours.keys())).toEqual(new Set(driftTypes));
      expect(new Set(colours.values()).size).toBe(driftTypes.length);
      // 31 is red, 32 green.
      expect(
        [...colours.values()].filter((colour) => ["31", "32", "91", "92"].includes(colour ?? "")),
      ).toEqual([]);
    }
  });

  it("diff: a report has the same bytes when the command is repeated", async () => {
    const { run } = await known(left, right);
    for (const args of [[], ["--human"], ["--markdown"], ["--stat"]]) {
      const [first, second] = [await run(...args), await run(...args)];
      expect(first.bytes.equals(second.bytes)).toBe(true);
    }
  });

  it("diff: the JSON report is what the library returns", async () => {
    const { folder, a, b, run } = await known(left, right);
    const store = Store.find(folder);
    const found = diff(store, a, b);
    expect(`${canonicalText(found)}\n`).toBe((await run()).stdout);
    expect(verdictOf(found)).toBe("drift");
    const few = diff(store, a, b, {
      only: ["tool_drift"],
      ignore: ["$..pattern"],
      unified: 0,
      align: "index",
    });
    expect(JSON.parse(canonicalText(few))).toEqual(
      JSON.parse((await run("--only", "tool", "--ignore", "$..pattern", "-U0", "--align", "index")).stdout),
    );
    expect(verdictOf(diff(store, a, a))).toBe("same");
  });

  it("diff: the report of the packs exchanged is the mirror image", async () => {
    const { folder, a, b, report } = await known(left, right);
    const forth = await report();
    const back = JSON.parse((await cli(["diff", b, a], { folder })).stdout) as DriftReport;
    expect(mirrored(forth)).toEqual(mirrored(mirrored(back)));
  });

  it("diff: a pack compared with itself has no differences, and a note says why", async () => {
    const { folder, a } = await known(left, right);
    for (const args of [[], ["--exit-code"], ["--human"], ["--stat"], ["--markdown"]]) {
      const result = await cli(["diff", a, a.slice(0, 8), ...args], { folder });
      expect(result.status).toBe(0);
      expect(result.stderr).toBe("note: both names refer to the same pack\n");
    }
    const found = JSON.parse((await cli(["diff", a, a], { folder })).stdout) as DriftReport;
    expect(found).toMatchObject({ has_drift: false, entries: [], context: [], first_divergence: null });
    const { stderr } = await cli(["diff", a, a, "--json"], { folder });
    expect(JSON.parse(stderr)).toEqual({ notice: expect.any(String) });
  });

  it("diff: integers beyond 2^53 are compared digit by digit", async () => {
    const { folder } = tempStore();
    for (const digits of ["9007199254740993", "9007199254740992"])
      await cli(["pack", "-"], { folder, input: numberLog(digits) });
    const names = (await cli(["log", "--json"], { folder })).stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { hash: string }).hash);
    const { stdout } = await cli(["diff", ...names], { folder });
    expect(stdout).toContain("9007199254740993");
    expect(stdout).toContain("9007199254740992");
    expect((await cli(["diff", ...names, "--human"], { folder })).stdout).toContain("9007199254740993");
  });
});

/**
 * Returns a report with its sides exchanged; where that cannot be done to a text, without it. Twice over, a
 * report without those.
 */
function mirrored(report: unknown): unknown {
  const exchange = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(exchange);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "description" && key !== "step_index" && key !== "prompt_index")
        .map(([key, inner]) => {
          if (key === "diff") return [key, exchangedDiff(inner as string)];
          if (key === "change") return [key, opposite[inner as string] ?? (inner as string)];
          if (key === "absent") return [key, inner === "a" ? "b" : "a"];
          if (key === "side") return [key, inner === "a" ? "b" : inner === "b" ? "a" : "both"];
          const name = /_[ab]$/.test(key)
            ? key.slice(0, -1) + (key.endsWith("a") ? "b" : "a")
            : (({ lines_added: "lines_removed", lines_removed: "lines_added" } as Record<string, string>)[
                key
              ] ?? key);
          return [name, exchange(inner)];
        }),
    );
  };
  return exchange(report);
}

const opposite: Record<string, string> = { added: "removed", removed: "added" };

/** Signs and ranges exchanged, old lines first. */
function exchangedDiff(diffText: string): string {
  let [old, fresh]: [string[], string[]] = [[], []];
  const lines: string[] = [];
  for (const line of [...(diffText.match(/[^\n]*\n(?:\\[^\n]*\n)?/g) ?? []), ""]) {
    if (line.startsWith("-")) fresh.push(`+${line.slice(1)}`);
    else if (line.startsWith("+")) old.push(`-${line.slice(1)}`);
    else {
      lines.push(...old, ...fresh, line.replace(/^@@ -(\S+) \+(\S+) @@/, "@@ -$2 +$1 @@"));
      [old, fresh] = [[], []];
    }
  }
  return lines.join("");
}

describe("ctx diff --stat", () => {
  it("diff --stat: there is a line for each type of difference, and the sum", async () => {
    const { run, report } = await known(left, right);
    const found = await report();
    const { stdout } = await run("--stat");
    const lines = stdout.trimEnd().split("\n");
    for (const type of new Set(types(found))) {
      const count = types(found).filter((each) => each === type).length;
      expect(lines.filter((line) => line.startsWith(type))).toEqual([
        expect.stringMatching(new RegExp(`^${type} +${count}  \\d+ \\w+`)),
      ]);
    }
    expect(lines.at(-1)).toBe(`${found.entries.length} differences`);
  });

  it("diff --stat: no differences are reported as 0", async () => {
    const { folder, a } = await known(left, right);
    expect((await cli(["diff", a, a, "--stat"], { folder })).stdout).toBe("0 differences\n");
  });
});

describe("ctx diff --exit-code", () => {
  it("diff --exit-code: drift is 1 and no drift is 0, in every format", async () => {
    const { folder, a, b, run } = await known(original(), concise);
    for (const args of [[], ["--json"], ["--human"], ["--markdown"], ["--stat"]]) {
      expect((await run("--exit-code", ...args)).status).toBe(1);
      expect((await run(...args)).status).toBe(0);
      expect((await cli(["diff", a, a, "--exit-code", ...args], { folder })).status).toBe(0);
      expect((await cli(["diff", b, a, "--exit-code", ...args], { folder })).status).toBe(1);
    }
  });

  it("diff --exit-code: only the types that --only selects count", async () => {
    const { run } = await known(original(), concise);
    expect((await run("--exit-code", "--only", "prompt")).status).toBe(1);
    expect((await run("--exit-code", "--only", "tool")).status).toBe(0);
    expect((await run("--exit-code", "--only", "tool,reasoning")).status).toBe(1);
  });
});

const described = ({ entries }: DriftReport, places: number[]): string[] =>
  places.map((at) => (entries[at] as DriftEntry).description);

describe("ctx diff --only", () => {
  it.each([
    [["prompt"], ["prompt_drift"]],
    [["prompt_drift"], ["prompt_drift"]],
    [["tool,param"], ["param_drift", "tool_drift"]],
    [
      ["output", "--only", "reasoning_drift"],
      ["output_drift", "reasoning_drift"],
    ],
  ])("diff --only: %s selects %s", async (args, expected) => {
    const { report } = await known(left, right);
    const [all, few] = [await report(), await report("--only", ...args)];
    expect([...new Set(types(few))].sort()).toEqual(expected);
    expect(few.ignored.filtered).toBe(all.entries.length - few.entries.length);
    expect(types(few)).toEqual(types(all).filter((type) => expected.includes(type)));
  });

  it.each(["tools", "", "tool,", "tool drift"])("diff --only: %j is refused", async (word) => {
    const { run } = await known(left, right);
    const { status, stdout, stderr } = await run("--only", word);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("--only takes prompt, tool, param, reasoning, output, not");
  });

  it("diff --only: the divergence and its causes stay the same", async () => {
    const { report, run } = await known(left, right);
    const all = await report();
    const few = await report("--only", "tool,reasoning");
    for (const entry of few.entries)
      if (entry.leans_on !== undefined) expect(few.entries[entry.leans_on]).toBeDefined();
    const first = few.first_divergence;
    expect(first?.description).toBe(all.first_divergence?.description);
    expect(first?.entry).toBeNull();
    expect([...(first?.causes.other ?? []), ...described(few, first?.causes.entries ?? [])]).toEqual(
      described(all, all.first_divergence?.causes.entries ?? []),
    );
    const { stdout } = await run("--only", "tool,reasoning", "--human");
    expect(stdout).toContain("The runs diverged at step 1:");
    expect(stdout).toMatch(/\d+ differences of other types hidden by --only/);
  });

  it("diff --only: a type that does not differ is no drift, and the rest is counted", async () => {
    const { run, report } = await known(original(), concise);
    expect(await report("--only", "tool")).toMatchObject({
      has_drift: false,
      entries: [],
      ignored: { filtered: 2 },
    });
    expect((await run("--only", "tool", "--human")).stdout).toContain("2 differences of other types");
  });
});

const nineLines = (word: string): AnyLog =>
  original({ outputs: [{ name: "x", content: `1\n2\n3\n4\n${word}\n6\n7\n8\n9\n` }] });

describe("ctx diff --unified", () => {
  it.each([
    [[], 9],
    [["-U", "0"], 3],
    [["-U1"], 5],
    [["--unified=2"], 7],
    [["--unified", "100"], 11],
  ])("diff --unified: %j prints %i lines", async (args, count) => {
    const { report } = await known(nineLines("old"), nineLines("new"));
    const found = await report(...args);
    expect(found.entries[0]?.content?.diff?.trimEnd().split("\n")).toHaveLength(count);
  });

  it.each(["x", "-1", "1.5", "", "1e3", "9999999"])("diff --unified: %j is refused", async (value) => {
    const { run } = await known(nineLines("old"), nineLines("new"));
    const { status, stderr } = await run(`--unified=${value}`);
    expect(status).toBe(2);
    expect(stderr).toContain("--unified needs a whole number");
  });
});

const largeOutput = (word: string): AnyLog =>
  smallLog({ outputs: [{ name: "x", content: `${word}\n`.repeat(5 << 18) }] });

const largeBinary = (first: number): AnyLog =>
  smallLog({
    outputs: [
      {
        name: "x",
        content_base64: Buffer.concat([Buffer.from([first]), Buffer.alloc(5 << 20)]).toString("base64"),
      },
    ],
  });

const binaryLog = (base64: string): AnyLog =>
  smallLog({
    steps: [{ type: "tool_call", tool: "shot", output_base64: base64 }],
    outputs: [{ name: "image.png", content_base64: base64 }],
  });

const manyOutputs = (word: string): AnyLog =>
  smallLog({
    steps: Array.from({ length: 205 }, (_, at) => call("read", { nr: at }, `${word} ${at}\n`)),
    outputs: [{ name: "x", content: word }],
  });

describe("contents in ctx diff", () => {
  it("diff --no-content: no content is read, so that a missing one is no error", async () => {
    const { root, run, report } = await pair(left, right);
    fs.rmSync(blobPath(root, "3\n"));
    const found = await report("--no-content");
    expect(found.entries.every(({ content }) => content === undefined)).toBe(true);
    expect(found.entries.some(({ changes }) => changes?.length === 2)).toBe(true);
    expect(JSON.stringify(found)).not.toContain("@@");
    expect((await run("--no-content", "--exit-code")).status).toBe(1);
  });

  it("diff: contents of 200 entries are read, artifacts first, or all with --all-content", async () => {
    const { report, run } = await known(manyOutputs("old"), manyOutputs("new"));
    const some = await report();
    expect(some.entries).toHaveLength(206);
    expect(some.entries.filter(({ content }) => content?.diff !== undefined)).toHaveLength(200);
    expect(some.entries.at(-1)?.content?.diff).toContain("+new");
    expect(some.entries[204]?.content).toEqual({
      kind: "unread",
      size_a: null,
      size_b: null,
      reason: expect.stringContaining("--all-content"),
    });
    const all = await report("--all-content");
    expect(all.entries.filter(({ content }) => content?.diff !== undefined)).toHaveLength(206);
    expect((await run("--no-content", "--all-content")).status).toBe(2);
  });

  it("diff: binary contents are described by size and hash", async () => {
    const { report, run } = await known(binaryLog("/wABAg=="), binaryLog("/wA="));
    const found = await report();
    expect(found.entries.map(({ content }) => content)).toEqual([
      { kind: "binary", size_a: 4, size_b: 2 },
      { kind: "binary", size_a: 4, size_b: 2 },
    ]);
    const hash = createHash("sha256")
      .update(Buffer.from([255, 0]))
      .digest("hex");
    for (const format of ["--human", "--markdown"]) {
      const { stdout } = await run(format);
      expect(stdout).toContain("binary");
      expect(stdout).toContain(hash.slice(0, 12));
    }
  });

  it("diff: a content may be text on one side and binary on the other, or exist on one side only", async () => {
    const { report } = await known(
      smallLog({ outputs: [{ name: "x", content: "text" }], steps: [call("a", {}, "was here\n")] }),
      smallLog({ outputs: [{ name: "x", content_base64: "/w==" }], steps: [call("a", {})] }),
    );
    const [step, artifact] = (await report()).entries;
    expect(artifact?.content).toMatchObject({ kind: "binary", size_a: 4, size_b: 1 });
    expect(step).toMatchObject({
      type: "reasoning_drift",
      pack_b: null,
      content: { kind: "text", size_a: 9, size_b: null, lines_removed: 1 },
    });
  });

  it("diff: contents without line feeds are compared, and long lines are cut", async () => {
    const { report, run } = await known(
      smallLog({ outputs: [{ name: "x", content: `old${"x".repeat(100_000)}` }] }),
      smallLog({ outputs: [{ name: "x", content: `new${"x".repeat(100_000)}` }] }),
    );
    const [entry] = (await report()).entries;
    expect(entry?.content?.diff).toContain("-oldxxx");
    expect(entry?.content?.diff?.length).toBeLessThan(1200);
    expect(entry?.content?.reason).toContain("lines cut to 500 characters");
    for (const format of ["--human", "--markdown"]) {
      const { stdout } = await run(format);
      expect(stdout.length).toBeLessThan(4000);
      expect(stdout).toContain("newxxx");
    }
  });

  it("diff: contents of 5 MB are not compared line by line, and the entry says so", async () => {
    const { report, run } = await known(largeOutput("old"), largeOutput("new"));
    const [entry] = (await report()).entries;
    expect(entry?.content).toEqual({
      kind: "text",
      size_a: 5 << 20,
      size_b: 5 << 20,
      reason: "larger than 1 MB: not compared line by line",
    });
    expect((await run("--human")).stdout).toContain("larger than 1 MB");
    expect((await run("--markdown")).stdout).toContain("larger than 1 MB");
  });

  it.each(["日本語\n", "💥\n", "é\n", "💥", "a日"])(
    "diff: contents of 5 MB that are text in %j are called text",
    async (line) => {
      const repeated = (word: string): AnyLog =>
        smallLog({
          outputs: [
            { name: "x", content: word + line.repeat(Math.ceil((5 << 20) / Buffer.byteLength(line))) },
          ],
        });
      const { report } = await known(repeated("old"), repeated("new"));
      expect((await report()).entries[0]?.content?.kind).toBe("text");
    },
  );

  it("diff: contents of 5 MB that are binary are called binary", async () => {
    const { report } = await pair(largeBinary(1), largeBinary(2));
    expect((await report()).entries[0]?.content).toMatchObject({ kind: "binary", size_a: (5 << 20) + 1 });
  });
});

async function spoiled(how: "missing" | "damaged"): Promise<Pair & { path: string }> {
  const both = await pair(original(), concise);
  const path = blobPath(both.root, "one\nthree\n");
  fs.rmSync(path);
  if (how === "damaged") fs.writeFileSync(path, "one\nliars\n");
  return { ...both, path };
}

describe("an unreadable blob in ctx diff", () => {
  it.each(["missing", "damaged"] as const)(
    "diff: the entry of a %s blob says so, the rest is compared, and the exit status is 2",
    async (how) => {
      const { run } = await spoiled(how);
      for (const args of [[], ["--exit-code"], ["--json"], ["--json", "--exit-code"]]) {
        const { status, stdout, stderr } = await run(...args);
        expect(status).toBe(2);
        const report = JSON.parse(stdout) as DriftReport;
        expect(types(report)).toEqual(["prompt_drift", "reasoning_drift"]);
        expect(report.entries[0]?.content?.diff).toContain("+Be concise.");
        expect(report.entries[1]?.content).toMatchObject({ kind: "unread", damage: expect.any(String) });
        expect(report.unreadable).toEqual([
          { reference: report.entries[1]?.pack_b, message: report.entries[1]?.content?.damage },
        ]);
        if (args.includes("--json"))
          expect(JSON.parse(stderr)).toMatchObject({
            error: {
              code: how,
              message: "could not compare everything: some content cannot be read",
              problems: [{ message: report.unreadable[0]?.message }],
              hint: expect.any(String),
            },
          });
        else
          expect(stderr).toMatch(
            /^error: could not compare everything: some content cannot be read\n {2}[^\n]+\nhint: [^\n]+\n$/,
          );
      }
      for (const format of ["--human", "--markdown"]) {
        const { status, stdout, stderr } = await run(format, "--exit-code");
        expect(status).toBe(2);
        expect(stdout).toContain("cannot be compared");
        expect(stdout).toContain("Be concise.");
        expect(stderr).toContain("error: ");
      }
      expect((await run("--stat", "--exit-code")).status).toBe(2);
    },
  );

  it("diff: damage at the end of a blob of 5 MB is found", async () => {
    const { root, run } = await pair(largeOutput("old"), largeOutput("new"));
    const path = blobPath(root, "new\n".repeat(5 << 18));
    const bytes = fs.readFileSync(path);
    bytes[bytes.length - 2] = 0x21;
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, bytes);
    const { status, stdout } = await run("--exit-code");
    expect(status).toBe(2);
    expect((JSON.parse(stdout) as DriftReport).entries[0]?.content).toMatchObject({
      kind: "unread",
      damage: expect.stringContaining("is damaged"),
    });
  });

  it("diff: the entry of a missing blob has no size", async () => {
    const { run } = await spoiled("missing");
    const report = JSON.parse((await run()).stdout) as DriftReport;
    expect(report.entries[1]?.content).toMatchObject({ size_a: 8, size_b: null });
  });

  it("diff: the error about a damaged blob names its file and the hash of what is there", async () => {
    const { run, path } = await spoiled("damaged");
    const { stderr } = await run("--human");
    expect(stderr).toContain(path);
    expect(stderr).toContain(createHash("sha256").update("one\nliars\n").digest("hex"));
  });

  it("diff: an unreadable blob is an error, not drift, in the exit status and in JUnit", async () => {
    const { run, folder } = await spoiled("missing");
    expect((await run("--exit-code", "--junit", "out.xml")).status).toBe(2);
    const xml = elements(fs.readFileSync(join(folder, "out.xml"), "utf8"));
    expect(xml.find(({ name }) => name === "testsuite")?.attributes).toMatchObject({ errors: "1" });
    expect(xml.filter(({ name }) => name === "error")).toHaveLength(1);
  });

  it("diff: a missing blob that both runs share, or that --only leaves out, is no error", async () => {
    const { root, run, report } = await pair(original(), concise);
    fs.rmSync(blobPath(root, "I will read it."));
    expect((await report()).unreadable).toEqual([]);
    fs.rmSync(blobPath(root, "one\nthree\n"));
    expect((await run("--only", "prompt")).status).toBe(0);
  });

  it("diff: a damaged manifest is an error, and no report is printed", async () => {
    const { root, a, run } = await pair(original(), concise);
    const path = join(root, "objects", a.slice(0, 2), a.slice(2));
    fs.rmSync(path);
    fs.writeFileSync(path, "{}");
    const { status, stdout, stderr } = await run("--human");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^error: /);
  });
});

const timed = (time: string, fields: AnyLog = {}): AnyLog =>
  smallLog({
    created: `2026-02-10T12:00:${time}Z`,
    steps: [call("clock", {}, time), call("read", { path: "a" }, "a"), call("save", { seed: time }, "ok")],
    ...fields,
  });

describe("ctx diff --baseline", () => {
  it("diff --baseline: the pack is compared with the baseline, which comes first", async () => {
    const { folder, a, b, run } = await known(timed("01"), timed("02"));
    const result = await cli(["diff", "--baseline", a, b], { folder });
    expect(result.stdout).toBe((await run()).stdout);
    expect((await cli(["diff", "--baseline", a, "--exit-code", b], { folder })).status).toBe(1);
    expect((await cli(["diff", "--baseline", a, "--exit-code", a], { folder })).status).toBe(0);
  });

  it("diff --baseline: what varies among several baselines is marked as usual and does not count", async () => {
    const { folder, a, b } = await pair(timed("01"), timed("02"));
    const [c, d] = [await packed(folder, timed("03")), await packed(folder, timed("04"))];
    const args = ["diff", "--baseline", a, "--baseline", b, "--baseline", c, "--exit-code", d];
    const { status, stdout } = await cli(args, { folder });
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as DriftReport;
    expect(report).toMatchObject({
      has_drift: false,
      baselines: [`sha256:${b}`, `sha256:${c}`],
      ignored: { usual: 2 },
      first_divergence: null,
    });
    expect(report.entries.map(({ usual }) => usual)).toEqual([
      { seen: 2, of: 2 },
      { seen: 2, of: 2 },
    ]);
    const human = (await cli([...args, "--human"], { folder, width: 120 })).stdout;
    expect(human).toContain("0 difference(s) found, and 2 that also occur between baselines:");
    expect(human).toContain("(usual: in 2 of 2 baselines)");
    expect(human).toContain("usual differences determined with 2 further baselines");
    const markdown = (await cli([...args, "--markdown"], { folder })).stdout;
    expect(markdown).toContain("**No drift.**");
    expect(markdown).toContain("(usual: in 2 of 2 baselines)");
    expect((await cli([...args, "--stat"], { folder })).stdout).toMatch(/^param_drift .*1 usual$/m);
  });

  it("diff --baseline: 80 columns have room for how many baselines showed a difference", async () => {
    const { folder, a, b } = await pair(timed("01"), timed("02"));
    const d = await packed(folder, timed("04"));
    const { stdout } = await cli(["diff", "--baseline", a, "--baseline", b, d, "--human"], { folder });
    expect(stdout.match(/in 1 of 1 baseline\)/g)).toHaveLength(2);
  });

  it("diff --baseline: runs with a usual difference in a decision are not said to decide alike", async () => {
    const { folder, a, b } = await pair(timed("01"), timed("02"));
    const d = await packed(folder, timed("04"));
    for (const format of ["--human", "--markdown"]) {
      const { stdout } = await cli(["diff", "--baseline", a, "--baseline", b, d, format], { folder });
      expect(stdout).not.toContain("made the same decisions.");
    }
  });

  it("diff --baseline: a difference that is not usual still counts", async () => {
    const { folder, a, b } = await pair(timed("01"), timed("02"));
    const d = await packed(folder, timed("04", { system_prompt: "Be evil." }));
    const args = ["diff", "--baseline", a, "--baseline", b, "--exit-code", d];
    const { status, stdout } = await cli(args, { folder });
    expect(status).toBe(1);
    const report = JSON.parse(stdout) as DriftReport;
    expect(report.entries.map(({ usual }) => usual !== undefined)).toEqual([false, true, true]);
    expect((await cli([...args, "--human"], { folder })).stdout).toContain(
      "1 difference(s) found, and 2 that also occur between baselines:",
    );
  });

  it("diff --baseline: neither the pack itself nor a repeated baseline counts", async () => {
    const { folder, a, b } = await known(timed("01"), timed("02"));
    const args = ["diff", "--baseline", a, "--baseline", b, "--baseline", a, "--exit-code", b];
    const { status, stdout } = await cli(args, { folder });
    expect(status).toBe(1);
    expect((JSON.parse(stdout) as DriftReport).baselines).toEqual([]);
  });

  it("diff --baseline: naming two packs is a usage error", async () => {
    const { a, run } = await known(timed("01"), timed("02"));
    const { status, stdout, stderr } = await run("--baseline", a);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("with --baseline, name only one pack");
    expect(JSON.parse((await run("--baseline", a, "--json")).stderr)).toMatchObject({
      error: { code: "usage" },
    });
  });

  it("diff --baseline: a pack that does not exist is an error", async () => {
    const { folder, a, b } = await pair(timed("01"), timed("02"));
    for (const args of [
      ["--baseline", "none", b],
      ["--baseline", a, "--baseline", "0000", b],
    ])
      expect((await cli(["diff", ...args], { folder })).status).toBe(2);
  });
});

function configure(root: string, config: unknown): void {
  fs.writeFileSync(join(root, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
}

const seeded = (seed: number, output = "ok"): AnyLog =>
  smallLog({ steps: [call("run", { seed, name: "n" }, output), call("clock", {}, `${seed}`)] });

describe("ctx diff --ignore", () => {
  it("diff --ignore: tools and paths are left out and counted", async () => {
    const { run, report } = await known(seeded(1), seeded(2));
    expect((await run("--exit-code")).status).toBe(1);
    const args = ["--ignore", "$.steps[*].parameters.seed", "--ignore", "clock"];
    expect((await run("--exit-code", ...args)).status).toBe(0);
    expect((await report(...args)).ignored).toEqual({
      rules: [
        { rule: "$.steps[*].parameters.seed", count_a: 1, count_b: 1 },
        { rule: "clock", count_a: 1, count_b: 1 },
      ],
      differences: 1,
      usual: 0,
      filtered: 0,
    });
    const { stdout } = await run("--human", ...args);
    expect(stdout).toContain("ignored by $.steps[*].parameters.seed: 1 in the first run, 1 in the second");
    expect(stdout).toContain("1 pair of steps differ only in what was ignored");
    expect((await run("--stat", ...args)).stdout).toContain("ignored by clock");
    expect((await run("--markdown", ...args)).stdout).toContain("ignored by <code>clock</code>");
  });

  it.each(["", "$", "$.a[", "bash:$"])("diff --ignore: %j is refused", async (rule) => {
    const { run } = await known(seeded(1), seeded(2));
    const { status, stdout, stderr } = await run("--ignore", rule);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("is not a valid rule");
  });

  it("diff --ignore: rules of the store's config come first", async () => {
    const { root, run, report } = await pair(seeded(1), seeded(2));
    configure(root, { version: "0.1", diff: { ignore: ["$..seed"] } });
    expect((await report()).ignored.rules).toEqual([{ rule: "$..seed", count_a: 1, count_b: 1 }]);
    expect((await report("--ignore", "clock")).ignored.rules.map(({ rule }) => rule)).toEqual([
      "$..seed",
      "clock",
    ]);
    expect((await run("--ignore", "clock", "--exit-code")).status).toBe(0);
    configure(root, { version: "0.1", diff: {}, future: { x: 1 } });
    expect((await report()).ignored.rules).toEqual([]);
  });

  it.each([
    ["a text", { version: "0.1", diff: { ignore: "x" } }],
    ["numbers", { version: "0.1", diff: { ignore: [1] } }],
    ["a list for diff", { version: "0.1", diff: [] }],
    ["null", { version: "0.1", diff: null }],
    ["no JSON", "{"],
    ["two values", '{"version":"0.1"} {}'],
  ])("diff --ignore: a config with %s is an error that names the file", async (_name, config) => {
    const { root, run } = await pair(seeded(1), seeded(2));
    configure(root, config);
    const { status, stdout, stderr } = await run("--exit-code", "--json");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "store-unusable", message: expect.stringContaining("config.json") },
    });
  });

  it("diff --ignore: a bad rule in the config is an error that names the file", async () => {
    const { root, run } = await pair(seeded(1), seeded(2));
    configure(root, { version: "0.1", diff: { ignore: ["$.a["] } });
    const { status, stderr } = await run("--json");
    expect(status).toBe(2);
    expect(stderr).toContain("config.json");
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "store-unusable" } });
  });

  itWith([root], "diff --ignore: rules in another user's config have no effect", async () => {
    const { root, folder, a, b } = await pair(seeded(1), seeded(2));
    configure(root, { version: "0.1", diff: { ignore: ["$..seed", "clock"] } });
    for (const name of ["", ...(fs.readdirSync(root, { recursive: true }) as string[])])
      fs.lchownSync(join(root, name), 65534, 65534);
    const { status, stdout } = await cli(["diff", a, b, "--exit-code"], { folder });
    expect(status).toBe(1);
    expect((JSON.parse(stdout) as DriftReport).ignored.rules).toEqual([]);
  });
});

async function refused(logA: AnyLog, logB: AnyLog, ...args: string[]): Promise<string> {
  const { run } = await pair(logA, logB);
  const { status, stdout, stderr } = await run(...args, "--exit-code", "--json");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
  expect(error.code).toBe("nothing-to-compare");
  return error.message;
}

const emptyLog = (created: string, fields: AnyLog = {}): AnyLog =>
  smallLog({ created, system_prompt: "", ...fields });

describe("ctx diff with nothing to compare", () => {
  const [early, late] = ["2026-02-10T12:00:00Z", "2026-02-11T12:00:00Z"] as const;

  it("diff: nothing to compare is an error, never a pass", async () => {
    expect(await refused(emptyLog(early), emptyLog(late))).toContain("neither pack has a step");
    const steps = { steps: [call("bash", {}, "x")] };
    expect(await refused(emptyLog(early, steps), emptyLog(late, steps), "--only", "output")).toContain(
      "--only",
    );
    expect(
      await refused(emptyLog(early, steps), emptyLog(late, steps), "--only", "tool", "--ignore", "bash"),
    ).toContain("--ignore");
    expect(await refused(emptyLog(early, steps), emptyLog(late, steps), "--ignore", "bash")).toContain(
      "--ignore",
    );
    expect(await refused(smallLog(), smallLog({ created: late }), "--ignore", "$.system_prompt")).toContain(
      "--ignore",
    );
  });

  it("diff: nothing to compare makes the JUnit file report an error", async () => {
    const { run, folder } = await pair(emptyLog(early), emptyLog(late));
    expect((await run("--exit-code", "--junit", "out.xml")).status).toBe(2);
    expect(fs.readFileSync(join(folder, "out.xml"), "utf8")).toMatch(/errors="1"[^]*<error message=/);
  });

  it("diff: one empty run can be compared with one that has steps", async () => {
    const { run } = await known(emptyLog(early), emptyLog(late, { steps: [call("bash", {}, "x")] }));
    expect((await run("--exit-code")).status).toBe(1);
    expect((await run("--exit-code", "--only", "tool")).status).toBe(1);
  });

  it("diff: models that differ can be compared, also with --only param", async () => {
    const { run } = await known(smallLog(), smallLog({ model: { identifier: "another" } }));
    expect((await run("--exit-code")).status).toBe(1);
    expect((await run("--exit-code", "--only", "param")).status).toBe(1);
  });

  it("diff: two empty runs with different models can be compared", async () => {
    const { run } = await known(emptyLog(early), emptyLog(late, { model: { identifier: "another" } }));
    expect((await run("--exit-code")).status).toBe(1);
  });
});

describe("ctx diff of one pack", () => {
  it("diff: one pack alone is compared with its parent, which comes first", async () => {
    const { folder } = tempStore();
    const parent = await packed(folder, original());
    const child = await packed(folder, { ...concise, parent: `sha256:${parent}` });
    const alone = await cli(["diff", child], { folder });
    expect(alone.status).toBe(0);
    expect(alone.stdout).toBe((await cli(["diff", parent, child], { folder })).stdout);
    expect((JSON.parse(alone.stdout) as DriftReport).pack_hash_a).toBe(`sha256:${parent}`);
    expect((await cli(["diff", "latest", "--exit-code"], { folder })).status).toBe(1);
    expect((await cli(["diff", "latest~1", "latest", "--human"], { folder })).stdout).toContain(
      "2 difference(s) found:",
    );
    const store = Store.find(folder);
    expect(`${canonicalText(diff(store, child, undefined))}\n`).toBe(alone.stdout);
  });

  it("diff: one pack without a parent is an error that says what to do", async () => {
    const { folder } = tempStore();
    const hex = await packed(folder, original());
    const { status, stdout, stderr } = await cli(["diff", hex, "--exit-code"], { folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      `error: ctx://${hex.slice(0, 12)} has no parent to compare it with\nhint: name a second pack or a --baseline\n`,
    );
  });

  it("diff: one pack whose parent is not in the store is an error that names the parent", async () => {
    const { folder } = tempStore();
    await packed(folder, { ...original(), parent: `sha256:${"ab".repeat(32)}` });
    const { status, stdout, stderr } = await cli(["diff", "latest", "--json"], { folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "not-found", message: expect.stringContaining("ab".repeat(32)) },
    });
  });

  it("diff: one pack with --baseline is not compared with its parent", async () => {
    const { folder } = tempStore();
    const parent = await packed(folder, original());
    const child = await packed(folder, { ...concise, parent: `sha256:${parent}` });
    const { stdout } = await cli(["diff", child, "--baseline", child], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ has_drift: false, pack_hash_a: `sha256:${child}` });
  });
});

describe("bad command lines of ctx diff", () => {
  it.each([
    [["--json", "--human"], "--json and --human cannot be used together"],
    [["--human", "--markdown"], "--human and --markdown cannot be used together"],
    [["--align", "time"], "--align"],
    [["third"], "third"],
    [["--junit", ""], "--junit"],
    [["--junit", "none/out.xml"], "out.xml"],
  ])("diff: %j is refused", async (args, said) => {
    const { run } = await pair(original(), concise);
    const { status, stdout, stderr } = await run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(said);
  });

  it("diff: no pack, a pack that does not exist, and a folder without a store are errors", async () => {
    const { folder, a } = await known(original(), concise);
    expect((await cli(["diff"], { folder })).status).toBe(2);
    expect((await cli(["diff", a, "0000"], { folder })).status).toBe(2);
    expect((await cli(["diff", a, a], { folder: tempFolder() })).status).toBe(2);
  });
});

describe("ctx diff and the store", () => {
  it("diff: the store is not changed", async () => {
    const { folder, run } = await pair(left, right);
    const before = snapshot(folder);
    for (const args of [[], ["--human"], ["--markdown"], ["--stat"], ["--exit-code", "--all-content"]])
      await run(...args);
    expect(snapshot(folder)).toEqual(before);
  });

  itWith([mounts], "diff: the store may be read-only", async () => {
    const folder = memoryFolder("size=8m");
    await cli(["init"], { folder });
    const [a, b] = [await packed(folder, original()), await packed(folder, concise)];
    remount(folder, "ro");
    for (const args of [[], ["--human"], ["--markdown"]]) {
      const { status, stderr } = await cli(["diff", a, b, ...args], { folder });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    }
    const { status, stderr } = await cli(["diff", a, b, "--junit", "out.xml"], { folder });
    expect(status).toBe(2);
    expect(stderr).toContain("out.xml");
  });
});

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

const decode = (text: string): string => {
  if (/[<>]|&(?!#\d+;)/.test(text)) throw new Error(`not escaped: ${text}`);
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
};

/** Reads XML as strictly as its grammar is for elements, attributes and references; anything wrong throws. */
function elements(xml: string): Element[] {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error("no declaration");
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml))
    throw new Error("a character that XML has not");
  const found: Element[] = [];
  const open: Element[] = [];
  const token = /<\/([a-z-]+)>|<([a-z-]+)((?: [a-z]+="[^"<]*")*)>|([^<]+)/y;
  token.lastIndex = declaration.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (match === null) throw new Error(`not XML from ${xml.slice(at, at + 80)}`);
    const [, closing, opening, attributes, text] = match;
    if (closing !== undefined) {
      if (open.pop()?.name !== closing) throw new Error(`</${closing}> closes nothing`);
    } else if (opening !== undefined) {
      const pairs = [...(attributes ?? "").matchAll(/ ([a-z]+)="([^"]*)"/g)].map(
        ([, name, value]) => [name as string, decode(value as string)] as const,
      );
      const element = { name: opening, attributes: Object.fromEntries(pairs), text: "" };
      if (Object.keys(element.attributes).length !== pairs.length) throw new Error("an attribute twice");
      if (open.length === 0 && found.length > 0) throw new Error("two roots");
      found.push(element);
      open.push(element);
    } else {
      const inner = open.at(-1);
      if (inner === undefined && (text as string).trim() !== "") throw new Error("text outside");
      if (inner !== undefined) inner.text += decode(text as string);
    }
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  return found;
}

const clockLog = (time: string): AnyLog => smallLog({ steps: [call("clock", {}, time)] });

describe("ctx diff --junit", () => {
  it("diff --junit: each type is a test, and tests fail exactly when the exit status is 1", async () => {
    const runs = [
      [original(), concise],
      [left, right],
      [original(), original({ created: "2026-03-01T00:00:00Z" })],
    ] as const;
    for (const [one, other] of runs) {
      const { folder, run } = await pair(one, other);
      for (const args of [[], ["--only", "tool"], ["--only", "prompt,output"], ["--ignore", "read_file"]]) {
        const { status } = await run("--exit-code", "--junit", "out.xml", ...args);
        const found = elements(fs.readFileSync(join(folder, "out.xml"), "utf8"));
        const [suites, suite] = found as [Element, Element];
        const cases = found.filter(({ name }) => name === "testcase");
        const failures = found.filter(({ name }) => name === "failure");
        expect([suites.name, suite.name]).toEqual(["testsuites", "testsuite"]);
        for (const { attributes } of [suites, suite])
          expect(attributes).toMatchObject({
            tests: `${cases.length}`,
            failures: `${failures.length}`,
            errors: "0",
          });
        expect(failures.length > 0 ? 1 : 0).toBe(status);
        expect(cases).toHaveLength(args[0] === "--only" ? (args[1] as string).split(",").length : 5);
      }
    }
  });

  it("diff --junit: the failures list every difference", async () => {
    const { folder, run, report } = await pair(left, right);
    await run("--junit", "out.xml");
    const found = elements(fs.readFileSync(join(folder, "out.xml"), "utf8"));
    const failures = found.filter(({ name }) => name === "failure").flatMap(({ text }) => text.split("\n"));
    expect(failures.sort()).toEqual((await report()).entries.map(({ description }) => description).sort());
  });

  it("diff --junit: a usual difference is noted and fails nothing", async () => {
    const { folder, a, b } = await pair(clockLog("1"), clockLog("2"));
    const c = await packed(folder, clockLog("3"));
    const args = ["diff", "--baseline", a, "--baseline", b, c, "--exit-code", "--junit", "out.xml"];
    expect((await cli(args, { folder })).status).toBe(0);
    const found = elements(fs.readFileSync(join(folder, "out.xml"), "utf8"));
    expect(found.filter(({ name }) => name === "failure")).toEqual([]);
    expect(found.find(({ name }) => name === "system-out")?.text).toContain("(usual: in 1 of 1 baseline)");
  });
});

// Contents of a pack stay text, in every format.

const controls = [
  ...Array.from({ length: 31 }, (_, index) => index + 1),
  0x7f,
  ...Array.from({ length: 32 }, (_, index) => 0x80 + index),
];
const evil = `${String.fromCharCode(...controls)}\u001b]52;c;aGk=\u0007\u001b]8;;http://x\u001b\\\u202e\u2066\u200b\u200d\u2060\ufeff\u{e0041}\u2028\ufffe\uffff`;
/** What Markdown and HTML would take for their own; every piece has a word that is nowhere else. */
const markup = [
  "```",
  "``````````",
  "~~~",
  "</details>",
  "</summary></code>",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "@everyone",
  "#1",
  "[x](javascript:alert(1))",
  "![x](http://evil/x.png)",
  "<!--",
  "-->",
  "| a | b |",
  "|---|---|",
  "# heading",
  "* * *",
  "<![CDATA[",
  "]]>",
  "&lt;&#60;",
  "**bold** _it_ `code`",
  "https://evil.example",
]
  .map((piece) => `zqx${piece}zqx`)
  .join("\n");
const rawText =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

function hostile(word: string): AnyLog {
  const text = `${word} zqx ${evil}\n${markup}\n\`\`\`\n</details>\n\n<script>zqx</script>\n${word}`;
  const name = text.replaceAll(/[/\\]/g, "").slice(0, 80);
  const prompt = (role: string): AnyLog => ({ role, content: text });
  return smallLog({
    model: { identifier: text, parameters: { [text]: text, shared: text } },
    system_prompt: text,
    prompts: [prompt(text), prompt("user")],
    inputs: [
      { name, content: text },
      { name: "shared", content: text },
    ],
    steps: [
      call(`shared zqx ${markup}`, { a: 1 }, text),
      call("same", { [`zqx ${markup}`]: text, path: text, many: [text], deep: { [text]: text } }, text),
      call(text, { [text]: text }, text),
      { type: text, output: text },
      { type: `shared ${markup}`, output: text },
      call(text.slice(5), { command: text }),
    ],
    outputs: [
      { name, content: text, notes: text },
      { name: `shared zqx ${markup}`.replaceAll(/[/\\]/g, "").slice(0, 200), content: text, notes: text },
    ],
    environment: { os: text, runtime: text, tool_versions: { [text]: text, [`zqx ${markup}`]: text } },
  });
}

/**
 * Returns what GitHub would take for Markdown or HTML: everything outside of fences and of code. Throws when
 * a fence stays open.
 */
function outside(markdown: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    if (fence !== undefined) {
      const closing = /^ {0,3}(`+)[ \t]*$/.exec(line)?.[1];
      if (closing !== undefined && closing.length >= fence.length) fence = undefined;
      continue;
    }
    fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (!/^`{3,}diff$/.test(line)) throw new Error(`a fence that is not ours: ${line}`);
      // A block of HTML would go on through the fence if there were no empty line before it.
      if (lines.at(-1) !== "") throw new Error("a fence within HTML");
      lines.push("FENCE");
    } else
      lines.push(
        line.replaceAll(/<code>([^<]*)<\/code>/g, (_, inner: string) => {
          if (!/^(?:[A-Za-z0-9 ,…]|&#\d+;)+$/.test(inner)) throw new Error(`raw in code: ${inner}`);
          return "CODE";
        }),
      );
  }
  if (fence !== undefined) throw new Error("a fence is not closed");
  return lines.join("\n");
}

describe("hostile text in ctx diff", () => {
  it("diff: hostile text reaches no stream raw, in any format, on a terminal or in a pipe", async () => {
    const { folder, a, b } = await pair(hostile("one"), hostile("two"));
    const formats = [
      [],
      ["--json"],
      ["--human"],
      ["--markdown"],
      ["--stat"],
      ["--human", "--align", "index"],
      ["--human", "--only", "output,tool"],
      ["--human", "--ignore", evil, "--ignore", `${markup}:$.output`],
      ["--markdown", "--ignore", evil, "--ignore", `${markup}:$.output`],
      ["--stat", "--ignore", evil],
      ["--only", evil],
      ["--ignore", `$.${evil}`],
      ["--unified", evil],
      ["--align", evil],
      ["--baseline", evil],
      [evil],
      ["--junit", `none/${evil.replaceAll("\0", "")}`],
    ];
    for (const args of formats)
      for (const options of [{ folder }, { folder, terminal: 80 }, { folder, width: 300 }]) {
        const { stdout, stderr } = await cli(["diff", a, b, ...args], options);
        const found = rawText.exec(stripped(stdout + stderr));
        expect(found, `${JSON.stringify(args)}: ${JSON.stringify(found?.[0])}`).toBeNull();
        expect(stdout + stderr).not.toBe("");
        if (args[0] === "--json" || (args.length === 0 && !("terminal" in options)))
          expect(stdout.trimEnd()).toMatch(/^[^\u0000-\u001f]*$/);
      }
  });

  it("diff: hostile text keeps its meaning in JSON", async () => {
    const { report } = await known(hostile("one"), hostile("two"));
    const found = await report();
    expect(found.entries.some(({ pack_a }) => typeof pack_a === "string" && pack_a.includes(evil))).toBe(
      true,
    );
  });

  it("diff: hostile text does not break out of its fence or code in Markdown", async () => {
    for (const args of [[], ["--align", "index"], ["--ignore", markup], ["--only", "output,param"]]) {
      const { run } = await known(hostile("one"), hostile("two"));
      const { status, stdout } = await run("--markdown", ...args);
      expect(status).toBe(0);
      expect(stdout).toContain("zqx");
      const rest = outside(stdout);
      expect(rest).not.toContain("zqx");
      expect(rest.replaceAll(/<\/?(?:details|summary)>/g, "")).not.toMatch(/[<>@&]|\]\(/);
      const opened = rest.match(/<details>/g)?.length;
      expect(opened).toBeGreaterThan(3);
      expect(rest.match(/<\/details>/g)).toHaveLength(opened as number);
      expect(rest.match(/FENCE/g)).toHaveLength(opened as number);
      for (const line of rest.split("\n"))
        if (line.includes("details>"))
          expect(line).toMatch(/^(?:<\/details>|<details><summary>[^<>]*<\/summary>)$/);
      expect(Buffer.byteLength(stdout)).toBeLessThan(60_000);
    }
  });

  it("diff: an empty line follows every HTML block in Markdown", async () => {
    const { run } = await known(original(), { ...concise, model: { identifier: "another" } });
    const { stdout } = await run("--markdown");
    const lines = stdout.split("\n");
    const ends = lines.flatMap((line, at) => (line === "</details>" ? [at] : []));
    expect(ends.length).toBeGreaterThan(0);
    for (const at of ends) expect(lines[at + 1]).toBe("");
  });

  it("diff: a tool name with line feeds stays on the line of its step", async () => {
    const forged = "bash\n- 7 forged";
    const { run } = await known(
      original(),
      original({
        steps: [
          ...(original()["steps"] as AnyLog[]),
          call(forged, { [forged]: forged, [`${forged}2`]: [forged] }, "x"),
        ],
      }),
    );
    for (const format of ["--human", "--markdown"])
      expect((await run(format)).stdout, format).not.toMatch(/^\s*- 7 forged/m);
  });

  it("diff: hostile text is well-formed XML in JUnit", async () => {
    const { folder, run } = await pair(hostile("one"), hostile("two"));
    expect((await run("--exit-code", "--junit", "out.xml")).status).toBe(1);
    const xml = fs.readFileSync(join(folder, "out.xml"), "utf8");
    expect(rawText.exec(xml)).toBeNull();
    const found = elements(xml);
    expect(found.filter(({ name }) => name === "failure")).toHaveLength(5);
    expect(found.map(({ name }) => name)).not.toContain("script");
  });
});

const hugeLog = (word: string): AnyLog =>
  smallLog({
    steps: Array.from({ length: 1500 }, (_, at) =>
      call(`tool${at}`, { nr: at, text: `${word} ${at}\n`.repeat(30) }, `${word} ${at}\n`.repeat(100)),
    ),
  });

describe("a huge report of ctx diff", () => {
  it("diff: a huge Markdown report stays under 60 KB and counts what it leaves out", async () => {
    const { run, report } = await known(hugeLog("old"), hugeLog("new"));
    const { stdout } = await run("--markdown");
    const found = await report();
    expect(found.entries).toHaveLength(1500);
    expect(Buffer.byteLength(stdout)).toBeLessThan(60_000);
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(30_000);
    outside(stdout);
    const shown = stdout.match(/<summary>\d+\./g)?.length ?? 0;
    expect(stdout).toContain(`… and ${(1500 - shown).toLocaleString("en")} more differences`);
    const human = await run("--human");
    expect(human.stdout.split("\n").length).toBeLessThan(2000);
    expect(human.stdout).toContain("more differences");
  });

  it.each([
    ["that cannot be seen", "\u202e"],
    ["outside of ASCII", "💥"],
    ["that mean something in HTML", "<"],
    ["that mean something in Markdown", "`"],
  ])("diff: Markdown with long names of characters %s stays under 60 KB", async (_name, character) => {
    const long = (name: string): string => `${name} ${character.repeat(1000)}`;
    const log = (word: string): AnyLog =>
      smallLog({
        system_prompt: long(word),
        model: {
          identifier: long(word),
          parameters: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [long(`${at}`), long(word)])),
        },
        inputs: Array.from({ length: 40 }, (_, at) => ({
          name: `${at} ${character.repeat(60)}`,
          content: long(word),
        })),
        steps: Array.from({ length: 60 }, (_, at) => [
          call(long(`${at}`), { at }, long(word)),
          call(long(`${at}`), { [long(`${at}`)]: long(word), at }, long(word)),
        ]).flat(),
        outputs: Array.from({ length: 40 }, (_, at) => ({
          name: `${at} ${character.repeat(60)}`,
          content: long(word),
        })),
        environment: {
          os: long(word),
          runtime: long(word),
          tool_versions: Object.fromEntries(
            Array.from({ length: 40 }, (_, at) => [long(`${at}`), long(word)]),
          ),
        },
      });
    const { run } = await known(log("old"), log("new"));
    const rules = Array.from({ length: 25 }, (_, at) => ["--ignore", long(`rule ${at}`)]).flat();
    const { stdout, status } = await run("--markdown", ...rules);
    expect(status).toBe(0);
    outside(stdout);
    expect(stdout.isWellFormed()).toBe(true);
    // Half a character would become one of these.
    expect(stdout).not.toMatch(/\ufffd|\{d83d\}|&#123;d83d/);
    expect(Buffer.byteLength(stdout)).toBeLessThan(60_000);
  });
});
