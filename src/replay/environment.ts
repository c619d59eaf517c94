// Reports what differs around a replay: operating system, runtime, versions of tools. Only well-known
// programs are run to find their versions, by names that ctx defines: nothing that a pack names is ever
// executed for that.
import { spawnSync } from "node:child_process";
import { isAbsolute } from "node:path";
import type { Manifest } from "../model/manifest.js";
import type { EnvironmentFact } from "../results/replay.js";

export interface Machine {
  platform: string;
  arch: string;
  /** The user's PATH. */
  path: string;
}

/** How to get the version of each well-known program, and its other names. */
const versionCommands: readonly { names: readonly string[]; argv: readonly string[] }[] = [
  { names: ["node", "nodejs"], argv: ["node", "--version"] },
  { names: ["npm"], argv: ["npm", "--version"] },
  { names: ["python", "python3", "cpython"], argv: ["python3", "--version"] },
  { names: ["go", "golang"], argv: ["go", "version"] },
  { names: ["git"], argv: ["git", "--version"] },
  { names: ["bash"], argv: ["bash", "--version"] },
  { names: ["rust", "rustc"], argv: ["rustc", "--version"] },
  { names: ["cargo"], argv: ["cargo", "--version"] },
  { names: ["java", "openjdk"], argv: ["java", "--version"] },
  { names: ["ruby"], argv: ["ruby", "--version"] },
  { names: ["perl"], argv: ["perl", "--version"] },
  { names: ["gcc"], argv: ["gcc", "--version"] },
  { names: ["make"], argv: ["make", "--version"] },
  { names: ["deno"], argv: ["deno", "--version"] },
  { names: ["bun"], argv: ["bun", "--version"] },
];

export function environmentFacts({ environment }: Manifest, machine: Machine): EnvironmentFact[] {
  return [
    osFact(environment.os, machine),
    versionFact("runtime", environment.runtime, environment.runtime, machine),
    ...Object.entries(environment.tool_versions).map(([name, version]) =>
      versionFact("tool", name, version, machine),
    ),
  ];
}

const sameArch: Readonly<Record<string, string>> = { amd64: "x64", x86_64: "x64", aarch64: "arm64" };
const samePlatform: Readonly<Record<string, string>> = { macos: "darwin", windows: "win32" };

function osFact(recorded: string, { platform, arch }: Machine): EnvironmentFact {
  const [name = "", kind] = recorded.toLowerCase().split(/[/\s-]+/);
  const isName = (ownText(samePlatform, name) ?? name) === platform;
  const isArch = kind === undefined || (ownText(sameArch, kind) ?? kind) === arch;
  const status = recorded === "" || name === "unknown" ? "unknown" : isName && isArch ? "same" : "differs";
  return {
    kind: "os",
    name: "os",
    recorded,
    found: kind === undefined ? platform : `${platform}/${arch}`,
    status,
  };
}

function ownText(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Compares `node20`, `python 3.11`, or a tool with its version, on as many digits as the record has. */
function versionFact(
  kind: "runtime" | "tool",
  name: string,
  recorded: string,
  machine: Machine,
): EnvironmentFact {
  const program = (kind === "runtime" ? /^[A-Za-z]+/.exec(recorded)?.[0] : name)?.toLowerCase();
  const recordedVersion = numberIn(recorded);
  const label = kind === "runtime" ? "runtime" : name;
  const found = program === undefined ? undefined : probe(program, machine);
  const fact = { kind, name: label, recorded };
  if (found === undefined) return { ...fact, found: null, status: "unknown" };
  if (found === "") return { ...fact, found: null, status: "missing" };
  if (recordedVersion === undefined) return { ...fact, found, status: "unknown" };
  const isSame = found === recordedVersion || found.startsWith(`${recordedVersion}.`);
  return { ...fact, found, status: isSame ? "same" : "differs" };
}

/** Compares the version of a tool that its own adapter reports. */
export function adapterFact(
  name: string,
  { environment }: Manifest,
  found: string | undefined,
): EnvironmentFact {
  const recorded = ownText(environment.tool_versions, name) ?? "";
  const fact = { kind: "tool", name, recorded } as const;
  if (found === undefined) return { ...fact, found: null, status: "missing" };
  if (recorded === "") return { ...fact, found, status: "unknown" };
  const isSame = found === recorded || numberIn(found) === numberIn(recorded);
  return { ...fact, found, status: isSame ? "same" : "differs" };
}

function numberIn(text: string): string | undefined {
  return /\d+(?:\.\d+)*/.exec(text)?.[0];
}

/**
 * Returns the version of a well-known program; empty if it is not installed, undefined if it is not well
 * known.
 */
function probe(program: string, { path }: Machine): string | undefined {
  const [file, ...args] = versionCommands.find(({ names }) => names.includes(program))?.argv ?? [];
  if (file === undefined) return undefined;
  const probed = spawnSync(file, args, {
    // Not in a folder where a stranger's files could choose the version, and not by a PATH that depends on
    // it.
    cwd: "/",
    env: { PATH: path.split(":").filter(isAbsolute).join(":"), LC_ALL: "C" },
    timeout: 5000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (probed.error !== undefined || probed.status !== 0) return "";
  return /\d+(?:\.\d+)+/.exec(probed.stdout.toString("latin1"))?.[0] ?? "";
}
