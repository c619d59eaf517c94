// Why: classes of secrets whose only sign is where they stand, and code that stands in the same places.
import { describe, expect, it } from "vitest";
import { printingOf } from "../../../src/redact/printing.js";
import { Redactor } from "../../../src/redact/redactor.js";
import { createScanner } from "../../../src/redact/scanner.js";

const password = "Vlinder#Dak82";
const key = "q8Zr2LmX5vTn0WbKc3Yd7HsP";

function masked(text: string, mode: "standard" | "strict" = "standard"): string {
  return new Redactor(createScanner({ mode })).text(text).value;
}

function write(path: string, content: string): unknown {
  return new Redactor(createScanner({ mode: "standard" })).value({ path, content }).value;
}

it("redact: every row of a table below a telling head is masked, and the other cells stay", () => {
  const rows = Array.from({ length: 30 }, (_, at) => `| user-${at} | Molen#Wiek${at + 10} | owner |`);
  const text = `| name | password | role |\n|---|---|---|\n${rows.join("\n")}\n\n| a | Molen#Wiek1 | b |\n`;
  const left = masked(text);
  expect(left.match(/\[REDACTED:table-secret:\d+\]/g)).toHaveLength(30);
  expect(left).toContain("| user-29 |");
  expect(left).toContain("| a | Molen#Wiek1 | b |");
});

it("redact: a table ends where its rows have other columns", () => {
  expect(masked("user,password\nana,Vlinder#Dak82\nthe end, of it, Molen#Wiek77\n")).toContain(
    "Molen#Wiek77",
  );
});

it("redact: each secret of a list behind a telling name is masked", () => {
  const other = "m4Kd9Qw2Xz7Lp0Rt6Vb1Ns8H";
  const left = masked(`tokens = ["${key}", "${other}", "not-a-token"]`);
  expect(left).not.toContain(key);
  expect(left).not.toContain(other);
  expect(left).toContain("not-a-token");
});

describe("a call that writes a file", () => {
  it("redact: what a call writes to a file that is named like a secret is masked", () => {
    expect(write("secrets/db_password.txt", password)).toEqual({
      path: "secrets/db_password.txt",
      content: "[REDACTED:printed-secret:1]",
    });
  });

  it("redact: what a call writes to another file stays", () => {
    expect(write("docs/password.md", password)).toEqual({ path: "docs/password.md", content: password });
    expect(write("src/token.ts", "export const a = 1;")).toMatchObject({ content: "export const a = 1;" });
  });
});

it.each([
  ["supabase secrets get DB", "fields"],
  ["wrangler secret show DB", "fields"],
  ["systemd-ask-password 'x'", "value"],
  ["cat /etc/app/signing_key", "value"],
  ["supabase secrets list", undefined],
  ["make secrets", undefined],
])("redact: what %s prints is judged as %s", (command, prints) => {
  expect(printingOf({ tool: "bash", parameters: { command } })?.prints).toBe(prints);
});

it.each([
  'let url = format!("{user}:{password}@{host}");',
  "secret = Application.fetch_env!(:app, :secret_v2)",
  "token: models::Token2, consume/1",
  'password: "{password}"',
  "api_key={SumoAccessKey}",
  "keyVaultToStoreSecrets: cmp2-qat-1208358310",
  "minisat-master-keying:x64-uwp",
  "passwd = (p).pws.pw_name2 + 1;",
  'token := fmt.Sprintf("%s-%s-token", mount, role)',
  "credential = cargo_credential::PROTOCOL_VERSION_1",
  "token_issue_time: 2020-05-28T13:40:18-05:00",
  "secretRow: '[data-test-component=\"info-table-row2\"]'",
  'curl -H "Authorization: $(trim "$type") $token" \'https://a.example/v2\'',
])("redact: code that stands where a secret would is not masked: %s", (text) => {
  expect(masked(text)).toBe(text);
});

it("redact: strict masks random characters without a sure sign, and standard does not", () => {
  for (const text of [`acme = "${key}"`, `ACME=${key}\n`, `acme '${key}'`]) {
    expect(masked(text)).toBe(text);
    expect(masked(text, "strict")).not.toContain(key);
  }
  for (const text of [`commit = "9f2c7b41e8d05a6634c1b2f7a95d08e39f2c7b41"`, 'title = "Settings of page 2"'])
    expect(masked(text, "strict")).toBe(text);
});
