// The steps of two runs as numbers: equal values get equal numbers, so that aligning never reads text again.
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject } from "../base/json/value.js";
import type { Step } from "../model/manifest.js";

/** The steps of one run, with a column for each aspect that is compared. */
export interface Sequence {
  readonly length: number;
  /** Type and tool. */
  readonly kind: Int32Array;
  readonly parameters: Int32Array;
  /** Type, tool and parameters. */
  readonly call: Int32Array;
  readonly output: Int32Array;
  /** Call and output. */
  readonly full: Int32Array;
  readonly isTool: Uint8Array;
  /** The position of the tool step before each step, or -1. */
  readonly toolBefore: Int32Array;
  /** The parallel group of each step, or -1. */
  readonly group: Int32Array;
}

export interface Sequences {
  a: Sequence;
  b: Sequence;
  /** Returns the parameters of a call, by its number. */
  parametersOf(call: number): JsonObject;
}

const maxGroup = 64;

/** Assigns numbers to keys, counting up from 0 over both runs. */
class Numbers<K> {
  readonly #ids = new Map<K, number>();

  of(key: K): number {
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = this.#ids.size));
    return id;
  }
}

/** Larger than any number, so that two of them make one key. */
const span = 2 ** 26;

export function toSequences(stepsA: readonly Step[], stepsB: readonly Step[]): Sequences {
  const kinds = new Numbers<string>();
  const parameters = new Numbers<string>();
  const outputs = new Numbers<string | undefined>();
  const calls = new Numbers<number>();
  const fulls = new Numbers<number>();
  const examples: JsonObject[] = [];

  function build(steps: readonly Step[]): Sequence {
    const length = steps.length;
    const columns = Array.from({ length: 6 }, () => new Int32Array(length));
    const [kind, parameter, call, output, full, toolBefore] = columns as [
      Int32Array,
      Int32Array,
      Int32Array,
      Int32Array,
      Int32Array,
      Int32Array,
    ];
    const isTool = new Uint8Array(length);
    let lastTool = -1;
    for (let i = 0; i < length; i++) {
      const step = steps[i] as Step;
      kind[i] = kinds.of(step.tool === undefined ? step.type : `${step.type}\0${step.tool}`);
      parameter[i] = parameters.of(canonicalText(step.parameters));
      call[i] = calls.of((kind[i] as number) * span + (parameter[i] as number));
      output[i] = outputs.of(step.output_ref);
      full[i] = fulls.of((call[i] as number) * span + (output[i] as number));
      examples[call[i] as number] ??= step.parameters;
      toolBefore[i] = lastTool;
      if (step.tool !== undefined) {
        isTool[i] = 1;
        lastTool = i;
      }
    }
    return {
      length,
      kind,
      parameters: parameter,
      call,
      output,
      full,
      isTool,
      toolBefore,
      group: groupsOf(steps),
    };
  }

  return { a: build(stepsA), b: build(stepsB), parametersOf: (call) => examples[call] as JsonObject };
}

/**
 * Returns the groups of steps that were issued together: 2 to 64 with the same text in `metadata.parallel`.
 */
function groupsOf(steps: readonly Step[]): Int32Array {
  const members = new Map<string, number[]>();
  steps.forEach((step, i) => {
    const name = step.metadata?.["parallel"];
    if (typeof name !== "string" || name === "") return;
    const list = members.get(name);
    if (list === undefined) members.set(name, [i]);
    else list.push(i);
  });
  const group = new Int32Array(steps.length).fill(-1);
  let id = 0;
  for (const list of members.values()) {
    if (list.length < 2 || list.length > maxGroup) continue;
    for (const i of list) group[i] = id;
    id++;
  }
  return group;
}
