// The texts of `ctx help <topic>`: concepts that belong to no single command. One screen each; details are in
// docs/.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Topic {
  name: string;
  summary: string;
  /** Lines of at most 80 columns. */
  text: string;
  /** Text of any length that follows. */
  more?: () => string;
}

export const topics: readonly Topic[] = [
  {
    name: "names",
    summary: "how to name a pack or a blob",
    text: `Wherever a command takes a pack you can type

  d9fe2847          the first digits of its hash: 4 or more, if unambiguous
  ctx://d9fe2847    the same; so are sha256:d9fe2847 and all 64 digits
  latest            the pack added last to this store
  baseline          a tag (see \`ctx help tag\`)
  latest~1          its parent; ~2 is the parent of that, and so on
  run.ctx           for show, diff, verify and replay: a file that
                    \`ctx export\` wrote; run.ctx#d9fe2847 is one of the
                    packs in it

Digits can be upper-case. \`ctx cat\` takes the same names for blobs; for a pack
it writes the bytes of its manifest, whose SHA-256 is the name of the pack.`,
  },
  {
    name: "format",
    summary: "what an execution log looks like",
    text: `\`ctx pack\` takes one JSON object per run. This is enough:

  { "model": { "identifier": "my-model" },
    "system_prompt": "You are terse.",
    "environment": { "os": "linux", "runtime": "node20" } }

Also common:
  prompts   [{ "role": "user", "content": "…" }]
  inputs    [{ "name": "src/a.ts", "content": "…" }]
  steps     [{ "type": "tool_call", "tool": "read_file", "output": "…",
               "parameters": { "path": "src/a.ts" }, "deterministic": true,
               "timestamp": "2026-02-10T12:00:00Z" }]
  outputs   [{ "name": "report.md", "content": "…", "confidence": "high" }]
  metadata  { anything of your own }

Content is "content" (text), "content_base64" (bytes) or "content_file" (a file
below the log's folder); "system_prompt", "output" and "seen" have the same
forms. An unknown field is an error, so that no typing mistake is lost silently.
The whole format is in docs/format.md, and as a JSON Schema in docs/schema/.`,
  },
  {
    name: "redaction",
    summary: "which secrets are masked, and when",
    text: `\`ctx pack\` masks credentials before anything is hashed or stored: keys of
providers, private keys, auth headers, cookies, addresses with a password,
values after names such as password= or "api_key":, and more. The
mask, [REDACTED:rule:n], says which rule found the secret, and nothing else.

  ctx pack run.json --redact strict   also mask values that may not be secrets
  ctx pack run.json --redact off      mask nothing, this time
  ctx scan                            find secrets in the packs of the store
  ctx scan run.json                   find secrets in a log before you pack it

Your own rules go into .ctx/config.json or ~/.config/ctx/config.json:

  "redact": { "mode": "strict", "allow": ["not-a-secret"],
              "rules": [{ "id": "acme-key", "pattern": "ACME-[0-9]{8}" }] }

ctx does not find every secret. docs/redaction.md says what it finds, how that
was measured, and what to do if a secret got through.`,
  },
  {
    name: "store",
    summary: "what is in a .ctx folder",
    text: `A store is a folder of plain files, which ctx finds as git finds .git:

  .ctx/objects/ab/cdef…   blobs, each named by its SHA-256; \`cat\` shows them
  .ctx/packs/<hash>       one file for each pack
  .ctx/refs/tags/<name>   tags; refs/latest is the pack added last
  .ctx/cache/             can be deleted at any time; ctx makes it again

Nothing is ever changed in place. Once \`ctx pack\` has printed a name, the pack
survives a power cut. The folder can be committed to git if it was made with
\`ctx init --shared\`; otherwise it is private, and git ignores it. Local
files are never committed. \`sha256sum\` alone can audit a store.`,
  },
  {
    name: "json",
    summary: "output for scripts",
    text: `With --json a command prints its result as JSON: one object, or one per line
for lists. Fields are only ever added. docs/schema/ has a JSON Schema for each.

Under --json standard error is JSON too, one object per line:

  {"error":{"code":"not-found","message":"…","hint":"…","problems":[…]}}

An error has at most 1,000 problems; "more_problems" is the number of others.
Notes are objects of another form:

  {"notice":"…"}

Codes never change; messages may. Control characters are written as \\uXXXX, so
the output is safe to print.

Exit status: 0 success; 1 success, but the answer is negative (drift, a modified
file, a secret); 2 an error.`,
  },
  {
    name: "environment",
    summary: "variables that ctx reads",
    text: `  PAGER, CTX_PAGER   the pager for long output on a terminal (default: less
                     -FRX); empty or cat: none, as with --no-pager
  NO_COLOR           no colours
  FORCE_COLOR        colours in pipes, too
  COLUMNS            the width of output that does not go to a terminal
  CTX_DEBUG=1        print the stack of an error, for a bug report
  CTX_REGISTRY_HOST, CTX_REGISTRY_USER, CTX_REGISTRY_PASSWORD
                     user and password for the registry at this host only;
                     without them, ctx reads ~/.docker/config.json (or
                     DOCKER_CONFIG)
  NODE_DISABLE_COMPILE_CACHE=1
                     no code cache in ~/.cache/ctx (or XDG_CACHE_HOME)
  NODE_EXTRA_CA_CERTS
                     a file with the certificates of your own authority`,
  },
  {
    name: "licences",
    summary: "the licences of ctx and of what it contains",
    text: `ctx is free software under the MIT licence. It contains work of others,
under the terms that follow, which are also in dist/THIRD-PARTY.txt.`,
    more: licences,
  },
];

/**
 * Returns the licences of the packages in the program, or "" when running from source. The build puts them
 * beside the program, and into the executable, which people often pass on alone.
 */
function licences(): string {
  const programFile = import.meta.url.startsWith("file:") ? fileURLToPath(import.meta.url) : import.meta.url;
  const file = join(dirname(programFile), "THIRD-PARTY.txt");
  return fs.existsSync(file) ? `\n${fs.readFileSync(file).toString("utf8")}` : "";
}
