// What a short command loads of Node itself. A module that is not needed costs milliseconds, and no other
// test would notice where they go.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ctx, program, repository, run } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";

const folder = tempFolder();
const watcher = join(folder, "watch.cjs");

beforeAll(() => {
  const isOwn = "(name) => /^NativeModule (?!internal)/.test(name)";
  fs.writeFileSync(
    watcher,
    `const before = new Set(process.moduleLoadList);
     process.on("exit", () => {
       const loaded = process.moduleLoadList.filter(${isOwn}).filter((name) => !before.has(name));
       require("node:fs").writeFileSync(process.env.LOADED, JSON.stringify(loaded.map((name) => name.slice(13))));
     });`,
  );
  ctx(["init"], { cwd: folder });
  const log = join(repository, "examples/run.json");
  ctx(["pack", "--no-sidecars", log, "--tag", "good"], { cwd: folder });
});

function loadedBy(...args: string[]): string[] {
  const file = join(folder, "loaded.json");
  const { status, stderr } = run(process.execPath, ["-r", watcher, program, ...args], {
    cwd: folder,
    env: { LOADED: file },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return (JSON.parse(fs.readFileSync(file, "utf8")) as string[]).sort();
}

describe("modules of Node that a command loads", () => {
  it("start-up: --help loads next to no modules of Node", () => {
    expect(loadedBy("--help").filter((name) => !["vm", "module"].includes(name))).toEqual([]);
  });

  it.each([
    [["show", "latest"]],
    [["cat", "latest"]],
    [["pack", join(repository, "examples/run.json"), "--no-sidecars"]],
  ])("start-up: %j loads no module for networks, programs or threads", (args) => {
    const loaded = loadedBy(...args);
    expect(loaded).toContain("crypto");
    for (const name of [
      "child_process",
      "net",
      "http",
      "https",
      "tls",
      "dgram",
      "worker_threads",
      "zlib",
      "tty",
    ])
      expect(loaded).not.toContain(name);
  });

  it("start-up: pack and verify of much data load worker_threads", () => {
    const steps = Array.from({ length: 1000 }, (_, at) => ({
      type: "reasoning",
      output: `thought ${at} `.repeat(900),
    }));
    const log = JSON.parse(fs.readFileSync(join(repository, "examples/run.json"), "utf8")) as object;
    fs.writeFileSync(join(folder, "large.json"), JSON.stringify({ ...log, steps }));
    expect(loadedBy("pack", "large.json", "--no-sidecars")).toContain("worker_threads");
    expect(loadedBy("verify", "--all")).toContain("worker_threads");
  });
});
