// The execution log: what `ctx pack` takes in. The shapes here are the format; the checks are the rules that cross fields.
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

/** The member of `metadata` that only ctx writes: how a pack came to be without a run. */
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

/** What the author of a log says of the run. Where the pack comes from is for ctx to say. */
const ownMetadata: Shape<JsonObject> = {
  read(at) {
    const metadata = anyObject.read(at);
    if (metadata !== undefined && Object.hasOwn(metadata, originKey))
      at.problem("is written by ctx alone: leave it out", originKey);
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
        check(step, at, position) {
          if (step.type === "tool_call" && (step.tool ?? "") === "")
            at.problem("required for a tool_call", "tool");
          if (step.index !== undefined && step.index !== position)
            at.problem(`is ${step.index}, but the step's position is ${position}`, "index");
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
  /** How an error calls the log. */
  source: string;
  /** Says what is wrong with a `…_file` path, if anything. */
  fileProblem: (path: string) => string | undefined;
  /** Look at files only when something else is wrong: whoever reads them will find out, and can call `checkFiles`. */
  filesLater?: boolean;
}

/** Reads and checks a log; the bytes are used up. Throws one error with every problem that the log has. */
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

/** Throws one error with everything that is wrong with the files that a log names, if anything is. */
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
  const many = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const inOrder = problems.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity));
  return new CtxError("log-invalid", `${source} is not a valid execution log (${many})`, {
    problems: inOrder,
  });
}

/** The contents that a log itself holds as texts, in the order in which a manifest is built of them. */
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

/** Every content of a log with the path of its stem. Parts that could not be read are left out. */
function contentsOf(log: ExecutionLog): { path: string; content: Content }[] {
  const found: { path: string; content: Content }[] = [];
  const note = (path: string, content: Content | undefined): void => {
    if (content !== undefined) found.push({ path, content });
  };
  note("system_prompt", log.system_prompt);
  for (const [index, prompt] of (log.prompts ?? []).entries())
    note(`prompts[${index}].content`, prompt?.content);
  for (const [index, input] of (log.inputs ?? []).entries()) note(`inputs[${index}].content`, input?.content);
  for (const [index, step] of (log.steps ?? []).entries()) {
    note(`steps[${index}].output`, step?.output);
    note(`steps[${index}].seen`, step?.seen);
  }
  for (const [index, output] of (log.outputs ?? []).entries())
    note(`outputs[${index}].content`, output?.content);
  return found;
}
