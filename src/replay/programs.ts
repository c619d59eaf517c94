// Runs what is not built in: recorded commands, the user's adapters, and MCP servers. All of them in the sandbox, which is
// looked for when the first of them is to run.
import * as fs from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { canonicalText } from "../base/canonical.js";
import type { JsonObject } from "../base/json.js";
import type { Adapter, McpServer } from "../model/config.js";
import { type Box, isIn } from "./box.js";
import { type Outcome, StepFailure } from "./executor.js";
import { connectMcp, type McpSession } from "./mcp.js";
import type { Way } from "./plan.js";
import { type Ran, runProgram, startProgram } from "./run-program.js";
import { probeSandbox } from "./sandbox.js";
import { type LaunchOptions, type Sandbox, type Toolchain, toolchainsOf } from "./sandbox-args.js";
import type { Tree } from "./tree.js";

export interface ProgramOptions {
  /** False: programs run without a sandbox, by request. */
  sandboxed: boolean;
  network: boolean;
  /** Also MCP tools that their server does not call read-only. */
  mcpWrites: boolean;
  /** The user's PATH and home, and the environment that adapters may name variables of. */
  path: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

export const stepTime = 60_000;
export const stepOutput = 16 << 20;

const versionTime = 10_000;
const versionOutput = 1 << 16;

export interface Programs {
  command(way: Extract<Way, { how: "command" }>, recordedFolder: string | undefined): Promise<Outcome>;
  adapter(adapter: Adapter, parameters: JsonObject): Promise<Outcome>;
  mcp(way: Extract<Way, { how: "mcp" }>, parameters: JsonObject): Promise<Outcome>;
  /** What an adapter's own command says about its version; undefined when it says nothing. */
  version(adapter: Adapter): Promise<string | undefined>;
  /** What programs run in; undefined while none was to run. */
  sandbox(): Sandbox | undefined;
  /** Whether any of them had the network. */
  hadNetwork(): boolean;
  close(): Promise<void>;
}

export function openPrograms(box: Box, tree: Tree, options: ProgramOptions): Programs {
  const launch: LaunchOptions = {
    network: options.network,
    path: options.path,
    toolchains: toolchainsOf(options.path, options.home, box.user === undefined ? {} : { user: box.user }),
  };
  const sessions = new Map<string, Promise<McpSession>>();
  let found: Sandbox | undefined;
  let isConnected = options.network;
  let probing: Promise<Sandbox> | undefined;

  const sandbox = async (): Promise<Sandbox> => {
    probing ??= findSandbox(box, launch, options.sandboxed);
    found = await probing;
    return found;
  };
  const settings = (config: McpServer): LaunchOptions & { signal?: AbortSignal } => ({
    ...launch,
    network: connected(config),
    toolchains: [...(launch.toolchains ?? []), ...bindsFor(config.command, box, options.home)],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });

  return {
    async command({ argv, folder }, recordedFolder) {
      return await caught(async () => {
        const place = tree.locate(folder ?? recordedFolder ?? ".");
        const ran = await runProgram(
          box,
          await sandbox(),
          { argv, folder: seen(box, place), timeout: stepTime, outputLimit: stepOutput },
          { ...launch, ...(options.signal === undefined ? {} : { signal: options.signal }) },
        );
        const lost = /^prlimit: failed to execute [^\n]*No such file or directory\n$/.test(
          ran.output.toString("latin1"),
        );
        if (lost) return failed("error", `there is no program ${argv[0] ?? ""} in the sandbox`);
        return outcomeOf(ran, stepTime);
      });
    },
    async adapter(adapter, parameters) {
      return await caught(async () => {
        const timeout = timeOf(adapter);
        const byArguments = adapter.input === "arguments";
        const ran = await runProgram(
          box,
          await sandbox(),
          {
            argv: [...adapter.command, ...(byArguments ? argumentsOf(parameters) : [])],
            folder: box.seenAs,
            input: Buffer.from(byArguments ? "" : canonicalText(parameters)),
            env: variables(adapter, options.env),
            timeout,
            outputLimit: stepOutput,
          },
          { ...settings(adapter), separateErrors: true },
        );
        return adapterOutcome(ran, timeout);
      });
    },
    async mcp({ server, tool, config }, parameters) {
      return await caught(async () => {
        const known = sessions.get(server);
        const session = known ?? connect(config);
        if (known === undefined) sessions.set(server, session);
        return await (await session).call(tool, parameters);
      });
    },
    async version(adapter) {
      const { version } = adapter;
      if (version === undefined) return undefined;
      const outcome = await caught(async () => {
        const program = {
          argv: version,
          folder: box.seenAs,
          timeout: versionTime,
          outputLimit: versionOutput,
        };
        const bound = settings({ ...adapter, command: [...adapter.command, ...version] });
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

  async function connect(config: McpServer): Promise<McpSession> {
    const server = startProgram(
      box,
      await sandbox(),
      { argv: config.command, folder: box.seenAs, env: variables(config, options.env) },
      settings(config),
    );
    return await connectMcp(server, {
      timeout: timeOf(config),
      allowWrites: options.mcpWrites,
      outputLimit: stepOutput,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  }
}

async function findSandbox(box: Box, launch: LaunchOptions, isWanted: boolean): Promise<Sandbox> {
  if (!isWanted) return { kind: "off" };
  const probed = await probeSandbox(box, launch);
  if (probed.ok) return { kind: "bwrap", version: probed.version };
  throw new StepFailure("no_sandbox", `${probed.why}; ${probed.hint}`);
}

/** What a pack or a program can cause becomes an outcome. */
async function caught(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StepFailure) return { kind: "failed", reason: error.reason, message: error.message };
    throw error;
  }
}

function seen(box: Box, place: string): string {
  return place === "" ? box.seenAs : `${box.seenAs.replace(/\/$/, "")}/${place}`;
}

function timeOf({ timeout }: McpServer): number {
  return timeout === undefined ? stepTime : timeout * 1000;
}

function outcomeOf(ran: Ran, timeout: number): Outcome {
  if (ran.timedOut) return failed("timeout", `it was still running after ${timeout / 1000} s`);
  if (ran.tooLong) return failed("error", `it wrote more than ${stepOutput >> 20} MiB`);
  if (ran.noSpace === true) return failed("error", "it filled the disk");
  return {
    kind: "output",
    bytes: ran.output,
    compared: "output",
    ...(ran.exitCode === null ? {} : { exitCode: ran.exitCode }),
  };
}

function failed(reason: "timeout" | "error", message: string): Outcome {
  return { kind: "failed", reason, message };
}

/** An adapter that fails has given no result. */
function adapterOutcome(ran: Ran, timeout: number): Outcome {
  const outcome = outcomeOf(ran, timeout);
  if (outcome.kind !== "output" || ran.exitCode === 0) return outcome;
  const said = ran.errors?.toString("utf8").trim().split("\n").at(-1) ?? "";
  const message = `the adapter ended with exit status ${ran.exitCode}${said === "" ? "" : `: ${said.slice(0, 300)}`}`;
  return { kind: "failed", reason: "error", message };
}

/** `--name=value`: texts as they are, everything else as JSON. */
function argumentsOf(parameters: JsonObject): string[] {
  return Object.entries(parameters).map(
    ([name, value]) => `--${name}=${typeof value === "string" ? value : canonicalText(value)}`,
  );
}

function variables({ env = [] }: McpServer, given: ProgramOptions["env"]): Record<string, string> {
  return Object.fromEntries(env.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** The files that a configured command names, read-only, with the projects that they are part of; never a whole home. */
function bindsFor(command: readonly string[], box: Box, home: string): Toolchain[] {
  return command.flatMap((word) => {
    if (!isAbsolute(word) || isIn(word, "/usr") || isIn(word, box.folder)) return [];
    const isFile = fs.statSync(word, { throwIfNoEntry: false })?.isFile() === true;
    if (!isFile) return [];
    const file = fs.realpathSync(word);
    if (["/tmp", "/var/tmp"].some((top) => isIn(file, top)))
      throw new StepFailure("error", `${file} is a temporary file, which the sandbox does not show`);
    checkOpen(file, box);
    const isTooMuch = (folder: string): boolean => isIn(home, folder) || isIn(box.folder, folder);
    const folder = dirname(file);
    return { folder: isTooMuch(folder) ? file : projectOf(folder, isTooMuch), bin: folder };
  });
}

/** What shows that a folder is the top of a project, whose parts need each other. */
const marks = ["package.json", "node_modules", "pyproject.toml", "pyvenv.cfg", "Cargo.toml", "go.mod"];

function projectOf(folder: string, isTooMuch: (folder: string) => boolean): string {
  for (let at = folder; !isTooMuch(at) && dirname(at) !== at; at = dirname(at))
    if (marks.some((mark) => fs.existsSync(join(at, mark)))) return at;
  return folder;
}

/** Programs of root run as nobody: what nobody can read they cannot run. */
function checkOpen(file: string, { user }: Box): void {
  if (user === undefined) return;
  for (let at = file; dirname(at) !== at; at = dirname(at))
    if ((fs.statSync(at).mode & 0o001) === 0 && at !== file)
      throw new StepFailure(
        "error",
        `${file} cannot be reached by the user nobody, whom programs run as when root replays`,
      );
}
