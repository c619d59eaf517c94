// Matches the paths that steps name: `auth.ts` and `src/auth.ts` match that file in any folder, `src/` everything below
// such a folder, `/home/you/app/src` just that one; `*`, `?` and `**` as in a shell.
import { posix } from "node:path";

/** Returns a predicate for paths; those of a run are relative to the folder that it worked in. */
export function pathPattern(pattern: string): (path: string, workdir?: string) => boolean {
  const isAbsolute = pattern.startsWith("/");
  const plain = pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  const source = plain.replaceAll(
    /\*\*\/|\*\*|\*|\?|[\\^$.|+()[\]{}]/g,
    (found) => globs[found] ?? `\\${found}`,
  );
  const expression = new RegExp(`${isAbsolute ? "^" : "(?:^|/)"}${source}(?:/|$)`, "u");
  return (path, workdir = "") => {
    const whole = isAbsolute && !path.startsWith("/") ? posix.join(workdir, path) : path;
    return expression.test(whole.replaceAll("\\", "/"));
  };
}

const globs: Readonly<Record<string, string>> = {
  "**/": "(?:[^/]+/)*",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
};
