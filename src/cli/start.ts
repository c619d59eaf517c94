// A program as the launcher starts it: the whole one, or a small one with the commands that are called most.
import type { Table } from "./command.js";
import { main } from "./main.js";
import { processTerminal, type Terminal } from "./terminal.js";

export interface Program {
  /** The commands that it has. */
  names: string[];
  main: (argv: readonly string[], terminal: Terminal) => Promise<number>;
  start: () => Promise<void>;
}

export function programOf(table: Table): Program {
  return {
    names: table.commands.map(({ name }) => name),
    main: (argv, terminal) => main(argv, terminal, table),
    start: async () => {
      if (process.platform === "win32") process.stderr.write("note: ctx is untested on Windows\n");
      process.exitCode = await main(process.argv.slice(2), processTerminal(), table);
    },
  };
}
