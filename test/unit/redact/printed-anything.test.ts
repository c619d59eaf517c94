// Secrets in any form of output and behind any form of command: each list was written from an attack that
// found them stored in clear.
import { describe, expect, it } from "vitest";
import type { ContentOrigin as Origin } from "../../../src/model/manifest.js";
import { printingOf } from "../../../src/redact/printing.js";
import { createScanner } from "../../../src/redact/scanner.js";

const search = createScanner({ mode: "standard" });
const value = "Xk29fLqZ81mPvR3tY7wB";

function shell(command: string): Origin {
  return { tool: "Bash", parameters: { command } };
}

function maskedIn(origin: Origin, text: string): string[] {
  return search.find(text, { printing: printingOf(origin) }).map(({ secret }) => secret);
}

describe("a printed secret that is the whole output", () => {
  it.each([
    "f8Kq<2Zp9LmXw7vR",
    "H7?BjM\\Seg^AUQiRf&{8",
    "aB3=xY9kL2mN5qR8",
    "@rvB6*U6Zt2gsz6I707q",
    "$HoweeJ0WQin5nHwzPAC",
    "%VbysKhH0hp$cD4!#&V3",
    "PuJXlYyqvIvswSgccxoC",
    "p@ss\"w0rd'Xy7!qL9zzK",
    "Crp:CboTyyexKL)IKc+,",
    "/aB3xY9kL2mN5qR8",
    "839274619283746",
  ])("redact: the value %s is masked where it is all that a secret command printed", (password) => {
    for (const command of ["cat /run/secrets/db", "printenv DB_PASSWORD", "jq -r .db.password c.json"])
      expect(maskedIn(shell(command), `${password}\n`), command).toEqual([password]);
  });

  it("redact: at most 2 % of generated passwords with any punctuation stay wholly unmasked", () => {
    let state = 7;
    const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
    const password = (): string =>
      Array.from({ length: 20 }, () => String.fromCharCode(33 + Math.floor(random() * 94))).join("");
    const all = Array.from({ length: 400 }, password);
    const missed = all.filter((one) => maskedIn(shell("pass show x"), `${one}\n`).length === 0);
    expect(missed.length).toBeLessThanOrEqual(8);
  });

  it.each([
    "production",
    "AccessDenied",
    "<none>",
    "${DB_PASSWORD}",
    "$DB_PASSWORD",
    "********",
    "/etc/app/conf",
    "null",
  ])("redact: the ordinary word %s is not masked where it is all that was printed", (text) => {
    expect(maskedIn(shell("printenv DB_PASSWORD"), `${text}\n`)).toEqual([]);
  });

  it("redact: a printed token of 17,000 characters is masked", () => {
    const token = value.repeat(850);
    expect(maskedIn(shell("aws ecr get-login-password"), token)).toEqual([token]);
  });
});

describe("a printed secret beside other text", () => {
  it.each([
    ['echo "DB: $DB_PASSWORD"', `DB: ${value}`],
    ['gh auth token | sed "s/^/tok: /"', `tok: ${value}`],
    ['x=$(cat /run/secrets/db); printf "pw=[%s]" "$x"', `pw=[${value}]`],
    ['echo "$USER:$DB_PASSWORD"', `bob:${value}`],
    ["echo $DB_USER $DB_PASSWORD $DB_HOST", `bob ${value} db.internal`],
    ['echo "Using $DB_PASSWORD for db"', `Using ${value} for db`],
    ["jq -r '.users[] | [.name,.password] | @tsv' u.json", `bob\t${value}`],
    ["grep . /run/secrets/*", `/run/secrets/db:${value}`],
    ["sops -d a.yaml", `foo: ${value} # comment`],
    ["chamber export x", `export FOO="${value}";`],
    ["doppler secrets download --no-file", `set -gx FOO ${value}`],
    ['for f in /run/secrets/*; do echo "$f: $(cat $f)"; done', `/run/secrets/db: ${value}`],
    ["bat /run/secrets/db", `───┬───\n   │ File: /run/secrets/db\n   1   │ ${value}`],
  ])("redact: a value is masked beside a label, a sentence or a path: %s → %s", (command, output) => {
    const found = maskedIn(shell(command), `${output}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(value);
  });
});

const padding = "# a line of a comment\n".repeat(900);

describe("commands that print secrets indirectly", () => {
  it.each([
    "cp /run/secrets/db /tmp/x; cat /tmp/x",
    "cp -r /run/secrets /tmp/x; cat /tmp/x/db",
    "mv password.txt x; cat x",
    "ln -s /run/secrets/db x && cat x",
    'echo "gh auth token" > s.sh && chmod +x s.sh && ./s.sh',
    'printf "gh auth token" > s.sh; bash s.sh',
    "cat > s.sh <<E\ngh auth token\nE\nchmod +x s.sh; ./s.sh",
    'cat > s.py <<E\nimport os\nprint(os.environ["DB_PASSWORD"])\nE\npython3 s.py',
    "find /run/secrets -type f | xargs cat",
    "sshpass -p x ssh h cat /run/secrets/db",
    "docker compose -f a.yml -p proj exec -T app printenv DB_PASSWORD",
    "docker run --rm -e A=b img printenv DB_PASSWORD",
    "docker run --rm img sh -c 'echo $DB_PASSWORD'",
    "dotenv -e .env -- printenv DB_PASSWORD",
    'ansible all -m shell -a "cat /run/secrets/db"',
    'salt "*" cmd.run "cat /run/secrets/db"',
    'heroku run -a x "echo $DB_PASSWORD"',
    "cat <<EOF\n$(gh auth token)\nEOF",
    'echo "gh auth token" | bash',
    "echo Z2ggYXV0aCB0b2tlbg== | base64 -d | sh",
    "diff <(gh auth token) <(echo x)",
    "python3 -c 'print(open(\"/run/secrets/db\").read())'",
    'node -e \'console.log(require("fs").readFileSync("/run/secrets/db","utf8"))\'',
    'ruby -e "puts File.read(%q(/run/secrets/db))"',
    "python3 -c \"import keyring;print(keyring.get_password('a','b'))\"",
    "cd /run/secrets && cat db",
    "pushd /run/secrets >/dev/null; cat db; popd",
    "sort /run/secrets/db",
    "rev /run/secrets/db",
    "tee < /run/secrets/db",
    "perl -ne print /run/secrets/db",
    'vim -es -c "%p" -c q /run/secrets/db',
    "some-unknown-tool /run/secrets/db",
    "git show HEAD:password.txt",
    "curl file:///run/secrets/db",
    "kubectl get Secret x -o yaml",
    "kubectl -n p get -o yaml secret",
    "kubectl get cm,secret -o yaml",
    "name=DB_PASSWORD; echo ${!name}",
    "powershell -c \"[Environment]::GetEnvironmentVariable('DB_PASSWORD')\"",
    "rails runner \"puts ENV['DB_PASSWORD']\"",
    `python3 <<EOF\n${padding}import os\nprint(os.environ["DB_PASSWORD"])\nEOF`,
    `X=$(gh auth token)\n${padding}echo $X`,
    `gh auth token > /tmp/t\n${padding}cat /tmp/t`,
    `psql <<EOF\n${padding}select api_key from users;\nEOF`,
  ])("redact: the output of an indirect command is masked: %s", (command) => {
    expect(maskedIn(shell(command), `${value}\n`)).toEqual([value]);
  });

  it.each<[string, Origin["parameters"]]>([
    ["python", { code: 'print(open("/run/secrets/db").read())' }],
    ["python", { code: 'from pathlib import Path\nprint(Path("/run/secrets/db").read_text())' }],
    ["read_many_files", { include: ["/run/secrets/*"] }],
    ["mcp__k8s__kubectl_get", { resourceType: "secret", name: "db", output: "yaml" }],
    ["mcp__github__get_token", {}],
  ])("redact: the output of a call of %s with %j is masked", (tool, parameters) => {
    expect(maskedIn({ tool, parameters }, `${value}\n`)).toEqual([value]);
  });
});

describe("commands that name a secret and print something else", () => {
  it.each([
    ["cat vocab/tokens.txt", "unaffable99\n##ing2x\n"],
    ["jq -r .token ast.json", "IdentifierExpr2\n"],
    ["wc -c /run/secrets/db", `${value}\n`],
    ["sha256sum password.txt", `${value}\n`],
    ["ls -la /run/secrets", `${value}\n`],
    ["stat /run/secrets/db", `${value}\n`],
    ["test -s /run/secrets/db && echo yes", `${value}\n`],
    ["docker login -u x --password-stdin < password.txt", `${value}\n`],
    ['curl -s https://x/api -H "Authorization: Bearer $TOKEN"', `{"id":"${value}"}`],
    ['[ -n "$API_TOKEN" ] && npm test', `${value}\n`],
    ["sops -d secrets.yaml | kubectl apply -f -", "secret/db configured\n"],
    ["grep -rn password src", `src/a.py:12: x = "${value}"\n`],
    ["some-unknown-tool /run/secrets/db", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a build-2024x done\n"],
  ])("redact: output that is no secret stays: %s → %s", (command, output) => {
    expect(maskedIn(shell(command), output)).toEqual([]);
  });
});

/** Under a pattern that goes from each word to the end of the line, one of these takes minutes. */
describe("long commands", () => {
  it.each([
    ["get", `kubectl ${"get ".repeat(60_000)}token`],
    ["extract", `oc ${"extract ".repeat(30_000)}token`],
    ["output", `terraform ${"output ".repeat(35_000)}token!`],
    ["ssm", `aws ${"ssm get-parameter ".repeat(14_000)}token`],
    ["stages", "token|".repeat(40_000)],
    ["inputs", `cat token ${"<a ".repeat(80_000)}`],
    ["files", "gh auth token > t;".repeat(12_000)],
    ["code", `python3 -c "${"from(".repeat(40_000)} token"`],
  ])("redact: a command of 200 kB takes time in proportion to its length: %s", (_, command) => {
    expect(() => printingOf(shell(command))).not.toThrow();
  });
});
