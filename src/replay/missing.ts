// Recognises that a command could not do its work because a program, an interpreter or a dependency is not
// here: the sandbox has other programs than the machine of the run, and such an answer says nothing about the
// run.
import type { FailReason } from "../results/replay.js";

export interface Missing {
  reason: Extract<FailReason, "no_program" | "no_dependency">;
  /** The name of what is missing. */
  name: string;
  message: string;
  /** Whether the name may as well be that of a part of the project. */
  isMaybeOwn?: true;
}

const maxText = 1 << 16;

const programs: readonly RegExp[] = [
  /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh: (?:line )?\d+: ([^\s:/]+): (?:command )?not found$/m,
  /^(?:\(eval\)|zsh):\d+: command not found: ([^\s:/]+)$/m,
  /^(?:\/(?:usr\/)?bin\/)?env: [\u2018'"]?([^\s:\u2019'"/]+)[\u2019'"]?: No such file or directory$/m,
  /^.{0,300}: ([^\s:]+): bad interpreter: No such file or directory$/m,
  /^(?:xargs|timeout|nohup|nice): (?:failed to run command )?[\u2018'"]?([^\s:\u2019'"/]+)[\u2019'"]?: No such file or directory$/m,
];

const dependencies: readonly RegExp[] = [
  /Cannot find (?:module|package) ['"]([^'"./][^'"]{0,200})['"]/,
  /(?:ModuleNotFoundError|ImportError): No module named ['"]?([\w.]{1,200})/,
  /^.{0,300}: No module named ['"]?([\w.]{1,200})/m,
  /go(?:\.mod)?:? ?(?:.{0,200}: )?requires (go >= [\d.]+)/,
  /no required module provides package ([^\s;]{1,200})/,
  /cannot find module providing package ([^\s;:]{1,200})/,
  /\bdial tcp: lookup ([\w.-]{1,200})/,
  /error: no matching package named `([^`]{1,200})` found/,
  /failed to (?:download|fetch|load source for dependency) [`']?([\w.:/-]{1,200})/i,
  /Unchecked dependencies for environment (\w+)/,
  /Could not find (?:gem|hex|Hex,) ?['"]?([\w-]{0,100})/,
  /npm (?:error|ERR!) (could not determine executable to run|code ENOTCACHED|code EAI_AGAIN|code ENOTFOUND)/,
];

/** Programs whose scripts run what the project depends on. */
const scriptRunners = /\b(?:npm|npx|pnpm|yarn|bun|bunx)\b/;

/** Folders of dependencies and build results, which repositories do not hold. */
const ignoredFolders =
  /(?:^|[\s"'=/])((?:[\w@.-]+\/){0,8}?(?:node_modules|\.venv|venv|deps|_build|vendor|target|dist|build|\.next|__pycache__))(?:\/|[\s"']|$)/g;

/**
 * Returns what was missing, by what a command printed. What the record says as well is no difference of this
 * machine.
 */
export function missingIn(output: Buffer, recorded: string, line: string): Missing | undefined {
  const text = output.subarray(0, maxText).toString("utf8");
  for (const pattern of programs) {
    const name = pattern.exec(text)?.[1];
    if (name === undefined || (recorded.includes(name) && recorded.includes("not found"))) continue;
    return scriptRunners.test(line) && !line.includes(name)
      ? dependency(name)
      : { reason: "no_program", name, message: `there is no program ${name} in the sandbox` };
  }
  for (const pattern of dependencies) {
    const found = pattern.exec(text);
    if (found === null || recorded.includes(found[0])) continue;
    const isMaybeOwn = /No module named/.test(found[0]);
    return { ...dependency(found[1] ?? ""), ...(isMaybeOwn ? { isMaybeOwn } : {}) };
  }
  return undefined;
}

function dependency(name: string): Missing {
  return { reason: "no_dependency", name, message: `it needs ${name}, which is not here` };
}

/** Returns a folder of dependencies or build results that a command names and that is not there. */
export function missingFolder(line: string, isThere: (path: string) => boolean): Missing | undefined {
  for (const [, folder] of line.matchAll(ignoredFolders)) {
    if (folder === undefined || folder.startsWith("/") || isThere(folder)) continue;
    return { ...dependency(folder), message: `it names ${folder}, which is not in the workspace` };
  }
  return undefined;
}

export function missingProgram(name: string): Missing {
  return { reason: "no_program", name, message: `there is no program ${name} in the sandbox` };
}
