// Finds which output of a run a file is by its name: by its path from the store's folder, or in the folder
// that the run took place in.
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, relative, resolve } from "node:path";
import { errnoOf } from "../base/errors.js";
import type { Manifest, Output } from "../model/manifest.js";
import { workdirOf } from "../model/manifest.js";
import type { Store } from "../store/store.js";

export interface FileName {
  /** The path from the store's folder; undefined if the file is elsewhere. */
  name: string | undefined;
  /** The absolute path, without links among its folders. */
  path: string;
}

export function fileName(store: Store, file: string): FileName {
  const path = `${fs.realpathSync(dirname(resolve(file)))}/${basename(file)}`.replace(/^\/\//, "/");
  const name = relative(store.folder, path).replaceAll("\\", "/");
  return { name: name.startsWith("../") ? undefined : name, path };
}

/**
 * Returns whether two names are the same to a person: file systems may store a name in another Unicode form.
 */
export function isSameName(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.normalize("NFC") === b.normalize("NFC");
}

/** Returns whether a file is where the run wrote this output. */
export function isOwnName(manifest: Manifest, output: Output, { name, path }: FileName): boolean {
  if (isSameName(output.name, name)) return true;
  const workdir = workdirOf(manifest);
  if (workdir === undefined || !isAbsolute(workdir) || !isBaseName(output, { path })) return false;
  const outputPath = resolve(workdir, output.name);
  return isSameName(outputPath, path) || isSameName(withRealFolder(outputPath), path);
}

/** Returns whether the last part of a file's path is that of an output's name. */
export function isBaseName(output: Output, { path }: Pick<FileName, "path">): boolean {
  return isSameName(basename(output.name), basename(path));
}

/** Returns a path without links among its folders; undefined if these folders do not exist here. */
function withRealFolder(path: string): string | undefined {
  try {
    return `${fs.realpathSync(dirname(path))}/${basename(path)}`;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
