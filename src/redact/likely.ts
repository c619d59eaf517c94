// Whether a text that stands where a secret would stand looks like one, or like the word, reference or placeholder that people write
// there instead.

/** What documentation, tests and templates have in place of a secret. */
const placeholder =
  /example|sample|dummy|placeholder|changeme|change[-_]me|^your|your[-_ ]|my[-_]?(?:secret|token|password|key|api)|insert|replace|redacted|x{4,}|\*{3,}|\.{3}|\u2026|<[^>]*>|\$\{|\{\{|%[A-Z_]+%|^\$|^%\w|^env[.(]|process\.env|os\.environ|getenv|secrets?\.|var\.|config\.|self\.|this\.|^@|^:|todo|fixme|null|undefined|none|true|false|test[-_]?(?:token|key|secret|password)|fake|foobar|abc123|(?:abcdef|123456|qwerty).{0,6}$/i;

/** Whether it is surely no secret, whatever stands around it. */
export function isPlaceholder(text: string): boolean {
  return text.includes("[REDACTED:") || placeholder.test(text) || isRepeated(text);
}

/** One or two characters over and over, or a run of the alphabet. */
function isRepeated(text: string): boolean {
  const few = new Set(text.toLowerCase());
  if (few.size <= 3 && text.length > 4) return true;
  let steps = 0;
  for (let at = 1; at < text.length; at++) if (text.charCodeAt(at) - text.charCodeAt(at - 1) === 1) steps++;
  return text.length >= 8 && steps > text.length * 0.7;
}

/** Whether a value after a telling name is a secret: no word, no path, no code, and enough disorder. */
export function isLikelySecret(text: string, { strict = false } = {}): boolean {
  if (text.length < 6 || isPlaceholder(text)) return false;
  // A version, as package files have it after names of all kinds.
  if (/^[~^<>=v]{0,2}\d{1,5}\.\d{1,5}(?:\.|$)/.test(text)) return false;
  if (/^(?:[~.]{0,2}\/|https?:|file:|[A-Za-z]:\\)/.test(text) || /^[\d.,:+\-/ ]+$/.test(text)) return false;
  // A call, a member, a type: code that says where the secret comes from.
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+\(?$/.test(text) && !/\d/.test(text)) return false;
  if (/^[A-Za-z_$][\w.$]*\(/.test(text) || !/[a-z0-9]/.test(text)) return false;
  const classes = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((each) => each.test(text)).length;
  const bits = entropy(text);
  if (classes === 1) return text.length >= (strict ? 12 : 24) && bits >= 3 && !/^[a-z]+$|^[A-Z]+$/.test(text);
  // Words with dashes, dots or capitals in them.
  if (/^[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)*$/.test(text))
    return isMixed(text) && bits >= 3.5 && text.length >= 16;
  if (/^[A-Za-z]+[-_.]?\d{1,4}$/.test(text)) return strict || text.length >= 16;
  return bits >= (text.length < 12 ? 2.5 : 2.8);
}

/** Capitals in places where no word has them. */
function isMixed(text: string): boolean {
  return (text.match(/[a-z][A-Z]|[A-Z]{2}[a-z]/g)?.length ?? 0) >= text.length / 5;
}

/** Neither a word nor a name for a secret: what stands where only a secret can stand. */
export function isNoWord(text: string): boolean {
  return (
    !isPlaceholder(text) &&
    !/^[a-z]{1,12}$|^[A-Z_]+$|^(?:pass(?:word|wd)?|secret|token|user|admin|root|postgres|test)\d{0,4}$/i.test(
      text,
    )
  );
}

/** Keys that everybody knows: samples of a documentation, of an emulator, of a site that explains tokens. */
const wellKnown = [
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
  "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
  "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI",
];

export function isWellKnown(text: string): boolean {
  return wellKnown.some((known) => text.includes(known)) || /AKIAI44QH8DHBEXAMPLE|EXAMPLEKEY/.test(text);
}

/** Shannon's, in bits a character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
