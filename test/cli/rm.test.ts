// `ctx rm`: takes packs out of the listing, refuses while something names them, and says what `ctx gc` will
// free.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GcResult, RmResult } from "../../src/results/results.js";
import { cli } from "../../dev/cli.js";
import { snapshot } from "../../dev/folders.js";
import type { AnyLog } from "../../dev/logs.js";
import {
  objectIn,
  overwrite,
  packed,
  reportLog,
  reportStore,
  type Scene,
  verify,
  write,
} from "../../dev/provenance.js";
import { compile, readSchema } from "../../dev/schemas.js";

interface Family extends Scene {
  /** The packs, from the first on, each the parent of the next. */
  packs: [string, string, string];
}

const generation = (at: number, parent: string): AnyLog =>
  reportLog({
    parent: `sha256:${parent}`,
    created: `2026-03-0${at}T00:00:00Z`,
    system_prompt: `You are number ${at}.`,
  });

/** Returns three packs, each made from the one before, with contents of their own. */
async function family(): Promise<Family> {
  const scene = await reportStore();
  const second = await packed(scene.folder, generation(2, scene.hex), "--no-sidecars");
  const third = await packed(scene.folder, generation(3, second), "--no-sidecars");
  return { ...scene, packs: [scene.hex, second, third] };
}

async function rm(folder: string, ...args: string[]): Promise<RmResult> {
  const { status, stdout, stderr } = await cli(["rm", "--json", ...args], { folder });
  expect(status, stderr).toBe(0);
  const result = JSON.parse(stdout) as RmResult;
  expect(compile(readSchema("rm-result"))(result)).toBe(true);
  return result;
}

async function gc(folder: string): Promise<GcResult> {
  const { status, stdout, stderr } = await cli(["gc", "--grace", "0d", "--json"], { folder });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as GcResult;
}

async function listed(folder: string): Promise<string[]> {
  const { stdout } = await cli(["log", "--json"], { folder });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { hash: string }).hash.slice("sha256:".length));
}

function tree(root: string): [string, string][] {
  return [...snapshot(root)].filter(([path]) => !/\/(?:cache\b.*|refs\/latest)$/.test(path));
}

describe("ctx rm", () => {
  it("ctx rm takes a pack out of the listing, and changes nothing else", async () => {
    const { folder, root, packs } = await family();
    const [, , third] = packs;
    const before = tree(root);
    const result = await rm(folder, third);
    expect(result).toMatchObject({ removed: [`sha256:${third}`], children: [], tags: [] });
    expect(await listed(folder)).toEqual([packs[1], packs[0]]);
    expect(tree(root)).toEqual(before.filter(([path]) => path !== join(root, "packs", third)));
    expect((await cli(["show", third], { folder })).status).toBe(2);
    expect((await verify(folder)).status).toBe(0);
  });

  it("ctx rm prints what it removed and what gc will free", async () => {
    const { folder, packs } = await family();
    await cli(["tag", "good", packs[2]], { folder });
    const { stdout, status } = await cli(["rm", "--force", packs[2]], { folder });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^removed ctx:\/\/[0-9a-f]{64}\nremoved the tag good\nctx gc will free 2 objects, /,
    );
  });

  it("ctx rm refuses a pack that another was made from, unless forced", async () => {
    const { folder, root, packs } = await family();
    const [first, second] = packs;
    const before = tree(root);
    for (const args of [[first], [first, packs[2]], [second]]) {
      const { status, stdout, stderr } = await cli(["rm", ...args], { folder });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain("was made from it");
      expect(stderr).toContain("--force");
    }
    expect(tree(root)).toEqual(before);
    const { status, stderr } = await cli(["rm", first, "--force"], { folder });
    expect(status).toBe(0);
    expect(stderr).toContain("packs that were made from the removed packs: 1");
    const { status: left, answers } = await verify(folder);
    expect({ left, lineage: answers["lineage"] }).toEqual({ left: 0, lineage: "not_checked" });
  });

  it("ctx rm refuses a pack that a tag names, unless forced, which removes the tag", async () => {
    const { folder, root, packs } = await family();
    const [, , third] = packs;
    for (const tag of ["good", "better"]) await cli(["tag", tag, third], { folder });
    await cli(["tag", "other", packs[0]], { folder });
    const before = tree(root);
    const { status, stderr } = await cli(["rm", third], { folder });
    expect(status).toBe(2);
    for (const tag of ["good", "better"]) expect(stderr).toContain(`the tag "${tag}" points to it`);
    expect(tree(root)).toEqual(before);
    const error = JSON.parse((await cli(["rm", third, "--json"], { folder })).stderr) as { error: AnyLog };
    expect(error.error).toMatchObject({ code: "in-use", problems: [{}, {}] });
    expect((await rm(folder, "-f", "good")).tags.sort()).toEqual(["better", "good"]);
    expect(fs.readdirSync(join(root, "refs/tags"))).toEqual(["other"]);
    expect((await verify(folder)).status).toBe(0);
  });

  it("ctx rm takes parent and child out together, and a pack that is named twice once", async () => {
    const { folder, packs } = await family();
    const [first, second, third] = packs;
    const result = await rm(folder, third, second, `ctx://${third}`, second.slice(0, 12));
    expect(result.removed.sort()).toEqual([`sha256:${second}`, `sha256:${third}`].sort());
    expect(result.children).toEqual([]);
    expect(await listed(folder)).toEqual([first]);
    await rm(folder, "latest");
    expect(await listed(folder)).toEqual([]);
    expect((await verify(folder)).status).toBe(0);
  });

  it("ctx rm takes nothing out when one of several is missing", async () => {
    const { folder, root, packs } = await family();
    const before = tree(root);
    for (const name of ["1".repeat(64), "no-such-tag", `${packs[0]}~1`, "ctx://"])
      expect((await cli(["rm", "--force", packs[2], name], { folder })).status, name).toBe(2);
    expect((await cli(["rm"], { folder })).status).toBe(2);
    expect(tree(root)).toEqual(before);
  });

  it("ctx rm refuses a blob", async () => {
    const { folder, root, packs } = await family();
    await rm(folder, packs[2]);
    const before = tree(root);
    const { status, stderr } = await cli(["rm", packs[2]], { folder });
    expect(status).toBe(2);
    expect(stderr).toContain("is a blob, not a pack");
    expect(tree(root)).toEqual(before);
  });

  it.each<[string, (family: Family) => string[], number]>([
    ["the last pack", ({ packs }) => [packs[2]], 2],
    ["the last two packs", ({ packs }) => [packs[1], packs[2]], 4],
    ["the pack in the middle", ({ packs }) => [packs[1]], 2],
    ["all packs", ({ packs }) => packs, 11],
  ])("ctx rm of %s says exactly what gc frees", async (_, choose, count) => {
    const scene = await family();
    // `latest` names the last one all along.
    const { frees } = await rm(scene.folder, "--force", ...choose(scene));
    expect(frees?.objects).toBe(count);
    const { removed, bytes } = await gc(scene.folder);
    expect({ objects: removed.length, bytes }).toEqual(frees);
    expect((await verify(scene.folder)).status).toBe(0);
  });

  it("ctx rm says that nothing is freed of a pack which a draft still names", async () => {
    const { folder, root, packs } = await family();
    write(root, "drafts/mine/execution.json", JSON.stringify({ parent: `sha256:${packs[2]}` }));
    const { frees } = await rm(folder, packs[2]);
    const { removed, bytes } = await gc(folder);
    expect({ objects: removed.length, bytes }).toEqual(frees);
    // What the draft was made from is still there.
    expect(fs.existsSync(objectIn(root, packs[2]))).toBe(true);
  });

  it("ctx rm is undone by packing the same log again, before gc and after", async () => {
    const { folder, packs } = await family();
    const [, second, third] = packs;
    await rm(folder, third);
    expect(await packed(folder, generation(3, second), "--no-sidecars")).toBe(third);
    expect((await verify(folder, third)).status).toBe(0);
    await rm(folder, third);
    await gc(folder);
    expect(await packed(folder, generation(3, second), "--no-sidecars")).toBe(third);
    expect(await listed(folder)).toEqual([third, second, packs[0]]);
    expect((await verify(folder)).status).toBe(0);
  });

  it("ctx rm of the pack behind a sidecar leaves the file without proof", async () => {
    const { folder, hex } = await reportStore();
    await rm(folder, hex);
    expect((await verify(folder, "report.md")).status).toBe(2);
  });

  it("ctx rm takes out a damaged pack, and does not say what gc frees if another is damaged", async () => {
    const damages: ((scene: Family) => void)[] = [
      ({ root, packs }) => overwrite(objectIn(root, packs[2]), "{"),
      ({ root, packs }) => fs.rmSync(objectIn(root, packs[2])),
      ({ root, packs }) => overwrite(join(root, "packs", packs[2]), ""),
      ({ root, packs }) => {
        fs.rmSync(join(root, "packs", packs[2]));
        fs.symlinkSync("/nowhere", join(root, "packs", packs[2]));
      },
    ];
    for (const damage of damages) {
      const scene = await family();
      damage(scene);
      await rm(scene.folder, scene.packs[2]);
      expect((await listed(scene.folder)).length).toBe(2);
      expect((await cli(["gc", "--grace", "0d"], { folder: scene.folder })).status).toBe(0);
      expect((await verify(scene.folder, scene.packs[1])).status).toBe(0);
    }
    const { folder, root, packs } = await family();
    overwrite(objectIn(root, packs[0]), "{");
    const { frees } = await rm(folder, packs[2]);
    expect(frees).toBeNull();
  });

  it("ctx rm moves latest to the newest pack that is left", async () => {
    const { folder, packs } = await family();
    await rm(folder, "latest");
    expect((await verify(folder, "latest")).target.packs).toEqual([`sha256:${packs[1]}`]);
    expect((await cli(["rm", "latest"], { folder })).status).toBe(0);
    expect(await listed(folder)).toEqual([packs[0]]);
  });
});
