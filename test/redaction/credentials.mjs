// Why: the kinds of credentials that are planted, each made at random in the format that its provider
// publishes. Prefixes are written in two parts so that the scanners of hosting services leave this file
// alone.

import { ALPHABET, crc24, crc32, fold, inBase } from "./random.mjs";

/** Joins the parts of a prefix that must not stand whole in this file. */
const p = (...parts) => parts.join("");

const b64 = (text) => Buffer.from(text).toString("base64");
const b64url = (text) => Buffer.from(text).toString("base64url");

/** Thirty characters of base 62 and the CRC-32 of them in six: GitHub's format, and npm's. */
function checksummed(prefix, r, length = 30) {
  const body = r.base62(length);
  return prefix + body + inBase(crc32(body), ALPHABET.base62, 6);
}

/** A number in hexadecimal, its lowest byte first: how Grafana writes its checksum. */
function lowFirst(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes.toString("hex");
}

function jwt(r, claims, header = { alg: "HS256", typ: "JWT" }) {
  const signature = r.base64url(header.alg === "RS256" ? 256 : 32);
  return `${b64url(JSON.stringify(header))}.${b64url(JSON.stringify(claims))}.${signature}`;
}

const claims = (r) => ({
  iss: `https://auth.${r.word()}.io/`,
  sub: `user_${r.digits(8)}`,
  aud: `${r.word()}-api`,
  iat: 1767225600 + r.int(20000000),
  exp: 1798761600 + r.int(20000000),
  scope: "read:all write:all",
});

// ---- Tokens: one string. `bare`: the string alone is surely a credential; else it is always shown after its
// ---- name. `git` and `npm`: it also occurs in the URL of a remote, or in npm's configuration.

const tokens = [
  // GitHub: "Behind GitHub's new authentication token formats" (2021); fine-grained: 22 + _ + 59.
  {
    kind: "github-pat",
    n: 5,
    name: "GITHUB_TOKEN",
    bare: true,
    git: "github.com",
    npm: true,
    make: (r) => checksummed(p("gh", "p_"), r),
  },
  {
    kind: "github-oauth",
    n: 2,
    name: "GH_TOKEN",
    bare: true,
    git: "github.com",
    make: (r) => checksummed(p("gh", "o_"), r),
  },
  {
    kind: "github-app-user",
    n: 2,
    name: "GITHUB_USER_TOKEN",
    bare: true,
    git: "github.com",
    make: (r) => checksummed(p("gh", "u_"), r),
  },
  {
    kind: "github-app-server",
    n: 2,
    name: "GITHUB_TOKEN",
    bare: true,
    git: "github.com",
    npm: true,
    make: (r) => checksummed(p("gh", "s_"), r),
  },
  {
    kind: "github-refresh",
    n: 2,
    name: "GITHUB_REFRESH_TOKEN",
    bare: true,
    make: (r) => checksummed(p("gh", "r_"), r, 70),
  },
  {
    kind: "github-fine-grained",
    n: 3,
    name: "GH_TOKEN",
    bare: true,
    git: "github.com",
    npm: true,
    make: (r) => `${p("github", "_pat_")}11${r.chars(ALPHABET.upper, 8)}0${r.base62(11)}_${r.base62(59)}`,
  },
  // GitLab: "Token prefixes"; routable tokens: payload, version, length and CRC in base 36.
  {
    kind: "gitlab-pat",
    n: 3,
    name: "GITLAB_TOKEN",
    bare: true,
    git: "gitlab.com",
    npm: true,
    make: (r) => p("gl", "pat-") + r.url(20),
  },
  {
    kind: "gitlab-pat-routable",
    n: 2,
    name: "GITLAB_TOKEN",
    bare: true,
    git: "gitlab.com",
    make: gitlabRoutable,
  },
  { kind: "gitlab-runner", n: 2, name: "RUNNER_TOKEN", bare: true, make: (r) => p("gl", "rt-") + r.url(20) },
  {
    kind: "gitlab-deploy",
    n: 2,
    name: "CI_DEPLOY_PASSWORD",
    bare: true,
    git: "gitlab.com",
    make: (r) => p("gl", "dt-") + r.url(20),
  },
  // Atlassian: API tokens end with = and a CRC in hexadecimal; Bitbucket app passwords begin with ATBB.
  {
    kind: "atlassian",
    n: 2,
    name: "JIRA_API_TOKEN",
    bare: true,
    make: (r) => {
      const body = p("ATA", "TT3xFfGF0") + r.url(172);
      return `${body}=${inBase(crc32(body), ALPHABET.HEX, 8)}`;
    },
  },
  {
    kind: "bitbucket",
    n: 2,
    name: "BITBUCKET_APP_PASSWORD",
    bare: true,
    git: "bitbucket.org",
    make: (r) => p("AT", "BB") + r.base62(24) + r.chars(ALPHABET.HEX, 8),
  },
  // Clouds.
  { kind: "aws-secret-key", n: 2, name: "AWS_SECRET_ACCESS_KEY", make: (r) => r.chars(ALPHABET.base64, 40) },
  {
    kind: "azure-client-secret",
    n: 2,
    name: "AZURE_CLIENT_SECRET",
    make: (r) =>
      `${r.base62(3)}${r.pick(["7", "8"])}Q~${r.chars(`${ALPHABET.base62}.-_~`, 33)}${r.base62(1)}`,
  },
  {
    kind: "google-api-key",
    n: 3,
    name: "GEMINI_API_KEY",
    bare: true,
    header: "x-goog-api-key",
    make: (r) => p("AI", "za") + `Sy${r.url(33)}`,
  },
  {
    kind: "google-oauth-secret",
    n: 2,
    name: "GOOGLE_CLIENT_SECRET",
    bare: true,
    make: (r) => p("GOC", "SPX-") + r.url(28),
  },
  {
    kind: "google-access-token",
    n: 2,
    name: "GOOGLE_OAUTH_ACCESS_TOKEN",
    bare: true,
    make: (r) => `${p("ya", "29.")}a0A${r.url(180)}`,
  },
  {
    kind: "google-refresh-token",
    n: 2,
    name: "GOOGLE_REFRESH_TOKEN",
    make: (r) => `${p("1/", "/0")}${r.pick(["3", "4", "9"])}${r.url(100)}`,
  },
  {
    kind: "digitalocean",
    n: 2,
    name: "DIGITALOCEAN_ACCESS_TOKEN",
    bare: true,
    make: (r) => p("dop", "_v1_") + r.hex(64),
  },
  {
    kind: "heroku",
    n: 2,
    name: "HEROKU_API_KEY",
    make: (r, i) => (i % 2 ? r.uuid() : `${p("HR", "KU-")}AA${r.url(58)}`),
  },
  {
    kind: "cloudflare",
    n: 3,
    name: "CLOUDFLARE_API_TOKEN",
    make: (r, i) => (i % 2 ? r.url(40) : p(i ? "cfa" : "cfu", "t_") + r.base62(40) + r.hex(8)),
  },
  { kind: "vercel", n: 2, name: "VERCEL_TOKEN", make: (r) => r.base62(24) },
  {
    kind: "netlify",
    n: 2,
    name: "NETLIFY_AUTH_TOKEN",
    bare: true,
    make: (r) => p("nf", "p_") + r.base62(36),
  },
  {
    kind: "databricks",
    n: 2,
    name: "DATABRICKS_TOKEN",
    bare: true,
    make: (r, i) => p("da", "pi") + r.hex(32) + (i === 1 ? "-2" : ""),
  },
  {
    kind: "supabase-pat",
    n: 2,
    name: "SUPABASE_ACCESS_TOKEN",
    bare: true,
    make: (r) => p("sb", "p_") + r.hex(40),
  },
  {
    kind: "supabase-service-role",
    n: 2,
    name: "SUPABASE_SERVICE_ROLE_KEY",
    bare: true,
    make: (r) =>
      jwt(r, {
        iss: "supabase",
        ref: r.chars(ALPHABET.lower, 20),
        role: "service_role",
        iat: 1767225600,
        exp: 2082758400,
      }),
  },
  {
    kind: "planetscale",
    n: 2,
    name: "PLANETSCALE_SERVICE_TOKEN",
    bare: true,
    make: (r, i) => p("pscale", i === 1 ? "_pw_" : "_tkn_") + r.url(43),
  },
  // Models.
  { kind: "openai", n: 5, name: "OPENAI_API_KEY", bare: true, make: openai },
  {
    kind: "anthropic",
    n: 5,
    name: "ANTHROPIC_API_KEY",
    bare: true,
    header: "x-api-key",
    make: (r) => `${p("sk-", "ant-api03-")}${r.url(93)}AA`,
  },
  {
    kind: "anthropic-oauth",
    n: 2,
    name: "CLAUDE_CODE_OAUTH_TOKEN",
    bare: true,
    make: (r) => `${p("sk-", "ant-oat01-")}${r.url(93)}AA`,
  },
  {
    kind: "huggingface",
    n: 2,
    name: "HF_TOKEN",
    bare: true,
    git: "huggingface.co",
    make: (r) => p("h", "f_") + r.chars(ALPHABET.letters, 34),
  },
  {
    kind: "groq",
    n: 2,
    name: "GROQ_API_KEY",
    bare: true,
    make: (r) => `${p("gs", "k_")}${r.base62(20)}WGdyb3FY${r.base62(24)}`,
  },
  {
    kind: "openrouter",
    n: 2,
    name: "OPENROUTER_API_KEY",
    bare: true,
    make: (r) => p("sk-", "or-v1-") + r.hex(64),
  },
  {
    kind: "replicate",
    n: 2,
    name: "REPLICATE_API_TOKEN",
    bare: true,
    make: (r) => p("r", "8_") + r.base62(37),
  },
  // Messages and payments.
  {
    kind: "slack-bot",
    n: 2,
    name: "SLACK_BOT_TOKEN",
    bare: true,
    make: (r) => `${p("xox", "b-")}${r.digits(12)}-${r.digits(13)}-${r.base62(24)}`,
  },
  {
    kind: "slack-user",
    n: 2,
    name: "SLACK_USER_TOKEN",
    bare: true,
    make: (r) => `${p("xox", "p-")}${r.digits(12)}-${r.digits(12)}-${r.digits(13)}-${r.hex(32)}`,
  },
  {
    kind: "slack-app",
    n: 2,
    name: "SLACK_APP_TOKEN",
    bare: true,
    make: (r) => `${p("xa", "pp-")}1-A0${r.chars(ALPHABET.upper, 9)}-${r.digits(13)}-${r.hex(64)}`,
  },
  {
    kind: "discord-bot",
    n: 2,
    name: "DISCORD_TOKEN",
    make: (r) => `${b64url(r.digits(18))}.G${r.base62(5)}.${r.url(38)}`,
  },
  {
    kind: "telegram-bot",
    n: 2,
    name: "TELEGRAM_BOT_TOKEN",
    bare: true,
    make: (r) => `${r.digits(10)}:AA${r.url(33)}`,
  },
  { kind: "twilio", n: 2, name: "TWILIO_AUTH_TOKEN", make: (r) => r.hex(32) },
  {
    kind: "sendgrid",
    n: 2,
    name: "SENDGRID_API_KEY",
    bare: true,
    make: (r) => `${p("S", "G.")}${r.url(22)}.${r.url(43)}`,
  },
  {
    kind: "mailgun",
    n: 2,
    name: "MAILGUN_API_KEY",
    make: (r, i) => (i % 2 ? `${r.hex(32)}-${r.hex(8)}-${r.hex(8)}` : p("ke", "y-") + r.hex(32)),
  },
  {
    kind: "stripe-secret",
    n: 3,
    name: "STRIPE_SECRET_KEY",
    bare: true,
    make: (r, i) => p("sk", "_live_") + (i % 2 ? `51${r.base62(97)}` : r.base62(24)),
  },
  {
    kind: "stripe-restricted",
    n: 2,
    name: "STRIPE_API_KEY",
    bare: true,
    make: (r) => `${p("rk", "_live_")}51${r.base62(97)}`,
  },
  {
    kind: "stripe-webhook",
    n: 2,
    name: "STRIPE_WEBHOOK_SECRET",
    bare: true,
    make: (r) => p("wh", "sec_") + r.base62(32),
  },
  {
    kind: "square",
    n: 2,
    name: "SQUARE_ACCESS_TOKEN",
    make: (r, i) =>
      i === 1 ? p("sq0", "csp-") + r.url(43) : `${p("EA", "AA")}${r.pick(["E", "F", "l"])}${r.url(59)}`,
  },
  {
    kind: "shopify",
    n: 2,
    name: "SHOPIFY_ADMIN_TOKEN",
    bare: true,
    header: "X-Shopify-Access-Token",
    make: (r, i) => p("shp", i === 1 ? "ss_" : "at_") + r.hex(32),
  },
  // Packages and builds.
  { kind: "npm", n: 3, name: "NPM_TOKEN", bare: true, npm: true, make: (r) => checksummed(p("np", "m_"), r) },
  {
    kind: "pypi",
    n: 2,
    name: "TWINE_PASSWORD",
    bare: true,
    make: (r) =>
      p("py", "pi-") +
      Buffer.concat([
        Buffer.from("AgEIcHlwaS5vcmcC", "base64"),
        Buffer.from(`$${r.uuid()}`),
        Buffer.from([0, 2, 0x2a]),
        Buffer.from('[3,"'),
        Buffer.from(r.uuid()),
        Buffer.from('"]'),
        Buffer.from([0, 0, 6, 0x20]),
        r.bytes(32),
      ]).toString("base64url"),
  },
  {
    kind: "rubygems",
    n: 2,
    name: "GEM_HOST_API_KEY",
    bare: true,
    make: (r) => p("ruby", "gems_") + r.hex(48),
  },
  { kind: "crates-io", n: 2, name: "CARGO_REGISTRY_TOKEN", make: (r) => p("ci", "o") + r.base62(32) },
  {
    kind: "dockerhub",
    n: 2,
    name: "DOCKERHUB_TOKEN",
    bare: true,
    make: (r) => p("dckr", "_pat_") + r.url(27),
  },
  {
    kind: "circleci",
    n: 2,
    name: "CIRCLE_TOKEN",
    bare: true,
    make: (r) => `${p("CCI", "PAT_")}${r.chars(ALPHABET.base58, 22)}_${r.hex(40)}`,
  },
  { kind: "sonarqube", n: 2, name: "SONAR_TOKEN", bare: true, make: (r) => p("sq", "u_") + r.hex(40) },
  // Operations.
  {
    kind: "datadog",
    n: 3,
    name: ["DD_API_KEY", "DD_APP_KEY"],
    header: "DD-API-KEY",
    make: (r, i) => r.hex(i % 2 ? 40 : 32),
  },
  {
    kind: "new-relic",
    n: 2,
    name: ["NEW_RELIC_API_KEY", "NEW_RELIC_LICENSE_KEY"],
    make: (r, i) => (i % 2 ? `${r.hex(36)}NRAL` : p("NR", "AK-") + r.chars(ALPHABET.upper, 27)),
  },
  { kind: "sentry-token", n: 3, name: "SENTRY_AUTH_TOKEN", bare: true, make: sentry },
  {
    kind: "grafana",
    n: 2,
    name: "GRAFANA_TOKEN",
    bare: true,
    make: (r) => {
      const body = p("gl", "sa_") + r.base62(32);
      return `${body}_${lowFirst(crc32(body))}`;
    },
  },
  {
    kind: "vault",
    n: 2,
    name: "VAULT_TOKEN",
    bare: true,
    header: "X-Vault-Token",
    make: (r) => `${p("hv", "s.")}CAESI${r.url(86)}`,
  },
  {
    kind: "terraform-cloud",
    n: 2,
    name: "TF_TOKEN_app_terraform_io",
    bare: true,
    make: (r) => `${r.base62(14)}${p(".atlas", "v1.")}${r.url(67)}`,
  },
  { kind: "pulumi", n: 2, name: "PULUMI_ACCESS_TOKEN", bare: true, make: (r) => p("pu", "l-") + r.hex(40) },
  { kind: "doppler", n: 2, name: "DOPPLER_TOKEN", bare: true, make: (r) => p("dp", ".pt.") + r.base62(43) },
  {
    kind: "tailscale",
    n: 2,
    name: "TS_AUTHKEY",
    bare: true,
    make: (r) => `${p("ts", "key-auth-")}k${r.base62(11)}CNTRL-${r.base62(32)}`,
  },
  {
    kind: "age-key",
    n: 2,
    name: "SOPS_AGE_KEY",
    bare: true,
    make: (r) => p("AGE-SECRET", "-KEY-1") + r.chars(ALPHABET.bech32, 58),
  },
  {
    kind: "onepassword",
    n: 2,
    name: "OP_SERVICE_ACCOUNT_TOKEN",
    bare: true,
    make: (r) =>
      p("op", "s_") +
      b64url(
        JSON.stringify({
          signInAddress: "my.1password.com",
          userAuth: { method: "SRPg-4096", alg: "PBES2g-HS256", iterations: 650000, salt: r.url(22) },
          email: `${r.chars(ALPHABET.lower, 13)}@1passwordserviceaccounts.com`,
          srpX: r.hex(64),
          secretKey: `A3-${r.chars(ALPHABET.upper, 6)}-${r.chars(ALPHABET.upper, 6)}`,
          throttleSecret: { seed: r.hex(64), uuid: r.chars(ALPHABET.base32, 26) },
        }),
      ),
  },
  // Work.
  { kind: "linear", n: 2, name: "LINEAR_API_KEY", bare: true, make: (r) => p("lin", "_api_") + r.base62(40) },
  {
    kind: "notion",
    n: 2,
    name: "NOTION_TOKEN",
    make: (r, i) =>
      i % 2 ? p("sec", "ret_") + r.base62(43) : `${p("nt", "n_")}${r.digits(11)}${r.base62(35)}`,
  },
  {
    kind: "figma",
    n: 2,
    name: "FIGMA_TOKEN",
    bare: true,
    header: "X-Figma-Token",
    make: (r) => p("fi", "gd_") + r.url(40),
  },
  {
    kind: "airtable",
    n: 2,
    name: "AIRTABLE_API_KEY",
    bare: true,
    make: (r) => `${p("pa", "t")}${r.base62(14)}.${r.hex(64)}`,
  },
  {
    kind: "postman",
    n: 2,
    name: "POSTMAN_API_KEY",
    bare: true,
    make: (r) => `${p("PM", "AK-")}${r.hex(24)}-${r.hex(34)}`,
  },
  // No provider.
  {
    kind: "jwt",
    n: 5,
    name: "ACCESS_TOKEN",
    bare: true,
    make: (r, i) => jwt(r, claims(r), i % 2 ? { alg: "RS256", typ: "JWT", kid: r.hex(16) } : undefined),
  },
];

function gitlabRoutable(r) {
  const payload = r.url(r.pick([27, 36, 44]));
  const head = `${p("gl", "pat-")}${payload}.01.${inBase(payload.length, ALPHABET.base36, 2)}`;
  return head + inBase(crc32(head), ALPHABET.base36, 7);
}

function openai(r, i) {
  const mark = "T3BlbkFJ";
  if (i === 0) return p("s", "k-") + r.base62(20) + mark + r.base62(20);
  return p("sk-", i === 3 ? "svcacct-" : "proj-") + r.url(74) + mark + r.url(74);
}

function sentry(r, i) {
  if (i % 2) return p("sntry", "u_") + r.hex(64);
  const org = {
    iat: 1767225600.123,
    url: "https://sentry.io",
    region_url: "https://us.sentry.io",
    org: r.word(),
  };
  return `${p("sntry", "s_")}${b64(JSON.stringify(org))}_${r.chars(ALPHABET.base64, 43)}`;
}

// ---- Addresses: a URL or connection string of which a part is secret. `secrets` says which part.

const host = (r) => `${r.word()}-db.${r.word()}.internal`;

const at = (scheme, tail) => (r, i) => {
  const password =
    i % 3 === 2 ? encodeURIComponent(`${r.password(10, "@#/?")}${r.word()}`) : r.password(18, "-._~");
  return {
    carrier: `${scheme}://${r.pick(["app", "svc", "deploy"])}_${r.word()}:${password}@${host(r)}${tail}`,
    secrets: [password],
  };
};

const addresses = [
  {
    kind: "postgres-url",
    n: 4,
    name: "DATABASE_URL",
    make: at("postgresql", ":5432/orders?sslmode=require"),
  },
  { kind: "mysql-url", n: 3, name: "MYSQL_URL", make: at("mysql", ":3306/shop") },
  {
    kind: "mongodb-url",
    n: 3,
    name: "MONGODB_URI",
    make: at("mongodb+srv", "/billing?retryWrites=true&w=majority"),
  },
  {
    kind: "redis-url",
    n: 3,
    name: "REDIS_URL",
    make: (r) => {
      const password = r.base62(32);
      return { carrier: `rediss://:${password}@${host(r)}:6380/0`, secrets: [password] };
    },
  },
  { kind: "amqp-url", n: 2, name: "AMQP_URL", make: at("amqps", ":5671/jobs") },
  {
    kind: "mssql-connection",
    n: 2,
    name: "SQL_CONNECTION",
    make: (r) => {
      const password = r.password(18);
      return {
        carrier: `Server=tcp:${r.word()}.database.windows.net,1433;Initial Catalog=orders;User ID=${r.word()}_app;Password=${password};Encrypt=True;`,
        secrets: [password],
      };
    },
  },
  {
    kind: "jdbc-url",
    n: 2,
    name: "JDBC_URL",
    make: (r) => {
      const password = r.password(16, "-._~");
      return {
        carrier: `jdbc:postgresql://${host(r)}:5432/orders?user=${r.word()}&password=${password}`,
        secrets: [password],
      };
    },
  },
  {
    kind: "http-url-password",
    n: 2,
    name: "ARTIFACTORY_URL",
    make: at("https", "/artifactory/api/pypi/internal/simple"),
  },
  {
    kind: "sentry-dsn-secret",
    n: 2,
    name: "SENTRY_DSN",
    make: (r) => {
      const secret = r.hex(32);
      return {
        carrier: `https://${r.hex(32)}:${secret}@sentry.${r.word()}.internal/${r.digits(2)}`,
        secrets: [secret],
        why: "an old DSN: the part after the colon is its secret key; the part before it is public and may stay",
      };
    },
  },
  {
    kind: "slack-webhook",
    n: 2,
    name: "SLACK_WEBHOOK_URL",
    make: (r) => {
      const secret = r.base62(24);
      return {
        carrier: `${p("https://hooks.slack", ".com/services/")}T0${r.chars(ALPHABET.upper, 9)}/B0${r.chars(ALPHABET.upper, 9)}/${secret}`,
        secrets: [secret],
      };
    },
  },
  {
    kind: "discord-webhook",
    n: 2,
    name: "DISCORD_WEBHOOK",
    make: (r) => {
      const secret = r.url(68);
      return {
        carrier: `${p("https://discord", ".com/api/webhooks/")}${r.digits(19)}/${secret}`,
        secrets: [secret],
      };
    },
  },
  {
    kind: "azure-storage",
    n: 3,
    name: "AZURE_STORAGE_CONNECTION_STRING",
    make: (r) => {
      const key = r.base64(64);
      return {
        carrier: `DefaultEndpointsProtocol=https;AccountName=${r.word()}${r.digits(3)};${p("Account", "Key=")}${key};EndpointSuffix=core.windows.net`,
        secrets: [key],
      };
    },
  },
  {
    kind: "azure-sas",
    n: 3,
    name: "SAS_URL",
    make: (r) => {
      const sig = encodeURIComponent(r.base64(32));
      return {
        carrier: `https://${r.word()}${r.digits(3)}.blob.core.windows.net/backups/db.bak?sv=2024-11-04&st=2026-05-01T00%3A00%3A00Z&se=2027-05-01T00%3A00%3A00Z&sr=b&sp=r&sig=${sig}`,
        secrets: [sig],
      };
    },
  },
  {
    kind: "s3-presigned",
    n: 3,
    name: "DOWNLOAD_URL",
    make: (r) => {
      const sig = r.hex(64);
      return {
        carrier: `https://${r.word()}-artifacts.s3.eu-west-1.amazonaws.com/builds/${r.digits(5)}.tar.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${p("AK", "IA")}${r.chars(ALPHABET.base32, 16)}%2F20260512%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=20260512T101500Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature=${sig}`,
        secrets: [sig],
      };
    },
  },
  {
    kind: "gcs-signed",
    n: 2,
    name: "UPLOAD_URL",
    make: (r) => {
      const sig = r.hex(512);
      return {
        carrier: `https://storage.googleapis.com/${r.word()}-exports/2026/report.csv?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=ci%40${r.word()}.iam.gserviceaccount.com%2F20260512%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20260512T101500Z&X-Goog-Expires=604800&X-Goog-SignedHeaders=host&X-Goog-Signature=${sig}`,
        secrets: [sig],
      };
    },
  },
];

// ---- Blocks: a piece of a file, a header or a command, with the secrets in it. `path`: where it stands.

const block = (path, lines, secrets, why) => ({ path, lines, secrets, ...(why ? { why } : {}) });

/** Returns a private key's armor. Its lines are the secrets: the first and last say only what it is. */
function armor(path, label, body, extra = []) {
  return block(
    path,
    [`-----BEGIN ${label}-----`, ...extra, ...body, `-----END ${label}-----`],
    body.filter((line) => line.length >= 12),
  );
}

const PRIVATE = p("PRIVATE", " KEY");

function rsaBody(r) {
  return fold(
    Buffer.concat([Buffer.from("308204a40201000282010100", "hex"), r.bytes(1180)]).toString("base64"),
    64,
  );
}

function pkcs8Body(r) {
  const head = Buffer.from(
    "308204be020100300d06092a864886f70d0101010500048204a8308204a40201000282010100",
    "hex",
  );
  return fold(Buffer.concat([head, r.bytes(1180)]).toString("base64"), 64);
}

function ecBody(r) {
  const tail = Buffer.from("a00a06082a8648ce3d030107a14403420004", "hex");
  return fold(
    Buffer.concat([Buffer.from("30770201010420", "hex"), r.bytes(32), tail, r.bytes(64)]).toString("base64"),
    64,
  );
}

/** Returns a string of the SSH protocol: its length in four bytes, then its bytes. */
const str = (buffer) => Buffer.concat([Buffer.from([0, 0, 0, buffer.length]), buffer]);

function opensshBody(r) {
  const pub = r.bytes(32);
  const type = str(Buffer.from("ssh-ed25519"));
  const check = r.bytes(4);
  const secret = Buffer.concat([
    check,
    check,
    type,
    str(pub),
    str(Buffer.concat([r.bytes(32), pub])),
    str(Buffer.from(`${r.word()}@build`)),
    Buffer.from([1, 2, 3, 4, 5]),
  ]);
  const none = str(Buffer.from("none"));
  const key = str(Buffer.concat([type, str(pub)]));
  return fold(
    Buffer.concat([
      Buffer.from("openssh-key-v1\0"),
      none,
      none,
      str(Buffer.alloc(0)),
      Buffer.from([0, 0, 0, 1]),
      key,
      str(secret),
    ]).toString("base64"),
    70,
  );
}

function pgpBody(r) {
  const packet = Buffer.concat([Buffer.from("9501d804", "hex"), r.bytes(430)]);
  const sum = crc24(packet);
  return {
    body: fold(packet.toString("base64"), 64),
    sum: `=${Buffer.from([sum >> 16, (sum >> 8) & 255, sum & 255]).toString("base64")}`,
  };
}

const keys = [
  { kind: "private-key-rsa", n: 3, make: (r) => armor("certs/server.key", `RSA ${PRIVATE}`, rsaBody(r)) },
  { kind: "private-key-pkcs8", n: 2, make: (r) => armor("certs/tls.key", PRIVATE, pkcs8Body(r)) },
  { kind: "private-key-ec", n: 2, make: (r) => armor("certs/ec.pem", `EC ${PRIVATE}`, ecBody(r)) },
  {
    kind: "private-key-openssh",
    n: 3,
    make: (r) => armor("/home/dev/.ssh/id_ed25519", `OPENSSH ${PRIVATE}`, opensshBody(r)),
  },
  {
    kind: "private-key-pgp",
    n: 2,
    make: (r) => {
      const { body, sum } = pgpBody(r);
      const made = armor("release.asc", `PGP ${PRIVATE} BLOCK`, [...body, sum], [""]);
      return { ...made, secrets: body.filter((line) => line.length >= 12) };
    },
  },
  { kind: "gcp-service-account", n: 3, make: gcpServiceAccount },
];

function gcpServiceAccount(r) {
  const body = pkcs8Body(r);
  const pem = [`-----BEGIN ${PRIVATE}-----`, ...body, `-----END ${PRIVATE}-----`, ""].join("\n");
  const project = `${r.word()}-${r.digits(6)}`;
  const json = {
    type: "service_account",
    project_id: project,
    private_key_id: r.hex(40),
    private_key: pem,
    client_email: `ci@${project}.iam.gserviceaccount.com`,
    client_id: r.digits(21),
    token_uri: "https://oauth2.googleapis.com/token",
  };
  return block(
    "gcp-sa.json",
    JSON.stringify(json, null, 2).split("\n"),
    body.filter((line) => line.length >= 12),
  );
}

const AWS_ID =
  "debatable: the key id alone opens nothing, but it is half of the pair and every provider of scanners treats it as a credential";
const akia = (r) => p("AK", "IA") + r.chars(ALPHABET.base32, 16);

const clouds = [
  { kind: "aws-key-pair", n: 5, make: awsPair },
  { kind: "aws-session", n: 3, make: awsSession },
];

function awsPair(r, i) {
  const id = akia(r);
  const key = r.chars(ALPHABET.base64, 40);
  const forms = [
    [
      "/home/dev/.aws/credentials",
      ["[default]", `aws_access_key_id = ${id}`, `aws_secret_access_key = ${key}`, "region = eu-west-1"],
    ],
    [
      "deploy.sh",
      [
        `export AWS_ACCESS_KEY_ID=${id}`,
        `export AWS_SECRET_ACCESS_KEY="${key}"`,
        "aws s3 sync dist s3://site",
      ],
    ],
    [
      "key.json",
      JSON.stringify(
        {
          AccessKey: {
            UserName: "ci",
            AccessKeyId: id,
            Status: "Active",
            SecretAccessKey: key,
            CreateDate: "2026-05-12T10:15:00Z",
          },
        },
        null,
        4,
      ).split("\n"),
    ],
    [
      "provider.tf",
      [
        'provider "aws" {',
        '  region     = "eu-west-1"',
        `  access_key = "${id}"`,
        `  secret_key = "${key}"`,
        "}",
      ],
    ],
    [
      "upload.py",
      ["import boto3", `s3 = boto3.client("s3", aws_access_key_id="${id}", aws_secret_access_key="${key}")`],
    ],
  ];
  return block(...forms[i % forms.length], [id, key], AWS_ID);
}

function awsSession(r, i) {
  const id = p("AS", "IA") + r.chars(ALPHABET.base32, 16);
  const key = r.chars(ALPHABET.base64, 40);
  const session = `${i % 2 ? "FwoGZXIvYXdzE" : "IQoJb3JpZ2luX2Vj"}${r.chars(ALPHABET.base64, 340)}==`;
  const lines =
    i % 2
      ? [
          `export AWS_ACCESS_KEY_ID=${id}`,
          `export AWS_SECRET_ACCESS_KEY=${key}`,
          `export AWS_SESSION_TOKEN=${session}`,
        ]
      : JSON.stringify(
          {
            Credentials: {
              AccessKeyId: id,
              SecretAccessKey: key,
              SessionToken: session,
              Expiration: "2026-05-12T22:15:00Z",
            },
          },
          null,
          4,
        ).split("\n");
  return block(i % 2 ? "session.sh" : "sts.json", lines, [id, key, session], AWS_ID);
}

const passphrase = (r) => `${r.word()}-${r.word()}-${r.word().toUpperCase()}-${r.digits(3)}`;

const headers = [
  {
    kind: "bearer-header",
    n: 6,
    make: (r, i) => {
      const token = [r.url(43), r.hex(40), r.base64(36)][i % 3];
      return block(
        "request.http",
        [
          `GET /v1/accounts/${r.digits(6)} HTTP/1.1`,
          `Host: api.${r.word()}.io`,
          `Authorization: Bearer ${token}`,
          "Accept: application/json",
        ],
        [token],
      );
    },
  },
  {
    kind: "basic-header",
    n: 5,
    make: (r, i) => {
      const auth = b64(`${r.word()}:${i % 2 ? passphrase(r) : r.password(16)}`);
      return block(
        "request.http",
        [
          `POST /rest/api/2/issue HTTP/1.1`,
          `Host: jira.${r.word()}.internal`,
          `${i % 3 ? "Authorization" : "authorization"}: Basic ${auth}`,
          "Content-Type: application/json",
        ],
        [auth],
      );
    },
  },
  {
    kind: "api-key-header",
    n: 4,
    make: (r, i) => {
      const key = [r.base62(40), r.hex(32), r.uuid(), r.url(36)][i % 4];
      const head = ["x-api-key", "X-API-Key", "X-Auth-Token", "Api-Key"][i % 4];
      return block(
        "request.http",
        [
          `GET /v2/search?q=${r.word()} HTTP/2`,
          `host: api.${r.word()}.io`,
          `${head}: ${key}`,
          "user-agent: node",
        ],
        [key],
      );
    },
  },
  { kind: "cookie", n: 7, make: cookie },
];

function cookie(r, i) {
  const secret = [
    () => `s%3A${r.url(32)}.${encodeURIComponent(r.base64(32))}`,
    () => r.chars(ALPHABET.HEX, 32),
    () => r.chars(ALPHABET.lower, 32),
    () => r.url(64),
    () => `.eJw${r.url(90)}.${r.url(6)}.${r.url(27)}`,
    () => r.base64url(96),
    () => r.hex(64),
  ][i % 7]();
  const name = [
    "connect.sid",
    "JSESSIONID",
    "sessionid",
    "__Host-session",
    "session",
    "auth_token",
    "remember_token",
  ][i % 7];
  const lines =
    i % 2
      ? [
          "HTTP/1.1 200 OK",
          "Content-Type: text/html; charset=utf-8",
          `Set-Cookie: ${name}=${secret}; Path=/; HttpOnly; Secure; SameSite=Lax`,
          "Cache-Control: no-store",
        ]
      : [
          "GET /account HTTP/1.1",
          `Host: app.${r.word()}.io`,
          `Cookie: theme=dark; lang=en; ${name}=${secret}; tz=UTC`,
          "Accept: text/html",
        ];
  return block(
    "session.http",
    lines,
    [secret],
    "the value of a session cookie; the other cookies and attributes may stay",
  );
}

/** Values after telling names: a password of a manager, a passphrase, or a random key. */
const value = (r, i) =>
  [r.password(16), passphrase(r), r.base62(32), r.password(12, "!#%*"), r.hex(40)][i % 5];

const named = [
  {
    kind: "password-assignment",
    n: 5,
    make: (r, i) => {
      const v = value(r, i);
      const path = ["login.txt", "setup.sql", "notes.txt", "seed.sql", "job.conf"][i % 5];
      const line = [
        `password=${v}`,
        `CREATE USER ${r.word()} WITH PASSWORD '${v}';`,
        `admin password: ${v}`,
        `ALTER ROLE app PASSWORD '${v}';`,
        `db_passwd = "${v}"`,
      ][i % 5];
      return block(path, [line], [v]);
    },
  },
  {
    kind: "json-api-key",
    n: 4,
    make: (r, i) => {
      const v = value(r, i + 2);
      const key = ["api_key", "apiKey", "client_secret", "auth_token"][i % 4];
      return block(
        "config.json",
        ["{", `  "endpoint": "https://api.${r.word()}.io",`, `  "${key}": "${v}",`, '  "timeout": 30', "}"],
        [v],
      );
    },
  },
  {
    kind: "export-token",
    n: 4,
    make: (r, i) => {
      const v = i % 2 ? r.base62(40) : r.url(32);
      const key = ["TOKEN", "DEPLOY_TOKEN", "SERVICE_SECRET", "ENCRYPTION_KEY"][i % 4];
      return block(
        "/home/dev/.bashrc",
        ["alias ll='ls -la'", `export ${key}=${i === 1 ? `'${v}'` : v}`, 'export PATH="$HOME/bin:$PATH"'],
        [v],
      );
    },
  },
  {
    kind: "cli-password",
    n: 6,
    make: (r, i) => {
      const v = r.password(14, "-._~");
      const line = [
        `mysql -h ${host(r)} -u root -p${v} shop`,
        `sshpass -p '${v}' ssh deploy@10.2.${r.int(200)}.${r.int(200)} uptime`,
        `docker login registry.${r.word()}.io --username ci --password ${v}`,
        `curl -u ${r.word()}:${v} https://nexus.${r.word()}.internal/service/rest/v1/status`,
        `psql "host=${host(r)} user=app password=${v} dbname=orders"`,
        `redis-cli -h ${host(r)} -a ${v} PING`,
      ][i % 6];
      return block("run.sh", ["set -eu", line], [v]);
    },
  },
  {
    kind: "npmrc",
    n: 4,
    make: (r, i) => {
      const v = [r.uuid(), `${r.base62(64)}`, b64(`ci:${r.password(18)}`), b64(r.password(18))][i % 4];
      const key = ["_authToken", "_authToken", "_auth", "_password"][i % 4];
      return block(
        "/home/dev/.npmrc",
        [
          `@${r.word()}:registry=https://npm.${r.word()}.internal/`,
          `//npm.${r.word()}.internal/:${key}=${v}`,
          "save-exact=true",
        ],
        [v],
      );
    },
  },
  {
    kind: "netrc",
    n: 3,
    make: (r, i) => {
      const v = value(r, i);
      return block(
        "/home/dev/.netrc",
        i % 2
          ? [`machine git.${r.word()}.io login ${r.word()} password ${v}`]
          : [`machine api.${r.word()}.com`, `  login ${r.word()}@${r.word()}.com`, `  password ${v}`],
        [v],
      );
    },
  },
  {
    kind: "pgpass",
    n: 2,
    make: (r) => {
      const v = r.password(18, "-._~");
      return block(
        "/home/dev/.pgpass",
        ["# hostname:port:database:username:password", `${host(r)}:5432:orders:app_${r.word()}:${v}`],
        [v],
      );
    },
  },
  {
    kind: "docker-config",
    n: 3,
    make: (r, i) => {
      const v = b64(`${r.word()}:${i % 2 ? r.uuid() : r.password(20)}`);
      return block(
        "/root/.docker/config.json",
        JSON.stringify(
          { auths: { [`registry.${r.word()}.io`]: { auth: v } }, credsStore: "" },
          null,
          "\t",
        ).split("\n"),
        [v],
      );
    },
  },
  { kind: "kubeconfig", n: 3, make: kubeconfig },
  {
    kind: "dotenv",
    n: 4,
    make: (r, i) => {
      const a = value(r, i);
      const b = r.base64(32);
      return block(
        ".env",
        [
          "NODE_ENV=production",
          "PORT=8080",
          `DB_PASSWORD=${i % 2 ? `"${a}"` : a}`,
          `SESSION_SECRET=${b}`,
          "LOG_LEVEL=info",
        ],
        [a, b],
      );
    },
  },
  {
    kind: "tfvars",
    n: 2,
    make: (r, i) => {
      const v = value(r, i);
      return block(
        "terraform.tfvars",
        [
          'region            = "eu-central-1"',
          `${["db_password", "admin_password", "master_secret"][i % 3].padEnd(17)} = "${v}"`,
          "instance_count    = 3",
        ],
        [v],
      );
    },
  },
  {
    kind: "yaml-secret",
    n: 3,
    make: (r, i) => {
      const v = value(r, i);
      return i % 2
        ? block(
            "k8s/secret.yaml",
            [
              "apiVersion: v1",
              "kind: Secret",
              "metadata:",
              `  name: ${r.word()}-db`,
              "stringData:",
              `  password: ${JSON.stringify(v)}`,
            ],
            [v],
          )
        : block(
            "values.yaml",
            ["smtp:", `  host: smtp.${r.word()}.io`, "  user: mailer", `  password: '${v}'`],
            [v],
          );
    },
  },
  {
    kind: "ini-file",
    n: 2,
    make: (r, i) => {
      const v = value(r, i);
      return block(
        "app.ini",
        [
          "[database]",
          `host = ${host(r)}`,
          "user = app",
          `${["passwd", "password", "PASSWD", "secret_key"][i % 4]} = ${v}`,
          "",
          "[log]",
          "level = info",
        ],
        [v],
      );
    },
  },
  {
    kind: "java-properties",
    n: 2,
    make: (r, i) => {
      const v = value(r, i);
      return block(
        "application.properties",
        [
          "server.port=8080",
          `${["spring.datasource.password", "jwt.secret", "mail.smtp.password", "keystore.password"][i % 4]}=${v}`,
          "spring.jpa.show-sql=false",
        ],
        [v],
      );
    },
  },
  {
    kind: "powershell-env",
    n: 2,
    make: (r, i) => {
      const v = i % 2 ? r.password(16, "!#%*") : r.base62(36);
      return block(
        "deploy.ps1",
        [
          '$ErrorActionPreference = "Stop"',
          `$env:${["API_TOKEN", "DB_PASSWORD", "CLIENT_SECRET"][i % 3]} = "${v}"`,
          "./deploy.exe --env prod",
        ],
        [v],
      );
    },
  },
  {
    kind: "source-constant",
    n: 4,
    make: (r, i) => {
      const v = value(r, i);
      const [path, line] = [
        ["settings.py", `SECRET_KEY = "${v}"`],
        ["db.go", `	cfg.Password = "${v}"`],
        ["client.ts", `const apiSecret = '${v}';`],
        ["Mailer.java", `  private static final String SMTP_PASSWORD = "${v}";`],
        ["config.php", `define('DB_PASSWORD', '${v}');`],
      ][i % 5];
      return block(path, [line], [v]);
    },
  },
  {
    kind: "url-query-token",
    n: 2,
    make: (r) => {
      const v = r.url(40);
      return block(
        "access.log",
        [
          `10.0.4.${r.int(200)} - - [12/May/2026:10:15:00 +0000] "GET /feed?user=${r.word()}&access_token=${v}&page=2 HTTP/1.1" 200 5120`,
        ],
        [v],
      );
    },
  },
];

function kubeconfig(r, i) {
  const user = `${r.word()}-admin`;
  if (i % 2) {
    const v = jwt(
      r,
      { iss: "kubernetes/serviceaccount", sub: `system:serviceaccount:ops:${user}` },
      { alg: "RS256", kid: r.url(43) },
    );
    return block(
      "/home/dev/.kube/config",
      ["users:", `- name: ${user}`, "  user:", `    token: ${v}`, "current-context: prod"],
      [v],
    );
  }
  const v = b64(
    [`-----BEGIN EC ${PRIVATE}-----`, ...ecBody(r), `-----END EC ${PRIVATE}-----`, ""].join("\n"),
  );
  return block(
    "/home/dev/.kube/config",
    ["users:", `- name: ${user}`, "  user:", `    client-key-data: ${v}`, "current-context: prod"],
    [v],
  );
}

/** Every kind, in the order of the corpus. `form`: token, address or block. */
export const kinds = [
  ...tokens.map((kind) => ({ ...kind, form: "token" })),
  ...addresses.map((kind) => ({ ...kind, form: "address" })),
  ...[...keys, ...clouds, ...headers, ...named].map((kind) => ({ ...kind, form: "block" })),
];
