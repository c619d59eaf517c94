// Values after secret-like names: in settings, in source, in lists of names and values. The value itself is
// judged by how it looks.
import {
  assigned,
  colour,
  equals,
  lines,
  opened,
  quote,
  quoted,
  room,
  roomOrLine,
  value,
} from "../pattern-parts.js";
import { gates } from "../telling-names.js";
import type { SecretRule } from "./rule.js";
import { textRules } from "./text.js";

/** How a value follows its name. Quotes go before marks: a quoted value may contain any mark. */
interface NamedValue {
  after: string;
  /** No mark needs to follow the name, but this pattern matches somewhere behind it. */
  behind?: SecretRule["behind"];
  examples: SecretRule["examples"];
  passwordExamples?: SecretRule["examples"];
}

/** The rest of the name at the anchor; the gate has checked that it is a telling one. */
const rest = "[A-Za-z0-9_]{2,44}";
const type = `(?::${room}(?:&(?:'static )?)?[A-Za-z.[\\]?]{1,20}${room}|string )?`;

const valueForms: readonly NamedValue[] = [
  {
    // name = "value", "name": "value", name: str = "value", name = SecretString("value")
    after: `${rest}${colour}${quote}?[\\])]{0,2}${room}${type}${equals}${roomOrLine}${colour}(?:[[(]\\s{0,20})?${quoted}`,
    examples: {
      masked: [
        'SECRET_KEY = "«-b8=na&b1vnekm+*f=e#oqjdgu%fgs0bw3kshw&l»"',
        'api_key=SecretLike("«ai506j33oDjUqcfwaLDUxYl2urcB»")',
        "api_key=SecretLike('«ai506j33oDjUqcfwaLDUxYl2urcB»')",
        'var webhookSecret = []byte("«zyikgj7BzGGnVpap89IrT4uXRqhCDJdX»")',
        '{"api_key": "«9f8aB7c6D5e4F3a2B1c0»"}',
        'signing_key: str = "«9f8aB7c6D5e4F3a2B1c0»"',
        'const vendorAccessKey string = "«9f8aB7c6D5e4F3a2B1c0»"',
        'const vendorApiKey =\n  "«9f8aB7c6D5e4F3a2B1c0»";',
        "vendor token - '«9f8aB7c6D5e4F3a2B1c0»'",
        'VENDOR_TOKEN ?= "«9f8aB7c6D5e4F3a2B1c0»"',
      ],
      left: [
        'token: "application/json"',
        '"token": {"type": "string"}',
        "secret_name = 'prod/db-2024-Primary'",
      ],
    },
    passwordExamples: {
      masked: [
        "DB_PASSWORD='«Tulp&Molen2023»'",
        '{\\"password\\": \\"«hunter2-But-L0nger»\\"}',
        'password = "«hunter42x»"',
        'password: "«Zomer2024»"',
      ],
      left: ['password = "not set"', 'password: "changeme"', 'password: "must have 8 characters"'],
    },
  },
  {
    // put("name", "value"), define('NAME', 'value')
    after: `${rest}${quote}?\\)?,${room}${quoted}`,
    examples: {
      masked: ["define( 'AUTH_KEY', '«gg;QLno|i_i!6eNMBLnulPd|pLN.|q45»' );"],
      left: ["t('token', 'Security token')", 'field("api_key", "your key")'],
    },
    passwordExamples: {
      masked: ["define( 'DB_PASSWORD', '«hG&76MvEG434Z0Ia»' );"],
      left: ['setError("password", "Wrong password")', 'getByLabel("Password", "exact")'],
    },
  },
  {
    // {"name": "X_TOKEN", …, "value": "…"}, - name: X_TOKEN\n  value: …
    after: `${rest}${quote}?,?${lines}(?:[^{}\\n=]{0,120}?[,{]${lines})?${quote}?[Vv]alue${quote}?${room}[:=]${room}${quote}?(?<secret>[^\\s"'\`\\\\,}]{6,512})`,
    behind: { pattern: /value[\\"'`]{0,8}[ \t]{0,40}[:=]/gi, within: 430 },
    examples: {
      masked: [
        "- name: STRIPE_SECRET\n  value: «9f8aB7c6D5e4F3a2B1c0»",
        '{"key": "API_TOKEN", "value": "«9f8aB7c6D5e4F3a2B1c0»"}',
      ],
      left: ["- name: TOKEN\n  valueFrom:\n    secretKeyRef:", '{"name": "token", "value": "string"}'],
    },
    passwordExamples: {
      masked: ['{"name":"Password","type":"textbox","ref":"e15","value":"«Fietspad?Links88»"}'],
    },
  },
  {
    // <key>ApiKey</key><string>…</string>, <name>password</name> <value>…</value>
    after: `[A-Za-z0-9_ ]{2,44}</(?:key|name|string|t[hd]|dt|label|b|strong)>(?:\\s|\\\\[nrt]){0,60}:?(?:\\s|\\\\[nrt]){0,20}<(?:string|value|t[hd]|dd|data|span|code)\\b[^<>\\n]{0,80}>\\s{0,20}(?<secret>[^<>\\s]{6,512})`,
    behind: { pattern: /<\/(?:key|name|string|t[hd]|dt|label|b|strong)>/gi, within: 60 },
    examples: {
      masked: ["<key>ApiToken</key>\n\t<string>«9f8aB7c6D5e4F3a2B1c0»</string>"],
      left: ["<key>token</key><string>default</string>"],
    },
    passwordExamples: {
      masked: [
        "<name>javax.jdo.ConnectionPassword</name>\n<value>«Tulp12&Molen2023xy»</value>",
        "<td>Password</td><td>«Fietspad?Links88»</td>",
      ],
    },
  },
  {
    // | name | value |, as in tables of two columns
    after: `[A-Za-z0-9_ -]{2,44}[\`"*_]{0,3}(?:[ \\t]{1,40}[|\u2502][ \\t]{0,40}|[|\u2502][ \\t]{1,40})[\`"*]{0,3}(?<secret>[^\\s"'\`\\\\|\u2502*<>]{6,512})[\`"*_]{0,3}[ \\t]{0,200}(?=[|\u2502\\r\\n\\\\]|$)`,
    behind: { pattern: /[|\u2502]/g, within: 90 },
    examples: {
      masked: ["| API key | `«9f8aB7c6D5e4F3a2B1c0»` |"],
      left: ["| token | string |", "| `--token` | `API-token2` of the account |"],
    },
    passwordExamples: { masked: ["| Password | «Fietspad?Links88» |"] },
  },
  {
    // NAME=value in a line by itself, as in settings files and shells: up to its end
    after: `(?<=(?:^|[\\n\\r]|\\\\n|export |ENV |set -x )[A-Za-z0-9_]{0,60})${rest}=(?<secret>(?!\\$[({])[^\\s"'\`<\\\\][^\\s"'\`\\\\]{5,511})(?=\\s|\\\\n|$)`,
    examples: {
      masked: ["A=1\nAPI_TOKEN=«9f8aB7c6,D5e4;F3a2»\nB=2"],
      left: ["A=1\nTOKEN=$(cat secret-2024)\n"],
    },
    passwordExamples: { masked: ["DB_PASSWORD=«Tulp12&Molen2023xy»\n"] },
  },
  {
    // name="value, without a closing quote
    after: `${rest}${assigned}${opened}`,
    examples: {
      masked: ['export GITHUB_TOKEN="«9f8aB7c6D5e4F3a2B1c0»'],
      left: ['"token_1": "Neo1ekavany token"'],
    },
    passwordExamples: { masked: ["PASSWORD='«Tulp-Molen2023»"] },
  },
  {
    // name=value, name: value
    after: `[A-Za-z0-9_-]{2,52}${assigned}${value}`,
    examples: {
      masked: [
        "export GITHUB_TOKEN=«9f8aB7c6D5e4F3a2B1c0»",
        "https://portal.example/reset?reset_token=«afe51acda64563e29aa90cc209ef8fa2»",
        "AppSecret\uff1a«fpo47nx0794k0wx35vm5yv6j6kgdz8uc»",
        "DEPLOYER_PK=«0xf18d9a45a05c9fefa9e4ed7fdbce54b3be83c6dd»",
      ],
      left: [
        ["token: process", "env.TOKEN"].join("."),
        "max_tokens: 4096",
        "secretKeyRef: my-secret",
        "API_KEY=your-api-key-here",
        "token_count=1234567",
        "const tokenizer = loadTokenizer",
        "api_key_format: v2-prefixed-2024",
        "arn:aws:secretsmanager:eu-west-1:481920375566:secret:prod/billing-Ab12Cd",
        "--token-color-primary: #2f6fed;",
        "--token-radius: 0.375rem;",
        "DB_TOKEN=op://vault/item/field",
        "primary_key: user_id_2024",
      ],
    },
    passwordExamples: {
      masked: [
        "db.password=«s3cr3t!Passw0rd»",
        "PGPASSWORD=«app-dyhalsdie7tncm» psql",
        "key-mgmt=wpa-psk\npsk=«fietsbel-4711-Q»",
      ],
      left: [
        "password: string",
        "password = getpass.getpass()",
        "bypass: configuration-of-many",
        "passed: 12",
      ],
    },
  },
];

/** The shortest parts that names have in common, so that few anchors are searched for. */
const anchors = {
  passwords: ["passw", "passph", "passc", "pwd", "pass", "bindpw", "pw", "psk", "mdp", "senha"],
  tokens: ["secret", "token", "credential", "key", "_pk", "_salt", "creds"],
};

/** Matches any environment variable by its value alone. */
const keyed: SecretRule = {
  id: "named-secret",
  anchors: ["_KEY", "_PAT", "_SECRETS", "_AUTH", "_CREDS", "_SIGNING", "_JWT", "_HMAC", "_SEED"],
  gate: gates.keyed,
  pattern:
    /_(?:KEY|PAT|SECRETS|AUTH|CREDS|SIGNING|JWT|HMAC|SEED)\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["']?(?<secret>[A-Za-z0-9+/=_~.-]{20,512})/y,
  isGuess: true,
  examples: {
    masked: [
      "AZURE_OPENAI_KEY=«9f2c7b41e8d05a6634c1b2f7a95d08e3»",
      'AZURE_DEVOPS_EXT_PAT: "«9f2c7b41e8d05a6634c1b2f7a95d08e3»"',
    ],
    left: [
      "STRIPE_PUBLISHABLE_KEY=9f2c7b41e8d05a6634c1b2f7a95d08e3",
      "CACHE_KEY=v2-deps-Linux-9f2c7b41e8d05a66",
    ],
  },
};

const assignments: readonly SecretRule[] = valueForms.flatMap(
  ({ after, behind, examples, passwordExamples }): SecretRule[] => [
    {
      id: "named-secret",
      anchors: anchors.tokens,
      anyCase: true,
      ...(behind === undefined ? { assigns: true } : { behind }),
      gate: gates.tokens,
      pattern: new RegExp(after, "iy"),
      isGuess: true,
      examples,
    },
    {
      id: "named-secret",
      anchors: anchors.passwords,
      anyCase: true,
      ...(behind === undefined ? { assigns: true } : { behind }),
      gate: gates.passwords,
      pattern: new RegExp(after, "iy"),
      isGuess: "password",
      examples: passwordExamples ?? { masked: [] },
    },
  ],
);

/** A key of an unnamed service: only random characters are one. */
const plainKeys: readonly SecretRule[] = [
  {
    id: "named-secret",
    anchors: ["key", "login"],
    anyCase: true,
    assigns: true,
    gate: gates.weak,
    pattern: new RegExp(
      `[A-Za-z]{3,9}[A-Za-z0-9_]{0,8}(?:${assigned}|[ ]string[ ]=[ ])[brfu@$]{0,2}${quote}?[ ]?${value}`,
      "iy",
    ),
    isGuess: "key",
    examples: {
      masked: [
        "Using Key=«qsCGuilpkk2ngrsz75wtYqsCGuilpkk2ngrsz75w»",
        'vendorKey := "«rc6iLoUEFGGAWNLsuBJnmsh4tZB-oCxcDUmc45HIPcuiQv»"',
        "vendor_key: '«3kx19qpx748ldb75lsjicbs6ipit6ssm»'",
      ],
      left: [
        'cacheKey = "v2-deps-9f2c7b41e8d05a66"',
        "key: node-modules-2024-01-15-build",
        'primaryKey: "01HZX5Y8K3QW9R7T2V6B4N1M0P"',
        '"key": "settings.general.title2"',
      ],
    },
  },
];

/** Plain `name=value` comes last: better evidence goes before it. */
export const namedRules: readonly SecretRule[] = [
  ...assignments.slice(0, -2),
  ...textRules,
  ...assignments.slice(-2),
  keyed,
  ...plainKeys,
];
