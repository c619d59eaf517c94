// A small session of iFlow: while the model answers, each record repeats the last call of the one before.
import { lines } from "../intake.js";

const session = "session-5de701fc-0000-4000-8000-000000000001";
let count = 0;
const record = (type: string, message: object, more: object = {}) => ({
  uuid: `u${++count}`,
  parentUuid: count === 1 ? null : "u1",
  sessionId: session,
  timestamp: `2026-01-21T05:56:${String(10 + count)}.000Z`,
  type,
  isSidechain: false,
  userType: "external",
  message: { role: type, ...message },
  ...more,
});
const place = { cwd: "/home/ann/proj", gitBranch: "main", version: "1.0.0" };
const says = (...content: unknown[]) =>
  record("assistant", {
    id: `response-${count}`,
    type: "message",
    content,
    model: "glm-x",
    usage: { input_tokens: 0, output_tokens: 0 },
  });
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const back = (id: string, name: string, response: object, more: object = {}, status = "success") =>
  record(
    "user",
    {
      content: [
        {
          type: "tool_result",
          tool_use_id: id,
          content: { callId: id, responseParts: { functionResponse: { id, name, response } }, ...more },
        },
      ],
    },
    { ...place, toolUseResult: { toolName: name, status, timestamp: 1768975012715 } },
  );

const one = use("call_1", "read_file", { absolute_path: "/home/ann/proj/a.txt" });
const two = use("call_2", "read_file", { absolute_path: "/home/ann/proj/b.txt" });
const three = use("call_3", "run_shell_command", { command: "false" });
const four = use("call_4", "replace", {
  file_path: "/home/ann/proj/a.txt",
  old_string: "apples",
  new_string: "pears",
});
const reminder = "<system-reminder>Look out.</system-reminder>";

/** One prompt and four calls, three of which are told twice. */
export const iflowSpecimens: readonly (string | Buffer)[] = [
  lines(
    record("user", { content: "Swap the fruit." }, place),
    says({ type: "text", text: "I look." }, one),
    says(one, two),
    says(two),
    back("call_1", "read_file", { output: `apples\n\n\n${reminder}` }, { resultDisplay: "Read 1 line" }),
    back("call_2", "read_file", { error: "File not found." }, {}, "error"),
    says(three),
    back("call_3", "run_shell_command", { output: "Output: (empty)\nExit Code: 1" }),
    says(three, { type: "text", text: "I change it." }, four),
    back(
      "call_4",
      "replace",
      { output: "File modified" },
      { resultDisplay: { fileName: "a.txt", originalContent: "apples\n", newContent: "pears\n" } },
    ),
    record("user", { content: [{ type: "text", text: reminder }] }, { ...place, isMeta: true }),
    says({ type: "text", text: "Done." }),
  ),
];
