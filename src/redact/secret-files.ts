// Recognizes files that hold secrets by their paths, and programs that print files.
import { isSecretLikeName, type Prints } from "./printing-judges.js";

/** Programs that print the contents of files. */
export const readsFiles =
  /^(?:cat|head|tail|less|more|bat|batcat|type|get-content|gc|nl|tac|rev|sort|uniq|paste|pr|column|expand|fmt|tee|od|hexdump|strings|diff|comm|join|shuf|[ef]?grep|rg|ag|g?awk|sed|cut|tr|dd|fold|xxd|g?base64|base32|basenc)$/;

/** Files that each hold one secret; `fieldFiles` hold several beside their names. */
const valueFiles = [
  /(?:^|\/)(?:var\/)?run\/secrets\/[^\s]+$/i,
  /(?:^|\/)(?:etc|mnt)\/secrets?(?:-store)?\/[^\s]+$/i,
  /(?:^|\/)\.?secrets\/[\w.*{}$-]*$/i,
  /(?:^|\/)\.vault-token$/,
  // Keys of Rails.
  /(?:^|\/)config\/(?:master|credentials\/[\w-]{1,60})\.key$/,
  /(?:^|\/)(?:initialAdminPassword|initial_root_password|node-token)$/,
];
/** Files whose name suggests a secret. Scripts and test data have such names too. */
const namedFile =
  /(?:^|\/)[\w.-]*(?:pass(?:word|wd|phrase)|secret|token|(?:api|private|secret|access|signing|encryption|deploy|license|auth|master|service|account|ssh|jwt|hmac|admin|root)[-_]?key|credential)s?(?:\.(?:txt|hex|b64|key|secret|token|pass|pwd|cred|asc|dat|raw))?$/i;
const notNamedFile =
  /(?:^|\/)(?:(?:s?bin|lib|libexec|hooks)\/[^/]+$|(?:tests?|__tests__|specs?|fixtures|testdata|docs?|examples?|workflows|vocab(?:ulary)?|tokeni[sz]ers?|models?)\/)/i;
/** `$DB_PASSWORD_FILE`, `${TOKEN_PATH}`: a variable with the path of a secret file. */
const fileVariable = /^\$(?:env:)?\{?(\w+?)_?(?:file|path)\}?$/i;

const fieldFiles =
  /(?:^|\/)(?:[._]netrc|\.pgpass|\.git-credentials|\.my\.cnf|\.aws\/credentials|\.docker\/config\.json|\.npmrc|\.pypirc|\.kube\/config|\.s3cfg|\.boto|\.htpasswd|etc\/g?shadow|\.ssh\/[\w.-]{0,60}key|\.ssh\/id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?)$/i;
/** Sources and documents are about secrets, and hold none. */
const notSecret =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|c|h|cc|cpp|cs|php|swift|md|rst|html?|css|scss|vue|svelte|lock|sh|sql|test|spec|snap|proto|tf|ya?ml|json|toml|ini|xml|log|svg|png)$/i;

/**
 * Words of which every path or tool name contains at least one that matches a pattern of this file or one for
 * tools. Nearly all names contain none, and compiling those patterns takes a small `ctx pack` milliseconds.
 */
const secretParts =
  "pass secret token key cred vault bitwarden netrc my.cnf config npmrc pypirc s3cfg boto shadow id_ $".split(
    " ",
  );

/** Returns whether a path or a tool name may name a secret. */
export function mayNameSecret(name: string): boolean {
  const lower = name.toLowerCase();
  return secretParts.some((part) => lower.includes(part));
}

export function secretFile(written: string): Prints | undefined {
  if (!mayNameSecret(written)) return undefined;
  const variable = fileVariable.exec(written)?.[1];
  if (variable !== undefined && isSecretLikeName(variable)) return "value";
  const path = written.replace(/^[A-Za-z]:(?=[\\/])/, "").replaceAll("\\", "/");
  if (
    path.length > 1000 ||
    path.startsWith("-") ||
    (!path.includes("/") && !/[._-]|secret|token|pass/i.test(path))
  )
    return undefined;
  if (fieldFiles.test(path)) return "fields";
  if (/^\/?etc\/passwd$/.test(path) || notSecret.test(path)) return undefined;
  if (valueFiles.some((file) => file.test(path))) return "value";
  return namedFile.test(path) && !notNamedFile.test(path) ? "value" : undefined;
}

/**
 * Returns whether a file holds variables with their values, of which a command may print the values alone.
 */
export function isSettingsFile(path: string): boolean {
  return /(?:^|[/\\])\.env(?:\.(?!example$|sample$|template$|dist$|defaults$)[\w-]{1,40})?$/.test(path);
}
