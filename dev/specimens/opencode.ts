// Small sessions of opencode that use all that its reader looks at: one of today, and one of an older version.
let clock = 1_786_889_100_000;
let count = 0;
const now = () => (clock += 1000);
const named = (kind: string) => `${kind}_${String(++count).padStart(4, "0")}`;

export const opencodePart = (type: string, more: object = {}) => ({ id: named("prt"), type, ...more });
export const opencodeText = (text: string, more: object = {}) => opencodePart("text", { text, ...more });
export const opencodeUser = (parts: object[], more: object = {}) => ({
  info: {
    id: named("msg"),
    sessionID: "ses_1",
    role: "user",
    time: { created: now() },
    agent: "build",
    model: { providerID: "openai", modelID: "gpt-x" },
    ...more,
  },
  parts,
});
export const opencodeTokens = (input: number, output: number) => ({
  total: input + output + 7,
  input,
  output,
  reasoning: 1,
  cache: { read: 5, write: 2 },
});
export const opencodeAnswer = (parts: object[], more: object = {}) => {
  const created = now();
  return {
    info: {
      id: named("msg"),
      sessionID: "ses_1",
      role: "assistant",
      time: { created, completed: created + 500 },
      parentID: "msg_0001",
      modelID: "gpt-x",
      providerID: "openai",
      mode: "build",
      agent: "build",
      path: { cwd: "/home/ann/proj", root: "/home/ann/proj" },
      cost: 0.25,
      tokens: opencodeTokens(10, 3),
      finish: "tool-calls",
      ...more,
    },
    parts,
  };
};
export const opencodeTool = (tool: string, callID: string, state: object, more: object = {}) =>
  opencodePart("tool", { callID, tool, state, ...more });
export const opencodeDone = (input: object, output: string, metadata: object = {}, more: object = {}) => ({
  status: "completed",
  input,
  output,
  title: "",
  metadata,
  time: { start: clock, end: clock + 100 },
  ...more,
});
export const opencodeInfo = {
  id: "ses_1",
  slug: "quiet-river",
  projectID: "p",
  directory: "/home/ann/proj",
  parentID: "ses_0",
  title: "Fixes the greeting",
  version: "1.2.16",
  summary: { additions: 1, deletions: 1, files: 1 },
  time: { created: clock, updated: clock + 90_000 },
};
/** Returns a session as `opencode export` prints it. */
export const opencodeExport = (messages: object[], info: object = opencodeInfo) =>
  `${JSON.stringify({ info, messages }, null, 2)}\n`;

const finished = (input: number, output: number) =>
  opencodePart("step-finish", { reason: "tool-calls", cost: 0.25, tokens: opencodeTokens(input, output) });

export const opencodeSpecimens: readonly string[] = [
  opencodeExport([
    opencodeUser(
      [
        opencodeText("fix @a.txt"),
        opencodePart("file", {
          mime: "text/plain",
          filename: "a.txt",
          url: "file:///home/ann/proj/a.txt",
          source: {
            type: "file",
            path: "/home/ann/proj/a.txt",
            text: { value: "@a.txt", start: 4, end: 10 },
          },
        }),
        opencodePart("file", {
          mime: "image/png",
          filename: "s.png",
          url: "data:image/png;base64,iVBORw0KGgo=",
        }),
        opencodePart("agent", { name: "general" }),
        opencodeText('Called the Read tool with the following input: {"filePath":"a.txt"}', {
          synthetic: true,
        }),
        opencodeText("for people only", { ignored: true }),
      ],
      {
        system: "Be brief.",
        summary: {
          diffs: [
            {
              file: "a.txt",
              before: "helo\n",
              after: "hello\n",
              additions: 1,
              deletions: 1,
              status: "modified",
            },
            { file: "made.txt", before: "", after: "made\n", additions: 1, deletions: 0, status: "added" },
            { file: "gone.txt", before: "gone\n", after: "", additions: 0, deletions: 1, status: "deleted" },
            { file: "picture.png", before: "", after: "", additions: 0, deletions: 0, status: "modified" },
          ],
        },
      },
    ),
    opencodeAnswer([
      opencodePart("step-start", { snapshot: "1" }),
      opencodePart("reasoning", { text: "Read it first.", time: { start: clock, end: clock } }),
      opencodePart("reasoning", { text: "", metadata: { openai: { reasoningEncryptedContent: "x" } } }),
      opencodeText("I look.", { time: { start: clock, end: clock } }),
      opencodeTool(
        "read",
        "call_1",
        opencodeDone(
          { filePath: "/home/ann/proj/a.txt" },
          "<path>/home/ann/proj/a.txt</path>\n<type>file</type>\n<content>1: helo\n\n(End of file - total 1 lines)\n</content>\n\n<system-reminder>\nBe kind.\n</system-reminder>",
          { truncated: false, loaded: [] },
        ),
      ),
      opencodeTool(
        "bash",
        "call_2",
        opencodeDone({ command: "make" }, "no rule\n", { output: "no rule\n", exit: 2, truncated: false }),
      ),
      finished(10, 3),
      opencodePart("patch", { hash: "1", files: ["/home/ann/proj/made.txt"] }),
    ]),
    opencodeAnswer([
      opencodePart("step-start"),
      // Ids of calls may be repeated.
      opencodeTool(
        "edit",
        "call_1",
        opencodeDone(
          { filePath: "/home/ann/proj/a.txt", oldString: "helo", newString: "hello" },
          "Edit applied successfully.\n\nLSP errors detected in this file, please fix:\n<diagnostics>\nx\n</diagnostics>",
          {
            diff: "-helo\n+hello",
            filediff: {
              file: "/home/ann/proj/a.txt",
              before: "helo\n",
              after: "hello\n",
              additions: 1,
              deletions: 1,
            },
          },
        ),
      ),
      opencodeTool("read", "call_3", {
        status: "error",
        input: { filePath: "/etc/shadow" },
        error: "Error: The user rejected permission to use this specific tool call.",
        time: { start: clock, end: clock },
      }),
      opencodeTool(
        "invalid",
        "call_4",
        opencodeDone({ tool: "reed", error: "no such tool" }, "The arguments are invalid"),
      ),
      opencodeTool("task", "call_5", {
        ...opencodeDone(
          { description: "look", prompt: "Look around.", subagent_type: "general" },
          "Nothing.\n\n<task_metadata>\nsession_id: ses_2\n</task_metadata>",
          { sessionId: "ses_2" },
        ),
      }),
      opencodeTool(
        "webfetch",
        "call_6",
        opencodeDone(
          { url: "https://example.com/" },
          "…",
          { truncated: true },
          { time: { start: clock, end: clock, compacted: clock } },
        ),
      ),
      opencodePart("retry", { attempt: 1, error: { name: "APIError", data: { message: "overloaded" } } }),
      finished(20, 4),
    ]),
    opencodeUser([opencodeText("The following tool was executed by the user", { synthetic: true })]),
    opencodeAnswer(
      [opencodeTool("bash", "user_1", opencodeDone({ command: "ls" }, "a.txt\n", { exit: 0 }))],
      {
        finish: undefined,
        cost: 0,
        tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      },
    ),
    opencodeUser([opencodePart("compaction", { auto: true })]),
    opencodeAnswer([opencodeText("a.txt is fixed"), finished(1, 1)], { summary: true, agent: "compaction" }),
    opencodeUser([
      opencodePart("subtask", {
        prompt: "Check it.",
        description: "check",
        agent: "general",
        command: "check",
      }),
    ]),
    opencodeAnswer(
      [
        opencodeTool("bash", "call_7", {
          status: "running",
          input: { command: "sleep 9" },
          time: { start: clock },
        }),
      ],
      {
        finish: undefined,
        error: { name: "MessageAbortedError", data: { message: "The operation was aborted." } },
        tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      },
    ),
    opencodeUser([opencodeText("thanks")]),
    opencodeAnswer([opencodeText("Done."), finished(10, 3)], { finish: "stop" }),
  ]),
  `Exporting session: ses_1\n${opencodeExport(
    [
      opencodeUser([opencodeText("hi")]),
      opencodeAnswer([
        opencodeTool(
          "read",
          "call_1",
          opencodeDone(
            { filePath: "b.txt" },
            "<file>\n00001| one\n00002| two\n00003| \n\n(End of file - total 3 lines)\n</file>",
          ),
        ),
        opencodeText("Read."),
      ]),
    ],
    {
      id: "ses_1",
      title: "New session - 2025-11-20T23:33:50.805Z",
      directory: "/home/ann/proj",
      time: { created: clock },
    },
  )}`,
];
