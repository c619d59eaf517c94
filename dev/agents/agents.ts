// The agents that tests run for real: the packages of each, and how it is started in front of a scripted model. The
// packages are kept in the user's cache folder.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export type AgentName = "claude-code" | "codex" | "gemini-cli" | "qwen-code";

export interface RealAgent {
  name: AgentName;
  /** A package and its version, never a range: another version may write another log. */
  package: { name: string; version: string };
  /** Files of the home that keep it from asking questions and from looking for updates. */
  settings: Readonly<Record<string, object>>;
  /** In the values, @MODEL@ stands for the address of the model. */
  env: Readonly<Record<string, string>>;
  /** The words that start a session with a prompt, or that continue the last one. */
  start(installed: string, prompt: string, isContinued: boolean): readonly string[];
}

/** Qwen Code needs a later Node than the tests. */
const node = { name: `node-${process.platform}-${process.arch}`, version: "22.23.3" };

/** The package of a program for this machine alone. */
const machine = `${process.platform}-${process.arch}`;

const codexModel =
  'model_providers.scripted={name="scripted",base_url="@MODEL@/v1",wire_api="responses",env_key="OPENAI_API_KEY",supports_websockets=false}';

export const realAgents: Readonly<Record<AgentName, RealAgent>> = {
  "claude-code": {
    name: "claude-code",
    package: { name: `@anthropic-ai/claude-code-${machine}`, version: "2.1.327" },
    settings: { ".claude.json": { hasCompletedOnboarding: true } },
    env: {
      ANTHROPIC_BASE_URL: "@MODEL@",
      ANTHROPIC_API_KEY: "sk-ant-not-a-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // It does not run all commands as root otherwise.
      IS_SANDBOX: "1",
    },
    start: (installed, prompt, isContinued) => [
      join(installed, `node_modules/@anthropic-ai/claude-code-${machine}/claude`),
      ...(isContinued ? ["--continue"] : []),
      "-p",
      prompt,
      "--permission-mode",
      "bypassPermissions",
      "--model",
      "claude-sonnet-4-5",
    ],
  },
  codex: {
    name: "codex",
    package: { name: "@openai/codex", version: "0.169.0" },
    settings: {},
    env: { OPENAI_API_KEY: "not-a-key" },
    start: (installed, prompt, isContinued) => [
      join(installed, "node_modules/.bin/codex"),
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      "-c",
      "model_provider=scripted",
      "-c",
      codexModel,
      "-m",
      "gpt-5.5",
      ...(isContinued ? ["resume", "--last"] : []),
      prompt,
    ],
  },
  "gemini-cli": {
    name: "gemini-cli",
    package: { name: "@google/gemini-cli", version: "0.61.0" },
    settings: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
        tools: { enableHooks: true },
        hooksConfig: { enabled: true },
      },
    },
    env: {
      GOOGLE_GEMINI_BASE_URL: "@MODEL@",
      GEMINI_API_KEY: "not-a-key",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    start: (installed, prompt, isContinued) => [
      process.execPath,
      join(installed, "node_modules/.bin/gemini"),
      ...(isContinued ? ["--resume", "latest"] : []),
      "--yolo",
      "-m",
      "gemini-2.5-pro",
      "-p",
      prompt,
    ],
  },
  "qwen-code": {
    name: "qwen-code",
    package: { name: "@qwen-code/qwen-code", version: "0.24.4" },
    settings: {},
    env: { OPENAI_BASE_URL: "@MODEL@/v1", OPENAI_API_KEY: "not-a-key", OPENAI_MODEL: "qwen3-coder" },
    start: (installed, prompt, isContinued) => [
      join(folderOf(node), "node_modules", node.name, "bin/node"),
      join(installed, "node_modules/.bin/qwen"),
      ...(isContinued ? ["--continue"] : []),
      "--yolo",
      "--auth-type",
      "openai",
      "-p",
      prompt,
    ],
  },
};

/** Returns the folder in which a version of a package is, or would be. */
function folderOf({ name, version }: RealAgent["package"]): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "ctx-test/agents", `${name.replace(/^@/, "").replace("/", "-")}@${version}`);
}

/** Returns the folder in which an agent is; undefined if it is not installed. */
export function installed(agent: RealAgent): string | undefined {
  const folders = packagesOf(agent).map(folderOf);
  return folders.every((folder) => fs.existsSync(folder)) ? folders[0] : undefined;
}

function packagesOf(agent: RealAgent): RealAgent["package"][] {
  return agent.name === "qwen-code" ? [agent.package, node] : [agent.package];
}

/** Downloads what an agent needs and the cache lacks. Throws if that fails. */
export function install(agent: RealAgent): void {
  for (const wanted of packagesOf(agent)) {
    const folder = folderOf(wanted);
    if (fs.existsSync(folder)) continue;
    // Whole or not there, also after an interrupt.
    const partial = `${folder}.${process.pid}`;
    fs.mkdirSync(partial, { recursive: true });
    const options = ["--prefix", partial, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status } = spawnSync("npm", ["install", ...options, `${wanted.name}@${wanted.version}`], {
      stdio: "inherit",
    });
    if (status !== 0) {
      fs.rmSync(partial, { recursive: true, force: true });
      throw new Error(`cannot install ${wanted.name} ${wanted.version}`);
    }
    fs.renameSync(partial, folder);
  }
}
