// The screens of the commands that search and count runs, at 60, 80 and 120 columns.
import { beforeAll, describe, expect, it } from "vitest";
import { goodRun, inUtc, longTag, screen as screenIn, storeOf, wideRun } from "../../dev/screens.js";

inUtc();

let folder: string;
const screen = (width: number, ...argv: string[]): Promise<string> => screenIn(folder, width, argv);

beforeAll(async () => {
  folder = await storeOf({ good: goodRun, [longTag]: wideRun });
});

describe("screen of ctx grep", () => {
  it("ctx grep at 60 columns has a block for each run, with the command of each place", async () => {
    expect(await screen(60, "grep", "-n", "footer|page")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべて…
                    2026-02-10 · codex · anthropic/claude-opus-4-…
        step 0  read_file           ctx show a9cf9beb0f66 --step 0
          path:1  src/footer.ts
        step 1  think               ctx show a9cf9beb0f66 --step 1
          thought:1  Which list has no footer?
        step 2  edit_file           ctx show a9cf9beb0f66 --step 2
          path:1  src/footer.ts

      44c2b1e3505f  Implement the following plan: Page numbers in…
                    2026-02-10 · claude-code · anthropic/claude-o…
        prompt 0                  ctx show 44c2b1e3505f --prompt 0
          prompt:3  # Page numbers in the footer of every list
        step 0  read_file           ctx show 44c2b1e3505f --step 0
          path:1  src/footer.ts
        step 1  edit_file           ctx show 44c2b1e3505f --step 1
          path:1  src/footer.ts

      6 hits in 2 runs; searched 2 runs (all)
      "
    `);
  });
  it("ctx grep at 80 columns has a block for each run, with the command of each place", async () => {
    expect(await screen(80, "grep", "-n", "footer|page")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示される…
                    2026-02-10 · codex · anthropic/claude-opus-4-5-20251101
        step 0  read_file                               ctx show a9cf9beb0f66 --step 0
          path:1  src/footer.ts
        step 1  think                                   ctx show a9cf9beb0f66 --step 1
          thought:1  Which list has no footer?
        step 2  edit_file                               ctx show a9cf9beb0f66 --step 2
          path:1  src/footer.ts

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every…
                    2026-02-10 · claude-code · anthropic/claude-opus-4-5-20251101
        prompt 0                                      ctx show 44c2b1e3505f --prompt 0
          prompt:3  # Page numbers in the footer of every list
        step 0  read_file                               ctx show 44c2b1e3505f --step 0
          path:1  src/footer.ts
        step 1  edit_file                               ctx show 44c2b1e3505f --step 1
          path:1  src/footer.ts

      6 hits in 2 runs; searched 2 runs (all)
      "
    `);
  });
  it("ctx grep at 120 columns has a block for each run, with the command of each place", async () => {
    expect(await screen(120, "grep", "-n", "footer|page")).toMatchInlineSnapshot(`
      "
      a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします
                    2026-02-10 · codex · anthropic/claude-opus-4-5-20251101
        step 0  read_file                                                                       ctx show a9cf9beb0f66 --step 0
          path:1  src/footer.ts
        step 1  think                                                                           ctx show a9cf9beb0f66 --step 1
          thought:1  Which list has no footer?
        step 2  edit_file                                                                       ctx show a9cf9beb0f66 --step 2
          path:1  src/footer.ts

      44c2b1e3505f  Implement the following plan: Page numbers in the footer of every list
                    2026-02-10 · claude-code · anthropic/claude-opus-4-5-20251101
        prompt 0                                                                              ctx show 44c2b1e3505f --prompt 0
          prompt:3  # Page numbers in the footer of every list
        step 0  read_file                                                                       ctx show 44c2b1e3505f --step 0
          path:1  src/footer.ts
        step 1  edit_file                                                                       ctx show 44c2b1e3505f --step 1
          path:1  src/footer.ts

      6 hits in 2 runs; searched 2 runs (all)
      "
    `);
  });
  it("ctx grep -l, -c and --steps have a line for each run or step", async () => {
    expect(await screen(80, "grep", "-l", "footer")).toMatchInlineSnapshot(`
      "
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      "
    `);
    expect(await screen(80, "grep", "-c", "footer")).toMatchInlineSnapshot(`
      "
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96	3
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447	3
      "
    `);
    expect(await screen(80, "grep", "--steps", "footer")).toMatchInlineSnapshot(`
      "
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96  step 0  read_file               src/footer.ts
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96  step 1  think                   Which list has no footer?
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96  step 2  edit_file               src/footer.ts
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447  prompt 0                        # Page numbers in the footer of every list
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447  step 0  read_file               src/footer.ts
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447  step 1  edit_file               src/footer.ts
      "
    `);
  });
});

describe("screen of ctx stats", () => {
  it("ctx stats at 60 columns has a row for all runs", async () => {
    expect(await screen(60, "stats")).toMatchInlineSnapshot(`
      "
      runs  steps  failed  tokens  cached  cost   time
         2      6       1       –       –     –  9m00s
      "
    `);
  });
  it("ctx stats --by agent at 80 columns has a row and a bar for each agent", async () => {
    expect(await screen(80, "stats", "--by", "agent")).toMatchInlineSnapshot(`
      "
      agent        runs  steps  failed  tokens  cached  cost   time
      claude-code     1      3       1       –       –     –  7m00s
      codex           1      3       0       –       –     –  2m00s
      total           2      6       1       –       –     –  9m00s
      "
    `);
  });
  it("ctx stats --by tool at 120 columns has a row and a bar for each tool", async () => {
    expect(await screen(120, "stats", "--by", "tool")).toMatchInlineSnapshot(`
      "
      tool       runs  calls  failed
      edit_file     2      2       0
      read_file     2      2       0
      bash          1      1       1
      think         1      1       0
      total         2      6       1
      "
    `);
  });
});
