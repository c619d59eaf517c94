// Removes what surrounds the output of a command: terminal control sequences, JSON, and values as Python
// writes them. Every position can be mapped back to the text as it was printed.

export interface PrintedView {
  text: string;
  /** Position of each character in the printed text; without it, positions are consecutive from `from`. */
  map?: Uint32Array;
  from: number;
}

/** A string within JSON, with the name of the member that holds it. */
export interface Leaf {
  name: string;
  /** Names of the enclosing objects, outermost first. */
  path: readonly string[];
  view: PrintedView;
}

export function positionIn({ map, from }: PrintedView, at: number): number {
  return map === undefined ? from + at : (map[at] as number);
}

export function part(view: PrintedView, from: number, to: number): PrintedView {
  const text = view.text.slice(from, to);
  if (view.map === undefined) return { text, from: view.from + from };
  return { text, map: view.map.subarray(from, to), from: 0 };
}

/** CSI, OSC and the other sequences that a terminal does not show, and the byte order mark. */
const sequences =
  /(?:\u001b\[|\u009b)[0-?]{0,100}[ -/]{0,10}[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\u009d]{0,4000}(?:\u0007|\u001b\\|\u009c)|\u001b[PX^_][^\u001b]{0,4000}\u001b\\|\u001b(?:[()*+][0-9A-B]|[=>78cDEHMNOZ])|\ufeff/g;

export function withoutSequences(text: string): PrintedView {
  if (!/[\u001b\u009b\u009d\ufeff]/.test(text)) return { text, from: 0 };
  const kept: string[] = [];
  const map = new Uint32Array(text.length);
  let length = 0;
  let at = 0;
  const keep = (to: number): void => {
    kept.push(text.slice(at, to));
    while (at < to) map[length++] = at++;
  };
  for (const match of text.matchAll(sequences)) {
    keep(match.index);
    at = match.index + match[0].length;
  }
  keep(text.length);
  return { text: kept.join(""), map: map.subarray(0, length), from: 0 };
}

/** A longer text is read line by line. */
const maxDocumentLength = 1 << 20;
const maxDepth = 64;

/** Returns the range that is JSON or a value as Python writes it; undefined if there is none. */
export function documentIn(text: string): { from: number; to: number; isJson: boolean } | undefined {
  if (text.length > maxDocumentLength) return undefined;
  const from = /^[ \t]*(?=[[{"])/m.exec(text);
  if (from !== null) {
    const begin = from.index + from[0].length;
    const last = text.charAt(begin) === '"' ? '"' : text.charAt(begin) === "{" ? "}" : "]";
    const to = text.lastIndexOf(last) + 1;
    if (to > begin + 1 && isJson(text.slice(begin, to))) return { from: begin, to, isJson: true };
  }
  const isPython = /^\s*(?:[[{(]\s*|[A-Z]\w{2,40}\()(?:b?['"]|\w+=)[^]*[\])}]\s*$|^\s*b(['"])[^]*\1\s*$/.test(
    text,
  );
  return isPython ? { from: 0, to: text.length, isJson: false } : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns all strings of a document that are values. */
export function leavesOf(view: PrintedView, isJsonText: boolean): Leaf[] {
  const { text } = view;
  const leaves: Leaf[] = [];
  const names: string[] = [];
  let name: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "," && names.length > 0) name = undefined;
    else if ("{[(".includes(character)) {
      if (names.length >= maxDepth) return leaves;
      names.push(name ?? names.at(-1) ?? "");
      name = undefined;
    } else if ("}])".includes(character)) names.pop();
    else if (character === "=" && !isJsonText) name = /\w+$/.exec(text.slice(Math.max(0, at - 60), at))?.[0];
    else if (character === '"' || (character === "'" && !isJsonText)) {
      const end = endOfText(text, at, character);
      const inner = unescaped(part(view, at + 1, end));
      if (/^\s{0,8}:/.test(text.slice(end + 1, end + 10))) name = inner.text;
      else leaves.push({ name: name ?? names.at(-1) ?? "", path: [...names], view: inner });
      at = end;
    }
  }
  return leaves;
}

function endOfText(text: string, from: number, quote: string): number {
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", "0": "\0" };

/** Returns a quoted text without its escapes. */
function unescaped(view: PrintedView): PrintedView {
  const { text } = view;
  if (!text.includes("\\")) return view;
  const map = new Uint32Array(text.length);
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const [escape = text.charAt(at), code] =
      /^\\(?:u([0-9a-fA-F]{4})|x[0-9a-fA-F]{2}|[^])/.exec(text.slice(at, at + 6)) ?? [];
    map[plain.length] = positionIn(view, at);
    if (escape.length === 1) plain += escape;
    else if (code !== undefined) plain += String.fromCharCode(Number.parseInt(code, 16));
    else if (escape.length === 4) plain += String.fromCharCode(Number.parseInt(escape.slice(2), 16));
    else plain += letters[escape.charAt(1)] ?? escape.charAt(1);
    at += escape.length;
  }
  return { text: plain, map: map.subarray(0, plain.length), from: 0 };
}
