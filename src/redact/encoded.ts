// Credentials that are written in another way: in base64, also over several lines, and with percent signs as in addresses. What is decoded
// is searched like any text. Of base64 all is masked; in an address just the secret.
import { isUtf8 } from "node:buffer";
import type { Codes } from "./char-codes.js";
import type { Found } from "./matches.js";

type Find = (text: string) => readonly Found[];

/** Shorter ones hold no credential that could be told from others. */
const shortest = 24;
/** Longer ones are decoded in windows that overlap; both are multiples of four. */
const longest = 1 << 14;
const overlap = 1 << 12;

/** What is found in the base64 of a text. */
export function findInBase64(text: string, codes: Codes, find: Find): readonly Found[] {
  if (text.length < shortest) return none;
  const found: Found[] = [];
  for (const pieces of runsOf(codes)) {
    const run = pieces.map(({ from, to }) => text.slice(from, to)).join("");
    for (const at of startsIn(run)) {
      const secret = run.slice(at);
      const rule = ruleIn(secret, find);
      if (rule === undefined) continue;
      found.push({ rule, secret, pieces: piecesFrom(pieces, at) });
      break;
    }
  }
  return found;
}

/** How many slashes of one run are looked behind. */
const mostSlashes = 64;

/** Where text may begin in a run: at its start, and behind a slash, which is of base64 but also stands between the parts of a path. */
function* startsIn(run: string): Generator<number> {
  if (isTextInside(run)) yield 0;
  let slash = run.indexOf("/");
  for (let count = 0; slash !== -1 && count < mostSlashes && run.length - slash > shortest; count++) {
    if (isTextInside(run.slice(slash + 1, slash + 25))) yield slash + 1;
    slash = run.indexOf("/", slash + 1);
  }
}

/** The pieces of a run without its first so many characters. */
function piecesFrom(pieces: Pieces, count: number): Pieces {
  let left = count;
  return pieces.flatMap(({ from, to }) => {
    const cut = Math.min(left, to - from);
    left -= cut;
    return cut === to - from ? [] : [{ from: from + cut, to }];
  });
}

function ruleIn(run: string, find: Find): string | undefined {
  for (let at = 0; at === 0 || at + overlap < run.length; at += longest - overlap) {
    const decoded = Buffer.from(run.slice(at, at + longest), "base64").toString("latin1");
    // A key may be followed by bytes that are no text; of other windows, only what is text in them is searched.
    const isWhole = isReadable(decoded) || decoded.startsWith("-----BEGIN ");
    const [first] = find(isWhole ? decoded : (decoded.match(stretches) ?? []).join("\n"));
    if (first !== undefined) return first.rule;
  }
  return undefined;
}

/** Text among bytes that are none. */
const stretches = /[\x20-\x7e\r\n\t]{24,}/g;

const none: readonly Found[] = [];

type Pieces = Found["pieces"];

/** Runs of characters of base64, a line each where one goes on in the next, as the program base64 prints them. */
function* runsOf(codes: Codes): Generator<Pieces> {
  // A run that is long enough cannot lie between two places that are looked at.
  for (let at = shortest - 1; at < codes.length; at += shortest) {
    if (base64[codes[at] as number] === 0) continue;
    let from = startOfRun(codes, at);
    let to = endOfRun(codes, at);
    if (to - from >= shortest) {
      const open: Pieces = [{ from, to }];
      // Only a full line goes on.
      while (open.length <= 4000 && to - from >= 60 && to - from <= 76) {
        const next = to + lineEndAt(codes, to);
        if (next === to || base64[codes[next] as number] !== 1) break;
        from = next;
        to = endOfRun(codes, next);
        open.push({ from, to });
      }
      yield open;
    }
    at = to - 1;
  }
}

/** How long the line end is that stands there, also as JSON writes it; 0 where there is none. */
function lineEndAt(codes: Codes, at: number): number {
  if (codes[at] === lineFeed) return 1;
  if (codes[at] === carriageReturn) return codes[at + 1] === lineFeed ? 2 : 0;
  if (codes[at] !== backslash) return 0;
  if (codes[at + 1] === letterN) return 2;
  return codes[at + 1] === letterR && codes[at + 2] === backslash && codes[at + 3] === letterN ? 4 : 0;
}

function startOfRun(codes: Codes, at: number): number {
  let from = at;
  while (from > 0 && base64[codes[from - 1] as number] === 1) from--;
  return from;
}

/** With the marks that fill a run up. */
function endOfRun(codes: Codes, at: number): number {
  let to = at + 1;
  while (to < codes.length && base64[codes[to] as number] === 1) to++;
  while (to < codes.length && codes[to] === equalsSign) to++;
  return to;
}

const lineFeed = 10;
const carriageReturn = 13;
const equalsSign = 61;
const backslash = 92;
const letterN = 110;
const letterR = 114;

/** Which characters are of base64, in both alphabets. */
const base64 = new Uint8Array(1 << 16);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
  base64[character.charCodeAt(0)] = 1;

/** Whether its first characters decode to text; most runs are names, paths and hashes, and do not. */
function isTextInside(run: string): boolean {
  const code = run.charCodeAt(0);
  if (beginsUtf8(code)) return isUtf8Head(Buffer.from(run.slice(0, 24), "base64"));
  if (!beginsText(code)) return false;
  return isPlain(Buffer.from(run.slice(0, 24), "base64").toString("latin1"));
}

/** Whether the first byte can be a plain one or a line end: the first character has six of its bits. This spares most runs the decoding. */
function beginsText(code: number): boolean {
  return (code >= 73 && code <= 90) || (code >= 97 && code <= 102) || code === 67 || code === 68;
}

/** The same for a byte order mark, or a letter of another language. */
function beginsUtf8(code: number): boolean {
  return (code >= 119 && code <= 122) || (code >= 48 && code <= 56);
}

/** Whether it is UTF-8, but for a character that is cut off at its end. */
function isUtf8Head(bytes: Buffer): boolean {
  for (let cut = 0; cut < 4; cut++)
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return isReadable(bytes.toString("latin1"));
  return false;
}

/** The same, with letters of other languages and colours of a terminal in it. */
function isReadable(text: string): boolean {
  return !/[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e\r\n\t]*$/.test(text);
}

/** Words, of which those with several percent signs are looked at. */
const word = /\S{12,65536}/y;
const escapes = /%[0-9A-Fa-f]{2}/g;

/** What is found when percent signs are read as what they stand for. */
export function findInUrl(text: string, find: Find): Found[] {
  const found: Found[] = [];
  for (const { from, escaped } of escapedWords(text)) {
    const { text: plain, places } = unescaped(escaped);
    for (const { rule, secret, pieces } of find(plain)) {
      const moved = pieces.map((piece) => ({
        from: from + (places[piece.from] as number),
        to: from + (places[piece.to] as number),
      }));
      found.push({ rule, secret, pieces: moved });
    }
  }
  return found;
}

/** Only words around percent signs are looked at: most texts have few. */
function* escapedWords(text: string): Generator<{ from: number; escaped: string }> {
  let end = 0;
  for (let sign = text.indexOf("%"); sign !== -1; sign = text.indexOf("%", Math.max(end, sign + 1))) {
    let from = sign;
    while (from > end && !isSpace(text.charCodeAt(from - 1))) from--;
    // Of a word that is too long, the part with the sign.
    from += Math.floor((sign - from) / longestWord) * longestWord;
    word.lastIndex = from;
    const [escaped] = word.exec(text) ?? [];
    if (escaped === undefined) continue;
    end = from + escaped.length;
    if ((escaped.match(escapes)?.length ?? 0) >= 3) yield { from, escaped };
  }
}

const longestWord = 65_536;

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));
}

/** The text, and where each of its characters stood. */
function unescaped(text: string): { text: string; places: number[] } {
  const places: number[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    places.push(at);
    const digits = text[at] === "%" ? text.slice(at + 1, at + 3) : "";
    const isEscape = /^[0-9A-Fa-f]{2}$/.test(digits);
    plain += isEscape ? String.fromCharCode(Number.parseInt(digits, 16)) : (text[at] as string);
    at += isEscape ? 3 : 1;
  }
  places.push(text.length);
  return { text: plain, places };
}
