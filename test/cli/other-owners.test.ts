// A store that belongs to another user of the machine.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { lastingFolder, snapshot } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, root } from "../../dev/needs.js";

const other = 65534;

/** Returns a store of another user, with a pack in it. */
async function foreignStore(...options: string[]): Promise<{ folder: string; root: string }> {
  const folder = lastingFolder();
  await cli(["init", ...options], { folder });
  await cli(["pack", "-"], { folder, input: json(smallLog()) });
  const root = join(folder, ".ctx");
  for (const name of ["", ...(fs.readdirSync(root, { recursive: true }) as string[])])
    fs.lchownSync(join(root, name), other, other);
  return { folder, root };
}

describeWith([root], "ctx doctor --fix in another user's store", () => {
  it.each([[[]], [["--private"]], [["--shared"]]])("doctor --fix %j fails for non-owners", async (kind) => {
    const { folder, root } = await foreignStore("--shared");
    fs.chmodSync(join(root, "packs"), 0o777);
    fs.chmodSync(root, 0o777);
    const before = snapshot(root);
    const { status, stderr } = await cli(["doctor", "--fix", ...kind], { folder, answers: ["p"] });
    expect(status).toBe(2);
    expect(stderr).toContain("only its owner can fix it");
    expect(snapshot(root)).toEqual(before);
    const result = await cli(["doctor"], { folder });
    expect(result.stdout).toContain("every user can write to");
    expect(result.stdout).toContain("its owner can run `ctx doctor --fix`");
    const listed = await cli(["log"], { folder });
    expect(listed.stderr).toContain("its owner can run `ctx doctor --fix`");
  });
});

describeWith([root], "root in another user's private store", () => {
  it.each([
    [["pack", "-"]],
    [["tag", "mine"]],
    [["fork", "latest"]],
    [["gc", "--grace", "0d"]],
    [["rm", "latest"]],
    [["tag", "-d", "mine"]],
  ])("root may not write to another user's private store with ctx %j", async (argv) => {
    const { folder, root } = await foreignStore();
    const before = snapshot(root);
    const input = json(smallLog({ metadata: { second: true } }));
    const { status, stderr } = await cli(argv, { folder, input });
    expect(status).toBe(2);
    expect(stderr).toContain("is the private store of nobody");
    expect(snapshot(root)).toEqual(before);
  });

  it("root can read another user's private store, and leaves nothing there", async () => {
    const { folder, root } = await foreignStore();
    const before = snapshot(root);
    for (const argv of [["log"], ["show", "latest"], ["verify", "--all"], ["gc", "--dry-run"], ["doctor"]])
      expect({ argv, ...(await cli(argv, { folder })) }).toMatchObject({ status: 0 });
    expect(snapshot(root)).toEqual(before);
  });
});
