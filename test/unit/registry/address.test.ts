// What is an address of packs, and what is this machine.
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { addressText, isLoopback, parseAddress, repositoryText } from "../../../src/registry/address.js";

const hex = "ab".repeat(32);

describe("an address", () => {
  it.each([
    ["oci://host/repo", { host: "host", repository: "repo" }],
    ["oci://Host.Example.COM:5000/team/runs", { host: "host.example.com:5000", repository: "team/runs" }],
    ["oci://host/repo:tag", { host: "host", repository: "repo", tag: "tag" }],
    ["oci://host/a/b/c:v1.0_x-Y", { host: "host", repository: "a/b/c", tag: "v1.0_x-Y" }],
    [`oci://host/repo@sha256:${hex}`, { host: "host", repository: "repo", digest: hex }],
    [`oci://host/repo:t@sha256:${hex}`, { host: "host", repository: "repo", tag: "t", digest: hex }],
    ["oci://127.0.0.1:1/a.b__c-d--e/f_g", { host: "127.0.0.1:1", repository: "a.b__c-d--e/f_g" }],
    ["oci://[::1]:5000/repo", { host: "[::1]:5000", repository: "repo" }],
    ["oci://[2001:db8::1]/repo", { host: "[2001:db8::1]", repository: "repo" }],
    [`oci://host/repo:${"t".repeat(128)}`, { host: "host", repository: "repo", tag: "t".repeat(128) }],
    [`oci://host/${"r".repeat(255)}`, { host: "host", repository: "r".repeat(255) }],
    ["oci://host:443/repo", { host: "host:443", repository: "repo" }],
  ])("the registry address %s is parsed", (text, expected) => {
    const address = parseAddress(text);
    expect(address).toEqual(expected);
    expect(addressText(address)).toBe(text.replace("Host.Example.COM", "host.example.com"));
    expect(text.toLowerCase()).toContain(repositoryText(address));
  });

  it.each([
    "",
    "oci://",
    "oci://host",
    "oci://host/",
    "oci:///repo",
    "host/repo",
    "docker://host/repo",
    "OCI://host/repo",
    " oci://host/repo",
    "oci://host/repo\n",
    "oci://host/repo ",
    "oci://host/../repo",
    "oci://host/a/../b",
    "oci://host/a/./b",
    "oci://host/a//b",
    "oci://host//a",
    "oci://host/a/",
    "oci://host/%2e%2e/b",
    "oci://host/a%2fb",
    "oci://host/a\\b",
    "oci://host/Repo",
    "oci://host/répo",
    "oci://hôst/repo",
    "oci://host/re__po___x",
    "oci://host/-repo",
    "oci://host/repo?x=1",
    "oci://host/repo#x",
    "oci://host/repo:",
    "oci://host/repo:.tag",
    "oci://host/repo:-tag",
    "oci://host/repo:a/b",
    "oci://host/repo:a:b",
    `oci://host/repo:${"t".repeat(129)}`,
    `oci://host/${"r".repeat(256)}`,
    "oci://host/repo@sha256:abc",
    `oci://host/repo@sha256:${hex.toUpperCase()}`,
    `oci://host/repo@sha512:${hex}${hex}`,
    `oci://host/repo@sha256:${hex}:tag`,
    "oci://host:/repo",
    "oci://host:99999/repo",
    "oci://host:123456/repo",
    "oci://host:5o/repo",
    "oci://-host/repo",
    "oci://host-/repo",
    "oci://.host/repo",
    "oci://ho_st/repo",
    "oci://[::1/repo",
    "oci://[:::]/repo",
    "oci://[1:2]/repo",
    "oci://[::1%25eth0]/repo",
    "oci://256.1.1.1/repo",
    "oci://127.1/repo",
    "oci://0x7f.0.0.1/repo",
    "oci://2130706433/repo",
    "oci://127.0.0.01/repo",
    "oci://xn--a/repo",
    "oci://host@evil/repo",
    `oci://${"h".repeat(2000)}/repo`,
  ])("%j is not a registry address", (text) => {
    expect(() => parseAddress(text)).toThrow(CtxError);
    expect(() => parseAddress(text)).toThrow("is not an address of packs");
  });

  it.each([
    "oci://ana:hunter2@host/repo",
    "oci://ana:hunter2@host:5000/repo:tag",
    "ana:hunter2@host/repo",
    "https://ana:hunter2@host/r",
  ])("a registry address with a password is refused without repeating it: %s", (text) => {
    expect(() => parseAddress(text)).toThrow("is not an address of packs");
    expect(() => parseAddress(text)).not.toThrow(/hunter2/);
  });
});

describe("this machine", () => {
  it.each(["localhost", "LOCALHOST:5000", "127.0.0.1", "127.0.0.1:80", "127.255.0.3", "[::1]", "[::1]:5000"])(
    "%s is this machine",
    (host) => expect(isLoopback(host)).toBe(true),
  );
  it.each([
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "evillocalhost",
    // Not every machine keeps these to itself.
    "a.localhost",
    "127.1",
    "127.0.0.256",
    "127.0.0",
    "0.0.0.0",
    "128.0.0.1",
    "1127.0.0.1",
    "[::]",
    "[::2]",
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
    "",
  ])("%s is not this machine", (host) => expect(isLoopback(host)).toBe(false));
});
