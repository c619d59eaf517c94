// What may stand in a store's config.json.
import { formatVersion } from "./manifest.js";
import { list, object, oneOf, optional, required, type Shape, text } from "./shape.js";

export interface ConfigFile {
  version?: typeof formatVersion;
  diff?: { ignore?: string[] };
}

export const configShape: Shape<ConfigFile> = object(
  {
    version: required(oneOf(formatVersion)),
    // A misspelt setting would be one that has no effect.
    diff: optional(object({ ignore: optional(list(text())) })),
  },
  { open: true },
);
