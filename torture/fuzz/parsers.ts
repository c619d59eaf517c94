// Every parser of data that others have written, with the real files that its inputs are made from.
import * as fs from "node:fs";
import { join } from "node:path";
import { formats } from "../../src/intake/formats.js";
import { repository } from "../../dev/built.js";
import { importedLog, json, runLog } from "../../dev/logs.js";
import { reportLog } from "../../dev/report-log.js";
import { specimens } from "../../dev/specimens/all.js";
import { bundleOf } from "./bundles.js";
import * as at from "./ground.js";
import type { Growth } from "./mutate.js";
import type { Entrance } from "./parser.js";
import { ofUser } from "./user-parsers.js";

export interface Parser extends Entrance, Growth {
  seeds(ground: at.Ground): readonly Buffer[];
}

/** Commands that are run after a log was packed: all that print text of a run. */
const looks = [
  ["show", "latest"],
  ["log"],
  ["show", "latest", "--json"],
  ["verify", "latest"],
  ["diff", "good", "latest"],
  ["replay", "latest", "--plan", "--full"],
  ["export", "latest", "--as", "atif"],
  ["export", "latest", "--as", "otlp"],
  ["show", "latest", "--system"],
];

function example(name: string): Buffer {
  return fs.readFileSync(join(repository, "examples", name));
}

const intake = formats.map(({ name }): Parser => {
  const logs = (specimens[name] ?? []).map((log) => Buffer.from(log as string));
  const more = name === "claude-code" ? [example("sessions/fix-pages.jsonl")] : [];
  return {
    name: `${name} log`,
    by: "file",
    file: "in.log",
    commands: [["pack", "in.log", "--from", name]],
    later: looks,
    writes: true,
    seeds: () => [...logs, ...more],
  };
});

/** A log whose format is not named. */
const unnamed: Parser = {
  name: "log of any agent",
  by: "file",
  file: "in.log",
  commands: [["pack", "in.log"]],
  later: looks,
  writes: true,
  seeds: () => Object.values(specimens).flatMap((logs) => logs.map((log) => Buffer.from(log as string))),
};

/** Commands that read a pack with a made-up manifest. */
const ofPack = [
  ["show", "{}"],
  ["verify", "--pack", "{}"],
];
const aroundPack = [
  ["log"],
  ["diff", "{}", "good"],
  ["diff", "good", "{}", "--json"],
  ["show", "{}", "--json"],
  ["replay", "{}", "--plan", "--full"],
  ["export", "{}", "--as", "openai"],
  ["__complete", "--", "show", ""],
  ["status"],
  ["scan", "{}"],
];

const goStore = join(repository, "test/golden/go-store/.ctx");

/** Returns the manifests of the first implementation. */
function goManifests(): Buffer[] {
  return fs
    .readdirSync(join(goStore, "packs"))
    .filter((hex) => /^[0-9a-f]{64}$/.test(hex))
    .map((hex) => fs.readFileSync(join(goStore, "objects", hex.slice(0, 2), hex.slice(2))));
}

const inStore: Parser[] = [
  {
    name: "manifest",
    by: "manifest",
    commands: ofPack,
    later: aroundPack,
    isSorted: true,
    seeds: ({ bytes, first, second }) => [first, second].map((hex) => bytes(objectOf(hex))),
  },
  {
    name: "manifest of the first ctx",
    by: "go manifest",
    commands: ofPack,
    later: aroundPack,
    seeds: goManifests,
  },
  {
    name: "config",
    by: "file",
    file: ".ctx/config.json",
    commands: [["diff", "good", "latest"]],
    later: [["log"], ["replay", "good", "--plan"], ["scan", "good"], ["verify", "good"], ["doctor"]],
    seeds: ({ bytes }) => [bytes(".ctx/config.json"), json(at.fullConfig)],
  },
  {
    name: "sidecar",
    by: "file",
    file: "report.md.ctx.json",
    commands: [["verify", "report.md"]],
    later: [
      ["verify", "report.md", "--json"],
      ["verify", "report.md", "--lines"],
    ],
    seeds: ({ bytes }) => [bytes("report.md.ctx.json"), bytes("pages.mjs.ctx.json")],
  },
  {
    name: "tag",
    by: "file",
    file: ".ctx/refs/tags/good",
    commands: [["show", "good"], ["tag"]],
    later: [["log"], ["verify"], ["verify", "good~1"], ["__complete", "--", "show", "g"]],
    seeds: ({ bytes, first }) => [bytes(".ctx/refs/tags/good"), Buffer.from(`sha256:${first}\n`)],
  },
  {
    name: "latest",
    by: "file",
    file: ".ctx/refs/latest",
    commands: [["show", "latest"]],
    later: [["log"], ["diff", "latest~1", "latest"]],
    seeds: ({ bytes, first }) => [bytes(".ctx/refs/latest"), Buffer.from(`sha256:${first}\n`)],
  },
  {
    name: "draft",
    by: "file",
    file: at.draft,
    commands: [["status"], ["pack", ".ctx/drafts/tried", "--no-sidecars"]],
    writes: true,
    seeds: ({ bytes }) => [bytes(at.draft)],
  },
  {
    name: "catalog",
    by: "file",
    file: ".ctx/cache/catalog",
    commands: [["log"]],
    later: [
      ["show", "latest"],
      ["__complete", "--", "log", "--model", ""],
    ],
    free: [".ctx/cache"],
    seeds: ({ bytes }) => [bytes(".ctx/cache/catalog")],
  },
];

function objectOf(hex: string): string {
  return `.ctx/objects/${hex.slice(0, 2)}/${hex.slice(2)}`;
}

const names: Parser[] = [
  {
    name: "name of a pack",
    by: "word",
    commands: [
      ["show", "--", "{}"],
      ["cat", "--", "{}"],
      ["verify", "--pack", "--", "{}"],
      ["diff", "--", "{}", "good"],
      ["__complete", "--", "show", "{}"],
    ],
    later: [
      ["export", "--dry-run", "--", "{}"],
      ["log", "--parent={}"],
      ["replay", "--plan", "--", "{}"],
    ],
    seeds: ({ first, second }) =>
      [
        "latest",
        "good",
        "good~1",
        "latest~0",
        first,
        second.slice(0, 8),
        `ctx://${first}`,
        `ctx://${second.slice(0, 12)}~1`,
        `sha256:${second}`,
        "all.ctx",
      ].map((name) => Buffer.from(name)),
  },
  {
    name: "name of a tag",
    by: "word",
    commands: [["tag", "--", "{}", "good"]],
    later: [["tag"], ["log"]],
    writes: true,
    seeds: () => ["better", "v1.0-rc.1", "latest2"].map((name) => Buffer.from(name)),
  },
  {
    name: "address of a registry",
    by: "word",
    commands: [["remote", "add", "--", "other", "{}"]],
    later: [["remote"]],
    writes: true,
    seeds: () =>
      ["oci://registry.example.com/team/runs", "oci://[::1]:5000/a/b_c"].map((name) => Buffer.from(name)),
  },
];

export const parsers: readonly Parser[] = [
  {
    name: "log",
    by: "file",
    file: "in.json",
    commands: [["pack", "in.json"]],
    later: looks,
    writes: true,
    seeds: () => [
      ...["run.json", "small.json", "deploy.json", "brief.json"].map(example),
      ...[runLog(), importedLog(), reportLog()].map(json),
    ],
  },
  ...inStore,
  {
    name: "bundle",
    by: "file",
    file: "in.ctx",
    commands: [["import", "in.ctx"]],
    later: [["show", "in.ctx"], ["log"], ["verify", "in.ctx"], ["diff", "in.ctx", "good"]],
    writes: true,
    own: bundleOf,
    seeds: ({ bytes }) => [bytes("all.ctx")],
  },
  ...names,
  ...ofUser,
  unnamed,
  ...intake,
];
