// Measures what masking finds and what it wrongly masks, through `pack`, as docs/redaction.md reports it.
//   node scripts/measure-secrets.mjs [--redact strict] [--missed] <what>...
//     --trufflehog <checkout>   the tests of its detectors (github.com/trufflesecurity/trufflehog)
//     --gitleaks <checkout>     the tests of its rules (github.com/gitleaks/gitleaks)
//     --set <file>              cases: lines {id, kind, command?, path?, text, secrets, keep}
//     --real <folder>           ordinary files: lists each masked value with the text around it
//     --logs <folder>           agents' logs: the same, through the reader of each format
// Nothing of the checkouts is part of the project; CTX_TRUFFLEHOG and CTX_GITLEAKS name them, too.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gitleaksCases, truffleHogCases } from "../dev/scanner-suites.mjs";
import { root } from "./load.mjs";

const { values: given } = parseArgs({
  options: {
    trufflehog: { type: "string", default: process.env["CTX_TRUFFLEHOG"] },
    gitleaks: { type: "string", default: process.env["CTX_GITLEAKS"] },
    set: { type: "string", multiple: true, default: [] },
    real: { type: "string", multiple: true, default: [] },
    logs: { type: "string", multiple: true, default: [] },
    redact: { type: "string", default: "standard" },
    missed: { type: "boolean", default: false },
  },
});
/** The built library: `npm run build` makes it. */
const library = join(root, "dist/lib");
const modules = await Promise.all(
  [
    "ops/pack",
    "model/manifest",
    "redact/scanner",
    "redact/secret-heuristics",
    "store/init",
    "store/objects",
    "store/packs",
    "store/store",
  ].map((name) => import(pathToFileURL(join(library, `${name}.js`)).href)),
);
const { createScanner, entropy, initStore, packAll, reached, readObject, readPack, Store } = Object.assign(
  {},
  ...modules,
);

/** In memory, where there is such a folder: thousands of packs are made, and none is kept. */
const parent = fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** Larger files are left out of what is listed. */
const maxFile = 4_000_000;
const folder = fs.mkdtempSync(join(parent, "ctx-measure-"));
try {
  if (given.trufflehog !== undefined) measureTruffleHog(given.trufflehog);
  if (given.gitleaks !== undefined) measureGitleaks(given.gitleaks);
  for (const file of given.set) measureSet(file);
  for (const path of given.real) listMasks(path);
  for (const path of given.logs) listInLogs(path);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Packs a log, and returns the texts of its packs: each string of a manifest, and each content. */
function packed(input, redact = given.redact) {
  const home = fs.mkdtempSync(join(folder, "store-"));
  try {
    const made = initStore(home, { shared: false }).root;
    const store = Store.open(made);
    const texts = [];
    for (const { hash } of packAll(store, input, { redact, sidecars: false })) {
      const { manifest } = readPack(made, hash.replace(/^sha256:/, ""));
      addStrings(manifest, texts);
      for (const reference of new Set(reached(manifest)))
        texts.push(readObject(made, reference.replace(/^sha256:/, "")).toString());
    }
    return texts;
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function addStrings(value, texts) {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) {
      texts.push(key);
      addStrings(item, texts);
    }
}

function step(tool, parameters, output) {
  return { type: "tool_call", tool, parameters, output, deterministic: false };
}

/** Returns an execution log in which a text has its usual place: printed, read, said, run or written. */
function logOf({ kind, command, path, text }) {
  const steps = {
    output: () => [step("bash", { command: command ?? "make deploy" }, text)],
    file: () => [step("read_file", { path: path ?? "notes.txt" }, text)],
    prompt: () => [],
    command: () => [step("bash", { command: text }, "ok\n")],
    write: () => [step("write_file", { path: path ?? "notes.txt", content: text }, "ok\n")],
  };
  return {
    bytes: Buffer.from(
      JSON.stringify({
        created: "2026-01-01T00:00:00Z",
        model: { identifier: "m" },
        system_prompt: "s",
        prompts: [{ role: "user", content: kind === "prompt" ? text : "go on" }],
        steps: steps[kind](),
        outputs: [],
        environment: { os: "linux", runtime: "node" },
      }),
    ),
    folder,
  };
}

function share(part, whole) {
  return `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
}

/** Returns the bounds of a share that hold in 95 of 100 samples (Wilson). */
function interval(part, whole) {
  const z = 1.96;
  const rate = part / whole;
  const middle = rate + (z * z) / (2 * whole);
  const spread = z * Math.sqrt((rate * (1 - rate)) / whole + (z * z) / (4 * whole * whole));
  const percent = (bound) => ((100 * bound) / (1 + (z * z) / whole)).toFixed(1);
  return `95 % interval ${percent(middle - spread)} to ${percent(middle + spread)} %`;
}

/** Returns how random a part of a secret is; the name of a host is not. */
function disorder(part) {
  return /\.(?:com|io|net|org)\b/.test(part) ? 0 : entropy(part) * part.length;
}

/**
 * Returns the text that must not be left. A detector may join what it finds, such as an id and a key, or name
 * a host with it: then that is the part with the most disorder.
 */
function secretIn(wanted, text) {
  if (text.includes(wanted)) return wanted;
  const parts = [];
  for (let from = 0; from < wanted.length; ) {
    let to = from;
    while (to < wanted.length && text.includes(wanted.slice(from, to + 1))) to++;
    if (to - from >= 6) parts.push(wanted.slice(from, to));
    from = Math.max(to, from + 1);
  }
  return parts.toSorted((a, b) => disorder(b) - disorder(a))[0];
}

function measureTruffleHog(checkout) {
  const detectors = new Map();
  const whole = { found: 0, count: 0 };
  const joined = { found: 0, count: 0 };
  for (const { id, text, wanted } of truffleHogCases(checkout)) {
    const secrets = wanted.map((one) => secretIn(one, text)).filter((one) => one !== undefined);
    if (secrets.length === 0) continue;
    const left = packed(logOf({ kind: "file", path: "notes.txt", text }));
    const isFound = secrets.every((secret) => !left.some((one) => one.includes(secret)));
    const group = wanted.every((one) => text.includes(one)) ? whole : joined;
    const own = detectors.get(id) ?? { found: 0, count: 0 };
    detectors.set(id, own);
    for (const counts of [group, own]) {
      counts.count++;
      if (isFound) counts.found++;
    }
  }
  console.log(`TruffleHog, ${given.redact}: ${share(whole.found, whole.count)} masked`);
  console.log(`  and of secrets that a detector joins from parts: ${share(joined.found, joined.count)}`);
  const missed = [...detectors].filter(([, { found, count }]) => found < count);
  console.log(
    `  ${share(detectors.size - missed.length, detectors.size)} of the detectors in all their cases`,
  );
  if (given.missed)
    for (const [id, { found, count }] of missed) console.log(`    ${id}: ${found} of ${count}`);
}

function measureGitleaks(checkout) {
  const seen = new Set();
  const counts = { true: [0, 0], false: [0, 0] };
  for (const { id, text, isFalse } of gitleaksCases(checkout)) {
    if (seen.has(text)) continue;
    seen.add(text);
    const plain = packed(logOf({ kind: "file", text }), "off");
    const isMasked = !packed(logOf({ kind: "file", text })).every(
      (one) => plain.includes(one) || !one.includes("[REDACTED:"),
    );
    const group = counts[isFalse ? "false" : "true"];
    group[1]++;
    if (isMasked) group[0]++;
    if (given.missed && isMasked === isFalse)
      console.log(`    ${isFalse ? "wrong" : "missed"} ${id}: ${JSON.stringify(text).slice(0, 160)}`);
  }
  console.log(`gitleaks, ${given.redact}: ${share(...counts.true)} of the true cases masked`);
  console.log(`  and ${share(...counts.false)} of the false ones`);
}

function measureSet(file) {
  const kinds = new Map();
  const all = { found: 0, secrets: 0, wrong: 0, kept: 0, cases: 0, complete: 0, planted: 0 };
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (line.trim() === "") continue;
    const one = JSON.parse(line);
    const { id, kind, secrets = [], keep = [] } = one;
    const left = packed(logOf(one));
    const has = (text) => left.some((content) => content.includes(text));
    const missed = secrets.filter(has);
    const wrong = keep.filter((text) => !has(text));
    const own = kinds.get(kind) ?? {
      ...all,
      found: 0,
      secrets: 0,
      wrong: 0,
      kept: 0,
      cases: 0,
      complete: 0,
      planted: 0,
    };
    kinds.set(kind, own);
    for (const counts of [all, own]) {
      counts.cases++;
      counts.secrets += secrets.length;
      counts.found += secrets.length - missed.length;
      counts.kept += keep.length;
      counts.wrong += wrong.length;
      if (secrets.length > 0) counts.planted++;
      if (secrets.length > 0 && missed.length === 0) counts.complete++;
    }
    if (given.missed && missed.length + wrong.length > 0)
      console.log(`    ${id} ${kind}: left ${JSON.stringify(missed)}, lost ${JSON.stringify(wrong)}`);
  }
  console.log(
    `${file}, ${given.redact}: ${all.cases} cases, ${share(all.found, all.secrets)} secrets masked`,
  );
  console.log(
    `  ${share(all.complete, all.planted)} cases without one left (${interval(all.complete, all.planted)})`,
  );
  console.log(
    `  ${share(all.wrong, all.kept)} texts that must stay were masked (${interval(all.wrong, all.kept)})`,
  );
  for (const [kind, { found, secrets, wrong, kept }] of kinds)
    console.log(`  ${kind}: ${share(found, secrets)} found, ${share(wrong, kept)} wrong`);
}

function* filesBelow(path) {
  const stat = fs.lstatSync(path);
  if (stat.isFile()) yield path;
  if (stat.isDirectory())
    for (const name of fs.readdirSync(path).toSorted()) yield* filesBelow(join(path, name));
}

/** Lists each distinct mask in ordinary files. */
function listMasks(path) {
  const scanner = createScanner({ mode: given.redact });
  const masks = new Map();
  let bytes = 0;
  let lines = 0;
  for (const file of filesBelow(path)) {
    if (fs.statSync(file).size > maxFile) continue;
    const content = fs.readFileSync(file);
    const text = content.toString();
    if (content.includes(0) || text.includes("\ufffd")) continue;
    bytes += content.length;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
    for (const { rule, secret, pieces } of scanner.find(text)) {
      const { from } = pieces[0];
      const { to } = pieces.at(-1);
      const around = [
        text.slice(Math.max(0, from - 60), from),
        text.slice(from, Math.min(to, from + 120)),
        text.slice(to, to + 30),
      ];
      if (!masks.has(secret)) masks.set(secret, `${rule} ${JSON.stringify(around.join("\u00a6"))} ${file}`);
    }
  }
  for (const mask of masks.values()) console.log(`    ${mask}`);
  const perMegabyte = ((1e6 * masks.size) / bytes).toFixed(2);
  console.log(
    `${path}, ${given.redact}: ${masks.size} distinct masks in ${(bytes / 1e6).toFixed(1)} MB, ${lines} lines: ${perMegabyte} per MB, one in ${Math.round(lines / Math.max(1, masks.size))} lines`,
  );
}

/** Lists what packing masks in agents' logs, with the text before it. */
function listInLogs(path) {
  let logs = 0;
  let masks = 0;
  const refused = [];
  for (const file of filesBelow(path)) {
    if (!/\.(?:jsonl?|traj|zip|eval|db)$/.test(file) || /EXPECTED|INDEX/.test(file)) continue;
    let texts;
    try {
      texts = packed({ file });
    } catch {
      refused.push(file);
      continue;
    }
    logs++;
    for (const text of new Set(texts))
      for (const { 0: mark, index } of text.matchAll(/\[REDACTED:[a-z0-9-]+:\d+\]/g)) {
        masks++;
        console.log(
          `    ${JSON.stringify(text.slice(Math.max(0, index - 80), index + mark.length + 20))} ${file}`,
        );
      }
  }
  console.log(`${path}, ${given.redact}: ${masks} masks in ${logs} logs; not read: ${refused.length}`);
}
