import { describe, expect, it } from "vitest";
import { drawGraph } from "../../../src/render/graph.js";

/** `c<b b<a a`: c was derived from b, b from a. */
function draw(text: string): string {
  const nodes = text.split(" ").map((word) => {
    const [hash, parent] = word.split("<") as [string, string?];
    return parent === undefined ? { hash } : { hash, parent };
  });
  return drawGraph(nodes)
    .flatMap(({ node, joins }, index) => [`${node} ${nodes[index]?.hash}`, ...joins])
    .join("\n");
}

describe("the graph", () => {
  it("of one line is one column", () => expect(draw("c<b b<a a")).toBe("* c\n* b\n* a"));

  it("joins siblings at their parent", () =>
    expect(draw("c<a b<a a")).toBe(["* c", "| * b", "|/", "* a"].join("\n")));

  it("leads a line past others, one step a row", () =>
    expect(draw("x<p y<q z<p p q")).toBe(
      ["* x", "| * y", "| | * z", "| |/", "|/|", "* | p", " /", "* q"].join("\n"),
    ));

  it("keeps roots apart", () => expect(draw("b a")).toBe("* b\n* a"));

  it("does not draw a parent that is not there", () => expect(draw("b<gone a")).toBe("* b\n* a"));

  it("joins from the left, too", () =>
    expect(draw("x<p y<q z<p p<q q")).toBe(
      ["* x", "| * y", "| | * z", "| |/", "|/|", "* | p", "|/", "* q"].join("\n"),
    ));

  it("of many children of one parent stays narrow", () =>
    expect(draw("d<a c<a b<a a")).toBe(["* d", "| * c", "|/", "| * b", "|/", "* a"].join("\n")));
});
