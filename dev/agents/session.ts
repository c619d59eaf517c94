// Sessions of real agents in front of the scripted model: a new home, a new repository, and no network but loopback.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { type Ran, repository } from "../built.js";
import { tempFolder } from "../folders.js";
import type { Need } from "../needs.js";
import { installed, type RealAgent } from "./agents.js";
import { type ScriptedTask, withTokens } from "./script.js";

/** A request of the agent, with the position in the script of what answered it. */
export interface ModelRequest {
  method: string;
  path: string;
  task?: number;
  turn?: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- another shape for each API
  body: any;
}

/** The agent, which `npm run test:agents` installs. */
export function agentIsThere(agent: RealAgent): Need {
  const { name, version } = agent.package;
  return { name: `${name} ${version} (npm run test:agents)`, isThere: () => installed(agent) !== undefined };
}

export class AgentSession {
  readonly home: string;
  /** A git repository with one commit, whose date is always the same: agents put commits into their prompts. */
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly #agent: RealAgent;
  readonly #requests: string;
  #isBegun = false;

  constructor(agent: RealAgent, files: Readonly<Record<string, string>>) {
    this.#agent = agent;
    const top = tempFolder();
    this.home = join(top, "home");
    this.folder = join(top, "work");
    this.#requests = join(top, "requests.jsonl");
    for (const [name, settings] of Object.entries(agent.settings))
      writeBelow(this.home, name, JSON.stringify(settings));
    for (const [name, text] of Object.entries(files)) writeBelow(this.folder, name, text);
    fs.mkdirSync(this.home, { recursive: true });
    const date = "2026-01-01T00:00:00Z";
    this.env = {
      HOME: this.home,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      ...Object.fromEntries(
        ["AUTHOR", "COMMITTER"].flatMap((who) => [
          [`GIT_${who}_NAME`, "A"],
          [`GIT_${who}_EMAIL`, "a@example.com"],
        ]),
      ),
    };
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      ["commit", "-qm", "Begin"],
    ])
      this.#run("git", args);
  }

  /** Runs the agent with a prompt; every prompt after the first continues the session. */
  prompt(text: string, script: readonly ScriptedTask[]): Ran {
    const folder = installed(this.#agent);
    if (folder === undefined) throw new Error(`${this.#agent.name} is not installed`);
    const file = join(dirname(this.#requests), "script.json");
    fs.writeFileSync(file, JSON.stringify(withTokens(script)));
    const inside = join(repository, "dev/agents/in-namespace.mjs");
    const start = this.#agent.start(folder, text, this.#isBegun);
    this.#isBegun = true;
    return this.#run("bwrap", [
      "--dev-bind",
      "/",
      "/",
      "--unshare-net",
      "--die-with-parent",
      "--",
      process.execPath,
      inside,
      file,
      this.#requests,
      ...start,
    ]);
  }

  /** Every request so far, in order. */
  requests(): ModelRequest[] {
    return fs
      .readFileSync(this.#requests, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ModelRequest);
  }

  #run(command: string, args: readonly string[]): Ran {
    const { PATH, LANG, TMPDIR } = process.env;
    const { error, status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.folder,
      env: { PATH, LANG, TMPDIR, ...this.#agent.env, ...this.env },
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    if (error !== undefined) throw error;
    return { status, stdout, stderr };
  }
}

function writeBelow(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
}
