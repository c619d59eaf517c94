// Text from packs never becomes a link. Tried by hand with remark-gfm, cmark-gfm, markdown-it (linkify) and
// marked: before text was taken apart, the first made links of addresses and the second of e-mail addresses.
import { describe, expect, it } from "vitest";
import { markdownCode } from "../../../src/render/markdown.js";

/**
 * Returns the texts between the tags, as programs see them that look for addresses after they have read the
 * numbers.
 */
function textNodes(markdown: string): string[] {
  return markdown
    .split(/<[^>]*>/)
    .map((text) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))));
}

/** What remark-gfm and cmark-gfm take for an address. */
const addresses = [/(?:[a-z][a-z0-9+.-]*:\/\/|www(?=\.))[-.\w]+/i, /[-.\w+]+@[-\w]+(?:\.[-\w]+)+/];

describe("text in code", () => {
  it.each([
    "http://evil.example/x",
    "see HTTPS://EVIL.example/a?b=c",
    "www.evil.example",
    "WWW.evil.example/x",
    "wwww.evil.example",
    "http://www.evil.example",
    "a@evil.example",
    "mailto:a@evil.example",
    "http://a@b.example/ and www.b.example",
    "ftp://evil.example",
    "<http://evil.example>",
    "[x](http://evil.example)",
  ])("markdown code: %j is no link, and is copied as it was", (text) => {
    const parts = textNodes(markdownCode(text));
    for (const part of parts) for (const address of addresses) expect(part).not.toMatch(address);
    expect(parts.join("")).toBe(text);
  });

  it("markdown code: text without a link is one piece", () => {
    expect(markdownCode("plain text, 1")).toBe("<code>plain text, 1</code>");
    expect(markdownCode("")).toBe("<code>&#32;</code>");
  });
});
