// Secrets in the forms in which programs print and keep them: directives, consoles of routers, keys of wallets,
// settings of one service.
import { quote } from "../pattern-parts.js";
import type { SecretRule } from "./rule.js";

/** The beginning of a line, also as JSON escapes it; a diff's mark may follow. */
const lineStart = "(?<=(?:^|[\\r\\n]|\\\\n)[ \\t+-]{0,20}";
const lineEnd = "(?=[ \\t]{0,20}(?:\\r?\\n|\\\\n|$))";

export const storedRules: readonly SecretRule[] = [
  {
    id: "directive",
    // `password value`, alone in a line: settings of programs, and columns of names and values.
    anchors: ["password", "passwd", "passphrase", "masterauth", "requirepass", "secret", "_pw ", "_pass "],
    anyCase: true,
    pattern: new RegExp(
      `${lineStart}[a-z_]{0,30})(?:password|passwd|passphrase|masterauth|requirepass|client_secret|secret|_pw|_pass)[ \\t]{1,40}"?(?<secret>[^\\s"'\`\\\\|<>(){}\\[\\],;=:]{6,200})"?${lineEnd}`,
      "iy",
    ),
    isGuess: "adjacent",
    examples: {
      masked: [
        "user           ana@corp.example\npassword       \u00abaq2nz24vgdm28rwt\u00bb\n",
        "protected-mode yes\nmasterauth \u00abQuaKumTomSan!90\u00bb\n",
        "Key         Value\n---         -----\npassword    \u00abViola-Nectar-1772\u00bb\nurl         https://a.example\n",
      ],
      left: ["password required\n", "the password database2\n", "secret manager-v2\n"],
    },
  },
  {
    id: "directive",
    // Consoles of switches and routers.
    anchors: [
      "privilege ",
      "snmp-server community ",
      "-server host ",
      "-server key ",
      "enable secret ",
      "enable password ",
      "username ",
      "isakmp key ",
      "pre-shared-key ",
      "wpa-psk ",
    ],
    pattern: new RegExp(
      `(?:(?:username [^\\s]{1,60} (?:privilege \\d{1,2} )?|enable )(?:password|secret)(?: [057])?|snmp-server community|(?:-server host [^\\s]{1,80}(?: [a-z-]{3,12} \\d{1,5}){0,4}|-server) key(?: [067])?|isakmp key(?: [06])?|pre-shared-key(?: (?:local|remote|ascii-text))?(?: [06])?|wpa-psk ascii(?: [07])?) (?![$*]|(?:public|private|string)\\b)(?=[^\\s]{0,60}[\\d!#%^&*@])"?(?<secret>[^\\s"'\\\\<>|]{4,120})`,
      "y",
    ),
    isGuess: "weak",
    examples: {
      masked: [
        "username netadmin privilege 15 password 0 \u00abLinenWalrus533!\u00bb",
        "snmp-server community \u00abwinter3632\u00bb RO",
        "radius-server host 10.0.0.21 key \u00abwP6YY8!M2SR*Wa\u00bb",
      ],
      left: ["snmp-server community public RO", "username ana password $PW"],
    },
  },
  {
    id: "directive",
    // ipsec.secrets
    anchors: [": PSK ", ": EAP ", ": XAUTH ", ": NTLM "],
    pattern: /: (?:PSK|EAP|XAUTH|NTLM) "(?<secret>[^"\n]{4,200})"/y,
    isGuess: "weak",
    examples: {
      masked: ['198.51.100.20 203.0.113.9 : PSK "\u00ab/qJtiN8vVoeFfdO4DsjskP/ah+Yr3moYC072\u00bb"'],
      left: [': PSK "secret"'],
    },
  },
  {
    id: "named-secret",
    anchors: ["#define ", "# define "],
    pattern:
      /# ?define[ \t]{1,8}[A-Z0-9_a-z]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|PSK|TOKEN|SECRET|API_?KEY|ACCESS_KEY)[ \t]{1,20}L?"(?<secret>[^"\n\\]{6,200})"/y,
    isGuess: "argument",
    examples: {
      masked: [
        '#define MQTT_PASS "\u00abvi0l3t_ging3r7339\u00bb"',
        '#define MQTT_TOKEN   "\u00abq8Zr2LmX5vTn0WbKc3Yd7HsP\u00bb"',
      ],
      left: [
        '#define TOK_PASS "password"',
        '#define KEY_TOKEN "auth-token"',
        '#define OPT_PASSWORD "ssl-password2"',
      ],
    },
  },
  {
    id: "named-secret",
    // Words in a line of settings: nothing but a value can be there.
    anchors: ["SECRET", "PASSWORD", "PASSPHRASE", "_PASS=", "_PW="],
    pattern: new RegExp(
      `${lineStart}(?:export |ENV )?[A-Z0-9_]{0,40})(?:SECRET|PASSWORD|PASSPHRASE|_PASS|_PW)=(?<secret>[a-z]{4,12}(?:[-_.][a-z]{4,12}){2,8})${lineEnd}`,
      "y",
    ),
    isGuess: "announced",
    examples: {
      masked: ["VITE_API=1\nJWT_SECRET=\u00abjigsaw_quartz_nectar\u00bb\n"],
      left: ["JWT_SECRET=read_from_vault\n", "DB_PASSWORD=some_config_value\n", "X_SECRET=jwt_secret_name\n"],
    },
  },
  {
    id: "printed-password",
    anchors: ["PASSWORD "],
    isWord: true,
    pattern: /PASSWORD [a-z_]{3,40} = (?<secret>[^\s"'$]{8,100})(?=\s|\\n|$)/y,
    isGuess: true,
    examples: {
      masked: ["Changed password for user elastic\nPASSWORD elastic = \u00abNvjeVvRFxfHw5oiYPovi\u00bb\n"],
      left: ["PASSWORD field = passwordInput"],
    },
  },
  {
    id: "terraform-value",
    anchors: ["random_password"],
    pattern: /random_password[^]{0,600}?\bresult\\{0,3}\s{1,20}= \\{0,3}"(?<secret>[^"\\\n]{6,300})\\{0,3}"/y,
    isGuess: "loose",
    examples: {
      masked: [
        'resource "random_password" "master" {\n    length = 22\n    result           = "\u00abrcImjT1C8QRmta1KKyMMiw\u00bb"\n',
      ],
      left: ['resource "random_password" "master" {\n    result = (sensitive value)\n'],
    },
  },
  {
    id: "wallet-key",
    anchors: ["xprv", "yprv", "zprv", "tprv"],
    isWord: true,
    pattern: /[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}(?![1-9A-Za-z])/y,
    examples: {
      masked: [
        '"xprv": "\u00abxprv9yQNkeVnCQY3S7SkH19cuW4ymjgQs8gXY9qJmhHkFi5hZrhji799qSYpxj4EjzwwBF33LApHP4qwJ181tcS4AFuEUzmeBj8fgbXxcjxQhCZ\u00bb"',
      ],
    },
  },
  {
    id: "wallet-key",
    anchors: ["wif", "accounts:", 'accounts"'],
    anyCase: true,
    pattern: new RegExp(
      `(?:wif(?:_?key)?${quote}?\\s{0,4}[:=]\\s{0,4}${quote}?|accounts${quote}?:\\s{0,10}\\[\\s{0,20}${quote}(?=(?:0x)?[0-9a-f]{64}\\b))(?<secret>[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}|(?:0x)?[0-9a-fA-F]{64})(?![0-9A-Za-z])`,
      "iy",
    ),
    examples: {
      masked: [
        '"wif": "\u00abKzeRW4dSy5z623JibxU6SsaJhBih22k25diahjQNvtj3VGfE62gW\u00bb"',
        'accounts: ["\u00ab0xf540aab01f50b085799baa745d16d9b01d6b0a49c067eeff246daf221542187f\u00bb"]',
      ],
      left: ['accounts: ["0xc79f6b5c1df51c6e4ffa56f22e73357ecc626f5c"]'],
    },
  },
  {
    id: "service-key",
    anchors: [
      "routing_key",
      "service_key",
      "routingKey",
      "primary_key: ",
      "deterministic_key: ",
      "erlang",
      "fs.azure.account.key",
    ],
    anyCase: true,
    pattern: new RegExp(
      `(?:(?:routing|service|integration)_?key${quote}?\\s{0,4}[:=]\\s{0,4}${quote}?(?=(?:R0)?[0-9a-zA-Z]{30,32}\\b)|(?:primary|deterministic)_key: (?=[A-Za-z0-9]{32}\\s)|erlang_?cookie${quote}?\\s{0,4}[:=]\\s{0,4}${quote}?|fs\\.azure\\.account\\.key[\\w.]{1,80}${quote}?\\)?\\s{0,4}[,:=]\\s{0,4}${quote}?)(?<secret>[A-Za-z0-9+/_-]{12,100}={0,2})(?![\\w-])`,
      "iy",
    ),
    isGuess: "key",
    examples: {
      masked: [
        "- routing_key: \u00abb6b9d0707fd9bb9fe419f543a0405df7\u00bb",
        "active_record_encryption:\n  primary_key: \u00abUxBgjsLGwEvvGBuQdVTgQpvwzz3llgTO\u00bb\n",
        "erlangCookie: \u00abuI95s3TjxWSol6gJZvS1Y9o458fgqmSA\u00bb",
      ],
      left: ["routing_key: orders.created.v2", "primary_key: user_id", "  primary_key: 9f2c7b41e8d05a66\n"],
    },
  },
  {
    id: "service-key",
    anchors: ['Jwt"', 'JwtSettings"', 'JwtOptions"', 'Jwt\\"'],
    pattern:
      /Jwt[A-Za-z]{0,8}\\{0,3}"\s{0,4}:\s{0,4}\{[^{}]{0,300}?"(?:Signing|Secret)?Key\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"(?<secret>[^"\\\n]{8,200})\\{0,3}"/y,
    isGuess: "loose",
    examples: {
      masked: [
        '"Jwt": { "Issuer": "https://auth.corp.example", "Key": "\u00abbarleyksiazkakettlekumoladder3422\u00bb" }',
      ],
      left: ['"Jwt": { "Issuer": "a", "Key": "your-signing-key" }'],
    },
  },
  {
    id: "lazy-secret",
    // Kotlin and Swift: a property whose value a block computes.
    anchors: ["by lazy {"],
    before: 48,
    gate: /(?<=(?:key|token|secret|password)(?:: ?String)? )by lazy/iy,
    pattern: /(?:key|token|secret|password)(?:: ?String)? by lazy \{\s{0,20}"(?<secret>[^"\n\\]{8,300})"/iy,
    isGuess: "argument",
    examples: {
      masked: ['val pushKey: String by lazy { "\u00abUryQmPC4oF-BvIxq5bBR9kcPTTKv3kV8ZnYh1z6qf6uv\u00bb" }'],
      left: ['val key: String by lazy { "settings.general" }'],
    },
  },
  {
    id: "totp-secret",
    anchors: ["otpauth://"],
    pattern: /otpauth:\/\/[^\s"'`?]{1,300}\?[^\s"'`]{0,300}?secret=(?<secret>[A-Za-z2-7]{8,128})/y,
    examples: {
      masked: ["otpauth://totp/GitHub:bot?secret=\u00abA2LYLKNZW67QRMBH\u00bb&issuer=GitHub"],
      left: ["otpauth://totp/a:b?secret=${SEED}"],
    },
  },
  {
    id: "totp-secret",
    anchors: ["totp ", "2fa ", "mfa ", "authenticator "],
    anyCase: true,
    pattern:
      /[A-Za-z0-9]{3,13} [^\n:=]{0,40}?(?:[Ss]ecret|[Ss]eed|[Kk]ey|[Cc]ode)[^\n:=]{0,20}?(?:[:=]| is) ?["'`]?(?=[A-Z ]{0,60}[2-7])(?<secret>[A-Z2-7]{4}(?: ?[A-Z2-7]{4}){3,12})(?![A-Za-z0-9])/y,
    isGuess: "any",
    hasSpaces: true,
    examples: {
      masked: [
        "the totp seed for github is \u00abJBSW Y3DP EHPK 3PXQ\u00bb",
        "the 2fa key is \u00abA2LY LKNZ W67Q RMBH\u00bb",
      ],
      left: ["the totp secret is BASE32 encoded"],
    },
  },
  {
    id: "spoken-secret",
    // `Asana PAT 2/…`
    anchors: ["PAT ", "PAT: "],
    isWord: true,
    pattern: /PAT:? (?:is )?["'`]?(?<secret>[A-Za-z0-9/:_.~+=-]{20,300})(?![\w/])/y,
    isGuess: true,
    examples: {
      masked: [
        "Asana PAT \u00ab2/4978874226117870/3172723559062896:d09a706310a07ecabf6efe07bb1668fe\u00bb dry-run",
      ],
      left: ["the PAT needs-scopes-for-repositories"],
    },
  },
];
