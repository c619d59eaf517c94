import { describe, expect, it } from "vitest";
import { commonOptions, versionOption } from "../../../src/cli/command.js";
import { otherWords } from "../../../src/cli/other-words.js";
import { commands } from "../../../src/cli/table.js";
import { topics } from "../../../src/cli/topics.js";

const { commands: words, options, values } = otherWords;
const all = [words, ...Object.values(options), ...Object.values(values)].flatMap((hints) =>
  Object.entries(hints),
);

/** Returns the names of the options of a command, or of all commands. */
function optionsOf(name?: string): string[] {
  const some = commands.filter((command) => name === undefined || command.name === name);
  return [...some.flatMap((command) => command.options), ...commonOptions, versionOption].flatMap(
    ({ long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])],
  );
}

describe("the hints for words of other programs", () => {
  it.each(all)("the hint for %s names only commands, topics and options that exist", (_word, hint) => {
    const known = [...commands.map(({ name }) => name), ...topics.map(({ name }) => name), "help"];
    for (const [, line = ""] of hint.matchAll(/`ctx ([^`]+)`/g)) {
      const [name = "", ...rest] = line.split(" ");
      expect(known).toContain(name);
      if (name === "help" && rest[0] !== undefined) expect(known).toContain(rest[0]);
      for (const option of rest.filter((part) => part.startsWith("-")))
        expect(optionsOf(name), hint).toContain(option);
    }
    for (const [option] of hint.replaceAll(/`[^`]*`/g, "").matchAll(/(?<!\S)--?[a-z-]+/gi))
      expect(optionsOf(), hint).toContain(option);
  });

  it("--no-pager: commands without a pager say so", () => {
    for (const name of ["replay", "push", "pull", "pack", "tag", "export", "status", "doctor", "cat"])
      expect(options[name]?.["--no-pager"], name).toMatch(/uses no pager/);
  });

  it("no hint is for a command, or an option of its command, that exists", () => {
    for (const { name } of commands) expect(Object.keys(words)).not.toContain(name);
    for (const [name, hints] of Object.entries(options))
      for (const option of Object.keys(hints))
        expect(optionsOf(name || undefined), name).not.toContain(option);
  });
});
