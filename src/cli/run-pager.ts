// Runs a pager. A separate file, so that node:child_process is loaded only if a pager runs.
import { spawnSync } from "node:child_process";
import type { Terminal } from "./terminal.js";

/** Runs the user's pager command in a shell, and returns whether that worked. */
export function runPager(command: string, text: Buffer, env: Terminal["env"]): boolean {
  // Ctrl-C is for the pager. Without a listener it would end this process, and pager and shell would compete
  // for keys.
  process.on("SIGINT", ignore);
  try {
    const run = spawnSync("/bin/sh", ["-c", command], {
      input: text,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", LV: "-c", ...env },
    });
    const closedEarly = run.error !== undefined && "code" in run.error && run.error.code === "EPIPE";
    return (run.error === undefined || closedEarly) && run.status !== 126 && run.status !== 127;
  } finally {
    process.off("SIGINT", ignore);
  }
}

function ignore(): void {
  // The pager handles the signal.
}
