// A few things at once: never more than that, all of them, and an end at the first failure.
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inParallel, linked } from "../../../src/registry/parallel.js";

const items = Array.from({ length: 20 }, (_, at) => at);

describe("work in parallel", () => {
  it("parallel work is done once for each item, in order, a few at a time", async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await inParallel(items, { most: 3, controller: new AbortController() }, async (item) => {
      begun.push(item);
      most = Math.max(most, ++running);
      await turn();
      running--;
    });
    expect(begun).toEqual(items);
    expect(most).toBe(3);
    await inParallel([], { most: 3, controller: new AbortController() }, () => expect.unreachable());
  });

  it("parallel work ends at the first failure, once nothing is under way", async () => {
    const controller = new AbortController();
    let running = 0;
    const work = inParallel(items, { most: 3, controller }, async (item) => {
      running++;
      for (let turns = 0; turns < 5 && !controller.signal.aborted; turns++) await turn();
      running--;
      throw new Error(`item ${item}`);
    });
    await expect(work).rejects.toThrow("item 0");
    expect(running).toBe(0);
    expect(controller.signal.reason).toMatchObject({ message: "item 0" });
  });

  it("parallel work ends when it is aborted", async () => {
    const outer = new AbortController();
    const done: number[] = [];
    const work = inParallel(items, { most: 2, controller: linked(outer.signal) }, async (item) => {
      if (item === 4) outer.abort(new Error("enough"));
      await turn();
      done.push(item);
    });
    await expect(work).rejects.toThrow("enough");
    expect(done.length).toBeLessThan(8);
    expect(linked(outer.signal).signal.aborted).toBe(true);
  });
});
