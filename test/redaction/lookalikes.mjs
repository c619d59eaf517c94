// Why: what looks like a credential and surely is none, as it stands in the logs of agents. Each kind says
// why it is harmless; what a careful person could doubt is left out (README.md has the list).

import { ALPHABET, fold } from "./random.mjs";

/** So many texts made by a function of the generator and the number. */
const times = (n, make) => (r) => Array.from({ length: n }, (_, i) => make(r, i));
/** The texts as they are. */
const fixed =
  (...texts) =>
  () =>
    texts;
const b64 = (text) => Buffer.from(text).toString("base64");
const b64url = (text) => Buffer.from(text).toString("base64url");

// ---- Identifiers and hashes.

const identifiers = [
  {
    kind: "uuid",
    why: "an identifier of a record",
    path: "export.csv",
    texts: times(
      5,
      (r, i) =>
        [
          `id,name\n${r.uuid()},${r.word()}\n${r.uuid()},${r.word()}`,
          `orderId: ${r.uuid()}`,
          `GET /v1/orders/${r.uuid()}/items 200 12ms`,
          `{"correlationId":"${r.uuid()}","parent":null}`,
          `Volume ${r.uuid().toUpperCase()} mounted on /data`,
        ][i],
    ),
  },
  {
    kind: "git-hash",
    why: "names of commits, blobs and trees",
    path: "git.log",
    texts: times(
      5,
      (r, i) =>
        [
          `commit ${r.hex(40)}\nAuthor: Dana <dana@example.org>\n\n    Fix the flaky test`,
          `${r.hex(40)} refs/heads/main\n${r.hex(40)} refs/tags/v1.2.0`,
          `HEAD is now at ${r.hex(7)} Update dependencies`,
          `100644 blob ${r.hex(40)}\tREADME.md`,
          `Submodule path 'vendor/lib': checked out '${r.hex(40)}'`,
        ][i],
    ),
  },
  {
    kind: "sha256",
    why: "a checksum of public content",
    path: "SHA256SUMS",
    texts: times(
      5,
      (r, i) =>
        [
          `${r.hex(64)}  node-v20.11.1-linux-x64.tar.xz`,
          `SHA256 (disk.img) = ${r.hex(64)}`,
          `sha256sum: ${r.hex(64)}\nmd5sum: ${r.hex(32)}`,
          `"contentHash": "${r.hex(64)}"`,
          `etag mismatch: expected ${r.hex(64)}, got ${r.hex(64)}`,
        ][i],
    ),
  },
  {
    kind: "docker-digest",
    why: "the digest of an image",
    path: "docker.log",
    texts: times(
      4,
      (r, i) =>
        [
          `Digest: sha256:${r.hex(64)}\nStatus: Downloaded newer image for redis:7`,
          `FROM node:20-alpine@sha256:${r.hex(64)}`,
          `ghcr.io/acme/app@sha256:${r.hex(64)}`,
          `CONTAINER ID   IMAGE\n${r.hex(12)}   postgres:16\n${r.hex(12)}   redis:7`,
        ][i],
    ),
  },
  {
    kind: "etag",
    why: "a cache validator",
    path: "response.http",
    texts: times(
      3,
      (r, i) =>
        [
          `HTTP/1.1 200 OK\nETag: "${r.hex(32)}"\nLast-Modified: Mon, 11 May 2026 08:00:00 GMT`,
          `etag: W/"${r.hex(6)}-${r.base64(20)}"`,
          `If-None-Match: "${r.hex(32)}-12"`,
        ][i],
    ),
  },
  {
    kind: "trace-id",
    why: "identifiers of requests and spans",
    path: "trace.log",
    texts: times(
      5,
      (r, i) =>
        [
          `traceparent: 00-${r.hex(32)}-${r.hex(16)}-01`,
          `x-amzn-requestid: ${r.uuid()}\nx-amz-id-2: ${r.base64(56)}`,
          `cf-ray: ${r.hex(16)}-FRA\nserver: cloudflare`,
          `{"trace_id":"${r.hex(32)}","span_id":"${r.hex(16)}","msg":"done"}`,
          `X-GitHub-Request-Id: ${r.chars(ALPHABET.HEX, 4)}:${r.chars(ALPHABET.HEX, 6)}:${r.chars(ALPHABET.HEX, 7)}:${r.chars(ALPHABET.HEX, 7)}:${r.chars(ALPHABET.HEX, 8)}`,
        ][i],
    ),
  },
  {
    kind: "anthropic-id",
    why: "identifiers of messages, calls and requests",
    path: "session.jsonl",
    texts: times(
      5,
      (r, i) =>
        [
          `{"id":"msg_01${r.base62(22)}","type":"message","role":"assistant"}`,
          `{"type":"tool_use","id":"toolu_01${r.base62(22)}","name":"Bash"}`,
          `"requestId":"req_011C${r.base62(20)}"`,
          `{"tool_use_id":"toolu_01${r.base62(22)}","type":"tool_result","content":"ok"}`,
          `{"type":"server_tool_use","id":"srvtoolu_01${r.base62(22)}","name":"web_search"}`,
        ][i],
    ),
  },
  {
    kind: "openai-id",
    why: "identifiers of responses, calls and files",
    path: "rollout.jsonl",
    texts: times(
      6,
      (r, i) =>
        [
          `{"id":"chatcmpl-${r.base62(29)}","object":"chat.completion"}`,
          `{"call_id":"call_${r.base62(24)}","name":"shell","type":"function_call"}`,
          `{"id":"resp_${r.hex(50)}","status":"completed"}`,
          `{"id":"fc_${r.hex(50)}","type":"function_call"}`,
          `system_fingerprint: fp_${r.hex(10)}`,
          `{"file_id":"file-${r.base62(22)}","purpose":"assistants"}`,
        ][i],
    ),
  },
  {
    kind: "agent-session-id",
    why: "names a session of an agent; nobody can sign in with it",
    path: "session.jsonl",
    texts: times(
      5,
      (r, i) =>
        [
          `{"sessionId":"${r.uuid()}","cwd":"/work/app","version":"2.1.4"}`,
          `{"type":"session_meta","payload":{"id":"0199${r.hex(4)}-${r.hex(4)}-7${r.hex(3)}-9${r.hex(3)}-${r.hex(12)}"}}`,
          `Resume this session with: agent --resume ${r.uuid()}`,
          `"parentUuid":"${r.uuid()}","uuid":"${r.uuid()}","isSidechain":false`,
          `~/.agent/sessions/2026/05/rollout-2026-05-12T10-15-00-${r.uuid()}.jsonl`,
        ][i],
    ),
  },
  {
    kind: "thinking-signature",
    why: "a signature of the model's thinking: it proves the text and opens nothing",
    path: "session.jsonl",
    texts: times(
      6,
      (r, i) =>
        `{"type":"thinking","thinking":"${["I should read the file first.", "The test fails because of the clock.", ""][i % 3]}","signature":"E${r.pick(["q", "r", "s"])}${r.base64(300 + i * 260)}"}`,
    ),
  },
  {
    kind: "encrypted-reasoning",
    why: "the model's reasoning, sealed by the provider; only it can be sent back",
    path: "rollout.jsonl",
    texts: times(
      3,
      (r, i) =>
        [
          `{"type":"reasoning","summary":[],"encrypted_content":"gAAAAA${r.url(800)}=="}`,
          `{"thoughtSignature":"${r.base64(420)}","text":""}`,
          `{"type":"redacted_thinking","data":"${r.base64(600)}"}`,
        ][i],
    ),
  },
  {
    kind: "object-id",
    why: "identifiers that providers document as not secret",
    path: "events.json",
    texts: times(
      6,
      (r, i) =>
        [
          `{"id":"evt_1${r.base62(23)}","object":"event","type":"invoice.paid","customer":"cus_${r.base62(14)}"}`,
          `channel C0${r.chars(ALPHABET.upper, 9)} team T0${r.chars(ALPHABET.upper, 9)} user U0${r.chars(ALPHABET.upper, 9)}`,
          `{"sid":"SM${r.hex(32)}","status":"queued"}`,
          `arn:aws:iam::${r.digits(12)}:role/deploy-${r.word()}`,
          `{"_id":{"$oid":"${r.hex(24)}"},"n":1}`,
          `vpc-${r.hex(17)} subnet-${r.hex(17)} i-${r.hex(17)}`,
        ][i],
    ),
  },
  {
    kind: "ulid-cid",
    why: "sortable and content identifiers",
    path: "ids.txt",
    texts: times(
      4,
      (r, i) =>
        [
          `01J${r.chars("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23)} created`,
          `ipfs://Qm${r.chars(ALPHABET.base58, 44)}/logo.svg`,
          `cid: bafybei${r.chars("abcdefghijklmnopqrstuvwxyz234567", 52)}`,
          `pod/api-${r.hex(9)}-${r.chars("bcdfghjklmnpqrstvwxz2456789", 5)} Running`,
        ][i],
    ),
  },
  {
    kind: "pagination-cursor",
    why: "says where the next page begins; worthless without signing in",
    path: "page.json",
    texts: times(
      3,
      (r, i) =>
        [
          `{"items":[],"nextPageToken":"${b64('{"offset":200}')}"}`,
          `{"pageInfo":{"hasNextPage":true,"endCursor":"${b64(`cursor:v2:${r.digits(9)}`)}"}}`,
          `{"Contents":[],"IsTruncated":true,"NextMarker":"logs/2026/05/${r.digits(8)}.gz"}`,
        ][i],
    ),
  },
  {
    kind: "long-number",
    why: "numbers: times, sizes, telephone-like and snowflake ids",
    path: "numbers.txt",
    texts: times(
      5,
      (r, i) =>
        [
          `${r.digits(19)} ${r.digits(18)} ${r.digits(19)}`,
          `phone: +49 30 ${r.digits(7)}, fax: +1 (555) 010-${r.digits(4)}`,
          `pi = 3.14159265358979323846264338327950288419716939937510`,
          `duration_ns=${r.digits(12)} heap=${r.digits(9)} rss=${r.digits(10)}`,
          `ISBN 978-3-16-148410-0, order ${r.digits(10)}:${r.digits(4)}`,
        ][i],
    ),
  },
];

// ---- Content of files.

const integrity = (r) => `sha512-${r.base64(64)}`;

const files = [
  {
    kind: "lock-file",
    why: "integrity hashes of public packages",
    path: "package-lock.json",
    texts: times(
      8,
      (r, i) =>
        [
          `    "node_modules/${r.word()}": {\n      "version": "4.1.2",\n      "resolved": "https://registry.npmjs.org/${r.word()}/-/${r.word()}-4.1.2.tgz",\n      "integrity": "${integrity(r)}",\n      "dev": true\n    },`,
          `"${r.word()}@^2.0.0":\n  version "2.3.1"\n  resolved "https://registry.yarnpkg.com/x/-/x-2.3.1.tgz#${r.hex(40)}"\n  integrity ${integrity(r)}`,
          `/${r.word()}@5.0.0:\n    resolution: {integrity: ${integrity(r)}}\n    engines: {node: '>=18'}`,
          `golang.org/x/crypto v0.31.0 h1:${r.base64(32)}\ngolang.org/x/crypto v0.31.0/go.mod h1:${r.base64(32)}`,
          `[[package]]\nname = "${r.word()}"\nversion = "1.0.4"\nchecksum = "${r.hex(64)}"`,
          `requests==2.32.3 \\\n    --hash=sha256:${r.hex(64)} \\\n    --hash=sha256:${r.hex(64)}`,
          `<script src="/a.js" integrity="sha384-${r.base64(48)}" crossorigin="anonymous"></script>`,
          `"narHash": "sha256-${r.base64(32)}",\n"rev": "${r.hex(40)}"`,
        ][i],
    ),
  },
  {
    kind: "base64-image",
    why: "a picture",
    path: "card.html",
    texts: times(6, (r, i) => {
      const png = `iVBORw0KGgoAAAANSUhEUgAA${r.base64(900 + i * 400)}`;
      return [
        `<img alt="logo" src="data:image/png;base64,${png}">`,
        `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${png}"}}`,
        `![chart](data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ${r.base64(1200)})`,
        `background: url("data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");`,
      ][i % 4];
    }),
  },
  {
    kind: "base64-font",
    why: "a font",
    path: "fonts.css",
    texts: times(
      4,
      (r, i) =>
        `@font-face{font-family:"${r.word()}";src:url(data:font/woff2;base64,d09GMgABAAAAA${r.base64(1500 + i * 300)}) format("woff2")}`,
    ),
  },
  {
    kind: "source-map",
    why: "positions of code",
    path: "app.js.map",
    texts: times(
      4,
      (r) =>
        `{"version":3,"sources":["../src/${r.word()}.ts"],"names":["token","secret"],"mappings":"${Array.from({ length: 180 }, () => r.chars("ACDEGIKMOQSUWYacegikmoqsuwyBFJNR", 4 + r.int(2))).join(r.int(2) ? "," : ";")}"}`,
    ),
  },
  {
    kind: "minified-code",
    why: "code without names",
    path: "vendor.min.js",
    texts: times(5, (r, i) => {
      const f = () => r.chars(ALPHABET.letters, 1 + r.int(2));
      const body = Array.from(
        { length: 30 + i * 15 },
        () => `function ${f()}${r.int(99)}(e,t){return e.${f()}?t.${f()}(e,${r.int(999)}):void 0}`,
      ).join("");
      return `!function(e,t){"use strict";var token=t.token,password=t.password;${body}e.exports={setToken:${f()}1,hasPassword:!password}}(module,this);`;
    }),
  },
  {
    kind: "public-key",
    why: "a public key is made to be given away",
    path: "keys.pub",
    texts: times(
      6,
      (r, i) =>
        [
          `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.base64(31).replace(/=+$/, "")} dana@laptop`,
          `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC${r.base64(254).replace(/=+$/, "")} ci@build`,
          `-----BEGIN PUBLIC KEY-----\n${fold(`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${r.base64(258)}`, 64).join("\n")}\n-----END PUBLIC KEY-----`,
          `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${fold(r.base64(400), 64).join("\n")}\n=${r.base64(3)}\n-----END PGP PUBLIC KEY BLOCK-----`,
          `age1${r.chars(ALPHABET.bech32.toLowerCase(), 58)}`,
          `{"kty":"RSA","use":"sig","kid":"${r.hex(8)}","e":"AQAB","n":"${r.base64url(256)}"}`,
        ][i],
    ),
  },
  {
    kind: "certificate",
    why: "a certificate is sent to everybody who connects",
    path: "ca.crt",
    texts: times(
      4,
      (r, i) =>
        [
          `-----BEGIN CERTIFICATE-----\n${fold(`MIID${r.base64(900)}`, 64).join("\n")}\n-----END CERTIFICATE-----`,
          `    certificate-authority-data: ${b64(`-----BEGIN CERTIFICATE-----\n${fold(`MIIC${r.base64(400)}`, 64).join("\n")}\n-----END CERTIFICATE-----\n`)}`,
          `-----BEGIN CERTIFICATE REQUEST-----\n${fold(`MIIC${r.base64(500)}`, 64).join("\n")}\n-----END CERTIFICATE REQUEST-----`,
          `Serial Number: ${r.hex(36).match(/../g).join(":")}\nSHA256 Fingerprint=${r.chars(ALPHABET.HEX, 64).match(/../g).join(":")}`,
        ][i],
    ),
  },
  {
    kind: "host-fingerprint",
    why: "the fingerprint of a host's public key",
    path: "known_hosts",
    texts: times(
      4,
      (r, i) =>
        [
          `ED25519 key fingerprint is SHA256:${r.base64(32).slice(0, 43)}.`,
          `256 SHA256:${r.base64(32).slice(0, 43)} git@build (ED25519)`,
          `github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.base64(31).replace(/=+$/, "")}`,
          `RSA key fingerprint is MD5:${r.hex(32).match(/../g).join(":")}.`,
        ][i],
    ),
  },
  {
    kind: "css-colours",
    why: "colours and lengths",
    path: "theme.css",
    texts: times(
      4,
      (r, i) =>
        [
          `:root{${Array.from({ length: 24 }, (_, k) => `--c${k}:#${r.hex(6)}`).join(";")}}`,
          `const palette = [${Array.from({ length: 20 }, () => `"#${r.hex(6)}"`).join(", ")}];`,
          `.token.keyword{color:#${r.hex(6)}} .token.string{color:#${r.hex(6)}} .password-input{padding:0 8px}`,
          `fill="#${r.hex(8)}" d="M${Array.from({ length: 60 }, () => r.int(99)).join(" ")}z"`,
        ][i],
    ),
  },
  {
    kind: "assembly",
    why: "machine code and memory addresses",
    path: "dump.txt",
    texts: times(
      4,
      (r, i) =>
        [
          Array.from(
            { length: 8 },
            (_, k) =>
              `  40${r.hex(2)}${k}0:\t${r.hex(14).match(/../g).join(" ")}\tmov    %rax,0x${r.hex(4)}(%rip)`,
          ).join("\n"),
          Array.from(
            { length: 6 },
            (_, k) => `000000${k}0: ${r.hex(32).match(/..../g).join(" ")}  ................`,
          ).join("\n"),
          `RIP: 0033:0x${r.hex(12)} RAX: ${r.hex(16)} RBX: ${r.hex(16)}`,
          `BuildID[sha1]=${r.hex(40)}, not stripped`,
        ][i],
    ),
  },
  {
    kind: "harmless-base64",
    why: "base64 of plain text without a secret",
    path: "data.txt",
    texts: times(5, (r, i) =>
      b64(
        [
          "The quick brown fox jumps over the lazy dog, twice, and then goes home to sleep.",
          `{"page":${r.int(90)},"sort":"name","filters":["open","mine"],"view":"board"}`,
          "#!/bin/sh\nset -eu\nnpm ci\nnpm test\n",
          "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'><rect width='10' height='10'/></svg>",
          "Reminder: the meeting about passwords and tokens is on Tuesday at ten.",
        ][i],
      ),
    ),
  },
  {
    kind: "wasm-protobuf",
    why: "compiled content",
    path: "module.txt",
    texts: times(
      3,
      (r, i) =>
        [
          `const wasm = "AGFzbQEAAAAB${r.base64(900)}";`,
          `descriptor: "${r.base64(500)}"`,
          `"model_weights_chunk_3": "${r.base64(1500)}"`,
        ][i],
    ),
  },
];

// ---- Documentation and placeholders.

const docs = [
  {
    kind: "documentation-example",
    why: "published examples that never worked as credentials",
    path: "README.md",
    texts: fixed(
      "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
      "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
      "AKIAI44QH8DHBEXAMPLE is the second example key of the IAM guide.",
      'export OPENAI_API_KEY="sk-..."',
      "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "ANTHROPIC_API_KEY=sk-ant-api03-...",
      "ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxx",
      "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "Keys start with `sk-…`, restricted ones with `rk-…`.",
      "token: xoxb-your-token-here",
      "STRIPE_KEY=sk_live_...",
    ),
  },
  {
    kind: "azurite-key",
    why: "the well-known key of the storage emulator, the same on every machine and published by Microsoft",
    path: "docker-compose.yml",
    texts: fixed(
      "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;",
    ),
  },
  {
    kind: "jwt-io-sample",
    why: "jwt.io's sample of John Doe, signed with a published word and accepted by nobody",
    path: "jwt.md",
    texts: fixed(
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
      "The sample eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c has three parts.",
    ),
  },
  {
    kind: "jwt-header-only",
    why: "a header without claims or signature",
    path: "jwt.md",
    texts: fixed(
      `The first part, ${b64url('{"alg":"HS256","typ":"JWT"}')}, decodes to {"alg":"HS256","typ":"JWT"}.`,
      `header = "${b64url('{"alg":"RS256","typ":"JWT","kid":"2026-05"}')}"`,
      "xxxxx.yyyyy.zzzzz",
      "eyJhbGciOi...",
    ),
  },
  {
    kind: "placeholder",
    why: "stands for a value that is not there",
    path: ".env.example",
    texts: fixed(
      "API_KEY=your-api-key-here",
      "TOKEN=<token>",
      "password: <your password>",
      "DB_PASSWORD=changeme",
      "SECRET_KEY=REPLACE_ME",
      "password=********",
      "Authorization: [REDACTED]",
      "api_key: [REDACTED:github-token:1]",
      "PASSWORD=",
      'token: ""',
      "secret = null",
      "client_secret=YOUR_CLIENT_SECRET",
      "DISCORD_TOKEN=put_your_bot_token_here",
      "password: xxxxxxxxxxxx",
      "_authToken=${NPM_TOKEN}",
      '"apiKey": "***"',
    ),
  },
  {
    kind: "variable-reference",
    why: "names a variable, holds no value",
    path: "deploy.sh",
    texts: fixed(
      'curl -H "Authorization: Bearer ${TOKEN}" https://api.example.com/v1/me',
      "mysql -u root -p$PASSWORD shop",
      "const key = process.env.API_KEY;",
      'token = os.environ["TOKEN"]',
      'password = os.getenv("DB_PASSWORD", "")',
      "password: ${{ secrets.DEPLOY_PASSWORD }}",
      "api_key: {{ secrets.X }}",
      '$env:TOKEN = Get-Content "$HOME/.token"',
      "export GITHUB_TOKEN=$(gh auth token)",
      "TOKEN=$(vault kv get -field=token secret/ci)",
      "spring.datasource.password=${DB_PASSWORD}",
      "Authorization: `Bearer ${session.accessToken}`",
      "DATABASE_URL=postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}:5432/app",
      "pass: op://Private/registry/password",
      "password = data.aws_secretsmanager_secret_version.db.secret_string",
    ),
  },
  {
    kind: "url-placeholder",
    why: "a URL with words in the place of name and password",
    path: "README.md",
    texts: fixed(
      "postgres://user:pass@localhost:5432/mydb",
      "mongodb://username:password@host:27017/db",
      "redis://:<password>@localhost:6379",
      "https://user:token@example.com/repo.git is not recommended.",
      "mysql://USER:PASSWORD@HOST/DATABASE",
      "amqp://user:***@rabbit:5672/",
    ),
  },
  {
    kind: "url-without-password",
    why: "nothing in it opens anything",
    path: "links.txt",
    texts: fixed(
      "postgresql://localhost:5432/orders?sslmode=disable",
      "https://github.com/acme/token-service/blob/main/src/secret.ts#L10-L20",
      "git@github.com:acme/password-manager.git",
      "https://example.com/reset-password?lang=en&step=2",
      "s3://acme-artifacts/builds/2026/05/12/app.tar.gz",
      "https://hooks.slack.com/services/ is where webhooks of Slack live.",
      "ssh://git@git.acme.internal:2222/ops/secrets-template.git",
      "https://fonts.googleapis.com/css2?family=Inter:wght@400;700&display=swap",
    ),
  },
  {
    kind: "email",
    why: "an address of a person or a service",
    path: "people.csv",
    texts: times(
      4,
      (r, i) =>
        [
          `${r.word()}.${r.word()}@example.com, ${r.word()}@example.org`,
          `Co-authored-by: Dana <${r.digits(8)}+dana@users.noreply.github.com>`,
          `security@acme.example, password-reset@acme.example`,
          `From: token-bot@ci.example.com\nTo: team@example.com`,
        ][i],
    ),
  },
  {
    kind: "bearer-docs",
    why: "documentation of a header",
    path: "api.md",
    texts: fixed(
      "Send `Authorization: Bearer <token>` with every request.",
      "Authorization: Bearer YOUR_ACCESS_TOKEN",
      "Authorization: Basic <base64(user:password)>",
      'The server answers 401 with `WWW-Authenticate: Bearer realm="api", error="invalid_token"`.',
      "Cookie: session=<session id>",
      "Authorization: Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}",
    ),
  },
  {
    kind: "csrf-docs",
    why: "documentation of CSRF tokens",
    path: "security.md",
    texts: fixed(
      'A CSRF token is a random value that the server puts into each form: `<input type="hidden" name="csrf_token" value="{{ csrf_token }}">`.',
      "Set-Cookie: csrftoken=<random>; SameSite=Strict",
      "Django: add `{% csrf_token %}` inside the form.",
    ),
  },
  {
    kind: "token-regex",
    why: "describes tokens, is none",
    path: "rules.toml",
    texts: fixed(
      "regex = '''ghp_[0-9a-zA-Z]{36}'''",
      "/AKIA[0-9A-Z]{16}/",
      "const JWT = /^eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+$/;",
      "password\\s*[:=]\\s*['\"]?([^'\"\\s]{8,})",
      "pattern: ^sk-ant-[a-z0-9]+-[\\w-]{93}AA$",
      "grep -rE 'xox[bpa]-[0-9]{10,}' .",
      "-----BEGIN [A-Z ]*PRIVATE KEY-----",
    ),
  },
  {
    kind: "pem-mention",
    why: "the marker of a key without the key",
    path: "notes.md",
    texts: fixed(
      "The file must begin with -----BEGIN RSA PRIVATE KEY----- and end with -----END RSA PRIVATE KEY-----.",
      'if "BEGIN PRIVATE KEY" in text: raise ValueError("key in the repository")',
      "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
      "-----BEGIN OPENSSH PRIVATE KEY-----\n<your key here>\n-----END OPENSSH PRIVATE KEY-----",
    ),
  },
  {
    kind: "stripe-publishable",
    why: "Stripe documents publishable keys as safe to publish: they stand in every shop's page",
    path: "checkout.html",
    texts: times(
      3,
      (r, i) =>
        [
          `<script>const stripe = Stripe("${["pk", "live"].join("_")}_51${r.base62(97)}");</script>`,
          `NEXT_PUBLIC_STRIPE_KEY=${["pk", "live"].join("_")}_${r.base62(24)}`,
          `{"publishableKey":"${["pk", "test"].join("_")}_51${r.base62(97)}"}`,
        ][i],
    ),
  },
];

// ---- Code and words.

const code = [
  {
    kind: "type-annotation",
    why: "a type, not a value",
    path: "types.ts",
    texts: fixed(
      "interface Login { user: string; password: string; token?: string }",
      "def login(user: str, password: str, *, api_key: Optional[str] = None) -> Token:",
      'type Config struct {\n\tPassword string `json:"password"`\n\tAPIKey   string `json:"api_key"`\n}',
      "private String clientSecret;",
      "fn verify(token: &str, secret: &SecretKey) -> Result<Claims, Error>",
      "public required string AccessToken { get; init; }",
      "password: z.string().min(12),",
    ),
  },
  {
    kind: "password-code",
    why: "code that asks for, compares or hashes passwords",
    path: "auth.py",
    texts: fixed(
      "password = getpass()",
      "if (password !== confirmPassword) throw new Error('passwords differ');",
      "const ok = await bcrypt.compare(input.password, user.passwordHash);",
      'password = prompt("Password: ", hide_input=True)',
      "token = generateToken(user.id, { expiresIn: '15m' })",
      "secret = crypto.randomBytes(32).toString('hex')",
      "hmac.compare_digest(signature, expected_signature)",
      "user.password = hashPassword(req.body.password)",
      "session.token = await refreshAccessToken(session.refreshToken)",
      "set_password(form.cleaned_data['new_password1'])",
    ),
  },
  {
    kind: "function-name",
    why: "names that contain token, secret or password",
    path: "list.txt",
    texts: fixed(
      "validateAccessTokenAndRefreshIfNeeded",
      "resetPasswordForUserWithExpiredToken()",
      "com.acme.security.token.SecretTokenProviderFactoryBean",
      "get_secret_value_from_aws_secrets_manager",
      "test_login_with_wrong_password_returns_401",
      "AWS_SECRET_ACCESS_KEY, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN are read from the environment",
    ),
  },
  {
    kind: "test-name",
    why: "titles of tests",
    path: "test.log",
    texts: fixed(
      "✓ masks the password=… of a connection string (3 ms)",
      "PASS test/auth/token.test.ts\n  ✓ rejects an expired token (12 ms)\n  ✓ keeps the secret out of the log (4 ms)",
      "FAILED tests/test_password.py::test_password_too_short - AssertionError",
      "--- PASS: TestBearerTokenIsRedacted (0.01s)",
      "describe('secret: rotation', () => { it('keeps the old api_key: for a day', check) })",
    ),
  },
  {
    kind: "token-count",
    why: "counts of a model's tokens",
    path: "usage.json",
    texts: times(
      5,
      (r, i) =>
        [
          `{"input_tokens":${r.digits(5)},"output_tokens":${r.digits(4)},"cache_read_input_tokens":${r.digits(6)}}`,
          `max_tokens: ${r.digits(4)}, stop_token: "<|endoftext|>", pad_token_id: 50256`,
          `total_tokens=${r.digits(6)} tokens_per_second=${r.digits(3)}.5`,
          `{"type":"token_count","info":{"total_token_usage":{"reasoning_output_tokens":${r.digits(4)}}}}`,
          'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")  # sep_token=[SEP] cls_token=[CLS]',
        ][i],
    ),
  },
  {
    kind: "json-schema",
    why: "a schema that names a field",
    path: "schema.json",
    texts: fixed(
      '{"type":"object","properties":{"token":{"type":"string"},"password":{"type":"string","format":"password"}}}',
      '"api_key": {"type": "string", "description": "The key of the account", "minLength": 32}',
      "components:\n  securitySchemes:\n    bearerAuth:\n      type: http\n      scheme: bearer\n      bearerFormat: JWT",
      "message LoginRequest {\n  string user = 1;\n  string password = 2;\n}",
      "CREATE TABLE users (id uuid PRIMARY KEY, email text NOT NULL, password_hash text, reset_token text);",
    ),
  },
  {
    kind: "secret-reference",
    why: "refers to a secret by name",
    path: "deployment.yaml",
    texts: fixed(
      "env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: orders-db\n      key: password",
      "imagePullSecrets:\n- name: registry-credentials",
      "secrets:\n  db_password:\n    file: ./secrets/db_password.txt",
      "NAME            TYPE     DATA   AGE\norders-db       Opaque   2      41d\napi-token       Opaque   1      3d",
      "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
      "projects/acme/secrets/api-key/versions/latest",
    ),
  },
  {
    kind: "commit-message",
    why: "words about secrets",
    path: "CHANGELOG.md",
    texts: fixed(
      "fix(auth): do not log the access token when refresh fails",
      "chore: rotate secrets, remove hard-coded password from seed script",
      "security: bump jsonwebtoken to 9.0.2 (CVE-2022-23529)",
      "- The `--password` flag is deprecated; use `--password-stdin`.",
      'Revert "feat: api_key: allow several keys per account"',
    ),
  },
  {
    kind: "i18n-string",
    why: "words that a person reads",
    path: "de.json",
    texts: fixed(
      '{"login.password":"Passwort","login.forgotPassword":"Passwort vergessen?","token.expired":"Die Sitzung ist abgelaufen"}',
      "password.mismatch=Les mots de passe ne correspondent pas",
      'msgid "Password:"\nmsgstr "Contraseña:"',
      '"secret": "Geheimnis", "token": "Spielmarke"',
      "Your password must have at least 12 characters, one digit and one sign.",
    ),
  },
  {
    kind: "package-name",
    why: "names of packages",
    path: "package.json",
    texts: fixed(
      '"dependencies": {"jsonwebtoken": "^9.0.2", "passport-local": "1.0.0", "csrf-tokens": "^2.0.0", "secret-stack": "8.1.0"}',
      "pip install python-jose[cryptography] passlib itsdangerous keyring",
      "import { SecretManagerServiceClient } from '@google-cloud/secret-manager';",
      "go get github.com/golang-jwt/jwt/v5@v5.2.1",
    ),
  },
  {
    kind: "cli-help",
    why: "help of a program",
    path: "help.txt",
    texts: fixed(
      "  -p, --password string   Password\n      --password-stdin    Take the password from stdin",
      "Usage: tool login [--token TOKEN] [--api-key KEY]",
      "      --client-secret=SECRET   OAuth client secret (env: CLIENT_SECRET)",
      "Login Succeeded. Your token is stored in the keychain.",
      "mysql: [Warning] Using a password on the command line interface can be insecure.",
    ),
  },
  {
    kind: "error-message",
    why: "says that a credential is wrong or missing, without it",
    path: "error.log",
    texts: fixed(
      'FATAL:  password authentication failed for user "app"',
      "npm ERR! code ENEEDAUTH\nnpm ERR! need auth This command requires you to be logged in.",
      '{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided."}',
      "remote: Support for password authentication was removed on August 13, 2021.",
      'SyntaxError: Unexpected token \'}\', ..."password":}" is not valid JSON',
    ),
  },
  {
    kind: "html-form",
    why: "a form that asks for a password",
    path: "login.html",
    texts: fixed(
      '<input type="password" name="password" autocomplete="current-password" placeholder="Password">',
      '<label for="api_key">API key</label><input id="api_key" name="api_key" maxlength="64">',
      '<a href="/forgot-password">Forgot password?</a>',
    ),
  },
  {
    kind: "configuration",
    why: "settings with telling names and harmless values",
    path: "settings.ini",
    texts: fixed(
      "password_min_length = 12\npassword_require_digit = true",
      "token_expiry_seconds=3600\ntoken_issuer=https://auth.example.com",
      "ssh_authorized_keys_file = /etc/ssh/authorized_keys",
      "passwordAuthentication no\nPermitRootLogin prohibit-password",
      "auth_type: token\ncredential_helper: osxkeychain",
      "JWT_ALGORITHM=HS256\nJWT_EXPIRES_IN=15m",
      "SESSION_COOKIE_NAME=sid\nSESSION_COOKIE_SECURE=true",
    ),
  },
  {
    kind: "ordinary-text",
    why: "words",
    path: "book.txt",
    texts: fixed(
      "The secret: of a good soup is time. The password to the club was, as always, a smile.",
      "Ask-me-anything session, sk-learn meetup and risk-adjusted planning are on Thursday.",
      "the-quick-brown-fox-jumps-over-the-lazy-dog-and-then-some-more-words-in-kebab-case",
      "node_modules/.pnpm/@babel+plugin-transform-private-property-in-object@7.25.9_@babel+core@7.26.0/node_modules",
    ),
  },
];

export const lookalikes = [...identifiers, ...files, ...docs, ...code];
