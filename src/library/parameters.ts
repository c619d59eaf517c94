// Parameters that several functions of the library share.
import {
  type Check,
  type Field,
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
import type { Whereabouts } from "../ops/discover.js";
import type { RedactionOptions } from "../ops/pack.js";
import type { UserPlace } from "../store/config.js";

export const anyStore: Parameter = { ...store, isOptional: true };
export const name: Parameter = { name: "name", check: text };
export const names: Parameter = { name: "names", check: listOf(text) };

export function parameter(called: string, what: Check): Parameter {
  return { name: called, check: what };
}

export function options(what: Check, isOptional = true): Parameter {
  return { name: "options", check: what, isOptional };
}

export const userPlace = members<UserPlace>({ config: required(path), state: required(path) });
export const where = parameter(
  "where",
  members<Whereabouts>({
    home: required(path),
    folder: required(path),
    env: required(environment),
  }),
);
export const redaction: { [Name in keyof Required<RedactionOptions>]: Check } = {
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
export const remote: { [Name in keyof Required<RemoteOptions>]: Check | Field } = {
  wallet: required(members<RemoteOptions["wallet"]>({ home: required(path), env: required(environment) })),
  user: userPlace,
  plainHttp: flag,
  signal: signal,
  waiting: callback,
  progress: callback,
};
export const leaving = {
  ...redaction,
  withParents: flag,
  all: flag,
  allowSecrets: flag,
  before: callback,
  scanned: callback,
};
export const discovering = { agents: listOf(text), since: text, project: text, isNew: flag, version: text };
export const planning = { user: required(userPlace), recorded: listOf(text) };
export const forking = { at: count, set: listOf(text), readFile: callback };
