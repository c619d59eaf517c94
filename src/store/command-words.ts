// A relative word in a configured command names a file beside the config that contains the command, wherever
// ctx was started. It never names a file of the workspace, which a stranger's pack has filled.
import * as fs from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { ReplayConfig } from "../model/config.js";

/**
 * Returns the programs of a config with every relative word made absolute; `folder` is where the config is.
 */
export function resolvePrograms(replay: ReplayConfig, folder: string): ReplayConfig {
  const { adapters, mcp } = replay;
  return {
    ...replay,
    ...(adapters === undefined ? {} : { adapters: eachProgram(adapters, folder) }),
    ...(mcp === undefined ? {} : { mcp: eachProgram(mcp, folder) }),
  };
}

function eachProgram<T extends { command: string[]; version?: string[] }>(
  programs: Record<string, T>,
  folder: string,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(programs).map(([name, program]) => {
      const { command, version } = program;
      const words = version === undefined ? {} : { version: resolveWords(version, folder) };
      return [name, { ...program, command: resolveWords(command, folder), ...words }];
    }),
  );
}

/**
 * Resolves the words of a command. The first word is a path if it contains a slash. Of the others, `./x` and
 * `../x` always are, also after `=`; `x/y` and `x.js` are if such a file exists: `@scope/package` is none.
 */
function resolveWords(words: readonly string[], folder: string): string[] {
  return words.map((word, at) => {
    if (isAbsolute(word)) return word;
    if (at === 0) return word.includes("/") ? resolve(folder, word) : word;
    const [, option = "", path = word] = /^(-[^=/]*=)(.*)$/s.exec(word) ?? [];
    if (/^\.\.?(?:\/|$)/.test(path)) return `${option}${resolve(folder, path)}`;
    return option === "" && isFileName(word) && isThere(join(folder, word)) ? resolve(folder, word) : word;
  });
}

function isFileName(word: string): boolean {
  return !word.startsWith("-") && (word.includes("/") || /\.\w+$/.test(word));
}

function isThere(path: string): boolean {
  try {
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
