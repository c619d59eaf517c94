// What each program that prints secrets prints, by program name.
// Over 300 lines: one table, with the judges that only it uses.
import { kubernetes, terraform } from "./printing-clusters.js";
import {
  always,
  selectsSecret,
  first,
  hasSecretLikeName,
  isSecretLikeName,
  type Judge,
  ofScript,
  ofVariables,
  type Prints,
  when,
  whenAll,
} from "./printing-judges.js";
import { secretFile } from "./secret-files.js";

/** Returns whether the value of a git setting, such as `github.oauth-token`, is a secret. */
function isSecretSetting(name: string): boolean {
  return name.includes(".") && /(?:token|secret|\.password|\.extraheader)$/i.test(name);
}

function lastWord(args: string): string {
  return args.split(/\s/).at(-1) ?? "";
}

const query: Judge = (args) =>
  /\bselect\b/i.test(args) &&
  [...args.matchAll(/(?<=select\s+\*\s+from\s+)\w{3,60}(?=s\b)|[A-Za-z_]\w{2,60}/gi)].some(([name]) =>
    isSecretLikeName(name),
  )
    ? "fields"
    : undefined;

const documents: Judge = (args) => {
  if (!selectsSecret(args) || /[dD]ependencies\b/.test(args)) return undefined;
  // Tokens of a programming language.
  return /\.token\b/.test(args) && /\b(?:ast|lex(?:er)?|pars(?:e|er|ed)|grammar|syntax|tokens)\b/.test(args)
    ? "maybe"
    : "value";
};

const passStore: Judge = (args) => {
  if (
    /^(?:ls|list|git|insert|edit|find|grep|init|rm|mv|cp|version|help|search|remove|delete|copy|move|audit|--(?:help|version))\b/.test(
      args,
    )
  )
    return undefined;
  return args === "" || /(?:^|\s)-c\b|--clip/.test(args) ? undefined : "fields";
};

/** `git show HEAD:password.txt`, `git log -p -- password.txt`. */
const ofRecordedFile: Judge = (_, words) => {
  const [command = ""] = words;
  const isPatch = command === "log" && words.some((word) => /^(?:-p|-u|--patch)$/.test(word));
  if (!isPatch && !/^(?:show|cat-file|diff|blame)$/.test(command)) return undefined;
  const isSecretFile = words.some((word) => {
    const path = word.replace(/^[^:]*:/, "");
    return /[./]/.test(path) && secretFile(path) !== undefined;
  });
  return isSecretFile ? "fields" : undefined;
};

/** `curl file:///run/secrets/db`. */
const ofLocalFile: Judge = (_, words) =>
  words
    .filter((word) => word.startsWith("file://"))
    .map((word) => secretFile(word.slice("file://".length)))
    .find((prints) => prints !== undefined);

/**
 * Any other program whose first words read a secret: `supabase secrets get X`, `wrangler secret get X`. Lists
 * of secrets have names, not values.
 */
const reading: Judge = (_, words) => {
  const first = words.filter((word) => !word.startsWith("-")).slice(0, 4);
  const isNamed = first.some((word) =>
    /^(?:secrets?|passwords?|credentials?|tokens?|creds?|api-?keys?)$/i.test(word),
  );
  return isNamed &&
    first.some((word) => /^(?:get|show|reveal|view|read|print|cat|access|decrypt|fetch|display)$/i.test(word))
    ? "fields"
    : undefined;
};

const python: Judge = (args) => ofScript(args);

const table: Readonly<Record<string, Judge>> = {
  gh: first(
    (args) => (/^api\b.* (?:--jq|-q)\b/.test(args) ? documents(args, []) : undefined),
    when(/^auth token\b/, "value"),
    when(/^auth status\b.*(?:-t\b|--show-token)/, "fields"),
  ),
  glab: first(
    when(/^auth token\b|^config get token/, "value"),
    when(/^auth status\b.*(?:-t\b|--show-token)/, "fields"),
  ),
  gcloud: first(
    when(/\bprint-(?:access|identity|refresh)-token\b|\bgenerate-login-token\b/, "value"),
    when(/\bsecrets versions access\b/, "fields"),
  ),
  aws: first(
    when(
      /\becr(?:-public)? get-login-password\b|\bgenerate-db-auth-token\b|\bget-random-password\b/,
      "value",
    ),
    when(/\bconfigure get \S*(?:secret|token|key)/, "value"),
    when(
      /\bsecretsmanager (?:batch-)?get-secret-value\b|\bsts (?:get-session-token|assume-role\S*|get-federation-token)\b|\bconfigure export-credentials|\bget-authorization-token\b|\beks get-token\b|\bcreate-access-key\b|\bget-role-credentials\b|\bkms decrypt\b|master-user-password\b/,
      "fields",
    ),
    whenAll([/^ssm$/, /^get-parameter/, /^--with-decryption$/], "fields"),
  ),
  az: when(
    /\bkeyvault (?:secret|key) (?:show|download)\b|\bget-access-token\b|\bkeys? list\b|\blist-keys\b|\bcredential show\b|--expose-token|\bcreate-for-rbac\b|\bconnection-string\b|\bcredential reset\b|\bget-credentials\b/,
    "fields",
  ),
  vault: when(
    /^(?:kv get|read|unwrap|token create|print token|login|operator (?:init|unseal)|write\b.*(?:token|creds|secret-id))\b/,
    "fields",
  ),
  op: first(when(/^read\b/, "value"), when(/^(?:item get|document get|inject|signin)\b/, "fields")),
  security: when(/\bfind-(?:generic|internet)-password\b/, "fields"),
  "secret-tool": when(/^lookup\b/, "value"),
  keyring: when(/^get\b/, "value"),
  lpass: when(/^show\b/, "fields"),
  bw: first(
    when(/^get (?:password|totp|notes)\b|^generate\b/, "value"),
    when(/^(?:get item|list items|unlock|login)\b/, "fields"),
  ),
  rbw: when(/^get\b/, "fields"),
  "keepassxc-cli": when(/^(?:show|generate|clip)\b/, "fields"),
  pass: passStore,
  gopass: passStore,
  chamber: when(/^(?:read|export|env|list\b.*-e)\b/, "fields"),
  doppler: first(
    when(/^secrets get\b.*--plain|^configure get token/, "value"),
    when(/^secrets(?!\s+(?:delete|upload|notes))/, "fields"),
  ),
  infisical: when(/^(?:secrets(?!\s+(?:set|delete))|export)\b/, "fields"),
  credstash: when(/^get\b/, "value"),
  berglas: when(/^access\b/, "value"),
  sops: when(/(?:^|\s)(?:-d|--decrypt|decrypt|-\w*d)(?:\s|$)/, "fields"),
  age: when(/(?:^|\s)(?:-d|--decrypt)\b/, "fields"),
  gpg: when(/(?:^|\s)(?:-\w*d|--decrypt)(?:\s|$)/, "fields"),
  "ansible-vault": when(/^(?:view|decrypt)\b/, "fields"),
  terraform: terraform,
  pulumi: first(
    (args) => (isSecretLikeName(/\bconfig get (?:.* )?(\S+)$/.exec(args)?.[1] ?? "") ? "value" : undefined),
    when(/--show-secrets/, "fields"),
  ),
  kubectl: kubernetes,
  k3s: first(when(/^token (?:create|generate)\b/, "value"), kubernetes),
  kubeadm: when(/^token (?:create|generate|list)\b/, "fields"),
  heroku: first(
    when(/^(?:auth:token|authorizations:create)\b/, "value"),
    (args) => {
      const name = /^config:get (?:-\S+ )*(\w+)/.exec(args)?.[1];
      return name === undefined ? undefined : isSecretLikeName(name) ? "value" : "maybe";
    },
    when(/^config(?:\s|$)/, "fields"),
  ),
  flyctl: when(/^(?:auth token|tokens? create)\b/, "value"),
  railway: when(/^variables?\b/, "fields"),
  netlify: when(/^env:(?:get|list)\b/, "fields"),
  firebase: first(when(/\bfunctions:secrets:access\b/, "value"), when(/\bfunctions:config:get\b/, "fields")),
  poetry: whenAll([/^config$/, /^(?:pypi-token|http-basic)\./], "value"),
  composer: whenAll(
    [/^config$/, /^(?:github-oauth|gitlab-(?:oauth|token)|bitbucket-oauth|http-basic|bearer)\b/],
    "fields",
  ),
  supabase: first(when(/^(?:status|projects api-keys)\b/, "fields"), reading),
  doctl: when(/\bauth token\b|\bdocker-config\b|\bconnection\b/, "fields"),
  npm: first(when(/^config get \S*(?:_auth|token|password)/i, "value"), when(/^token create\b/, "fields")),
  git: first(
    when(/^credential(?:-\S+)? (?:fill|get)\b/, "fields"),
    (args) => (/^config\b/i.test(args) && isSecretSetting(lastWord(args)) ? "value" : undefined),
    ofRecordedFile,
  ),
  wp: when(/^config get \S*(?:PASSWORD|KEY|SALT)/, "value"),
  rails: when(/\bcredentials:show\b/, "fields"),
  "systemd-creds": when(/^(?:cat|decrypt)\b/, "value"),
  nmcli: when(/(?:^|\s)(?:-s|--show-secrets)\b/, "fields"),
  wg: when(/^gen(?:key|psk)\b|^show\b.* (?:private-key|preshared-keys)/, "value"),
  openssl: first(
    when(/^rand\b/, "maybe"),
    when(/^(?:(?:enc|des3)\b|aes).*\s-d\b|-decrypt\b/, "fields"),
    when(/^base64\b.*-d\b/, "maybe"),
  ),
  pwgen: always("maybe"),
  apg: always("maybe"),
  mkpasswd: always("maybe"),
  htpasswd: when(/(?:^|\s)-\w*n/, "fields"),
  base64: when(/(?:^|\s)(?:-d|-D|--decode|-di)(?:\s|$)/, "maybe"),
  dotenv: (args) => (/^get\b/.test(args) && hasSecretLikeName(args) ? "value" : undefined),
  declare: (args) => (/^-\w*p/.test(args) && hasSecretLikeName(args) ? "fields" : undefined),
  getent: when(/^g?shadow\b/, "fields"),
  hcp: when(/\bsecrets open\b/, "fields"),
  printenv: (_, words) => ofVariables(words.filter((word) => !word.startsWith("-"))),
  jq: documents,
  dasel: documents,
  gron: documents,
  python,
  psql: query,
  "redis-cli": (args) => (/\bh?get\b/i.test(args) && hasSecretLikeName(args) ? "value" : undefined),
  consul: (args) => (/^kv get\b/.test(args) && hasSecretLikeName(args) ? "value" : undefined),
  etcdctl: (args) => (/^get\b/.test(args) && hasSecretLikeName(args) ? "fields" : undefined),
  curl: first(
    ofLocalFile,
    when(
      /\/(?:oauth2?\/(?:v\d\/)?token|latest\/api\/token|security-credentials|service-accounts\/[^/\s]+\/(?:token|identity)|v1\/(?:secret|kv|auth)\/)/,
      "fields",
    ),
  ),
  "systemd-ask-password": always("value"),
  "ssh-askpass": always("value"),
  dotnet: when(/\buser-secrets list\b/, "fields"),
  teller: when(/^(?:show|env|yaml|json)\b/, "fields"),
  kubeseal: when(/--recovery-unseal\b/, "fields"),
  cf: when(/^env\b|^oauth-token\b|^service-key\b/, "fields"),
  eb: when(/^printenv\b/, "fields"),
  stripe: when(/^config\b.*(?:--list|-l)\b/, "fields"),
  step: when(/^ca token\b|^crypto (?:jwe decrypt|rand)\b/, "value"),
  "age-keygen": always("fields"),
  chezmoi: when(/^secret\b/, "value"),
  envchain: when(/\bprintenv\b/, "value"),
  "aws-vault": when(/^(?:export|exec\b.*\benv)\b/, "fields"),
  saml2aws: when(/^script\b/, "fields"),
  granted: when(/^credential-process\b/, "fields"),
  snowsql: query,
  mongosh: (args) => documents(args.replaceAll(/["'();]/g, " "), []),
  bao: when(/^(?:kv get|read|unwrap|token create|print token|login|operator (?:init|unseal))\b/, "fields"),
  conjur: when(/^variable (?:get|value)\b|^rotate_api_key\b/, "value"),
  akeyless: when(/^get-(?:secret-value|dynamic-secret-value|rotated-secret)\b/, "fields"),
  tss: when(/^secret\b/, "fields"),
  ccloud: when(/^api-key create\b/, "fields"),
  confluent: when(/^api-key create\b/, "fields"),
  linode: when(/\btoken create\b/, "fields"),
  "linode-cli": when(/\btoken create\b|--suppress-warnings.* kubeconfig-view\b/, "fields"),
  ibmcloud: when(/\biam oauth-tokens\b|\bservice-key\b|\bapi-key-create\b/, "fields"),
  scw: when(/\bsecret version access\b|\biam api-key create\b/, "fields"),
  "get-secret": always("value"),
  "get-azkeyvaultsecret": always("fields"),
  argocd: when(/\baccount generate-token\b|\badmin initial-password\b/, "fields"),
};

/** Aliases, and programs with the same arguments. */
const alike: Readonly<Record<string, string>> = {
  dotenvx: "dotenv",
  typeset: "declare",
  export: "declare",
  readonly: "declare",
  fly: "flyctl",
  oc: "kubectl",
  k: "kubectl",
  microk8s: "kubectl",
  tofu: "terraform",
  terragrunt: "terraform",
  mongo: "mongosh",
  rage: "age",
  gpg2: "gpg",
  base32: "base64",
  gbase64: "base64",
  yq: "jq",
  xq: "jq",
  tomlq: "jq",
  jp: "jq",
  yarn: "npm",
  pnpm: "npm",
  python3: "python",
  node: "python",
  deno: "python",
  bun: "python",
  ruby: "python",
  perl: "python",
  php: "python",
  mysql: "psql",
  mariadb: "psql",
  sqlite3: "psql",
  wget: "curl",
  http: "curl",
  xh: "curl",
};

const programs: ReadonlyMap<string, Judge> = new Map([
  ...Object.entries(table),
  ...Object.entries(alike).map(([name, same]) => [name, table[same] as Judge] as const),
]);

/** Programs whose first word is a subcommand, whatever options precede it: `gh -R a/b auth token`. */
const withCommands =
  /^(?:gh|glab|op|vault|doppler|git|heroku|bw|rbw|npm|pnpm|yarn|consul|etcdctl|chamber|infisical|flyctl|fly|railway|netlify|supabase|sops|lpass|dotenvx?|wp|secret-tool|keyring|ansible-vault|systemd-creds|hcp)$/;
const maxOptions = 8;

function judgeFrom(judge: Judge, words: readonly string[], at: number): Prints | undefined {
  const rest = words.slice(at);
  return judge(rest.join(" "), rest);
}

/** Returns whether a program runs scripts of a language. */
export function isLanguage(program: string): boolean {
  return programs.get(program) === python;
}

/** Returns a function that judges what a program prints, from its arguments and its here-document. */
export function judgeOf(
  program: string,
): ((words: readonly string[], document: string | undefined) => Prints | undefined) | undefined {
  const judge = programs.get(program);
  if (judge === undefined && program.startsWith("docker-credential-")) return () => "fields";
  if (judge === undefined)
    return /^[a-z][\w.-]{1,30}$/.test(program) ? (words) => reading("", words) : undefined;
  return (words, document) => {
    const isRead = document !== undefined && (judge === python || judge === table["psql"]);
    let prints = judge(isRead ? [...words, document].join(" ") : words.join(" "), words);
    if (!withCommands.test(program)) return prints;
    let at = 0;
    for (
      let count = 0;
      prints === undefined && count < maxOptions && words[at]?.startsWith("-") === true;
      count++
    ) {
      prints = judgeFrom(judge, words, at + 1) ?? judgeFrom(judge, words, at + 2);
      at += words[at + 1]?.startsWith("-") === true ? 1 : 2;
    }
    return prints;
  };
}
