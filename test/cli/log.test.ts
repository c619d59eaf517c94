import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

async function packed(folder: string, fields: Record<string, unknown>): Promise<string> {
  const { stdout } = await cli(["pack", "-"], { folder, input: json(smallLog(fields)) });
  return stdout.trim().slice("ctx://".length);
}

describe("ctx log", () => {
  it("ctx log: packs are listed newest first, equal times by arrival", async () => {
    const { folder, root } = tempStore();
    const middle = await packed(folder, { created: "2026-02-01T00:00:00.5Z", steps: [{ type: "x" }] });
    const newest = await packed(folder, { created: "2026-03-01T00:00:00+01:00", parent: `sha256:${middle}` });
    const early = await packed(folder, { created: "2026-02-01T00:00:00.50Z" });
    const late = await packed(folder, { created: "2026-02-01T01:00:00.500+01:00", system_prompt: "x" });
    fs.utimesSync(join(root, "packs", middle), 1000, 1000);
    fs.utimesSync(join(root, "packs", early), 2000, 2000);
    fs.utimesSync(join(root, "packs", late), 3000, 3000);
    const lines = (await cli(["log", "--json"], { folder })).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { hash: string });
    expect(lines.map(({ hash }) => hash.slice(7))).toEqual([newest, late, early, middle]);
    expect(lines[0]).toEqual({
      hash: `sha256:${newest}`,
      created: "2026-02-28T23:00:00Z",
      model: "test-model",
      steps: 0,
      title: null,
      prompts: 0,
      failed: 0,
      subruns: 0,
      parent: `sha256:${middle}`,
      tags: [],
      damaged: false,
    });
    const two = await cli(["log", "-n", "2", "--oneline"], { folder });
    expect(two.stdout).toBe(
      `${newest.slice(0, 12)}  2026-02-28  (no title)\n${late.slice(0, 12)}  2026-02-01  (no title)\n`,
    );
    expect((await cli(["log", "-n1"], { folder })).stdout).toBe(
      `${newest.slice(0, 12)}  (no title)\n${" ".repeat(14)}2026-02-28 · 0 steps · test-model · from ${middle.slice(0, 12)}\n`,
    );
    expect((await cli(["log", "-n", "0"], { folder })).stdout).toBe("");
  });

  it("ctx log: a damaged pack is marked and reported, and the exit status is 0", async () => {
    const { folder, root } = tempStore();
    const good = await packed(folder, {});
    const torn = await packed(folder, { system_prompt: "torn" });
    const gone = await packed(folder, { system_prompt: "gone" });
    const path = join(root, "objects", torn.slice(0, 2), torn.slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "{}");
    fs.rmSync(join(root, "objects", gone.slice(0, 2), gone.slice(2)));
    const { status, stdout, stderr } = await cli(["log", "--json", "-n", "99"], { folder });
    expect(status).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { hash: string; damaged: boolean });
    expect(new Map(lines.map(({ hash, damaged }) => [hash.slice(7), damaged]))).toEqual(
      new Map([
        [good, false],
        [torn, true],
        [gone, true],
      ]),
    );
    expect(stderr).toContain(`the pack sha256:${torn} cannot be read`);
    expect(stderr).toContain(`the pack sha256:${gone} cannot be read`);
    expect(
      (await cli(["log", "--oneline", "-n", "1"], { folder })).stderr.match(/cannot be read/g),
    ).toHaveLength(2);
    expect((await cli(["log"], { folder })).stdout).toContain("damaged: its manifest cannot be read");
  });

  it("ctx log: a pack is read from its object, never from the copy in packs/", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder, {});
    const entry = join(root, "packs", hex);
    fs.chmodSync(entry, 0o644);
    fs.writeFileSync(entry, fs.readFileSync(entry, "utf8").replace("test-model", "evil-model"));
    expect((await cli(["log", "--json"], { folder })).stdout).toContain("test-model");
    expect((await cli(["show", hex, "--json"], { folder })).stdout).toContain("test-model");
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    expect(fs.readFileSync(entry, "utf8")).toContain("test-model");
  });

  it("ctx log: tags are shown, and packs are found by them", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder, {});
    fs.writeFileSync(join(root, "refs/tags/v1"), `sha256:${hex}\n`);
    fs.writeFileSync(join(root, "refs/tags/torn"), `sha256:${hex}`);
    expect((await cli(["log", "--oneline"], { folder })).stdout).toContain("(v1)");
    expect((await cli(["show", "v1", "--json"], { folder })).status).toBe(0);
    expect((await cli(["show", "torn"], { folder })).stderr).toContain('the tag "torn" is damaged');
    expect((await cli(["show", "v1"], { folder })).stdout).toContain("tags     v1");
  });

  it("ctx log: a note says when there is no pack", async () => {
    const { folder } = tempStore();
    const { status, stdout, stderr } = await cli(["log"], { folder });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toBe("note: there are no packs here yet; `ctx pack <log>` adds one\n");
  });
});

describe("names of packs", () => {
  it("names: an ambiguous prefix lists the candidates", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(folder, {});
    const twin = hex.slice(0, 10) + "0".repeat(54);
    fs.writeFileSync(join(root, "packs", twin), "");
    const { status, stderr } = await cli(["show", hex.slice(0, 4)], { folder });
    expect(status).toBe(2);
    expect(stderr).toBe(
      `error: ${hex.slice(0, 4)} is ambiguous: 2 hashes start with it\n${[hex, twin]
        .sort()
        .map((name) => `  ctx://${name}\n`)
        .join("")}hint: type more digits of the hash\n`,
    );
    expect((await cli(["show", hex], { folder })).status).toBe(0);
  });

  it("names: ~N goes to parents", async () => {
    const { folder } = tempStore();
    const a = await packed(folder, {});
    const b = await packed(folder, { parent: `sha256:${a}`, metadata: { child: 1 } });
    const c = await packed(folder, { parent: `sha256:${b}`, metadata: { child: 2 } });
    const of = async (name: string): Promise<string> =>
      (await cli(["cat", name, "--json"], { folder })).stdout;
    expect(await of("latest~2")).toContain(a);
    expect(await of(`ctx://${c.slice(0, 8)}~1`)).toContain(b);
    expect((await cli(["show", "latest~3"], { folder })).stderr).toContain("has no parent");
    const orphan = await packed(folder, { parent: `sha256:${"0".repeat(64)}` });
    expect((await cli(["show", `${orphan}~1`], { folder })).stderr).toContain("is not in this store");
  });

  it("names: show refuses a blob, and names ctx cat", async () => {
    const { folder, root } = tempStore();
    const pack = await packed(folder, {});
    const blob = fs
      .readdirSync(join(root, "objects"))
      .flatMap((shelf) => fs.readdirSync(join(root, "objects", shelf)).map((name) => shelf + name))
      .find((name) => name !== pack) as string;
    for (const name of [blob, blob.slice(0, 8)]) {
      const { status, stderr } = await cli(["show", name], { folder });
      expect(status).toBe(2);
      expect(stderr).toBe(
        `error: ${blob} is a blob, not a pack\nhint: \`ctx cat ${blob.slice(0, 12)}\` shows it\n`,
      );
    }
  });
});
