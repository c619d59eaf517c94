// Completion in real shells: what TAB offers, and that nothing on the line is run by it.
import * as fs from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ctx, program as built, run } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { describeWith, itWith, onNode, program } from "../../dev/needs.js";
import { type Shell, ShellSession, terminals } from "../../dev/shell-session.js";

/** A store with two runs, the first tagged, and a model that would like to be run. */
const folder = tempFolder();
const bin = tempFolder();
const path = [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
let first = "";

beforeAll(() => {
  fs.symlinkSync(built, join(bin, "ctx"));
  const pack = (log: object): string =>
    ctx(["pack", "-"], { cwd: folder, input: json(log) })
      .stdout.trim()
      .slice("ctx://".length);
  ctx(["init"], { cwd: folder });
  first = pack(runLog());
  ctx(["tag", "baseline"], { cwd: folder });
  pack(smallLog({ created: "2026-02-11T00:00:00Z", model: { identifier: "$(touch pwned)" } }));
  for (const name of ["run one.json", "run-two.json"]) fs.writeFileSync(join(folder, name), "{}");
  fs.mkdirSync(join(folder, "deep/er"), { recursive: true });
});

/** Lines that would make a file if any part of them were run. */
const traps = [
  "ctx show $(touch pwned)",
  "ctx show `touch pwned`",
  'ctx show "$(touch pwned)',
  "ctx show '$(touch pwned)' ",
  "ctx pack $(touch pwned)/",
  "ctx pack `touch pwned`/",
  'ctx pack "$(touch pwned)/',
  "ctx pack ${x:-$(touch pwned)}/",
  "ctx -C $(touch pwned)/",
  "ctx -C `touch pwned` show ",
  "ctx log --tag=$(touch pwned)",
  "ctx log --directory=$(touch pwned)/",
  "ctx log --model $",
  "ctx show *",
  "ctx show --$(touch pwned)",
  "ctx $(touch pwned) ",
];

/** Returns what a trap that went off has made. */
function made(): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.includes("pwned"));
}

describe("ctx __complete", () => {
  // The executable's runtime does not start there; the scripts of the shells do not show what it says.
  itWith([onNode], "ctx __complete prints nothing and exits with 0 in a folder that was deleted", () => {
    const script = 'mkdir gone && cd gone && rmdir "$PWD" && ctx __complete -- show ""';
    expect(run("sh", ["-c", script], { cwd: folder, env: { PATH: path } })).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
  });
});

/** Returns what the function leaves for a line that bash has cut into these words. */
function bashReplies(...words: string[]): string[] {
  const script = `set -u
eval "$(ctx completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=()
_ctx
for reply in "\${COMPREPLY[@]-}"; do printf '%s\\n' "$reply"; done`;
  const options = { cwd: folder, env: { PATH: path } };
  const { status, stdout, stderr } = run("bash", ["-c", script, "bash", "ctx", ...words], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.replace(/\n$/, "").split("\n");
}

describeWith([program("bash")], "completion in bash", () => {
  it("completion in bash: commands, options and values are completed", () => {
    expect(bashReplies("sh")).toEqual(["show"]);
    expect(bashReplies("log", "--onel")).toEqual(["--oneline"]);
    expect(bashReplies("show", "base")).toEqual(["baseline"]);
    expect(bashReplies("show", '"base')).toEqual(["baseline"]);
    expect(bashReplies("show", first.slice(0, 5))).toEqual([first.slice(0, 12)]);
    expect(bashReplies("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
  });

  it("completion in bash: words that bash cuts at : and = are joined again", () => {
    expect(bashReplies("show", "ctx", ":", `//${first.slice(0, 4)}`)).toEqual([`//${first.slice(0, 12)}`]);
    expect(bashReplies("show", "sha256", ":", first.slice(0, 4))).toEqual([first.slice(0, 12)]);
    expect(bashReplies("log", "--tag", "=")).toEqual(["baseline"]);
    expect(bashReplies("log", "--tag", "=", "ba")).toEqual(["baseline"]);
    expect(bashReplies("log", "--tag", "=", "baseline", "--onel")).toEqual(["--oneline"]);
    expect(bashReplies("log", "--tag", "=", "")).toContain("--oneline");
  });

  it("completion in bash: any word is taken as text, and nothing in it is run", () => {
    for (const word of ["$(touch pwned)", "`touch pwned`", "a b", "'\"\\", "*", "--", "a\nb"])
      for (const words of [
        ["-C", word, "show", ""],
        ["log", "--tag", "=", word],
      ])
        bashReplies(...words);
    expect(made()).toEqual([]);
  });

  it("completion in bash: quiet when ctx is gone or fails", () => {
    const script = `eval "$(ctx completion bash)"; ctx() { echo wrong; }; PATH=/nowhere
COMP_WORDS=(ctx sh); COMP_CWORD=1; _ctx; echo "\${#COMPREPLY[@]}"`;
    const options = { cwd: folder, env: { PATH: path } };
    expect(run("bash", ["-c", script], options)).toEqual({ status: 0, stdout: "0\n", stderr: "" });
  });
});

/** Returns what fish offers for a line. */
function fishReplies(line: string): string[] {
  const script = "ctx completion fish | source; complete -C $argv[1]";
  const env = { PATH: path, HOME: bin, XDG_CONFIG_HOME: bin, XDG_DATA_HOME: bin };
  const { stdout, stderr } = run("fish", ["--no-config", "-c", script, line], { cwd: folder, env });
  expect(stderr).toBe("");
  return stdout.replace(/\n$/, "").split("\n");
}

describeWith([program("fish")], "completion in fish", () => {
  it("completion in fish: commands, options and values are completed, with descriptions", () => {
    expect(fishReplies("ctx sh")).toEqual(["show\tshow a run: an overview, everything, or a part of it"]);
    expect(fishReplies("ctx log --onel")).toEqual(["--oneline\tone line per run"]);
    expect(fishReplies("ctx show base")).toEqual(["baseline\t2026-02-10  Count the lines of notes.txt."]);
    expect(fishReplies("ctx log --tag=ba")).toEqual([
      "--tag=baseline\t2026-02-10  Count the lines of notes.txt.",
    ]);
    expect(fishReplies(`ctx show ctx://${first.slice(0, 4)}`)[0]).toMatch(`ctx://${first.slice(0, 12)}\t`);
    expect(fishReplies("ctx -C ")).toEqual(["deep/"]);
    expect(fishReplies("ctx log --directory=de")).toEqual(["--directory=deep/"]);
    expect(fishReplies("ctx pack run")).toEqual(["run one.json", "run-two.json"]);
  });

  it.each(["ctx show (touch pwned)", "ctx pack (touch pwned)/", "ctx -C (touch pwned) show "])(
    "completion in fish: nothing on the line is run: %s",
    (trap) => {
      fishReplies(trap);
      expect(made(), trap).toEqual([]);
    },
  );
});

describe.each<Shell>(["bash", "zsh", "fish"])("completion at a prompt in %s", (shell) => {
  describeWith([program(shell), terminals], "TAB", () => {
    let session: ShellSession;
    beforeAll(async () => {
      session = await ShellSession.open(shell, { cwd: folder, path });
    });
    afterAll(() => session.close());

    it.each([
      ["ctx sh\t", "ctx show"],
      ["ctx show base\t", "ctx show baseline"],
      ["ctx log --tag=ba\t", "ctx log --tag=baseline"],
      ["ctx log --onel\t", "ctx log --oneline"],
      ["ctx pack run-\t", "ctx pack run-two.json"],
      ["ctx -C dee\t", "ctx -C deep/"],
      ["ctx completion fi\t", "ctx completion fish"],
      ["ctx -C deep show base\t", "ctx -C deep show baseline"],
    ])(`completion at a prompt in ${shell}: %j becomes %j`, async (keys, line) => {
      expect((await session.type(keys)).line.trimEnd()).toBe(line);
    });

    it(`completion at a prompt in ${shell}: a hash is completed, also behind a scheme`, async () => {
      for (const scheme of ["", "ctx://", "sha256:"]) {
        const { line } = await session.type(`ctx show ${scheme}${first.slice(0, 6)}\t`);
        expect(line.replaceAll("\\", "").trimEnd()).toBe(`ctx show ${scheme}${first.slice(0, 12)}`);
      }
    });

    it(`completion at a prompt in ${shell}: TAB lists the packs and tags of the store`, async () => {
      // A slow machine shows its list after we have looked.
      let { screen } = await session.type("ctx show \t");
      for (let looks = 0; looks < 10 && !screen.includes("latest"); looks++)
        ({ screen } = await session.type("ctx show \t"));
      for (const text of ["latest", "baseline", first.slice(0, 12)]) expect(screen).toContain(text);
      if (shell !== "bash") expect(screen).toMatch(/2026-02-10 +Count the lines of notes\.txt\./);
    });

    it(`completion at a prompt in ${shell}: nothing on the line is run`, async () => {
      for (const trap of traps) {
        await session.type(`${trap}\t`);
        expect(made(), trap).toEqual([]);
      }
    });
  });
});
