// Parameters that several functions of the library share.
import {
  type ArgumentCheck,
  type CheckedMember,
  callback,
  count,
  environment,
  flag,
  listOf,
  members,
  oneOf,
  path,
  required,
  signal,
  text,
} from "./checks.js";
import { type Parameter, storeParameter as store } from "./guard.js";
import type { RemoteOptions } from "../ops/push.js";
import type { FactFilter } from "../ops/log.js";
import type { AgentPaths } from "../ops/discover.js";
import type { RedactionOptions } from "../ops/pack.js";
import type { UserPaths } from "../store/config.js";
import type { RunFilter } from "../store/run-filter.js";

export const optionalStore: Parameter = { ...store, isOptional: true };
export const name: Parameter = { name: "name", check: text };
export const names: Parameter = { name: "names", check: listOf(text) };

export function parameter(parameterName: string, check: ArgumentCheck): Parameter {
  return { name: parameterName, check };
}

export function options(check: ArgumentCheck, isOptional = true): Parameter {
  return { name: "options", check, isOptional };
}

export const userPlace = members<UserPaths>({ config: required(path), state: required(path) });
export const where = parameter(
  "where",
  members<AgentPaths>({
    home: required(path),
    folder: required(path),
    env: required(environment),
  }),
);
export const redaction: { [Name in keyof Required<RedactionOptions>]: ArgumentCheck } = {
  redact: oneOf("off", "standard", "strict"),
  user: userPlace,
};
export const packing = {
  ...redaction,
  created: text,
  sidecars: flag,
  allowEmpty: flag,
  remove: oneOf(true, false, "content"),
};
export const packingAll = { ...packing, from: text, prompt: text, at: text, progress: callback };
export const remote: { [Name in keyof Required<RemoteOptions>]: ArgumentCheck | CheckedMember } = {
  wallet: required(members<RemoteOptions["wallet"]>({ home: required(path), env: required(environment) })),
  user: userPlace,
  plainHttp: flag,
  signal,
  waiting: callback,
  progress: callback,
};
export const outgoing = {
  ...redaction,
  withParents: flag,
  all: flag,
  allowSecrets: flag,
  before: callback,
  scanned: callback,
};
export const discovering = {
  ...redaction,
  agents: listOf(text),
  since: text,
  project: text,
  isNew: flag,
  version: text,
};
export const planning = { user: required(userPlace), recorded: listOf(text) };
export const forking = { at: count, set: listOf(text), readFile: callback };
export const filtering: { [Name in keyof Required<RunFilter>]: ArgumentCheck } = {
  model: text,
  tool: text,
  agent: text,
  since: text,
  until: text,
  tag: text,
  parent: text,
  session: text,
  project: text,
  failed: flag,
  denied: flag,
  folder: path,
};
export const byFacts: { [Name in keyof Required<FactFilter>]: ArgumentCheck } = {
  path: text,
  wrote: flag,
  read: flag,
  ran: text,
};
