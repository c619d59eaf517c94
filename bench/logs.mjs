// Writes the execution logs that are packed. Their contents look like what tools print (lines, tabs, quotes,
// backslashes), so that JSON has to escape them; they come from a seeded generator, so that every run packs
// the same. They have no field that the reference implementation does not know: other programs pack them too.
import { closeSync, openSync, writeSync } from "node:fs";

/**
 * @typedef {object} LogShape
 * @property {number} [steps] how many steps, each with its own output
 * @property {number} [stepSize] bytes of a step's output
 * @property {number} [inputs] how many inputs
 * @property {number} [inputSize] bytes of an input
 * @property {number} [seed] other contents for another number
 * @property {number} [every] one step in so many has another output than without it
 */

/**
 * Writes a log of this shape. All contents differ.
 * @param {string} path
 * @param {LogShape} shape
 */
export function writeLog(path, shape) {
  const { steps = 0, stepSize = 4096, inputs = 0, inputSize = 1 << 20, seed = 0, every } = shape;
  const random = generator(0x5eed + steps + inputs + seed);
  const makeInput = (/** @type {number} */ index) => ({
    name: `data/part-${index}.txt`,
    content: toolOutput(random, inputSize),
  });
  const makeStep = (/** @type {number} */ index) => {
    const made = step(random, index, stepSize);
    return isEdited(index, every) ? { ...made, output: toolOutput(generator(index), stepSize) } : made;
  };
  writeParts(path, times(inputs, makeInput), times(steps, makeStep));
}

/**
 * Writes a log of many steps that have one of 100 outputs of 100 bytes.
 * @param {string} path
 * @param {number} steps
 * @param {number} [every] one step in so many has another output than without it
 */
export function writeAlikeLog(path, steps, every) {
  const random = generator(0xa11ce);
  const outputs = Array.from({ length: 100 }, () => toolOutput(random, 100));
  const makeStep = (/** @type {number} */ index) => {
    const made = step(random, index, 0);
    const output = outputs[(random() + (isEdited(index, every) ? 1 : 0)) % outputs.length];
    return { ...made, output };
  };
  writeParts(path, [], times(steps, makeStep));
}

/** @param {number} index @param {number | undefined} every */
function isEdited(index, every) {
  return every !== undefined && index % every === every >> 1;
}

/** @template T @param {number} count @param {(index: number) => T} make */
function* times(count, make) {
  for (let index = 0; index < count; index++) yield make(index);
}

/**
 * Writes a log with these inputs and steps, of which only a few are in memory at a time.
 * @param {string} path
 * @param {Iterable<object>} inputs
 * @param {Iterable<object>} steps
 */
export function writeParts(path, inputs, steps) {
  const descriptor = openSync(path, "wx");
  /** @type {string[]} */
  let waiting = [];
  let size = 0;
  const put = (/** @type {string} */ text) => {
    waiting.push(text);
    size += text.length;
    if (size > 1 << 22) drain();
  };
  const drain = () => {
    // A string would be written in part when the system is short of something; with a buffer the number of
    // bytes is known.
    const bytes = Buffer.from(waiting.join(""));
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    waiting = [];
    size = 0;
  };
  const putAll = (/** @type {Iterable<object>} */ parts) => {
    let before = "\n";
    for (const part of parts) {
      put(before + JSON.stringify(part));
      before = ",\n";
    }
  };
  put(`${opening.slice(0, -1)},\n"inputs":[`);
  putAll(inputs);
  put('],\n"steps":[');
  putAll(steps);
  put("]}\n");
  drain();
  closeSync(descriptor);
}

const opening = JSON.stringify({
  model: { identifier: "some-model-1", parameters: { temperature: 0.2, max_tokens: 4096 } },
  system_prompt: "You are a coding agent.\nAnswer with the smallest change that works.\n",
  prompts: [{ role: "user", content: 'Find out why "npm test" fails, and mend it.\n' }],
  environment: { os: "linux", runtime: "node 20", tool_versions: { git: "2.43.0", ripgrep: "14.1.0" } },
});

/** @param {() => number} random @param {number} index @param {number} size */
function step(random, index, size) {
  const path = `src/${pick(random, words)}/${pick(random, words)}-${index}.ts`;
  return {
    index,
    type: "tool_call",
    tool: pick(random, tools),
    parameters: { path, pattern: `"${pick(random, words)}"`, limit: 200, context: [2, 2] },
    output: toolOutput(random, size),
    deterministic: index % 3 !== 0,
    timestamp: new Date(Date.UTC(2025, 0, 1) + index * 1500).toISOString(),
  };
}

/**
 * This many bytes of lines. ASCII only: one wider character would make the floor's JSON.parse work on a
 * string twice as large, to our advantage.
 * @param {() => number} random
 * @param {number} size
 */
export function toolOutput(random, size) {
  let text = "";
  while (text.length < size) text += line(random);
  return text.slice(0, size);
}

/** @param {() => number} random */
export function line(random) {
  const number = random();
  const one = words[number & 31];
  const two = words[(number >>> 5) & 31];
  const digits = number >>> 10;
  switch ((number >>> 15) & 7) {
    case 0:
      return `src/${one}/${two}.ts:${digits & 1023}:  const ${one} = ${two}("${one}", ${digits});\n`;
    case 1:
      return `{"level":"info","at":${digits},"unit":"${one}","message":"${two} done"}\n`;
    case 2:
      return `\tat ${one}.${two} (/work/app/src/${one}/${two}.js:${digits & 1023}:${digits & 63})\n`;
    case 3:
      return `-rw-r--r-- 1 agent agent ${digits} Jan  1 00:00 ${one}-${two}.json\n`;
    case 4:
      return `  if (${one} !== undefined && ${two}.length > ${digits & 255}) return ${one};\n`;
    case 5:
      return ` PASS  test/${one}/${two}.test.ts (${digits & 4095} ms)\n`;
    case 6:
      return `C:\\agent\\${one}\\${two}.log: ${digits} bytes read, 0 left\n`;
    default:
      return `The ${one} of ${two} number ${digits} was found where it was expected to be.\n`;
  }
}

const tools = ["read_file", "grep", "run_command", "list_files"];
export const words =
  "batch store model object index parse reader write flush align render answer token path event record field count range value input output shape state cache trace frame packet query source target worker".split(
    " ",
  );

/** @template T @param {() => number} random @param {readonly T[]} list @returns {T} */
export function pick(random, list) {
  return list[random() % list.length];
}

/** Unsigned 32-bit numbers, always the same ones for a seed (mulberry32). @param {number} seed */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
