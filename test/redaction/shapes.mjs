// Why: the shapes in which credentials, and what looks like them, stand in the logs of agents. A shape takes
// a case's material and returns its text (or JSON value) with the secrets as they stand there.

import { fold } from "./random.mjs";

const escape = (text) => JSON.stringify(text).slice(1, -1);
const plain = (text, c) => ({ text, secrets: c.secrets });
const all = (c) => c.lines.join("\n");
const inline = (c) => c.form === "token" || c.form === "address";
const quote = (text) => (/^[\w.:/=+~-]+$/.test(text) ? text : `'${text}'`);
const assign = (c) => `${c.name}=${quote(c.carrier)}`;
const camel = (name) => name.toLowerCase().replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** Returns lines of a file that holds a token or an address, in one of the usual notations. */
export function asFile(c, r) {
  const key = camel(c.name);
  return r.pick([
    { path: ".env", lines: ["NODE_ENV=production", assign(c), "LOG_LEVEL=info"] },
    { path: "env.sh", lines: ["#!/bin/sh", `export ${c.name}=${quote(c.carrier)}`, 'exec "$@"'] },
    { path: "config.json", lines: ["{", '  "retries": 3,', `  "${key}": "${c.carrier}"`, "}"] },
    {
      path: "deploy.yaml",
      lines: ["env:", `  - name: ${c.name}`, `    value: "${c.carrier}"`, "replicas: 2"],
    },
    { path: "settings.py", lines: ["DEBUG = False", `${c.name} = "${c.carrier}"`, "TIMEOUT = 30"] },
    { path: "config.toml", lines: ["[service]", `${c.name.toLowerCase()} = "${c.carrier}"`, "workers = 4"] },
  ]);
}

/** Returns the header that sends it: the provider's own, bearer, or its name. */
function sent(c) {
  if (c.header) return `${c.header}: ${c.carrier}`;
  return `Authorization: Bearer ${c.carrier}`;
}

/** Text cut at positions, with a separator; secrets become the pieces that the cuts leave of them. */
function cut(text, secrets, positions, separator) {
  const bounds = [0, ...positions, text.length];
  const chunks = bounds.slice(1).map((end, i) => text.slice(bounds[i], end));
  const pieces = [];
  for (const secret of secrets) {
    for (let from = text.indexOf(secret); from >= 0; from = text.indexOf(secret, from + secret.length)) {
      for (let i = 1; i < bounds.length; i++) {
        const piece = text.slice(Math.max(from, bounds[i - 1]), Math.min(from + secret.length, bounds[i]));
        if (piece.length >= 6 && bounds[i - 1] < from + secret.length && bounds[i] > from) pieces.push(piece);
      }
    }
  }
  return { text: chunks.join(separator), secrets: [...new Set(pieces)] };
}

/** Returns a long line of harmless records, as a service's JSON log has them. */
function noise(r, length) {
  const records = [];
  for (let size = 0; size < length; ) {
    const record = JSON.stringify({
      id: r.int(100000),
      name: `${r.word()} ${r.word()}`,
      at: r.time(),
      ok: r.int(2) === 1,
      tags: [r.word(), r.word()],
      path: `/srv/${r.word()}/${r.word()}.json`,
    });
    records.push(record);
    size += record.length + 1;
  }
  return records.join(",");
}

function curl(c, r) {
  const domain = `api.${r.word()}.io`;
  const out = [
    `* Connected to ${domain} (203.0.113.${r.int(200)}) port 443`,
    "* using HTTP/2",
    "> GET /v1/status HTTP/2",
    `> Host: ${domain}`,
    "> User-Agent: curl/8.5.0",
  ];
  if (c.form === "token") {
    return plain(
      [
        ...out,
        `> ${sent(c)}`,
        "> Accept: */*",
        ">",
        "< HTTP/2 200",
        "< content-type: application/json",
        "<",
        '{"status":"ok"}',
      ].join("\n"),
      c,
    );
  }
  const body = c.form === "address" ? [JSON.stringify({ [camel(c.name)]: c.carrier, ready: true })] : c.lines;
  return plain(
    [...out, "> Accept: */*", ">", "< HTTP/2 200", "< content-type: text/plain", "<", ...body].join("\n"),
    c,
  );
}

function parameters(c, r) {
  const forms = [{ file_path: `/work/app/${c.path.replace(/^\//, "")}`, content: `${all(c)}\n` }];
  if (c.harmless) {
    forms.push({
      file_path: "/work/app/NOTES.md",
      old_string: "TODO",
      new_string: all(c),
      replace_all: false,
    });
    forms.push({ query: all(c), options: { limit: 20, exact: true } });
  } else if (inline(c)) {
    forms.push({
      command: `${assign(c)} npm run deploy -- --env prod`,
      description: "Deploy",
      timeout: 120000,
    });
    forms.push({ name: "deploy", env: { NODE_ENV: "production", [c.name]: c.carrier }, args: ["--verbose"] });
    if (c.form === "token") {
      const [head, ...rest] = sent(c).split(": ");
      forms.push({
        url: `https://api.${r.word()}.io/v1/me`,
        method: "GET",
        headers: { Accept: "application/json", [head]: rest.join(": ") },
      });
    }
  }
  return { value: r.pick(forms), secrets: c.secrets };
}

function prompt(c, r) {
  if (c.harmless)
    return plain(
      `${r.pick(["Have a look at this and say what it does:", "Why is this in the report?", "Please explain:"])}\n\n${all(c)}\n\nKeep it short.`,
      c,
    );
  if (!inline(c))
    return plain(
      `Here is ${c.path}, please use it for the deployment:\n\n${all(c)}\n\nTell me when it is done.`,
      c,
    );
  return plain(
    c.bare
      ? r.pick([
          `Use ${c.carrier} to call the API and list the last ten entries.`,
          `I made a new one, it is ${c.carrier} and it expires on Friday. Run the migration with it.`,
        ])
      : r.pick([
          `The ${c.name} is ${c.carrier} and please run the sync again.`,
          `set ${c.name} to ${c.carrier} before you start the server`,
        ]),
    c,
  );
}

function shell(c, r) {
  if (inline(c)) {
    return plain(
      r.pick([
        `$ ${assign(c)} ./bin/sync --all`,
        `export ${assign(c)} && npm test`,
        `docker run --rm -e ${assign(c)} app:latest`,
      ]),
      c,
    );
  }
  return plain(`cat > ${c.path} <<'EOF'\n${all(c)}\nEOF\nls -l ${c.path}`, c);
}

function base64(c, r) {
  if (inline(c) && r.int(2)) {
    const coded = Buffer.from(c.carrier).toString("base64");
    return {
      text: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${r.word()}\ntype: Opaque\ndata:\n  ${c.name}: ${coded}\n`,
      secrets: [coded],
    };
  }
  const coded = Buffer.from(`${all(c)}\n`).toString("base64");
  if (r.int(2)) {
    const lines = fold(coded, 76);
    return {
      text: `$ base64 ${c.path}\n${lines.join("\n")}\n`,
      secrets: c.secrets.length ? carrying(c, lines) : [],
    };
  }
  return { text: `echo ${coded} | base64 -d > ${c.path}`, secrets: c.secrets.length ? [coded] : [] };
}

/** Of the lines of base64, those in which a part of a secret is coded: the others may stay. */
function carrying(c, lines) {
  const text = Buffer.from(`${all(c)}\n`);
  const spans = c.secrets.map((secret) => [text.indexOf(secret), text.indexOf(secret) + secret.length]);
  return lines.filter(
    (line, i) =>
      line.length >= 12 &&
      spans.some(([from, to]) => Math.min(to, (i + 1) * 57) - Math.max(from, i * 57) >= 6),
  );
}

function encoded(c, r) {
  const json = JSON.stringify({ id: r.int(900), [camel(c.name ?? "content")]: c.carrier ?? all(c) });
  const [form, change] =
    r.int(2) || !inline(c)
      ? [`payload=${encodeURIComponent(json)}`, (secret) => encodeURIComponent(escape(secret))]
      : [`${camel(c.name)}=${encodeURIComponent(c.carrier)}`, encodeURIComponent];
  const head = "POST /api/settings HTTP/1.1\nContent-Type: application/x-www-form-urlencoded";
  return {
    text: `${head}\n\nid=${r.digits(5)}&${form}&save=1`,
    secrets: c.secrets.map((secret) => change(secret)),
  };
}

function nested(depth) {
  return (c, r) => {
    const content = inline(c)
      ? { retries: 3, [camel(c.name)]: c.carrier }
      : { path: c.path, content: all(c) };
    let text = JSON.stringify(content);
    let secrets = c.secrets.map(escape);
    for (let i = 0; i < depth; i++) {
      text = JSON.stringify({ type: i ? "event" : "tool_result", line: r.int(900), content: text });
      secrets = secrets.map(escape);
    }
    return { text, secrets };
  };
}

function wrapped(c, r) {
  const words = Array.from({ length: 14 }, () => r.word()).join(" ");
  const before = `From the notes of the shift: ${words}. `;
  const body = inline(c) ? `${c.name}=${c.carrier} and then restart` : all(c).replaceAll("\n", " ; ");
  const pad = goodPad(before + body, before.length, c.secrets);
  const text = before + " ".repeat(pad) + body;
  const positions = [];
  for (let i = 76; i < text.length; i += 76) positions.push(i);
  return cut(text, c.secrets, positions, "\n");
}

/**
 * Returns how far to shift the body so that no cut leaves a piece of less than eight characters of a secret.
 */
function goodPad(text, offset, secrets) {
  const fits = (shift) =>
    secrets.every((secret) => {
      const from = text.indexOf(secret, offset) + shift;
      const first = 76 - (from % 76);
      if (secret.length <= first) return false;
      return first >= 8 && (secret.length - first) % 76 >= 8;
    });
  for (let shift = 0; shift < 76; shift++) if (secrets.length === 0 || fits(shift)) return shift;
  return 0;
}

function continued(c, r) {
  const head =
    c.form === "token" && c.bare
      ? `curl -sS https://api.${r.word()}.io/v1/jobs \\\n  -H "${sent(c)}"`
      : `env ${c.name}="${c.carrier}" \\\n  ./bin/sync --all`;
  const secret = c.secrets[0];
  const middle = Math.floor(secret.length * (0.4 + r.int(20) / 100));
  return cut(head, c.secrets, [head.indexOf(secret) + middle], "\\\n");
}

function yamlFolded(c, r) {
  if (!inline(c))
    return plain(
      `steps:\n  - name: ${r.word()}\n    text: >-\n${c.lines.map((line) => `      ${line}`).join("\n")}\n    timeout: 5\n`,
      c,
    );
  if (c.secrets[0].length >= 24 && r.int(2)) {
    const line = `  ${c.name}: "${c.carrier}"`;
    const { text, secrets } = cut(
      line,
      c.secrets,
      [line.indexOf(c.secrets[0]) + Math.floor(c.secrets[0].length / 2)],
      "\\\n    ",
    );
    return { text: `env:\n  NODE_ENV: production\n${text}\n`, secrets };
  }
  return plain(
    `steps:\n  - name: deploy\n    run: >-\n      ./deploy --env prod\n      --${camel(c.name).toLowerCase()}\n      ${quote(c.carrier)}\n      --verbose\n`,
    c,
  );
}

function diff(c, r) {
  const old = r.pick(["# settings", "", "start"]);
  return plain(
    [
      `diff --git a/${c.path} b/${c.path}`,
      `index ${r.hex(7)}..${r.hex(7)} 100644`,
      `--- a/${c.path}`,
      `+++ b/${c.path}`,
      `@@ -1,2 +1,${c.lines.length + 2} @@`,
      ` ${old}`,
      ...c.lines.map((line) => `+${line}`),
      " end",
    ].join("\n"),
    c,
  );
}

function logLines(c, r) {
  const stamp = r.time();
  if (inline(c) && !c.harmless)
    return plain(
      `${stamp} INFO  [boot] config loaded ${c.name}=${c.carrier} region=eu-west-1\n${stamp} INFO  [boot] listening on :8080\n`,
      c,
    );
  return plain(
    c.lines.map((line, i) => `${stamp.slice(0, 20)}${100 + i}Z worker-${r.int(9)} | ${line}`).join("\n"),
    c,
  );
}

function stackTrace(c, r) {
  const frames = [
    `    at parse (/srv/app/dist/config.js:${r.int(90)}:17)`,
    `    at Object.load (/srv/app/dist/boot.js:${r.int(90)}:9)`,
    "    at node:internal/main/run_main_module:28:49",
  ];
  const message = inline(c)
    ? c.form === "address"
      ? `cannot connect to ${c.carrier}`
      : `401 Unauthorized { ${camel(c.name)}: '${c.carrier}' }`
    : `invalid configuration in ${c.path}:\n${all(c)}`;
  return plain([`Error: ${message}`, ...frames].join("\n"), c);
}

function longLine(c, r) {
  const half = 1500 + r.int(4500);
  const inner = inline(c) ? { [camel(c.name)]: c.carrier } : { path: c.path, content: all(c) };
  return {
    text: `[${noise(r, half)},${JSON.stringify(inner)},${noise(r, half)}]`,
    secrets: c.secrets.map(escape),
  };
}

function atStart(c, r) {
  const tail = `${r.word()} ${r.word()}, then nothing else to report.`;
  return plain(inline(c) ? `${c.bare ? c.carrier : assign(c)} ${tail}` : `${all(c)}\n\n${tail}`, c);
}

function atEnd(c, r) {
  const head = `${r.word()} ${r.word()} finished, the output was`;
  return plain(inline(c) ? `${head} ${c.bare ? c.carrier : assign(c)}` : `${head}:\n${all(c)}`, c);
}

function punctuation(c, r) {
  if (!inline(c)) return plain(r.pick([`(${all(c)})`, `«${all(c)}»,`, `[${all(c)}];`]), c);
  const what = c.bare ? c.carrier : `${c.name}=${c.carrier}`;
  return plain(
    r.pick([
      `It says (${what}), which is odd.`,
      `values: ["${what}","-"];`,
      `Call it with \`${what}\`.`,
      `key='${what}';next`,
      `{"${camel(c.name)}":"${c.carrier}"},{}`,
      `see "${what}"!`,
      `|${what}|ok|`,
    ]),
    c,
  );
}

function ansi(c, r) {
  const colour = 31 + r.int(6);
  if (inline(c))
    return plain(
      `\u001b[1m${c.name}\u001b[0m=\u001b[${colour}m${c.carrier}\u001b[0m\n\u001b[2mdone\u001b[0m`,
      c,
    );
  return plain(c.lines.map((line) => `\u001b[${colour}m+${line}\u001b[m`).join("\n"), c);
}

function twice(c) {
  if (inline(c))
    return plain(`$ echo $${c.name}\n${c.carrier}\n$ env | grep ${c.name}\n${c.name}=${c.carrier}\n`, c);
  return plain(`--- before\n${all(c)}\n--- after\n${all(c)}\n`, c);
}

/** Every shape: for inline material (a token, an address), for blocks, or for both; `fits` narrows it, and
 * `most` keeps a shape that few kinds fit from taking all of their cases. */
export const shapes = [
  { shape: "prompt text", make: prompt },
  { shape: "tool parameters", make: parameters },
  { shape: "shell command", make: shell },
  { shape: "cat of a file", make: (c) => plain(`$ cat ${c.path}\n${all(c)}\n$ `, c) },
  {
    shape: "env dump",
    fits: inline,
    make: (c, r) =>
      plain(
        [
          "SHELL=/bin/bash",
          "HOME=/home/dev",
          `${c.name}=${c.carrier}`,
          "LANG=C.UTF-8",
          `PWD=/srv/${r.word()}`,
          "TERM=xterm-256color",
        ].join("\n"),
        c,
      ),
  },
  { shape: "curl output", make: curl },
  {
    shape: "git remote output",
    most: 5,
    fits: (c) => Boolean(c.git),
    make: (c, r) => {
      const url = `https://${r.pick(["oauth2", "x-access-token", "ci"])}:${c.carrier}@${c.git}/${r.word()}/${r.word()}.git`;
      return plain(`$ git remote -v\norigin\t${url} (fetch)\norigin\t${url} (push)\n`, c);
    },
  },
  {
    shape: "docker inspect",
    fits: inline,
    make: (c, r) => ({
      text: JSON.stringify(
        [
          {
            Id: r.hex(64),
            Name: `/${r.word()}`,
            Config: { Image: "app:1.4", Env: ["PATH=/usr/bin", `${c.name}=${c.carrier}`] },
          },
        ],
        null,
        4,
      ),
      secrets: c.secrets.map(escape),
    }),
  },
  { shape: "stack trace", make: stackTrace },
  {
    shape: "npm config",
    most: 4,
    fits: (c) => Boolean(c.npm),
    make: (c, r) =>
      plain(
        `; "user" config from /home/dev/.npmrc\n\n//registry.${r.word()}.io/:_authToken = "${c.carrier}"\nfund = false\n\n; node version = v20.11.1\n`,
        c,
      ),
  },
  {
    shape: "process list",
    fits: inline,
    make: (c, r) =>
      plain(
        `USER   PID %CPU COMMAND\nroot     1  0.0 /sbin/init\ndev  ${r.digits(4)}  1.2 node server.js --port 80 --${camel(c.name).toLowerCase()}=${c.carrier} --quiet\n`,
        c,
      ),
  },
  {
    shape: "table output",
    fits: inline,
    make: (c) =>
      plain(
        `KEY                VALUE\n---                -----\nregion             eu-west-1\n${c.name.padEnd(18)} ${c.carrier}\nrenewable          true\n`,
        c,
      ),
  },
  {
    shape: "API response",
    fits: inline,
    make: (c, r) =>
      plain(
        JSON.stringify({
          id: r.digits(6),
          name: camel(c.name),
          [c.form === "address" ? camel(c.name) : "token"]: c.carrier,
          created_at: r.time(),
          scopes: ["read"],
        }),
        c,
      ),
  },
  {
    shape: "source code",
    fits: inline,
    make: (c, r) =>
      plain(
        `import { Client } from "./${r.word()}.js";\n\nconst client = new Client({ ${camel(c.name)}: "${c.carrier}", retries: 2 });\nawait client.run();\n`,
        c,
      ),
  },
  {
    shape: "numbered file",
    make: (c) => plain(c.lines.map((line, i) => `${String(i + 1).padStart(6)}→${line}`).join("\n"), c),
  },
  { shape: "JSON in JSON", make: nested(1) },
  { shape: "JSON in JSON in JSON", make: nested(2) },
  { shape: "URL-encoded", make: encoded },
  { shape: "base64", make: base64 },
  {
    shape: "shell continuation",
    fits: (c) => inline(c) && !c.harmless && c.secrets[0].length >= 20,
    make: continued,
  },
  {
    shape: "wrapped at 76",
    fits: (c) => c.harmless || (inline(c) && c.secrets[0].length >= 20),
    make: wrapped,
  },
  { shape: "YAML folded", make: yamlFolded, fits: (c) => inline(c) || c.harmless || c.lines.length < 4 },
  { shape: "diff hunk", make: diff },
  {
    shape: "Markdown code block",
    make: (c) =>
      plain(`Put this into \`${c.path}\`:\n\n\`\`\`\n${all(c)}\n\`\`\`\n\nThen start it again.\n`, c),
  },
  { shape: "log lines", make: logLines },
  { shape: "CRLF file", make: (c) => plain(`${c.lines.join("\r\n")}\r\n`, c) },
  { shape: "very long line", make: longLine },
  { shape: "at the very beginning", make: atStart },
  { shape: "at the very end", make: atEnd },
  {
    shape: "adjacent punctuation",
    make: punctuation,
    fits: (c) => inline(c) || (c.harmless && c.lines.length === 1),
  },
  { shape: "ANSI colours", make: ansi },
  { shape: "twice in one text", make: twice },
];
