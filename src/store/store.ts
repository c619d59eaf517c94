// A store that was found and may be used. Everything else in this folder takes one and works on its files.
import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { canonicalText } from "../base/canonical.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { readIfThere } from "../base/files.js";
import { isObject } from "../base/json.js";
import { JsonReader } from "../base/json-reader.js";
import { formatVersion } from "../model/manifest.js";
import { storeName } from "./layout.js";

export class Store {
  /** The .ctx folder. */
  readonly root: string;
  /** The folder that holds it: names of artifacts are relative to it. */
  readonly folder: string;
  /** Whether the store belongs to another user of this machine. */
  readonly foreign: boolean;

  private constructor(root: string, foreign: boolean) {
    this.root = root;
    this.folder = dirname(root);
    this.foreign = foreign;
  }

  /** Finds the store for a folder: its own .ctx, or the nearest one above on the same file system. */
  static find(folder: string): Store {
    const start = withPath(folder, "enter", () => fs.realpathSync(resolve(folder)));
    const device = withPath(start, "enter", () => fs.statSync(start)).dev;
    const passed: string[] = [];
    for (let at = start; ; at = dirname(at)) {
      const stat = fs.statSync(at, { throwIfNoEntry: false });
      if (stat === undefined || stat.dev !== device) break;
      const found = fs.lstatSync(join(at, storeName), { throwIfNoEntry: false });
      if (found !== undefined && isWorldWritable(stat)) passed.push(join(at, storeName));
      else if (found !== undefined && looksLikeStore(join(at, storeName), found))
        return Store.open(join(at, storeName));
      if (dirname(at) === at) break;
    }
    const why =
      passed.length === 0
        ? ""
        : `; ${passed[0]} lies in a folder that everybody can write to, and is not used`;
    throw new CtxError("no-store", `there is no .ctx store in ${folder} or above${why}`, {
      hint: "run `ctx init` to make one here, or name a folder with -C",
    });
  }

  /** Opens the store at exactly this .ctx folder. */
  static open(root: string): Store {
    const stat = withPath(root, "read", () => fs.lstatSync(root));
    if (!stat.isDirectory())
      throw new CtxError(
        "store-unusable",
        `${root} is not a folder${stat.isSymbolicLink() ? " but a link" : ""}`,
      );
    for (const name of ["objects", "packs", "refs"]) {
      const part = fs.lstatSync(join(root, name), { throwIfNoEntry: false });
      if (part !== undefined && !part.isDirectory())
        throw new CtxError("store-unusable", `${join(root, name)} is not a folder`, {
          hint: "a store's folders cannot be links; put the real folder there",
        });
    }
    const config = readIfThere(join(root, "config.json"));
    if (config === undefined)
      throw new CtxError("store-unusable", `${root} has no config.json: it was not finished, or lost it`, {
        hint: `run \`ctx init\` in ${dirname(root)} to complete it`,
      });
    const version = versionOf(config, join(root, "config.json"));
    if (version !== `"${formatVersion}"`)
      throw new CtxError(
        "unknown-version",
        `${root} is of format version ${version}, this program reads ${formatVersion}`,
      );
    return new Store(root, process.geteuid !== undefined && stat.uid !== process.geteuid());
  }
}

function isWorldWritable(stat: fs.Stats): boolean {
  return process.platform !== "win32" && (stat.mode & 0o002) !== 0;
}

/** Other programs have .ctx folders too: one without any part of a store is passed over. */
function looksLikeStore(path: string, stat: fs.Stats): boolean {
  if (!stat.isDirectory()) return stat.isSymbolicLink();
  return ["config.json", "objects", "packs"].some((name) => {
    try {
      return fs.lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (errnoOf(error) !== undefined) return false;
      throw error;
    }
  });
}

function versionOf(bytes: Buffer, path: string): string {
  try {
    const reader = new JsonReader(bytes);
    const value = reader.value();
    reader.end();
    if (isObject(value)) return canonicalText(value["version"]);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
  }
  throw new CtxError("store-unusable", `${path} is not a JSON object`, {
    hint: `it should hold {"version":"${formatVersion}"}`,
  });
}
