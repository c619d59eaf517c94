// The facts of runs never make or lose an answer: whatever happens to the store and its cache, `ctx log --path`, `--ran`
// and `ctx stats` say what reading every manifest says.
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hexOf } from "../../src/base/digest.js";
import type { Manifest } from "../../src/model/manifest.js";
import { gc } from "../../src/ops/gc.js";
import { log, type LogOptions } from "../../src/ops/log.js";
import { pack } from "../../src/ops/pack.js";
import { rm } from "../../src/ops/rm.js";
import { stats } from "../../src/ops/stats.js";
import { listPacks, readPack } from "../../src/store/packs.js";
import type { Store } from "../../src/store/store.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const long = `echo ${"x".repeat(1500)}`;
const paths = [
  "a.ts",
  "src/a.ts",
  "src/deep/b.ts",
  "/app/src/a.ts",
  "/other/src/a.ts",
  "né/ü.md",
  "a.ts.bak",
];
const commands = [
  "npm test",
  "npm run build\nnpm test",
  "git commit -m 'a.b'",
  "rm -rf src",
  `${long} && rm -rf late`,
  `${long} && rm -rf src`,
  "cat src/a.ts > out.txt",
];

const step = fc.oneof(
  fc.record({ tool: fc.constantFrom("Read", "Write"), path: fc.constantFrom(...paths) }),
  fc.record({ tool: fc.constant("bash"), command: fc.constantFrom(...commands) }),
);

const run = fc.record({
  steps: fc.array(fc.record({ step, status: fc.constantFrom("ok", "error", "denied") }), { maxLength: 5 }),
  model: fc.constantFrom("a", "b"),
  tokens: fc.option(fc.nat(1000)),
  cost: fc.option(fc.nat(100)),
  day: fc.integer({ min: 1, max: 3 }),
});

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("add" as const), run }) },
  fc.record({ does: fc.constantFrom("rm", "gc", "drop the cache", "drop the facts") }),
  fc.record({
    does: fc.constantFrom("truncate", "flip", "lengthen"),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** How each question is answered without the program. */
const questions: [LogOptions, (manifest: Manifest) => boolean][] = [
  [{ path: "src/a.ts" }, (manifest) => usesOf(manifest).some(([, path]) => /(?:^|\/)src\/a\.ts$/.test(path))],
  [
    { path: "a.ts", wrote: true },
    (manifest) => usesOf(manifest).some(([use, path]) => use === "w" && /(?:^|\/)a\.ts$/.test(path)),
  ],
  [
    { path: "src/", read: true },
    (manifest) => usesOf(manifest).some(([use, path]) => use === "r" && /(?:^|\/)src\//.test(path)),
  ],
  [
    { path: "/app/src" },
    (manifest) =>
      usesOf(manifest).some(([, path]) =>
        (path.startsWith("/") ? path : `/app/${path}`).startsWith("/app/src/"),
      ),
  ],
  [{ path: "*.md" }, (manifest) => usesOf(manifest).some(([, path]) => path.endsWith(".md"))],
  [{ ran: "npm test" }, (manifest) => commandsOf(manifest).some((command) => command.includes("npm test"))],
  [
    { ran: "build\nnpm" },
    (manifest) => commandsOf(manifest).some((command) => command.includes("build\nnpm")),
  ],
  [{ ran: "^npm test$" }, (manifest) => commandsOf(manifest).some((command) => /^npm test$/m.test(command))],
  [
    { ran: "rm -rf late" },
    (manifest) => commandsOf(manifest).some((command) => command.includes("rm -rf late")),
  ],
  [
    { ran: "rm -rf .*c$" },
    (manifest) => commandsOf(manifest).some((command) => /rm -rf .*c$/m.test(command)),
  ],
  [{ ran: "a.b" }, (manifest) => commandsOf(manifest).some((command) => /a.b/.test(command))],
  [{ ran: "(" }, (manifest) => commandsOf(manifest).some((command) => command.includes("("))],
  [
    { path: "src/a.ts", ran: "npm" },
    (manifest) =>
      usesOf(manifest).some(([, path]) => /(?:^|\/)src\/a\.ts$/.test(path)) &&
      commandsOf(manifest).some((command) => command.includes("npm")),
  ],
];

function* called(
  manifest: Manifest,
): Generator<{ tool: string; values: Record<string, string>; status: string }> {
  for (const { tool = "", parameters, metadata } of manifest.steps)
    yield { tool, values: parameters as Record<string, string>, status: metadata?.["status"] as string };
}

function usesOf(manifest: Manifest): [use: string, path: string][] {
  return [...called(manifest)].flatMap(({ tool, values, status }): [string, string][] => {
    if (status !== "ok") return [];
    if (tool !== "bash")
      return [[tool === "Read" ? "r" : "w", values["file_path"]?.replace(/^\/app\//, "") ?? ""]];
    return values["command"]?.startsWith("cat ") === true
      ? [
          ["r", "src/a.ts"],
          ["w", "out.txt"],
        ]
      : [];
  });
}

function commandsOf(manifest: Manifest): string[] {
  return [...called(manifest)].flatMap(({ tool, values, status }) =>
    tool === "bash" && status !== "denied" ? [values["command"] as string] : [],
  );
}

let added = 0;

function perform(store: Store, action: Action): void {
  const folder = join(store.root, "cache/search");
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  const [file] = files;
  switch (action.does) {
    case "add": {
      const { steps, model, tokens, cost, day } = action.run;
      const log = smallLog({
        created: `2026-02-0${day}T12:00:00Z`,
        model: { identifier: model },
        steps: steps.map(({ step: { tool, ...rest }, status }) => ({
          type: "tool_call",
          tool,
          parameters: "path" in rest ? { file_path: rest.path, content: "" } : rest,
          metadata: { status },
        })),
        metadata: {
          workdir: "/app",
          number: added++,
          ...(tokens === null ? {} : { usage: { input_tokens: tokens } }),
          ...(cost === null ? {} : { cost_usd: cost / 100 }),
        },
      });
      pack(store, { bytes: json(log), folder: "/" }, { redact: "off" });
      break;
    }
    case "rm": {
      const [hex] = listPacks(store.root);
      if (hex !== undefined) rm(store, [hex]);
      break;
    }
    case "gc":
      gc(store, { grace: 0 });
      break;
    case "drop the cache":
      fs.rmSync(join(store.root, "cache"), { recursive: true, force: true });
      break;
    case "drop the facts":
      fs.rmSync(folder, { recursive: true, force: true });
      break;
    default:
      if (file !== undefined) damage(join(folder, file), action);
  }
}

function damage(path: string, { does, at }: { does: string; at: number }): void {
  const bytes = fs.readFileSync(path);
  const offset = Math.min(bytes.length - 1, Math.floor(bytes.length * at));
  if (does === "truncate") fs.truncateSync(path, offset);
  else if (does === "lengthen") fs.appendFileSync(path, Buffer.alloc(offset + 1));
  else {
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x10, offset);
    fs.writeFileSync(path, bytes);
  }
}

function check(store: Store): void {
  const manifests = listPacks(store.root).map((hex) => ({
    hex,
    manifest: readPack(store.root, hex).manifest,
  }));
  for (const [options, isExpected] of questions) {
    const listed = log(store, options).entries.map(({ hash }) => hexOf(hash));
    const expected = manifests.filter(({ manifest }) => isExpected(manifest)).map(({ hex }) => hex);
    expect(listed.sort(), JSON.stringify(options)).toEqual(expected);
  }
  const sum = (some: typeof manifests, valueOf: (manifest: Manifest) => number): number =>
    some.reduce((all, { manifest }) => all + valueOf(manifest), 0);
  const totals = (some: typeof manifests): unknown[] => [
    some.length,
    sum(some, ({ steps }) => steps.length),
    sum(some, (manifest) => [...called(manifest)].filter(({ status }) => status === "error").length),
    sum(
      some,
      ({ metadata }) => (metadata?.["usage"] as { input_tokens: number } | undefined)?.input_tokens ?? 0,
    ),
    Math.round(sum(some, ({ metadata }) => Number(metadata?.["cost_usd"] ?? 0)) * 100),
  ];
  for (const [by, keyOf] of [
    ["day", ({ created }: Manifest) => created.slice(0, 10)],
    ["model", ({ model }: Manifest) => model.identifier],
  ] as const) {
    const { rows, total } = stats(store, { by, utc: true });
    const counted = [...rows, total].map(({ runs, steps, failed, tokens, cost }) => [
      runs,
      steps,
      failed,
      tokens?.input ?? 0,
      Math.round((cost?.[0]?.amount ?? 0) * 100),
    ]);
    const keys = rows.map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set(manifests.map(({ manifest }) => keyOf(manifest))));
    expect(counted).toEqual(
      [...keys.map((key) => manifests.filter(({ manifest }) => keyOf(manifest) === key)), manifests].map(
        totals,
      ),
    );
  }
}

describe("the facts of runs", () => {
  // oxlint-disable-next-line vitest/expect-expect -- check() has the assertions
  it("log and stats say what the manifests say, whatever happens to the store and its cache", () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 8 }), (actions) => {
        const store = tempStore();
        for (const each of actions) {
          perform(store, each);
          check(store);
        }
      }),
      { numRuns: 25 },
    );
  }, 300_000);
});
