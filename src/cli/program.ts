// The program `ctx`. What a hook calls a thousand times a day should not load what it does not need.
import { version } from "./version.js";

if (process.argv.length === 3 && process.argv[2] === "--version") process.stdout.write(`ctx ${version}\n`);
else void run();

async function run(): Promise<void> {
  if (process.platform === "win32") process.stderr.write("note: ctx is untested on Windows\n");
  const { main } = await import("./main.js");
  const { processTerminal } = await import("./terminal.js");
  process.exitCode = await main(process.argv.slice(2), processTerminal());
}
