// Runs everything that is not built in: recorded commands, the user's adapters, and MCP servers. All of them
// run in the sandbox, which is probed when the first of them is about to run.
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject } from "../base/json/value.js";
import { type Adapter, type McpServer, privilegesOf } from "../model/config.js";
import { type SandboxDir, type OwnFolders, makeOwnFolders } from "./sandbox-dir.js";
import { type Outcome, StepFailure } from "./outcome.js";
import { connectMcp, type McpSession } from "./mcp.js";
import type { Bounds } from "../store/config.js";
import type { Execution } from "./plan.js";
import { argumentsOf, bindsFor, checkCommand, variables } from "./own-programs.js";
import { zshWords } from "./recorded-shell.js";
import {
  adapterOutcome,
  isUnknown,
  limitReached,
  programOutcome,
  stepOutput,
  stepTime,
  timeFor,
  toOutcome,
  unknownProgram,
} from "./program-outcome.js";
import { type LimitedProgram, runProgram, type RunningServer, startProgram } from "./spawn.js";
import { hasProgram } from "./sandbox-programs.js";
import { probeSandbox } from "./sandbox.js";
import { type LaunchOptions, type Sandbox, type Toolchain, workspaceNames } from "./sandbox-args.js";
import { toolchainsOf } from "./user-programs.js";
import type { Workspace } from "./workspace.js";

export interface ProgramOptions {
  /** False: programs run without a sandbox, on request. */
  sandboxed: boolean;
  network: boolean;
  /** Also call MCP tools that their server does not mark as read-only. */
  mcpWrites: boolean;
  /** What recorded commands see of the user's programs. */
  toolchains: readonly Toolchain[];
  /** Variables of recorded commands by which programs find what the replay provides. */
  variables: Readonly<Record<string, string>>;
  /** Whether commands of the pack run in this replay: beside them a program with privileges is refused. */
  runsCommands: boolean;
  /** The user's PATH and home, and the environment that adapters may name variables of. */
  path: string;
  home: string;
  /** What programs of the store's config may see of its repository. */
  bounds: ReadonlyMap<McpServer, Bounds>;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

type OwnProgram = Required<Pick<LimitedProgram, "argv" | "folder" | "env" | "own">>;

const versionTime = 10_000;
const versionOutput = 1 << 16;

export interface ProgramExecutors {
  command(
    execution: Extract<Execution, { how: "command" }>,
    recorded: { folder: string | undefined; duration: number | undefined },
  ): Promise<Outcome>;
  adapter(adapter: Adapter, parameters: JsonObject): Promise<Outcome>;
  mcp(execution: Extract<Execution, { how: "mcp" }>, parameters: JsonObject): Promise<Outcome>;
  /** Returns the version that an adapter's own command prints; undefined if it prints none. */
  version(adapter: Adapter): Promise<string | undefined>;
  /** Returns whether recorded commands find a program of that name. */
  isThere(name: string): boolean;
  /** Returns what programs run in; undefined if none was about to run yet. */
  sandbox(): Sandbox | undefined;
  /** Returns whether any of them had the network. */
  hadNetwork(): boolean;
  close(): Promise<void>;
}

/** Runs programs in the sandbox, or without one if the user chose so. */
export class StartedPrograms implements ProgramExecutors {
  readonly #box: SandboxDir;
  readonly #workspace: Workspace;
  readonly #options: ProgramOptions;
  /** What the user's own programs are started with, and what recorded commands are. */
  readonly #launch: LaunchOptions;
  readonly #commands: LaunchOptions;
  readonly #sessions = new Map<string, Promise<McpSession>>();
  readonly #servers = new Map<string, RunningServer>();
  /** The folders of each of the user's own programs. */
  readonly #ownFolders = new Map<McpServer, OwnFolders>();
  #sandbox: Sandbox | undefined;
  #probing: Promise<Sandbox> | undefined;
  #hadNetwork: boolean;

  constructor(box: SandboxDir, workspace: Workspace, options: ProgramOptions) {
    this.#box = box;
    this.#workspace = workspace;
    this.#options = options;
    this.#hadNetwork = options.network;
    const { network, path, home } = options;
    this.#launch = { network, path, toolchains: toolchainsOf({ path, home, user: box.user }) };
    this.#commands = { network, path, toolchains: [...options.toolchains] };
  }

  async command(
    { argv: inBash, line, folder, env = {}, isZsh }: Extract<Execution, { how: "command" }>,
    recorded: { folder: string | undefined; duration: number | undefined },
  ): Promise<Outcome> {
    const timeout = timeFor(recorded.duration);
    return await toOutcome(async () => {
      const argv = isZsh === true && this.isThere("zsh") ? zshWords(line) : inBash;
      // Any file may matter to it.
      this.#workspace.lost.check();
      const path = this.#workspace.locate(folder ?? recorded.folder ?? ".");
      const finished = await runProgram(
        this.#box,
        await this.#findSandbox(),
        {
          argv,
          folder: visibleFolder(this.#box, path),
          env: { ...this.#options.variables, ...env },
          timeout,
          outputLimit: stepOutput,
        },
        { ...this.#commands, ...this.#signal() },
      );
      if (isUnknown(finished.output)) return unknownProgram(argv);
      return programOutcome(finished, timeout);
    });
  }

  async adapter(adapter: Adapter, parameters: JsonObject): Promise<Outcome> {
    return await toOutcome(async () => {
      const timeout = timeoutOf(adapter);
      const byArguments = adapter.input === "arguments";
      const program = await this.#ownProgram(adapter, adapter.command);
      const finished = await runProgram(
        this.#box,
        await this.#findSandbox(),
        {
          ...program,
          argv: [...program.argv, ...(byArguments ? argumentsOf(parameters) : [])],
          input: Buffer.from(byArguments ? "" : canonicalText(parameters)),
          timeout,
          outputLimit: stepOutput,
        },
        { ...this.#settings(adapter, adapter.command), separateErrors: true },
      );
      return finished.errors !== undefined && isUnknown(finished.errors)
        ? unknownProgram(program.argv)
        : adapterOutcome(finished, timeout);
    });
  }

  async mcp(
    { server, tool, config }: Extract<Execution, { how: "mcp" }>,
    parameters: JsonObject,
  ): Promise<Outcome> {
    const { disk } = this.#box;
    return await toOutcome(async () => {
      disk.startStep();
      const known = this.#sessions.get(server);
      const session = known ?? this.#connect(server, config);
      if (known === undefined) this.#sessions.set(server, session);
      const outcome = await this.#orLimit(server, async () => await (await session).call(tool, parameters));
      const excess = disk.endStep(0);
      return excess === undefined ? outcome : limitReached(excess);
    });
  }

  async version(adapter: Adapter): Promise<string | undefined> {
    const { version } = adapter;
    if (version === undefined) return undefined;
    const outcome = await toOutcome(async () => {
      const program = {
        ...(await this.#ownProgram(adapter, version)),
        // It needs no secret to print its version.
        env: workspaceNames(this.#box, await this.#findSandbox()),
        timeout: versionTime,
        outputLimit: versionOutput,
      };
      const settings = this.#settings(adapter, [...adapter.command, ...version]);
      return programOutcome(
        await runProgram(this.#box, await this.#findSandbox(), program, settings),
        versionTime,
      );
    });
    if (outcome.kind !== "output" || outcome.exitCode !== 0) return undefined;
    return outcome.bytes.toString("utf8").trim().split("\n")[0];
  }

  isThere(name: string): boolean {
    return hasProgram(name, this.#commands, this.#options.sandboxed);
  }

  sandbox(): Sandbox | undefined {
    return this.#sandbox;
  }

  hadNetwork(): boolean {
    return this.#hadNetwork;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values())
      await session.then(
        (open) => open.close(),
        () => undefined,
      );
  }

  async #findSandbox(): Promise<Sandbox> {
    this.#probing ??= findSandbox(this.#box, this.#launch, this.#options.sandboxed);
    this.#sandbox = await this.#probing;
    return this.#sandbox;
  }

  #settings(config: McpServer, command: readonly string[]): LaunchOptions & { signal?: AbortSignal } {
    const { home, network, bounds } = this.#options;
    this.#hadNetwork ||= config.network === true;
    return {
      ...this.#launch,
      network: network || config.network === true,
      toolchains: [
        ...(this.#launch.toolchains ?? []),
        ...bindsFor(command, this.#box, { home, bounds: bounds.get(config) }),
      ],
      ...this.#signal(),
    };
  }

  #signal(): { signal?: AbortSignal } {
    const { signal } = this.#options;
    return signal === undefined ? {} : { signal };
  }

  /** Returns one of the user's own programs, set up in an empty folder, with a home and a /tmp of its own. */
  async #ownProgram(config: McpServer, argv: string[]): Promise<OwnProgram> {
    const [box, options] = [this.#box, this.#options];
    const privileges = privilegesOf(config);
    if (options.runsCommands && privileges !== undefined)
      throw new StepFailure(
        "not_allowed",
        `it gets ${privileges}, and this replay also runs the pack's own commands: --allow together lets both run`,
      );
    checkCommand(argv, box, this.#workspace);
    const own = makeOwnFolders(box, this.#ownFolders.get(config));
    this.#ownFolders.set(config, own);
    const env = { ...variables(config, options.env), ...workspaceNames(box, await this.#findSandbox()) };
    return { argv, folder: box.visiblePath, env, own };
  }

  async #connect(name: string, config: McpServer): Promise<McpSession> {
    const program = await this.#ownProgram(config, config.command);
    const server = startProgram(
      this.#box,
      await this.#findSandbox(),
      program,
      this.#settings(config, config.command),
    );
    this.#servers.set(name, server);
    return await connectMcp(server, {
      timeout: timeoutOf(config),
      allowWrites: this.#options.mcpWrites,
      outputLimit: stepOutput,
      ...this.#signal(),
    });
  }

  /**
   * Calls a server. If a limit has ended it, that is the outcome: the server itself only seems to be gone.
   */
  async #orLimit(name: string, call: () => Promise<Outcome>): Promise<Outcome> {
    let outcome: Outcome;
    try {
      outcome = await call();
    } catch (error) {
      const excess = this.#servers.get(name)?.excess?.();
      if (excess === undefined) throw error;
      return limitReached(excess);
    }
    const excess = this.#servers.get(name)?.excess?.();
    return excess === undefined ? outcome : limitReached(excess);
  }
}

async function findSandbox(box: SandboxDir, launch: LaunchOptions, isWanted: boolean): Promise<Sandbox> {
  if (!isWanted) return { kind: "off" };
  const probed = await probeSandbox(box, launch);
  if (probed.ok) return { kind: "bwrap", version: probed.version };
  throw new StepFailure("no_sandbox", `${probed.why}; ${probed.hint}`);
}

function visibleFolder(box: SandboxDir, folder: string): string {
  return folder === "" ? box.visiblePath : `${box.visiblePath.replace(/\/$/, "")}/${folder}`;
}

function timeoutOf({ timeout }: McpServer): number {
  return timeout === undefined ? stepTime : timeout * 1000;
}
