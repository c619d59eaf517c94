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
  it("graph: a linear history is one column", () => expect(draw("c<b b<a a")).toBe("* c\n* b\n* a"));

  it("graph: siblings join at their parent", () =>
    expect(draw("c<a b<a a")).toBe(["* c", "| * b", "|/", "* a"].join("\n")));

  it("graph: a line passes others one step a row", () =>
    expect(draw("x<p y<q z<p p q")).toBe(
      ["* x", "| * y", "| | * z", "| |/", "|/|", "* | p", " /", "* q"].join("\n"),
    ));

  it("graph: roots are not connected", () => expect(draw("b a")).toBe("* b\n* a"));

  it("graph: a missing parent is not drawn", () => expect(draw("b<gone a")).toBe("* b\n* a"));

  it("graph: lines join from the left, too", () =>
    expect(draw("x<p y<q z<p p<q q")).toBe(
      ["* x", "| * y", "| | * z", "| |/", "|/|", "* | p", "|/", "* q"].join("\n"),
    ));

  it("graph: many children of one parent stay narrow", () =>
    expect(draw("d<a c<a b<a a")).toBe(["* d", "| * c", "|/", "| * b", "|/", "* a"].join("\n")));
});
