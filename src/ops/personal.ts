// What packs tell about the person and the machine besides what the run was about: home folders, user names, folders and branches.
// It is said before packs leave.
import { hexOf } from "../base/digest.js";
import { isObject, type JsonValue } from "../base/json.js";
import { type Manifest, reached } from "../model/manifest.js";
import type { Personal } from "../model/share-results.js";
import { withObject } from "../store/objects.js";

/** More values than this of one kind are counted, not listed. */
const most = 50;
/** A longer value is cut. */
const longest = 300;

/** Texts without one of these hold no home folder. */
const marks = ["/home/", "/Users/", "\\Users\\", "/root"];

/** `/home/alice`, also below the folders that servers have homes in; `/Users/alice`; `C:\Users\alice`, also as JSON writes it; `/root`. */
const homes =
  /(?<![\w.~%-])((?:\/(?:var|export|nfs|usr|mnt|data))?\/(?:home|Users)\/|[A-Za-z]:\\{1,2}Users\\{1,2}|[A-Za-z]:\/Users\/)([^/\\\s"'`<>|:;,()[\]{}$*?&#=]{1,64})|(?<![\w.~%-])\/root(?![\w.-])/g;

const folderKeys = new Set(["cwd", "workdir", "working_directory", "project", "directory"]);
const branchKeys = new Set(["branch", "git_branch", "gitBranch"]);

export class PersonalFinder {
  readonly #root: string;
  /** How many texts hold each home folder. */
  readonly #homes = new Map<string, number>();
  readonly #users = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #branches = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Looks through a manifest and everything that it reaches. `held`: the bytes of a content that was just read. */
  add(manifest: Manifest, held: (hex: string) => Buffer | undefined): void {
    this.#value(manifest as unknown as JsonValue, "");
    for (const hex of [...reached(manifest)].map(hexOf)) {
      if (this.#seen.has(hex)) continue;
      this.#seen.add(hex);
      const bytes = held(hex);
      const found = new Set<string>();
      const look = (piece: Buffer): void => {
        if (marks.some((mark) => piece.includes(mark)))
          this.#homesIn(piece.toString("latin1"), found, "latin1");
      };
      if (bytes !== undefined) look(bytes);
      else
        withObject(this.#root, hex, (pieces) => {
          for (const piece of pieces) look(piece);
        });
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
    if (!marks.some((mark) => text.includes(mark))) return;
    const found = new Set<string>();
    this.#homesIn(text, found, "utf8");
    this.#count(found);
  }

  #homesIn(text: string, found: Set<string>, encoding: "latin1" | "utf8"): void {
    for (const [whole, above, user] of text.matchAll(homes)) {
      if (above === undefined || user === undefined) {
        found.add("/root");
        this.#users.add("root");
        continue;
      }
      const name = encoding === "utf8" ? user : Buffer.from(user, "latin1").toString("utf8");
      // Dots alone lead elsewhere; a placeholder is no name.
      if (/^\.+$/.test(name)) continue;
      found.add(whole.slice(0, above.length).replaceAll("\\\\", "\\") + name);
      this.#users.add(name);
    }
  }

  #count(found: ReadonlySet<string>): void {
    for (const home of found) this.#homes.set(home, (this.#homes.get(home) ?? 0) + 1);
  }

  /** Undefined when nothing was found. */
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
