// What happens on a real terminal: width, colour and the pager, in a pseudo-terminal that `script` makes.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ctx, line, run } from "../../dev/built.js";
import { tempStore } from "../../dev/folders.js";
import { json, runLog } from "../../dev/logs.js";
import { describeWith, program as needed } from "../../dev/needs.js";

describeWith([needed("script")], "on a terminal", () => {
  let folder: string;

  beforeAll(() => {
    ({ folder } = tempStore());
    const steps = Array.from({ length: 60 }, (_, index) => ({
      type: "tool_call",
      tool: "t",
      parameters: { path: `f${index}` },
      output: `${index}`,
    }));
    ctx(["pack", "-"], { cwd: folder, input: json(runLog({ steps })) });
  });

  /** Runs ctx in a terminal of 24 lines, and returns what appeared on it. */
  function inTerminal(args: string, env: Record<string, string> = {}, columns = 80): string {
    const command = `stty rows 24 cols ${columns}; ${line} ${args}`;
    const clean = { TERM: "xterm-256color", PAGER: "", ...env };
    const { stdout } = run("script", ["-qec", command, "/dev/null"], { cwd: folder, env: clean });
    return stdout.replaceAll("\r\n", "\n");
  }

  it("on a terminal, output is coloured and fits its width", () => {
    for (const columns of [80, 200]) {
      const shown = inTerminal("show latest", {}, columns);
      expect(shown).toContain("\u001b[33mctx://");
      const plain = shown.replaceAll(/\u001b\[\d+m/g, "");
      expect(Math.max(...plain.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
    expect(inTerminal("show latest", { NO_COLOR: "1" })).not.toContain("\u001b[");
    expect(inTerminal("show latest", { TERM: "dumb" })).not.toContain("\u001b[");
    expect(inTerminal("log --json")).not.toContain("\u001b[");
  });

  it("on a terminal, show and log go through the pager, and no other output does", () => {
    const paged = join(folder, "paged");
    const env = { PAGER: `cat > '${paged}'` };
    for (const args of ["show latest", "log", "show latest --step 3"]) {
      expect(inTerminal(args, env)).toBe("");
      expect(fs.readFileSync(paged, "utf8")).toContain("\u001b[");
      fs.rmSync(paged);
    }
    for (const args of [
      "show latest --no-pager",
      "--no-pager log",
      "cat latest",
      "tag",
      "--help",
      "show latest --json",
    ]) {
      inTerminal(args, env);
      expect(fs.existsSync(paged), args).toBe(false);
    }
    expect(inTerminal("log", { ...env, CTX_PAGER: "cat" })).toContain("Count the lines of notes.txt.");
  });

  it("in a pipe, log does not use the pager", () => {
    const { stdout } = ctx(["log"], { cwd: folder, env: { PAGER: "exit 1" } });
    expect(stdout).toContain("Count the lines of notes.txt.");
  });

  it("on a terminal, a pager that cannot be run or ends early loses nothing and fails nothing", () => {
    expect(inTerminal("log; echo status $?", { PAGER: "no-such-program-at-all 2>/dev/null" })).toMatch(
      /Count the lines[^]*status 0/,
    );
    expect(inTerminal("show latest; echo status $?", { PAGER: "head -n 1" })).toMatch(
      /^[^\n]*ctx:[^\n]*\nstatus 0/,
    );
  });

  it("on a terminal, output that fits the screen does not start less, and longer output does", () => {
    const env = { PATH: `${folder}/bin:${process.env["PATH"]}`, CTX_MARK: join(folder, "less-ran") };
    fs.mkdirSync(join(folder, "bin"), { recursive: true });
    fs.writeFileSync(join(folder, "bin/less"), '#!/bin/sh\necho "$@" > "$CTX_MARK"\ncat\n', { mode: 0o755 });
    // `script` hands the environment on, so PAGER is taken out inside.
    const inside = (args: string): string => {
      const command = `stty rows 24 cols 80; unset PAGER; ${line} ${args}`;
      return run("script", ["-qec", command, "/dev/null"], { cwd: folder, env }).stdout;
    };
    expect(inside("log")).toContain("Count the lines");
    expect(fs.existsSync(env.CTX_MARK)).toBe(false);
    expect(inside("show latest")).toContain("steps");
    expect(fs.readFileSync(env.CTX_MARK, "utf8")).toBe("-FRX\n");
  });
});
