// Contents that mix encodings, or that claim another one than they have: no byte at their beginning turns
// masking off.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { githubToken } from "../../dev/secrets.js";

const token = githubToken();
const password = "s3cr3t-Passw0rd9";
const text = `# key\nGITHUB_TOKEN=${token}\nDB_PASSWORD=${password}\n`;

function wide(plain: string): Buffer {
  return Buffer.from(plain, "utf16le");
}

function utf32(plain: string): Buffer {
  return Buffer.from(plain.replaceAll(/./gs, "$&\0\0\0"), "latin1");
}

function noise(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * 7919 + (at >> 3)) % 256));
}

/** Packs one file, and returns the result with the bytes that the store has for it. */
async function packed(bytes: Buffer): Promise<{ result: PackResult; stored: Buffer; folder: string }> {
  const { folder } = tempStore();
  fs.writeFileSync(join(folder, "notes.env"), bytes);
  const outputs = [{ name: "notes.env", content_file: "notes.env" }];
  fs.writeFileSync(join(folder, "run.json"), json(smallLog({ created: "2026-01-01T00:00:00Z", outputs })));
  const { status, stdout, stderr } = await cli(["pack", "run.json", "--json", "--no-sidecars"], { folder });
  expect(status, stderr).toBe(0);
  const result = JSON.parse(stdout) as PackResult;
  const shown = await cli(["show", result.hash, "--json"], { folder });
  const [output] = (JSON.parse(shown.stdout) as { outputs: { content_ref: string }[] }).outputs;
  const { bytes: stored } = await cli(["cat", output?.content_ref ?? "", "--raw"], { folder });
  return { result, stored, folder };
}

it.each([
  ["plain text behind the mark of UTF-16", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)])],
  [
    "plain text behind the mark of UTF-16, big-endian",
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text)]),
  ],
  ["plain text behind 4,096 bytes of UTF-16", Buffer.concat([wide("a".repeat(2048)), Buffer.from(text)])],
  ["UTF-16 that has one byte too many", Buffer.concat([wide("some text\n"), Buffer.from("x"), wide(text)])],
  [
    "UTF-16 behind more than 4 KiB of plain text",
    Buffer.concat([Buffer.alloc(5000, "a line\n"), wide(text)]),
  ],
  [
    "UTF-16 behind plain text, big-endian",
    Buffer.concat([Buffer.alloc(5000, "a line\n"), wide(text).swap16()]),
  ],
  ["UTF-32", utf32(text)],
  ["UTF-32 with its mark", Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), utf32(text)])],
  ["Latin-1 with a control character", Buffer.from(`\x01 Schl\xfcssel\n${text}`, "latin1")],
  [
    "17 MB of UTF-16 with plain text behind it",
    Buffer.concat([Buffer.alloc(17 << 20, wide("some line\n")), Buffer.from(text)]),
  ],
  [
    "plain text between bytes that are no text",
    Buffer.concat([noise(4000), Buffer.from(`\n${text.repeat(8)}`)]),
  ],
])("redact: secrets are masked and found in %s", async (_, bytes) => {
  const { result, stored, folder } = await packed(bytes);
  const narrow = stored.toString("latin1").replaceAll("\0", "");
  expect(narrow).not.toContain(token);
  expect(narrow).not.toContain(password);
  expect(narrow).toContain("GITHUB_TOKEN=[REDACTED:github-token:1]\nDB_PASSWORD=[REDACTED:named-secret:1]\n");
  expect(Object.keys(result.redactions?.rules ?? {})).toEqual(["github-token", "named-secret"]);
  const file = await cli(["scan", "notes.env", "--json"], { folder });
  expect(file.status).toBe(1);
  expect(file.stdout).toContain("github-token");
  expect(file.stdout).toContain("named-secret");
  await cli(["pack", "run.json", "--redact", "off", "--no-sidecars"], { folder });
  expect((await cli(["scan", "latest"], { folder })).status).toBe(1);
  expect((await cli(["scan", result.hash], { folder })).status).toBe(0);
});

it("redact: a masked secret in UTF-16 behind plain text leaves the characters around it whole", async () => {
  const { stored } = await packed(Buffer.concat([Buffer.alloc(5000, "a line\n"), wide(text)]));
  expect(stored.subarray(5000).toString("utf16le")).toBe(
    "# key\nGITHUB_TOKEN=[REDACTED:github-token:1]\nDB_PASSWORD=[REDACTED:named-secret:1]\n",
  );
});

it.each([
  ["what has the mark of UTF-16 and is no text", Buffer.concat([Buffer.from([0xff, 0xfe]), noise(9000)]), 1],
  ["Chinese in UTF-16", wide(`\ufeff${"密码不在这里，只有文字。\n".repeat(500)}`), undefined],
  ["Latin-1 with a control character", Buffer.from("\x01 Schl\xfcssel\n", "latin1"), undefined],
])("redact: %s is counted as not searched only where it is no text", async (_, bytes, unsearched) => {
  const { result, stored } = await packed(bytes);
  expect(result.unsearched).toBe(unsearched);
  expect(stored.equals(bytes)).toBe(true);
});

/** Known by the word before it, in its own script. */
const spoken = "Kade-Zeemeeuw88x";
const cyrillic = `${"# Настройки базы данных для стенда, не показывать никому\n".repeat(20)}Пароль: ${spoken}\nГотово\n${text}`;
const arabic = `# إعدادات قاعدة البيانات الرئيسية وكلمات المرور هنا\n${text}`;
const thai = `# การตั้งค่าฐานข้อมูลสำหรับเซิร์ฟเวอร์ทดสอบ ห้ามเผยแพร่\n${text}`;

it.each([
  ["Cyrillic", wide(cyrillic)],
  ["Cyrillic, big-endian", wide(cyrillic).swap16()],
  ["Arabic", wide(arabic)],
  ["Thai", wide(thai)],
])("redact: secrets are masked and found in UTF-16 without a mark in %s", async (_, bytes) => {
  const { stored, folder } = await packed(bytes);
  const narrow = stored.toString("latin1").replaceAll("\0", "");
  expect(narrow).not.toContain(token);
  expect(narrow).not.toContain(password);
  expect(narrow).not.toContain(spoken);
  expect((await cli(["scan", "notes.env"], { folder })).status).toBe(1);
});

it("redact: UTF-16 in another script behind plain text is counted as not searched", async () => {
  const letters = wide("Настройки базы данных для стенда\n".repeat(20));
  const { result, folder } = await packed(Buffer.concat([Buffer.alloc(5000, "a line\n"), letters]));
  expect(result.unsearched).toBe(1);
  expect((await cli(["scan", "notes.env"], { folder })).status).toBe(2);
});

it("redact: text with a zero between entries, as `env -0` prints it, counts as searched", async () => {
  const { result, folder } = await packed(Buffer.from("HOME=/root\0LANG=C\0PATH=/bin\0".repeat(100)));
  expect(result.unsearched).toBeUndefined();
  expect((await cli(["scan", "notes.env"], { folder })).status).toBe(0);
});
