import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.js";
import { contextRules } from "../../../src/redact/context-rules.js";
import { namedRules } from "../../../src/redact/named-rules.js";
import { providerRules } from "../../../src/redact/provider-rules.js";
import { Redactor } from "../../../src/redact/redactor.js";
import { repository } from "../../support/built.js";

const rules = [...providerRules, ...contextRules, ...namedRules];

function masked(text: string): string {
  return new Redactor({ mode: "standard" }).text(text).value;
}

describe("every rule", () => {
  const proofs = rules.flatMap(({ id, examples }) => examples.masked.map((text) => [id, text] as const));
  it.each(proofs)("%s masks what its examples say: %s", (id, text) => {
    const plain = text.replaceAll(/[«»]/g, "");
    const expected = text.replaceAll(/«[^»]*»/g, `[REDACTED:${id}:1]`);
    expect(masked(plain)).toBe(expected);
  });

  const harmless = rules.flatMap(({ id, examples }) =>
    (examples.left ?? []).map((text) => [id, text] as const),
  );
  it.each(harmless)("%s leaves alone what its examples say: %s", (_, text) => {
    expect(masked(text)).toBe(text);
  });

  it("has a name that a placeholder can hold, and examples", () => {
    for (const { id, examples } of rules) {
      expect(id).toMatch(/^[a-z0-9-]+$/);
      expect(examples.masked.length).toBeGreaterThan(0);
    }
  });
});

interface Case {
  id: string;
  harmless: boolean;
  text?: string;
  value?: JsonValue;
  secrets?: string[];
}

/** Whether something of a secret is left: twelve characters in a row are. */
function isLeft(secret: string, text: string): boolean {
  if (secret.length <= 12) return text.includes(secret);
  for (let at = 0; at + 12 <= secret.length; at++) if (text.includes(secret.slice(at, at + 12))) return true;
  return false;
}

describe("the corpus", () => {
  const cases = JSON.parse(fs.readFileSync(join(repository, "test/redaction/corpus.json"), "utf8")) as
    | Case[]
    | { cases: Case[] };
  const all = Array.isArray(cases) ? cases : cases.cases;
  const results = all.map((one) => {
    const redactor = new Redactor({ mode: "standard" });
    const { value, hits } =
      one.text === undefined ? redactor.value(one.value ?? null) : redactor.text(one.text);
    return { one, hits, text: typeof value === "string" ? value : JSON.stringify(value) };
  });

  it("is found, to at least 95 of 100", () => {
    const planted = results.filter(({ one }) => !one.harmless);
    const missed = planted.filter(({ one, text }) =>
      (one.secrets ?? []).some((secret) => isLeft(secret, text)),
    );
    expect(planted).toHaveLength(300);
    expect(missed.map(({ one }) => one.id).length).toBeLessThanOrEqual(15);
  });

  it("has harmless look-alikes, of which at most 2 in 100 are masked", () => {
    const harmless = results.filter(({ one }) => one.harmless);
    expect(harmless).toHaveLength(300);
    expect(harmless.filter(({ hits }) => hits.size > 0).length).toBeLessThanOrEqual(6);
  });

  it("is masked once: masking again changes nothing", () => {
    for (const { text } of results) expect(masked(text)).toBe(text);
  });
});

/** A token that nobody has. */
function token(letter: string): string {
  return `ghp_${`${letter}B3d`.repeat(9)}`;
}

describe("placeholders", () => {
  it("are the same for the same secret, and say nothing about it", () => {
    const redactor = new Redactor({ mode: "standard" });
    const one = redactor.text(`a ${token("x")} b ${token("y")} c ${token("x")}`);
    expect(one.value).toBe(
      "a [REDACTED:github-token:1] b [REDACTED:github-token:2] c [REDACTED:github-token:1]",
    );
    expect([...one.hits]).toEqual([["github-token", 3]]);
    expect(redactor.bytes(Buffer.from(`again ${token("y")}`)).value.toString()).toBe(
      "again [REDACTED:github-token:2]",
    );
  });

  it("stand in values under names that tell, and in the names", () => {
    const redactor = new Redactor({ mode: "standard" });
    const { value, hits } = redactor.value({
      password: "s3cr3t-Passw0rd",
      nested: [{ apiKey: "9f8aB7c6D5e4F3a2" }],
      [token("x")]: 1,
      password_policy: "strict",
      __proto__: { token: "x" },
    });
    expect(value).toEqual({
      password: "[REDACTED:named-secret:1]",
      nested: [{ apiKey: "[REDACTED:named-secret:2]" }],
      "[REDACTED:github-token:1]": 1,
      password_policy: "strict",
    });
    expect([...hits]).toEqual([
      ["named-secret", 2],
      ["github-token", 1],
    ]);
  });

  it("stand for what is allowed by nobody, and only in text", () => {
    const allowed = new Redactor({ mode: "standard", allow: [token("x")] });
    expect(allowed.text(token("x")).hits.size).toBe(0);
    expect(new Redactor({ mode: "off" }).text(token("x")).hits.size).toBe(0);
    const bytes = Buffer.concat([Buffer.from(token("x")), Buffer.from([0xff])]);
    expect(new Redactor({ mode: "standard" }).bytes(bytes).value).toBe(bytes);
  });
});
