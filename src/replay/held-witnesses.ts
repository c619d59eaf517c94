// Counts the witnesses that the tree of each commit holds. Trees that commits share are read once, and blobs
// are compared by their ids; only where a part of a file was read is the blob itself needed.
import { GitObjects, blobId, readTree } from "./git-objects.js";
import type { Commit, Repository } from "./repository.js";
import { git } from "./repository.js";
import { holdsPart, type PartWitness, type Witness } from "./witnesses.js";

/** A folder that has witnesses in it or below. */
interface Folder {
  folders: Map<string, Folder>;
  /** The witnesses for each file of this name. */
  files: Map<string, FileWitnesses>;
  /** How many witnesses each tree of this folder holds. */
  counts: Map<string, Promise<number>>;
}

interface FileWitnesses {
  /** The ids of blobs, and the number of witnesses for each. */
  ids: Map<string, number>;
  parts: PartWitness[];
  /** How many witnesses each blob holds. */
  counts: Map<string, Promise<number>>;
}

export class HeldWitnesses {
  readonly #objects: GitObjects;
  readonly #root: Folder;
  readonly #idBytes: number;

  /** `prefix`: the folder of the run in the repository, empty or with a slash at its end. */
  constructor(repository: Repository, prefix: string, witnesses: readonly Witness[]) {
    const format = git(repository, ["rev-parse", "--show-object-format"]).toString("latin1").trim();
    this.#idBytes = format === "sha256" ? 32 : 20;
    this.#root = emptyFolder();
    for (const witness of witnesses)
      addWitness(this.#root, Buffer.from(prefix + witness.path), witness, format);
    this.#objects = new GitObjects(repository);
  }

  /**
   * Counts for each commit, in this order, until the deadline; returns the number of witnesses that each
   * commit holds.
   */
  async count(commits: readonly Commit[], deadline: number): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const timer = setTimeout(() => this.close(), Math.max(0, deadline - Date.now()));
    try {
      for (let at = 0; at < commits.length; at += 200) {
        const some = commits.slice(at, at + 200);
        const counts = await Promise.all(some.map(({ tree }) => this.#inFolder(this.#root, tree)));
        some.forEach(({ id }, index) => found.set(id, counts[index] as number));
      }
    } catch (error) {
      if (Date.now() < deadline) throw error;
    } finally {
      clearTimeout(timer);
    }
    return found;
  }

  close(): void {
    this.#objects.close();
  }

  #inFolder(folder: Folder, tree: string): Promise<number> {
    let count = folder.counts.get(tree);
    if (count === undefined) folder.counts.set(tree, (count = handled(this.#countFolder(folder, tree))));
    return count;
  }

  async #countFolder(folder: Folder, tree: string): Promise<number> {
    const bytes = await this.#objects.read(tree);
    if (bytes === undefined) return 0;
    const below: Promise<number>[] = [];
    let held = 0;
    const isWanted = (name: string): boolean => folder.files.has(name) || folder.folders.has(name);
    readTree(bytes, this.#idBytes, isWanted, ({ name, isTree, isFile, id }) => {
      const inner = isTree ? folder.folders.get(name) : undefined;
      if (inner !== undefined) below.push(this.#inFolder(inner, id));
      const file = isFile ? folder.files.get(name) : undefined;
      if (file === undefined) return;
      held += file.ids.get(id) ?? 0;
      if (file.parts.length > 0) below.push(this.#inFile(file, id));
    });
    for (const count of await Promise.all(below)) held += count;
    return held;
  }

  #inFile(file: FileWitnesses, id: string): Promise<number> {
    let count = file.counts.get(id);
    if (count === undefined) file.counts.set(id, (count = handled(this.#countParts(file, id))));
    return count;
  }

  async #countParts({ parts }: FileWitnesses, id: string): Promise<number> {
    const text = (await this.#objects.read(id))?.toString("utf8");
    return text === undefined ? 0 : parts.filter((part) => holdsPart(text, part)).length;
  }
}

/** Marks a promise as one whose failure its first reader reports. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function emptyFolder(): Folder {
  return { folders: new Map(), files: new Map(), counts: new Map() };
}

/** Adds a witness at its path; names are byte strings, as trees have them. */
function addWitness(root: Folder, path: Buffer, witness: Witness, format: string): void {
  const parts = path.toString("latin1").split("/");
  const name = parts.pop() as string;
  let folder = root;
  for (const part of parts) {
    let inner = folder.folders.get(part);
    if (inner === undefined) folder.folders.set(part, (inner = emptyFolder()));
    folder = inner;
  }
  let file = folder.files.get(name);
  if (file === undefined) folder.files.set(name, (file = { ids: new Map(), parts: [], counts: new Map() }));
  if (witness.kind === "part") file.parts.push(witness);
  else
    for (const id of new Set(formsOf(witness.bytes).map((bytes) => blobId(bytes, format))))
      file.ids.set(id, (file.ids.get(id) ?? 0) + 1);
}

/**
 * Returns the contents that git may have for a file of a checkout: git turns CRLF into LF, and agents leave
 * out a byte order mark or the line end of the last line.
 */
function formsOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString("latin1");
  const plain = text.includes("\r\n") ? [text, text.replaceAll("\r\n", "\n")] : [text];
  const ended = plain.flatMap((form) => (form.endsWith("\n") ? [form] : [form, `${form}\n`]));
  const marked = text.startsWith("\u00ef\u00bb\u00bf")
    ? ended
    : ended.flatMap((form) => [form, `\u00ef\u00bb\u00bf${form}`]);
  return marked.map((form) => Buffer.from(form, "latin1"));
}
