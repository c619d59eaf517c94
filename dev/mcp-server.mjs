// A small MCP server made with the official package, for the tests of replay. The names of its tools say what
// they do.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new McpServer({ name: "notes", version: "1.0.0" });
const readOnly = { readOnlyHint: true };
const text = (/** @type {string} */ value) => ({ type: "text", text: value });

/** Accepts any parameters: the tests check how they arrive. */
const any = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (/** @type {unknown} */ value) => ({ value }),
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
};

/** @param {string} name @param {object} annotations @param {(given: any) => unknown} run */
function tool(name, annotations, run) {
  server.registerTool(name, { description: name, inputSchema: any, annotations }, async (parameters) =>
    run(parameters),
  );
}

tool("echo", readOnly, (parameters) => ({ content: [text(JSON.stringify(parameters))] }));
tool("say", readOnly, ({ what }) => ({ content: [text(what)] }));
tool("two", readOnly, () => ({
  content: [
    { ...text("a"), annotations: { priority: 1 }, _meta: { at: Date.now() } },
    { type: "resource", resource: { uri: "note://1", text: "é", _meta: { at: Date.now() } } },
  ],
}));
tool("none", readOnly, () => ({ content: [] }));
tool("wrong", readOnly, () => ({ content: [text("no such note")], isError: true }));
tool("write", {}, () => ({ content: [text("written")] }));
tool("slow", readOnly, () => new Promise(() => {}));
tool("die", readOnly, () => {
  process.stderr.write("first\nout of \u001b[31mink\n");
  process.exit(3);
});
tool("last words", readOnly, () => {
  setImmediate(() => process.exit(0));
  return { content: [text("x".repeat(100_000))] };
});

tool("grow", readOnly, () => {
  tool("grown", readOnly, () => ({ content: [text("new")] }));
  return { content: [text("grew")] };
});

await server.connect(new StdioServerTransport());
