import { describe, expect, it } from "vitest";
import { classifyCommand, type CommandClass } from "../../../src/tools/command-class.js";

const classified = (command: string | string[], made: string[] = []): CommandClass =>
  classifyCommand(command, { workdir: "/work/app", folder: "/work/app", made: new Set(made) });

const reaching: readonly string[] = [
  "cat ~/.ssh/id_rsa",
  "cat ~root/.profile",
  'cat "$HOME/.netrc"',
  "cat ${HOME}/.netrc",
  "cat ${HOME:-/root}/.netrc",
  "cd && cat .netrc",
  "cd ~ && ls",
  "cd; ls -a",
  "cd / && cat etc/passwd",
  "cd .. && cd .. && cat etc/passwd",
  "cat /etc/passwd",
  "cat //etc/passwd",
  "cat /./etc/passwd",
  "cat ../../etc/passwd",
  "cat src/../../../etc/passwd",
  "cat < /etc/passwd",
  "while read l; do echo $l; done < /etc/passwd",
  "grep -f /etc/passwd notes.txt",
  "grep -rf /etc/passwd .",
  "head -n1 -- /etc/passwd",
  "sed -n '1r /etc/passwd' notes.txt",
  "sed -n 'w /etc/x' notes.txt",
  "sed 's/a/id/e' notes.txt",
  "awk '{ while ((getline line < \"/etc/passwd\") > 0) print line }' notes.txt",
  "awk 'BEGIN { system(\"id\") }'",
  "echo $(cat /etc/passwd)",
  "echo `cat /etc/passwd`",
  "cat $(printf '\\057etc\\057passwd')",
  "cat $'\\x2fetc\\x2fpasswd'",
  "f=/etc/passwd; cat $f",
  "a=/; cat ${a}etc/passwd",
  "a=..; cat $a/$a/etc/passwd",
  "x=HOME; cat ${!x}/.netrc",
  "for f in /etc/*; do cat $f; done",
  "echo /etc/*",
  "echo ~",
  "ls /e*c",
  "cat {/etc,x}/passwd",
  "printf '/etc/passwd' | xargs cat",
  "printf '\\057etc/passwd' | xargs cat",
  "find / -name passwd",
  "find . -newer /etc/passwd",
  "find . -exec cat /etc/passwd ';'",
  "find . -exec sh -c 'cat /etc/passwd' ';'",
  "bash -c 'cat /etc/passwd'",
  "bash <<EOF\ncat ~/.netrc\nEOF",
  "cat <<EOF\n$(cat /etc/passwd)\nEOF",
  "cat <<EOF\n$HOME\nEOF",
  'eval "cat ~/.netrc"',
  "eval cat /et''c/passwd",
  ". ~/.bashrc",
  "source /etc/profile",
  "ln -s / x && cat x/etc/passwd",
  "ln -s ../../.. a/x; cat a/x/etc/passwd",
  "cp /etc/passwd . && cat passwd",
  "diff notes.txt /etc/passwd",
  "diff --from-file=/etc/passwd notes.txt",
  "wc -l --files0-from=/etc/x",
  "git -C /etc log",
  "git --git-dir=/srv/x.git log",
  "git diff --no-index notes.txt /etc/passwd",
  "git config --global user.name",
  "git fetch && git log",
  "git push",
  "git -c core.pager='cat ~/.netrc' log",
  "git grep -O'cat /etc/passwd' x",
  "rg x /etc",
  "rg --pre cat x .",
  "rg x --ignore-file=/etc/x .",
  "jq -n 'env'",
  "jq -n --rawfile x /etc/passwd '$x'",
  "curl https://example.org",
  "exec 3<>/dev/tcp/example.org/80",
  "cat < /dev/tcp/example.org/80",
  "wget -q example.org",
  "ssh host cat notes.txt",
  "npm install",
  "pip install x",
  "go mod download",
  "docker ps",
  "docker exec app cat notes.txt",
  "ps aux",
  "kill %1",
  "date",
  "find . -mmin -5",
  "uname -a",
  "env",
  "printenv HOME",
  "python3 -c 'print(open(\"/etc/passwd\").read())'",
  "node -e 'require(\"fs\")'",
  "perl -ne print notes.txt",
  "./run.sh",
  "~/bin/cat notes.txt",
  "/home/u/bin/cat notes.txt",
  "sudo cat notes.txt",
  "env -C / cat etc/passwd",
  "PATH=~/bin:$PATH cat notes.txt",
  "GIT_DIR=/srv/x.git git log",
  "cat /tmp/of-another-run",
  "cat notes.txt 'unclosed",
  "tee ~/x < notes.txt",
  "echo x > /etc/x",
  "echo x > ~/x",
  "cat /proc/self/environ",
  "f() { cat ~/.netrc; }; f",
  "case $1 in x) cat /etc/passwd;; esac",
  "alias l='cat /etc/passwd'; l",
  "getent passwd",
  "cat \0/etc/passwd",
];

describe("the class of a command that reaches out of the workspace", () => {
  for (const line of reaching)
    it(`class: not pure, but of the world or unreadable: ${JSON.stringify(line)}`, () => {
      expect(["world", "tool"]).toContain(classified(line).class);
      expect(["world", "tool"]).toContain(classified(["/bin/bash", "-lc", line]).class);
    });
});

describe("the class of a command", () => {
  it.each([
    ["cat notes.txt", "pure"],
    ["cd /work/app && git status", "pure"],
    ["cd src && cat ../notes.txt", "tool"],
    ["cat src/../notes.txt", "pure"],
    ["sed -n '10,20p' src/a.ts", "pure"],
    ["sed -i 's/a/b/g; s|/etc|/x|' src/a.ts", "pure"],
    ["grep -rn '/etc/passwd' src | head -5", "pure"],
    ["grep '$HOME' src/a.ts", "tool"],
    ["rg -n 'a|b' src -g '*.ts' 2>/dev/null", "pure"],
    ["awk '{ print $1 }' notes.txt", "pure"],
    ["find . -name '*.ts' | xargs grep -l x", "pure"],
    ["ls -la src && wc -l src/*.ts", "pure"],
    ["git log --oneline -5 HEAD~2..HEAD -- src", "pure"],
    ["git add -A && git commit -m 'a /etc message'", "pure"],
    ["for f in a b; do cat $f.txt; done", "pure"],
    ["echo x > out.txt", "pure"],
    ["echo x > /tmp/out; cat /tmp/out", "pure"],
    ["timeout 5 cat notes.txt", "pure"],
    ["npm test", "tool"],
    ["go test ./...", "tool"],
    ["npx vitest run", "tool"],
  ])("class: %s is %s", (line, expected) => {
    expect(classified(line).class).toBe(expected);
  });

  it.each([
    ["cat ~/x", "home"],
    ["ls /home/ana/x", "home"],
    ["cat /etc/hosts", "outside"],
    ["curl https://example.org", "network"],
    ["git push origin main", "network"],
    ["ps aux | grep node", "processes"],
    ["date +%s", "clock"],
    ["uname -r", "machine"],
    ["rm -rf ~/x && echo ok", "home"],
  ])("class: %s is of the world, because of %s", (line, why) => {
    expect(classified(line)).toMatchObject({ class: "world", why });
  });

  it("class: a file below /tmp is there if an earlier command made it", () => {
    expect(classified("cat /tmp/log", ["/tmp/log"]).class).toBe("pure");
    expect(classified("cat /tmp/dir/log", ["/tmp/dir"]).class).toBe("pure");
    expect(classified("cat /tmp/log")).toMatchObject({ class: "world", why: "outside" });
  });

  it("class: the programs that a command needs are named, also behind a pipe and a wrapper", () => {
    expect(classified("mix test 2>&1 | grep -v x | head").programs).toEqual(["mix", "grep", "head"]);
    expect(classified("cd x && timeout 9 npx vitest").programs).toEqual(["timeout", "npx", "vitest"]);
    expect(classified("echo x; ./run.sh").programs).toEqual([]);
    expect(classified("Rscript a.R").programs).toEqual(["Rscript"]);
  });

  it("class: words that only stand where a program could are none", () => {
    for (const line of [
      "case $1 in x) true;; esac",
      "a=(one two); echo ok",
      "[[ $a =~ (x|y) ]]",
      "echo $((one + 1))",
      "$TOOL test",
      "one() { true; }; one",
    ])
      expect(classified(line).programs, line).toEqual([]);
  });

  it("class: whether a command may change files, or depends on any, is known for simple commands", () => {
    expect(classified("cat a | sort")).toMatchObject({ mayWrite: false, needsFiles: true });
    expect(classified("echo done; false")).toMatchObject({ mayWrite: false, needsFiles: false });
    expect(classified("sed -i s/a/b/ x")).toMatchObject({ mayWrite: true });
    expect(classified("make")).toMatchObject({ mayWrite: true, needsFiles: true });
  });
});

describe("the class of a command that is made to take long", () => {
  const long = 1 << 16;
  it.each([
    ["one word", "a".repeat(long)],
    ["nested finds", "find . -exec ".repeat(long / 13)],
    ["many finds", "find . -exec cat {} ';' ".repeat(long / 24)],
    ["an awk script", `awk '${"print ".repeat(long / 6)}'`],
    ["nested substitutions", "$(".repeat(long / 2)],
    ["many variables", "${a ".repeat(long / 4)],
    ["many folders", "cd a; ".repeat(long / 6)],
    ["a path of many parts", `cat ${"a/".repeat(long / 2)}`],
    ["many assignments", "a=$a ".repeat(long / 6)],
  ])("class: %s is read in less than a second of processor time", (_what, line) => {
    const before = process.cpuUsage();
    expect(["pure", "tool", "world"]).toContain(classified(line).class);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
  });
});

describe("the class of random commands", () => {
  const pieces = [
    "cat",
    "grep",
    "sed",
    "-n",
    "'1p'",
    "x.txt",
    "|",
    "&&",
    ";",
    "||",
    "(",
    ")",
    "$(",
    "`",
    "'",
    '"',
    "<<EOF",
    "\nEOF\n",
    ">",
    "<",
    "2>&1",
    "${",
    "}",
    "$x",
    "x=",
    "for",
    "in",
    "do",
    "done",
    "xargs",
    "find",
    "-exec",
    "{}",
    "\\;",
    "\\",
    "*",
    "#",
  ];
  const targets = ["/etc/passwd", "~/.netrc", "$HOME/x", "${HOME}", "/dev/tcp/h/80"];
  const bare =
    /(?:^|[\s;&|<>()])(?:\/etc\/passwd|~\/\.netrc|\$HOME\/x|\$\{HOME\}|\/dev\/tcp\/h\/80)(?:$|[\s;&|<>()])/;

  it("class: never pure with a bare path to the outside as an argument of cat, whatever surrounds it, and never throws", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    for (let round = 0; round < 4000; round++) {
      const words = Array.from({ length: random(8) }, () => pieces[random(pieces.length)] as string);
      const target = targets[random(targets.length)] as string;
      const line = `${words.join(" ")} ; cat ${target} ; ${words.toReversed().join(" ")}`;
      expect(bare.test(line)).toBe(true);
      const result = classified(line);
      // Behind an open quote or a comment, the path is only text.
      if (!/['"`#\\]|<<|\$\(|\$\{/.test(words.join(" "))) expect(result.class, line).not.toBe("pure");
    }
  });
});
