// Messages of Anthropic's API: requests, responses, both together, bare lists of messages, one of these a
// line, captures of streamed answers, and the histories that Cline, Roo and Kilo keep of their tasks.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { isClineHistory, sideFile } from "../cline/recognise.js";
import { MessageStream, streamTypes } from "../../protocols/anthropic/stream.js";
import { Continued } from "../../continuations.js";
import { type Exchange, groupRuns, listedIn } from "../../request-pairs.js";
import { listAt, textAt, wordAt } from "../../json-access.js";
import type { Format, Into } from "../../format.js";
import { headOf } from "../../head.js";
import type { LogSource } from "../../log-source.js";
import { assembled, eventsOf, eventTypes } from "../../sse.js";
import { anthropicFit } from "./fit.js";
import { AnthropicRun, messagesRun } from "./run.js";
import { exchangeOf } from "./shapes.js";

export const anthropicMessages: Format = {
  name: "anthropic-messages",
  title: "Anthropic messages",
  from: "programs that call Anthropic's API, and Cline, Roo and Kilo: tasks/<id>/api_conversation_history.json",
  isTimeless: true,
  sniff: anthropicFit,
  read(source, into) {
    const head = headOf(source.head, source.isWhole);
    if (eventTypes(head).some((type) => streamTypes.has(type))) return [readEvents(source, into)];
    const list = listedIn(source, into.coverage);
    const side = sideFile(list[0]);
    if (side !== undefined)
      throw new CtxError("log-unreadable", `${source.name} contains no messages: ${side}`);
    const runs = runsOf(list, into);
    if (runs.length > 0) return runs;
    throw new CtxError("log-unreadable", `${source.name} contains no messages of Anthropic's API`);
  },
};

function readEvents(source: LogSource, into: Into): ExecutionLog {
  const { coverage } = into;
  const run = new AnthropicRun(into, coverage);
  const stream = new MessageStream(coverage);
  for (const found of assembled(eventsOf(source, coverage), stream)) run.streamed(found);
  return run.finish();
}

/** Builds one run from messages, or one for each chain of exchanges that continue one another. */
function runsOf(list: readonly JsonValue[], into: Into): ExecutionLog[] {
  const exchanges = list.map((item) => (isObject(item) ? exchangeOf(item, into.coverage) : undefined));
  const isConversation = list.some(
    (item, index) => hasContent(item) && (exchanges[index] === undefined || textAt(item, "role") === "user"),
  );
  const { coverage } = into;
  if (isConversation) return [messagesRun(list, into, { coverage })];
  const [only, another] = list;
  const [messages, session] = [listAt(only, "messages"), wordAt(only, "sessionId")];
  if (another === undefined && session !== undefined && isClineHistory(messages))
    return [messagesRun(messages, into, { coverage, session, system: textAt(only, "system_prompt") })];
  const found = exchanges.filter((exchange) => exchange !== undefined);
  for (const exchange of exchanges) if (exchange === undefined) into.coverage.skip("record without messages");
  return exchangeRuns(found, into);
}

/** Returns whether an element is a bare message, without a wrapper. */
function hasContent(item: JsonValue): boolean {
  return isObject(item) && textAt(item, "role") !== undefined && !Array.isArray(item["messages"]);
}

/** An exchange, and how many of its messages the exchange that it continues had sent. */
interface ChainedMessages {
  exchange: Exchange;
  sent: number;
}

function exchangeRuns(exchanges: readonly Exchange[], into: Into): ExecutionLog[] {
  const groups: ChainedMessages[][] = [];
  const continued = new Continued<ChainedMessages[]>();
  for (const exchange of exchanges) {
    const messages = listAt(exchange.request, "messages");
    const earlier = continued.find(messages);
    const group = earlier?.run ?? [];
    if (earlier === undefined) groups.push(group);
    group.push({ exchange, sent: earlier?.count ?? 0 });
    continued.note(messages, group);
  }
  return groupRuns(groups, into.coverage, (group, coverage) => {
    const run = new AnthropicRun(into, coverage);
    let known = 0;
    for (const { exchange, sent } of group) {
      // The answer to the previous request may be among the messages sent now.
      const isAnswered = textAt(listAt(exchange.request, "messages")[sent], "role") === "assistant";
      known = run.exchange(exchange, isAnswered ? known : sent);
    }
    return run.finish();
  });
}
