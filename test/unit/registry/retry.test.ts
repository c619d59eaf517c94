// When a request is tried again, how often, and when it finally fails.
import { describe, expect, it } from "vitest";
import { retryAfter, retrying, type Attempt } from "../../../src/registry/retry.js";

/** Returns these answers, one after the other. */
const giving = (
  ...answers: Attempt<string>[]
): { attempt: () => Promise<Attempt<string>>; left: Attempt<string>[] } => ({
  attempt: () => Promise.resolve(answers.shift() as Attempt<string>),
  left: answers,
});
const again = (text: string): Attempt<string> => ({ again: new Error(text) });

describe("retrying", () => {
  it("retry: it stops after a number of failures, with the last error", async () => {
    const { attempt, left } = giving(again("one"), again("two"), { done: "late" });
    await expect(retrying(attempt, { most: 1 })).rejects.toThrow("two");
    expect(left).toHaveLength(1);
  });

  it("retry: failures that made progress do not count", async () => {
    const further: Attempt<string> = { again: new Error("cut"), progress: true };
    expect(await retrying(giving(further, further, further, { done: "there" }).attempt, { most: 1 })).toBe(
      "there",
    );
  });

  it("retry: it does not wait for a server that asks for too long a pause", async () => {
    const { attempt, left } = giving({ again: new Error("later"), after: 3_600_000 }, { done: "never" });
    await expect(retrying(attempt)).rejects.toThrow("later");
    expect(left).toHaveLength(1);
  });

  it("retry: it waits as long as a server asks for", async () => {
    const order: string[] = [];
    setTimeout(() => order.push("half a second"), 500);
    const { attempt } = giving({ again: new Error("later"), after: 700 }, { done: "now" });
    order.push(await retrying(attempt));
    expect(order).toEqual(["half a second", "now"]);
  });

  it("retry: an abort ends a pause", async () => {
    const controller = new AbortController();
    const waiting = retrying(giving({ again: new Error("later"), after: 60_000 }).attempt, {
      signal: controller.signal,
    });
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(waiting).rejects.toThrow("enough");
    await expect(retrying(giving({ done: "x" }).attempt, { signal: controller.signal })).rejects.toThrow(
      "enough",
    );
  });

  it("retry: other errors pass through", async () => {
    await expect(retrying(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});

describe("retryAfter", () => {
  const now = Date.parse("2026-02-10T12:00:00Z");
  it.each([
    [undefined, undefined],
    ["0", 0],
    ["7", 7000],
    ["-1", undefined],
    ["1e9", undefined],
    ["soon", undefined],
    ["99999999999", undefined],
    ["Tue, 10 Feb 2026 12:00:30 GMT", 30_000],
    ["Tue, 10 Feb 2026 11:00:00 GMT", 0],
  ])("retryAfter: %s is %s", (header, expected) => expect(retryAfter(header, now)).toBe(expected));
});
