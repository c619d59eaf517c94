// What must hold for every input, whatever it is: an answer or a refusal in words, with nothing of the program's insides in it, and
// nothing that steers a terminal.
import type { Entrance } from "./parser.js";
import type { Answer, Said } from "./inside.js";

/** No input needs more of the processor than this, in milliseconds, or of memory, in bytes. */
export const mostTime = 1000;
export const mostMemory = 512 << 20;

/** Whatever steers a terminal, reorders a line or cannot be seen. Its own list: the program's must not judge itself. */
// oxlint-disable-next-line no-control-regex -- that is what is looked for
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
/** A stack, and what the engine says when a program does something that makes no sense. */
const insides =
  /^ +at .*[(:]|ctx has a bug|Cannot (?:read|set|convert|destructure|access)|is not (?:a function|iterable|a constructor|defined)|Maximum call stack|Invalid (?:string|array|count|time) |out of memory|The (?:"\w+" )?argument|ERR_[A-Z]+_|null bytes|circular structure|\[object |toISOString/m;

/** What is wrong with what it said. */
export function wrongIn({ args, status, stdout, stderr }: Said): string[] {
  const wrong: string[] = [];
  if (![0, 1, 2].includes(status)) wrong.push(`exit status ${status}`);
  if (status === 2 && stderr.trim() === "" && !isAnswer(args, stdout)) wrong.push("fails without a word");
  // What a hook did in the background is told later.
  const told = args[0] === "hook" ? `${stdout}${stderr}` : stderr;
  const found = insides.exec(told);
  if (found !== null) wrong.push(`shows its insides: ${lineAround(told, found.index)}`);
  for (const text of args[0] === "cat" ? [stderr] : [stdout, stderr]) {
    const at = text.search(steering);
    if (at >= 0) wrong.push(`prints U+${text.charCodeAt(at).toString(16)} as it is: ${lineAround(text, at)}`);
  }
  return wrong.map((text) => `ctx ${args.map(short).join(" ")}: ${text}`);
}

/** What these cannot judge is told where their answers are, and they exit with 2. */
function isAnswer(args: readonly string[], stdout: string): boolean {
  return ["verify", "scan"].includes(args[0] ?? "") && stdout !== "";
}

/** What is wrong with an answer as a whole. */
export function wrongWith(answer: Omit<Answer, "wrong">, { writes = false, free = [] }: Entrance): string[] {
  const wrong = answer.said.flatMap(wrongIn);
  const [first, second] = answer.said;
  // What was taken in can be looked at. (What is masked cannot be proven.)
  if (writes && first?.status === 0 && second !== undefined && isRefused(second))
    wrong.push(`is taken in, and then ctx ${second.args.join(" ")} refuses it: ${second.stderr}`);
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
