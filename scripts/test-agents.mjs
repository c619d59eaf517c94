// `npm run test:agents`: installs the real agents, and runs the suites that start them.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { load, root } from "./load.mjs";

const { realAgents, install } = await load(["./dev/agents/agents.ts"]);
const begun = Date.now();
for (const agent of Object.values(realAgents)) {
  try {
    install(agent);
  } catch (error) {
    // Its tests are skipped, or fail where everything must be there.
    console.error(error.message);
  }
}
console.log(`the agents are there after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/agents", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
