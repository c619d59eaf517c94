// A model that answers from a script, on loopback: Anthropic messages, OpenAI chat completions and responses, Gemini
// generateContent; streamed and not. It keeps no state: what it answers depends on the request and the script alone.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/**
 * @typedef {{ name: string, input: object | string }} Call `input` is text for a tool that takes any text
 * @typedef {{ input: number, cached: number, output: number }} Tokens `input` without what was cached
 * @typedef {{ think?: string, say?: string, calls?: Call[], tokens: Tokens }} Turn
 * @typedef {{ prompt: string, turns: Turn[] }} Task a prompt, of a person or for a sub-agent, and the turns that answer it
 * @typedef {{ kind: "prompt" | "result", text: string }} Part what a request holds beside the model's own words
 * @typedef {{ id: string, turn: Turn, body: any }} Answer
 * @typedef {[data: unknown, name?: string]} Event
 * @typedef {{
 *   path: RegExp,
 *   isStreamed: (body: any, path: string) => boolean,
 *   tools: (body: any) => string[],
 *   parts: (body: any) => Part[],
 *   whole: (answer: Answer) => object,
 *   events: (answer: Answer) => Event[],
 * }} Dialect
 */

/** The answer to a request that the script does not have, such as one for a title. @type {Turn} */
const sideTurn = { say: "side call", tokens: { input: 3, cached: 0, output: 2 } };

/**
 * Returns the positions in the script of the task and of the turn that a request asks for: the task whose prompt came
 * last, and the turn after those whose calls were answered since. Undefined if the script has no such turn, or if the
 * turn calls a tool that the request does not offer.
 * @param {Task[]} script @param {Part[]} parts @param {string[]} tools
 */
function position(script, parts, tools) {
  let task = -1;
  let answered = 0;
  for (const part of parts) {
    const asked = part.kind === "prompt" ? script.findIndex(({ prompt }) => part.text.includes(prompt)) : -1;
    if (asked !== -1) [task, answered] = [asked, 0];
    else if (part.kind === "result") answered++;
  }
  const turns = script[task]?.turns ?? [];
  const turn = turns.findIndex(({ calls = [] }) => calls.length === 0 || (answered -= calls.length) < 0);
  const isOffered = turns[turn]?.calls?.every(({ name }) => tools.includes(name)) ?? true;
  return turn === -1 || !isOffered ? undefined : { task, turn };
}

/**
 * Returns a turn with the last UUID among the results in place of `@AGENT@`: a script cannot know the id that an agent
 * gives to its sub-agent.
 * @param {Turn} turn @param {Part[]} parts @returns {Turn}
 */
function withIds(turn, parts) {
  const results = parts.filter(({ kind }) => kind === "result").map(({ text }) => text);
  const id =
    results
      .join()
      .match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)
      ?.at(-1) ?? "";
  return JSON.parse(JSON.stringify(turn).replaceAll("@AGENT@", id));
}

/** @param {string} text */
const words = (text) => text.match(/\S+\s*/g) ?? [text];

/** @param {string} text @returns {string[]} */
const pieces = (text) => text.match(/[^]{1,17}/gu) ?? [];

/** @param {unknown} content @returns {any[]} */
const list = (content) => (Array.isArray(content) ? content : []);

/** @param {unknown} content a text, or a list of parts with texts @returns {Part[]} */
const prompts = (content) =>
  (typeof content === "string" ? [{ text: content }] : list(content))
    .filter(({ text }) => typeof text === "string")
    .map(({ text }) => ({ kind: "prompt", text }));

/** @param {unknown} content @returns {Part} */
const result = (content) => ({ kind: "result", text: JSON.stringify(content) ?? "" });

/** @type {Dialect} */
const anthropic = {
  path: /\/v1\/messages$/,
  isStreamed: (body) => body.stream === true,
  tools: (body) => list(body.tools).map(({ name }) => name),
  parts: (body) =>
    list(body.messages)
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => [
        ...list(content)
          .filter(({ type }) => type === "tool_result")
          .map((part) => result(part.content)),
        ...prompts(content),
      ]),
  whole({ id, turn, turn: { tokens }, body }) {
    const content = [
      ...(turn.think === undefined ? [] : [{ type: "thinking", thinking: turn.think, signature: btoa(id) }]),
      ...(turn.say === undefined ? [] : [{ type: "text", text: turn.say }]),
      ...(turn.calls ?? []).map((call, at) => ({ type: "tool_use", id: `toolu_${id}${at}`, ...call })),
    ];
    return {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content,
      stop_reason: turn.calls === undefined ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: tokens.input,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: tokens.cached,
        output_tokens: tokens.output,
      },
    };
  },
  events(answer) {
    const { content, stop_reason, usage, ...message } = /** @type {any} */ (anthropic.whole(answer));
    const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    const blocks = content.flatMap((/** @type {any} */ block, /** @type {number} */ index) => {
      const [start, deltas] = {
        text: () => [
          { type: "text", text: "" },
          words(block.text).map((text) => ({ type: "text_delta", text })),
        ],
        thinking: () => [
          { type: "thinking", thinking: "", signature: "" },
          [
            ...words(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
            { type: "signature_delta", signature: block.signature },
          ],
        ],
        tool_use: () => [
          { ...block, input: {} },
          pieces(JSON.stringify(block.input)).map((partial_json) => ({
            type: "input_json_delta",
            partial_json,
          })),
        ],
      }[/** @type {"text" | "thinking" | "tool_use"} */ (block.type)]();
      return [
        { type: "content_block_start", index, content_block: start },
        ...(index === 0 ? [{ type: "ping" }] : []),
        .../** @type {object[]} */ (deltas).map((delta) => ({
          type: "content_block_delta",
          index,
          delta,
        })),
        { type: "content_block_stop", index },
      ];
    });
    return [
      { type: "message_start", message: begun },
      ...blocks,
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ].map((event) => [event, event.type]);
  },
};

/** @type {Dialect} */
const chat = {
  path: /\/chat\/completions$/,
  isStreamed: (body) => body.stream === true,
  tools: (body) => list(body.tools).map((tool) => tool.function?.name),
  parts: (body) =>
    list(body.messages).flatMap(({ role, content }) =>
      role === "tool" ? [result(content)] : role === "user" ? prompts(content) : [],
    ),
  whole: ({ id, turn, turn: { tokens }, body }) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1_767_225_600,
    model: body.model,
    choices: [
      {
        index: 0,
        finish_reason: turn.calls === undefined ? "stop" : "tool_calls",
        message: {
          role: "assistant",
          content: turn.say ?? null,
          ...(turn.think === undefined ? {} : { reasoning_content: turn.think }),
          ...(turn.calls === undefined ? {} : { tool_calls: chatCalls(id, turn.calls) }),
        },
      },
    ],
    usage: {
      prompt_tokens: tokens.input + tokens.cached,
      completion_tokens: tokens.output,
      total_tokens: tokens.input + tokens.cached + tokens.output,
      prompt_tokens_details: { cached_tokens: tokens.cached },
    },
  }),
  events(answer) {
    const { choices, usage, ...rest } = /** @type {any} */ (chat.whole(answer));
    const base = { ...rest, object: "chat.completion.chunk" };
    /** @type {(delta: object, finish_reason?: string | null) => Event} */
    const chunk = (delta, finish_reason = null) => [
      { ...base, choices: [{ index: 0, delta, finish_reason }] },
    ];
    const { think, say, calls = [] } = answer.turn;
    return [
      chunk({ role: "assistant", content: "" }),
      ...(think === undefined ? [] : words(think).map((text) => chunk({ reasoning_content: text }))),
      ...(say === undefined ? [] : words(say).map((text) => chunk({ content: text }))),
      ...chatCalls(answer.id, calls).flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: "" } }] }),
        ...pieces(call.function.arguments).map((text) =>
          chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
        ),
      ]),
      chunk({}, choices[0].finish_reason),
      ...(answer.body.stream_options?.include_usage === true
        ? [/** @type {Event} */ ([{ ...base, choices: [], usage }])]
        : []),
      ["[DONE]"],
    ];
  },
};

/** @param {string} id @param {Call[]} calls */
function chatCalls(id, calls) {
  return calls.map(({ name, input }, at) => ({
    id: `call_${id}${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

/** @type {Dialect} */
const responses = {
  path: /\/responses$/,
  isStreamed: (body) => body.stream === true,
  tools: (body) => list(body.tools).flatMap(toolNames),
  parts: (body) =>
    (typeof body.input === "string" ? [{ role: "user", content: body.input }] : list(body.input)).flatMap(
      ({ type, role, content, output }) =>
        type?.endsWith("_output") ? [result(output)] : role === "user" ? prompts(content) : [],
    ),
  whole: ({ id, turn, turn: { tokens }, body }) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: 1_767_225_600,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    model: body.model,
    output: [
      ...(turn.think === undefined ? [] : [reasoningItem(id, turn.think)]),
      ...(turn.say === undefined ? [] : [messageItem(id, turn.say)]),
      ...(turn.calls ?? []).map((call, at) => callItem(`${id}${at}`, call)),
    ],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: body.tools ?? [],
    usage: {
      input_tokens: tokens.input + tokens.cached,
      input_tokens_details: { cached_tokens: tokens.cached },
      output_tokens: tokens.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens.input + tokens.cached + tokens.output,
    },
    metadata: {},
  }),
  events(answer) {
    const response = /** @type {any} */ (responses.whole(answer));
    const begun = { ...response, status: "in_progress", output: [], usage: null };
    const items = response.output.flatMap((/** @type {any} */ item, /** @type {number} */ output_index) => {
      const at = { item_id: item.id, output_index };
      const { begun: empty, between } = itemEvents(item, at);
      return [
        { type: "response.output_item.added", output_index, item: empty },
        ...between,
        { type: "response.output_item.done", output_index, item },
      ];
    });
    return [
      { type: "response.created", response: begun },
      { type: "response.in_progress", response: begun },
      ...items,
      { type: "response.completed", response },
    ].map((event, sequence_number) => [{ ...event, sequence_number }, event.type]);
  },
};

/** Returns the names of a tool as a call has them: a namespace holds tools, and `exec` by a type of its own has no name. */
function toolNames(/** @type {any} */ tool) {
  return tool.type === "namespace" ? list(tool.tools).map(({ name }) => name) : [tool.name ?? tool.type];
}

/** @param {string} id @param {string} text */
const reasoningItem = (id, text) => ({
  id: `rs_${id}`,
  type: "reasoning",
  summary: [{ type: "summary_text", text }],
  encrypted_content: btoa(id),
});

/** @param {string} id @param {string} text */
const messageItem = (id, text) => ({
  id: `msg_${id}`,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

/** @param {string} id @param {Call} call */
const callItem = (id, { name, input }) => ({
  ...(typeof input === "string"
    ? { id: `ctc_${id}`, type: "custom_tool_call", input }
    : { id: `fc_${id}`, type: "function_call", arguments: JSON.stringify(input) }),
  status: "completed",
  call_id: `call_${id}`,
  name,
});

/** Returns an item as it begins, and the events that complete it. */
function itemEvents(/** @type {any} */ item, /** @type {object} */ at) {
  if (item.type === "message") {
    const [part] = item.content;
    const place = { ...at, content_index: 0 };
    return {
      begun: { ...item, status: "in_progress", content: [] },
      between: [
        { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
        ...words(part.text).map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
        { type: "response.output_text.done", ...place, text: part.text },
        { type: "response.content_part.done", ...place, part },
      ],
    };
  }
  if (item.type !== "function_call") return { begun: item, between: [] };
  return {
    begun: { ...item, status: "in_progress", arguments: "" },
    between: [
      ...pieces(item.arguments).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
    ],
  };
}

/** @type {Dialect} */
const gemini = {
  path: /:(?:stream)?generateContent$/i,
  isStreamed: (_body, path) => path.endsWith(":streamGenerateContent"),
  tools: (body) =>
    list(body.tools).flatMap(({ functionDeclarations }) =>
      list(functionDeclarations).map(({ name }) => name),
    ),
  parts: (body) =>
    list(body.contents)
      .filter(({ role }) => role === "user")
      .flatMap(({ parts }) =>
        list(parts).flatMap((part) =>
          part.functionResponse === undefined ? prompts([part]) : [result(part.functionResponse)],
        ),
      ),
  whole: (answer) => geminiAnswer(answer, geminiParts(answer), "STOP"),
  // A part for each event: Gemini CLI loses a call that shares an event with a thought.
  events: (answer) => [
    ...geminiParts(answer).map((part) => /** @type {Event} */ ([geminiAnswer(answer, [part])])),
    [geminiAnswer(answer, [{ text: "" }], "STOP")],
  ],
};

/** @param {Answer} answer @returns {object[]} */
function geminiParts({ id, turn, body }) {
  const wantsJson = body.generationConfig?.responseMimeType === "application/json";
  return [
    ...(turn.think === undefined ? [] : [{ text: turn.think, thought: true }]),
    ...(turn.say === undefined ? [] : [{ text: wantsJson ? "{}" : turn.say }]),
    ...(turn.calls ?? []).map(({ name, input }) => ({
      functionCall: { name, args: input },
      thoughtSignature: btoa(id),
    })),
  ];
}

/** @param {Answer} answer @param {object[]} parts @param {string} [finishReason] */
function geminiAnswer({ id, turn: { tokens } }, parts, finishReason) {
  return {
    candidates: [
      {
        index: 0,
        content: { role: "model", parts },
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    usageMetadata: {
      promptTokenCount: tokens.input + tokens.cached,
      cachedContentTokenCount: tokens.cached,
      candidatesTokenCount: tokens.output,
      totalTokenCount: tokens.input + tokens.cached + tokens.output,
    },
    modelVersion: "gemini-scripted",
    responseId: id,
  };
}

const dialects = [anthropic, chat, responses, gemini];

/** @type {Record<string, (bytes: Buffer) => Buffer>} */
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

/**
 * Starts the model on a free port of loopback. `requests` is a file to which a line is appended for each request.
 * @param {Task[]} script @param {{ requests?: string }} [options]
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startModel(script, { requests } = {}) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const decode = decoders[request.headers["content-encoding"] ?? ""];
    const text = (decode === undefined ? raw : decode(raw)).toString("utf8");
    const path = (request.url ?? "").replace(/\?.*/, "");
    const json = /json/.test(request.headers["content-type"] ?? "") && text !== "";
    const body = json ? JSON.parse(text) : {};
    const dialect = request.method === "POST" ? dialects.find((each) => each.path.test(path)) : undefined;
    const parts = dialect?.parts(body) ?? [];
    const at = dialect && position(script, parts, dialect.tools(body));
    if (requests !== undefined)
      appendFileSync(requests, `${JSON.stringify({ method: request.method, path, ...at, body })}\n`);
    /** @type {(status: number, answer: object) => void} */
    const send = (status, answer) => {
      response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
      response.end(JSON.stringify(answer));
    };
    if (dialect === undefined) {
      if (/count_?tokens$/i.test(path)) return send(200, { input_tokens: 10, totalTokens: 10 });
      if (path.endsWith("/models")) return send(200, { object: "list", data: [], models: [] });
      return send(404, { error: { type: "not_found_error", message: "no such path" } });
    }
    const id = createHash("sha256").update(text).digest("hex").slice(0, 20);
    const turn = at && script[at.task]?.turns[at.turn];
    const answer = { id, body, turn: turn === undefined ? sideTurn : withIds(turn, parts) };
    if (!dialect.isStreamed(body, path)) return send(200, dialect.whole(answer));
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    });
    for (const [data, name] of dialect.events(answer))
      response.write(
        `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
      );
    response.end();
  });
  // Without this answer, Codex tries for seconds to open a WebSocket.
  server.on("upgrade", (_request, socket) => {
    socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, "127.0.0.1", resolve)));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
