import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256, toReference } from "../../../src/base/digest.js";
import type { ReplayedStep } from "../../../src/results/replay.js";
import { OpenEffects, Unexecuted } from "../../../src/replay/effects.js";
import { OutputWatch } from "../../../src/replay/output-watch.js";
import type { PlannedStep } from "../../../src/replay/plan.js";
import { Workspace } from "../../../src/replay/workspace.js";
import { tempFolder } from "../../../dev/folders.js";

const diverged: ReplayedStep = { index: 0, type: "tool_call", status: "diverged", executed: true };

/** Step 0 writes what is not recorded; step 1 is a program. */
const plan = [0, 1].map(
  (index) =>
    ({
      step: { index },
      execution: index === 0 ? { how: "builtin" } : { how: "command" },
    }) as unknown as PlannedStep,
);

let root: string;
let watch: OutputWatch;
let open: OpenEffects;
let reported: ReplayedStep;

beforeEach(() => {
  root = tempFolder();
  const reference = toReference(sha256(Buffer.from("it passed")));
  watch = new OutputWatch(new Workspace(root, "/workspace"), [{ name: "out", content_ref: reference }], 2);
  open = new OpenEffects();
  fs.writeFileSync(join(root, "out"), "it failed");
  watch.addChange(0, { paths: ["out"], isWhole: true, isApplied: true });
  reported = open.add(diverged, "out");
  watch.beforeProgram();
});

function settled(executed: number[]): ReplayedStep[] {
  watch.finish();
  return open.settled(watch, new Unexecuted(plan, new Map(), new Set(executed)));
}

describe("a write that differs from the recorded output, with a program after it", () => {
  it("a different write has diverged when a later program left the file alone", () => {
    expect(reported).toMatchObject({ status: "recorded", executed: true });
    watch.afterProgram(1);
    expect(settled([0, 1])).toEqual([diverged]);
  });

  it("a different write stays undecided when a later program changed the file or did not run", () => {
    expect(settled([0])).toEqual([]);
    fs.writeFileSync(join(root, "out"), "it passed");
    watch.afterProgram(1);
    expect(settled([0, 1])).toEqual([]);
  });
});
