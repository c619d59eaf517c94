// Where a registry may send us. What it does with requests is tested on real ones.
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/share/registry/address.js";
import { Registry } from "../../../../src/share/registry/registry.js";

function place(
  location: string,
  { host = "registry.example.com", plainHttp = false, from = "" } = {},
): string {
  const wallet = { home: "/nowhere", env: {} };
  const registry = new Registry(parseAddress(`oci://${host}/team/runs`), { wallet, plainHttp });
  return registry.place(location, from).href;
}

describe("a place that a registry names", () => {
  it.each([
    ["/v2/x?state=a%2Fb", "https://registry.example.com/v2/x?state=a%2Fb"],
    ["abc?state=1", "https://registry.example.com/v2/team/runs/abc?state=1"],
    ["//cdn.example.org/x", "https://cdn.example.org/x"],
    ["https://registry.example.com:443/x", "https://registry.example.com/x"],
    ["https://cdn.example.org/x?sig=1", "https://cdn.example.org/x?sig=1"],
  ])("may be %s", (location, expected) => expect(place(location)).toBe(expected));

  it("is relative to where it was named", () => {
    expect(place("abc?x=1", { from: "blobs/uploads/" })).toBe(
      "https://registry.example.com/v2/team/runs/blobs/uploads/abc?x=1",
    );
  });

  it.each([
    "http://registry.example.com/x",
    "http://cdn.example.org/x",
    "https://127.0.0.1/x",
    "http://localhost:5000/x",
    "https://[::1]/x",
    "https://a:b@cdn.example.org/x",
    "https://a@registry.example.com/x",
    "file:///etc/passwd",
    "data:text/plain,x",
    "ftp://cdn.example.org/",
    "https://[",
  ])("may not be %s", (location) => {
    expect(() => place(location)).toThrow(expect.objectContaining({ code: "registry" }));
  });

  it("may be on this machine where the registry is", () => {
    expect(place("http://127.0.0.1:9/x", { host: "localhost:5000" })).toBe("http://127.0.0.1:9/x");
    expect(() => place("http://192.0.2.1/x", { host: "localhost:5000" })).toThrow("which is not safe");
  });

  it("is plain only where the registry itself is, by request", () => {
    expect(place("/x", { plainHttp: true })).toBe("http://registry.example.com/x");
    expect(() => place("http://cdn.example.org/x", { plainHttp: true })).toThrow("which is not safe");
  });
});
