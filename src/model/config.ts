// What may stand in a store's config.json, and in the user's own.
import { formatVersion } from "./manifest.js";
import {
  boolean,
  count,
  type Described,
  list,
  mapOf,
  nonEmpty,
  object,
  oneOf,
  optional,
  required,
  type Shape,
  text,
} from "./shape.js";

/** A program and its arguments: no shell is asked. */
const commandLine: Shape<string[]> = {
  read(at) {
    const words = list(text()).read(at);
    if (words?.[0] === undefined || words[0] === "") at.problem("must name a program");
    return words;
  },
  schema: { type: "array", items: { type: "string" }, minItems: 1 },
};

const programFields = {
  command: required(commandLine),
  /** In seconds. */
  timeout: optional(count),
  /** Names of variables that it gets from the user's environment. */
  env: optional(list(nonEmpty)),
  network: optional(boolean),
};

const adapterFields = {
  ...programFields,
  /** How it gets the parameters: as JSON on standard input, or as `--name=value` arguments. */
  input: optional(oneOf("json", "arguments")),
  /** Prints the version of the tool. */
  version: optional(commandLine),
  compare: optional(oneOf("output", "lines")),
};

const pattern = text(
  (value) => {
    try {
      void new RegExp(value, "gu");
      return undefined;
    } catch {
      return "must be a regular expression";
    }
  },
  { minLength: 1 },
);

const normaliserFields = {
  /** What this is called in a report. */
  name: required(nonEmpty),
  /** A regular expression. */
  pattern: required(pattern),
  replace: optional(text()),
  /** Only for these tools. */
  tools: optional(list(nonEmpty)),
};

const replayFields = {
  /** By the name of the tool. */
  adapters: optional(mapOf(object(adapterFields))),
  /** By the name of the server. */
  mcp: optional(mapOf(object(programFields))),
  normalise: optional(list(object(normaliserFields))),
};

const ownRuleFields = {
  /** As the placeholder has it. */
  id: required(nonEmpty),
  /** A regular expression in the syntax of RE2. */
  pattern: required(nonEmpty),
  /** Only texts that hold one of these are searched. */
  keywords: optional(list(nonEmpty)),
};

const redactFields = {
  mode: optional(oneOf("off", "standard", "strict")),
  rules: optional(list(object(ownRuleFields), { unique: "id" })),
  /** Texts that are never masked. */
  allow: optional(list(nonEmpty)),
};

export type RedactConfig = Described<typeof redactFields>;
export type Adapter = Described<typeof adapterFields>;
export type McpServer = Described<typeof programFields>;
export type NormaliserRule = Described<typeof normaliserFields>;
/** All of a program that matters to whoever lets it run. */
export interface ProgramInfo {
  command: string[];
  /** Variables that it gets. */
  env: string[];
  network: boolean;
  /** The command that tells its version, which is run as well. */
  version?: string[];
}

export function programInfo(program: McpServer & { version?: string[] }): ProgramInfo {
  const { command, env = [], network = false, version } = program;
  return { command, env, network, ...(version === undefined ? {} : { version }) };
}

/** What a program is given that recorded commands do not have; undefined if there is nothing. */
export function privilegesOf({ env = [], network = false }: McpServer): string | undefined {
  const given = [...env, ...(network ? ["the network"] : [])];
  return given.length === 0 ? undefined : given.join(", ");
}

export type ReplayConfig = Described<typeof replayFields>;

// A misspelt setting would be one that has no effect.
const sections = {
  diff: optional(object({ ignore: optional(list(text())) })),
  replay: optional(object(replayFields)),
  redact: optional(object(redactFields)),
};

const open = { open: true };
const storeFields = {
  version: required(oneOf(formatVersion)),
  /** Parts of the format that a program must know to use the store: none exists yet, and one that is not known is refused. */
  extensions: optional(list(nonEmpty)),
  /** The store is one that a team commits: it is not its owner's alone. */
  shared: optional(boolean),
  ...sections,
};

export type ConfigFile = Described<typeof sections>;
export type StoreConfig = Described<typeof storeFields>;

export const configShape: Shape<StoreConfig> = object(storeFields, open);
export const userConfigShape: Shape<ConfigFile> = object(sections, open);
