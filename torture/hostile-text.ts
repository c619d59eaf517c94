// Text as an attacker writes it, and the parts of it that may never be printed. The list of dangerous
// characters is its own: the program must not judge its own escapes.

/**
 * Everything that controls a terminal, reorders a line or is invisible. No NUL: file names and arguments
 * cannot contain it.
 */
export const controls = [
  ...codes(0x01, 0x1f),
  ...codes(0x7f, 0x9f),
  "\u001b[2J\u001b[1;1H\u001b[8m\u001b[5m\u001b[38;5;1m\u001b[?1049h\u001b[6n",
  "\u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\u001b]52;c;aGk=\u0007",
  "\u001bP+q544e\u001b\\\u001b_apc\u001b\\\u001b^pm\u001b\\\u001bc\u001b(0",
  "\u009b2J\u009d0;title\u009c\u0090q\u009c",
  "\r\nover\rwritten\b\b\b\u0007\u000b\u000c",
  "\u202eesrever\u202c\u2066isolated\u2069\u200e\u200f\u061c",
  "zero\u200bwidth\u200d\u2060\ufeff\u00ad\u034f\u3164\u{e0041}\u{e007f}",
  "\ufff9anno\ufffatated\ufffb",
  "\u2028line\u2029paragraph\u0085next",
].join("");

/** Would be a line of its own, if line breaks in a name were printed. */
const forgery = "\nFORGED ctx://";

/** For a field that is shown on one line. */
export const evil = `${controls}${forgery}`;

/** For a field that may have several lines. */
export const evilText = `first\n${controls}\nlast`;

/** The same without characters that end a component of a path. */
export const evilName = evil.replaceAll(/[/\\]/g, "");

function codes(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
}

/** Names that a file must not get, whatever the pack says. */
export const illegalNames: readonly string[] = [
  "../../outside/canary.txt",
  "a/../../../outside/canary.txt",
  "/etc/ctx-torture",
  "..\\..\\outside\\canary.txt",
  "\\\\server\\share",
  "C:x",
  "c:/x",
  "a//b",
  "./x",
  "..",
  "",
  "nul\u0000byte",
  "n".repeat(300),
  `${"d/".repeat(2100)}x`,
];

/** Names that are legal in a pack, but dangerous as file names. */
export const awkwardNames: readonly string[] = [
  `input${evilName.slice(0, 60)}`,
  "\u001b[2J\u001b]52;c;aGk=\u0007.txt",
  "\u202egpj.exe",
  "line\nFORGED ctx:",
  "README",
  "readme",
  "caf\u00e9",
  "cafe\u0301",
  "CON",
  "nul.txt",
  "COM1.log",
  "trailing.",
  "trailing ",
  "a:b",
  ".git/hooks/post-checkout",
  ".GIT/config",
  "GIT~1/config",
  ".ctx/config.json",
  ".ctx/objects/00/x",
  "-rf",
  "--help",
  "~/x",
  "$(touch pwned)",
  "`touch pwned`",
  "__proto__",
  "execution.json",
  "n".repeat(255),
];

/** Colours of ctx, and no other escape sequence. */
const colours = /\u001b\[(?:1|2|22|31|32|33|34|35|36|39)m/g;

const dangerous =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

/** Returns what is wrong with printed bytes that a terminal would obey. */
export function rawIn(bytes: Buffer, isTerminal: boolean): string[] {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return ["prints bytes that are not UTF-8"];
  }
  const wrong: string[] = [];
  if (isTerminal) {
    // The terminal adds a carriage return to every line feed; progress of ctx begins its line again.
    text = text.replaceAll("\r\n", "\n").replaceAll("\r\u001b[K", "").replaceAll(colours, "");
  }
  const raw = dangerous.exec(text);
  if (raw !== null) {
    const code = (raw[0].codePointAt(0) ?? 0).toString(16);
    wrong.push(`prints a raw U+${code} in ${JSON.stringify(around(text, raw.index))}`);
  }
  const forged = /^FORGED/m.exec(text);
  if (forged !== null) wrong.push(`prints a forged line after ${JSON.stringify(around(text, forged.index))}`);
  return wrong;
}

function around(text: string, at: number): string {
  return text.slice(Math.max(0, at - 40), at + 40);
}
