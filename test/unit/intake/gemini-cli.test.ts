import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/base/digest.js";
import { CtxError } from "../../../src/base/errors.js";
import { geminiCli } from "../../../src/intake/formats/gemini-cli/format.js";
import { headOf } from "../../../src/intake/head.js";
import { fits, lines } from "../../../dev/intake.js";
import { partsOf, readRun } from "../../../dev/read-run.js";
import { geminiCliSpecimens } from "../../../dev/specimens/gemini-cli.js";
import { tempFolder } from "../../../dev/folders.js";

const folder = "/home/ann/proj";
const head = {
  sessionId: "s-1",
  projectHash: sha256(Buffer.from(folder)),
  startTime: "2026-05-01T10:00:00.000Z",
};
const at = (second: number) => `2026-05-01T10:00:${String(second).padStart(2, "0")}.000Z`;
const user = (id: string, content: unknown, second = 1) => ({
  id,
  timestamp: at(second),
  type: "user",
  content,
});
const model = (id: string, content: unknown, more: object = {}, second = 2) => ({
  id,
  timestamp: at(second),
  type: "gemini",
  content,
  model: "gemini-x",
  ...more,
});
const response = (id: string, name: string, value: object) => [
  { functionResponse: { id, name, response: value } },
];
const call = (id: string, name: string, args: object, more: object = {}) => ({
  id,
  name,
  args,
  status: "success",
  timestamp: at(3),
  result: response(id, name, { output: "done" }),
  ...more,
});

const read = (log: unknown, options = {}) => readRun(geminiCli, log, options);

const ran = (output: string, resultDisplay?: unknown) =>
  read({
    ...head,
    messages: [
      model("m", "", {
        toolCalls: [
          call(
            "c",
            "run_shell_command",
            { command: "x" },
            {
              result: response("c", "run_shell_command", { output }),
              resultDisplay,
            },
          ),
        ],
      }),
    ],
  }).calls[0];

const shown = (id: string, args: object, output: string) =>
  call(id, "read_file", args, { result: response(id, "read_file", { output }) });

function sessionWith(files: Record<string, string>): string {
  const chats = join(tempFolder(), "chats");
  for (const [name, text] of Object.entries({ "session-a.jsonl": "", ...files })) {
    fs.mkdirSync(join(chats, name, ".."), { recursive: true });
    fs.writeFileSync(join(chats, name), text);
  }
  return join(chats, "session-a.jsonl");
}

const journalOf = (id: string, ...messages: object[]) =>
  lines({ ...head, sessionId: id, kind: "subagent" }, ...messages);

const loops = (id: string, to: string) =>
  journalOf(id, model("b", "x", { toolCalls: [call("n", "t", {}, { agentId: to })] }));

describe("recognition of Gemini CLI", () => {
  it.each<[string, string]>([
    ["a document", JSON.stringify({ ...head, messages: [user("a", "hi")] }, null, 2)],
    ["a document in one line", JSON.stringify({ ...head, messages: [user("a", "hi")] })],
    ["a journal", lines(head, user("a", "hi"))],
    ["a journal whose first line is damaged", `{"sess\n${lines(user("a", "hi"), model("b", "ho"))}`],
    ["a journal of which only patches are left", lines({ $set: { summary: "x" } }, user("a", "hi"))],
    ["a document without a hash", JSON.stringify({ sessionId: "s", messages: [model("a", "x")] })],
    ["a saved chat", JSON.stringify([{ role: "user", parts: [{ text: "hi" }] }])],
    [
      "a saved chat of newer versions",
      JSON.stringify({ history: [{ role: "model", parts: [{ text: "hi" }] }] }),
    ],
  ])("Gemini CLI: the format recognises %s", (_, log) => {
    expect(fits(geminiCli, log)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["messages of the Vercel AI SDK", [{ role: "user", parts: [{ type: "text", text: "x" }] }]],
    ["messages of OpenAI", [{ role: "user", content: "x" }]],
    ["a transcript of Claude Code", { type: "user", uuid: "u", sessionId: "s", message: { content: "x" } }],
    ["an empty list", []],
    ["a list of null", [null]],
    ["a history of another agent", { history: [{ role: "user", content: "x" }], trajectory: [] }],
  ])("Gemini CLI: the format does not recognise %s", (_, log) => {
    expect(fits(geminiCli, JSON.stringify(log))).toBe(false);
  });

  it("Gemini CLI: the list of prompts is refused, and the refusal names the right files", () => {
    const log = JSON.stringify([
      { sessionId: "s", messageId: 0, type: "user", message: "hi", timestamp: at(1) },
    ]);
    expect(geminiCli.sniff(headOf(Buffer.from(log), true))).toEqual({
      near: 0.95,
      missing: "it is logs.json, a list of prompts: the sessions are chats/session-*.jsonl beside it",
    });
  });
});

/** Returns the folder of a session in which only this was typed. */
function workdirOf(text: string): unknown {
  const messages = [{ id: "m1", timestamp: at(0), type: "user", content: [{ text }] }];
  return read({ ...head, messages }).metadata["workdir"];
}

describe("a session", () => {
  const session = {
    ...head,
    summary: "Greets",
    messages: [
      user("u1", "say hello", 1),
      model("m1", "I will.", {
        thoughts: [{ subject: "Plan", description: "Say it.", timestamp: at(1) }],
        tokens: { input: 10, output: 4, cached: 3, thoughts: 2, tool: 0, total: 16 },
        toolCalls: [
          call("c1", "write_file", { file_path: `${folder}/a.txt`, content: "hello" }),
          call("c2", "read_file", { file_path: `${folder}/b.txt` }),
        ],
      }),
      { id: "i", timestamp: at(4), type: "info", content: "There is an update" },
      { id: "e", timestamp: at(4), type: "error", content: "quota" },
      model("m2", [{ text: "Hel" }, { text: "lo." }], { tokens: { input: 20, output: 1, total: 21 } }, 5),
    ],
  };

  it("Gemini CLI: a session is read in its order, with calls and their results in one step", () => {
    const { steps, prompts, run, metadata, source, usage, coverage } = read(session);
    expect(prompts).toEqual(["say hello"]);
    expect(steps.map(({ type, tool, output }) => [type, tool, output])).toEqual([
      ["reasoning", undefined, "Plan\nSay it."],
      ["message", undefined, "I will."],
      ["tool_call", "write_file", "done"],
      ["tool_call", "read_file", "done"],
      ["context", undefined, "quota"],
      ["message", undefined, "Hello."],
    ]);
    expect(steps[2]?.metadata).toMatchObject({ call_id: "c1", status: "ok", parallel: "message-2" });
    expect(run.model.identifier).toBe("gemini-x");
    expect(run.created).toBe(at(5));
    expect(source).toEqual({ format: "gemini-cli", session: "s-1", project_hash: head.projectHash });
    expect(metadata["title"]).toBe("Greets");
    expect(usage).toEqual({
      requests: 2,
      input_tokens: 30,
      output_tokens: 7,
      cache_read_input_tokens: 3,
      reasoning_output_tokens: 2,
    });
    expect(coverage).toMatchObject({ records: 5, left_out: { info: 1 } });
  });

  it("Gemini CLI: the folder is the one whose path has the session's hash", () => {
    const { metadata, outputs, coverage } = read(session);
    expect(metadata["workdir"]).toBe(folder);
    expect(outputs["a.txt"]).toBe("hello");
    expect(coverage["reconstructed"]).toContain(
      "the folder: one of those above a file, by the hash of its path",
    );
    expect(read({ ...session, projectHash: "x" }).metadata["workdir"]).toBeUndefined();
  });

  it("Gemini CLI: paths that were said or printed prove the folder, too", () => {
    expect(workdirOf(`I'm currently working in the directory: ${folder}.`)).toBe(folder);
    expect(workdirOf(`error in (${folder}/src/a.ts:3): x`)).toBe(folder);
    expect(workdirOf(`${folder}-other/a.ts`)).toBeUndefined();
  });

  it("Gemini CLI: a session that is cut off is read up to there", () => {
    const text = JSON.stringify(session, null, 1);
    const { prompts, coverage } = read(text.slice(0, text.indexOf('"m2"')));
    expect(prompts).toEqual(["say hello"]);
    expect(coverage["partial_last_line"]).toBe(true);
    const line = JSON.stringify(session);
    expect(read(line.slice(0, line.indexOf('"m2"'))).prompts).toEqual(["say hello"]);
  });

  it("Gemini CLI: text that the client injected is context, not a prompt (trap 5)", () => {
    const { prompts, contexts } = read({
      ...head,
      messages: [
        user("a", "This is the Gemini CLI. We are setting up the context"),
        user("b", "look at @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\nx"),
        user("c", "System: Please continue."),
        { ...user("d", "Long text of a command"), displayContent: "/short" },
      ],
    });
    expect(prompts).toEqual(["look at @a.txt", "/short"]);
    expect(contexts).toEqual([
      ["environment", "This is the Gemini CLI. We are setting up the context"],
      ["files", "--- Content from referenced files ---\nContent from @a.txt:\nx"],
      ["continuation", "System: Please continue."],
      ["expansion", "Long text of a command"],
    ]);
  });

  it("Gemini CLI: calls with the same id are told apart (trap 7)", () => {
    const { calls } = read({
      ...head,
      messages: [1, 2].map((n) =>
        model(`m${n}`, "", {
          toolCalls: [call("same", "glob", { n }, { result: response("same", "glob", { output: `${n}` }) })],
        }),
      ),
    });
    expect(calls.map(({ output, metadata }) => [output, metadata["call_id"]])).toEqual([
      ["1", "same"],
      ["2", "same-2"],
    ]);
  });

  it("Gemini CLI: calls without a result are kept, and calls have their status (trap 8)", () => {
    const ended = (status: string, result: unknown) =>
      model(status, "", { toolCalls: [call(status, "glob", {}, { status, result })] });
    const { calls } = read({
      ...head,
      messages: [
        ended("executing", undefined),
        ended("error", response("error", "glob", { error: "no such folder" })),
        ended(
          "cancelled",
          response("c", "glob", { error: "[Operation Cancelled] Reason: User did not allow tool call" }),
        ),
        model("x", "", {
          toolCalls: [
            call(
              "x",
              "glob",
              {},
              {
                status: "cancelled",
                result: response("x", "glob", { error: "[Operation Cancelled] Reason: User cancelled." }),
              },
            ),
          ],
        }),
      ],
    });
    expect(calls.map(({ metadata, output }) => [metadata["status"], output])).toEqual([
      ["unanswered", undefined],
      ["error", "no such folder"],
      ["denied", "[Operation Cancelled] Reason: User did not allow tool call"],
      ["interrupted", "[Operation Cancelled] Reason: User cancelled."],
    ]);
  });

  it("Gemini CLI: a call that is running when the user stops the run is interrupted", () => {
    const { calls, contexts } = read({
      ...head,
      messages: [
        model("m", "", { toolCalls: [call("c", "glob", {}, { status: "executing", result: undefined })] }),
        { id: "i", type: "info", content: "Request cancelled." },
      ],
    });
    expect(calls[0]?.metadata["status"]).toBe("interrupted");
    expect(contexts).toEqual([["interruption", "Request cancelled."]]);
  });

  it("Gemini CLI: truncated outputs are marked (trap 10)", () => {
    const output = "Tool output was too large and has been truncated. x";
    const { calls, coverage } = read({
      ...head,
      messages: [
        model("m", "", { toolCalls: [call("c", "glob", {}, { result: response("c", "glob", { output }) })] }),
      ],
    });
    expect(calls[0]?.metadata["truncated"]).toBe(true);
    expect(coverage["truncated"]).toBe(1);
  });
});

describe("commands", () => {
  it("Gemini CLI: the output of a command, and what the model saw of it, are kept apart (trap 3)", () => {
    const seen =
      "Command: ls\nDirectory: (root)\nOutput: a\nError: b\nError: (none)\nExit Code: 0\nSignal: (none)";
    expect(ran(seen, "a\nError: b")).toMatchObject({
      output: "a\nError: b",
      seen,
      metadata: { exit_code: 0 },
    });
  });

  it("Gemini CLI: a command that failed is an error, even if the log calls it a success", () => {
    expect(ran("Output: no\nExit Code: 2\nProcess Group PGID: 7")).toMatchObject({
      output: "no",
      metadata: { status: "error", exit_code: 2 },
    });
  });

  it("Gemini CLI: a command without output has an empty one, and output in another form is kept whole", () => {
    expect(ran("Output: (empty)\nProcess Group PGID: 7", "Command exited")).toMatchObject({ output: "" });
    expect(ran("Background process started")).toMatchObject({
      output: "Background process started",
      seen: undefined,
    });
  });

  it("Gemini CLI: an exit code that a command printed itself is not its exit code", () => {
    expect(ran("Output: Exit Code: 3", "Exit Code: 3")?.metadata).toMatchObject({ status: "ok" });
    expect(ran("Output: Exit Code: 3", "Exit Code: 3")?.metadata["exit_code"]).toBeUndefined();
  });
});

describe("files", () => {
  it("Gemini CLI: files have their content before and after a change", () => {
    const display = { fileName: "a", filePath: `${folder}/a.txt`, originalContent: "1", newContent: "2" };
    const made = { ...display, filePath: `${folder}/n.txt`, originalContent: "", isNewFile: true };
    const { inputs, outputs } = read({
      ...head,
      messages: [
        model("m", "", {
          toolCalls: [
            call("1", "replace", { file_path: `${folder}/a.txt` }, { resultDisplay: display }),
            call("2", "write_file", { file_path: `${folder}/n.txt`, content: "?" }, { resultDisplay: made }),
            call("3", "replace", { file_path: `${folder}/u.txt` }),
          ],
        }),
      ],
    });
    expect(inputs).toEqual({ "a.txt": "1" });
    expect(outputs).toEqual({ "a.txt": "2", "n.txt": "2" });
  });

  it("Gemini CLI: files that were read in full are inputs, parts of files are not", () => {
    const { inputs } = read({
      ...head,
      messages: [
        model("m", "", {
          toolCalls: [
            shown("1", { file_path: "whole.txt" }, "all"),
            shown("2", { file_path: "part.txt", offset: 3 }, "some"),
            shown("3", { absolute_path: "cut.txt" }, "IMPORTANT: The file content has been truncated.\nx"),
          ],
        }),
      ],
    });
    expect(inputs).toEqual({ "whole.txt": "all" });
  });

  it("Gemini CLI: images in a prompt are attached", () => {
    const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const { prompts, inputs } = read({ ...head, messages: [user("u", [{ text: "see " }, image])] });
    expect(prompts).toEqual(["see [.attached/1.png]"]);
    expect(inputs).toEqual({ ".attached/1.png": "hi" });
  });
});

describe("journals", () => {
  it("Gemini CLI: the last record of a message in a journal counts", () => {
    const { steps, usage, coverage } = read(
      lines(
        head,
        user("u", "hi"),
        model("m", "first", { tokens: null }),
        { $set: { lastUpdated: at(9) } },
        model("m", "last", { tokens: { input: 1, output: 1, total: 2 } }),
      ),
    );
    expect(steps.map(({ output }) => output)).toEqual(["last"]);
    expect(usage).toMatchObject({ requests: 1 });
    expect(coverage["records"]).toBe(5);
  });

  it("Gemini CLI: steps that the user went back from are kept and marked as abandoned", () => {
    const { steps, prompts } = read(
      lines(
        head,
        user("u1", "one"),
        model("m1", "1"),
        user("u2", "two"),
        model("m2", "2", { toolCalls: [call("c", "glob", {})] }),
        { $rewindTo: "u2" },
        user("u3", "three"),
        model("m2", "again"),
      ),
    );
    expect(prompts).toEqual(["one", "two", "three"]);
    expect(steps.map(({ output, metadata }) => [output, metadata["abandoned"] ?? false])).toEqual([
      ["1", false],
      ["2", true],
      ["done", true],
      ["again", false],
    ]);
  });

  it("Gemini CLI: a rewind to an unknown message abandons all steps", () => {
    const { steps } = read(lines(head, model("a", "1"), { $rewindTo: "nobody" }, model("b", "2")));
    expect(steps.map(({ metadata }) => metadata["abandoned"] ?? false)).toEqual([true, false]);
  });

  it("Gemini CLI: steps before a compaction are kept (trap 11)", () => {
    const { steps, prompts, coverage } = read(
      lines(
        head,
        user("u1", "one"),
        model("m1", "1", {
          toolCalls: [call("c", "glob", {}, { result: response("c", "glob", { output: "all of it" }) })],
        }),
        {
          $set: {
            messages: [
              user("s", [{ text: "<state_snapshot>so far</state_snapshot>" }]),
              model("ok", [{ text: "Got it." }]),
              model("m1", [{ text: "1" }], {
                toolCalls: [
                  call(
                    "c",
                    "glob",
                    {},
                    { result: response("c", "glob", { output: "<tool_output_masked>" }) },
                  ),
                ],
              }),
              user("r", response("c", "glob", { output: "<tool_output_masked>" })),
            ],
          },
        },
        user("u2", "two"),
      ),
    );
    expect(prompts).toEqual(["one", "two"]);
    expect(steps.map(({ type, output, metadata }) => [type, metadata["kind"], output])).toEqual([
      ["message", undefined, "1"],
      ["tool_call", undefined, "all of it"],
      ["context", "compaction", ""],
      ["context", "summary", "<state_snapshot>so far</state_snapshot>"],
      ["context", "summary", "Got it."],
    ]);
    expect(coverage["duplicates"]).toBe(1);
  });

  it("Gemini CLI: the history that a journal begins with is its messages", () => {
    const { prompts, contexts } = read(
      lines(head, { $set: { messages: [user("u", "hi"), model("m", "ho")] } }),
    );
    expect(prompts).toEqual(["hi"]);
    expect(contexts).toEqual([]);
  });

  it("Gemini CLI: results that a later patch brings go to their calls", () => {
    const waiting = call("c", "glob", {}, { status: "executing", result: undefined });
    const { calls } = read(
      lines(head, model("m", "", { toolCalls: [waiting] }), {
        $patch: { id: "m", toolCalls: [call("c", "glob", {})] },
      }),
    );
    expect(calls).toMatchObject([{ output: "done", metadata: { status: "ok" } }]);
  });

  it("Gemini CLI: damaged lines and an incomplete last line are counted (trap 17)", () => {
    const { prompts, coverage } = read(
      `${lines(head, user("u", "hi"))}{"id":\n${lines(model("m", "x"))}{"$set":{"la`,
    );
    expect(prompts).toEqual(["hi"]);
    expect(coverage).toMatchObject({
      damaged: { count: 1, lines: [{ line: 3, why: "is not valid JSON" }] },
      partial_last_line: true,
    });
  });

  it("Gemini CLI: all models are recorded, and times are kept as they are (traps 13 and 15)", () => {
    const { run, metadata, steps } = read(
      lines(head, model("a", "1", {}, 9), model("b", "2", { model: "gemini-y" }, 4)),
    );
    expect(metadata["models"]).toEqual(["gemini-x", "gemini-y"]);
    expect(steps.map(({ timestamp }) => timestamp)).toEqual([at(9), at(4)]);
    expect(run.created).toBe(at(9));
  });

  it("Gemini CLI: records of unknown kinds are counted", () => {
    const { coverage } = read(lines(head, { id: "x", type: "poem", content: "" }, { what: 1 }));
    expect(coverage["skipped"]).toEqual({ "message of type poem": 1, record: 1 });
  });
});

describe("saved chats", () => {
  const chat = [
    { role: "user", parts: [{ text: "list" }] },
    {
      role: "model",
      parts: [
        { text: "thinking", thought: true },
        { text: "Sure. " },
        { functionCall: { name: "list_directory", args: { path: "." } }, thoughtSignature: "abc" },
        { functionCall: { name: "list_directory", args: { path: "b" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "list_directory", response: { output: "a" } } },
        { functionResponse: { name: "list_directory", response: { error: "no b" } } },
        { functionResponse: { name: "other", response: { output: "?" } } },
      ],
    },
    { role: "model", parts: [{ text: "There." }] },
  ];

  it.each([
    ["as a list", chat],
    ["with its history inside", { history: chat, authType: "x" }],
  ])("Gemini CLI: in a saved chat %s, results without ids go to their calls in order", (_, log) => {
    const { steps, prompts, coverage } = read(log);
    expect(prompts).toEqual(["list"]);
    expect(steps.map(({ type, output, metadata }) => [type, output, metadata["status"]])).toEqual([
      ["reasoning", "thinking", undefined],
      ["message", "Sure. ", undefined],
      ["tool_call", "a", "ok"],
      ["tool_call", "no b", "error"],
      ["tool_result", "?", "ok"],
      ["message", "There.", undefined],
    ]);
    expect(coverage).toMatchObject({ records: 4, left_out: { "signature of a thought": 1 } });
    expect(coverage["unknown"]).toContain("times");
  });
});

/** Returns a session where Gemini CLI keeps it, with what is written above it about its folder. */
const sessionBelow = (root: string | undefined, ...below: string[]): string => {
  const project = tempFolder();
  const chats = join(project, "chats", ...below);
  fs.mkdirSync(chats, { recursive: true });
  if (root !== undefined) fs.writeFileSync(join(project, ".project_root"), root);
  return join(chats, "session-1.jsonl");
};

describe("the folder of the project", () => {
  const log = lines(
    head,
    user("u", "go"),
    model("m", "", { toolCalls: [call("c", "write_file", { file_path: "a.txt", content: "hi" })] }),
  );
  const folderOf = (path: string, session = log): unknown => read(session, { path }).metadata["workdir"];

  it("Gemini CLI: the folder of the project is read from .project_root above the session", () => {
    const { metadata, coverage, outputs } = read(log, { path: sessionBelow(`${folder}\n`) });
    expect(metadata["workdir"]).toBe(folder);
    expect(coverage["reconstructed"]).toEqual(["outputs: files as their last recorded change left them"]);
    expect(outputs).toEqual({ "a.txt": "hi" });
    expect(folderOf(sessionBelow(folder, "s-1"))).toBe(folder);
    expect(folderOf(sessionBelow("c:\\work\\proj"))).toBe("c:\\work\\proj");
    expect(folderOf(sessionBelow(undefined))).toBeUndefined();
  });

  it("Gemini CLI: sub-agents have the folder of the project, too", () => {
    const path = sessionBelow(folder);
    fs.mkdirSync(join(path, "..", "s-1"));
    fs.writeFileSync(join(path, "..", "s-1", "x-1.jsonl"), journalOf("x-1", model("e", "alone")));
    expect(read(log, { path }).subs.map(({ run }) => run.metadata?.["workdir"])).toEqual([folder]);
  });

  it("Gemini CLI: a .project_root of another session, or without a usable path, is ignored", () => {
    const other = log.replace(head.projectHash, sha256(Buffer.from("/elsewhere")));
    expect(folderOf(sessionBelow(folder), other)).toBeUndefined();
    for (const root of ["", "proj", `${folder}\nmore`, `/${"a".repeat(5000)}`, "/a\0b"])
      expect(folderOf(sessionBelow(root), log.replace(head.projectHash, "proj"))).toBeUndefined();
    const path = sessionBelow(undefined);
    fs.writeFileSync(join(path, "..", "elsewhere"), folder);
    fs.symlinkSync(join(path, "..", "elsewhere"), join(path, "..", "..", ".project_root"));
    expect(folderOf(path)).toBeUndefined();
  });
});

describe("sub-agents", () => {
  const main = lines(
    head,
    user("u", "look"),
    model("m", "", { toolCalls: [call("c", "codebase_investigator", {}, { agentId: "investigator-1" })] }),
  );

  it("Gemini CLI: sub-agents whose files lie beside the session are packs of their own", () => {
    const path = sessionWith({
      "s-1/investigator-1.jsonl": journalOf(
        "investigator-1",
        user("a", "look closely"),
        model("b", "", { toolCalls: [call("n", "inner", {}, { agentId: "inner-2" })] }),
      ),
      "s-1/inner-2.jsonl": journalOf("inner-2", model("d", "inside")),
      "s-1/stray-3.jsonl": journalOf("stray-3", model("e", "alone")),
    });
    const { calls, subs, metadata, ...taken } = read(main, { path });
    expect(subs.map(({ agent, call: by }) => [agent, by])).toEqual([
      ["inner-2", "n"],
      ["investigator-1", "c"],
      ["stray-3", undefined],
    ]);
    expect(calls[0]?.pack).toMatch(/0002$/);
    expect(metadata["subagents"]).toEqual([{ agent: "stray-3", pack: expect.stringMatching(/0003$/) }]);
    const [inner, outer] = subs.map(({ run }) => partsOf(taken, run));
    expect(inner?.source).toMatchObject({ session: "s-1", subagent: "inner-2" });
    expect(outer?.prompts).toEqual(["look closely"]);
    expect(outer?.calls[0]?.pack).toMatch(/0001$/);
  });

  it("Gemini CLI: sub-agents without a file are recorded as missing", () => {
    expect(read(main).coverage["unknown"]).toContain("what some sub-agents did (their files are not there)");
  });

  it("Gemini CLI: sub-agents that name each other are read once each", () => {
    const path = sessionWith({
      "s-1/investigator-1.jsonl": loops("investigator-1", "b-2"),
      "s-1/b-2.jsonl": loops("b-2", "investigator-1"),
    });
    expect(read(main, { path }).subs).toHaveLength(2);
  });

  it("Gemini CLI: sub-agents are not looked for outside the session's folder, nor behind links", () => {
    const path = sessionWith({ "secret.jsonl": journalOf("secret", model("x", "secret")) });
    fs.symlinkSync(join(path, "..", "secret.jsonl"), join(path, "..", "linked.jsonl"));
    fs.mkdirSync(join(path, "..", "s-1"));
    fs.symlinkSync(join(path, "..", "secret.jsonl"), join(path, "..", "s-1", "investigator-1.jsonl"));
    expect(read(main, { path }).subs).toEqual([]);
    const wild = main.replace('"s-1"', '".."').replace("investigator-1", "../secret");
    expect(read(wild, { path }).subs).toEqual([]);
  });

  it("Gemini CLI: a file that was begun before a session was continued does not have its sub-agents", () => {
    const id = "0123abcd-1111-4222-8333-444444444444";
    const begun = lines({ ...head, sessionId: id }, user("e", "<session_context>\nThis is the Gemini CLI."));
    const path = sessionWith({
      [`${id}/stray-3.jsonl`]: journalOf("stray-3", model("e", "alone")),
      "session-2026-08-17T12-05-0123abcd.jsonl": begun,
    });
    expect(read(begun, { path }).subs).toHaveLength(1);
    fs.writeFileSync(join(path, "..", "session-2026-08-17T12-00-0123abcd.jsonl"), main);
    expect(read(begun, { path }).subs).toEqual([]);
  });

  it("Gemini CLI: the file of a sub-agent alone is a run", () => {
    const { source } = read(journalOf("x-1", model("m", "hi")));
    expect(source).toEqual({ format: "gemini-cli", subagent: "x-1", project_hash: head.projectHash });
  });
});

function outcome(log: unknown): string {
  try {
    read(log);
    return "read";
  } catch (error) {
    return error instanceof CtxError ? "refused" : String(error);
  }
}

describe("hostile logs", () => {
  it.each<[string, unknown]>([
    [
      "wrong kinds everywhere",
      { sessionId: 1, projectHash: [], messages: { a: 1 }, summary: {}, directories: "x" },
    ],
    ["messages of the wrong kind", { ...head, messages: [null, 1, "x", [], {}, { type: {} }] }],
    [
      "calls of the wrong kind",
      { ...head, messages: [model("m", {}, { toolCalls: [null, 1, {}], thoughts: 3, tokens: [] })] },
    ],
    ["a patch of the prototype", `${lines(head)}{"$set":{"__proto__":{"x":1},"constructor":1}}\n`],
    ["an id that is __proto__", lines(head, model("__proto__", "a"), { $rewindTo: "__proto__" })],
  ])("Gemini CLI: a log with %s does not crash the reader", (_, log) => {
    expect(outcome(log)).toMatch(/^(?:read|refused)$/);
  });

  it("Gemini CLI: a journal with thousands of rewinds and rewrites is read", () => {
    const records: object[] = [head];
    for (let i = 0; i < 20_000; i++) records.push(model(`m${i}`, "x"));
    for (let i = 19_999; i >= 0; i--) records.push({ $rewindTo: `m${i}` });
    for (let i = 0; i < 5000; i++) records.push({ $set: { messages: [model("z", `${i}`)] } });
    expect(read(lines(...records)).steps).toHaveLength(20_001);
  });

  it("Gemini CLI: halves of characters are replaced and counted beside large numbers (traps 16 and 20)", () => {
    const log = `${lines(head)}{"id":"a","type":"user","content":"\\ud83d\\u0000","n":12345678901234567890}\n`;
    const { prompts, coverage } = read(log);
    expect(prompts).toEqual(["\ufffd\u0000"]);
    expect(coverage["replaced"]).toBe(1);
  });
});

it("Gemini CLI: the specimens are recognised, small and undamaged", () => {
  for (const specimen of geminiCliSpecimens) {
    expect(fits(geminiCli, specimen)).toBe(true);
    expect(specimen.length).toBeLessThan(6000);
    expect(readRun(geminiCli, specimen).coverage).not.toHaveProperty("damaged");
  }
});
