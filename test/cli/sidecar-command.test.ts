// `ctx verify --write-sidecar`: writes what a pack backs, and nothing else.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SidecarResult } from "../../src/results/results.js";
import type { VerifyResult } from "../../src/results/verify.js";
import { cli } from "../../dev/cli.js";
import { snapshot, tempFolder } from "../../dev/folders.js";
import type { AnyLog } from "../../dev/logs.js";
import {
  editSidecar,
  objectIn,
  overwrite,
  packed,
  reportLog,
  reportStore,
  reportText,
  sha256,
  verify,
  write,
} from "../../dev/provenance.js";
import { compile, readSchema } from "../../dev/schemas.js";

async function sidecar(folder: string, ...args: string[]): Promise<SidecarResult> {
  const { status, stdout, stderr } = await cli(["verify", "--write-sidecar", "--json", ...args], { folder });
  expect(status, stderr).toBe(0);
  const result = JSON.parse(stdout) as VerifyResult;
  expect(compile(readSchema("verify-result"))(result)).toBe(true);
  expect(result).toMatchObject({ exit: 0, targets: [{ result: "verified" }] });
  // The answer is about the sidecar that was written, not about the one before it.
  expect(result.targets[0]?.claims).toContainEqual(
    expect.objectContaining({ claim: "sidecar", answer: "yes" }),
  );
  return result.targets[0]?.written as SidecarResult;
}

function contentOf(folder: string, name = "report.md"): AnyLog {
  const content = JSON.parse(fs.readFileSync(join(folder, `${name}.ctx.json`), "utf8")) as AnyLog;
  expect(compile(readSchema("sidecar"))(content)).toBe(true);
  return content;
}

/** A log whose output has no remarks. */
const plain = { outputs: [{ name: "report.md", content: reportText }] };

/** Every file but those of the cache. */
function filesIn(folder: string): string[] {
  return [...snapshot(folder)].filter(([path]) => !path.includes("/.ctx/cache")).map(String);
}

/**
 * Checks that no sidecar is written, for a reason that the claim about the file does not state; returns the
 * error.
 */
async function refused(folder: string, ...args: string[]): Promise<string> {
  const before = filesIn(folder);
  const { status, stdout, stderr } = await cli(["verify", "--write-sidecar", ...args], { folder });
  expect(status, stdout).toBe(2);
  expect(stdout).not.toMatch(/^ +(?:wrote|kept) /m);
  expect(stderr).toMatch(/^error: /);
  expect(filesIn(folder)).toEqual(before);
  return stderr;
}

/** Checks that no sidecar is written because the file is not verified; returns the stated reason. */
async function unwritten(folder: string, status: 1 | 2, ...args: string[]): Promise<string> {
  const before = filesIn(folder);
  const { stdout, stderr, ...ended } = await cli(["verify", "--write-sidecar", "--json", ...args], {
    folder,
  });
  expect({ status: ended.status, stderr }, stdout).toEqual({ status, stderr: "" });
  expect(filesIn(folder)).toEqual(before);
  const result = JSON.parse(stdout) as VerifyResult;
  expect(result.exit).toBe(status);
  const [target] = result.targets;
  expect(target).not.toHaveProperty("written");
  expect(target?.result).not.toBe("verified");
  return target?.notes.find((note) => note.startsWith("no sidecar was written: ")) ?? "";
}

describe("ctx verify --write-sidecar", () => {
  it("ctx verify --write-sidecar writes the sidecar that pack would have written, and verify accepts it", async () => {
    const { folder, hex } = await reportStore();
    const first = fs.readFileSync(join(folder, "report.md.ctx.json"), "utf8");
    fs.rmSync(join(folder, "report.md.ctx.json"));
    expect(await sidecar(folder, "report.md")).toEqual({
      sidecar: "report.md.ctx.json",
      pack: `sha256:${hex}`,
      output: "report.md",
      changed: true,
    });
    expect(fs.readFileSync(join(folder, "report.md.ctx.json"), "utf8")).toBe(first);
    expect((await verify(folder, "report.md")).status).toBe(0);
    expect(await sidecar(folder, "report.md")).toMatchObject({ changed: false });
    const kept = await cli(["verify", "--write-sidecar", "report.md"], { folder });
    expect(kept.stdout).toContain(`\n  kept report.md.ctx.json, which points to ctx://${hex.slice(0, 12)}\n`);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const wrote = await cli(["verify", "--write-sidecar", "report.md"], { folder });
    expect(wrote.stdout).toContain(
      `\n  wrote report.md.ctx.json, which points to ctx://${hex.slice(0, 12)}\n`,
    );
    expect(fs.statSync(join(folder, "report.md.ctx.json")).mode & 0o777).toBe(0o644);
  });

  it("ctx verify --write-sidecar writes beside a file of another name, in another folder, or behind a link to a folder", async () => {
    const { folder, hex } = await reportStore();
    write(folder, "deep/down/copy.txt", reportText);
    fs.symlinkSync("deep", join(folder, "shallow"));
    expect(await sidecar(folder, "deep/down/copy.txt")).toMatchObject({ output: "report.md" });
    expect(contentOf(folder, "deep/down/copy.txt")["context_pack"]).toBe(`sha256:${hex}`);
    fs.rmSync(join(folder, "deep/down/copy.txt.ctx.json"));
    expect((await sidecar(folder, "shallow/down/copy.txt")).sidecar).toBe("deep/down/copy.txt.ctx.json");
    expect((await verify(folder, "shallow/down/copy.txt")).answers["sidecar"]).toBe("yes");
    const { status } = await cli(["verify", "--write-sidecar", "copy.txt"], {
      folder: join(folder, "deep/down"),
    });
    expect(status).toBe(0);
  });

  it("ctx verify --write-sidecar names the newest pack with these bytes, or that of --from", async () => {
    const { folder, hex } = await reportStore();
    const newer = await packed(folder, reportLog({ created: "2026-03-01T00:00:00Z" }), "--no-sidecars");
    fs.rmSync(join(folder, "report.md.ctx.json"));
    expect((await sidecar(folder, "report.md")).pack).toBe(`sha256:${newer}`);
    for (const name of [hex, `ctx://${hex}`, hex.slice(0, 10), "latest~0"]) {
      const expected = name === "latest~0" ? newer : hex;
      expect((await sidecar(folder, "report.md", "--from", name)).pack).toBe(`sha256:${expected}`);
    }
  });

  it("ctx verify --write-sidecar adds remarks where the pack has none, and keeps what was added before", async () => {
    const { folder } = await reportStore(plain);
    await sidecar(folder, "report.md", "--confidence", "low", "--notes", "by hand: \u001b[1mbold");
    expect(contentOf(folder)).toMatchObject({ confidence: "low", notes: "by hand: \u001b[1mbold" });
    expect((await verify(folder, "report.md")).answers).toMatchObject({
      sidecar: "yes",
      remarks: "not_checked",
    });
    await sidecar(folder, "report.md", "--confidence", "medium");
    expect(contentOf(folder)).toMatchObject({ confidence: "medium", notes: "by hand: \u001b[1mbold" });
    expect(await sidecar(folder, "report.md")).toMatchObject({ changed: false });
    // What was said of another pack says nothing of this one.
    const newer = await packed(
      folder,
      reportLog({ ...plain, created: "2026-03-01T00:00:00Z" }),
      "--no-sidecars",
    );
    await sidecar(folder, "report.md", "--from", newer);
    expect(contentOf(folder)).not.toHaveProperty("notes");
  });

  it("ctx verify --write-sidecar refuses remarks that contradict the pack, and accepts those that it has", async () => {
    const { folder } = await reportStore();
    expect(await refused(folder, "report.md", "--confidence", "low")).toContain('its confidence is "high"');
    expect(await refused(folder, "report.md", "--notes", "mine")).toContain("its notes");
    expect(
      await sidecar(folder, "report.md", "--confidence", "high", "--notes", "looked at twice"),
    ).toMatchObject({
      changed: false,
    });
  });

  it("ctx verify --write-sidecar replaces a forged sidecar", async () => {
    const { folder } = await reportStore();
    for (const change of [
      (old: AnyLog): AnyLog => ({ ...old, confidence: "low" }),
      (old: AnyLog): AnyLog => ({ ...old, tools: [] }),
      (old: AnyLog): AnyLog => ({ ...old, context_pack: `sha256:${"1".repeat(64)}`, notes: "mine" }),
    ]) {
      editSidecar(folder, change);
      expect((await verify(folder, "report.md")).status).toBeGreaterThan(0);
      expect((await sidecar(folder, "report.md")).changed).toBe(true);
      expect((await verify(folder, "report.md")).status).toBe(0);
    }
  });

  it("ctx verify --write-sidecar replaces no sidecar of a file that is modified", async () => {
    const { folder, hex } = await reportStore();
    write(folder, "report.md", `${reportText}more`);
    expect(await unwritten(folder, 1, "report.md")).toContain(
      "no pack in this store has an output with the bytes",
    );
    expect(await unwritten(folder, 1, "report.md", "--from", hex)).toContain("has no output with the bytes");
    // Once a run backs what the file has become, its sidecar is only out of date.
    const outputs = [{ name: "report.md", content: `${reportText}more` }];
    const later = await packed(folder, reportLog({ outputs }), "--no-sidecars");
    expect((await verify(folder, "report.md")).status).toBe(1);
    expect(await sidecar(folder, "report.md")).toMatchObject({ pack: `sha256:${later}`, changed: true });
  });

  it("ctx verify --write-sidecar writes for each file that is verified, and for no other target", async () => {
    const { folder, hex } = await reportStore();
    fs.rmSync(join(folder, "report.md.ctx.json"));
    write(folder, "unknown", "unknown");
    const both = await cli(["verify", "--write-sidecar", "unknown", "report.md", "--json"], { folder });
    expect([both.status, both.stderr]).toEqual([2, ""]);
    expect(JSON.parse(both.stdout)).toMatchObject({
      exit: 2,
      targets: [{ result: "unproven" }, { result: "verified", written: { changed: true } }],
    });
    expect(fs.existsSync(join(folder, "unknown.ctx.json"))).toBe(false);
    expect(await refused(folder, hex)).toContain("is a pack, but only files have sidecars");
  });

  it("ctx verify --write-sidecar --from and without it, takes an intact pack where the newest is damaged", async () => {
    const { folder, root, hex } = await reportStore();
    const newer = await packed(folder, reportLog({ created: "2026-03-01T00:00:00Z" }), "--no-sidecars");
    fs.rmSync(join(folder, "report.md.ctx.json"));
    overwrite(objectIn(root, newer), "{");
    expect((await sidecar(folder, "report.md")).pack).toBe(`sha256:${hex}`);
    expect((await sidecar(folder, "report.md", "--from", hex)).pack).toBe(`sha256:${hex}`);
  });

  it("ctx verify --write-sidecar refuses a file that no pack backs", async () => {
    const { folder, hex } = await reportStore();
    const other = await packed(
      folder,
      reportLog({ outputs: [{ name: "x", content: "x" }] }),
      "--no-sidecars",
    );
    write(folder, "unknown", "unknown");
    write(folder, "input", "one\ntwo\n");
    write(folder, "step", "as a step gave it\n");
    for (const name of ["unknown", "input", "step"]) {
      expect(await unwritten(folder, 2, name)).toContain(
        "no pack in this store has an output with the bytes",
      );
      expect(await unwritten(folder, 2, name, "--from", hex)).toContain("has no output with the bytes");
    }
    expect(await refused(folder, "report.md", "--from", other)).toContain("has no output with the bytes");
    expect(await refused(folder, "report.md", "--from", "1".repeat(64))).toContain("no pack");
    expect(await refused(folder, "report.md", "--from", sha256(reportText))).toContain("blob");
    const { status, stdout, stderr } = await cli(
      ["verify", "--write-sidecar", "report.md", "--from", other, "--json"],
      { folder },
    );
    expect([status, JSON.parse(stdout)]).toMatchObject([2, { exit: 2, targets: [{ result: "verified" }] }]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "not-backed" } });
  });

  it("ctx verify --write-sidecar refuses what is no file, is outside the store's folder, or is inside the store", async () => {
    const { folder, root } = await reportStore();
    const outside = tempFolder();
    write(outside, "report.md", reportText);
    fs.symlinkSync(join(folder, "report.md"), join(folder, "link"));
    fs.symlinkSync(outside, join(folder, "away"));
    fs.mkdirSync(join(folder, "sub"));
    spawnSync("mkfifo", [join(folder, "fifo")]);
    for (const name of ["link", "sub", "fifo", "missing", "/dev/null"])
      expect(await unwritten(folder, 2, "--file", name)).not.toBe("");
    for (const name of [join(outside, "report.md"), "away/report.md"])
      expect(await refused(folder, name)).toContain("is outside");
    expect(fs.readdirSync(outside)).toEqual(["report.md"]);
    await refused(folder, objectIn(root, sha256(reportText)));
    write(root, "copy", reportText);
    await refused(folder, ".ctx/copy");
  });

  it.each<[string, (path: string, outside: string) => void]>([
    ["a link", (path, outside) => fs.symlinkSync(join(outside, "target"), path)],
    ["a link to nowhere", (path, outside) => fs.symlinkSync(join(outside, "none"), path)],
    ["a folder", (path) => fs.mkdirSync(path)],
    ["a FIFO", (path) => void spawnSync("mkfifo", [path])],
    ["a file of the user", (path) => fs.writeFileSync(path, "my own notes")],
    [
      "a file of 2 GB",
      (path) => {
        fs.writeFileSync(path, "");
        fs.truncateSync(path, 2 * 2 ** 30);
      },
    ],
  ])("ctx verify --write-sidecar leaves %s alone that is in the sidecar's place", async (_, put) => {
    const { folder } = await reportStore();
    const path = join(folder, "report.md.ctx.json");
    const outside = tempFolder();
    fs.writeFileSync(join(outside, "target"), "mine");
    fs.rmSync(path);
    put(path, outside);
    const before = fs.lstatSync(path);
    const { status, stdout } = await cli(["verify", "--write-sidecar", "report.md"], { folder });
    expect(status).toBe(1);
    expect(stdout).toContain("no sidecar was written: report.md.ctx.json is in the way");
    const { ino, size, mtimeMs } = fs.lstatSync(path);
    expect({ ino, size, mtimeMs }).toEqual({ ino: before.ino, size: before.size, mtimeMs: before.mtimeMs });
    expect(fs.readFileSync(join(outside, "target"), "utf8")).toBe("mine");
  });

  it("ctx verify --write-sidecar refuses options without a usable value", async () => {
    const { folder } = await reportStore(plain);
    for (const args of [
      ["--confidence", "certain"],
      ["--confidence", ""],
      ["--notes", ""],
      ["--from", ""],
    ])
      expect(await refused(folder, "report.md", ...args)).toMatch(/^error: /);
    expect(await refused(folder)).toContain("file");
    for (const conflict of ["--pack", "--all", "--replay"])
      expect(await refused(folder, "report.md", conflict)).toContain(conflict);
    for (const option of ["--from", "--confidence", "--notes"])
      expect((await cli(["verify", "report.md", option, "low"], { folder })).stderr).toContain(
        "--write-sidecar",
      );
  });

  it("ctx verify --write-sidecar refuses a damaged pack, and says so", async () => {
    const { folder, root, hex } = await reportStore();
    fs.rmSync(join(folder, "report.md.ctx.json"));
    overwrite(objectIn(root, hex), "{");
    const why = "no sidecar was written: ";
    expect(await unwritten(folder, 2, "report.md", "--from", hex)).toMatch(why);
    expect(await unwritten(folder, 2, "report.md")).toMatch(why);
  });

  it("ctx verify --write-sidecar refuses a file whose name is too long for a sidecar", async () => {
    const { folder } = await reportStore();
    const name = "n".repeat(250);
    write(folder, name, reportText);
    expect(await refused(folder, name)).toMatch(/too long/);
  });

  it("ctx verify --write-sidecar leaves nothing behind in the store", async () => {
    const { folder, root } = await reportStore(plain);
    await sidecar(folder, "report.md", "--notes", "x");
    expect(fs.readdirSync(join(root, "tmp"))).toEqual([]);
    expect(fs.readdirSync(join(root, "locks"))).toEqual([]);
    expect(fs.readdirSync(folder).sort()).toEqual([".ctx", "report.md", "report.md.ctx.json"]);
  });
});
