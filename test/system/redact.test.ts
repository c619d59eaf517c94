// Secrets seen from outside: whatever the program writes or names, at any moment, in files that are gone
// again as well.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { minWorkerBytes } from "../../src/redact/worker-scan.js";
import { tempFolder } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, runCtx, start } from "../../dev/processes.js";
import { claudeSession } from "../../dev/redact-scenes.js";
import { githubToken, password, secrets } from "../../dev/secrets.js";

/** Returns every text that a command hands to the system: what it writes, and the paths that it names. */
async function handedOver(folder: string, args: string[]): Promise<string> {
  const trace = join(tempFolder(), "trace");
  const options = [
    "-f",
    "-qq",
    "-s",
    "100000",
    "-e",
    "trace=write,writev,pwrite64,pwritev,file",
    "-o",
    trace,
  ];
  const { status, stderr } = await start("strace", [...options, ...ctxCommand(folder, args)]).ended;
  expect(status, stderr).toBe(0);
  return fs.readFileSync(trace, "latin1");
}

describe("a large log that two threads scan", () => {
  it("a large log that two threads scan becomes the same pack as with one thread", async () => {
    const folder = tempFolder();
    expect((await runCtx(folder, ["init"])).status).toBe(0);
    const steps = Array.from({ length: 3000 }, (_, at) => ({
      type: "reasoning",
      output: `${at} ${"what tools print, line by line\n".repeat(100)}${at % 97 === 5 ? `TOKEN=${githubToken(String(at % 7))}` : ""}${at % 10 === 3 ? password : ""}`,
    }));
    const log = smallLog({ prompts: [{ role: "user", content: `PASSWORD=${password}` }], steps });
    const text = JSON.stringify({ ...log, created: "2026-01-01T00:00:00Z" });
    expect(text.length).toBeGreaterThan(minWorkerBytes);
    fs.writeFileSync(join(folder, "run.json"), text);
    const byFile = await runCtx(folder, ["pack", "run.json"]);
    // Standard input is read by one thread.
    const byPipe = await runCtx(folder, ["pack", "-"], { input: text });
    expect(byFile.stdout).toBe(byPipe.stdout);
    expect(byFile.stdout).toMatch(/^ctx:/);
    const objects = fs
      .readdirSync(join(folder, ".ctx/objects"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(objects.filter((text) => text.includes("[REDACTED:named-secret:1]")).length).toBeGreaterThan(290);
    expect(objects.filter((text) => secrets.some((secret) => text.includes(secret))).length).toBe(0);
  });
});

describeWith([program("strace")], "a log with secrets", () => {
  it("a log with secrets leaves none of them in any file or path, even for a moment (row 55)", async () => {
    const folder = tempFolder();
    expect((await runCtx(folder, ["init"])).status).toBe(0);
    const session = claudeSession(folder, { secret: githubToken(), other: password });
    fs.writeFileSync(
      join(folder, "large.txt"),
      `${"nothing to see here\n".repeat(900_000)}${githubToken("y")}\n`,
    );
    const log = smallLog({
      prompts: [{ role: "user", content: `PASSWORD=${password}` }],
      outputs: [
        { name: `${githubToken()}.md`, content: githubToken() },
        { name: "large", content_file: "large.txt" },
      ],
    });
    fs.writeFileSync(join(folder, "run.json"), json(log));
    for (const args of [
      ["pack", session],
      ["pack", "run.json"],
      ["fork", "latest"],
      ["log", "--json"],
    ]) {
      const text = await handedOver(folder, args);
      expect(text).toContain("write(");
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });
});
