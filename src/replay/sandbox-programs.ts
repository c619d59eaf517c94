// Which programs recorded commands find, without starting any.
import { findProgram } from "../base/find-program.js";
import type { LaunchOptions } from "./sandbox-args.js";
import { systemPath } from "./sandbox-dir.js";

/** Returns whether recorded commands find a program of that name. */
export function hasProgram(
  name: string,
  { path, toolchains = [] }: LaunchOptions,
  sandboxed: boolean,
): boolean {
  // Of the folder around a single program, only that one is visible.
  if (sandboxed && toolchains.some(({ program }) => program === name)) return true;
  const inside = [
    ...toolchains.flatMap(({ bin, program }) => (program === undefined ? (bin ?? []) : [])),
    systemPath,
  ];
  return findProgram(name, (sandboxed ? inside : [path, systemPath]).join(":")) !== undefined;
}
