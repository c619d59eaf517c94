// Why: a person who hands over a password says so, and a client has one place for it; the value may be any word.
import { describe, expect, it } from "vitest";
import { isAnnounced, isWordPhrase } from "../../../src/redact/announced.js";
import { printingOf } from "../../../src/redact/printing.js";
import { Redactor } from "../../../src/redact/redactor.js";
import { createScanner } from "../../../src/redact/scanner.js";

const scanner = createScanner({ mode: "standard" });

function masked(text: string): string {
  return new Redactor(scanner).text(text).value;
}

function printedBy(command: string, output: string): string {
  const printing = printingOf({ tool: "bash", parameters: { command } });
  let left = output;
  for (const { pieces } of scanner.find(output, { printing }).toReversed())
    for (const { from, to } of pieces.toReversed()) left = left.slice(0, from) + left.slice(to);
  return left;
}

describe("what a sentence announces", () => {
  it.each([
    "the vnc password is otterlake42",
    'The root password on the box is "otterlake42".',
    "wifi is Gasthuis, password otterlake42",
    "please set the password to otterlake42",
    "creds: deploy / otterlake42",
    "use otterlake42 as the password for it",
    "pw -> otterlake42",
    "Mot de passe wifi : otterlake42",
    "contrase\u00f1a: otterlake42",
    "\u041f\u0430\u0440\u043e\u043b\u044c: otterlake42",
    "\u5bc6\u7801\uff1aotterlake42",
    "kodeordet til serveren er otterlake42",
  ])("redact: an announced password is masked: %s", (text) => {
    expect(masked(text)).not.toContain("otterlake42");
  });

  it.each([
    "what is the password of ana77?",
    "the password is stored in vault/prod-2024",
    "the password is $DB_PASSWORD_2",
    "the password is in ~/.config/app2",
    "the password is 8-64 characters long",
    "the password must be changed by 2026-01-31",
    "is the password db_password2?",
    "pass method names to httplib2, as it expects them",
    "the password is userPassword2",
    "the password is Crypt::hash2",
  ])("redact: a place, a variable, a property or a question is not masked: %s", (text) => {
    expect(masked(text)).toBe(text);
  });

  it("redact: without a verb, a name with a number is no password", () => {
    expect(isAnnounced("server1", true)).toBe(true);
    expect(isAnnounced("server1", false)).toBe(false);
    expect(isAnnounced("fiddl3_18", false)).toBe(true);
    expect(isAnnounced("SEG-2291", true)).toBe(false);
  });

  it("redact: words of a sentence are no passphrase, and a seed may contain two of them", () => {
    expect(isWordPhrase("cinder gadget juniper onyx")).toBe(true);
    expect(isWordPhrase("cinder gadget with onyx")).toBe(false);
    const seed = "saddle that mechanic sleep kite hedgehog suggest pattern odor real misery kick";
    expect(isWordPhrase(seed)).toBe(true);
    expect(isWordPhrase(seed.replace("sleep kite hedgehog", "the with from"))).toBe(false);
  });

  it.each([
    "SSH passphrase for id_rsa = cinder gadget juniper onyx\n",
    "export RESTIC_PASSWORD='cinder gadget juniper onyx'",
  ])("redact: a passphrase of words is masked: %s", (text) => {
    expect(masked(text)).not.toContain("gadget");
  });

  it("redact: a list of recovery codes is one secret", () => {
    const left = masked("recovery codes:\n\n24d61-86dd2\ndc7b5-e7ccf\n12581-cf9f5\n\naccount is ana");
    expect(left).toBe("recovery codes:\n\n[REDACTED:recovery-codes:1]\n\naccount is ana");
  });
});

describe("where a client expects its password", () => {
  it.each([
    "mysql -h db -u ana -potterlake shop",
    'ldapsearch -D "cn=svc-wiki,dc=corp" -w otterlake -b dc=corp',
    "sshpass -p 'otterlake' ssh a@b",
    "7z x a.7z -potterlake",
    "PGPASSWORD=otterlake psql -h db",
    "echo 'otterlake' | sudo -S ls",
    "kubectl create secret generic a --from-literal=pw=otterlake",
    "wget --user ana --password 'otterlake' https://a.example/x",
  ])("redact: a word there is masked: %s", (text) => {
    expect(masked(text)).not.toContain("otterlake");
  });

  it.each([
    'mysql -u root -p"$DB_PASS" shop',
    "7z x archive-2024.7z -o/srv",
    "use --password to set the password",
    "DB_PASSWORD=op://Engineering/prod-db/password\n",
    "openssl enc -pass pass:$PW -in a",
  ])("redact: a variable, another option or a reference there is not masked: %s", (text) => {
    expect(masked(text)).toBe(text);
  });
});

it.each([
  "smtp_sasl_password_maps = hash:/etc/postfix/sasl_passwd",
  "  token: ssm:/prod/github/token",
  "LoadCredential=db-password:/etc/credstore/billing-db-password",
  "  const token = req.headers.authorization?.split(' ')[1];",
  '  password: System.fetch_env!("DATABASE_PASSWORD"),',
  "db.password=@db.password@",
  "TERM_SESSION_ID=95e154e0-f8f7-411d-9dbf-22b255b8aa73",
  "NEXT_PUBLIC_VAPID_KEY=BqDhj60pcGBDmQevzGy1By1TrdWeXnDwm2BxWki3ylixY8nCw3rnXZnOAeKoyY6",
  "--- PASS: TestPasswordHasher/argon2id_default_parameters (0.11s)",
  'publicKeyToken="31bf3856ad364e35"',
])("redact: a reference, a call or an id is not masked: %s", (text) => {
  expect(masked(text)).toBe(text);
});

it("redact: a mask does not take the first word of the next line", () => {
  const key = "xai-0imGr2XY41awnqDWNZbK59PZFbbzPvpTbi2fbdI46TYPicoLCaqAhG3tLXHUwFp3jTkjqrXYPt8Ruz5v";
  expect(masked(`export XAI_API_KEY=${key}\nexport HF_HOME=/mnt/models\n`)).toMatch(
    /\nexport HF_HOME=\/mnt\/models\n$/,
  );
});

it("redact: times, servers and users beside a printed secret stay", () => {
  const vault =
    "Key             Value\n---             -----\ncreated_time    2025-01-30T10:01:55.918273Z\nldap_bind_pw    BisonQuartz243!\n";
  const left = printedBy("vault kv get kv/apps/a", vault);
  expect(left).toContain("2025-01-30T10:01:55.918273Z");
  expect(left).not.toContain("BisonQuartz243!");
  const mail = printedBy(
    "cat /etc/postfix/sasl_passwd",
    "[mail.corp.example]:465 relay@corp.example:8iu%0PuoaY_Q\n",
  );
  expect(mail).toBe("[mail.corp.example]:465 relay@corp.example:\n");
});
