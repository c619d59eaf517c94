import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";

function write(folder: string, name: string, log: unknown): void {
  fs.writeFileSync(join(folder, name), JSON.stringify(log));
}

async function packJson(folder: string, log: unknown, ...more: string[]) {
  const result = await cli(["pack", "-", "--json", ...more], { folder, input: json(log) });
  expect(result.status, result.stderr).toBe(0);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

describe("ctx pack", () => {
  it("ctx pack prints one URI a line, in order, and the same ones again", async () => {
    const { folder } = tempStore();
    write(folder, "a.json", smallLog());
    write(folder, "b.json", runLog());
    const first = await cli(["pack", "a.json", "b.json"], { folder });
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^ctx:\/\/[0-9a-f]{64}\nctx:\/\/[0-9a-f]{64}\n$/);
    const before = snapshot(folder);
    const second = await cli(["pack", "a.json", "b.json"], { folder });
    expect(second.stdout).toBe(first.stdout);
    expect(snapshot(folder)).toEqual(before);
  });

  it("ctx pack seals the good logs among several, and reports the bad ones", async () => {
    const { folder } = tempStore();
    write(folder, "a.json", smallLog());
    write(folder, "bad.json", smallLog({ steps: [{ type: "tool_call" }] }));
    write(folder, "c.json", runLog());
    const result = await cli(["pack", "a.json", "bad.json", "c.json", "none.json", "--no-sidecars"], {
      folder,
    });
    expect(result.status).toBe(2);
    expect(result.stdout.trim().split("\n")).toHaveLength(2);
    expect(result.stderr).toBe(
      "error: bad.json is not a valid execution log (1 problem)\n  steps[0].tool: required for a tool_call\n" +
        "error: cannot read the log none.json: no such file\n",
    );
  });

  it("ctx pack refuses a time with more than 100 digits after the point", async () => {
    const { folder } = tempStore();
    const timestamp = `2026-01-01T00:00:00.${"0".repeat(200_000)}10Z`;
    write(folder, "a.json", smallLog({ steps: [{ type: "tool_call", tool: "read", timestamp }] }));
    const result = await cli(["pack", "a.json"], { folder });
    expect(result.status).toBe(2);
    expect(result.stderr).toBe(
      "error: a.json is not a valid execution log (1 problem)\n" +
        "  steps[0].timestamp: has more than 100 digits after the point\n",
    );
  });

  it("ctx pack --json has every documented field", async () => {
    const { folder } = tempStore();
    const parent = `sha256:${"ab".repeat(32)}`;
    const first = await packJson(folder, runLog({ parent }));
    expect(first).toEqual({
      uri: expect.stringMatching(/^ctx:\/\/[0-9a-f]{64}$/),
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      created: "2026-02-10T12:00:00Z",
      new: true,
      parent,
      source: "-",
      counts: { prompts: 1, inputs: 1, steps: 2, outputs: 1 },
      bytes_new: expect.any(Number),
      bytes_shared: 0,
      sidecars: [],
      outputs_absent: ["answer.txt"],
      repaired: [],
      notices: [],
    });
    const again = await packJson(folder, runLog({ parent }));
    expect(again).toMatchObject({ new: false, bytes_new: 0, uri: first["uri"] });
    expect(again["bytes_shared"]).toBeGreaterThan(0);
    // A second run that shares all contents but one.
    const other = await packJson(folder, runLog({ system_prompt: "Another." }));
    expect(other["bytes_shared"]).toBeGreaterThan(0);
    expect(other["parent"]).toBeUndefined();
  });

  it("ctx pack - reads a log from standard input, with files from the working folder", async () => {
    const { folder } = tempStore();
    fs.mkdirSync(join(folder, "data"));
    fs.writeFileSync(join(folder, "data/in.bin"), Buffer.from([0, 255, 1]));
    const result = await cli(["pack", "-"], {
      folder,
      input: json(smallLog({ inputs: [{ name: "x", content_file: "data/in.bin" }] })),
    });
    expect(result.status, result.stderr).toBe(0);
    const bytes = await cli(["show", "latest", "--input", "x", "--json"], { folder });
    expect(JSON.parse(bytes.stdout)).toMatchObject({ content: { base64: "AP8B", size: 3 } });
  });

  it("ctx pack takes the time from --created, the log, the latest step, or the clock, in this order", async () => {
    const { folder } = tempStore();
    const steps = [
      { type: "x", timestamp: "2026-03-01T00:00:00.5+01:00" },
      { type: "x", timestamp: "2026-02-28T23:00:00.50Z" },
      { type: "x", timestamp: "2026-02-28T22:00:00Z" },
    ];
    const timeless = smallLog({ created: undefined, steps });
    expect(await packJson(folder, smallLog({ steps }))).toMatchObject({ created: "2026-02-10T12:00:00Z" });
    expect(await packJson(folder, timeless)).toMatchObject({ created: "2026-02-28T23:00:00.5Z" });
    expect(await packJson(folder, timeless, "--created", "2020-01-01t00:00:00+01:00")).toMatchObject({
      created: "2019-12-31T23:00:00Z",
    });
    expect((await packJson(folder, smallLog({ created: undefined })))["created"]).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/,
    );
  });

  it("ctx pack finds the pack of a log without any time again, whatever its time, without the cache", async () => {
    const { folder, root } = tempStore();
    const timeless = runLog({ created: undefined, steps: [] });
    const first = await packJson(folder, timeless);
    fs.rmSync(join(root, "cache"), { recursive: true, force: true });
    fs.rmSync(join(root, "refs/latest"));
    expect(await packJson(folder, timeless)).toMatchObject({
      new: false,
      uri: first["uri"],
      created: first["created"],
    });
    const other = tempStore();
    const dated = await packJson(other.folder, { ...timeless, created: "1999-12-31T00:00:00.123456Z" });
    expect(await packJson(other.folder, timeless)).toMatchObject({ new: false, uri: dated["uri"] });
    expect((await packJson(other.folder, { ...timeless, system_prompt: "else" }))["new"]).toBe(true);
    // The first answer stays, also when the run is packed under other times.
    await packJson(other.folder, timeless, "--created", "1970-01-01T00:00:00Z");
    expect(await packJson(other.folder, timeless)).toMatchObject({ new: false, uri: dated["uri"] });
  });

  it("ctx pack moves latest only when a pack is added", async () => {
    const { folder } = tempStore();
    const first = await packJson(folder, smallLog({ created: "2030-01-01T00:00:00Z" }));
    const second = await packJson(folder, smallLog({ created: "2020-01-01T00:00:00Z" }));
    await packJson(folder, smallLog({ created: "2030-01-01T00:00:00Z" }));
    expect((await cli(["cat", "latest", "--json"], { folder })).stdout).toContain(second["hash"] as string);
    fs.rmSync(join(folder, ".ctx/refs/latest"));
    expect((await cli(["cat", "latest", "--json"], { folder })).stdout).toContain(first["hash"] as string);
  });

  it("ctx pack succeeds with a notice if latest cannot be written, and reports repaired objects", async () => {
    const { folder, root } = tempStore();
    fs.mkdirSync(join(root, "refs/latest"));
    const { hash, notices } = await packJson(folder, smallLog());
    expect(notices).toEqual([expect.stringContaining("latest does not point to it")]);
    expect((await cli(["log", "--json"], { folder })).stdout).toContain(hash as string);
    const blob = createHash("sha256").update("You are terse.").digest("hex");
    fs.rmSync(join(root, "objects", blob.slice(0, 2), blob.slice(2)));
    expect(await packJson(folder, smallLog())).toMatchObject({ new: false, repaired: [`sha256:${blob}`] });
  });

  it("ctx pack changes nothing when the log is bad", async () => {
    const { folder } = tempStore();
    const before = snapshot(folder);
    const bad = [
      "",
      "{",
      '{"a":1}',
      JSON.stringify(smallLog({ inputs: [{ name: "../../x", content: "x" }] })),
      JSON.stringify(smallLog({ inputs: [{ name: "x", content_file: "../outside" }] })),
      JSON.stringify(smallLog({ steps: [{ type: "tool_call", output: "stored?" }] })),
      JSON.stringify(smallLog()).replace('"You', '"\\ud800'),
      "[".repeat(5_000_000),
    ];
    for (const input of bad) {
      const result = await cli(["pack", "-"], { folder, input });
      expect(result.status).toBe(2);
      expect(result.stdout).toBe("");
      expect(result.stderr).toMatch(
        /^error: standard input is (?:not a valid execution log|not in a format that ctx recognises)/,
      );
    }
    expect((await cli(["pack", "-", "--created", "today"], { folder, input: json(smallLog()) })).status).toBe(
      2,
    );
    expect(snapshot(folder)).toEqual(before);
  });
});

describe("files next to the log", () => {
  it("ctx pack refuses files next to the log that are no regular files below its folder", async () => {
    const { folder } = tempStore();
    const outside = tempFolder();
    fs.writeFileSync(join(outside, "secret"), "s");
    fs.mkdirSync(join(folder, "dir"));
    fs.writeFileSync(join(folder, "dir/ok"), "ok");
    fs.symlinkSync("ok", join(folder, "dir/link"));
    fs.symlinkSync(outside, join(folder, "way-out"));
    const files = [
      "dir/link",
      "way-out/secret",
      "../x",
      "dir/../../x",
      "/etc/passwd",
      "",
      "dir",
      "gone",
      "dir/ok/x",
    ];
    const inputs = files.map((content_file, index) => ({ name: `i${index}`, content_file }));
    write(folder, "log.json", smallLog({ inputs: [...inputs, { name: "fine", content_file: "./dir/ok" }] }));
    const result = await cli(["pack", "log.json", "--json"], { folder });
    expect(result.status).toBe(2);
    const { error } = JSON.parse(result.stderr) as {
      error: { problems: { path: string; message: string }[] };
    };
    expect(error.problems.map(({ path, message }) => `${path}: ${message}`)).toMatchInlineSnapshot(`
      [
        "inputs[0].content_file: "dir/link" is reached through a link, or a part of the path is not a folder",
        "inputs[1].content_file: "way-out/secret" is reached through a link, or a part of the path is not a folder",
        "inputs[2].content_file: "../x" is not below the log's folder",
        "inputs[3].content_file: "dir/../../x" is not below the log's folder",
        "inputs[4].content_file: "/etc/passwd" is not below the log's folder",
        "inputs[5].content_file: "" is not below the log's folder",
        "inputs[6].content_file: "dir" is not a regular file",
        "inputs[7].content_file: there is no file "gone"",
        "inputs[8].content_file: "dir/ok/x" is reached through a link, or a part of the path is not a folder",
      ]
    `);
  });

  it("ctx pack stores a large file beside the log once", async () => {
    const { folder } = tempStore();
    const size = (1 << 24) + 5;
    fs.writeFileSync(join(folder, "big"), Buffer.alloc(size, "0123456789"));
    fs.copyFileSync(join(folder, "big"), join(folder, "same"));
    const log = smallLog({
      inputs: [
        { name: "big", content_file: "big" },
        { name: "same", content_file: "same" },
      ],
    });
    const first = await packJson(folder, log);
    expect(first["bytes_new"]).toBeGreaterThan(size);
    expect(first["bytes_new"]).toBeLessThan(size + 2000);
    expect(await packJson(folder, log)).toMatchObject({ new: false, bytes_new: 0 });
    const shown = await cli(["show", "latest", "--json"], { folder });
    expect(JSON.parse(shown.stdout)).toMatchObject({ inputs: [{ size }, { size }] });
  });
});
