// Loads modules of Node when they are first needed: each takes milliseconds, and most commands need none of
// them.
import type * as Children from "node:child_process";
import type * as Crypto from "node:crypto";
import { createRequire } from "node:module";
import type * as Os from "node:os";
import type * as Tty from "node:tty";
import type * as V8 from "node:v8";
import type * as Threads from "node:worker_threads";
import type * as Zlib from "node:zlib";

interface NodeModules {
  child_process: typeof Children;
  crypto: typeof Crypto;
  os: typeof Os;
  tty: typeof Tty;
  v8: typeof V8;
  worker_threads: typeof Threads;
  zlib: typeof Zlib;
}

/** Returns a module of Node, loaded now if it was not before. */
export function lazy<N extends keyof NodeModules>(name: N): NodeModules[N] {
  return createRequire(import.meta.url)(`node:${name}`) as NodeModules[N];
}
