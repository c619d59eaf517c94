// Decides whether a text in the position of a secret is code: a name, a path through members, a call, a cast,
// an option, a template. No generator of secrets writes such texts.
import { hasRandomLetters } from "./letter-pairs.js";

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
export function isCode(text: string): boolean {
  if (text.length >= 80) return false;
  const names = text.replaceAll(around, "").split(between);
  return (
    names.every(isName) || isAccess(names) || isIdentifier(text) || codes.some((code) => code.test(text))
  );
}

/** Returns whether the names of a path through members are words, or the short names of variables: `p.password`. */
function isAccess(names: readonly string[]): boolean {
  return (
    names.length > 1 &&
    names.every((name) => /^[A-Za-z_]{1,4}(?:\d{1,2}|256|512|25519)?$/.test(name) || isName(name)) &&
    names.some((name) => name.length > 4 && isName(name))
  );
}

/** Returns whether a text is a name of three parts or more, as constants are called: `x86_cpu_index_7_ecx`. */
function isIdentifier(text: string): boolean {
  const parts = text.split("_").filter((part) => part !== "");
  return (
    parts.length > 2 &&
    parts.every((part) => /^(?:[a-z]{2,16}\d{0,5}|[A-Z]{2,16}\d{0,5}|[A-Za-z]?\d{1,3})$/.test(part)) &&
    parts.filter((part) => /^[A-Za-z]{2,}/.test(part)).length * 2 > parts.length &&
    (text === text.toLowerCase() || text === text.toUpperCase())
  );
}

/**
 * Whether a text is an expression, an option or a template, by marks that no generator of secrets puts there:
 * a call of a named function, a cast, `--option`, `{name}`, `Path::To`, `name/1`, `$name`.
 */
export function isExpression(text: string): boolean {
  if (text.length >= 160) return false;
  // Generated from letters, digits and many marks.
  if ((text.match(/[!#%^&*+=@~$?]/g)?.length ?? 0) > 3 && (text.match(/\d/g)?.length ?? 0) > 2) return false;
  const [called, name = ""] = call.exec(text) ?? [];
  if (called !== undefined && name.split(between).every((one) => one.length < 4 || isName(one))) return true;
  if (expressions.some((one) => one.test(text))) return true;
  if (!text.includes("{")) return false;
  const rest = text.replaceAll(inserted, "");
  return rest !== text && !/[^\W\d_]*\d[^\W_]*[A-Za-z]|[A-Za-z]\d/.test(rest) && rest.length < 24;
}

/** A function or a macro that is called, with what it is called on. */
const call =
  /^[&*!@]{0,2}([A-Za-z_$][\w$]{4,}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*)!?[([](?=$|[^A-Za-z0-9]|[A-Za-z_]|\d{1,3}[\])])/;
const expressions = [
  // A command line, and what a shell completes.
  /^\$\w+ |\s--?[a-z]{2,}|^--[a-z]+(?:-[a-z]+)*=/,
  /^[\w*+]+:_[a-z]+/,
  // A sentence of a language without spaces.
  /[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af]{4}/,
  /^function\b/,
  // A call on a path through members, up to its first argument.
  /^[A-Za-z_$]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_$]\w*){1,6}[!?]?\($/,
  // A filter of Maven.
  /^@[a-z]+(?:[.-][A-Za-z]+)*@$/,
  // Names of packages with a version, and of objects with a number.
  /^[a-z]+(?:[-.][a-z0-9]+)*[-@]v?\d+\.\d+(?:\.\d+)?$/,
  /^[a-z]{2,8}\d{0,2}(?:-[a-z]{2,12}){1,3}-\d{7,12}$/,
  /^x(?:86|64)-[a-z]+$/,
  /^&(?:[lr]dquo|quot|lt|gt|#\d+);/,
  // Concatenation behind a text that ends with the name: `"&key=" + match`.
  /^\/{2}/,
  /^\+ ?[a-z]{2,}(?:[A-Z][a-z]+)*(?:[.[(+)]|$)/,
  /^\(+[A-Za-z_]\w*(?:\.\w+)+\(/,
  // Selectors, patterns, and names of routes.
  /^\[[a-z]+(?:-[a-z]+)*[\]=]/,
  /^\^(?:[/([\\]|.*\$$)|\(\?[:=!<i]|\[\^?(?:a-z|A-Z|0-9)/,
  /^[a-z_/]+#[a-z_]+[?!]?$/,
  /^[a-z]+(?:[-_][a-z]+)*\.(?:md|html?|rst|txt|ya?ml|json|rb|py|go|rs|[cm]?[jt]sx?)(?:#[\w-]+)?$/,
  // Times and durations, counts with a label, hashes with the name of the function.
  /^\d{4}-\d\d-\d\d[T ]/,
  /^\d+(?:ms|s|m|h|d|w|y|kb|mb|gb)$/i,
  /^[a-z]{3,}:[\d./]+$/,
  /^(?:hmac-)?(?:sha|md|blake)\d{1,3}[a-z]?[:-][\w+/=-]{16,}/,
  // A template that ends in the middle, or is filled in by `printf`.
  /^[A-Za-z]+(?:[-_.:/][A-Za-z]+)*[-_.:/]\$$/,
  /^(?:[a-z_]+=)?%[sdvq](?:[-_/.:&=+ ]+[a-z]+|%[sdvq]|[-_/.:&=+ ])*$/,
  /^[a-z_]+=[\w%&=]*%[sdvq]/,
  // A public key.
  /^MIIB[IC]jANBgkqhkiG9w0BAQEFAAOC|^MFkwEwYHKoZIzj0C|^MCowBQYDK2VwAyEA/,
  // A cast or a variable in parentheses.
  /^\([A-Za-z_@$*][\w .*]{0,40}\)(?:[\w.(&*-]|$)/,
  // An option, and a setting without its value.
  /^--?[a-z]+(?:-[a-z]+)*=?$/,
  /^[A-Za-z][a-z_-]+=$/,
  // A function of Erlang and Elixir, a path to a type, a pointer's member.
  /^&?[A-Za-z_][\w.]*[?!]?\/\d$/,
  /^[&*]?[A-Za-z_]\w*(?:::[A-Za-z_<]\w*)+(?:[<({].{0,80})?[>)}]?$/,
  /^[A-Za-z_]\w*->[A-Za-z_]/,
  // A language with its character set.
  /^[a-z]{2,3}_[A-Z]{2}(?:[.@][\w-]{1,12})?$/,
  // What `printf` fills in.
  /^(?:[^%\w]{0,4}%[-+.\d]{0,4}[sdvxqr@]){1,6}[^%\w]{0,4}$/,
  // The beginning of a template.
  /^\{{1,2}-?\s{0,2}[A-Za-z_.$][\w.]{2,}(?:\(|[|}:]|$)/,
  /^#\{|^<%|^\$\{/,
];
/** A variable within a template: `{password}`, `{user.name}`, `{0}`, `#{token}`. */
const inserted = /[#$]?\{{1,2}\s?(?:[A-Za-z_][\w.]{0,60}(?:[:!][^{}]{0,20})?|\d{0,2})\s?\}{1,2}/g;

/** Returns whether a text is an identifier: words of some length, each with a few digits at most. */
export function isName(text: string): boolean {
  const parts = text
    .replace(/\$\d$/, "")
    .split(/[_$]/)
    .map((part) => part.match(humps) ?? []);
  const bare = text.replace(/\$\d$/, "").replaceAll(/[_$]/g, "");
  const words = parts.flat();
  const letters = words.filter((word) => !/\d/.test(word));
  const total = letters.join("").length;
  const isOdd = parts.some((some, index) =>
    some.some((word, at) =>
      /\d/.test(word)
        ? (at === 0 && index === 0) ||
          (word.length > 2 && !isSize(word) && !(total >= 14 && word.length < 5 && some.at(-1) === word)) ||
          /^[a-z]/.test(some[at + 1] ?? "")
        : word.length > 24 ||
          (/^[a-z]$/.test(word) && at > 0) ||
          (/^[A-Z]{2}/.test(word) && word.length > 12),
    ),
  );
  // Base32, as seeds of one-time codes are written.
  if (/^(?:[A-Z]{0,40}[2-7]){2}[A-Z2-7]*$/.test(text) && text.length >= 16) return false;
  return (
    letters.length > 0 &&
    words.length - letters.length <= 2 &&
    !isOdd &&
    words.join("") === bare &&
    total >= letters.length * 2.5 &&
    !(/[a-z]/.test(bare) && /[A-Z]/.test(bare) && hasRandomLetters(bare))
  );
}

/** Numbers in names of ciphers, hashes and standards. */
function isSize(digits: string): boolean {
  return /^(?:128|192|224|256|384|509|512|1024|2048|4096|8859|25519)$/.test(digits);
}

/** Returns whether a text names a character set, a hash, a cipher or a version of a program. */
export function isCharset(text: string): boolean {
  return /^base\d\d(?:url)?(?:[-_]\w+)?$|^(?:rs|hs|es|ps|chacha|xchacha|pkcs|scram|bcrypt|argon|kyber|rfc|p|tls|ssl|pbkdf|utf|latin|cp|iso|ascii|windows|sha|md|aes|rsa|des|hmac|ecdsa|ed|urllib|base|http|https|oauth|ipv|python|node|php|win|x)[-_]?\d{1,5}(?:v\d{1,2}|[lb]e|with[a-z]+\d*)?(?:[-_](?:gcm|cbc|ctr|poly|hkdf|oaep|siv|sha|aes|ecb|[a-z]{0,4})\d{0,5}){0,3}$/i.test(
    text,
  );
}
