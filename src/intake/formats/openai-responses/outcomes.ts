// Reads results of calls among the items of the Responses API: results in items of their own, and those of
// the provider's tools, which hold call and result in one.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { dataOf } from "../../protocols/openai-chat/content.js";
import { defined, listAt, numberAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { plainOf } from "../../protocols/openai-responses/content.js";
import type { ResultEntry, Status } from "../../run-entries.js";

/** Returns the status that an item states. */
export function responsesStatus(item: JsonObject): Status {
  switch (textAt(item, "status")) {
    case "failed":
      return "error";
    case "incomplete":
      return "interrupted";
    case "in_progress":
    case "searching":
    case "interpreting":
    case "generating":
    case "calling":
      return "unanswered";
    default:
      return "ok";
  }
}

/** Returns the result that an item brings to a call of the client's. */
export function outputOf(item: JsonObject): ResultEntry {
  const output = valueAt(item, "output") ?? valueAt(item, "result");
  if (textAt(item, "type") === "shell_call_output" && Array.isArray(output)) return shellOutput(output);
  const screen = textAt(output, "image_url");
  const { text, image } = plainOf(output);
  const status = responsesStatus(item);
  return {
    output:
      screen === undefined ? ((text === "" ? image : undefined) ?? text) : (dataOf(screen)?.bytes ?? screen),
    status: status === "interrupted" ? "error" : status === "unanswered" ? "ok" : status,
  };
}

/** Joins the outputs of commands, each with its own exit status. */
function shellOutput(list: readonly JsonValue[]): ResultEntry {
  const ends = list.map((each) => ({
    text: [textAt(each, "stdout"), textAt(each, "stderr")]
      .filter((text) => text !== undefined && text !== "")
      .join("\n"),
    exit: numberAt(each, "outcome", "exit_code") ?? numberAt(each, "exit_code"),
    isLate: textAt(each, "outcome", "type") === "timeout",
  }));
  const failed = ends.find(({ exit, isLate }) => isLate || (exit ?? 0) !== 0);
  const exits = ends.map(({ exit }) => exit ?? null);
  return {
    output: ends
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n"),
    status: failed === undefined ? "ok" : failed.isLate ? "interrupted" : "error",
    metadata: defined({
      exit_code: (failed ?? ends.at(-1))?.exit,
      exit_codes: exits.length > 1 ? exits : undefined,
      timeout: failed?.isLate === true ? true : undefined,
    }),
  };
}

export interface ServerCall {
  tool: string;
  parameters: JsonObject;
  /** Undefined where the item holds none. */
  result: ResultEntry | undefined;
}

/** Returns a call that the provider executed, with its result. */
export function serverCall(item: JsonObject): ServerCall {
  const type = textAt(item, "type") ?? "";
  const status = responsesStatus(item);
  const tool = type.replace(/_call$/, "");
  const withOutput = (output: string | Buffer | undefined): ResultEntry | undefined =>
    output === undefined ? undefined : { output, status: status === "unanswered" ? "ok" : status };
  switch (type) {
    case "code_interpreter_call":
      return {
        tool,
        parameters: defined({ code: valueAt(item, "code"), container_id: valueAt(item, "container_id") }),
        result: withOutput(logsOf(valueAt(item, "outputs"))),
      };
    case "file_search_call":
      return {
        tool,
        parameters: defined({ queries: valueAt(item, "queries") }),
        result: withOutput(listText(valueAt(item, "results"))),
      };
    case "image_generation_call": {
      const image = wordAt(item, "result");
      const names = ["revised_prompt", "size", "quality", "background", "output_format", "action"];
      return {
        tool,
        parameters: defined(Object.fromEntries(names.map((name) => [name, valueAt(item, name)]))),
        result: withOutput(image === undefined ? undefined : Buffer.from(image, "base64")),
      };
    }
    default: {
      const { sources, ...action } = actionOf(item);
      const found = listText(valueAt(item, "results")) ?? listText(sources);
      return { tool, parameters: action, result: withOutput(found) };
    }
  }
}

function actionOf(item: JsonObject): JsonObject {
  const action = valueAt(item, "action") ?? valueAt(item, "arguments");
  if (action === undefined || action === null) return {};
  return isObject(action) ? action : { action };
}

/** Returns a list as text. An empty list means that nothing was found; a missing one means nothing. */
function listText(list: JsonValue | undefined): string | undefined {
  return Array.isArray(list) ? canonicalText(list) : undefined;
}

function logsOf(outputs: JsonValue | undefined): string | undefined {
  if (!Array.isArray(outputs)) return undefined;
  const isLogs = objectsAt(outputs).every((output) => textAt(output, "logs") !== undefined);
  if (!isLogs) return canonicalText(outputs);
  return outputs.map((output) => textAt(output, "logs") ?? "").join("\n");
}

/** Returns the result of an MCP server, or its error. */
export function mcpResult(item: JsonObject): ResultEntry | undefined {
  const error = valueAt(item, "error");
  const output = valueAt(item, "output");
  if (error !== undefined && error !== null) {
    const message =
      textAt(error, "message") ??
      listAt(error, "content")
        .flatMap((part) => textAt(part, "text") ?? [])
        .join("\n");
    return {
      output: typeof error === "string" ? error : message === "" ? canonicalText(error) : message,
      status: "error",
    };
  }
  const status = responsesStatus(item);
  if (output === undefined || output === null)
    return status === "ok" || status === "unanswered" ? undefined : { status };
  return { output: plainOf(output).text, status: status === "unanswered" ? "ok" : status };
}
