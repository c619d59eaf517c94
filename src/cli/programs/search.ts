// The program that searches runs and counts them.
import { grep } from "../commands/grep.js";
import { stats } from "../commands/stats.js";
import { indexer } from "../search-index.js";
import { createProgram } from "./create.js";

export const { names, main, start } = createProgram({
  commands: [grep, stats, indexer],
  groups: [],
  first: [],
});
