// Credentials that are written in another way: in base64, also over several lines, and with percent signs as in addresses. What is decoded
// is searched like any text. Of base64 all is masked; in an address just the secret.
import type { Found } from "./found.js";

type Find = (text: string) => Found[];

/** Shorter ones hold no credential that could be told from others; longer ones are pictures. */
const shortest = 24;
const longest = 1 << 14;

/** What is found in the base64 of a text. */
export function findInBase64(text: string, find: Find): Found[] {
  const found: Found[] = [];
  for (const pieces of runsOf(text)) {
    const run = pieces.map(({ from, to }) => text.slice(from, to)).join("");
    if (!isTextInside(run)) continue;
    const decoded = Buffer.from(run, "base64").toString("latin1");
    // A key may be followed by bytes that are no text.
    const [first] = isReadable(decoded) || decoded.startsWith("-----BEGIN ") ? find(decoded) : [];
    if (first !== undefined) found.push({ rule: first.rule, secret: run, pieces });
  }
  return found;
}

type Pieces = Found["pieces"];

/** Runs of characters of base64, a line each where one goes on in the next, as the program base64 prints them. */
function* runsOf(text: string): Generator<Pieces> {
  // A run that is long enough cannot lie between two places that are looked at.
  for (let at = shortest - 1; at < text.length; at += shortest) {
    if (!isBase64(text.charCodeAt(at))) continue;
    let { from, to } = runAt(text, at);
    if (to - from < shortest) continue;
    const open: Pieces = to - from <= longest ? [{ from, to }] : [];
    // Only a full line goes on.
    while (open.length > 0 && open.length <= 400 && to - from >= 60 && to - from <= 76) {
      const next = to + (text[to] === "\r" ? 2 : 1);
      if (!isLineEnd(text, to, next) || !isBase64(text.charCodeAt(next))) break;
      ({ from, to } = runAt(text, next));
      open.push({ from, to });
    }
    if (open.length > 0) yield open;
    at = to - 1;
  }
}

/** The run around a place, with the marks that fill it up. */
function runAt(text: string, at: number): { from: number; to: number } {
  let from = at;
  while (from > 0 && isBase64(text.charCodeAt(from - 1))) from--;
  let to = at + 1;
  while (to < text.length && isBase64(text.charCodeAt(to))) to++;
  while (to < text.length && text[to] === "=") to++;
  return { from, to };
}

function isLineEnd(text: string, from: number, to: number): boolean {
  return to - from <= 2 && text[to - 1] === "\n" && (to - from === 1 || text[from] === "\r");
}

/** Both alphabets. */
function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 45 ||
    code === 95
  );
}

/** Whether its first characters decode to text; most runs are names, paths and hashes, and do not. */
function isTextInside(run: string): boolean {
  if (!beginsText(run.charCodeAt(0))) return false;
  return isPlain(Buffer.from(run.slice(0, 24), "base64").toString("latin1"));
}

/** Whether the first byte can be a plain one or a line end: the first character has six of its bits. This spares most runs the decoding. */
function beginsText(code: number): boolean {
  return (code >= 73 && code <= 90) || (code >= 97 && code <= 102) || code === 67 || code === 68;
}

/** The same, with letters of other languages and colours of a terminal in it. */
function isReadable(text: string): boolean {
  return !/[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e\r\n\t]*$/.test(text);
}

/** Words, of which those with several percent signs are looked at. */
const words = /\S{12,65536}/g;
const escapes = /%[0-9A-Fa-f]{2}/g;

/** What is found when percent signs are read as what they stand for. */
export function findInUrl(text: string, find: Find): Found[] {
  if (!text.includes("%")) return [];
  const found: Found[] = [];
  for (const match of text.matchAll(words)) {
    const [word] = match;
    if (!word.includes("%") || (word.match(escapes)?.length ?? 0) < 3) continue;
    const { text: plain, places } = unescaped(word);
    for (const { rule, secret, pieces } of find(plain)) {
      const moved = pieces.map(({ from, to }) => ({
        from: match.index + (places[from] as number),
        to: match.index + (places[to] as number),
      }));
      found.push({ rule, secret, pieces: moved });
    }
  }
  return found;
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
