// Parses calls as older versions of Cline, Roo and Kilo had models write them: as XML in the text, with a tag
// for the tool and one for each parameter.
import { type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";

/** Only these are tools; any other tag is text. */
const tools = [
  "execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace",
  "search_files list_files list_code_definition_names browser_action use_mcp_tool access_mcp_resource",
  "ask_followup_question plan_mode_respond plan_mode_response attempt_completion new_task condense switch_mode",
  "load_mcp_documentation report_bug new_rule web_fetch fetch_instructions codebase_search update_todo_list",
  "edit_file summarize_task run_slash_command generate_image",
]
  .join(" ")
  .split(" ");

const opening = new RegExp(`^[ \\t]*<(${tools.join("|")})>`, "gm");

/** Parameters whose text may hold anything, including what looks like their own closing tag. */
const greedy = new Set(["content", "diff", "arguments", "result", "command"]);

export type Written = { text: string } | { tool: string; parameters: JsonObject };

/** Splits a text into prose and calls, in order. A call without a closing tag is text. */
export function writtenIn(text: string): Written[] {
  const parts: Written[] = [];
  /** Tags that are not closed here are not closed further on. */
  const endless = new Set<string>();
  let from = 0;
  const addText = (to: number): void => {
    const said = text.slice(from, to).trim();
    if (said !== "") parts.push({ text: said });
  };
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const tool = found[1] as string;
    if (endless.has(tool)) continue;
    const start = found.index + found[0].length;
    const end = endOf(text, tool, start);
    if (end === -1) {
      endless.add(tool);
      continue;
    }
    addText(found.index);
    parts.push({ tool, parameters: parametersIn(text.slice(start, end)) });
    from = end + tool.length + 3;
    opening.lastIndex = from;
  }
  addText(text.length);
  return parts;
}

/**
 * Returns where a call ends. A file that is written may hold the closing tag of the call: the last one before
 * the next call counts.
 */
function endOf(text: string, tool: string, start: number): number {
  const tag = `</${tool}>`;
  const first = text.indexOf(tag, start);
  if (first === -1 || tool !== "write_to_file") return first;
  const next = text.indexOf(`\n<${tool}>`, start);
  const last = text.lastIndexOf(tag, next === -1 ? undefined : next);
  return last < start ? first : last;
}

/** No call has more parameters, and searching for the ends of tags that have none takes time. */
const maxTags = 50;

function parametersIn(body: string): JsonObject {
  const parameters: JsonObject = {};
  const tag = /<([a-z_]{1,40})>/g;
  for (let count = 0; count < maxTags; count++) {
    const found = tag.exec(body);
    if (found === null) break;
    const name = found[1] as string;
    const start = found.index + found[0].length;
    const end = greedy.has(name) ? body.lastIndexOf(`</${name}>`) : body.indexOf(`</${name}>`, start);
    if (end < start) continue;
    const value = body.slice(start, end);
    setOwn<JsonValue>(parameters, name, greedy.has(name) ? withoutFrame(value) : value.trim());
    tag.lastIndex = end + name.length + 3;
  }
  return parameters;
}

/** Removes the line ends between a text and its tags. */
function withoutFrame(text: string): string {
  return text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}
