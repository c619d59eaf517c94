// Calls tools of an MCP server again. The server is a stranger's program: it may lie, die, flood or fall
// silent, and each of these becomes an outcome of the step.
import type { Client } from "@modelcontextprotocol/client";
import { canonicalBytes } from "../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { FailReason } from "../results/replay.js";
import { type Outcome, StepFailure } from "./outcome.js";
import { McpTransport, printableExcerpt, stopped } from "./mcp-transport.js";
import type { RunningServer } from "./spawn.js";

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
export async function connectMcp(server: RunningServer, options: McpOptions): Promise<McpSession> {
  const timeout = Math.min(options.timeout, longest);
  const pending = new Set<(requested: string) => void>();
  const transport = new McpTransport(server, options.outputLimit, (method) => {
    for (const refuse of pending) refuse(method);
  });
  try {
    options.signal?.throwIfAborted();
    // Loading takes a tenth of a second, and most replays do not need it.
    const { Client } = await import("@modelcontextprotocol/client");
    const client = new Client({ name: "ctx", version: "1" });
    let tools: Map<string, boolean> | undefined;
    client.setNotificationHandler("notifications/tools/list_changed", () => (tools = undefined));
    const sendRequest: SendRequest = (method, params, limit) =>
      request(client, { method, params, timeout: limit, pending, signal: options.signal });
    const signal = options.signal === undefined ? {} : { signal: options.signal };
    await client.connect(transport, { timeout, ...signal });
    const offersTools = client.getServerCapabilities()?.tools !== undefined;
    const list = async (): Promise<Map<string, boolean>> =>
      offersTools ? await listTools(sendRequest, timeout) : new Map();
    tools = await list();
    return {
      async call(tool, parameters) {
        options.signal?.throwIfAborted();
        try {
          const broken = transport.broken();
          if (broken !== undefined) throw new BadResponse(broken);
          tools ??= await list();
          const refusal = refusalOf(tool, tools.get(tool), options.allowWrites);
          return (
            refusal ??
            toolOutcome(await sendRequest("tools/call", { name: tool, arguments: parameters }, timeout))
          );
        } catch (error) {
          options.signal?.throwIfAborted();
          const [reason, detail] = failureOf(error, transport, timeout);
          // Only an error that the server responded with is a result of the call.
          return hasResponded(error, transport)
            ? failed(reason, detail)
            : { kind: "failed", reason, message: detail, untried: true };
        }
      },
      close: () => transport.close(),
    };
  } catch (error) {
    const [, message] = failureOf(error, transport, timeout);
    await transport.close();
    options.signal?.throwIfAborted();
    throw new StepFailure("error", message);
  }
}

type SendRequest = (
  method: "tools/list" | "tools/call",
  params: JsonObject,
  timeout: number,
) => Promise<JsonObject>;

/** Keeps results verbatim: the client's own schemas would drop unknown fields. */
const anyResult = {
  "~standard": { version: 1, vendor: "ctx", validate: (value: unknown) => ({ value }) },
} as const;

/** A problem with a response that only ctx detects. */
class BadResponse extends Error {}

async function request(
  client: Client,
  what: {
    method: string;
    params: JsonObject;
    timeout: number;
    pending: Set<(requested: string) => void>;
    signal: AbortSignal | undefined;
  },
): Promise<JsonObject> {
  const { method, params, timeout, pending, signal } = what;
  const controller = new AbortController();
  let requested: string | undefined;
  const refuse = (what: string): void => {
    requested ??= what;
    controller.abort();
  };
  const abort = (): void => controller.abort();
  pending.add(refuse);
  signal?.addEventListener("abort", abort);
  try {
    // Not callTool and listTools: they compile schemas from the server, and print warnings.
    const result = await client.request({ method, params }, anyResult, {
      timeout,
      signal: controller.signal,
    });
    if (!isObject(result as JsonValue)) throw new BadResponse("gave an answer that is not an object");
    return result as JsonObject;
  } catch (error) {
    if (requested === undefined) throw error;
    throw new BadResponse(`asked for ${printableExcerpt(requested)}, which a replay does not offer`);
  } finally {
    pending.delete(refuse);
    signal?.removeEventListener("abort", abort);
  }
}

const maxPages = 100;

/** Returns the names of all tools, and whether each is read-only. */
async function listTools(sendRequest: SendRequest, timeout: number): Promise<Map<string, boolean>> {
  const until = Date.now() + timeout;
  const tools = new Map<string, boolean>();
  let params: JsonObject = {};
  for (let page = 0; page < maxPages; page++) {
    const result = await sendRequest("tools/list", params, Math.max(1, until - Date.now()));
    const listed = ownValue(result, "tools");
    if (!Array.isArray(listed)) throw new BadResponse("gave a list of tools that is none");
    for (const tool of listed) {
      const name = ownValue(tool, "name");
      if (typeof name !== "string") continue;
      const isReadOnly = ownValue(ownValue(tool, "annotations"), "readOnlyHint") === true;
      // If two tools have the same name, it is unknown which of them is called.
      tools.set(name, isReadOnly && tools.get(name) !== false);
    }
    const cursor = ownValue(result, "nextCursor");
    if (typeof cursor !== "string") return tools;
    params = { cursor };
  }
  throw new BadResponse("gave a list of tools that does not end");
}

function ownValue(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function refusalOf(tool: string, isReadOnly: boolean | undefined, allowWrites: boolean): Outcome | undefined {
  if (isReadOnly === undefined)
    return failed("no_tool", `the MCP server has no tool "${printableExcerpt(tool)}"`);
  if (isReadOnly || allowWrites) return undefined;
  return failed(
    "not_allowed",
    `the MCP server does not mark "${printableExcerpt(tool)}" as read-only: allow it with --allow mcp-writes`,
  );
}

function toolOutcome(result: JsonObject): Outcome {
  const content = ownValue(result, "content");
  if (!Array.isArray(content)) throw new BadResponse("gave an answer without content");
  const [first] = content;
  const text =
    content.length === 1 && ownValue(first, "type") === "text" ? ownValue(first, "text") : undefined;
  return {
    kind: "output",
    bytes: typeof text === "string" ? Buffer.from(text) : canonicalBytes(content.map(withoutAnnotations)),
    compared: "output",
    ...(ownValue(result, "isError") === true ? { exitCode: 1 } : {}),
  };
}

/** Returns a content block without annotations; a resource in it has such members of its own. */
function withoutAnnotations(block: JsonValue): JsonValue {
  if (!isObject(block)) return block;
  const { _meta, annotations: _annotations, resource, ...rest } = block;
  return resource === undefined ? rest : { ...rest, resource: withoutAnnotations(resource) };
}

function failed(reason: FailReason, message: string): Outcome {
  return { kind: "failed", reason, message };
}

/** Returns whether the server is working and responded to the request, though with an error. */
function hasResponded(error: unknown, transport: McpTransport): boolean {
  return transport.broken() === undefined && typeof (error as { code?: unknown }).code === "number";
}

/** Explains what went wrong in plain words. */
function failureOf(error: unknown, transport: McpTransport, timeout: number): [FailReason, string] {
  const broken = transport.broken();
  // The client stops the server if it cannot understand it, and the error says more than that.
  if (broken !== undefined && broken !== stopped) return ["error", `the MCP server ${broken}`];
  if (error instanceof BadResponse) return ["error", `the MCP server ${error.message}`];
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "REQUEST_TIMEOUT") {
    const strays = transport.strays();
    const wrote = strays === 0 ? "" : `; ${strays} lines that it wrote are not MCP messages`;
    return ["timeout", `the MCP server had not answered after ${timeout / 1000} s${wrote}`];
  }
  if (code === "CONNECTION_CLOSED") return ["error", `the MCP server ${broken ?? stopped}`];
  const lastLine = printableExcerpt(typeof message === "string" ? (message.split("\n")[0] ?? "") : "");
  if (typeof code === "number") return ["error", `the MCP server answered with an error: ${lastLine}`];
  return ["error", `ctx could not read the answer of the MCP server: ${lastLine}`];
}
