// The execution log, ctx's own format. The shapes define the fields; the checks are rules across fields.
import { CtxError, type Problem } from "../base/errors.js";
import type { JsonObject } from "../base/json/value.js";
import { JsonReader } from "../base/json/reader.js";
import { appendAll } from "../base/lists.js";
import { BytesInLog, type Content } from "./content.js";
import { nameProblem, nameSchema } from "./names.js";
import {
  anyObject,
  boolean,
  count,
  type Described,
  list,
  nonEmpty,
  object,
  oneOf,
  optional,
  optionalContent,
  reference,
  required,
  requiredContent,
  type Shape,
  text,
  textMap,
  time,
} from "./shape.js";

/** The member of `metadata` that only ctx writes: the origin of a pack that no agent ran. */
export const originKey = "origin";

export const modelFields = { identifier: required(nonEmpty), parameters: optional(anyObject) };
export const environmentFields = {
  os: required(text()),
  runtime: required(text()),
  tool_versions: optional(textMap),
};
export const confidence = oneOf("high", "medium", "low");
const legalName = text(nameProblem, nameSchema);

const stepFields = {
  type: required(nonEmpty),
  tool: optional(text()),
  index: optional(count),
  parameters: optional(anyObject),
  output: optionalContent,
  seen: optionalContent,
  deterministic: optional(boolean),
  timestamp: optional(time),
  pack: optional(reference),
  metadata: optional(anyObject),
};

/** The metadata that the author of a log wrote. Only ctx writes the origin. */
const ownMetadata: Shape<JsonObject> = {
  read(at) {
    const metadata = anyObject.read(at);
    if (metadata !== undefined && Object.hasOwn(metadata, originKey))
      at.problem("is reserved for ctx: leave it out", originKey);
    return metadata;
  },
  schema: { type: "object", not: { required: [originKey] } },
};

const logFields = {
  version: optional(oneOf("0.1")),
  created: optional(time),
  model: required(object(modelFields)),
  system_prompt: requiredContent,
  prompts: optional(list(object({ role: required(text()), content: requiredContent }))),
  inputs: optional(list(object({ name: required(legalName), content: requiredContent }), { unique: "name" })),
  steps: optional(
    list(
      object(stepFields, {
        check(step, report, position) {
          if (step.type === "tool_call" && (step.tool ?? "") === "")
            report("required for a tool_call", "tool");
          if (step.index !== undefined && step.index !== position)
            report(`is ${step.index}, but the step's position is ${position}`, "index");
        },
        checkSchema: {
          if: { properties: { type: { const: "tool_call" } }, required: ["type"] },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: { properties: { tool: { minLength: 1 } }, required: ["tool"] },
        },
      }),
    ),
  ),
  outputs: optional(
    list(
      object({
        name: required(legalName),
        content: requiredContent,
        confidence: optional(confidence),
        notes: optional(text()),
      }),
      { unique: "name" },
    ),
  ),
  environment: required(object(environmentFields)),
  parent: optional(reference),
  metadata: optional(ownMetadata),
};

export type ExecutionLog = Described<typeof logFields>;
export type LogStep = Described<typeof stepFields>;

export const logShape = object(logFields);

export interface ReadLogOptions {
  /** The name of the log in errors. */
  source: string;
  /** Returns what is wrong with a `…_file` path, or undefined. */
  fileProblem: (path: string) => string | undefined;
  /**
   * Checks files only if there are other problems. The caller reads the files, and calls `checkFiles` if that
   * fails.
   */
  filesLater?: boolean;
}

/** Reads and checks a log, and consumes the bytes. Throws one error with every problem of the log. */
export function readLog(bytes: Buffer, options: ReadLogOptions): ExecutionLog {
  let syntax: readonly Problem[] = [];
  let log: ExecutionLog | undefined;
  let reader: JsonReader | undefined;
  try {
    reader = new JsonReader(bytes);
    log = logShape.read(reader);
    reader.end();
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "not-json") throw error;
    syntax = error.problems ?? [];
  }
  const problems: Problem[] = [...(reader?.problems ?? []), ...syntax];
  if (log !== undefined && (problems.length > 0 || options.filesLater !== true))
    appendAll(problems, fileProblems(log, options));
  if (log === undefined || problems.length > 0) throw invalid(problems, options);
  return log;
}

/** Throws one error with every problem of the files that a log names. */
export function checkFiles(log: ExecutionLog, options: ReadLogOptions): void {
  const problems = fileProblems(log, options);
  if (problems.length > 0) throw invalid(problems, options);
}

function fileProblems(log: ExecutionLog, { fileProblem }: ReadLogOptions): Problem[] {
  return contentsOf(log).flatMap(({ path, content }) => {
    const message = "file" in content ? fileProblem(content.file) : undefined;
    if (message === undefined || !("file" in content)) return [];
    return { path: `${path}_file`, message, line: content.line };
  });
}

function invalid(problems: Problem[], { source }: ReadLogOptions): CtxError {
  const problemCount = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const inOrder = problems.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity));
  return new CtxError("log-invalid", `${source} is not a valid execution log (${problemCount})`, {
    problems: inOrder,
  });
}

/**
 * Returns the contents that are texts in the log itself, in the order in which a manifest is built from them.
 */
export function* contentsHeld(log: ExecutionLog): Generator<BytesInLog> {
  for (const content of contentsInOrder(log)) if (content instanceof BytesInLog) yield content;
}

function* contentsInOrder(log: ExecutionLog): Generator<Content | undefined> {
  yield log.system_prompt;
  for (const { content } of log.prompts ?? []) yield content;
  for (const { content } of log.inputs ?? []) yield content;
  for (const { output, seen } of log.steps ?? []) {
    yield output;
    yield seen;
  }
  for (const { content } of log.outputs ?? []) yield content;
}

/** Returns every content of a log with the path of its stem. Parts that could not be read are left out. */
function contentsOf(log: ExecutionLog): { path: string; content: Content }[] {
  const found: { path: string; content: Content }[] = [];
  const add = (path: string, content: Content | undefined): void => {
    if (content !== undefined) found.push({ path, content });
  };
  add("system_prompt", log.system_prompt);
  for (const [index, prompt] of (log.prompts ?? []).entries())
    add(`prompts[${index}].content`, prompt?.content);
  for (const [index, input] of (log.inputs ?? []).entries()) add(`inputs[${index}].content`, input?.content);
  for (const [index, step] of (log.steps ?? []).entries()) {
    add(`steps[${index}].output`, step?.output);
    add(`steps[${index}].seen`, step?.seen);
  }
  for (const [index, output] of (log.outputs ?? []).entries())
    add(`outputs[${index}].content`, output?.content);
  return found;
}
