// The screens of the commands that inspect runs, at 60, 80 and 120 columns: titles, long tags and wide
// characters.
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { goodRun, inUtc, longTag, screen as screenIn, storeOf, wideRun } from "../../dev/screens.js";

inUtc();

let folder: string;
const screen = (width: number, ...argv: string[]): Promise<string> => screenIn(folder, width, argv);

beforeAll(async () => {
  folder = await storeOf({ good: goodRun, [longTag]: wideRun });
  await cli(["tag", "x".repeat(60), longTag], { folder });
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
  it("ctx show at 120 columns has the title below the hash", async () => {
    expect(await screen(120, "show", "good")).toMatchInlineSnapshot(`
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
        0   +0.0s  = read_file      4 B  src/footer.ts                       → done
        1  +3m00s  = edit_file      4 B  src/footer.ts new_text=b old_text=a → done
        2  +7m00s  ~ bash           4 B  npm test                            → error  done

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
