// The runs of sub-agents that a pack's steps name: `ctx verify` checks them, and `ctx rm` keeps them.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import type { AnyLog } from "../../dev/logs.js";
import {
  manifestOf,
  objectIn,
  overwrite,
  packed,
  reportLog,
  reportStore,
  verify,
} from "../../dev/provenance.js";

interface Family {
  folder: string;
  root: string;
  /** The main run, which names `sub`, which names `inner`. */
  main: string;
  sub: string;
  inner: string;
}

/** A run with a content of its own, and perhaps a step that names the run of a sub-agent. */
function run(name: string, named?: string): AnyLog {
  const log = reportLog({ system_prompt: `You are ${name}.` });
  const steps = log["steps"] as AnyLog[];
  if (named === undefined) return log;
  const call = { ...steps[0], tool: "Task", output: `${name} called a sub-agent`, pack: `sha256:${named}` };
  return { ...log, steps: [...steps, { ...call, index: steps.length }] };
}

async function family(): Promise<Family> {
  const { folder, root } = await reportStore();
  const inner = await packed(folder, run("inner"), "--no-sidecars");
  const sub = await packed(folder, run("sub", inner), "--no-sidecars");
  const main = await packed(folder, run("main", sub), "--no-sidecars");
  return { folder, root, main, sub, inner };
}

/** Takes an entry out of packs/, as `ctx rm --force` does. */
function remove(root: string, hex: string): void {
  fs.rmSync(join(root, "packs", hex));
}

describe("ctx verify of a pack that names runs of sub-agents", () => {
  it("ctx verify says that runs of sub-agents are intact, and nothing where there are none", async () => {
    const { folder, main, inner } = await family();
    const whole = await verify(folder, main);
    expect([whole.status, whole.answers["sub_agents"]]).toEqual([0, "yes"]);
    expect(whole.detail("sub_agents")).toBe("2 runs of sub-agents, all intact");
    expect((await verify(folder, inner)).answers).not.toHaveProperty("sub_agents");
    expect((await verify(folder)).answers["sub_agents"]).toBe("yes");
  });

  it.each(["sub", "inner"] as const)("ctx verify finds damage in a sub-agent's run: %s", async (which) => {
    const { folder, root, main, ...runs } = await family();
    const hex = runs[which];
    overwrite(objectIn(root, String(manifestOf(root, hex)["system_prompt"]).slice(7)), "forged");
    const { status, target, answers, detail } = await verify(folder, main);
    expect([status, target.result, answers["pack"], answers["sub_agents"]]).toEqual([
      1,
      "damaged",
      "yes",
      "no",
    ]);
    expect(detail("sub_agents")).toContain(`ctx://${hex.slice(0, 12)}`);
    expect(target.faults.map(({ packs }) => packs)).toEqual([[`sha256:${hex}`]]);
  });

  it("ctx verify of the main run finds a damaged manifest of a sub-agent's run", async () => {
    const { folder, root, main, sub } = await family();
    overwrite(objectIn(root, sub), "{}");
    const { status, answers } = await verify(folder, main);
    expect([status, answers["sub_agents"]]).toEqual([1, "no"]);
  });

  it.each(["sub", "inner"] as const)("ctx verify names a missing sub-agent's run: %s", async (which) => {
    const { folder, root, main, ...runs } = await family();
    const hex = runs[which];
    remove(root, hex);
    const { status, target, answers, detail } = await verify(folder, main);
    expect([status, target.result, answers["sub_agents"]]).toEqual([0, "verified", "not_checked"]);
    expect(detail("sub_agents")).toBe(`not in this store: ctx://${hex.slice(0, 12)}`);
    const all = await verify(folder);
    expect([all.status, all.answers["sub_agents"]]).toEqual([0, "not_checked"]);
    expect(all.detail("sub_agents")).toBe("1 run of a sub-agent is not in this store");
    expect(all.detail("references")).toBe("every content that a pack refers to is here");
    expect(all.target.notes.join()).toContain(`ctx://${hex.slice(0, 12)}, is not in this store`);
  });

  it("ctx verify of a file checks the runs of sub-agents of its pack", async () => {
    const { folder, root, main, sub } = await family();
    fs.rmSync(join(folder, "report.md.ctx.json"));
    await cli(["verify", "--write-sidecar", "report.md", "--from", main], { folder });
    const whole = await verify(folder, "report.md");
    expect([whole.status, whole.target.packs[0], whole.answers["sub_agents"]]).toEqual([
      0,
      `sha256:${main}`,
      "yes",
    ]);
    overwrite(objectIn(root, String(manifestOf(root, sub)["system_prompt"]).slice(7)), "forged");
    const damaged = await verify(folder, "report.md");
    expect([damaged.status, damaged.answers["content"], damaged.answers["sub_agents"]]).toEqual([
      1,
      "yes",
      "no",
    ]);
  });
});

describe("ctx rm of a sub-agent's run", () => {
  it("ctx rm refuses a sub-agent's run that a step of another pack names; --force takes it out", async () => {
    const { folder, main, sub, inner } = await family();
    const refused = await cli(["rm", sub], { folder });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`a step of ctx://${main} names it as a sub-agent's run`);
    expect((await cli(["rm", sub, inner], { folder })).status).toBe(2);
    const forced = await cli(["rm", "--force", "--json", sub], { folder });
    expect(forced.status).toBe(0);
    expect(JSON.parse(forced.stdout).callers).toEqual([`sha256:${main}`]);
    expect(forced.stderr).toContain("packs that called the removed pack as a sub-agent: 1");
  });

  it("ctx rm takes out a sub-agent's run with the packs that name it, or that only parameters name", async () => {
    const { folder, main, sub, inner, root } = await family();
    const other = reportLog({ system_prompt: "You are another." });
    const [first, ...rest] = other["steps"] as AnyLog[];
    const parameters = { pack: `sha256:${inner}` };
    const decoy = await packed(
      folder,
      { ...other, steps: [{ ...first, parameters }, ...rest] },
      "--no-sidecars",
    );
    expect(fs.readFileSync(objectIn(root, decoy), "utf8")).toContain(`"pack":"sha256:${inner}"`);
    const { status, stderr } = await cli(["rm", main, sub, inner], { folder });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
