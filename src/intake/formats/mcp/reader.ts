// Reads the messages between clients and servers of MCP into a run. Both sides send requests, each with its
// own ids, and these restart with every connection.
import { ExactInteger, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { type CallBook, callBook } from "../../protocols/openai-chat/calls.js";
import { type Attach, attachTo, toolNames } from "../../protocols/openai-chat/content.js";
import { defined, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { answerOf, plain } from "../../protocols/mcp/content.js";
import type { McpMessage, Remark, McpSide } from "./lines.js";

/** Requests of a client that become calls, besides those of tools. */
const callMethods = new Set(["resources/read", "prompts/get"]);
/** Requests that are known, and say nothing about the run. */
const quietMethods =
  /^(?:initialize|ping|roots\/list|logging\/setLevel|completion\/complete|(?:tools|prompts|resources|resources\/templates)\/list|resources\/(?:un)?subscribe|server\/discover|tasks\/.{1,40})$/;
const serverMethods = /^(?:sampling\/createMessage|elicitation\/create|roots\/list)$/;
const serverNotes = /^notifications\/(?:message|progress|resources\/|tools\/|prompts\/|elicitation\/)/;

interface Connection {
  /** The log's name for the server. */
  name: string | undefined;
  number: number;
  /** Calls of this connection that wait, by their names, and the first of them. */
  open: Set<string>;
  group: string | undefined;
  /** Other requests that wait, by sender and id. */
  requests: Map<string, string>;
}

export class McpReader {
  readonly #into: Into;
  readonly #run: RunBuilder;
  readonly #attach: Attach;
  readonly #calls: CallBook = callBook();
  readonly #connections = new Map<string, Connection>();
  readonly #tools = new Set<string>();
  readonly #clients = new Set<string>();
  /** The number of connections, and of calls. */
  #connectionCount = 0;
  #callCount = 0;

  constructor(into: Into) {
    this.#into = into;
    this.#run = new RunBuilder({
      format: "mcp",
      agent: "mcp",
      keeper: () => into.keeper(),
      coverage: into.coverage,
    });
    this.#attach = attachTo(this.#run);
  }

  take(message: McpMessage): void {
    const { value } = message;
    const { coverage } = this.#into;
    const at: At = { time: timeOf(message.time, coverage) };
    this.#run.see(at);
    coverage.records++;
    const method = textAt(value, "method");
    const id = idOf(value["id"]);
    const from = message.from ?? (method === undefined ? undefined : sideOf(method));
    if (method === "initialize") this.#connect(message.server);
    const connection = this.#connectionOf(message.server);
    if (method === undefined) this.#takeAnswer(connection, message, { id, at });
    else if (id === undefined) this.#takeNotice(connection, method, value);
    else this.#takeRequest(connection, { method, id, from: from ?? "client", value, at });
  }

  remark({ level, text, server, time }: Remark): void {
    const { coverage } = this.#into;
    if (/^(?:Server|Client) transport closed/.test(text)) this.#end(this.#connectionOf(server));
    if (level === "error") this.#run.context("error", text.trim(), { time: timeOf(time, coverage) });
    else coverage.leaveOut("line of the host");
  }

  finish(): ExecutionLog {
    const run = this.#run;
    if (this.#tools.size > 0) run.metadata["tools"] = [...this.#tools];
    if (this.#clients.size > 0) run.metadata["clients"] = [...this.#clients];
    if (this.#connectionCount > 1) run.metadata["connections"] = this.#connectionCount;
    run.coverage.addUnknown("what the model was asked and said (only its tools are recorded)");
    addPromptOption(run, this.#into);
    return run.finish();
  }

  #connectionOf(server: string | undefined): Connection {
    return this.#connections.get(server ?? "") ?? this.#connect(server);
  }

  #connect(server: string | undefined): Connection {
    const before = this.#connections.get(server ?? "");
    if (before !== undefined) this.#end(before);
    const made = {
      name: server,
      number: ++this.#connectionCount,
      open: new Set<string>(),
      group: undefined,
      requests: new Map(),
    };
    this.#connections.set(server ?? "", made);
    return made;
  }

  /** Ends a connection: nothing will answer its open calls. */
  #end(connection: Connection): void {
    for (const name of connection.open) this.#run.setStatus(name, "interrupted");
    connection.open.clear();
    connection.requests.clear();
  }

  #takeRequest(connection: Connection, request: McpRequest): void {
    const { method, id, from, value, at } = request;
    const run = this.#run;
    const params = objectAt(value, "params") ?? {};
    const isTool = method === "tools/call";
    if (from === "client" && (isTool || callMethods.has(method)))
      return this.#takeCall(connection, request, params);
    connection.requests.set(`${from}:${id}`, method);
    if (method === "initialize") this.#noteClient(params);
    if (method === "sampling/createMessage" || method === "elicitation/create")
      run.context(method, wordAt(params, "message") ?? plain(params), at);
    else if (quietMethods.test(method)) run.coverage.leaveOut(method);
    else run.coverage.skip(method);
  }

  #takeCall(connection: Connection, { method, id, at }: McpRequest, params: JsonObject): void {
    const isTool = method === "tools/call";
    const { _meta: _, ...rest } = params;
    const tool = isTool ? (wordAt(params, "name") ?? "unknown") : method;
    const name = this.#calls.add({ id: keyOf(connection, id), tool, message: this.#callCount++ });
    if (connection.open.size === 0) connection.group = name;
    this.#run.call({
      ...at,
      id: name,
      tool,
      parameters: isTool ? (objectAt(params, "arguments") ?? {}) : rest,
      together: connection.group,
      metadata: defined({
        call_id: id,
        server: connection.name,
        connection: connection.number > 1 ? connection.number : undefined,
      }),
    });
    connection.open.add(name);
  }

  /**
   * Reads an answer, which comes from the side that did not send the request; where the log does not name it,
   * calls are tried first.
   */
  #takeAnswer(
    connection: Connection,
    message: McpMessage,
    { id, at }: { id: string | undefined; at: At },
  ): void {
    const { value, from, isCut } = message;
    const run = this.#run;
    const key = id === undefined ? undefined : keyOf(connection, id);
    const name =
      key === undefined || from === "client" ? undefined : this.#calls.answered({ id: key, tool: undefined });
    const senders: McpSide[] =
      from === undefined ? ["client", "server"] : [from === "server" ? "client" : "server"];
    const request = senders
      .map((sender) => `${sender}:${id ?? ""}`)
      .find((one) => connection.requests.has(one));
    if (name === undefined && request !== undefined) {
      const method = connection.requests.get(request) ?? "";
      connection.requests.delete(request);
      return this.#takeOther(method, value, at);
    }
    if (name === undefined && !isCallsAnswer(value))
      return run.coverage.leaveOut("answer to an unknown request");
    const { output, status } = answerOf(value, this.#attach);
    if (isCut) run.coverage.truncated++;
    if (name !== undefined) connection.open.delete(name);
    run.result(name, {
      output,
      status,
      time: at.time,
      metadata: defined({
        call_id: id,
        truncated: isCut ? true : undefined,
        error_code: valueAt(value, "error", "code"),
      }),
    });
  }

  /** Reads the answer to a request that is no call. */
  #takeOther(method: string, value: JsonObject, at: At): void {
    const run = this.#run;
    const result = objectAt(value, "result");
    if (method === "initialize") this.#noteServer(result, at);
    else if (method === "tools/list")
      for (const tool of toolNames(valueAt(result, "tools"))) this.#tools.add(tool);
    else if (method === "sampling/createMessage" || method === "elicitation/create")
      run.context(`${method} answer`, answerOf(value, this.#attach).output, at);
    else run.coverage.leaveOut(`answer to ${method}`);
  }

  #noteClient(params: JsonObject): void {
    const [name, version] = [wordAt(params, "clientInfo", "name"), wordAt(params, "clientInfo", "version")];
    const client = [name, version].filter((word) => word !== undefined).join(" ");
    if (client === "") return;
    this.#clients.add(client);
    this.#run.source["client"] ??= client;
  }

  #noteServer(result: JsonObject | undefined, at: At): void {
    const run = this.#run;
    const name = wordAt(result, "serverInfo", "name");
    if (name !== undefined)
      setOwn(run.toolVersions, name, wordAt(result, "serverInfo", "version") ?? "unknown");
    const protocol = wordAt(result, "protocolVersion");
    if (protocol !== undefined) run.metadata["protocol_version"] ??= protocol;
    const instructions = wordAt(result, "instructions");
    if (instructions !== undefined) run.context("instructions", instructions, at);
  }

  #takeNotice(connection: Connection, method: string, value: JsonObject): void {
    const { coverage } = this.#run;
    const id = idOf(valueAt(value, "params", "requestId"));
    if (method === "notifications/cancelled" && id !== undefined) {
      const name = this.#calls.answered({ id: keyOf(connection, id), tool: undefined });
      if (name !== undefined) {
        this.#run.setStatus(name, "interrupted");
        connection.open.delete(name);
        return;
      }
    }
    if (method.startsWith("notifications/")) coverage.leaveOut(method);
    else coverage.skip(method);
  }
}

interface McpRequest {
  method: string;
  id: string;
  from: McpSide;
  value: JsonObject;
  at: At;
}

/** Returns whether a value could be the answer to a call. */
function isCallsAnswer(value: JsonObject): boolean {
  const result = objectAt(value, "result") ?? {};
  return ["content", "contents", "structuredContent", "isError"].some((name) => Object.hasOwn(result, name));
}

function sideOf(method: string): McpSide {
  return serverMethods.test(method) || serverNotes.test(method) ? "server" : "client";
}

/** Returns an id as text; a number and a string of the same digits stay distinct. */
function idOf(id: JsonValue | undefined): string | undefined {
  if (typeof id === "string") return JSON.stringify(id);
  if (id instanceof ExactInteger) return id.digits;
  return typeof id === "number" ? String(id) : undefined;
}

function keyOf(connection: Connection, id: string): string {
  return `${connection.number}:${id}`;
}
