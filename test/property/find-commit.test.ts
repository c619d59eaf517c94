// The search for the commit that a run started from, in random histories: rebased branches whose first
// commits are gone or kept, changed files that equal those of other commits, and contents that repeat. `sure`
// is never wrong.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256, toReference } from "../../src/base/digest.js";
import type { Manifest } from "../../src/model/manifest.js";
import { findCommit } from "../../src/replay/find-commit.js";
import type { ReplayTree } from "../../src/results/replay.js";
import { GitHistory } from "../../dev/git-history.js";

const day = 86_400;
const start = Date.parse("2026-03-01T12:00:00Z") / 1000;
const names = ["a.txt", "b.txt", "src/c.ts", "src/d.ts", "src/e.ts", "src/deep/f.ts", "src/deep/g.ts"];
const all = names.map((_, file) => file);

type Files = Record<string, string>;

/** Returns one of few contents of a file, so that commits share them and files go back to what they were. */
function content(name: string, version: number): string {
  return [1, 2, 3, 4]
    .map((line) => `line ${line} of ${name}, as of version ${line === 2 ? version : 0}\n`)
    .join("");
}

const change = fc.record({ file: fc.nat(names.length - 1), version: fc.nat(3) });
const changes = fc.array(change, { minLength: 1, maxLength: 2 });

const scene: fc.Arbitrary<Scene> = fc.record({
  main: fc.array(changes, { minLength: 2, maxLength: 6, size: "max" }),
  /** Commits of main after the run began. */
  later: fc.nat(3),
  feature: fc.array(changes, { minLength: 1, maxLength: 4 }),
  forkAt: fc.nat(9),
  /** What became of the feature branch after the run began. */
  fate: fc.constantFrom("kept", "grew", "rebased, and the old commits are reachable", "rebased", "deleted"),
  /** Where the run started. */
  on: fc.constantFrom("main", "main", "feature", "feature", "an older commit of main"),
  isBranchRecorded: fc.nat(4).map((one) => one > 0),
  dirty: fc.oneof(fc.constant([]), fc.constant([]), fc.array(change, { maxLength: 2 })),
  seen: fc.oneof(fc.constant(all), fc.subarray(all, { minLength: 2 })),
  parts: fc.uniqueArray(fc.nat(names.length - 1), { maxLength: 3 }),
});

interface Change {
  file: number;
  version: number;
}

interface Scene {
  main: Change[][];
  later: number;
  feature: Change[][];
  forkAt: number;
  fate: string;
  on: string;
  isBranchRecorded: boolean;
  dirty: readonly Change[];
  seen: number[];
  parts: number[];
}

interface Built {
  folder: string;
  /** The commit that the run started from, and its tree's files. */
  truth: string;
  manifest: Manifest;
  contents: Map<string, Buffer>;
  isClean: boolean;
}

function build(facts: Scene): Built {
  const history = new GitHistory();
  const apply = (files: Files, list: readonly { file: number; version: number }[]): Files => ({
    ...files,
    ...Object.fromEntries(
      list.map(({ file, version }) => [names[file] ?? "", content(names[file] ?? "", version)]),
    ),
  });
  const first = Object.fromEntries(names.map((name) => [name, content(name, 0)]));
  const main: { mark: number; files: Files }[] = [];
  const before = facts.main.length - Math.min(facts.later, facts.main.length - 1);
  let files = first;
  for (const [at, list] of [[], ...facts.main].entries()) {
    files = apply(files, list);
    const authored = at <= before ? start - (before - at + 1) * day : start + at * day;
    main.push({
      mark: history.commit({ parents: main.slice(-1).map(({ mark }) => mark), files, authored }),
      files,
    });
  }
  const grow = (from: { mark: number; files: Files }, committed?: number): { mark: number; files: Files } => {
    let tip = from;
    for (const [at, list] of facts.feature.entries()) {
      const authored = start - 3600 * (facts.feature.length - at);
      const next = apply(tip.files, list);
      tip = {
        files: next,
        mark: history.commit({
          parents: [tip.mark],
          files: next,
          authored,
          committed: committed === undefined ? authored : committed + at,
          subject: `Feature ${at}`,
        }),
      };
    }
    return tip;
  };
  const old = grow(main[Math.min(facts.forkAt, before)] as { mark: number; files: Files });
  history.ref("refs/heads/main", (main.at(-1) as { mark: number }).mark);
  const isRebased = facts.fate.startsWith("rebased");
  const rebased = isRebased ? grow(main.at(-1) as { mark: number; files: Files }, start + 20 * day) : old;
  const grown =
    facts.fate === "grew"
      ? history.commit({
          parents: [old.mark],
          files: apply(old.files, facts.main[0] ?? []),
          authored: start + day,
        })
      : rebased.mark;
  if (facts.fate !== "deleted") history.ref("refs/remotes/origin/feature", grown);
  if (facts.fate.endsWith("reachable")) history.ref("refs/heads/backup", old.mark);
  const isOlder = facts.on.startsWith("an older");
  const origin =
    facts.on === "feature"
      ? old
      : (main[isOlder ? Math.floor(before / 2) : before] as { mark: number; files: Files });
  // Behind its branch, and with the very files of its tip: then nothing that the run saw is of the older
  // commit.
  const dirty = isOlder ? facts.dirty.map(({ file }) => ({ file, version: 9 })) : facts.dirty;
  const checkout = apply(origin.files, dirty);
  const contents = new Map<string, Buffer>();
  const keep = (text: string): `sha256:${string}` => {
    const bytes = Buffer.from(text);
    const reference = toReference(sha256(bytes));
    contents.set(reference, bytes);
    return reference;
  };
  const isPart = (file: number): boolean => facts.parts.includes(file);
  const at = new Date(start * 1000).toISOString();
  const { folder, ids } = history.write();
  const manifest = {
    created: new Date((start + 600) * 1000).toISOString(),
    inputs: facts.seen
      .filter((file) => !isPart(file))
      .map((file) => ({ name: names[file], content_ref: keep(checkout[names[file] ?? ""] ?? ""), size: 10 })),
    steps: facts.seen.filter(isPart).map((file, index) => ({
      index,
      type: "tool_call",
      tool: "Bash",
      parameters: { command: `sed -n '2,3p' ${names[file]}` },
      output_ref: keep((checkout[names[file] ?? ""] ?? "").split("\n").slice(1, 3).join("\n")),
      timestamp: at,
      metadata: { status: "ok" },
    })),
    outputs: [],
    metadata: {
      workdir: "/home/user/project",
      source: { format: "claude-code" },
      ...(facts.isBranchRecorded ? { git: { branch: facts.on === "feature" ? "feature" : "main" } } : {}),
    },
  } as unknown as Manifest;
  if (manifest.steps.length === 0) manifest.steps.push({ index: 0, type: "message", timestamp: at } as never);
  return {
    folder,
    truth: ids.get(origin.mark) as string,
    manifest,
    contents,
    isClean: names.every((name) => checkout[name] === origin.files[name]),
  };
}

function treeOf({ folder }: Built, commit: string): string {
  return execFileSync("git", ["-C", folder, "rev-parse", `${commit}^{tree}`], { encoding: "utf8" });
}

async function found({ folder, manifest, contents }: Built): Promise<ReplayTree> {
  const repository = { folder, path: process.env["PATH"] ?? "", home: folder };
  const read = (reference: string): Buffer | undefined => contents.get(reference);
  return (await findCommit(repository, manifest, { revision: "auto", read, time: 60_000 })).tree;
}

describe("the commit that a run started from", () => {
  it("replay --git auto: a sure commit has the tree of the right one, in every history", async () => {
    const graded = { sure: 0, likely: 0, guess: 0, proved: 0, named: 0 };
    let right = 0;
    let clean = 0;
    await fc.assert(
      fc.asyncProperty(scene, async (facts) => {
        const built = build(facts);
        const tree = await found(built);
        const isRight = tree.commit === built.truth;
        if (built.isClean && facts.fate === "kept") {
          clean++;
          if (isRight) right++;
          expect(tree.holds).toBe(tree.of);
        }
        graded[tree.how]++;
        // Commits may have one tree: then either is as good a start.
        if (tree.how === "sure")
          expect(treeOf(built, tree.commit), JSON.stringify(facts)).toBe(treeOf(built, built.truth));
        fs.rmSync(built.folder, { recursive: true });
      }),
      { numRuns: Number(process.env["CTX_RUNS"] ?? 80), endOnFailure: true },
    );
    // Not by never being sure.
    expect(graded.sure).toBeGreaterThan(0);
    expect(graded.likely).toBeGreaterThan(graded.guess);
    expect(right * 3).toBeGreaterThan(clean);
  }, 600_000);
});
