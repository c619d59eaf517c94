import { expect, test } from "vitest";
import {
  coverageTexts,
  isUnknown,
  unknownFailures,
  unrecordedFailures,
} from "../../../src/model/coverage-codes.js";

test("coverage: the texts that have codes are those in packs", () => {
  expect(coverageTexts).toEqual({ system_prompt: "the system prompt (not recorded)", times: "times" });
});

test("coverage: a code stands for its own text only", () => {
  expect(isUnknown(listing(["costs", coverageTexts.system_prompt]), "system_prompt")).toBe(true);
  expect(isUnknown(listing(["the system prompts of others"]), "system_prompt")).toBe(false);
  expect(isUnknown({ metadata: { coverage: "none" } }, "system_prompt")).toBe(false);
  expect(isUnknown({}, "system_prompt")).toBe(false);
});

function listing(unknown: string[]): { metadata: { coverage: { unknown: string[] } } } {
  return { metadata: { coverage: { unknown } } };
}

test("coverage: the texts that say that failures are not recorded stay what packs contain", () => {
  expect(unknownFailures).toEqual({
    commands: "whether commands failed (not recorded)",
    chat: "whether tool calls failed (chat messages do not say it)",
    responses: "whether tool calls failed (function outputs do not say it)",
    atif: "whether some tool calls failed (ATIF has no field for it)",
  });
  expect(unrecordedFailures(listing(["costs", unknownFailures.atif]))).toBe("whether some tool calls failed");
  expect(unrecordedFailures(listing(["costs"]))).toBeUndefined();
});
