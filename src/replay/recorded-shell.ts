// Which shell ran the command lines of a session. Its log does not say so, but some agents use the user's own shell,
// which is zsh on macOS, and zsh shows in its messages.
import type { Manifest, Step } from "../model/manifest.js";
import { workdirOf } from "../model/manifest.js";
import { hasFailed } from "./recorded-status.js";

/** Agents that run command lines in the user's own shell; others name bash. */
const withUsersShell: ReadonlySet<string | undefined> = new Set([
  "claude-code",
  "claude-stream-json",
  "codex",
  "codex-exec-json",
]);

const messageOfZsh = /^(?:\(eval\)|zsh):\d+: /m;

/** Returns whether the command lines of a session ran in zsh. */
export function ranInZsh(
  manifest: Manifest,
  agent: string | undefined,
  textOf: (step: Step) => string,
): boolean {
  if (!withUsersShell.has(agent)) return false;
  if (workdirOf(manifest)?.startsWith("/Users/") === true) return true;
  return manifest.steps.some((step) => hasFailed(step) && messageOfZsh.test(textOf(step)));
}

/** Returns the words that run a line in zsh as agents do: without the user's settings, and with its messages. */
export function zshWords(line: string): string[] {
  return ["zsh", "-f", "-c", 'eval "$1"', "zsh", line];
}
