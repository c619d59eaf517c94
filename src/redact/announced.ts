// Values that a sentence announces as a secret, and passphrases made of words: nothing in them looks random.
import { isCharset, isExpression } from "./code-forms.js";
import { isPlaceholder } from "./secret-heuristics.js";

/** Words of names in code and of texts about secrets, in which no passphrase consists of them. */
const about =
  /pass(?:w|p)|secret|token|auth|user|login|field|input|reset|forgot|confirm|invalid|error|required|length|service|manager|module|component|config|setting|default|encod|digest|plugin|value|string|(?<![a-z])(?:key|name|form|must|should|not|the|and|with|page|view|test|hash|id|env|var|file|path|prod|staging|dev|api|app|db|web|min|max|old|new|next|get|set|on|off|for|from|no|of|to|or|is|per)(?![a-z])/i;

/** What follows "the password is" and is about the password: its length, its form, when it expires. */
const property =
  /^\d+(?:[-\u2010\u2011]?[a-z%]{1,12}|[-\u2013]\d+)?(?:-[a-z]+)*$|[-_](?:encoded|based|only|free|safe|like|hashed|encrypted|protected|bits?|bytes?|chars?|characters?|long|digits?|side|specific|level|generated|defined|aware|compatible|sensitive)$|^[A-Z][A-Z0-9]{0,9}-\d{1,7}$|^v?\d+(?:\.\d+)+|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d\d/i;

/** An address, a path, a call, a name with members. */
const located =
  /:\/\/|^\$|^&#?\w+;?$|^(?:pass|env|file|fd|var|arn|urn|op|ssm|sha\d{1,3}):|^(?:[~.]{0,2}\/|[A-Za-z]:[\\/])|^[\w.+-]+@[\w-]+\.[\w.-]+$|^[A-Za-z_][\w.-]*\([^()]*\)?$|^[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+[!?]?$|^(?:argon2|pbkdf2|[by]?crypt|scrypt|sha|md5|hmac|hs|rs|es)[\w-]{0,12}$|^[\w.-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|md|txt|json|ya?ml|toml|env|sh|sql|html?|css|log|com|net|org|io|dev|internal|local|example)(?::\d+)?$|^[A-Za-z_.-]+(?:\/[A-Za-z_.-]+)+$/i;

/**
 * Returns whether a value that a sentence announces as a password is one: anything but a placeholder, a word of a
 * sentence, a name in code, a place, or a property of passwords. `isSure`: a verb or a mark announces it.
 */
export function isAnnounced(text: string, isSure: boolean): boolean {
  if (text.length < 5 || text.length > 100 || /\s/.test(text)) return false;
  if (isPlaceholder(text) || isExpression(text) || isCharset(text)) return false;
  if (property.test(text)) return isSure && /^\d{6,16}$/.test(text);
  if (located.test(text) || /[<>{}[\]=|]|^[-#]|[-_]$/.test(text) || /^[A-Z][A-Z0-9_]*$/.test(text))
    return false;
  // A name in code, with the number of its version.
  if (about.test(text) && /^[\p{L}_-]+\d{0,3}$/u.test(text)) return false;
  if (!/\p{L}/u.test(text)) return false;
  const hasDigits = /\d/.test(text);
  const hasMarks = /\S[!#$%^&*+~@?](?:\S|$)/.test(text) && !/^[\p{L}\d]+[!?]+$/u.test(text);
  if (!hasDigits && !hasMarks) return isSure && isJoinedWords(text);
  if (isSure) return hasDigits || /\p{Lu}/u.test(text);
  // Without a verb: letters and digits mixed, or with marks that no name has; not `server1`.
  if (!hasDigits) return /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text) && text.length >= 8;
  return (
    (hasMarks && text.length >= 6) ||
    /^[\p{L}\d]+[!]+$/u.test(text) ||
    (/\p{Lu}/u.test(text) &&
      /\p{Ll}/u.test(text) &&
      text.length >= 8 &&
      !/^\p{Lu}\p{Ll}+\d{1,4}$/u.test(text)) ||
    /\p{L}\d+(?:\p{L}|[_.-]\d)|^\p{Ll}{6,}\d{2,4}$/u.test(text)
  );
}

/** Returns whether a text is three words or more, joined by one mark, none of which is about secrets. */
export function isJoinedWords(text: string): boolean {
  return (
    text.length >= 16 &&
    /^[A-Za-z]{4,12}(?:([-_.])[A-Za-z]{4,12})(?:\1[A-Za-z]{4,12}){1,8}$/.test(text) &&
    !about.test(text)
  );
}

/** Words of sentences, labels and messages: a passphrase has none, a seed of twelve words or more hardly any. */
const ofSentences =
  /(?<![a-z])(?:the|an?|and|or|of|to|in|is|are|for|with|your|you|this|that|must|not|no|at|on|be|by|from|as|its?|was|will|can|has|have|should|only|new|old|please|enter|here|when|than|then|into|which|users?|names?|fields?|values?|valid|invalid|minimum|maximum|least|most|more|less|level|step|version|page|error|missing|empty|numbers?|letters|characters?|digits?|strings?|words?|account|login|sign|email|code|file|test|keys?|links?|type|used|using|reset|change|forgot|forgotten|confirm|repeat|show|hide|create|update|delete|again|may|based|der|die|das|und|eine?|ist|nicht|mit|bitte|neues|les?|une?|des?|du|et|est|pas|avec|votre|los?|las?|una|del|por|para|con|sin|su|che|non|per|sua|tua|nov[ao]|seu|com|het|een|van|niet|uw|och|ett|inte|med|ikke|jest|nie|twoje|encrypted|stored|hashed|protected|plain|authentication|encryption|hashing|storage|policy|manager|generator|protection|validation|pass[a-z]*|secrets?|tokens?|[a-z]*wort|required|incorrect|oubli|contrase|[a-z]*wachtwoord)(?![a-z])/gi;

/**
 * Returns whether a text is a passphrase of words with spaces: four or more of them, or two and a number, and none
 * that sentences need.
 */
export function isWordPhrase(text: string): boolean {
  if (text.length > 400) return false;
  const words = text.replaceAll(/(?:\\n|[\s,]|(?<![a-z])\d{1,2}[.):]?\s)+/gi, " ").trim();
  const count = words.split(" ").length;
  if ((words.match(ofSentences)?.length ?? 0) > (count < seedLength ? 0 : 2)) return false;
  return (
    /^[A-Z]?[a-z]{2,9}(?: [a-z]{3,9}){3,23}$/.test(words) ||
    /^[A-Z]?[a-z]{3,9}(?: [a-z]{3,9}){1,5} \d{2,6}$/.test(words)
  );
}

/** The fewest words of a wallet's seed. */
const seedLength = 12;
