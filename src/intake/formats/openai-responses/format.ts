// OpenAI's Responses API: responses, requests, both together, bare lists of items, one of these a line, and
// captures of streamed responses.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Continued } from "../../continuations.js";
import type { Coverage } from "../../coverage.js";
import { type Exchange, groupRuns, listedIn } from "../../request-pairs.js";
import { listAt, wordAt } from "../../json-access.js";
import type { Format, Into } from "../../format.js";
import { headOf } from "../../head.js";
import type { LogSource } from "../../log-source.js";
import { assembled, eventsIn, eventsOf, eventTypes } from "../../sse.js";
import { responsesFit } from "./fit.js";
import { isOfModel, ResponsesRun } from "./run.js";
import { exchangeOf, isItem } from "./shapes.js";
import { ResponseStream } from "./stream.js";

export const openaiResponses: Format = {
  name: "openai-responses",
  title: "OpenAI responses",
  from: "programs that call the Responses API: responses, requests, items, captures of streams",
  isTimeless: true,
  sniff: responsesFit,
  read(source, into) {
    const head = headOf(source.head, source.isWhole);
    if (eventTypes(head).some((type) => type.startsWith("response."))) return [readEvents(source, into)];
    const runs = runsOf(listedIn(source, into.coverage), into);
    if (runs.length > 0) return runs;
    throw new CtxError(
      "log-unreadable",
      `${source.name} contains neither items nor responses of the Responses API`,
    );
  },
};

function readEvents(source: LogSource, into: Into): ExecutionLog {
  const { coverage } = into;
  const run = new ResponsesRun(into, coverage);
  const stream = new ResponseStream(coverage);
  for (const found of assembled(eventsOf(source, coverage), stream)) run.streamed(found);
  return run.finish();
}

/** Builds one run from items, or one for each chain of exchanges that continue one another. */
function runsOf(list: readonly JsonValue[], into: Into): ExecutionLog[] {
  const exchanges = list.map((item) => (isObject(item) ? exchangeOf(item, into.coverage) : undefined));
  const found = exchanges.filter((exchange) => exchange !== undefined);
  if (found.length === 0 && list.some(isItem)) {
    const run = new ResponsesRun(into, into.coverage);
    for (const item of list) run.item(item);
    return [run.finish()];
  }
  for (const exchange of exchanges) if (exchange === undefined) into.coverage.skip("record without items");
  return exchangeRuns(found, into);
}

/** An exchange, and how many of its items the exchange that it continues had sent. */
interface ChainedItems {
  exchange: Exchange;
  sent: number;
}

function exchangeRuns(exchanges: readonly Exchange[], into: Into): ExecutionLog[] {
  return groupRuns(grouped(exchanges), into.coverage, (group, coverage) => {
    const run = new ResponsesRun(into, coverage);
    let returned = 0;
    for (const { exchange, sent } of group)
      returned = takeExchange(run, { exchange, sent, returned }, coverage);
    return run.finish();
  });
}

/** Groups exchanges that continue one another: they name the previous response, or send everything again. */
function grouped(exchanges: readonly Exchange[]): ChainedItems[][] {
  const groups: ChainedItems[][] = [];
  const continued = new Continued<ChainedItems[]>();
  const byResponse = new Map<string, ChainedItems[]>();
  for (const exchange of exchanges) {
    const { request, response } = exchange;
    const input = listAt(request, "input");
    const previous = wordAt(request, "previous_response_id") ?? wordAt(response, "previous_response_id");
    const named = previous === undefined ? undefined : byResponse.get(previous);
    const earlier = named === undefined ? continued.find(input) : undefined;
    const group = named ?? earlier?.run ?? [];
    if (group.length === 0) groups.push(group);
    group.push({ exchange, sent: earlier?.count ?? 0 });
    continued.note(input, group);
    const id = wordAt(response, "id");
    if (id !== undefined) byResponse.set(id, group);
  }
  return groups;
}

/**
 * Reads an exchange, and returns the number of items that came back. `returned`: how many came back before.
 */
function takeExchange(
  run: ResponsesRun,
  { exchange, sent, returned }: ChainedItems & { returned: number },
  coverage: Coverage,
): number {
  const { record, request, response, streamed } = exchange;
  const input = listAt(request, "input");
  // Items that came back before are among the items sent now.
  const again = sent === 0 ? [] : input.slice(sent, sent + returned);
  const other = again.findIndex((item) => !isOfModel(item));
  const known = sent + (other === -1 ? again.length : other);
  if (record !== request && record !== response) run.around(record);
  if (request !== undefined) run.request(request, known);
  if (response !== undefined) run.response(response);
  const answers = streamed === undefined ? [] : streamedIn(streamed, coverage);
  for (const answer of answers) run.streamed(answer);
  const last = answers.findLast((answer) => "response" in answer);
  return listAt(response ?? last?.response, "output").length;
}

function streamedIn(text: string, coverage: Coverage): ReturnType<ResponseStream["take"]> {
  const stream = new ResponseStream(coverage);
  const { records } = coverage;
  const found = eventsIn(text, coverage).flatMap((event) => stream.take(event));
  coverage.records = records;
  return [...found, ...stream.finish()];
}
