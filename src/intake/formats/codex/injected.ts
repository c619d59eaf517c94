// Distinguishes text that Codex sends in the user's name from what the user wrote.
import { words } from "../../../base/lists.js";

const tags = words(
  "environment_context user_instructions permissions_instructions turn_aborted user_shell_command user_action subagent_notification skill skills_instructions collaboration_mode personality_spec model_switch realtime_conversation apps_instructions plugins_instructions instructions multi_agent_mode goal_context hook_prompt token_budget",
);

/** Returns the kind of an injected text; undefined when the user may have typed it. */
export function injectedKind(text: string): string | undefined {
  const start = text.trimStart();
  if (/^# AGENTS\.md instructions\b/.test(start)) return "agents_md";
  const tag = /^<([A-Za-z][\w -]*)>/.exec(start)?.[1]?.toLowerCase().replaceAll(/[ -]/g, "_");
  return tag !== undefined && tags.has(tag) ? tag : undefined;
}
