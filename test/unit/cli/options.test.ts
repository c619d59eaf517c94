import { describe, expect, it } from "vitest";
import { combinationTexts } from "../../../src/cli/combinations.js";
import { commonOptions, describeOption, type Command, isConflict, oneOf } from "../../../src/cli/command.js";
import { complete } from "../../../src/cli/complete.js";
import { commandsPage } from "../../../src/cli/commands-page.js";
import { renderHelp } from "../../../src/cli/help.js";
import { parse } from "../../../src/cli/parse.js";
import { commands } from "../../../src/cli/table.js";
import type { Terminal } from "../../../src/cli/terminal.js";

const terminal = { folder: "/" } as Terminal;

const command: Command = {
  name: "try",
  summary: "try options",
  arguments: [],
  options: [
    ...oneOf(
      [
        { long: "red", summary: "in red" },
        { long: "green", short: "g", summary: "in green" },
        { long: "blue", summary: "in blue" },
      ],
      ["json"],
    ),
    {
      long: "many",
      summary: "many at once",
      conflictError: (other) => `--many takes no --${other}`,
      neededError: (other) => ({ message: `--${other} is for --many`, hint: "add --many" }),
    },
    { long: "name", value: "text", summary: "name it", conflicts: ["many"] },
    { long: "each", summary: "each of them", needs: ["many"] },
    { long: "dark", summary: "darker", needs: ["blue"], repeats: true },
    { long: "pale", summary: "paler", needs: ["red", "green"] },
  ],
  examples: [],
  exits: [],
  run: () => Promise.resolve(0),
};

function errorOf(...words: string[]): unknown {
  try {
    parse(["try", ...words], [command], terminal);
    return undefined;
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    expect(code).toBe("usage");
    return hint === undefined ? message : `${message} (${hint})`;
  }
}

async function offered(...words: string[]): Promise<string[]> {
  const lines = await complete(["try", ...words, "-"], [command], { folder: "/", home: undefined });
  return lines.map((line) => line.split("\t")[0] as string);
}

function sorted(pairs: readonly string[][]): string[] {
  return pairs.map((pair) => pair.toSorted().join(" ")).toSorted();
}

describe("options that conflict", () => {
  it.each([
    [["--red", "--green"], "--red and --green cannot be used together"],
    [["--blue", "-g"], "--green and --blue cannot be used together"],
    [["--blue", "--green", "--red"], "--red and --green cannot be used together"],
    [["--blue", "--json"], "--json and --blue cannot be used together"],
    [["--name", "a", "--many"], "--many takes no --name"],
    [["--many", "--name="], "--many takes no --name"],
  ])("conflicting options: %j is refused in any order", (words, message) => {
    expect(errorOf(...words)).toBe(message);
    if (!words.includes("--name")) expect(errorOf(...words.toReversed())).toBe(message);
  });

  it("conflicting options: --json before the command counts", () => {
    expect(() => parse(["--json", "try", "--red"], [command], terminal)).toThrow(
      "--json and --red cannot be used together",
    );
  });

  it.each([[["--red"]], [["--red", "--red"]], [["--green", "--many"]], [["--json", "--many"]], [[]]])(
    "conflicting options: %j is accepted",
    (words) => {
      expect(errorOf(...words)).toBeUndefined();
    },
  );

  it("conflicting options: --help is shown all the same", () => {
    expect(parse(["try", "--red", "--green", "--help"], [command], terminal).kind).toBe("help");
  });

  it("conflicting options: completion does not offer an option that a typed one excludes", async () => {
    expect(await offered()).toEqual(expect.arrayContaining(["--red", "--green", "-g", "--blue", "--many"]));
    const left = await offered("--green");
    for (const name of ["--red", "--blue", "--json", "-g"]) expect(left).not.toContain(name);
    expect(left).toContain("--many");
    expect(await offered("--many")).not.toContain("--name");
    expect(await offered("--name", "a")).not.toContain("--many");
  });
});

describe("an option that needs another", () => {
  it("an option that needs another is refused alone, and accepted with it in any order", () => {
    expect(errorOf("--dark")).toBe("--dark needs --blue");
    expect(errorOf("--each")).toBe("--each is for --many (add --many)");
    expect(errorOf("--pale", "--blue")).toBe("--pale needs --red or --green");
    expect(errorOf("--each", "--many")).toBeUndefined();
    expect(errorOf("--pale", "--green")).toBeUndefined();
    expect(errorOf("--blue", "--dark", "--dark")).toBeUndefined();
  });

  it("completion offers an option that needs another before that one is typed", async () => {
    expect(await offered()).toContain("--each");
  });
});

describe("help, completion and docs/commands.md", () => {
  it("help, completion and docs/commands.md name the options that an option needs or excludes", async () => {
    expect(command.options.map(describeOption)).toEqual([
      "in red",
      "in green",
      "in blue",
      "many at once",
      "name it",
      "with --many: each of them",
      "with --blue: darker",
      "with --red or --green: paler",
    ]);
    const help = renderHelp(command, { width: 100, colour: false });
    expect(help).toContain("combinations:\n  only one of --red, --green, --blue and --json\n");
    expect(help).toContain("  --many not with --name\n");
    expect(help).toContain("with --many: each of them");
    expect(await complete(["try", "--ea"], [command], { folder: "/", home: undefined })).toEqual([
      "--each\twith --many: each of them",
    ]);
    expect(commandsPage([command])).toContain(
      "Combinations: only one of `--red`, `--green`, `--blue` and `--json`; `--many` not with `--name`.",
    );
  });

  it.each(commands.map(({ name, options }) => [name, [...options, ...commonOptions]] as const))(
    "the combinations in the help of ctx %s are the options that exclude each other, each pair once",
    (_name, options) => {
      const named = combinationTexts(options).flatMap((text) => {
        const [left = [], right = []] = text
          .split(" not with ")
          .map((part) => part.match(/--[a-z-]+/g) ?? []);
        if (right.length > 0) return left.flatMap((a) => right.map((b) => [a, b]));
        return left.flatMap((a, at) => left.slice(at + 1).map((b) => [a, b]));
      });
      const pairs = options.flatMap((a, at) =>
        options
          .slice(at + 1)
          .filter((b) => isConflict(a, b))
          .map((b) => [`--${a.long}`, `--${b.long}`]),
      );
      expect(sorted(named)).toEqual(sorted(pairs));
    },
  );
});

describe("the command table", () => {
  it("the command table: conflicts and needs name only options of the same command", () => {
    for (const { name, options } of commands) {
      const known = new Set([...options.map(({ long }) => long), "json"]);
      for (const { long, conflicts = [], needs = [] } of options)
        for (const other of [...conflicts, ...needs]) {
          expect(known, `ctx ${name} --${long}`).toContain(other);
          expect(other, `ctx ${name} --${long}`).not.toBe(long);
        }
    }
  });

  it("the command table: no option excludes the one it needs", () => {
    const impossible = commands.flatMap(({ name, options }) =>
      options
        .filter(
          ({ needs = [], ...option }) =>
            needs.length > 0 &&
            needs.every((name) => options.some((other) => other.long === name && isConflict(option, other))),
        )
        .map(({ long }) => `ctx ${name} --${long}`),
    );
    expect(impossible).toEqual([]);
  });
});
