// `ctx verify`: what it says of a file, of a pack and of a store, and with which exit status.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, smallLog } from "../../dev/logs.js";
import {
  answers,
  editSidecar,
  manifestOf,
  objectIn,
  overwrite,
  packed,
  putObject,
  reportLog,
  reportStore,
  reportText,
  sha256,
  verify,
  without,
  write,
} from "../../dev/provenance.js";
import { closed, compile, readSchema } from "../../dev/schemas.js";

const child = (parent: string, fields: AnyLog = {}): AnyLog =>
  reportLog({ parent: `sha256:${parent}`, metadata: { child: parent }, ...fields });

describe("ctx verify of a file", () => {
  it("ctx verify of a file answers every claim, and says what is not proven", async () => {
    const { folder, hex } = await reportStore();
    const { status, target, result, detail } = await verify(folder, "report.md");
    expect(status).toBe(0);
    expect(target).toMatchObject({
      target: "report.md",
      kind: "file",
      result: "verified",
      hash: `sha256:${sha256(reportText)}`,
      packs: [`sha256:${hex}`],
      faults: [],
      notes: [],
    });
    expect(answers(target)).toEqual({
      content: "yes",
      pack: "yes",
      lineage: "yes",
      sidecar: "yes",
      remarks: "yes",
      step: "yes",
    });
    expect(detail("content")).toBe(`the bytes of output report.md of ctx://${hex.slice(0, 12)}`);
    expect(detail("step")).toBe("step 1 (write_file) received these bytes");
    expect(result.not_proven.length).toBeGreaterThan(1);
    // The commands to look further really work.
    expect(target.next).toHaveLength(4);
    for (const command of target.next) {
      const [name, ...args] = command.split(" ");
      expect(name).toBe("ctx");
      expect((await cli(args, { folder })).status, command).toBe(0);
    }
  });

  it("ctx verify changes nothing but the cache", async () => {
    const { folder, root } = await reportStore();
    const before = snapshot(folder);
    for (const args of [
      ["report.md"],
      ["latest"],
      [],
      ["--all", "--sample", "50%"],
      ["report.md", "--lines"],
    ])
      expect((await verify(folder, ...args)).status).toBe(0);
    const isCache = ([path]: [string, string]): boolean => path.startsWith(join(root, "cache"));
    const others = (tree: Map<string, string>) => [...tree].filter((entry) => !isCache(entry));
    expect(others(snapshot(folder))).toEqual(others(before));
  });

  it("ctx verify finds a file without a sidecar by its bytes, in any place and under any name", async () => {
    const { folder, hex } = await reportStore();
    const outside = tempFolder();
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const places = [
      write(folder, "renamed.txt", reportText),
      write(folder, "sub/folder/report.md", reportText),
      write(folder, "-strange name", reportText),
      write(outside, "report.md", reportText),
      write(folder, ".ctx/copy", reportText),
    ];
    for (const path of places) {
      const { status, target, answers: found, detail } = await verify(folder, "--file", "--", path);
      expect({ status, result: target.result, packs: target.packs }).toEqual({
        status: 0,
        result: "verified",
        packs: [`sha256:${hex}`],
      });
      expect(found).toMatchObject({ content: "yes", sidecar: "not_checked" });
      const isRenamed = !path.endsWith("report.md");
      expect(detail("content")).toContain(`recorded under ${isRenamed ? "another" : "that"} name`);
    }
    const { detail } = await verify(folder, "report.md");
    expect(detail("content")).not.toContain("recorded under");
  });

  it("ctx verify of an edited file says which output it was, and how it differs", async () => {
    const { folder, hex } = await reportStore();
    write(folder, "report.md", reportText.replace("All three", "All four"));
    const { status, target, answers: found } = await verify(folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 1, result: "modified" });
    expect(found).toMatchObject({
      content: "no",
      pack: "yes",
      lineage: "yes",
      sidecar: "yes",
      remarks: "yes",
    });
    expect(target.was).toMatchObject({
      pack: `sha256:${hex}`,
      name: "report.md",
      reference: `sha256:${sha256(reportText)}`,
    });
    expect(target.was?.diff).toContain("-All three cases pass.\n+All four cases pass.\n");
    expect((await cli(["verify", "report.md"], { folder })).stdout).toContain("+All four cases pass.");
  });

  it("ctx verify: a file that is emptied, or differs only in a line feed or a mark, is modified", async () => {
    const { folder } = await reportStore();
    for (const text of ["", reportText.trimEnd(), `${reportText}\n`, `\ufeff${reportText}`]) {
      write(folder, "report.md", text);
      expect((await verify(folder, "report.md")).target).toMatchObject({ result: "modified" });
    }
  });

  it.each<[string, (folder: string, path: string) => void, RegExp]>([
    ["is missing", () => undefined, /no such file/],
    [
      "is a link to the artifact",
      (folder, path) => fs.symlinkSync(join(folder, "report.md"), path),
      /a link/,
    ],
    ["is a link to nowhere", (_, path) => fs.symlinkSync("/nowhere/at/all", path), /a link/],
    ["is a link to itself", (_, path) => fs.symlinkSync(path, path), /a link/],
    ["is a folder", (_, path) => fs.mkdirSync(path), /not a regular file/],
    ["is a FIFO", (_, path) => void spawnSync("mkfifo", [path]), /not a regular file|cannot be read/],
  ])("ctx verify: a file that %s has the result absent", async (_, put, expected) => {
    const { folder } = await reportStore();
    const path = join(folder, "other");
    put(folder, path);
    const { status, target, answers: found, detail } = await verify(folder, "--file", "other");
    expect({ status, result: target.result }).toEqual({ status: 2, result: "absent" });
    expect(found).toEqual({ content: "not_checked" });
    expect(detail("content")).toMatch(expected);
  });

  it.each(["/dev/null", "/dev/zero", "/proc/self/mem"])("ctx verify of %s exits with 2", async (path) => {
    const { folder } = await reportStore({
      outputs: [{ name: "empty", content: "" }],
    });
    expect((await verify(folder, path)).status).toBe(2);
  });

  it("ctx verify: a path below a file, or a very long one, exits with status 2 and no bug report", async () => {
    const { folder } = await reportStore();
    for (const target of ["report.md/x", "n".repeat(300), `${"d/".repeat(3000)}x`]) {
      const { status, stdout, stderr } = await cli(["verify", target], { folder });
      expect(status).toBe(2);
      expect(stdout + stderr).not.toMatch(/^ +at |bug/m);
      const file = await cli(["verify", "--file", target, "--json"], { folder });
      expect(file.status).toBe(2);
    }
  });

  it("ctx verify: an empty file is verified only if an empty output was recorded", async () => {
    const { folder } = await reportStore();
    write(folder, "empty", "");
    expect((await verify(folder, "empty")).status).toBe(2);
    await packed(folder, reportLog({ outputs: [{ name: "empty", content: "" }] }));
    expect((await verify(folder, "empty")).status).toBe(0);
  });

  it("ctx verify compares a file of 5 MB, and bytes that are no text", async () => {
    const { folder } = tempStore();
    const large = Buffer.alloc(5 << 20, "a line of text that goes on\n");
    const binary = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));
    write(folder, "large", large);
    write(folder, "binary", binary);
    await packed(
      folder,
      reportLog({
        outputs: ["large", "binary"].map((name) => ({ name, content_file: name })),
      }),
    );
    for (const name of ["large", "binary"]) {
      expect((await verify(folder, name, "--lines")).status).toBe(0);
      const bytes = fs.readFileSync(join(folder, name));
      bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
      write(folder, name, bytes);
      const { status, target } = await verify(folder, name, "--lines");
      expect({ status, result: target.result }).toEqual({ status: 1, result: "modified" });
      // There is no diff to show, and that breaks nothing.
      expect(target.was?.name).toBe(name);
      expect(target.was?.diff).toBeUndefined();
      expect((await cli(["verify", name, "--lines"], { folder })).stdout).toContain("it was output");
    }
  });

  it.each<[string, AnyLog, RegExp]>([
    ["an input", { content: "one\ntwo\n" }, /recorded only as an input of ctx:\/\/[0-9a-f]{12}/],
    ["a step's output", { content: "as a step gave it\n" }, /recorded only as the output of step 0 of ctx:/],
    ["a prompt", { content: "Find out why the last page is empty." }, /no pack in this store has recorded/],
    ["unrecorded", { content: "never seen" }, /no pack in this store has recorded/],
  ])("ctx verify: a file is unproven if its bytes are %s and no output", async (_, { content }, expected) => {
    const { folder } = await reportStore();
    write(folder, "known", content as string);
    const { status, target, answers: found, detail } = await verify(folder, "known");
    expect({ status, result: target.result, packs: target.packs }).toEqual({
      status: 2,
      result: "unproven",
      packs: [],
    });
    expect(found).toEqual({ content: "not_checked" });
    expect(detail("content")).toMatch(expected);
    expect(target.next).toEqual(["ctx verify known --lines"]);
    expect((await verify(folder, "known", "--lines")).target.next).toEqual([]);
  });

  it("ctx verify: a file with only the name of an output is unproven, and the difference is shown", async () => {
    const { folder, hex } = await reportStore();
    fs.rmSync(join(folder, "report.md.ctx.json"));
    write(folder, "report.md", reportText.replace("All three", "All four"));
    write(folder, "elsewhere/report.md", "something else");
    const { status, target } = await verify(folder, "report.md");
    expect({ status, result: target.result, packs: target.packs }).toEqual({
      status: 2,
      result: "unproven",
      packs: [],
    });
    expect(target.was).toMatchObject({ pack: `sha256:${hex}`, name: "report.md" });
    expect(target.was?.diff).toContain("+All four cases pass.");
    expect(target.notes.join()).toContain("only its name");
    expect((await verify(folder, "elsewhere/report.md")).target.was).toBeUndefined();
    const outside = tempFolder();
    write(outside, "report.md", "something else");
    expect((await verify(folder, join(outside, "report.md"))).target.was).toBeUndefined();
  });

  it("ctx verify: a file with unknown bytes and an invalid sidecar is not said to have no sidecar", async () => {
    const { folder } = await reportStore();
    write(folder, "report.md", "never seen");
    write(folder, "report.md.ctx.json", "{}");
    const { status, answers: found, detail } = await verify(folder, "report.md");
    expect({ status, found }).toEqual({ status: 1, found: { content: "not_checked", sidecar: "no" } });
    expect(detail("content")).not.toContain("there is no sidecar");
  });

  it("ctx verify: bytes of several packs are proven by the newest, or by the one that the sidecar names", async () => {
    const { folder, hex } = await reportStore();
    const newer = await packed(folder, reportLog({ created: "2026-03-01T00:00:00Z" }));
    const byName = await verify(folder, "report.md");
    expect(byName.target.packs).toEqual([`sha256:${hex}`, `sha256:${newer}`]);
    expect(byName.target.notes.join()).toContain(`ctx://${newer.slice(0, 12)}`);
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const byBytes = await verify(folder, "report.md");
    expect(byBytes.target.packs).toEqual([`sha256:${newer}`, `sha256:${hex}`]);
    expect(byBytes.status).toBe(0);
  });

  it("ctx verify of a file notes packs that cannot be read", async () => {
    const { folder, root, hex } = await reportStore();
    overwrite(objectIn(root, hex), "{}");
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const { status, target } = await verify(folder, "report.md");
    expect(status).not.toBe(0);
    expect(target.notes.join()).toMatch(/1 pack here cannot be read/);
    // Once it is repaired, what was known of it before does not count any more.
    await packed(folder, reportLog(), "--no-sidecars");
    expect((await verify(folder, "report.md")).status).toBe(0);
  });
});

/** Returns a step that writes a file, and has its content twice. */
function step(path: string, content: string): AnyLog {
  const parameters = { path, content, more: { list: [1, null, true, content] } };
  return { type: "tool_call", tool: "write_file", parameters };
}

describe("the claims of ctx verify", () => {
  it("ctx verify, lineage: yes with intact parents, not checked with a missing one, no with a damaged one", async () => {
    const { folder, root, hex } = await reportStore();
    fs.rmSync(join(folder, "report.md.ctx.json"));
    const second = await packed(folder, child(hex), "--no-sidecars");
    const third = await packed(folder, child(second, { created: "2026-03-01T00:00:00Z" }), "--no-sidecars");
    expect(await verify(folder, third)).toMatchObject({ status: 0, answers: { lineage: "yes" } });
    expect((await verify(folder, third)).detail("lineage")).toContain("2 parents");
    // Something that only the first one reaches.
    await packed(folder, reportLog({ system_prompt: "only here", created: "2026-04-01T00:00:00Z" }));
    fs.rmSync(join(root, "packs", hex));
    expect(await verify(folder, third)).toMatchObject({ status: 0, answers: { lineage: "not_checked" } });
    overwrite(join(root, "packs", hex), "");
    const broken = await verify(folder, third);
    expect(broken).toMatchObject({ status: 1, answers: { pack: "yes", lineage: "no" } });
    expect(broken.target.result).toBe("damaged");
    expect(broken.target.faults[0]?.packs).toEqual([`sha256:${hex}`]);
  });

  it("ctx verify, pack: no if a content is missing, torn or no file, with the pack and the remedy", async () => {
    const { folder, root, hex } = await reportStore();
    const blob = sha256("one\ntwo\n");
    for (const spoil of [
      () => fs.rmSync(objectIn(root, blob)),
      () => overwrite(objectIn(root, blob), "one\ntwo"),
      () => {
        fs.rmSync(objectIn(root, blob));
        fs.symlinkSync("/dev/zero", objectIn(root, blob));
      },
    ]) {
      spoil();
      for (const args of [["report.md"], [hex], []]) {
        const { status, target } = await verify(folder, ...args);
        expect({ status, result: target.result }).toEqual({ status: 1, result: "damaged" });
        expect(target.faults).toEqual([
          {
            about: `sha256:${blob}`,
            message: expect.stringContaining(blob.slice(2)),
            packs: [`sha256:${hex}`],
            remedy: expect.stringContaining("ctx pack"),
          },
        ]);
      }
      // The remedy is one.
      await packed(folder, reportLog());
      expect((await verify(folder)).status).toBe(0);
    }
  });

  it("ctx verify, step: the last call with all bytes that names the file, or not checked without a call", async () => {
    const { folder } = tempStore();
    write(folder, "a.md", "first text\n");
    write(folder, "b.md", "second text\n");
    write(folder, "c.md", "third text\n");
    await packed(
      folder,
      smallLog({
        steps: [
          step("other.md", "first text\n"),
          step("out/a.md", "first text\n"),
          step("other.md", "first text\n"),
          step("other.md", "second text\n"),
          { type: "reasoning", parameters: { content: "third text\n" } },
          step("c.md", "third text"),
        ],
        outputs: ["a.md", "b.md", "c.md"].map((name) => ({ name, content_file: name })),
      }),
    );
    const steps = await Promise.all(["a.md", "b.md", "c.md"].map((name) => verify(folder, name)));
    expect(steps.map(({ answers: found }) => found["step"])).toEqual(["yes", "yes", "not_checked"]);
    expect(steps[0]?.detail("step")).toBe("step 1 (write_file) received these bytes");
    expect(steps[1]?.detail("step")).toContain(
      "step 3 (write_file) received these bytes, which does not name",
    );
    expect(steps.map(({ status }) => status)).toEqual([0, 0, 0]);
  });

  it("ctx verify, remarks: yes as in the pack, no if changed or removed, not checked if added", async () => {
    const { folder } = await reportStore();
    const cases: [(sidecar: AnyLog) => AnyLog, string, number][] = [
      [(sidecar) => sidecar, "yes", 0],
      [(sidecar) => ({ ...sidecar, confidence: "low" }), "no", 1],
      [(sidecar) => ({ ...sidecar, confidence: "high", notes: "looked at thrice" }), "no", 1],
      [(sidecar) => without(sidecar, "notes"), "no", 1],
    ];
    for (const [change, answer, status] of cases) {
      editSidecar(folder, change);
      expect(await verify(folder, "report.md")).toMatchObject({ status, answers: { remarks: answer } });
    }
    const plain = await reportStore({ outputs: [{ name: "report.md", content: reportText }] });
    expect((await verify(plain.folder, "report.md")).answers).not.toHaveProperty("remarks");
    editSidecar(plain.folder, (sidecar) => ({ ...sidecar, confidence: "high", notes: "mine" }));
    const added = await verify(plain.folder, "report.md");
    expect(added).toMatchObject({ status: 0, answers: { sidecar: "yes", remarks: "not_checked" } });
    expect(added.detail("remarks")).toContain("added later");
  });
});

describe("a sidecar that ctx verify reads", () => {
  it.each<[string, (sidecar: AnyLog) => AnyLog]>([
    ["other inputs", (sidecar) => ({ ...sidecar, inputs: [] })],
    [
      "more inputs",
      ({ inputs, ...rest }) => ({ ...rest, inputs: [...(inputs as string[]), `sha256:${"0".repeat(64)}`] }),
    ],
    ["other tools", (sidecar) => ({ ...sidecar, tools: ["read_file", "human_review"] })],
    ["tools in another order", (sidecar) => ({ ...sidecar, tools: ["write_file", "read_file"] })],
  ])("ctx verify: a sidecar with %s is false, though the file is unchanged", async (_, change) => {
    const { folder } = await reportStore();
    editSidecar(folder, change);
    const { status, target, answers: found } = await verify(folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 1, result: "modified" });
    expect(found).toMatchObject({ content: "yes", pack: "yes", sidecar: "no" });
  });

  it.each<[string, (sidecar: AnyLog) => string]>([
    [
      "an upper-case hash",
      (sidecar) =>
        JSON.stringify(sidecar).replace(/sha256:[0-9a-f]+/, (all) =>
          all.toUpperCase().replace("SHA256", "sha256"),
        ),
    ],
    [
      "a short hash",
      (sidecar) => JSON.stringify({ ...sidecar, context_pack: String(sidecar["context_pack"]).slice(0, 19) }),
    ],
    [
      "a hash of 65 digits",
      (sidecar) => JSON.stringify({ ...sidecar, context_pack: `${String(sidecar["context_pack"])}0` }),
    ],
    [
      "a bare hash",
      (sidecar) => JSON.stringify({ ...sidecar, context_pack: String(sidecar["context_pack"]).slice(7) }),
    ],
    [
      "a ctx:// name",
      (sidecar) =>
        JSON.stringify({ ...sidecar, context_pack: `ctx://${String(sidecar["context_pack"]).slice(7)}` }),
    ],
    ["a tag for a pack", (sidecar) => JSON.stringify({ ...sidecar, context_pack: "latest" })],
    ["no pack", (sidecar) => JSON.stringify(without(sidecar, "context_pack"))],
    ["no inputs", (sidecar) => JSON.stringify(without(sidecar, "inputs"))],
    ["no tools", (sidecar) => JSON.stringify(without(sidecar, "tools"))],
    ["an unknown confidence", (sidecar) => JSON.stringify({ ...sidecar, confidence: "certain" })],
    ["malformed JSON", (sidecar) => JSON.stringify(sidecar).slice(0, -1)],
    ["more text after its end", (sidecar) => `${JSON.stringify(sidecar)} {}`],
    ["a list around it", (sidecar) => JSON.stringify([sidecar])],
    ["no bytes", () => ""],
    ["bytes that are no text", () => "\u0000\u0001"],
    [
      "duplicate keys",
      (sidecar) => JSON.stringify(sidecar).replace("{", `{"context_pack":"sha256:${"0".repeat(64)}",`),
    ],
    [
      "duplicate keys, one of them escaped",
      (sidecar) => JSON.stringify(sidecar).replace("{", `{"t\\u006fols":[],`),
    ],
    ["very deep nesting", () => "[".repeat(100_000)],
  ])("ctx verify: a sidecar with %s is invalid, and the file counts as modified", async (_, forge) => {
    const { folder } = await reportStore();
    const path = join(folder, "report.md.ctx.json");
    fs.writeFileSync(path, forge(JSON.parse(fs.readFileSync(path, "utf8")) as AnyLog));
    const { status, target, answers: found } = await verify(folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 1, result: "modified" });
    // The file is looked up by its bytes all the same.
    expect(found).toMatchObject({ content: "yes", sidecar: "no" });
  });

  it("ctx verify: a sidecar with unknown fields is read for the known ones", async () => {
    const { folder } = await reportStore();
    editSidecar(folder, (sidecar) => ({ ...sidecar, signed_by: "me", __proto__x: 1 }));
    expect(await verify(folder, "report.md")).toMatchObject({ status: 0, answers: { sidecar: "yes" } });
    const text = fs.readFileSync(join(folder, "report.md.ctx.json"), "utf8");
    write(folder, "report.md.ctx.json", text.replace("{", '{"__proto__":{"confidence":"low"},'));
    expect((await verify(folder, "report.md")).answers["remarks"]).toBe("yes");
  });

  it.each<[string, (path: string, folder: string) => void]>([
    [
      "a link to a true one",
      (path, folder) => {
        fs.renameSync(path, join(folder, "true.json"));
        fs.symlinkSync(join(folder, "true.json"), path);
      },
    ],
    [
      "a link to nowhere",
      (path) => {
        fs.rmSync(path);
        fs.symlinkSync("/nowhere/at/all", path);
      },
    ],
    [
      "a folder",
      (path) => {
        fs.rmSync(path);
        fs.mkdirSync(path);
      },
    ],
    [
      "a FIFO",
      (path) => {
        fs.rmSync(path);
        spawnSync("mkfifo", [path]);
      },
    ],
    ["2 GB long", (path) => fs.truncateSync(path, 2 * 2 ** 30)],
    ["9 TB long", (path) => fs.truncateSync(path, 9 * 2 ** 40)],
  ])("ctx verify: a sidecar that is %s is false, and is not read", async (_, put) => {
    const { folder } = await reportStore();
    put(join(folder, "report.md.ctx.json"), folder);
    const begun = Date.now();
    const { status, target, answers: found } = await verify(folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 1, result: "modified" });
    expect(found).toMatchObject({ content: "yes", sidecar: "no" });
    expect(Date.now() - begun).toBeLessThan(2000);
  });

  it("ctx verify: a sidecar of another file is false, since its pack has no such output", async () => {
    const { folder, hex } = await reportStore();
    const other = await packed(folder, reportLog({ outputs: [{ name: "other.md", content: "other" }] }));
    write(folder, "copy.md", reportText);
    editSidecar(folder, (sidecar) => ({ ...sidecar, context_pack: `sha256:${other}` }));
    fs.copyFileSync(join(folder, "report.md.ctx.json"), join(folder, "copy.md.ctx.json"));
    for (const name of ["report.md", "copy.md"]) {
      const { status, target, answers: found } = await verify(folder, name);
      expect({ status, result: target.result }).toEqual({ status: 1, result: "modified" });
      expect(found).toMatchObject({ content: "no", pack: "yes" });
      // The pack that has the bytes is named, and does not take its place.
      expect(target.packs).toEqual([`sha256:${other}`, `sha256:${hex}`]);
      expect(target.notes.join()).toContain(hex.slice(0, 12));
    }
  });

  it("ctx verify: a sidecar of a missing pack makes the file unproven, though another pack has its bytes", async () => {
    const { folder, hex } = await reportStore();
    editSidecar(folder, (sidecar) => ({ ...sidecar, context_pack: `sha256:${"1".repeat(64)}` }));
    const { status, target, answers: found } = await verify(folder, "report.md");
    expect({ status, result: target.result }).toEqual({ status: 2, result: "unproven" });
    expect(found).toMatchObject({ content: "not_checked", pack: "not_checked", sidecar: "not_checked" });
    expect(target.notes.join()).toContain(`ctx://${hex.slice(0, 12)}`);
    expect(target.faults).toEqual([]);
  });

  it("ctx verify: a sidecar of an edited file is compared with the output of its name", async () => {
    const { folder } = await reportStore();
    write(folder, "report.md", "something else");
    editSidecar(folder, (sidecar) => ({ ...sidecar, confidence: "low" }));
    expect(await verify(folder, "report.md")).toMatchObject({
      status: 1,
      answers: { content: "no", sidecar: "yes", remarks: "no" },
    });
  });

  it("ctx verify reads a sidecar beside a file outside the store's folder", async () => {
    const { folder } = await reportStore();
    const outside = tempFolder();
    for (const name of ["report.md", "report.md.ctx.json"])
      fs.copyFileSync(join(folder, name), join(outside, name));
    expect(await verify(folder, join(outside, "report.md"))).toMatchObject({
      status: 0,
      answers: { content: "yes", sidecar: "yes", remarks: "yes" },
    });
  });
});

describe("ctx verify of a pack", () => {
  it("ctx verify accepts every name that a pack has", async () => {
    const { folder, hex } = await reportStore();
    const second = await packed(folder, child(hex), "--no-sidecars");
    await cli(["tag", "good", hex], { folder });
    for (const name of [
      hex,
      `ctx://${hex}`,
      `sha256:${hex}`,
      `ctx://sha256:${hex}`,
      `ctx://${hex.slice(0, 12)}`,
      hex.slice(0, 12),
      hex.toUpperCase(),
      "good",
      "latest~1",
      `${second}~1`,
    ]) {
      const { status, target } = await verify(folder, name);
      expect({ name, status, kind: target.kind, packs: target.packs }).toEqual({
        name,
        status: 0,
        kind: "pack",
        packs: [`sha256:${hex}`],
      });
    }
  });

  it("ctx verify: a pack that is missing, or is a blob, is absent", async () => {
    const { folder } = await reportStore();
    for (const name of [
      "1".repeat(64),
      `ctx://${"1".repeat(64)}`,
      "no-such-tag",
      "latest~1",
      `sha256:${sha256(reportText)}`,
      "ctx://",
      "ctx://../../etc",
      "sha256:xyz",
    ]) {
      const { status, target } = await verify(folder, name);
      expect({ name, status, result: target.result }).toEqual({ name, status: 2, result: "absent" });
      expect(target.claims[0]?.answer).toBe("not_checked");
    }
  });

  it("ctx verify: a pack name that leads through damage exits with status 1", async () => {
    const { folder, root, hex } = await reportStore();
    await packed(folder, child(hex), "--no-sidecars");
    fs.mkdirSync(join(root, "refs/tags"), { recursive: true });
    write(root, "refs/tags/torn", "sha256:");
    expect((await verify(folder, "torn")).status).toBe(1);
    overwrite(objectIn(root, (await verify(folder, "latest")).target.packs[0]?.slice(7) as string), "{}");
    expect((await verify(folder, "latest~1")).status).toBe(1);
  });

  it("ctx verify: a newer ctx's pack, or one named by way of it, exits with status 2", async () => {
    const { folder, root, hex } = await reportStore();
    const bytes = JSON.stringify({ ...manifestOf(root, hex), version: "0.2" });
    const other = putObject(root, bytes);
    write(root, `packs/${other}`, bytes);
    expect((await verify(folder, other)).status).toBe(2);
    expect((await verify(folder, `${other}~1`)).status).toBe(2);
  });
});

describe("the targets of ctx verify", () => {
  it("ctx verify: a target is a file if one exists, else a pack; --file and --pack decide", async () => {
    const { folder, hex } = await reportStore();
    await cli(["tag", "report.md", hex], { folder });
    await cli(["tag", "release", hex], { folder });
    write(folder, "report.md", "edited");
    const kinds = async (...args: string[]) => {
      const { status, target } = await verify(folder, ...args);
      return `${target.kind} ${status}`;
    };
    expect(await kinds("report.md")).toBe("file 1");
    expect(await kinds("--pack", "report.md")).toBe("pack 0");
    expect(await kinds("release")).toBe("pack 0");
    expect(await kinds("--file", "release")).toBe("file 2");
    write(folder, hex, "not what the pack is");
    expect(await kinds(hex)).toBe("file 2");
    expect(await kinds(`ctx://${hex}`)).toBe("pack 0");
    expect(await kinds(`sha256:${hex}`)).toBe("pack 0");
    expect(await kinds("--file", `sha256:${hex}`)).toBe("file 2");
  });

  it("ctx verify answers for every target, and exits with the highest status", async () => {
    const { folder, hex } = await reportStore();
    write(folder, "edited/report.md", "edited");
    fs.copyFileSync(join(folder, "report.md.ctx.json"), join(folder, "edited/report.md.ctx.json"));
    write(folder, "unknown", "unknown");
    const cases: [string[], number][] = [
      [["report.md", hex], 0],
      [["report.md", "edited/report.md"], 1],
      [["edited/report.md", "unknown", "report.md"], 2],
      [["unknown", "report.md"], 2],
    ];
    for (const [targets, status] of cases) {
      const { result, status: found } = await verify(folder, ...targets);
      expect(found).toBe(status);
      expect(result.targets.map(({ target }) => target)).toEqual(targets);
    }
  });

  it("ctx verify refuses options that contradict each other or have no usable value", async () => {
    const { folder } = await reportStore();
    for (const args of [
      ["--file", "--pack", "report.md"],
      ["--all", "report.md"],
      ["--sample", "5%", "report.md"],
      ["--lines"],
      ["--file"],
      ["--pack"],
      ["--sample", "5"],
      ["--sample", "0%"],
      ["--sample", "101%"],
      ["--sample", ""],
      ["--sample", "-5%"],
      ["--junit", ""],
      ["--junit", "no/such/folder.xml"],
    ]) {
      const { status, stdout, stderr } = await cli(["verify", ...args], { folder });
      expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: "" });
      expect(stderr).toMatch(/^error: /);
    }
  });

  it("ctx verify without a store is an error", async () => {
    const folder = tempFolder();
    write(folder, "report.md", reportText);
    const { status, stderr } = await cli(["verify", "report.md"], { folder });
    expect(status).toBe(2);
    expect(stderr).toContain("no .ctx store");
  });
});

describe("ctx verify of a store", () => {
  it("ctx verify of a sound store answers every claim with yes, and counts", async () => {
    const { folder, root, hex } = await reportStore();
    await packed(folder, child(hex), "--no-sidecars");
    await cli(["tag", "good", hex], { folder });
    for (const args of [[], ["--all"], ["--all", "--sample", "100%"]]) {
      const { status, target, answers: found } = await verify(folder, ...args);
      expect({ status, result: target.result, target: target.target }).toEqual({
        status: 0,
        result: "verified",
        target: root,
      });
      expect(found).toEqual({
        objects: "yes",
        manifests: "yes",
        references: "yes",
        refs: "yes",
        lineage: "yes",
      });
      expect(target.counts).toMatchObject({ packs: 2, objects: 8, checked: 8, unreached: 0 });
    }
    expect((await verify(tempStore().folder)).status).toBe(0);
  });

  it("ctx verify of a damaged store names each fault with packs and remedy", async () => {
    const { folder, root, hex } = await reportStore();
    const second = await packed(folder, child(hex), "--no-sidecars");
    for (const tag of ["lost", "torn"]) await cli(["tag", tag, hex], { folder });
    const shared = sha256("one\ntwo\n");
    const gone = sha256("as a step gave it\n");
    overwrite(objectIn(root, shared), "one\ntwo\nthree\n");
    fs.rmSync(objectIn(root, gone));
    overwrite(join(root, "packs", hex), "{}");
    overwrite(join(root, "refs/tags/torn"), "sha256:");
    overwrite(join(root, "refs/tags/lost"), `sha256:${"1".repeat(64)}\n`);
    const loose = putObject(root, "of nobody");
    overwrite(objectIn(root, loose), "of somebody");
    const { status, target, answers: found } = await verify(folder);
    expect(status).toBe(1);
    expect(found).toEqual({
      objects: "no",
      manifests: "no",
      references: "no",
      refs: "no",
      lineage: "yes",
    });
    const both = [`sha256:${hex}`, `sha256:${second}`].sort().join();
    expect(target.faults.map(({ about, packs }) => `${about} ${[...packs].sort().join()}`).sort()).toEqual(
      [
        `ctx://${hex} sha256:${hex}`,
        `sha256:${shared} ${both}`,
        `sha256:${gone} ${both}`,
        `sha256:${loose} `,
        "tag lost ",
        "tag torn ",
      ].sort(),
    );
    for (const { remedy } of target.faults) expect(remedy).toMatch(/ctx pack|ctx tag|rm -f/);
    // The remedies, carried out.
    await packed(folder, reportLog());
    await cli(["tag", "-d", "lost"], { folder });
    await cli(["tag", "--force", "torn", hex], { folder });
    fs.rmSync(objectIn(root, loose));
    expect((await verify(folder)).status).toBe(0);
  });

  it("ctx verify of a store names parents that are missing, and exits 0", async () => {
    const { folder } = await reportStore({ parent: `sha256:${"2".repeat(64)}` });
    const { status, answers: found, target } = await verify(folder);
    expect({ status, lineage: found["lineage"] }).toEqual({ status: 0, lineage: "not_checked" });
    expect(target.notes.join()).toContain("222222222222");
  });

  it("ctx verify of a store notes unreached objects, unknown files, leftovers and a stale latest", async () => {
    const { folder, root, hex } = await reportStore();
    putObject(root, "of nobody");
    for (const name of ["mine.txt", "objects/note", "objects/ab/note", "packs/note", "refs/heads"])
      write(root, name, "");
    write(root, "tmp/left/over", "");
    write(root, "locks/add.x.1.1.abc", "");
    write(root, "refs/latest", `sha256:${"1".repeat(64)}\n`);
    const { status, target } = await verify(folder);
    expect(status).toBe(0);
    expect(target.counts?.unreached).toBe(1);
    const notes = target.notes.join("\n");
    for (const word of [
      "objects that no pack refers to: 1",
      "mine.txt",
      "objects/note",
      "objects/ab/note",
      "packs/note",
      "refs/heads",
      "tmp/",
      "latest",
    ])
      expect(notes).toContain(word);
    expect((await verify(folder, "latest")).target.packs).toEqual([`sha256:${hex}`]);
  });

  it("ctx verify --sample checks a part of the objects, and always manifests, and says how much", async () => {
    const { folder, root, hex } = await reportStore({
      steps: Array.from({ length: 300 }, (_, at) => ({ type: "reasoning", output: `thought ${at}` })),
    });
    const { status, target, answers: found } = await verify(folder, "--sample", "10%");
    expect({ status, result: target.result, objects: found["objects"] }).toEqual({
      status: 0,
      result: "sampled",
      objects: "not_checked",
    });
    expect(target.counts?.objects).toBeGreaterThan(300);
    expect(target.counts?.checked).toBeGreaterThan(0);
    expect(target.counts?.checked).toBeLessThan(120);
    fs.rmSync(objectIn(root, sha256("thought 7")));
    expect((await verify(folder, "--sample", "1%")).status).toBe(1);
    overwrite(objectIn(root, hex), "{}");
    expect((await verify(folder, "--sample", "0.1%")).target.faults[0]?.about).toBe(`ctx://${hex}`);
  });

  it("ctx verify reads a store of the Go implementation, its packs and its files", async () => {
    const folder = tempFolder();
    fs.cpSync(join(repository, "test/golden/go-store"), folder, { recursive: true });
    spawnSync("chmod", ["-R", "u+w", folder]);
    expect(await verify(folder)).toMatchObject({ status: 0, target: { result: "verified", faults: [] } });
    const packs = fs.readdirSync(join(folder, ".ctx/packs"));
    expect(packs.length).toBeGreaterThan(0);
    for (const hex of packs) {
      expect((await verify(folder, hex)).status).toBe(0);
      const { outputs } = manifestOf(join(folder, ".ctx"), hex) as {
        outputs: { name: string; content_ref: string }[];
      };
      for (const { name, content_ref } of outputs) {
        fs.copyFileSync(objectIn(join(folder, ".ctx"), content_ref.slice(7)), join(folder, "file"));
        expect(await verify(folder, "file")).toMatchObject({
          status: 0,
          answers: { content: "yes", pack: "yes" },
        });
        fs.writeFileSync(
          join(folder, "file.ctx.json"),
          JSON.stringify({ context_pack: `sha256:${hex}`, inputs: [], tools: [] }),
        );
        const { status, answers: found } = await verify(folder, "file");
        expect({ name, status: status > 0, content: found["content"] }).toEqual({
          name,
          status: found["sidecar"] === "no",
          content: "yes",
        });
        fs.appendFileSync(join(folder, "file"), "x");
        expect((await verify(folder, "file")).status).toBe(1);
        fs.rmSync(join(folder, "file.ctx.json"));
      }
    }
  });
});

const head = "The first recorded line of the one.\nThe second recorded line of it.\n";
const tail = "Another run wrote this line here.\nAnd this one is the last of all.\n";

function outputLog(name: string, content: string): AnyLog {
  return smallLog({ outputs: [{ name, content }] });
}

/** Returns a store in which two packs have an output each. */
async function twoTexts(one = head, two = tail): Promise<{ folder: string; packs: string[] }> {
  const { folder } = tempStore();
  return {
    folder,
    packs: [
      `sha256:${await packed(folder, outputLog("one.txt", one), "--no-sidecars")}`,
      `sha256:${await packed(folder, outputLog("two.txt", two), "--no-sidecars")}`,
    ],
  };
}

async function lines(folder: string, text: string) {
  write(folder, "mixed", text);
  return (await verify(folder, "--lines", "mixed")).target.lines;
}

describe("ctx verify --lines", () => {
  it("ctx verify --lines says which lines came from which output, and which from none", async () => {
    const { folder, packs } = await twoTexts();
    const [one, two] = packs;
    const own = "Nobody has recorded this line.\nNor this one, to be sure.\n";
    expect(await lines(folder, head + own + tail)).toEqual([
      { from: 1, to: 2, pack: one, output: "one.txt", at: 1 },
      { from: 3, to: 4 },
      { from: 5, to: 6, pack: two, output: "two.txt", at: 1 },
    ]);
    expect(await lines(folder, tail + head)).toEqual([
      { from: 1, to: 2, pack: two, output: "two.txt", at: 1 },
      { from: 3, to: 4, pack: one, output: "one.txt", at: 1 },
    ]);
    expect(await lines(folder, tail.split("\n")[1] as string)).toEqual([
      { from: 1, to: 1, pack: two, output: "two.txt", at: 2 },
    ]);
    expect(await lines(folder, own)).toEqual([{ from: 1, to: 2 }]);
    expect(await lines(folder, "")).toEqual([]);
    write(folder, "report", head + own);
    const { stdout } = await cli(["verify", "--lines", "report"], { folder });
    expect(stdout).toMatch(/lines 1-2  one\.txt of ctx:\/\/[0-9a-f]{12}, from line 1/);
    expect(stdout).toMatch(/lines 3-4  in no recorded output/);
  });

  it("ctx verify --lines attributes repeated lines each on its own", async () => {
    const { folder, packs } = await twoTexts();
    const [one] = packs;
    const [first] = head.split("\n");
    expect(await lines(folder, `${first}\n${first}\n${head}`)).toEqual([
      { from: 1, to: 1, pack: one, output: "one.txt", at: 1 },
      { from: 2, to: 2, pack: one, output: "one.txt", at: 1 },
      { from: 3, to: 4, pack: one, output: "one.txt", at: 1 },
    ]);
  });

  it("ctx verify --lines ignores a missing line feed at the end, but not CRLF", async () => {
    const { folder, packs } = await twoTexts(head, tail.replaceAll("\n", "\r\n"));
    const [one, two] = packs;
    expect(await lines(folder, head.trimEnd())).toEqual([
      { from: 1, to: 2, pack: one, output: "one.txt", at: 1 },
    ]);
    expect(await lines(folder, head.replaceAll("\n", "\r\n"))).toEqual([{ from: 1, to: 2 }]);
    expect(await lines(folder, tail.replaceAll("\n", "\r\n"))).toEqual([
      { from: 1, to: 2, pack: two, output: "two.txt", at: 1 },
    ]);
    expect(await lines(folder, tail)).toEqual([{ from: 1, to: 2 }]);
  });

  it("ctx verify --lines covers the file without gap or overlap, and ignores brackets and empty lines", async () => {
    const { folder } = await twoTexts(`{\n\n}\n${head}`, `}\n\n${tail}{\n`);
    const text = `{\n\n}\n\n${tail}{\nown line of the file\n${head}}\n`;
    const ranges = (await lines(folder, text)) ?? [];
    const count = text.split("\n").length - 1;
    expect(ranges.map(({ from }) => from)).toEqual([1, ...ranges.slice(0, -1).map(({ to }) => to + 1)]);
    expect(ranges.at(-1)?.to).toBe(count);
    const alone = await lines(folder, "{\n\n}\n");
    expect(alone).toEqual([{ from: 1, to: 3 }]);
  });

  it("ctx verify --lines of a verified file is one range, and a damaged pack is left out", async () => {
    const { folder, root, hex } = await reportStore();
    expect((await verify(folder, "report.md", "--lines")).target.lines).toEqual([
      { from: 1, to: 6, pack: `sha256:${hex}`, output: "report.md", at: 1 },
    ]);
    overwrite(objectIn(root, sha256(reportText)), "other");
    expect((await verify(folder, "report.md", "--lines")).target.lines).toEqual([{ from: 1, to: 6 }]);
  });

  it("ctx verify --lines is quick for thousands of equal lines", { timeout: 60_000 }, async () => {
    const blank = "\n".repeat(5000);
    const { folder } = await twoTexts(blank, "}\n".repeat(5000));
    const begun = Date.now();
    await lines(folder, blank);
    await lines(folder, "}\n".repeat(5000));
    expect(Date.now() - begun).toBeLessThan(1500);
  });
});

describe("what ctx verify prints", () => {
  const hostileText = "\u001b]0;owned\u0007\u0085\u202e\u200b\u2028";
  const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

  it("ctx verify prints less than a screen for a verified file", async () => {
    const { folder, hex } = await reportStore();
    const { stdout } = await cli(["verify", "report.md"], { folder });
    expect(stdout.split("\n")[0]).toBe("report.md  verified");
    expect(stdout).toContain("This does not prove");
    expect(stdout).toContain(`ctx show ${hex.slice(0, 12)}`);
    expect(stdout.split("\n").length).toBeLessThan(22);
    expect((await cli(["verify"], { folder })).stdout).toMatch(/^the store .*  verified\n/);
  });

  it.each([80, 50])("ctx verify fits %i columns, but for hashes and paths", async (width) => {
    const { folder, root, hex } = await reportStore();
    const second = await packed(folder, child(hex), "--no-sidecars");
    await packed(folder, child(second, { created: "2026-05-01T00:00:00Z" }), "--no-sidecars");
    await cli(["tag", "good", hex], { folder });
    const look = async (...args: string[]): Promise<void> => {
      const { stdout } = await cli(["verify", ...args], { folder, width });
      for (const line of stdout.split("\n"))
        if (!/[0-9a-f]{62}|\/\S{12}/.test(line)) expect(line.length, line).toBeLessThanOrEqual(width);
    };
    await look("report.md", "--lines");
    await look("latest");
    await look();
    write(folder, "report.md", `${reportText}${"a long line that was added by hand, ".repeat(9)}\n`);
    await look("report.md", "--lines");
    expect((await cli(["verify", "report.md"], { folder, width })).stdout).toMatch(
      /it was output report\.md of/,
    );
    overwrite(objectIn(root, sha256("one\ntwo\n")), "");
    overwrite(join(root, "refs/tags/good"), "");
    await look("report.md");
    await look("latest");
    await look();
    await look("no-such-thing", "report.md.ctx.json");
  });

  it("ctx verify is coloured on a terminal only", async () => {
    const { folder } = await reportStore();
    const plain = (await cli(["verify", "report.md"], { folder })).stdout;
    const coloured = (await cli(["verify", "report.md", "--no-pager"], { folder, terminal: 80 })).stdout;
    expect(plain).not.toContain("\u001b");
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
  });

  it("ctx verify prints no control bytes, whatever files, outputs, tools and remarks are called", async () => {
    const name = `report${hostileText}.md`;
    const { folder, root } = tempStore();
    write(folder, name, `${hostileText}a line of text\n`);
    const log = reportLog({
      steps: [
        {
          type: "tool_call",
          tool: `tool${hostileText}`,
          parameters: { [hostileText]: `${hostileText}a line of text\n` },
          output: hostileText,
        },
      ],
      outputs: [{ name, content: `${hostileText}a line of text\n`, notes: hostileText }],
    });
    const hex = await packed(folder, log);
    write(root, `mine${hostileText}`, "");
    write(root, `packs/${hostileText}`, "");
    const look = async (...args: string[]): Promise<string> => {
      const texts: string[] = [];
      for (const options of [{ folder }, { folder, width: 50 }, { folder, terminal: 80 }]) {
        const { stdout, stderr } = await cli(["verify", ...args, "--junit", "out.xml"], options);
        texts.push(
          stdout + stderr,
          fs.existsSync(join(folder, "out.xml")) ? fs.readFileSync(join(folder, "out.xml"), "utf8") : "",
        );
      }
      const { stdout, stderr } = await cli(["verify", ...args, "--json"], { folder });
      for (const text of [...texts, stdout + stderr])
        expect(raw.exec(text.replaceAll(/\u001b\[(?:\d+m|K)|\r/g, "")), JSON.stringify(text)).toBeNull();
      return texts[0] as string;
    };
    expect(await look(name, "--lines")).toContain("verified");
    write(folder, name, `${hostileText}another line\n`);
    expect(await look(name, "--lines")).toContain("it was output");
    await look(hostileText);
    await look("--file", hostileText);
    await look("--pack", hostileText);
    await look();
    overwrite(objectIn(root, sha256(hostileText)), `${hostileText}.`);
    expect(await look(name)).toContain("damaged");
    await look(hex);
    write(folder, `${name}.ctx.json`, hostileText);
    await look(name);
  });

  it("ctx verify --json fits its schema, whatever the result", async () => {
    const { folder, root, hex } = await reportStore();
    const isValid = compile(closed(readSchema("verify-result")) as Record<string, unknown>);
    const look = async (...args: string[]): Promise<void> => {
      const { result } = await verify(folder, ...args);
      expect(isValid(result), JSON.stringify(isValid.errors)).toBe(true);
    };
    await look("report.md", "--lines");
    await look(hex, "nothing", "report.md.ctx.json");
    await look();
    await look("--sample", "50%");
    write(folder, "report.md", "edited");
    await look("report.md", "--lines");
    overwrite(objectIn(root, hex), "");
    await look("report.md", hex);
    await look();
  });
});

/** Returns the numbers on the first element, after a look whether all elements are closed. */
function suite(xml: string): { tests: number; failures: number; errors: number; skipped: number } {
  const open: string[] = [];
  for (const [, isEnd, name, isEmpty] of xml
    .replace(/^<\?xml.*?\?>/, "")
    .matchAll(/<(\/?)([a-z-]+)(?:\s+[a-z]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*\s*(\/?)>/g)) {
    if (isEnd === "/") expect(open.pop()).toBe(name);
    else if (isEmpty !== "/") open.push(name as string);
  }
  expect(open).toEqual([]);
  const count = (name: string): number =>
    Number(new RegExp(`<testsuite [^>]*${name}="(\\d+)"`).exec(xml)?.[1]);
  expect(xml.match(/<testcase /g)?.length ?? 0).toBe(count("tests"));
  expect(xml.match(/<failure /g)?.length ?? 0).toBe(count("failures"));
  expect(xml.match(/<error /g)?.length ?? 0).toBe(count("errors"));
  return {
    tests: count("tests"),
    failures: count("failures"),
    errors: count("errors"),
    skipped: xml.match(/<skipped /g)?.length ?? 0,
  };
}

describe("ctx verify --junit", () => {
  it("ctx verify --junit agrees with the exit status", async () => {
    const { folder, root, hex } = await reportStore();
    write(folder, "unknown <&\"'>", "unknown");
    write(folder, "edited/report.md", "edited");
    fs.copyFileSync(join(folder, "report.md.ctx.json"), join(folder, "edited/report.md.ctx.json"));
    const look = async (...args: string[]) => {
      fs.rmSync(join(folder, "out.xml"), { force: true });
      const { status, result } = await verify(folder, ...args, "--junit", "out.xml");
      const counts = suite(fs.readFileSync(join(folder, "out.xml"), "utf8"));
      const claims = result.targets.flatMap((target) => target.claims);
      expect(counts.failures).toBe(claims.filter(({ answer }) => answer === "no").length);
      expect(counts.skipped).toBe(claims.filter(({ answer }) => answer === "not_checked").length);
      expect(counts.failures + counts.errors > 0).toBe(status > 0);
      expect(counts.tests).toBeGreaterThan(0);
      return { status, ...counts };
    };
    expect(await look("report.md")).toMatchObject({ status: 0, tests: 6 });
    expect(await look("report.md", hex)).toMatchObject({ status: 0, tests: 8 });
    expect(await look("edited/report.md")).toMatchObject({ status: 1, failures: 1 });
    expect(await look("unknown <&\"'>")).toMatchObject({ status: 2, errors: 1 });
    expect(await look("report.md", "no-such-pack")).toMatchObject({ status: 2, errors: 1 });
    expect(await look()).toMatchObject({ status: 0, tests: 5 });
    expect(await look("--sample", "1%")).toMatchObject({ status: 0, skipped: 1 });
    overwrite(objectIn(root, sha256("one\ntwo\n")), "");
    expect(await look()).toMatchObject({ status: 1 });
    expect(await look("report.md")).toMatchObject({ status: 1 });
  });
});

describe("ctx verify of a log", () => {
  it("ctx verify of a log names the pack that it became; of other JSON it does not", async () => {
    const { folder } = await reportStore();
    const log = join(repository, "examples/sessions/fix-pages.jsonl");
    const { stdout } = await cli(["pack", log], { folder });
    const hex = /ctx:\/\/([0-9a-f]{64})/.exec(stdout)?.[1] ?? "";
    const { status, target } = await verify(folder, log);
    expect(status).toBe(2);
    expect(target.notes).toEqual([
      `it is the log of ctx://${hex.slice(0, 12)}: packing it again gives the same name`,
    ]);
    expect(target.next).toEqual([`ctx verify ${hex.slice(0, 12)}`]);
    write(folder, "other.json", "{}");
    expect((await verify(folder, "other.json")).target.notes).toEqual([]);
  });
});
