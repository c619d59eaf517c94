// Runs everything that is not built in: recorded commands, the user's adapters, and MCP servers. All of them
// run in the sandbox, which is probed when the first of them is about to run.
import { canonicalText } from "../base/json/canonical.js";
import { CtxError } from "../base/errors.js";
import type { JsonObject } from "../base/json/value.js";
import { type Adapter, type McpServer, privilegesOf } from "../model/config.js";
import { type SandboxDir, type OwnPlace, ownPlace } from "./sandbox-dir.js";
import { isNoSpace, type Outcome, outcomeOfFailure, StepFailure } from "./outcome.js";
import { connectMcp, type McpSession } from "./mcp.js";
import type { Bounds } from "../store/trusted-files.js";
import type { Way } from "./plan.js";
import { bindsFor, checkCommand } from "./own-programs.js";
import { type Program, type Ran, runProgram, type Server, startProgram } from "./spawn.js";
import { probeSandbox } from "./sandbox.js";
import { type LaunchOptions, type Sandbox, toolchainsOf, workspaceNames } from "./sandbox-args.js";
import type { Workspace } from "./workspace.js";

export interface ProgramOptions {
  /** False: programs run without a sandbox, on request. */
  sandboxed: boolean;
  network: boolean;
  /** Also call MCP tools that their server does not mark as read-only. */
  mcpWrites: boolean;
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

export const stepTime = 60_000;
export const stepOutput = 16 << 20;

type OwnProgram = Required<Pick<Program, "argv" | "folder" | "env" | "own">>;

const versionTime = 10_000;
const versionOutput = 1 << 16;

export interface Programs {
  command(way: Extract<Way, { how: "command" }>, recordedFolder: string | undefined): Promise<Outcome>;
  adapter(adapter: Adapter, parameters: JsonObject): Promise<Outcome>;
  mcp(way: Extract<Way, { how: "mcp" }>, parameters: JsonObject): Promise<Outcome>;
  /** Returns the version that an adapter's own command prints; undefined if it prints none. */
  version(adapter: Adapter): Promise<string | undefined>;
  /** Returns what programs run in; undefined if none was about to run yet. */
  sandbox(): Sandbox | undefined;
  /** Returns whether any of them had the network. */
  hadNetwork(): boolean;
  close(): Promise<void>;
}

export function openPrograms(box: SandboxDir, workspace: Workspace, options: ProgramOptions): Programs {
  const launch: LaunchOptions = {
    network: options.network,
    path: options.path,
    toolchains: toolchainsOf(options.path, options.home, box.user === undefined ? {} : { user: box.user }),
  };
  const sessions = new Map<string, Promise<McpSession>>();
  const servers = new Map<string, Server>();
  /** The folders of each of the user's own programs. */
  const places = new Map<McpServer, OwnPlace>();
  let found: Sandbox | undefined;
  let isConnected = options.network;
  let probing: Promise<Sandbox> | undefined;

  const sandbox = async (): Promise<Sandbox> => {
    probing ??= findSandbox(box, launch, options.sandboxed);
    found = await probing;
    return found;
  };
  const settings = (
    config: McpServer,
    command: readonly string[],
  ): LaunchOptions & { signal?: AbortSignal } => ({
    ...launch,
    network: connected(config),
    toolchains: [
      ...(launch.toolchains ?? []),
      ...bindsFor(command, box, { home: options.home, bounds: options.bounds.get(config) }),
    ],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  /** What to start for one of the user's own programs: in an empty folder, with a home and a /tmp of its own. */
  const ownProgram = async (config: McpServer, argv: string[]): Promise<OwnProgram> => {
    const privileges = privilegesOf(config);
    if (options.runsCommands && privileges !== undefined)
      throw new StepFailure(
        "not_allowed",
        `it gets ${privileges}, and this replay also runs the pack's own commands: --allow together lets both run`,
      );
    checkCommand(argv, box, workspace);
    const own = ownPlace(box, places.get(config));
    places.set(config, own);
    const env = { ...variables(config, options.env), ...workspaceNames(box, await sandbox()) };
    return { argv, folder: box.seenAs, env, own };
  };

  return {
    async command({ argv, folder }, recordedFolder) {
      return await caught(async () => {
        // Any file may matter to it.
        workspace.lost.check();
        const place = workspace.locate(folder ?? recordedFolder ?? ".");
        const ran = await runProgram(
          box,
          await sandbox(),
          { argv, folder: seen(box, place), timeout: stepTime, outputLimit: stepOutput },
          { ...launch, ...(options.signal === undefined ? {} : { signal: options.signal }) },
        );
        if (isUnknown(ran.output)) return unknownProgram(argv);
        return outcomeOf(ran, stepTime);
      });
    },
    async adapter(adapter, parameters) {
      return await caught(async () => {
        const timeout = timeOf(adapter);
        const byArguments = adapter.input === "arguments";
        const program = await ownProgram(adapter, adapter.command);
        const ran = await runProgram(
          box,
          await sandbox(),
          {
            ...program,
            argv: [...program.argv, ...(byArguments ? argumentsOf(parameters) : [])],
            input: Buffer.from(byArguments ? "" : canonicalText(parameters)),
            timeout,
            outputLimit: stepOutput,
          },
          { ...settings(adapter, adapter.command), separateErrors: true },
        );
        return ran.errors !== undefined && isUnknown(ran.errors)
          ? unknownProgram(program.argv)
          : adapterOutcome(ran, timeout);
      });
    },
    async mcp({ server, tool, config }, parameters) {
      return await caught(async () => {
        box.disk.startStep();
        const known = sessions.get(server);
        const session = known ?? connect(server, config);
        if (known === undefined) sessions.set(server, session);
        const outcome = await endedAtLimit(server, async () => await (await session).call(tool, parameters));
        const excess = box.disk.endStep(0);
        return excess === undefined ? outcome : limited(excess);
      });
    },
    async version(adapter) {
      const { version } = adapter;
      if (version === undefined) return undefined;
      const outcome = await caught(async () => {
        const program = {
          ...(await ownProgram(adapter, version)),
          // To say its version it needs no secret.
          env: workspaceNames(box, await sandbox()),
          timeout: versionTime,
          outputLimit: versionOutput,
        };
        const bound = settings(adapter, [...adapter.command, ...version]);
        return outcomeOf(await runProgram(box, await sandbox(), program, bound), versionTime);
      });
      if (outcome.kind !== "output" || outcome.exitCode !== 0) return undefined;
      return outcome.bytes.toString("utf8").trim().split("\n")[0];
    },
    sandbox: () => found,
    hadNetwork: () => isConnected,
    async close() {
      for (const session of sessions.values())
        await session.then(
          (open) => open.close(),
          () => undefined,
        );
    },
  };

  function connected({ network = false }: McpServer): boolean {
    isConnected ||= network;
    return options.network || network;
  }

  /** A server that was ended by a limit has only said that it is gone. */
  async function endedAtLimit(name: string, call: () => Promise<Outcome>): Promise<Outcome> {
    let outcome: Outcome;
    try {
      outcome = await call();
    } catch (error) {
      const excess = servers.get(name)?.excess?.();
      if (excess === undefined) throw error;
      return limited(excess);
    }
    const excess = servers.get(name)?.excess?.();
    return excess === undefined ? outcome : limited(excess);
  }

  async function connect(name: string, config: McpServer): Promise<McpSession> {
    const program = await ownProgram(config, config.command);
    const server = startProgram(box, await sandbox(), program, settings(config, config.command));
    servers.set(name, server);
    return await connectMcp(server, {
      timeout: timeOf(config),
      allowWrites: options.mcpWrites,
      outputLimit: stepOutput,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  }
}

async function findSandbox(box: SandboxDir, launch: LaunchOptions, isWanted: boolean): Promise<Sandbox> {
  if (!isWanted) return { kind: "off" };
  const probed = await probeSandbox(box, launch);
  if (probed.ok) return { kind: "bwrap", version: probed.version };
  throw new StepFailure("no_sandbox", `${probed.why}; ${probed.hint}`);
}

/** Turns everything that a pack or a program can cause into an outcome. */
async function caught(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    // A program that ran has an outcome: an error means that it was kept from running.
    if (error instanceof StepFailure)
      return outcomeOfFailure({
        reason: error.reason,
        message: error.message,
        atLimit: error.atLimit,
        untried: true,
      });
    if (error instanceof CtxError && isNoSpace(error.data?.["errno"])) return limited(error.message);
    throw error;
  }
}

function seen(box: SandboxDir, place: string): string {
  return place === "" ? box.seenAs : `${box.seenAs.replace(/\/$/, "")}/${place}`;
}

function timeOf({ timeout }: McpServer): number {
  return timeout === undefined ? stepTime : timeout * 1000;
}

function outcomeOf(ran: Ran, timeout: number): Outcome {
  if (ran.timedOut) return failed("timeout", `it was still running after ${timeout / 1000} s`);
  if (ran.excess !== undefined) return limited(ran.excess);
  if (ran.tooLong) return limited(`it wrote more than ${stepOutput >> 20} MiB`);
  return {
    kind: "output",
    bytes: ran.output,
    compared: "output",
    ...(ran.exitCode === null ? {} : { exitCode: ran.exitCode }),
  };
}

/** Returns whether the only output is that there is no such program. */
function isUnknown(said: Buffer): boolean {
  return /^prlimit: failed to execute [^\n]*No such file or directory\n$/.test(said.toString("latin1"));
}

function unknownProgram([name = ""]: readonly string[]): Outcome {
  return failed("no_program", `there is no program ${name} in the sandbox`);
}

function failed(reason: "timeout" | "no_program" | "error", message: string): Outcome {
  return { kind: "failed", reason, message };
}

/** Returns the failure of a step that reached a limit, whatever the record says. */
function limited(message: string): Outcome {
  return { kind: "failed", reason: "error", message, atLimit: true };
}

/** Returns the outcome of an adapter; one that fails has no result. */
function adapterOutcome(ran: Ran, timeout: number): Outcome {
  const outcome = outcomeOf(ran, timeout);
  if (outcome.kind !== "output" || ran.exitCode === 0) return outcome;
  const said = ran.errors?.toString("utf8").trim().split("\n").at(-1) ?? "";
  const message = `the adapter ended with exit status ${ran.exitCode}${said === "" ? "" : `: ${said.slice(0, 300)}`}`;
  // What shells, env and other launchers return if they found no program, or could not run it.
  if (ran.exitCode === 126 || ran.exitCode === 127) return failed("no_program", message);
  return failed("error", message);
}

/** Returns `--name=value` for each parameter: texts verbatim, everything else as JSON. */
function argumentsOf(parameters: JsonObject): string[] {
  return Object.entries(parameters).map(
    ([name, value]) => `--${name}=${typeof value === "string" ? value : canonicalText(value)}`,
  );
}

function variables({ env = [] }: McpServer, given: ProgramOptions["env"]): Record<string, string> {
  return Object.fromEntries(env.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}
