// The store's config.json: settings that a team keeps with its runs. That of a store which belongs to somebody else has
// no effect.
import { join } from "node:path";
import { CtxError } from "../base/errors.js";
import { readIfThere } from "../base/files.js";
import { JsonReader } from "../base/json-reader.js";
import { type ConfigFile, configShape } from "../model/config.js";
import type { Store } from "./store.js";

export interface Config {
  diff: { ignore: string[] };
}

export function readConfig(store: Store): Config {
  const path = join(store.root, "config.json");
  const bytes = store.foreign ? undefined : readIfThere(path);
  const file: ConfigFile = bytes === undefined ? {} : parse(bytes, path);
  return { diff: { ignore: file.diff?.ignore ?? [] } };
}

function parse(bytes: Buffer, path: string): ConfigFile {
  const reader = new JsonReader(bytes);
  const file = configShape.read(reader);
  reader.end();
  if (reader.problems.length > 0 || file === undefined)
    throw new CtxError("store-unusable", `${path} has settings that cannot be used`, {
      problems: reader.problems,
      hint: "docs/format.md says what may stand there",
    });
  return file;
}
