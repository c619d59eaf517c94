// Secrets that are arguments of a call, without a name of their own: what a client is made with, what signs a
// text, what is typed into a form or sent to a prompt.
import type { SecretRule } from "./rule.js";

const quote = "\\\\{0,3}[\"'`]";
const prefix = "[brfu@$]{0,2}";
/** One argument before the secret: a text, a name with its members, an object or a list. */
const argument = `(?:[a-z_]{1,30} ?[=:] ?)?(?:${prefix}${quote}[^"'\`\\n\\\\]{0,200}${quote}|[\\w.$@&*\\[\\]-]{1,80}(?:\\([^()\\n]{0,80}\\))?|\\{[^{}]{0,300}\\}|\\[[^[\\]\\n]{0,100}\\])\\s{0,40},\\s{0,40}`;
const secret = `${prefix}(?<quote>${quote})(?<secret>[^"'\`\\s\\\\]{6,400})\\k<quote>`;

/** Returns a rule for the argument of these functions behind a number of others. */
function argumentOf(
  names: string,
  { behind, isGuess, examples }: { behind: number } & Pick<SecretRule, "isGuess" | "examples">,
): SecretRule {
  const list = names.split(" ");
  return {
    id: "argument",
    // The last two letters of a name are rarer before a bracket than its first three are anywhere.
    anchors: [...new Set(list.map((name) => `${name.slice(-2)}(`))],
    gate: new RegExp(`..\\((?<=(?:${list.map((name) => name.replace(".", "\\.")).join("|")})\\()`, "iy"),
    anyCase: true,
    pattern: new RegExp(
      `..\\(\\s{0,40}(?:${argument}){${behind}}${secret}(?=\\s{0,40}[,)]|\\s{0,4}\\.)`,
      "iy",
    ),
    ...(isGuess === undefined ? {} : { isGuess }),
    examples,
  };
}

// Each also stands for longer names that end with it: `createClient(`, `mysqli_connect(`.
const logins = "login signin sign_in log_in auth credentials credential usernamepassword";
const connections = "connect getconnection createconnection pdo pdo->__construct smtp";
const signers = "hmac sign jwt.encode jwt.decode createhmac";
const clients = "client api sdk bot auth credentials oauth1 gateway wallet openai anthropic twilio";

export const callRules: readonly SecretRule[] = [
  {
    id: "argument",
    anchors: ["rd(", "wd(", "se(", "et(", "en(", "ey(", "ls(", "th("],
    anyCase: true,
    gate: /..\((?<=(?:password|passwd|passphrase|secret|token|key|pwd|credentials|bearer_auth|bearer)\()/iy,
    pattern: new RegExp(
      `(?<!(?:get|has|is|find|contains|verify|validate|delete|remove|assert|expect|invalid|error|by|for|of)_?(?:[a-z]{1,12}_?)?(?:pass|passw|passphra|secr|tok|k|p|credentia|bearer_au|passwo))..\\(\\s{0,20}${secret}(?=\\s{0,20}[,)])`,
      "iy",
    ),
    isGuess: "argument",
    examples: {
      masked: [
        'let pool = PgConnectOptions::new().username("shop").password("«Zilver-Berk_2024»")',
        "builder.setPassword('«Krab!Haven77»');",
        'client.bearer_auth("«9f8aB7c6D5e4F3a2B1c0»")',
      ],
      left: [
        'hasToken("access_token")',
        'getPassword("prompt2Text")',
        'i18n.password("Enter2Characters at least")',
      ],
    },
  },
  argumentOf(logins, {
    behind: 1,
    isGuess: "argument",
    examples: {
      masked: [
        'server.login("reports@corp.example", "«Perzik~Laan4471»")',
        "await client.signIn(user, '«Krab!Haven77»');",
        'UsernamePassword("svc", "«Zilver-Berk_2024»")',
      ],
      left: ['login("username", "password")', "authenticate(user, 'local-strategy-2')"],
    },
  }),
  ...[1, 2, 3].map((behind) =>
    argumentOf(connections, {
      behind,
      isGuess: "argument",
      examples: {
        masked: [`connect(${'"db.internal", '.repeat(behind)}"«Zilver-Berk_2024»")`],
        left: [`connect(${'"db.internal", '.repeat(behind)}"orders_v2")`],
      },
    }),
  ),
  argumentOf(signers, {
    behind: 1,
    isGuess: "password",
    examples: {
      masked: [
        'crypto.createHmac("sha256", "«zyikgj7BzGGnVpap89IrT4uXRqhCDJdX»")',
        "jwt.sign({ sub: user.id }, '«b7Q2-vanilla-98xk»', { expiresIn: '1h' })",
      ],
      left: ["hmac.new(key, msg, 'sha256')", "sign(payload, 'RS256')"],
    },
  }),
  ...[0, 1, 2, 3].map((behind) =>
    argumentOf(clients, {
      behind,
      isGuess: "key",
      examples: {
        masked: [`new VendorClient(${'"eu-west-1", '.repeat(behind)}"«qsCGuilpkk2ngrsz75wtYqsCGuilpkk2»")`],
        left: [`new VendorClient(${'"eu-west-1", '.repeat(behind)}"https://api.vendor.example/v2")`],
      },
    }),
  ),
  argumentOf("hmac.new", {
    behind: 0,
    isGuess: "argument",
    examples: {
      masked: ['hmac.new(b"«q8Zr2LmX5vTn0WbKc3Yd7HsP»", body, hashlib.sha256)'],
      left: ["hmac.new(key, body, 'sha256')"],
    },
  }),
  {
    id: "argument",
    // The first argument of any class, where it can be nothing but a key.
    anchors: ['("', "('"],
    gate: /(?<=(?:new |\.)[A-Z][A-Za-z0-9]{1,40})\(["'](?=[A-Za-z0-9_-]{20})/y,
    pattern:
      /(?<!(?:Error|Exception|Hash|Digest|Id|ID|Uuid|UUID|Hex|Decode|DecodeString|FromString|Parse|Equal|Equals|Contains|Has|Symbol|Test|Object|Checksum|Sha|Ptr|String|Path|Name|Url|URL|Color|Version|Commit|Ref|Tag|Buffer|RegExp|Date|Image|Blob|Bytes|Number|Int|BigInt|Text|Fragment|Etag|Cursor))\(["'](?=[A-Za-z0-9_-]{0,400}\d)(?=[A-Za-z0-9_-]{0,400}[A-Z])(?=[A-Za-z0-9_-]{0,400}[a-z])(?<secret>[A-Za-z0-9_-]{20,400})["']\s{0,20}[,)]/y,
    isGuess: "key",
    examples: {
      masked: ['const mailer = new Mailer("«q8Zr2LmX5vTn0WbKc3Yd7HsP»", { region: "eu" });'],
      left: ['new ObjectId("q8Zr2LmX5vTn0WbKc3Yd7HsP")', 'new Route("settings-General-page2-of-things")'],
    },
  },
  {
    id: "typed-secret",
    // A prompt or a field, and what is sent to it: `expect "assword:"`, `send "…\r"`.
    anchors: [
      "sword",
      "sphrase",
      "asswd",
      "passcode",
      "chtwoord",
      "swort",
      "senha",
      "pin code",
      "secret",
      "token",
    ],
    anyCase: true,
    behind: {
      pattern: /(?:send|type|fill|write|input|set_?value|set_?text|enter|keys|press)\w{0,12}["']?[ (,:]/gi,
      within: 200,
    },
    pattern:
      /(?:sword|sphrase|asswd|passcode|chtwoord|swort|senha|pin code|(?:secret|token)(?=["'`\])][^\n]{0,60}(?:fill|type|send|keys)))[^\n"']{0,40}?["'`\])]{1,4}[^\n"']{0,40}?(?:\n|\\n)?[^\n"']{0,60}?\b(?:send|sendline|send_line|send_keys|sendkeys|type|typewrite|fill|write|writeline|input|set_?value|set_?text|press_?sequentially|enter_?text|insert_?text)(?:_keys|line)?["']?[ (,:]{1,3}(?:-- ?)?(?:[\w.]{1,30}, ?)?[bru]?(?<quote>["'`])(?<secret>[^"'`\n\\]{6,200})(?:\\[rn])*\k<quote>/iy,
    isGuess: "password",
    examples: {
      masked: [
        'expect "assword:"\nsend "«Zilver-Berk_2024»\\r"',
        "child.expect('password:')\nchild.sendline('«Krab!Haven77»')",
        'driver.find_element(By.ID, "password").send_keys("«Krab!Haven77»")',
        "await page.getByLabel('Password').fill('«Krab!Haven77»')",
      ],
      left: [
        "page.getByLabel('Password').fill('short')",
        'expect "password:"\nsend "$env(PW)\\r"',
        "it('secret');\n  write('some words');",
      ],
    },
  },
  {
    id: "returned-secret",
    // A function that is named for a secret and returns a text.
    anchors: ["en(", "et(", "rd(", "ey(", "al(", "ls("],
    anyCase: true,
    gate: /..\((?<=(?:token|secret|password|key|credentials?)\()/iy,
    behind: { pattern: /return|=>/g, within: 160 },
    pattern:
      /..\([^()\n]{0,80}\)[^{}\n"'`]{0,40}(?:\{|:|=>)?\s{0,60}(?:return|=>)\s{1,4}(?<quote>["'`])(?<secret>[^"'`\n\\]{6,400})\k<quote>/iy,
    isGuess: "argument",
    examples: {
      masked: [
        'func getVendorToken() string { return "«ntJD0ER8QpuT0O1WqsclApO2»" }',
        'def api_key():\n    return "«ntJD0ER8QpuT0O1WqsclApO2»"',
      ],
      left: ["function cacheKey() { return 'users-v2'; }"],
    },
  },
  {
    id: "dumped-secret",
    // `var_dump` of PHP.
    anchors: ["password", "passwd", "secret", "token", "key", "pass"],
    anyCase: true,
    behind: { pattern: /=>\s{1,20}string\(/g, within: 60 },
    pattern:
      /[a-z]{3,8}[a-z0-9_]{0,20}["'][^\n\]]{0,30}\]?=>\s{1,20}string\(\d{1,4}\) "(?<secret>[^"\n]{6,400})"/iy,
    isGuess: "password",
    examples: {
      masked: ['["password"]=>\n  string(12) "«Krab!Haven77»"'],
      left: ['["token"]=>\n  string(6) "string"'],
    },
  },
  {
    id: "expected-secret",
    // A setting of YAML whose value is a block below it.
    anchors: ["password:", "passwd:", "secret:", "token:", "key:", "passphrase:", "credentials:"],
    anyCase: true,
    pattern:
      /[a-z_]{3,12}:[ \t]{0,4}[|>][-+]?\d?[ \t]{0,8}(?:#[^\n]{0,80})?(?:\r?\n|\\n)[ \t]{1,40}(?<secret>[^\s"'`\\]{6,2000})(?=\s|\\n|$)/iy,
    isGuess: "password",
    examples: {
      masked: ["db:\n  password: |\n    «Krab!Haven77»\n", "api_token: >-\n  «9f8aB7c6D5e4F3a2B1c0»\n"],
      left: ["secret: |\n  ${SECRET}\n", "key: |\n  -----BEGIN PUBLIC KEY-----\n"],
    },
  },
  {
    id: "expected-secret",
    // A prompt that names what it is for, and the answer.
    anchors: [
      "password for ",
      "passphrase for ",
      "token for ",
      "password of ",
      "passcode for ",
      "password again",
      "password (",
      "passphrase (",
      "secret for ",
      "api key for ",
      "pin for ",
    ],
    anyCase: true,
    pattern:
      /[a-z ]{3,12}(?: for| of| again| \()(?: {0,2}[^\n:="'`]{0,40}(?:'[^'\n]{1,100}'|"[^"\n]{1,100}")|[^\n:="'`]{1,80})?[^\n:="'`]{0,20}[:=\uff1a][ \t*_]{0,4}["'`]?(?<secret>[^\s"'`,;\\()|*]{6,200})/iy,
    isGuess: "spoken",
    examples: {
      masked: [
        "[sudo] password for ana: «Krab!Haven77»",
        "Password for 'https://ana@git.example': «9f8aB7c6D5e4F3a2B1c0»",
        "Enter passphrase for key '/home/ana/.ssh/id_ed25519': «Zilver-Berk_2024»",
      ],
      left: ["[sudo] password for ana: \nReading package lists", "password for the account: see the vault"],
    },
  },
  {
    id: "expected-secret",
    // Lines of a terminal: the prompt for a password at the end of its line, and what was typed below it.
    anchors: ["password:", "passphrase:", "passcode:", "password?", "token:", "api key:", "secret:"],
    anyCase: true,
    pattern:
      /[a-z ]{5,12}[:?][ \t*_]{0,4}(?:\r?\n|\\n)[ \t>$]{0,8}(?<secret>[^\s"'`,;\\()|<>{}[\]:=]{6,100})[ \t]{0,8}(?=\r?\n|\\n|$)/iy,
    isGuess: "spoken",
    examples: {
      masked: ["Enter the password:\n«Krab!Haven77»\nLogged in."],
      left: ["password:\n  minLength\n", "token:\nsee-below\n"],
    },
  },
];
