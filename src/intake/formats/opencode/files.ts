// Notes the files that opencode's tools changed. Up to 1.2 the log has their contents, before and after, with
// each change and with each prompt; newer versions have patches, so that contents follow from parameters.
import { posix } from "node:path";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { toolUse, touchedBy } from "../../../tools/table.js";
import { noteFileEffects } from "../../file-effects.js";
import type { FileStates } from "../../file-states.js";
import { objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";

export class ChangedFiles {
  /** The folder that the paths of a turn's changes are relative to. */
  root = "";
  readonly files: FileStates;
  /** The files that tools of the current message changed. */
  readonly #touched = new Set<string>();
  /** The changes of the current turn. */
  #turn: { path: string; after: string | null }[] = [];

  constructor(files: FileStates) {
    this.files = files;
  }

  /** Notes the files that a turn will change, as they are before it. */
  beginTurn(diffs: readonly JsonValue[]): void {
    this.endTurn();
    for (const diff of diffs) {
      const [name, status] = [wordAt(diff, "file"), textAt(diff, "status")];
      const [before, after] = [textAt(diff, "before"), textAt(diff, "after")];
      // Both are empty for files that are not text.
      if (name === undefined || before === undefined || after === undefined || before === after) continue;
      const path = posix.isAbsolute(name) ? name : posix.join(this.root, name);
      if (status === "added") this.files.before(path, null);
      else this.files.see(path, before);
      this.#turn.push({ path, after: status === "deleted" ? null : after });
    }
  }

  /** Notes the files that a turn changed, as they are after it. */
  endTurn(): void {
    for (const { path, after } of this.#turn) this.files.after(path, after);
    this.#turn = [];
  }

  /** Notes what a call changed that succeeded. */
  noteCall(tool: string, parameters: JsonObject, metadata: JsonObject): void {
    const use = toolUse(tool, parameters, "opencode");
    for (const path of use === undefined ? [] : touchedBy(use)) this.#touch(path);
    const patched = objectsAt(metadata, "files");
    const edited = [metadata, ...objectsAt(metadata, "results")]
      .map((each) => objectAt(each, "filediff"))
      .filter((diff) => diff !== undefined);
    if (tool === "apply_patch" && patched.length > 0) for (const file of patched) this.#notePatched(file);
    else if (edited.length > 0 && edited.every((each) => textAt(each, "after") !== undefined))
      for (const diff of edited) this.#noteEdited(diff);
    else {
      if (use?.action === "write" && valueAt(metadata, "exists") === false) this.files.before(use.path, null);
      noteFileEffects(this.files, use);
    }
  }

  #notePatched(file: JsonObject): void {
    const path = wordAt(file, "filePath");
    if (path === undefined) return;
    const [type, before, after] = [textAt(file, "type"), textAt(file, "before"), textAt(file, "after")];
    const moved = wordAt(file, "movePath");
    this.#touch(path);
    if (type === "add") this.files.before(path, null);
    else if (before !== undefined) this.files.before(path, before);
    if (moved !== undefined) this.#touch(moved);
    if (moved !== undefined || type === "delete") this.files.after(path, null);
    if (type !== "delete") this.files.after(moved ?? path, after);
  }

  #noteEdited(diff: JsonObject): void {
    const path = wordAt(diff, "file");
    if (path === undefined) return;
    this.#touch(path);
    const before = textAt(diff, "before") ?? "";
    // An edit of a file that does not exist creates it.
    this.files.before(path, before === "" ? null : before);
    this.files.after(path, textAt(diff, "after"));
  }

  /** Notes the files that changed since the message began: commands and other programs may have changed some. */
  notePatch(names: readonly JsonValue[]): void {
    for (const name of names)
      if (typeof name === "string" && !this.#touched.has(this.files.nameOf(name)))
        this.files.after(name, undefined);
  }

  endMessage(): void {
    this.#touched.clear();
  }

  #touch(path: string): void {
    this.#touched.add(this.files.nameOf(path));
  }
}
