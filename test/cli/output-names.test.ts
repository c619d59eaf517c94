// A file with the name of one recorded output and the bytes of another.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import {
  manifestOf,
  objectIn,
  overwrite,
  packed,
  reportLog,
  reportStore,
  sha256,
  verify,
  write,
} from "../../dev/provenance.js";

const [after, other] = ["what the run left in after.txt\n", "what the run left in other.txt\n"];

/**
 * Returns a pack with two outputs, of which the first on disk has been replaced with the bytes of the second.
 */
async function swapped(): Promise<{ folder: string; hex: string }> {
  const { folder } = tempStore();
  const outputs = [
    { name: "other.txt", content: other },
    { name: "after.txt", content: after },
  ];
  const hex = await packed(folder, reportLog({ outputs }), "--no-sidecars");
  write(folder, "after.txt", other);
  return { folder, hex };
}

describe("a file with the name of one output and the bytes of another of the same pack", () => {
  it("ctx verify: a file with another output's bytes is modified, and `was` is the output of its name", async () => {
    const { folder, hex } = await swapped();
    const { status, target, detail } = await verify(folder, "after.txt");
    expect([status, target.result]).toEqual([1, "modified"]);
    expect(target.was).toMatchObject({
      pack: `sha256:${hex}`,
      name: "after.txt",
      reference: `sha256:${sha256(after)}`,
    });
    expect(detail("content")).toContain("has other bytes; these are those of its output other.txt");
  });

  it("ctx verify: a file with another output's bytes and sidecar is modified, and ctx verify --write-sidecar refuses it", async () => {
    const { folder, hex } = await swapped();
    const refused = await cli(["verify", "--write-sidecar", "after.txt", "--from", hex], { folder });
    expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining("no sidecar was written")]);
    expect(fs.existsSync(join(folder, "after.txt.ctx.json"))).toBe(false);
    write(folder, "other.txt", other);
    expect((await cli(["verify", "--write-sidecar", "other.txt"], { folder })).status).toBe(0);
    fs.copyFileSync(join(folder, "other.txt.ctx.json"), join(folder, "after.txt.ctx.json"));
    const { status, target } = await verify(folder, "after.txt");
    expect([status, target.result]).toEqual([1, "modified"]);
  });

  it("ctx verify: a file with another output's bytes is verified by an older pack with its name and bytes", async () => {
    const { folder } = await swapped();
    const outputs = [{ name: "after.txt", content: other }];
    const older = reportLog({ outputs, created: "2020-01-01T00:00:00Z" });
    const hex = await packed(folder, older, "--no-sidecars");
    const newer = { outputs: [{ name: "third.txt", content: other }], created: "2030-01-01T00:00:00Z" };
    await packed(folder, reportLog(newer), "--no-sidecars");
    const { status, target } = await verify(folder, "after.txt");
    expect([status, target.result, target.packs[0]]).toEqual([0, "verified", `sha256:${hex}`]);
  });

  it("ctx verify: a file with an output's bytes is verified under a name that the pack does not have", async () => {
    const { folder } = await swapped();
    write(folder, "copy.txt", other);
    expect((await verify(folder, "copy.txt")).target.result).toBe("verified");
  });
});

it("ctx verify: a copied sidecar does not prove a few bytes under another name", async () => {
  const { folder } = tempStore();
  write(folder, "answer.txt", "ok");
  await packed(folder, reportLog({ outputs: [{ name: "answer.txt", content: "ok" }] }));
  write(folder, "secret.txt", "ok");
  fs.copyFileSync(join(folder, "answer.txt.ctx.json"), join(folder, "secret.txt.ctx.json"));
  const { status, target } = await verify(folder, "secret.txt");
  expect([status, target.result]).toEqual([2, "unproven"]);
  expect((await verify(folder, "answer.txt")).target.result).toBe("verified");
});

it("ctx verify --write-sidecar writes none for a damaged pack", async () => {
  const { folder, root, hex } = await reportStore();
  fs.rmSync(join(folder, "report.md.ctx.json"));
  overwrite(objectIn(root, String(manifestOf(root, hex)["system_prompt"]).slice("sha256:".length)), "forged");
  expect((await verify(folder, "report.md")).target.result).toBe("damaged");
  const { status, stdout } = await cli(["verify", "--write-sidecar", "report.md"], { folder });
  expect([status, stdout]).toEqual([1, expect.stringMatching(/no sidecar was written: .* proves nothing/)]);
  expect(fs.existsSync(join(folder, "report.md.ctx.json"))).toBe(false);
});
