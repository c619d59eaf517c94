// `npm run test:nodes`: command lines, store, replay and registries with the newest release of each later
// version of Node. The Nodes are npm packages, kept in the user's cache folder.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root } from "./load.mjs";

const versions = [22, 24, 26];
// Not registry.test.ts, which also runs as another user, who cannot execute a program in this user's cache.
const suites = ["test/cli", "test/unit/store", "test/unit/replay", "test/system/registry-"];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ctx-nodes");
const nodes = versions.map((version) => join(cache, `node_modules/node-${version}/bin/node`));
install();
const failed = nodes.filter((node) => !passes(node));
for (const node of failed) console.error(`tests failed with ${node}`);
if (failed.length > 0) process.exitCode = 1;

/**
 * Downloads the newest release of each version into the cache; without a network, cached releases are used.
 */
function install() {
  const name = `node-${process.platform}-${process.arch}`;
  const packages = versions.map((version) => `node-${version}@npm:${name}@${version}`);
  mkdirSync(cache, { recursive: true });
  const options = ["--prefix", cache, "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["install", ...options, ...packages], { stdio: "inherit" });
  if (status !== 0 && !nodes.every((node) => existsSync(node)))
    throw new Error(`cannot install ${packages.join(", ")}`);
}

/** Runs the suites in that Node; programs that they start find it first, too. */
function passes(node) {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  console.log(`\nNode ${stdout.trim()}`);
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(node, [vitest, "run", ...suites], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH },
  });
  return status === 0;
}
