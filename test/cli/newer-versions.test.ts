// What a newer ctx wrote is not damage: this one says so, goes on around it, and removes nothing that it may
// need.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import {
  manifestOf,
  objectIn,
  putObject,
  reportStore,
  type Scene,
  sealedFrom,
  sha256,
  verify,
  write,
} from "../../dev/provenance.js";

/** Returns a pack of version 0.2, which reaches a blob in a way that this version does not know. */
function addNewer({ root, hex }: Scene, version = "0.2"): { other: string; blob: string } {
  const blob = putObject(root, `only ${version} knows how to reach this`);
  const manifest = { ...manifestOf(root, hex), attachments: { list: [`sha256:${blob}`] }, version };
  const sorted = Object.fromEntries(Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1)));
  const other = putObject(root, JSON.stringify(sorted));
  fs.writeFileSync(join(root, "packs", other), sealedFrom(sorted, other));
  return { other, blob };
}

const commands = ["show", "cat", "fork", "diff", "replay", "export", "verify"];

describe("a pack that a newer ctx wrote", () => {
  it("a newer ctx's pack is refused with exit status 2 by every command that reads it, but for cat", async () => {
    const scene = await reportStore();
    const { other } = addNewer(scene);
    for (const command of commands.filter((name) => name !== "cat")) {
      const { status, stderr, stdout } = await cli([command, other], { folder: scene.folder });
      expect({ command, status }).toEqual({ command, status: 2 });
      // Lines are wrapped on a narrow screen.
      const said = (stderr + stdout).replaceAll(/\s+/g, " ");
      expect(said).toContain("written by a newer ctx");
      expect(said).not.toMatch(/ctx rm|damaged/);
    }
    const raw = await cli(["cat", other], { folder: scene.folder });
    expect(raw.status).toBe(0);
  });

  it("ctx log and doctor mark a newer ctx's pack as newer, not as damaged, and exit 0", async () => {
    const scene = await reportStore();
    const { other } = addNewer(scene);
    const { status, stdout, stderr } = await cli(["log", "--json"], { folder: scene.folder });
    expect(status).toBe(0);
    const entries = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { hash: string });
    expect(entries.find(({ hash }) => hash === `sha256:${other}`)).toMatchObject({
      damaged: false,
      newer: true,
      created: null,
    });
    expect(stderr).toContain("was written by a newer ctx");
    expect(stderr).not.toContain("damaged");
    for (const more of [[], ["--oneline"], ["--graph"]])
      expect((await cli(["log", ...more], { folder: scene.folder })).stdout).toMatch(
        /of a newer ctx|by a newer ctx/,
      );
    const doctor = await cli(["doctor"], { folder: scene.folder });
    expect(doctor.status).toBe(0);
    expect(doctor.stdout).toContain("1 written by a newer ctx");
  });

  it("ctx gc removes no object, and says why, while the store has a newer ctx's pack", async () => {
    const scene = await reportStore();
    const { other, blob } = addNewer(scene);
    // Nothing in the newer manifest names this one: a list in a blob does.
    const loose = putObject(scene.root, "only a list in another blob names this");
    const { status, stdout, stderr } = await cli(["gc", "--grace", "0d"], { folder: scene.folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("1 pack written by a newer ctx may need any object here, so nothing is removed");
    for (const hex of [blob, other, loose]) expect(fs.existsSync(objectIn(scene.root, hex))).toBe(true);
    const dry = await cli(["gc", "--grace", "0d", "--dry-run", "--json"], { folder: scene.folder });
    expect(JSON.parse(dry.stdout)).toMatchObject({ removed: [], newer: 1 });
    fs.rmSync(join(scene.root, "packs", other));
    await cli(["gc", "--grace", "0d"], { folder: scene.folder });
    expect(fs.existsSync(objectIn(scene.root, loose))).toBe(false);
  });

  it("ctx gc keeps the objects of a newer ctx's pack that only a tag names", async () => {
    const scene = await reportStore();
    const { other, blob } = addNewer(scene);
    write(scene.root, "refs/tags/later", `sha256:${other}\n`);
    fs.rmSync(join(scene.root, "packs", other));
    expect((await cli(["gc", "--grace", "0d"], { folder: scene.folder })).status).toBe(0);
    expect(fs.existsSync(objectIn(scene.root, blob))).toBe(true);
  });

  it("ctx verify --all exits 2 for a newer ctx's pack, and 1 for damage beside it", async () => {
    const scene = await reportStore();
    const { other } = addNewer(scene);
    const { status, target, answers } = await verify(scene.folder, "--all");
    expect({ status, result: target.result, faults: target.faults }).toEqual({
      status: 2,
      result: "unproven",
      faults: [],
    });
    expect(answers).toMatchObject({ objects: "yes", manifests: "not_checked" });
    expect(target.counts).toMatchObject({ newer: 1, unreached: 0 });
    expect(target.notes.join()).toContain(other);
    // Damage elsewhere is still damage.
    fs.rmSync(objectIn(scene.root, sha256("nothing")), { force: true });
    const system = (manifestOf(scene.root, scene.hex) as { system_prompt: string }).system_prompt;
    fs.rmSync(objectIn(scene.root, system.slice(7)));
    expect((await verify(scene.folder, "--all")).status).toBe(1);
  });

  it("ctx verify: a file whose sidecar names a newer ctx's pack is unproven", async () => {
    const scene = await reportStore();
    const { other } = addNewer(scene);
    write(
      scene.folder,
      "report.md.ctx.json",
      JSON.stringify({ context_pack: `sha256:${other}`, inputs: [], tools: [] }),
    );
    expect(await verify(scene.folder, "report.md")).toMatchObject({
      status: 2,
      target: { result: "unproven" },
    });
  });

  it("ctx verify: a pack with a version that never existed is damaged", async () => {
    for (const version of ["0.0", "next", "", "0.1.0"]) {
      const scene = await reportStore();
      const { other } = addNewer(scene, version);
      expect((await verify(scene.folder, other)).status).toBe(1);
    }
  });
});

describe("a store that a newer ctx wrote", () => {
  const all = [
    ["log"],
    ["verify", "--all"],
    ["gc", "--grace", "0d"],
    ["pack", "-"],
    ["show", "latest"],
    ["tag"],
    ["rm", "latest"],
    ["status"],
    ["fork", "latest"],
    ["init"],
  ];

  it.each([
    ["an extension", { version: "0.1", extensions: ["segments"] }],
    ["an extension among others", { version: "0.1", extensions: ["a", "b"] }],
    ["extensions in another shape", { version: "0.1", extensions: { segments: 1 } }],
    ["a version", { version: "0.2" }],
  ])("a newer ctx's store, with %s that is not known, is refused by every command", async (_name, config) => {
    const { folder, root } = await reportStore();
    write(root, "config.json", JSON.stringify(config));
    const before = fs.readdirSync(join(root, "objects")).sort();
    for (const command of all) {
      const { status, stderr } = await cli(command, { folder, input: "{}" });
      expect({ command, status }).toEqual({ command, status: 2 });
      expect(stderr).toContain("written by a newer ctx");
    }
    expect(fs.readdirSync(join(root, "objects")).sort()).toEqual(before);
    expect((await cli(["doctor"], { folder })).status).toBe(1);
  });

  it("a store with an empty list of extensions is used", async () => {
    const { folder, root } = await reportStore();
    write(root, "config.json", '{"version":"0.1","extensions":[]}');
    expect((await cli(["log"], { folder })).status).toBe(0);
  });
});
