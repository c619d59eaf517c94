// Events of GitHub Copilot CLI that only repeat others: chunks of what comes complete later, the state of the
// interface, questions and answers about permissions.
export function isLeftOut(type: string): boolean {
  return leftOut.has(type) || families.test(type);
}

const families =
  /^(?:hook|permission|user_input|elicitation|sampling|mcp_oauth|mcp|command|commands|exit_plan_mode|auto_mode_switch|external_tool|session_limits_exhausted|capabilities|pending_messages|tool_search|canvas|extensions)[._]/;

const leftOut = new Set(
  [
    "assistant.turn_start assistant.turn_end assistant.intent assistant.message_start assistant.message_delta",
    "assistant.reasoning_delta assistant.tool_call_delta assistant.streaming_delta assistant.idle",
    "assistant.server_tool_progress model.call_failure model.call_finished",
    "tool.execution_partial_result tool.execution_progress",
    "session.idle session.info session.usage_info session.usage_checkpoint session.compaction_start",
    "session.task_complete session.mode_changed session.plan_changed session.todos_changed",
    "session.workspace_file_changed session.tools_updated session.skills_loaded session.custom_agents_updated",
    "session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded",
    "session.background_tasks_changed session.permissions_changed session.remote_steerable_changed",
    "session.schedule_created session.schedule_cancelled session.schedule_rearmed",
    "session.autopilot_objective_changed session.managed_settings_resolved session.auto_mode_resolved",
    "subagent.selected subagent.deselected",
  ].flatMap((line) => line.split(" ")),
);
