// Finds programs on a PATH.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Returns the first executable of that name on a PATH; entries relative to the current folder do not count.
 */
export function findProgram(name: string, path: string): string | undefined {
  return placesOf(name, path).find(isExecutable);
}

/** Returns every executable of that name on a PATH, in its order. */
export function findPrograms(name: string, path: string): string[] {
  return [...new Set(placesOf(name, path).filter(isExecutable))];
}

function placesOf(name: string, path: string): string[] {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
