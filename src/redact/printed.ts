// Finds secrets in what a command printed that was asked for one: lines of nothing but a value, and values beside their names. What a
// program says instead of a secret (that there is none, how it is used) has spaces in it, or is a plain word.
import type { Found } from "./found.js";
import { isLikelyPassword, isLikelySecret, isNoWord } from "./likely.js";
import { isTellingName } from "./printing-programs.js";
import type { Printing } from "./printing.js";

interface Line {
  from: number;
  text: string;
}

/** Longer lines are data. The longest tokens that are printed, those of registries, have some 3,000 characters. */
const longest = 1 << 14;

/** `isWhole`: the text is all that was printed. */
export function findPrinted(
  text: string,
  { prints, isAlone }: Printing,
  { isWhole, isAllowed }: { isWhole: boolean; isAllowed: (secret: string) => boolean },
): Found[] {
  const found: Found[] = [];
  const take = (from: number, secret: string): void => {
    if (!isAllowed(secret))
      found.push({ rule: "printed-secret", secret, pieces: [{ from, to: from + secret.length }] });
  };
  const lines = linesOf(text).filter(({ text: line }) => !wrapping.test(line));
  const isSole = isWhole && isAlone && prints !== "maybe" && lines.length === 1;
  for (const { from, text: line } of lines) {
    const lone = loneIn(line);
    if (lone !== undefined && isSecret(lone.text, { isSole, isAlone })) take(from + lone.at, lone.text);
    if (lone === undefined && prints !== "maybe")
      for (const { at, name, value } of fieldsIn(line, prints === "fields"))
        if (isFieldSecret(name, value, isAlone)) take(from + at, value);
  }
  return found;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end === -1 ? text.length : end;
    if (to - from <= longest && to - from >= shortest) {
      const line = text.slice(from, to);
      if (line.trim() !== "") lines.push({ from, text: line });
    }
    from = to + 1;
  }
  return lines;
}

const shortest = 6;

/** What agents write around the output of a command. */
const wrapping =
  /^\s*(?:exit[ _]code|wall time|chunk id|original token count|process exited|process running|total output lines|output:\s*$|command:|directory:|error: ?\(none\)|stderr:|signal:|background pids|process group|\[[A-Za-z][^\]]* |<\/?(?:returncode|exit_code|stderr|system|output|stdout)>?\s*$|observation:\s*$)/i;

/** What may stand before and behind a value in a line of its own: a colour, a number of the line, a label, a quote, a tag. */
const before =
  /^(?:\u001b\[[\d;]{0,10}[mK]|\s|\d{1,6}(?:\u2192|\t|: )|(?:output|stdout|result):\s*|<(?:stdout|output|result)>|[{[]{1,2}"(?:type":\s*"text",\s*")?(?:output|stdout|text|content|result|aggregated_output)":\s*(?=")|["'`])*/i;
const behind =
  /^(?:\u001b\[[\d;]{0,10}[mK]|\s|<\/(?:stdout|output|result)>|\\[nr]|"(?:,\s*"[^]*|[}\]]{1,3})?|['`,;%])*$/;

function loneIn(line: string): { at: number; text: string } | undefined {
  const at = before.exec(line)?.[0].length ?? 0;
  const rest = line.slice(at);
  const value = /^[^\s"'`<>\\\u001b]+/.exec(rest)?.[0] ?? "";
  if (value.length < shortest || !behind.test(rest.slice(value.length))) return undefined;
  // `name=value` and `name:value` are for those that know names.
  if (/^[A-Za-z_][\w.-]{0,60}[=:](?!=*$)/.test(value)) return undefined;
  return { at, text: value };
}

interface Field {
  at: number;
  name: string;
  value: string;
}

/** `name: value`, `name=value`, `name | value`, columns, and members of JSON, also within a text of JSON. */
function* fieldsIn(line: string, hasNames: boolean): Generator<Field> {
  let isJson = false;
  for (const match of line.matchAll(member)) {
    isJson = true;
    const { name = "", value = "" } = match.groups ?? {};
    yield { at: match.index + match[0].lastIndexOf(value), name, value };
  }
  if (isJson) return;
  const [start = "", name = ""] = nameInLine.exec(line) ?? [];
  if (name === "" || (!hasNames && !isTellingName(name))) return;
  let at = start.length;
  while (between.has(line.charAt(at))) at++;
  const value = /^[^\s"'|\u2502]{6,8000}/.exec(line.slice(at))?.[0];
  if (value !== undefined && /^["']?\s*(?:$|[,|\u2502]|\s{2})/.test(line.slice(at + value.length)))
    yield { at, name, value };
}

/** What stands between a name and its value. */
const between = new Set(" \t\"'|\u2502:=");
const nameInLine =
  /^[\s"'|\u2502*-]{0,80}([A-Za-z_][\w.@/-]{0,60}(?: [\w-]{1,30}){0,3}?)["']?(?=\s{0,1}[:=|\u2502]|\t|\s{2})/;
const member =
  /\\{0,3}"(?<name>[\w.$@/ -]{1,80})\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"(?<value>[^"\\\s]{6,8000})\\{0,3}"/g;
/** Members whose values are names, places and times. */
const plainName =
  /(?:^|[-_. ]|(?<=[a-z]))(?:id|ids|uid|arn|name|names|namespace|version|versions|revision|type|kind|uri|url|href|link|path|file|host|hostname|server|port|user|username|login|email|e-mail|region|zone|location|tenant|subscription|project|account|owner|status|state|time|date|created|updated|modified|expires|expiry|on|at|until|after|before|code|count|size|length|scope|scopes|issuer|algorithm|alg|digest|checksum|sha256|etag|fingerprint|serial|stage|stages|tags|labels|description|comment|note|image|commit|branch|ref|resourceversion|apiversion|contenttype|tokentype|lease[-_ ]?id|accessor|policies|key|engine|database|dbname|database_name|schema|class|level|format|encoding|language|locale|os|arch|platform|runtime|service|vault|category|managedby)$/i;

function isFieldSecret(name: string, value: string, isAlone: boolean): boolean {
  if (plainName.test(name) && !isTellingName(name)) return false;
  return isSecret(value, { isSole: false, isAlone });
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
  /^v?\d+(?:\.\d+){1,4}(?:[-+][\w.]+)?$/,
];

function isSecret(text: string, { isSole, isAlone }: { isSole: boolean; isAlone: boolean }): boolean {
  if (
    ordinary.some((form) => form.test(text)) &&
    !(isSole && /^[\w+=-]+(?:\/[\w+=-]+)+$/.test(text) && isMixed(text))
  )
    return false;
  if (uuid.test(text)) return isSole;
  // A commit, where something else was printed as well.
  if (!isAlone && /^[0-9a-f]{7,64}$/.test(text)) return false;
  if (isLikelySecret(text.slice(0, judged)) || isLikelyPassword(text, "password")) return true;
  return (
    isSole &&
    isNoWord(text) &&
    !/^[A-Za-z]+[.!?:]?$|^[\d.,:+\-/]+$|^\w+\(|^[~.]{0,2}\/|^[a-z]+:\/\//.test(text)
  );
}

const judged = 160;

/** Letters of both cases and digits, as base64 has them and paths hardly do. */
function isMixed(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}
