// The repository in which a run took place, as its log names it.
import { isObject } from "../base/json/value.js";
import type { Manifest } from "../model/manifest.js";

/** Returns `host/path` of the repository that the log names. */
export function recordedRemote({ metadata }: Manifest): string | undefined {
  const git = metadata?.["git"];
  const remote = git !== undefined && isObject(git) ? git["remote"] : undefined;
  return typeof remote === "string" ? hostAndPath(remote) : undefined;
}

/** Returns `host/path` of an address, however it is written. */
export function hostAndPath(address: string): string | undefined {
  const [, host, path] =
    /^[a-z+]+:\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(address) ??
    /^(?:[^/@]*@)?([^/:]+):(?!\/\/)(.+)$/.exec(address) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  return `${host.toLowerCase()}/${path.replace(/^\/+/, "").replace(/(?:\.git)?\/*$/, "")}`;
}
