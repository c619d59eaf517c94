// Small logs of MCP's traffic that use all that its reader looks at.
import { lines } from "../intake.js";

const rpc = (more: object) => ({ jsonrpc: "2.0", ...more });
const initialize = rpc({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", clientInfo: { name: "claude-ai", version: "0.1.0" } },
});
const initialized = rpc({
  id: 0,
  result: {
    protocolVersion: "2025-06-18",
    serverInfo: { name: "files", version: "1.2.3" },
    instructions: "Be nice.",
  },
});
const call = (id: unknown, name: string) =>
  rpc({ id, method: "tools/call", params: { name, arguments: { path: "/a" } } });
const answer = (id: unknown, more: object = {}) =>
  rpc({ id, result: { content: [{ type: "text", text: "x" }], ...more } });
const desktop = (from: string, message: object) =>
  `2026-05-01T10:00:00.000Z [files] [info] Message from ${from}: ${JSON.stringify(message)} { metadata: undefined }\n`;

export const mcpSpecimens: readonly (string | Buffer)[] = [
  lines(
    initialize,
    initialized,
    rpc({ method: "notifications/initialized" }),
    rpc({ id: 1, method: "tools/list" }),
    rpc({ id: 1, result: { tools: [{ name: "read_file" }] } }),
    call(2, "read_file"),
    call("3", "write_file"),
    answer("3", { isError: true }),
    answer(2, {
      content: [
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "resource", resource: { uri: "u", text: "t" } },
        { type: "resource_link", uri: "file:///x" },
      ],
    }),
    rpc({ id: 4, method: "resources/read", params: { uri: "file:///b" } }),
    rpc({ id: 4, error: { code: -32602, message: "bad", data: { why: 1 } } }),
    rpc({ id: 5, method: "prompts/get", params: { name: "p" } }),
    rpc({ id: 5, result: { messages: [{ role: "user", content: { type: "text", text: "Do it" } }] } }),
    call(6, "slow"),
    rpc({ method: "notifications/cancelled", params: { requestId: 6 } }),
    [call(7, "a"), answer(7, { content: [], structuredContent: { b: 2 } })],
  ),
  "2026-05-01T10:00:00.000Z [files] [info] Initializing server...\n" +
    desktop("client", initialize) +
    "Server running on stdio\n" +
    desktop("server", initialized) +
    desktop("client", call(1, "get")) +
    '2026-05-01T10:00:02.000Z [info] [files] Message from server: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"# Be...[14696 chars truncated]...end"}}} { metadata: undefined }\n' +
    "2026-05-01T10:00:05.000Z [files] [info] Server transport closed\n" +
    '2026-05-01T10:00:05.500Z [files] [error] Server disconnected. {"context":"connection"}\n' +
    `2026-05-01T10:00:06.000Z [STDIN] ${JSON.stringify(call(9, "b"))}\n`,
  JSON.stringify(
    [
      { direction: "client->server", timestamp: 1_777_000_000_000, server: "one", message: call(1, "a") },
      {
        from: "server",
        ts: "2026-05-01T10:00:00Z",
        serverName: "one",
        payload: rpc({ id: 1, method: "sampling/createMessage", params: { messages: [] } }),
      },
      {
        from: "client",
        server_name: "one",
        data: JSON.stringify(rpc({ id: 1, result: { role: "assistant", content: {}, model: "m" } })),
      },
      {
        sender: "server",
        server: "one",
        message: rpc({ id: 2, method: "elicitation/create", params: { message: "Name?" } }),
      },
      { request: JSON.stringify(call(3, "c")), response: JSON.stringify(answer(3)) },
    ],
    null,
    1,
  ),
];
