// Judges one text that a command printed which was asked for a secret: whether it is that secret, or a name, version, time or message beside it.
import { entropy, isLikelyPassword, isLikelySecret } from "./secret-heuristics.js";
import { changes, isDisordered, isWholePlaceholder, isWordLike } from "./printed-words.js";
import { isTellingName, type Prints } from "./printing-judges.js";

export interface Place {
  prints: Prints;
  /** Nothing else was printed. */
  isSole: boolean;
  /** No other command prints into the same output. */
  isAlone: boolean;
}

/** Members whose values are names, places and times. */
const plainName =
  /(?:^|[-_. ]|(?<=[a-z]))(?:id|ids|uid|arn|title|name|names|namespace|version|versions|revision|type|kind|uri|url|href|link|path|file|host|hostname|server|port|user|username|login|email|e-mail|region|zone|location|tenant|subscription|project|account|owner|status|state|time|date|created|updated|modified|expires|expiry|on|at|until|after|before|code|count|size|length|scope|scopes|issuer|algorithm|alg|digest|checksum|sha256|etag|fingerprint|serial|stage|stages|tags|labels|description|comment|note|image|commit|branch|ref|resourceversion|apiversion|contenttype|tokentype|lease[-_ ]?id|accessor|policies|engine|database|dbname|database_name|schema|class|level|format|encoding|language|locale|os|arch|platform|runtime|service|vault|category|managedby|managed-by|chart|instance|component|part-of|hash|context|cluster|message|error|summary|msg|region|stack|release|tag)$/i;

export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

/** Whether the value of a field is a secret. A value that looks like a name needs a field name that says otherwise. */
export function isFieldSecret(name: string, value: string, isAlone: boolean): boolean {
  const isTold = isTellingName(name);
  if (!isTold && (plainName.test(name) || /^[\w.-]+\.[\w.-]+\/[\w.-]+$/.test(name) || isNameLike(value)))
    return false;
  // `key` is the name of a secret as often as the name of a name.
  if (!isTold && /^key$/i.test(name) && !isRandom(value)) return false;
  return isSecret(value, { prints: "fields", isSole: false, isAlone });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Times, names of packages, files and resources, addresses: what stands beside secrets and is none. */
const ordinary = [
  /^\d{4}-\d\d-\d\d(?:T|$)/,
  /^arn:|^sha\d{1,3}:|^ssh-|^[\w.+-]+@[\w-]+\.[\w.-]+$/,
  /^[\w.-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|md|txt|json|ya?ml|toml|lock|sh|sql|html?|css|log|gz|zip|tgz|whl|crt|csv|com|net|org|io|dev|internal|local)(?::\d+)?\/?$/i,
  /^[\w@.-]+(?:\/[\w.-]+)+\/?$/,
  /^(?:total|drwx|[-d][r-][w-][x-])/,
  /^[-=+*_#~.]+$/,
  /^[~^<>=v]{0,3}\d+(?:\.\d+){1,4}(?:[-+][\w.]+)?$/,
  // Resources of a cloud.
  /^[a-z]{1,12}-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
  // Names that stand for a secret in examples: `tokenA1`.
  /^(?:token|secret|password|key)[-_]?[A-Za-z]?\d{0,3}$/i,
];

export function isSecret(text: string, { prints, isSole, isAlone }: Place): boolean {
  if (isWholePlaceholder(text)) return false;
  if (isSole) return isSoleSecret(text, prints);
  if (ordinary.some((form) => form.test(text)) || uuid.test(text)) return false;
  // A commit, where something else was printed as well.
  if (!isAlone && /^[0-9a-f]{7,64}$/.test(text)) return false;
  if (isNameLike(text) && (prints !== "value" || /[-_.:/]/.test(text))) return false;
  // A few random digits are a number or the name of a build.
  if (prints === "maybe" && /^[0-9a-f]{1,11}$/i.test(text)) return false;
  return isLikelySecret(text.slice(0, judged)) || isLikelyPassword(text, "password") || isDisordered(text);
}

/** Whether a text that is all that was printed is a secret: anything but a word, a number, a path, an address, a call. */
function isSoleSecret(text: string, prints: Prints): boolean {
  if (ordinary.some((form) => form.test(text)) && !(/^[\w+=-]+(?:\/[\w+=-]+)+$/.test(text) && isMixed(text)))
    return false;
  if (/^[A-Za-z]+[.!?:]?$/.test(text)) {
    // One word of English is hardly longer; several words in a row are a passphrase.
    const isLong = prints === "value" && /^(?:[a-z]+|[A-Z]+)$/.test(text) && text.length > 16;
    return isLong || !isWordLike(text.replace(/[.!?:]$/, ""));
  }
  // Times in milliseconds have 13 digits.
  if (/^[\d.,:+\-/]+$/.test(text)) return prints === "value" && /^(?!1\d{12}$)\d{12,}$/.test(text);
  if (/^[A-Z_]+$/.test(text) || knownWord.test(text)) return false;
  if (/^[A-Za-z_][\w.]*\([^()]*\);?$|^[a-z][a-z+.-]*:\/\/\w/.test(text)) return false;
  return !isPath(text);
}

/** Names that stand for a secret in examples and tests. */
const knownWord =
  /^(?:pass(?:word|wd)?|secret|token|user|admin|root|postgres|test|hunter|input|field|arg|param|sha|utf|base|md|v)[-_]?\d{0,4}$/i;

/** A path whose parts are all names: `/etc/app`, `~/.config/x1`, not `/aB3xY9kL2mN5qR8`. */
function isPath(text: string): boolean {
  if (!/^(?:[~.]{0,2}\/|[A-Za-z]:\\)[\w.@+\-/\\ ]*$/.test(text)) return false;
  return text.split(/[/\\]/).every((part) => !isDisordered(part) && !isRandom(part));
}

const judged = 160;

/** Letters of both cases and digits, as base64 has them and paths hardly do. */
function isMixed(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

/** Words, numbers and short codes, one by one or with dashes between them: `prod-eks-eu1`, `v123-abc4`, `build-2024x`, `GitHub-bot1`. */
export function isNameLike(text: string): boolean {
  const parts = text.split(/[-_.:/@]+/).filter((part) => part !== "");
  if (parts.length === 0 || text.length > 120) return false;
  const codes = parts.filter((part) => !isNamePart(part));
  if (codes.length === 0) return true;
  // A hash of a few digits behind a name: `db-cred-7d9f`.
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

/** Whether a text is so disordered that it is the same secret wherever else it stands in the run. */
export function isRandom(text: string): boolean {
  return (
    text.length >= 10 &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    entropy(text) >= 2.8 &&
    !isNameLike(text) &&
    !uuid.test(text) &&
    !ordinary.some((form) => form.test(text)) &&
    isLikelySecret(text.slice(0, judged))
  );
}

/**
 * Whether a word among others is a secret: what looks like a key, and no commit, checksum, address or code. `isTold`: nothing but secrets
 * and the text around them is printed.
 */
export function isRandomWord(text: string, isTold: boolean): boolean {
  if (text.length < 10 || uuid.test(text) || isWholePlaceholder(text)) return false;
  if (/^[0-9a-f-]+$|^0x/i.test(text)) return isTold && text.length >= 16 && isRandom(text);
  if (ordinary.some((form) => form.test(text)) || isNameLike(text)) return false;
  if (/^(?:[a-z][a-z0-9+.-]{0,20}:)?\/{2}|\w\(|^[~.]{0,2}\//i.test(text)) return false;
  if (isTold) return isRandom(text) || isDisordered(text);
  return text.length >= 16 && isMixed(text) && isRandom(text) && changes(text) >= 0.25;
}

/**
 * Whether a secret is masked in the rest of the run as well. `isTold`: it stood alone or beside a telling name; other fields must look like
 * a key.
 */
export function isSpreading(text: string, isTold: boolean): boolean {
  return isRandom(text) && (isTold || (text.length >= 16 && isMixed(text) && entropy(text) >= 3.5));
}
