// The bytes of one output in the place of another are never verified, wherever the file and the store lie.
import { join } from "node:path";
import * as fs from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { smallLog } from "../../dev/logs.js";
import { packed, verify, write } from "../../dev/provenance.js";

const report = "The true report, with quite some text in it.\n";
const draft = "A first draft, with quite some other text in it.\n";

let folder: string;

beforeEach(async () => {
  ({ folder } = tempStore());
  await packed(
    folder,
    smallLog({
      metadata: { workdir: join(folder, "proj") },
      steps: [{ type: "reasoning", output: "I write." }],
      outputs: [
        { name: "report.md", content: report },
        { name: "draft.md", content: draft },
        { name: "ok.txt", content: "abc\n" },
        { name: "a/index.md", content: `${report}a` },
        { name: "b/index.md", content: `${report}b` },
      ],
    }),
    "--no-sidecars",
  );
});

async function verdict(path: string, content: string): Promise<string> {
  write("/", path, content);
  return (await verify(folder, path)).target.result;
}

it("ctx verify: a file in the run's folder with another output's bytes is modified", async () => {
  expect(await verdict(join(folder, "proj/report.md"), draft)).toBe("modified");
  const { status, detail } = await verify(folder, "proj/report.md");
  expect(status).toBe(1);
  expect(detail("content")).toMatch(/^output report\.md of \S+ has other bytes; .* its output draft\.md$/);
  const refused = await cli(["verify", "--write-sidecar", "proj/report.md"], { folder });
  expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining("no sidecar was written")]);
  expect(fs.existsSync(join(folder, "proj/report.md.ctx.json"))).toBe(false);
});

it("ctx verify: a file in the run's folder, reached through a link, is compared by its real path", async () => {
  fs.mkdirSync(join(folder, "real"));
  fs.symlinkSync("real", join(folder, "proj"));
  expect(await verdict(join(folder, "real/report.md"), draft)).toBe("modified");
  expect(await verdict(join(folder, "real/ok.txt"), "abc\n")).toBe("verified");
});

it("ctx verify: a file elsewhere with one output's name and another's bytes is unproven", async () => {
  for (const path of [join(folder, "api/report.md"), join(tempFolder(), "report.md")]) {
    expect(await verdict(path, draft)).toBe("unproven");
    const { status, detail } = await verify(folder, path);
    expect(status).toBe(2);
    expect(detail("content")).toMatch(
      /^the bytes of output draft\.md of \S+, whose output report\.md has other/,
    );
  }
  expect((await cli(["verify", "--write-sidecar", "api/report.md"], { folder })).status).toBe(2);
});

it("ctx verify: a file in the run's folder with its output's own bytes is verified, however small", async () => {
  expect(await verdict(join(folder, "proj/ok.txt"), "abc\n")).toBe("verified");
  expect((await verify(folder, "proj/ok.txt")).detail("content")).not.toContain("recorded under");
  expect(await verdict(join(folder, "proj/report.md"), report)).toBe("verified");
  expect(await verdict(join(folder, "api/ok.txt"), "abc\n")).toBe("unproven");
});

it("ctx verify: a file with a name that no output has, or elsewhere with its own bytes, is verified", async () => {
  expect(await verdict(join(folder, "api/copy.md"), draft)).toBe("verified");
  expect(await verdict(join(tempFolder(), "draft.md"), draft)).toBe("verified");
  expect(await verdict(join(folder, "c/index.md"), `${report}b`)).toBe("verified");
});
