import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { topics } from "../../src/cli/topics.js";
import { doctor } from "../../src/ops/doctor.js";
import { cli } from "../support/cli.js";
import { tempFolder, tempStore } from "../support/folders.js";
import { json, smallLog } from "../support/logs.js";

describe("ctx doctor", () => {
  it("says what there is and what is lacking, with what to do", async () => {
    const { folder } = tempStore();
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    const { status, stdout } = await cli(["doctor"], { folder, env: { PATH: "" } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok {5}Node +\d+\./);
    expect(stdout).toMatch(/^ok {5}store +1 pack in /m);
    // The test's environment has no PATH.
    expect(stdout).toMatch(/^lacks {2}bubblewrap +not on the PATH\n +.*install bubblewrap$/m);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80 + 20);
    const result = JSON.parse((await cli(["doctor", "--json"], { folder })).stdout) as { healthy: boolean };
    expect(result.healthy).toBe(true);
  });

  it("finds programs without running them", () => {
    const bin = tempFolder();
    const ran = join(bin, "ran");
    fs.writeFileSync(join(bin, "bwrap"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    const { checks } = doctor(tempFolder(), { path: `relative:${bin}` });
    expect(checks.find(({ name }) => name === "bubblewrap")).toEqual({
      name: "bubblewrap",
      status: "ok",
      found: join(bin, "bwrap"),
    });
    expect(fs.existsSync(ran)).toBe(false);
  });

  it("works where there is no store, and says 1 where something is wrong", async () => {
    const nowhere = await cli(["doctor"], { folder: tempFolder() });
    expect(nowhere.status).toBe(0);
    expect(nowhere.stdout).toMatch(/lacks {2}store +there is no .ctx store/);
    const { folder, root } = tempStore();
    fs.writeFileSync(join(root, "packs", "f".repeat(64)), "");
    fs.mkdirSync(join(root, "tmp/left"));
    const sick = await cli(["doctor"], { folder });
    expect(sick.status).toBe(1);
    expect(sick.stdout).toContain("1 damaged");
    expect(sick.stdout).toContain("entries in tmp/ and locks/");
    fs.writeFileSync(join(root, "config.json"), "{}");
    expect((await cli(["doctor"], { folder })).status).toBe(1);
  });
});

describe("topics", () => {
  const short = topics.filter(({ more }) => more === undefined);
  it.each(short.map(({ name }) => name))("ctx help %s fits one screen of 80 columns", async (name) => {
    const { status, stdout } = await cli(["help", name], { folder: tempFolder() });
    expect(status).toBe(0);
    expect(stdout.split("\n").length).toBeLessThan(30);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect((await cli(["help"], { folder: tempFolder() })).stdout).toMatch(
      new RegExp(`^topics: .*\\b${name}\\b`, "m"),
    );
  });

  it("the log that `ctx help format` calls enough is enough", async () => {
    const { folder } = tempStore();
    const text = topics.find(({ name }) => name === "format")?.text ?? "";
    const example = /^ {2}\{[^]*?\} \}$/m.exec(text)?.[0] ?? "";
    const { status, stderr } = await cli(["pack", "-"], { folder, input: example });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it("a topic that is not there is answered helpfully", async () => {
    const folder = tempFolder();
    expect((await cli(["help", "formt"], { folder })).stderr).toContain("did you mean `ctx help format`?");
    expect((await cli(["help", "zzzzzz"], { folder })).stderr).toContain(
      "`ctx help` lists commands and topics",
    );
  });
});
