// Compares two outputs of one command, as a replay does.
import { CommitHashes } from "../../../../src/replay/rules/git.js";
import { matchBy, type RuleMatch } from "../../../../src/replay/rules/rule.js";
import { type RuleOptions, rulesFor } from "../../../../src/replay/rules/select.js";

const plain: RuleOptions = {
  configured: [],
  agent: undefined,
  hashes: new CommitHashes(),
  isCut: false,
  isUnordered: false,
  workdir: "/work",
};

/** Returns how a recorded output matches the one of a replay; undefined if it does not. */
export function matchOf(
  line: string,
  recorded: string,
  now: string,
  options: Partial<RuleOptions> = {},
): RuleMatch | undefined {
  const argv = ["/bin/bash", "-c", line];
  const rules = rulesFor("bash", { how: "command", argv, line }, { ...plain, ...options });
  return matchBy(rules, Buffer.from(recorded), Buffer.from(now));
}
