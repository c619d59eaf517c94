// The main screens at 60, 80 and 120 columns: titles, long tags and wide characters.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const { folder } = tempStore();
const zone = process.env["TZ"];
const longTag = `release-candidate-${"x".repeat(42)}`;

function call(tool: string, parameters: object, minute: number, rest: object = {}): object {
  return {
    type: "tool_call",
    tool,
    parameters,
    output: "done",
    deterministic: true,
    timestamp: `2020-01-02T12:${String(minute).padStart(2, "0")}:00Z`,
    ...rest,
  };
}

const base = {
  model: { identifier: "anthropic/claude-opus-4-5-20251101" },
  metadata: {
    source: { format: "claude-code", agent: "claude-code", session: "5a3bb1c8-0000-4000-8000-000000000001" },
    workdir: "/srv/web/very-long-name-of-a-project",
  },
};
const first = smallLog({
  ...base,
  prompts: [
    {
      role: "user",
      content: "Implement the following plan:\n\n# Page numbers in the footer of every list\n\nAnd test it.",
    },
  ],
  steps: [
    call("read_file", { path: "src/footer.ts" }, 0),
    call("edit_file", { path: "src/footer.ts", old_text: "a", new_text: "b" }, 3),
    call("bash", { command: "npm test" }, 7, { metadata: { status: "error" }, deterministic: false }),
  ],
});
const second = smallLog({
  ...base,
  metadata: { ...base.metadata, source: { format: "codex", agent: "codex" } },
  prompts: [
    {
      role: "user",
      content:
        "フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします",
    },
    { role: "user", content: "And now?" },
    { role: "user", content: "Go on." },
  ],
  steps: [
    call("read_file", { path: "src/footer.ts" }, 0),
    call("think", { thought: "Which list has no footer?" }, 1),
    call("edit_file", { path: "src/footer.ts", old_text: "a", new_text: "c" }, 2),
  ],
});

/** The screen without names that depend on the machine. */
async function screen(width: number, ...argv: string[]): Promise<string> {
  const { stdout, stderr } = await cli(argv, { folder, width });
  expect(stderr).toBe("");
  for (const line of stdout.split("\n")) expect(line).toBe(line.trimEnd());
  return `\n${stdout.replaceAll(/forked [\d: -]+UTC/g, "forked <when>")}`;
}

beforeAll(async () => {
  process.env["TZ"] = "UTC";
  for (const [log, tag] of [
    [first, "good"],
    [second, longTag],
  ] as const) {
    const { status, stderr } = await cli(["pack", "-", "--tag", tag], { folder, input: json(log) });
    if (status !== 0) throw new Error(stderr);
  }
  await cli(["tag", "x".repeat(60), longTag], { folder });
  await cli(["fork", "good"], { folder });
});

afterAll(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe("screen of ctx log", () => {
  it("ctx log at 60 columns has titles, facts and whole tags", async () => {
    expect(await screen(60, "log")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべて…
                    2026-02-10 · codex · 3 steps · 2m00s
      release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

      44c2b1e3505f  Implement the following plan: Page num… (good)
                    2026-02-10 · claude-code · 3 steps · 1 failed
      "
    `);
  });
  it("ctx log at 80 columns has titles, facts and whole tags", async () => {
    expect(await screen(80, "log")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示される…
                    2026-02-10 · codex · 3 steps · 2m00s · claude-opus-4-5
                    (release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)

      44c2b1e3505f  Implement the following plan: Page numbers in the footer o… (good)
                    2026-02-10 · claude-code · 3 steps · 1 failed · 7m00s
      "
    `);
  });
  it("ctx log at 120 columns has titles, facts and whole tags", async () => {
    expect(await screen(120, "log")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします
                    2026-02-10 · codex · 3 steps · 2m00s · claude-opus-4-5 · in very-long-name-of-a-pro…
                    (release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every list (good)
                    2026-02-10 · claude-code · 3 steps · 1 failed · 7m00s · claude-opus-4-5 · in very-long-name-of-a-pro…
      "
    `);
  });
});

describe("screen of ctx log --oneline", () => {
  it("ctx log --oneline at 60 columns has a line for each run", async () => {
    expect(await screen(60, "log", "--oneline")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  2026-02-10  フッターのページ番号を直… (2 tags)
      44c2b1e3505f  2026-02-10  Implement the f… (1 failed) (good)
      "
    `);
  });
  it("ctx log --oneline at 80 columns has a line for each run", async () => {
    expect(await screen(80, "log", "--oneline")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  2026-02-10  フッターのページ番号を直してください🎉 すべ… (2 tags)
      44c2b1e3505f  2026-02-10  Implement the following plan: Page … (1 failed) (good)
      "
    `);
  });
  it("ctx log --oneline at 120 columns has a line for each run", async () => {
    expect(await screen(120, "log", "--oneline")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  2026-02-10  フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください… (2 tags)
      44c2b1e3505f  2026-02-10  Implement the following plan: Page numbers in the footer of every list (1 failed) (good)
      "
    `);
  });
});

describe("screen of ctx tag", () => {
  it("ctx tag at 60 columns has each tag whole, with the title of its pack", async () => {
    expect(await screen(60, "tag")).toMatchInlineSnapshot(`
      "
      good
        44c2b1e3505f  2026-02-10 12:00  Implement the following p…
      release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        a9cf9beb0f66  2026-02-10 12:00  フッターのページ番号を直…
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        a9cf9beb0f66  2026-02-10 12:00  フッターのページ番号を直…
      "
    `);
  });
  it("ctx tag at 80 columns has each tag whole, with the title of its pack", async () => {
    expect(await screen(80, "tag")).toMatchInlineSnapshot(`
      "
      good
        44c2b1e3505f  2026-02-10 12:00  Implement the following plan: Page numbers in…
      release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        a9cf9beb0f66  2026-02-10 12:00  フッターのページ番号を直してください🎉 すべて…
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        a9cf9beb0f66  2026-02-10 12:00  フッターのページ番号を直してください🎉 すべて…
      "
    `);
  });
  it("ctx tag at 120 columns has each tag whole, with the title of its pack", async () => {
    expect(await screen(120, "tag")).toMatchInlineSnapshot(`
      "
      good                                                          44c2b1e3505f  2026-02-10 12:00  Implement the following p…
      release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  a9cf9beb0f66  2026-02-10 12:00  フッターのページ番号を直…
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  a9cf9beb0f66  2026-02-10 12:00  フッターのページ番号を直…
      "
    `);
  });
});

describe("screen of ctx status", () => {
  it("ctx status at 60 columns has a draft with the title of its parent", async () => {
    expect(await screen(60, "status")).toMatchInlineSnapshot(`
      "
      .ctx/drafts/44c2b1e3505f  unedited
        Implement the following plan: Page numbers in the footer …
        from ctx://44c2b1e3505f, forked <when>
      "
    `);
  });
  it("ctx status at 80 columns has a draft with the title of its parent", async () => {
    expect(await screen(80, "status")).toMatchInlineSnapshot(`
      "
      .ctx/drafts/44c2b1e3505f  unedited
        Implement the following plan: Page numbers in the footer of every list
        from ctx://44c2b1e3505f, forked <when>
      "
    `);
  });
});

describe("screen of ctx show", () => {
  it("ctx show at 60 columns has the title below the hash", async () => {
    expect(await screen(60, "show", "good")).toMatchInlineSnapshot(`
      "
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      Implement the following plan: Page numbers in the footer of…
      model    anthropic/claude-opus-4-5-20251101
      created  2026-02-10 12:00:00 UTC
      run      3 steps, 3 tool calls, 7m00s
      system   linux/x64, node20
      source   claude-code (claude-code), session
               5a3bb1c8-0000-4000-8000-000000000001
      folder   /srv/web/very-long-name-of-a-project
      tags     good

      system prompt  14 B
        You are terse.

      prompts  1
        0  user     87 B  Implement the following plan:

      steps  3   2 deterministic (=), 1 not (~)
        0   +0.0s  = read_file  src/footer.ts
        1  +3m00s  = edit_file  src/footer.ts new_text=b old_text…
        2  +7m00s  ~ bash       npm test              → error

      in full:
        ctx show 44c2b1e3505f --step 0
        ctx cat a4c3ed04a95a
      "
    `);
  });
  it("ctx show at 80 columns has the title below the hash", async () => {
    expect(await screen(80, "show", "good")).toMatchInlineSnapshot(`
      "
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      Implement the following plan: Page numbers in the footer of every list
      model    anthropic/claude-opus-4-5-20251101
      created  2026-02-10 12:00:00 UTC
      run      3 steps, 3 tool calls, 7m00s
      system   linux/x64, node20
      source   claude-code (claude-code), session 5a3bb1c8-0000-4000-8000-000000000001
      folder   /srv/web/very-long-name-of-a-project
      tags     good

      system prompt  14 B
        You are terse.

      prompts  1
        0  user     87 B  Implement the following plan:

      steps  3   2 deterministic (=), 1 not (~)
        0   +0.0s  = read_file  src/footer.ts                     → done
        1  +3m00s  = edit_file  src/footer.ts new_text=b old_text=a → done
        2  +7m00s  ~ bash       npm test                          → error  done

      in full: ctx show 44c2b1e3505f --step 0   ctx cat a4c3ed04a95a
      "
    `);
  });
});

describe("screen of ctx diff", () => {
  it("ctx diff at 60 columns has the titles below the list", async () => {
    expect(await screen(60, "diff", "good", longTag, "--human")).toMatchInlineSnapshot(`
      "
      Comparing 44c2b1e3505f vs a9cf9beb0f66

      4 difference(s) found:

        1. [prompt_drift] Prompt 0 (user) differs
        2. [prompt_drift] Prompts 1 to 2 (user) added
        3. [tool_drift] Step 1: edit_file replaced by think
        4. [tool_drift] Step 2: bash replaced by edit_file

      44c2b1e3505f  Implement the following plan: Page numbers in…
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべて…

      The runs diverged at step 1:
        44c2b1e3505f  step 1  edit_file  src/footer.ts new_text=b…
        a9cf9beb0f66  step 1  think      thought=Which list has n…
        These differed before that:
          Prompt 0 (user) differs
          Prompts 1 to 2 (user) added
        They did not reconverge.

      Other changes:
        deterministic step 2: false vs true

      1. Prompt 0 (user) differs
           @@ -1,5 +1 @@
           -Implement the following plan:
           -
           -# Page numbers in the footer of every list
           -
           -And test it.
           +フッターのページ番号を直してください🎉 すべてのリスト…

      2. Prompts 1 to 2 (user) added
           @@ -0,0 +1 @@
           +And now?
           \\ No newline at end of file
         … and 1 more prompt

      3. Step 1: edit_file replaced by think
         the runs diverged here
           - 1 edit_file  src/footer.ts new_text=b old_text=a
           + 1 think  thought=Which list has no footer?

      4. Step 2: bash replaced by edit_file
         follows from difference 3: the runs share no step in bet…
           - 2 bash  npm test
           + 2 edit_file  src/footer.ts new_text=c old_text=a
      "
    `);
  });
  it("ctx diff at 80 columns has the titles below the list", async () => {
    expect(await screen(80, "diff", "good", longTag, "--human")).toMatchInlineSnapshot(`
      "
      Comparing 44c2b1e3505f vs a9cf9beb0f66

      4 difference(s) found:

        1. [prompt_drift] Prompt 0 (user) differs
        2. [prompt_drift] Prompts 1 to 2 (user) added
        3. [tool_drift] Step 1: edit_file replaced by think
        4. [tool_drift] Step 2: bash replaced by edit_file

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every…
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示される…

      The runs diverged at step 1:
        44c2b1e3505f  step 1  edit_file  src/footer.ts new_text=b old_text=a
        a9cf9beb0f66  step 1  think      thought=Which list has no footer?
        These differed before that:
          Prompt 0 (user) differs
          Prompts 1 to 2 (user) added
        They did not reconverge.

      Other changes:
        deterministic step 2: false vs true

      1. Prompt 0 (user) differs
           @@ -1,5 +1 @@
           -Implement the following plan:
           -
           -# Page numbers in the footer of every list
           -
           -And test it.
           +フッターのページ番号を直してください🎉 すべてのリストに表示されるようにし…

      2. Prompts 1 to 2 (user) added
           @@ -0,0 +1 @@
           +And now?
           \\ No newline at end of file
         … and 1 more prompt

      3. Step 1: edit_file replaced by think
         the runs diverged here
           - 1 edit_file  src/footer.ts new_text=b old_text=a
           + 1 think  thought=Which list has no footer?

      4. Step 2: bash replaced by edit_file
         follows from difference 3: the runs share no step in between
           - 2 bash  npm test
           + 2 edit_file  src/footer.ts new_text=c old_text=a
      "
    `);
  });
  it("ctx diff at 120 columns has the titles below the list", async () => {
    expect(await screen(120, "diff", "good", longTag, "--human")).toMatchInlineSnapshot(`
      "
      Comparing 44c2b1e3505f vs a9cf9beb0f66

      4 difference(s) found:

        1. [prompt_drift] Prompt 0 (user) differs
        2. [prompt_drift] Prompts 1 to 2 (user) added
        3. [tool_drift] Step 1: edit_file replaced by think
        4. [tool_drift] Step 2: bash replaced by edit_file

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every list
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします

      The runs diverged at step 1:
        44c2b1e3505f  step 1  edit_file  src/footer.ts new_text=b old_text=a
        a9cf9beb0f66  step 1  think      thought=Which list has no footer?
        These differed before that:
          Prompt 0 (user) differs
          Prompts 1 to 2 (user) added
        They did not reconverge.

      Other changes:
        deterministic step 2: false vs true

      1. Prompt 0 (user) differs
           @@ -1,5 +1 @@
           -Implement the following plan:
           -
           -# Page numbers in the footer of every list
           -
           -And test it.
           +フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします

      2. Prompts 1 to 2 (user) added
           @@ -0,0 +1 @@
           +And now?
           \\ No newline at end of file
         … and 1 more prompt

      3. Step 1: edit_file replaced by think
         the runs diverged here
           - 1 edit_file  src/footer.ts new_text=b old_text=a
           + 1 think  thought=Which list has no footer?

      4. Step 2: bash replaced by edit_file
         follows from difference 3: the runs share no step in between
           - 2 bash  npm test
           + 2 edit_file  src/footer.ts new_text=c old_text=a
      "
    `);
  });
});

describe("screen of ctx replay --plan", () => {
  it("ctx replay --plan at 60 columns has the title in the head", async () => {
    expect(await screen(60, "replay", "good", "--plan")).toMatchInlineSnapshot(`
      "
      Plan for ctx://44c2b1e3505f, 3 steps: nothing is executed
      Implement the following plan: Page numbers in the footer of…
      44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      Workspace  a throw-away folder from 0 inputs, seen as /srv/…
        steps  tool       runs as       needs  compared
            1  read_file  built in      -      output
            1  edit_file  built in      -      effect
            1  bash       not executed  -      -
      Classes    1 tree, 1 edit, 1 refused
      Run it     ctx replay 44c2b1e3505f
      "
    `);
  });
  it("ctx replay --plan at 80 columns has the title in the head", async () => {
    expect(await screen(80, "replay", "good", "--plan")).toMatchInlineSnapshot(`
      "
      Plan for ctx://44c2b1e3505f, 3 steps: nothing is executed
      Implement the following plan: Page numbers in the footer of every list
      44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      Workspace  a throw-away folder from 0 inputs, seen as /srv/web/very-long-name-o…
        steps  tool       runs as       needs  compared
            1  read_file  built in      -      output
            1  edit_file  built in      -      effect
            1  bash       not executed  -      -
      Classes    1 tree, 1 edit, 1 refused
      Run it     ctx replay 44c2b1e3505f
      "
    `);
  });
});
