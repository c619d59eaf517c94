// Credentials in another encoding: base64, also over several lines, and percent-encoding as in URLs. The
// decoded text is scanned like any other. Base64 is redacted as a whole; in a URL only the secret is.
import { isUtf8 } from "node:buffer";
import type { Codes } from "./char-codes.js";
import type { Match } from "./matches.js";

type FindSecrets = (text: string) => readonly Match[];

/** A shorter run holds no credential that could be distinguished from other text. */
const minLength = 24;
/** A longer run is decoded in overlapping windows; both sizes are multiples of four. */
const maxChunk = 1 << 14;
const overlap = 1 << 12;

/** Finds secrets in the base64 runs of a text. */
export function findInBase64(text: string, codes: Codes, find: FindSecrets): readonly Match[] {
  if (text.length < minLength) return none;
  const found: Match[] = [];
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

/** Most slashes of one run behind which decoding is tried. */
const maxSlashes = 64;

/**
 * Yields where encoded text may begin in a run: at its start, and behind a slash, which belongs to base64 but
 * also separates the parts of a path.
 */
function* startsIn(run: string): Generator<number> {
  if (isTextInside(run)) yield 0;
  let slash = run.indexOf("/");
  for (let count = 0; slash !== -1 && count < maxSlashes && run.length - slash > minLength; count++) {
    if (isTextInside(run.slice(slash + 1, slash + 25))) yield slash + 1;
    slash = run.indexOf("/", slash + 1);
  }
}

/** Returns the pieces of a run without its first `count` characters. */
function piecesFrom(pieces: MatchPieces, count: number): MatchPieces {
  let left = count;
  return pieces.flatMap(({ from, to }) => {
    const cut = Math.min(left, to - from);
    left -= cut;
    return cut === to - from ? [] : [{ from: from + cut, to }];
  });
}

function ruleIn(run: string, find: FindSecrets): string | undefined {
  for (let at = 0; at === 0 || at + overlap < run.length; at += maxChunk - overlap) {
    const decoded = Buffer.from(run.slice(at, at + maxChunk), "base64").toString("latin1");
    // A key may be followed by bytes that are not text; in any other binary window, only its readable
    // stretches are scanned.
    const isWhole = isReadable(decoded) || decoded.startsWith("-----BEGIN ");
    const [first] = find(isWhole ? decoded : (decoded.match(stretches) ?? []).join("\n"));
    if (first !== undefined) return first.rule;
  }
  return undefined;
}

/** Readable text among binary bytes. */
const stretches = /[\x20-\x7e\r\n\t]{24,}/g;

const none: readonly Match[] = [];

type MatchPieces = Match["pieces"];

/**
 * Yields runs of base64 characters. A run that continues in the next line, as the program base64 prints it,
 * has one piece per line.
 */
function* runsOf(codes: Codes): Generator<MatchPieces> {
  // No run of the minimum length fits between two probed positions.
  for (let at = minLength - 1; at < codes.length; at += minLength) {
    if (base64[codes[at] as number] === 0) continue;
    let from = startOfRun(codes, at);
    let to = endOfRun(codes, at);
    if (to - from >= minLength) {
      const open: MatchPieces = [{ from, to }];
      // Only a full line continues in the next.
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

/** Returns the length of the line end at a position, also as JSON escapes it; 0 if there is none. */
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

/** Returns where a run ends, including its `=` padding. */
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

/** 1 for each character of base64, in both alphabets. */
const base64 = new Uint8Array(1 << 16);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
  base64[character.charCodeAt(0)] = 1;

/**
 * Returns whether the first characters of a run decode to text. Most runs are names, paths and hashes, and do
 * not.
 */
function isTextInside(run: string): boolean {
  const code = run.charCodeAt(0);
  if (beginsUtf8(code)) return isUtf8Head(Buffer.from(run.slice(0, 24), "base64"));
  if (!beginsText(code)) return false;
  return isPlain(Buffer.from(run.slice(0, 24), "base64").toString("latin1"));
}

/**
 * Returns whether the first decoded byte can be printable ASCII or a line end: the first character holds six
 * of its bits. This spares most runs the decoding.
 */
function beginsText(code: number): boolean {
  return (code >= 73 && code <= 90) || (code >= 97 && code <= 102) || code === 67 || code === 68;
}

/** Returns whether the first decoded byte can begin a byte order mark or a non-ASCII letter. */
function beginsUtf8(code: number): boolean {
  return (code >= 119 && code <= 122) || (code >= 48 && code <= 56);
}

/** Returns whether bytes are readable UTF-8, except for a character cut off at the end. */
function isUtf8Head(bytes: Buffer): boolean {
  for (let cut = 0; cut < 4; cut++)
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return isReadable(bytes.toString("latin1"));
  return false;
}

/** Returns whether a text has no control characters other than line ends and terminal escapes. */
function isReadable(text: string): boolean {
  return !/[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e\r\n\t]*$/.test(text);
}

/** A word; those with several percent signs are decoded. */
const word = /\S{12,65536}/y;
const escapes = /%[0-9A-Fa-f]{2}/g;

/** Finds secrets in percent-encoded words. */
export function findInUrl(text: string, find: FindSecrets): Match[] {
  const found: Match[] = [];
  for (const { from, escaped } of escapedWords(text)) {
    const { text: plain, positions } = unescaped(escaped);
    for (const { rule, secret, pieces } of find(plain)) {
      const moved = pieces.map((piece) => ({
        from: from + (positions[piece.from] as number),
        to: from + (positions[piece.to] as number),
      }));
      found.push({ rule, secret, pieces: moved });
    }
  }
  return found;
}

/** Visits only words around percent signs: most texts have few. */
function* escapedWords(text: string): Generator<{ from: number; escaped: string }> {
  let end = 0;
  for (let sign = text.indexOf("%"); sign !== -1; sign = text.indexOf("%", Math.max(end, sign + 1))) {
    let from = sign;
    while (from > end && !isSpace(text.charCodeAt(from - 1))) from--;
    // Of an overlong word, only the part with the sign is read.
    from += Math.floor((sign - from) / maxWordLength) * maxWordLength;
    word.lastIndex = from;
    const [escaped] = word.exec(text) ?? [];
    if (escaped === undefined) continue;
    end = from + escaped.length;
    if ((escaped.match(escapes)?.length ?? 0) >= 3) yield { from, escaped };
  }
}

const maxWordLength = 65_536;

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));
}

/** Returns the decoded text, and the position of each of its characters in the encoded one. */
function unescaped(text: string): { text: string; positions: number[] } {
  const positions: number[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    positions.push(at);
    const digits = text[at] === "%" ? text.slice(at + 1, at + 3) : "";
    const isEscape = /^[0-9A-Fa-f]{2}$/.test(digits);
    plain += isEscape ? String.fromCharCode(Number.parseInt(digits, 16)) : (text[at] as string);
    at += isEscape ? 3 : 1;
  }
  positions.push(text.length);
  return { text: plain, positions };
}
