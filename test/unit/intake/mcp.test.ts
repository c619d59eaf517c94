import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { mcp } from "../../../src/intake/formats/mcp/format.js";
import { headOf } from "../../../src/intake/head.js";
import { fits, lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";
import { mcpSpecimens } from "../../../dev/specimens/mcp.js";

const rpc = (more: object) => ({ jsonrpc: "2.0", ...more });
const initialize = (id: unknown = 0) =>
  rpc({
    id,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "claude-ai", version: "0.1.0" },
    },
  });
const initialized = (id: unknown = 0, name = "files") =>
  rpc({
    id,
    result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name, version: "1.2.3" } },
  });
const call = (id: unknown, name: string, args: object = {}) =>
  rpc({ id, method: "tools/call", params: { name, arguments: args, _meta: { progressToken: 1 } } });
const answer = (id: unknown, text: string, more: object = {}) =>
  rpc({ id, result: { content: [{ type: "text", text }], ...more } });
const read = (log: unknown, options = {}) => readRun(mcp, log, options);

/** Returns a line as Claude Desktop writes it. */
const desktop = (from: "client" | "server", message: object, { second = 1, server = "files" } = {}) =>
  `2026-05-01T10:00:0${second}.000Z [${server}] [info] Message from ${from}: ${JSON.stringify(message)} { metadata: undefined }\n`;

const raw = (id: string, rest: string) => `{"jsonrpc":"2.0","id":${id},${rest}}\n`;

const hosted = (server: string, from: string, message: object) =>
  `2026-05-01T10:00:00.000Z [info] [${server}] Message from ${from}: ${JSON.stringify(message)}\n`;

const tagged = (tag: string, message: object) =>
  `2026-05-01T10:00:00.000Z [${tag}] ${JSON.stringify(message)}\n`;

describe("recognition of MCP", () => {
  it.each<[string, string]>([
    ["messages", lines(initialize(), initialized())],
    ["an answer alone", lines(answer(1, "x"))],
    ["a batch", `${JSON.stringify([call(1, "a"), call(2, "b")])}\n`],
    ["a list of messages", JSON.stringify([call(1, "a"), answer(1, "b")], null, 2)],
    [
      "a list of objects around messages",
      JSON.stringify([{ direction: "c2s", message: call(1, "a") }], null, 2),
    ],
    [
      "a log of Claude Desktop",
      `2026-05-01T10:00:00.000Z [files] [info] Initializing server...\n${desktop("client", initialize())}`,
    ],
    [
      "Claude Desktop's log of all servers",
      `2026-05-01T10:00:00.000Z [info] [files] Message from client: ${JSON.stringify(call(1, "a"))}\n`,
    ],
    ["tagged lines", `2026-05-01T10:00:00.000Z [STDIN] ${JSON.stringify(call(1, "a"))}\n`],
    ["messages as text in objects", lines({ ts: 1, data: JSON.stringify(call(1, "a")) })],
  ])("MCP: the format recognises %s", (_, log) => {
    expect(fits(mcp, log)).toBe(true);
  });

  it.each<[string, string]>([
    ["a language server's traffic", lines(rpc({ id: 1, method: "textDocument/hover", params: {} }))],
    [
      "the beginning of a language server's traffic",
      lines(rpc({ id: 1, method: "initialize", params: { processId: 1, capabilities: {} } })),
    ],
    [
      "traffic of another agent protocol",
      lines(rpc({ id: 1, method: "initialize", params: { protocolVersion: 1 } })),
    ],
    [
      "a transcript that mentions MCP",
      lines({ type: "user", message: { content: JSON.stringify(call(1, "a")) } }),
    ],
    ["text that mentions MCP", 'MCP uses "jsonrpc": "2.0" and methods such as tools/call.\n'],
    ["an empty log", ""],
  ])("MCP: the format does not recognise %s", (_, log) => {
    expect(fits(mcp, log)).toBe(false);
  });

  it("MCP: other JSON-RPC comes near", () => {
    const log = Buffer.from(lines(rpc({ id: 1, method: "textDocument/hover" })));
    expect(mcp.sniff(headOf(log, true))).toEqual({
      near: 0.5,
      missing: "it has JSON-RPC messages, but none of MCP",
    });
  });
});

describe("traffic", () => {
  it("MCP: traffic becomes a run whose steps are calls", () => {
    const { steps, run, source, metadata, coverage, prompts } = read(
      lines(
        initialize(),
        initialized(),
        rpc({ method: "notifications/initialized" }),
        rpc({ id: 1, method: "tools/list" }),
        rpc({ id: 1, result: { tools: [{ name: "read_file", inputSchema: {} }, { name: "write_file" }] } }),
        call(2, "read_file", { path: "/a.txt" }),
        answer(2, "hello"),
        rpc({ id: "r", method: "resources/read", params: { uri: "file:///b" } }),
        rpc({ id: "r", result: { contents: [{ uri: "file:///b", text: "bee" }] } }),
        rpc({ id: 3, method: "prompts/get", params: { name: "p" } }),
        rpc({ id: 3, result: { messages: [{ role: "user", content: { type: "text", text: "Do it" } }] } }),
      ),
    );
    expect(steps.map(({ type, tool, parameters, output }) => [type, tool, parameters, output])).toEqual([
      ["tool_call", "read_file", { path: "/a.txt" }, "hello"],
      ["tool_call", "resources/read", { uri: "file:///b" }, "bee"],
      ["tool_call", "prompts/get", { name: "p" }, "user: Do it"],
    ]);
    expect(prompts).toEqual([]);
    expect(run.environment.tool_versions).toEqual({ files: "1.2.3" });
    expect(source).toEqual({ format: "mcp", client: "claude-ai 0.1.0" });
    expect(metadata).toMatchObject({ tools: ["read_file", "write_file"], protocol_version: "2025-06-18" });
    expect(coverage).toMatchObject({
      records: 11,
      unknown: [
        "what the model was asked and said (only its tools are recorded)",
        "the prompt (give it with --prompt)",
        "the system prompt (not recorded)",
        "times",
        "the model",
      ],
    });
    expect(coverage["skipped"]).toBeUndefined();
  });

  it("MCP: the prompt is the one from the options", () => {
    expect(read(lines(call(1, "a")), { prompt: "go" }).prompts).toEqual(["go"]);
  });

  it("MCP: answers are matched by id, whatever the id is and wherever they stand", () => {
    const ids = [0, "0", 1.5, "a b", -1];
    const { calls } = read(
      lines(
        ...ids.map((id, at) => call(id, `t${at}`)),
        ...ids.map((id, at) => answer(id, `r${at}`)).reverse(),
      ),
    );
    expect(calls.map(({ output }) => output)).toEqual(["r0", "r1", "r2", "r3", "r4"]);
    expect(new Set(calls.map(({ metadata }) => metadata["parallel"])).size).toBe(1);
  });

  it("MCP: large ids are kept apart (trap 16)", () => {
    const ask = (id: string) => raw(id, `"method":"tools/call","params":{"name":"t${id}"}`);
    const { calls } = read(
      ask("9007199254740993") +
        ask("9007199254740992") +
        raw("9007199254740993", '"result":{"content":[{"text":"3"}]}'),
    );
    expect(calls.map(({ output }) => output)).toEqual(["3", undefined]);
  });

  it("MCP: ids begin anew with each connection", () => {
    const { calls, metadata } = read(
      lines(
        initialize(),
        initialized(),
        call(1, "lost"),
        initialize(),
        initialized(),
        call(1, "found"),
        answer(1, "yes"),
      ),
    );
    expect(
      calls.map(({ tool, output, metadata: about }) => [tool, output, about["status"], about["connection"]]),
    ).toEqual([
      ["lost", undefined, "interrupted", undefined],
      ["found", "yes", "ok", 2],
    ]);
    expect(metadata["connections"]).toBe(2);
  });

  it("MCP: requests of both sides with the same id are told apart", () => {
    const log = [
      { from: "client", timestamp: 1_777_000_000_000, message: call(1, "a") },
      {
        from: "server",
        timestamp: 1_777_000_001_000,
        message: rpc({ id: 1, method: "sampling/createMessage", params: { messages: [] } }),
      },
      {
        from: "client",
        timestamp: 1_777_000_002_000,
        message: rpc({
          id: 1,
          result: { role: "assistant", content: { type: "text", text: "said" }, model: "m" },
        }),
      },
      { from: "server", timestamp: 1_777_000_003_000, message: answer(1, "done") },
    ];
    const { calls, contexts, run } = read(lines(...log));
    expect(calls).toMatchObject([{ output: "done" }]);
    expect(contexts.map(([kind]) => kind)).toEqual([
      "sampling/createMessage",
      "sampling/createMessage answer",
    ]);
    expect(run.created).toBe("2026-04-24T03:06:43.000Z");
  });

  it("MCP: calls end with an error, an interruption or no answer (trap 8)", () => {
    const { calls, steps, coverage } = read(
      lines(
        call(1, "a"),
        rpc({ id: 1, error: { code: -32602, message: "bad", data: { why: 1 } } }),
        call(2, "b"),
        answer(2, "failed", { isError: true }),
        call(3, "c"),
        rpc({ method: "notifications/cancelled", params: { requestId: 3 } }),
        call(4, "d"),
        answer(9, "whose?"),
        rpc({ id: 10, result: { tools: [] } }),
      ),
    );
    expect(calls.map(({ output, metadata }) => [output, metadata["status"], metadata["error_code"]])).toEqual(
      [
        ['bad\n{"why":1}', "error", -32602],
        ["failed", "error", undefined],
        [undefined, "interrupted", undefined],
        [undefined, "unanswered", undefined],
      ],
    );
    expect(steps.at(-1)).toMatchObject({ type: "tool_result", output: "whose?" });
    expect(coverage["left_out"]).toEqual({ "answer to an unknown request": 1 });
  });

  it("MCP: calls with the same id are told apart (trap 7)", () => {
    const { calls } = read(lines(call(1, "a"), answer(1, "x"), call(1, "a"), answer(1, "y")));
    expect(calls.map(({ output }) => output)).toEqual(["x", "y"]);
  });

  it("MCP: binary content of a result is attached, and linked resources are named", () => {
    const content = [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "resource", resource: { uri: "u", text: "inner" } },
      { type: "resource_link", uri: "file:///x", name: "x" },
      { type: "odd", a: 1 },
    ];
    const { calls, inputs } = read(lines(call(1, "a"), rpc({ id: 1, result: { content } })));
    expect(calls[0]?.output).toBe('[.attached/1.png]\ninner\n[file:///x]\n{"a":1,"type":"odd"}');
    expect(inputs).toEqual({ ".attached/1.png": "hi" });
    const other = read(
      lines(call(1, "a"), rpc({ id: 1, result: { content: [], structuredContent: { b: 2 } } })),
    );
    expect(other.calls[0]?.output).toBe('{"b":2}');
  });

  it("MCP: instructions and questions of servers are context", () => {
    const { contexts } = read(
      lines(
        initialize(),
        rpc({ id: 0, result: { protocolVersion: "1", serverInfo: { name: "x" }, instructions: "Be nice." } }),
        rpc({ id: 7, method: "elicitation/create", params: { message: "Your name?" } }),
        rpc({ id: 7, result: { action: "accept", content: { name: "Ann" } } }),
        rpc({ id: 8, method: "roots/list" }),
        rpc({ id: 8, result: { roots: [] } }),
      ),
    );
    expect(contexts).toEqual([
      ["instructions", "Be nice."],
      ["elicitation/create", "Your name?"],
      ["elicitation/create answer", '{"action":"accept","content":{"name":"Ann"}}'],
    ]);
  });

  it("MCP: unknown methods are counted", () => {
    expect(
      read(lines(call(1, "a"), rpc({ id: 2, method: "dream/on" }), rpc({ method: "sleep" }))).coverage[
        "skipped"
      ],
    ).toEqual({ "dream/on": 1, sleep: 1 });
  });

  it("MCP: traffic in a list or a batch is read", () => {
    const messages = [call(1, "a"), answer(1, "x")];
    for (const log of [
      JSON.stringify(messages, null, 2),
      `${JSON.stringify(messages)}\n`,
      `[\n${messages.map((one) => JSON.stringify(one)).join(",\n")}\n]`,
    ])
      expect(read(log).calls).toMatchObject([{ output: "x" }]);
  });

  it("MCP: records of an inspector that pairs requests and responses are read", () => {
    const { calls } = read(
      lines({ request: JSON.stringify(call(1, "a")), response: JSON.stringify(answer(1, "x")) }),
    );
    expect(calls).toMatchObject([{ tool: "a", output: "x" }]);
  });
});

describe("logs of Claude Desktop", () => {
  const log =
    "2026-05-01T10:00:00.000Z [files] [info] Initializing server...\n" +
    desktop("client", initialize()) +
    'Server running on stdio\n  File "x.py", line 1\n' +
    desktop("server", initialized()) +
    desktop("client", call(1, "read_file"), { second: 2 }) +
    '{"level":"info","msg":"a log of the server\'s own"}\n' +
    desktop("server", answer(1, "hello"), { second: 3 }) +
    desktop("client", call(2, "slow"), { second: 4 }) +
    "2026-05-01T10:00:05.000Z [files] [info] Server transport closed\n" +
    '2026-05-01T10:00:05.500Z [files] [error] Server disconnected. {"context":"connection"}\n';

  it("MCP: a log of Claude Desktop is read with its times, and the server's own output is skipped", () => {
    const { steps, run, coverage } = read(log);
    expect(
      steps.map(({ type, output, metadata, timestamp }) => [type, output, metadata["status"], timestamp]),
    ).toEqual([
      ["tool_call", "hello", "ok", "2026-05-01T10:00:02.000Z"],
      ["tool_call", undefined, "interrupted", "2026-05-01T10:00:04.000Z"],
      ["context", 'Server disconnected. {"context":"connection"}', undefined, "2026-05-01T10:00:05.500Z"],
    ]);
    expect(steps[0]?.metadata["server"]).toBe("files");
    expect(run.created).toBe("2026-05-01T10:00:05.500Z");
    expect(coverage["left_out"]).toMatchObject({
      "line that is no message": 2,
      "record that is no message": 1,
      "line of the host": 2,
    });
  });

  it("MCP: a log of several servers keeps their ids apart", () => {
    const { calls } = read(
      hosted("one", "client", call(1, "a")) +
        hosted("two", "client", call(1, "b")) +
        hosted("two", "server", answer(1, "B")) +
        hosted("one", "server", answer(1, "A")),
    );
    expect(calls.map(({ output, metadata }) => [output, metadata["server"]])).toEqual([
      ["A", "one"],
      ["B", "two"],
    ]);
  });

  it("MCP: a message that Claude Desktop truncated is read and marked (trap 10)", () => {
    const { calls, coverage } = read(
      `${desktop("client", call(2, "get"))}2026-05-01T10:00:02.000Z [files] [info] Message from server: ` +
        '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"# Be...[14696 chars truncated]...end\\n"}}} { metadata: undefined }\n',
    );
    expect(calls).toMatchObject([
      { output: "# Be...[14696 chars truncated]...end\n", metadata: { status: "ok", truncated: true } },
    ]);
    expect(coverage["truncated"]).toBe(1);
  });

  it("MCP: damaged lines and an incomplete last line are counted (trap 17)", () => {
    const { coverage } = read(
      `${lines(call(1, "a"))}{"jsonrpc":"2.0","id"\n${lines(answer(1, "x"))}{"jsonrpc":"2.`,
    );
    expect(coverage).toMatchObject({ damaged: { count: 1 }, partial_last_line: true });
  });
});

describe("tagged lines", () => {
  it("MCP: tagged lines name the sender", () => {
    const { calls, contexts } = read(
      tagged("STDIN", call(1, "a")) +
        tagged("STDOUT", rpc({ id: 1, method: "elicitation/create", params: { message: "Sure?" } })) +
        tagged("STDIN", rpc({ id: 1, result: { action: "decline" } })) +
        tagged("STDOUT", answer(1, "x")) +
        "2026-05-01T10:00:00.000Z [STDERR] oops\n",
    );
    expect(calls).toMatchObject([{ output: "x", metadata: { status: "ok" } }]);
    expect(contexts).toHaveLength(2);
  });
});

describe("hostile logs", () => {
  it("MCP: messages of any shape do not crash the reader", () => {
    const { coverage } = read(
      lines(
        rpc({ id: {}, method: "tools/call" }),
        rpc({ id: 1, method: "tools/call", params: [] }),
        rpc({ id: 1, result: null }),
        rpc({ id: [], result: { content: {} } }),
        rpc({ id: null, error: null }),
        rpc({ id: 2, method: [] }),
        rpc({ id: "__proto__", method: "initialize", params: { clientInfo: 3 } }),
        rpc({
          id: "__proto__",
          result: { serverInfo: { name: "__proto__", version: "1" }, protocolVersion: "x" },
        }),
        [[[rpc({ method: "x" })]]],
      ),
    );
    expect(coverage["records"]).toBe(9);
  });

  it("MCP: a log without any message is refused, one that is cut off is read", () => {
    expect(() => read("nothing here\n")).toThrow(CtxError);
    expect(() => read('[\n{"jsonrpc"')).toThrow(CtxError);
    const cut = JSON.stringify([call(1, "a"), answer(1, "x")], null, 2).slice(0, -40);
    expect(read(cut).coverage["partial_last_line"]).toBe(true);
    expect(read(`[2026-05-01T10:00:00Z] [STDIN] ${JSON.stringify(call(1, "a"))}\n`).run.created).toBe(
      "2026-05-01T10:00:00Z",
    );
  });

  it("MCP: 20,000 calls with the same id get their answers", () => {
    const calls = Array.from({ length: 20_000 }, () => call(1, "a"));
    const answers = Array.from({ length: 20_000 }, () => answer(1, "x"));
    expect(read(lines(...calls, ...answers)).calls.filter(({ output }) => output === "x")).toHaveLength(
      20_000,
    );
  });

  it("MCP: long lines of braces and brackets are skipped", () => {
    const log = `${"[".repeat(300_000)}\n${"[a]".repeat(200_000)}{"jsonrpc"\n${"{".repeat(300_000)}"jsonrpc"\n${lines(call(1, "a"))}`;
    expect(fits(mcp, log)).toBe(false);
    expect(read(log).calls).toHaveLength(1);
  });
});

it("MCP: the specimens are recognised, small and undamaged", () => {
  for (const specimen of mcpSpecimens) {
    expect(fits(mcp, specimen)).toBe(true);
    expect(specimen.length).toBeLessThan(6000);
    expect(readRun(mcp, specimen).coverage).not.toHaveProperty("damaged");
  }
});
