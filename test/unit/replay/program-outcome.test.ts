import { describe, expect, it } from "vitest";
import { timeFor } from "../../../src/replay/program-outcome.js";

describe("the time of a command", () => {
  it.each([
    [undefined, 60],
    [1000, 60],
    [30_000, 90],
    [150_000, 450],
    [3_600_000, 600],
  ])("a command that took %s ms then has %s s now", (duration, seconds) => {
    expect(timeFor(duration)).toBe(seconds * 1000);
  });
});
