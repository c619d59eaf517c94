// Passwords on command lines, in the output of commands, and in files that programs keep them in.
import type { SecretRule } from "./rule.js";

/** First words of options for keys. */
const keyNames = "api access auth secret account private client license service".split(" ");

export const shellRules: readonly SecretRule[] = [
  {
    id: "cli-password",
    anchors: [
      "mysql",
      "mariadb",
      "sshpass",
      "redis-cli",
      "curl",
      "mongosh",
      "ldapsearch",
      "login ",
      "sqlcmd",
      "smbclient",
    ],
    isWord: true,
    pattern:
      /(?:(?:mysql|mariadb)[a-z]{0,8}(?: [^\n"'|;]{0,200}?)? -p|sshpass -p ?|redis-cli [^\n"'|;]{0,200}?-a |curl (?:[^\n|;]|\\\n){0,600}?(?:-u|--user)[ =]{0,4}["']?[^\s:"'$]{0,60}["']?:["']?|(?:mongosh|ldapsearch) [^\n"'|;]{0,200}?-[pw] |sqlcmd [^\n"'|;]{0,200}?-P ?|smbclient [^\n|;]{0,200}?-U ?["']?[^\s%"']{1,60}%|(?<=(?:docker|podman|nerdctl|buildah|skopeo|oc|az|registry|helm) )login (?:[^\n"'|;]{0,200}? )?-p[ =]?)\\{0,3}["']?(?<secret>[^\s"'\\$](?:[^\s"'\\$]|\$\d){5,199})/y,
    isGuess: "password",
    examples: {
      masked: [
        "mysql -h db -u root -p«6NZHSWyifM4.xs» shop",
        "sshpass -p '«pT6vVHaI4M0_vb»' ssh a@b",
        'sshpass -p "«Pannenkoek1987»" ssh root@10.0.0.4',
        "redis-cli -h c -a «4bSEIRSoxH1_jw» PING",
        "curl -u umber:«F1m89cyfEU1.dd» https://nexus.internal/",
        "curl -k -X POST https://cache.internal/ \\\n  -d 'x' \\\n  --user  'dev:«yqDVtkqPECriaLRi»'",
        "docker login -u jenkins -p «Boterham-Kade_2019» registry.example",
        "sqlcmd -S db -U sa -P «Str0ng!Passw0rt» -Q x",
      ],
      left: [
        "mysql -u root -p shop",
        "curl -u $USER:$PASS https://x",
        "curl -u user:password https://example.com",
        "docker login -u ci --password-stdin",
      ],
    },
  },
  {
    id: "cli-password",
    // A key in the place of the user, without a password.
    anchors: ["curl"],
    isWord: true,
    pattern:
      /curl (?:[^\n|;]|\\\n){0,600}?(?:-u|--user)[ =]{0,4}["']?(?<secret>[^\s:"'$]{10,200}):["']?(?=\s|$)/y,
    isGuess: "argument",
    examples: {
      masked: ["curl -u «d2LkV78zLx!t»: https://api.vendor.example"],
      left: ["curl -u username: https://x"],
    },
  },
  {
    id: "password-option",
    anchors: [" ", "="].flatMap((end) => [
      ...["password", "passwd", "pass", "token", "secret", "passphrase", "bearer", "apikey", "authkey"].map(
        (name) => name + end,
      ),
      ...keyNames.map((name) => `${name}-key${end}`),
    ]),
    anyCase: true,
    isPart: true,
    pattern:
      /(?<=(?:^|[\s"'(])--?[a-z0-9-]{0,40})(?:password|passwd|pass|token|secret|apikey|authkey|(?:api|access|auth|secret|account|private|client|license|service)-key|passphrase|bearer)(?:[ \t]{1,3}|=)(?:\\{0,3}["'])?(?!-|(?:pass|env|file|fd):|\??s[a-z]=)(?<secret>(?:[^\s"'`\\$]|\$(?![({])){6,500})/iy,
    isGuess: "password",
    examples: {
      masked: [
        "mysql -u ana --password=«s3cr3t-Passw0rd9» app",
        "keytool -srcstorepass «zeemeeuw-Kade88» -destkeystore app.jks",
        "deploy --admin-password «Zomer2024x» --force",
        "wget --http-password '«koekKoek99»' https://x",
        "vendor login --api-key «9f8aB7c6D5e4F3a2B1c0»",
      ],
      left: ["--password-stdin", "--token $TOKEN", '--password "$PASS"', "--token-file /run/secrets/token1"],
    },
  },
  {
    id: "listed-secret",
    anchors: ["TOKEN", "PASSWORD", "SECRET", "_KEY"],
    pattern:
      /(?:TOKEN|PASSWORD|SECRET|_KEY)(?:[A-Z_]{0,20})[ \t|\u2502]{1,40}(?<secret>[A-Za-z0-9_+/=.~!@#%^*-]{16,512})(?=\s|$|\||\u2502|\\[nr])/y,
    isGuess: true,
    examples: {
      masked: ["CLOUDFLARE_API_TOKEN «OfZKnlqvERqRCFPilZuDUqXNZGCL4w2EvG8KoMmW»"],
      left: ["the TOKEN configuration-variables are read", "SECRET management-and-rotation is hard"],
    },
  },
  {
    id: "listed-secret",
    anchors: ["set aws_secret_access_key ", "set aws_session_token ", "_authToken ", "token.pypi "],
    pattern: /(?:[a-z_.A-Z]{3,40}) (?<secret>[A-Za-z0-9_+/=.-]{16,512})/y,
    before: 4,
    isGuess: true,
    examples: { masked: ["poetry config pypi-token.pypi «9f8aB7c6D5e4F3a2B1c0»"] },
  },
  {
    id: "typed-secret",
    // The answer to a prompt: `? Service token  abc`.
    anchors: ["token", "password", "secret", "key"],
    anyCase: true,
    followedBy: "\u001b\\",
    pattern:
      /(?:token|password|secret|key)(?:\u001b|\\u001b|\\x1b)\[[\d;]{0,10}m[: ]{0,4}(?:\u001b|\\u001b|\\x1b)\[[\d;]{0,10}m(?<secret>[^\s\u001b\\"']{8,400})/iy,
    isGuess: true,
    examples: {
      masked: ["\u001b[1m? Service token\u001b[0m \u001b[36m«gthSZ3TiD5Vjnxi9omjOx53X2M0rlB»\u001b[39m"],
      left: ["\u001b[1mtoken\u001b[0m \u001b[36mconfigured\u001b[39m"],
    },
  },
  {
    id: "piped-password",
    anchors: ["sudo -S"],
    gate: /(?<=(?:echo|printf) [^\n|]{4,110}\| ?)s/y,
    before: 120,
    pattern:
      /(?:echo|printf)(?: -n| -e)? \\{0,3}["']?(?<secret>[^\s"'|\\]{4,100})(?:\\n)?\\{0,3}["']? ?\| ?sudo -S/y,
    isGuess: "weak",
    examples: {
      masked: ["echo '«Koffie4melk!»' | sudo -S systemctl restart x"],
      left: ["echo $PW | sudo -S ls"],
    },
  },
  {
    id: "printed-secret",
    // The output of a command that prints secrets.
    anchors: [
      "print-access-token",
      "print-identity-token",
      "base64 -d",
      "base64 --decode",
      "get-secret-value",
      "versions access",
      "vault kv get",
      "op read ",
      "pass show ",
      "auth token",
      "openssl rand",
      "find-generic-password",
      "keyvault secret show",
    ],
    pattern:
      /(?:print-(?:access|identity)-token|base64 (?:-d|--decode)|get-secret-value|versions access|vault kv get|op read|pass show|auth token|openssl rand|find-generic-password|keyvault secret show)[^\n\\]{0,300}(?:\n|\\n)(?<secret>[^\s\\"']{8,400})(?=\s|\\n|"|$)/y,
    isGuess: true,
    examples: {
      masked: [
        "kubectl get secret a -o jsonpath='{.data.password}' | base64 -d; echo\n«91aMIVB3UDW2TrFC»\n$ ls",
      ],
      left: ["cat a.b64 | base64 -d\nhello world", "openssl rand -hex 32 > key\n$ ls"],
    },
  },
  {
    id: "cli-password",
    anchors: [
      "ssh-keygen ",
      "openssl enc ",
      "zip -P",
      "7z ",
      "htpasswd ",
      "requirepass ",
      "http -a ",
      "https -a ",
      "gh secret set ",
      "wandb login ",
    ],
    isWord: true,
    pattern:
      /(?:ssh-keygen [^\n|;]{0,200}?-N |openssl enc [^\n|;]{0,200}?-k |zip -P ?|7z [^\n|;]{0,200}?-p|htpasswd -[a-zA-Z]{0,6}b[a-zA-Z]{0,6} [^\s]{1,200} [^\s]{1,60} |requirepass |https? -a [^\s:]{1,60}:|gh secret set [^\n|;]{0,120}?(?:-b|--body)[ =]|wandb login (?:--relogin )?)\\{0,3}["']?(?<secret>[^\s"'\\$]{6,200})/y,
    isGuess: "password",
    examples: {
      masked: [
        'ssh-keygen -t ed25519 -N "«Kaas-Broodje77»" -f k',
        "htpasswd -bc users ana «Kaas-Broodje77»",
        "requirepass «Kaas-Broodje77»",
        "wandb login «9f2c7b41e8d05a6634c1b2f7a95d08e39f2c7b41»",
      ],
      left: ['ssh-keygen -t ed25519 -N "" -f k', "requirepass foobared", "7z x archive-2024.7z"],
    },
  },
  {
    id: "piped-password",
    anchors: ["chpasswd"],
    gate: /(?<=\| ?(?:sudo )?)c/y,
    before: 120,
    pattern:
      /(?:echo|printf)(?: -n| -e)? \\{0,3}["']?[^\s:"']{1,60}:(?<secret>[^\s"'|\\]{4,100})\\{0,3}["']? ?\| ?(?:sudo )?chpasswd/y,
    isGuess: "weak",
    examples: { masked: ['echo "root:«Kaas-Broodje77»" | chpasswd'], left: ["echo root:$PW | chpasswd"] },
  },
  {
    id: "share-password",
    anchors: ["net use ", "cmdkey "],
    anyCase: true,
    pattern:
      /(?:net use [^\n]{0,120}?\/user:[^\s]{1,80} |net use [^\s]{0,10} ?\\\\\\\\?[^\s]{1,120} (?!\/)|cmdkey [^\n]{0,160}?\/pass:)(?<secret>[^\s"'/][^\s"']{5,100})/iy,
    isGuess: "password",
    examples: { masked: ["net use Z: \\\\fs01\\scans /user:ACME\\svc_scan «Lade#Kast51»"] },
  },
  {
    id: "netrc-password",
    anchors: ["login "],
    isWord: true,
    pattern:
      /login[ \t]{1,4}[^\s]{1,100}(?:\s|\\n)[^\n]{0,60}?password[ \t]{1,4}(?<secret>[^\s"'\\]{4,200})/iy,
    isGuess: "loose",
    examples: { masked: ["machine api.internal login ana password «s3cr3tPassw0rd»"] },
  },
  {
    id: "netrc-password",
    // Only a password can be there, whatever it looks like.
    anchors: ["machine ", "default login "],
    isWord: true,
    pattern:
      /(?:machine[ \t]{1,4}[^\s]{1,200}|default)(?:\s|\\[nrt]){1,20}(?:login(?:\s|\\[nrt]){1,20}[^\s]{1,200}?(?:\s|\\[nrt]){1,20}(?:account(?:\s|\\[nrt]){1,20}[^\s]{1,200}?(?:\s|\\[nrt]){1,20})?)?password[ \t]{1,4}(?<secret>[^\s"'\\]{4,200})/y,
    isGuess: "any",
    examples: {
      masked: [
        "machine api.internal login ana password «correcthorse»",
        "machine api.internal\n  login ana\n  password «ZhGtrWqPlMnBvCxSdFgH»\n",
        "default login ana password «@Winter»",
      ],
      left: ["machine api.internal login ana password $PASSWORD", "machine a login b password <password>"],
    },
  },
  {
    id: "sql-password",
    anchors: ["password '", "identified by ", "identified with ", 'password "'],
    anyCase: true,
    pattern:
      /(?:password|identified (?:with [a-z0-9_']{1,40} )?by) (?<quote>["'])(?<secret>[^'"\s]{6,200})\k<quote>/iy,
    isGuess: "loose",
    examples: {
      masked: ["CREATE USER ana WITH PASSWORD '«basin-jasper-784»';"],
      left: ["ALTER ROLE app PASSWORD 'changeme'"],
    },
  },
  {
    id: "pgpass",
    anchors: [":5432:", ":5433:", ":5434:", ":5439:", ":15432:", ":25060:", ":26257:", ":6432:", ":3306:"],
    gate: /(?<=[A-Za-z0-9_.*-]):\d{4,5}:[^\s:"']{1,63}:[^\s:"']{1,63}:[^\s:"'\\]{6}/y,
    before: 64,
    pattern:
      /(?<![A-Za-z0-9_.*-])[A-Za-z0-9_.*-]{1,63}:\d{4,5}:[^\s:"']{1,63}:[^\s:"']{1,63}:(?<secret>[^\s:"'\\]{6,200})/y,
    isGuess: "loose",
    examples: { masked: ["db.internal:5432:app:ana:«s3cr3t-Passw0rd9»"] },
  },
  {
    id: "cookie-jar",
    anchors: ["\tTRUE\t", "\tFALSE\t", "\\tTRUE\\t", "\\tFALSE\\t"],
    pattern:
      /(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\d{1,14}(?:\t|\\t)[^\s\\]{1,80}(?:\t|\\t)(?<secret>[^\s\\"]{12,4000})/y,
    isGuess: true,
    examples: {
      masked: ["portal.example\tFALSE\t/\tTRUE\t1782649200\tsessionid\t«i7fp9ccvtdb4wcjllixgc7gyl16l9pgf»"],
      left: ["portal.example\tFALSE\t/\tFALSE\t0\tlanguage\tnl"],
    },
  },
  {
    id: "terraform-value",
    anchors: ['sensitive": true', 'sensitive":true', 'sensitive\\": true', "random_password"],
    pattern:
      /(?:sensitive\\{0,3}": ?true[^{}]{0,120}?value\\{0,3}"|random_password\\{0,3}"[^]{0,900}?result\\{0,3}"): ?\\{0,3}"(?<secret>[^"\\\n]{6,300})\\{0,3}"/y,
    isGuess: "loose",
    examples: {
      masked: [
        '"sensitive": true,\n    "type": "string",\n    "value": "«f1K#48#O1z6lNEjsPdknAHAKln#%»"',
        '"type": "random_password",\n "attributes": { "length": 20, "result": "«}u3:Zp&1V=q8[tN5(hYe»" }',
      ],
    },
  },
];
