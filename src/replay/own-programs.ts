// The user's own programs, adapters and MCP servers: what they can see of this machine, and what is refused
// because a stranger's pack could then decide what they run.
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject } from "../base/json/value.js";
import type { McpServer } from "../model/config.js";
import { type SandboxDir, isIn, workspaceInside } from "./sandbox-dir.js";
import { StepFailure } from "./outcome.js";
import type { Toolchain } from "./sandbox-args.js";
import type { Bounds } from "../store/config.js";
import type { Workspace } from "./workspace.js";

/**
 * Refuses a command that would take its program or its settings from the workspace, which the pack has
 * filled.
 */
export function checkCommand(command: readonly string[], box: SandboxDir, workspace: Workspace): void {
  for (const [at, word] of command.entries()) {
    const inside = [workspaceInside, box.workspace].find((folder) => word.includes(folder));
    if (inside !== undefined && !isPlainArgument(command, at, inside))
      throw refusal(`"${word}" in its command would be read from the workspace`);
    if (isScriptName(word) && isInTree(workspace, word))
      throw refusal(
        `"${word}" in its command is a file of the workspace, not one next to the config that names it`,
      );
  }
}

function refusal(why: string): StepFailure {
  const rest = "and the workspace holds what the pack put there: no program of yours is read from it";
  return new StepFailure("error", `${why}, ${rest}`);
}

/**
 * Returns whether a word is the workspace itself, as something to work on: neither a program nor the value of
 * an option.
 */
function isPlainArgument(command: readonly string[], at: number, workspace: string): boolean {
  if (command[at]?.replace(/\/$/, "") !== workspace) return false;
  const before = command[at - 1];
  return before !== undefined && !before.startsWith("-") && !(at === 1 && isRunner(before));
}

/** Programs that run what their first argument names. */
const runners =
  /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|npx|npm|pnpm|yarn|python[\d.]*|pypy[\d.]*|uv|uvx|pipx|poetry|ruby|perl|php|lua|java|go|cargo|make|just|docker|podman|env|sh|bash|dash|zsh|fish|ksh)$/;

function isRunner(program: string): boolean {
  return runners.test(basename(program));
}

/**
 * Returns whether a word most likely names a file to run: relative, with a folder or with a script's
 * extension.
 */
function isScriptName(word: string): boolean {
  if (isAbsolute(word) || /^[-@]/.test(word) || /\s|:\/\//.test(word)) return false;
  return word.includes("/") || /\.(?:[cm]?[jt]s|py|pyz|sh|rb|pl|php|lua|jar|toml|json|ya?ml)$/.test(word);
}

function isInTree(workspace: Workspace, word: string): boolean {
  try {
    return workspace.stat(workspace.locate(word)) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the files that a configured command names, read-only, with the projects that they belong to; never
 * a whole home folder. A program of a store's config, which has `bounds`, sees only what `ctx trust` hashed
 * of that store's repository.
 */
export function bindsFor(
  command: readonly string[],
  box: SandboxDir,
  { home, bounds }: { home: string; bounds?: Bounds | undefined },
): Toolchain[] {
  const isOfRepository = (path: string): boolean => bounds?.tops.some((top) => isIn(path, top)) === true;
  const named = command.flatMap((word) => {
    if (!isAbsolute(word) || isIn(word, "/usr") || isIn(word, box.folder)) return [];
    const isFile = fs.statSync(word, { throwIfNoEntry: false })?.isFile() === true;
    if (!isFile) return [];
    const file = fs.realpathSync(word);
    checkVisible(file, box);
    if (isOfRepository(file) || isOfRepository(word)) return [];
    const isTooMuch = (folder: string): boolean =>
      isIn(home, folder) ||
      isIn(box.folder, folder) ||
      bounds?.tops.some((top) => isIn(top, folder)) === true;
    const folder = dirname(file);
    return { folder: isTooMuch(folder) ? file : projectOf(folder, isTooMuch), bin: folder };
  });
  return bounds === undefined ? named : [...named, ...hashedBinds(bounds, command)];
}

/**
 * Returns what was hashed; a folder is on the PATH only if all of its files were hashed and the command names
 * a file in it.
 */
function hashedBinds({ hashed }: Bounds, command: readonly string[]): Toolchain[] {
  const all = new Set(hashed);
  const isInAnother = (path: string): boolean => {
    for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) if (all.has(at)) return true;
    return false;
  };
  const folders = new Set(command.filter(isAbsolute).map((word) => dirname(word)));
  return hashed
    .filter((path) => !isInAnother(path))
    .map((path) => ({ folder: path, ...(folders.has(path) ? { bin: path } : {}) }));
}

/** Refuses a file that a program in the sandbox cannot see. */
function checkVisible(file: string, box: SandboxDir): void {
  if (["/tmp", "/var/tmp"].some((top) => isIn(file, top)))
    throw new StepFailure("error", `${file} is a temporary file, which the sandbox does not show`);
  checkReadable(file, box);
}

/** Files that mark the top of a project, whose parts need each other. */
const projectMarkers = [
  "package.json",
  "node_modules",
  "pyproject.toml",
  "pyvenv.cfg",
  "Cargo.toml",
  "go.mod",
];

function projectOf(folder: string, isTooMuch: (folder: string) => boolean): string {
  for (let at = folder; !isTooMuch(at) && dirname(at) !== at; at = dirname(at))
    if (projectMarkers.some((mark) => fs.existsSync(join(at, mark)))) return at;
  return folder;
}

/** Refuses a file that "nobody" cannot read: programs of root run as that user. */
function checkReadable(file: string, { user }: SandboxDir): void {
  if (user === undefined) return;
  for (let at = file; dirname(at) !== at; at = dirname(at))
    if ((fs.statSync(at).mode & 0o001) === 0 && at !== file)
      throw new StepFailure(
        "error",
        `${file} cannot be reached by the user nobody, whom programs run as when root replays`,
      );
}

/** Returns `--name=value` for each parameter: texts verbatim, everything else as JSON. */
export function argumentsOf(parameters: JsonObject): string[] {
  return Object.entries(parameters).map(
    ([name, value]) => `--${name}=${typeof value === "string" ? value : canonicalText(value)}`,
  );
}

/** Returns the variables of the user's environment that a program of theirs is to have. */
export function variables(
  { env = [] }: McpServer,
  values: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    env.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}
