// Names for secrets in languages other than English: in settings, and in sentences.
import { quote } from "../pattern-parts.js";
import type { SecretRule } from "./rule.js";

/**
 * Words for a password and for a key or token, in lower case: their ends, because their beginnings are those
 * of many words.
 */
const passwords = [
  // German, Dutch, French, Spanish, Portuguese, Italian, Swedish, Polish.
  ..."swort nwort chtwoord gangscode rase\u00f1a rasena senha senord as\u0142o arola passe".split(" "),
  // Russian, Ukrainian.
  "\u043f\u0430\u0440\u043e\u043b\u044c",
  "\u043f\u0430\u0440\u043e\u043b\u044e",
  "\u043f\u0430\u0440\u043e\u043b\u0435\u043c",
  // Chinese, Japanese, Korean.
  "\u5bc6\u7801",
  "\u5bc6\u78bc",
  "\u53e3\u4ee4",
  "\u30d1\u30b9\u30ef\u30fc\u30c9",
  "\u6697\u8a3c\u756a\u53f7",
  "\ube44\ubc00\ubc88\ud638",
  "\ud328\uc2a4\uc6cc\ub4dc",
  "\uc554\ud638",
];
const keys = [
  ..."l\u00fcssel eimnis leutel clave jeton cl\u00e9 segredo llave secreto".split(" "),
  "\u0442\u043e\u043a\u0435\u043d",
  "\u0441\u0435\u043a\u0440\u0435\u0442",
  "\u043a\u043b\u044e\u0447",
  "\u5bc6\u94a5",
  "\u5bc6\u9470",
  "\u79d8\u94a5",
  "\u4ee4\u724c",
  "\u79d8\u5bc6\u9375",
  "\u30b7\u30fc\u30af\u30ec\u30c3\u30c8",
  "\u30c8\u30fc\u30af\u30f3",
  "api\u30ad\u30fc",
  "\u30a2\u30af\u30bb\u30b9\u30ad\u30fc",
  "\ud1a0\ud070",
  "\ube44\ubc00\ud0a4",
  "\uc2dc\ud06c\ub9bf",
  "api \ud0a4",
  "api\ud0a4",
];

/** The verbs and marks between a name and its value, of all these languages. */
const between =
  "(?:[ \\t]{1,3}(?=[\"'`\u201c\u201e\u00ab\u300c\u300e])|(?:[^\\n\"'`{}=.?!]|[.?!](?! )){0,60}?[ )](?:ist|lautet|is|est|es|\u00e9|\u00e8|\u044d\u0442\u043e|era|auf|a|naar|\u043d\u0430)[ \\t]{0,3}:?|[^\\n\"'`{}=\uff1a:\u3002]{0,24}?(?:\u662f|\u4e3a|\u70ba|\u306f|\u304c|\u6539\u6210|\u8bbe\u4e3a|\u8bbe\u7f6e\u4e3a|\ub294|\uc740|\uc774|\uac00|\ub97c|\u3092)[ \\t]{0,3}:?|[^\\n\"'`{}=\uff1a:\u3002]{0,40}?[\"'`\u300d\\])\uff09*_]{0,4}[ \\t]{0,20}(?:=>|->|:=|[:=\uff1a\uff1d\u2192\u2014\u2013]))";
const value = `[ \\t*_]{0,8}(?:${quote}|[\u201c\u201e\u00ab\u300c\u300e\u2018])?`;

function spokenRule(
  words: readonly string[],
  isGuess: "spoken" | "key",
  examples: SecretRule["examples"],
): SecretRule {
  return {
    id: "spoken-password",
    anchors: words,
    anyCase: true,
    pattern: new RegExp(
      `(?:${words.join("|").replace("|passe", "|(?<=mots?[ _-]?de[ _-]?|palavra-?)passe")})${between}${value}(?<secret>[^\\s\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"'\`,;\\\\\u201c\u201d\u300d\u300f\u00bb\u3001\u3002\uff0c\uff09()|*]{6,200})`,
      "iy",
    ),
    isGuess,
    examples,
  };
}

export const languageRules: readonly SecretRule[] = [
  spokenRule(passwords, "spoken", {
    masked: [
      "das Passwort f\u00fcr den Server lautet \u201e\u00abApfelbaum_Nr17\u00bb\u201c".replaceAll(
        "\u00ab\u00ab",
        "\u00ab",
      ),
      "\u6570\u636e\u5e93\u5bc6\u7801\u662f \u00abTulp&Molen2023\u00bb\uff0c\u8bf7\u767b\u5f55",
      "\u7ba1\u7406\u5458\u5bc6\u7801\uff1a\u00abTulp&Molen2023\u00bb",
      "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f \u00abTulp&Molen2023\u00bb \u3067\u3059",
      "\ube44\ubc00\ubc88\ud638\ub294 \u00abTulp&Molen2023\u00bb",
      "\u043f\u0430\u0440\u043e\u043b\u044c \u043e\u0442 \u0431\u0430\u0437\u044b: \u00abTulp&Molen2023\u00bb",
      "le mot de passe est \u00abTulp&Molen2023\u00bb",
      "la contrase\u00f1a es \u00abTulp&Molen2023\u00bb",
      "a senha do banco \u00e9 \u00abTulp&Molen2023\u00bb",
    ],
    left: [
      "das Passwort ist abgelaufen",
      "\u5bc6\u7801\u662f\u5fc5\u586b\u9879",
      "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f8\u6587\u5b57\u4ee5\u4e0a",
      "la contrase\u00f1a es obligatoria",
    ],
  }),
  spokenRule(keys, "key", {
    masked: [
      "\u8bbf\u95ee\u5bc6\u94a5: \u00ab9f8aB7c6D5e4F3a2B1c0\u00bb",
      "API\u30ad\u30fc\u306f \u00ab9f8aB7c6D5e4F3a2B1c0\u00bb \u3067\u3059",
      "\u0442\u043e\u043a\u0435\u043d = \u00ab9f8aB7c6D5e4F3a2B1c0\u00bb",
      "API-Schl\u00fcssel: \u00ab9f8aB7c6D5e4F3a2B1c0\u00bb",
    ],
    left: ["\u5bc6\u94a5: \u8bf7\u53c2\u9605\u6587\u6863", "Schl\u00fcssel: primary-key-2"],
  }),
];
