// OpenAI-style chat messages, which most programs that call a model can write: a bare list, a request with
// its response, the tasks of a benchmark, or one of these a line.
import { wholeDocument } from "../../document.js";
import { CtxError } from "../../../base/errors.js";
import { isObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import type { Format, Into } from "../../format.js";
import { recordsOf } from "../../parse.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { isWrapper, openaiRun } from "./run.js";
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

/** Reads each line as a run. Unreadable parts of the log belong to none of them. */
function readLines(source: LogSource, into: Into): ExecutionLog[] {
  const runs: ExecutionLog[] = [];
  let replaced = into.coverage.replaced;
  for (const { value } of recordsOf(source, into.coverage, { maxLength: maxDocument })) {
    if (isWrapper(value)) {
      const coverage = new Coverage();
      coverage.replaced = into.coverage.replaced - replaced;
      runs.push(openaiRun(value, into, coverage));
    } else into.coverage.skip("line without messages");
    ({ replaced } = into.coverage);
  }
  return runs;
}

function readDocument(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const document = wholeDocument(
    source,
    coverage,
    "chat messages are one JSON document; perhaps it is incomplete",
  );
  if (!Array.isArray(document)) return isWrapper(document) ? [openaiRun(document, into, coverage)] : [];
  const wrappers = document.filter(isWrapper);
  if (wrappers.length === 0) {
    const hasMessages = document.some((item) => isObject(item) && "role" in item);
    return hasMessages ? [openaiRun({ messages: document }, into, coverage)] : [];
  }
  for (const item of document) if (!isWrapper(item)) coverage.skip("record without messages");
  return wrappers.map((record) => {
    const own = new Coverage();
    const run = openaiRun(record, into, own);
    coverage.records += own.records;
    return run;
  });
}
