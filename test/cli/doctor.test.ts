import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { topics } from "../../src/cli/topics.js";
import type { DoctorCheck, DoctorResult } from "../../src/results/results.js";
import { doctor } from "../../src/ops/doctor.js";
import { takeLock } from "../../src/store/lock.js";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

describe("ctx doctor", () => {
  it("doctor: the report says what is there and what is missing, with advice", async () => {
    const { folder } = tempStore();
    await cli(["pack", "-"], { folder, input: json(smallLog()) });
    const { status, stdout } = await cli(["doctor"], { folder, env: { PATH: "" } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok {5}Node +\d+\./);
    expect(stdout).toMatch(/^ok {5}store +1 pack in /m);
    // The test's environment has no PATH.
    expect(stdout).toMatch(/^lacks {2}bubblewrap +not on the PATH\n +.*install bubblewrap$/m);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80 + 20);
    const result = JSON.parse((await cli(["doctor", "--json"], { folder })).stdout) as { healthy: boolean };
    expect(result.healthy).toBe(true);
  });

  it("doctor: programs are found on the PATH without being run", () => {
    const bin = tempFolder();
    const ran = join(bin, "ran");
    fs.writeFileSync(join(bin, "bwrap"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    const { checks } = doctor(tempFolder(), { path: `relative:${bin}` });
    expect(checks.find(({ name }) => name === "bubblewrap")).toEqual({
      name: "bubblewrap",
      status: "ok",
      found: join(bin, "bwrap"),
    });
    expect(fs.existsSync(ran)).toBe(false);
  });

  it("doctor: a script on the PATH that starts this very ctx is no other program", () => {
    const [bin, home] = [tempFolder(), tempFolder()];
    const program = join(home, "ctx.cjs");
    fs.writeFileSync(program, "");
    const [script, ran] = [join(bin, "ctx"), join(bin, "ran")];
    const check = (text: string): DoctorCheck | undefined => {
      fs.writeFileSync(script, text, { mode: 0o755 });
      return doctor(tempFolder(), { path: bin, program }).checks.find(({ name }) => name === "ctx");
    };
    const start = `#!/bin/sh\ntouch ${ran}\nexec node`;
    expect(check(`${start} "${program}" "$@"\n`)).toEqual({ name: "ctx", status: "ok", found: script });
    const others = [`${start} ${program}.old "$@"\n`, `${start} /other "$@"\n`, `\u007fELF ${program} `];
    for (const text of [...others, `${start} ${"#".repeat(5000)}\n${program}\n`])
      expect(check(text)).toMatchObject({ status: "lacks", found: `${script} is another program` });
    expect(fs.existsSync(ran)).toBe(false);
  });

  it.each([60, 80])("doctor: lines are wrapped at %d columns, and nothing is cut", async (width) => {
    const { stdout } = await cli(["doctor"], { folder: tempFolder(), env: { PATH: "" }, width });
    expect(stdout).not.toContain("…");
    // Only a path, which is one word, may be longer.
    for (const line of stdout.split("\n"))
      if (line.length > width) expect(line.trim()).toMatch(/^\S+$|^\w+ +\w+ +\S+$/);
  });

  it("doctor: no store is no fault, and a damaged store exits 1", async () => {
    const nowhere = await cli(["doctor"], { folder: tempFolder() });
    expect(nowhere.status).toBe(0);
    expect(nowhere.stdout).toMatch(/lacks {2}store +there is no .ctx store/);
    const { folder, root } = tempStore();
    fs.writeFileSync(join(root, "packs", "f".repeat(64)), "");
    fs.mkdirSync(join(root, "tmp/left"));
    const sick = await cli(["doctor"], { folder });
    expect(sick.status).toBe(1);
    expect(sick.stdout).toContain("1 damaged");
    expect(sick.stdout).toContain("1 entry in tmp/");
    fs.writeFileSync(join(root, "config.json"), "{}");
    expect((await cli(["doctor"], { folder })).status).toBe(1);
  });
});

describe("locks in ctx doctor", () => {
  const ids = {
    "other-machine": "other-abcdefabcdef-1.17.12345.aabbccddeeff",
    garbage: "what.is.this",
  };

  it("doctor: each lock is listed with its process, machine, age and what to do", async () => {
    const { folder, root } = tempStore();
    expect(await locksIn(folder)).toEqual([]);
    const live = takeLock(root, "add");
    const [place = ""] = live.id.split(".");
    const [host = "", boot = "", namespace = ""] = place.split("-");
    const names = [
      `sweep.${ids["other-machine"]}`,
      `sweep.${host}-000000000000-${namespace}.18.1.aabbccddee01`,
      `sweep.container-${boot}-1.19.1.aabbccddee02`,
      `sweep.${place}.4194304.1.aabbccddee03`,
      ids.garbage,
    ];
    for (const name of names) fs.writeFileSync(join(root, "locks", name), "");
    const old = Date.now() / 1000 - 600;
    fs.utimesSync(join(root, "locks", names[0] as string), old, old);
    const found = await locksIn(folder);
    const about = (text: string): DoctorCheck | undefined =>
      found.find((check) => `${check.found} ${check.advice}`.includes(text));
    expect(about(`process ${process.pid} on`)).toMatchObject({
      status: "ok",
      found: `alive: add by process ${process.pid} on ${host}`,
      advice: expect.stringMatching(`wait for process ${process.pid} to finish, or stop it$`),
    });
    expect(about("process 17 ")).toMatchObject({
      status: "lacks",
      found: "unknown: sweep by process 17 on other",
      advice: expect.stringMatching(
        /^`ctx gc` or `ctx rm`: process 17 on another machine \(other\), last sign of life 10 minutes ago; if that process is no longer running, remove .*\/locks\/sweep\.other-/,
      ),
    });
    expect(about("process 18 ")?.advice).toContain("before it was restarted");
    expect(about("process 19 ")?.advice).toContain("in another container or process namespace");
    expect(about("process 4194304 ")).toMatchObject({
      status: "ok",
      found: expect.stringMatching(/^dead: /),
      advice: expect.stringContaining("the next command that writes removes the lock"),
    });
    expect(about("something unknown")).toMatchObject({ status: "lacks" });
    expect(found.length).toBe(6);
    live.release();
  });

  it("doctor: a lock dated in the future is called that and no longer counts", async () => {
    const { folder, root } = tempStore();
    const lock = join(root, "locks", `sweep.${ids["other-machine"]}`);
    fs.writeFileSync(lock, "");
    fs.utimesSync(lock, 1_925_000_000, 1_925_000_000);
    const [check] = await locksIn(folder);
    expect(check).toMatchObject({
      found: "dead: sweep by process 17 on other",
      advice: expect.stringMatching(/dated \d+ days in the future/),
    });
    expect((await cli(["pack", "-"], { folder, input: json(smallLog()) })).status).toBe(0);
    expect(fs.existsSync(lock)).toBe(false);
  });

  it("doctor: locks of the user's state are listed, at most twenty", async () => {
    const { folder } = tempStore();
    const state = tempFolder();
    fs.mkdirSync(join(state, "ctx/locks"), { recursive: true });
    for (let at = 100; at < 130; at++)
      fs.writeFileSync(
        join(state, "ctx/locks", `work-hook-ab.other-abcdefabcdef-1.17.1.aabbccddee${at}`),
        "",
      );
    const found = await locksIn(folder, { XDG_STATE_HOME: state });
    expect(found.length).toBe(21);
    expect(found.at(-1)?.found).toBe("and 10 more");
  });
});

describe("help topics", () => {
  const short = topics.filter(({ more }) => more === undefined);
  it.each(short.map(({ name }) => name))("ctx help %s fits one screen of 80 columns", async (name) => {
    const { status, stdout } = await cli(["help", name], { folder: tempFolder() });
    expect(status).toBe(0);
    expect(stdout.split("\n").length).toBeLessThan(30);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect((await cli(["help"], { folder: tempFolder() })).stdout).toMatch(
      new RegExp(`^topics: .*\\b${name}\\b`, "m"),
    );
  });

  it("ctx help format: the log that it calls enough can be packed", async () => {
    const { folder } = tempStore();
    const text = topics.find(({ name }) => name === "format")?.text ?? "";
    const example = /^ {2}\{[^]*?\} \}$/m.exec(text)?.[0] ?? "";
    const { status, stderr } = await cli(["pack", "-"], { folder, input: example });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it("ctx help: a topic that does not exist is answered with a suggestion", async () => {
    const folder = tempFolder();
    expect((await cli(["help", "formt"], { folder })).stderr).toContain("did you mean `ctx help format`?");
    expect((await cli(["help", "zzzzzz"], { folder })).stderr).toContain(
      "`ctx help` lists commands and topics",
    );
  });
});

async function locksIn(folder: string, env: Record<string, string> = {}): Promise<DoctorCheck[]> {
  const { stdout, status } = await cli(["doctor", "--json"], { folder, env });
  expect(status).toBe(0);
  return (JSON.parse(stdout) as DoctorResult).checks.filter(({ name }) => name === "lock");
}
