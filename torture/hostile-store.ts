// One store, one working folder and one home with every hostile name, text, link and size at once, and around
// them files that no command may touch.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { type AnyLog, json, smallLog } from "../dev/logs.js";
import { must } from "../dev/scenes.js";
import { flawedBundles } from "./hostile-bundles.js";
import { awkwardNames, controls, evil, evilName, evilText, illegalNames } from "./hostile-text.js";
import { type Planted, Planter, plantRefused, plantSound } from "./hostile-packs.js";

/** The content of a file outside that links lead to: it must not be printed. */
export const secret = "CANARY-SECRET";

export interface Surroundings {
  /** Has `work`, `home` and `outside`; commands run in copies of it. */
  folder: string;
  packs: readonly Planted[];
  /** Bundles, and how each has to be refused. */
  bundles: Record<string, RegExp | undefined>;
}

/** The hostile text as file names, as far as a file system accepts it. */
const fileNames: readonly (string | Buffer)[] = [
  ...pieces(evilName),
  ...awkwardNames.filter((name) => !name.includes("/") && name.length < 255),
  Buffer.from("invalid-\xff\xfe\x9b2J\x1b[2J", "latin1"),
];

/** Short enough for a file name, also with an ending. */
function pieces(text: string): string[] {
  return text.match(/.{1,80}/gsu) ?? [];
}

function pathOf(folder: string, name: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name as string)]);
}

function put(path: string, content: string | Buffer): void {
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, content);
}

function link(to: string, path: string): void {
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.symlinkSync(to, path);
}

const kinds = ["link", "pipe", "device", "folder", "hard-link"] as const;

/** Not a file of ctx: a link out, a pipe, a device, a folder, or a hard link to a file outside. */
function plantSpecial(around: string, path: string, kind: (typeof kinds)[number]): void {
  fs.rmSync(path, { recursive: true, force: true });
  fs.mkdirSync(join(path, ".."), { recursive: true });
  const up = "../".repeat(path.slice(around.length).split("/").length - 2);
  if (kind === "link") fs.symlinkSync(`${up}outside/secret.txt`, path);
  else if (kind === "pipe") execFileSync("mkfifo", [path]);
  else if (kind === "device") fs.symlinkSync("/dev/zero", path);
  else if (kind === "folder") fs.mkdirSync(path);
  else fs.linkSync(join(around, "outside/canary.txt"), path);
}

/** Returns everything except packs that are refused. */
export async function makeSurroundings(folder: string, outside: string): Promise<Surroundings> {
  const [work, home] = [join(folder, "work"), join(folder, "home")];
  for (const outer of [join(folder, "outside"), outside]) {
    put(join(outer, "canary.txt"), `canary\n`);
    put(join(outer, "secret.txt"), `${secret}\n`);
    put(join(outer, "shelf", "0".repeat(62)), "an old file that looks like an object");
    fs.utimesSync(join(outer, "shelf", "0".repeat(62)), 1, 1);
    put(join(outer, "hooks/post-commit"), "#!/bin/sh\n");
  }
  fs.mkdirSync(work);
  await must(work, ["init"]);
  const planter = new Planter(join(work, ".ctx"));
  plantSound(planter, outside);
  const bundles = await plantWork(folder, work, planter);
  plantHome(home);
  plantStore(folder, join(work, ".ctx"));
  return { folder, packs: planter.packs, bundles };
}

/** Adds packs that no command may accept, and other things instead of packs, objects, tags and drafts. */
export function makeWorse({ folder, packs, bundles }: Surroundings): Surroundings {
  const root = join(folder, "work/.ctx");
  const planter = new Planter(root);
  plantRefused(planter);
  for (const [at, kind] of kinds.entries()) {
    // The content has the right name, and the link leads to just these bytes.
    const ref = planter.blob(kind === "link" ? `${secret}\n` : `of ${kind}`);
    const output = { name: "report.txt", content_ref: ref };
    planter.plant(
      `content-${kind}`,
      { system_prompt: ref, outputs: [output], inputs: [{ ...output, size: 1 }] },
      true,
    );
    plantSpecial(folder, planter.pathOf(ref.slice("sha256:".length)), kind);
    plantSpecial(folder, join(root, "packs", String(at).repeat(64)), kind);
    // Its manifest is sound, but it is no entry.
    if (kind !== "hard-link") {
      const { hex } = planter.plant(`entry-${kind}`, { metadata: { kind } }, true);
      plantSpecial(folder, join(root, "packs", hex), kind);
    }
    plantSpecial(folder, join(root, "refs/tags", `tag-${kind}`), kind);
  }
  for (const [name, content] of Object.entries({ missing: undefined, empty: "", bent: evilText })) {
    const ref = planter.blob(`content that is ${name}`);
    planter.plant(`content-${name}`, { system_prompt: ref }, true);
    const path = planter.pathOf(ref.slice("sha256:".length));
    fs.rmSync(path);
    if (content !== undefined) fs.writeFileSync(path, content);
  }
  const shelf = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, "0")).find(
    (name) => !fs.existsSync(join(root, "objects", name)),
  );
  link("../../../outside/shelf", join(root, `objects/${shelf}`));
  fs.writeFileSync(join(root, "packs", "e".repeat(64)), evilText);
  fs.writeFileSync(join(root, "refs/tags/tag-huge"), controls.repeat(500));
  return { folder, packs: [...packs, ...planter.packs], bundles };
}

/** In the store's folders, beside the files that belong there. */
function plantStore(around: string, root: string): void {
  // A sweep that followed these would remove what is outside.
  for (const [name, to] of [
    ["objects/zz", "../../../outside/shelf"],
    ["tmp/old", "../../../outside"],
    ["drafts/linked", "../../../outside"],
  ] as const) {
    fs.rmSync(join(root, name), { recursive: true, force: true });
    link(to, join(root, name));
    fs.lutimesSync(join(root, name), 1, 1);
  }
  for (const inner of ["packs", "refs/tags", "tmp", "locks", "drafts"]) {
    fs.mkdirSync(join(root, inner), { recursive: true });
    for (const name of fileNames) {
      fs.rmSync(pathOf(join(root, inner), name), { force: true });
      fs.writeFileSync(pathOf(join(root, inner), name), inner === "refs/tags" ? evilText : "");
    }
  }
  for (const kind of kinds) {
    plantSpecial(around, join(root, "drafts", `draft ${kind}`), kind);
    plantSpecial(around, join(root, "tmp/of somebody", kind), kind);
    plantSpecial(around, join(root, "locks", kind), kind);
  }
  const draft = join(root, "drafts", pieces(evilName)[1] as string);
  fs.rmSync(draft, { force: true });
  put(join(draft, "execution.json"), json(smallLog({ system_prompt: evil, model: { identifier: evil } })));
  const thief = {
    ...smallLog(),
    system_prompt_file: "../../../../outside/secret.txt",
    system_prompt: undefined,
  };
  put(join(root, "drafts/thief/execution.json"), json(thief));
  put(join(root, "drafts/thief-2/execution.json"), json({ ...thief, system_prompt_file: "link" }));
  link("../../../../outside/secret.txt", join(root, "drafts/thief-2/link"));
  const command = ["sh", "-c", "touch ../outside/pwned ../../outside/pwned"];
  const program = { command, env: [evil], version: command };
  const config = {
    version: "0.1",
    replay: {
      adapters: { [`adapter${evil}`]: program, t: program, bash: program },
      mcp: { [evil]: { command, env: [evil] } },
      normalise: [{ name: evil, pattern: "x", replace: evil, tools: [evil] }],
    },
    redact: { mode: "standard", rules: [{ id: "own", pattern: "(a+)+$", keywords: [evil] }], allow: [evil] },
    diff: { ignore: [] },
    [evil]: evil,
  };
  fs.writeFileSync(join(root, "config.json"), JSON.stringify(config));
}

/** Logs, bundles, artifacts with sidecars, and a repository with settings of its own. */
async function plantWork(around: string, work: string, planter: Planter): Promise<Surroundings["bundles"]> {
  for (const name of fileNames) fs.writeFileSync(pathOf(work, name), evilText);
  put(join(work, "report.txt"), evilText);
  const [text] = planter.packs.filter(({ name }) => name === "text");
  const sidecar = {
    context_pack: `sha256:${text?.hex}`,
    inputs: [],
    tools: [evil],
    notes: evil,
    [evil]: evil,
  };
  put(join(work, "report.txt.ctx.json"), JSON.stringify(sidecar));
  for (const kind of kinds) {
    plantSpecial(around, join(work, "specials", kind), kind);
    plantSpecial(around, join(work, `sidecars/${kind}.txt.ctx.json`), kind);
    put(join(work, `sidecars/${kind}.txt`), evilText);
  }
  const log = smallLog({
    model: { identifier: `model${evil}`, parameters: { [evil]: evil } },
    system_prompt: evilText,
    steps: [{ type: "tool_call", tool: `tool${evil}`, parameters: { [evil]: evil }, output: evilText }],
    outputs: [
      ...awkwardNames.map((name) => ({ name, content: evilText, notes: evil })),
      ...kinds.map((kind) => ({ name: `sidecars/${kind}.txt`, content: evilText })),
      { name: "specials/link", content: `${secret}\n` },
      // No sidecar is written beside a file in the store, or behind a link.
      { name: ".ctx/notes.txt", content: evilText },
      { name: "elsewhere/canary.txt", content: "canary\n" },
    ],
    // The things that replaced these blobs have to be repaired.
    inputs: kinds.map((kind) => ({ name: kind, content: `of ${kind}` })),
    metadata: { source: { agent: evil, session: evil }, [evil]: evil },
  });
  put(join(work, "log.json"), json(log));
  put(join(work, ".ctx/notes.txt"), evilText);
  link("../outside", join(work, "elsewhere"));
  const bad: Record<string, AnyLog> = {
    fields: { [`field${evil}`]: 1, created: evil, version: evil, parent: evil },
    names: {
      inputs: [{ name: `../${evil}`, content_file: evil }],
      outputs: [{ name: "/etc/x", content: "x" }],
    },
    thief: { inputs: [{ name: "x", content_file: "../outside/secret.txt" }] },
    "thief-2": { inputs: [{ name: "x", content_file: "specials/link" }] },
    "thief-3": { inputs: [{ name: "x", content_file: "specials/device" }] },
    "thief-4": { inputs: [{ name: "x", content_file: "specials/pipe" }] },
  };
  for (const [name, fields] of Object.entries(bad))
    put(join(work, `bad-${name}.json`), json(smallLog(fields)));
  put(join(work, "bad-deep.json"), "[".repeat(1_000_000));
  put(join(work, "bad-text.json"), `{"${evil}`);
  put(join(work, "session.jsonl"), session(evil));
  for (const [at, name] of illegalNames.entries())
    put(join(work, `bad-name-${at}.json`), json(smallLog({ outputs: [{ name, content: "pwned" }] })));
  execFileSync("git", ["init", "-q", work], { env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } });
  fs.appendFileSync(
    join(work, ".git/config"),
    '[core]\n\tfsmonitor = "touch ../outside/pwned;"\n\tsshCommand = touch ../outside/pwned\n[alias]\n\trev-parse = !touch ../outside/pwned\n',
  );
  return plantBundles(work);
}

async function plantBundles(work: string): Promise<Record<string, RegExp | undefined>> {
  await must(work, ["export", "text", "names", "--allow-secrets", "-o", "good.ctx"]);
  const flawed = Object.entries(await flawedBundles());
  for (const [name, { bytes }] of flawed) put(join(work, `${name}.ctx`), bytes);
  return Object.fromEntries(flawed.map(([name, { says }]) => [name, says]));
}

/** Returns a session of Claude Code in which everything is hostile. */
function session(text: string): string {
  const common = { sessionId: text, cwd: text, gitBranch: text, version: text };
  const timestamp = "2026-02-10T12:00:00.000Z";
  const use = { type: "tool_use", id: text, name: text, input: { [text]: text } };
  return [
    { type: "user", uuid: "u", timestamp, ...common, message: { role: "user", content: text } },
    {
      type: "assistant",
      uuid: "v",
      parentUuid: "u",
      timestamp,
      ...common,
      message: {
        role: "assistant",
        model: text,
        content: [{ type: "text", text }, use],
        usage: { [text]: 1 },
      },
    },
    { type: text, uuid: "w", timestamp, ...common },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/** Sessions that agents left, the user's own settings, and files that only the user may change. */
function plantHome(home: string): void {
  put(join(home, ".gitconfig"), "[user]\n\tname = canary\n");
  put(join(home, ".ssh/id_canary"), "canary");
  put(join(home, ".claude/settings.json"), '{\n  "model": "opus"\n}\n');
  for (const [at, name] of pieces(evilName).entries()) {
    put(join(home, ".claude/projects", name, `${name}.jsonl`), session(`${at}${evil}`));
    put(join(home, ".codex/sessions/2026/02/10", `rollout-${name}.jsonl`), session(evil));
  }
  link("../../../../outside/secret.txt", join(home, ".claude/projects/p/link.jsonl"));
  execFileSync("mkfifo", [join(home, ".claude/projects/p/pipe.jsonl")]);
  put(join(home, ".config/ctx/config.json"), "{}");
  const remotes = { [evil]: { url: `oci://${evil}` }, good: { url: "oci://127.0.0.1:1/runs" } };
  put(join(home, ".config/ctx/remotes.json"), JSON.stringify(remotes));
}
