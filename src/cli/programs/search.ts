// The program that searches runs.
import { grep } from "../commands/grep.js";
import { indexer } from "../search-index.js";
import { createProgram } from "./create.js";

export const { names, main, start } = createProgram({
  commands: [grep, indexer],
  groups: [],
  first: [],
});
