// What every command that replays needs: the kinds of programs that may run, and an end at Ctrl-C that leaves nothing behind.
import { CtxError } from "../base/errors.js";
import type { Allowed } from "../ops/replay.js";

const kinds = ["exec", "adapters", "mcp", "mcp-writes", "net"] as const;

export function allowedOf(given: readonly string[]): Allowed[] {
  return given
    .flatMap((list) => list.split(","))
    .flatMap((name): Allowed[] => {
      if (name === "all") return ["exec", "adapters", "mcp"];
      const found = kinds.find((kind) => kind === name);
      if (found !== undefined) return [found];
      throw new CtxError("usage", `--allow takes ${kinds.join(", ")} or all, not "${name}"`);
    });
}

/** Ctrl-C ends every program and removes the workspace; then this process ends by the same signal. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let caught: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    caught ??= signal;
    controller.abort(new CtxError("interrupted", `ended by ${signal}`));
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
    if (caught !== undefined) process.kill(process.pid, caught);
  }
}
