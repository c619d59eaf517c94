// The screens of the commands that share packs; those of a registry need one.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, program } from "../../dev/needs.js";
import { startRegistry } from "../../dev/registry.js";
import { goodRun, inUtc, longTag, screen, type ScreenOptions, storeOf, wideRun } from "../../dev/screens.js";

inUtc();

let folder: string;
beforeAll(async () => {
  folder = await storeOf({ good: goodRun, [longTag]: wideRun });
});

describe("screen of ctx export", () => {
  it("ctx export at 60 columns has what leaves", async () => {
    expect(
      await screen(folder, 60, ["export", "good", longTag, "-o", "runs.ctx", "--dry-run"]),
    ).toMatchInlineSnapshot(`
      "
      2 packs, 3.1 kB:
        44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-o…
          Implement the following plan: Page numbers in the foote…
          3 steps, 1 prompt, 0 files, 1.5 kB
        a9cf9beb0f66  2026-02-10 12:00:00 UTC  anthropic/claude-o…
          フッターのページ番号を直してください🎉 すべてのリストに…
          3 steps, 3 prompts, 0 files, 1.7 kB
        also:
          folder /srv/web/very-long-name-of-a-project
      would be 24 kB in runs.ctx
      "
    `);
  });
  it("ctx export at 80 columns has what leaves", async () => {
    expect(
      await screen(folder, 80, ["export", "good", longTag, "-o", "runs.ctx", "--dry-run"]),
    ).toMatchInlineSnapshot(`
      "
      2 packs, 3.1 kB:
        44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4-5-20251101
          Implement the following plan: Page numbers in the footer of every list
          3 steps, 1 prompt, 0 files, 1.5 kB
        a9cf9beb0f66  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4-5-20251101
          フッターのページ番号を直してください🎉 すべてのリストに表示されるようにして…
          3 steps, 3 prompts, 0 files, 1.7 kB
        also:
          folder /srv/web/very-long-name-of-a-project
      would be 24 kB in runs.ctx
      "
    `);
  });
  it("ctx export at 120 columns has what leaves", async () => {
    expect(
      await screen(folder, 120, ["export", "good", longTag, "-o", "runs.ctx", "--dry-run"]),
    ).toMatchInlineSnapshot(`
      "
      2 packs, 3.1 kB:
        44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4-5-20251101
          Implement the following plan: Page numbers in the footer of every list
          3 steps, 1 prompt, 0 files, 1.5 kB
        a9cf9beb0f66  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4-5-20251101
          フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします
          3 steps, 3 prompts, 0 files, 1.7 kB
        also:
          folder /srv/web/very-long-name-of-a-project
      would be 24 kB in runs.ctx
      "
    `);
  });
});

const arrived = async (width: number): Promise<string> => {
  const file = join(folder, "runs.ctx");
  await cli(["export", "good", longTag, "-o", file, "--force"], { folder });
  return await screen(await storeOf({}), width, ["import", file], {
    onTerminal: true,
    varying: [[folder, "@"]],
  });
};

describe("screen of ctx import", () => {
  it("ctx import at 60 columns has what arrived", async () => {
    expect(await arrived(60)).toMatchInlineSnapshot(`
      "
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      ! 2 packs imported
      !   a9cf9beb0f66  フッターのページ番号を直してください🎉 すべ…
      !   44c2b1e3505f  Implement the following plan: Page numbers …
      "
    `);
  });
  it("ctx import at 80 columns has what arrived", async () => {
    expect(await arrived(80)).toMatchInlineSnapshot(`
      "
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      ! 2 packs imported
      !   a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示され…
      !   44c2b1e3505f  Implement the following plan: Page numbers in the footer of eve…
      "
    `);
  });
  it("ctx import at 120 columns has what arrived", async () => {
    expect(await arrived(120)).toMatchInlineSnapshot(`
      "
      ctx://a9cf9beb0f665a4d54edb3d38e490b10707d6d202721c27b238a25b90aa67b96
      ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
      ! 2 packs imported
      !   a9cf9beb0f66  フッターのページ番号を直してください🎉 すべてのリストに表示されるようにしてください、お願いします
      !   44c2b1e3505f  Implement the following plan: Page numbers in the footer of every list
      "
    `);
  });
});

describe("screen of ctx remote", () => {
  it("ctx remote has a name a line", async () => {
    const env = { HOME: tempFolder() };
    await cli(["remote", "add", "lab", "oci://registry.example.com/lab/runs"], { folder, env });
    await cli(["remote", "add", "old-lab", "oci://old.example.com/runs", "--plain-http"], { folder, env });
    expect(await screen(folder, 80, ["remote"], { env })).toMatchInlineSnapshot(`
      "
      lab      oci://registry.example.com/lab/runs
      old-lab  oci://old.example.com/runs  (plain HTTP)
      "
    `);
  });
});

describeWith([program("docker-registry")], "screens of a registry", () => {
  let at: string;
  let options: ScreenOptions;
  beforeAll(async () => {
    const { host } = await startRegistry();
    at = `oci://${host}/runs`;
    options = { onTerminal: true, varying: [[host, "127.0.0.1:@@@@@"]] };
    await cli(["push", "good", at], { folder });
  });

  describe("screen of ctx push", () => {
    it("ctx push at 60 columns has what leaves", async () => {
      expect(await screen(folder, 60, ["push", "good", `${at}-60`], options)).toMatchInlineSnapshot(`
        "
        1 pack, 1.5 kB:
          44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-o…
            Implement the following plan: Page numbers in the foote…
            3 steps, 1 prompt, 0 files, 1.5 kB
          also:
            folder /srv/web/very-long-name-of-a-project
        pushed to oci://127.0.0.1:@@@@@/runs-60: 3 blobs (5.5 kB) sent
        "
      `);
    });
    it("ctx push at 80 columns has what leaves", async () => {
      expect(await screen(folder, 80, ["push", "good", `${at}-80`], options)).toMatchInlineSnapshot(`
        "
        1 pack, 1.5 kB:
          44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4-5-20251101
            Implement the following plan: Page numbers in the footer of every list
            3 steps, 1 prompt, 0 files, 1.5 kB
          also:
            folder /srv/web/very-long-name-of-a-project
        pushed to oci://127.0.0.1:@@@@@/runs-80: 3 blobs (5.5 kB) sent
        "
      `);
    });
    it("ctx push at 120 columns has what leaves", async () => {
      expect(await screen(folder, 120, ["push", "good", `${at}-120`], options)).toMatchInlineSnapshot(`
        "
        1 pack, 1.5 kB:
          44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4-5-20251101
            Implement the following plan: Page numbers in the footer of every list
            3 steps, 1 prompt, 0 files, 1.5 kB
          also:
            folder /srv/web/very-long-name-of-a-project
        pushed to oci://127.0.0.1:@@@@@/runs-120: 3 blobs (5.5 kB) sent
        "
      `);
    });
  });

  describe("screen of ctx pull", () => {
    it("ctx pull at 60 columns has what arrived", async () => {
      expect(await screen(await storeOf({}), 60, ["pull", at], options)).toMatchInlineSnapshot(`
        "
        ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
        ! 1 pack imported; received 2 blobs (5.5 kB)
        !   44c2b1e3505f  Implement the following plan: Page numbers …
        "
      `);
    });
    it("ctx pull at 80 columns has what arrived", async () => {
      expect(await screen(await storeOf({}), 80, ["pull", at], options)).toMatchInlineSnapshot(`
        "
        ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
        ! 1 pack imported; received 2 blobs (5.5 kB)
        !   44c2b1e3505f  Implement the following plan: Page numbers in the footer of eve…
        "
      `);
    });
    it("ctx pull at 120 columns has what arrived", async () => {
      expect(await screen(await storeOf({}), 120, ["pull", at], options)).toMatchInlineSnapshot(`
        "
        ctx://44c2b1e3505f9247ac1856046836ed64b5f92ac7dd4edb344f3451652402f447
        ! 1 pack imported; received 2 blobs (5.5 kB)
        !   44c2b1e3505f  Implement the following plan: Page numbers in the footer of every list
        "
      `);
    });
  });

  describe("screen of ctx remote ls", () => {
    it("ctx remote ls at 60 columns has a pack a line", async () => {
      expect(await screen(await storeOf({}), 60, ["remote", "ls", at], options)).toMatchInlineSnapshot(`
        "
        44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4…       3 steps   5.5 kB
        "
      `);
    });
    it("ctx remote ls at 80 columns has a pack a line", async () => {
      expect(await screen(await storeOf({}), 80, ["remote", "ls", at], options)).toMatchInlineSnapshot(`
        "
        44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4…       3 steps   5.5 kB
        "
      `);
    });
    it("ctx remote ls at 120 columns has a pack a line", async () => {
      expect(await screen(await storeOf({}), 120, ["remote", "ls", at], options)).toMatchInlineSnapshot(`
        "
        44c2b1e3505f  2026-02-10 12:00:00 UTC  anthropic/claude-opus-4…       3 steps   5.5 kB
        "
      `);
    });
  });
});
