// Credentials identified by their context: headers, URLs with a password, signed links, password files. The
// value itself is judged by how it looks.
import { assigned, quote, value } from "../pattern-parts.js";
import type { SecretRule } from "./rule.js";

export const contextRules: readonly SecretRule[] = [
  {
    id: "url-password",
    anchors: ["://"],
    gate: /:\/\/[^\s:/@"'`\\<>]{0,100}:[^\s/@"'`\\<>]{3,4000}@/y,
    before: 14,
    pattern:
      /[a-z][a-z0-9+.-]{1,13}:\/\/[^\s:/@"'`\\<>]{0,100}:(?<secret>[^\s/@"'`\\<>]{3,4000})@[A-Za-z0-9[]/y,
    isGuess: "weak",
    examples: {
      masked: [
        "postgres://ana:«s3cr3t-Passw0rd»@db.internal:5432/app",
        "redis://:«p4ssw0rd!Long»@cache:6379",
        "https://cafebabe:«deadbeef»@gems.vendor.example/",
      ],
      left: [
        "https://user:password@example.com",
        "https://host:8080/path@1",
        "git@github.com:a/b.git",
        "postgres://user:${DB_PASSWORD}@db/app",
      ],
    },
  },
  {
    id: "url-password",
    // Data sources of Go and of Oracle.
    anchors: ["@tcp(", "@unix("],
    gate: /(?<=:[^\s"'`/:]{3,100})@/y,
    before: 120,
    pattern: /(?<![^\s"'`=])[^\s:/@"'`]{1,60}:(?<secret>[^\s"'`/]{3,100})@(?:tcp|unix)\(/y,
    isGuess: "loose",
    examples: {
      masked: ['sql.Open("mysql", "shopper:«b1ueW@gon-3391»@tcp(127.0.0.1:3306)/shop")'],
      left: ['"user:password@tcp(localhost:3306)/db"'],
    },
  },
  {
    id: "url-password",
    anchors: ["jdbc:oracle:", "sqlplus "],
    pattern:
      /(?:jdbc:oracle:[a-z]{2,6}:|sqlplus (?:-[a-zA-Z]+ )?)[^\s/"']{1,60}\/(?<secret>[^\s@"']{3,100})@/y,
    isGuess: "loose",
    examples: { masked: ["jdbc:oracle:thin:scott/«t1gerTail»@//db:1521/orcl"] },
  },
  {
    id: "url-token",
    anchors: ["://"],
    pattern: /:\/\/(?<secret>[A-Za-z0-9_-]{20,255})@[A-Za-z0-9[]/y,
    isGuess: true,
    examples: {
      masked: ["git clone https://«9f8aB7c6D5e4F3a2B1c0d9E8»@git.example/a.git"],
      left: ["ssh://administrator-of-things@host", "https://user@example.com"],
    },
  },
  {
    id: "network-credential",
    anchors: [
      "NetworkCredential(",
      "UsernamePasswordCredentials(",
      "HTTPBasicAuth(",
      "BasicAWSCredentials(",
      "PasswordAuthentication(",
      "SECURITY_CREDENTIALS",
      "SetBasicAuth(",
      "basic_auth(",
    ],
    pattern:
      /(?:NetworkCredential|UsernamePasswordCredentials|HTTPBasicAuth|BasicAWSCredentials|PasswordAuthentication|SetBasicAuth|basic_auth|SECURITY_CREDENTIALS)\(?(?:[^"'\n(]{0,40}["'][^"'\n]{0,100}["'])?,? {0,4}\\{0,3}["'](?<secret>[^"'\s\\]{6,200})\\{0,3}["']/y,
    isGuess: "password",
    examples: {
      masked: [
        'new NetworkCredential("orders@corp.example", "«Perzik~Laan4471»")',
        'env.put(Context.SECURITY_CREDENTIALS, "«L0opbrug!Noordzij»");',
      ],
      left: ['requests.get(u, auth=HTTPBasicAuth("user", "pass"))'],
    },
  },
  {
    id: "key-data",
    anchors: ["client-key-data", "clientKeyData", "client_key_data"],
    pattern: /client[-_]?[kK]ey[-_]?[dD]ata\\{0,3}["']?: ?\\{0,3}["']?(?<secret>[A-Za-z0-9+/=]{40,16000})/y,
    examples: { masked: ["client-key-data: «LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCkSVngJ1dK84»"] },
  },
  {
    id: "bearer-token",
    anchors: ["bearer"],
    anyCase: true,
    isWord: true,
    pattern: /bearer(?:[ \t]{1,3}|%20|\+)(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/iy,
    isGuess: true,
    examples: {
      masked: ["Authorization: Bearer «9f8aB7c6D5e4F3a2B1c0d9E8f7A6b5C4»"],
      left: ["Authorization: Bearer <token>", "Bearer authentication is described here", "Bearer ${TOKEN}"],
    },
  },
  {
    id: "basic-auth",
    anchors: ["basic"],
    anyCase: true,
    isWord: true,
    pattern: /basic(?:[ \t]{1,3}|%20)(?<secret>[A-Za-z0-9+/]{10,500}={0,2})(?![A-Za-z0-9+/])/iy,
    isGuess: true,
    examples: {
      masked: ["Authorization: Basic «YW5hOmh1bnRlcjItaXMtbXktcGFzcw==»"],
      left: ["a basic understanding of authentication", "Basic YourBase64Here"],
    },
  },
  {
    id: "auth-header",
    anchors: [
      "authorization",
      "x-api-key",
      "x-auth-token",
      "x-access-token",
      "x-goog-api-key",
      "api-key",
      "x-vault-token",
      "private-token",
      "x-amz-security-token",
    ],
    anyCase: true,
    pattern: new RegExp(
      `(?:authorization|x-[a-z-]{3,20}|api-key|private-token)${assigned}${quote}?(?:[a-z][a-z0-9_-]{1,20}[ \\t]{1,3}(?:[a-z_]{2,12}=\\\\{0,3}"?)?)?${value}`,
      "iy",
    ),
    isGuess: true,
    examples: {
      masked: [
        "x-api-key: «9f8aB7c6D5e4F3a2B1c0d9E8»",
        "Authorization: token «0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d»",
        "Authorization: Api-Token «0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d»",
      ],
      left: ["Authorization: ${AUTH}", "x-api-key: your-key"],
    },
  },
  {
    id: "cookie",
    anchors: ["cookie"],
    anyCase: true,
    pattern:
      /cookie\\{0,7}["']?[ \t]{0,3}:[ \t]{0,3}\\{0,7}["']?(?<secret>[^\r\n"'\\]{1,100}=[^\r\n"'\\]{12,2000})/iy,
    isGuess: true,
    hasSpaces: true,
    examples: {
      masked: ["Cookie: «sessionid=9f8aB7c6D5e4F3a2B1c0d9E8; theme=dark»"],
      left: ["Cookie: consent=yes", "cookie: string"],
    },
  },
  {
    id: "signed-url",
    anchors: [
      "X-Amz-Signature=",
      "X-Amz-Security-Token=",
      "X-Amz-Credential=",
      "X-Goog-Signature=",
      "X-Goog-Credential=",
      "Signature=",
      "sig=",
    ],
    pattern:
      /(?:X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)|Signature|sig)=(?=[^\s&"']{0,100}\d)(?<secret>[A-Za-z0-9%+/_.=-]{20,3000})/y,
    isGuess: true,
    examples: {
      masked: [
        `https://b.s3.amazonaws.com/k?X-Amz-Signature=«9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a»`,
      ],
      left: ["X-Amz-Signature=<signature>"],
    },
  },
  {
    id: "url-key",
    // A key in the query of a link.
    // Codes of an authorization expire at once.
    anchors: [
      "?key=",
      "&key=",
      "?token=",
      "&token=",
      "?auth=",
      "&auth=",
      "?apikey=",
      "&apikey=",
      "?secret=",
      "&secret=",
      "?appid=",
      "&appid=",
    ],
    anyCase: true,
    pattern: /[?&][a-z]{3,6}=(?<secret>[A-Za-z0-9_.~%-]{16,2000})(?![A-Za-z0-9_.~%-])/iy,
    isGuess: true,
    examples: {
      masked: ["https://api.vendor.example/v1/users?key=«9e4635bc-28dc-25d3-8546-2b30115d9a7b»"],
      left: ["https://api.vendor.example/v1/users?key=settings-general", "?token=${TOKEN}"],
    },
  },
  {
    id: "webhook-url",
    // Whoever knows the address may post: its path ends with a random part.
    anchors: ["webhook", "/hooks/", "/hook/", "/incoming/", "/trigger/", "maker.ifttt.com/"],
    anyCase: true,
    before: 60,
    gate: /(?<=:\/\/[^\s"'`<>]{0,60})(?:webhook|\/hooks?\/|\/incoming\/|\/trigger\/|maker\.)/iy,
    pattern:
      /https?:\/\/[^\s"'`<>]{0,60}?(?:webhook|\/hooks?\/|\/incoming\/|\/trigger\/|maker\.)[^\s"'`<>/]{0,40}\/(?:[a-z0-9_-]{1,40}\/){0,3}?(?<secret>[A-Za-z0-9_@-]{16,200}(?:\/[A-Za-z0-9_@-]{2,200}){0,4})/iy,
    isGuess: "key",
    examples: {
      masked: [
        "https://hooks.vendor.example/hooks/catch/«bJdW1L5uS7drq4uDu2»",
        "https://acme.vendor.example/webhook/«4j55coiuyiladq9ydaoo4oan89u56vkm/u37txygi11dou8u2ttwe4rl63ax4lnw9»",
      ],
      left: ["https://docs.vendor.example/webhooks/getting-started-with-webhooks"],
    },
  },
  {
    id: "azure-key",
    anchors: ["AccountKey=", "SharedAccessKey=", "AccountKey%3D"],
    pattern: /(?:AccountKey|SharedAccessKey)(?:=|%3D)(?<secret>[A-Za-z0-9+/%]{30,120}={0,2})/y,
    examples: {
      masked: ["AccountName=a;AccountKey=«aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zCaB3dE6gH9jK2==»;EndpointSuffix=x"],
    },
  },
  {
    id: "npmrc-token",
    anchors: ["_authToken", "_auth", "_password"],
    pattern: /_(?:authToken|auth|password)[ \t]{0,2}=[ \t]{0,2}["']?(?<secret>[^\s"']{8,500})/y,
    isGuess: true,
    examples: {
      masked: ["//registry.npmjs.org/:_authToken=«0a9b8c7d-6e5f-4a3b-8c1d-0e9f8a7b6c5d»"],
      left: ["//registry.npmjs.org/:_authToken=${NPM_TOKEN}"],
    },
  },
  {
    id: "docker-auth",
    anchors: ["auth\\", 'auth"'],
    pattern: /auth\\{0,7}"[ \t]{0,3}:[ \t]{0,3}\\{0,7}"(?<secret>[A-Za-z0-9+/]{12,1000}={0,2})\\{0,7}"/y,
    isGuess: true,
    examples: {
      masked: ['"auths": {"ghcr.io": {"auth": "«YW5hOmdocF9zZWNyZXRzZWNyZXQ=»"}}'],
      left: ['"auth": "basic"'],
    },
  },
];
