// Runs a pager. Apart from the decision whether to, so that starting programs is loaded only where one is started.
import { spawnSync } from "node:child_process";
import type { Terminal } from "./terminal.js";

/** The user's own word, so it is run as a shell would; false when it could not be. */
export function runPager(command: string, text: string, env: Terminal["env"]): boolean {
  // Ctrl-C is for the pager. Without a listener it would end us, and leave the pager fighting the shell for the keyboard.
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
  // The pager answers.
}
