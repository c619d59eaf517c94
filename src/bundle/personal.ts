// Finds what packs reveal about the person and the machine besides the run itself: home folders, user names,
// folders and branches. It is printed before packs leave.
import { hexOf } from "../base/digest.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { type Manifest, reached } from "../model/manifest.js";
import type { Personal } from "../results/share.js";
import { withObject } from "../store/objects.js";
import { homePaths, homeReach } from "./home-paths.js";

/** The most values of one kind that are listed; more are counted. */
const most = 50;
/** The most characters of a value; longer ones are cut. */
const longest = 300;

const folderKeys = new Set(["cwd", "workdir", "working_directory", "project", "directory"]);
const branchKeys = new Set(["branch", "git_branch", "gitBranch"]);

export class PersonalFinder {
  readonly #root: string;
  /** How many texts contain each home folder. */
  readonly #homes = new Map<string, number>();
  readonly #users = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #branches = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Searches a manifest and everything that it reaches. `held` returns the bytes of a content that was just
   * read.
   */
  add(manifest: Manifest, held: (hex: string) => Buffer | undefined): void {
    this.#value(manifest as unknown as JsonValue, "");
    for (const hex of [...reached(manifest)].map(hexOf)) {
      if (this.#seen.has(hex)) continue;
      this.#seen.add(hex);
      const bytes = held(hex);
      const found = new Set<string>();
      if (bytes !== undefined) this.#bytes([bytes], found);
      else withObject(this.#root, hex, (pieces) => this.#bytes(pieces, found));
      this.#count(found);
    }
  }

  #value(value: JsonValue | undefined, key: string): void {
    if (typeof value === "string") this.#text(value, key);
    else if (Array.isArray(value)) for (const item of value) this.#value(item, key);
    else if (value !== null && value !== undefined && isObject(value))
      for (const [name, inner] of Object.entries(value)) {
        this.#text(name, "");
        this.#value(inner, name);
      }
  }

  #text(text: string, key: string): void {
    if (text !== "" && folderKeys.has(key) && /[/\\]/.test(text)) this.#folders.add(text.slice(0, longest));
    if (text !== "" && branchKeys.has(key)) this.#branches.add(text.slice(0, longest));
    const found = new Set<string>();
    for (const { path, user } of homePaths(text)) this.#home(path, user, found);
    this.#count(found);
  }

  /** Searches a content in pieces that overlap, so that no home folder is cut in two. */
  #bytes(pieces: Iterable<Buffer>, found: Set<string>): void {
    let text = "";
    let from = 0;
    const look = (to: number): void => {
      for (const { path, user } of homePaths(text, { from, to, isBytes: true }))
        this.#home(path, user, found);
    };
    for (const piece of pieces) {
      const kept = text.slice(-2 * homeReach);
      from = Math.max(0, kept.length - homeReach);
      text = kept + piece.toString("latin1");
      look(text.length - homeReach);
    }
    from = Math.max(0, text.length - homeReach);
    look(text.length);
  }

  #home(path: string, user: string, found: Set<string>): void {
    found.add(path);
    this.#users.add(user);
  }

  #count(found: ReadonlySet<string>): void {
    for (const home of found) this.#homes.set(home, (this.#homes.get(home) ?? 0) + 1);
  }

  /** Returns what was found; undefined if nothing was. */
  result(): Personal | undefined {
    const lists = {
      homes: [...this.#homes].map(([path, places]) => ({ path, places })).sort((a, b) => b.places - a.places),
      users: [...this.#users].sort(),
      folders: [...this.#folders].sort(),
      branches: [...this.#branches].sort(),
    };
    const left = Object.values(lists).reduce((sum, { length }) => sum + Math.max(0, length - most), 0);
    if (Object.values(lists).every(({ length }) => length === 0)) return undefined;
    return {
      homes: lists.homes.slice(0, most),
      users: lists.users.slice(0, most),
      folders: lists.folders.slice(0, most),
      branches: lists.branches.slice(0, most),
      more: left,
    };
  }
}
