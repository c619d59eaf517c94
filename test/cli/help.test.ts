import { describe, expect, it } from "vitest";
import { visibleCommands } from "../../src/cli/command.js";
import { commands as table } from "../../src/cli/table.js";
import { cli } from "../../dev/cli.js";
import { tempFolder } from "../../dev/folders.js";

const commands = visibleCommands(table);
const folder = tempFolder();
const forScripts = new Set(["cat", "completion"]);

/** Matches the line of a command in an overview, which may begin with the title of its group. */
function row(name: string, summary: string): RegExp {
  return new RegExp(`^(?:\\S+)? +${name} +${summary.slice(0, 20)}`, "m");
}

describe("help", () => {
  it("help: every command is listed on one screen", async () => {
    const { stdout, status } = await cli(["--help"], { folder });
    expect(status).toBe(0);
    for (const { name, summary } of commands)
      if (!forScripts.has(name)) expect(stdout).toMatch(row(name, summary));
    expect(stdout.split("\n").length).toBeLessThan(40);
    expect((await cli(["help"], { folder })).stdout).toBe(stdout);
  });

  it("help: --all lists every command, also those for scripts", async () => {
    const { stdout, status } = await cli(["help", "--all"], { folder });
    expect(status).toBe(0);
    for (const { name, summary } of commands) expect(stdout).toMatch(row(name, summary));
  });

  it.each(commands.map(({ name }) => name))(
    "help: ctx %s --help has usage, options, examples and exit statuses, and fits 80 columns",
    async (name) => {
      const { stdout, status } = await cli([name, "--help"], { folder });
      expect(status).toBe(0);
      expect(stdout).toMatch(new RegExp(`^usage: ctx ${name} `));
      for (const part of ["options:", "examples:", "exit status:", "--json", "-C, --directory <dir>"])
        expect(stdout).toContain(part);
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
      expect((await cli(["help", name], { folder })).stdout).toBe(stdout);
      expect((await cli([name, "-h"], { folder })).stdout).toBe(stdout);
    },
  );

  it.each([
    [["lgo"], 'there is no command "lgo"', "did you mean `ctx log`?"],
    [["frobnicate"], 'there is no command "frobnicate"', "`ctx --help` lists the commands"],
    [["constructor", "log"], 'there is no command "constructor"', "`ctx --help` lists the commands"],
    [["help", "pakc"], 'there is no help on "pakc"', "did you mean `ctx help pack`?"],
    [["--jsno", "log"], "ctx has no option --jsno", "did you mean --json?"],
    [["log", "--onelin"], "ctx log has no option --onelin", "did you mean --oneline?"],
    [["log", "-x"], "ctx log has no option -x", "`ctx log --help` lists them"],
    [["log", "-n"], "-n needs a value: <number>", "`ctx log --help` shows the usage"],
    [["log", "--oneline=yes"], "--oneline takes no value", "`ctx log --help` shows the usage"],
    [["log", "extra"], 'ctx log takes no argument "extra"', "`ctx log --help` shows the usage"],
    [
      ["pack"],
      "ctx pack needs <log>: an agent's log, an execution log, the folder of a draft, or - for standard input",
      "`ctx pack --discover` packs the sessions that agents left on this machine; `ctx pack --help` shows more",
    ],
    [["log", "-n", "many"], '-n needs a whole number, not "many"', undefined],
    [["-C"], "-C needs a value: a folder", undefined],
  ])("help: %j is answered with an error that helps", async (argv, message, hint) => {
    const { status, stdout, stderr } = await cli(argv, { folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(`error: ${message}\n${hint === undefined ? "" : `hint: ${hint}\n`}`);
  });

  it("ctx without a command prints the list of commands and exits 2", async () => {
    const { status, stdout, stderr } = await cli([], { folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe((await cli(["--help"], { folder })).stdout);
    expect(JSON.parse((await cli(["--json"], { folder })).stderr)).toMatchObject({
      error: { code: "usage" },
    });
    expect((await cli(["help", "help"], { folder })).stdout).toBe(stderr);
    for (const argv of [["version"], ["-v"], ["-V"]])
      expect((await cli(argv, { folder })).stdout).toMatch(/^ctx \d/);
  });

  it("ctx log -3 is short for -n 3, and HEAD is answered with latest, as git users expect", async () => {
    const base = tempFolder();
    await cli(["init"], { folder: base });
    expect((await cli(["log", "-3"], { folder: base })).status).toBe(0);
    expect((await cli(["show", "HEAD"], { folder: base })).stderr).toContain(
      "latest is the name of the pack added last",
    );
  });

  it("option -C works before and after the command, and adds up", async () => {
    const base = tempFolder();
    expect((await cli(["-C", base, "init", "sub"], { folder })).stdout).toBe(
      `made the store ${base}/sub/.ctx\n`,
    );
    for (const argv of [
      ["-C", `${base}/sub`, "log"],
      ["log", "-C", `${base}/sub`],
      [`-C${base}`, "-C", "sub", "log"],
      ["--directory", base, "log", "--directory=sub"],
    ])
      expect((await cli(argv, { folder })).stderr).toContain("no packs here yet");
  });

  it("option --version prints the version, before or after other options", async () => {
    expect((await cli(["--version"], { folder })).stdout).toMatch(/^ctx \d+\.\d+\.\d+/);
    expect((await cli(["--json", "-V"], { folder })).stdout).toMatch(/^ctx /);
  });
});
