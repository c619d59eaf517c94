// The settings in a store's config.json, and in the user's own.
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

/** A program and its arguments; no shell is involved. */
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
  /** Names of the user's environment variables that are passed to it. */
  env: optional(list(nonEmpty)),
  network: optional(boolean),
};

const adapterFields = {
  ...programFields,
  /** How parameters are passed: as JSON on standard input, or as `--name=value` arguments. */
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
  /** The rule's name in reports. */
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
  /** The rule's name in placeholders. */
  id: required(nonEmpty),
  /** A regular expression in the syntax of RE2. */
  pattern: required(nonEmpty),
  /** Only texts that contain one of these are searched. */
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
/** What the user must know about a program before allowing it to run. */
export interface ProgramInfo {
  command: string[];
  /** Environment variables that are passed to it. */
  env: string[];
  network: boolean;
  /** The command that prints its version, which is run as well. */
  version?: string[];
}

export function programInfo(program: McpServer & { version?: string[] }): ProgramInfo {
  const { command, env = [], network = false, version } = program;
  return { command, env, network, ...(version === undefined ? {} : { version }) };
}

/** Returns the privileges of a program that recorded commands do not have; undefined if there are none. */
export function privilegesOf({ env = [], network = false }: McpServer): string | undefined {
  const privileges = [...env, ...(network ? ["the network"] : [])];
  return privileges.length === 0 ? undefined : privileges.join(", ");
}

export type ReplayConfig = Described<typeof replayFields>;

// Closed objects: a misspelt setting is an error, not one without effect.
const sections = {
  diff: optional(object({ ignore: optional(list(text())) })),
  replay: optional(object(replayFields)),
  redact: optional(object(redactFields)),
};

const open = { open: true };
const storeFields = {
  version: required(oneOf(formatVersion)),
  /**
   * Parts of the format that a program must support to use the store. None exists yet; unknown ones are
   * refused.
   */
  extensions: optional(list(nonEmpty)),
  /** Whether a team commits the store, as opposed to a private store. */
  shared: optional(boolean),
  ...sections,
};

export type ConfigFile = Described<typeof sections>;
export type StoreConfig = Described<typeof storeFields>;

export const configShape: Shape<StoreConfig> = object(storeFields, open);
export const userConfigShape: Shape<ConfigFile> = object(sections, open);
