// What only strict mode masks: random characters where a value stands, without any sure sign of a secret. Ids
// and hashes of other kinds look the same, so some of those are masked, too.
import { assigned, colour, quote } from "../pattern-parts.js";
import type { SecretRule } from "./rule.js";

/** Names of values that are random and no secret. */
const plainName =
  "(?<!(?:id|ids|uuid|guid|hash|sha|sha\\d{1,3}|md5|digest|checksum|integrity|etag|commit|revision|rev|tree|parent|fingerprint|signature|thumbprint|serial|nonce|cursor|trace|span|version|resolved|encrypted_content|build|image|ref|src|href|url|path|file|name|color|data|request|session|call|message|msg|run|thread|resp|item|call_id|tool_use_id|head|githead|branch|base|object|blob|oid|hexsha|head|githead|branch|base|object|blob|oid|hexsha|long|short)[\"'`]? {0,2})";

/** What a random value begins with. */
const firsts = "abcdefghijklmnopqrstuvwxyz0123456789".split("");

export const strictRules: readonly SecretRule[] = [
  {
    id: "random-value",
    // `vendor = "…"`, `vendor: …`: after the mark.
    anchors: ['= "', '="', '="', "='", "= '", ': "', '":"', ": '", "=> '", '=> "', ":= "],
    strict: true,
    pattern: new RegExp(
      `(?<=(?:^|[^A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_.-]{1,60}${quote}? {0,2})${plainName}[=:>"' ]{1,4}(?<secret>[A-Za-z0-9_+/=.~|-]{20,400})(?=["'])`,
      "iy",
    ),
    isGuess: "key",
    examples: {
      masked: [
        'vendorClient := "«5po8TFGawiYNCc1ct4ofWkBqzIfA6IeO»"',
        `vendor = '«rc6iLoUEFGGAWNLsuBJnmsh4tZB»'`,
      ],
      left: ['commit = "9f2c7b41e8d05a6634c1b2f7a95d08e39f2c7b41"', 'id: "01HZX5Y8K3QW9R7T2V6B4N1M0P"'],
    },
  },
  {
    id: "random-value",
    // A line of a settings file, whatever its name.
    anchors: firsts.flatMap((first) => [`=${first}`, `: ${first}`]),
    anyCase: true,
    strict: true,
    gate: /(?<=(?:^|\n|\\n|export |ENV )[ \t]{0,8}[A-Za-z_][A-Za-z0-9_]{1,60})(?:=|: )/y,
    pattern: new RegExp(
      `(?<=[A-Za-z0-9_])${plainName}${assigned}${colour}(?<secret>[A-Za-z0-9_+/=.~|-]{20,400})(?=\\s|\\\\n|$)`,
      "iy",
    ),
    isGuess: "key",
    examples: {
      masked: ["VENDOR=«5po8TFGawiYNCc1ct4ofWkBqzIfA6IeO»\n", "export ACME=«rc6iLoUEFGGAWNLsuBJnmsh4tZB»\n"],
      left: ["SHA=9f2c7b41e8d05a6634c1b2f7a95d08e39f2c7b41\n", "PATH=/usr/bin\n"],
    },
  },
  {
    id: "random-value",
    // Beside the name of a service, in quotes: `vendor '…'`.
    anchors: [" '", ' "', "('", '("'],
    strict: true,
    gate: /(?<=[A-Za-z])[ (]["'](?=[A-Za-z0-9_+/=.~-]{20})/y,
    pattern: /[ (]["'](?<secret>[A-Za-z0-9_+/=.~-]{20,400})["']/y,
    isGuess: "key",
    examples: {
      masked: [
        "vendor '«ZrGOAl9jlTlAKxw4hXZXeRmd6wvndEr2pX0fqDv2»' end",
        'open("«5po8TFGawiYNCc1ct4ofWkBqzIfA6IeO»")',
      ],
      left: ["import 'node-fetch-with-retries-2024'"],
    },
  },
];
