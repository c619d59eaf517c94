// The program as the launcher starts it.
import { main } from "./main.js";
import { processTerminal } from "./terminal.js";

export { main };

export async function start(): Promise<void> {
  if (process.platform === "win32") process.stderr.write("note: ctx is untested on Windows\n");
  process.exitCode = await main(process.argv.slice(2), processTerminal());
}
