// Values behind telling names: what random generators make is masked whatever characters it has, and what
// people write in its place stays.
import { describe, expect, it } from "vitest";
import { hasRandomLetters } from "../../../src/redact/letter-pairs.js";
import { Redactor } from "../../../src/redact/redactor.js";
import { createScanner } from "../../../src/redact/scanner.js";

const search = createScanner({ mode: "standard" });

function masked(text: string): string {
  return new Redactor(search).text(text).value;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

function randomTexts(alphabet: string, { count = 400, length = 20, seed = 7 } = {}): string[] {
  const next = numbers(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length }, () => alphabet[next(alphabet.length)]).join(""),
  );
}

const forms: readonly (readonly [string, (value: string) => string])[] = [
  ["an environment file", (value) => `DB_PASSWORD=${value}\n`],
  ["an environment file, in quotes", (value) => `DB_PASSWORD="${value}"\n`],
  ["a shell", (value) => `export API_TOKEN=${value}\n`],
  ["JSON", (value) => `{"password": "${value}"}`],
  ["YAML", (value) => `api_key: '${value}'\n`],
  ["an option", (value) => `mysql --password='${value}' shop`],
  ["a sentence", (value) => `the password is ${value} for now`],
  [".netrc", (value) => `machine x login y password ${value}\n`],
];

describe.each(forms)("400 random values in %s", (_, form) => {
  it.each([
    ["letters of both cases", letters, 8],
    ["letters and digits", letters + digits, 2],
    ["letters, digits and marks", `${letters + digits}!@#$%^&*`, 2],
  ])("redact: nearly all of 400 random values of %s are masked", (_kind, alphabet, most) => {
    const left = randomTexts(alphabet).filter((value) => masked(form(value)).includes(value));
    expect(left.length, left.join(" ")).toBeLessThanOrEqual(most);
  });
});

it.each(["@", "$", "%", ":", "&"])("redact: a random value that begins with %s is masked", (mark) => {
  for (const value of randomTexts(letters + digits, { count: 100, length: 19 }))
    expect(masked(`{"password": "${mark}${value}"}`)).not.toContain(value);
});

it("redact: the password in a .netrc file is masked whatever it is", () => {
  for (const value of ["banana", "password", "example", "@home", "$ecret", "WINTER", "changeme"])
    expect(masked(`machine api.internal\n  login ana\n  password ${value}\n`)).toMatch(
      /password \[REDACTED:netrc-password:1\]\n$/,
    );
});

it.each([
  "password = $DB_PASSWORD",
  "password = ${DB_PASSWORD}",
  "--password=$DB_PASSWORD",
  'password: "%DB_PASSWORD%"',
  'password: "%(db_password)s"',
  'password: "<your-password>"',
  'api_key: "<YourApiKey>"',
  'token: "@./secrets/token.txt"',
  'token: "@secrets/token.txt"',
  "token: :session_token,",
  "password: $user->passwordHash,",
  "password = $_POST['password'];",
  'password: "$2b$10$abcdefghijklmnopqrstuv"',
  'token: "{{ vault_token }}"',
  "Authorization: Bearer xxxxxxxxxxxxxxxxxxxxxxxx",
  'password: "AuthenticationTokenProvider"',
  "secret: createPasswordHasherFactory",
  "token = require('./lexer').token",
  "the password is CaseSensitiveAndRequired",
  "machine learning login pages need a password policy",
])("redact: %s is not masked", (text) => {
  expect(masked(text)).toBe(text);
});

it("redact: a token that contains xxxx is masked", () => {
  const token = `ghp_${"aB3dE6gH9".repeat(3)}xXxXjK2mN`;
  expect(masked(`see ${token}`)).toBe("see [REDACTED:github-token:1]");
  expect(masked("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")).toContain("xxxx");
});

it("redact: names of functions do not count as random letters", () => {
  for (const name of [
    "getServerSideProps",
    "XMLHttpRequestFactory",
    "createJSONWebTokenVerifier",
    "wachtwoordVergetenKnop",
    "benutzerKennwortZuruecksetzen",
    "useSyncExternalStoreWithSelector",
  ])
    expect(hasRandomLetters(name), name).toBe(false);
});

it.each([
  "password\\u003dVALUE",
  '{"body": "user\\u003dana\\u0026password\\u003dVALUE"}',
  "password\\\\u003dVALUE",
  "password&#61;VALUE",
  "password&#x3D;VALUE",
  "password&equals;VALUE",
  "api_key&#58; VALUE",
  "&quot;password&quot;: &quot;VALUE&quot;",
  "\\u0022password\\u0022:\\u0022VALUE\\u0022",
])("redact: a value is masked where its mark is written as in %s", (text) => {
  const value = "9f8aB7c6D5e4F3a2B1c0";
  expect(masked(text.replace("VALUE", value))).toBe(text.replace("VALUE", "[REDACTED:named-secret:1]"));
});
