import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const log = smallLog({ prompts: [{ role: "user", content: "Fix the pager" }] });

async function onePack(): Promise<{ folder: string; root: string; hex: string }> {
  const { folder, root } = tempStore();
  const { stdout } = await cli(["pack", "-"], { folder, input: json(log) });
  return { folder, root, hex: stdout.trim().slice("ctx://".length) };
}

async function titleIn(folder: string): Promise<unknown> {
  const { stdout } = await cli(["log", "--json"], { folder });
  return (JSON.parse(stdout) as { title: unknown }).title;
}

describe("titles of packs", () => {
  it("tag --title: sets a title that log and show print; the pack keeps its name, and an empty text takes it back", async () => {
    const { folder, root, hex } = await onePack();
    expect(await titleIn(folder)).toBe("Fix the pager");
    const set = await cli(["tag", "--title", "the run that broke the tests"], { folder });
    expect(set.stdout).toContain("the run that broke the tests");
    expect(fs.readFileSync(join(root, "refs/titles", hex), "utf8")).toBe("the run that broke the tests\n");
    expect(await titleIn(folder)).toBe("the run that broke the tests");
    expect((await cli(["show", hex], { folder })).stdout).toContain("the run that broke the tests");
    const again = await cli(["pack", "-"], { folder, input: json(log) });
    expect(again.stdout.trim()).toBe(`ctx://${hex}`);
    expect((await cli(["tag", "--title", "", hex.slice(0, 8)], { folder })).status).toBe(0);
    expect(await titleIn(folder)).toBe("Fix the pager");
  });

  it("pack -m: sets the title of the pack that it seals", async () => {
    const { folder } = tempStore();
    await cli(["pack", "-", "-m", "first try"], { folder, input: json(log) });
    expect(await titleIn(folder)).toBe("first try");
  });

  it("verify: a title is a file of the store, and another file among the titles is named", async () => {
    const { folder, root } = await onePack();
    await cli(["tag", "--title", "mine"], { folder });
    const notes = async (): Promise<string> => {
      const { status, stdout, stderr }: CliResult = await cli(["verify"], { folder });
      expect(status).toBe(0);
      return `${stdout}${stderr}`;
    };
    expect(await notes()).not.toContain("not one of ctx's files");
    fs.writeFileSync(join(root, "refs/titles/notes.txt"), "x");
    expect(await notes()).toContain("refs/titles/notes.txt is not one of ctx's files");
  });

  it.each([
    ["a line break", "two\nlines"],
    ["a control character", "bell\u0007"],
    ["201 bytes", "é".repeat(101)],
    ["only spaces", "   "],
  ])("tag --title: a title with %s is refused, and nothing is written", async (_, title) => {
    const { folder, root } = await onePack();
    const { status, stderr } = await cli(["tag", "--title", title], { folder });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: the title /);
    expect(fs.existsSync(join(root, "refs/titles"))).toBe(false);
  });

  it("rm: the title of a pack goes with it", async () => {
    const { folder, root, hex } = await onePack();
    await cli(["tag", "--title", "mine"], { folder });
    expect((await cli(["rm", hex], { folder })).status).toBe(0);
    expect(fs.readdirSync(join(root, "refs/titles"))).toEqual([]);
  });
});
