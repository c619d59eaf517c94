// The screens of the commands that maintain a store.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, linux, onNode } from "../../dev/needs.js";
import { goodRun, inUtc, longTag, screen, storeOf, wideRun } from "../../dev/screens.js";

inUtc();

describe("screen of ctx rm", () => {
  it("ctx rm has what is removed, and what that frees", async () => {
    const folder = await storeOf({ good: goodRun, [longTag]: wideRun });
    expect(await screen(folder, 80, ["rm", longTag, "--force"])).toMatchInlineSnapshot(`
      "
      removed ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96
      removed the tag release-candidate-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      ctx gc will free 4 objects, 1.7 kB
      "
    `);
  });
});

const collected = async (...argv: string[]): Promise<string> => {
  const folder = await storeOf({ good: goodRun, [longTag]: wideRun });
  await cli(["rm", longTag, "--force"], { folder });
  return await screen(folder, 80, ["gc", ...argv]);
};

describe("screen of ctx gc", () => {
  it("ctx gc has how much is removed, and how much is too recent", async () => {
    expect(await collected()).toMatchInlineSnapshot(`
      "
      0 objects removed, 0 B
      4 more objects, 1.7 kB, unreferenced but too recent to remove
      "
    `);
    expect(await collected("--grace", "0d")).toMatchInlineSnapshot(`
      "
      4 objects removed, 1.7 kB
      "
    `);
  });
  it("ctx gc --dry-run has each object", async () => {
    expect(await collected("--grace", "0d", "--dry-run")).toMatchInlineSnapshot(`
      "
      95e5f44321e1    146 B
      a9cf9beb0f66   1.5 kB
      e9bdd5e0bb23      6 B
      f510476e58cb      8 B
      4 objects would be removed, 1.7 kB
      "
    `);
  });
});

describe("screen of ctx trust", () => {
  it("ctx trust has what is trusted", async () => {
    const folder = await storeOf({});
    const lookup = { command: ["python3", "-m", "lookup", "--every-list", "--format", "json", "--no-cache"] };
    const replay = { adapters: { lookup } };
    fs.writeFileSync(join(folder, ".ctx/config.json"), JSON.stringify({ version: "0.1", replay }));
    const env = { HOME: tempFolder() };
    expect(await screen(folder, 80, ["trust"], { env })).toMatchInlineSnapshot(`
      "
      @/.ctx/config.json is trusted now, until it changes:
        adapter  lookup: python3 -m lookup --every-list --format json --no-cache
      "
    `);
  });
});

const checked = async (width: number): Promise<string> => {
  const varying: [RegExp, string][] = [
    // What the machine is: a snapshot can only say that these rows are there.
    [/^\w+ +(Node|system|flushing|file system) .*$/gm, "@      $1"],
    // A long path is on a line of its own.
    [/in\n +@/g, "in @"],
  ];
  return await screen(await storeOf({ good: goodRun }), width, ["doctor"], { env: { PATH: "" }, varying });
};

describeWith([linux, onNode], "screen of ctx doctor", () => {
  it("ctx doctor at 60 columns has a check a line", async () => {
    expect(await checked(60)).toMatchInlineSnapshot(`
      "
      @      Node
      @      system
      lacks  ctx          /opt/ctx/dist/ctx.cjs, not on the PATH
                          typing \`ctx\` does not start it; link to
                          it from a folder on the PATH
      @      flushing
      lacks  git          not on the PATH
                          only needed to share a store by git
      lacks  bubblewrap   not on the PATH
                          needed to replay commands; install
                          bubblewrap
      @      file system
      ok     store        1 pack in @/.ctx
      ok     access       only its owner can read it
      "
    `);
  });
  it("ctx doctor at 80 columns has a check a line", async () => {
    expect(await checked(80)).toMatchInlineSnapshot(`
      "
      @      Node
      @      system
      lacks  ctx          /opt/ctx/dist/ctx.cjs, not on the PATH
                          typing \`ctx\` does not start it; link to it from a folder on
                          the PATH
      @      flushing
      lacks  git          not on the PATH
                          only needed to share a store by git
      lacks  bubblewrap   not on the PATH
                          needed to replay commands; install bubblewrap
      @      file system
      ok     store        1 pack in @/.ctx
      ok     access       only its owner can read it
      "
    `);
  });
  it("ctx doctor at 120 columns has a check a line", async () => {
    expect(await checked(120)).toMatchInlineSnapshot(`
      "
      @      Node
      @      system
      lacks  ctx          /opt/ctx/dist/ctx.cjs, not on the PATH
                          typing \`ctx\` does not start it; link to it from a folder on the PATH
      @      flushing
      lacks  git          not on the PATH
                          only needed to share a store by git
      lacks  bubblewrap   not on the PATH
                          needed to replay commands; install bubblewrap
      @      file system
      ok     store        1 pack in @/.ctx
      ok     access       only its owner can read it
      "
    `);
  });
});
