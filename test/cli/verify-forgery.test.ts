// Every way that we could think of to make `ctx verify` say yes to a file that no intact pack has among its
// outputs, or to a record that was tampered with. Each one must be answered with anything but 0.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeCatalog } from "../../src/store/catalog-file.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import type { AnyLog } from "../../dev/logs.js";
import {
  editSidecar,
  manifestOf,
  objectIn,
  overwrite,
  packed,
  putObject,
  reportLog,
  reportStore,
  reportText,
  type Scene,
  sealedFrom,
  sha256,
  verify,
  without,
  write,
} from "../../dev/provenance.js";

const forged = "# Findings\n\nIt was not our fault.\n";

/** Returns the manifest of the report's pack, with the forged text for its output. */
function forgedManifest({ root, hex }: Scene): AnyLog {
  const manifest = manifestOf(root, hex);
  const [output] = manifest["outputs"] as AnyLog[];
  putObject(root, forged);
  return { ...manifest, outputs: [{ ...output, content_ref: `sha256:${sha256(forged)}` }] };
}

/**
 * Puts the forged text into report.md, and a sidecar beside it that names this pack and is correct
 * otherwise.
 */
function forgeFile({ folder }: Scene, pack?: string): void {
  write(folder, "report.md", forged);
  if (pack !== undefined) editSidecar(folder, (sidecar) => ({ ...sidecar, context_pack: `sha256:${pack}` }));
}

/** Puts bytes under their own hash, and something into packs/ under that name. */
function forgePack({ root }: Scene, bytes: string, entry: (hex: string) => string): string {
  const hex = putObject(root, bytes);
  fs.writeFileSync(join(root, "packs", hex), entry(hex));
  return hex;
}

function dropSidecar({ folder }: Scene): void {
  fs.rmSync(join(folder, "report.md.ctx.json"));
}

/**
 * A catalog that says what it likes, and that looks as if it had been written after packs/ was last changed.
 */
function forgeCatalog({ root }: Scene, packs: { hex: string; content: string }[]): void {
  const { mtimeNs, ctimeNs } = fs.statSync(join(root, "packs"), { bigint: true });
  const entries = packs.map(({ hex, content }) => ({
    hex,
    signature: "",
    content: {
      created: "2026-02-10T12:00:00Z",
      model: "m",
      steps: 0,
      tools: [],
      prompts: 0,
      failed: 0,
      subruns: 0,
    },
    contents: [{ hex: sha256(content), role: "output" as const }],
  }));
  const path = join(root, "cache/catalog");
  fs.mkdirSync(join(root, "cache"), { recursive: true });
  fs.writeFileSync(path, encodeCatalog(entries, { mtimeNs, ctimeNs }));
  const later = Date.now() / 1000 + 100;
  fs.utimesSync(path, later, later);
}

/** What is done, and the exit status that it must lead to. */
const ways: [string, 1 | 2, (scene: Scene) => void | Promise<void>][] = [
  ["the file is replaced, and the sidecar left as it was", 1, (scene) => forgeFile(scene)],
  ["one byte is added to the file", 1, ({ folder }) => void write(folder, "report.md", `${reportText}\n`)],
  [
    "the file is replaced, and the sidecar removed",
    2,
    (scene) => {
      forgeFile(scene);
      dropSidecar(scene);
    },
  ],
  [
    "the sidecar is that of another store, where its pack still is",
    2,
    async (scene) => {
      const other = await reportStore({ outputs: [{ name: "report.md", content: forged }] });
      forgeFile(scene);
      write(other.folder, "report.md", forged);
      await cli(["verify", "--write-sidecar", "report.md"], { folder: other.folder });
      fs.copyFileSync(join(other.folder, "report.md.ctx.json"), join(scene.folder, "report.md.ctx.json"));
    },
  ],
  [
    "the sidecar names the file itself",
    2,
    (scene) => {
      putObject(scene.root, forged);
      forgeFile(scene, sha256(forged));
    },
  ],
  [
    "the sidecar names a pack that has the file as an input only",
    1,
    async (scene) => {
      const pack = await packed(
        scene.folder,
        reportLog({ inputs: [{ name: "report.md", content: forged }] }),
      );
      forgeFile(scene, pack);
      editSidecar(scene.folder, (sidecar) => ({ ...sidecar, inputs: [`sha256:${sha256(forged)}`] }));
    },
  ],
  [
    "the sidecar names a pack in which a step returned the file",
    1,
    async (scene) => {
      const steps = [{ type: "tool_call", tool: "read_file", output: forged }];
      forgeFile(scene, await packed(scene.folder, reportLog({ steps })));
    },
  ],
  [
    "a step writes the file, but it is no output",
    2,
    async (scene) => {
      const steps = [
        { type: "tool_call", tool: "write_file", parameters: { path: "report.md", content: forged } },
      ];
      await packed(scene.folder, reportLog({ steps }));
      dropSidecar(scene);
      forgeFile(scene);
    },
  ],
  [
    "the pack's manifest is replaced by one that has the file, under the old name",
    1,
    (scene) => {
      overwrite(objectIn(scene.root, scene.hex), JSON.stringify(forgedManifest(scene)));
      forgeFile(scene);
    },
  ],
  [
    "the pack's manifest and its copy in packs/ are replaced by ones that have the file",
    1,
    (scene) => {
      const manifest = forgedManifest(scene);
      overwrite(objectIn(scene.root, scene.hex), JSON.stringify(manifest));
      overwrite(join(scene.root, "packs", scene.hex), sealedFrom(manifest, scene.hex));
      forgeFile(scene);
    },
  ],
  [
    "only the copy in packs/ has the file",
    1,
    (scene) => {
      overwrite(join(scene.root, "packs", scene.hex), sealedFrom(forgedManifest(scene), scene.hex));
      forgeFile(scene);
    },
  ],
  [
    "only the copy in packs/ is changed, and the file is true",
    1,
    (scene) => overwrite(join(scene.root, "packs", scene.hex), sealedFrom(forgedManifest(scene), scene.hex)),
  ],
  [
    "the copy in packs/ has a line feed at its end",
    1,
    ({ root, hex }) => {
      const path = join(root, "packs", hex);
      overwrite(path, `${fs.readFileSync(path, "utf8")}\n`);
    },
  ],
  ["the copy in packs/ is empty", 1, ({ root, hex }) => overwrite(join(root, "packs", hex), "")],
  [
    "the copy in packs/ is the one line of the Go implementation, but with another name",
    1,
    ({ root, hex }) => overwrite(join(root, "packs", hex), `sha256:${"1".repeat(64)}`),
  ],
  [
    "the object of the output is replaced by the file",
    1,
    (scene) => {
      overwrite(objectIn(scene.root, sha256(reportText)), forged);
      forgeFile(scene);
    },
  ],
  [
    "a manifest that is not canonical has the file, under its own hash",
    1,
    (scene) => {
      const { version, ...rest } = forgedManifest(scene);
      forgeFile(
        scene,
        forgePack(scene, JSON.stringify({ version, ...rest }), (hex) =>
          sealedFrom({ version, ...rest }, hex),
        ),
      );
    },
  ],
  [
    "a manifest with whitespace has the file",
    1,
    (scene) => {
      const bytes = JSON.stringify(forgedManifest(scene), null, 1);
      forgeFile(
        scene,
        forgePack(scene, bytes, () => bytes),
      );
    },
  ],
  [
    "a manifest with a line feed at its end has the file",
    1,
    (scene) => {
      const manifest = forgedManifest(scene);
      forgeFile(
        scene,
        forgePack(scene, `${JSON.stringify(manifest)}\n`, (hex) => sealedFrom(manifest, hex)),
      );
    },
  ],
  [
    "a manifest with a needless escape has the file",
    1,
    (scene) => {
      const manifest = forgedManifest(scene);
      const bytes = JSON.stringify(manifest).replace('"version"', '"versi\\u006fn"');
      forgeFile(
        scene,
        forgePack(scene, bytes, (hex) => sealedFrom(manifest, hex)),
      );
    },
  ],
  [
    "a manifest with two lists of outputs has the file",
    1,
    (scene) => {
      const manifest = forgedManifest(scene);
      const bytes = JSON.stringify(manifest).replace('"outputs":', '"outputs":[],"outputs":');
      forgeFile(
        scene,
        forgePack(scene, bytes, (hex) => sealedFrom(manifest, hex)),
      );
    },
  ],
  [
    "a manifest of a newer version, which this ctx cannot check, has the file",
    2,
    (scene) => {
      const manifest = { ...forgedManifest(scene), version: "0.2" };
      forgeFile(
        scene,
        forgePack(scene, JSON.stringify(manifest), (hex) => sealedFrom(manifest, hex)),
      );
    },
  ],
  [
    "a manifest that already holds a hash has the file",
    1,
    (scene) => {
      const manifest = { ...forgedManifest(scene), hash: `sha256:${scene.hex}` };
      forgeFile(
        scene,
        forgePack(scene, JSON.stringify(manifest), (hex) => sealedFrom(manifest, hex)),
      );
    },
  ],
  [
    "a manifest that is not sealed has the file",
    1,
    (scene) => {
      const bytes = JSON.stringify(forgedManifest(scene));
      forgeFile(
        scene,
        forgePack(scene, bytes, () => bytes),
      );
    },
  ],
  [
    "a valid manifest is no pack, since it has no entry in packs/",
    2,
    (scene) => forgeFile(scene, putObject(scene.root, JSON.stringify(forgedManifest(scene)))),
  ],
  [
    "the sidecar names a manifest that a step returned",
    2,
    async (scene) => {
      const output = JSON.stringify(forgedManifest(scene));
      await packed(scene.folder, reportLog({ steps: [{ type: "tool_call", tool: "fetch", output }] }));
      forgeFile(scene, sha256(output));
    },
  ],
  [
    "the sidecar names a manifest that is itself an output",
    2,
    async (scene) => {
      const content = JSON.stringify(forgedManifest(scene));
      await packed(scene.folder, reportLog({ outputs: [{ name: "x", content }] }));
      forgeFile(scene, sha256(content));
    },
  ],
  [
    "the file itself is stored as a pack of the Go implementation",
    1,
    (scene) =>
      forgeFile(
        scene,
        forgePack(scene, forged, (hex) => `sha256:${hex}\n`),
      ),
  ],
  [
    "a folder is in the place of the pack",
    1,
    (scene) => {
      const hex = putObject(scene.root, JSON.stringify(forgedManifest(scene)));
      fs.mkdirSync(join(scene.root, "packs", hex));
      forgeFile(scene, hex);
    },
  ],
  [
    "a link to a good copy is in the place of the pack",
    1,
    (scene) => {
      const path = join(scene.root, "packs", scene.hex);
      fs.renameSync(path, join(scene.folder, "copy"));
      fs.symlinkSync(join(scene.folder, "copy"), path);
    },
  ],
  [
    "a link to a good copy is in the place of the manifest",
    1,
    (scene) => {
      const path = objectIn(scene.root, scene.hex);
      fs.renameSync(path, join(scene.folder, "copy"));
      fs.symlinkSync(join(scene.folder, "copy"), path);
    },
  ],
  [
    "the catalog says that the pack has the file",
    2,
    (scene) => {
      dropSidecar(scene);
      forgeFile(scene);
      putObject(scene.root, forged);
      forgeCatalog(scene, [{ hex: scene.hex, content: forged }]);
    },
  ],
  [
    "the catalog says that a missing pack has the file",
    2,
    (scene) => {
      dropSidecar(scene);
      forgeFile(scene);
      putObject(scene.root, forged);
      forgeCatalog(scene, [{ hex: "1".repeat(64), content: forged }]);
    },
  ],
  [
    "the catalog says that a blob is a pack, and has the file",
    2,
    (scene) => {
      dropSidecar(scene);
      forgeFile(scene);
      forgeCatalog(scene, [
        { hex: putObject(scene.root, JSON.stringify(forgedManifest(scene))), content: forged },
      ]);
    },
  ],
  [
    "the file is a link to a true one",
    2,
    ({ folder }) => {
      fs.renameSync(join(folder, "report.md"), join(folder, "true.md"));
      fs.symlinkSync("true.md", join(folder, "report.md"));
    },
  ],
  [
    "the file is gone, and a tag has its name",
    2,
    async ({ folder, hex }) => {
      await cli(["tag", "report.md", hex], { folder });
      fs.rmSync(join(folder, "report.md"));
    },
  ],
  [
    "the recorded bytes are gone from the store",
    1,
    ({ root }) => fs.rmSync(objectIn(root, sha256(reportText))),
  ],
  [
    "another content of the run is gone",
    1,
    ({ root }) => fs.rmSync(objectIn(root, sha256("You are terse."))),
  ],
  [
    "another content of the run was changed",
    1,
    ({ root }) => overwrite(objectIn(root, sha256("one\ntwo\n")), "one\ntwo\n\n"),
  ],
  [
    "the sidecar names more tools than the run used",
    1,
    ({ folder }) =>
      editSidecar(folder, (sidecar) => ({ ...sidecar, tools: [...(sidecar["tools"] as string[]), "audit"] })),
  ],
  [
    "the sidecar is more confident than the pack",
    1,
    async (scene) => {
      const outputs = [{ name: "report.md", content: reportText, confidence: "low" }];
      const pack = await packed(scene.folder, reportLog({ outputs }));
      editSidecar(scene.folder, (sidecar) => ({
        ...without(sidecar, "notes"),
        context_pack: `sha256:${pack}`,
      }));
    },
  ],
  [
    "the sidecar names two packs, a true one last",
    1,
    ({ folder }) => {
      const path = join(folder, "report.md.ctx.json");
      const text = fs.readFileSync(path, "utf8");
      write(folder, "report.md.ctx.json", text.replace("{", `{"context_pack":"sha256:${"1".repeat(64)}",`));
    },
  ],
];

describe("forgeries that ctx verify must not accept", () => {
  it.each(ways)("ctx verify does not accept this forgery: %s", async (_, expected, forge) => {
    const scene = await reportStore();
    expect((await verify(scene.folder, "--file", "report.md")).status).toBe(0);
    await forge(scene);
    const { status, target, answers } = await verify(scene.folder, "--file", "report.md");
    expect({ status, result: target.result }).not.toMatchObject({ result: "verified" });
    expect(status).toBe(expected);
    expect(Object.values(answers).some((answer) => answer !== "yes")).toBe(true);
    // The words say the same as the status.
    const words = await cli(["verify", "--file", "report.md"], { folder: scene.folder });
    expect(words.status).toBe(expected);
    expect(words.stdout.split("\n")[0]).not.toContain("verified");
    expect(words.stdout).not.toContain("This does not prove");
    // And one good target beside it does not make it good.
    expect((await verify(scene.folder, "--file", "report.md", "report.md.ctx.json")).status).toBeGreaterThan(
      0,
    );
  });

  it("ctx verify: a pack whose time has 300,000 digits is damaged, and hangs no command", async () => {
    const scene = await reportStore();
    const manifest = manifestOf(scene.root, scene.hex);
    const created = `2026-01-01T00:00:00.${"0".repeat(300_000)}10Z`;
    const hex = forgePack(scene, JSON.stringify({ ...manifest, created }), () => "");
    expect((await verify(scene.folder, "--pack", hex)).status).toBe(1);
    expect((await cli(["show", hex], { folder: scene.folder })).status).toBeGreaterThan(0);
    expect((await cli(["log"], { folder: scene.folder })).stderr).toContain(hex.slice(0, 12));
  });

  it("ctx verify: a blob that looks like a manifest is no pack under any name", async () => {
    const scene = await reportStore();
    const output = JSON.stringify(forgedManifest(scene));
    const hex = sha256(output);
    await packed(scene.folder, reportLog({ steps: [{ type: "tool_call", tool: "fetch", output }] }));
    for (const name of [hex, `ctx://${hex}`, `sha256:${hex}`, hex.slice(0, 12)])
      expect((await verify(scene.folder, "--pack", name)).status, name).toBe(2);
    await cli(["tag", "it", hex], { folder: scene.folder });
    write(scene.root, "refs/tags/it", `sha256:${hex}\n`);
    expect((await verify(scene.folder, "--pack", "it")).status).toBe(2);
    // A tag that names no pack is a fault of the store.
    expect((await verify(scene.folder)).status).toBe(1);
    forgeFile(scene);
    dropSidecar(scene);
    expect((await verify(scene.folder, "report.md")).status).toBe(2);
  });

  it.each<[string, (path: string) => void]>([
    ["a FIFO", (path) => void spawnSync("mkfifo", [path])],
    ["a device that reads as empty", (path) => void spawnSync("mknod", [path, "c", "1", "3"])],
    ["a folder", (path) => fs.mkdirSync(path)],
    ["a link to an empty file", (path) => fs.symlinkSync("/dev/null", path)],
  ])("ctx verify: %s in place of the empty content is damage", async (_, put) => {
    const scene = await reportStore({ prompts: [{ role: "user", content: "" }] });
    const path = objectIn(scene.root, sha256(""));
    fs.rmSync(path);
    put(path);
    if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    expect(
      await Promise.all([["report.md"], [scene.hex], []].map((args) => verify(scene.folder, ...args))),
    ).toMatchObject([
      { status: 1, target: { result: "damaged" } },
      { status: 1, target: { result: "damaged" } },
      { status: 1, target: { result: "damaged" } },
    ]);
  });

  it("ctx verify: a FIFO that is fed the right bytes is damage", async () => {
    const scene = await reportStore();
    const bytes = Buffer.from("one\ntwo\n");
    const path = objectIn(scene.root, sha256(bytes));
    fs.rmSync(path);
    spawnSync("mkfifo", [path]);
    const feeder = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    try {
      for (const args of [["report.md"], [scene.hex], []]) {
        fs.writeSync(feeder, bytes);
        expect((await verify(scene.folder, ...args)).status, args.join()).toBe(1);
      }
    } finally {
      fs.closeSync(feeder);
    }
  });

  it("ctx verify: a folder of objects that is a link is damage", async () => {
    const scene = await reportStore();
    const shelf = join(scene.root, "objects", scene.hex.slice(0, 2));
    const away = tempFolder();
    fs.cpSync(shelf, away, { recursive: true });
    fs.rmSync(shelf, { recursive: true });
    fs.symlinkSync(away, shelf);
    expect((await verify(scene.folder)).status).toBe(1);
  });

  it("ctx verify: a manifest whose object is missing, but not its copy in packs/, is damage", async () => {
    const scene = await reportStore();
    fs.rmSync(objectIn(scene.root, scene.hex));
    for (const args of [["report.md"], [scene.hex], []]) {
      const { status, target } = await verify(scene.folder, ...args);
      expect(status).toBe(1);
      expect(target.faults.map(({ about }) => about)).toEqual([`ctx://${scene.hex}`]);
    }
  });

  it("ctx verify --sample never says that a store is verified if it misses the damage", async () => {
    const scene = await reportStore({
      steps: Array.from({ length: 200 }, (_, at) => ({ type: "reasoning", output: `thought ${at}` })),
    });
    overwrite(objectIn(scene.root, sha256("thought 7")), "thought 8");
    for (let round = 0; round < 5; round++) {
      const { target, answers } = await verify(scene.folder, "--sample", "1%");
      expect(target.result).not.toBe("verified");
      expect(answers["objects"]).not.toBe("yes");
    }
  });
});
