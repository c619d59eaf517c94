import { describe, expect, it } from "vitest";
import { pi } from "../../../src/intake/formats/pi/format.js";
import { fits, lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";
import { piHeader, piMessage, piSpecimens } from "../../../dev/specimens/pi.js";

/** Entries in a row, each the child of the one before it unless it names another. */
function session(...messages: { id: string; parent?: string; role: string; [more: string]: unknown }[]) {
  let last: string | null = null;
  return lines(
    piHeader,
    ...messages.map(({ id, parent, ...message }) => {
      const entry = { type: "message", id, parentId: parent ?? last, message };
      last = id;
      return entry;
    }),
  );
}
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const calls = (...all: [id: string, name: string, parameters: object][]) => ({
  content: all.map(([id, name, parameters]) => ({ type: "toolCall", id, name, arguments: parameters })),
});
const returned = (toolCallId: string, words: string, more: object = {}) => ({
  role: "toolResult",
  toolCallId,
  ...text(words),
  ...more,
});

describe("a session of pi", () => {
  it("pi: a log is recognised by its header", () => {
    for (const specimen of piSpecimens) expect(fits(pi, specimen)).toBe(true);
    expect(fits(pi, lines({ type: "session", id: "s", payload: {}, cwd: "/" }))).toBe(false);
    expect(fits(pi, lines({ type: "session", id: "s" }))).toBe(false);
    expect(fits(pi, lines(piMessage("user", { content: "x" }), piHeader))).toBe(false);
  });

  it("pi: the specimen with everything becomes a run", () => {
    const read = readRun(pi, piSpecimens[0]);
    expect(read.prompts).toEqual(["fix a.txt\n[.attached/1.png]", "thanks"]);
    expect(
      read.steps.map(({ type, tool, output, metadata }) => [
        type,
        tool ?? metadata["kind"],
        output,
        metadata["status"],
        metadata["abandoned"],
      ]),
    ).toEqual([
      ["context", "extension", "Be brief.", undefined, undefined],
      ["reasoning", undefined, "Read it first.", undefined, undefined],
      ["message", undefined, "I look.", undefined, undefined],
      ["tool_call", "read", "helo\n", "ok", undefined],
      ["tool_call", "bash", "no rule\n", "error", undefined],
      ["reasoning", undefined, undefined, undefined, undefined],
      ["tool_call", "edit", "Successfully replaced 1 block(s) in a.txt.", "ok", undefined],
      ["context", "shell", "$ ls\na.txt", undefined, true],
      ["tool_call", "write", undefined, "interrupted", true],
      ["context", "interruption", "Request was aborted.", undefined, true],
      ["context", "branch_summary", "b.txt was not needed", undefined, undefined],
      ["context", "compaction", "a.txt is fixed", undefined, undefined],
      ["context", "extension", "Still brief.", undefined, undefined],
      ["message", undefined, "Done.", undefined, undefined],
    ]);
    expect(read.steps[4]?.seen).toBe("no rule\n\n\nCommand exited with code 2");
    expect(read.steps[4]?.metadata).toMatchObject({ exit_code: 2, call_id: "call_2|fc_2" });
    expect(read.steps[3]?.metadata["parallel"]).toBe(read.steps[4]?.metadata["parallel"]);
    expect(read.inputs).toMatchObject({ "a.txt": "helo\n" });
    expect(read.outputs).toEqual({ "a.txt": "hello\n", ".answer.md": "Done." });
    expect(read.run.model).toEqual({
      identifier: "gpt-x",
      parameters: { provider: "openai", reasoning_effort: "high" },
    });
    expect(read.source).toEqual({
      format: "pi",
      session: "s",
      session_version: 3,
      parent_session: piHeader.parentSession,
    });
    expect(read.metadata).toMatchObject({
      title: "Fixes the greeting",
      workdir: "/home/ann/proj",
      cost_usd: 2.5,
    });
    expect(read.usage).toEqual({
      requests: 5,
      input_tokens: 41,
      output_tokens: 13,
      cache_read_input_tokens: 25,
      cache_creation_input_tokens: 10,
    });
    expect(read.coverage).toMatchObject({ left_out: { custom: 1, label: 1 } });
    expect(read.coverage).not.toHaveProperty("skipped");
  });

  it("pi: a session of the first version has neither ids nor a version", () => {
    const { prompts, contexts, source, run } = readRun(pi, piSpecimens[1]);
    expect(prompts).toEqual(["hi"]);
    expect(contexts).toEqual([
      ["error", "429"],
      ["extension", "x"],
    ]);
    expect(source).toEqual({ format: "pi", session: "old" });
    // The header is written with the first answer, after the first prompt: the latest time counts.
    expect(run.created).toBe("2025-11-20T23:33:50.805Z");
    expect(run.model.identifier).toBe("claude-x");
  });

  it("pi: a branch that the user returned to is not abandoned", () => {
    const { steps } = readRun(
      pi,
      session(
        { id: "u1", role: "user", ...text("one") },
        { id: "left", role: "assistant", ...text("left") },
        { id: "right", parent: "u1", role: "assistant", ...text("right") },
        { id: "more", parent: "left", role: "assistant", ...text("more of the left") },
      ),
    );
    expect(steps.map(({ output, metadata }) => [output, metadata["abandoned"]])).toEqual([
      ["left", undefined],
      ["right", true],
      ["more of the left", undefined],
    ]);
  });

  it("pi: remarks to the model are no part of an output", () => {
    const { calls: read, inputs } = readRun(
      pi,
      session(
        {
          id: "a",
          role: "assistant",
          ...calls(
            ["1", "bash", { command: "true" }],
            ["2", "bash", { command: "false" }],
            ["3", "bash", { command: "sleep 9" }],
            ["4", "read", { path: "part.txt", limit: 1 }],
            ["5", "read", { path: "cut.txt" }],
            ["6", "read", { path: "whole.txt" }],
          ),
        },
        { id: "r1", ...returned("1", "(no output)") },
        { id: "r2", ...returned("2", "Command exited with code 1", { isError: true }) },
        { id: "r3", ...returned("3", "zz\n\nCommand aborted", { isError: true }) },
        { id: "r4", ...returned("4", "one\n\n[8 more lines in file. Use offset=2 to continue.]") },
        { id: "r5", ...returned("5", "two", { details: { truncation: { truncated: true } } }) },
        { id: "r6", ...returned("6", "three") },
      ),
    );
    expect(read.map(({ output, metadata }) => [output, metadata["status"], metadata["exit_code"]])).toEqual([
      ["", "ok", undefined],
      ["", "error", 1],
      ["zz", "interrupted", undefined],
      ["one", "ok", undefined],
      ["two", "ok", undefined],
      ["three", "ok", undefined],
    ]);
    expect(read.map(({ metadata }) => metadata["truncated"])[4]).toBe(true);
    expect(inputs).toEqual({ "whole.txt": "three" });
  });

  it("pi: kinds that are not known, repeated entries and damaged values are counted", () => {
    const entry = piMessage("user", { content: "x" });
    const { coverage, prompts } = readRun(
      pi,
      lines(
        piHeader,
        entry,
        entry,
        { type: "dream" },
        piMessage("poet", {}),
        piMessage("assistant", { content: [null, 3, { type: "poem" }, { type: "toolCall" }], usage: [] }),
        { type: "message", id: 3, parentId: {}, message: "x" },
      ),
    );
    expect(prompts).toEqual(["x"]);
    expect(coverage).toMatchObject({
      duplicates: 1,
      skipped: {
        "block poem": 1,
        "block unknown": 2,
        dream: 1,
        "message of role poet": 1,
        "message of role unknown": 1,
      },
    });
  });

  it("pi: entries that are their own ancestors do not hang the reader", () => {
    const loop = session(
      { id: "a", parent: "b", role: "user", ...text("x") },
      { id: "b", parent: "a", role: "assistant", ...text("y") },
    );
    expect(readRun(pi, loop).steps[0]?.metadata).not.toHaveProperty("abandoned");
  });
});
