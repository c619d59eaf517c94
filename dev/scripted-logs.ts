// Writes the session of a script as agents record it, with what each of them repeats, injects and wraps: the counts that
// a reader must find are those of the script.
import type { MarkedAgent } from "../src/model/markers.js";
import { lines } from "./intake.js";

export interface ScriptedCall {
  tool: string;
  parameters: Record<string, string>;
  /** How it ends; `none`: the log has no result. */
  end: "ok" | "error" | "none";
  output: string;
}

export interface ScriptedTurn {
  prompt: string;
  /** Calls that are issued together, in their order. */
  batches: ScriptedCall[][];
  /** A text that the agent sends in the user's name before the prompt. */
  injected: string | undefined;
  answer: string;
}

interface Writer {
  name: string;
  /** The agent whose own texts the script may inject. */
  rules?: MarkedAgent;
  write: (turns: readonly ScriptedTurn[]) => string;
}

/** Walks over a script, and gives each call its id. */
function walk(
  turns: readonly ScriptedTurn[],
  on: {
    turn: (turn: ScriptedTurn) => void;
    batch: (calls: { id: string; call: ScriptedCall }[]) => void;
    end: (turn: ScriptedTurn) => void;
  },
): void {
  let count = 0;
  for (const turn of turns) {
    on.turn(turn);
    for (const batch of turn.batches) on.batch(batch.map((call) => ({ id: `call_${++count}`, call })));
    on.end(turn);
  }
}

/** Records with ids and times, in the form of Claude Code and those that write like it. */
function chainOf(session: string) {
  const records: object[] = [];
  return {
    records,
    add: (type: string, more: object): void => {
      const count = records.length + 1;
      records.push({
        uuid: `u${count}`,
        parentUuid: count === 1 ? null : `u${count - 1}`,
        sessionId: session,
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString(),
        type,
        cwd: "/p",
        ...more,
      });
    },
  };
}

function text(words: string): { type: string; text: string } {
  return { type: "text", text: words };
}

/** A record for each block, as the client writes them while the model answers. */
function claudeCode(turns: readonly ScriptedTurn[], repeats: boolean): string {
  const { records, add } = chainOf(repeats ? "session-00000000-0000-4000-8000-000000000000" : "s");
  let message = 0;
  const says = (content: unknown[]): void =>
    add("assistant", { message: { id: `msg_${message}`, role: "assistant", model: "m", content } });
  walk(turns, {
    turn: ({ injected, prompt }) => {
      if (injected !== undefined) add("user", { message: { role: "user", content: injected } });
      add("user", { message: { role: "user", content: prompt } });
    },
    batch: (calls) => {
      message++;
      const blocks = calls.map(({ id, call }) => ({
        type: "tool_use",
        id,
        name: call.tool,
        input: call.parameters,
      }));
      // iFlow writes the call before again, with the next one.
      for (const [index, block] of blocks.entries())
        says(repeats && index > 0 ? [blocks[index - 1], block] : [block]);
      if (repeats && blocks.length > 1) says([blocks.at(-1)]);
      for (const { id, call } of calls)
        if (call.end !== "none") {
          const result = {
            type: "tool_result",
            tool_use_id: id,
            content: call.output,
            is_error: call.end === "error",
          };
          add("user", { message: { role: "user", content: [result] } });
        }
    },
    end: ({ answer }) => {
      message++;
      says([text(answer)]);
    },
  });
  return lines(...records);
}

function messages(turns: readonly ScriptedTurn[]): object[] {
  const list: object[] = [];
  walk(turns, {
    turn: ({ injected, prompt }) => {
      const content = [...(injected === undefined ? [] : [text(injected)]), text(prompt)];
      list.push({ role: "user", content });
    },
    batch: (calls) => {
      const uses = calls.map(({ id, call }) => ({
        type: "tool_use",
        id,
        name: call.tool,
        input: call.parameters,
      }));
      list.push({ role: "assistant", content: [text("I look."), ...uses] });
      const results = calls.flatMap(({ id, call: { end, output } }) =>
        end === "none"
          ? []
          : [{ type: "tool_result", tool_use_id: id, content: output, is_error: end === "error" }],
      );
      if (results.length > 0) list.push({ role: "user", content: results });
    },
    end: ({ answer }) =>
      list.push({ role: "assistant", content: [text(answer), { type: "thinking", thinking: "hm" }] }),
  });
  return list;
}

function chat(turns: readonly ScriptedTurn[]): object[] {
  const list: object[] = [{ role: "system", content: "Be brief." }];
  walk(turns, {
    turn: ({ prompt }) => list.push({ role: "user", content: prompt }),
    batch: (calls) => {
      const tool_calls = calls.map(({ id, call: { tool, parameters } }) => ({
        id,
        type: "function",
        function: { name: tool, arguments: JSON.stringify(parameters) },
      }));
      list.push({ role: "assistant", content: null, tool_calls });
      for (const { id, call } of calls)
        if (call.end !== "none") list.push({ role: "tool", tool_call_id: id, content: call.output });
    },
    end: ({ answer }) => list.push({ role: "assistant", content: answer }),
  });
  return list;
}

/** Each request with all earlier messages, and its answer. */
function exchanges(list: readonly object[], answerOf: (message: object, index: number) => object): string {
  return lines(
    ...list.flatMap((message, index) =>
      "role" in message && message.role === "assistant"
        ? [{ request: { model: "m", messages: list.slice(0, index) }, response: answerOf(message, index) }]
        : [],
    ),
  );
}

function completion(message: object, index: number): object {
  return { id: `r${index}`, object: "chat.completion", model: "m", choices: [{ index: 0, message }] };
}

/** One call for each answer, as text, and its result in the user's name. */
function written(turns: readonly ScriptedTurn[]): object[] {
  const list: object[] = [
    { role: "system", content: "Call <function=name><parameter=a>x</parameter></function>." },
  ];
  walk(turns, {
    turn: ({ prompt }) => list.push({ role: "user", content: prompt }),
    batch: (calls) => {
      for (const { call } of calls) {
        const given = Object.entries(call.parameters).map(
          ([name, value]) => `<parameter=${name}>\n${value}\n</parameter>\n`,
        );
        list.push({
          role: "assistant",
          content: `I look.\n<function=${call.tool}>\n${given.join("")}</function>`,
        });
        if (call.end === "none") continue;
        const output = call.end === "error" ? `ERROR:\n${call.output}` : call.output;
        list.push({ role: "user", content: `EXECUTION RESULT of [${call.tool}]:\n${output}` });
      }
    },
    end: ({ answer }) => list.push({ role: "assistant", content: answer }),
  });
  return list;
}

function codex(turns: readonly ScriptedTurn[]): string {
  const records: object[] = [];
  const add = (type: string, payload: object): void => {
    records.push({
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, records.length)).toISOString(),
      type,
      payload,
    });
  };
  const item = (payload: object): void => add("response_item", payload);
  add("session_meta", { id: "s", cwd: "/p", cli_version: "1" });
  walk(turns, {
    turn: ({ injected, prompt }) => {
      add("turn_context", { model: "m", cwd: "/p" });
      for (const words of injected === undefined ? [prompt] : [injected, prompt])
        item({ type: "message", role: "user", content: [{ type: "input_text", text: words }] });
      add("event_msg", { type: "user_message", message: prompt });
    },
    batch: (calls) => {
      for (const { id, call } of calls)
        item({
          type: "function_call",
          name: call.tool,
          call_id: id,
          arguments: JSON.stringify(call.parameters),
        });
      for (const { id, call } of calls)
        if (call.end !== "none") item({ type: "function_call_output", call_id: id, output: call.output });
    },
    end: ({ answer }) => {
      item({ type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] });
      add("event_msg", { type: "agent_message", message: answer });
    },
  });
  return lines(...records);
}

function qwen(turns: readonly ScriptedTurn[]): string {
  const { records, add } = chainOf("s");
  walk(turns, {
    turn: ({ injected, prompt }) => {
      for (const words of injected === undefined ? [prompt] : [injected, prompt])
        add("user", { message: { role: "user", parts: [{ text: words }] } });
    },
    batch: (calls) => {
      const parts = calls.map(({ id, call }) => ({
        functionCall: { id, name: call.tool, args: call.parameters },
      }));
      add("assistant", { model: "m", message: { role: "model", parts } });
      for (const { id, call } of calls)
        if (call.end !== "none") {
          const response = call.end === "error" ? { error: call.output } : { output: call.output };
          add("tool_result", {
            message: { role: "user", parts: [{ functionResponse: { id, name: call.tool, response } }] },
            toolCallResult: { callId: id, status: call.end === "error" ? "error" : "success" },
          });
        }
    },
    end: ({ answer }) =>
      add("assistant", { model: "m", message: { role: "model", parts: [{ text: answer }] } }),
  });
  return lines(...records);
}

export const writers: readonly Writer[] = [
  { name: "claude-code", rules: "claude-code", write: (turns) => claudeCode(turns, false) },
  { name: "iflow", rules: "gemini", write: (turns) => claudeCode(turns, true) },
  { name: "anthropic-messages", rules: "claude-code", write: (turns) => JSON.stringify(messages(turns)) },
  {
    name: "anthropic-messages",
    rules: "claude-code",
    write: (turns) =>
      exchanges(messages(turns), (message, index) => ({
        ...message,
        id: `m${index}`,
        type: "message",
        stop_reason: "end_turn",
      })),
  },
  { name: "openai-messages", write: (turns) => JSON.stringify(chat(turns)) },
  { name: "openai-messages", write: (turns) => exchanges(chat(turns), completion) },
  { name: "openai-messages", write: (turns) => JSON.stringify(written(turns)) },
  { name: "codex", rules: "codex", write: codex },
  { name: "qwen-code", rules: "gemini", write: qwen },
];
