// Every command of the program with each of its options, as it is run among hostile packs. A command or
// option that is missing here is a violation, so that a new one cannot be forgotten.
import { commands } from "../src/cli/table.js";
import {
  anyOfStore,
  mended,
  clearing,
  newStore,
  hooks,
  named,
  type Scene,
  scenesOf,
  sealing,
  settings,
  state,
  store,
} from "./hostile-pack-scenes.js";
import type { Surroundings } from "./hostile-store.js";
import { awkwardNames, evil, evilName, illegalNames } from "./hostile-text.js";

/** Arguments that people type, or that a script reads from somewhere. */
const words = [
  evil,
  evilName,
  `ctx://${evil}`,
  `sha256:${evil}`,
  `../${evilName}`,
  `-${evil}`,
  `--${evil}=${evil}`,
];

/** Commands that do not depend on a pack, and those that are run for some packs only. */
function others(registry: string, bundles: Surroundings["bundles"]): Scene[] {
  const files = [
    "report.txt",
    ...["link", "pipe", "device", "folder", "hard-link"].flatMap((kind) => [
      `specials/${kind}`,
      `sidecars/${kind}.txt`,
    ]),
    evilName.slice(0, 80),
  ];
  const logs = ["fields", "names", "thief", "thief-2", "thief-3", "thief-4", "deep", "text"];
  const names = illegalNames.map((_, at) => `name-${at}`);
  const textPacks = ["text", "text-2"];
  return [
    ...files.flatMap((file): Scene[] => [
      { args: ["verify", "--file", file] },
      { args: ["verify", file, "--lines"] },
      { args: ["scan", "--file", file] },
      {
        args: ["verify", "--write-sidecar", file, "--notes", evil, "--confidence", "low"],
        writes: /^work\/[^.].*\.ctx\.json$|^work\/\.ctx\/(?:tmp|locks)\//s,
        among: "sound",
      },
      // A pipe that the user names is waited for.
      ...(file.endsWith("/pipe") ? [] : [{ args: ["pack", file], writes: sealing, among: "sound" as const }]),
    ]),
    ...[...logs, ...names].map(
      (name): Scene => ({
        args: ["pack", `bad-${name}.json`],
        writes: clearing,
        among: "sound",
        isKey: logs.includes(name) || name === "name-0",
        ends: 2,
      }),
    ),
    ...Object.entries(bundles).map(
      ([name, says]): Scene => ({
        args: ["import", `${name}.ctx`],
        among: "sound",
        isKey: true,
        ...(says === undefined ? { writes: store, ends: 0 } : { writes: clearing, ends: 2, says }),
      }),
    ),
    ...["good", ...Object.keys(bundles)].flatMap((name): Scene[] => [
      { args: ["show", `${name}.ctx`] },
      { args: ["verify", `${name}.ctx`], hasJson: true },
    ]),
    ...words.flatMap((word): Scene[] =>
      commands
        .filter(({ name }) => name !== "init")
        .map(({ name }) => ({ args: [name, word], writes: sealing, among: "all", isOneOfMany: true })),
    ),
    ...textPacks.flatMap((name): Scene[] =>
      ["--system", "--no-pager"].map((option) => ({ args: ["show", name, option], hasJson: true })),
    ),
    { args: ["show", "text", "--prompt", "0"] },
    { args: ["show", "text", "--input", awkwardNames[0] as string] },
    { args: ["show", "text", "--output", "report.txt"] },
    { args: ["show", "huge", "--output", "bytes.bin"] },
    { args: ["show", "text", "--step", evil] },
    ...[["--full"], ["--files"], ["--steps", "0-1"], ["--errors"], ["--steps", evil]].map((more) => ({
      args: ["show", "text", ...more],
      hasJson: true,
    })),
    ...["names", "many", "numbers", "kinds", "deep"].map((name) => ({ args: ["show", name], hasJson: true })),
    { args: ["cat", "text", "--raw"], isBytes: true },
    ...[
      ["--oneline"],
      ["--graph"],
      ["-n", "3"],
      ["--subagents"],
      ["--utc"],
      ["--failed"],
      ["--denied"],
      ["--path", "*"],
      ["--path", evil, "--wrote"],
      ["--path", "src", "--read"],
      ["--ran", "e"],
      ["--no-pager"],
      [],
    ].map((more) => ({
      args: ["log", ...more],
      hasJson: true,
    })),
    ...["model", "agent", "tool", "session", "project", "since", "until", "tag"].map((option) => ({
      args: ["log", `--${option}`, evil],
    })),
    ...["model", "agent", "tool", "session", "project", "since", "until", "tag", "parent", "path", "ran"].map(
      (option) => ({ args: ["stats", `--${option}`, evil] }),
    ),
    ...["day", "week", "model", "agent", "tool", "project"].map((by) => ({
      args: ["stats", "--by", by],
      hasJson: true,
    })),
    ...[
      ["--subagents"],
      ["--utc"],
      ["--failed"],
      ["--denied"],
      ["--path", "*", "--wrote"],
      ["--path", "*", "--read"],
      ["--no-pager"],
    ].map((more) => ({ args: ["stats", ...more], hasJson: true })),
    { args: ["stats", "--by", "model", "--csv"] },
    ...["model", "agent", "tool", "session", "project", "since", "until", "tag", "parent", "path"].map(
      (option) => ({ args: ["grep", "e", `--${option}`, evil] }),
    ),
    ...[
      ["e"],
      ["--regexp", "e", "--regexp", "a"],
      ["e", "--fixed-strings"],
      ["E", "--ignore-case", "--no-pager"],
      ["e", "--word-regexp"],
      ["e", "--in", "prompt,system,param,output,seen,reasoning,file"],
      ["e", "--step", "0-3"],
      ["e", "--failed"],
      ["e", "--denied"],
      ["e", "--line-number", "--context", "2"],
      ["e", "--max-count", "3"],
      ["e", "--max-runs", "2"],
      ["e", "--first"],
      ["e", "--subagents"],
      ["e", "--no-subagents"],
      ["e", "--with-echoes"],
      ["e", "--sessions"],
      ["e", "--no-index"],
      ["e", "--utc"],
      ["e", "text"],
    ].map((more) => ({ args: ["grep", ...more], hasJson: true })),
    ...["--list", "--count", "--steps"].map((shape) => ({ args: ["grep", "e", shape] })),
    { args: ["grep", evil] },
    { args: ["grep", "-F", evil] },
    { args: ["tag"], hasJson: true, isKey: true },
    { args: ["tag", "--list", evil] },
    { args: ["tag", "--title", evil, "text"], isKey: true },
    { args: ["tag", "--title", "a title", "text"], writes: store },
    { args: ["tag", "mine", "text", "--force"], writes: store },
    { args: ["tag", "--delete", evilName] },
    { args: ["tag", "--delete", "names"], writes: store },
    { args: ["tag", "--force", "tag-link", "text"], writes: store, isKey: true },
    { args: ["tag", "../../../outside/canary.txt", "text"], isKey: true },
    ...[
      ["--human"],
      ["--markdown"],
      ["--stat"],
      ["--exit-code"],
      ["--only", "tool,param"],
      ["--ignore", evil],
      ["--baseline", "text"],
      ["--align", "index"],
      ["--unified", "9"],
      ["--no-content"],
      ["--all-content", "--no-pager"],
    ].map((more) => ({ args: ["diff", "text", "text-2", ...more] })),
    { args: ["diff", "text", "text-2"], hasJson: true, isKey: true },
    { args: ["diff", "text", "text-2", "--junit", "out.xml"], writes: named("out\\.xml") },
    { args: ["diff", "names", "huge", "--human"] },
    ...[
      ["--plan"],
      ["--markdown"],
      ["--recorded", "*"],
      ["--to", "3"],
      ["--step", "1"],
      ["--stop-on-divergence"],
      ["--no-resync"],
      ["--require", "80"],
      ["--auto"],
      ["--git", "auto", "--yes"],
      ["--auto", "--repo", "specials"],
      ["--deps", "specials"],
      ["--tools", "specials"],
    ].map((more) => ({ args: ["replay", "escape", ...more], writes: store, hasJson: true })),
    { args: ["replay", "escape", "--allow", "all"], writes: store },
    { args: ["replay", "escape", "--git", "auto"], writes: store },
    { args: ["replay", "escape", "--git", "--upload-pack=touch ../outside/pwned"], writes: store },
    { args: ["replay", "escape", "--workspace", "specials"], writes: store },
    { args: ["replay", "names", "--workspace", "sidecars"], writes: store },
    { args: ["replay", "text", "--seal", "--allow", "exec"], writes: store },
    {
      args: ["replay", "escape", "--junit", "out.xml"],
      writes: new RegExp(`${store.source}|${named("out\\.xml").source}`),
    },
    { args: ["replay", "escape", "--keep"], writes: store },
    { args: ["replay", "text", "--no-sandbox"], writes: store },
    { args: ["fork", "names", "mine"], writes: named("mine") },
    { args: ["fork", "text", "specials/link"] },
    { args: ["fork", "text", "specials/folder/x"], writes: /^work\/specials\/folder\// },
    { args: ["fork", "text", "--at", "1", "mine"], writes: named("mine") },
    { args: ["fork", "text", "--set", `system_prompt=${evil}`, "--seal", "--redact", "off"], writes: store },
    { args: ["fork", "text", "--set", `${evil}=${evil}`] },
    // Names that no log can have are others in the draft, or it could not be sealed.
    ...["illegal-0", "illegal-11"].map(
      (name): Scene => ({
        args: ["fork", name, "--set", "system_prompt=x", "--seal"],
        writes: store,
        among: "sound",
        ends: 0,
        isKey: true,
      }),
    ),
    { args: ["status"], hasJson: true },
    { args: ["status", evilName] },
    { args: ["pack", ".ctx/drafts/thief"], writes: clearing },
    { args: ["pack", ".ctx/drafts/thief-2"], writes: clearing },
    { args: ["pack", "--rm", ".ctx/drafts/linked"], writes: clearing },
    // Among the worse packs, a link replaces a folder of objects.
    {
      args: ["pack", "log.json"],
      among: "all",
      writes: clearing,
      says: /is not a folder/,
      ends: 2,
      isKey: true,
      hasJson: true,
    },
    { args: ["pack", "log.json"], writes: sealing, among: "sound", ends: 0, isKey: true },
    { args: ["pack", "log.json", "--no-sidecars", "--redact", "strict"], writes: sealing },
    { args: ["pack", "session.jsonl", "--tag", "session"], writes: sealing, hasJson: true },
    { args: ["pack", "session.jsonl", "--from", evil] },
    { args: ["pack", "log.json", "--tag", evil] },
    { args: ["pack", "log.json", "--title", evil] },
    { args: ["pack", "log.json", "--tag", "../../../outside/canary.txt"] },
    { args: ["pack", "log.json", "--created", evil] },
    { args: ["pack", "-", "--prompt", evil], input: evil },
    { args: ["pack", "--discover"], writes: sealing },
    { args: ["pack", "--discover", "--agent", evil, "--since", "1d", "--project", evil] },
    { args: ["pack", "--allow-empty", "log.json"], writes: sealing },
    { args: ["discover"], hasJson: true, isKey: true },
    { args: ["discover", "--new", "-n", "2", "--no-pager"] },
    { args: ["discover", "--agent", evil] },
    { args: ["discover", "--project", evil] },
    { args: ["discover", "--since", evil] },
    { args: ["hook"], hasJson: true },
    { args: ["hook", "install", "claude-code", "--yes"], writes: hooks },
    { args: ["hook", "install", "git", "--dry-run"] },
    { args: ["hook", "install", "git", "--yes"], writes: hooks },
    { args: ["hook", "run", "claude-code"], writes: state, input: `{"session_id":"${evilName}` },
    {
      args: ["__seal", "claude-code"],
      writes: state,
      input: JSON.stringify({ session_id: evil, transcript_path: evil, cwd: evil }),
    },
    { args: ["__complete", "--", "show", ""], isKey: true },
    ...["log --tool", "log --model", "log --session", "pull", "cat", "tag -d", "pack"].map((words) => ({
      args: ["__complete", "--", ...words.split(" "), ""],
      isKey: words === "pull" || words === "pack",
    })),
    { args: ["verify", "--all"], hasJson: true },
    { args: ["verify"], among: "sound" },
    { args: ["verify", "--all", "--sample", "50%", "--no-pager"] },
    { args: ["verify", "--pack", "text", "--junit", "out.xml"], writes: named("out\\.xml") },
    { args: ["verify", "text", "--replay", "--allow", "exec"], writes: store },
    {
      args: ["verify", "--write-sidecar", "report.txt", "--from", "text"],
      writes: named("report\\.txt\\.ctx\\.json"),
    },
    {
      args: ["verify", "--write-sidecar", "sidecars/link.txt", "--from", "text"],
      writes: named("sidecars/link\\.txt\\.ctx\\.json"),
    },
    { args: ["scan"], hasJson: true, isKey: true },
    { args: ["scan", "--strict", "--pack", "text", "--no-pager"] },
    { args: ["scan", "-"], input: `${evil} AKIAIOSFODNN7EXAMPLE ghp_${"a1B2".repeat(9)} ${evil}` },
    { args: ["export", "--all", "-o", "out.ctx"], writes: named("out\\.ctx") },
    {
      args: ["export", "--all", "-o", "out.ctx", "--allow-secrets"],
      writes: named("out\\.ctx"),
      among: "sound",
    },
    { args: ["export", "text", "--with-parents", "--dry-run"], hasJson: true },
    { args: ["export", "text", "-o", "specials/link", "--force"], writes: /^work\/specials\/link$/ },
    { args: ["export", "text", "-o", "specials/pipe"] },
    { args: ["export", "text", "-o", "-", "--allow-secrets"], isBytes: true },
    { args: ["import", "good.ctx"], writes: store, hasJson: true },
    { args: ["import", "-"], input: evil, writes: store },
    { args: ["push", "text", registry], writes: state },
    { args: ["push", "text", registry, "--dry-run", "--with-parents", "--plain-http"] },
    { args: ["push", "--all", registry, "--force", "--allow-secrets"] },
    { args: ["pull", `${registry}:x`], writes: store, hasJson: true },
    { args: ["pull", registry, "--all", "--with-parents", "--plain-http"], writes: store },
    { args: ["remote", "ls", registry, "--plain-http", "--no-pager"], hasJson: true },
    { args: ["remote", "ls", "good"] },
    { args: ["remote"], hasJson: true },
    { args: ["remote", "add", evil, registry], says: /use letters, digits/, isKey: true },
    // Names of this machine in disguise.
    { args: ["remote", "ls", "oci://127.1:9/runs"], says: /is written 127\.0\.0\.1/, isKey: true },
    { args: ["remote", "add", "fine", `oci://${evil}`] },
    { args: ["remote", "add", "fine", registry, "--plain-http"], writes: settings },
    { args: ["remote", "rm", evil], writes: settings },
    { args: ["export", "text", "--as", "openai"], hasJson: true },
    { args: ["export", "text", "--as", evil] },
    { args: ["rm", "names"], writes: store },
    { args: ["rm", "text", "--force"], writes: store, hasJson: true },
    { args: ["gc", "--dry-run", "--no-pager"], hasJson: true },
    { args: ["gc", "--grace", "0d"], writes: store, among: "all", isKey: true },
    { args: ["gc", "--grace", "0d"], writes: store, among: "sound", isKey: true },
    { args: ["gc", "--grace", evil] },
    { args: ["trust", "--list"], hasJson: true, ends: 1, isKey: true },
    { args: ["trust"], writes: state },
    { args: ["trust", "--forget"], writes: state },
    { args: ["doctor"], hasJson: true },
    { args: ["init"], writes: store },
    { args: ["init", evilName.slice(0, 80)] },
    { args: ["init", "specials/link"] },
    { args: ["init", "new"], writes: newStore("new") },
    { args: ["init", "new", "--shared"], writes: newStore("new") },
    { args: ["doctor", "--fix"], writes: anyOfStore },
    { args: ["doctor", "--fix", "--private"], writes: mended },
    { args: ["doctor", "--fix", "--shared"], writes: mended, hasJson: true },
    { args: ["completion", evil] },
    { args: ["completion", "bash"] },
    { args: ["-C", evil, "log"] },
    { args: [evil] },
    { args: ["help", evil] },
    { args: ["--help"] },
    { args: ["--version"] },
  ];
}

export function scenesFor({ packs, bundles }: Surroundings, registry: string): Scene[] {
  return [...packs.flatMap(scenesOf), ...others(registry, bundles)];
}

/** They wait for Ctrl-C. */
const notTried = new Set(["pack --watch", "show --follow"]);

/** Commands and options of the table that no scene has. */
export function forgotten(scenes: readonly Scene[]): string[] {
  const wrong: string[] = [];
  for (const { name, options } of commands) {
    const own = scenes.filter(({ args }) => args[0] === name).map(({ args }) => args.join(" "));
    if (own.length === 0) wrong.push(`no scene has the command ${name}`);
    for (const { long, short } of options)
      if (
        !notTried.has(`${name} --${long}`) &&
        !own.some(
          (line) =>
            ` ${line} `.includes(` --${long} `) ||
            (short !== undefined && ` ${line} `.includes(` -${short} `)),
        )
      )
        wrong.push(`no scene has ctx ${name} --${long}`);
  }
  return wrong;
}
