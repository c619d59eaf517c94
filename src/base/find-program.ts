// Finds programs on a PATH.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the first executable of that name on a PATH; entries relative to the current folder do not count. */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
