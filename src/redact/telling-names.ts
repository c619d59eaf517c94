// Names that say that their value is a secret: one list for `NAME=value` and for commands that print `$NAME`.

/** Words before a name that give it another meaning. */
const notBehind =
  "(?<!(?:page|cursor|continuation|csrf|xsrf|authenticity|public|publickey|public_key|primary|foreign|partition|pagination|--|\\d:|(?<![a-z])(?:next|sync|has|is|get|set|show|validate|max|min|num|total|input|output|prompt|completion|cached?|sort))[-_]?)";
/** Words after a name that give it another meaning. */
const notBefore =
  "(?!ing(?![a-z]))(?![-_]?[a-z]{0,12}(?:izer|ize|ized|time|created_at|expires_at|issued_at|ttl|uses|polic|cidr|period|transaction|accessor|count|type|name|id|ids|length|limit|ur[il]|path|file|hash|field|policy|ref|expir|usage|budget|format|pattern|prefix|regex|placeholder|label|hint|description|header|param|enabled|required|rotation|manager|store|scanning|provider|schema|class|error|message|strength|min|max)(?![a-z]{0,3}(?:code|ord)))";

const passwords =
  "(?:pass(?:word|wd|phrase|code|wort|wrd)|pwd|kennwort|wachtwoord|contrase(?:n|\u00f1)a|motdepasse|mot_de_passe|(?<![a-z])(?:mdp|senha|clave|parool|losenord|haslo)(?![a-z])|(?<=[-_.]|\\b|db|user|smtp|ftp|root|admin)(?<!--- )pass(?![a-z])|bindpw|(?<=[-_.]|\\b)(?:pw(?![a-z])|psk(?!-)))";
const keys =
  "(?<=(?:api|app|access|auth|account|client|consumer|deploy|encryption|hmac|jwt|license|master|preshared|private|secret|service|session|shared|signing|ssh|storage|webhook|secure_auth|logged_in|signature|subscription|admin|root|write|read|ingest|integration|bot|project|bearer)[-_]?)key|(?<=(?:api|access|secret|private|auth|license|account|encryption|master|signing) )key|(?<=[-_](?:auth|sign|priv|enc|master|secret))key|_(?:pk|salt)";
const tokens = `(?:secrets?(?:[-_]?key)?|tokens?|credentials?|(?<![a-z])creds?(?![a-z])|${keys})`;
/** Any environment variable of this form. */
const keyed =
  "(?<!PUBLIC[A-Z0-9_]{0,40}|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|IDEMPOTENCY|PUBLISHABLE|HOST|INDEX)_(?:KEY|PAT|SECRETS|AUTH|CREDS|SIGNING|JWT|HMAC|SEED)[\"'\\s:=\\\\]";

/** A secret-like name that is followed by a character that is not part of a name. */
function named(names: string): string {
  return `${notBehind}(?:${names})${notBefore}[A-Za-z0-9_-]{0,40}(?=[^A-Za-z0-9_-])`;
}

/** Words before `key` for keys that are no secret, and keys of the keyboard. */
const plainKeys =
  "(?<!public[a-z0-9_-]{1,40}|(?:public|pub|primary|foreign|partition|cache|sort|host|object|bucket|idempotency|publishable|routing|group|query|index|message|translation|row|item|file|registry|site|column|field|sort|hash|map|dict|lookup|unique|composite|natural|surrogate|shift|arrow|hot|tur|mon|don|joc|ho|whis|key|verify|verification|s3|dedup|dedupe|cursor|event|label|metric|tag|parent|child|node|react|locale|i18n|state|session_state|storage_path|restore|checksum|content|etag|digest|test|memo|entity|document|doc|data|record|resource|issue|ticket|job|task|run|artifact|build|commit|chunk|blob|cid|build_id|trace|span|request|integrity|dependency|package|module|version|lock|fingerprint)[-_ ]?)";

/** Gates of the rules for `NAME=value`. */
export const gates = {
  weak: new RegExp(
    `(?:${plainKeys}key|(?<=[a-z][_.])login)(?:\\d{1,2}|[-_]?(?:value|string|data|key))?(?=[^A-Za-z0-9_-])`,
    "iy",
  ),
  passwords: new RegExp(named(passwords), "iy"),
  tokens: new RegExp(named(tokens), "iy"),
  keyed: new RegExp(keyed, "y"),
};

let telling: readonly RegExp[] | undefined;

/** Returns whether `NAME=value` with this name would be judged as a secret by the look of the value. */
export function isTellingName(name: string): boolean {
  telling ??= [new RegExp(named(`${passwords}|${tokens}`), "i"), new RegExp(keyed)];
  return name.length <= 100 && telling.some((pattern) => pattern.test(`${name}=`));
}
