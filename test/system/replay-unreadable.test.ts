// Outputs that a command closes to the user who runs ctx. Root reads every file, so the built program runs as
// another user.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { beforeEach, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import { program as built } from "../../dev/built.js";
import { lastingFolder } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

let folder: string;
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

beforeEach(() => {
  folder = lastingFolder();
  if (user.uid !== undefined) fs.chownSync(folder, user.uid, user.gid);
});

function ctx(argv: string[], input?: Buffer): { status: number | null; stdout: string } {
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder };
  return spawnSync(process.execPath, [built, ...argv], {
    cwd: folder,
    env,
    encoding: "utf8",
    ...user,
    ...(input === undefined ? {} : { input }),
  });
}

describeWith([program("bwrap", "bubblewrap")], "an output that a command makes unreadable", () => {
  it.each([
    ["with other bytes", "out", "echo other > out; chmod 000 out", false],
    ["with the recorded bytes", "out", "echo right > out; chmod 000 out", true],
    ["with its folder", "d/out", "mkdir d; echo other > d/out; chmod 000 d", false],
    ["with the workspace", "out", "echo other > out; chmod 000 .", false],
  ])("a replay reads an output that a command made unreadable: %s", (_, name, line, reproduced) => {
    const step = {
      type: "tool_call",
      tool: "run_command",
      parameters: { command: line },
      output: "",
      deterministic: true,
    };
    const log = smallLog({ steps: [step], outputs: [{ name, content: "right\n" }] });
    ctx(["init"]);
    expect(ctx(["pack", "-", "--no-sidecars"], json(log)).status).toBe(0);
    const { status, stdout } = ctx(["replay", "latest", "--json", "--allow", "exec"]);
    const report = JSON.parse(stdout) as ReplayReport;
    expect(report.outputs).toMatchObject([{ reproduced, made_by: 0 }]);
    expect([status, report.fidelity]).toEqual(reproduced ? [0, "exact"] : [1, "degraded"]);
  });
});
