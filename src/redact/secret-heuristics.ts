// Decides whether a text in the position of a secret looks like one, or like the word, reference or
// placeholder that people write there instead.
import { isCharset, isCode, isExpression, isName } from "./code-forms.js";
import { hasRandomLetters } from "./letter-pairs.js";

/** Placeholders of documentation, tests and templates, as the whole text or within it. */
const placeholder =
  /example|sample|dummy|placeholder|changeme|change[-_]me|^your|your[-_ ]|insert|replace|redacted|\*{3,}|\.{3}|\u2026|^env[.(]|process\.env|os\.environ|getenv|secrets?\.|var\.|config\.|self\.|this\.|(?<![a-z0-9])(?:todo|fixme|null|undefined|none|true|false|fake)(?![a-z0-9])|foobar/i;
/** The same, for texts that are short enough not to contain them by chance. */
const shortPlaceholder =
  /my[-_]?(?:secret|token|password|key|api)|test[-_]?(?:token|key|secret|password)|abc123|(?:abcdef|123456|qwerty).{0,6}$/i;

/** What stands for a secret in tests: words that end with its name, perhaps numbered: `refresh-token-1234`. */
const ownNames = [
  /^(?:[a-z]{2,12}[-_.]){0,4}(?:token|secret|key|password|passwd|pass|credential)s?(?:[-_.](?:value|string|here))?(?:[-_.]?\d{1,4}[a-z]{0,6})?$/i,
  /^(?:access|refresh|id|auth|client|api|bearer|user|new|old|valid|invalid|some|first|second|wrong|other|db)[-_]?(?:token|secret|key|password)s?[-_]?\d{0,4}$/i,
];

/** A variable of a template: `<your-token>`, `${NAME}`, `{{ name }}`, `%NAME%`, `%(name)s`. */
const template =
  /^<[^<>]{0,80}>$|<(?:[A-Z]?[a-z]{2,}|[A-Z]{3,})(?:[-_ .:](?:[A-Za-z]{2,}|\d))*>|^\$\{|^\{\{|\$\{[A-Za-z_][^{}]{0,80}\}|\$\{[A-Za-z_][\w.]*$|\{\{[^{}]{1,80}\}\}|^%\w+%$|(?<!\w)%[A-Z][A-Z0-9_]{2,}%|^%[({<]\w+[)}>]/;

/** Returns whether a text is certainly not a secret, whatever is around it. */
export function isPlaceholder(text: string): boolean {
  return (
    text.includes("[REDACTED:") ||
    ownNames.some((name) => name.test(text)) ||
    placeholder.test(text) ||
    (text.length < longForm && shortPlaceholder.test(text)) ||
    template.test(text) ||
    isReference(text) ||
    isRepeated(text) ||
    isFilled(text)
  );
}

/**
 * Returns whether a text of a provider's own form is a placeholder. In a long token any few letters may occur by
 * chance.
 */
export function isMadeUp(text: string): boolean {
  if (text.length < longForm) return isPlaceholder(text);
  return (
    text.includes("[REDACTED:") ||
    /example|placeholder|changeme|your[-_]|redacted|\*{3,}|\.{3}|\u2026|foobar|here$/i.test(text) ||
    template.test(text) ||
    isRepeated(text) ||
    isFilled(text)
  );
}

const longForm = 26;

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
const reference = /^[$@:%&]{1,2}[\w$./>()[\]'",:;{}~-]*@?$/;
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
  return text.length >= 8 && steps > text.length * (text.length < 32 ? 0.7 : 0.85);
}

/** A path behind the kind or the name of what it leads to: `hash:/etc/postfix/maps`, `ssm:/prod/token`. */
const referred = /^[a-z][a-z-]{1,40}:\/(?:[\w.@-]{1,40}\/)+[a-z][\w.@-]{0,60}$/i;

/**
 * Returns whether a value after a secret-like name is a secret: no word, no path, no code, and enough
 * disorder.
 */
export function isLikelySecret(text: string, { strict = false } = {}): boolean {
  if (text.length < (strict ? 6 : 8) || isPlaceholder(text) || isCode(text) || isExpression(text))
    return false;
  if (isCharset(text)) return false;
  // A version, as package files have it after names of all kinds.
  if (/^[~^<>=v]{0,2}\d{1,5}\.\d{1,5}(?:\.|$)/.test(text)) return false;
  if (
    /^(?:[~.]{0,2}\/(?![^\s]*[+=])|[a-z][a-z0-9+.-]{1,20}:\/\/|[A-Za-z]:\\)/i.test(text) ||
    referred.test(text) ||
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
  // Words with marks or capitals in them.
  if (/^\p{L}+(?:[-_.:/ #,>]\p{L}+)*$/u.test(text))
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

/** Returns whether a text between a user and a host is a password: anything but the words that documentation has there. */
export function isWeakPassword(text: string): boolean {
  return (
    !isFilledIn(text) &&
    !isExpression(text) &&
    !isRepeated(text) &&
    !/^[A-Z_]+$/.test(text) &&
    !/^(?:my|your|the|some|db|user|test|example)?[-_]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|user(?:name)?|key|credentials?)\d{0,3}$|^(?:test|guest|admin|root|postgres|mysql|redis|rabbitmq|mongo|example|changeme|changeit|sample|file|stdin|prompt|value|here|change-me|foo|bar|baz|qux|xxx+|tiger|hunter2|abc\d*|1?23\d*|secret\d*|pass\d*|x|y|p|pw|host|port|name|string|default|none|null|alice|bob|joe|me|anonymous|anoncvs)$|example|placeholder|\*{2,}|\.{3}|\u2026|redacted/i.test(
      text,
    )
  );
}

/** Returns whether a text looks like a password that people choose: a word or two with digits or marks. */
export function isLikelyPassword(text: string, kind: "password" | "spoken"): boolean {
  if (text.length < 6 || text.length > 64 || /\s/.test(text) || isPlaceholder(text) || !isNoWord(text))
    return false;
  if (isExpression(text) || isCharset(text) || /[-_]$/.test(text)) return false;
  if (/^(?:[~.]{0,2}\/|[a-z][a-z0-9+.-]{1,20}:\/\/)/i.test(text) || /^[\d.,:+\-/ ]+$/.test(text))
    return false;
  if (referred.test(text)) return false;
  if (/[(){}<>[\]]|^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$|^0x/.test(text)) return false;
  // Sentences of languages that put no space between words.
  if (!/\p{L}/u.test(text) || /[\u3000-\u9fff\uac00-\ud7af]/.test(text)) return false;
  if (!/\d/.test(text)) return hasMarkInside(text) || (kind === "password" && isPassphrase(text));
  return kind === "password" || /\p{Lu}/u.test(text) || /[!?#$%^&*+~@]/.test(text);
}

/** Returns whether a text is four words or more, joined by dashes, as generators of passphrases have them. */
function isPassphrase(text: string): boolean {
  return (
    text.length >= 18 &&
    /^[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12}){3,9}$|^[a-z]{6,12}(?:-[a-z]{6,12}){2}$/.test(text) &&
    !/pass|secret|token|auth|user|login|field|input|reset|forgot|confirm|invalid|error|required|length|service|manager|module|component|config|setting|default|encod|digest|plugin|(?<![a-z])(?:key|name|form|must|should|not|the|and|with|page|view|test|hash)(?![a-z])/i.test(
      text,
    )
  );
}

/** Returns whether a text mixes both cases with a mark that no word and no name contains: `Blauw!Fiets`. */
function hasMarkInside(text: string): boolean {
  return (
    text.length >= 8 &&
    /\p{Ll}/u.test(text) &&
    /\p{Lu}/u.test(text) &&
    /[^\s][!?#$%^&*+~@][\p{L}!?#$%^&*+~@]/u.test(text)
  );
}

/**
 * Returns whether a text is random characters, beside a name that may mean anything: `key`, or the name of a service.
 * Names with numbers, commits and ids of things that are no secret must not pass.
 */
export function isRandomKey(text: string): boolean {
  if (text.length < minKeyLength || !isLikelySecret(text) || uuid.test(text)) return false;
  const digits = text.match(/\d/g)?.length ?? 0;
  if (digits < 2)
    return text.length >= 20 && /^[A-Za-z\d]+$/.test(text) && isMixed(text) && hasRandomLetters(text);
  // Stripe's publishable keys are in every page.
  if (/^[\w.+-]+@[\w-]+\.\w/.test(text) || /^pk_(?:live|test)_|^(?:arn|urn|data|sha\d{1,3}|md5):/i.test(text))
    return false;
  const bits = entropy(text);
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)) return text.length >= 32 && text.length % 2 === 0 && bits >= 3;
  if (!/[A-Za-z]/.test(text) || bits < 3.2) return false;
  // Random characters change their kind often; words and numbers joined by marks do not.
  const parts = text.split(/[-_.:/@#,;=+|]+/).filter((part) => part !== "");
  // A cache's key, or a name with a hash: `deps-linux-9f2c7b41e8d05a66`.
  const words = parts.filter((part) => /^[A-Za-z]{3,}$/.test(part) && !hasRandomLetters(part));
  const hashes = parts.filter((part) => /^[0-9a-f]{7,64}$/.test(part));
  if (
    hashes.length > 0 &&
    (words.length > 1 ||
      (words.length === 1 &&
        words[0] !== "key" &&
        hashes.length + 1 === parts.length &&
        (words[0] as string).length > 3))
  )
    return false;
  if (/[a-z]/.test(text) && /[A-Z]/.test(text) && changesOf(text) * 2 >= text.length) return true;
  const random = parts.filter((part) => part.length >= 6 && isMixedUp(part));
  return random.join("").length * 2 >= text.length;
}

const minKeyLength = 16;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns how often one kind of character follows another. */
function changesOf(text: string): number {
  let changes = 0;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind =
      code >= 97 && code <= 122 ? 0 : code >= 65 && code <= 90 ? 1 : code >= 48 && code <= 57 ? 2 : 3;
    if (at > 0 && kind !== last) changes++;
    last = kind;
  }
  return changes;
}

/** Returns whether letters and digits alternate, or letters are no words. */
function isMixedUp(part: string): boolean {
  let turns = 0;
  for (let at = 1; at < part.length; at++)
    if (/\d/.test(part.charAt(at)) !== /\d/.test(part.charAt(at - 1))) turns++;
  return (
    turns >= 3 || (/\d/.test(part) && turns * 8 >= part.length && isMixed(part)) || hasRandomLetters(part)
  );
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
    !isExpression(text) &&
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
  "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0",
  "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRt",
  "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0",
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
