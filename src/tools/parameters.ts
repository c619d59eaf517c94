// Reads the parameters of a call by meaning: agents spell the same one in many ways.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Replacement } from "./tool-use.js";

export class Parameters {
  readonly #values: JsonObject;

  constructor(values: JsonObject) {
    this.#values = values;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** Returns the first of these that is a string. */
  text(...names: string[]): string | undefined {
    return names.map((name) => this.#ownValue(name)).find((value) => typeof value === "string");
  }

  /** Returns the first of these that is a list of strings. */
  texts(...names: string[]): string[] | undefined {
    for (const name of names) {
      const value = this.#ownValue(name);
      if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
        return value;
    }
    return undefined;
  }

  /** Returns a list of whole numbers. */
  counts(name: string): number[] | undefined {
    const value = this.#ownValue(name);
    if (!Array.isArray(value)) return undefined;
    return value.every((item): item is number => typeof item === "number" && Number.isInteger(item))
      ? value
      : undefined;
  }

  count(...names: string[]): number | undefined {
    return names
      .map((name) => this.#ownValue(name))
      .find((value): value is number => typeof value === "number" && Number.isInteger(value));
  }

  flag(...names: string[]): boolean | undefined {
    return names.map((name) => this.#ownValue(name)).find((value) => typeof value === "boolean");
  }

  /** Returns the parameters inside this one. */
  inner(name: string): Parameters | undefined {
    const value = this.#ownValue(name);
    return value !== undefined && isObject(value) ? new Parameters(value) : undefined;
  }

  path(): string | undefined {
    return this.text(
      "path",
      "file_path",
      "filename",
      "file",
      "filePath",
      "absolute_path",
      "target_file",
      "file_name",
      "relative_path",
    );
  }

  folder(): string | undefined {
    return (
      this.text("path", "dir_path", "directory", "dir", "target_directory", "folder", "directory_path") ??
      this.path()
    );
  }

  content(): string | undefined {
    return this.text("content", "file_text", "contents", "text", "data", "new_content");
  }

  /** Returns the replacements: a single one, a list of them, or blocks of SEARCH and REPLACE. */
  replacements(): Replacement[] | undefined {
    const list = this.#ownValue("edits");
    if (Array.isArray(list)) {
      const edits = list.map((item) => (isObject(item) ? new Parameters(item).#replacement() : undefined));
      return edits.length > 0 && edits.every((edit) => edit !== undefined) ? edits : undefined;
    }
    const one = this.#replacement();
    if (one !== undefined) return [one];
    const blocks = blocksOf(this.text("diff") ?? "");
    return blocks.length > 0 ? blocks : undefined;
  }

  #replacement(): Replacement | undefined {
    const old = this.text(
      "old_string",
      "old_text",
      "old_str",
      "oldText",
      "oldString",
      "old",
      "search",
      "find",
    );
    const next = this.text(
      "new_string",
      "new_text",
      "new_str",
      "newText",
      "newString",
      "new",
      "replace",
      "replacement",
    );
    if (old === undefined || next === undefined) return undefined;
    const all =
      this.flag("replace_all", "replaceAll", "all") ?? (this.count("expected_replacements") ?? 1) > 1;
    return { old, new: next, all };
  }

  #ownValue(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }
}

/** Parses `------- SEARCH`, text, `=======`, text, `+++++++ REPLACE`, as some agents write edits. */
function blocksOf(diff: string): Replacement[] {
  const edits: Replacement[] = [];
  let old: string[] | undefined;
  let next: string[] | undefined;
  for (const line of diff.split("\n")) {
    if (/^[-<]{7,} SEARCH>?$/.test(line)) [old, next] = [[], undefined];
    else if (old !== undefined && next === undefined && /^={7,}$/.test(line)) next = [];
    else if (old !== undefined && next !== undefined && /^[+>]{7,} REPLACE>?$/.test(line)) {
      edits.push({ old: closed(old), new: closed(next), all: false });
      [old, next] = [undefined, undefined];
    } else (next ?? old)?.push(line);
  }
  return edits;
}

function closed(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
