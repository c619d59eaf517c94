// Many logs in one call: they become durable together, and all the same each is reported for itself.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";

interface Place {
  folder: string;
  root: string;
  /** Writes logs, and packs them in one call. */
  pack: (logs: Record<string, unknown>, ...more: string[]) => Promise<CliResult>;
}

function place(): Place {
  const { folder, root } = tempStore();
  return {
    folder,
    root,
    pack(logs, ...more) {
      for (const [name, log] of Object.entries(logs))
        fs.writeFileSync(join(folder, name), typeof log === "string" ? log : json(log));
      return cli(["pack", "--no-sidecars", ...Object.keys(logs), ...more], { folder });
    },
  };
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 1, 10, 12, 0, second)).toISOString();
}

function prompted(second: number, content: string): unknown {
  return smallLog({ created: at(second), prompts: [{ role: "user", content }] });
}

function uncoloured(text: string): string {
  return text.replaceAll(/\u001b\[\d+m/g, "");
}

const uris = (text: string): string[] => text.split("\n").slice(0, -1);

describe("many logs in one call", () => {
  it("ctx pack of many logs makes the same packs as one by one, in order, and the last is latest", async () => {
    const logs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`${n}.json`, smallLog({ created: at(n) })]),
    );
    const [together, apart] = [place(), place()];
    const { status, stdout, stderr } = await together.pack(logs);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const single: string[] = [];
    for (const [name, log] of Object.entries(logs)) single.push((await apart.pack({ [name]: log })).stdout);
    expect(stdout).toBe(single.join(""));
    const latest = fs.readFileSync(join(together.root, "refs/latest"), "utf8");
    expect(`ctx://${latest.slice(7, -1)}`).toBe(uris(stdout).at(-1));
    expect(fs.readdirSync(join(together.root, "packs")).length).toBe(40);
    expect((await cli(["verify"], together)).status).toBe(0);
    for (const name of ["tmp", "locks"]) expect(fs.readdirSync(join(together.root, name))).toEqual([]);
  });

  it("ctx pack of several logs on a terminal lists hash, title and file, and counts; of one it prints the URI", async () => {
    const { pack, folder } = place();
    await pack({
      "a.json": prompted(1, "Fix the pager"),
      "b.json": prompted(2, "Add a footer"),
      "bad.json": "no log",
    });
    const options = { folder, terminal: 80 };
    const { stdout, stderr, status } = await cli(["pack", "a.json", "b.json", "bad.json"], options);
    expect(uncoloured(stdout)).toMatch(
      /^[\da-f]{12} {2}Fix the pager {2}a\.json\n[\da-f]{12} {2}Add a footer {2}b\.json\n$/,
    );
    expect(uncoloured(stderr)).toMatch(/^error: [^]*\nnote: 2 packed, 1 failed\n$/);
    expect(status).toBe(2);
    expect((await cli(["pack", "a.json"], options)).stdout).toMatch(/^ctx:\/\/[\da-f]{64}\n$/);
    const json = await cli(["pack", "a.json", "b.json", "--json"], options);
    expect(json.stdout).toMatch(/^\{[^\n]+\}\n\{[^\n]+\}\n$/);
    expect(json.stderr).toBe("");
  });

  it("ctx pack of a folder of logs says how to pack the logs in it", async () => {
    const { folder } = place();
    fs.mkdirSync(join(folder, "logs"));
    fs.writeFileSync(join(folder, "logs/a.json"), json(smallLog({})));
    const { status, stderr } = await cli(["pack", "logs"], { folder });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        "error: logs is a folder without execution.json, so it is not a draft\n" +
        "hint: to pack the logs in it, name them: `ctx pack logs/*`\n",
    });
  });

  it("ctx pack of many logs reports them in order, and bad ones do not prevent the others", async () => {
    const { pack, root } = place();
    const { status, stdout, stderr } = await pack({
      "a.json": smallLog({ created: at(1) }),
      "bad.json": { model: 5, system_prompt: "", environment: {} },
      "b.json": smallLog({ created: at(2) }),
      "none.jsonl": "no log\n",
      "c.json": smallLog({ created: at(3) }),
    });
    expect(status).toBe(2);
    expect(uris(stdout).length).toBe(3);
    expect(stderr).toMatch(/^error: bad\.json is not .*error: .*none\.jsonl/s);
    expect(fs.readdirSync(join(root, "packs")).length).toBe(3);
  });

  it("ctx pack of many logs counts shared bytes once, and the same log twice is new once", async () => {
    const { pack } = place();
    const [first, second, third] = [
      runLog({ created: at(1) }),
      runLog({ created: at(2) }),
      runLog({ created: at(1) }),
    ];
    const { stdout } = await pack({ "1.json": first, "2.json": second, "3.json": third }, "--json");
    const results = uris(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(results.map((result) => result["new"])).toEqual([true, true, false]);
    const [one, two, again] = results.map(
      (result) => [result["bytes_new"], result["bytes_shared"]] as number[],
    );
    expect(one?.[0]).toBeGreaterThan(two?.[0] as number);
    expect(two?.[1]).toBeGreaterThan(0);
    expect(again?.[0]).toBe(0);
  });

  it("ctx pack of many logs makes one pack of the same log without a time", async () => {
    const { pack, root } = place();
    const timeless = smallLog({ created: undefined });
    const { stdout, status } = await pack({
      "a.json": timeless,
      "b.json": smallLog({ created: at(5) }),
      "c.json": timeless,
    });
    expect(status).toBe(0);
    const [a, , c] = uris(stdout);
    expect(a).toBe(c);
    expect(fs.readdirSync(join(root, "packs")).length).toBe(2);
  });

  it("ctx pack of many logs reports a repaired object with the log that it belongs to", async () => {
    const { pack, root } = place();
    const logs = {
      "a.json": smallLog({ created: at(1), system_prompt: "one" }),
      "b.json": smallLog({ created: at(2), system_prompt: "two" }),
    };
    await pack(logs);
    const blob = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3";
    const path = join(root, "objects", blob.slice(0, 2), blob.slice(2));
    fs.rmSync(path);
    fs.writeFileSync(path, "not two");
    const { stdout } = await pack(logs, "--json");
    const results = uris(stdout).map((line) => JSON.parse(line) as { repaired: string[] });
    expect(results.map(({ repaired }) => repaired)).toEqual([[], [`sha256:${blob}`]]);
  });

  it("ctx pack of many logs seals all but the one whose object cannot be written", async () => {
    const { pack, root } = place();
    fs.rmSync(join(root, "objects"), { recursive: true });
    fs.mkdirSync(join(root, "objects"));
    // The folder that the first blob belongs into is taken by a file.
    const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    fs.mkdirSync(join(root, "objects", empty.slice(0, 2)));
    fs.mkdirSync(join(root, "objects", empty.slice(0, 2), empty.slice(2)));
    const { status, stdout } = await pack({
      "a.json": smallLog({ created: at(1), system_prompt: "" }),
      "b.json": smallLog({ created: at(2), system_prompt: "fine" }),
    });
    expect(status).toBe(2);
    expect(uris(stdout).length).toBe(1);
    expect(fs.readdirSync(join(root, "packs")).length).toBe(1);
  });

  it("ctx pack of many logs that cannot be committed together reports an error for each", async () => {
    const logs = { "a.json": smallLog({ created: at(1) }), "b.json": smallLog({ created: at(2) }) };
    const [first = ""] = uris((await place().pack(logs)).stdout);
    const { pack, root } = place();
    // Something stands where the first pack would go.
    fs.mkdirSync(join(root, "packs", first.slice(6), "x"), { recursive: true });
    const { status, stdout, stderr } = await pack(logs);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.match(/^error: /gm)?.length).toBe(2);
    for (const name of ["tmp", "locks"]) expect(fs.readdirSync(join(root, name))).toEqual([]);
    fs.rmSync(join(root, "packs", first.slice(6)), { recursive: true });
    expect(await pack(logs)).toMatchObject({ status: 0 });
  });
});
