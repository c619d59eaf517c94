// Which commands print a secret, and what of their output is one.
import { describe, expect, it } from "vitest";
import type { ContentOrigin as Origin } from "../../../src/model/manifest.js";
import { printingOf } from "../../../src/redact/printing.js";
import { createScanner } from "../../../src/redact/scanner.js";

const search = createScanner({ mode: "standard" });
const value = "Xk29fLqZ81mPvR3tY7wB";

function shell(command: string): Origin {
  return { tool: "run_command", parameters: { command } };
}

function maskedIn(origin: Origin, text: string): string[] {
  return search.find(text, { printing: printingOf(origin) }).map(({ secret }) => secret);
}

const asking = [
  "op read op://prod/db/password",
  "pass show prod/db",
  "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
  "kubectl get secret db -o jsonpath='{.data.password}'",
  "kubectl -n prod get secret/db --template={{.data.password}} | base64 --decode; echo",
  "vault kv get -field=password secret/db",
  "aws secretsmanager get-secret-value --secret-id db --query SecretString --output text",
  "gcloud secrets versions access latest --secret=db",
  "security find-generic-password -s db -w",
  "az keyvault secret show --name db --vault-name v --query value -o tsv",
  "openssl rand -base64 15",
  "flyctl auth token",
  "printenv DB_PASSWORD",
  "docker exec -it app printenv POSTGRES_PASSWORD",
  "docker compose exec -T db printenv POSTGRES_PASSWORD",
  "kubectl exec deploy/api -- printenv API_TOKEN",
  "echo $DB_PASSWORD",
  'echo "${GITHUB_TOKEN}"',
  "printf '%s\\n' \"$API_KEY\"",
  "cat /run/secrets/db_password",
  "sudo cat /var/run/secrets/app/token",
  "head -1 secrets/db",
  "cat ~/.vault-token",
  "cat password.txt",
  "terraform output -raw db_password",
  "terraform -chdir=infra output -raw db_password",
  "doppler secrets get DB_PASSWORD --plain",
  "jq -r .db.password config.json",
  "cat config.json | jq -r '.prod[\"api-key\"]'",
  "yq '.database.password' values.yaml",
  "aws ssm get-parameter --name /db --with-decryption --query Parameter.Value --output text",
  "gh auth token",
  "cd /srv && gh auth token",
  "GH_HOST=x gh auth token | tee /dev/stderr",
  "bash -lc 'gh auth token'",
  'ssh -i key host "gh auth token"',
  'TOKEN=$(gh auth token); echo "$TOKEN"',
  "echo $(gh auth token)",
  "gcloud auth print-access-token",
  "heroku config:get DATABASE_PASSWORD -a app",
  "bw get password db",
  "chamber read -q svc key",
  "sops -d secrets.enc",
  "gpg -d secret.gpg",
  "gpg --quiet --decrypt ~/db.gpg",
  "age -d -i key secret.age",
  "ansible-vault view group_vars/all",
  "aws ecr get-login-password --region eu-west-1",
  "aws configure get aws_secret_access_key",
  "az account get-access-token --query accessToken -o tsv",
  "git config --get github.token",
  "git config --get http.https://example.com/.extraheader",
  "git config credential.my-secret",
  "wg genkey",
  "secret-tool lookup service db",
  "npm config get //registry.npmjs.org/:_authToken",
  "oc whoami -t",
  "kubectl create token builder",
  "grep DB_PASSWORD .env | cut -d= -f2",
  "grep ^API_TOKEN= .env | sed 's/.*=//'",
  "awk -F= '/DB_PASSWORD/{print $2}' /run/secrets/env",
  "python3 -c \"import os; print(os.environ['DB_PASSWORD'])\"",
  "node -p process.env.API_TOKEN",
  "redis-cli get session:token",
  "systemd-creds cat db",
  "env FOO=1 timeout 5 op read op://a/b/c",
  "set -e\ncd app\nterraform output -raw admin_password\n",
  "head -c 24 /dev/urandom | base64",
  "pulumi config get dbPassword",
  "gh auth \\\n  token",
  "gh auth tok\\\nen",
  "bash <<'EOF'\ngh auth token\nEOF",
  "bash -s <<EOF\ngh auth token\nEOF",
  "bash <<< 'gh auth token'",
  "ssh host <<'EOF'\ncat /run/secrets/db\nEOF",
  "ssh host 'bash -s' <<'EOF'\nprintenv DB_PASSWORD\nEOF",
  "ssh host cat /run/secrets/db | head -1",
  "python3 <<'EOF'\nimport os\nprint(os.environ['DB_PASSWORD'])\nEOF",
  "psql <<'EOF'\nselect password from users;\nEOF",
  "cat <<EOF\n$DB_PASSWORD\nEOF",
  "cat <<'EOF' > x.sh\ngh auth token\nEOF\nbash x.sh",
  "op --account acme read op://a/b/c",
  "vault -namespace=x kv get -field=password secret/db",
  "doppler -p web secrets get DB --plain",
  "git -C /x config github.token",
  "gh -R x auth token",
  'echo "$(</run/secrets/db)"',
  "read x < /run/secrets/db; echo $x",
  "while read x; do echo $x; done < /run/secrets/db",
  "gh auth token > t; cat t",
  "gh auth token > /tmp/tok && cat /tmp/tok",
  "echo ${API_TOKEN:-none}",
  'echo "${API_TOKEN:0:50}"',
  "cat /run/secrets/*",
  'for f in /run/secrets/*; do cat "$f"; done',
  "F=/run/secrets/db; cat $F",
  "a=token; gh auth $a",
  "find /run/secrets -type f -exec cat {} \\;",
  'cat "$DB_PASSWORD_FILE"',
  "cat ${SECRET_FILE}",
  "sed -n 's/^DB_PASSWORD=//p' .env",
  "awk -F= '/DB_PASSWORD/{print $2}' .env",
  "grep -oP '(?<=DB_PASSWORD=).*' .env",
  "grep -oP 'DB_PASSWORD=\\K.*' .env",
  "xargs -n1 gh auth token",
  "ls /run/secrets | xargs -I{} cat /run/secrets/{}",
  "watch -n1 gh auth token",
  "script -qc 'gh auth token' /dev/null",
  "runuser -u app -- cat /run/secrets/db",
  "runuser -l app -c 'cat /run/secrets/db'",
  "chroot /x cat /run/secrets/db",
  "nsenter -t 1 -m cat /run/secrets/db",
  "crictl exec -it x cat /run/secrets/db",
  "direnv exec . printenv DB_PASSWORD",
  'nix-shell -p gh --run "gh auth token"',
  "wsl cat /run/secrets/db",
  "parallel ::: 'gh auth token'",
  "oc extract secret/db --to=-",
  "dotenv get DB_PASSWORD",
  "dotenvx get DB_PASSWORD",
  "declare -p DB_PASSWORD",
  "etcdctl get /db/password --print-value-only",
  "kubectl get -n prod secret db -o jsonpath={.data.x}",
  "tail -3 ~/.ssh/id_rsa",
  "type C:\\secrets\\password.txt",
  "Get-Content C:\\secrets\\password.txt",
  'powershell -Command "Get-Content C:\\secrets\\password.txt"',
  "cmd.exe /c type secrets\\password.txt",
  "cmd /c echo %API_TOKEN%",
  "echo %DB_PASSWORD%",
  '[Environment]::GetEnvironmentVariable("DB_PASSWORD")',
  "(Get-Item Env:\\DB_PASSWORD).Value",
  "Get-ChildItem Env:DB_PASSWORD | Select -Expand Value",
  ..."SECRET_KEY_BASE JWT_KEY HMAC_KEY SESSION_KEY SUPABASE_SERVICE_ROLE_KEY OPENAI_KEY STRIPE_KEY GH_PAT DEPLOY_KEY DB_PW"
    .split(" ")
    .map((name) => `echo $${name}`),
  'echo "${STRIPE_KEY}"',
  "printenv STRIPE_KEY",
  "node -p process.env.STRIPE_KEY",
  "cat <<EOF\n$GH_PAT\nEOF",
  "(Get-Item Env:\\STRIPE_KEY).Value",
  "base64 -w0 /run/secrets/db",
  "base32 < /run/secrets/db; base32 /run/secrets/db",
  "tail -1 .env | cut -d= -f2",
  "sed -n '3p' .env | cut -d= -f2-",
  "cat app/.env.local | cut -d= -f2",
  "awk -F= 'NR==3{print $2}' .env",
  "cut -d= -f2 .env",
  "gh api -X POST /repos/a/b/actions/runners/registration-token --jq .token",
  "gh api /app/installations/1/access_tokens -X POST -q .token",
  "terraform output -json | jq -r .db.value",
  "cat config/master.key",
  "cat config/credentials/production.key",
  "rbw get github",
  "netlify env:get STRIPE",
  "firebase functions:secrets:access STRIPE",
  "poetry config pypi-token.pypi",
  "composer config --global github-oauth.github.com",
  "k3s token create",
  "k3s kubectl create token builder",
  "kubeadm token create",
  `echo ${"a".repeat(17_000)}\ngh auth token`,
  `cat > data <<EOF\n${"some words\n".repeat(5000)}EOF\ngh auth token`,
];

describe("commands that print secrets", () => {
  it.each(asking)("redact: what this command printed is masked: %s", (command) => {
    expect(maskedIn(shell(command), `${value}\n`)).toEqual([value]);
    expect(maskedIn(shell(command), value)).toEqual([value]);
  });

  it.each([
    ["Output:", `Exit code: 0\nWall time: 0.1 seconds\nOutput:\n${value}\n`],
    ["a label", `Command: gh auth token\nDirectory: /srv\nOutput: ${value}\nError: (none)\nExit Code: 0`],
    ["JSON", `{"output":"${value}\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}`],
    ["a list of texts", `[{"type":"text","text":"${value}"}]`],
    ["tags", `<returncode>0</returncode>\n<output>\n${value}\n</output>`],
    [
      "a note in brackets",
      `${value}\n[The command completed with exit code 0.]\n[Current working directory: /a]`,
    ],
    ["JSON with the status first", `{"exit_code":0,"stdout":"${value}\\n"}`],
    [
      "JSON with lines around the value",
      `{"output":"line one\\n${value}\\nlast line\\n","metadata":{"exit_code":0}}`,
    ],
    ["JSON of several lines", `{\n  "stderr": "",\n  "stdout": "${value}\\n"\n}`],
    ["a result of MCP", `{"content":[{"type":"text","text":"${value}\\n"}],"isError":false}`],
    ["a result of JSON-RPC", `{"result":{"content":[{"type":"text","text":"${value}\\n"}]}}`],
    ["JSON within JSON", `{"output":"{\\"stdout\\":\\"${value}\\\\n\\"}"}`],
    ["a label and JSON", `Exit code: 0\nOutput:\n{"stdout":"${value}\\n"}\n`],
    ["a dictionary of Python", `{'stdout': '${value}\\n', 'stderr': ''}`],
    ["bytes of Python", `b'${value}\\n'`],
    ["a tuple of Python", `('${value}', '')`],
    ["an object of Python", `CompletedProcess(args=['gh'], returncode=0, stdout='${value}\\n')`],
    ["modes of a terminal", `\u001b[?2004l${value}\u001b[?2004h`],
    ["a title of a terminal", `\u001b]0;title\u0007${value}\n`],
    ["a mark of the encoding", `\ufeff${value}\n`],
    ["a dash", `- ${value}`],
    ["a quotation", `> ${value}`],
    ["a star", `* ${value}`],
    ["its own name", `token ${value}`],
    ["a list", `["${value}"]`],
    ["a colour", `\u001b[36m${value}\u001b[0m\n`],
  ])("redact: a printed secret is found through %s around its output", (_, output) => {
    expect(maskedIn(shell("gh auth token"), output)).toEqual([value]);
  });

  it.each([
    ["a list of words", { command: ["bash", "-lc", "gh auth token"] }],
    ["a program and its arguments", { command: ["gh", "auth", "token"] }],
    ["cmd", { cmd: "gh auth token" }],
    ["a call within", { action: { command: ["gh", "auth", "token"] } }],
    ["several commands", { commands: [{ keystrokes: "gh auth token\n" }] }],
  ])("redact: a command is found in parameters with %s", (_, parameters) => {
    expect(maskedIn({ tool: "anything", parameters }, value)).toEqual([value]);
  });

  it.each<[string, Origin["parameters"]]>([
    ["bash", { input: { command: "gh auth token" } }],
    ["bash", { arguments: '{"command":"gh auth token"}' }],
    ["bash", { a: { b: { command: "gh auth token" } } }],
    ["terminal", { text: "gh auth token" }],
    ["python", { code: 'import os\nprint(os.environ["DB_PASSWORD"])' }],
    ["execute_python", { code: "print(subprocess.check_output(['gh','auth','token']).decode())" }],
    ["ipython", { code: "!gh auth token" }],
    ["execute_ipython_cell", { code: "os.getenv('API_TOKEN')" }],
    ["read_file", { path: "C:\\secrets\\password.txt" }],
    ["fs_read", { operations: [{ mode: "Line", path: "/run/secrets/db" }] }],
    ["read_many_files", { paths: ["/run/secrets/db", "README.md"] }],
    ["mcp__filesystem__read_text_file", { path: "/run/secrets/db" }],
    ["mcp__fs__read_multiple_files", { paths: ["/run/secrets/db"] }],
    ["str_replace_editor", { command: "view", path: "/run/secrets/db" }],
    ["get_env", { name: "DB_PASSWORD" }],
    ["get_environment_variable", { name: "DB_PASSWORD" }],
    ["secrets_get", { name: "x" }],
    ["1password__item_get", { name: "x" }],
    ["get_env", { name: "STRIPE_KEY" }],
    ["Grep", { pattern: ".", path: "/x/password.txt", output_mode: "content" }],
    ["Grep", { pattern: ".", path: "/run/secrets", output_mode: "content", "-A": 2 }],
    ["Grep", { pattern: ".", path: "/x", glob: "password.txt", output_mode: "content" }],
    ["grep_search", { pattern: ".", dir_path: "/run/secrets/" }],
    ["search_file_content", { pattern: ".", path: "/run/secrets/db" }],
    ["mcp__fs__search_files", { query: ".", paths: ["README.md", "/run/secrets/db"] }],
    ["exec", { input: "const r = await tools.exec_command({cmd:'pass show db'}); text(r.output)" }],
    ["exec", { input: 'text(await tools.exec_command({ "cmd": "bash -c \\"pass show db\\"" }))' }],
    ["exec", { input: "await tools.shell({command: ['pass', 'show', 'db']})" }],
  ])("redact: a call of %s with %j prints a secret", (tool, parameters) => {
    expect(maskedIn({ tool, parameters }, `${value}\n`)).toEqual([value]);
    expect(maskedIn({ tool, parameters }, `Here is the file:\n     1\t${value}\n`)).toEqual([value]);
  });

  it.each<[string, Origin["parameters"]]>([
    ["get_env", { name: "NODE_ENV" }],
    ["write_file", { path: "/run/secrets/db", content: "x" }],
    ["list_directory", { path: "/run/secrets" }],
    ["python", { code: "print(len(token_list))" }],
    ["secrets_list", { name: "x" }],
    ["search", { text: "gh auth token" }],
    ["get_env", { name: "CACHE_KEY" }],
    ["Grep", { pattern: "gh auth token", path: "src", output_mode: "content" }],
    ["grep_search", { query: "cat /run/secrets/db", path: "docs" }],
    ["Grep", { pattern: "password.txt", path: "/x", output_mode: "content" }],
    ["Grep", { pattern: ".", path: "/x/password.txt", output_mode: "files_with_matches" }],
    ["exec", { input: "await tools.exec_command({cmd:'git log # the token'})" }],
  ])("redact: a call of %s with %j prints no secret", (tool, parameters) => {
    expect(maskedIn({ tool, parameters }, `${value}\n`)).toEqual([]);
  });

  it("redact: a tool of its own, or one that reads a file, may print a secret", () => {
    expect(maskedIn({ tool: "mcp__vault__get_secret", parameters: {} }, value)).toEqual([value]);
    expect(
      maskedIn({ tool: "Read", parameters: { file_path: "/run/secrets/db" } }, `     1→${value}`),
    ).toEqual([value]);
    expect(maskedIn({ path: ".outside/run/secrets/db" }, value)).toEqual([value]);
  });

  it("redact: values printed beside their names are masked", () => {
    const vault =
      "====== Data ======\nKey         Value\n---         -----\npassword    Xk29fLqZ81mPvR3tY7wB\nusername    app-user-01\ncreated_time    2026-02-10T12:00:00.123Z";
    expect(maskedIn(shell("vault kv get secret/db"), vault)).toEqual([value]);
    const aws = `{\n  "ARN": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd",\n  "Name": "prod/db-2024x",\n  "VersionId": "0a9b8c7d-6e5f-4a3b-8c1d-0e9f8a7b6c5d",\n  "SecretString": "${value}",\n  "CreatedDate": "2026-02-10T12:00:00Z"\n}`;
    expect(maskedIn(shell("aws secretsmanager get-secret-value --secret-id db"), aws)).toEqual([value]);
    const inner = `{"SecretString": "{\\"user\\":\\"app-user-01\\",\\"p\\":\\"${value}\\"}"}`;
    expect(maskedIn(shell("aws secretsmanager get-secret-value --secret-id db"), inner)).toEqual([value]);
    expect(
      maskedIn(
        shell("psql -c \"select * from s where k = 'db_password'\""),
        ` key | value\n-----+------\n db_password | ${value}\n(1 row)`,
      ),
    ).toEqual([value]);
    expect(
      maskedIn(
        shell("kubectl get secret db -o yaml"),
        `apiVersion: v1\ndata:\n  pw: WGsyOWZMcVo4MW1QdlIzdFk3d0I=\nkind: Secret\nmetadata:\n  creationTimestamp: "2026-02-10T12:00:00Z"\n  name: db-main-7f9c4\n  resourceVersion: "123456"\n  uid: 0a9b8c7d-6e5f-4a3b-8c1d-0e9f8a7b6c5d\ntype: Opaque`,
      ),
    ).toEqual(["WGsyOWZMcVo4MW1QdlIzdFk3d0I="]);
  });

  it.each([
    [
      "vault kv get -format=json secret/db",
      `{\n  "data": {\n    "data": {\n      "key": "${value}"\n    }\n  }\n}`,
    ],
    ["vault kv get -format=json secret/db", `{"data":{"data":{"db":"${value} with a space"}}}`],
    [
      "aws secretsmanager get-secret-value --output text",
      `arn:aws:x:eu:1:secret:x\t2026-01-01\tx\t${value}\tVID\n`,
    ],
    ["terraform output db_creds", `{\n  "user" = "x"\n  "foo" = "${value}"\n}`],
    ["sqlite3 x.db 'select * from tokens'", `1|bob|${value}\n`],
    ["sops -d s.yaml", `keys:\n    - ${value}\n`],
    ["sops -d s.json", `{"keys": ["${value}", "x"]}`],
    [
      "psql -c 'select name, password from u'",
      ` name | password\n------+------\n bob  | ${value}\n(1 row)\n`,
    ],
    [
      "jq -C . c.json",
      `{\n  \u001b[34;1m"password"\u001b[0m\u001b[1;39m:\u001b[0m \u001b[0;32m"${value}"\u001b[0m\n}\n`,
    ],
  ])("redact: a secret printed among other values is masked: %s", (command, output) => {
    expect(maskedIn(shell(command), output)).toEqual([value]);
  });

  it("redact: a printed value with JSON escapes is masked as a whole", () => {
    const output = `{"stdout":"Xk29fLqZ81mPv\\u0026tY7wB\\n"}`;
    const [found] = search.find(output, { printing: printingOf(shell("gh auth token")) });
    expect(found?.secret).toBe("Xk29fLqZ81mPv&tY7wB");
    const [{ from, to } = { from: 0, to: 0 }] = found?.pieces ?? [];
    expect(output.slice(from, to)).toBe("Xk29fLqZ81mPv\\u0026tY7wB");
  });

  it("redact: printed password hashes are masked", () => {
    const output = `root:$6$abcdefgh12$${value}${value}:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n`;
    expect(maskedIn(shell("cat /etc/shadow"), output)).toEqual([`$6$abcdefgh12$${value}${value}`]);
  });

  it("redact: a short or plain password is masked where it is all that was printed", () => {
    expect(maskedIn(shell("op read op://a/b/c"), "kaas-broodje\n")).toEqual(["kaas-broodje"]);
    expect(maskedIn(shell("printenv HEROKU_API_TOKEN"), "0a9b8c7d-6e5f-4a3b-8c1d-0e9f8a7b6c5d")).toHaveLength(
      1,
    );
  });
});

const named = `apiVersion: v1
kind: Secret
metadata:
  name: db-cred-7d9f
  annotations:
    app.kubernetes.io/managed-by: Helm3-app1
    helm.sh/chart: myapp-1.2.3
  labels:
    pod-template-hash: 7d9f8c6b5x
type: Opaque
`;

describe("names of files and tools that hold secrets", () => {
  it.each(
    "_netrc .netrc .pgpass .git-credentials .my.cnf .aws/credentials .docker/config.json .npmrc .pypirc .kube/config .s3cfg .boto .htpasswd .ssh/id_rsa .ssh/ID_ED25519 /etc/shadow /run/secrets/x /mnt/secrets-store/x /etc/secret/x .vault-token initialAdminPassword initial_root_password node-token db.Passphrase api-key PRIVATE_KEY.b64 app.credentials $DB_PASSWORD_FILE".split(
      " ",
    ),
  )("redact: the file %s is known to hold secrets", (path) => {
    expect(
      printingOf({ path: path.includes("/") || path.startsWith("$") ? path : `home/${path}` }),
    ).toBeDefined();
  });

  it.each(
    "get_secret_value readPassword reveal-credential fetch_api_key get_access_token secrets_get PASSWORD-read apiKey_show mcp__1password__get_item mcp__bitwarden__show mcp__lastpass__read mcp__keepassxc__get mcp__vault__read_kv".split(
      " ",
    ),
  )("redact: the tool %s is known to print secrets", (tool) => {
    expect(printingOf({ tool, parameters: {} })).toBeDefined();
  });
});

describe("names, versions and labels beside secrets", () => {
  it.each([
    ["echo $PROJECT_KEY", "acme_web-app\n"],
    ["echo $SONAR_PROJECT_KEY", "PROJ-12\n"],
    ["echo $DEPLOY_KEY", "~/.ssh/deploy_ed25519\n"],
    ["printenv SSH_KEY", "/home/ana/.ssh/id_work2\n"],
    ["cut -d= -f2 .env", "production\n5432\ndb-1.internal\nhttps://example.org/a1b2\ninfo\nv1.2.3\n"],
    ["cut -d= -f1 .env | sort", "DATABASE_URL\nSTRIPE_KEY\n"],
    ["terraform output -json | jq -r .vpc_id.value", "vpc-0a1b2c3d4e5f67890\n"],
    ["gh api /repos/a/b --jq .full_name # token", "acme/web-app2\n"],
    ["composer config --global repos.packagist", "https://repo.example.org/p2x\n"],
    ["poetry config virtualenvs.path # token", "/home/ana/.cache/v3nvs\n"],
    [
      "cat ~/.kube/config",
      "contexts:\n- context:\n    cluster: prod-eks-eu1\n    user: admin-eu1\ncurrent-context: prod-eks-eu1\n",
    ],
    ["kubectl get secret db -o yaml", named],
    [
      "kubectl get secret db -o json",
      '{"kind":"Secret","metadata":{"name":"db-1","labels":{"x":"Xk29fLqZ81mPvR3tY7wB"}}}',
    ],
    ['kubectl get secret db -o jsonpath="{.metadata.name}"', "db-cred-7d9f"],
    [
      "kubectl get secret -o custom-columns=NAME:.metadata.name",
      "NAME\ndb-cred-7d9f\nsh.helm.release.v1.web.v12\n",
    ],
    ["jq -r .dependencies.jsonwebtoken package.json", "^9.0.2\n"],
    ["jq -r .token versions.json", "~1.2.3\n"],
    ["cat lib/token", "#!/bin/sh\necho usage2you\nexit 0\n"],
    ["cat bin/rotate-secret", "kubectl rollout restart deployment/api-server\nXk29fLqZ81mPvR3tY7wB\n"],
    ["cat test/fixtures/token.txt", "user1-name2\n"],
    ["base64 -d x | head -3", "hello-world-2024\nserver1.example.com\n"],
    ["openssl rand -hex 4", "deadbee1\n"],
    [
      "aws ssm get-parameter --name /ami --with-decryption --query Parameter.Value",
      '"ami-0abcd1234ef567890"\n',
    ],
    [
      "terraform output -json",
      '{"vpc_id":{"value":"vpc-0a1b2c3d4e5f67890"},"bucket":{"value":"my-bucket-prod-eu1"}}',
    ],
    ["heroku config", "=== app Config Vars\nSTACK:  heroku-22\nRELEASE: v123-abc4\n"],
    ["heroku config:get STACK", "heroku-22\n"],
    ["cat ~/.docker/config.json", '{"currentContext":"colima-x86","plugins":{"x":"v1.2.3-abc"}}'],
    ["op item get x --format json", '{"id":"q1w2e3r4t5y6u7i8o9p0","title":"GitHub-bot1","category":"LOGIN"}'],
    ["sqlite3 db \"select name from t where name like 'token'\"", "refresh_tokens2\nidx_user_v2\n"],
    ['python3 -c "print(x.token)"', "IDENT_12x\n"],
  ])("redact: names, versions and labels beside secrets stay: %s", (command, output) => {
    expect(maskedIn(shell(command), output)).toEqual([]);
  });
});

describe("commands that print no secret", () => {
  it.each([
    ["gh auth token", "no oauth token found for github.com"],
    ["gh auth token", "error: not found"],
    ["op read x", "[ERROR] 2026/02/10 12:00:00 could not read secret x: item not found"],
    ["vault kv get secret/db", "No value found at secret/data/db"],
    ["pass show x", "Error: x is not in the password store."],
    ["printenv DB_PASSWORD", ""],
    ["printenv DB_PASSWORD", "null"],
    ["jq -r .db.password c.json", "null"],
    ["terraform output -raw db_password", 'Error: Output "db_password" not found'],
    ["base64 -d a.b64", "hello world\nthis is a text\n"],
    ["base64 -d a.b64", "import os\n\nprint(os.getcwd())\n"],
    ["openssl rand -hex 32 > key && git log --oneline", "a1b2c3d4e5f6 first\n"],
    ["gh auth token > token && git rev-parse HEAD", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a"],
    ["gh auth token && git rev-parse HEAD", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a"],
    ["aws ecr get-login-password | docker login -u AWS --password-stdin x", "Login-Succeeded-2026x"],
    ["op read x | wc -c", "Ab3dE6gH9jK2"],
    ["op read x | sha256sum", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a  -"],
    ["TOKEN=$(gh auth token) npm publish", "pkg-name2@1.0.0x"],
    ['curl -H "Authorization: Bearer $(gh auth token)" https://x', "Xk29fLqZ81mPvR3tY7wB"],
    ["grep -rn 'gh auth token' .", "Xk29fLqZ81mPvR3tY7wB"],
    ["echo 'run gh auth token'", "Xk29fLqZ81mPvR3tY7wB"],
    ["echo ${#DB_PASSWORD}", "Xk29fLqZ81mPvR3tY7wB"],
    ["cat src/token.ts", "Xk29fLqZ81mPvR3tY7wB"],
    ["cat docs/secrets.md", "Xk29fLqZ81mPvR3tY7wB"],
    ["jq .usage.total_tokens a.json", "Xk29fLqZ81mPvR3tY7wB"],
    ["ls -la", "Xk29fLqZ81mPvR3tY7wB"],
    ["cat > run.sh <<'EOF'\ngh auth token\nEOF\nls", "Xk29fLqZ81mPvR3tY7wB"],
    ["git commit -m 'rotate the token'", "Xk29fLqZ81mPvR3tY7wB"],
    ["pass ls", "Xk29fLqZ81mPvR3tY7wB"],
    ["echo ${API_KEY:+Xk29fLqZ81mPvR3tY7wB}", "Xk29fLqZ81mPvR3tY7wB"],
    ["gh auth token > t; cat u", "Xk29fLqZ81mPvR3tY7wB"],
    ["echo $CACHE_KEY", "Xk29fLqZ81mPvR3tY7wB"],
    ["echo $STRIPE_PUBLISHABLE_KEY", "Xk29fLqZ81mPvR3tY7wB"],
    ["cat .env.example | cut -d= -f2", "Xk29fLqZ81mPvR3tY7wB"],
    ["node -p 'process.env.HOME' | cut -d/ -f2", "Xk29fLqZ81mPvR3tY7wB"],
    ["base64 -w0 logo.png # key", "Xk29fLqZ81mPvR3tY7wB"],
    ["cat config/public.key", "Xk29fLqZ81mPvR3tY7wB"],
    ["gh api /repos/a/b/commits --jq '.[0].sha' # token", "Xk29fLqZ81mPvR3tY7wB"],
    ["read x < notes; echo $x # the token", "Xk29fLqZ81mPvR3tY7wB"],
    ["sed -n 's/^VERSION=//p' .env # token", "Xk29fLqZ81mPvR3tY7wB"],
    ["git -C /x config user.name # token", "Xk29fLqZ81mPvR3tY7wB"],
    ["cat <<'EOF'\nthe token is secret\nEOF", "Xk29fLqZ81mPvR3tY7wB"],
    ["type C:\\src\\token.ts", "Xk29fLqZ81mPvR3tY7wB"],
    ["find src -name '*token*' -exec cat {} \\;", "Xk29fLqZ81mPvR3tY7wB"],
  ])("redact: harmless output stays: %s → %s", (command, output) => {
    expect(maskedIn(shell(command), output)).toEqual([]);
  });

  it("redact: an endless line and endless nesting take no time", () => {
    for (const line of [
      "$(".repeat(8000),
      '"$('.repeat(8000),
      "token | ".repeat(4000),
      `bash -c "${"bash -c ".repeat(1500)}"`,
      "`".repeat(9000),
      "token <<A\n".repeat(3000),
    ])
      expect(() => printingOf(shell(line))).not.toThrow();
  });
});
