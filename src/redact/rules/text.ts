// Secrets in markup, in headers and cookies, and in prose of several languages.
import type { SecretRule } from "./rule.js";

/** Heads of columns in other languages. */
const columnNames = [
  "\u5bc6\u7801",
  "\u30d1\u30b9\u30ef\u30fc\u30c9",
  "\ube44\ubc00\ubc88\ud638",
  "\u043f\u0430\u0440\u043e\u043b\u044c",
];
const columnKeys = [
  "\u5bc6\u94a5",
  "\u4ee4\u724c",
  "\u30c8\u30fc\u30af\u30f3",
  "\ud1a0\ud070",
  "\u0442\u043e\u043a\u0435\u043d",
];

export const textRules: readonly SecretRule[] = [
  {
    id: "spoken-secret",
    // `using token …`, `your API key is …`: only random characters can be one.
    anchors: ["token ", "key ", "secret "],
    anyCase: true,
    pattern:
      /[a-z]{3,10} {1,2}(?:(?:is|was|to|of|called|named|value)[: ] {0,2})?["'`(]{0,2}(?<secret>[A-Za-z0-9_.~+/=-]{16,512})(?=[\s"'`,;:)\\]|$)/iy,
    isGuess: "key",
    examples: {
      masked: [
        "Your vendor key is «2afddb813193eb9d3b5bd99bf5d834cd», which you",
        "Using token «ntJD0ER8QpuT0O1WqsclApO2»",
      ],
      left: ["the token authorization-code-flow-2024 is", "key 01HZX5Y8K3 of the table"],
    },
  },
  {
    id: "xml-secret",
    anchors: ["password", "passwd", "secret", "token", "apikey"],
    anyCase: true,
    behind: { pattern: /<\//g, within: 4400 },
    pattern:
      /(?:password|passwd|secret|token|apikey)(?!s?(?:id|ids|name|ref|type|path|file|count|manager|store)\b)(?:[a-z_-]{0,20}\b[^<>\n]{0,200})?>[\s{]{0,60}(?:[^<>\s]{1,80}\s{1,40}){0,3}(?<secret>[^<>\s"(]{6,4000}?)\}?\s{0,60}<\//iy,
    isGuess: "password",
    examples: {
      masked: [
        '<wsse:Password Type="x#PasswordText">«Koek&amp;Zopie_61»</wsse:Password>',
        "<secret>{vendor AQAAABAAA «zgtj0q3v38u4pthc6nmy02n60bj244u5»}</secret>",
        "<apiToken>\n    «zgtj0q3v38u4pthc6nmy02n60bj244u5»\n</apiToken>",
      ],
      left: ["<password>string</password>", "<token>${TOKEN}</token>"],
    },
  },
  {
    id: "spoken-password",
    anchors: [
      "password ",
      "passphrase ",
      "passcode ",
      "pw is ",
      "pwd is ",
      "passwd is ",
      "pass is ",
      "senha",
      "token ",
      "api key ",
      "api-key ",
      "schl\u00fcssel",
      "sleutel",
      "clave",
    ],
    anyCase: true,
    pattern:
      /(?:password|passphrase|passcode|passwd|pass|pwd?|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801|contrase\u00f1a|passwort|kennwort|wachtwoord|mot de passe|senha|token|api[ -]key|schl\u00fcssel|sleutel|clave)(?:(?:[^\n"'`{}=.?!]|[.?!](?! )){0,60}?[ )](?:is|es|ist|est|\u00e8|\u00e9|lautet|was)[ \t]{0,3}:?|[ \t]{0,3}[:\uff1a\u662f])[ \t]{0,3}["'`\u201c\u201e]?(?<=[\s:=\uff1a\u662f"'`\u201c\u201e])(?=[^\s\\]{0,60}\d|[^\s\\]{12})(?<secret>[^\s"'`,;\\\u201c\u201d()\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uff1f]{6,200})/iy,
    isGuess: "spoken",
    examples: {
      masked: [
        "my password is «Bl!ksem88» just use that",
        "das Kennwort f\u00fcr den Zugang (Benutzer: import01) ist: «Apfelbaum_Nr17»",
        "Der API-Schl\u00fcssel lautet «z3Akiv3LBAoS57QhC6VgIxuO0BwHVCHo» und",
      ],
      left: [
        "the password is required",
        "the token is invalid",
        "das Passwort vergessen",
        "the password is stored in vault/prod-2024",
        "set the token to expire after 30d",
      ],
    },
  },
  {
    id: "spoken-password",
    // Without a word in between, the value must look like nothing but a secret.
    anchors: [
      "password ",
      "passwort ",
      "wachtwoord ",
      "passphrase ",
      "\u043f\u0430\u0440\u043e\u043b\u044c ",
    ],
    anyCase: true,
    pattern:
      /(?:password|passwort|wachtwoord|passphrase|contrase\u00f1a|\u043f\u0430\u0440\u043e\u043b\u044c) ["'`]?(?![\w.-]{1,64}\?(?:\s|$))(?=[^\s\\]{0,60}\d)(?=[^\s\\]{0,60}[!?#$%^&*+~@"'`])(?<secret>[^\s"'`,;\\()|]{6,64})/iy,
    isGuess: "spoken",
    examples: {
      masked: ["log in as ana with password «Winter!2024x» and look"],
      left: ["PASSWORD CONFLICT|10"],
    },
  },
  {
    id: "spoken-password",
    // `credentials: admin:…`, `login with admin / …`
    anchors: [
      "credentials",
      "creds",
      "login with",
      "log in with",
      "log in as",
      "logging in with",
      "user/pass",
      "username and password",
      "sign in as",
      "sign in with",
      " as admin",
      " as root",
      "account ",
      "user admin",
      "user root",
    ],
    anyCase: true,
    pattern:
      /(?:credentials|creds|log(?:ging)?[ -]?in (?:with|as)|sign in (?:as|with)|username and password|account| as|user|user\/pass(?:word)?)(?: are| is)?[:=]?[ \t]{1,3}["'`]?[A-Za-z0-9._@+-]{2,60}["'`]? {0,2}(?:[/:|]|and|with password|password) {0,2}["'`]?(?=[^\s\\]{0,60}\d)(?=[^\s\\]{0,60}[A-Z!?#$%^&*+~@-])(?<secret>[^\s"'`,;\\()|/]{6,64})/iy,
    isGuess: "spoken",
    examples: {
      masked: ["login with admin / «Sommer4711!» please"],
      left: ["credentials: aws-profile:default", "log in as root / wheel"],
    },
  },
  {
    id: "table-secret",
    anchors: [
      "passw",
      "pwd",
      "pass,",
      "pass;",
      "pass\t",
      "pass |",
      "passphrase",
      "passcode",
      "kennwort",
      "wachtwoord",
      "senha",
      ...columnNames,
    ],
    anyCase: true,
    isColumn: true,
    pattern: /(?!)/y,
    isGuess: "password",
    examples: {
      masked: [
        "| user | password |\n|---|---|\n| ana | «Sommer4711!» |",
        "| user | password | role |\n|---|---|---|\n| ana | `«Sommer4711!»` | admin |",
        "user,password\nana,«Sommer4711!»\n",
        'id;login;password;active\n1;ana;"«Sommer4711!»";yes\n',
        " id | login | password_plain\n----+-------+----------------\n  1 | ana   | «Sommer4711!»\n(1 row)",
        "| \u7528\u6237\u540d | \u5bc6\u7801 |\n|---|---|\n| ana | «Sommer4711!» |",
      ],
      left: [
        "| field | password |\n|---|---|\n| type | string |",
        "user, password, host\nare read from the file, and from stdin2, too\n",
      ],
    },
  },
  {
    id: "table-secret",
    anchors: [
      "secret",
      "token",
      "api_key",
      "api key",
      "apikey",
      "api-key",
      "access_key",
      "access key",
      "private_key",
      ...columnKeys,
    ],
    anyCase: true,
    isColumn: true,
    pattern: /(?!)/y,
    isGuess: "argument",
    examples: {
      masked: [
        "NAME      TOKEN                      AGE\nshop-ci   «9f8aB7c6D5e4F3a2B1c0»       4d\n",
        "service\tapi_key\tquota\nmaps\t«9f8aB7c6D5e4F3a2B1c0»\t100\n",
      ],
      left: [
        "| model | tokens |\n|---|---|\n| opus | 128,000 |",
        "| token | type |\n|---|---|\n| access | string2 |",
      ],
    },
  },
  {
    id: "custom-header",
    anchors: ["-key:", "-token:", "-secret:", '-key"', '-token"', "-key'", "-token'"],
    anyCase: true,
    before: 40,
    gate: /(?<=x-[a-z0-9-]{1,36})-/iy,
    pattern: /\bx-[a-z0-9-]{2,36}-(?:key|token|secret)["']?:[ \t]{0,3}["']?(?<secret>[^\s"'`,;]{12,500})/iy,
    isGuess: true,
    examples: {
      masked: ["X-Acme-Deploy-Key:«10tzg2jv4ido6tzi7l87ucm58uzs» service=cart"],
      left: ["X-Cache-Key: /static/app.js"],
    },
  },
  {
    id: "session-cookie",
    anchors: [
      "sessionid=",
      "session_id=",
      "session=",
      "JSESSIONID=",
      "remember-me=",
      "csrftoken=",
      "PHPSESSID=",
      "connect.sid=",
      "remember_me=",
      "auth_token=",
      "access_token=",
      "refresh_token=",
      "id_token=",
    ],
    anyCase: true,
    pattern:
      /(?<!TERM_)(?:session_?(?:id)?|jsessionid|phpsessid|connect\.sid|remember[_-]me|csrftoken|(?:auth|access|refresh|id)_token)=(?<secret>[^\s;&"'`\\<>]{16,2000})/iy,
    isGuess: true,
    examples: {
      masked: ["-b 'theme=dark; sessionid=«st3o902b3lhuromgrjfs37g6a9fgdzm6»'"],
      left: ["session=new requests.Session()", "access_token=${TOKEN}"],
    },
  },
  {
    id: "pass-argument",
    anchors: ["pass:", "bindpw ", "ConvertTo-SecureString ", "Unseal Key ", "Root Token: "],
    pattern:
      /(?:(?<![a-z])pass:|bindpw[ \t]{1,8}|ConvertTo-SecureString (?:-String )?["']?(?!-)|Unseal Key \d{1,2}: |Root Token: )(?<secret>[^\s"'`]{8,200})/y,
    isGuess: "password",
    examples: {
      masked: [
        "openssl pkcs12 -passout pass:«zeemeeuw-Kade88»",
        "Unseal Key 1: «t+72o/dVOxxatvY+dXxbcTulm5vbxLu31kzSNqMJu+GG»",
      ],
      left: ["bypass: configuration-of-many", "pass:stdin-and-more"],
    },
  },
  {
    id: "app-password",
    // As Google issues them: four groups of four letters that are not words.
    anchors: ["pass"],
    anyCase: true,
    pattern:
      /pass(?:word)?["']?(?:[ \t]{0,4}[:=]| is)[ \t]{0,4}["']?(?<secret>[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?! ?[a-z])/iy,
    isGuess: "loose",
    examples: { masked: ["password: «qddo uufs issf gutj»"], left: ["password: must have more than eight"] },
  },
  {
    id: "mnemonic",
    anchors: ["mnemonic", "seed phrase", "recovery phrase"],
    anyCase: true,
    pattern:
      /(?:mnemonic|(?:seed|recovery) phrase)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z ])/iy,
    isGuess: "loose",
    examples: {
      masked: [
        'MNEMONIC="«lantern orbit velvet husband cactus mimic drastic amount fiber ocean carpet label»"',
      ],
    },
  },
  {
    id: "smtp-password",
    anchors: ["334 UGFzc3dvcmQ6"],
    pattern: /334 UGFzc3dvcmQ6(?:\r?\n|\\n)[^A-Za-z0-9+/\n]{0,20}(?<secret>[A-Za-z0-9+/]{6,200}={0,2})/y,
    examples: { masked: ["334 UGFzc3dvcmQ6\n«S2wwbXAzbi1waXNTMGltOQ==»\n235 ok"] },
  },
  {
    id: "private-address",
    anchors: ["/private-"],
    pattern: /\/private-(?<secret>[0-9a-f]{32})\//y,
    examples: {
      masked: [
        "https://calendar.google.com/calendar/ical/a/private-«d390e65d41bb80d3566369a4a73fd610»/basic.ics",
      ],
    },
  },
];
