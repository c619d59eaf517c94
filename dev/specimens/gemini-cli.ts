// Small sessions of Gemini CLI that use all that its reader looks at.
import { lines } from "../intake.js";

const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;
const response = (id: string, name: string, value: object) => [
  { functionResponse: { id, name, response: value } },
];
const head = {
  sessionId: "s-1",
  projectHash: "d6e0f8c2b1a4958677f1e2d3c4b5a6978899aabbccddeeff0011223344556677",
  startTime: at(0),
  lastUpdated: at(9),
  kind: "main",
  directories: ["/home/ann/proj"],
  summary: "Greets",
};
const spoken = {
  id: "m1",
  timestamp: at(2),
  type: "gemini",
  content: [
    { text: "I will. ", thoughtSignature: "x" },
    { text: "hm", thought: true },
  ],
  model: "gemini-x",
  thoughts: [{ subject: "Plan", description: "Say it.", timestamp: at(1) }],
  tokens: { input: 10, output: 4, cached: 3, thoughts: 2, tool: 0, total: 16 },
  toolCalls: [
    {
      id: "c1",
      name: "write_file",
      args: { file_path: "/home/ann/proj/a.txt", content: "hello" },
      status: "success",
      timestamp: at(3),
      result: response("c1", "write_file", { output: "Successfully created and wrote to new file" }),
      resultDisplay: {
        fileDiff: "",
        filePath: "/home/ann/proj/a.txt",
        originalContent: null,
        newContent: "hello",
        isNewFile: true,
      },
    },
    {
      id: "c2",
      name: "run_shell_command",
      args: { command: "ls" },
      status: "error",
      result: response("c2", "run_shell_command", {
        output: "Output: a\nExit Code: 2\nProcess Group PGID: 7",
      }),
      resultDisplay: "a",
      agentId: "agent-1",
    },
    {
      id: "c3",
      name: "read_file",
      args: { absolute_path: "b.txt", offset: 2 },
      status: "cancelled",
      result: response("c3", "read_file", {
        error: "[Operation Cancelled] Reason: User did not allow tool call",
      }),
    },
  ],
};
const user = { id: "u1", timestamp: at(1), type: "user", content: "hi", displayContent: [{ text: "/hi" }] };

export const geminiCliSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify(
    { ...head, messages: [user, spoken, { id: "i", type: "info", content: "Request cancelled." }] },
    null,
    1,
  ),
  lines(
    head,
    user,
    spoken,
    {
      id: "u2",
      type: "user",
      content: [
        { text: "look @a\n--- Content from referenced files ---\nx" },
        { inlineData: { mimeType: "image/png", data: "aGk=" } },
        { fileData: { fileUri: "gs://x" } },
      ],
    },
    { $patch: { id: "m1", toolCalls: [{ id: "c9", name: "glob", args: {}, result: [] }] } },
    {
      $set: {
        summary: "x",
        messages: [
          { id: "s", type: "user", content: [{ text: "<state_snapshot>" }] },
          spoken,
          { id: "r", type: "user", content: response("c1", "write_file", { output: "x" }) },
        ],
      },
    },
    { $rewindTo: "s" },
    { id: "e", type: "error", content: "quota" },
    { id: "w", type: "warning", content: "careful" },
  ),
  JSON.stringify(
    {
      history: [
        { role: "user", parts: [{ text: "This is the Gemini CLI." }] },
        {
          role: "model",
          parts: [{ functionCall: { name: "glob", args: { pattern: "*" } } }, { executableCode: {} }],
        },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                name: "glob",
                response: { output: "a" },
                parts: [{ inlineData: { data: "aGk=" } }],
              },
            },
          ],
        },
        { role: "model", parts: [{ text: "There." }] },
      ],
    },
    null,
    1,
  ),
];
