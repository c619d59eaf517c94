// Stores whose contents are hard to search: every kind of line end, bytes that are not UTF-8, letters whose other case is an
// ASCII letter, long lines, binary data, and words that are nearly others.
import { hexOf } from "../src/base/digest.js";
import { pack } from "../src/ops/pack.js";
import type { Store } from "../src/store/store.js";
import { type AnyLog, smallLog } from "./logs.js";

/** Returns a generator of numbers below its argument, the same for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const words =
  "foo foobar Foo FOO fo o0 bar barn kelvin \u212Aelvin Kelvin \u017Fhort short Short \u0130stanbul istanbul ß SS caf\u00e9 CAF\u00C9 naïve src/auth.ts src/auth/index.ts auth.tsx error Error: ERROR cannot can't (a+)+$ [x] a.b a\\b \u{1F600} e\u0301 \u2028 \u202E 0 42 4711 -1 --flag $HOME ${x} \"quoted\" 'single' `tick` \t tab\ttab".split(
    " ",
  );
const ends = ["\n", "\n", "\n", "\r\n", "\n\n", "\r", "\n \n"];
const bad = [[0xff], [0xc3], [0xe2, 0x82], [0x80], [0xf0, 0x9f, 0x98], [0xc0, 0x80], [0xed, 0xa0, 0x80]];

/** Returns some lines. @param count how many words */
export function hardText(random: (below: number) => number, count: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < count; at++) {
    if (random(60) === 0) pieces.push(Buffer.from(bad[random(bad.length)] as number[]));
    pieces.push(Buffer.from(words[random(words.length)] as string));
    pieces.push(
      Buffer.from(random(5) === 0 ? (ends[random(ends.length)] as string) : random(4) === 0 ? "" : " "),
    );
  }
  if (random(25) === 0) pieces.push(Buffer.from([0]), Buffer.from("behind a NUL foo\n"));
  if (random(40) === 0) pieces.unshift(Buffer.from("x".repeat(2500 + random(4000))), Buffer.from("é foo "));
  return Buffer.concat(pieces);
}

/** Returns the log of a run with such contents. */
export function hardLog(random: (below: number) => number, index: number): AnyLog {
  const text = (most: number): string => hardText(random, random(most)).toString("base64");
  const word = (): string => words[random(words.length)] as string;
  return smallLog({
    created: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace(".000", ""),
    system_prompt: `You are careful. ${word()} ${index % 3}`,
    prompts: [{ role: "user", content_base64: text(30) }],
    inputs: [{ name: `in/${index}.txt`, content_base64: text(200) }],
    steps: Array.from({ length: 1 + random(6) }, (_, step) =>
      step % 4 === 3
        ? { type: "reasoning", output_base64: text(40) }
        : {
            type: "tool_call",
            tool: ["read_file", "run_command", "edit_file"][step % 3],
            parameters: {
              command: `${word()} "${word()}"\n${word()}\\${word()}`,
              path: "src/auth.ts",
              [word()]: [random(5000), true, null, { deep: `${word()}\u2028${word()}`, __proto: word() }],
            },
            output_base64: text(120),
            ...(random(3) === 0 ? { seen_base64: text(20) } : {}),
          },
    ),
    outputs: [{ name: "out.txt", content_base64: text(100) }],
  });
}

/** Packs runs with the numbers from `from` to before `to`. Returns their hashes. */
export function packHardRuns(store: Store, seed: number, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => {
    const log = hardLog(seeded(seed * 1000 + from + at), from + at);
    return hexOf(
      pack(store, { bytes: Buffer.from(JSON.stringify(log)), folder: store.folder }, { redact: "off" }).hash,
    );
  });
}
