// The runs that the cases start from, in five shapes: from typical runs of agents to steps that no aligner
// can distinguish.
import { createHash } from "node:crypto";
import type { Reference } from "../../src/base/digest.js";
import type { JsonObject } from "../../src/base/json/value.js";
import type { Manifest } from "../../src/model/manifest.js";
import type { Random } from "./random.js";

/** A step before it has a position. */
export interface Body {
  type: string;
  tool?: string;
  parameters: JsonObject;
  output_ref?: Reference;
  parallel?: string;
}

export const shapes = ["realistic", "distinct", "loops", "four", "equal"] as const;
export type Shape = (typeof shapes)[number];

/** The share of each shape, in twentieths. */
export const shares: Record<Shape, number> = { realistic: 7, distinct: 5, loops: 4, four: 3, equal: 1 };

const makers: Record<string, (random: Random) => JsonObject> = {
  read_file: (random) => ({ path: fileName(random) }),
  write_file: (random) => ({ path: fileName(random), content: `${random.word()} ${random.word()}` }),
  edit_file: (random) => ({ path: fileName(random), old: random.word(), new: `${random.word()}()` }),
  bash: (random) => ({ command: `make ${random.word()} --jobs ${random.between(1, 9)}`, timeout: 30 }),
  grep: (random) => ({ pattern: random.word(), paths: ["src", `test/${random.word()}`], options: {} }),
  fetch: (random) => ({ url: `https://${random.word()}.example/${random.word()}`, headers: [] }),
  query: (random) => ({ table: random.pick(["users", "orders"]), where: { id: random.bits(), deep: true } }),
  run_tests: (random) => ({ filter: random.word(), verbose: random.chance(0.5), retries: null }),
};
const toolNames = Object.keys(makers);

function fileName(random: Random): string {
  return `src/${random.pick(["store", "model", "cli"])}/${random.word()}.ts`;
}

const commonOutputs = ["", "ok", "done", "no matches", "[]", "error: not found"].map(
  (text): Reference => `sha256:${createHash("sha256").update(text).digest("hex")}`,
);

export function freshTool(random: Random): Body {
  const tool = random.pick(toolNames);
  return {
    type: "tool_call",
    tool,
    parameters: (makers[tool] as (random: Random) => JsonObject)(random),
    output_ref: random.reference(),
  };
}

function freshProse(random: Random): Body {
  return { type: "reasoning", parameters: {}, output_ref: random.reference() };
}

export function freshStep(random: Random): Body {
  return random.chance(0.2) ? freshProse(random) : freshTool(random);
}

/** 5 % repeated calls, 24 % common outputs, prose between, parallel groups. */
function realistic(random: Random, size: number): Body[] {
  const steps: Body[] = [];
  let group = 0;
  while (steps.length < size) {
    if (random.chance(0.2)) {
      steps.push(freshProse(random));
      continue;
    }
    const together = random.chance(0.08) ? random.between(2, 6) : 1;
    if (together > 1) group++;
    for (let member = 0; member < together && steps.length < size; member++) {
      // A sixth of them would repeat prose: then the step is fresh.
      const repeated = steps.length > 0 && random.chance(0.06) ? random.pick(steps) : undefined;
      const step = repeated?.tool === undefined ? freshTool(random) : { ...repeated };
      delete step.parallel;
      if (random.chance(0.24)) step.output_ref = random.pick(commonOutputs);
      else if (random.chance(0.5)) step.output_ref = random.reference();
      if (together > 1) step.parallel = `group-${group}`;
      steps.push(step);
    }
  }
  return steps;
}

function distinct(random: Random, size: number): Body[] {
  return Array.from({ length: size }, () => (random.chance(0.1) ? freshProse(random) : freshTool(random)));
}

/** Returns the same body again and again, some of it with a counter; and polls until something is ready. */
function loops(random: Random, size: number): Body[] {
  const body = Array.from({ length: random.between(2, 6) }, () => ({
    step: freshStep(random),
    counts: random.chance(0.3),
    output: random.pick(["same", "common", "fresh"] as const),
  }));
  const poll: Body = { type: "tool_call", tool: "poll", parameters: { job: random.word() } };
  const [pending, ready] = [random.reference(), random.reference()];
  const polls = random.chance(0.6);
  const steps: Body[] = [];
  for (let round = 0; steps.length < size; round++) {
    for (const { step, counts, output } of body) {
      const next = { ...step };
      if (counts && step.tool !== undefined) next.parameters = { ...step.parameters, round };
      if (output === "fresh") next.output_ref = random.reference();
      else if (output === "common") next.output_ref = random.pick(commonOutputs);
      steps.push(next);
    }
    if (!polls) continue;
    for (let left = random.between(0, 5); left > 0; left--) steps.push({ ...poll, output_ref: pending });
    steps.push({ ...poll, output_ref: ready });
  }
  return steps.slice(0, size);
}

function few(random: Random, size: number, calls: number, outputs: number): Body[] {
  const some = Array.from({ length: calls }, () => freshTool(random));
  const results = Array.from({ length: outputs }, () => random.reference());
  return Array.from({ length: size }, () => ({ ...random.pick(some), output_ref: random.pick(results) }));
}

export function makeRun(random: Random, shape: Shape, size: number): Body[] {
  if (shape === "realistic") return realistic(random, size);
  if (shape === "distinct") return distinct(random, size);
  if (shape === "loops") return loops(random, size);
  return shape === "four" ? few(random, size, 4, 2) : few(random, size, 1, 1);
}

/** Returns everything of a manifest but its steps. */
export function makeFrame(random: Random): Omit<Manifest, "steps"> {
  const prompts = Array.from({ length: random.between(1, 4) }, (_, position) => ({
    role: position % 2 === 0 ? "user" : "assistant",
    content_ref: random.reference(),
  }));
  return {
    version: "0.1",
    hash: "",
    created: "2026-01-02T03:04:05Z",
    model: { identifier: "model-1", parameters: { temperature: 0 } },
    system_prompt: random.reference(),
    prompts,
    inputs: [{ name: "input.txt", content_ref: random.reference(), size: 12 }],
    outputs: [{ name: "answer.md", content_ref: random.reference() }],
    environment: { os: "linux", runtime: "node", tool_versions: {} },
  };
}

export function toManifest(frame: Omit<Manifest, "steps">, bodies: readonly Body[]): Manifest {
  // Frozen: code that changes its input fails.
  const steps = bodies.map(({ parallel, ...body }, index) =>
    Object.freeze({
      index,
      ...body,
      deterministic: false,
      ...(parallel === undefined ? {} : { metadata: { parallel } }),
    }),
  );
  Object.freeze(steps);
  return { ...frame, steps };
}

export function hexOf(manifest: Manifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}
