// Reads project, model, session and first prompt from the beginning of a log. No format is involved, since
// that would mean reading all of it: agents use few names for these things.
import { isObject, type JsonValue } from "../../base/json/value.js";
import { maxProjectLength } from "../../model/project.js";
import { headOf } from "../head.js";
import { firstPrompt } from "./first-prompt.js";

export interface LogSummary {
  project?: string;
  model?: string;
  session?: string;
  /** The beginning of the first prompt that a person wrote, with any secrets in it. */
  prompt?: string;
}

/** The locations of each value, the most reliable first. */
const paths: Readonly<Record<"project" | "model" | "session", readonly string[]>> = {
  project: [
    "cwd",
    "payload.cwd",
    "data.context.cwd",
    "directories.0",
    "directory",
    "workspace.working_dir",
    "message.cwd",
  ],
  model: [
    "message.model",
    "payload.model",
    "model",
    "data.selectedModel",
    "data.model",
    "data.newModel",
    "modelInfo.modelId",
    "agent.llm.model",
    "info.config.model.model_name",
    "modelId",
  ],
  session: ["sessionId", "payload.id", "data.sessionId", "session_id", "id"],
};

/** Names that the client uses in place of a model's. */
const noModel = /^<.*>$/;

/** How Cline and its forks state the folder in their prompts. */
const statedFolder = /# Current (?:Working|Workspace) Directory \(([^\n)"]{1,1000})\)/;

export function summariseHead(bytes: Buffer, isWhole: boolean): LogSummary {
  const { records, document, text } = headOf(bytes, isWhole);
  const values = records.length > 0 ? records.flatMap(elementsOf) : elementsOf(document);
  const found: LogSummary = {};
  for (const key of ["project", "model", "session"] as const) {
    const value = firstOf(values, paths[key]);
    if (value !== undefined) found[key] = value;
  }
  const prompt = firstPrompt(values);
  if (prompt !== undefined) found.prompt = prompt;
  const stated = found.project === undefined ? statedFolder.exec(text)?.[1] : undefined;
  return stated === undefined ? found : { ...found, project: stated };
}

/** Returns a document, and the messages in it. */
function elementsOf(document: JsonValue | undefined): JsonValue[] {
  if (document === undefined) return [];
  if (Array.isArray(document)) return document;
  const messages = ["messages", "history"].flatMap((key) => {
    const list = isObject(document) && Object.hasOwn(document, key) ? document[key] : undefined;
    return Array.isArray(list) ? list : [];
  });
  return [document, ...messages];
}

function firstOf(values: readonly JsonValue[], candidates: readonly string[]): string | undefined {
  for (const path of candidates)
    for (const value of values) {
      const found = at(value, path);
      if (typeof found !== "string" || found === "" || found.length > maxProjectLength || noModel.test(found))
        continue;
      return found;
    }
  return undefined;
}

function at(value: JsonValue, path: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of path.split(".")) {
    if (Array.isArray(found)) found = found[Number(key)];
    else if (found !== undefined && isObject(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}
