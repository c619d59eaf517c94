import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { opencode } from "../../../src/intake/formats/opencode/format.js";
import { headOf } from "../../../src/intake/head.js";
import { tempFolder } from "../../../dev/folders.js";
import { fits } from "../../../dev/intake.js";
import { partsOf, readRun } from "../../../dev/read-run.js";
import {
  opencodeAnswer,
  opencodeDone,
  opencodeExport,
  opencodeInfo,
  opencodePart,
  opencodeSpecimens,
  opencodeText,
  opencodeTool,
  opencodeUser,
} from "../../../dev/specimens/opencode.js";

interface Message {
  info: { id: string };
  parts: object[];
}

/** Writes a session as versions before 1.2 stored it, and returns the path of its description. */
function stored(
  storage: string,
  info: { id: string },
  messages: Message[],
  { isOldest = false } = {},
): string {
  const root = isOldest ? join(storage, "session") : storage;
  const path = join(storage, "session", isOldest ? "info" : "p", `${info.id}.json`);
  put(path, info);
  for (const { info: message, parts } of messages) {
    const { id } = message;
    put(join(root, "message", info.id, `${id}.json`), message);
    const folder = isOldest ? join(root, "part", info.id, id) : join(root, "part", id);
    for (const part of parts as { id: string }[]) put(join(folder, `${part.id}.json`), part);
  }
  return path;
}

function put(path: string, value: unknown): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

function readStored(path: string) {
  return readRun(opencode, fs.readFileSync(path), { path });
}

/** Returns the calls of a session that has only these. */
function callsOf(...tools: object[]) {
  return readRun(opencode, opencodeExport([opencodeUser([opencodeText("do it")]), opencodeAnswer(tools)]));
}

const withFile = (lines: string, remark: string) =>
  `<path>/p/a.txt</path>\n<type>file</type>\n<content>\n${lines}\n\n(${remark})\n</content>`;

const read = (output: string, input: object = {}) =>
  opencodeTool("read", "c", opencodeDone({ filePath: "/p/a.txt", ...input }, output));
const bash = (output: string, metadata: object) =>
  opencodeTool("bash", "c", opencodeDone({ command: "x" }, output, metadata));
const failed = (error: string, metadata: object = {}) =>
  opencodeTool("bash", "c", { status: "error", input: { command: "x" }, error, metadata, time: {} });

describe("a session of opencode", () => {
  it("opencode: an export is recognised by the id of its session, also behind the line that the program prints", () => {
    for (const specimen of opencodeSpecimens) expect(fits(opencode, specimen)).toBe(true);
    expect(fits(opencode, JSON.stringify({ info: { id: "42" }, messages: [] }))).toBe(false);
    expect(fits(opencode, JSON.stringify({ info: { id: "ses_1" } }))).toBe(false);
    const masked = { info: { id: "REDACTED" }, messages: [{ info: { role: "user", sessionID: "ses_1" } }] };
    expect(fits(opencode, JSON.stringify(masked))).toBe(true);
  });

  it("opencode: the specimen with everything becomes a run", () => {
    const read = readRun(opencode, opencodeSpecimens[0]);
    expect(read.prompts).toEqual(["fix @a.txt\n[.attached/1.png]", "thanks"]);
    expect(
      read.steps.map(({ type, tool, output, metadata }) => [
        type,
        tool ?? metadata["kind"],
        output,
        metadata["status"] ?? metadata["exit_code"],
      ]),
    ).toEqual([
      ["context", "system", "Be brief.", undefined],
      [
        "context",
        "inserted",
        'Called the Read tool with the following input: {"filePath":"a.txt"}',
        undefined,
      ],
      ["context", "ignored", "for people only", undefined],
      ["reasoning", undefined, "Read it first.", undefined],
      ["reasoning", undefined, undefined, undefined],
      ["message", undefined, "I look.", undefined],
      ["tool_call", "read", "helo\n", "ok"],
      ["tool_call", "bash", "no rule\n", "error"],
      ["tool_call", "edit", "Edit applied successfully.", "ok"],
      ["tool_call", "read", "Error: The user rejected permission to use this specific tool call.", "denied"],
      ["tool_call", "invalid", "The arguments are invalid", "error"],
      ["tool_call", "task", "Nothing.", "ok"],
      ["tool_call", "webfetch", "…", "ok"],
      ["context", "error", "APIError: overloaded", undefined],
      ["context", "shell", "<bash-input>ls</bash-input><bash-stdout>a.txt\n</bash-stdout>", 0],
      ["context", "compaction", "a.txt is fixed", undefined],
      ["context", "subtask", "Check it.", undefined],
      ["tool_call", "bash", undefined, "interrupted"],
      ["context", "interruption", "MessageAbortedError: The operation was aborted.", undefined],
      ["message", undefined, "Done.", undefined],
    ]);
    expect(read.calls.map(({ metadata }) => metadata["call_id"])).toEqual([
      "call_1",
      "call_2",
      "call_1-3",
      "call_3",
      "call_4",
      "call_5",
      "call_6",
      "call_7",
    ]);
    expect(read.calls.map(({ metadata }) => metadata["parallel"])).toEqual([
      ...Array<string>(2).fill("message-2-0"),
      ...Array<string>(5).fill("message-3-0"),
      undefined,
    ]);
    expect(read.calls[1]?.metadata["exit_code"]).toBe(2);
    expect(read.calls[0]?.seen).toContain("Be kind.");
    expect(read.calls[6]?.metadata).toMatchObject({ truncated: true, compacted: true });
    expect(read.inputs).toMatchObject({ "a.txt": "helo\n", "gone.txt": "gone\n" });
    expect(Object.keys(read.inputs)).toEqual(["a.txt", "gone.txt", ".attached/1.png"]);
    expect(read.outputs).toEqual({ "a.txt": "hello\n", "made.txt": "made\n", ".answer.md": "Done." });
    expect(read.run.model).toEqual({ identifier: "gpt-x", parameters: { provider: "openai" } });
    expect(read.source).toEqual({
      format: "opencode",
      version: "1.2.16",
      session: "ses_1",
      parent_session: "ses_0",
    });
    expect(read.metadata).toMatchObject({
      title: "Fixes the greeting",
      workdir: "/home/ann/proj",
      cost_usd: 1.25,
      modes: ["build", "compaction"],
    });
    expect(read.usage).toEqual({
      requests: 4,
      input_tokens: 41,
      output_tokens: 11,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 8,
      reasoning_output_tokens: 4,
    });
    expect(read.coverage).toMatchObject({
      records: 11,
      truncated: 1,
      left_out: { agent: 1, compaction: 1, "mark of a command that the user ran": 1, "step-start": 2 },
      unknown: expect.arrayContaining(["what some sub-agents did (their files are not there)"]) as unknown,
    });
    expect(read.coverage).not.toHaveProperty("skipped");
  });

  it("opencode: an older version shows the end of the last line, and its sessions may have no title", () => {
    const { inputs, metadata, usage, calls } = readRun(opencode, opencodeSpecimens[1]);
    expect(calls[0]?.output).toBe("one\ntwo\n");
    expect(inputs).toEqual({ "b.txt": "one\ntwo\n" });
    expect(metadata).not.toHaveProperty("title");
    // Without parts for its requests, a message has the tokens of one.
    expect(usage).toMatchObject({ requests: 1, input_tokens: 10 });
  });

  it("opencode: a reading is the text of the file, and what the model was shown is kept (trap 3)", () => {
    const { calls } = callsOf(
      read(withFile("1: one\n2: 2: two\n3: </content>", "End of file - total 3 lines")),
      read(withFile("8: eight\r", "Showing lines 8-8 of 9. Use offset=9 to continue."), {
        offset: 8,
        limit: 1,
      }),
      read(withFile("", "End of file - total 0 lines")),
      read("<path>/p</path>\n<type>directory</type>\n<entries>\na.txt\nsub/\n\n(2 entries)\n</entries>"),
      read(withFile("1: one\n3: three", "End of file - total 3 lines")),
      read("<file>\n00001| cut off"),
    );
    expect(calls.map(({ output }) => output)).toEqual([
      "one\n2: two\n</content>",
      "eight\r",
      "",
      "a.txt\nsub/",
      withFile("1: one\n3: three", "End of file - total 3 lines"),
      "<file>\n00001| cut off",
    ]);
    expect(calls[0]?.seen).toBe(withFile("1: one\n2: 2: two\n3: </content>", "End of file - total 3 lines"));
  });

  it("opencode: remarks to the model are no part of what a command printed", () => {
    const late =
      "\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 9 ms\n</bash_metadata>";
    const stopped = "\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>";
    const quoted = "see\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>, it says";
    const { calls } = callsOf(
      bash(`zz${late}`, { exit: null }),
      bash(`zz${stopped}`, { exit: null }),
      bash("(no output)", { exit: 0 }),
      bash(quoted, { exit: 0 }),
    );
    expect(calls.map(({ output, metadata }) => [output, metadata["status"], metadata["exit_code"]])).toEqual([
      ["zz", "error", undefined],
      ["zz", "interrupted", undefined],
      ["", "ok", 0],
      [quoted, "ok", 0],
    ]);
    expect(calls[0]?.seen).toBe(`zz${late}`);
  });

  it("opencode: a failed call has the text of its error, and an aborted one what it had printed", () => {
    const { calls } = callsOf(
      failed("Error: no such file"),
      failed("PermissionDeniedError: The user has specified a rule which prevents you from using this"),
      failed("Tool execution aborted", { output: "half" }),
      opencodeTool("bash", "c", { status: "pending", input: {}, raw: '{"command":"ls"}' }),
    );
    expect(calls.map(({ output, seen, metadata }) => [output, seen, metadata["status"]])).toEqual([
      ["Error: no such file", undefined, "error"],
      [
        "PermissionDeniedError: The user has specified a rule which prevents you from using this",
        undefined,
        "denied",
      ],
      ["half", "Tool execution aborted", "interrupted"],
      [undefined, undefined, "unanswered"],
    ]);
    expect(calls[3]?.parameters).toEqual({ command: "ls" });
  });

  it("opencode: a picture that was read is the output, and is attached", () => {
    const { calls, inputs } = callsOf(
      opencodeTool(
        "read",
        "c",
        opencodeDone(
          { filePath: "a.png" },
          "Image read successfully",
          {},
          {
            attachments: [{ type: "file", mime: "image/png", url: "data:image/png;base64,aGk=" }],
          },
        ),
      ),
    );
    expect(calls.map(({ output, seen, metadata }) => [output, seen, metadata["attached"]])).toEqual([
      ["hi", "Image read successfully", [".attached/1.png"]],
    ]);
    expect(inputs).toEqual({ ".attached/1.png": "hi" });
  });

  it("opencode: files are known from what the log holds of each change, or else from parameters", () => {
    const { inputs, outputs, coverage } = callsOf(
      opencodeTool(
        "apply_patch",
        "1",
        opencodeDone({ patchText: "*** Begin Patch\n*** End Patch" }, "Success.", {
          files: [
            { filePath: "/home/ann/proj/new.txt", type: "add", before: "", after: "new\n" },
            { filePath: "/home/ann/proj/old.txt", type: "delete", before: "old\n", after: "" },
            {
              filePath: "/home/ann/proj/from.txt",
              movePath: "/home/ann/proj/to.txt",
              type: "move",
              before: "moved\n",
              after: "moved, too\n",
            },
          ],
        }),
      ),
      opencodeTool(
        "write",
        "2",
        opencodeDone({ filePath: "/home/ann/proj/w.txt", content: "one\n" }, "Wrote file successfully.", {
          exists: false,
        }),
      ),
      opencodeTool(
        "edit",
        "3",
        opencodeDone(
          { filePath: "/home/ann/proj/w.txt", oldString: "one", newString: "two" },
          "Edit applied.",
          {
            filediff: { file: "/home/ann/proj/w.txt", patch: "…" },
          },
        ),
      ),
      opencodeTool(
        "read",
        "4",
        opencodeDone({ filePath: "/home/ann/proj/w.txt" }, withFile("1: two", "End of file - total 1 lines")),
      ),
      opencodeTool(
        "apply_patch",
        "5",
        opencodeDone(
          { patchText: "*** Begin Patch\n*** Update File: newer.txt\n@@\n-a\n+b\n*** End Patch" },
          "Success.",
        ),
      ),
      opencodePart("patch", { files: ["/home/ann/proj/w.txt", "/home/ann/proj/made-by-a-command.txt"] }),
    );
    expect(inputs).toEqual({ "old.txt": "old\n", "from.txt": "moved\n" });
    expect(outputs).toEqual({ "new.txt": "new\n", "to.txt": "moved, too\n", "w.txt": "two\n" });
    expect(coverage["unknown"]).toContain("the content of 2 changed files at the end");
  });

  it("opencode: what the user took back is abandoned, from a message or a part of it on", () => {
    const kept = opencodeText("kept");
    const undone = opencodeText("undone");
    const messages = [
      opencodeUser([opencodeText("one")]),
      opencodeAnswer([kept, undone]),
      opencodeUser([opencodeText("two")]),
      opencodeAnswer([opencodeText("more")]),
    ];
    const abandoned = (revert: object) =>
      readRun(opencode, opencodeExport(messages, { ...opencodeInfo, revert })).steps.map(
        ({ output, metadata }) => [output, metadata["abandoned"]],
      );
    const messageID = messages[1]?.info.id;
    expect(abandoned({ messageID, partID: undone.id })).toEqual([
      ["kept", undefined],
      ["undone", true],
      ["more", true],
    ]);
    expect(abandoned({ messageID }).map(([, flag]) => flag)).toEqual([true, true, true]);
    expect(abandoned({ messageID: "msg_none" }).map(([, flag]) => flag)).toEqual(Array(3).fill(undefined));
    const { usage } = readRun(
      opencode,
      opencodeExport(messages, { ...opencodeInfo, revert: { messageID, partID: undone.id } }),
    );
    expect(usage).toMatchObject({ requests: 2, input_tokens: 20 });
  });

  it("opencode: kinds that are not known and damaged values are counted", () => {
    const { coverage, calls } = readRun(
      opencode,
      opencodeExport([
        opencodeUser([opencodePart("poem"), null as unknown as object]),
        opencodeAnswer([
          opencodePart("dream"),
          3 as unknown as object,
          opencodeText(" "),
          opencodePart("reasoning", { text: "" }),
          opencodePart("tool"),
          opencodePart("tool", {
            tool: 3,
            state: { status: "completed", output: [], metadata: 1, time: "x" },
          }),
        ]),
        { ...opencodeUser([]), info: { role: "poet" } },
        { parts: [] },
        5 as unknown as object,
      ]),
    );
    expect(coverage).toMatchObject({
      records: 3,
      skipped: {
        "message of role poet": 1,
        "message without its info": 2,
        "part dream": 1,
        "part poem": 1,
        "part unknown": 2,
      },
      left_out: { "empty reasoning": 1, "empty text": 1 },
    });
    expect(calls.map(({ tool, metadata }) => [tool, metadata["status"]])).toEqual([
      ["unknown", "unanswered"],
      ["unknown", "ok"],
    ]);
  });
});

describe("a session in opencode's storage", () => {
  const task = opencodeTool(
    "task",
    "call_1",
    opencodeDone({ prompt: "Look." }, "Nothing.", { sessionId: "ses_2" }),
  );
  const messages = () => [
    opencodeUser([opencodeText("look")]),
    opencodeAnswer([task, opencodeText("Done.")]),
  ];

  it("opencode: a stored session is read with its messages, and those of its sub-agents", () => {
    const storage = tempFolder();
    const path = stored(storage, opencodeInfo, messages());
    stored(storage, { ...opencodeInfo, id: "ses_2", parentID: "ses_1" } as { id: string }, [
      opencodeUser([opencodeText("Look.")]),
      opencodeAnswer([opencodeText("Nothing.")]),
    ]);
    const read = readStored(path);
    expect(read.prompts).toEqual(["look"]);
    expect(read.steps.map(({ output }) => output)).toEqual(["Nothing.", "Done."]);
    expect(read.coverage["records"]).toBe(2);
    expect(read.subs.map(({ agent, call }) => [agent, call])).toEqual([["ses_2", "call_1"]]);
    expect(read.calls[0]?.pack).toBeDefined();
    const [sub] = read.subs;
    if (sub === undefined) throw new Error("no sub-agent");
    const child = partsOf(read, sub.run);
    expect([child.prompts, child.source["session"], child.source["subagent"]]).toEqual([
      ["Look."],
      "ses_1",
      "ses_2",
    ]);
  });

  it("opencode: a session of the first versions is read from the storage of its project", () => {
    const path = stored(tempFolder(), opencodeInfo, messages(), { isOldest: true });
    expect(readStored(path).steps.map(({ output }) => output)).toEqual(["Nothing.", "Done."]);
  });

  it("opencode: a session that would be its own sub-agent is read once", () => {
    const own = opencodeTool("task", "c", opencodeDone({}, "x", { sessionId: "ses_1" }));
    const path = stored(tempFolder(), opencodeInfo, [opencodeAnswer([own])]);
    expect(readStored(path).subs).toEqual([]);
  });

  it("opencode: damaged files of a stored session are counted", () => {
    const storage = tempFolder();
    const path = stored(storage, opencodeInfo, messages());
    put(join(storage, "message/ses_1/msg_9.json"), "{");
    put(join(storage, "message/ses_1/msg_a.json"), "[]");
    expect(readStored(path).coverage["damaged"]).toEqual({
      count: 2,
      lines: [
        { line: 3, why: "file of message/ is not valid JSON" },
        { line: 4, why: "file of message/ is no object" },
      ],
    });
  });

  it("opencode: the description of a session without its messages is no log", () => {
    const bytes = Buffer.from(JSON.stringify(opencodeInfo));
    expect(opencode.sniff(headOf(bytes, true))).toMatchObject({ near: 0.99 });
    const path = stored(tempFolder(), opencodeInfo, messages());
    expect(opencode.sniff(headOf(bytes, true), path)).toBe(true);
    expect(() => readRun(opencode, bytes)).toThrow(/contains no run: it describes a session/);
    expect(() => readRun(opencode, "{}")).toThrow(/contains no session of opencode/);
    const outside = { ...opencodeInfo, id: "ses_/../../x" };
    expect(opencode.sniff(headOf(Buffer.from(JSON.stringify(outside)), true), path)).toMatchObject({
      near: 0.99,
    });
  });
});
