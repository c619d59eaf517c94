import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { ExactInteger, type JsonObject } from "../../../src/base/json/value.js";
import { type Outcome, StepFailure } from "../../../src/replay/outcome.js";
import { connectMcp, type McpOptions, type McpSession } from "../../../src/replay/mcp.js";
import type { RunningServer } from "../../../src/replay/spawn.js";
import { repository } from "../../../dev/built.js";

const real = [join(repository, "dev/mcp-server.mjs")];
const options: McpOptions = { timeout: 30_000, allowWrites: false, outputLimit: 1 << 20 };

const started: ChildProcess[] = [];
// An unhandled rejection fails the run.
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Returns a program as replay starts them, without a sandbox. */
function start(args: readonly string[]): RunningServer & { child: ChildProcess } {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  started.push(child);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdin.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  child.stdout.pipe(stdout);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { stdin, stdout, errorText: () => said, stop, exited, child };
}

/**
 * Returns a server that answers the first requests properly, and then does what `code` says with each
 * `request`.
 */
function scripted(code: string, tools = '[{ name: "t", annotations: { readOnlyHint: true } }]'): string[] {
  const script = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const text = (request, text) => send({ id: request.id, result: { content: [{ type: "text", text }] } });
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const request = JSON.parse(line);
      if (request.method === "initialize")
        send({ id: request.id, result: { protocolVersion: request.params.protocolVersion,
          capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
      else if (request.method === "tools/list") send({ id: request.id, result: { tools: ${tools} } });
      else if (request.method === "tools/call") { ${code} }
    });`;
  return ["-e", script];
}

async function session(args = real, more: Partial<McpOptions> = {}): Promise<McpSession> {
  return await connectMcp(start(args), { ...options, ...more });
}

/** Returns one call, in a session of its own. */
async function call(
  tool: string,
  parameters: JsonObject = {},
  more: Partial<McpOptions> & { args?: string[] } = {},
): Promise<Outcome> {
  const { args = real, ...rest } = more;
  const open = await session(args, rest);
  try {
    return await open.call(tool, parameters);
  } finally {
    await open.close();
  }
}

function output(text: string, exitCode?: number): Outcome {
  return {
    kind: "output",
    bytes: Buffer.from(text),
    compared: "output",
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/** Returns why no session came about. */
async function refusal(args: string[], more: Partial<McpOptions> = {}): Promise<string> {
  const server = start(args);
  const error = await connectMcp(server, { ...options, ...more }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StepFailure);
  expect((error as StepFailure).reason).toBe("error");
  await server.exited;
  return (error as StepFailure).message;
}

/** Only refusals, and an error that the server answered with, count as tried. */
const failure = (reason: string, message: string | RegExp): unknown => ({
  kind: "failed",
  reason,
  message: typeof message === "string" ? message : (expect.stringMatching(message) as unknown),
  ...(reason === "no_tool" || reason === "not_allowed" || /answered with an error/.test(String(message))
    ? {}
    : { untried: true }),
});

describe("the result of a tool", () => {
  it("MCP result: a text alone is the result", async () => {
    expect(await call("say", { what: "one\n\u001b[31mtwo é" })).toEqual(output("one\n\u001b[31mtwo é"));
  });

  it("MCP result: other content is canonical JSON without annotations", async () => {
    const open = await session();
    expect(await open.call("two", {})).toEqual(
      output('[{"text":"a","type":"text"},{"resource":{"text":"é","uri":"note://1"},"type":"resource"}]'),
    );
    expect(await open.call("none", {})).toEqual(output("[]"));
    await open.close();
  });

  it("MCP result: an error has an exit status", async () => {
    expect(await call("wrong")).toEqual(output("no such note", 1));
  });

  it("MCP result: unknown content types and every digit are kept", async () => {
    const block = '{ type: "new", n: "BIG", __proto: 1 }';
    const args = scripted(
      `process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { content: [${block}] } })
         .replace('"BIG"', "12345678901234567890") + "\\n");`,
    );
    expect(await call("t", {}, { args })).toEqual(
      output('[{"__proto":1,"n":12345678901234567890,"type":"new"}]'),
    );
  });

  it("MCP result: it may contain half a surrogate pair", async () => {
    expect(await call("t", {}, { args: scripted('text(request, "a\\ud83d");') })).toEqual(output("a\ufffd"));
  });

  it("MCP result: it is read to the end if the server exits with it", async () => {
    expect(await call("last words")).toEqual(output("x".repeat(100_000)));
  });

  it("MCP result: notifications and other lines may precede it", async () => {
    const args = scripted(`
      console.log("Welcome to the server!");
      console.log('{"level":"info"}');
      send({ method: "notifications/message", params: { level: "info", data: "\\u001b[31m" } });
      send({ id: "p", method: "ping" });
      setTimeout(() => text(request, "done"), 50);`);
    expect(await call("t", {}, { args })).toEqual(output("done"));
  });
});

describe("parameters", () => {
  it("MCP parameters: they arrive unchanged", async () => {
    const parameters = { a: [1, "é", null, true], b: { c: 0.5 } };
    expect(await call("echo", parameters)).toEqual(output('{"a":[1,"é",null,true],"b":{"c":0.5}}'));
  });

  it("MCP parameters: integers beyond 2^53 keep their digits", async () => {
    const args = scripted("text(request, line.match(/[0-9]{19,}/)[0]);");
    const n = "123456789012345678901234567890";
    expect(await call("t", { n: new ExactInteger(n) }, { args })).toEqual(output(n));
  });
});

describe("which MCP tools are called", () => {
  it("MCP tools: only existing ones are called", async () => {
    expect(await call("no\u001b[31m")).toEqual(
      failure("no_tool", 'the MCP server has no tool "no\\u{1b}[31m"'),
    );
    expect(await call("__proto__")).toMatchObject({ reason: "no_tool" });
  });

  it("MCP tools: only read-only ones are called, unless writes are allowed", async () => {
    expect(await call("write")).toEqual(failure("not_allowed", /"write" as read-only.*--allow mcp-writes/));
    expect(await call("write", {}, { allowWrites: true })).toEqual(output("written"));
  });

  it("MCP tools: one that is listed as read-only only once is not called", async () => {
    const tools = '[{ name: "t" }, { name: "t", annotations: { readOnlyHint: true } }]';
    expect(await call("t", {}, { args: scripted("", tools) })).toMatchObject({ reason: "not_allowed" });
    const said = '[{ name: "t", annotations: { readOnlyHint: "true" } }]';
    expect(await call("t", {}, { args: scripted("", said) })).toMatchObject({ reason: "not_allowed" });
  });

  it("MCP tools: one that the server added later is called", async () => {
    const open = await session();
    expect(await open.call("grown", {})).toMatchObject({ reason: "no_tool" });
    expect(await open.call("grow", {})).toEqual(output("grew"));
    expect(await open.call("echo", {})).toMatchObject({ kind: "output" });
    expect(await open.call("grown", {})).toEqual(output("new"));
    await open.close();
  });

  it("MCP tools: a server without tools gets no call", async () => {
    const args = scripted("").map((word) => word.replace("{ tools: {} }", "{}"));
    expect(await call("t", {}, { args })).toMatchObject({ reason: "no_tool" });
  });
});

describe("a server that misbehaves in a call", () => {
  it.each([
    [
      "dies",
      'process.stderr.write("first\\nout of \\u001b[31mink\\n"); process.exit(3);',
      /ended with exit status 3: out of \\u\{1b\}\[31mink$/,
    ],
    ["is killed", 'process.kill(process.pid, "SIGKILL");', /ended by a signal$/],
    ["closes its output", 'require("node:fs").closeSync(1);', /closed its output$/],
    ["writes half of JSON", `process.stdout.write('{"jsonrpc":\\n');`, /not JSON$/],
    ["writes garbage", 'console.log("\\u001b[31m?\\n".repeat(200));', /does not speak MCP$/],
    [
      "writes a line without an end",
      'setInterval(() => process.stdout.write("x".repeat(65536)), 1);',
      /wrote more than 1 MiB for one call$/,
    ],
    ["answers with a line over the limit", 'text(request, "x".repeat(2 << 20));', /wrote more than 1 MiB/],
    [
      "floods",
      'for (let i = 0; i < 30000; i++) send({ method: "notifications/message", params: { level: "info", data: i } });',
      /wrote more than 1 MiB/,
    ],
    [
      "answers with an error",
      'send({ id: request.id, error: { code: -32603, message: "no \\u001b]0;ink\\u0007" } });',
      /answered with an error: no \\u\{1b\}\]0;ink\\u\{7\}$/,
    ],
    ["answers without content", "send({ id: request.id, result: {} });", /without content$/],
    [
      "answers with an error that says nothing",
      "send({ id: request.id, error: {} });",
      /wrote an invalid message$/,
    ],
    ["answers with something else", "send({ id: request.id, result: 7 });", /wrote an invalid message$/],
    [
      "asks for sampling",
      'send({ id: "q", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });',
      /asked for sampling\/createMessage, which a replay does not offer$/,
    ],
    ["asks for roots", 'send({ id: "q", method: "roots/list" });', /asked for roots\/list/],
    [
      "asks for elicitation",
      'send({ id: "q", method: "elicitation/create", params: {} });',
      /asked for elicitation\/create/,
    ],
    ["asks for anything", 'send({ id: "q", method: "\\u001b[31m" });', /asked for \\u\{1b\}\[31m,/],
  ])("MCP server that misbehaves in a call: %s", async (_what, code, message) => {
    expect(await call("t", {}, { args: scripted(code) })).toEqual(failure("error", message));
  });

  it("MCP server that misbehaves in a call: it falls silent", async () => {
    const open = await session(real, { timeout: 6000 });
    expect(await open.call("slow", {})).toEqual(
      failure("timeout", "the MCP server had not answered after 6 s"),
    );
    expect(await open.call("say", { what: "still here" })).toEqual(output("still here"));
    await open.close();
  });

  it("MCP server that is gone: every later call fails the same way", async () => {
    const open = await session();
    const gone = failure("error", "the MCP server ended with exit status 3: out of \\u{1b}[31mink");
    expect(await open.call("die", {})).toEqual(gone);
    expect(await open.call("say", { what: "x" })).toEqual(gone);
    await open.close();
    await open.close();
  });

  it("MCP server that misbehaves in a call: it does not read its input", async () => {
    const code = `process.stdin.pause(); setInterval(() => process.stdout.write(
      ('{"jsonrpc":"2.0","id":"' + "i".repeat(20) + '","method":"ping"}\\n').repeat(100)), 1);`;
    expect(await call("t", {}, { args: scripted(code), timeout: 30_000 })).toMatchObject({ reason: "error" });
  });
});

describe("a session that does not come about", () => {
  it("MCP session fails because the server never answers", async () => {
    const message = "the MCP server had not answered after 1 s";
    expect(await refusal(["-e", "setInterval(() => {}, 1000)"], { timeout: 1000 })).toBe(message);
    const loud = 'console.log("hello"); setInterval(() => {}, 1000)';
    expect(await refusal(["-e", loud], { timeout: 10_000 })).toContain("1 lines that it wrote are not MCP");
  });

  it("MCP session fails because the server exits at once", async () => {
    expect(await refusal(["-e", "process.exit(4)"])).toBe("the MCP server ended with exit status 4");
  });

  it("MCP session fails because the server speaks another protocol", async () => {
    expect(await refusal(["-e", "setInterval(() => console.log('{]'), 10)"])).toMatch(/not JSON$/);
    const [, proper] = scripted("") as [string, string];
    const odd = proper.replace("request.params.protocolVersion", '"\\u001b[31m"');
    expect(await refusal(["-e", odd])).toMatch(
      /^ctx could not read the answer of the MCP server: .*\\u\{1b\}\[31m$/,
    );
    const empty = proper.replace(/serverInfo: [^}]*\}/, "");
    expect(await refusal(["-e", empty])).toMatch(/^ctx could not read the answer of the MCP server: [ -~]*$/);
  });

  it("MCP session fails because its list of tools is endless or malformed", async () => {
    expect(await refusal(scripted("", '[], nextCursor: "again"'))).toMatch(/does not end$/);
    expect(await refusal(scripted("", "7"))).toMatch(/list of tools that is none$/);
  });

  it("MCP session fails because its list of tools is too long, page by page", async () => {
    const tools = '[{ name: "n".repeat(100_000) }], nextCursor: String(Math.random())';
    expect(await refusal(scripted("", tools))).toMatch(/wrote more than 1 MiB/);
  });
});

describe("an interruption", () => {
  it("MCP: an interruption ends a call, with its reason", async () => {
    const interruption = new AbortController();
    const open = await session(real, { signal: interruption.signal });
    const called = open.call("slow", {});
    interruption.abort(new Error("enough"));
    await expect(called).rejects.toThrow("enough");
    await expect(open.call("none", {})).rejects.toThrow("enough");
    await open.close();
  });

  it("MCP: an interruption ends the opening of a session, and the server", async () => {
    const interruption = new AbortController();
    const server = start(["-e", "setInterval(() => {}, 1000)"]);
    const connecting = connectMcp(server, { ...options, signal: interruption.signal });
    setTimeout(() => interruption.abort(new Error("enough")), 300);
    await expect(connecting).rejects.toThrow("enough");
    await server.exited;
  });
});

it("MCP: closing a session ends the server, and fails pending calls", async () => {
  const server = start(real);
  const open = await connectMcp(server, options);
  const called = open.call("slow", {});
  await open.close();
  expect(await called).toEqual(failure("error", "the MCP server was stopped"));
  expect(await server.exited).toBeNull();
});
