import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json/value.js";
import { callIn } from "../../../src/tools/code-mode.js";
import { SessionTools } from "../../../src/tools/session-tools.js";

function usesOf(
  agent: string,
  ...calls: [tool: string, parameters: JsonObject, folder?: string][]
): unknown[] {
  const session = new SessionTools(agent, false);
  return calls.map(([tool, parameters, folder]) => session.useOf({ tool, parameters, folder }));
}

const window = (path: string, more: object = {}): object => ({ action: "window", path, ...more });

describe("SWE-agent's editor", () => {
  it("SWE-agent: edits are of the file that was opened or created last", () => {
    expect(
      usesOf(
        "swe-agent",
        ["edit", { command: "edit 1:1\nx\nend_of_edit\n" }],
        ["open", { command: 'open "a b.py" 20\n' }],
        ["edit", { command: "edit 2:3\none\n\ntwo\nend_of_edit\n" }],
        ["goto", { command: "goto 40\n" }],
        ["create", { filename: "new.py" }, "/w/src"],
        ["insert", { text: "x" }],
        ["insert", { text: "y", line: 3 }],
        ["edit", { search: "a", replace: "b" }],
        ["open", { path: "/w/c.py", line_number: 3 }],
        ["scroll_down", {}],
      ),
    ).toEqual([
      undefined,
      window("a b.py"),
      window("a b.py", { change: { from: 2, to: 3, content: "one\n\ntwo" } }),
      window("a b.py"),
      window("/w/src/new.py", { isNew: true }),
      window("/w/src/new.py", { change: { content: "x" } }),
      window("/w/src/new.py", { change: { after: 3, content: "y" } }),
      window("/w/src/new.py", { change: { old: "a", new: "b", all: false } }),
      window("/w/c.py"),
      window("/w/c.py"),
    ]);
  });

  it("SWE-agent: find_file searches all folders below one", () => {
    const found = { action: "glob", pattern: "**/f.py", fromRoot: true };
    expect(
      usesOf(
        "swe-agent",
        ["find_file", { command: 'find_file "f.py" src\n' }],
        ["find_file", { file_name: "f.py" }],
      ),
    ).toEqual([
      { ...found, path: "src" },
      { ...found, path: "." },
    ]);
  });

  it("SWE-agent: other agents' tools of these names are read by the table", () => {
    expect(
      usesOf("codex", ["open", { path: "a" }], ["edit", { search: "a", replace: "b", path: "f" }]),
    ).toEqual([undefined, { action: "edit", path: "f", edits: [{ old: "a", new: "b", all: false }] }]);
  });
});

describe("Codex's code mode", () => {
  it.each([
    'const r = await tools.exec_command({cmd:"ls \\"a\\"","workdir":"/w", yield_time_ms: 1000}); text(r.output)',
    'text((await tools.exec_command({ "cmd": "ls \\"a\\"", workdir: "/w", yield_time_ms: 1000 })).output);',
  ])("code mode: %s is that call", (input) => {
    expect(callIn(input)?.parameters).toEqual({ cmd: 'ls "a"', workdir: "/w", yield_time_ms: 1000 });
    expect(usesOf("codex", ["exec", { input }])).toEqual([
      { action: "command", command: 'ls "a"', folder: "/w" },
    ]);
  });

  it.each([
    "const r = await tools.exec_command({cmd: line}); text(r.output)",
    "const r = await tools.exec_command({cmd:'ls'}); text(r.output)",
    'const r = await tools.exec_command({cmd:"ls" + x}); text(r.output)',
    'const r = await tools.exec_command({cmd:"ls"}); text(s.output)',
    'const r = await tools.exec_command({cmd:"ls"}); text(r)',
    'const r = await tools.exec_command({cmd:"ls"}); text(r.output.trim())',
    'const r = await tools.exec_command({cmd:"ls"}); await tools.exec_command({cmd:"rm a"}); text(r.output)',
    'if (x) { const r = await tools.exec_command({cmd:"ls"}); text(r.output) }',
  ])("code mode: %s is a script, and is not executed", (input) => {
    expect(usesOf("codex", ["exec", { input }])).toEqual([expect.objectContaining({ action: "internal" })]);
  });

  it("code mode: values are not searched for calls", () => {
    const input = 'const r = await tools.exec_command({cmd:"cat tools.json {a}"}); text(r.output)';
    expect(callIn(input)).toEqual({ tool: "exec_command", parameters: { cmd: "cat tools.json {a}" } });
  });

  it("code mode: calls that the log has as steps are not executed twice", () => {
    const input = 'const r = await tools.exec_command({cmd:"ls"}); text(r.output)';
    const session = new SessionTools("codex", true);
    expect(session.useOf({ tool: "exec", parameters: { input }, folder: undefined })).toMatchObject({
      action: "internal",
    });
  });
});

describe("Claude Code's search", () => {
  it("Claude Code: lines around matches and a limit are options that a replay has, others are not", () => {
    const [around, limited, typed, others] = usesOf(
      "claude-code",
      ["Grep", { pattern: "x", output_mode: "content", "-C": 2, "-A": 5 }],
      ["Grep", { pattern: "x", head_limit: 20 }],
      ["Grep", { pattern: "x", type: "js", "-A": 5 }],
      ["Grep", { pattern: "x", "-A": 1e9 }],
    );
    expect(around).toMatchObject({ action: "grep", resultKind: "lines", before: 2, after: 5 });
    expect(limited).toMatchObject({ action: "grep", resultKind: "files", most: 20 });
    expect([typed, others]).toEqual([
      expect.objectContaining({ action: "internal" }),
      expect.objectContaining({ action: "internal" }),
    ]);
  });
});

describe("other shells and interpreters", () => {
  it("PowerShell: a command of it needs pwsh", () => {
    const [cmdlet, path, plain] = usesOf(
      "codex",
      ["shell_command", { command: "Get-Content a.txt | Select-Object -First 3" }],
      ["shell_command", { command: "dir", workdir: "C:\\repo" }],
      ["shell_command", { command: "echo Get-Content", workdir: "/w" }],
    );
    expect(cmdlet).toMatchObject({ command: ["pwsh", "-NoProfile", "-Command", expect.any(String)] });
    expect(path).toMatchObject({ command: ["pwsh", "-NoProfile", "-Command", "dir"] });
    expect(plain).toMatchObject({ command: "echo Get-Content" });
  });

  it("OpenHands: Python that edits files by the agent's own functions is not executed", () => {
    const code = "edit_file_by_replace('/w/a.py', to_replace='a', new_content='b')";
    expect(usesOf("openhands", ["run_ipython", { code }], ["run_ipython", { code: "print(1)" }])).toEqual([
      expect.objectContaining({ action: "internal" }),
      undefined,
    ]);
  });

  it("OpenHands: a view shows the requested lines", () => {
    const view = { command: "view", path: "/w/a.py" };
    expect(
      usesOf("openhands", ["str_replace_editor", view], ["file_editor", { ...view, view_range: [3, 9] }]),
    ).toEqual([window("/w/a.py"), window("/w/a.py", { from: 3, to: 9 })]);
    expect(usesOf("cline", ["str_replace_editor", view])).toEqual([
      expect.objectContaining({ action: "internal" }),
    ]);
  });

  it.each(["TaskCreate", "TaskUpdate", "Monitor", "request_user_input", "delegate_to_agent", "view_image"])(
    "%s is the agent's own",
    (tool) => {
      expect(usesOf("claude-code", [tool, { path: "a" }])).toEqual([
        { action: "internal", why: "internal to the agent, not replayed" },
      ]);
    },
  );
});
