// What goes along with packs besides the run: home folders, user names, folders and branches are said before
// anything leaves.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ExportResult, PushResult } from "../../src/results/share.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json, smallLog } from "../../dev/logs.js";

const home = "/home/alice";
const project = `${home}/clients/acme-merger`;
const at = {
  sessionId: "s",
  cwd: project,
  gitBranch: "feature/acquire-initech",
  timestamp: "2026-02-10T12:00:00.000Z",
};
const call = { type: "tool_use", id: "t", name: "Read", input: { file_path: `${project}/a.txt` } };
const session = lines(
  { ...at, type: "user", uuid: "1", message: { role: "user", content: "look" } },
  {
    ...at,
    type: "assistant",
    uuid: "2",
    message: { id: "m", model: "m", role: "assistant", content: [call] },
  },
  {
    ...at,
    type: "user",
    uuid: "3",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: `in ${home}/notes` }],
    },
  },
);

let folder: string;

beforeEach(() => {
  ({ folder } = tempStore());
});

async function pack(input: string | Buffer): Promise<void> {
  const { status, stderr } = await cli(["pack", "-", "--no-sidecars"], { folder, input });
  expect(status, stderr).toBe(0);
}

describe("personal data in packs that leave", () => {
  const ways = [
    ["export", "latest", "-o", "run.ctx"],
    ["export", "latest", "-o", "run.ctx", "--dry-run"],
    ["push", "latest", "oci://127.0.0.1:1/x", "--dry-run"],
    ["push", "latest", "oci://127.0.0.1:1/x"],
  ];

  it.each(ways)("ctx %s lists the personal data in the packs first: case %#", async (...argv) => {
    await pack(session);
    const { stdout } = await cli(argv, { folder });
    expect(stdout).toMatch(
      /\n {2}also:\n {4}paths below \/home\/alice \(\d+ places\)\n {4}user name alice\n/,
    );
    expect(stdout).toContain(`\n    folder ${project}\n    branch feature/acquire-initech\n`);
    expect(stdout.indexOf("also:")).toBeLessThan(`${stdout}wrote`.search(/wrote|would/));
  });

  it("personal data: --json of export and push lists it", async () => {
    await pack(session);
    for (const argv of [ways[0], ways[2]]) {
      const { stdout } = await cli([...(argv ?? []), "--json"], { folder });
      const { personal } = JSON.parse(stdout) as ExportResult | PushResult;
      expect(personal).toEqual({
        homes: [{ path: home, places: expect.any(Number) }],
        users: ["alice"],
        folders: [project],
        branches: ["feature/acquire-initech"],
        more: 0,
      });
      // The manifest's texts and the tool's output, which is a content of its own.
      expect(personal?.homes[0]?.places).toBeGreaterThan(2);
    }
  });

  it("personal data: nothing is listed where there is none", async () => {
    await pack(json(smallLog({ system_prompt: "see https://example.com/home/page and /homework, /rooted" })));
    expect((await cli(["export", "latest", "--dry-run"], { folder })).stdout).not.toContain("also:");
    expect((await cli(["export", "latest", "--dry-run", "--json"], { folder })).stdout).not.toContain(
      "personal",
    );
  });

  it("personal data: home folders of other systems are found in any content", async () => {
    const texts = [
      "/Users/bob/x",
      "C:\\Users\\carol\\x",
      '"C:\\\\Users\\\\carol\\\\x"',
      "/export/home/dave",
      "/root/.ssh",
      "file:///home/zoë/x",
    ];
    await pack(json(smallLog({ inputs: texts.map((content, index) => ({ name: `${index}`, content })) })));
    const { stdout } = await cli(["export", "latest", "--dry-run", "--json"], { folder });
    const { personal } = JSON.parse(stdout) as ExportResult;
    expect(personal?.users).toEqual(["bob", "carol", "dave", "root", "zoë"]);
    expect(personal?.homes).toContainEqual({ path: "C:\\Users\\carol", places: 2 });
  });

  it.each([
    ["WSL", "/mnt/c/Users/erin/x", "/mnt/c/Users/erin"],
    ["Git Bash", "cd /c/Users/erin/x", "/c/Users/erin"],
    ["Cygwin", "/cygdrive/d/users/erin/x", "/cygdrive/d/users/erin"],
    ["Windows in lower case", "c:\\users\\erin\\x", "c:\\users\\erin"],
    ["Windows with slashes", "file:///c:/users/erin/x", "c:/users/erin"],
    ["Windows in JSON in JSON", "C:\\\\\\\\Users\\\\\\\\erin\\\\\\\\x", "C:\\Users\\erin"],
    ["Windows in a URL", "file:///c%3A/Users/erin/x", "c:/Users/erin"],
    ["a WSL share", "\\\\wsl$\\Ubuntu\\home\\erin\\x", "wsl$\\Ubuntu\\home\\erin"],
    ["a share", "\\\\files\\Users\\erin\\x", "\\files\\Users\\erin"],
    ["a volume of macOS", "/Volumes/Macintosh HD/Users/erin/x", "/Volumes/Macintosh HD/Users/erin"],
    ["JSON that escapes slashes", '"\\/home\\/erin\\/x"', "/home/erin"],
    ["JSON in JSON that escapes slashes", '"\\\\/Users\\\\/erin\\\\/x"', "/Users/erin"],
    ["a URL", "?path=%2Fhome%2Ferin%2Fx", "/home/erin"],
    ["a URL in a URL", "?next=%3Fpath%3D%252Fhome%252Ferin%252Fx", "/home/erin"],
    ["a project folder", "~/.claude/projects/-home-erin-app/s.jsonl", "-home-erin"],
    ["a project folder of macOS", "-Users-erin-app", "-Users-erin"],
    ["a project folder of Windows", "projects\\C--Users-erin-app", "C--Users-erin"],
    ["a project folder of WSL", " -mnt-c-Users-erin-app", "-mnt-c-Users-erin"],
    ["the end of a sentence", "It is in /home/erin.", "/home/erin"],
    ["a name with blanks", "in C:\\Users\\Erin Mae Doe\\x and y", "C:\\Users\\Erin Mae Doe"],
    ["a name with blanks in quotes", 'cd "C:\\\\Users\\\\erin doe\\\\x"', "C:\\Users\\erin doe"],
    ["a name with blanks for a shell", "/Users/erin\\ doe/x", "/Users/erin doe"],
    ["a name with blanks in a URL", "file:///Users/erin%20doe/x", "/Users/erin doe"],
    ["a name before prose", "see /Users/erin for src/x, C:\\Users\\erin or src\\x", "/Users/erin"],
    ["a name whose bytes look like a blank", "/home/noà/x", "/home/noà"],
  ])("personal data: a home folder is found in the form of %s", async (_, text, path) => {
    await pack(json(smallLog({ inputs: [{ name: "a", content: `(${text}\n` }] })));
    const { stdout } = await cli(["export", "latest", "--dry-run", "--json"], { folder });
    const { personal } = JSON.parse(stdout) as ExportResult;
    expect(personal?.homes.map((home) => home.path)).toContain(path);
    expect(personal?.users).toEqual([/(?:erin|Erin|noà)[\w ]*$/.exec(path)?.[0]]);
  });

  it.each([
    "https://example.com/users/bob and /api/users/bob",
    "stay-home-alone --home-dir x --users-file y",
    "root-home /homepage /Users //home /home/$USER /home/<you> %2Fhomework",
    "C:\\UsersAndGroups c:/userspace/x",
  ])("personal data: no home folder is found in %s", async (text) => {
    await pack(json(smallLog({ inputs: [{ name: "a", content: text }] })));
    expect((await cli(["export", "latest", "--dry-run"], { folder })).stdout).not.toContain("also:");
  });

  it("personal data: a home folder is found wherever it lies in a content that is read in pieces", async () => {
    const filler = "x ".repeat(1 << 19);
    const content = Array.from({ length: 10 }, (_, at) => `${filler}${"y".repeat(at)}/home/erin${at}/x`).join(
      "",
    );
    await pack(json(smallLog({ inputs: [{ name: "a", content }] })));
    const { stdout } = await cli(["export", "latest", "--dry-run", "--json"], { folder });
    const { personal } = JSON.parse(stdout) as ExportResult;
    expect(personal?.users).toEqual(["erin0"]);
  });

  it("personal data: the list is short and escaped", async () => {
    const steps = Array.from({ length: 3000 }, (_, index) => ({
      type: "tool_call",
      tool: "t",
      parameters: { cwd: `/home/u${index}/\u001b[2J`, branch: `b${index}` },
    }));
    await pack(json(smallLog({ steps })));
    const { stdout } = await cli(["export", "latest", "--dry-run"], { folder });
    expect(stdout.split("\n").length).toBeLessThan(40);
    expect(stdout).toMatch(/and [\d,]+ more values/);
    expect(stdout).not.toContain("\u001b");
    const result = JSON.parse(
      (await cli(["export", "latest", "--dry-run", "--json"], { folder })).stdout,
    ) as ExportResult;
    expect(result.personal?.folders).toHaveLength(50);
  });
});

it("an exported file is its owner's alone", async () => {
  await pack(session);
  fs.writeFileSync(join(folder, "old.ctx"), "", { mode: 0o644 });
  const before = process.umask(0);
  try {
    for (const name of ["run.ctx", "old.ctx"]) {
      expect((await cli(["export", "latest", "-o", name, "--force"], { folder })).status).toBe(0);
      expect(fs.statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
  } finally {
    process.umask(before);
  }
});
