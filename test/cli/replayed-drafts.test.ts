// A replay cannot turn a draft into a run, and what a pack says of its own replay proves nothing by itself.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { canonicalBytes } from "../../src/base/json/canonical.js";
import { type Manifest, seal } from "../../src/model/manifest.js";
import type { LogEntry } from "../../src/results/log.js";
import type { VerifiedTarget, VerifyResult } from "../../src/results/verify.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, environmentHere, smallLog } from "../../dev/logs.js";
import { manifestOf, packed, putObject, verify, write } from "../../dev/provenance.js";

const honest = "# Report\n\nTwo of the five hundred tests failed.\n";
const forged = "# Report\n\nAll five hundred tests passed, and nothing was skipped.\n";

let folder: string;
let root: string;
/** The pack of the run. */
let hex: string;

beforeEach(async () => {
  ({ folder, root } = tempStore());
  const parameters = { path: "report.md", content: honest };
  const steps = [
    { type: "reasoning", output: "I write the report." },
    { type: "tool_call", tool: "write_file", parameters, output: "ok" },
  ];
  const outputs = [{ name: "report.md", content: honest }];
  // In another environment, a replay of steps without times could have been made by an edit as well.
  const log = smallLog({ steps, outputs, environment: environmentHere });
  hex = await packed(folder, log, "--no-sidecars");
});

function ctx(...argv: string[]): Promise<CliResult> {
  return cli(argv, { folder });
}

async function forge(): Promise<string> {
  const sets = [`steps[1].parameters.content=${forged}`, `outputs[report.md].content=${forged}`];
  const { status, stdout, stderr } = await ctx(
    "fork",
    hex,
    ...sets.flatMap((text) => ["--set", text]),
    "--seal",
  );
  expect(status, stderr).toBe(0);
  return stdout.trim().slice("ctx://".length);
}

async function replayed(pack: string): Promise<string> {
  const { stdout } = await ctx("replay", pack, "--seal", "--json");
  const { sealed, fidelity } = JSON.parse(stdout) as { sealed: string; fidelity: string };
  expect(fidelity).toBe("exact");
  return sealed.slice("sha256:".length);
}

/** Puts a pack into the store as another program would have: by hand. */
function sealByHand(pack: string, change: (manifest: AnyLog) => AnyLog): string {
  const manifest = change(manifestOf(root, pack)) as unknown as Manifest;
  const made = putObject(root, canonicalBytes(manifest));
  fs.writeFileSync(join(root, "packs", made), canonicalBytes(seal(manifest, made)));
  return made;
}

function originIn(pack: string): AnyLog {
  return (manifestOf(root, pack)["metadata"] as AnyLog)["origin"] as AnyLog;
}

/** As an earlier version sealed a replay: without the mark. */
function withoutMark(of: string): (manifest: AnyLog) => AnyLog {
  return (manifest) => {
    const { of_draft: _, ...origin } = (manifest["metadata"] as AnyLog)["origin"] as AnyLog;
    return { ...manifest, parent: `sha256:${of}`, metadata: { origin: { ...origin, of: `sha256:${of}` } } };
  };
}

/** Seals the forged report as the output of a replay, with whatever that claims of itself. */
function claimReplay(claims: AnyLog): void {
  const origin = { kind: "replay", of: `sha256:${hex}`, fidelity: "degraded", checked: 6, ...claims };
  const time = "2026-03-01T00:00:00Z";
  sealByHand(hex, (manifest) => ({
    ...manifest,
    metadata: { origin },
    created: time,
    steps: (manifest["steps"] as AnyLog[]).map((step) => ({ ...step, timestamp: time })),
    outputs: [{ content_ref: `sha256:${putObject(root, forged)}`, name: "report.md" }],
  }));
}

/**
 * Returns what `ctx verify` says of the forged report, and whether `ctx verify --write-sidecar` refuses it
 * for the same reason.
 */
async function verdict(words: string): Promise<AnyLog> {
  write(folder, "report.md", forged);
  const { status, target, detail } = await verify(folder, "report.md");
  const sidecar = await ctx("verify", "--write-sidecar", "report.md", "--json");
  const [{ notes }] = (JSON.parse(sidecar.stdout) as VerifyResult).targets as [VerifiedTarget];
  return {
    status,
    result: target.result,
    isSaid: detail("content").includes(words),
    isRefused:
      sidecar.status === 2 && notes.some((note) => note.startsWith("no sidecar") && note.includes(words)),
  };
}

const unproven = { status: 2, result: "unproven", isSaid: true, isRefused: true };

describe("an exact replay of a draft", () => {
  const words = "whose steps come from a draft that was edited by hand";

  it("replay of a draft: it proves no file", async () => {
    const made = await replayed(await forge());
    expect(originIn(made)).toMatchObject({ kind: "replay", fidelity: "exact", of_draft: true });
    expect(await verdict(words)).toEqual(unproven);
  });

  it("replay of a draft: replayed again, it proves no file when the draft is gone", async () => {
    const draft = await forge();
    const first = await replayed(draft);
    const second = await replayed(first);
    expect(originIn(second)).toMatchObject({ of: `sha256:${first}`, of_draft: true });
    for (const pack of [draft, first]) expect((await ctx("rm", pack, "--force")).status).toBe(0);
    expect(await verdict(words)).toEqual(unproven);
  });

  it("replay of a draft: one that an earlier ctx sealed proves no file while the draft is in the store", async () => {
    const draft = await forge();
    const first = await replayed(draft);
    const second = await replayed(first);
    const old = sealByHand(first, withoutMark(draft));
    const older = sealByHand(second, withoutMark(old));
    for (const pack of [first, second]) expect((await ctx("rm", pack, "--force")).status).toBe(0);
    expect(originIn(older)).not.toHaveProperty("of_draft");
    expect(await verdict(words)).toEqual(unproven);
  });

  it("replay of a draft: show, log, diff, verify and replay --plan say that it is one", async () => {
    const draft = await forge();
    const made = await replayed(draft);
    const flat = async (...argv: string[]): Promise<string> =>
      (await ctx(...argv)).stdout.replaceAll(/\s+/g, " ");
    const said = `recorded by a replay of ctx://${draft.slice(0, 12)}, from an edited draft (`;
    expect(await flat("show", made)).toContain(said);
    expect(await flat("log")).toContain("recorded by a replay of its parent, of a draft edited by hand");
    expect(await flat("log", "--oneline")).toContain("replay of a draft");
    const [entry] = (await ctx("log", "--json")).stdout.split("\n");
    expect(JSON.parse(entry ?? "") as LogEntry).toMatchObject({ origin: "replay", of_draft: true });
    for (const format of [["--human"], ["--markdown"]])
      expect(
        (await cli(["diff", draft, made, ...format], { folder, terminal: 200 })).stdout.replaceAll(
          /\s+/g,
          " ",
        ),
      ).toContain("b is the replay of a draft: its steps were edited by hand, and no agent ran them");
    expect(await flat("verify", made)).toContain(said);
    expect(await flat("replay", made, "--plan")).toContain(said.slice(0, -2));
    expect((await ctx("export", made, "--as", "atif")).stderr).toContain("replays a draft");
  });
});

describe("a replay of a run", () => {
  it("replay of a run: it proves what its steps made, and verify says that the pack claims it", async () => {
    await replayed(hex);
    expect((await ctx("rm", hex, "--force")).status).toBe(0);
    write(folder, "report.md", honest);
    const { status, detail } = await verify(folder, "report.md");
    expect(status).toBe(0);
    expect(detail("content")).toMatch(
      /; the pack says that it was sealed by a replay of ctx:\S+ \(exact, 1 tool calls? checked\), in which step 1 produced it$/,
    );
    expect((await ctx("log")).stdout).not.toContain("draft");
  });
});

describe("a forged origin", () => {
  it.each([
    ["a step that the pack does not have", 999],
    ["a step that is no tool call", 0],
  ])("forged replay: one that names %s as the maker of an output proves nothing", async (_, maker) => {
    claimReplay({ made_by: [maker] });
    expect(await verdict("in which no step produced it")).toEqual(unproven);
  });

  it("forged replay: one that claims to be exact, with other outputs than its run, proves nothing", async () => {
    claimReplay({ made_by: [1], fidelity: "exact" });
    expect(await verdict("the pack says that it is an exact replay of")).toEqual(unproven);
  });
});
