// Calls tools of an MCP server again. The server is a stranger's program: it may lie, die, flood or fall
// silent, and each of these becomes an outcome of the step.
import type { Client } from "@modelcontextprotocol/client";
import { canonicalBytes } from "../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { FailReason } from "../results/replay.js";
import { type Outcome, StepFailure } from "./outcome.js";
import { type McpTransport, openTransport, stopped, words } from "./mcp-transport.js";
import type { Server } from "./spawn.js";

export interface McpSession {
  /** Calls a tool; only one that the server marks as read-only, unless writes are allowed. */
  call(tool: string, parameters: JsonObject): Promise<Outcome>;
  /** Stops the server. */
  close(): Promise<void>;
}

export interface McpOptions {
  /** Milliseconds for each call. */
  timeout: number;
  allowWrites: boolean;
  /** Bytes that the server may write for each call. */
  outputLimit: number;
  signal?: AbortSignal;
}

/** The longest time that a timer can be set to. */
const longest = 2 ** 31 - 1;

/** Connects to a server. Stops it and rejects with a StepFailure if the handshake fails. */
export async function connectMcp(server: Server, options: McpOptions): Promise<McpSession> {
  const timeout = Math.min(options.timeout, longest);
  const asking = new Set<(wanted: string) => void>();
  const transport = openTransport(server, options.outputLimit, (method) => {
    for (const refuse of asking) refuse(method);
  });
  try {
    options.signal?.throwIfAborted();
    // Loading takes a tenth of a second, and most replays do not need it.
    const { Client } = await import("@modelcontextprotocol/client");
    const client = new Client({ name: "ctx", version: "1" });
    let tools: Map<string, boolean> | undefined;
    client.setNotificationHandler("notifications/tools/list_changed", () => (tools = undefined));
    const ask: Ask = (method, params, within) =>
      request(client, { method, params, timeout: within, asking, signal: options.signal });
    const signal = options.signal === undefined ? {} : { signal: options.signal };
    await client.connect(transport, { timeout, ...signal });
    const offersTools = client.getServerCapabilities()?.tools !== undefined;
    const list = async (): Promise<Map<string, boolean>> =>
      offersTools ? await listTools(ask, timeout) : new Map();
    tools = await list();
    return {
      async call(tool, parameters) {
        options.signal?.throwIfAborted();
        try {
          const broken = transport.broken();
          if (broken !== undefined) throw new BadAnswer(broken);
          tools ??= await list();
          const refusal = refusalOf(tool, tools.get(tool), options.allowWrites);
          return (
            refusal ?? outcomeOf(await ask("tools/call", { name: tool, arguments: parameters }, timeout))
          );
        } catch (error) {
          options.signal?.throwIfAborted();
          const [reason, detail] = explain(error, transport, timeout);
          // Only an error that the server responded with is a result of the call.
          return isAnswered(error, transport)
            ? failed(reason, detail)
            : { kind: "failed", reason, message: detail, untried: true };
        }
      },
      close: () => transport.close(),
    };
  } catch (error) {
    const [, message] = explain(error, transport, timeout);
    await transport.close();
    options.signal?.throwIfAborted();
    throw new StepFailure("error", message);
  }
}

type Ask = (method: "tools/list" | "tools/call", params: JsonObject, timeout: number) => Promise<JsonObject>;

/** Keeps results verbatim: the client's own schemas would drop unknown fields. */
const asAnswered = {
  "~standard": { version: 1, vendor: "ctx", validate: (value: unknown) => ({ value }) },
} as const;

/** A problem with a response that only ctx detects. */
class BadAnswer extends Error {}

async function request(
  client: Client,
  what: {
    method: string;
    params: JsonObject;
    timeout: number;
    asking: Set<(wanted: string) => void>;
    signal: AbortSignal | undefined;
  },
): Promise<JsonObject> {
  const { method, params, timeout, asking, signal } = what;
  const given = new AbortController();
  let wanted: string | undefined;
  const refuse = (what: string): void => {
    wanted ??= what;
    given.abort();
  };
  const abort = (): void => given.abort();
  asking.add(refuse);
  signal?.addEventListener("abort", abort);
  try {
    // Not callTool and listTools: they compile schemas from the server, and print warnings.
    const result = await client.request({ method, params }, asAnswered, { timeout, signal: given.signal });
    if (!isObject(result as JsonValue)) throw new BadAnswer("gave an answer that is not an object");
    return result as JsonObject;
  } catch (error) {
    if (wanted === undefined) throw error;
    throw new BadAnswer(`asked for ${words(wanted)}, which a replay does not offer`);
  } finally {
    asking.delete(refuse);
    signal?.removeEventListener("abort", abort);
  }
}

const mostPages = 100;

/** Returns the names of all tools, and whether each is read-only. */
async function listTools(ask: Ask, timeout: number): Promise<Map<string, boolean>> {
  const until = Date.now() + timeout;
  const tools = new Map<string, boolean>();
  let params: JsonObject = {};
  for (let page = 0; page < mostPages; page++) {
    const result = await ask("tools/list", params, Math.max(1, until - Date.now()));
    const listed = own(result, "tools");
    if (!Array.isArray(listed)) throw new BadAnswer("gave a list of tools that is none");
    for (const tool of listed) {
      const name = own(tool, "name");
      if (typeof name !== "string") continue;
      const isReadOnly = own(own(tool, "annotations"), "readOnlyHint") === true;
      // If two tools have the same name, it is unknown which of them is called.
      tools.set(name, isReadOnly && tools.get(name) !== false);
    }
    const cursor = own(result, "nextCursor");
    if (typeof cursor !== "string") return tools;
    params = { cursor };
  }
  throw new BadAnswer("gave a list of tools that does not end");
}

function own(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function refusalOf(tool: string, isReadOnly: boolean | undefined, allowWrites: boolean): Outcome | undefined {
  if (isReadOnly === undefined) return failed("no_tool", `the MCP server has no tool "${words(tool)}"`);
  if (isReadOnly || allowWrites) return undefined;
  return failed(
    "not_allowed",
    `the MCP server does not mark "${words(tool)}" as read-only: allow it with --allow mcp-writes`,
  );
}

function outcomeOf(result: JsonObject): Outcome {
  const content = own(result, "content");
  if (!Array.isArray(content)) throw new BadAnswer("gave an answer without content");
  const [first] = content;
  const text = content.length === 1 && own(first, "type") === "text" ? own(first, "text") : undefined;
  return {
    kind: "output",
    bytes: typeof text === "string" ? Buffer.from(text) : canonicalBytes(content.map(bare)),
    compared: "output",
    ...(own(result, "isError") === true ? { exitCode: 1 } : {}),
  };
}

/** Returns a content block without annotations; a resource in it has such members of its own. */
function bare(block: JsonValue): JsonValue {
  if (!isObject(block)) return block;
  const { _meta, annotations: _annotations, resource, ...rest } = block;
  return resource === undefined ? rest : { ...rest, resource: bare(resource) };
}

function failed(reason: FailReason, message: string): Outcome {
  return { kind: "failed", reason, message };
}

/** Returns whether the server is working and responded to the request, though with an error. */
function isAnswered(error: unknown, transport: McpTransport): boolean {
  return transport.broken() === undefined && typeof (error as { code?: unknown }).code === "number";
}

/** Explains what went wrong in plain words. */
function explain(error: unknown, transport: McpTransport, timeout: number): [FailReason, string] {
  const broken = transport.broken();
  // The client stops the server if it cannot understand it, and the error says more than that.
  if (broken !== undefined && broken !== stopped) return ["error", `the MCP server ${broken}`];
  if (error instanceof BadAnswer) return ["error", `the MCP server ${error.message}`];
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "REQUEST_TIMEOUT") {
    const strays = transport.strays();
    const wrote = strays === 0 ? "" : `; ${strays} lines that it wrote are not MCP messages`;
    return ["timeout", `the MCP server had not answered after ${timeout / 1000} s${wrote}`];
  }
  if (code === "CONNECTION_CLOSED") return ["error", `the MCP server ${broken ?? stopped}`];
  const said = words(typeof message === "string" ? (message.split("\n")[0] ?? "") : "");
  if (typeof code === "number") return ["error", `the MCP server answered with an error: ${said}`];
  return ["error", `the MCP server could not be understood: ${said}`];
}
