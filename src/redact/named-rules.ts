// Values after names that tell: in settings, in source, in markup and in plain speech. What they hold is judged by how it looks.
import { assigned, colour, value } from "./parts.js";
import type { Rule } from "./rule.js";

const telling =
  "password passwd passphrase passcode secret token api_key apikey api-key access_key accesskey access-key auth_key authkey client_secret private_key privatekey encryption_key signing_key secret_key secretkey account_key accountkey credential pwd license_key licensekey app_key appkey presharedkey preshared_key db_pass dbpass user_pass userpass smtp_pass bindpw";

/** A telling name, unless what stands before or behind it says that it is the name of something else. */
const named = `(?<!(?:page|next|cursor|continuation|sync|csrf|xsrf|has|is|get|set|show|check|verify|validate|reset|confirm)[-_]?)(?:${telling.split(" ").join("|")})(?![a-z]{0,12}(?:izer|ize|ized|count|type|name|id|ids|length|limit|url|uri|path|file|hash|field|policy|ref|expir|usage|budget|format|pattern|prefix|regex|placeholder|label|hint|description|header|param|enabled|required|rotation|manager))`;

export const namedRules: readonly Rule[] = [
  {
    id: "named-secret",
    anchors: telling.split(" "),
    anyCase: true,
    pattern: new RegExp(
      `${named}[A-Za-z0-9_]{0,20}${colour}\\\\{0,7}["']?[ \\t]{0,40}(?:=|:)[ \\t]{0,40}(?:[A-Za-z_.]{1,30}\\()?(?:\\\\{0,7}")(?<secret>[^"\\\\\\s]{8,200})(?=\\\\{0,7}")`,
      "iy",
    ),
    isGuess: true,
    examples: {
      masked: [
        'SECRET_KEY = "«-b8=na&b1vnekm+*f=e#oqjdgu%fgs0bw3kshw&l»"',
        'api_key=SecretLike("«ai506j33oDjUqcfwaLDUxYl2urcB»")',
      ],
      left: ['password = "not set"', 'token: "application/json"'],
    },
  },
  {
    id: "xml-secret",
    anchors: ["password", "passwd", "secret", "token", "apikey"],
    anyCase: true,
    pattern: /(?:password|passwd|secret|token|apikey)\b[^<>\n]{0,200}>(?<secret>[^<>\s]{6,200})<\//iy,
    isGuess: true,
    examples: {
      masked: ['<wsse:Password Type="x#PasswordText">«Koek&amp;Zopie_61»</wsse:Password>'],
      left: ["<password>string</password>", "<token>${TOKEN}</token>"],
    },
  },
  {
    id: "spoken-password",
    anchors: [
      "password is ",
      "\u043f\u0430\u0440\u043e\u043b\u044c",
      "\u5bc6\u7801",
      "contrase\u00f1a",
      "passwort",
      "kennwort",
      "wachtwoord",
      "mot de passe",
      "senha",
      "token is ",
      "token de la api es ",
    ],
    anyCase: true,
    pattern:
      /(?:password is|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801|contrase\u00f1a|passwort|kennwort|wachtwoord|mot de passe|senha|token is|token de la api es)[ \t]{0,3}(?:[:=\uff1a]|is|es|ist|est|lautet)?[ \t]{0,3}["'`]?(?=[^\s]{0,60}\d)(?<secret>[^\s"'`,;]{6,200})/iy,
    isGuess: true,
    examples: {
      masked: ["my password is «Bl!ksem88» just use that"],
      left: ["the password is required", "the token is invalid", "das Passwort vergessen"],
    },
  },
  {
    id: "custom-header",
    anchors: ["-key:", "-token:", "-secret:", '-key"', '-token"', "-key'", "-token'"],
    anyCase: true,
    before: 40,
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
      /(?:session_?(?:id)?|jsessionid|phpsessid|connect\.sid|remember_me|(?:auth|access|refresh|id)_token)=(?<secret>[^\s;&"'`\\<>]{16,2000})/iy,
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
      /(?:pass:|bindpw[ \t]{1,8}|ConvertTo-SecureString (?:-String )?["']?|Unseal Key \d{1,2}: |Root Token: )(?<secret>[^\s"'`]{8,200})/y,
    isGuess: true,
    examples: {
      masked: [
        "openssl pkcs12 -passout pass:«zeemeeuw-Kade88»",
        "Unseal Key 1: «t+72o/dVOxxatvY+dXxbcTulm5vbxLu31kzSNqMJu+GG»",
      ],
      left: ["bypass: configuration-of-many", "pass:stdin"],
    },
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
  {
    id: "named-secret",
    anchors: telling.split(" "),
    anyCase: true,
    pattern: new RegExp(`${named}[A-Za-z0-9_-]{0,40}${assigned}${value}`, "iy"),
    isGuess: true,
    examples: {
      masked: [
        'export GITHUB_TOKEN="«9f8aB7c6D5e4F3a2B1c0»"',
        '{"api_key": "«9f8aB7c6D5e4F3a2B1c0»"}',
        '{\\"password\\": \\"«hunter2-But-L0nger»\\"}',
        "db.password=«s3cr3t!Passw0rd»",
      ],
      left: [
        "password: string",
        "password = getpass.getpass()",
        ["token: process", "env.TOKEN"].join("."),
        '"token": {"type": "string"}',
        "max_tokens: 4096",
        "secretKeyRef: my-secret",
        'password: "changeme"',
        "API_KEY=your-api-key-here",
        "token_count=1234567",
        "const tokenizer = loadTokenizer",
      ],
    },
  },
];
