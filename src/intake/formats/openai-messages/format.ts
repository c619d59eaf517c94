// OpenAI-style chat messages, which most programs that call a model can write: a bare list, a request with
// its response, requests that continue one another, the tasks of a benchmark, or one of these a line.
import { wholeDocument } from "../../document.js";
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Continued } from "../../continuations.js";
import type { Format, Into } from "../../format.js";
import { recordsOf } from "../../parse.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { groupRuns } from "../../request-pairs.js";
import { type ChainedWrapper, isWrapper, messagesOf, openaiRun } from "./run.js";
import { openaiFit } from "./fit.js";
import { isByLine } from "../../head.js";

export const openaiMessages: Format = {
  name: "openai-messages",
  title: "OpenAI chat messages",
  isTimeless: true,
  from: "programs that call chat completions: LiteLLM and OpenHands completion logs, tau-bench, batches",
  sniff: openaiFit,
  read(source, into) {
    const runs = isByLine(source) ? readLines(source, into) : readDocument(source, into);
    if (runs.length > 0) return runs;
    throw new CtxError("log-unreadable", `${source.name} contains no chat messages`);
  },
};

/** Reads lines: wrappers, in chains where one continues another. */
function readLines(source: LogSource, into: Into): ExecutionLog[] {
  const wrappers: JsonObject[] = [];
  /** What was replaced in a line, which belongs to its run alone. */
  const replacedIn = new Map<JsonObject, number>();
  const { coverage } = into;
  const { records } = coverage;
  let { replaced } = coverage;
  for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) {
    if (isWrapper(value)) {
      wrappers.push(value);
      if (coverage.replaced > replaced) replacedIn.set(value, coverage.replaced - replaced);
    } else coverage.skip("line without messages");
    ({ replaced } = coverage);
  }
  // Messages are counted, not the lines around them.
  coverage.records = records;
  return chainedRuns(wrappers, into, replacedIn);
}

function readDocument(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const document = wholeDocument(
    source,
    coverage,
    "chat messages are one JSON document; perhaps it is incomplete",
  );
  if (!Array.isArray(document)) return isWrapper(document) ? chainedRuns([document], into) : [];
  const wrappers = document.filter(isWrapper);
  if (wrappers.length === 0) {
    const hasMessages = document.some((item) => isObject(item) && "role" in item);
    return hasMessages ? chainedRuns([{ messages: document }], into) : [];
  }
  for (const item of document) if (!isWrapper(item)) coverage.skip("record without messages");
  return chainedRuns(wrappers, into);
}

/** Builds a run for each chain of wrappers that continue one another. */
function chainedRuns(
  wrappers: readonly JsonObject[],
  into: Into,
  replacedIn: ReadonlyMap<JsonObject, number> = new Map(),
): ExecutionLog[] {
  const groups: ChainedWrapper[][] = [];
  const continued = new Map<string, Continued<ChainedWrapper[]>>();
  for (const record of wrappers) {
    const messages = messagesOf(record);
    const own = ownerOf(record);
    const chains = continued.get(own) ?? new Continued<ChainedWrapper[]>();
    continued.set(own, chains);
    const earlier = chains.find(messages);
    const group = earlier?.run ?? [];
    if (earlier === undefined) groups.push(group);
    group.push({ record, sent: earlier?.count ?? 0 });
    chains.note(messages, group);
  }
  return groupRuns(groups, into.coverage, (group, coverage) => {
    if (groups.length > 1) for (const { record } of group) coverage.replaced += replacedIn.get(record) ?? 0;
    return openaiRun(group, into, coverage);
  });
}

/** Returns what a wrapper says that it belongs to: tasks and trials of one benchmark may begin alike. */
function ownerOf(record: JsonObject): string {
  return ["task_id", "trial", "custom_id"].map((name) => JSON.stringify(record[name] ?? null)).join(" ");
}
