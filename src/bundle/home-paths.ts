// Finds home folders in texts, in every form that logs contain: paths of Linux, macOS, Windows, WSL, Cygwin
// and Git Bash; verbatim, escaped by JSON (once or twice), encoded as in URLs, and as Claude Code names its
// project folders.

export interface HomePath {
  path: string;
  user: string;
}

/** `/`, `\`, either of them escaped by JSON, or either of them encoded as in a URL. */
const separator = String.raw`(?:\\{0,8}/|\\{1,8}|%(?:25)*(?:2[Ff]|5[Cc]))`;
/** The start of a path: no character before it makes it the rest of a longer one. */
const edge = String.raw`(?:(?<![\w.~%-])|(?<=%[\dA-Fa-f]{2}))`;
const colon = String.raw`(?::|%(?:25)*3[Aa])`;
const drive = `(?:[A-Za-z]${colon}|${separator}(?:(?:mnt|cygdrive)${separator})?[A-Za-z])`;
const volume = `${separator}(?:System${separator})?Volumes${separator}[^/\\\\\\n]{1,40}(?:${separator}Data)?`;
const wsl = String.raw`wsl(?:\$|\.localhost)${separator}[\w.-]{1,40}`;

/** A part of a user name: no separator, space, quote, or character of a shell or of a placeholder. */
const part = `(?:(?!${separator})[^ \\t\\r\\n\\f\\v"'\`<>|:;,()[\\]{}$*?&#=]){1,64}`;
const blank = String.raw`\\{0,4} `;

interface HomeForm {
  /** The name of the folder that contains home folders. */
  word: RegExp;
  /** The text right before the word. */
  before: RegExp;
  /** The text right after the word; the group captures the user name. */
  after: RegExp;
}

const oneWord = new RegExp(`^${separator}(${part})`);
/** Spaces are part of a name if each word begins as names do, or if the spaces are escaped. */
const words = new RegExp(
  `^${separator}(${part}(?:(?:${blank}(?=[\\p{Lu}\\d])|\\\\{1,4} )${part}){0,3}(?=${separator}|["'\`\\r\\n]|$)|${part})`,
  "u",
);
/** In quotes, and at the beginning of a text, any space is part of a name. */
const quotedWords = new RegExp(
  `^${separator}(${part}(?:${blank}${part}){0,3}(?=${separator}|["'\`\\r\\n]|$)|${part})`,
);

const forms: readonly HomeForm[] = [
  // /home/alice, also below folders in which servers keep home folders.
  {
    word: /^home$/,
    before: new RegExp(`${edge}(?:${separator}(?:var|export|nfs|usr|mnt|data))?${separator}$`),
    after: oneWord,
  },
  // \\wsl$\Ubuntu\home\alice
  { word: /^home$/, before: new RegExp(`${wsl}${separator}$`), after: oneWord },
  // "C:\Users\alice smith", "/Users/alice smith"
  { word: /^users$/i, before: new RegExp(`(?:^|["'\`])${drive}${separator}$`), after: quotedWords },
  { word: /^Users$/, before: new RegExp(`(?:^|["'\`])${separator}$`), after: quotedWords },
  // C:\Users\Alice Smith, c:/users/alice, /mnt/c/Users/alice, /c/Users/alice, /cygdrive/c/Users/alice
  { word: /^users$/i, before: new RegExp(`${edge}${drive}${separator}$`), after: words },
  // \\server\Users\alice
  { word: /^users$/i, before: /\\\\[\w.-]{1,40}\\{1,8}$/, after: words },
  // /Users/alice, but not "/users/" in a URL.
  {
    word: /^Users$/,
    before: new RegExp(`${edge}(?:${separator}(?:export|nfs|data)|${volume})?${separator}$`),
    after: words,
  },
  // -home-alice-app, -Users-alice-app, C--Users-alice-app, -mnt-c-Users-alice-app: the name may continue
  // after the next dash.
  {
    word: /^(?:home|users)$/i,
    before: new RegExp(`${edge}(?:[A-Za-z]-|-mnt-[A-Za-z])?-$`),
    after: /^-([A-Za-z0-9_]{1,64})/,
  },
  // /root
  { word: /^root$/, before: new RegExp(`${edge}${separator}$`), after: /^()(?![\w.-])/ },
];

const keyword = /home|users|root/gi;
/** How many characters before and after the word are examined. */
const reach = { before: 96, after: 320 };

/** How far a home folder extends around its word: text that is searched in pieces must overlap by this. */
export const homeReach = reach.before + reach.after;

export interface HomeRange {
  /** Only home folders whose word (`home`, `Users`…) begins at `from` or later, and before `to`. */
  from?: number;
  to?: number;
  /** The text is UTF-8 that was read byte by byte. */
  isBytes?: boolean;
}

export function homePaths(text: string, range: HomeRange = {}): HomePath[] {
  const { from = 0, to = text.length, isBytes = false } = range;
  const found: HomePath[] = [];
  keyword.lastIndex = from;
  for (let hit = keyword.exec(text); hit !== null && hit.index < to; hit = keyword.exec(text)) {
    const [word] = hit;
    const end = hit.index + word.length;
    const around = (start: number, stop: number): string => {
      const piece = text.slice(Math.max(0, start), stop);
      return isBytes ? Buffer.from(piece, "latin1").toString("utf8") : piece;
    };
    if (!/[-/\\FfCc]/.test(text[hit.index - 1] ?? "")) continue;
    const home = homeAt(around(hit.index - reach.before, hit.index), word, around(end, end + reach.after));
    if (home !== undefined) found.push(home);
  }
  return found;
}

function homeAt(before: string, word: string, behind: string): HomePath | undefined {
  for (const form of forms) {
    if (!form.word.test(word)) continue;
    const lead = form.before.exec(before);
    const rest = lead === null ? null : form.after.exec(behind);
    if (lead === null || rest === null) continue;
    if (word === "root") return { path: "/root", user: "root" };
    const [whole, name = ""] = rest;
    const user = userIn(name);
    if (user === undefined) return undefined;
    const above = lead[0].replace(/^["'`]/, "") + word + whole.slice(0, whole.length - name.length);
    return { path: `${plain(above)}${user}`, user };
  }
  return undefined;
}

/** Removes the escapes of JSON and URLs from a path. */
function plain(path: string): string {
  return path
    .replace(/%(?:25)*([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/\\+\//g, "/")
    .replace(/\\+/g, "\\");
}

/**
 * Returns the name without escapes and without the punctuation that ends a sentence; undefined if it is no
 * name.
 */
function userIn(text: string): string | undefined {
  let name = text.replace(/\\+ /g, " ").replace(/[.!]+$/, "");
  try {
    if (name.includes("%")) name = decodeURIComponent(name.replace(/%(?:25)+/g, "%"));
  } catch {
    // Not URL-encoded: the name stays as it is.
  }
  return name === "" || /^[.%]+$|^%/.test(name) ? undefined : name;
}
