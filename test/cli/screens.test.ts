// Every command that people see has a snapshot of its main screen, in the suites beside this one.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { groups } from "../../src/cli/table.js";

/** Returns the commands that a suite here describes the screen of, with a snapshot in each test. */
function withScreens(): Set<string> {
  const suites = fs.readdirSync(import.meta.dirname).filter((name) => name.startsWith("screens-"));
  const text = suites.map((name) => fs.readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");
  const described = text.split(/"screen of ctx (?=[a-z])/).slice(1);
  return new Set(
    described
      .filter((suite) => suite.includes(".toMatchInlineSnapshot(`"))
      .map((suite) => /^[a-z]+/.exec(suite)?.[0] ?? ""),
  );
}

it("every command of the help has a snapshot of its main screen", () => {
  const visible = groups.flatMap(({ commands }) => commands.map(({ name }) => name));
  expect([...withScreens()].sort()).toEqual(visible.sort());
});
