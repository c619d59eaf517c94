// How the tool table knows the tools of OpenHands.
import { expect, it } from "vitest";
import { toolUse } from "../../../src/tools/table.js";

it.each<[string, string, Record<string, unknown>, object | undefined]>([
  ["a command", "execute_bash", { command: "ls", is_input: "false" }, { action: "command", command: "ls" }],
  [
    "what was typed into a program",
    "execute_bash",
    { command: "C-c", is_input: "true" },
    { action: "internal" },
  ],
  ["the same of the SDK", "terminal", { command: "y", is_input: true }, { action: "internal" }],
  [
    "the editor",
    "file_editor",
    { command: "create", path: "/w/a", file_text: "x" },
    { action: "write", path: "/w/a", content: "x", isNew: true },
  ],
  ["the list of tasks", "task_tracker", { command: "plan" }, { action: "internal" }],
])("OpenHands tools: %s is read", (_, tool, parameters, use) => {
  expect(toolUse(tool, parameters as never, "openhands")).toMatchObject(use as object);
});
