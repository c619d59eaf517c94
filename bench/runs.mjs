// Writes the pairs of runs that are compared: what a coding agent does, and the same with differences spread
// over it. Steps are kept as plans, with a number instead of their text, so that 100,000 of them need little
// memory.
import { generator, line, pick, toolOutput, words, writeParts } from "./logs.mjs";

/**
 * @typedef {object} Plan of a step
 * @property {string} type
 * @property {string} [tool]
 * @property {object} parameters
 * @property {number} output the seed of its text, or the place of a common one
 * @property {number} [edited] the seed of one line in it that is another
 * @property {string} [parallel] the group that it was issued with
 */

/** @typedef {() => number} Random */
/** @typedef {keyof typeof changes} Change */

/** How the second run of a pair is made from the first. */
const changes = {
  "0.1 % changed": (/** @type {Plan[]} */ plans) => withEdits(plans, 1000),
  "1 % changed": (/** @type {Plan[]} */ plans) => withEdits(plans, 100),
  "one inserted": (/** @type {Plan[]} */ plans) =>
    plans.toSpliced(plans.length >> 1, 0, toolStep(generator(3), "src")),
  "wholly different": (/** @type {Plan[]} */ plans) => planRun(2, plans.length, "lib"),
  "every output changed": (/** @type {Plan[]} */ plans) =>
    plans.map((plan, at) => ({ ...plan, edited: at + 1 })),
};

/** @param {[string, string]} paths @param {number} steps @param {Change} change */
export function writeRuns([pathA, pathB], steps, change) {
  const plans = planRun(1, steps, "src");
  writeParts(pathA, [], render(plans, Date.UTC(2025, 0, 1)));
  writeParts(pathB, [], render(changes[change](plans), Date.UTC(2025, 6, 1)));
}

/**
 * A fifth is prose; of the calls 5 % repeat another, 24 % have an output that is common, and some are made in
 * parallel.
 * @param {number} seed
 * @param {number} steps
 * @param {string} folder where the run's files are
 */
function planRun(seed, steps, folder) {
  const random = generator(seed);
  const chance = (/** @type {number} */ percent) => random() % 100 < percent;
  /** @type {Plan[]} */
  const plans = [];
  while (plans.length < steps) {
    if (chance(20)) {
      plans.push({ type: "reasoning", parameters: {}, output: textSeed(random) });
      continue;
    }
    const together = chance(8) ? 2 + (random() % 4) : 1;
    const parallel = together === 1 ? undefined : `group-${plans.length}`;
    for (let member = 0; member < together && plans.length < steps; member++) {
      const earlier = chance(6) ? plans[random() % plans.length] : undefined;
      const plan = earlier?.tool === undefined ? toolStep(random, folder) : { ...earlier };
      if (chance(24)) plan.output = random() % commonOutputs.length;
      else if (chance(50)) plan.output = textSeed(random);
      plans.push({ ...plan, parallel });
    }
  }
  return plans;
}

/**
 * One step in so many changed: its output, parameters or tool, or it is removed, moved or follows a new one.
 */
function withEdits(/** @type {readonly Plan[]} */ plans, /** @type {number} */ every) {
  const random = generator(4);
  const after = 40;
  /** @type {Plan[]} */
  const edited = [];
  /** @type {Plan | undefined} */
  let moving;
  for (const [at, plan] of plans.entries()) {
    if (moving !== undefined && at % every === (every >> 1) + after) {
      edited.push(moving);
      moving = undefined;
    }
    const fresh = toolStep(random, "src");
    switch (at % every === every >> 1 ? Math.floor(at / every) % 6 : undefined) {
      case 0:
        edited.push({ ...plan, edited: at });
        break;
      case 1:
        edited.push({ ...plan, parameters: { ...plan.parameters, limit: random() % 1000 } });
        break;
      case 2:
        edited.push({ ...plan, type: "tool_call", tool: "search_web" });
        break;
      case 3:
        edited.push(fresh, plan);
        break;
      case 4:
        break;
      case 5:
        moving = { ...plan, parallel: undefined };
        break;
      default:
        edited.push(plan);
    }
  }
  return edited;
}

/** @type {Record<string, (random: Random, folder: string) => object>} */
const parametersOf = {
  read_file: (random, folder) => ({ path: file(random, folder), offset: random() % 2000, limit: 200 }),
  edit_file: (random, folder) => ({
    path: file(random, folder),
    old_string: line(random),
    new_string: line(random) + line(random),
  }),
  grep: (random, folder) => ({
    pattern: `${pick(random, words)}[A-Z]\\w+${random() % 1000}`,
    path: `${folder}/${pick(random, words)}`,
    glob: "*.ts",
    context: [2, 2],
  }),
  bash: (random, folder) => ({
    command: `npx vitest run ${file(random, folder)} -t "${pick(random, words)} ${random() % 1000}" 2>&1 | tail -n 40`,
    description: `Test ${pick(random, words)} and ${pick(random, words)}`,
    timeout: 60_000,
  }),
  list_files: (random, folder) => ({
    path: `${folder}/${pick(random, words)}/v${random() % 5000}`,
    depth: 2,
  }),
};
const toolNames = Object.keys(parametersOf);

/** @param {Random} random @param {string} folder @returns {Plan} */
function toolStep(random, folder) {
  const tool = pick(random, toolNames);
  const parameters = parametersOf[tool](random, folder);
  return { type: "tool_call", tool, parameters, output: textSeed(random) };
}

/** @param {Random} random @param {string} folder */
function file(random, folder) {
  return `${folder}/${pick(random, words)}/${folder}-${pick(random, words)}${random() % 500}.ts`;
}

const commonOutputs = ["", "ok\n", "done\n", "No matches found\n", "[]\n", "Exit code 1\n"];

/** @param {Random} random */
function textSeed(random) {
  return Math.max(random(), commonOutputs.length);
}

/** The steps of a log. @param {Iterable<Plan>} plans @param {number} start */
function* render(plans, start) {
  let time = start;
  for (const { output, edited, parallel, ...plan } of plans)
    yield {
      ...plan,
      output: textOf(output, edited),
      deterministic: output % 3 !== 0,
      timestamp: new Date((time += 1500)).toISOString(),
      ...(parallel === undefined ? {} : { metadata: { parallel } }),
    };
}

/** Returns a common text, or 100 to 2,000 bytes. @param {number} seed @param {number} [edited] */
function textOf(seed, edited) {
  const random = generator(seed);
  const text = commonOutputs[seed] ?? toolOutput(random, 100 + (random() % 1900));
  if (edited === undefined) return text;
  const lines = text.split("\n");
  lines[edited % lines.length] = line(generator(edited)).trimEnd();
  return lines.join("\n");
}
