// Repositories for tests, written by one `git fast-import` each: 20,000 commits take a few seconds.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./folders.js";

export interface CommitFacts {
  /** The commits before it, by the numbers that `commit` returned. */
  parents?: number[];
  /** Files that are new or changed; null removes one. */
  files: Record<string, string | null>;
  /** Seconds since 1970. */
  authored: number;
  committed?: number;
  subject?: string;
  author?: string;
}

export class GitHistory {
  readonly #parts: string[] = [];
  readonly #refs = new Map<string, number>();
  #count = 0;

  /** Adds a commit and returns its number. */
  commit({
    parents = [],
    files,
    authored,
    committed = authored,
    subject,
    author = "A <a@example.com>",
  }: CommitFacts): number {
    const mark = ++this.#count;
    this.#parts.push(
      `${parents.length === 0 ? "reset refs/scratch\n" : ""}commit refs/scratch\nmark :${mark}\nauthor ${author} ${authored} +0000\ncommitter ${author} ${committed} +0000\n`,
      data(subject ?? `Change ${mark}\n`),
      ...parents.map((parent, at) => `${at === 0 ? "from" : "merge"} :${parent}\n`),
      ...Object.entries(files).map(([name, content]) =>
        content === null ? `D ${name}\n` : `M 100644 inline ${name}\n${data(content)}`,
      ),
    );
    return mark;
  }

  /** Lets a reference name a commit; commits that none reaches are in the repository all the same. */
  ref(name: string, commit: number): void {
    this.#refs.set(name, commit);
  }

  /** Writes the repository, with HEAD on `head`; returns its folder and the ids of the commits by number. */
  write({ head = "main", folder = tempFolder() }: { head?: string; folder?: string } = {}): {
    folder: string;
    ids: Map<number, string>;
  } {
    const run = (args: string[], input = ""): string =>
      execFileSync("git", ["-C", folder, ...args], {
        input,
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
      });
    run(["init", "-q", "-b", head]);
    const marks = join(folder, ".git/marks");
    run(
      ["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", `--export-marks=${marks}`],
      this.#parts.join(""),
    );
    const ids = new Map(
      fs
        .readFileSync(marks, "utf8")
        .split("\n")
        .flatMap((line): [number, string][] => {
          const [mark = "", id = ""] = line.slice(1).split(" ");
          return id === "" ? [] : [[Number(mark), id]];
        }),
    );
    const updates = [
      "delete refs/scratch\n",
      ...[...this.#refs].map(([name, mark]) => `create ${name} ${ids.get(mark) ?? ""}\n`),
    ];
    run(["update-ref", "--stdin"], updates.join(""));
    return { folder, ids };
  }
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
