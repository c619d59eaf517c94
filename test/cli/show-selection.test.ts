// `ctx show` of several steps, of failed calls, of files, and of a whole run in full.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { parseRanges, rangesText } from "../../src/base/ranges.js";
import { showFiles, showSteps, Store } from "../../src/index.js";

function call(tool: string, parameters: object, rest: object = {}): object {
  return {
    type: "tool_call",
    tool,
    parameters,
    output: "done",
    metadata: { turn: 0, status: "ok" },
    ...rest,
  };
}

const run = smallLog({
  system_prompt: "Be careful.",
  prompts: [
    { role: "user", content: "Fix it.\n== step 9" },
    { role: "user", content: "And test." },
  ],
  metadata: { workdir: "/repo", source: { format: "codex" } },
  steps: [
    call("read_file", { path: "/repo/src/a.ts" }, { output: "const a\u001b[31m = 1;\n\n== step 5\n" }),
    call("edit_file", { path: "./src/a.ts", old_text: "1", new_text: "2" }),
    call("write_file", { path: "src/b.ts", content: "x" }, { metadata: { turn: 0, status: "denied" } }),
    call(
      "bash",
      { command: "cd src && cat a.ts > copy.ts && npm test\nexit 1" },
      { output: "1 failing", metadata: { turn: 1, status: "error", exit_code: 1 } },
    ),
    call(
      "bash",
      { command: "cd src && cat a.ts > copy.ts; sed -n '1,9p' ../c.ts" },
      { metadata: { turn: 1 } },
    ),
    call(
      "bash",
      { command: "npm test" },
      { output_base64: "/wA=", output: undefined, metadata: { turn: 1 } },
    ),
    call(
      "apply_patch",
      { input: "*** Begin Patch\n*** Delete File: old.ts\n*** Add File: new.ts\n+x\n*** End Patch" },
      { metadata: { turn: 1, status: "unanswered" }, output: undefined },
    ),
    { type: "message", output: "Done.", metadata: { turn: 1 } },
    call("t", {}, { metadata: { turn: 1, exit_code: 2 } }),
  ],
});

async function packed(log: object = run): Promise<{ folder: string; root: string }> {
  const store = tempStore();
  const { status, stderr } = await cli(["pack", "-", "--no-sidecars"], {
    folder: store.folder,
    input: json(log),
  });
  expect(status, stderr).toBe(0);
  return store;
}

async function shown(...options: string[]): Promise<string> {
  const { folder } = await packed();
  const { stdout, stderr, status } = await cli(["show", "latest", ...options], { folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

function lines(text: string): { part: string; index?: number; failure?: string }[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { part: string });
}

/** Returns what is printed below the line that names the run. */
function withoutHead(text: string): string {
  expect(text).toMatch(/^ctx:\/\/[\da-f]{12} {2}t\n/);
  return text.slice(text.indexOf("\n") + 1);
}

describe("ctx show of selected steps", () => {
  it("ctx show --steps lists these steps only", async () => {
    expect(await shown("--steps", "0-1,4")).toMatchInlineSnapshot(`
      "ctx://d141a545dd47  Fix it.

      steps  3 of 9   0 deterministic (=), 3 not (~)
        turn 0  Fix it.
        0  ~ read_file  src/a.ts                               → const a\\u{1b}[31m = …
        1  ~ edit_file  ./src/a.ts new_text=2 old_text=1       → done
        turn 1  And test.
        4  ~ bash       cd src && cat a.ts > copy.ts; sed -n '1,9p' ../c.ts → done

      in full: ctx show d141a545dd47 --steps 0-1,4 --full
      "
    `);
  });

  it("ctx show --errors lists the calls that failed", async () => {
    expect(await shown("--errors")).toMatchInlineSnapshot(`
      "ctx://d141a545dd47  Fix it.

      steps  3 of 9   0 deterministic (=), 3 not (~)
        turn 0  Fix it.
        2  ~ write_file  src/b.ts content=x       → denied  done
        turn 1  And test.
        3  ~ bash        cd src && cat a.ts > copy.ts && npm test⏎ → error  1 failing
        8  ~ t           error  done

      in full: ctx show d141a545dd47 --steps 2-3,8 --full
      "
    `);
  });

  it("ctx show --errors cuts no command that is meant for copying, however narrow the screen", async () => {
    const steps = Array.from({ length: 40 }, (_, index) =>
      call("t", {}, { metadata: { status: index % 2 === 0 ? "error" : "ok" } }),
    );
    const { folder } = await packed(smallLog({ steps }));
    const { stdout } = await cli(["show", "latest", "--errors"], { folder, width: 60 });
    expect(stdout).toMatch(/\n\nin full:\n {2}ctx show [\da-f]{12} --steps 0,2,4,6[\d,]*,38 --full\n$/);
  });

  it("ctx show --step prints texts of several lines within a value as lines, the old before the new", async () => {
    const edits = [
      { newText: "a = 2\nb\n", oldText: "a = 1\nb\n" },
      { newText: "c\nd", oldText: "" },
    ];
    const { folder } = await packed(
      smallLog({ steps: [call("edit", { path: "x.py", edits, seen: [1, "u"] })] }),
    );
    const { stdout } = await cli(["show", "latest", "--step", "0"], { folder });
    expect(stdout.slice(stdout.indexOf("parameters"), stdout.indexOf("metadata"))).toMatchInlineSnapshot(`
      "parameters
        path              x.py
        edits[0].oldText  2 lines
            a = 1
            b
        edits[0].newText  2 lines
            a = 2
            b
        edits[1].oldText
        edits[1].newText  2 lines
            c
            d
        seen              [1,"u"]
      "
    `);
  });

  it("ctx show --steps --errors lists the failed calls among these steps", async () => {
    const text = await shown("--steps", "3-", "--errors");
    expect(text.match(/^ +\d+ /gm)?.map(Number)).toEqual([3, 8]);
  });

  it("ctx show --errors says whether no call failed, or the log does not say", async () => {
    const { folder } = await packed(smallLog({ steps: [call("t", {})] }));
    const good = await cli(["show", "latest", "--errors"], { folder });
    expect([good.status, withoutHead(good.stdout)]).toEqual([0, "no call failed, according to the log\n"]);
    expect((await cli(["show", "latest", "--errors", "--json"], { folder })).stdout).toBe("");
    const silent = await packed(smallLog({ steps: [call("t", {}, { metadata: {} })] }));
    const { stdout } = await cli(["show", "latest", "--errors"], { folder: silent.folder });
    expect(withoutHead(stdout)).toBe("the log does not say whether any call failed\n");
  });

  it.each([
    ["whether commands failed (not recorded)", "the log does not record whether commands failed\n"],
    [
      "whether tool calls failed (chat messages do not say it)",
      "the log does not record whether tool calls failed\n",
    ],
    ["times", "no call failed, according to the log\n"],
  ])("ctx show --errors of a log whose coverage lists %j as unknown", async (unknown, text) => {
    const log = smallLog({ steps: [call("t", {})], metadata: { coverage: { unknown: [unknown] } } });
    const { folder } = await packed(log);
    expect(withoutHead((await cli(["show", "latest", "--errors"], { folder })).stdout)).toBe(text);
  });

  it("ctx show --steps --json and --errors --json print what --step --json prints, a line for each step", async () => {
    const { folder } = await packed();
    const printed = async (...options: string[]): Promise<string> =>
      (await cli(["show", "latest", ...options, "--json"], { folder })).stdout;
    expect(await printed("--steps", "1,3")).toBe(
      (await printed("--step", "1")) + (await printed("--step", "3")),
    );
    expect(lines(await printed("--errors")).map(({ index, failure }) => [index, failure])).toEqual([
      [2, "denied"],
      [3, "error"],
      [8, "error"],
    ]);
  });

  it.each([
    ["9-3", "--steps: the range 9-3 ends before it begins"],
    ["3,,4", '--steps: "" is neither a number nor a range such as 3-9'],
    ["a", '--steps: "a" is neither a number'],
    ["1-2-3", '--steps: "1-2-3" is neither'],
    ["-3", '--steps: "-3" is neither'],
    ["12", "has no step 12: its steps are 0 to 8"],
    ["3-12", "has no step 12"],
    ["12-", "has no step 12"],
  ])("ctx show --steps=%s is an error", async (ranges, message) => {
    const { folder } = await packed();
    const { status, stdout, stderr } = await cli(["show", "latest", `--steps=${ranges}`], { folder });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it.each([
    ["--step=1", "--errors"],
    ["--system", "--steps=1"],
    ["--full", "--files"],
    ["--full", "--prompt=0"],
  ])("ctx show %s %s is an error", async (...options) => {
    const { folder } = await packed();
    const { status, stderr } = await cli(["show", "latest", ...options], { folder });
    expect(status).toBe(2);
    expect(stderr).toContain("cannot be used together");
  });
});

describe("ctx show --full", () => {
  it("ctx show --full prints prompts, calls and outputs in full, in the order of the run", async () => {
    expect(await shown("--full")).toMatchInlineSnapshot(`
      "ctx://d141a545dd4725d5aab32590697e4fe9b73c85af179a7451dbe688132bf65793

      == system prompt  11 B
        Be careful.

      == prompt 0  user
        Fix it.
        == step 9

      == step 0  read_file
        path  /repo/src/a.ts
      -- output  29 B
        const a\\u{1b}[31m = 1;

        == step 5

      == step 1  edit_file
        path      ./src/a.ts
        new_text  2
        old_text  1
      -- output  4 B
        done

      == step 2  write_file  denied
        path     src/b.ts
        content  x
      -- output  4 B
        done

      == prompt 1  user
        And test.

      == step 3  bash  error
        command  2 lines
            cd src && cat a.ts > copy.ts && npm test
            exit 1
      -- output  9 B
        1 failing

      == step 4  bash
        command  cd src && cat a.ts > copy.ts; sed -n '1,9p' ../c.ts
      -- output  4 B
        done

      == step 5  bash
        command  npm test
      -- output  2 B
        (binary; \`ctx cat ea5dbf9596d1\` writes it to a file or pipe)

      == step 6  apply_patch
        input  5 lines
            *** Begin Patch
            *** Delete File: old.ts
            *** Add File: new.ts
            +x
            *** End Patch
      -- no output was recorded

      == step 7  message
        Done.

      == step 8  t  error
        done
      "
    `);
  });

  it("ctx show --steps --full prints these steps in full, without prompts", async () => {
    const text = await shown("--steps", "3,7", "--full");
    expect(text.match(/^== .*/gm)).toEqual(["== step 3  bash  error", "== step 7  message"]);
  });

  it("ctx show --full --json prints a line for each part", async () => {
    const parts = lines(await shown("--full", "--json")).map(({ part, index }) =>
      `${part} ${index ?? ""}`.trim(),
    );
    expect(parts.slice(0, 3)).toEqual(["system", "prompt 0", "step 0"]);
    expect(parts).toHaveLength(12);
  });

  it("ctx show --full marks damaged content, shows the rest, and exits with status 2", async () => {
    const { folder, root } = await packed();
    const hex = createHash("sha256").update("1 failing").digest("hex");
    const path = join(root, "objects", hex.slice(0, 2), hex.slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "1 passing");
    const { status, stdout, stderr } = await cli(["show", "latest", "--full"], { folder });
    expect(status).toBe(2);
    expect(stdout).toMatch(/^ {2}\(.* is damaged/m);
    expect(stdout).toContain("Done.");
    expect(stdout).not.toContain("1 passing");
    expect(stderr).toContain("cannot be shown completely");
  });
});

function editorCall(tool: string, command: string, output: string): object {
  return { type: "tool_call", tool, parameters: { command }, output };
}

describe("ctx show --files", () => {
  it("ctx show --files lists files with the steps that used them", async () => {
    expect(await shown("--files")).toMatchInlineSnapshot(`
      "ctx://d141a545dd47  Fix it.

      files  5   2 read, 3 written, 1 deleted
                      read  written  deleted
        c.ts          4
        new.ts              6
        old.ts                       6
        src/a.ts      0,4   1
        src/copy.ts         4

      1 call may have used other files: step 5

      one step: ctx show d141a545dd47 --step N
      "
    `);
  });

  it("ctx show --files: SWE-agent's editor changes the file that is open, unless it refused the edit", async () => {
    const swe = tempStore().folder;
    const log = smallLog({
      metadata: { source: { format: "swe-agent" }, workdir: "/w" },
      steps: [
        editorCall("edit", "edit 1:1\nx\nend_of_edit", "File updated."),
        editorCall("open", "open /w/a.py", "[File: /w/a.py (1 lines total)]"),
        editorCall("edit", "edit 1:1\nx\nend_of_edit", "File updated."),
        editorCall(
          "edit",
          "edit 1:1\n(\nend_of_edit",
          "Your proposed edit has introduced new syntax error(s).",
        ),
        editorCall("create", "create b.py", "[File: /w/b.py (1 lines total)]"),
        editorCall("edit", "edit 1:1\ny\nend_of_edit", "File updated."),
      ],
    });
    expect((await cli(["pack", "-", "--no-sidecars"], { folder: swe, input: json(log) })).status).toBe(0);
    const { stdout } = await cli(["show", "latest", "--files", "--json"], { folder: swe });
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        { path: "a.py", read: [1], written: [2], deleted: [] },
        { path: "b.py", read: [], written: [4, 5], deleted: [] },
      ],
      commands: [0],
    });
  });

  it("ctx show --files --json and the library return the same", async () => {
    const { folder } = await packed();
    const { stdout } = await cli(["show", "latest", "--files", "--json"], { folder });
    const result = showFiles(Store.find(folder), "latest");
    expect(JSON.parse(stdout)).toEqual(result);
    expect(result.commands).toEqual([5]);
    expect(result.files).toContainEqual({ path: "src/a.ts", read: [0, 4], written: [1], deleted: [] });
    expect(showSteps(Store.find(folder), "latest", { failed: true }).steps).toEqual([2, 3, 8]);
  });

  it("ctx show --files --steps lists the files of these steps", async () => {
    const result = JSON.parse(await shown("--files", "--steps", "6", "--json")) as {
      files: { path: string }[];
    };
    expect(result.files.map(({ path }) => path)).toEqual(["new.ts", "old.ts"]);
  });

  it.each([60, 80, 120])("ctx show --files and --steps fit %i columns", async (width) => {
    const long = `src/${"deep/".repeat(30)}file.ts`;
    const steps = Array.from({ length: 40 }, (_, at) =>
      call("read_file", { path: at % 2 ? long : `${at}.ts` }),
    );
    const { folder } = await packed(smallLog({ steps }));
    for (const option of ["--files", "--steps=3-"]) {
      const { stdout } = await cli(["show", "latest", option], { folder, width });
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    }
  });
});

describe("ranges of steps", () => {
  it("rangesText writes what parseRanges reads", () => {
    expect(rangesText([3, 4, 5, 9])).toBe("3-5,9");
    expect(rangesText([])).toBe("");
    expect(parseRanges("3-5,9,20-")).toEqual([{ from: 3, to: 5 }, { from: 9, to: 9 }, { from: 20 }]);
  });
});
