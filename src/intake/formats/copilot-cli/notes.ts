// Reads what a session of GitHub Copilot CLI records besides messages and calls: where it runs, what the user
// sent, what the client inserted.
import type { JsonObject } from "../../../base/json/value.js";
import { attachTo } from "../../protocols/openai-chat/content.js";
import { defined, objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";

export function takeStart(run: RunBuilder, data: JsonObject, at: At): void {
  const { source, toolVersions, parameters } = run;
  run.see({ ...at, time: timeOf(data["startTime"], run.coverage) ?? at.time });
  const session = wordAt(data, "sessionId");
  if (session !== undefined) source["session"] ??= session;
  const version = wordAt(data, "copilotVersion");
  if (version !== undefined) source["version"] = toolVersions["copilot"] = version;
  const producer = wordAt(data, "producer");
  if (producer !== undefined) source["producer"] = producer;
  const model = wordAt(data, "selectedModel");
  if (model !== undefined) run.identifier = model;
  const effort = wordAt(data, "reasoningEffort");
  if (effort !== undefined) parameters["reasoning_effort"] = effort;
  takeWorkdir(run, objectAt(data, "context"));
}

function takeWorkdir(run: RunBuilder, context: JsonObject | undefined): void {
  run.see({ cwd: wordAt(context, "cwd"), branch: wordAt(context, "branch") });
  const git = defined({
    commit: wordAt(context, "headCommit"),
    branch: wordAt(context, "branch"),
    remote: wordAt(context, "repository"),
  });
  if (Object.keys(git).length > 0) run.metadata["git"] ??= git;
}

/** Reads a message in the user's name. `isAgents`: the prompt of a sub-agent. */
export function takeUser(
  run: RunBuilder,
  data: JsonObject,
  { at, isAgents }: { at: At; isAgents: boolean },
): void {
  const text = textAt(data, "content") ?? "";
  const shown = wordAt(data, "transformedContent");
  const from = wordAt(data, "source") ?? "user";
  const isPrompt = from === "user" || (isAgents && from.startsWith("agent"));
  if (isPrompt) run.prompt(text, { time: at.time });
  else if (text !== "") run.context(from, text, at);
  if (shown !== undefined && shown !== text) run.context("expansion", shown, at);
  const mode = wordAt(data, "agentMode");
  if (mode !== undefined) run.parameters["mode"] ??= mode;
  for (const attachment of objectsAt(data, "attachments")) takeAttachment(run, attachment, at);
}

function takeAttachment(run: RunBuilder, attachment: JsonObject, at: At): void {
  const kind = wordAt(attachment, "type") ?? "unknown";
  const bytes = textAt(attachment, "data");
  const path = ["path", "filePath", "url", "displayName", "title"]
    .map((name) => wordAt(attachment, name))
    .find((found) => found !== undefined);
  const text = textAt(attachment, "text") ?? textAt(attachment, "content");
  if (bytes !== undefined) {
    const name = attachTo(run)(Buffer.from(bytes, "base64"), textAt(attachment, "mimeType") ?? "");
    run.context("attachment", `[${name}]`, at);
  } else if (path === undefined && text === undefined) run.coverage.skip(`attachment ${kind}`);
  else run.context("attachment", [path, text].filter((part) => part !== undefined).join("\n"), at);
}

/** Events that carry a text which is not the user's, and the field that holds it. */
const texts: Readonly<Record<string, { kind: string; field: string }>> = {
  "session.error": { kind: "error", field: "message" },
  "session.warning": { kind: "warning", field: "message" },
  "system.notification": { kind: "notification", field: "content" },
  "skill.invoked": { kind: "skill", field: "content" },
};

export function takeContext(run: RunBuilder, type: string, data: JsonObject, at: At): boolean {
  const known = Object.hasOwn(texts, type) ? texts[type] : undefined;
  if (known !== undefined) {
    run.context(known.kind, textAt(data, known.field) ?? "", at);
    return true;
  }
  switch (type) {
    case "session.binary_asset":
      takeAttachment(run, data, at);
      return true;
    case "session.truncation":
      run.context("truncation", "", at);
      return true;
    case "session.context_cleared":
      run.context("cleared", wordAt(data, "initialMessage") ?? "", at);
      return true;
    case "session.compaction_complete":
      if (valueAt(data, "success") === false) run.context("error", wordAt(data, "error") ?? "", at);
      else {
        run.context("compaction", "", at);
        const summary = wordAt(data, "summaryContent");
        if (summary !== undefined) run.context("summary", summary, at);
      }
      return true;
    case "session.context_changed":
      takeWorkdir(run, data);
      return true;
    case "session.title_changed":
      if (wordAt(data, "title") !== undefined) run.metadata["title"] = wordAt(data, "title") ?? "";
      return true;
    case "session.handoff":
      if (wordAt(data, "remoteSessionId") !== undefined)
        run.source["parent_session"] = wordAt(data, "remoteSessionId") ?? "";
      run.context("summary", wordAt(data, "summary") ?? "", at);
      return true;
    default:
      return false;
  }
}
