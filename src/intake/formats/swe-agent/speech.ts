// Reads one answer of the model: a thought, and an action, which is a call of a function or a shell command
// line. SWE-agent's own tools are shell commands, so the first word of a line identifies the tool.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { argumentsOf, type CallBook } from "../../protocols/openai-chat/calls.js";
import { attachTo, chatContent, joined } from "../../protocols/openai-chat/content.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";

export interface Speech {
  /** All that the model wrote. */
  response: string;
  thought: string;
  action: string;
  /** The message in the history, if there is one: only it has calls of functions and private reasoning. */
  message: JsonObject | undefined;
}

/**
 * The commands that SWE-agent and EnIGMA add to the shell. Any other line is `bash`; both have it whole, as
 * `command`.
 */
const ownTools = new Set(
  (
    "open goto scroll_up scroll_down create edit insert append undo_edit filemap find_file search_dir search_file " +
    "str_replace_editor submit exit_forfeit exit_cost exit_context view_image execute_server_command " +
    "debug_start debug_stop debug_add_breakpoint debug_continue debug_step debug_exec " +
    "connect_start connect_sendline connect_exec connect_stop decompile disassemble " +
    "open_site close_site screenshot_site click_mouse double_click_mouse move_mouse drag_mouse type_text " +
    "scroll_on_page execute_script_on_page navigate_back navigate_forward reload_page wait_time " +
    "press_keys_on_page set_browser_window_size get_console_output"
  ).split(" "),
);

/** Reads an answer, and returns the name of the call that its observation answers. */
export function takeSpeech(
  builder: RunBuilder,
  { response, thought, action, message }: Speech,
  { calls, number, at }: { calls: CallBook; number: number; at: At },
): string | undefined {
  const thoughts = joined([
    textAt(message, "reasoning_content") ?? "",
    ...listAt(message, "thinking_blocks").map((block) => textAt(block, "thinking") ?? ""),
  ]);
  if (thoughts.trim() !== "") builder.reasoning(thoughts, at);
  const text = isWhole(response, thought, action) ? thought : response;
  if (text.trim() !== "") builder.message(text, at);
  const requested = listAt(message, "tool_calls").flatMap((call) => functionOf(builder, call));
  if (requested.length === 0 && action.trim() !== "") {
    const word = /^\s*(\w+)/.exec(action)?.[1] ?? "";
    requested.push({
      id: undefined,
      tool: ownTools.has(word) ? word : "bash",
      parameters: { command: action },
    });
  }
  const names = requested.map(({ id, tool, parameters }) => {
    const name = calls.add({ id, tool, message: number });
    builder.call({
      ...at,
      id: name,
      tool,
      parameters,
      together: `step-${number}`,
      ...(id === undefined ? {} : { metadata: { ...at.metadata, call_id: id } }),
    });
    return name;
  });
  return names[0];
}

/** Returns whether an answer is nothing but the thought, and the action between fences. */
function isWhole(response: string, thought: string, action: string): boolean {
  if (response.trim() === "" || response === thought) return true;
  if (!response.startsWith(thought)) return false;
  const rest = response.slice(thought.length).trim();
  const inner = /^```[\w-]*\n/.exec(rest);
  return inner !== null && rest.endsWith("```") && rest.slice(inner[0].length, -3).trim() === action.trim();
}

interface WrittenCall {
  id: string | undefined;
  tool: string;
  parameters: JsonObject;
}

function functionOf({ coverage }: RunBuilder, call: JsonValue): WrittenCall[] {
  const about = objectAt(call, "function");
  const tool = wordAt(about, "name");
  if (about === undefined || tool === undefined) {
    coverage.skip("tool call without a function");
    return [];
  }
  return [{ id: wordAt(call, "id"), tool, parameters: argumentsOf(valueAt(about, "arguments"), coverage) }];
}

/** Returns the text of a message. */
export function textIn(builder: RunBuilder, message: JsonObject | undefined): string | undefined {
  const content = valueAt(message, "content");
  if (content === undefined || content === null) return undefined;
  return chatContent(content, attachTo(builder), builder.coverage).text;
}

/** Returns whether an observation was removed from what the model is sent, to save space. */
export function isElided(shown: string): boolean {
  return /^Old (?:environment output: \(|output omitted \()/.test(shown);
}
