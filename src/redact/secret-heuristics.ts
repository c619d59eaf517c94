// Decides whether a text in the position of a secret looks like one, or like the word, reference or
// placeholder that people write there instead.
import { hasRandomLetters } from "./letter-pairs.js";

/** Placeholders of documentation, tests and templates, as the whole text or within it. */
const placeholder =
  /example|sample|dummy|placeholder|changeme|change[-_]me|^your|your[-_ ]|my[-_]?(?:secret|token|password|key|api)|insert|replace|redacted|\*{3,}|\.{3}|\u2026|^env[.(]|process\.env|os\.environ|getenv|secrets?\.|var\.|config\.|self\.|this\.|(?<![a-z0-9])(?:todo|fixme|null|undefined|none|true|false|fake)(?![a-z0-9])|test[-_]?(?:token|key|secret|password)|foobar|abc123|(?:abcdef|123456|qwerty).{0,6}$/i;

/** A variable of a template: `<your-token>`, `${NAME}`, `{{ name }}`, `%NAME%`, `%(name)s`. */
const template =
  /^<[^<>]{0,80}>$|<(?:[A-Z]?[a-z]{2,}|[A-Z]{3,})(?:[-_ .:](?:[A-Za-z]{2,}|\d))*>|^\$\{|^\{\{|\$\{[A-Za-z_][^{}]{0,80}\}|\$\{[A-Za-z_][\w.]*$|\{\{[^{}]{1,80}\}\}|^%\w+%$|(?<!\w)%[A-Z][A-Z0-9_]{2,}%|^%[({<]\w+[)}>]/;

/** Returns whether a text is certainly not a secret, whatever is around it. */
export function isPlaceholder(text: string): boolean {
  return (
    text.includes("[REDACTED:") ||
    placeholder.test(text) ||
    template.test(text) ||
    isReference(text) ||
    isRepeated(text) ||
    isFilled(text)
  );
}

/** Returns whether a text is replaced when it is used, or was redacted already. */
export function isFilledIn(text: string): boolean {
  return text.includes("[REDACTED:") || template.test(text) || /^\$[A-Z_][A-Z0-9_]*$|^\*+$/.test(text);
}

/** Returns whether a good part of a text is `xxxx`: four of them may occur in any long token. */
function isFilled(text: string): boolean {
  const [filling = ""] = /x{4,}/i.exec(text) ?? [];
  return filling.length >= 8 || (filling !== "" && filling.length * 3 >= text.length);
}

/** References to a variable, a file or a symbol, behind the mark that they begin with. */
const reference = /^[$@:%&]{1,2}[\w$./>()[\]'",:;{}~-]*$/;
/**
 * Password hashes as `crypt` writes them, commands whose output is the value, and qualified names of
 * functions.
 */
const notGiven =
  /^:{1,2}\w+::\w|^\$(?:\d\w?|y|apr1|argon2\w{1,2}|pbkdf2[\w-]{0,10}|scrypt)\$|^\$\((?:[a-z]{2}|<)/;

/** Returns whether a text as a whole names where a secret is: `$NAME`, `$user->token`, `@file`, `:symbol`. */
function isReference(text: string): boolean {
  if (!/^[$@:%&]/.test(text)) return false;
  if (notGiven.test(text)) return true;
  const words = text.match(/[A-Za-z0-9_]+/g) ?? [];
  const short = words.filter((word) => word.length <= 3 || /^\d+$/.test(word)).length;
  return (
    reference.test(text) &&
    short * 2 <= words.length + 1 &&
    words.every((word) => word.length <= 3 || /^\d+$/.test(word) || isName(word))
  );
}

/** Returns whether a text is one or two characters over and over, or a run of the alphabet. */
function isRepeated(text: string): boolean {
  const few = new Set(text.toLowerCase());
  if (few.size <= 3 && text.length > 4) return true;
  let steps = 0;
  for (let at = 1; at < text.length; at++) if (text.charCodeAt(at) - text.charCodeAt(at - 1) === 1) steps++;
  return text.length >= 8 && steps > text.length * 0.7;
}

/**
 * Returns whether a value after a secret-like name is a secret: no word, no path, no code, and enough
 * disorder.
 */
export function isLikelySecret(text: string, { strict = false } = {}): boolean {
  if (text.length < (strict ? 6 : 8) || isPlaceholder(text) || isCode(text)) return false;
  // A version, as package files have it after names of all kinds.
  if (/^[~^<>=v]{0,2}\d{1,5}\.\d{1,5}(?:\.|$)/.test(text)) return false;
  if (
    /^(?:[~.]{0,2}\/(?![^\s]*[+=])|[a-z][a-z0-9+.-]{1,20}:\/\/|[A-Za-z]:\\)/i.test(text) ||
    /^[\d.,:+\-/ ]+$/.test(text)
  )
    return false;
  // The beginning of a key, or what one is made of.
  if ((text.length < 16 && /[-_]$/.test(text)) || /\[[A-Za-z][\w -]*\]/.test(text)) return false;
  // Colours and lengths.
  if (/^#[0-9a-f]{3,8}$/i.test(text) || /^\d*\.?\d+(?:r?em|px|pt|v[hw]|ms|s|%)$/.test(text)) return false;
  if (!/[a-z0-9]/.test(text) || (!/\d/.test(text) && (text.match(/[^\x00-\x7f]/g)?.length ?? 0) > 3))
    return false;
  const classes = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((each) => each.test(text)).length;
  const bits = entropy(text);
  // Several words are a sentence, unless hardly any of them is a word.
  if (/\s/.test(text))
    return classes === 4 && bits >= 4.5 && text.length >= 32 && !/[a-z]{3,} [a-z]{2,}/i.test(text);
  if (classes === 1) return text.length >= (strict ? 12 : 24) && bits >= 3 && !/^[a-z]+$|^[A-Z]+$/.test(text);
  // Words with dashes, dots or capitals in them.
  if (/^\p{L}+(?:[-_.:/ ]\p{L}+)*$/u.test(text))
    return (
      (isMixed(text) || hasRandomLetters(text)) &&
      bits >= 3.5 &&
      text.length >= 16 &&
      /[a-z]/.test(text) &&
      /[A-Z]/.test(text)
    );
  if (/^[A-Za-z]+[-_.]?\d{1,4}$/.test(text)) return strict || text.length >= 16;
  return bits >= (text.length < 12 ? 2.5 : 2.8);
}

/** The components of a name: words, abbreviations and numbers. */
const humps = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
/** Punctuation around a name, and between names. */
const around = /^[!?&*(]{0,2}|[)\]}>:;.,!?|*/]{0,4}$/g;
const between = /\?\.|\.|::|->/;
/** A call, an index, a regular expression, a number, a type. */
const codes = [
  /^[A-Za-z_$](?:[\w.$]|::|->|:(?=[A-Z]))*[([][\w\s"'.,:*=/()[\]{}+<>-]*[;,]?$/,
  /\(\?[:=!<]|\\[dwsb]|\[\^?\w-\w/,
  /^0x[0-9a-f]{1,8}\b/i,
  // A type with parameters.
  /^[A-Z][A-Za-z]{2,40}<[\w<>[\],.|]{1,60}>[^\w]{0,4}$/,
];

/** Returns whether a text is certainly code that says where a secret comes from. */
function isCode(text: string): boolean {
  if (text.length >= 80) return false;
  const names = text.replaceAll(around, "").split(between);
  return names.every(isName) || codes.some((code) => code.test(text));
}

/** Returns whether a text is an identifier: words of some length, each with a few digits at most. */
function isName(text: string): boolean {
  const bare = text.replace(/\$\d$/, "").replaceAll(/[_$]/g, "");
  const words = bare.match(humps) ?? [];
  const letters = words.filter((word) => !/\d/.test(word));
  const isOdd = words.some((word, at) =>
    /\d/.test(word)
      ? at === 0 ||
        (word.length > 2 && !/^(?:128|256|512|1024|25519)$/.test(word)) ||
        /^[a-z]/.test(words[at + 1] ?? "")
      : word.length > 24 || (/^[a-z]$/.test(word) && at > 0) || (/^[A-Z]{2}/.test(word) && word.length > 12),
  );
  return (
    letters.length > 0 &&
    words.length - letters.length <= 2 &&
    !isOdd &&
    words.join("") === bare &&
    letters.join("").length >= letters.length * 2.5 &&
    !(/[a-z]/.test(bare) && /[A-Z]/.test(bare) && hasRandomLetters(bare))
  );
}

/** Returns whether a text looks like a password that people choose: a word or two with digits or marks. */
export function isLikelyPassword(text: string, kind: "password" | "spoken"): boolean {
  if (text.length < 6 || text.length > 64 || /\s/.test(text) || isPlaceholder(text) || !isNoWord(text))
    return false;
  if (/^(?:[~.]{0,2}\/|[a-z][a-z0-9+.-]{1,20}:\/\/)/i.test(text) || /^[\d.,:+\-/ ]+$/.test(text))
    return false;
  if (/[(){}<>[\]]|^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$|^0x/.test(text)) return false;
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  return kind === "password" || /[A-Z]/.test(text) || /[!?#$%^&*+~]/.test(text);
}

/** Returns whether a text has capitals where no word has them. */
function isMixed(text: string): boolean {
  return (text.match(/[a-z][A-Z]|[A-Z]{2}[a-z]/g)?.length ?? 0) >= text.length / 5;
}

/**
 * Returns whether a text is neither a word nor a name for a secret; for positions where only a secret can be.
 */
export function isNoWord(text: string): boolean {
  return (
    !isPlaceholder(text) &&
    !/^[A-Za-z]{1,12}$|^[A-Z_]+$|^[a-z_]+$/.test(text) &&
    !(/^[A-Za-z_]+$/.test(text) && isName(text)) &&
    !/^(?:pass(?:word|wd)?|secret|token|user|admin|root|postgres|test|hunter|input|field|arg|param|sha|utf|base|md|v)[-_]?\d{0,4}$/i.test(
      text,
    )
  );
}

/** Publicly known keys: samples of documentation, of an emulator, of a site that explains tokens. */
const wellKnown = [
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
  "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
  "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI",
  "eyJzb21lIjoicGF5bG9hZCJ9",
  // From RFC 5849, 6749, 6750, and OpenID Connect.
  "2YotnFZFEjr1zCsicMWpAA",
  "tGzv3JOkF0XG5Qx2TlKWIA",
  "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
  "mF_9.B5f-4.1JqM",
  "SlAV32hkKG",
  "SplxlOBeZQQYbYS6WxSbIA",
  "h480djs93hd8",
];

export function isWellKnown(text: string): boolean {
  return wellKnown.some((known) => text.includes(known)) || /AKIAI44QH8DHBEXAMPLE|EXAMPLEKEY/.test(text);
}

/** Returns the Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
