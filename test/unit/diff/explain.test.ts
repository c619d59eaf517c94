// Where two small runs diverged, according to their manifests alone.
import { describe, expect, it } from "vitest";
import { type Reference, sha256, toReference } from "../../../src/base/digest.js";
import type { JsonObject } from "../../../src/base/json/value.js";
import { type CompareOptions, compareRuns } from "../../../src/diff/compare-runs.js";
import { maxEntries } from "../../../src/diff/explain.js";
import type { DriftReport } from "../../../src/results/drift.js";
import type { Manifest, Step } from "../../../src/model/manifest.js";

const contents = new Map<Reference, string>();

function ref(text: string): Reference {
  const reference = toReference(sha256(Buffer.from(text)));
  contents.set(reference, text);
  return reference;
}

type Made = Omit<Step, "index">;

/** A tool step; without an output it has none. */
function call(tool: string, parameters: JsonObject, output?: string, more: Partial<Made> = {}): Made {
  return {
    type: "tool_call",
    tool,
    parameters,
    deterministic: false,
    ...(output === undefined ? {} : { output_ref: ref(output) }),
    ...more,
  };
}

function prose(output: string, type = "reasoning"): Made {
  return { type, parameters: {}, output_ref: ref(output), deterministic: false };
}

/** Returns a step that both runs share, with words of its own. */
function shared(name: string): Made {
  return call("read_file", { path: `${name}.txt` }, `the text of ${name}`);
}

function manifest(steps: Made[], fields: Partial<Manifest> = {}): Manifest {
  return {
    version: "0.1",
    hash: "",
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "m", parameters: {} },
    system_prompt: ref("system"),
    prompts: [],
    inputs: [],
    outputs: [],
    environment: { os: "linux", runtime: "node20", tool_versions: {} },
    ...fields,
    steps: steps.map((step, index) => ({ index, ...step })),
  };
}

interface CompareInput extends CompareOptions {
  a?: Partial<Manifest>;
  b?: Partial<Manifest>;
  /** Exchange the packs' names, so that the comparison inside runs the other way round. */
  flipped?: boolean;
}

function compare(
  a: Made[],
  b: Made[],
  { a: moreA, b: moreB, flipped, ...options }: CompareInput = {},
): DriftReport {
  const [one, other] = flipped === true ? ["f", "0"] : ["0", "f"];
  return compareRuns(
    { hex: one.repeat(64), manifest: manifest(a, moreA) },
    { hex: other.repeat(64), manifest: manifest(b, moreB) },
    { readText: (reference) => contents.get(reference), ...options },
  );
}

/** Returns what is said about each entry: `added follows value 0`. */
function relations({ entries }: DriftReport): string[] {
  return entries.map(({ change, relation, because, leans_on }) =>
    [change, relation, because, leans_on].filter((part) => part !== undefined).join(" "),
  );
}

/** A message. */
function say(text: string): Made {
  return prose(text, "message");
}

/** Thirty calls that no other run makes. */
function work(run: string): Made[] {
  return Array.from({ length: 30 }, (_, at) =>
    call(`${run}_${at}`, { [run]: `${run}${at}` }, `${run}: ${at}`),
  );
}

describe("where two runs diverged", () => {
  it("diverged: equal runs did not", () => {
    const report = compare([shared("one"), prose("hm")], [shared("one"), prose("hm")]);
    expect(report).toMatchObject({
      has_drift: false,
      entries: [],
      first_divergence: null,
      resync: null,
      alignment: "exact",
    });
  });

  it.each([false, true])(
    "diverged: at the first call that differs, with the calls of both runs",
    (flipped) => {
      const report = compare(
        [shared("one"), call("bash", { command: "make all" }, "ok"), shared("two")],
        [shared("one"), call("bash", { command: "make test" }, "ok"), shared("two")],
        { flipped },
      );
      expect(report.first_divergence).toMatchObject({
        entry: 0,
        description: "Step 1: bash called with different parameters",
        index_a: 1,
        index_b: 1,
        step_a: { index: 1, type: "tool_call", tool: "bash", parameters: { command: "make all" } },
        step_b: { index: 1, type: "tool_call", tool: "bash", parameters: { command: "make test" } },
        causes: { entries: [], context: [], other: [] },
      });
      expect(report.resync).toEqual({ index_a: 2, index_b: 2 });
      expect(report.entries[0]?.relation).toBeNull();
    },
  );

  it("diverged: at an added step, beside what the other run did there", () => {
    const report = compare(
      [shared("one"), shared("two")],
      [shared("one"), call("bash", { command: "ls" }, "x"), shared("two")],
    );
    expect(report.first_divergence).toMatchObject({
      index_a: 1,
      index_b: 1,
      step_a: { tool: "read_file", parameters: { path: "two.txt" } },
      step_b: { tool: "bash" },
    });
    expect(report.resync).toEqual({ index_a: 1, index_b: 2 });
  });

  it("diverged: at the end of the run that stopped", () => {
    const report = compare([shared("one"), shared("two"), shared("three")], [shared("one")]);
    expect(report.entries).toMatchObject([
      { change: "removed", count: 2, at_end: true, index_a: 1, index_b: null, step_index: 1 },
    ]);
    expect(report.first_divergence).toMatchObject({ index_a: 1, index_b: null, step_b: null });
    expect(report.resync).toBeNull();
  });

  it("diverged: where another tool was called", () => {
    const report = compare(
      [shared("one"), call("grep", { pattern: "x" }, "1")],
      [shared("one"), call("find", { pattern: "x" }, "2")],
    );
    expect(report.entries).toMatchObject([{ change: "replaced", fields: ["tool", "output"] }]);
    expect(report.first_divergence).toMatchObject({ step_a: { tool: "grep" }, step_b: { tool: "find" } });
    expect(report.resync).toBeNull();
  });

  it("diverged: where a step was moved", () => {
    const steps = ["one", "two", "three", "four"].map(shared);
    const [one, two, three, four] = steps as [Made, Made, Made, Made];
    const report = compare([one, two, three, four], [one, three, four, two]);
    expect(report.entries).toMatchObject([{ change: "moved", index_a: 1, index_b: 3 }]);
    expect(report.first_divergence).toMatchObject({
      step_a: { parameters: { path: "two.txt" } },
      step_b: { parameters: { path: "three.txt" } },
    });
    expect(report.resync).toEqual({ index_a: 2, index_b: 1 });
  });

  it("diverged: a changed output, prose and a retry are no decisions, so not there", () => {
    const poll = (output: string): Made => call("poll", { job: "17" }, output);
    const report = compare(
      [prose("I think"), shared("one"), call("bash", { command: "ls" }, "a"), poll("done"), shared("two")],
      [
        prose("I guess"),
        shared("one"),
        call("bash", { command: "ls" }, "b"),
        prose("wait"),
        poll("busy"),
        poll("done"),
        shared("two"),
        prose("end"),
      ],
    );
    expect(report.has_drift).toBe(true);
    expect(report.entries.map(({ change }) => change).sort()).toEqual([
      "added",
      "added",
      "changed",
      "changed",
      "retried",
    ]);
    expect(report.first_divergence).toBeNull();
    expect(report.resync).toBeNull();
    expect(report.entries.map(({ relation }) => relation)).toEqual(report.entries.map(() => null));
  });

  it("diverged: at the tool step, not the prose before it, which is named as earlier", () => {
    const report = compare(
      [prose("first thought"), shared("one"), call("bash", { command: "ls" }, "a"), call("stop", {}, "x")],
      [prose("other thought"), shared("one"), call("bash", { command: "ls" }, "b"), call("go", {}, "y")],
    );
    expect(relations(report)).toEqual(["changed before", "changed before", "replaced "]);
    expect(report.first_divergence).toMatchObject({ entry: 2, causes: { entries: [0, 1], context: [] } });
  });

  it("diverged: at a stretch that contains a tool step, whatever it begins with", () => {
    const report = compare(
      [shared("one")],
      [shared("one"), prose("hm"), call("bash", { command: "ls" }, "a")],
    );
    expect(report.entries).toMatchObject([{ change: "added", count: 2, index_b: 1 }]);
    expect(report.first_divergence).toMatchObject({
      index_a: null,
      step_a: null,
      index_b: 1,
      step_b: { type: "reasoning" },
      call_b: { tool: "bash", index: 2 },
    });
    expect(report.first_divergence).not.toHaveProperty("call_a");
  });

  it("diverged: at the step that the list of differences names, with the first call of either run", () => {
    const chat = (run: string): Made[] => [0, 1, 2].map((turn) => prose(`${run} says ${turn}`, "message"));
    const report = compare([...chat("a"), ...work("a")], [shared("one"), prose("hm"), ...work("b")]);
    const [entry] = report.entries;
    expect(entry).toMatchObject({ change: "removed", index_a: 0 });
    expect(report.first_divergence).toMatchObject({
      entry: 0,
      index_a: 0,
      step_a: { type: "message" },
      call_a: { tool: "a_0", index: 3 },
      index_b: 0,
      step_b: { tool: "read_file" },
    });
  });

  it.each([false, true])(
    "diverged: runs that begin with messages are compared from their first messages on",
    (flipped) => {
      const chat = (run: string, count: number): Made[] =>
        Array.from({ length: count }, (_, at) => prose(`${run} says ${at}`, "message"));
      // The first run only talks; the second one talks twice, works, and says goodbye.
      const report = compare(
        chat("a", 25),
        [
          ...chat("b", 2),
          ...Array.from({ length: 24 }, (_, at) => call("search", { flight: `b${at}` }, `flight ${at}`)),
          prose("b says goodbye", "message"),
        ],
        { flipped },
      );
      expect(report.first_divergence).toMatchObject({
        index_a: 2,
        step_a: { type: "message" },
        index_b: 2,
        step_b: { tool: "search", parameters: { flight: "b0" } },
      });
      const before = report.entries.filter(({ relation }) => relation === "before");
      expect(before.map(({ index_a, index_b }) => [index_a, index_b])).toEqual([
        [0, 0],
        [1, 1],
      ]);
    },
  );

  it("diverged: prose before a call stays with that call", () => {
    const report = compare(
      [say("a0"), shared("one"), say("a1"), shared("two")],
      [say("b0"), shared("one"), say("new"), call("bash", { command: "ls" }, "x"), say("b1"), shared("two")],
    );
    expect(report.entries.find(({ change }) => change === "added")).toMatchObject({ index_b: 2, count: 2 });
  });

  it("diverged: in runs of prose only, at the first difference", () => {
    const report = compare([prose("a"), prose("b"), prose("c")], [prose("a"), prose("x"), prose("c")]);
    expect(report.first_divergence).toMatchObject({
      entry: 0,
      index_a: 1,
      index_b: 1,
      step_a: { type: "reasoning" },
    });
    expect(report.first_divergence?.step_a).not.toHaveProperty("tool");
    expect(report.resync).toEqual({ index_a: 2, index_b: 2 });
  });

  it("diverged: prompts, models and artifacts do not count", () => {
    const report = compare([shared("one")], [shared("one")], {
      b: {
        system_prompt: ref("other"),
        model: { identifier: "n", parameters: {} },
        outputs: [{ name: "x", content_ref: ref("y") }],
      },
    });
    expect(report.entries.map(({ type }) => type)).toEqual(["prompt_drift", "param_drift", "output_drift"]);
    expect(report).toMatchObject({ has_drift: true, first_divergence: null });
  });

  it("diverged: runs without steps did not", () =>
    expect(compare([], [], { b: { system_prompt: ref("other") } }).first_divergence).toBeNull());
});

describe("the causes of a divergence", () => {
  it("causes: all that differed before the divergence, and what changed around the runs", () => {
    const report = compare(
      [shared("one"), call("stat", {}, "a"), call("bash", { command: "ls" }), shared("two")],
      [shared("one"), call("stat", {}, "b"), call("find", { name: "x" }), shared("two")],
      {
        a: { outputs: [{ name: "r", content_ref: ref("1") }] },
        b: {
          outputs: [{ name: "r", content_ref: ref("2") }],
          system_prompt: ref("be brief"),
          model: { identifier: "m2", parameters: { temperature: 1 } },
          prompts: [{ role: "user", content_ref: ref("hello") }],
          inputs: [{ name: "data.csv", content_ref: ref("1,2"), size: 3 }],
          environment: { os: "darwin", runtime: "node20", tool_versions: { git: "2" } },
        },
      },
    );
    expect(report.entries.map(({ type }) => type)).toEqual([
      "prompt_drift",
      "prompt_drift",
      "param_drift",
      "param_drift",
      "reasoning_drift",
      "tool_drift",
      "output_drift",
    ]);
    expect(report.first_divergence).toMatchObject({
      entry: 5,
      causes: { entries: [0, 1, 2, 3, 4], context: [0, 1, 2] },
    });
    expect(report.context.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "input data.csv",
      "environment os",
      "environment tool_versions.git",
    ]);
  });

  it("causes: what differed later is none", () => {
    const report = compare(
      [call("bash", { command: "ls" }), shared("one"), call("stat", {}, "a")],
      [call("find", { name: "x" }), shared("one"), call("stat", {}, "b")],
    );
    expect(report.first_divergence).toMatchObject({ entry: 0, causes: { entries: [], context: [] } });
    expect(report.entries).toHaveLength(2);
  });

  it("causes: differences of context only are no drift", () => {
    const report = compare([shared("one")], [{ ...shared("one"), deterministic: true }], {
      b: { environment: { os: "darwin", runtime: "node20", tool_versions: {} } },
    });
    expect(report).toMatchObject({ has_drift: false, entries: [] });
    expect(report.context).toEqual([
      { kind: "environment", name: "os", pack_a: "linux", pack_b: "darwin" },
      { kind: "deterministic", name: "step 0", pack_a: false, pack_b: true },
    ]);
  });
});

const diverging = (side: "a" | "b"): Made =>
  side === "a"
    ? call("search", { query: "apples" }, "nothing")
    : call("search", { query: "oranges" }, "see harvest");

describe("links between later differences and the divergence", () => {
  it("links: the same stretch is linked where no pair lies between", () => {
    const report = compare(
      [call("grep", { pattern: "first" }, "1"), call("stat", {}, "2"), shared("one")],
      [call("find", { pattern: "other" }, "3"), call("stat", {}, "4"), shared("one")],
    );
    expect(relations(report)).toEqual(["replaced ", "changed follows same_stretch 0"]);
  });

  it("links: a value that first appeared in the divergence links", () => {
    const report = compare(
      [diverging("a"), shared("one"), call("open", { page: "start" }, "x"), shared("two")],
      [diverging("b"), shared("one"), call("open", { page: "harvest" }, "y"), shared("two")],
    );
    expect(relations(report)).toEqual(["changed ", "changed follows value 0"]);
    expect(report.entries[1]).toMatchObject({ word: "harvest", side: "b" });
  });

  it("links: a value in parameters links, and the longer word is named", () => {
    const report = compare(
      [diverging("a"), shared("one"), call("open", { page: "start" }, "x"), shared("two")],
      [diverging("b"), shared("one"), call("open", { page: "harvest of oranges" }, "y"), shared("two")],
    );
    expect(report.entries[1]).toMatchObject({ because: "value", word: "harvest", side: "b" });
  });

  it("links: they pass from entry to entry", () => {
    const report = compare(
      [
        diverging("a"),
        shared("one"),
        call("open", { page: "start" }, "x"),
        shared("two"),
        call("save", { to: "here" }, "z"),
      ],
      [
        diverging("b"),
        shared("one"),
        call("open", { page: "harvest" }, "token quux42"),
        shared("two"),
        call("save", { to: "quux42" }, "z"),
      ],
    );
    expect(relations(report)).toEqual(["changed ", "changed follows value 0", "changed follows value 1"]);
    expect(report.entries[2]).toMatchObject({ word: "quux42" });
  });

  it("links: a word that was known before, or that both runs share, does not link", () => {
    const known = [
      [call("note", { text: "harvest" }, "ok"), "before, as a parameter"],
      [call("note", {}, "the harvest is near"), "before, as an output"],
    ] as const;
    for (const [step, why] of known) {
      const report = compare(
        [step, diverging("a"), shared("one"), call("open", { page: "start" }, "x"), shared("two")],
        [step, diverging("b"), shared("one"), call("open", { page: "harvest" }, "y"), shared("two")],
      );
      expect(relations(report), why).toEqual(["changed ", "changed independent no_link"]);
    }
    const late = call("note", { text: "harvest" }, "ok");
    const report = compare(
      [diverging("a"), shared("one"), call("open", { page: "start" }, "x"), late],
      [diverging("b"), shared("one"), call("open", { page: "harvest" }, "y"), late],
    );
    expect(relations(report)).toEqual(["changed ", "changed independent no_link"]);
  });

  it("links: short words and words of the other side do not link", () => {
    const short = compare(
      [call("search", { query: "apples" }, "see fig"), shared("one"), call("open", { page: "start" }, "x")],
      [call("search", { query: "oranges" }, "see fig"), shared("one"), call("open", { page: "fig" }, "y")],
    );
    expect(relations(short)).toEqual(["changed ", "changed independent no_link"]);
    const other = compare(
      [
        call("search", { query: "apples" }, "see harvest"),
        shared("one"),
        call("open", { page: "start" }, "x"),
        shared("two"),
      ],
      [
        call("search", { query: "oranges" }, "nothing"),
        shared("one"),
        call("open", { page: "harvest" }, "y"),
        shared("two"),
      ],
    );
    expect(relations(other)).toEqual(["changed ", "changed independent no_link"]);
  });

  it("links: the same resource links where only an output differs and a path was named", () => {
    const report = compare(
      [
        call("write", { file: "src/app.ts", text: "long" }, "ok"),
        shared("one"),
        call("read", { file: "src/app.ts" }, "long"),
        shared("two"),
      ],
      [
        call("write", { file: "src/app.ts", text: "other" }, "ok"),
        shared("one"),
        call("read", { file: "src/app.ts" }, "other"),
        shared("two"),
      ],
    );
    expect(relations(report)).toEqual(["changed ", "changed follows same_resource 0"]);
    expect(report.entries[1]).toMatchObject({ type: "reasoning_drift", word: "src/app.ts", side: "both" });
  });

  it("links: another path, or parameters that differ as well, do not link as a resource", () => {
    const report = compare(
      [
        call("write", { file: "a.ts", text: "long" }, "ok"),
        shared("one"),
        call("read", { file: "b.ts" }, "long"),
        shared("two"),
        call("read", { file: "a.ts", from: 1 }, "x"),
        shared("three"),
      ],
      [
        call("write", { file: "a.ts", text: "other" }, "ok"),
        shared("one"),
        call("read", { file: "b.ts" }, "short"),
        shared("two"),
        call("read", { file: "a.ts", from: 2 }, "y"),
        shared("three"),
      ],
    );
    expect(relations(report)).toEqual([
      "changed ",
      "changed independent no_link",
      "changed independent no_link",
    ]);
  });

  it("links: beyond a number of entries they are unknown", () => {
    const count = maxEntries + 20;
    const side = (name: string): Made[] => [
      call("start", { mode: name }, "ok"),
      ...Array.from({ length: count }, (_, at) => [
        shared(`between ${at}`),
        call("stat", { nr: at }, `${name} ${at}`),
      ]).flat(),
    ];
    const report = compare(side("left"), side("right"));
    expect(report.entries).toHaveLength(count + 1);
    const said = relations(report).slice(1);
    expect(said.slice(0, maxEntries)).toEqual(
      Array.from({ length: maxEntries }, () => "changed independent no_link"),
    );
    expect(new Set(said.slice(maxEntries))).toEqual(new Set(["changed unknown budget"]));
  });

  it("links: they are unknown where a needed content cannot be read", () => {
    const unreadable = shared("secret");
    const report = compare(
      [unreadable, diverging("a"), shared("one"), call("open", { page: "start" }, "x"), shared("two")],
      [unreadable, diverging("b"), shared("one"), call("open", { page: "harvest" }, "y"), shared("two")],
      {
        readText: (reference) => (reference === unreadable.output_ref ? undefined : contents.get(reference)),
      },
    );
    expect(relations(report)).toEqual(["changed ", "changed unknown unreadable"]);
  });

  it("links: they lead only to earlier entries, and never to independent ones", () => {
    const report = compare(
      [
        diverging("a"),
        shared("one"),
        call("stat", {}, "1"),
        shared("two"),
        call("open", { page: "start" }, "x"),
        shared("three"),
      ],
      [
        diverging("b"),
        shared("one"),
        call("stat", {}, "quux42"),
        shared("two"),
        call("open", { page: "quux42" }, "y"),
        shared("three"),
      ],
    );
    expect(relations(report)).toEqual([
      "changed ",
      "changed independent no_link",
      "changed independent no_link",
    ]);
  });
});

const fetched = (name: string): Made => call("fetch", { url: name }, `page ${name}`);

const grouped = (name: string, output?: string): Made => ({
  ...call("fetch", { url: name }, output ?? `page ${name}`),
  metadata: { parallel: "g1" },
});

describe("parallel steps", () => {
  it("parallel steps in another order are no drift", () => {
    const report = compare(
      [shared("one"), grouped("x"), grouped("y"), grouped("z"), shared("two")],
      [shared("one"), grouped("z"), grouped("x"), grouped("y"), shared("two")],
    );
    expect(report).toMatchObject({ has_drift: false, entries: [], first_divergence: null });
    expect(report.reordered).toEqual([
      { index_a: 1, index_b: 2 },
      { index_a: 2, index_b: 3 },
      { index_a: 3, index_b: 1 },
    ]);
  });

  it.each([false, true])(
    "parallel steps come before what follows them, in whatever order they returned",
    (flipped) => {
      const report = compare(
        [shared("one"), grouped("w"), grouped("x"), grouped("y"), grouped("z"), shared("two")],
        [
          shared("one"),
          grouped("z"),
          grouped("y", "changed"),
          grouped("x"),
          grouped("w"),
          call("grep", { pattern: "foo" }, "x"),
          shared("two"),
        ],
        { flipped },
      );
      expect(relations(report)).toEqual(["changed before", "added "]);
      expect(report.first_divergence).toMatchObject({
        entry: 1,
        index_a: 5,
        index_b: 5,
        causes: { entries: [0] },
      });
    },
  );

  it("parallel steps that differ are drift, also in another order", () => {
    const report = compare(
      [shared("one"), grouped("x"), grouped("y"), shared("two")],
      [shared("one"), grouped("y", "changed"), grouped("x"), shared("two")],
    );
    expect(report.entries).toMatchObject([{ type: "reasoning_drift", index_a: 2, index_b: 1 }]);
    expect(report.reordered).toEqual([
      { index_a: 1, index_b: 2 },
      { index_a: 2, index_b: 1 },
    ]);
  });

  it("steps without the parallel field are moved", () => {
    const report = compare(
      [shared("one"), fetched("x"), fetched("y"), shared("two")],
      [shared("one"), fetched("y"), fetched("x"), shared("two")],
    );
    expect(report.reordered).toEqual([]);
    expect(report.entries).toMatchObject([{ change: "moved" }]);
  });

  it.each([
    ["a number", 1],
    ["an empty text", ""],
  ])("parallel steps need a group name: %s is none", (_name, parallel) => {
    const plain = (name: string): Made => ({
      ...call("fetch", { url: name }, `page ${name}`),
      metadata: { parallel },
    });
    const report = compare([plain("x"), plain("y")], [plain("y"), plain("x")]);
    expect(report).toMatchObject({ has_drift: true, reordered: [] });
  });
});

const polled = (output: string): Made => call("poll", {}, output);

describe("alignment by position", () => {
  it("by position: one inserted step makes all later ones different, and nothing moves", () => {
    const [one, two, three] = ["one", "two", "three"].map(shared) as [Made, Made, Made];
    const fresh = call("bash", { command: "ls" }, "x");
    const report = compare([one, two, three], [one, fresh, two, three], { align: "index" });
    expect(report.alignment).toBe("index");
    expect(report.entries.map(({ change, index_a, index_b }) => [change, index_a, index_b])).toEqual([
      ["replaced", 1, 1],
      ["changed", 2, 2],
      ["added", null, 3],
    ]);
    expect(report.first_divergence).toMatchObject({ index_a: 1, index_b: 1 });
    expect(report.resync).toBeNull();
  });

  it("by position: the longer tail is one entry", () => {
    const steps = ["one", "two", "three", "four"].map(shared);
    expect(compare(steps, steps.slice(0, 1), { align: "index" }).entries).toMatchObject([
      { change: "removed", index_a: 1, count: 3, at_end: true },
    ]);
  });

  it("by position: there are no retries and no reorderings", () => {
    const report = compare([polled("done"), shared("one")], [polled("busy"), polled("done"), shared("one")], {
      align: "index",
    });
    expect(report.entries.some(({ change }) => change === "retried" || change === "moved")).toBe(false);
    const group = (name: string): Made => ({ ...shared(name), metadata: { parallel: "g" } });
    const swapped = compare([group("x"), group("y")], [group("y"), group("x")], { align: "index" });
    expect(swapped).toMatchObject({ has_drift: true, reordered: [] });
    expect(swapped.entries).toHaveLength(2);
  });
});

describe("the other way round", () => {
  it("a diff with its sides exchanged is the mirror of the diff", () => {
    const a = [
      prose("one"),
      call("search", { query: "apples" }, "n"),
      shared("x"),
      call("open", { page: "p1" }, "x"),
    ];
    const b = [
      prose("two"),
      call("search", { query: "oranges" }, "harvest"),
      shared("x"),
      call("open", { page: "harvest" }, "y"),
      shared("end"),
    ];
    const forth = compare(a, b);
    const back = compare(b, a, { flipped: true });
    expect(back.first_divergence).toMatchObject({
      entry: forth.first_divergence?.entry,
      index_a: forth.first_divergence?.index_b,
      index_b: forth.first_divergence?.index_a,
      step_a: forth.first_divergence?.step_b,
      step_b: forth.first_divergence?.step_a,
      causes: forth.first_divergence?.causes,
    });
    expect(back.resync).toEqual({ index_a: forth.resync?.index_b, index_b: forth.resync?.index_a });
    expect(back.entries.map(({ relation, because, word }) => [relation, because, word])).toEqual(
      forth.entries.map(({ relation, because, word }) => [relation, because, word]),
    );
  });
});
