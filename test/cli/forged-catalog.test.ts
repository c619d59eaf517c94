// The catalog under cache/ may have come with a clone, and no hash covers it: whatever it says, no command
// may deny or claim something because of it.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeCatalog } from "../../src/store/catalog-file.js";
import { type HistoryEntry, readEntry } from "../../src/store/history.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import {
  objectIn,
  packed,
  reportLog,
  reportStore,
  type Scene,
  sha256,
  verify,
  write,
} from "../../dev/provenance.js";

/** Replaces the catalog by one that looks as if it were made after the last change of packs/. */
function forge({ root }: Scene, change: (entry: HistoryEntry) => HistoryEntry, isCurrent = true): void {
  const entries = fs.readdirSync(join(root, "packs")).flatMap((hex) => readEntry(root, hex) ?? []);
  const { mtimeNs, ctimeNs } = fs.statSync(join(root, "packs"), { bigint: true });
  fs.mkdirSync(join(root, "cache"), { recursive: true });
  const path = join(root, "cache/catalog");
  const times = isCurrent ? { mtimeNs, ctimeNs } : { mtimeNs: 1n, ctimeNs: 1n };
  fs.writeFileSync(path, encodeCatalog(entries.map(change), times));
  const later = new Date(Date.now() + 60_000);
  fs.utimesSync(path, later, later);
}

/** Returns the report's store without its sidecar, so that the file is found by its bytes. */
async function bareStore(): Promise<Scene> {
  const scene = await reportStore();
  fs.rmSync(join(scene.folder, "report.md.ctx.json"));
  return scene;
}

const other = { model: { identifier: "another" }, outputs: [{ name: "other.md", content: "other" }] };

describe("a forged catalog", () => {
  it.each([true, false])(
    "forged catalog: without the bytes of a true output it does not deny that output (current: %s)",
    async (isCurrent) => {
      const scene = await bareStore();
      forge(scene, (entry) => ({ ...entry, contents: [] }), isCurrent);
      expect(await verify(scene.folder, "report.md")).toMatchObject({
        status: 0,
        target: { result: "verified", packs: [`sha256:${scene.hex}`] },
      });
    },
  );

  it("forged catalog: another pack with the bytes does not make a true output modified", async () => {
    const scene = await bareStore();
    const wrong = await packed(scene.folder, reportLog(other), "--no-sidecars");
    const content = sha256(fs.readFileSync(join(scene.folder, "report.md")));
    forge(scene, (entry) => ({
      ...entry,
      contents: entry.hex === wrong ? [{ hex: content, role: "output" }] : [],
    }));
    expect(await verify(scene.folder, "report.md")).toMatchObject({
      status: 0,
      target: { result: "verified", packs: [`sha256:${scene.hex}`] },
    });
  });

  it("forged catalog: bytes that no run recorded prove nothing", async () => {
    const scene = await bareStore();
    write(scene.folder, "report.md", "forged");
    forge(scene, (entry) => ({ ...entry, contents: [{ hex: sha256("forged"), role: "output" }] }));
    expect(await verify(scene.folder, "report.md")).toMatchObject({
      status: 2,
      target: { result: "unproven", packs: [] },
    });
  });

  it("forged catalog: an output listed as an input is still an output", async () => {
    const scene = await bareStore();
    forge(scene, (entry) => ({
      ...entry,
      contents: entry.contents.map((each) => ({ ...each, role: "input" })),
    }));
    expect((await verify(scene.folder, "report.md")).status).toBe(0);
  });

  it("forged catalog: no command believes it in a copy of the store", async () => {
    const scene = await bareStore();
    const child = await packed(
      scene.folder,
      reportLog({ ...other, parent: `sha256:${scene.hex}` }),
      "--no-sidecars",
    );
    forge(
      scene,
      (entry) => ({
        ...entry,
        contents: [],
        content: {
          created: "2001-01-01T00:00:00Z",
          model: "forged",
          title: "forged",
          steps: 0,
          tools: [],
          prompts: 0,
          failed: 0,
          subruns: 0,
        },
      }),
      false,
    );
    const copy = tempFolder();
    fs.cpSync(scene.folder, copy, { recursive: true });
    expect((await cli(["log"], { folder: copy })).stdout).not.toContain("forged");
    expect((await verify(copy, "report.md")).status).toBe(0);
    // It has a child here, which the catalog hid.
    const { status, stderr } = await cli(["rm", scene.hex], { folder: copy });
    expect(status).toBe(2);
    expect(stderr).toContain(child);
    expect((await cli(["log", "--model", "another", "--oneline"], { folder: copy })).stdout).toContain(
      child.slice(0, 12),
    );
  });

  it("forged catalog: an output whose object is gone is damaged, although not listed", async () => {
    const scene = await bareStore();
    forge(scene, (entry) => ({ ...entry, contents: [], signature: "0 0 0 0" }));
    fs.rmSync(objectIn(scene.root, sha256(fs.readFileSync(join(scene.folder, "report.md")))));
    // The signature is not the file's, so the pack is read again: it names bytes that are gone.
    expect(await verify(scene.folder, "report.md")).toMatchObject({
      status: 1,
      target: { result: "damaged" },
    });
  });
});
