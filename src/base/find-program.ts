// Finds programs on a PATH.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the first executable of that name on a PATH; entries relative to the current folder do not count. */
export function findProgram(name: string, path: string): string | undefined {
  return findPrograms(name, path)[0];
}

/** Returns every executable of that name on a PATH, in its order. */
export function findPrograms(name: string, path: string): string[] {
  return [
    ...new Set(
      path
        .split(delimiter)
        .filter((folder) => folder.startsWith("/"))
        .map((folder) => join(folder, name))
        .filter((file) => {
          try {
            accessSync(file, constants.X_OK);
            return statSync(file).isFile();
          } catch {
            return false;
          }
        }),
    ),
  ];
}
