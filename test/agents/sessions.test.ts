import * as fs from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type AgentName, realAgents } from "../../dev/agents/agents.js";
import { expectedCounts } from "../../dev/agents/script.js";
import { prompts, repairScript, workspace } from "../../dev/agents/scripts.js";
import { AgentSession, agentIsThere } from "../../dev/agents/session.js";
import { itWith, program } from "../../dev/needs.js";

for (const name of Object.keys(realAgents) as AgentName[])
  itWith([agentIsThere(realAgents[name]), program("bwrap")], `${name} plays the whole script`, () => {
    const session = new AgentSession(realAgents[name], workspace);
    const script = repairScript(name, session.folder);
    expect(session.prompt(prompts.first, script)).toMatchObject({ status: 0 });
    expect(session.prompt(prompts.second, script)).toMatchObject({ status: 0 });
    expect(fs.readFileSync(join(session.folder, "pages.mjs"), "utf8")).toContain("Math.ceil");
    expect(fs.readFileSync(join(session.folder, "notes.txt"), "utf8")).toBe("floor instead of ceil\n");
    const { session: main } = expectedCounts(script);
    const asked = session.requests().filter(({ task }) => task === 0 || task === 2);
    if (name !== "codex") expect(asked).toHaveLength(main.requests);
  });
