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

  d9fe2847          the first digits of its hash: 4 or more, if only one fits
  ctx://d9fe2847    the same; so are sha256:d9fe2847 and all 64 digits
  latest            the pack last added to this store
  baseline          a tag (see \`ctx help tag\`)
  latest~1          its parent; ~2 the parent of that, and so on
  run.ctx           for show, diff, verify and replay: a file of \`ctx export\`;
                    run.ctx#d9fe2847 is one of several packs in it

Upper-case digits are understood. \`ctx cat\` takes the same names for blobs; for
a pack it gives the bytes of its manifest, whose SHA-256 is the pack's name.`,
  },
  {
    name: "format",
    summary: "what an execution log looks like",
    text: `\`ctx pack\` takes one JSON object per run. This is enough:

  { "model": { "identifier": "my-model" },
    "system_prompt": "You are terse.",
    "environment": { "os": "linux", "runtime": "node20" } }

Usual, too:
  prompts   [{ "role": "user", "content": "…" }]
  inputs    [{ "name": "src/a.ts", "content": "…" }]
  steps     [{ "type": "tool_call", "tool": "read_file", "output": "…",
               "parameters": { "path": "src/a.ts" }, "deterministic": true,
               "timestamp": "2026-02-10T12:00:00Z" }]
  outputs   [{ "name": "report.md", "content": "…", "confidence": "high" }]
  metadata  { anything of your own }

Content is "content" (text), "content_base64" (bytes) or "content_file" (a file
below the log's folder); so with "system_prompt", "output" and "seen". A field
that is not known is an error, so that no typing mistake vanishes from the
record. Everything is in docs/format.md, and as a JSON Schema in docs/schema/.`,
  },
  {
    name: "redaction",
    summary: "which secrets are masked, and when",
    text: `\`ctx pack\` masks credentials before anything is hashed or stored: keys of
providers, private keys, auth headers, cookies, addresses with a password,
values after names such as password= or "api_key":, and more. What stands
there then, [REDACTED:rule:n], says which rule found it, and nothing else.

  ctx pack run.json --redact strict   also values that may not be secrets
  ctx pack run.json --redact off      nothing, this once
  ctx scan                            what the store's packs hold all the same
  ctx scan run.json                   a log, before it is packed

Own rules go into .ctx/config.json or ~/.config/ctx/config.json:

  "redact": { "mode": "strict", "allow": ["not-a-secret"],
              "rules": [{ "id": "acme-key", "pattern": "ACME-[0-9]{8}" }] }

Not everything is found. docs/redaction.md says what is, how it was measured,
and what to do when a secret got through.`,
  },
  {
    name: "store",
    summary: "what is in a .ctx folder",
    text: `A store is a folder of plain files, found from below as git finds .git:

  .ctx/objects/ab/cdef…   blobs, each named by its SHA-256; \`cat\` shows them
  .ctx/packs/<hash>       a file per pack, which exists exactly when it does
  .ctx/refs/tags/<name>   tags; refs/latest is the pack last added here
  .ctx/cache/             may be deleted at any time, and is made again

Nothing is ever changed in place. Once \`ctx pack\` has printed a name, the pack
survives a power cut. The folder can be committed to git if it was made with
\`ctx init --shared\`; otherwise it is private, and git ignores it. What is local
is never committed. \`sha256sum\` alone can audit it.`,
  },
  {
    name: "json",
    summary: "output for scripts",
    text: `With --json a command prints its result as JSON: one object, or one per line
for lists. Fields are only ever added. docs/schema/ has a JSON Schema for each.

Under --json standard error is JSON too, one object per line:

  {"error":{"code":"not-found","message":"…","hint":"…","problems":[…]}}

An error has at most 1,000 problems; "more_problems" says how many are left out.
  {"notice":"…"}

Codes never change; messages may. Control characters and their like are written
as \\uXXXX, so the output is safe to look at.

Exit status: 0 done, and the answer is good; 1 done, and the answer is bad;
2 could not be done.`,
  },
  {
    name: "environment",
    summary: "variables that ctx reads",
    text: `  PAGER, CTX_PAGER   what shows long output on a terminal (default: less -FRX);
                     empty or cat: nothing. --no-pager does the same once
  NO_COLOR           no colour
  FORCE_COLOR        colour in pipes, too
  COLUMNS            the width of output that does not go to a terminal
  CTX_DEBUG=1        the stack of an error, for a bug report
  CTX_REGISTRY_HOST, CTX_REGISTRY_USER, CTX_REGISTRY_PASSWORD
                     who you are to the registry at this host, and to no
                     other; without them, what ~/.docker/config.json (or
                     DOCKER_CONFIG) says
  NODE_DISABLE_COMPILE_CACHE=1
                     no code cache in ~/.cache/ctx (or XDG_CACHE_HOME)
  NODE_EXTRA_CA_CERTS
                     a file with the certificates of your own authority`,
  },
  {
    name: "licences",
    summary: "whose work is in ctx, and on which terms",
    text: `ctx is free software under the MIT licence. It contains work of others, on the
terms that follow; the package has them in dist/THIRD-PARTY.txt.`,
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
