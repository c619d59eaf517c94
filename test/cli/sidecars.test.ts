import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

interface Packed {
  uri: string;
  hash: string;
  sidecars: string[];
  outputs_absent: string[];
  notices: string[];
}

async function packOutputs(folder: string, outputs: unknown[], ...more: string[]): Promise<Packed> {
  const log = smallLog({
    inputs: [
      { name: "a", content: "same" },
      { name: "b", content: "same" },
    ],
    steps: [
      { type: "tool_call", tool: "write" },
      { type: "tool_call", tool: "read" },
      { type: "tool_call", tool: "write" },
    ],
    outputs,
  });
  const result = await cli(["pack", "-", "--json", ...more], { folder, input: json(log) });
  expect(result.status, result.stderr).toBe(0);
  return JSON.parse(result.stdout) as Packed;
}

describe("sidecars that ctx pack writes", () => {
  it("ctx pack writes sidecars beside outputs that are on disk with the recorded content", async () => {
    const { folder } = tempStore();
    fs.mkdirSync(join(folder, "out"));
    fs.writeFileSync(join(folder, "out/report.md"), "done\n");
    fs.writeFileSync(join(folder, "changed"), "something else");
    const result = await packOutputs(folder, [
      { name: "out/report.md", content: "done\n", confidence: "low", notes: "given twice" },
      { name: "changed", content: "recorded" },
      { name: "absent", content: "x" },
    ]);
    expect(result.sidecars).toEqual(["out/report.md.ctx.json"]);
    expect(result.outputs_absent).toEqual(["changed", "absent"]);
    expect(JSON.parse(fs.readFileSync(join(folder, "out/report.md.ctx.json"), "utf8"))).toEqual({
      context_pack: result.hash,
      inputs: [expect.stringMatching(/^sha256:/)],
      tools: ["write", "read"],
      confidence: "low",
      notes: "given twice",
    });
    const before = snapshot(folder);
    expect(
      (
        await packOutputs(folder, [
          { name: "out/report.md", content: "done\n", confidence: "low", notes: "given twice" },
          { name: "changed", content: "recorded" },
          { name: "absent", content: "x" },
        ])
      ).sidecars,
    ).toEqual(["out/report.md.ctx.json"]);
    expect(snapshot(folder)).toEqual(before);
  });

  it("ctx pack writes a sidecar beside the file that the content came from", async () => {
    const { folder } = tempStore();
    fs.mkdirSync(join(folder, "build"));
    fs.writeFileSync(join(folder, "build/x"), "made");
    const result = await packOutputs(folder, [{ name: "x", content_file: "build/x" }]);
    expect(result.sidecars).toEqual(["build/x.ctx.json"]);
  });

  it("ctx pack --no-sidecars writes no sidecars", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "x"), "1");
    const result = await packOutputs(folder, [{ name: "x", content: "1" }], "--no-sidecars");
    expect(result).toMatchObject({ sidecars: [], outputs_absent: [] });
    expect(fs.existsSync(join(folder, "x.ctx.json"))).toBe(false);
  });

  it("ctx pack keeps a sidecar of another pack with the same bytes, and replaces others with a notice", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "x"), "1");
    const first = await packOutputs(folder, [{ name: "x", content: "1" }]);
    const second = await packOutputs(folder, [{ name: "x", content: "1", notes: "again" }]);
    expect(second.hash).not.toBe(first.hash);
    expect(fs.readFileSync(join(folder, "x.ctx.json"), "utf8")).toContain(first.hash);
    const claim = { context_pack: `sha256:${"0".repeat(64)}`, inputs: [], tools: [] };
    fs.writeFileSync(join(folder, "x.ctx.json"), JSON.stringify(claim));
    const third = await packOutputs(folder, [{ name: "x", content: "1" }]);
    expect(third.notices).toEqual([
      "x.ctx.json named a pack that does not prove this file, so it was replaced",
    ]);
    expect(fs.readFileSync(join(folder, "x.ctx.json"), "utf8")).toContain(first.hash);
  });

  it("ctx pack follows no link for a sidecar, replaces no other file, and writes none in the store", async () => {
    const { folder, root } = tempStore();
    const outside = tempFolder();
    fs.writeFileSync(join(outside, "x"), "1");
    fs.symlinkSync(outside, join(folder, "linked"));
    fs.symlinkSync(join(outside, "x"), join(folder, "link"));
    fs.mkdirSync(join(folder, "folder"));
    for (const name of ["plain", "dir-sidecar", "link-sidecar"]) fs.writeFileSync(join(folder, name), "1");
    fs.writeFileSync(join(folder, "plain.ctx.json"), "my own notes");
    fs.mkdirSync(join(folder, "dir-sidecar.ctx.json"));
    fs.symlinkSync(join(outside, "target"), join(folder, "link-sidecar.ctx.json"));
    fs.writeFileSync(join(root, "x"), "1");
    const long = "n".repeat(250);
    fs.writeFileSync(join(folder, long), "1");
    const before = snapshot(outside);
    const names = ["linked/x", "link", "folder", "plain", "dir-sidecar", "link-sidecar", ".ctx/x", long];
    const result = await packOutputs(
      folder,
      names.map((name) => ({ name, content: "1" })),
    );
    expect(result.sidecars).toEqual([]);
    expect(result.outputs_absent).toEqual(["linked/x", "link", "folder", ".ctx/x"]);
    expect(result.notices).toEqual([
      "no sidecar for plain: plain.ctx.json is another file, so it was not replaced",
      "no sidecar for dir-sidecar: dir-sidecar.ctx.json is another file, so it was not replaced",
      "no sidecar for link-sidecar: link-sidecar.ctx.json is another file, so it was not replaced",
      `no sidecar for ${long}: the name of the sidecar would be too long`,
    ]);
    expect(snapshot(outside)).toEqual(before);
    expect(fs.readFileSync(join(folder, "plain.ctx.json"), "utf8")).toBe("my own notes");
  });
});
