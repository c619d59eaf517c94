// Credentials of a known form: keys and tokens of providers, as published by them. One rule for each kind of
// key, with the texts that prove it.
import type { SecretRule } from "./rule.js";

/** Creates a rule for a key that is nothing but a prefix and the right number of the right characters. */
function prefixed(
  id: string,
  anchors: string,
  rest: string,
  example: string,
  left: readonly string[] = [],
): SecretRule {
  const starts = anchors.split(" ");
  const escaped = starts.map((start) => start.replaceAll(/[.+/\\-]/g, "\\$&"));
  return {
    id,
    anchors: starts,
    isWord: true,
    pattern: new RegExp(`(?:${escaped.join("|")})${rest}`, "y"),
    examples: { masked: [`key «${example}» end`], left },
  };
}

const hex = (count: number): string => "9f2c7b41e8d05a6634c1b2f7a95d08e3".repeat(8).slice(0, count);
const mixed = (count: number): string => "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zC".repeat(12).slice(0, count);
const upper = (count: number): string => "Q3W7E1R9T5Y2U8I4O6PAZSXDCFVGBHNJ".repeat(4).slice(0, count);

export const providerRules: readonly SecretRule[] = [
  prefixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,255}", `ghp_${mixed(36)}`, [
    "ghp_ is a prefix, ghp_short is not a token",
  ]),
  prefixed("github-token", "github_pat_", "[A-Za-z0-9_]{50,255}", `github_pat_${mixed(22)}_${mixed(59)}`),
  prefixed(
    "gitlab-token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-",
    "[A-Za-z0-9_-]{20,300}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{7,20})?",
    `glpat-${mixed(20)}`,
  ),
  prefixed(
    "aws-access-key",
    "AKIA ASIA ABIA ACCA",
    "[A-Z2-7][A-Z0-9]{15}(?![A-Za-z0-9])",
    `AKIA${upper(16)}`,
    ["AKIAIOSFODNN7EXAMPLE is in the documentation"],
  ),
  prefixed("google-api-key", "AIza", "[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])", `AIza${mixed(35)}`),
  prefixed("google-oauth-secret", "GOCSPX-", "[A-Za-z0-9_-]{24,40}", `GOCSPX-${mixed(28)}`),
  prefixed("google-oauth-token", "ya29.", "[A-Za-z0-9_.-]{20,2000}", `ya29.${mixed(60)}`),
  prefixed("google-oauth-token", "1//0", "[A-Za-z0-9_-]{30,300}", `1//0${mixed(60)}`),
  prefixed("anthropic-key", "sk-ant-", "[A-Za-z0-9_-]{20,300}", `sk-ant-api03-${mixed(93)}AA`, [
    "sk-ant-… is a prefix",
  ]),
  prefixed("openrouter-key", "sk-or-v1-", "[0-9a-f]{40,80}", `sk-or-v1-${hex(64)}`),
  {
    id: "openai-key",
    anchors: ["sk-"],
    isWord: true,
    pattern:
      /sk-(?!ant-|or-v1-)(?:[a-z]{4,10}-)?(?=[A-Za-z0-9_-]{0,300}\d)(?=[A-Za-z0-9_-]{0,300}[A-Z])[A-Za-z0-9_-]{20,300}/y,
    examples: {
      masked: [`OPENAI_API_KEY=«sk-proj-${mixed(48)}»`, `«sk-${mixed(48)}»`],
      left: [
        "sk-…",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "task-based-scheduling-of-many-things",
        "sk-your-api-key-goes-here-please",
      ],
    },
  },
  prefixed(
    "huggingface-token",
    "hf_ api_org_",
    "[A-Za-z]{30,40}(?![A-Za-z0-9_])",
    `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`,
  ),
  prefixed("groq-key", "gsk_", "[A-Za-z0-9]{40,60}", `gsk_${mixed(52)}`),
  prefixed("xai-key", "xai-", "[A-Za-z0-9]{60,100}", `xai-${mixed(80)}`),
  prefixed("perplexity-key", "pplx-", "[A-Za-z0-9]{40,60}", `pplx-${mixed(48)}`),
  prefixed("replicate-token", "r8_", "[A-Za-z0-9]{37}(?![A-Za-z0-9])", `r8_${mixed(37)}`),
  prefixed(
    "slack-token",
    "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxe.",
    "[A-Za-z0-9-]{10,300}",
    `xoxb-2345678901-3456789012345-${mixed(24)}`,
  ),
  prefixed(
    "slack-token",
    "xapp-",
    "\\d-[A-Z0-9]{8,20}-\\d{8,20}-[a-z0-9]{40,100}",
    `xapp-1-A0B1C2D3E4F-2345678901234-${hex(64)}`,
  ),
  {
    id: "slack-webhook",
    anchors: ["hooks.slack.com/"],
    pattern: /hooks\.slack\.com\/(?<secret>(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20,100})/y,
    examples: {
      masked: [`https://hooks.slack.com/«services/T0A1B2C3D/B4E5F6G7H/${mixed(24)}»`],
      left: ["https://hooks.slack.com/services/T/B/X"],
    },
  },
  prefixed(
    "stripe-key",
    "sk_live_ rk_live_ sk_test_ rk_test_",
    "[A-Za-z0-9]{16,250}",
    `sk_live_${mixed(24)}`,
  ),
  prefixed("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/=]{24,100}", `whsec_${mixed(32)}`),
  prefixed("twilio-key", "SK", "[0-9a-f]{32}(?![0-9a-fA-F])", `SK${hex(32)}`),
  prefixed(
    "sendgrid-key",
    "SG.",
    "[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{39,50}",
    `SG.${mixed(22)}.${mixed(43)}`,
  ),
  prefixed("mailgun-key", "key-", "[0-9a-f]{32}(?![0-9a-fA-F])", `key-${hex(32)}`),
  prefixed("npm-token", "npm_", "[A-Za-z0-9]{36}(?![A-Za-z0-9])", `npm_${mixed(36)}`, [
    "npm_config_registry and npm_package_name",
  ]),
  prefixed("pypi-token", "pypi-", "[A-Za-z0-9_-]{60,300}", `pypi-AgEIcHlwaS5vcmc${mixed(60)}`),
  prefixed("docker-token", "dckr_pat_ dckr_oat_", "[A-Za-z0-9_-]{20,64}", `dckr_pat_${mixed(27)}`),
  prefixed(
    "docker-token",
    "SWMTKN-",
    "\\d-[A-Za-z0-9]{20,64}-[A-Za-z0-9]{16,40}",
    `SWMTKN-1-${mixed(50)}-${mixed(25)}`,
    ["SWMTKN-1-<digest>-<secret>"],
  ),
  prefixed("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "[0-9a-f]{64}", `dop_v1_${hex(64)}`),
  prefixed("cloudflare-token", "cfut_ cfat_ cfk_", "[A-Za-z0-9_-]{36,80}", `cfut_${mixed(48)}`),
  prefixed("heroku-key", "HRKU-", "[A-Za-z0-9_-]{30,80}", `HRKU-${mixed(36)}`),
  prefixed("newrelic-key", "NRAK- NRII- NRJS- NRRA-", "[A-Za-z0-9_-]{19,50}", `NRAK-${upper(27)}`),
  prefixed("sentry-token", "sntrys_ sntryu_", "[A-Za-z0-9_=+/-]{40,500}", `sntrys_${mixed(80)}`),
  prefixed("linear-key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{32,80}", `lin_api_${mixed(40)}`),
  prefixed("notion-token", "ntn_ secret_", "[A-Za-z0-9]{40,60}(?![A-Za-z0-9_])", `ntn_${mixed(46)}`),
  prefixed("figma-token", "figd_ figo_ figu_", "[A-Za-z0-9_-]{36,60}", `figd_${mixed(40)}`),
  prefixed("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[0-9a-fA-F]{32}", `shpat_${hex(32)}`),
  prefixed("square-token", "sq0atp- sq0csp-", "[A-Za-z0-9_-]{22,70}", `sq0atp-${mixed(22)}`),
  prefixed("square-token", "EAAA", "[A-Za-z0-9_-]{60}(?![A-Za-z0-9_/+=-])", `EAAA${mixed(60)}`, [
    "EAAAA is short",
  ]),
  prefixed(
    "planetscale-token",
    "pscale_tkn_ pscale_oauth_ pscale_pw_",
    "[A-Za-z0-9_.=-]{32,80}",
    `pscale_tkn_${mixed(43)}`,
  ),
  prefixed("supabase-token", "sbp_ sb_secret_", "[A-Za-z0-9_]{30,60}", `sbp_${hex(40)}`),
  prefixed("vault-token", "hvs. hvb. hvr.", "[A-Za-z0-9_-]{24,300}", `hvs.${mixed(90)}`),
  prefixed("databricks-token", "dapi", "[0-9a-f]{32}(?:-\\d)?(?![0-9a-fA-F])", `dapi${hex(32)}`),
  prefixed("grafana-token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", `glsa_${mixed(32)}_1a2b3c4d`),
  prefixed("grafana-token", "glc_", "[A-Za-z0-9+/=]{32,400}", `glc_${mixed(60)}`),
  prefixed(
    "doppler-token",
    "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    "[A-Za-z0-9_.]{38,60}",
    `dp.pt.${mixed(43)}`,
  ),
  prefixed("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}", `PMAK-${hex(24)}-${hex(34)}`),
  prefixed("atlassian-token", "ATATT3 ATCTT3 ATBB", "[A-Za-z0-9_=-]{28,400}", `ATATT3${mixed(186)}`),
  prefixed("rubygems-key", "rubygems_", "[0-9a-f]{48}", `rubygems_${hex(48)}`),
  prefixed("crates-token", "cio", "[A-Za-z0-9]{32}(?![A-Za-z0-9])", `cio${mixed(32)}`),
  prefixed("netlify-token", "nfp_ nfc_ nfo_ nfu_", "[A-Za-z0-9_]{36,60}", `nfp_${mixed(40)}`),
  prefixed("fly-token", "fo1_ fm1r_ fm1a_ fm2_", "[A-Za-z0-9_+/=-]{40,3000}", `fo1_${mixed(43)}`),
  prefixed("buildkite-token", "bkua_ bkct_", "[0-9a-f]{40}", `bkua_${hex(40)}`),
  prefixed("circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{40,100}", `CCIPAT_${mixed(22)}_${hex(40)}`),
  prefixed(
    "dynatrace-token",
    "dt0c01. dt0s01. dt0s02.",
    "[A-Z0-9]{8,24}\\.[A-Z0-9]{64}",
    `dt0c01.${upper(24)}.${upper(32)}${upper(32)}`,
  ),
  prefixed(
    "tailscale-key",
    "tskey-",
    "[a-z]{3,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,64}",
    `tskey-auth-${mixed(12)}-${mixed(32)}`,
  ),
  prefixed("1password-token", "ops_eyJ", "[A-Za-z0-9+/=_-]{100,3000}", `ops_eyJ${mixed(240)}`),
  prefixed("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}", `AGE-SECRET-KEY-1${upper(32)}${upper(26)}`),
  {
    ...prefixed("airtable-token", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}", `pat${mixed(14)}.${hex(64)}`),
    // Many words and file names begin like this. The key may contain a line end.
    gate: /pat[A-Za-z0-9]{0,14}(?:\.(?:[0-9a-f]|[\\\r\n])|[\\\r\n])/y,
  },
  prefixed("pulumi-token", "pul-", "[0-9a-f]{40}", `pul-${hex(40)}`),
  prefixed("resend-key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}", `re_${mixed(8)}_${mixed(24)}`),
  prefixed("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", "[A-Za-z0-9_]{32,80}", `lsv2_pt_${hex(32)}_${hex(10)}`),
  prefixed("pinecone-key", "pcsk_", "[A-Za-z0-9_]{50,100}", `pcsk_${mixed(70)}`),
  prefixed("voyage-key", "pa-", "[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])", `pa-${mixed(43)}`),
  prefixed("e2b-key", "e2b_", "[0-9a-f]{40}", `e2b_${hex(40)}`),
  prefixed("tavily-key", "tvly-", "[A-Za-z0-9-]{30,60}", `tvly-${mixed(32)}`),
  prefixed("firecrawl-key", "fc-", "[0-9a-f]{32}(?![0-9a-f])", `fc-${hex(32)}`),
  prefixed("elevenlabs-key", "sk_", "[0-9a-f]{48}(?![0-9a-f])", `sk_${hex(48)}`),
  prefixed("deepseek-key", "sk-", "[0-9a-f]{32}(?![0-9A-Za-z_-])", `sk-${hex(32)}`),
  prefixed("together-key", "tgp_v1_", "[A-Za-z0-9_-]{40,60}", `tgp_v1_${mixed(43)}`),
  prefixed("nvidia-key", "nvapi-", "[A-Za-z0-9_-]{60,80}", `nvapi-${mixed(64)}`),
  prefixed("cerebras-key", "csk-", "[a-z0-9]{40,60}", `csk-${hex(48)}`),
  prefixed("bedrock-key", "ABSK", "[A-Za-z0-9+/=]{100,300}", `ABSK${mixed(120)}`),
  prefixed("vercel-token", "vcp_ vci_ vca_ vcr_", "[A-Za-z0-9]{40,80}", `vcp_${mixed(56)}`),
  prefixed("neon-password", "npg_", "[A-Za-z0-9]{10,40}", `npg_${mixed(12)}`),
  prefixed("discord-token", "mfa.", "[A-Za-z0-9_-]{80,100}", `mfa.${mixed(84)}`),
  {
    id: "mailchimp-key",
    anchors: ["-us"],
    gate: /(?<=[0-9a-f]{32})-us\d{1,2}(?![A-Za-z0-9])/y,
    before: 32,
    pattern: /(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/y,
    examples: { masked: [`key «${hex(32)}-us12» end`] },
  },
  prefixed("langfuse-key", "sk-lf-", "[0-9a-f-]{36}", `sk-lf-0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d`),
  {
    id: "telegram-token",
    anchors: [":AA"],
    gate: /(?<=\d{8}):/y,
    before: 10,
    pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y,
    examples: {
      masked: [`bot «7391846205:AA${mixed(33)}»`],
      left: ["10:AA is a time"],
    },
  },
  {
    id: "azure-client-secret",
    anchors: ["Q~"],
    gate: /(?<=[A-Za-z0-9_~.]{3}\d)Q/y,
    before: 4,
    pattern: /(?<![A-Za-z0-9_~.])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/y,
    examples: { masked: [`client «aB38Q~${mixed(34)}»`], left: ["8Q~ alone"] },
  },
  {
    id: "terraform-token",
    anchors: [".atlasv1."],
    gate: /(?<=[A-Za-z0-9]{14})\./y,
    before: 14,
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80}/y,
    examples: { masked: [`token = "«${mixed(14)}.atlasv1.${mixed(67)}»"`] },
  },
  {
    id: "discord-token",
    // A token begins with the digits of an account id, in base64.
    anchors: ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
    isWord: true,
    pattern: /[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}(?![A-Za-z\d_-])/y,
    examples: { masked: [`«MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${mixed(38)}»`] },
  },
  {
    id: "discord-webhook",
    anchors: ["/api/webhooks/"],
    pattern: /\/api\/webhooks\/(?<secret>\d{16,20}\/[A-Za-z0-9_-]{60,100})/y,
    examples: { masked: [`https://discord.com/api/webhooks/«112233445566778899/${mixed(68)}»`] },
  },
  {
    id: "jwt",
    anchors: ["eyJ"],
    isWord: true,
    pattern: /eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/y,
    examples: {
      masked: [`«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEiLCJleHAiOjE5MDAwMDAwMDB9.${mixed(43)}»`],
      left: ["eyJhbGciOiJIUzI1NiJ9 is a header"],
    },
  },
  {
    id: "private-key",
    anchors: ["-----BEGIN "],
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=[^]{0,300}?[A-Za-z0-9+/=]{40})(?<secret>(?:[^-]|-(?!----)){20,20000}?)(?=-----END |$)/y,
    examples: {
      masked: [
        `-----BEGIN RSA PRIVATE KEY-----«\n${mixed(64)}\n${mixed(64)}\n»-----END RSA PRIVATE KEY-----`,
      ],
      left: ["-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----"],
    },
  },
  {
    id: "private-key",
    // A truncated key: its lines, whatever precedes them.
    anchors: ["-----BEGIN "],
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?<secret>(?:[^\n]{0,40}(?:\n|\\n|<br *\/?>)[^\n\\]{0,40}?[A-Za-z0-9+/=]{32,200}){1,400})/y,
    examples: { masked: [`-----BEGIN PRIVATE KEY-----«\n-${mixed(64)}\n-${mixed(64)}»\n$ ls -la -----`] },
  },
  {
    id: "private-key",
    anchors: ["Private-Lines: "],
    pattern: /Private-Lines: \d{1,4}(?<secret>(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{16,100}){1,200})/y,
    examples: { masked: [`Private-Lines: 2«\n${mixed(64)}\n${mixed(64)}»\nPrivate-MAC: 1`] },
  },
];
