// The small programs of the build have no reader of agents' logs: a call that needs one starts over in the
// whole program.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ctx, repository } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { describeWith, onNode } from "../../dev/needs.js";

const log = join(repository, "examples/sessions/fix-pages.jsonl");

describeWith([onNode], "the small programs", () => {
  it("small programs: only the whole program and the one that packs know the records of Claude Code", () => {
    const dist = join(repository, "dist");
    const knowing = fs
      .readdirSync(dist)
      .filter((name) => name.startsWith("program-"))
      .filter((name) => fs.readFileSync(join(dist, name), "latin1").includes("parentUuid"))
      .map((name) => name.split("-")[1]);
    expect(new Set(knowing)).toEqual(new Set(["all", "pack"]));
  });

  it("small programs: show and diff of a log print what they print for its pack, without a store", () => {
    const folder = tempFolder();
    expect(ctx(["init"], { cwd: folder }).status).toBe(0);
    const uri = ctx(["pack", log], { cwd: folder }).stdout.trim();
    for (const words of [
      ["show", "--json"],
      ["show", "--step", "1"],
    ]) {
      const [command = "", ...options] = words;
      const outside = ctx([command, log, ...options], { cwd: tempFolder() });
      expect(outside).toEqual(ctx([command, uri, ...options], { cwd: folder }));
      expect(outside.status).toBe(0);
    }
    const { status, stdout, stderr } = ctx(["diff", log, log], { cwd: tempFolder() });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "note: both names refer to the same pack\n" });
    expect(JSON.parse(stdout)).toMatchObject({ has_drift: false });
  });

  it("small programs: a call that starts over reports its error once, and ends with its status", () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "none.jsonl"), "{}\n");
    const { status, stdout, stderr } = ctx(["show", "none.jsonl"], { cwd: folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
  });
});
