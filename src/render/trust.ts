// Renders which parts of a store's config are trusted, or would be.
import { printable } from "../base/printable.js";
import type { TrustResult } from "../results/results.js";
import { painter, type Screen } from "./layout.js";
import { programText } from "./replay-plan.js";

const maxFiles = 20;

export function renderTrust(result: TrustResult, screen: Screen): string {
  const paint = painter(screen);
  const { adapters, servers, normalisers, unmasked, trusted, changed, files = [], why } = result;
  const rows = [
    ...adapters.map((adapter) => `  adapter  ${adapter.tool}: ${programText(adapter)}`),
    ...servers.map((server) => `  mcp      ${server.server}: ${programText(server)}`),
    ...normalisers.map(({ name, pattern }) => `  ignores  ${name}: ${pattern}`),
    ...unmasked.map((text) => `  unmasked ${text}`),
    ...files
      .slice(0, maxFiles)
      .map(({ path, hash }) => `  file     ${path}: ${hash === null ? "not there" : hash.slice(0, 19)}`),
    ...(files.length > maxFiles ? [`  file     … and ${files.length - maxFiles} more (--json)`] : []),
  ].map(printable);
  const path = printable(`${result.store}/config.json`);
  const state = trusted
    ? paint("green", changed ? "is trusted now" : "is trusted")
    : paint("yellow", changed ? "is no longer trusted" : "is not trusted");
  if (rows.length === 0)
    return `${path} ${state}\n  it contains no programs to run and no exceptions from masking\n`;
  const until = trusted
    ? `, until it changes${files.length === 0 ? "" : " or one of these files does"}`
    : why === undefined || why === "it is not trusted"
      ? ""
      : ` (${printable(why)})`;
  return `${path} ${state}${until}:\n${rows.join("\n")}\n`;
}
