// Lists whose length a pack, log or store decides.
import { describe, expect, it } from "vitest";
import { addTo, appendAll, maxOf, OrderedSet, Queue, someOf } from "../../../src/base/lists.js";

const many = 300_000;

describe("lists of any length", () => {
  it("appendAll appends more items than a call can have arguments", () => {
    const list = [0];
    appendAll(
      list,
      Array.from({ length: many }, () => 1),
    );
    expect(list).toHaveLength(many + 1);
  });

  it("largest returns the largest number of any list, and 0 for an empty one", () => {
    expect(
      maxOf(
        Array.from({ length: many }, (_, at) => at),
        (item) => item,
      ),
    ).toBe(many - 1);
    expect(maxOf([], () => 1)).toBe(0);
  });

  it("a long list is named in a bounded text", () => {
    expect(someOf(["a", "b"])).toBe("a, b");
    expect(someOf(["a", "b", "c"], 2)).toBe("a, b and 1 more");
    expect(someOf(Array.from({ length: many }, () => "x"))).toMatch(/^(?:x, ){19}x and 299,980 more$/);
  });

  it("items are grouped by key", () => {
    const lists = new Map<string, number[]>();
    for (let at = 0; at < many; at++) addTo(lists, at % 2 === 0 ? "even" : "odd", at);
    expect(lists.get("odd")?.slice(0, 3)).toEqual([1, 3, 5]);
  });
});

describe("a queue", () => {
  it("a queue returns the oldest item first, then undefined, and accepts more after that", () => {
    const queue = new Queue<string>();
    expect(queue.take()).toBeUndefined();
    for (const item of ["a", "b", "a"]) queue.add(item);
    expect([queue.take(), queue.left()]).toEqual(["a", ["b", "a"]]);
    expect([queue.take(), queue.take(), queue.take()]).toEqual(["b", "a", undefined]);
    queue.add("c");
    expect(queue.take()).toBe("c");
  });
});

describe("an ordered set", () => {
  it("an ordered set knows its first and last item whatever is deleted", () => {
    const set = new OrderedSet<string>();
    expect([set.first(), set.last()]).toEqual([undefined, undefined]);
    for (const item of ["a", "b", "c", "b"]) set.add(item);
    expect([set.first(), set.last()]).toEqual(["a", "c"]);
    set.delete("a");
    set.delete("c");
    set.delete("nothing");
    expect([set.first(), set.last()]).toEqual(["b", "b"]);
    set.delete("b");
    expect([set.first(), set.last()]).toEqual([undefined, undefined]);
    set.add("a");
    expect([set.first(), set.last()]).toEqual(["a", "a"]);
  });
});
