// Renders the source and cost of a run that was read from an agent's own log, for the top of `ctx show`. All
// of it is metadata, in which a stranger can write anything: a value that ctx would not have written is shown
// with the other metadata.
import { canonicalText } from "../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { appendAll } from "../base/lists.js";
import { countText, numberText } from "./layout.js";

export interface SourceFacts {
  facts: [label: string, text: string][];
  /** The members of the metadata that these lines show. */
  shownMembers: string[];
}

export function sourceFacts(metadata: JsonObject): SourceFacts {
  const source = sourceText(metadata["source"]);
  if (source === undefined) return { facts: [], shownMembers: [] };
  const found: SourceFacts = { facts: [["source", source]], shownMembers: ["source"] };
  const folder = typeof metadata["workdir"] === "string" ? metadata["workdir"] : "";
  const git = gitText(metadata["git"]);
  if (folder !== "" || git !== "")
    found.facts.push([folder === "" ? "git" : "folder", [folder, git].filter(Boolean).join("  ")]);
  if (folder !== "") found.shownMembers.push("workdir");
  if (git !== "") found.shownMembers.push("git");
  const usage = usageText(metadata["usage"]);
  if (usage !== "") {
    found.facts.push(["usage", usage]);
    found.shownMembers.push("usage");
  }
  return found;
}

/** `claude-code 2.1.3, session 1a2b…`; undefined when that is not what it is. */
function sourceText(value: JsonValue | undefined): string | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const { format, version = "", agent = "", session = "", subagent = "", ...rest } = value;
  if (typeof format !== "string" || format === "" || typeof version !== "string") return undefined;
  if (typeof agent !== "string" || typeof session !== "string" || typeof subagent !== "string")
    return undefined;
  const sessionText = [subagent && `sub-agent ${subagent}`, session && `session ${session}`];
  const name = [format, version, agent && `(${agent})`];
  return [name.filter(Boolean).join(" "), sessionText.filter(Boolean).join(" of "), ...memberTexts(rest)]
    .filter(Boolean)
    .join(", ");
}

/** `main 1a2b3c4d5e6f`; empty when there is nothing to tell, or it is of another kind. */
function gitText(value: JsonValue | undefined): string {
  if (value === undefined || !isObject(value)) return "";
  const key = Object.hasOwn(value, "commit") ? "commit" : "commit_hash";
  const { branch = "", [key]: hash = "", ...rest } = value;
  if (typeof branch !== "string" || typeof hash !== "string") return "";
  const short = /^[0-9a-f]{40,64}$/.test(hash) ? hash.slice(0, 12) : hash;
  return [[branch, short].filter(Boolean).join(" "), ...memberTexts(rest)].filter(Boolean).join(", ");
}

/** The labels of the counts, in the order in which they are shown. */
const usageLabels: Readonly<Record<string, string>> = {
  input_tokens: "in",
  output_tokens: "out",
  cache_read_input_tokens: "cached",
  cache_creation_input_tokens: "written to the cache",
  reasoning_output_tokens: "for reasoning",
};

/** `1,234 in, 567 out, 8,900 cached`; empty as above. */
function usageText(value: JsonValue | undefined): string {
  if (value === undefined || !isObject(value)) return "";
  const { requests, ...rest } = value;
  if (!Object.values(value).every((number) => typeof number === "number")) return "";
  const texts: string[] = [];
  for (const [key, word] of Object.entries(usageLabels)) {
    const number = rest[key];
    if (number !== undefined) texts.push(`${numberText(number as number)} ${word}`);
    delete rest[key];
  }
  if (requests !== undefined) texts.push(countText(requests as number, "request"));
  appendAll(texts, memberTexts(rest));
  return texts.join(", ");
}

function memberTexts(members: JsonObject): string[] {
  return Object.entries(members).map(
    ([key, value]) => `${key} ${typeof value === "string" ? value : canonicalText(value)}`,
  );
}
