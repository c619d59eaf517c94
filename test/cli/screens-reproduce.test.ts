// The screens of the commands that reproduce a run, or start a new one from it.
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { environmentHere, smallLog } from "../../dev/logs.js";
import { goodRun, inUtc, screen as screenIn, type ScreenOptions, storeOf } from "../../dev/screens.js";

inUtc();

let folder: string;
const forked: ScreenOptions = { varying: [[/forked [\d: -]+UTC/g, "forked <when>"]] };
const screen = (width: number, ...argv: string[]): Promise<string> => screenIn(folder, width, argv, forked);

const read = (path: string, output: string): object => ({
  type: "tool_call",
  tool: "read_file",
  parameters: { path },
  output,
  deterministic: true,
});

/** Its tools are built in, and need no sandbox; one of its outputs is not what the file has. */
const native = smallLog({
  environment: environmentHere,
  prompts: [{ role: "user", content: "Which of the notes is out of date, and what should it say instead?" }],
  inputs: [
    { name: "notes.txt", content: "one\ntwo\n" },
    { name: "drafts/a-note-with-a-rather-long-name.txt", content: "three\n" },
  ],
  steps: [
    read("notes.txt", "one\ntwo\n"),
    read("drafts/a-note-with-a-rather-long-name.txt", "drei\n"),
    { type: "tool_call", tool: "search_wiki", parameters: {}, output: "No." },
    { type: "message", output: "The second." },
  ],
});

/** The pack has the environment of this machine, and its hash varies with it. */
const packHash: [RegExp, string] = [/(?<=ctx:\/\/|drafts\/)[0-9a-f]{12}/g, "@".repeat(12)];
const replayed = (width: number): Promise<string> =>
  screenIn(folder, width, ["replay", "native"], { status: 2, varying: [packHash] });

beforeAll(async () => {
  folder = await storeOf({ native, good: goodRun });
  await cli(["fork", "good"], { folder });
});

describe("screen of ctx replay", () => {
  it("ctx replay at 60 columns has each step and a summary", async () => {
    expect(await replayed(60)).toMatchInlineSnapshot(`
      "
      ctx://@@@@@@@@@@@@  Which of the notes is out of date, and …
        0  matched   read_file       notes.txt
        1  diverged  read_file       …-with-a-rather-long-name.txt
        2  failed    search_wiki
           no_tool: nothing here can execute it: set up an adapter
           in your config, or let the record stand with --recorded
      3 calls: 3 can be checked, 2 of them were
        1 matched  (1 by bytes)
        1 needs an adapter for search_wiki
          --recorded search_wiki
        1 diverged  step 1
      failed: 2 of 3 tool calls checked
        (1 matched, 1 diverged, 1 could not be executed)
      environment  4 facts the same

      step 1 read_file diverged
        recorded d9ace30a7377, now f69369121844
          @@ -1 +1 @@
          -drei
          +three
      "
    `);
  });
  it("ctx replay at 80 columns has each step and a summary", async () => {
    expect(await replayed(80)).toMatchInlineSnapshot(`
      "
      ctx://@@@@@@@@@@@@  Which of the notes is out of date, and what should it say i…
        0  matched   read_file       notes.txt
        1  diverged  read_file       drafts/a-note-with-a-rather-long-name.txt
        2  failed    search_wiki
           no_tool: nothing here can execute it: set up an adapter in your config, or
           let the record stand with --recorded
      3 calls: 3 can be checked, 2 of them were
        1 matched  (1 by bytes)
        1 needs an adapter for search_wiki   --recorded search_wiki
        1 diverged  step 1
      failed: 2 of 3 tool calls checked
        (1 matched, 1 diverged, 1 could not be executed)
      environment  4 facts the same

      step 1 read_file diverged
        recorded d9ace30a7377, now f69369121844
          @@ -1 +1 @@
          -drei
          +three
      "
    `);
  });
  it("ctx replay at 120 columns has each step and a summary", async () => {
    expect(await replayed(120)).toMatchInlineSnapshot(`
      "
      ctx://@@@@@@@@@@@@  Which of the notes is out of date, and what should it say instead?
        0  matched   read_file       notes.txt
        1  diverged  read_file       drafts/a-note-with-a-rather-long-name.txt
        2  failed    search_wiki
           no_tool: nothing here can execute it: set up an adapter in your config, or let the record stand with --recorded
      3 calls: 3 can be checked, 2 of them were
        1 matched  (1 by bytes)
        1 needs an adapter for search_wiki   --recorded search_wiki
        1 diverged  step 1
      failed: 2 of 3 tool calls checked  (1 matched, 1 diverged, 1 could not be executed)
      environment  4 facts the same

      step 1 read_file diverged
        recorded d9ace30a7377, now f69369121844
          @@ -1 +1 @@
          -drei
          +three
      "
    `);
  });
});

describe("screen of ctx fork", () => {
  it("ctx fork has the draft and what to do next", async () => {
    const options: ScreenOptions = { onTerminal: true, varying: [packHash] };
    const other = await storeOf({ native });
    expect(await screenIn(other, 80, ["fork", "native"], options)).toMatchInlineSnapshot(`
      "
      .ctx/drafts/@@@@@@@@@@@@
      ! Which of the notes is out of date, and what should it say instead?
      ! edit .ctx/drafts/@@@@@@@@@@@@/system_prompt.md, prompts/, execution.json, …; then seal it:
      !   ctx pack .ctx/drafts/@@@@@@@@@@@@
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
  it("ctx status at 120 columns has a draft with the title of its parent", async () => {
    expect(await screen(120, "status")).toMatchInlineSnapshot(`
      "
      .ctx/drafts/44c2b1e3505f  unedited
        Implement the following plan: Page numbers in the footer of every list
        from ctx://44c2b1e3505f, forked <when>
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
        steps  tool       runs as       needs       compared
            1  read_file  built in      a checkout  output
            1  edit_file  built in      -           effect
            1  bash       not executed  -           -
      Classes    1 tree, 1 edit, 1 refused
      Checkout   1 read needs a checkout: --auto finds it, or
                 --auto --repo <folder>
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
        steps  tool       runs as       needs       compared
            1  read_file  built in      a checkout  output
            1  edit_file  built in      -           effect
            1  bash       not executed  -           -
      Classes    1 tree, 1 edit, 1 refused
      Checkout   1 read needs a checkout: --auto finds it, or --auto --repo <folder>
      Run it     ctx replay 44c2b1e3505f
      "
    `);
  });
  it("ctx replay --plan at 120 columns has the title in the head", async () => {
    expect(await screen(120, "replay", "good", "--plan")).toMatchInlineSnapshot(`
      "
      Plan for ctx://44c2b1e3505f, 3 steps: nothing is executed
      Implement the following plan: Page numbers in the footer of every list
      44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      Workspace  a throw-away folder from 0 inputs, seen as /srv/web/very-long-name-of-a-project
        steps  tool       runs as       needs       compared
            1  read_file  built in      a checkout  output
            1  edit_file  built in      -           effect
            1  bash       not executed  -           -
      Classes    1 tree, 1 edit, 1 refused
      Checkout   1 read needs a checkout: --auto finds it, or --auto --repo <folder>
      Run it     ctx replay 44c2b1e3505f
      "
    `);
  });
});
