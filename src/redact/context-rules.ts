// Credentials that are known by what stands around them: headers, addresses with a password, signed
// links, files of passwords. What they hold is judged by how it looks.
import { assigned, value } from "./parts.js";
import type { Rule } from "./rule.js";

export const contextRules: readonly Rule[] = [
  {
    id: "url-password",
    anchors: ["://"],
    before: 14,
    pattern:
      /[a-z][a-z0-9+.-]{1,13}:\/\/[^\s:/@"'`\\<>]{0,100}:(?<secret>[^\s/@"'`\\<>]{3,200})@[A-Za-z0-9[]/y,
    isGuess: "loose",
    examples: {
      masked: [
        "postgres://ana:«s3cr3t-Passw0rd»@db.internal:5432/app",
        "redis://:«p4ssw0rd!Long»@cache:6379",
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
      `(?:authorization|x-[a-z-]{3,20}|api-key|private-token)${assigned}(?:(?:token|apikey|bearer|key)[ \\t]{1,3})?${value}`,
      "iy",
    ),
    isGuess: true,
    examples: {
      masked: [
        "x-api-key: «9f8aB7c6D5e4F3a2B1c0d9E8»",
        "Authorization: token «0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d»",
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
      /(?:X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)|Signature|sig)=(?<secret>[A-Za-z0-9%+/_.=-]{20,3000})/y,
    isGuess: true,
    examples: {
      masked: [
        `https://b.s3.amazonaws.com/k?X-Amz-Signature=«9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a»`,
      ],
      left: ["X-Amz-Signature=<signature>"],
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
    id: "sql-password",
    anchors: ["password '", "identified by '", 'password "'],
    anyCase: true,
    pattern: /(?:password|identified by) (?:'(?<secret>[^'\s]{6,200})'|"[^"]{0}")/iy,
    isGuess: "loose",
    examples: {
      masked: ["CREATE USER ana WITH PASSWORD '«basin-jasper-784»';"],
      left: ["ALTER ROLE app PASSWORD 'changeme'"],
    },
  },
  {
    id: "cli-password",
    anchors: ["mysql", "mariadb", "sshpass", "redis-cli", "curl", "mongosh", "ldapsearch"],
    isWord: true,
    pattern:
      /(?:(?:mysql|mariadb)[a-z]{0,8}(?: [^\n"'|;]{0,200}?)? -p|sshpass -p ?|redis-cli [^\n"'|;]{0,200}?-a |curl [^\n|;]{0,300}?(?:-u|--user) ?["']?[^\s:"'$]{1,60}:|(?:mongosh|ldapsearch) [^\n"'|;]{0,200}?-[pw] )\\{0,3}["']?(?<secret>[^\s"'\\$]{6,200})/y,
    isGuess: true,
    examples: {
      masked: [
        "mysql -h db -u root -p«6NZHSWyifM4.xs» shop",
        "sshpass -p '«pT6vVHaI4M0_vb»' ssh a@b",
        "redis-cli -h c -a «4bSEIRSoxH1_jw» PING",
        "curl -u umber:«F1m89cyfEU1.dd» https://nexus.internal/",
      ],
      left: [
        "mysql -u root -p shop",
        "curl -u $USER:$PASS https://x",
        "curl -u user:password https://example.com",
      ],
    },
  },
  {
    id: "listed-secret",
    anchors: ["TOKEN", "PASSWORD", "SECRET", "_KEY"],
    pattern:
      /(?:TOKEN|PASSWORD|SECRET|_KEY)(?:[A-Z_]{0,20})[ \t|]{1,40}(?<secret>[A-Za-z0-9_+/=.~!@#%^*-]{16,512})(?=\s|$|\||\\[nr])/y,
    isGuess: true,
    examples: {
      masked: ["CLOUDFLARE_API_TOKEN «OfZKnlqvERqRCFPilZuDUqXNZGCL4w2EvG8KoMmW»"],
      left: ["the TOKEN configuration-variables are read", "SECRET management-and-rotation is hard"],
    },
  },
  {
    id: "pgpass",
    anchors: [":5432:", ":6432:", ":3306:"],
    before: 64,
    pattern:
      /(?<![A-Za-z0-9_.*-])[A-Za-z0-9_.*-]{1,63}:\d{4}:[^\s:"']{1,63}:[^\s:"']{1,63}:(?<secret>[^\s:"'\\]{6,200})/y,
    isGuess: "loose",
    examples: { masked: ["db.internal:5432:app:ana:«s3cr3t-Passw0rd9»"] },
  },
  {
    id: "password-option",
    anchors: [
      "--password",
      "--token",
      "--api-key",
      "--secret",
      "--passphrase",
      "--client-secret",
      "--access-token",
      "--auth-token",
    ],
    pattern:
      /--(?:password|token|api-key|secret|passphrase|client-secret|access-token|auth-token)(?:[ \t]{1,3}|=)["']?(?<secret>[^\s"'`\\]{6,500})/y,
    isGuess: true,
    examples: {
      masked: ["mysql -u ana --password=«s3cr3t-Passw0rd9» app"],
      left: ["--password-stdin", "--token $TOKEN", '--password "$PASS"'],
    },
  },
];
