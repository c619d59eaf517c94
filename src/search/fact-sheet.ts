// What a manifest says of a run, without any content of it: which files it used, which commands it executed, and what its
// tools and models did and cost. What the catalog has of a run is not repeated here.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { failureOf } from "../model/failed-calls.js";
import { type Manifest, type Step, workdirOf } from "../model/manifest.js";
import { countsCacheAsInput, freshInput } from "../model/usage.js";
import { filesUsed } from "../tools/files-used.js";
import { toolUse } from "../tools/table.js";

/** What a run did with a file: bits of a number. `named`: the run began with the file. */
export const fileUse = { read: 1, written: 2, deleted: 4, named: 8 } as const;

export interface FactSheet {
  workdir: string | undefined;
  /** The files that the run used, each with the bits of `fileUse`. */
  paths: ReadonlyMap<string, number>;
  /** The commands that the run executed, each once. */
  commands: ReadonlySet<string>;
  tally: RunTally;
}

/** What a run's tools and models did. */
export interface RunTally {
  tools: ({ name: string } & CallCounts)[];
  /** The models, each with what the log says of it alone. */
  models: ModelTally[];
  /** What cannot be told apart by model. */
  tokens?: TokenCounts;
  cost?: Money[];
}

export interface ModelTally extends CallCounts {
  name: string;
  tokens?: TokenCounts;
  cost?: Money[];
}

/** Steps, or calls of a tool. */
export interface CallCounts {
  steps: number;
  failed: number;
  denied: number;
}

export interface TokenCounts {
  input: number;
  output: number;
  cache_read: number;
  cache_creation: number;
  reasoning: number;
}

/** A sum of money, as the log states it. */
export interface Money {
  /** The three letters of ISO 4217. */
  currency: string;
  amount: number;
}

export function factSheet(manifest: Manifest): FactSheet {
  const paths = new Map<string, number>();
  const note = (path: string, use: number): void => void paths.set(path, (paths.get(path) ?? 0) | use);
  const commands = new Set<string>();
  const agent = agentOf(manifest);
  for (const step of manifest.steps) {
    const { read, written, deleted } = filesUsed(step, manifest);
    for (const path of read) note(path, fileUse.read);
    for (const path of written) note(path, fileUse.written);
    for (const path of deleted) note(path, fileUse.deleted);
    const command = commandOf(step, agent);
    if (command !== undefined) commands.add(command);
  }
  for (const { name } of manifest.inputs) note(name, fileUse.named);
  for (const { name } of manifest.outputs) note(name, fileUse.written);
  return { workdir: workdirOf(manifest), paths, commands, tally: tallyOf(manifest) };
}

/** Returns the command that a step executed. One that was denied was not. */
function commandOf(step: Step, agent: string | undefined): string | undefined {
  if (step.tool === undefined || failureOf(step) === "denied") return undefined;
  const use = toolUse(step.tool, step.parameters, agent);
  if (use?.action !== "command") return undefined;
  return typeof use.command === "string" ? use.command : use.command.join(" ");
}

function agentOf({ metadata }: Manifest): string | undefined {
  const source = metadata?.["source"];
  if (source === undefined || !isObject(source)) return undefined;
  return [source["agent"], source["format"]].find((name) => typeof name === "string");
}

function tallyOf(manifest: Manifest): RunTally {
  const { metadata, steps } = manifest;
  const tools = new Map<string, CallCounts>();
  for (const step of steps) if (step.tool !== undefined) count(tools, step.tool, step);
  const names = modelsOf(manifest);
  const models = stepsByModel(names, steps);
  const total = metadata?.["usage"];
  const all = { ...amounts("tokens", tokensIn(total, totalNames)), ...amounts("cost", costOf(metadata)) };
  const tally: RunTally = { tools: rowsOf(tools), models: rowsOf(models) };
  const [only, another] = tally.models;
  if (only !== undefined && another === undefined) Object.assign(only, all);
  else if (!splitByModel(tally.models, metadata?.["model_usage"], all)) Object.assign(tally, all);
  if (countsCacheAsInput(manifest))
    for (const part of [tally, ...tally.models])
      if (part.tokens !== undefined)
        part.tokens = {
          ...part.tokens,
          input: freshInput(part.tokens.input, part.tokens.cache_read, true),
        };
  return tally;
}

function amounts<Name extends string, T>(name: Name, value: T | undefined): { [Key in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: T };
}

function rowsOf(counts: ReadonlyMap<string, CallCounts>): ({ name: string } & CallCounts)[] {
  return [...counts].map(([name, calls]) => ({ name, ...calls }));
}

function count(counts: Map<string, CallCounts>, name: string, step: Step): void {
  const calls = counts.get(name) ?? { steps: 0, failed: 0, denied: 0 };
  counts.set(name, calls);
  const failure = failureOf(step);
  calls.steps++;
  if (failure === "denied") calls.denied++;
  else if (failure !== undefined) calls.failed++;
}

function modelsOf({ metadata, model }: Manifest): string[] {
  const models = metadata?.["models"];
  const names = Array.isArray(models) ? models.filter((name) => typeof name === "string") : [];
  return names.length === 0 ? [model.identifier] : [...new Set(names)];
}

/** Counts the steps of each model: a step names its model where another one answered than before. */
function stepsByModel(names: readonly string[], steps: readonly Step[]): Map<string, CallCounts> {
  const counts = new Map<string, CallCounts>(names.map((name) => [name, { steps: 0, failed: 0, denied: 0 }]));
  const markOf = ({ metadata }: Step): string | undefined => {
    const mark = metadata?.["model"];
    return typeof mark === "string" && counts.has(mark) ? mark : undefined;
  };
  let current = names.length === 1 ? names[0] : undefined;
  if (current === undefined) for (const step of steps) if ((current = markOf(step)) !== undefined) break;
  // Steps of which the log does not say the model count for none.
  if (current === undefined) return counts;
  for (const step of steps) {
    current = markOf(step) ?? current;
    count(counts, current, step);
  }
  return counts;
}

type TokenNames = { readonly [Name in keyof TokenCounts]: readonly string[] };

const totalNames: TokenNames = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cache_read: ["cache_read_input_tokens"],
  cache_creation: ["cache_creation_input_tokens"],
  reasoning: ["reasoning_output_tokens"],
};

/** As agents name them that count by model. */
const modelNames: TokenNames = {
  input: ["input_tokens", "inputTokens"],
  output: ["output_tokens", "outputTokens"],
  cache_read: ["cache_read_input_tokens", "cacheReadInputTokens", "cached"],
  cache_creation: ["cache_creation_input_tokens", "cacheCreationInputTokens"],
  reasoning: ["reasoning_output_tokens"],
};

/** Returns the counts in an object; undefined if it has none. */
function tokensIn(value: JsonValue | undefined, names: TokenNames): TokenCounts | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const found = (Object.keys(names) as (keyof TokenCounts)[]).map(
    (key) => [key, names[key].map((name) => value[name]).find(isCount)] as const,
  );
  if (found.every(([, tokens]) => tokens === undefined)) return undefined;
  return Object.fromEntries(found.map(([key, tokens]) => [key, tokens ?? 0])) as unknown as TokenCounts;
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns what the metadata says that a run cost: `cost_usd` is dollars, `cost_eur` euros. */
function costOf(metadata: JsonObject | undefined): Money[] | undefined {
  const cost = Object.entries(metadata ?? {}).flatMap(([name, amount]) => {
    const currency = /^cost_([a-z]{3})$/.exec(name)?.[1]?.toUpperCase();
    return currency !== undefined && isAmount(amount) ? [{ currency, amount }] : [];
  });
  return cost.length === 0 ? undefined : cost;
}

/** No run cost more; what says so is no amount. */
const maxAmount = 1e9;

function isAmount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && value >= 0 && value <= maxAmount;
}

/**
 * Adds tokens and cost to each model, if the log counts by model and the counts add up to those of the run: some agents
 * also count what sub-agents used. Returns whether it did.
 */
function splitByModel(
  models: readonly ModelTally[],
  usage: JsonValue | undefined,
  { tokens, cost }: { tokens?: TokenCounts; cost?: Money[] },
): boolean {
  if (tokens === undefined || usage === undefined || !isObject(usage)) return false;
  const parts = models.map(({ name }) => {
    const own = Object.hasOwn(usage, name) ? usage[name] : undefined;
    return { tokens: tokensIn(own, modelNames), amount: amountIn(own) };
  });
  if (Object.keys(usage).length !== models.length || parts.some((part) => part.tokens === undefined))
    return false;
  const sum = (key: keyof TokenCounts): number =>
    parts.reduce((all, part) => all + (part.tokens?.[key] ?? 0), 0);
  if (sum("input") !== tokens.input || sum("output") !== tokens.output) return false;
  const known = parts.flatMap(({ amount }) => amount ?? []);
  const [money, other] = cost ?? [];
  const isSplit = known.length === models.length && money?.currency === "USD" && other === undefined;
  const difference = known.reduce((rest, amount) => rest - amount, money?.amount ?? 0);
  if (cost !== undefined && !(isSplit && Math.abs(difference) < 1e-6)) return false;
  for (const [at, model] of models.entries()) {
    const part = parts[at] as (typeof parts)[number];
    Object.assign(model, amounts("tokens", part.tokens));
    if (isSplit) model.cost = [{ currency: "USD", amount: part.amount as number }];
  }
  return true;
}

function amountIn(value: JsonValue | undefined): number | undefined {
  const amount = value !== undefined && isObject(value) ? value["costUSD"] : undefined;
  return isAmount(amount) ? amount : undefined;
}
