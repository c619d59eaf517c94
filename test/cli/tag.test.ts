import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { listTags } from "../../src/store/refs.js";
import { removeTag } from "../../src/store/write-tags.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

async function packed(
  folder: string,
  fields: Record<string, unknown> = {},
  ...more: string[]
): Promise<string> {
  const { stdout, stderr } = await cli(["pack", "-", ...more], { folder, input: json(smallLog(fields)) });
  expect(stderr).toBe("");
  return stdout.trim().slice("ctx://".length);
}

describe("ctx tag", () => {
  it("ctx tag names the pack last added, or any other, and lists all tags", async () => {
    const { folder, root } = tempStore();
    const a = await packed(folder);
    const b = await packed(folder, { parent: `sha256:${a}`, metadata: { child: 1 } });
    expect(await cli(["tag", "good"], { folder })).toMatchObject({
      status: 0,
      stdout: `good names ctx://${b}\n`,
    });
    expect(await cli(["tag", "base", "latest~1"], { folder })).toMatchObject({
      status: 0,
      stdout: `base names ctx://${a}\n`,
    });
    expect(fs.readFileSync(join(root, "refs/tags/good"), "utf8")).toBe(`sha256:${b}\n`);
    expect((await cli(["tag"], { folder })).stdout).toBe(
      `base  ${a.slice(0, 12)}  2026-02-10 12:00  test-model\ngood  ${b.slice(0, 12)}  2026-02-10 12:00  test-model\n`,
    );
    const lines = (await cli(["tag", "--json"], { folder })).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        name: "base",
        hash: `sha256:${a}`,
        present: true,
        created: "2026-02-10T12:00:00Z",
        model: "test-model",
      },
      {
        name: "good",
        hash: `sha256:${b}`,
        present: true,
        created: "2026-02-10T12:00:00Z",
        model: "test-model",
      },
    ]);
    expect((await cli(["show", "good~1", "--json"], { folder })).stdout).toContain(a);
  });

  it("ctx tag moves a tag only with --force, and removes one with -d", async () => {
    const { folder, root } = tempStore();
    const a = await packed(folder);
    await cli(["tag", "v1"], { folder });
    const b = await packed(folder, { system_prompt: "b" });
    const refused = await cli(["tag", "v1"], { folder });
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toBe(
      'error: the tag "v1" already exists\nhint: `ctx tag --force v1 <pack>` moves it\n',
    );
    expect(fs.readFileSync(join(root, "refs/tags/v1"), "utf8")).toContain(a);
    const moved = await cli(["tag", "v1", "--force", "--json"], { folder });
    expect(JSON.parse(moved.stdout)).toMatchObject({ name: "v1", hash: `sha256:${b}`, change: "moved" });
    expect(await cli(["tag", "-d", "v1"], { folder })).toMatchObject({
      status: 0,
      stdout: `v1 removed from ctx://${b}\n`,
    });
    expect(fs.readdirSync(join(root, "refs/tags"))).toEqual([]);
    expect((await cli(["tag", "-d", "v1"], { folder })).status).toBe(2);
    expect((await cli(["tag"], { folder })).stderr).toBe(
      "note: there are no tags here yet; `ctx tag <name>` makes one\n",
    );
    expect(fs.readdirSync(join(root, "tmp"))).toEqual([]);
  });

  it.each(["latest", "abcd", "DEADBEEF", ".x", "-x", "a/b", "../x", "a b", "x".repeat(101), "é"])(
    "ctx tag refuses the name %j",
    async (name) => {
      const { folder } = tempStore();
      await packed(folder);
      const { status, stderr } = await cli(["tag", "--", name], { folder });
      expect(status).toBe(2);
      expect(stderr).toContain("is not a valid name for a tag");
    },
  );

  it("ctx tag never leaves the folder of tags", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder);
    for (const name of ["../latest", "../../config.json", `../../packs/${hex}`, "..", "/etc/passwd"]) {
      expect((await cli(["tag", "-d", name], { folder })).status).toBe(2);
      expect((await cli(["log", "--tag", name], { folder })).status).toBe(2);
      expect((await cli(["tag", "--force", name], { folder })).status).toBe(2);
    }
    expect(fs.readFileSync(join(root, "refs/latest"), "utf8")).toBe(`sha256:${hex}\n`);
    expect((await cli(["show", hex], { folder })).status).toBe(0);
  });

  it("tag: an error about an unknown one suggests a similar name", async () => {
    const { folder } = tempStore();
    await packed(folder);
    await cli(["tag", "baseline"], { folder });
    expect((await cli(["show", "basline"], { folder })).stderr).toContain("did you mean baseline?");
    expect((await cli(["tag", "-d", "baselin"], { folder })).stderr).toContain("did you mean baseline?");
  });

  it("ctx tag -l: names that contain no such text are not called missing, and one text is all it takes", async () => {
    const { folder } = tempStore();
    await packed(folder);
    expect((await cli(["tag", "-l", "base"], { folder })).stderr).toContain("there are no tags here yet");
    await cli(["tag", "baseline"], { folder });
    const { status, stderr } = await cli(["tag", "-l", "other"], { folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'note: no tag contains "other"\n' });
    for (const argv of [["-l", "base", "line"], ["-f"], ["-l", "-f"], ["-d", "baseline", "-f"]])
      expect(await cli(["tag", ...argv], { folder })).toMatchObject({ status: 2, stdout: "" });
    expect((await cli(["tag"], { folder })).stdout).toMatch(/^baseline /);
  });

  it("ctx tag shows a damaged tag, and -d removes it", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder);
    fs.writeFileSync(join(root, "refs/tags/torn"), "x");
    expect((await cli(["tag", "-l"], { folder })).stdout).toBe(
      "torn  damaged  `ctx tag -d torn` removes it\n",
    );
    expect((await cli(["show", "torn"], { folder })).stderr).toContain('the tag "torn" is damaged');
    expect((await cli(["tag", "-d", "torn"], { folder })).stdout).toBe("torn removed; it was damaged\n");
    expect(fs.readdirSync(join(root, "refs/tags"))).toEqual([]);
    await cli(["tag", "kept"], { folder });
    fs.rmSync(join(root, "packs", hex));
    expect(JSON.parse((await cli(["tag", "--json", "-l", "ke"], { folder })).stdout)).toMatchObject({
      name: "kept",
      present: false,
    });
    expect((await cli(["tag", "-l", "other"], { folder })).stdout).toBe("");
  });

  it("ctx tag shows a tag whose pack is not in the store", async () => {
    const { folder, root } = tempStore();
    fs.writeFileSync(join(root, "refs/tags/far"), `sha256:${"0".repeat(64)}\n`);
    expect((await cli(["tag"], { folder })).stdout).toBe("far  000000000000  not in this store\n");
    expect((await cli(["show", "far"], { folder })).status).toBe(2);
  });

  it("ctx log and show report tags that are damaged or name a missing pack", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder);
    fs.writeFileSync(join(root, "refs/tags/far"), `sha256:${"0".repeat(64)}\n`);
    fs.writeFileSync(join(root, "refs/tags/torn"), "x");
    for (const args of [["log"], ["log", "--json"], ["show", hex]]) {
      const ended = await cli(args, { folder });
      expect(ended.status).toBe(0);
      // Under --json the quotes are escaped.
      const stderr = ended.stderr.replaceAll('\\"', '"');
      expect(stderr).toContain('the tag "torn" cannot be followed: it is damaged');
      expect(stderr).toContain(
        `the tag "far" cannot be followed: ctx://${"0".repeat(64)} is not in this store`,
      );
    }
  });
});

describe("a tag that another system cannot store", () => {
  it("ctx tag refuses a name that differs from another only in case, with and without --force", async () => {
    const { folder, root } = tempStore();
    await packed(folder);
    await cli(["tag", "Release"], { folder });
    for (const more of [[], ["--force"]]) {
      const { status, stderr } = await cli(["tag", "release", ...more], { folder });
      expect(status).toBe(2);
      expect(stderr).toContain('the tag "Release" already exists, and differs from "release" only in case');
      expect(stderr).toContain("ctx tag -d Release");
    }
    expect(fs.readdirSync(join(root, "refs/tags"))).toEqual(["Release"]);
    expect((await cli(["tag", "Release", "--force"], { folder })).status).toBe(0);
    await cli(["tag", "-d", "Release"], { folder });
    expect((await cli(["tag", "release"], { folder })).status).toBe(0);
  });

  it("ctx tag refuses a name of a Windows device, and one with a dot at its end", async () => {
    const { folder, root } = tempStore();
    await packed(folder);
    for (const name of ["con", "CON", "aux.x", "nul", "com1", "LPT9.txt", "v1."]) {
      const { status, stderr } = await cli(["tag", name], { folder });
      expect(status).toBe(2);
      expect(stderr).toContain(`"${name}"`);
      expect(stderr).toContain("Windows");
    }
    expect(fs.readdirSync(join(root, "refs/tags"))).toEqual([]);
    for (const name of ["console", "aux-x", "com10", "v1.0"])
      expect((await cli(["tag", name], { folder })).status).toBe(0);
  });

  it("ctx tag: a name that another system cannot store stays readable, movable and removable", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder);
    for (const name of ["con", "Release", "release"])
      fs.writeFileSync(join(root, "refs/tags", name), `sha256:${hex}\n`);
    const other = await packed(folder, { system_prompt: "b" });
    for (const name of ["con", "release"]) {
      expect((await cli(["show", name, "--json"], { folder })).stdout).toContain(hex);
      expect((await cli(["tag", name, "--force"], { folder })).stdout).toBe(`${name} names ctx://${other}\n`);
      expect((await cli(["tag", "-d", name], { folder })).status).toBe(0);
    }
    expect(fs.readdirSync(join(root, "refs/tags"))).toEqual(["Release"]);
  });

  it("ctx pack --tag seals nothing for a name that another system cannot store", async () => {
    const { folder, root } = tempStore();
    await packed(folder, {}, "--tag", "Release");
    for (const name of ["release", "aux.x"]) {
      const argv = ["pack", "-", "--tag", name];
      const { status, stdout } = await cli(argv, { folder, input: json(smallLog({ system_prompt: "b" })) });
      expect(status).toBe(2);
      expect(stdout).toBe("");
    }
    expect(fs.readdirSync(join(root, "packs"))).toHaveLength(1);
  });
});

describe("ctx pack --tag", () => {
  it("ctx pack --tag names the new pack, and succeeds when it has that name already", async () => {
    const { folder } = tempStore();
    const hex = await packed(folder, {}, "--tag", "first");
    expect(await packed(folder, {}, "--tag", "first")).toBe(hex);
    expect((await cli(["show", "first", "--json"], { folder })).stdout).toContain(hex);
  });

  it("ctx pack --tag seals, but does not move a tag of another pack", async () => {
    const { folder } = tempStore();
    const a = await packed(folder, {}, "--tag", "v1");
    const result = await cli(["pack", "-", "--tag", "v1"], {
      folder,
      input: json(smallLog({ system_prompt: "b" })),
    });
    expect(result.status).toBe(2);
    expect(result.stdout).toMatch(/^ctx:/);
    expect(result.stderr).toContain('the tag "v1" already exists');
    expect((await cli(["show", "v1", "--json"], { folder })).stdout).toContain(a);
  });

  it("ctx pack --tag seals nothing with several logs or a bad name, which are usage errors", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "a"), json(smallLog()));
    for (const argv of [
      ["pack", "a", "a", "--tag", "v1"],
      ["pack", "a", "--tag", "cafe"],
      ["pack", "a", "--tag", ""],
    ]) {
      expect((await cli(argv, { folder })).status).toBe(2);
      expect((await cli(["log", "--json"], { folder })).stdout).toBe("");
    }
  });
});

/** Returns a store whose tags lead to a folder with a key. */
function linked(): { folder: string; root: string; key: string } {
  const { folder, root } = tempStore();
  const outside = tempFolder();
  fs.writeFileSync(join(outside, "id_ed25519"), "key\n");
  fs.rmdirSync(join(root, "refs/tags"));
  fs.symlinkSync(outside, join(root, "refs/tags"));
  return { folder, root, key: join(outside, "id_ed25519") };
}

describe("refs/tags as a link, which a clone can bring", () => {
  it.each([
    [["tag"]],
    [["tag", "-d", "id_ed25519"]],
    [["tag", "--force", "id_ed25519"]],
    [["log"]],
    [["gc"]],
    [["verify", "--all"]],
  ])("refs/tags: a link is refused by ctx %j, and nothing there is changed or shown", async (argv) => {
    const { folder, key } = linked();
    const { status, stdout, stderr } = await cli(argv, { folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("refs/tags is not a folder");
    expect(stderr).not.toContain("id_ed25519");
    expect(fs.readFileSync(key, "utf8")).toBe("key\n");
  });

  it("refs/tags: a link that appears after the store was opened is refused", () => {
    const { root, key } = linked();
    expect(() => listTags(root)).toThrow(/is a link/);
    expect(() => removeTag(root, "id_ed25519")).toThrow(/cannot remove/);
    expect(fs.existsSync(key)).toBe(true);
  });
});
