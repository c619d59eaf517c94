// The library as a careless or hostile program calls it: whatever is passed, only a CtxError is thrown.
import * as fs from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import * as library from "../../src/index.js";
import { CtxError, Store } from "../../src/index.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

type Anything = (...args: unknown[]) => unknown;

/** A correct call of each function, or one that fails for a reason of its own, with every option. */
interface Scene {
  store: Store;
  folder: string;
}
const nothing = (): undefined => undefined;
const user = (folder: string) => ({
  config: join(folder, "config/config.json"),
  state: join(folder, "state"),
});
const where = (folder: string) => ({ home: folder, folder, env: {} });
const remote = (folder: string) => ({
  wallet: { home: folder, env: {} },
  user: user(folder),
  plainHttp: true,
  signal: AbortSignal.abort(),
  waiting: nothing,
  progress: nothing,
});
const redaction = (folder: string) => ({ redact: "standard", user: user(folder) });
const packing = (folder: string) => ({
  ...redaction(folder),
  created: "2026-02-10T08:00:00Z",
  sidecars: false,
  allowEmpty: true,
  remove: false,
});
const packingAll = (folder: string) => ({ ...packing(folder), from: "native", at: "x", progress: nothing });
const discovering = { agents: [], since: "7d", project: "x", isNew: true, version: "1" };
const machine = (folder: string) => ({ temp: folder, path: "", home: folder, env: {} });

const calls: Record<string, (scene: Scene) => unknown[]> = {
  init: ({ folder }) => [folder],
  doctor: ({ folder }) => [folder, { path: "", state: folder }],
  pack: ({ store, folder }) => [store, { file: join(folder, "run.json"), source: "x" }, packing(folder)],
  packAll: ({ store, folder }) => [
    store,
    { file: join(folder, "run.json"), source: "x" },
    packingAll(folder),
  ],
  packMany: ({ store, folder }) => [
    store,
    [
      { file: join(folder, "run.json"), source: "x" },
      { bytes: Buffer.from("{"), folder, options: { created: "2026-02-10T08:00:00Z", remove: false } },
      { pieces: [], folder, options: { from: "native", at: "x", prompt: "p" } },
    ],
    { ...packingAll(folder), onResult: nothing, onError: nothing },
  ],
  listFormats: () => [],
  watch: ({ store, folder }) => [
    store,
    folder,
    { ...packingAll(folder), signal: AbortSignal.abort(), packed: nothing, failed: nothing, quiet: 10 },
  ],
  discover: ({ store, folder }) => [store, where(folder), discovering],
  packDiscovered: ({ store, folder }) => [
    store,
    where(folder),
    {
      ...discovering,
      ...redaction(folder),
      progress: nothing,
      packed: nothing,
      failed: nothing,
      unreadable: nothing,
    },
  ],
  log: ({ store, folder }) => [
    store,
    {
      limit: 1,
      model: "m",
      tool: "t",
      agent: "a",
      since: "7d",
      until: "1d",
      tag: "t",
      parent: "latest",
      session: "s",
      project: "p",
      folder,
      byLineage: true,
    },
  ],
  show: ({ store }) => [store, "latest"],
  showOverview: ({ store }) => [store, "latest"],
  showPart: ({ store }) => [store, "latest", { kind: "step", index: 0 }],
  showSteps: ({ store }) => [store, "latest", { ranges: [{ from: 0, to: 0 }], failed: true }],
  showFiles: ({ store }) => [store, "latest", { ranges: [{ from: 0 }], failed: false }],
  cat: ({ store }) => [store, "latest"],
  catPieces: ({ store }) => [store, "latest", nothing],
  diff: ({ store, folder }) => [
    store,
    "latest",
    "latest",
    {
      align: "index",
      baselines: ["latest"],
      ignore: ["tool:x"],
      only: ["tool_drift"],
      user: user(folder),
      unified: 3,
      content: "some",
    },
  ],
  verdictOf: () => [{ unreadable: [], has_drift: false }],
  verify: ({ store, folder }) => [
    store,
    ["latest"],
    { ...redaction(folder), as: "pack", folder, lines: true, sample: 0.5, progress: nothing },
  ],
  scan: ({ store, folder }) => [
    store,
    ["latest"],
    {
      ...redaction(folder),
      as: "pack",
      folder,
      input: () => [],
      progress: nothing,
      held: nothing,
      looked: nothing,
    },
  ],
  sidecar: ({ store, folder }) => [
    store,
    "run.json",
    { ...redaction(folder), pack: "latest", confidence: "high", notes: "n", folder },
  ],
  fork: ({ store, folder }) => [
    store,
    "latest",
    { folder: join(folder, "draft"), at: 0, set: ["model.identifier=x"], readFile: () => Buffer.alloc(0) },
  ],
  forkAndSeal: ({ store, folder }) => [
    store,
    "latest",
    { at: 0, set: ["model.identifier=x"], readFile: () => Buffer.alloc(0), ...redaction(folder) },
  ],
  status: ({ store, folder }) => [store, [folder], redaction(folder)],
  planReplay: ({ store, folder }) => [store, "latest", { user: user(folder), recorded: ["*"] }],
  replay: ({ store, folder }) => [
    store,
    "latest",
    {
      user: user(folder),
      recorded: ["*"],
      allow: ["net"],
      ask: () => [],
      workspace: folder,
      git: "HEAD",
      keep: false,
      sandbox: true,
      to: 0,
      step: 0,
      stopOnDivergence: true,
      seal: false,
      onStep: nothing,
      signal: AbortSignal.abort(),
      machine: machine(folder),
    },
  ],
  replayStatus: () => [{ fidelity: "exact" }],
  trust: ({ store, folder }) => [store, { user: user(folder), action: "look" }],
  gc: ({ store }) => [store, { grace: 1e12, dryRun: false }],
  rm: ({ store }) => [store, ["nothing-of-that-name"], { force: false }],
  exportLog: ({ store }) => [store, "latest", "atif"],
  exportPacks: ({ store, folder }) => [
    store,
    ["latest"],
    {
      ...redaction(folder),
      withParents: true,
      all: false,
      allowSecrets: false,
      before: nothing,
      scanned: nothing,
      file: join(folder, "packs.ctx"),
      force: true,
      write: nothing,
      dryRun: false,
      progress: nothing,
    },
  ],
  importPacks: ({ store, folder }) => [
    store,
    join(folder, "run.json"),
    { name: "x", input: () => [], flushes: false, progress: nothing },
  ],
  ls: ({ store, folder }) => [store, "oci://127.0.0.1:1/a", remote(folder)],
  pull: ({ store, folder }) => [
    store,
    "oci://127.0.0.1:1/a:b",
    { ...remote(folder), withParents: true, all: false },
  ],
  push: ({ store, folder }) => [
    store,
    ["latest"],
    "oci://127.0.0.1:1/a:b",
    {
      ...redaction(folder),
      ...remote(folder),
      withParents: false,
      all: false,
      allowSecrets: false,
      before: nothing,
      scanned: nothing,
      force: false,
      dryRun: false,
    },
  ],
  listRemotes: ({ folder }) => [user(folder)],
  addRemote: ({ folder }) => [user(folder), { name: "r", url: "oci://127.0.0.1/a", plain_http: true }],
  removeRemote: ({ folder }) => [user(folder), "r"],
  listTags: ({ store }) => [store],
  setTag: ({ store }) => [store, "good", { pack: "latest", force: true }],
  deleteTag: ({ store }) => [store, "good"],
};

const names = Object.keys(calls);
const hostile: unknown[] = [
  null,
  5,
  Number.NaN,
  -1,
  "a\0b",
  "",
  // Not a relative name: some functions make a folder of it.
  join(tempFolder(), "zzz"),
  [],
  [5],
  {},
  { unknown: 1 },
  Symbol("s"),
  10n,
  () => 1,
  new Date(),
];

/** Returns any value as a text. */
function shown(value: unknown): string {
  return value instanceof Error ? (value.stack ?? value.message) : inspect(value);
}

/** What a call throws, as a promise or at once; undefined when it succeeds. */
async function thrownBy(name: string, args: readonly unknown[]): Promise<unknown> {
  try {
    await (library as unknown as Record<string, Anything>)[name]?.(...args);
    return undefined;
  } catch (error) {
    return error ?? "nothing";
  }
}

describe("the library", () => {
  let scene: Scene;
  beforeEach(() => {
    const { folder } = tempStore();
    const file = join(folder, "run.json");
    fs.writeFileSync(file, json(smallLog()));
    scene = { store: Store.find(folder), folder };
    library.pack(scene.store, { file });
  });

  it("library: every function has a row in this table", () => {
    const functions = Object.entries(library)
      .filter(([, value]) => typeof value === "function" && !/^class\b/.test(String(value)))
      .map(([name]) => name);
    expect(functions.sort()).toEqual([...names].sort());
  });

  it.each(names)("library: %s throws a CtxError, whatever an argument is", async (name) => {
    const args = calls[name]?.(scene) ?? [];
    const wrong: string[] = [];
    const attempt = async (about: string, given: unknown[]): Promise<void> => {
      const error = await thrownBy(name, given);
      const isFine = error === undefined || (error instanceof CtxError && error.code !== "internal");
      if (!isFine) wrong.push(`${about}: ${shown(error)}`);
    };
    await attempt("as it should be", args);
    // Else the table itself is wrong, and the rest shows nothing.
    const refused = await thrownBy(name, args);
    expect(shown(refused)).not.toMatch(new RegExp(`${name}: \\w+ (?:has|must)`));
    for (const at of args.keys())
      for (const value of hostile) await attempt(`${at} = ${shown(value)}`, args.with(at, value));
    expect(wrong).toEqual([]);
  });

  it.each(names)("library: %s refuses a wrong or unknown option", async (name) => {
    const args = calls[name]?.(scene) ?? [];
    const at = args.length - 1;
    const options = args[at] as Record<string, unknown>;
    if (typeof options !== "object" || Array.isArray(options) || options instanceof Store) return;
    if (name === "verdictOf" || name === "replayStatus") return;
    const wrong: string[] = [];
    for (const key of [...Object.keys(options), "notAnOption"])
      for (const value of [Symbol("s"), { wrong: 1 }, Number.NaN, null]) {
        if (key === "env" && typeof value === "object" && value !== null) continue;
        const error = await thrownBy(name, args.with(at, { ...options, [key]: value }));
        const isRefused = error instanceof CtxError && error.code === "usage" && error.message.includes(key);
        if (!isRefused) wrong.push(`${key} = ${shown(value)}: ${shown(error)}`);
      }
    expect(wrong).toEqual([]);
  });

  it.each(names)(
    "library: %s, if it takes a store, fails when that is gone, and makes no new one",
    async (name) => {
      const args = calls[name]?.(scene) ?? [];
      if (args[0] !== scene.store) return;
      fs.renameSync(scene.store.root, join(scene.folder, "gone"));
      const error = await thrownBy(name, args);
      expect(error).toBeInstanceOf(CtxError);
      expect(error).toMatchObject({ code: "no-store", data: { path: scene.store.root } });
      expect(fs.existsSync(scene.store.root)).toBe(false);
    },
  );

  it.each([Number.NaN, -1, Number.NEGATIVE_INFINITY, "1d", null])(
    "library: gc keeps everything for a grace of %s",
    (grace) => {
      library.rm(scene.store, ["latest"]);
      const before = fs.readdirSync(join(scene.store.root, "objects")).length;
      const attempt = (): unknown => library.gc(scene.store, { grace: grace as number });
      expect(attempt).toThrow(expect.objectContaining({ name: "CtxError", code: "usage" }));
      expect(fs.readdirSync(join(scene.store.root, "objects")).length).toBe(before);
    },
  );

  it.each([5, undefined, null, "a\0b", {}, Symbol("s")])("library: no store is opened at %s", (path) => {
    const isCtxError = expect.objectContaining({ name: "CtxError" });
    expect(() => Store.open(path as string)).toThrow(isCtxError);
    expect(() => Store.find(path as string)).toThrow(isCtxError);
  });

  it("library: an aborted pull ends with the code `interrupted`", async () => {
    const options = { wallet: { home: scene.folder, env: {} }, signal: AbortSignal.abort() };
    const ended = library.pull(scene.store, "oci://127.0.0.1:1/a:b", options);
    await expect(ended).rejects.toMatchObject({ name: "CtxError", code: "interrupted" });
  });

  it("library: an error of a callback passes through", () => {
    const mine = new RangeError("mine");
    const fail = (): never => {
      throw mine;
    };
    expect(() => library.exportPacks(scene.store, ["latest"], { write: fail })).toThrow(mine);
    function* failing(): Generator<Buffer> {
      yield Buffer.from("{");
      throw mine;
    }
    const input = { pieces: failing(), folder: scene.folder };
    expect(() => library.packAll(scene.store, input)).toThrow(mine);
  });

  it("library: exported lists cannot be changed", () => {
    expect(() => void ((library.knownAgents as string[]).length = 0)).toThrow(TypeError);
    library.listFormats().length = 0;
    expect(library.listFormats().length).toBeGreaterThan(10);
  });

  it("library: a caller learns which process it waits for", () => {
    const { root } = scene.store;
    const lock = join(root, "locks/sweep.other-abcdefabcdef-1.17.1.aabbccddeeff");
    fs.writeFileSync(lock, "");
    const notices: library.WaitNotice[] = [];
    const store = Store.open(root, {
      onWait(notice) {
        notices.push(notice);
        fs.rmSync(lock);
      },
    });
    library.setTag(store, "waited");
    expect(notices).toEqual([
      {
        lock: expect.objectContaining({
          path: lock,
          kind: "sweep",
          host: "other",
          pid: 17,
          state: "unknown",
        }),
        waited: expect.any(Number),
        message: expect.stringContaining("waiting for `ctx gc` or `ctx rm`: process 17 on another machine"),
        hint: expect.stringContaining(`remove ${lock}`),
      },
    ]);
  });
});
