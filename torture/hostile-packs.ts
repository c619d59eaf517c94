// Packs as an attacker makes them: bytes written by hand, with the right hashes, and nothing else right about
// them.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { awkwardNames, controls, evil, evilText, illegalNames } from "./hostile-text.js";

type Fields = Record<string, unknown>;

export interface Planted {
  name: string;
  hex: string;
  /** No command may accept it as a pack. */
  isRefused: boolean;
}

/**
 * Canonical JSON of docs/format.md, as far as it is used here. A number that must keep its digits is a
 * `Digits`.
 */
export function canonical(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join()}}`;
}

export class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export class Planter {
  readonly #root: string;
  readonly packs: Planted[] = [];

  /** @param root the .ctx folder */
  constructor(root: string) {
    this.#root = root;
  }

  pathOf(hex: string): string {
    return join(this.#root, "objects", hex.slice(0, 2), hex.slice(2));
  }

  blob(content: string | Buffer): string {
    const bytes = Buffer.from(content as string);
    const hex = sha256(bytes);
    fs.mkdirSync(dirname(this.pathOf(hex)), { recursive: true });
    if (!fs.existsSync(this.pathOf(hex))) fs.writeFileSync(this.pathOf(hex), bytes, { mode: 0o444 });
    return `sha256:${hex}`;
  }

  /** Returns a plain manifest with these fields. */
  #manifest(fields: Fields): Fields {
    return {
      version: "0.1",
      hash: "",
      created: `2026-02-10T12:00:${String(this.packs.length % 60).padStart(2, "0")}Z`,
      model: { identifier: "m", parameters: {} },
      system_prompt: this.blob("be good"),
      prompts: [],
      inputs: [],
      steps: [],
      outputs: [],
      environment: { os: "o", runtime: "r", tool_versions: {} },
      ...fields,
    };
  }

  /** Returns a pack, with a tag of the same name if it has one. */
  plant(name: string | undefined, fields: Fields, isRefused = false): Planted {
    const manifest = this.#manifest(fields);
    const reference = this.blob(canonical(manifest));
    const outputs = (manifest["outputs"] as Fields[]).map((one) => ({ ...one, context_pack: reference }));
    const planted = { name: name ?? "", hex: reference.slice("sha256:".length), isRefused };
    const entry = canonical({ ...manifest, outputs, hash: reference });
    fs.writeFileSync(join(this.#root, "packs", planted.hex), entry, { mode: 0o444 });
    this.packs.push(planted);
    if (name === undefined) return planted;
    fs.mkdirSync(join(this.#root, "refs/tags"), { recursive: true });
    fs.writeFileSync(join(this.#root, "refs/tags", name), `${reference}\n`);
    return planted;
  }

  step(index: number, fields: Fields): Fields {
    return { index, type: "tool_call", tool: "t", parameters: {}, deterministic: true, ...fields };
  }
}

/** Packs that follow the format: only their content is hostile. */
export function plantSound(to: Planter, outside: string): void {
  const step = to.step.bind(to);
  const awkward = awkwardNames.map((name, at) => ({ name, content_ref: to.blob(`awkward ${at}\n`) }));
  const inputs = awkward.map((one, at) => ({ ...one, size: `awkward ${at}\n`.length }));
  to.plant("names", { inputs, outputs: awkward });
  const texts = textFields(to);
  const text = to.plant("text", texts);
  to.plant("text-2", {
    ...texts,
    parent: `sha256:${text.hex}`,
    model: { identifier: `other${evil}`, parameters: { [evil]: `other${evil}` } },
    steps: (texts["steps"] as Fields[]).map((one) => ({
      ...one,
      output_ref: to.blob(`other${evilText}`),
      parameters: { [`other${evil}`]: evil },
    })),
    outputs: (texts["outputs"] as Fields[]).map((one) => ({ ...one, content_ref: to.blob(`new ${evil}`) })),
  });
  let deep: unknown = evil;
  for (let level = 0; level < 900; level++)
    deep = level % 2 === 0 ? [deep] : { [`k${evil}`.slice(0, 9)]: deep };
  to.plant("deep", { steps: [step(0, { parameters: { deep } })], metadata: { deep } });
  const numbers = { n: new Digits("9".repeat(5000)), m: new Digits("-1e+308"), z: 5e-324 };
  to.plant("numbers", {
    steps: [step(0, { parameters: numbers, metadata: { turn: numbers.n, exit_code: numbers.m } })],
    metadata: { usage: numbers, coverage: { records: numbers.n, skipped: numbers } },
  });
  to.plant("kinds", {
    metadata: {
      source: [evil],
      workdir: { [evil]: 1 },
      git: evil,
      usage: [[evil]],
      coverage: evil,
      models: 1,
    },
    steps: [step(0, { metadata: { turn: evil, status: [evil], kind: {}, cwd: 7, parallel: [evil] } })],
  });
  to.plant("huge", {
    system_prompt: to.blob(controls.repeat(1000)),
    steps: [step(0, { tool: `t${evil}`.repeat(300), output_ref: to.blob(`\u001b[2J${"x".repeat(1e6)}`) })],
    outputs: [
      { name: "bytes.bin", content_ref: to.blob(Buffer.from([0, 0xff, 0x9b, 0x1b, 0xc2, 0x9b, 0x80])) },
    ],
  });
  to.plant("many", {
    steps: Array.from({ length: 3000 }, (_, at) =>
      step(at, { tool: `t${at}${evil}`, parameters: { [evil]: at } }),
    ),
  });
  to.plant("prototype", {
    metadata: JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":1}',
    ) as Fields,
    steps: [step(0, { tool: "__proto__" }), step(1, { tool: "constructor" })],
  });
  to.plant("orphan", {
    parent: `sha256:${"ab".repeat(32)}`,
    steps: [step(0, { pack: `sha256:${"cd".repeat(32)}` })],
  });
  to.plant("escape", escapes(to, outside));
  // No log can have these names, but a pack can: a command that makes files of them has to take care.
  const content_ref = to.blob("pwned\n");
  for (const [at, name] of illegalNames.entries())
    to.plant(`illegal-${at}`, { outputs: [{ name, content_ref }], inputs: [{ name, content_ref, size: 6 }] });
  // An object that no pack needs any more.
  const loose = to.pathOf(to.blob(evil).slice("sha256:".length));
  fs.utimesSync(loose, 1, 1);
}

/** Returns a run whose every string is hostile. */
function textFields(to: Planter): Fields {
  const all = { [evil]: evil, many: [evil, evilText], path: evil };
  const step = to.step.bind(to);
  return {
    model: { identifier: `model${evil}`, parameters: all },
    system_prompt: to.blob(`system${evilText}`),
    prompts: [{ role: `role${evil}`, content_ref: to.blob(`prompt${evilText}`) }],
    inputs: [{ name: awkwardNames[0], content_ref: to.blob(evilText), size: Buffer.byteLength(evilText) }],
    steps: [
      step(0, {
        tool: `tool${evil}`,
        parameters: all,
        output_ref: to.blob(`out${evilText}`),
        seen_ref: to.blob(`seen${evilText}`),
        metadata: { ...all, turn: 1, status: evil, kind: evil },
      }),
      step(1, { type: `type${evil}`, output_ref: to.blob(evilText) }),
      step(2, { type: "context", metadata: { kind: evil, turn: 1, status: evil } }),
      step(3, { tool: "bash", parameters: { command: `echo ${evil}`, description: evil } }),
      step(4, { tool: "edit_file", parameters: { path: evil, old_string: evilText, new_string: evil } }),
      step(5, { tool: `mcp__${evil}__${evil}`, parameters: { [evil]: evil } }),
      { ...step(6, { type: "message", metadata: { turn: 2, abandoned: true } }), tool: evil },
    ],
    outputs: [
      { name: "report.txt", content_ref: to.blob(evilText), notes: `notes${evil}`, confidence: "low" },
      { name: awkwardNames[0], content_ref: to.blob(evilText), notes: evil },
    ],
    environment: { os: `os${evil}`, runtime: `run${evil}`, tool_versions: { [evil]: evil } },
    metadata: {
      [evil]: evil,
      source: { format: evil, agent: evil, version: evil, session: evil, subagent: evil, [evil]: evil },
      workdir: evil,
      git: { branch: evil, commit: evil },
      models: [evil],
      usage: { [evil]: 1, requests: 1 },
      coverage: {
        captured: [evil],
        unknown: [evil],
        reconstructed: [evil],
        skipped: { [evil]: 1 },
        left_out: { [evil]: 2 },
        damaged: { count: 1, lines: [{ line: 1, why: evil }] },
        [evil]: evil,
      },
    },
  };
}

/** Returns a run whose tool calls use paths outside their folder. */
function escapes(to: Planter, outside: string): Fields {
  const paths = [
    `${outside}/canary.txt`,
    "../../../../outside/canary.txt",
    "link/canary.txt",
    ".git/hooks/x",
  ];
  const calls: [tool: string, parameters: Fields][] = [
    [
      "bash",
      { command: `ln -s ${outside} link; echo pwned > ${outside}/canary.txt; touch ${outside}/pwned` },
    ],
    ["bash", { command: `cat ${outside}/secret.txt; mkfifo f; printf '\\033[2J\\233\\007'` }],
    ...paths.flatMap((path): [string, Fields][] => [
      ["write_file", { path, content: "pwned" }],
      ["read_file", { path: path.replace("canary", "secret") }],
      ["edit_file", { path, old_string: "canary", new_string: "pwned" }],
      ["list_files", { path: path.replace("canary.txt", "") }],
      ["grep", { pattern: "(a+)+$", path }],
    ]),
    [`adapter${evil}`, { x: evil }],
  ];
  return {
    inputs: [{ name: "link", content_ref: to.blob("no folder"), size: 9 }],
    steps: calls.map(([tool, parameters], at) =>
      to.step(at, { tool, parameters, output_ref: to.blob("as recorded"), metadata: { cwd: outside } }),
    ),
    metadata: {
      workdir: outside,
      git: { commit: "--upload-pack=touch pwned" },
      source: { agent: "claude-code" },
    },
  };
}

/** Packs that break the format: each must be refused, and named, by every command that reads it. */
export function plantRefused(to: Planter): void {
  const content_ref = to.blob("x");
  const twice = [0, 1].map(() => ({ name: "same", content_ref }));
  to.plant("same-name", { outputs: twice }, true);
  const bad: Record<string, Fields> = {
    "no-model": { model: {} },
    "evil-version": { version: evil },
    "evil-created": { created: evil },
    "evil-ref": { system_prompt: `sha256:${evil}` },
    "path-ref": { system_prompt: "sha256:../../../outside/secret.txt" },
    "other-index": { steps: [to.step(7, {})] },
    "no-tool": { steps: [to.step(0, { tool: "" })] },
    "null-step": { steps: [null] },
    "evil-parent": { parent: evil },
  };
  for (const [name, fields] of Object.entries(bad)) to.plant(name, fields, true);
  // A wrong size is found when the content is read.
  const sizes = [0, -1, 1.5, 2 ** 53, new Digits("9".repeat(400)), "1"];
  for (const [at, size] of sizes.entries())
    to.plant(`size-${at}`, { inputs: [{ name: "x", content_ref, size }] }, true);
  let deep: unknown = 1;
  for (let level = 0; level < 2000; level++) deep = [deep];
  to.plant("too-deep", { metadata: { deep } }, true);
}
