// Decides whether one text printed by a command that prints secrets is the secret, or a name, version, time
// or message beside it.
import { entropy, isLikelyPassword, isLikelySecret } from "./secret-heuristics.js";
import { changes, isDisordered, isWholePlaceholder, isWordLike } from "./printed-words.js";
import { isSecretLikeName, type Prints } from "./printing-judges.js";

export interface PrintedContext {
  prints: Prints;
  /** The text is all of the output. */
  isSole: boolean;
  /** No other command prints into the same output. */
  isAlone: boolean;
}

/** Names of members whose values are names, locations and times. */
const plainName =
  /(?:^|[-_. ]|(?<=[a-z]))(?:id|ids|uid|arn|title|name|names|namespace|version|versions|revision|type|kind|uri|url|href|link|path|file|host|hostname|server|port|user|username|login|email|e-mail|region|zone|location|tenant|subscription|project|account|owner|status|state|time|date|created|updated|modified|expires|expiry|on|at|until|after|before|code|count|size|length|scope|scopes|issuer|algorithm|alg|digest|checksum|sha256|etag|fingerprint|serial|stage|stages|tags|labels|description|comment|note|image|commit|branch|ref|resourceversion|apiversion|contenttype|tokentype|lease[-_ ]?id|accessor|policies|engine|database|dbname|database_name|schema|class|level|format|encoding|language|locale|os|arch|platform|runtime|service|vault|category|managedby|managed-by|chart|instance|component|part-of|hash|context|cluster|message|error|summary|msg|region|stack|release|tag)$/i;

export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

/**
 * Returns whether the value of a field is a secret. A value that looks like a name needs a field name that
 * suggests a secret.
 */
export function isFieldSecret(name: string, value: string, isAlone: boolean): boolean {
  const isNamed = isSecretLikeName(name);
  if (!isNamed && (plainName.test(name) || /^[\w.-]+\.[\w.-]+\/[\w.-]+$/.test(name) || isNameLike(value)))
    return false;
  // `key` may name a secret or an ordinaryForms key.
  if (!isNamed && /^key$/i.test(name) && !isRandom(value)) return false;
  return isSecret(value, { prints: "fields", isSole: false, isAlone });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Times, addresses, and names of packages, files and resources: text that stands beside secrets. */
const ordinaryForms = [
  /^\d{4}-\d\d-\d\d(?:T|$)/,
  /^arn:|^sha\d{1,3}:|^ssh-|^[\w.+-]+@[\w-]+\.[\w.-]+$/,
  /^[\w.-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|md|txt|json|ya?ml|toml|lock|sh|sql|html?|css|log|gz|zip|tgz|whl|crt|csv|com|net|org|io|dev|internal|local)(?::\d+)?\/?$/i,
  /^[\w@.-]+(?:\/[\w.-]+)+\/?$/,
  // A setting with an address.
  /^[@\w.:-]{1,80}=https?:\/\/[\w.-]+(?::\d+)?(?:\/[a-z-]*)*$/i,
  /^(?:total|drwx|[-d][r-][w-][x-])/,
  /^[-=+*_#~.]+$/,
  /^[~^<>=v]{0,3}\d+(?:\.\d+){1,4}(?:[-+][\w.]+)?$/,
  // Cloud resources.
  /^[a-z]{1,12}-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
  // Placeholder names in examples: `tokenA1`.
  /^(?:token|secret|password|key)[-_]?[A-Za-z]?\d{0,3}$/i,
];

export function isSecret(text: string, { prints, isSole, isAlone }: PrintedContext): boolean {
  if (isWholePlaceholder(text)) return false;
  if (isSole) return isSoleSecret(text, prints);
  if (ordinaryForms.some((form) => form.test(text)) || uuid.test(text)) return false;
  // A commit hash, if anything else was printed as well.
  if (!isAlone && /^[0-9a-f]{7,64}$/.test(text)) return false;
  if (isNameLike(text) && (prints !== "value" || /[-_.:/]/.test(text))) return false;
  // A few random digits are a number or a build name.
  if (prints === "maybe" && /^[0-9a-f]{1,11}$/i.test(text)) return false;
  return (
    isLikelySecret(text.slice(0, judgedLength)) || isLikelyPassword(text, "password") || isDisordered(text)
  );
}

/**
 * Returns whether a text that is all of the output is a secret: anything but a word, number, path, address or
 * call.
 */
function isSoleSecret(text: string, prints: Prints): boolean {
  if (
    ordinaryForms.some((form) => form.test(text)) &&
    !(/^[\w+=-]+(?:\/[\w+=-]+)+$/.test(text) && isMixed(text))
  )
    return false;
  if (/^[A-Za-z]+[.!?:]?$/.test(text)) {
    // Hardly any English word is longer; several words in a row are a passphrase.
    const isLong = prints === "value" && /^(?:[a-z]+|[A-Z]+)$/.test(text) && text.length > 16;
    return isLong || !isWordLike(text.replace(/[.!?:]$/, ""));
  }
  // Timestamps in milliseconds have 13 digits.
  if (/^[\d.,:+\-/]+$/.test(text)) return prints === "value" && /^(?!1\d{12}$)\d{12,}$/.test(text);
  if (/^[A-Z_]+$/.test(text) || knownWord.test(text)) return false;
  if (/^[A-Za-z_][\w.]*\([^()]*\);?$|^[a-z][a-z+.-]*:\/\/\w/.test(text)) return false;
  return !isPath(text);
}

/** Placeholder names in examples and tests. */
const knownWord =
  /^(?:pass(?:word|wd)?|secret|token|user|admin|root|postgres|test|hunter|input|field|arg|param|sha|utf|base|md|v)[-_]?\d{0,4}$/i;

/** Returns whether a text is a path of names: `/etc/app`, `~/.config/x1`, not `/aB3xY9kL2mN5qR8`. */
function isPath(text: string): boolean {
  if (!/^(?:[~.]{0,2}\/|[A-Za-z]:\\)[\w.@+\-/\\ ]*$/.test(text)) return false;
  return text.split(/[/\\]/).every((part) => !isDisordered(part) && !isRandom(part));
}

const judgedLength = 160;

/** Returns whether a text mixes letters of both cases and digits, as base64 does and paths hardly do. */
function isMixed(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

/**
 * Returns whether a text consists of words, numbers and short codes, alone or joined by punctuation:
 * `prod-eks-eu1`, `v123-abc4`, `build-2024x`, `GitHub-bot1`.
 */
export function isNameLike(text: string): boolean {
  const parts = text.split(/[-_.:/@]+/).filter((part) => part !== "");
  if (parts.length === 0 || text.length > 120) return false;
  const codes = parts.filter((part) => !isNamePart(part));
  if (codes.length === 0) return true;
  // A short hash behind a name: `db-cred-7d9f`.
  return parts.length > codes.length && codes.length === 1 && /^[0-9a-z]{1,10}$/.test(codes[0] as string);
}

function isNamePart(part: string): boolean {
  if (/^\d{1,8}[a-z]{0,2}$/.test(part)) return true;
  const [, letters = "", rest = ""] = /^(\p{L}+)(\d{0,4}\p{L}*)$/u.exec(part) ?? [];
  if (letters === "" || (/\d/.test(rest) && /\p{Lu}/u.test(rest))) return false;
  if (letters.length >= 12 && !isWordLike(letters)) return false;
  const humps = letters.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? [];
  return letters.length <= 24 && letters.length >= humps.length * 2.5 - (letters.length < 4 ? 2 : 0);
}

/** Returns whether a text is so random that it is the same secret wherever else it occurs in the run. */
export function isRandom(text: string): boolean {
  return (
    text.length >= 10 &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    entropy(text) >= 2.8 &&
    !isNameLike(text) &&
    !uuid.test(text) &&
    !ordinaryForms.some((form) => form.test(text)) &&
    isLikelySecret(text.slice(0, judgedLength))
  );
}

/**
 * Returns whether a word among others is a secret: it looks like a key, and not like a commit, checksum,
 * address or code. `isNamed`: nothing is printed but secrets and the text around them.
 */
export function isRandomWord(text: string, isNamed: boolean): boolean {
  if (text.length < 10 || uuid.test(text) || isWholePlaceholder(text)) return false;
  if (/^[0-9a-f-]+$|^0x/i.test(text)) return isNamed && text.length >= 16 && isRandom(text);
  if (ordinaryForms.some((form) => form.test(text)) || isNameLike(text)) return false;
  if (/^(?:[a-z][a-z0-9+.-]{0,20}:)?\/{2}|\w\(|^[~.]{0,2}\//i.test(text)) return false;
  if (isNamed) return isRandom(text) || isDisordered(text);
  return text.length >= 16 && isMixed(text) && isRandom(text) && changes(text) >= 0.25;
}

/**
 * Returns whether a secret is redacted in the rest of the run as well. `isNamed`: it stood alone or beside a
 * telling name; otherwise it must look like a key.
 */
export function isSpreading(text: string, isNamed: boolean): boolean {
  return isRandom(text) && (isNamed || (text.length >= 16 && isMixed(text) && entropy(text) >= 3.5));
}
