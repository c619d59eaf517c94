// What must hold for every input: the program answers or refuses it with a message that shows nothing of its
// internals and no control characters of terminals.
import type { Entrance } from "./parser.js";
import type { Answer, Said } from "./inside.js";

/** No input needs more of the processor than this, in milliseconds, or of memory, in bytes. */
export const mostTime = 1000;
export const mostMemory = 512 << 20;

/**
 * Characters that control a terminal, reorder a line or are invisible. A list of its own: the program's must
 * not judge itself.
 */
// oxlint-disable-next-line no-control-regex -- that is what is looked for
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
/** A stack trace, and messages of the engine about errors in a program. */
const insides =
  /^ +at .*[(:]|ctx has a bug|Cannot (?:read|set|convert|destructure|access)|is not (?:a function|iterable|a constructor|defined)|Maximum call stack|Invalid (?:string|array|count|time) |out of memory|The (?:"\w+" )?argument|ERR_[A-Z]+_|null bytes|circular structure|\[object |toISOString/m;

/** What is wrong with an output. */
export function wrongIn({ args, status, stdout, stderr }: Said): string[] {
  const wrong: string[] = [];
  if (![0, 1, 2].includes(status)) wrong.push(`exit status ${status}`);
  if (status === 2 && stderr.trim() === "" && !isAnswer(args, stdout)) wrong.push("fails without a word");
  // The background work of a hook is reported later.
  const diagnostics = args[0] === "hook" ? `${stdout}${stderr}` : stderr;
  const found = insides.exec(diagnostics);
  if (found !== null) wrong.push(`shows its insides: ${lineAround(diagnostics, found.index)}`);
  for (const text of args[0] === "cat" ? [stderr] : [stdout, stderr]) {
    const at = text.search(steering);
    if (at >= 0) wrong.push(`prints U+${text.charCodeAt(at).toString(16)} as it is: ${lineAround(text, at)}`);
  }
  return wrong.map((text) => `ctx ${args.map(short).join(" ")}: ${text}`);
}

/** These commands report what they cannot judge in their results, and exit with 2. */
function isAnswer(args: readonly string[], stdout: string): boolean {
  return ["verify", "scan"].includes(args[0] ?? "") && stdout !== "";
}

/** Returns what is wrong with an answer as a whole. */
export function wrongWith(answer: Omit<Answer, "wrong">, { writes = false, free = [] }: Entrance): string[] {
  const wrong = answer.said.flatMap(wrongIn);
  const [first, second] = answer.said;
  // A pack that was made can be shown. (Masked text cannot be verified.)
  if (writes && first?.status === 0 && second !== undefined && isRefused(second))
    wrong.push(`is imported, and then ctx ${second.args.join(" ")} refuses it: ${second.stderr}`);
  if (answer.thrown !== undefined) wrong.push(`throws ${answer.thrown}`);
  if (answer.spent > mostTime) wrong.push(`takes ${Math.round(answer.spent)} ms`);
  if (answer.memory > mostMemory) wrong.push(`takes ${answer.memory >> 20} MB of memory`);
  const isDone = writes && answer.said[0]?.status !== 2;
  const changed = isDone
    ? []
    : answer.changed.filter((path) => !free.some((start) => path.startsWith(start)));
  if (changed.length > 0)
    wrong.push(
      `${answer.said[0]?.status === 2 ? "is refused" : "only looks"}, and changes ${changed.join(" ")}`,
    );
  return wrong;
}

function isRefused({ args: [command = ""], status, stdout }: Said): boolean {
  if (command === "verify") return status === 1 || (status === 2 && !stdout.includes("masked"));
  return status === 2 && ["show", "log", "diff", "tag", "remote"].includes(command);
}

function short(word: string): string {
  return JSON.stringify(word.length > 80 ? `${word.slice(0, 80)}…` : word);
}

function lineAround(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at) + 1;
  const end = text.indexOf("\n", at);
  return JSON.stringify(
    text.slice(Math.max(start, at - 80), Math.min(end < 0 ? text.length : end, at + 120)),
  );
}
