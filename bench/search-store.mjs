// The store that is searched: 5,000 runs of 40 calls with outputs of 200 bytes to 100 KB, 2 GB in all, every content different.
// Lines are made of 3,000 words and of numbers. Some words are planted: a rare one, a phrase, and a path whose n-grams are
// everywhere.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generator, pick } from "./logs.mjs";

export const planted = {
  /** In three outputs. */
  rare: "ERR_PLANTED_XYZZY: cannot frobnicate socket 4711",
  /** In one output of 8,000, and made of what all runs name. */
  weak: "src/auth.ts",
  /** In every second output. */
  common: "failed",
};

const packs = 5000;
const steps = 40;
/** So many logs are packed by one command. */
const atOnce = 250;

/** Fills a store. @param {string} folder where it is @param {(...args: string[]) => void} ctx */
export function fillSearchStore(folder, ctx) {
  const random = generator(0x5ea7c4);
  const vocabulary = Array.from({ length: 3000 }, () => word(random));
  for (let from = 0; from < packs; from += atOnce) {
    const logs = join(folder, "logs");
    mkdirSync(logs);
    const paths = Array.from({ length: atOnce }, (_, at) => join(logs, `${from + at}.json`));
    for (const [at, path] of paths.entries())
      writeFileSync(path, JSON.stringify(searchedRun(random, vocabulary, from + at)));
    ctx("pack", ...paths, "--redact", "off");
    rmSync(logs, { recursive: true });
  }
}

/** @param {() => number} random @param {readonly string[]} vocabulary @param {number} pack */
function searchedRun(random, vocabulary, pack) {
  const created = new Date(Date.UTC(2026, 0, 1) + pack * 3.6e6).toISOString();
  return {
    created,
    model: { identifier: `model-${pack % 3}` },
    system_prompt: "You are a coding agent.",
    prompts: [{ role: "user", content: `Task ${pack}: ${lines(random, vocabulary, 300)}` }],
    steps: Array.from({ length: steps }, (_, step) => {
      const number = pack * steps + step;
      const path = `src/${pick(random, ["api", "auth", "core", "db"])}/${pick(random, ["user", "auth", "query"])}${random() % 3000}.ts`;
      const extra = [
        number % 60_000 === 31_337 ? `${planted.rare}\n` : "",
        number % 8000 === 4242 ? `see ${planted.weak}\n` : "",
        number % 2 === 0 ? `1 test ${planted.common}\n` : "",
      ].join("");
      // Most outputs are short, some long.
      const size = 200 + Math.floor(100_000 * ((random() % 1000) / 1000) ** 9.5);
      return {
        type: "tool_call",
        tool: pick(random, ["read_file", "run_command", "edit_file"]),
        parameters: { path, pattern: pick(random, vocabulary) },
        output: `${number}\n${lines(random, vocabulary, size)}${extra}`,
        timestamp: created,
      };
    }),
    environment: { os: "linux/x64", runtime: "node20" },
  };
}

/** @param {() => number} random @param {readonly string[]} vocabulary @param {number} size */
function lines(random, vocabulary, size) {
  const parts = [];
  for (let length = 0; length < size; ) {
    // Few words are frequent, most are rare.
    const share = (random() % 100_000) / 100_000;
    const part =
      random() % 9 === 0 ? String(random()) : vocabulary[Math.floor(vocabulary.length * share ** 3)];
    parts.push(part, random() % 8 === 0 ? ".\n" : " ");
    length += part.length + 1;
  }
  return `${parts.join("")}\n`;
}

/** @param {() => number} random */
function word(random) {
  const syllables = [
    "ba",
    "con",
    "de",
    "er",
    "fi",
    "get",
    "in",
    "lo",
    "ma",
    "ter",
    "re",
    "set",
    "tion",
    "_id",
    "Up",
    "Val",
  ];
  return Array.from({ length: 2 + (random() % 3) }, () => pick(random, syllables)).join("");
}
