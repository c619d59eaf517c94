// Parses calls that a model wrote as text, and their results, which come back as text in the user's name: models
// without calls of their own are prompted to write them. Two ways are common: `<function=name>` with
// `<parameter=name>` (OpenHands, Qwen3-Coder), and JSON in `<tool_call>` (Hermes, Qwen).
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import { Coverage } from "../../coverage.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { pythonLiteral } from "../../python-literal.js";
import { argumentsOf, parsedText } from "../../protocols/openai-chat/calls.js";

/** A part of an answer: prose, or a call. */
export type WrittenPart = { text: string } | { tool: string; parameters: JsonObject };

export interface WrittenResult {
  /** The tool that the result names, if it does. */
  tool: string | undefined;
  output: string;
  /** What the model was shown, with what the client said about the call. */
  seen: string;
  hasFailed: boolean;
  exitCode: number | undefined;
}

const resultHeading = /^EXECUTION RESULT of \[([^\]\n]{1,100})\]:[ ]?\n?/;

/**
 * Whether a conversation has its calls as text: no message has a call of the API's, answers have such text, and a
 * result or an instruction shows that it is more than a quotation.
 */
export function hasWrittenCalls(messages: readonly JsonValue[]): boolean {
  const isOfApi = messages.some(
    (message) => listAt(message, "tool_calls").length > 0 || objectAt(message, "function_call") !== undefined,
  );
  if (isOfApi) return false;
  let isCalled = false;
  let isMeant = false;
  for (const message of messages) {
    const text = textOf(message);
    if (textAt(message, "role") === "assistant")
      isCalled ||= writtenParts(text).some((part) => "tool" in part);
    else isMeant ||= resultHeading.test(text) || /<tool_response>|<tool_call>|<function=\w/.test(text);
  }
  return isCalled && isMeant;
}

function textOf(message: JsonValue): string {
  const content = valueAt(message, "content");
  if (typeof content === "string") return content;
  return listAt(message, "content")
    .map((part) => textAt(part, "text") ?? "")
    .join("\n");
}

/** Where a call begins. */
const opening = /<tool_call>|<function=([\w.:-]{1,100})>/g;

/** Splits an answer into prose and calls, in order. */
export function writtenParts(text: string): WrittenPart[] {
  const parts: WrittenPart[] = [];
  let from = 0;
  const addText = (to: number): void => {
    const said = text.slice(from, to).trim();
    if (said !== "") parts.push({ text: said });
  };
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const name = found[1];
    const start = found.index + found[0].length;
    const close = name === undefined ? "</tool_call>" : "</function>";
    const end = text.indexOf(close, start);
    // The model's answer ends where it would have closed the call.
    const body = text.slice(start, end === -1 ? undefined : end).replace(/<\/(?:function|tool_call)?$/, "");
    const call = name === undefined ? heldCall(body) : { tool: name, parameters: parametersIn(body) };
    if (call === undefined) continue;
    addText(found.index);
    parts.push(call);
    from = end === -1 ? text.length : end + close.length;
    opening.lastIndex = from;
  }
  addText(text.length);
  return parts;
}

/** Parses the call in a `<tool_call>`: JSON, the `repr` of a dictionary, or a `<function=…>`. */
function heldCall(body: string): { tool: string; parameters: JsonObject } | undefined {
  const [inner] = body.includes("<function=") ? writtenParts(body).filter((part) => "tool" in part) : [];
  if (inner !== undefined) return inner;
  const coverage = new Coverage();
  const text = body.trim();
  const value = parsedText(text, coverage) ?? (text.startsWith("{") ? pythonLiteral(text) : undefined);
  const tool = value === undefined ? undefined : wordAt(value, "name");
  if (value === undefined || tool === undefined) return undefined;
  return {
    tool,
    parameters: argumentsOf(valueAt(value, "arguments") ?? valueAt(value, "parameters"), coverage),
  };
}

/** No call has more parameters, and searching for the ends of tags that have none takes time. */
const maxParameters = 50;

/** Parameters that are numbers; all others are text. */
const numbers = new Set(["view_range", "insert_line", "timeout"]);

function parametersIn(body: string): JsonObject {
  const parameters: JsonObject = {};
  const tag = /<parameter=([\w.-]{1,100})>/g;
  for (let count = 0; count < maxParameters; count++) {
    const found = tag.exec(body);
    if (found === null) break;
    const name = found[1] as string;
    const start = found.index + found[0].length;
    const next = body.indexOf("\n<parameter=", start);
    const limit = next === -1 ? body.length : next;
    // A text may hold the closing tag: the last one before the next parameter counts.
    const end = body.lastIndexOf("</parameter>", limit);
    const text = body
      .slice(start, end < start ? limit : end)
      .replace(/^\r?\n/, "")
      .replace(/\r?\n$/, "");
    const value = numbers.has(name) ? parsedText(text, new Coverage()) : undefined;
    setOwn<JsonValue>(parameters, name, value === undefined || isObject(value) ? text : value);
    tag.lastIndex = Math.max(start, end);
  }
  return parameters;
}

/** Splits a message that is no answer into results and what else it says. */
export function writtenResults(text: string): { results: WrittenResult[]; rest: string } {
  const headed = resultHeading.exec(text);
  if (headed !== null) {
    const results = [resultOf(headed[1], text.slice(headed[0].length))];
    return { results, rest: "" };
  }
  const results: WrittenResult[] = [];
  let rest = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf(responseTag.begin, from);
    const end = start === -1 ? -1 : text.indexOf(responseTag.end, start);
    if (end === -1) break;
    rest += text.slice(from, start);
    results.push(answerOf(text.slice(start + responseTag.begin.length, end).replace(/^\r?\n|\r?\n$/g, "")));
    from = end + responseTag.end.length;
  }
  return { results, rest: `${rest}${text.slice(from)}`.trim() };
}

const responseTag = { begin: "<tool_response>", end: "</tool_response>" };

/** Parses a response, which may name its tool. */
function answerOf(body: string): WrittenResult {
  const held = parsedText(body, new Coverage());
  const tool = held === undefined ? undefined : wordAt(held, "name");
  const content = tool === undefined ? undefined : valueAt(held, "content");
  return resultOf(tool, typeof content === "string" ? content : body);
}

/** Lines that OpenHands adds to what a command printed. */
const remark =
  /\n\[(?:The command (?:completed|timed out|has no new output)|Command finished with exit code|Current working directory:|Python interpreter:|Below is the output of the previous command)[^\n]*\]?(?=\n|$)/g;

function resultOf(tool: string | undefined, seen: string): WrittenResult {
  const tail = seen.lastIndexOf("\n", seen.length - 2000) + 1;
  const end = seen.slice(tail).search(remark);
  const output = end === -1 ? seen : seen.slice(0, tail + end);
  const exit = /(?:completed|finished) with exit code (-?\d{1,10})\.?\]/.exec(seen.slice(output.length))?.[1];
  const exitCode = exit === undefined ? undefined : Number(exit);
  const hasFailed = /^ERROR:(?:\n|$)/.test(seen) || (exitCode ?? 0) !== 0;
  return { tool, output, seen, hasFailed, exitCode };
}
