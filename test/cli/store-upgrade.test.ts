// A store that ctx 0.1 left behind is used as it is: nothing has to be converted, and nothing in it changes
// without a request. The archive was made by commit ddeb005, with umask 022: `ctx init`, `ctx pack
// run.json` (tagged good-fix), deploy.json and small.json of examples/, `ctx fork good-fix`, `ctx log`.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { verify } from "../../dev/provenance.js";

function oldStore(): { folder: string; root: string } {
  const folder = tempFolder();
  const archive = join(repository, "test/golden/store-0.1.tar.gz");
  execFileSync("tar", ["-xzpf", archive, "--no-same-owner"], { cwd: folder });
  return { folder, root: join(folder, ".ctx") };
}

/** Mode and content of every file that was there, by path; the cache is made again. */
function held(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of fs.readdirSync(root, { recursive: true }) as string[]) {
    if (/^(?:cache|tmp|locks)(?:\/|$)/.test(name)) continue;
    const stat = fs.lstatSync(join(root, name));
    const content = stat.isFile() ? fs.readFileSync(join(root, name), "hex") : "";
    found.set(name, `${(stat.mode & 0o777).toString(8)} ${content}`);
  }
  return found;
}

const packs = [
  "2c256d5519d3ad0caaab3654c9d96e70eba66982d3e1599da3b9e49689fa649e",
  "47d75f3304bf2da40b1a36f46e84cd8135f04de5df3af3160fe9d49b82b846d0",
  "5ba4a34c45209fa25f5b620d98289ec9b2b45594d26e3c5c9f156c332ac30268",
];

describe("a store of ctx 0.1", () => {
  it("a store of ctx 0.1 is read by every command, and is not changed", async () => {
    const { folder, root } = oldStore();
    const before = held(root);
    const log = await cli(["log", "--oneline"], { folder });
    expect(log).toMatchObject({ status: 0, stderr: "" });
    expect(
      log.stdout
        .trim()
        .split("\n")
        .map((line) => line.slice(0, 12)),
    ).toEqual(packs.map((hex) => hex.slice(0, 12)));
    for (const args of [
      ["show", "good-fix"],
      ["diff", "good-fix", "5ba4a34c4520", "--human"],
      ["status"],
      ["tag"],
      ["verify", "report.md"],
      ["verify", "--all"],
      ["replay", "good-fix", "--plan"],
      ["gc", "--dry-run"],
    ])
      expect({ args, ...(await cli(args, { folder })) }).toMatchObject({ args, status: 0 });
    expect(held(root)).toEqual(before);
  });

  it("a store of ctx 0.1 gets packs, tags and drafts with its own modes, and gc keeps what is needed", async () => {
    const { folder, root } = oldStore();
    const before = held(root);
    const again = await cli(["pack", "run.json"], { folder });
    expect(again.stdout).toBe(`ctx://${packs[1]}\n`);
    expect((await cli(["pack", "-", "--tag", "new"], { folder, input: json(smallLog()) })).status).toBe(0);
    expect((await cli(["fork", "new"], { folder })).status).toBe(0);
    expect((await cli(["gc", "--grace", "0d"], { folder })).status).toBe(0);
    expect((await verify(folder, "--all")).status).toBe(0);
    const after = held(root);
    for (const [name, what] of before)
      if (name !== "refs/latest") expect([name, after.get(name)]).toEqual([name, what]);
    const added = [...after].filter(([name]) => !before.has(name));
    expect(added.length).toBeGreaterThan(5);
    // As the old ones: what was readable for a team stays readable for it.
    for (const [name, what] of added)
      expect([name, what.slice(0, 3)]).toEqual([name, expect.stringMatching(/^(?:755|444|644)$/)]);
    // The old draft can still be sealed.
    fs.appendFileSync(join(root, "drafts/47d75f3304bf/system_prompt.md"), "More.\n");
    expect((await cli(["pack", ".ctx/drafts/47d75f3304bf"], { folder })).status).toBe(0);
  });

  it("ctx doctor says what is loose in a store of ctx 0.1, and --fix --private closes it", async () => {
    const { folder, root } = oldStore();
    const { status, stdout } = await cli(["doctor"], { folder });
    expect(status).toBe(0);
    expect(stdout).toContain("other users of this machine can read it (mode 755)");
    expect(stdout).toContain("does not have recordings/ heads/self");
    expect(stdout).toContain("lets git change bytes of the store");
    expect((await cli(["doctor", "--fix", "--private"], { folder })).status).toBe(0);
    for (const what of held(root).values()) expect(what).toMatch(/^[4-7]00 /);
    expect((await verify(folder, "--all")).status).toBe(0);
    expect((await verify(folder, "report.md")).status).toBe(0);
    expect((await cli(["doctor"], { folder })).stdout).not.toMatch(/access +others|does not have|lets git/);
  });
});
