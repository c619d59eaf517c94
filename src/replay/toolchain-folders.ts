// Which folders hold toolchains that programs in the sandbox may see: never one with settings or tokens in
// it.
import * as fs from "node:fs";
import { join } from "node:path";
import { isIn } from "./sandbox-dir.js";

/**
 * What version managers install below a home, one version each: their settings and tokens lie beside it. What they put
 * in place of programs (`shims`) needs the whole folder of some.
 */
const managed =
  /^\/(?:\.(?:pyenv|rbenv|nodenv|goenv)(?:\/versions\/[^/]+)?|\.(?:volta|bun|deno)|\.(?:nvm\/versions\/node|rustup\/toolchains)\/[^/]+|\.sdkman\/candidates\/[^/]+\/[^/]+|\.(?:local\/share\/mise|asdf)\/installs\/[^/]+\/[^/]+|\.local\/share\/(?:fnm\/node-versions|uv\/python|pnpm\/nodejs)\/[^/]+)(?=\/)/;
/** Of conda, only the folders of programs and libraries: beside them are packages and settings. */
const conda = /^\/(?:mini|ana)conda3\/bin$/;
/** What package managers install for all users. */
const shared = /^\/(?:home\/linuxbrew\/\.linuxbrew|nix\/store)(?=\/)/;

/** Returns the folder to show for a folder of a PATH; undefined if it belongs to no toolchain. */
export function toolchainFolder(bin: string, home: string): string | undefined {
  if (isIn(bin, "/usr")) return "/usr";
  if (isIn(bin, home)) {
    const below = bin.slice(home.length);
    const name = (managed.exec(below) ?? conda.exec(below))?.[0];
    return name === undefined ? undefined : home + name;
  }
  const common = shared.exec(bin)?.[0];
  if (common !== undefined) return common;
  // In /opt, only what belongs to one product.
  return /^\/opt\/[^/]+(?:\/[^/]+)*(?=\/s?bin$)/.exec(bin)?.[0];
}

/** Returns whether a version manager keeps variables for all projects in its folder, as rbenv-vars does: often tokens. */
export function hasVariables(folder: string): boolean {
  return fs.existsSync(join(folder, "vars"));
}

/** Returns whether every user can reach a folder. */
export function isOpenToAll(folder: string): boolean {
  const parts = folder.split("/").slice(1);
  const all = parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
  return all.every((path) => (fs.statSync(path).mode & 0o001) !== 0);
}
