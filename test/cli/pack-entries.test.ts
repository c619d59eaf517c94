// No hash covers an entry in packs/, so nothing may depend on what it says: the object alone decides how a
// pack is read.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import type { AnyLog } from "../../dev/logs.js";
import {
  editSidecar,
  manifestOf,
  objectIn,
  overwrite,
  packed,
  putObject,
  reportLog,
  reportStore,
  sha256,
  verify,
} from "../../dev/provenance.js";
import { repository } from "../../dev/built.js";

/** Makes the entry of a pack the one line that the Go implementation writes. */
function makeOneLine(root: string, hex: string, end = "\n"): void {
  overwrite(join(root, "packs", hex), `sha256:${hex}${end}`);
}

/** The commands of a Go store's tests start from a writable copy. */
function goStore(): string {
  const folder = tempFolder();
  fs.cpSync(join(repository, "test/golden/go-store"), folder, { recursive: true });
  spawnSync("chmod", ["-R", "u+w", folder]);
  return folder;
}

describe("a one-line entry for a pack of this ctx", () => {
  it("one-line entry: a masked file stays unverified, and the pack is damaged", async () => {
    const { folder, root } = tempStore();
    fs.copyFileSync(join(repository, "examples/deploy.json"), join(folder, "deploy.json"));
    fs.copyFileSync(join(repository, "examples/staging.env"), join(folder, "staging.env"));
    const { stdout } = await cli(["pack", "deploy.json", "--no-sidecars"], { folder });
    const hex = stdout.trim().slice("ctx://".length);
    const [masked] = manifestOf(root, hex)["outputs"] as { content_ref: string }[];
    fs.copyFileSync(objectIn(root, (masked?.content_ref ?? "").slice(7)), join(folder, "masked.env"));
    const before = await verify(folder, "masked.env");
    expect(before).toMatchObject({ status: 2, target: { result: "masked", form: "ours" } });
    for (const end of ["\n", ""]) {
      makeOneLine(root, hex, end);
      const after = await verify(folder, "masked.env");
      expect(after).toMatchObject({ status: 1, answers: { pack: "no" } });
      expect(after.target.result).not.toBe("verified");
      expect(after.target.faults[0]?.message).toContain("fields that only this implementation writes");
      expect(after.target.faults[0]?.remedy).toContain("ctx pack");
      expect(await verify(folder, hex)).toMatchObject({
        status: 1,
        target: { result: "damaged", form: "ours" },
      });
      expect(await verify(folder, "--all")).toMatchObject({
        status: 1,
        target: { result: "damaged" },
        answers: { manifests: "no" },
      });
    }
  });

  it("one-line entry: it does not hide that a sidecar lies about the confidence", async () => {
    const { folder, root, hex } = await reportStore({
      outputs: [
        { ...(reportLog()["outputs"] as AnyLog[])[0], confidence: "medium", notes: "from the first draft" },
      ],
    });
    editSidecar(folder, (sidecar) => ({ ...sidecar, confidence: "high" }));
    expect(await verify(folder, "report.md")).toMatchObject({ status: 1, answers: { remarks: "no" } });
    makeOneLine(root, hex);
    expect(await verify(folder, "report.md")).toMatchObject({
      status: 1,
      answers: { remarks: "no", pack: "no" },
    });
  });

  it("one-line entry: it does not make replay execute a call that was denied", async () => {
    const { folder, root } = tempStore();
    const hex = await packed(
      folder,
      reportLog({
        steps: [
          {
            type: "tool_call",
            tool: "write_file",
            parameters: { path: "made.txt", content: "made" },
            output: "ok",
            metadata: { status: "denied" },
          },
        ],
      }),
      "--no-sidecars",
    );
    const look = async (): Promise<unknown> => {
      const { stdout } = await cli(["replay", hex, "--json"], { folder });
      return (JSON.parse(stdout) as { steps: unknown[] }).steps[0];
    };
    const before = await look();
    expect(before).toMatchObject({ status: "recorded" });
    makeOneLine(root, hex);
    expect(await look()).toEqual(before);
  });

  it("one-line entry: gc keeps what the model was shown of a step", async () => {
    const { folder, root } = tempStore();
    const seen = "what the model was shown";
    const hex = await packed(
      folder,
      reportLog({
        steps: [{ type: "tool_call", tool: "read_file", parameters: { path: "a" }, output: "all", seen }],
      }),
      "--no-sidecars",
    );
    makeOneLine(root, hex);
    const { status } = await cli(["gc", "--grace", "0d"], { folder });
    expect(status).toBe(0);
    expect(fs.existsSync(objectIn(root, sha256(seen)))).toBe(true);
  });

  it("one-line entry: packing the log again repairs the entry", async () => {
    const { folder, root, hex } = await reportStore({ metadata: { branch: "main" } });
    const sealed = fs.readFileSync(join(root, "packs", hex));
    makeOneLine(root, hex);
    expect(await packed(folder, reportLog({ metadata: { branch: "main" } }))).toBe(hex);
    expect(fs.readFileSync(join(root, "packs", hex))).toEqual(sealed);
    expect((await verify(folder, "--all")).status).toBe(0);
  });

  it("one-line entry: a pack that the Go implementation could have written is sound", async () => {
    const { folder, root, hex } = await reportStore({ outputs: [{ name: "report.md", content: "x" }] });
    makeOneLine(root, hex);
    expect(await verify(folder, hex)).toMatchObject({ status: 0, target: { form: "ours", notes: [] } });
    expect((await verify(folder, "--all")).status).toBe(0);
  });
});

describe("a one-line entry for a manifest that the strict reader refuses", () => {
  const strange: [string, (manifest: AnyLog) => AnyLog][] = [
    ["metadata", (manifest) => ({ ...manifest, metadata: { redactions: {} } })],
    ["a field that is not known", (manifest) => ({ ...manifest, signed_by: "me" })],
    [
      "a step with seen_ref",
      (manifest) => ({
        ...manifest,
        steps: [
          {
            ...(manifest["steps"] as AnyLog[])[0],
            seen_ref: (manifest as { system_prompt: string }).system_prompt,
          },
        ],
      }),
    ],
    [
      "a step with a pack",
      (manifest) => ({
        ...manifest,
        steps: [
          {
            ...(manifest["steps"] as AnyLog[])[0],
            pack: (manifest as { system_prompt: string }).system_prompt,
          },
        ],
      }),
    ],
    [
      "an output with notes",
      (manifest) => ({
        ...manifest,
        outputs: [{ ...(manifest["outputs"] as AnyLog[])[0], notes: "checked" }],
      }),
    ],
  ];

  it.each(strange)("one-line entry: a Go manifest with %s is damaged", async (_name, change) => {
    const folder = goStore();
    const root = join(folder, ".ctx");
    const [hex] = fs.readdirSync(join(root, "packs")).filter((name) => name.startsWith("31fe"));
    const other = putObject(root, JSON.stringify(change(manifestOf(root, hex as string))));
    fs.writeFileSync(join(root, "packs", other), `sha256:${other}\n`);
    const { status, target } = await verify(folder, other);
    expect({ status, result: target.result }).toEqual({ status: 1, result: "damaged" });
    expect(target.form).toBeUndefined();
    const shown = await cli(["show", other], { folder });
    expect(shown.status).toBe(2);
    expect(shown.stderr).toContain(
      "the Go implementation, which its entry in packs/ names, never writes this",
    );
  });

  it("one-line entry: verify recognises packs of the Go implementation, and says so", async () => {
    const folder = goStore();
    for (const hex of fs.readdirSync(join(folder, ".ctx/packs"))) {
      expect(await verify(folder, hex)).toMatchObject({ status: 0, target: { form: "go" } });
      const { stdout } = await cli(["verify", hex], { folder });
      expect(stdout).toContain("the Go implementation wrote its manifest");
    }
    expect(await verify(folder, "--all")).toMatchObject({ status: 0, target: { counts: { go: 2 } } });
  });

  it("one-line entry: a pack of the Go implementation is damaged once its entry is anything else", async () => {
    const folder = goStore();
    const [hex] = fs.readdirSync(join(folder, ".ctx/packs"));
    overwrite(join(folder, ".ctx/packs", hex as string), "{}");
    expect((await verify(folder, hex as string)).status).toBe(1);
  });
});
