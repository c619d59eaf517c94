// What people write when they hand over a credential: `the password is …`, `log in as … with …`, lists of recovery
// codes, seeds of words. The sentence says that it is one, so the value may look like anything.
// Over 300 lines: one table of languages, and what they share.
import type { SecretRule } from "./rule.js";

const quotes = "\"'`\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u300c\u300d\u300e\u300f";
/** Letters of Chinese, Japanese and Korean, and their marks: no space is before them. */
const wide = "\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uff1f";
/** A value up to a blank, a quote or a mark that ends the sentence. */
const value = `[*_]{0,2}[${quotes}(]?(?<secret>[^\\s${quotes}${wide},;\\\\()\u060c]{3,99}[^\\s${quotes}${wide},;\\\\().:?*\u060c])(?=[*_]{0,2}[\\s${quotes}${wide},;\\\\).:!*\u060c]|$)`;
/** What may be between the word and the verb: for whom, for what, but no other sentence. */
const middle = (verbs: string): string =>
  `(?:(?!${verbs}[\\s:${quotes}]|[.?!] )[^\\n,;"\`{}=<>|\\\\]){0,60}?`;
const mark = "(?:[:=\uff1a\uff1d\u2192]|[-=]>|:=|[ \\t][\u2013\u2014-][ \\t])";
/** Without what it is for, `=` and `:` are for the rules of names and values. */
const arrow = "[ \\t]{0,3}(?:\u2192|\uff1a|\uff1d|[ \\t](?:[-=]>|[\u2013\u2014-])[ \\t])";

/** What the password is for, before a mark. */
const purpose =
  "(?:[ \\t]{1,3}(?:for|of|on|to|at|from|de|del|du|der|da|do|di|f\u00fcr|zu|zum|von|till|k|na|voor|van|\u043e\u0442|\u0434\u043b\u044f|\u043d\u0430|\u043a)[ \\t][^\\n,;?!\"'{}=<>|\\\\:]{1,40}?)";

interface Language {
  /** Ends of words for a password, as anchors. */
  anchors: readonly string[];
  /** The words, with their inflections. */
  words: string;
  /** Verbs between the word and the value, with what is before them. */
  verbs: string;
  /** A value may follow the word, or what the password is for. */
  adjacent: string;
  masked: readonly string[];
  left: readonly string[];
}

const languages: readonly Language[] = [
  {
    anchors: ["password", "passphrase", "passcode", "passwd", "pass ", "pwd ", "pw "],
    words: "(?:pass(?:words?|phrase|code|wd)|pass(?![^\\n]{0,80}? (?:to|as) )|pwd?)",
    verbs: "[ \\t](?:is(?: now| still| just)?|was|will be|should be|as|to)",
    adjacent: "",
    masked: [
      "the staging password is \u00abvelvetshovel7\u00bb, user ana",
      "login ana@corp.example, pw is now \u00abWill0w4703!\u00bb (the old one stopped working)",
      "the wifi password is \u00abjigsaw-quartz-nectar\u00bb.",
      "FTP: ftp.corp.example / user web1182 / pw \u00abmX%Vdlfi%7\u00bb",
      "password -> `\u00abspruce35\u00bb`",
    ],
    left: [
      "the password is required, ask ana77",
      "the password is 8-64 characters",
      "the password is bcrypt-hashed",
      "the password for server1 works",
      "is the password db_password2?",
      "the password is user.password2",
    ],
  },
  {
    anchors: ["passwort", "kennwort", "wachtwoord"],
    words: "(?:passw(?:ort|\u00f6rter)|kennwort|wachtwoord)",
    verbs: "[ \\t](?:ist(?: jetzt| nun)?|lautet|war|is|luidt)",
    adjacent: "(?:[ \\t](?:f\u00fcr|von|zum|zur|voor|van)(?: [^\\s,]{2,30}){1,3}?)?",
    masked: [
      "Zugang: Benutzer wartung, Kennwort \u00abTurnip2621!\u00bb, Host spiegel02",
      "het wachtwoord van de nas is \u00abfiets77bel\u00bb",
    ],
    left: ["das Passwort ist falsch", "Kennwort Version2 ist alt"],
  },
  {
    anchors: ["mot de passe", "mots de passe", "mdp "],
    words: "(?:mots? de passe|mdp)",
    verbs: "[ \\t](?:est|c['\u2019]est|sera|vaut)",
    adjacent: "",
    masked: [
      "Le mot de passe du compte ovh-ftp c'est \u00abFossil#winter71\u00bb \u2014 pousse dist/",
      "Le mot de passe du compte FTP de l'h\u00e9bergeur est \u00abTundra-Pebble-1005\u00bb (login : vitrine)",
    ],
    left: ["le mot de passe est obligatoire", "Le mot de passe est stock\u00e9 dans vault/prod-2024"],
  },
  {
    anchors: ["contrase\u00f1a", "clave ", "senha ", "palavra-passe ", "contrasenya "],
    words: "(?:contrase\u00f1as?|clave|senha|palavra-passe|contrasenya)",
    verbs: "[ \\t](?:es|era|\u00e9|eh|ser\u00e1)",
    adjacent: "",
    masked: ["la clave del panel es \u00abpatata2024\u00bb", "a senha do wifi \u00e9 \u00abbanana_77x\u00bb"],
    left: [
      "La contrase\u00f1a se guarda en clave_usuario. El ticket es SEG-2291.",
      "la contrase\u00f1a es obligatoria",
    ],
  },
  {
    anchors: ["la password ", "parola "],
    words: "(?:la password|parola(?:s\u0131)?)",
    verbs: "[ \\t](?:\u00e8|era|e['\u2019]|este|e)",
    adjacent: "",
    masked: ["la password del wifi dell'ufficio \u00e8 \u00abmagnetpigeon29\u00bb, mettila"],
    left: ["la password \u00e8 errata", "La password \u00e8 di 8-16 caratteri"],
  },
  {
    anchors: ["l\u00f6senord", "passord", "adgangskode", "kodeord", "salasana"],
    words: "(?:l\u00f6senord|passord|adgangskode|kodeord|salasana)(?:en|et|er|ene)?",
    verbs: "[ \\t](?:\u00e4r(?: nu)?|er(?: n\u00e5| nu)?|var|on)",
    adjacent: "",
    masked: [
      "l\u00f6senordet till testkontot anna+qa@corp.example \u00e4r \u00abFarfalla88!\u00bb. K\u00f6r testerna",
    ],
    left: ["passordet er feil", "l\u00f6senordet \u00e4r minst 8 tecken"],
  },
  {
    anchors: ["has\u0142o", "has\u0142a", "heslo", "jelsz\u00f3", "lozinka", "geslo"],
    words: "(?:has\u0142[oa]|heslo|jelsz\u00f3|lozinka|geslo)",
    verbs: "[ \\t](?:to|jest(?: teraz)?|brzmi|je|a k\u00f6vetkez\u0151)",
    adjacent: "",
    masked: [
      "Has\u0142o do panelu to \u00abj4sm1n3_51\u00bb (login: kasia)",
      "heslo k mailu info@corp.example je \u00abspruce35\u00bb , nastav",
    ],
    left: ["has\u0142o jest wymagane", "heslo je povinn\u00e9"],
  },
  {
    anchors: ["\u015fifre", "sifre", "m\u1eadt kh\u1ea9u", "kata sandi", "kata laluan"],
    words: "(?:[\u015fs]ifre(?:si|m|miz)?|m\u1eadt kh\u1ea9u|kata (?:sandi|laluan)(?:nya)?)",
    verbs: "[ \\t](?:l\u00e0|adalah|ialah|olarak)",
    adjacent: "",
    masked: [
      "\u015fifre \u00abKumTruKetPra!88\u00bb kullan\u0131c\u0131 ad\u0131 yonetici",
      "m\u1eadt kh\u1ea9u postgres l\u00e0 \u00abvelvetshovel7\u00bb, database kho",
      "kata sandi server adalah \u00abpisang88x\u00bb",
    ],
    left: ["\u015fifre zorunludur", "m\u1eadt kh\u1ea9u l\u00e0 b\u1eaft bu\u1ed9c"],
  },
  {
    anchors: ["\u043f\u0430\u0440\u043e\u043b"],
    words: "\u043f\u0430\u0440\u043e\u043b(?:\u044c|\u044f|\u0435\u043c|\u0456)",
    verbs:
      "[ \\t](?:\u044d\u0442\u043e|\u0446\u0435|\u0431\u0443\u0434\u0435\u0442|\u0442\u0430\u043a\u043e\u0439)",
    adjacent:
      "(?:[ \\t](?:\u043e\u0442|\u0434\u043b\u044f|\u043d\u0430|\u043a|\u0432\u0456\u0434|\u0434\u043e)(?: [^\\s,]{2,30}){1,3}?)?",
    masked: [
      "\u041f\u0430\u0440\u043e\u043b\u044c \u043e\u0442 \u0440\u043e\u0443\u0442\u0435\u0440\u0430 \u00abfiddl3_18\u00bb, \u043b\u043e\u0433\u0438\u043d root",
      "\u043f\u0430\u0440\u043e\u043b\u044c \u044d\u0442\u043e \u00abspruce35\u00bb",
    ],
    left: [
      "\u043f\u0430\u0440\u043e\u043b\u044c \u043d\u0435 \u043f\u043e\u0434\u0445\u043e\u0434\u0438\u0442",
    ],
  },
  {
    anchors: [
      "\u0627\u0644\u0645\u0631\u0648\u0631",
      "\u0627\u0644\u0633\u0631",
      "\u05e1\u05d9\u05e1\u05de",
      "\u03ba\u03c9\u03b4\u03b9\u03ba",
    ],
    words:
      "(?:\u0627\u0644\u0645\u0631\u0648\u0631|\u0627\u0644\u0633\u0631|\u05e1\u05d9\u05e1\u05de\u05d4|\u05e1\u05d9\u05e1\u05de\u05ea|\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2)",
    verbs:
      "[ \\t](?:\u0647\u064a|\u0647\u0648|\u05d4\u05d9\u05d0|\u05d4\u05d5\u05d0|\u03b5\u03af\u03bd\u03b1\u03b9)",
    adjacent: "",
    masked: [
      "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631 \u0644\u0642\u0627\u0639\u062f\u0629 \u0627\u0644\u0628\u064a\u0627\u0646\u0627\u062a \u0647\u064a \u00abnickel_flint_1022\u00bb \u0648\u0627\u0633\u0645",
    ],
    left: [
      "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631 \u0645\u0637\u0644\u0648\u0628\u0629",
    ],
  },
  {
    anchors: [
      "\u5bc6\u7801",
      "\u5bc6\u78bc",
      "\u53e3\u4ee4",
      "\u30d1\u30b9\u30ef\u30fc\u30c9",
      "\ube44\ubc00\ubc88\ud638",
      "\ud328\uc2a4\uc6cc\ub4dc",
    ],
    words:
      "(?:\u5bc6[\u7801\u78bc]|\u53e3\u4ee4|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638|\ud328\uc2a4\uc6cc\ub4dc)",
    verbs:
      "[ \\t]?(?:\u662f|\u4e3a|\u70ba|\u6539\u6210|\u8bbe\u4e3a|\u306f|\u304c|\ub294|\uc740|\uac00|\uc774)",
    adjacent: "",
    masked: [
      "\u670d\u52a1\u5668 10.0.0.4 \u7684 root \u5bc6\u7801\u662f \u00abAMu9.a*x.o*Y\u00bb\uff0c\u5e2e\u6211",
      "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f\u00abfiddl3_18\u00bb\u3067\u3059",
    ],
    left: ["\u5bc6\u7801\u662f\u5fc5\u586b\u9879", "\u5bc6\u7801\u4e3a 8-16 \u4f4d"],
  },
];

const spoken: readonly SecretRule[] = languages.flatMap(
  ({ anchors, words, verbs, adjacent, masked, left }, index): SecretRule[] => [
    {
      id: "spoken-password",
      anchors,
      anyCase: true,
      ...(index === 0 ? { isWord: true as const } : {}),
      pattern: new RegExp(
        `${words}(?:${middle(verbs)}${verbs}[ \\t]{0,3}:?|${purpose}[ \\t]{0,3}${mark}|${index === 0 ? arrow : `(?:[ \\t][^\\s,;:="'<>{}]{2,20})?[ \\t]{0,3}${mark}`})[ \\t]{0,4}${value}`,
        "iy",
      ),
      isGuess: "announced",
      examples: { masked, left },
    },
    {
      id: "spoken-password",
      anchors,
      anyCase: true,
      ...(index === 0 ? { isWord: true as const } : {}),
      pattern: new RegExp(
        `${index === 0 ? "(?:pass(?:words?|phrase|code)|pw)" : words}${adjacent}[ \\t]{1,3}${value}`,
        "iy",
      ),
      isGuess: "adjacent",
      examples: { masked, left },
    },
  ],
);

/** Words of a seed, perhaps numbered, in lines or in one. */
const seedWords =
  "(?:(?:\\d{1,2}[.):]?[ \\t]{1,3})?[a-z]{3,8}(?:[ \\t]{0,3}(?:,|\\r?\\n|\\\\n)[ \\t]{0,3}|[ \\t]{1,3}))";

export const announcedRules: readonly SecretRule[] = [
  ...spoken,
  {
    id: "spoken-password",
    // `log in as ana with …`, `creds: ana / …`
    anchors: [
      "log in ",
      "login ",
      "login:",
      "sign in ",
      "ssh in ",
      "ssh as ",
      "creds",
      "credentials",
      "account",
      "basic auth",
    ],
    anyCase: true,
    isWord: true,
    pattern: new RegExp(
      `(?:log ?in|sign in|ssh in|ssh|creds?|credentials|account|basic auth)(?: (?:is|are|as|with|using)){0,2}:?[ \\t]{1,3}[${quotes}]?[A-Za-z0-9._@+-]{2,60}[${quotes}]?(?:[ \\t]{0,3}[/:|][ \\t]{0,3}|,?[ \\t]{1,3}(?:with|using|and|pw|pass)[ \\t]{1,3})(?:the )?(?:password |pw )?${value}`,
      "iy",
    ),
    isGuess: "adjacent",
    examples: {
      masked: [
        "log in as ana with \u00abWinter77x\u00bb and look",
        "login as `root` / `\u00abhunter#42x\u00bb`",
        "The creds are postgres / \u00abotterlake42\u00bb",
        "ssh in with root/\u00abotterlake42\u00bb on 10.0.0.4",
      ],
      left: [
        "log in as ana with oauth2",
        "sign in with google and firebase",
        "credentials: aws-profile:default",
      ],
    },
  },
  {
    id: "spoken-password",
    // `… is the password for`, `… is my API key`
    anchors: [" is the ", " is my ", " is our ", " is your ", " as the ", " as my ", " as your "],
    anyCase: true,
    before: 84,
    gate: / (?:is|as) (?:the|my|our|your) (?:[a-z]{2,12} ){0,3}?(?:password|passphrase|passcode|pw|token|secret|(?:api|access|auth|secret) key)\b/iy,
    pattern: new RegExp(
      `(?<![^\\s${quotes}(])[${quotes}]?(?<secret>[^\\s\\\\${quotes}]{6,80})[${quotes}]? (?:is|as) (?:the|my|our|your) `,
      "iy",
    ),
    isGuess: "adjacent",
    examples: {
      masked: [
        "\u00abwP6YY8!M2SR*Wa\u00bb is the password of the router",
        "`\u00abq8Zr2LmX5vTn\u00bb` is my API key for it",
      ],
      left: ["SHA256 is the key function", "what is the password of it", "oauth2 is the token type"],
    },
  },
  {
    id: "spoken-password",
    // Several words behind a mark, a verb or an option, up to the end of the line or the sentence.
    anchors: [
      "passphrase",
      "password",
      "passwort",
      "mot de passe",
      "contrase\u00f1a",
      "wachtwoord",
      "\u043f\u0430\u0440\u043e\u043b\u044c",
      "psk ",
    ],
    anyCase: true,
    pattern: new RegExp(
      `(?:passphrase|password|passwort|mot de passe|contrase\u00f1a|wachtwoord|\u043f\u0430\u0440\u043e\u043b\u044c|psk)(?:(?:${purpose})?[ \\t]{0,3}${mark}|[^\\n.,;?!"'{}=<>|\\\\:]{0,40}? (?:is|was|ist|lautet|est|es|\u00e8)|[ =](?=["']))[ \\t]{0,4}["'\`\u201c\u201e]?(?<secret>[A-Za-z]{3,9}(?: [a-z]{3,9}){1,23}(?: \\d{2,6})?)(?=["'\`\u201d]|[.,;]?[ \\t]{0,3}(?:\\r?\\n|\\\\n|$)|[.,;] )`,
      "iy",
    ),
    isGuess: "phrase",
    examples: {
      masked: [
        "SSH passphrase for id_rsa = \u00abcinder gadget juniper onyx\u00bb\n",
        'wifi_password: "\u00abYonder mango 28\u00bb"',
      ],
      left: [
        "password: must contain special characters",
        '"password": "Please choose another word"',
        "password = encrypted with bcrypt",
        '"password": "Mot de passe oublié"',
      ],
    },
  },
  {
    id: "mnemonic",
    anchors: ["mnemonic", "seed", " phrase", "12 words", "24 words", "recovery words", "frase de "],
    anyCase: true,
    pattern: new RegExp(
      `(?:mnemonic|seed|phrase|words|frase de [a-z\u00f3]{4,14})[^\\n.!?{}]{0,40}?(?:[:=]| is| are| es|[ \\t](?=["'\`]))["'\`\\s\\\\n]{0,6}(?<secret>${seedWords}{11,23}(?:\\d{1,2}[.):]?[ \\t]{1,3})?[a-z]{3,8})(?![A-Za-z])`,
      "iy",
    ),
    isGuess: "phrase",
    examples: {
      masked: [
        "seed: \u00absaddle bag mechanic sleep kite hedgehog suggest pattern odor real misery kick\u00bb. no passphrase",
        'the seed phrase is "\u00abpocket mustard clover willow flannel blanket pillow tulip wicker karhu silver bison\u00bb" in case',
      ],
      left: ["the seed is made from words that you can read below and keep in a safe place"],
    },
  },
  {
    id: "recovery-codes",
    // Each code has the same form; one placeholder stands for the list.
    anchors: [
      "recovery code",
      "recovery-code",
      "backup code",
      "scratch code",
      "emergency code",
      "one-time code",
      "2fa codes",
      "wiederherstellungscode",
      "codes de secours",
      "c\u00f3digos de ",
    ],
    anyCase: true,
    pattern:
      /(?:[a-z0-9-]{0,24}[ -]?codes?|codes de secours|c\u00f3digos de)[^\n:]{0,80}(?::|\n|\\n)(?:\s|\\n|[-*\u2022]){0,8}(?<secret>(?:\d{1,2}[.)] )?(?<code>(?=[a-z-]{0,20}\d|\d{4,12})[a-z0-9]{4,12}(?:[- ][a-z0-9]{4,12}){0,3})(?:(?:[ \t]{1,6}|[ \t,]{0,4}(?:\r?\n|\\n)|, )(?:[ \t]{0,8}[-*\u2022] |[ \t]{0,8}\d{1,2}[.)] |[ \t]{0,8})(?=[a-z-]{0,20}\d|\d{4,12})[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){0,3}){1,23})(?![\w-])/iy,
    isGuess: "any",
    hasSpaces: true,
    examples: {
      masked: [
        "here are my recovery codes, keep them:\n\n\u00ab24d61-86dd2\ndc7b5-e7ccf\n12581-cf9f5\u00bb\n\naccount is ana",
        "Your backup codes:\n  1. \u00ab8127 3341\n  2. 9012 7764\u00bb\n".replace("1. \u00ab", "\u00ab1. "),
      ],
      left: ["recovery codes: see page 12 of the manual", "backup codes:\nthe user can print them"],
    },
  },
];
