// The program that shows packs: a tenth of the size of the whole one, so that it loads faster.
import { cat } from "../commands/cat.js";
import { log } from "../commands/log.js";
import { show } from "../commands/show.js";
import { tag } from "../commands/tag.js";
import { createProgram } from "./create.js";

export const { names, main, start } = createProgram({
  commands: [show, cat, log, tag],
  groups: [],
  first: [],
});
