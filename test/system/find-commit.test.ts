// The search for a run's commit in a repository as large as it reads: 20,000 commits, 500 files that the run
// saw.
import { describe, expect, it } from "vitest";
import { sha256, toReference } from "../../src/base/digest.js";
import type { Manifest } from "../../src/model/manifest.js";
import { findCommit } from "../../src/replay/find-commit.js";
import { GitHistory } from "../../dev/git-history.js";

const start = Date.parse("2026-03-01T12:00:00Z") / 1000;
const commits = 20_000;
const files = 500;

function name(file: number): string {
  return `packages/p${file % 25}/src/f${file}.ts`;
}

function content(file: number, version: number): string {
  return `export const name = "file ${file}";\nexport const version = ${version};\n`;
}

/** Returns a history in which each commit changes one file, and the state of all files at one of them. */
function build(seenAt: number): { history: GitHistory; marks: number[]; state: string[] } {
  const history = new GitHistory();
  const state = Array.from({ length: files }, (_, file) => content(file, 0));
  const marks: number[] = [];
  let seen = state;
  for (let at = 0; at < commits; at++) {
    const file = (at * 7919) % files;
    state[file] = content(file, at);
    const changed = at === 0 ? state.map((text, index) => [name(index), text]) : [[name(file), state[file]]];
    marks.push(
      history.commit({
        parents: marks.slice(-1),
        files: Object.fromEntries(changed) as Record<string, string>,
        authored: start - (commits - at) * 400,
      }),
    );
    if (at === seenAt) seen = [...state];
  }
  history.ref("refs/heads/main", marks.at(-1) as number);
  return { history, marks, state: seen };
}

describe("the commit of a run in a large repository", () => {
  it("replay --git auto: 20,000 commits and 500 witnesses are compared within the time", async () => {
    const truth = commits - 4321;
    const { history, marks, state } = build(truth);
    const { folder, ids } = history.write();
    const contents = new Map(
      state.map((text) => [toReference(sha256(Buffer.from(text))) as string, Buffer.from(text)]),
    );
    const manifest = {
      created: new Date((start + 600) * 1000).toISOString(),
      inputs: state.map((text, file) => ({
        name: name(file),
        content_ref: toReference(sha256(Buffer.from(text))),
        size: text.length,
      })),
      steps: [{ index: 0, type: "message", timestamp: new Date(start * 1000).toISOString() }],
      outputs: [],
      metadata: { workdir: "/home/user/project", git: { branch: "main" } },
    } as unknown as Manifest;
    const repository = { folder, path: process.env["PATH"] ?? "", home: folder };
    const read = (reference: string): Buffer | undefined => contents.get(reference);
    // With more time than the ten seconds of a user: other suites run beside this one.
    const { tree } = await findCommit(repository, manifest, { revision: "auto", read, time: 120_000 });
    expect(tree).toEqual({ commit: ids.get(marks[truth] as number), how: "likely", holds: files, of: files });
    // Out of time, it says so, and what it found is not sure.
    const cut = await findCommit(repository, manifest, { revision: "auto", read, time: 150 }).catch(
      (error: Error) => error,
    );
    if (!(cut instanceof Error))
      expect(cut.tree).toMatchObject({ stopped: expect.stringMatching(/time ran out|only 20000/) });
  }, 300_000);
});
