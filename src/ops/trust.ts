// `ctx trust`: allows the programs in the store's current config to run.
import { resolve } from "node:path";
import { programInfo } from "../model/config.js";
import type { TrustResult } from "../results/results.js";
import { acceptStore, forgetAccepted } from "../store/accepted.js";
import { readStoreFile, resolvePrograms, type UserPaths } from "../store/config.js";
import type { Store } from "../store/store.js";
import { forgetTrust, rememberTrust, trustedPrograms, trustName } from "../store/trust.js";

export interface TrustOptions {
  user: UserPaths;
  /** `look`: only report the current state. */
  action?: "trust" | "forget" | "look";
}

export function trust(store: Store, { user, action = "trust" }: TrustOptions): TrustResult {
  const { file, bytes } = readStoreFile(store);
  const { redact = {} } = file;
  const known = trustedPrograms(store, bytes, user.state);
  const before = !("why" in known);
  // As they would run: relative words are resolved against the config's folder, and stay as they were when
  // trusted.
  const resolved = resolvePrograms(file.replay ?? {}, resolve(store.root));
  const replay = before && action !== "trust" ? known.replay : resolved;
  let files = before ? known.files : undefined;
  if (action === "trust") {
    files = rememberTrust(store, bytes, { state: user.state, replay });
    if (!store.foreign) acceptStore(store, user.state);
  } else if (action === "forget") {
    forgetTrust(store, bytes, user.state);
    forgetAccepted(store, user.state);
  }
  const trusted = action === "look" ? before : action === "trust";
  return {
    store: store.root,
    content: `sha256:${trustName(store, bytes)}`,
    trusted,
    changed: trusted !== before,
    adapters: Object.entries(replay.adapters ?? {}).map(([tool, adapter]) => ({
      tool,
      ...programInfo(adapter),
    })),
    servers: Object.entries(replay.mcp ?? {}).map(([server, config]) => ({ server, ...programInfo(config) })),
    normalisers: (replay.normalise ?? []).map(({ name, pattern, replace = "" }) => ({
      name,
      pattern,
      replace,
    })),
    ...(trusted && files !== undefined
      ? { files: [...files].map(([path, hash]) => ({ path, hash })) }
      : action === "look" && !before
        ? { why: known.why }
        : {}),
    unmasked: [...(redact.mode === "off" ? ["everything"] : []), ...(redact.allow ?? [])],
  };
}
